// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE monitor's BoardView (hw/model/view.h): its two BARs by name, what a driver can do wrong, and what
// packets and accesses cause.
//
//   smile_view()                                    the view
//   log_mistake(m, mistake("read-only"), "...")     in the model: a row of kMistakes
//   tell_effect(m, effect("record-stored"), word)   in the model: a row of kEffects
#pragma once

#include "hw/model/generic_injections.h"
#include "hw/model/manual.h"
#include "hw/model/view.h"
#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/registers.h"

namespace perfboard::smile {

inline constexpr std::string_view kAlone = "INFERRED: nobody answers on the bus";
inline constexpr Mistake kMistakes[] = {
    {"nowhere", "an offset of BAR 0 is accessed where nothing is", kAlone},
    {"no-register", "an offset without a register of PCI_Target, bridge or CCM is accessed", kAlone},
    {"other-design", "a register of the part that is not loaded is accessed",
     "Sec. V.B: one part is loaded at a time; INFERRED: nobody answers", kIgnored},
    {"read-only", "a register that is read only is written", kOurs},
    {"narrow-write", "a register of PCI_Target is written with 8 or 16 bits, which it ignores", kOurs,
     kIgnored},
    {"timers-event", "GEVENT is written with 0: that is the timer's event", kOurs, kIgnored},
    {"read-pointer", "RDP is set to a place that is not between RDP and WRP, or in the middle of a record",
     "Sec. V.A: read and write pointer"},
    {"bad-image", "a slot of the RAM cache is loaded that holds no configuration for this card",
     "INFERRED: the FPGA's frames have a CRC"},
    {"load-under-way", "CCM_COMMAND while a load is under way", kOurCcm, kIgnored},
    {"no-source", "CCM_COMMAND with 3", kOurCcm, kIgnored},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"record-stored", "a record went into the ring; the word where it begins"},
    {"record-queued", "a record went into the swap queue; how many are there"},
    {"record-lost", "a record was lost; LOSTN"},
    {"queue-moved", "so many records went from the queue into the ring"},
    {"region-filled", "this free entry of the range table took a region"},
    {"region-replaced", "this entry's record left for another region"},
    {"counter-overflow", "this static counter, or entry of the range table, went past FFFF"},
    {"swapped-out", "a demanded SWAP_OUT; its records"},
    {"orphan", "a response without an address; its trans_ID"},
    {"clash", "a request overwrote an address whose response was still to come; its trans_ID"},
    {"monitor-reset", "MCR.RESET"},
    {"load-begun", "the card leaves the bus to load: 0 flash, 1 slot 0, 2 slot 1"},
    {"load-failed", "the image is wrong, and the flash's is loaded; configuration clocks until that showed"},
    {"design-loaded", "the card is back: 0 no design, 1 static, 2 dynamic, 3 PCI_Target"},
    {"daughter-cleared", "the daughter board's FPGA has lost its configuration"},
    {"daughter-failed", "the daughter board's bitstream is wrong; configuration clocks until that showed"},
    {"daughter-loaded", "the daughter board's FPGA is configured: 0 no design of ours, 1 static, 2 dynamic"},
    {"latch-set", "the CCM's latch: the interrupt is active"},
    {"latch-cleared", "CCM_CLEAR; if its reason is still there it is set again at once"},
    {"packet-missed", "on purpose: a packet was not heard; its trans_ID"},
    {"packet-damaged", "on purpose: a packet was heard with another trans_ID; the right one"},
    {"counter-stuck", "on purpose: a counter of FFFF did not count"},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

inline constexpr const char* kDesignWords[] = {"none", "static", "dynamic", nullptr};  // enum smile_design
inline constexpr Injection kInjections[] = {
    {"inject-drop", any_number(" packets"), "next packets that are not heard",
     "so many of the next packets of this B-Link are not heard",
     "PACKETS; ORPHANS if a request was missed, CLASHES if a response was", "1ms smile inject-drop 3",
     PB_MEMBER(SmileInject, drop)},
    {"inject-damage", any_number(" packets"), "next packets that are heard with another trans_ID",
     "so many of the next packets are heard with a bit of the trans_ID inverted, another one each time",
     "ORPHANS and CLASHES", "1ms smile inject-damage 3", PB_MEMBER(SmileInject, damage)},
    {"inject-image", any_number(" loads"), "next loads out of the RAM cache that fail",
     "so many of the next loads out of the RAM cache fail as with a wrong CRC",
     "CCM_STATUS.ERROR, and the flash's design; the driver refuses to run", "1ms smile inject-image 1",
     PB_MEMBER(SmileInject, image)},
    {"inject-ring", up_to(SMILE_RING_RECORDS, " records"), "records that fill the ring; 0 is all that it has",
     "so many records fill the ring, as far as the monitor is concerned; 0: 2047, as it is",
     "MSR.FULL and its interrupt after that many; what does not fit waits in the swap queue",
     "1ms smile inject-ring 4", PB_MEMBER(SmileInject, ring)},
    {"inject-queue", kOffOrOn, "the swap queue takes no record", "the swap queue takes no record",
     "as soon as the ring is full MSR.LOST, LOSTN, and a loss record", "1ms smile inject-queue on",
     PB_MEMBER(SmileInject, queue)},
    {"inject-saturate", kOffOrOn, "counters stay at FFFF", "counters stay at FFFF",
     "no records with OVF: totals stop at 65535 a counter", "1ms smile inject-saturate on",
     PB_MEMBER(SmileInject, saturate)},
    {"inject-daughter", one_of(kDesignWords),
     "somebody at the daughter board's cable clears its FPGA, or loads a design",
     "somebody at the cable of the daughter board clears its FPGA, or loads that design, which takes its "
     "time; without a daughter board nothing happens. Reads as what is in it",
     "MSR.DESIGN and MSR.EXCHANGED; what the old design had not swapped out is gone",
     "1ms smile inject-daughter static"},
    PB_GENERIC_INJECTIONS("smile"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

// The tables that hw/smile/README.md shows, in its order.
inline constexpr ManualPart kManual[] = {
    {"PCI_Target (offset from 100000 in BAR 0)", kRegisters},
    {"Bridge (offset from 000000 in BAR 0, and in BAR 1)", kBridgeRegisters},
    {"Configuration cache manager (offset from 800000 in BAR 0)", kCcmRegisters},
    {"A record in the ring (offset in the record)", kRecord, Resets::kNone},
};

const BoardView& smile_view();

}  // namespace perfboard::smile
