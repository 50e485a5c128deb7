// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timing - every constant of sizes and virtual time in the model of ring and adapters, with its source. One
// table: the manual page prints it, a test compares the two, and the model reads its values from it.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/model/register.h"
#include "hw/sci/packet.h"

namespace perfboard::sci {

struct Timing {
  std::string_view name;
  uint32_t value;
  std::string_view unit;
  std::string_view text;
  std::string_view source;
};

constexpr Timing kTimings[] = {
    {"SYMBOL", 5, "ns", "a symbol of 2 bytes on a link", "Sec. I: 400 MB/s"},
    {"RINGLET", 8, "nodes", "in a ringlet at most, and switches in a ringlet of switches",
     "Sec. I: up to 8 nodes"},
    {"HEADER", 8, "symbols",
     "packet without data: target, command, source, control, address (3 symbols), CRC",
     "INFERRED: an SCI packet as it is usually described; the standard is not at hand"},
    {"DATA_16", 8, "symbols", "data of a piece of up to 8 bytes: SCI's smallest block, 16 bytes",
     "INFERRED: as HEADER"},
    {"DATA_64", 32, "symbols", "data of a full write-combining buffer: a block of 64 bytes",
     "INFERRED: as HEADER"},
    {"ECHO", 4, "symbols", "the receiver's answer on the link to each packet", "INFERRED: as HEADER"},
    {"IDLE", 1, "symbols", "between two packets on a link", "INFERRED: as HEADER"},
    {"HOP", 70, "ns", "a link and the station at its end, for the head of a packet that goes on",
     "INFERRED: a few metres of cable, and the bypass of a link chip of 1995"},
    {"SWITCH", 300, "ns", "a packet that is wholly in a switch, to the other ringlet's link",
     "INFERRED: two link chips back to back"},
    {"LINK", 100, "ns", "B-Link to link, and link to B-Link",
     "INFERRED: five clocks of the B-Link in the link chip"},
    {"BLINK", SCI_BLINK_CLOCK_NS, "ns", "a word of 64 bits on a B-Link", "INFERRED: 400 MB/s on 64 bits"},
    {"REQUEST", 700, "ns", "access to request on the B-Link: PCI, translation, packet",
     "INFERRED: so that a remote load costs an order of magnitude more than a local one (Sec. I)"},
    {"HOME", 1200, "ns", "request on the home's B-Link to the response there: PCI and memory",
     "INFERRED: as REQUEST"},
    {"RESPONSE", 700, "ns", "response on the B-Link to the data in the processor", "INFERRED: as REQUEST"},
    {"LATE", 10000, "ns", "an error on purpose: how much later a packet comes",
     "INFERRED: three times a remote load"},
    {"TIMEOUT", 100000, "ns", "an error on purpose: how long a processor waits for a response that was lost",
     "INFERRED: the paper does not say what an adapter does then; PCI's retries last for some time"},
    {"OUTSTANDING", 64, "requests", "of a node at most", "Sec. III: the transaction table has 64 rows"},
};

consteval uint64_t timing(std::string_view name) {
  for (const Timing& t : kTimings)
    if (t.name == name) return t.value;
  no_such_name();
}

inline constexpr uint64_t kSymbol = timing("SYMBOL");
inline constexpr uint32_t kMostRinglet = timing("RINGLET");
inline constexpr uint64_t kHeader = timing("HEADER");
inline constexpr uint64_t kData16 = timing("DATA_16");
inline constexpr uint64_t kData64 = timing("DATA_64");
inline constexpr uint64_t kEcho = timing("ECHO");
inline constexpr uint64_t kIdle = timing("IDLE");
inline constexpr uint64_t kHop = timing("HOP");
inline constexpr uint64_t kSwitch = timing("SWITCH");
inline constexpr uint64_t kLink = timing("LINK");
inline constexpr uint64_t kBlink = timing("BLINK");
inline constexpr uint64_t kRequest = timing("REQUEST");
inline constexpr uint64_t kHome = timing("HOME");
inline constexpr uint64_t kResponse = timing("RESPONSE");
inline constexpr uint64_t kLateBy = timing("LATE");
inline constexpr uint64_t kTimeout = timing("TIMEOUT");
static_assert(kLateBy % kBlink == 0);
static_assert(timing("OUTSTANDING") == 1u << SCI_BD1_TRANS_BITS);

}  // namespace perfboard::sci
