// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON's registers, bit by bit (NISTIR 4737, Table A-1), and the bits of a sample's header.
//
//   kRegisters        all 128 addresses; offsets in the 4-byte window: address n is at 4 n. A register of more than
//                     32 bits has its upper part in a row of its own, at the next address
//   kUpper            upper halves that have no address of their own in BAR 0; offsets in the 8-byte window
//   kCard             the card's information, offsets in the 8-byte window (INFERRED: ours); reset values are
//                     those of a card with default properties in a machine of one processor
//   kHeader           the first byte of a sample, as if it were a register (Table 5)
//   bits("CSR.SE")    a field's mask, for code; a name that no table has does not compile
//   kTimestamp ...    addresses, for code
//
// hw/multikron/README.md prints these tables.
#pragma once

#include <iterator>

#include "hw/model/register.h"
#include "hw/multikron/multikron.h"

namespace perfboard::mk {

using enum Access;

// Addresses (Table A-1).
enum Address : unsigned {
  kReset = 0,
  kCsr = 1,
  kTimestamp = 2,
  kFilter = 4,
  kWaitCounter = 5,
  kOverrunCounter = 6,
  kMuxSel = 8,
  kResourceReset = 10,
  kEnable = 11,
  kDisable = 12,
  kFifoOutput = 13,
  kTest = 14,
  kSource = 16,     // 16-23
  kCounter = 32,    // 32-47
  kReserved = 48,   // 48-63: for more counters
  kSamples = 64,    // from here on sample addresses
  kTrace = 96,      // 96-111: a trace sample, filter level 0-15
  kResource = 112,  // 112-127: a resource sample
  kAddresses = 128,
};

inline constexpr std::string_view kHalf =
    "Event Trace Measurement Support: addresses are \"of 32-bit locations (or the less-significant part of a "
    "64-bit "
    "location)\"";
inline constexpr std::string_view kOurs = "INFERRED: the card is ours";

inline constexpr Field kResetFields[] = {
    {"RESET", 31, 0, wo, 0, "any write resets the chip, but for the Timestamp; data ignored",
     "Software Reset"},
};
inline constexpr Field kCsrFields[] = {
    {"RESERVED", 31, 16, ro, 0, "logical 0", "Table 2"},
    {"SLOW100", 15, 15, wo, 0, "write 1: slow clock 1 us", "Table 2"},
    {"SLOW10", 14, 14, rw, 0, "slow clock 10 us; write 1 sets it, CSR.SLOW100 clears it", "Table 2"},
    {"WS", 13, 12, ro, 0, "number of wait states, from two pins at hardware reset", "Table 2"},
    {"RESERVED", 11, 11, ro, 0, "logical 0", "Table 2"},
    {"BIT128", 10, 10, ro, 0, "129th FIFO output bit: the sample in the last level has resource data",
     "Table 2"},
    {"SHOV", 9, 9, ro, 0, "Resource Shadow Register Overrun", "Table 2"},
    {"FOV", 8, 8, ro, 0, "FIFO Overrun", "Table 2"},
    {"SHFULL", 7, 7, ro, 0, "Resource Shadow Registers Full", "Table 2"},
    {"FFULL", 6, 6, ro, 0, "FIFO Full", "Table 2"},
    {"RWAITOFF", 5, 5, wo, 0, "write 1: cancel read wait if counters busy, error bit returned", "Table 2"},
    {"RWAIT", 4, 4, rw, 0, "Read Wait for shadow registers; write 1 sets it", "Table 2"},
    {"WWAITOFF", 3, 3, wo, 0, "write 1: discard data sample if write overrun would occur", "Table 2"},
    {"WWAIT", 2, 2, rw, 0, "Write Wait on Overrun: wait for free FIFO/counters; write 1 sets it", "Table 2"},
    {"SEOFF", 1, 1, wo, 0, "write 1: Disable Sampling", "Table 2"},
    {"SE", 0, 0, rw, 0, "Sampling Enabled; write 1 sets it", "Table 2"},
};
inline constexpr Field kTimestampFields[] = {
    {"LOW", 31, 0, ro, 0, "bits 0-31 of the Timestamp Counter", "Timestamp"},
};
inline constexpr Field kTimestampHighFields[] = {
    {"HIGH", 23, 0, ro, 0, "bits 32-55", "Timestamp"},
};
inline constexpr Field kFilterFields[] = {
    {"LEVEL", 15, 0, rw, 0, "bit n: samples of filter level n are taken", "Filter Register"},
};
inline constexpr Field kWaitFields[] = {
    {"CYCLES", 31, 0, wa, 0, "node clocks that RDY was delayed; wraps; any write clears it", "Wait Counter"},
};
inline constexpr Field kOverrunFields[] = {
    {"SAMPLES", 31, 0, wa, 0, "samples not taken; wraps; any write clears it", "Overrun Counter"},
};
inline constexpr Field kMuxFields[] = {
    {"RESERVED", 31, 16, reserved, 0, "for more counters", "MUX SEL Register"},
    {"LSB", 15, 0, rw, 0, "bit i: the lower bit of counter i's field (Table 4)", "MUX SEL Register"},
};
inline constexpr Field kMuxHighFields[] = {
    {"RESERVED", 31, 16, reserved, 0, "for more counters", "MUX SEL Register"},
    {"MSB", 15, 0, rw, 0, "bit i: the upper bit of counter i's field", "MUX SEL Register"},
};
inline constexpr Field kResourceResetFields[] = {
    {"RESERVED", 31, 16, reserved, 0, "for more counters", "Reset Register"},
    {"CLEAR", 15, 0, wo, 0, "bit i: counter i is cleared", "Reset Register"},
};
inline constexpr Field kEnableFields[] = {
    {"RESERVED", 31, 16, reserved, 0, "for more counters", "Enable Register"},
    {"ENABLE", 15, 0, rw, 0, "bit i: counter i counts; ones enable, zeros change nothing", "Enable Register"},
};
inline constexpr Field kDisableFields[] = {
    {"RESERVED", 31, 16, reserved, 0, "for more counters", "Disable Register"},
    {"DISABLE", 15, 0, wo, 0, "bit i: counter i stops", "Disable Register"},
};
inline constexpr Field kFifoFields[] = {
    {"GROUP", 31, 0, ro, 0, "the 32 bits of the FIFO's last level that TEST.GROUP selects; test mode only",
     "FIFO Output"},
};
inline constexpr Field kTestDataFields[] = {
    {"DATA", 31, 0, rw, 0, "associated test data; test mode only", "TEST Register"},
};
inline constexpr Field kTestFields[] = {
    {"NOTHING", 15, 9, rw, 0, "stored; no instruction has them", "TEST Register (48 bits), Table C-1"},
    {"SHIFT", 8, 8, rw, 0, "1: advance the FIFO and free the shadow registers", "Table C-1"},
    {"LOAD", 7, 7, rw, 0, "1: DATA is written to the FIFO, now and as every sample's data", "Table C-1"},
    {"NETOFF", 6, 6, rw, 0, "1: network output disabled", "Table C-1"},
    {"GROUP", 5, 4, rw, 0, "FIFO bits that address 13 reads: 0 0-31, 1 32-63, 2 64-95, 3 96-127",
     "Table C-1"},
    {"INC", 3, 2, rw, 0, "increment: 0 none, 1 wait and overrun counters, 2 Timestamp, 3 resource counters",
     "Table C-1"},
    {"SET", 1, 0, rw, 0,
     "set from DATA: 0 none, 1 wait and overrun counters, 2 Timestamp, 3 resource counters", "Table C-1"},
};
inline constexpr Field kSourceFields[] = {
    {"SOURCE", 31, 0, rw, 0, "node.process of what runs on this CPU ID line", "Source Address Registers"},
};
inline constexpr Field kCounterFields[] = {
    {"COUNT", 31, 0, wa, 0,
     "read: the shadow register after a copy, bit 63 of 64 is 1 if it is wrong (Table 3A); write: one "
     "software count",
     "Resource Counters"},
};
inline constexpr Field kSampleFields[] = {
    {"DATA", 31, 0, wo, 0, "user-written data; 48 bits of a 64-bit access", "Table A-1"},
};
inline constexpr Field kReservedFields[] = {
    {"RESERVED", 31, 0, reserved, 0, "for more counters", "Table A-1"},
};
inline constexpr Field kUnassignedFields[] = {
    {"RESERVED", 31, 0, reserved, 0, "not assigned", "Table A-1"},
};

inline constexpr auto kOnce = std::to_array<Register>({
    {"RESET", 4 * kReset, 4, kResetFields, "Software Reset", "Software Reset"},
    {"CSR", 4 * kCsr, 4, kCsrFields, "Control and Status Register", "Table 2"},
    {"TIMESTAMP", 4 * kTimestamp, 4, kTimestampFields, "Timestamp, lower part", "Timestamp"},
    {"TIMESTAMP_H", 4 * kTimestamp + 4, 4, kTimestampHighFields, "Timestamp, upper part", kHalf},
    {"FILTER", 4 * kFilter, 4, kFilterFields, "Filter Register", "Filter Register"},
    {"WAIT", 4 * kWaitCounter, 4, kWaitFields, "Wait Counter", "Wait Counter"},
    {"OVERRUN", 4 * kOverrunCounter, 4, kOverrunFields, "Overrun Counter", "Overrun Counter"},
    {"A7", 4 * 7, 4, kUnassignedFields, "not assigned", "Table A-1"},
    {"MUXSEL", 4 * kMuxSel, 4, kMuxFields, "MUX SEL Register, lower part", "MUX SEL Register"},
    {"MUXSEL_H", 4 * kMuxSel + 4, 4, kMuxHighFields, "MUX SEL Register, upper part", kHalf},
    {"RRESET", 4 * kResourceReset, 4, kResourceResetFields, "Resource Reset Register", "Reset Register"},
    {"ENABLE", 4 * kEnable, 4, kEnableFields, "Resource Enable Register", "Enable Register"},
    {"DISABLE", 4 * kDisable, 4, kDisableFields, "Resource Disable Register", "Disable Register"},
    {"FIFO", 4 * kFifoOutput, 4, kFifoFields, "FIFO Output", "FIFO Output"},
    {"TEST", 4 * kTest, 4, kTestDataFields, "TEST Register, associated data", "TEST Register"},
    {"TEST_H", 4 * kTest + 4, 4, kTestFields, "TEST Register, instruction", "TEST Register"},
});
inline constexpr Register kSource0 = {
    "SRC0", 4 * kSource, 4, kSourceFields, "Source Address Register 0", "Source Address Registers"};
inline constexpr Register kCounter0 = {"RC0",          4 * kCounter,         4,
                                       kCounterFields, "Resource Counter 0", "Resource Counters"};
inline constexpr Register kCounter16 = {
    "RC16", 4 * kReserved, 4, kReservedFields, "reserved for more Resource Counters", "Table A-1"};
inline constexpr Register kAddress24 = {"A24", 4 * 24, 4, kUnassignedFields, "not assigned", "Table A-1"};
inline constexpr Register kAddress64 = {"A64", 4 * 64, 4, kUnassignedFields, "not assigned", "Table A-1"};
inline constexpr Register kTrace0 = {
    "TRACE0", 4 * kTrace, 4, kSampleFields, "trigger a trace sample, filter level 0", "Table A-1"};
inline constexpr Register kResource0 = {
    "RSRC0", 4 * kResource, 4, kSampleFields, "trigger a resource sample, filter level 0", "Table A-1"};
inline constexpr auto kRegisters = one_table(
    kOnce, numbered<kSource0, 8>, numbered<kAddress24, 8>, numbered<kCounter0, 16>, numbered<kCounter16, 16>,
    numbered<kAddress64, 32>, numbered<kTrace0, 16>, numbered<kResource0, 16>);
static_assert(table_ok(kRegisters) && std::size(kRegisters) == kAddresses);
static_assert(kRegisters[kAddresses - 1].offset == 4 * (kAddresses - 1));  // so each address has its row

inline constexpr Field kWrongFields[] = {
    {"WRONG", 31, 31, ro, 0, "bit 63: the lower half's data are wrong, as the shadow registers were full",
     "Table 3A"},
};
inline constexpr Field kMoreDataFields[] = {
    {"DATA", 15, 0, wo, 0, "bits 32-47 of the user-written data of a 64-bit access; 0 with 32 bits",
     "Table A-1"},
};
inline constexpr Register kCounterUpper0 = {
    "RC0_H", 8 * kCounter + 4, 4, kWrongFields, "Resource Counter 0, upper part", "Table 3A"};
inline constexpr Register kTraceUpper0 = {
    "TRACE0_H", 8 * kTrace + 4, 4, kMoreDataFields, "trace sample 0, upper part", "Table A-1"};
inline constexpr Register kResourceUpper0 = {
    "RSRC0_H", 8 * kResource + 4, 4, kMoreDataFields, "resource sample 0, upper part", "Table A-1"};
inline constexpr auto kUpper = one_table(numbered<kCounterUpper0, 16, 8>, numbered<kTraceUpper0, 16, 8>,
                                         numbered<kResourceUpper0, 16, 8>);
static_assert(table_ok(kUpper));

// 64 bits with a row for each half.
constexpr bool has_upper_half(unsigned address) {
  return address == kTimestamp || address == kMuxSel || address == kTest;
}

inline constexpr Field kMagicField[] = {
    {"BYTES", 31, 0, ro, MK_CARD_MAGIC, "M, K, R, N, in the order of addresses", kOurs}};
inline constexpr Field kVersionField[] = {{"VERSION", 31, 0, ro, MK_CARD_VERSION, "of the card", kOurs}};
inline constexpr Field kNodeField[] = {{"HZ", 31, 0, ro, MK_DEFAULT_NODE_HZ, "node-clock=", kOurs}};
inline constexpr Field kTimestampClockField[] = {
    {"HZ", 31, 0, ro, MK_DEFAULT_TIMESTAMP_HZ, "timestamp-clock=", kOurs}};
inline constexpr Field kDepthField[] = {{"LEVELS", 31, 0, ro, MK_DEFAULT_FIFO_DEPTH, "fifo-depth=", kOurs}};
inline constexpr Field kLinesField[] = {{"LINES", 31, 0, ro, 1, "1 to 8: how many vCPUs cpus= names", kOurs}};
inline constexpr Field kCpuField[] = {
    {"CPU", 31, 0, ro, 0, "number of the processor on this CPU ID line", kOurs}};
inline constexpr Field kNoCpuField[] = {
    {"CPU", 31, 0, ro, 0xffffffff,
     "number of the processor on this CPU ID line; FFFFFFFF: the line is not connected", kOurs}};
inline constexpr auto kCardOnce = std::to_array<Register>({
    {"MAGIC", MK_CARD_BASE, 4, kMagicField, "that it is this card", kOurs},
    {"VERSION", MK_CARD_BASE + 0x04, 4, kVersionField, "the card's version", kOurs},
    {"NODE_HZ", MK_CARD_BASE + 0x08, 4, kNodeField, "node clock, Hz", kOurs},
    {"TIMESTAMP_HZ", MK_CARD_BASE + 0x0c, 4, kTimestampClockField, "timestamp clock, Hz", kOurs},
    {"FIFO_DEPTH", MK_CARD_BASE + 0x10, 4, kDepthField, "levels of the chip's FIFO", kOurs},
    {"LINES", MK_CARD_BASE + 0x14, 4, kLinesField, "CPU ID lines that are connected", kOurs},
    {"CPU0", MK_CARD_BASE + 0x20, 4, kCpuField, "CPU ID line 0", kOurs},
});
inline constexpr Register kLine1 = {"CPU1", MK_CARD_BASE + 0x24, 4, kNoCpuField, "CPU ID line 1", kOurs};
inline constexpr auto kCard = one_table(kCardOnce, numbered<kLine1, 7>);
static_assert(table_ok(kCard));

inline constexpr std::string_view kLeftmost = "Table 5; INFERRED: its leftmost field is the most significant";
inline constexpr Field kHeaderFields[] = {
    {"CPU", 7, 5, ro, 0, "CPU ID, encoded", kLeftmost},
    {"TYPE", 4, 3, ro, 0, "sample type: 2 trace, 3 resource", kLeftmost},
    {"FOV", 2, 2, ro, 0, "FIFO overrun: samples before this one were lost", kLeftmost},
    {"SHOV", 1, 1, ro, 0, "shadow register overrun: samples before this one were lost", kLeftmost},
    {"RERR", 0, 0, ro, 0, "resource read error; always 0 (Error & Class Field of Sample)", kLeftmost},
};
inline constexpr Register kHeader[] = {
    {"HEADER", 0, 1, kHeaderFields, "first byte of a sample", "Table 5"},
};
static_assert(words_ok(kHeader));

// "CSR.SE": the field of that name in any of the tables.
consteval const Field& field(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view reg = name.substr(0, dot), bit = name.substr(dot + 1);
  if (reg == "HEADER") return kHeader[0].field(bit);
  return (reg.starts_with("RC") && reg.ends_with("_H") ? at(kUpper, reg) : at(kRegisters, reg)).field(bit);
}
consteval uint32_t bits(std::string_view name) { return field(name).mask(); }

}  // namespace perfboard::mk
