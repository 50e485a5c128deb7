// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timing - every constant of virtual time in the SNI model, with its source. One table: the
// manual page prints it, a test compares the two, and the model reads its values from it.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/model/register.h"
#include "hw/shrimp/sni.h"

namespace perfboard::sni {

struct Timing {
  std::string_view name;
  uint32_t value;
  std::string_view unit;
  std::string_view text;
  std::string_view source;
};

constexpr Timing kTimings[] = {
    {"TICK", 100, "ns", "global clock: tick = floor(ns / 100)", "paper 3.2: 10 MHz"},
    {"BCLK", 120, "ns", "EISA bus clock; edges at multiples of 120 ns", "paper A.1: about 8.3 MHz"},
    {"S_CYCLE", 60, "ns", "one 64-bit word on S_DATA", "paper A.1: twice BCLK"},
    {"SNOOP", 780, "ns", "packet closed to ready in the FIFO: snoop, page table, packetizing",
     "INFERRED: share of the 5 us of paper 4.3.7"},
    {"DU_SETUP", 600, "ns", "DUWC written to bus request of the deliberate update engine",
     "INFERRED: five EISA cycles"},
    {"DU_PIPE", 480, "ns", "first word read by the deliberate update engine to ready",
     "INFERRED: as SNOOP, without snooping"},
    {"SEND", 480, "ns", "out of the FIFO to the link: arbiter, format and send, network chip",
     "INFERRED: share of the 5 us"},
    {"LINK_WORD", 40, "ns", "one 64-bit word on the link: 200 MB/s",
     "INFERRED: within 175-200 MB/s of the Paragon links; a timestamp adds 1 % at most (paper 3.8)"},
    {"BACKPLANE", 1000, "ns", "link to link through cable, conditioning card and backplane",
     "facts the paper leaves out: about 1 us"},
    {"HOP", 40, "ns", "each mesh router between the two nodes",
     "INFERRED: small beside BACKPLANE (paper 4.4.1)"},
    {"HEAD_WORDS", 3, "words", "64-bit words that must arrive before the receiver goes on",
     "INFERRED: header, timestamp, first payload"},
    {"RECEIVE", 1680, "ns",
     "head of the packet to bus request: network chip, incoming page table, DMA set-up",
     "INFERRED: what remains of the 5 us"},
    {"ACQUIRE", SNI_ACQUIRE, "ns",
     "EISA acquisition after the first BCLK edge: 3 BCLK; with the wait for it 3-4", "paper 4.4.2"},
    {"S_START", 60, "ns", "bus granted to first word on S_DATA", "INFERRED: one S_DATA cycle"},
    {"EISA_WORD", 120, "ns", "one 32-bit word on the EISA bus", "paper 3.8: 8.3 Mword/s"},
    {"LINE_WORDS", 8, "words", "words after which the bus bridge makes the transfer wait: a 32-byte line",
     "INFERRED: fits LINE_WAIT"},
    {"LINE_WAIT", 420, "ns", "that wait: 3.5 BCLK, with stretched cycles (paper A.1)",
     "INFERRED: makes large messages 23 MB/s (facts the paper leaves out)"},
    {"MIN_PERIOD", 1080, "ns", "packets at one receiver, start word to start word, at least", "paper 3.1"},
    {"MIN_GAP", 240, "ns", "packets at one receiver, end word to start word, at least", "paper 3.1"},
    {"CPU_BUS", 120, "ns", "an automatic-update store holds the node's bus: a grant in it comes after it",
     "INFERRED: paper 4.4.2 has the contention, no number"},
    {"CPU_TURN", 1080, "ns",
     "with contention: a processor that waited for the bus keeps it so long, 9 BCLK, before the next "
     "acquisition begins",
     "INFERRED: fits the period of 2 us and the growth of 500 ns of paper 4.4.2 (Fig. 167)"},
    {"CPU_EISA", 600, "ns", "with contention: the processor's access to a register of the board",
     "INFERRED: five EISA cycles, as DU_SETUP"},
};

consteval uint64_t timing(std::string_view name) {
  for (const Timing& t : kTimings)
    if (t.name == name) return t.value;
  no_such_name();
}

inline constexpr uint64_t kTick = timing("TICK");
inline constexpr uint64_t kBclk = timing("BCLK");
inline constexpr uint64_t kSCycle = timing("S_CYCLE");
inline constexpr uint64_t kSnoop = timing("SNOOP");
inline constexpr uint64_t kDuSetup = timing("DU_SETUP");
inline constexpr uint64_t kDuPipe = timing("DU_PIPE");
inline constexpr uint64_t kSend = timing("SEND");
inline constexpr uint64_t kLinkWord = timing("LINK_WORD");
inline constexpr uint64_t kBackplane = timing("BACKPLANE");
inline constexpr uint64_t kHop = timing("HOP");
inline constexpr uint64_t kHeadWords = timing("HEAD_WORDS");
inline constexpr uint64_t kReceive = timing("RECEIVE");
inline constexpr uint64_t kAcquire = timing("ACQUIRE");
inline constexpr uint64_t kSStart = timing("S_START");
inline constexpr uint64_t kEisaWord = timing("EISA_WORD");
inline constexpr uint64_t kLineWords = timing("LINE_WORDS");
inline constexpr uint64_t kLineWait = timing("LINE_WAIT");
inline constexpr uint64_t kMinPeriod = timing("MIN_PERIOD");
inline constexpr uint64_t kMinGap = timing("MIN_GAP");
inline constexpr uint64_t kCpuBus = timing("CPU_BUS");
inline constexpr uint64_t kCpuTurn = timing("CPU_TURN");
inline constexpr uint64_t kCpuEisa = timing("CPU_EISA");

inline constexpr uint64_t kClockMask = (1ull << 45) - 1;

constexpr uint64_t bclk_edge(uint64_t t) { return (t + kBclk - 1) / kBclk * kBclk; }

// EISA time of the first n words of a transfer at a byte address, waits between lines included.
constexpr uint64_t eisa_time(uint64_t address, uint64_t words) {
  if (words == 0) return 0;
  const uint64_t crossed = (address / 4 % kLineWords + words - 1) / kLineWords;
  return words * kEisaWord + crossed * kLineWait;
}

}  // namespace perfboard::sni
