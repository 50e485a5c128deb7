// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitor's registers, bit by bit (Figures 1 and 2). Bits are numbered as everywhere in this project, 31
// the most significant; the paper's bit n is bit 31 - n.
//
//   kRegisters        one monitor's; offsets in its window
//   kCard             the card's (INFERRED: ours); reset values are those of a card with default properties in a machine of one processor
//   bits("MMCR.DIS")  a field's mask, for code; a name that no table has does not compile
//   kMmcr ...         offsets, for code
//
// hw/power2/README.md prints these tables.
#pragma once

#include "hw/model/register.h"
#include "hw/power2/power2.h"

namespace perfboard::p2 {

using enum Access;

inline constexpr unsigned kCounters = P2_STATE_COUNTERS, kUnits = 4, kUnitCounters = 5, kGroups = 16;
inline constexpr unsigned kCycles = 20, kErrors = 21;  // counters

// Windows of a BAR, and offsets in one.
inline constexpr uint32_t kOwnWindow = 0, kCardWindow = 0x800, kWindows = 0x1000, kWindowBytes = 0x100;
inline constexpr uint32_t kMmcr = 0, kCounter = 4, kPad = 0x5c, kImr = 0x60, kSpe = 0x64, kMark = 0x68,
                          kState = 0x6c;

inline constexpr uint32_t kCardMagic = 0x32575250;  // bytes P, R, W, 2

inline constexpr std::string_view kOurs = "INFERRED: the card is ours";
inline constexpr std::string_view kOursAddress =
    "INFERRED: \"addressable for read and write via programmed I/O\"; the address is ours";

inline constexpr Field kMmcrFields[] = {
    {"DIS", 31, 31, rw, 0, "bit 0: nothing counts", "Figure 2"},
    {"DP", 30, 30, rw, 0, "bit 1: nothing counts in privileged state (MSR(PR) 0)", "Figure 2"},
    {"DU", 29, 29, rw, 0, "bit 2: nothing counts in problem state (MSR(PR) 1)", "Figure 2"},
    {"DMS", 28, 28, rw, 0, "bit 3: nothing counts while MSR(PM) is 1", "Figure 2"},
    {"DMR", 27, 27, rw, 0, "bit 4: nothing counts while MSR(PM) is 0", "Figure 2"},
    {"SGA", 26, 26, rw, 0, "bit 5: SCU gets all: counters 0 to 19 count the SCU's twenty events", "Figure 2"},
    {"RESERVED", 25, 16, reserved, 0, "bits 6-15: read 0; software must not write others", "Figure 2"},
    {"FPU", 15, 12, rw, 0, "bits 16-19: group of events of the FPU's counters", "Figure 2"},
    {"FXU", 11, 8, rw, 0, "bits 20-23: of the FXU's", "Figure 2"},
    {"ICU", 7, 4, rw, 0, "bits 24-27: of the ICU's", "Figure 2"},
    {"SCU", 3, 0, rw, 0, "bits 28-31: of the SCU's", "Figure 2"},
};
inline constexpr Field kCounterFields[] = {
    {"COUNT", 31, 0, rw, 0, "wraps at 2^32", "Figure 1"},
};
inline constexpr Field kPadFields[] = {
    {"RESERVED", 31, 0, reserved, 0, "there so that twelve 64-bit accesses reach MMCR and all counters",
     "INFERRED: ours"},
};
inline constexpr Field kImrFields[] = {
    {"INSTRUCTION", 31, 0, rw, 0,
     "POWER: a word, of which opcode and extended opcode count; x86: map << 8 | opcode; 0: nothing matches",
     "Implementation of monitor; INFERRED: its layout"},
};
inline constexpr Field kSpeFields[] = {
    {"SPE", 0, 0, rw, 0, "1: cycles count for the event spe_cycles",
     "Implementation of monitor; INFERRED: its place"},
};
inline constexpr Field kMarkFields[] = {
    {"PM", 0, 0, rw, 0, "the process mark; on POWER read-only, MSR(PM)",
     "INFERRED: where the MSR has no PM, it is here"},
};
inline constexpr Field kStateFields[] = {
    {"COUNTS", 2, 2, ro, 1, "the counters count now: MMCR, PR and PM by Table 1", "INFERRED: ours"},
    {"PM", 1, 1, ro, 0, "the process mark that the processor has now", "INFERRED: ours"},
    {"PR", 0, 0, ro, 0, "MSR(PR): 1 in problem state", "INFERRED: ours"},
};

inline constexpr Register kFirst = {"MMCR",    kMmcr, 4, kMmcrFields, "monitor mode control register",
                                    "Figure 2"};
inline constexpr Register kFpu0 = {"FPU0", kCounter, 4, kCounterFields, "counter 0", "Figure 1"};
inline constexpr Register kFxu0 = {"FXU0", kCounter + 4 * 5, 4, kCounterFields, "counter 5", "Figure 1"};
inline constexpr Register kIcu0 = {"ICU0", kCounter + 4 * 10, 4, kCounterFields, "counter 10", "Figure 1"};
inline constexpr Register kScu0 = {"SCU0", kCounter + 4 * 15, 4, kCounterFields, "counter 15", "Figure 1"};
inline constexpr auto kOthers = std::to_array<Register>({
    {"CYCLES", kCounter + 4 * kCycles, 4, kCounterFields, "counter 20: processor cycles", "Figure 1"},
    {"ERRORS", kCounter + 4 * kErrors, 4, kCounterFields, "counter 21: correctable memory errors",
     "Figure 1"},
    {"PAD", kPad, 4, kPadFields, "nothing", "INFERRED: ours"},
    {"IMR", kImr, 4, kImrFields, "instruction match register", kOursAddress},
    {"SPE", kSpe, 4, kSpeFields, "software-programmable event", kOursAddress},
    {"MARK", kMark, 4, kMarkFields, "process mark", kOurs},
    {"STATE", kState, 4, kStateFields, "the processor's state, as Table 1 sees it", kOurs},
});
inline constexpr auto kRegisters = one_table(std::array{kFirst}, numbered<kFpu0, 5>, numbered<kFxu0, 5>,
                                             numbered<kIcu0, 5>, numbered<kScu0, 5>, kOthers);
static_assert(table_ok(kRegisters));

inline constexpr Field kMagicField[] = {
    {"BYTES", 31, 0, ro, kCardMagic, "P, R, W, 2: in BAR 0 in the order of addresses", kOurs}};
inline constexpr Field kVersionField[] = {{"VERSION", 31, 0, ro, 1, "of the card", kOurs}};
inline constexpr Field kMonitorsField[] = {{"MONITORS", 31, 0, ro, 1, "one for each processor", kOurs}};
inline constexpr Field kClockField[] = {{"HZ", 31, 0, ro, P2_DEFAULT_CLOCK, "clock=", kOurs}};
inline constexpr Field kNodeField[] = {
    {"NODE", 31, 0, ro, P2_WIDE, "0 thin, 1 thin 2, 2 wide, 3 another geometry", kOurs}};
inline constexpr Field kDcacheField[] = {{"BYTES", 31, 0, ro, 262144, "dcache=", kOurs}};
inline constexpr Field kDcacheLineField[] = {{"BYTES", 31, 0, ro, 256, "dcache-line=", kOurs}};
inline constexpr Field kIcacheField[] = {{"BYTES", 31, 0, ro, 32768, "icache=", kOurs}};
inline constexpr Field kDcachePenaltyField[] = {{"CYCLES", 31, 0, ro, 16, "dcache-penalty=", kOurs}};
inline constexpr Field kTlbPenaltyField[] = {{"CYCLES", 31, 0, ro, 36, "tlb-penalty=", kOurs}};
inline constexpr Field kIcachePenaltyField[] = {{"CYCLES", 31, 0, ro, 12, "icache-penalty=", kOurs}};
inline constexpr Field kFlagsField[] = {
    {"OWN_MARK", 0, 0, ro, 0, "MARK is writable: the processor has no process mark of its own (x86)", kOurs},
};
inline constexpr Register kCard[] = {
    {"MAGIC", kCardWindow, 4, kMagicField, "that it is this card", kOurs},
    {"VERSION", kCardWindow + 0x04, 4, kVersionField, "the card's version", kOurs},
    {"MONITORS", kCardWindow + 0x08, 4, kMonitorsField, "how many monitors there are", kOurs},
    {"CLOCK", kCardWindow + 0x0c, 4, kClockField, "the processors' clock, Hz", kOurs},
    {"NODE", kCardWindow + 0x10, 4, kNodeField, "whose geometry", kOurs},
    {"DCACHE", kCardWindow + 0x14, 4, kDcacheField, "data cache", kOurs},
    {"DCACHE_LINE", kCardWindow + 0x18, 4, kDcacheLineField, "its lines", kOurs},
    {"ICACHE", kCardWindow + 0x1c, 4, kIcacheField, "instruction cache", kOurs},
    {"DCACHE_PENALTY", kCardWindow + 0x20, 4, kDcachePenaltyField, "what a miss of the data cache costs",
     kOurs},
    {"TLB_PENALTY", kCardWindow + 0x24, 4, kTlbPenaltyField, "of a TLB", kOurs},
    {"ICACHE_PENALTY", kCardWindow + 0x28, 4, kIcachePenaltyField, "of the instruction cache", kOurs},
    {"FLAGS", kCardWindow + 0x2c, 4, kFlagsField, "what is special", kOurs},
};
static_assert(table_ok(kCard));

// Neither table has gaps. Nothing: no register.
constexpr const Register* register_at(std::span<const Register> table, uint32_t offset) {
  const uint32_t behind = offset - table[0].offset;
  return behind % 4 == 0 && behind / 4 < table.size() ? &table[behind / 4] : nullptr;
}
static_assert(register_at(kRegisters, kState) == &at(kRegisters, "STATE"));
static_assert(register_at(kCard, kCard[0].offset + 0x2c) == &at(kCard, "FLAGS"));

// "MMCR.DIS": the field of that name.
consteval const Field& field(std::string_view name) {
  const size_t dot = name.find('.');
  return at(kRegisters, name.substr(0, dot)).field(name.substr(dot + 1));
}
consteval uint32_t bits(std::string_view name) { return field(name).mask(); }

}  // namespace perfboard::p2
