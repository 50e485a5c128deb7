// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON from outside (hw/model/view.h): what log, coverage and patterns call its registers, mistakes and
// effects.
//
//   log_mistake(m, mistake("narrow-write"), "...")   in the model: a row of kMistakes
//   tell_effect(m, effect("trace-sample"), level)    in the model: a row of kEffects
//   mk_view()                                        the board; its model is a MultiKron
//
// The card has no interrupt, so the view has no conditions: what happens is read from CSR, WAIT and OVERRUN.
#pragma once

#include "hw/model/generic_injections.h"
#include "hw/model/manual.h"
#include "hw/model/view.h"
#include "hw/multikron/registers.h"

namespace perfboard::mk {

inline constexpr Mistake kMistakes[] = {
    {"unaligned", "an access that is not aligned to its size",
     "Processor Interface (p. 5): addresses are of 32-bit data", kIgnored},
    {"narrow-write", "a write of 8 or 16 bits", "Processor Interface (p. 5): addresses are of 32-bit data",
     kIgnored},
    {"upper-half", "a 32-bit write to the upper half of a register that has none",
     "Processor Interface (p. 5): unused bit positions are ignored", kIgnored},
    {"no-register", "an address to which nothing is assigned", "Table A-1"},
    {"reserved-address", "an address that is reserved for more resource counters", "Table A-1"},
    {"write-only", "a read of RESET, RRESET or DISABLE", "Table A-1: N/A"},
    {"sample-read", "a read of a sample address", "Table A-1: N/A"},
    {"read-only", "a write to TIMESTAMP or FIFO", "Table A-1: N/A; Timestamp (p. 6): not writable"},
    {"test-mode-only", "TEST or FIFO without the TEST Mode pin", "Appendix C; Table A-1: test mode ONLY",
     kIgnored},
    {"no-card-word", "a read of a word that the card's information lacks", kOurs},
    {"card-read-only", "a write to the card's information", kOurs},
    {"set-and-clear", "CSR: a bit is set and cleared by the same write",
     "INFERRED: Table 2 gives each bit one action, and none to two that contradict each other"},
    {"not-software", "a software count of a counter whose MUX SEL field is not 10",
     "Processor Incrementing of a Resource Counter (p. 10)", kIgnored},
    {"no-cpu-line", "a sample while no CPU ID line is active",
     "Appendix A: the source index is that of the active line"},
    {"cannot-wait", "a sample in spite of CSR.WWAIT by somebody who cannot be held",
     "INFERRED: RDY can delay a processor's instruction, and nothing else of this machine"},
    {"test-no-function", "TEST_H.NOTHING is not 0", "Table C-1 has no function for bits 41-47"},
    {"set-and-increment", "TEST_H.SET and TEST_H.INC name the same counters",
     "TEST Register (p. 17): must not"},
    {"shift-cuts-off", "TEST_H.SHIFT while the sample in the last level is leaving",
     "INFERRED: appendix C shifts with the output off"},
    {"load-full", "TEST_H.LOAD into a full FIFO", "INFERRED: the paper has no place for it"},
    {"shadow-kept", "a resource sample made of test data without bit 0: nothing frees the shadow registers",
     "INFERRED: bit 128 tells that the sample has the counters, Select FIFO Data Source Field"},
    {"can-hold", "TEST_H.NETOFF with CSR.WWAIT or CSR.RWAIT: an access can be delayed for ever",
     "INFERRED: Tables 3A and 3B wait for what the output frees; it is off"},
    {"held", "an access is delayed that nothing in the chip will end",
     "INFERRED: Tables 3A and 3B wait for what the output frees; it is off"},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"trace-sample", "a trace sample is in the FIFO; its filter level"},
    {"resource-sample",
     "a resource sample is in the FIFO, its counters in the shadow registers; its filter level"},
    {"discarded", "a trigger without a sample: filtered out, or sampling is disabled; its filter level"},
    {"overrun", "a sample was lost: 1 the FIFO was full, 2 the shadow registers, 3 both"},
    {"delayed", "RDY is being delayed: 1 for a level of the FIFO, 2 for the shadow registers, 3 for both"},
    {"delay-over", "RDY is no longer delayed; the Wait Counter"},
    {"sample-sent", "a sample's last element has left; its bytes"},
    {"shadow-freed", "the shadow registers are free again"},
    {"counters-copied", "the counters were copied to the shadow registers for a read; the counter"},
    {"wrong-data", "a counter was read while the shadow registers were full: bit 63; the counter"},
    {"counted", "a software count; the counter"},
    {"counter-full", "a counter has reached 0xFFFFFFFF and sticks there; the counter"},
    {"software-reset", "everything but the Timestamp is reset"},
    {"test-loaded", "TEST_H.LOAD: test data are in the FIFO"},
    {"test-shifted", "TEST_H.SHIFT: the FIFO's last level is dropped"},
    {"sample-damaged",
     "a sample in the FIFO has an error that was made on purpose: 1 a wrong bit, 2 no end flag, 3 both"},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

inline constexpr std::string_view kMeans =
    "CSR.FFULL, then CSR.FOV and OVERRUN; with CSR.WWAIT stores wait, and WAIT tells for how long; `mk "
    "status` has them all";
inline constexpr Injection kInjections[] = {
    {"inject-net-stop", kOffOrOn, "the network takes nothing",
     "the network takes nothing: External FIFO Free is low", kMeans, "2ms multikron inject-net-stop on",
     PB_MEMBER(MkState, net_stopped)},
    {"inject-overrun", any_number(" samples"), "next samples that find the FIFO full",
     "the next samples find the FIFO full, whatever is in it, and are lost; CSR.WWAIT does not help",
     "CSR.FOV, OVERRUN, the next sample's overrun flag; `mk status`, `mkdump`",
     "2ms multikron inject-overrun 3", PB_MEMBER(MkState, to_lose)},
    {"inject-damage", any_number(" samples"), "next samples that get a wrong bit",
     "the next samples get a wrong bit on their way, so that its parity is even",
     "nothing in the chip knows of it; `mkdump` names the element and leaves the sample out",
     "2ms multikron inject-damage 1", PB_MEMBER(MkState, to_damage)},
    {"inject-no-end", any_number(" samples"), "next samples that lose their end flag",
     "the next samples lose their end flag",
     "nothing in the chip knows of it; `mkdump` names the header and leaves two samples out",
     "2ms multikron inject-no-end 1", PB_MEMBER(MkState, to_leave_open)},
    {"inject-saturate", up_to(UINT16_MAX, ": a set of counters, bit i: RCi", Stands::kSet, "RC"),
     "a set of counters that are full now", "these counters are full, and stick there",
     "RCi reads FFFFFFFF; `mk counter` says (full)", "2ms multikron inject-saturate 0x8001"},
    {"inject-flip", up_to(32 * MK_COUNTERS - 1, ": bit n % 32 of counter n / 32", Stands::kBitOf, "RC"),
     "bit n % 32 of counter n / 32 is inverted now", "that bit of the counter is inverted",
     "RCi is wrong by a power of two; `mk counter` beside a count that is known",
     "2ms multikron inject-flip 103"},
    PB_INJECTION_GONE("multikron"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

// The tables that hw/multikron/README.md shows, in its order.
inline constexpr ManualPart kManual[] = {
    {"The chip's registers (offset in BAR 0: address n at 4 n)", kRegisters},
    {"Upper halves (offset in BAR 2, of samples in BAR 4 too; in BAR 0 by 64 bits only)", kUpper},
    {"The card's information (offset in BAR 2)", kCard},
    {"First byte of a sample", kHeader, Resets::kNone},
};

const BoardView& mk_view();

}  // namespace perfboard::mk
