// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI's registers as tables. All of the map is ours: the SNI's is not public, which the one
// source string below says for every field; text that goes back to the paper cites it.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>

#include "hw/model/register.h"
#include "hw/shrimp/sni.h"

namespace perfboard::sni {

inline constexpr std::string_view kOurs = "INFERRED: the SNI's map is not public";
enum Window : unsigned { kSlotWindow, kRegisterWindow };
inline constexpr uint32_t kSlotBytes = 0x1000, kWindowBytes = 1u << 20;
// User-level deliberate update: a word of it for each word of memory that the tables cover.
inline constexpr uint32_t kProxyBytes = SNI_PROXY_SPAN;
inline constexpr uint32_t kOutTable = 0x40000, kInTable = 0x80000, kInCounts = 0xa0000,
                          kInCountsEnd = 0xc0000;
inline constexpr uint32_t kCounters = 0x100, kCountersEnd = 0x1a0, kTerms = 0x200, kTermsEnd = 0x260;

inline constexpr Field kEpirFields[] = {
    {"ID", 31, 0, Access::ro, EISA_SNI_ID, "EISA product ID: PRU, product 0x002, revision 0", "EISA"},
};
inline constexpr Field kSbcrFields[] = {
    {"BASE", 31, 20, Access::rw, 0, "top 12 bits of the base address of the 1 MB window", kOurs},
    {"IRLEV", 10, 8, Access::rw, 0,
     "interrupt: 2 IRQ 5, 3 IRQ 9, 4 IRQ 10, 5 IRQ 12, 6 IRQ 14, 7 IRQ 15; 0, 1 none",
     "as the SurfBoard's (paper A.5)"},
    {"ENABLE", 0, 0, Access::rw, 0,
     "0: only these two registers answer, no interrupt, nothing is snooped or sent", "EISA"},
};
inline constexpr Register kIoRegisters[] = {
    {"EPIR", 0xc80, 1, kEpirFields, "EISA Product Identification Register", "EISA"},
    {"SBCR", 0xc84, 1, kSbcrFields, "SNI Board Configuration Register", kOurs},
};

inline constexpr Field kScrFields[] = {
    {"CRST", 5, 5, Access::wo, 0, "write 1: clear all counters and latency terms", kOurs},
    {"FLUSH", 4, 4, Access::wo, 0, "write 1: close the open packet now (ENDF)", kOurs},
    {"GRST", 3, 3, Access::wo, 0, "write 1: pulse the global clock reset (S_GRST_L)", kOurs},
    {"TSE", 2, 2, Access::rw, 1, "packets carry timestamps, 64 bits of FIFO each (paper 3.8)", kOurs},
    {"AUE", 1, 1, Access::rw, 0, "automatic update: snoop the memory bus", kOurs},
    {"EN", 0, 0, Access::rw, 0, "network enable: packets leave", kOurs},
};
inline constexpr Field kSsrFields[] = {
    {"DUB", 5, 5, Access::ro, 0, "deliberate update engine busy", kOurs},
    {"RXB", 6, 6, Access::ro, 0,
     "a packet is being received: from its page table entry's reading to the end of DMA", kOurs},
    {"EMPTY", 4, 4, Access::ro, 1, "outgoing FIFO empty", kOurs},
    {"BLW", 3, 3, Access::ro, 1, "occupancy at or below FLWM", kOurs},
    {"AHW", 2, 2, Access::ro, 0, "occupancy at or above FHWM", kOurs},
    {"FULL", 1, 1, Access::ro, 0, "no word of the outgoing FIFO is free", kOurs},
    {"OPEN", 0, 0, Access::ro, 0, "a packet is open for combining", kOurs},
};
inline constexpr Field kSisrFields[] = {
    {"PEND", 31, 31, Access::ro, 0, "the board drives its interrupt line", kOurs},
    {"CKV", 7, 7, Access::w1c, 0, "the 45-bit clock went from all ones to 0", kOurs},
    {"DUE", 6, 6, Access::w1c, 0, "deliberate update refused: see DUWC", kOurs},
    {"DUD", 5, 5, Access::w1c, 0, "deliberate update done: its last word left", kOurs},
    {"OVF", 4, 4, Access::w1c, 0, "a store was lost: outgoing FIFO full", kOurs},
    {"RXE", 3, 3, Access::w1c, 0, "a packet was dropped: page not valid, another key, or no memory there",
     kOurs},
    {"RXI", 2, 2, Access::w1c, 0, "a packet is in memory whose page has INT", kOurs},
    {"LW", 1, 1, Access::w1c, 0, "occupancy came down to FLWM after HW", kOurs},
    {"HW", 0, 0, Access::w1c, 0, "occupancy rose from below FHWM to it or above (paper 4.4.2)", kOurs},
};
inline constexpr Field kSierFields[] = {
    {"CKV", 7, 7, Access::rw, 0, "enables SISR.CKV", kOurs},
    {"DUE", 6, 6, Access::rw, 0, "enables SISR.DUE", kOurs},
    {"DUD", 5, 5, Access::rw, 0, "enables SISR.DUD", kOurs},
    {"OVF", 4, 4, Access::rw, 0, "enables SISR.OVF", kOurs},
    {"RXE", 3, 3, Access::rw, 0, "enables SISR.RXE", kOurs},
    {"RXI", 2, 2, Access::rw, 0, "enables SISR.RXI", kOurs},
    {"LW", 1, 1, Access::rw, 0, "enables SISR.LW", kOurs},
    {"HW", 0, 0, Access::rw, 0, "enables SISR.HW", kOurs},
};
inline constexpr Field kNodeFields[] = {
    {"NODE", 31, 16, Access::ro, 0, "own node number", kOurs},
    {"Y", 11, 6, Access::ro, 0, "own row", kOurs},
    {"X", 5, 0, Access::ro, 0, "own column", kOurs},
};
inline constexpr Field kMeshFields[] = {
    {"NODES", 31, 16, Access::ro, 1, "nodes of the machine", kOurs},
    {"HEIGHT", 15, 8, Access::ro, 1, "rows", kOurs},
    {"WIDTH", 7, 0, Access::ro, 1, "columns", kOurs},
};
inline constexpr Field kFsizeFields[] = {{"WORDS", 31, 0, Access::ro, 4096,
                                          "size of the outgoing FIFO in 64-bit words (property fifo-words)",
                                          kOurs}};
inline constexpr Field kFcntFields[] = {
    {"WORDS", 31, 0, Access::ro, 0, "words occupied now, an open packet included", kOurs}};
inline constexpr Field kFhwmFields[] = {
    {"WORDS", 16, 0, Access::rw, 3584, "high-water mark; reset: 7/8 of FSIZE", kOurs}};
inline constexpr Field kFlwmFields[] = {
    {"WORDS", 16, 0, Access::rw, 512, "low-water mark; reset: 1/8 of FSIZE", kOurs}};
inline constexpr Field kCtorFields[] = {
    {"CLOCKS", 23, 0, Access::rw, 0x3e8, "combining timeout in 100 ns clocks, for pages with TOE", kOurs}};
inline constexpr Field kClklFields[] = {{"LOW", 31, 0, Access::ro, 0,
                                         "global clock, bits 31..0; reading it latches CLKH",
                                         "paper 3.2: 45 bits, 10 MHz"}};
inline constexpr Field kClkhFields[] = {
    {"HIGH", 12, 0, Access::ro, 0, "global clock, bits 44..32 as latched", "paper 3.2: 45 bits, 10 MHz"}};
inline constexpr Field kRxpgFields[] = {
    {"SENDER", 27, 16, Access::ro, 0, "coordinate of its sender", kOurs},
    {"PAGE", 14, 0, Access::ro, 0, "page of the last packet that set RXI", kOurs},
};
inline constexpr Field kRxepFields[] = {
    {"SENDER", 27, 16, Access::ro, 0, "coordinate of its sender", kOurs},
    {"PAGE", 14, 0, Access::ro, 0, "page of the last packet that set RXE", kOurs},
};
inline constexpr Field kDusaFields[] = {
    {"ADDRESS", 31, 2, Access::rw, 0, "source physical address, a multiple of 4", kOurs}};
inline constexpr Field kDudaFields[] = {
    {"ADDRESS", 26, 2, Access::rw, 0, "destination physical address on the other node", kOurs}};
inline constexpr Field kDudnFields[] = {
    {"KEY", 25, 16, Access::rw, 0, "key that the packet carries", kOurs},
    {"Y", 11, 6, Access::rw, 0, "destination row", kOurs},
    {"X", 5, 0, Access::rw, 0, "destination column", kOurs},
};
inline constexpr Field kDuwcFields[] = {{"WORDS", 10, 0, Access::rw, 0,
                                         "32-bit words; writing it starts the transfer. DUE and nothing "
                                         "sent: 0 or over 1024, past the end of the "
                                         "destination page, no memory at the source, engine busy, SCR.EN 0",
                                         kOurs}};

inline constexpr Field kUdcrFields[] = {
    {"BASE", 31, 27, Access::rw, 0, "top 5 bits of the base address of the 128 MB proxy window", kOurs},
    {"HOLD", 1, 1, Access::rw, 0, "no user-level update begins: loads find TRANSFERRING", kOurs},
    {"ENABLE", 0, 0, Access::rw, 0, "the proxy window is there", kOurs},
};

inline constexpr Register kRegisters[] = {
    {"SCR", 0x00, 1, kScrFields, "SNI Control Register", kOurs},
    {"SSR", 0x04, 1, kSsrFields, "SNI Status Register", kOurs},
    {"SISR", 0x08, 1, kSisrFields, "SNI Interrupt Status Register", kOurs},
    {"SIER", 0x0c, 1, kSierFields, "SNI Interrupt Enable Register", kOurs},
    {"NODE", 0x10, 1, kNodeFields, "Node Register", kOurs},
    {"MESH", 0x14, 1, kMeshFields, "Mesh Register", kOurs},
    {"FSIZE", 0x18, 1, kFsizeFields, "FIFO Size Register", kOurs},
    {"FCNT", 0x1c, 1, kFcntFields, "FIFO Count Register", kOurs},
    {"FHWM", 0x20, 1, kFhwmFields, "FIFO High-Water Mark Register", kOurs},
    {"FLWM", 0x24, 1, kFlwmFields, "FIFO Low-Water Mark Register", kOurs},
    {"CTOR", 0x28, 1, kCtorFields, "Combining Timeout Register", kOurs},
    {"CLKL", 0x30, 1, kClklFields, "Clock Low Register", kOurs},
    {"CLKH", 0x34, 1, kClkhFields, "Clock High Register", kOurs},
    {"RXPG", 0x38, 1, kRxpgFields, "Receive Page Register", kOurs},
    {"RXEP", 0x3c, 1, kRxepFields, "Receive Error Page Register", kOurs},
    {"DUSA", 0x40, 1, kDusaFields, "Deliberate Update Source Address Register", kOurs},
    {"DUDA", 0x44, 1, kDudaFields, "Deliberate Update Destination Address Register", kOurs},
    {"DUDN", 0x48, 1, kDudnFields, "Deliberate Update Destination Node Register", kOurs},
    {"DUWC", 0x4c, 2, kDuwcFields, "Deliberate Update Word Count Register", kOurs},
    {"UDCR", 0x50, 1, kUdcrFields, "User-level Deliberate Update Control Register", kOurs},
};

// Page tables. An offset here is that of entry 0.
inline constexpr Field kOut0Fields[] = {
    {"AU", 31, 31, Access::rw, 0, "automatic update on", kOurs},
    {"DU", 30, 30, Access::rw, 0, "destination of user-level updates", kOurs},
    {"DNODE", 27, 16, Access::rw, 0, "destination coordinate: Y in 27..22, X in 21..16", kOurs},
    {"DPAGE", 14, 0, Access::rw, 0, "destination page", kOurs},
};
inline constexpr Field kOut1Fields[] = {
    {"KEY", 25, 16, Access::rw, 0, "key that its packets carry", kOurs},
    {"CONTEXT", 15, 5, Access::rw, 0, "whose page it is in user-level updates; 0: nobody's", kOurs},
    {"TOE", 4, 4, Access::rw, 0, "combining times out after CTOR", kOurs},
    {"BOUND", 3, 1, Access::rw, 0, "combining boundary: 256 << BOUND bytes; 5..7 act as 4 (paper 2.2.1)",
     kOurs},
    {"COMB", 0, 0, Access::rw, 0, "combining on", kOurs},
};
inline constexpr Field kInFields[] = {
    {"KEY", 25, 16, Access::rw, 0, "key of the page's export: a packet with another one is dropped", kOurs},
    {"COLOR01", 9, 8, Access::ro, 1, "top two bits of the colour: wired to 01", "paper 3.2, footnote 1"},
    {"COLOR", 7, 4, Access::rw, 0, "colour of packets to this page", "paper 3.2"},
    {"INT", 1, 1, Access::rw, 0, "a packet to this page sets RXI; the SurfBoard sees the bit", "paper 3.2"},
    {"VALID", 0, 0, Access::rw, 0, "packets to this page are written to memory", kOurs},
};
inline constexpr Field kInCountFields[] = {
    {"COUNT", 31, 0, Access::ro, 0, "packets to this page that set RXI, since power on, modulo 2^32", kOurs},
};
// What a load of the proxy window answers, and what a store says.
inline constexpr Field kProxyFields[] = {
    {"INITIATED", 31, 31, Access::ro, 0, "this load has begun the transfer", kOurs},
    {"TRANSFERRING", 30, 30, Access::ro, 0, "the engine is at work, or held: load again", kOurs},
    {"INVALID", 29, 29, Access::ro, 0, "there is no store before it by this context: store again", kOurs},
    {"MATCH", 28, 28, Access::ro, 0, "the transfer at work is from this word", kOurs},
    {"REFUSED", 27, 27, Access::ro, 0,
     "no transfer: no context or no DU, a page's end is crossed, no memory, SCR.EN 0", kOurs},
    {"COUNT", 12, 0, Access::wo, 0,
     "a store: bytes, a multiple of 4, at most 4096; any other takes back the store before it", kOurs},
};
inline constexpr Register kProxyRegisters[] = {
    {"PROXY", 0, 4, kProxyFields, "the proxy of a word of memory", kOurs},
};

inline constexpr Register kTableEntries[] = {
    {"OPT0", kOutTable, 1, kOut0Fields, "Outgoing Page Table, word 0 of 8-byte entries", kOurs},
    {"OPT1", kOutTable + 4, 1, kOut1Fields, "Outgoing Page Table, word 1", kOurs},
    {"IPT", kInTable, 1, kInFields, "Incoming Page Table, 4-byte entries", kOurs},
    {"IPC", kInCounts, 1, kInCountFields, "Incoming Page Counts, 4-byte entries", kOurs},
};

static_assert(table_ok(kIoRegisters));
static_assert(table_ok(kRegisters));
static_assert(table_ok(kTableEntries));
static_assert(table_ok(kProxyRegisters));

// 64-bit counters, low word first; read only. Reading the low word latches the high word.
enum CounterIndex : uint32_t {
  TXP,
  TXW,
  RXP,
  RXW,
  RXD,
  TXU,
  OVFC,
  DUP,
  ENDD,
  ENDR,
  ENDN,
  ENDB,
  ENDT,
  ENDP,
  ENDF,
  kNoCounter,
  AUS,
  AUW,
  BRD,
  BWR,
};
struct Counter {
  std::string_view name;
  CounterIndex index;  // at kCounters + 8 * index
  std::string_view text;
};
inline constexpr Counter kCounterTable[] = {
    {"TXP", TXP, "packets sent: out of the FIFO or the deliberate update engine, TXU included"},
    {"TXW", TXW, "their payload words"},
    {"RXP", RXP, "packets delivered to memory"},
    {"RXW", RXW, "their words"},
    {"RXD", RXD, "packets dropped: page not valid, another key, or no memory there"},
    {"TXU", TXU, "packets to a coordinate that no node has: dropped"},
    {"OVFC", OVFC, "stores lost, wholly or in part: outgoing FIFO full"},
    {"DUP", DUP, "deliberate-update packets sent"},
    {"ENDD", ENDD, "packets closed: combining is disabled for the page"},
    {"ENDR", ENDR, "packets closed: a read on the bus"},
    {"ENDN", ENDN, "packets closed: a non-sequential write on the bus"},
    {"ENDB", ENDB, "packets closed: the boundary is reached"},
    {"ENDT", ENDT, "packets closed: timeout"},
    {"ENDP", ENDP, "packets closed: a partial word, and packets that are one"},
    {"ENDF", ENDF,
     "packets closed: by software (FLUSH, the page's entry changed, EN, AUE or ENABLE cleared)"},
    {"AUS", AUS, "automatic-update stores snooped: bus cycles, lost ones included"},
    {"AUW", AUW, "words that they put into the FIFO"},
    {"BRD", BRD, "bus reads seen"},
    {"BWR", BWR, "writes to other pages seen"},
};
constexpr const Counter* counter_at(uint32_t index) {
  for (const Counter& c : kCounterTable)
    if (c.index == index) return &c;
  return nullptr;
}

enum TermIndex : uint32_t { COMB, FIFO, BACK, EISA, XFER, TOTAL };
struct Term {
  std::string_view name;
  std::string_view text;
};
inline constexpr Term kTermTable[] = {
    {"COMB", "first word to the packet's close: combining"},
    {"FIFO", "wait in the outgoing FIFO or for the link, beyond the fixed stages"},
    {"BACK", "backplane: link to the receiver's board"},
    {"EISA", "wait for the receiver's bus: packets before it, acquisition, the CPU's cycles, minimum period"},
    {"XFER", "the fixed stages: SNOOP (or DU_PIPE) + SEND + RECEIVE + S_START"},
    {"TOTAL", "first word written to first word on S_DATA: the sum of the others"},
};

inline constexpr Field kCounterFields[] = {
    {"WORD", 31, 0, Access::ro, 0, "index 0 the low word, 1 the high word", kOurs},
};
inline constexpr Field kTermFields[] = {
    {"NS", 31, 0, Access::ro, 0, "index 0 and 1 the sum, low word first; 2 the least, 3 the largest", kOurs},
};
inline constexpr auto kCounterRegisters = [] {
  std::array<Register, std::size(kCounterTable)> table{};
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = {kCounterTable[i].name,
                kCounters + 8 * kCounterTable[i].index,
                1,
                kCounterFields,
                kCounterTable[i].text,
                kOurs};
  return table;
}();
inline constexpr auto kTermRegisters = [] {
  std::array<Register, std::size(kTermTable)> table{};
  for (uint32_t i = 0; i < table.size(); ++i)
    table[i] = {kTermTable[i].name, kTerms + 16 * i, 1, kTermFields, kTermTable[i].text, kOurs};
  return table;
}();
static_assert(table_ok(kCounterRegisters) && table_ok(kTermRegisters));

inline constexpr uint32_t kIrqOfLevel[8] = {0, 0, 5, 9, 10, 12, 14, 15};

namespace bit {
inline constexpr uint32_t kEnable = 1;                                                      // SBCR
inline constexpr uint32_t kEn = 1, kAue = 2, kTse = 4, kGrst = 8, kFlush = 16, kCrst = 32;  // SCR
inline constexpr uint32_t kHw = 1, kLw = 2, kRxi = 4, kRxe = 8, kOvf = 16, kDud = 32, kDue = 64, kCkv = 128;
inline constexpr uint32_t kAu = 1u << 31, kDu = 1u << 30;  // OPT0
inline constexpr uint32_t kHold = 2;                       // UDCR
inline constexpr uint32_t kInitiated = 1u << 31, kTransferring = 1u << 30, kInvalid = 1u << 29,
                          kMatch = 1u << 28, kRefused = 1u << 27;  // of the proxy window
inline constexpr uint32_t kComb = 1, kToe = 16;                    // OPT1
inline constexpr uint32_t kValid = 1, kInt = 2;                    // IPT
}  // namespace bit

}  // namespace perfboard::sni
