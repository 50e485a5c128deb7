// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SNI's BoardView (hw/model/view.h): what a driver can do to the board, and what it causes.
//
//   sni_view()                                        the view
//   log_mistake(&b, mistake("crosses"), "...")        in the model: a row of kMistakes
//   tell_effect(&b, effect("packet-closed"), words)   in the model: a row of kEffects
//
// Counters and latency terms are registers with an index: TXP[0] is the low word and TXP[1] the high one;
// COMB[0] and COMB[1] are a term's sum, COMB[2] its least value, COMB[3] its largest. OPT0, OPT1 and IPT have
// the page as index.
#pragma once

#include <string>

#include "hw/model/generic_injections.h"
#include "hw/model/view.h"
#include "hw/shrimp/registers.h"

namespace perfboard::sni {

inline constexpr Mistake kMistakes[] = {
    {"crosses", "one bus cycle has bytes of two registers: it does nothing",
     "INFERRED: EISA's cycles have 32 bits", kIgnored},
    {"unused-offset", "an offset without a register is read or written", kOurs},
    {"read-only", "a register or counter without a writable field is written", kOurs},
    {"narrow-write", "DUWC is written with 8 bits, which it ignores",
     "INFERRED: half a count would start a transfer", kIgnored},
    {"high-word-first",
     "a counter's high word is read without its low word, which latches it: the two need not belong together",
     "INFERRED: a counter may go on between two reads"},
    {"update-busy", "DUWC is written while a transfer runs: DUE", "INFERRED: the engine has one transfer"},
    {"update-disabled", "DUWC is written with SCR.EN or SBCR.ENABLE 0: DUE", kOurs},
    {"update-length", "DUWC is written with 0 or more than 1024 words: DUE",
     "paper 2.2: a packet has a page at most"},
    {"update-crosses-page", "a transfer goes beyond the end of its destination page: DUE",
     "paper 2.2: a page is what is mapped"},
    {"update-no-source", "no memory is at DUSA: DUE", kOurs},
    {"user-refused",
     "a user-level update is refused: no word, no context, no DU, the end of a page is crossed, no memory, "
     "SCR.EN 0",
     kOurs},
    {"no-such-node", "a packet's destination is a coordinate that no node has: it is dropped, TXU", kOurs},
    {"reserved-boundary", "OPT1.BOUND is 5, 6 or 7", "INFERRED: 4 is a page, which combining never crosses"},
    {"no-line", "SIER enables an interrupt while SBCR.IRLEV names no line", "as the SurfBoard's (paper A.5)"},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"packet-closed",
     "the open packet is complete; the counter of the cause: 8 ENDD, 9 ENDR, 10 ENDN, 11 ENDB, 12 ENDT, 13 "
     "ENDP, 14 ENDF"},
    {"combining-ended", "a read or a write to an unmapped page has closed it; its address"},
    {"packet-sent", "a packet leaves for the backplane; its words"},
    {"packet-delivered", "a packet is in memory; its page"},
    {"packet-dropped", "RXE: page not valid, another key, or no memory there; its page"},
    {"packet-unsendable", "TXU: no node has this coordinate"},
    {"store-lost", "OVF: the outgoing FIFO is full"},
    {"high-water", "HW: the FIFO's words"},
    {"low-water", "LW: the FIFO's words"},
    {"update-started", "the deliberate update engine has taken so many words"},
    {"update-done", "DUD: its last word left"},
    {"page-mapped", "stores to this page become packets from now on"},
    {"page-unmapped", "stores to this page no longer do"},
    {"clock-reset", "S_GRST_L: the node's clocks are 0"},
    {"clock-wrapped", "CKV: the 45-bit clock went through zero"},
    {"counters-cleared", "SCR.CRST: counters and latency terms are 0"},
    {"injected-here", "an error on purpose took effect; its place in the list below, from 0", true},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

inline constexpr Injection kInjections[] = {
    {"inject-drop", any_number(" packets"), "next packets that the backplane loses",
     "the backplane loses the next packets that leave",
     "RXP falls behind TXP, and no register says why: `simple` waits for its words in vain",
     "5ms shrimp inject-drop 3", PB_MEMBER(SniInjected, drop)},
    {"inject-late", up_to(SNI_INJECT_LATE_MOST, " ns"), "ns that packets are in the backplane for longer",
     "from now on a packet is under way in the backplane for so much longer",
     "the latency term BACK; on the SurfBoard longer latencies, ISCR.LV if they do not fit",
     "5ms shrimp inject-late 50000", PB_MEMBER(SniInjected, late_ns)},
    {"inject-damage", any_number(" packets"), "next packets that arrive damaged (SISR.RXE)",
     "the next packets arrive damaged: the board finds out and does not write them to memory, the SurfBoard "
     "sees them",
     "SISR.RXE, RXEP, RXD: the driver's receive_error", "5ms shrimp inject-damage 1",
     PB_MEMBER(SniInjected, damage)},
    {"inject-fifo-overflow", any_number(" stores"), "next stores that find the outgoing FIFO full (SISR.OVF)",
     "the next snooped stores find the outgoing FIFO full and are lost",
     "SISR.OVF, OVFC: the driver's overflow", "5ms shrimp inject-fifo-overflow 2",
     PB_MEMBER(SniInjected, fifo_overflow)},
    {"inject-network-stop", kOffOrOn, "the backplane takes no packet",
     "the backplane takes no packet: the outgoing FIFO fills",
     "FCNT grows, SISR.HW, then SISR.OVF; the driver says that the network takes nothing",
     "5ms shrimp inject-network-stop on", PB_MEMBER(SniInjected, network_stop)},
    {"inject-clock-wrap", any_number(" ns"), "ns after which the clock wraps (SISR.CKV)",
     "the 45-bit clock is set so that it wraps after so long; reads as what is left, 0 if that is nothing or "
     "too much",
     "SISR.CKV: the driver's clock_wraps; the SurfBoard finds packets from before and after it in the wrong "
     "order: ISCR.LU",
     "5ms shrimp inject-clock-wrap 1000000"},
    PB_GENERIC_INJECTIONS("shrimp"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

const BoardView& sni_view();

// The tables that hw/shrimp/README.md shows between its markers: registers, counters, latency terms and
// timing constants, printed from what the model runs.
std::string manual_text();

}  // namespace perfboard::sni
