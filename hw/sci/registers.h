// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters' registers (BAR 0), bit by bit.
//
//   kRegisters     what there is once
//   kStatistics    a node's statistics, offsets from kStatisticsBase + kStatisticsStep * node; 64 bits each, the lower
//                  half in a row of its own before the upper one
//   kTable         an entry of the address translation table, at kAtt + 4 * page
//   kPacket        the first two words of a packet on a B-Link (packet.h), as if they were registers of 32 bits
//
// hw/sci/README.md prints these tables.
#pragma once

#include <iterator>

#include "hw/model/register.h"
#include "hw/sci/sci.h"

namespace perfboard::sci {

using enum Access;

inline constexpr std::string_view kOurs = "INFERRED: the paper describes no register of the adapter";

enum Offset : uint32_t {
  kId = 0x0000,
  kVersion = 0x0004,
  kNodes = 0x0008,
  kPages = 0x000c,
  kNode = 0x0010,
  kCtrl = 0x0014,
  kStatus = 0x0018,
  kStatisticsBase = 0x1000,
  kStatisticsStep = 0x80,
  kAtt = 0x40000,
};
inline constexpr uint32_t kIdValue = 0x49435353;  // bytes S, S, C, I

inline constexpr Field kIdFields[] = {{"ID", 31, 0, ro, kIdValue, "bytes S, S, C, I", kOurs}};
inline constexpr Field kVersionFields[] = {{"VERSION", 31, 0, ro, 1, "of this register map", kOurs}};
inline constexpr Field kNodesFields[] = {{"NODES", 31, 0, ro, 0, "number of nodes, 1 to 32", kOurs}};
inline constexpr Field kPagesFields[] = {
    {"PAGES", 31, 0, ro, 0, "pages of 4 KB in the window, 1 to 65536", kOurs}};
inline constexpr Field kNodeFields[] = {
    {"NODE", 31, 0, ro, 0, "the node whose vCPU reads; 0xFFFFFFFF: whoever reads is no node", kOurs},
};
inline constexpr Field kCtrlFields[] = {
    {"CLEAR", 1, 1, wo, 0, "write 1: all statistics become 0", kOurs},
    {"ENABLE", 0, 0, rw, 0, "0: no transactions, the window is plain memory", kOurs},
};
inline constexpr Field kStatusFields[] = {
    {"CLUSTER", 1, 1, ro, 0, "1: the other nodes are machines of their own (fabric=cluster)", kOurs},
    {"LATENCY", 0, 0, ro, 0, "1: an access takes the time that the ring says (latency=on)", kOurs},
};

inline constexpr Register kRegisters[] = {
    {"ID", kId, 4, kIdFields, "Identification", kOurs},
    {"VERSION", kVersion, 4, kVersionFields, "Version", kOurs},
    {"NODES", kNodes, 4, kNodesFields, "Nodes", kOurs},
    {"PAGES", kPages, 4, kPagesFields, "Pages", kOurs},
    {"NODE", kNode, 4, kNodeFields, "Own Node", kOurs},
    {"CTRL", kCtrl, 4, kCtrlFields, "Control", kOurs},
    {"STATUS", kStatus, 4, kStatusFields, "Status", kOurs},
};
static_assert(table_ok(kRegisters));

inline constexpr Field kLowFields[] = {
    {"LOW", 31, 0, ro, 0, "lower half; a read latches the upper one", kOurs}};
inline constexpr Field kHighFields[] = {
    {"HIGH", 31, 0, ro, 0, "upper half, as it was when the same vCPU read the lower one last", kOurs},
};

#define PB_SCI_COUNT(name, offset, title) \
  {name, offset, 4, kLowFields, title, kOurs}, { name "H", (offset) + 4, 4, kHighFields, title, kOurs }
inline constexpr Register kStatistics[] = {
    PB_SCI_COUNT("READS", 0x00, "Read Requests Sent"),
    PB_SCI_COUNT("WRITES", 0x08, "Write Requests Sent"),
    PB_SCI_COUNT("LOCKS", 0x10, "Lock Requests Sent"),
    PB_SCI_COUNT("UNLOCKS", 0x18, "Unlock Requests Sent"),
    PB_SCI_COUNT("RECEIVED", 0x20, "Requests that Reached It"),
    PB_SCI_COUNT("WAIT", 0x28, "Time that Its vCPU Was Held, ns"),
    PB_SCI_COUNT("OUTSTANDING", 0x30, "Requests Outstanding Now, 0 to 64"),
    PB_SCI_COUNT("PACKETS", 0x38, "Packets on Its B-Link"),
};
#undef PB_SCI_COUNT
static_assert(table_ok(kStatistics));
static_assert(std::size(kStatistics) == 2 * SCI_COUNTS);

// Index of a node's count.
enum Count : unsigned { kReads, kWrites, kLocks, kUnlocks, kReceived, kWait, kOutstanding, kPackets };

inline constexpr Field kEntryFields[] = {
    {"HOME", 4, 0, rw, 0, "the page's home node; a value that is no node is refused", kOurs},
};
inline constexpr Register kTable[] = {
    {"ATT", 0, 4, kEntryFields, "Address Translation Table, entry of a page", kOurs},
};
static_assert(table_ok(kTable));

inline constexpr std::string_view kBd1Source = "Sec. III, BD1", kBd2Source = "Sec. III, BD2";
inline constexpr Field kBd1Fields[] = {
    {"WHAT", 17, 16, ro, 0, "0 read, 1 write, 2 lock, 3 unlock",
     "INFERRED: position as Sec. III (Command, 16-22); IEEE 1596's codes are not at hand"},
    {"RESPONSE", 18, 18, ro, 0, "0: request, 1: response", "INFERRED: as WHAT"},
    {"DATA64", 19, 19, ro, 0, "data are 64 bytes, else up to 8", "INFERRED: as WHAT"},
    {"ECHO", 22, 22, ro, 0, "echo; echoes are on the link, never on a B-Link", "INFERRED: as WHAT"},
    {"SOURCE", 15, 0, ro, 0, "Source_ID: node that sends the packet; 0-4 are used", kBd1Source},
};
inline constexpr Field kBd1HighFields[] = {
    {"TRANS", 21, 16, ro, 0, "trans_ID (48-53); a response has its request's", kBd1Source},
    {"DEST", 15, 0, ro, 0, "Dest_ID (32-47): node that the packet goes to; 32-36 are used", kBd1Source},
};
inline constexpr Field kBd2Fields[] = {
    {"PAGE", 27, 12, ro, 0, "page number in the window", kBd2Source},
    {"OFFSET", 11, 2, ro, 0, "page offset, in words of 4 bytes", kBd2Source},
};
inline constexpr Field kBd2HighFields[] = {
    {"ENABLES", 7, 0, ro, 0, "byte enables (32-39) of the aligned 8 bytes that hold the address",
     "INFERRED: unused in the paper"},
};
inline constexpr Register kPacket[] = {
    {"BD1", 0, 4, kBd1Fields, "first word, bits 0-31", kBd1Source},
    {"BD1H", 4, 4, kBd1HighFields, "first word, bits 32-63", kBd1Source},
    {"BD2", 8, 4, kBd2Fields, "second word, bits 0-31", kBd2Source},
    {"BD2H", 12, 4, kBd2HighFields, "second word, bits 32-63", kBd2Source},
};
static_assert(words_ok(kPacket));

}  // namespace perfboard::sci
