// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard's BoardView (hw/model/view.h): what a driver can do to the board, and what it causes.
//
//   surf_view()                                        the view
//   log_mistake(b, mistake("fifo-empty"), "...")       in the model: a row of kMistakes
//   tell_effect(b, effect("packet-recorded"), index)   in the model: a row of kEffects
#pragma once

#include "hw/model/generic_injections.h"
#include "hw/model/manual.h"
#include "hw/model/view.h"
#include "hw/surfboard/registers.h"

namespace perfboard::surf {

inline constexpr Mistake kMistakes[] = {
    {"disabled", "a register is accessed while EBCR.ENABLE is 0", "p. 50", kIgnored},
    {"unused-offset", "an offset without a register is read or written: its reads are undefined", "p. 51"},
    {"narrow-write", "WCDR, TICR or TECR is written with 8 or 16 bits, which they ignore", "p. 60, p. 61",
     kIgnored},
    {"narrow-fifo-write", "HFDR is written with 8 bits: an unknown LSB flag is stored", "p. 61"},
    {"fifo-held", "HFCR or HFDR is accessed while HTCR.FRS holds the FIFO in reset", "p. 59", kIgnored},
    {"fifo-empty", "HFDR is read while the FIFO is empty: the data is undefined", "p. 61"},
    {"fifo-full", "HFDR is written while the FIFO is full: the data is ignored", "p. 61", kIgnored},
    {"undefined-sendid", "collecting starts with SENDID 5, 6 or 7", "p. 54"},
    {"lat-s-range", "collecting starts with LAT_S above 20", "p. 55"},
    {"lat-n-range", "collecting starts with LAT_N 0, or above 12", "p. 55"},
    {"reserved-mode", "tracing starts with TTCR.MODE 3", "p. 56"},
    {"trace-too-large",
     "tracing starts with a TSIZE that is larger than the trace SIMM: entries overwrite others", "p. 55"},
    {"shift-while-collecting",
     "ACDR is written while HTCR.HEN or TEN is 1: packets see the bits on their way",
     "A.9.2: collecting is disabled first"},
    {"no-selector", "HTCR.HEN is set while FCCR.DONE is 0: all packets count in one bin", "p. 52"},
    {"bit-lost", "FCDR is written while FCCR.PROG is 1: the selector is held in reset and takes no bit",
     "p. 52", kIgnored},
    {"cause-lasts", "ISCR.TC is written with 1 while its cause lasts: it stays set", "p. 58"},
    {"no-line", "IEMR enables an interrupt while EBCR.IRLEV names no line", "p. 50"},
    {"oscillates", "TTCR's EIP, EOP and MEI make the board invert its own input",
     "INFERRED: the output equation of p. 56 has no solution then"},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"packet", "a packet has gone through the pipeline; its words (0: 1024)"},
    {"packet-dropped", "Stage 1 was not ready: a packet was dropped, PV"},
    {"packet-joined", "a packet's words were added to the one before, which had no end of data"},
    {"latency-overflow", "LV: the latency did not fit its window"},
    {"latency-underflow", "LU: received before it was sent; by how many 100 ns"},
    {"words-wrapped", "WCV: WCDR went through zero"},
    {"bin-counted", "the histogram's bin of this address was counted up; no number: 0"},
    {"bin-overflow", "BV: the bin of this address went through zero"},
    {"address-pushed", "a bin's address went into the FIFO"},
    {"fifo-overflow", "FV: this bin address found the FIFO full"},
    {"fifo-pushed", "HFDR put this slot (bit 8: LSB) into the FIFO"},
    {"fifo-popped", "HFDR took this slot (bit 8: LSB) out of the FIFO"},
    {"fifo-reset", "the FIFO is empty, its offsets are 007"},
    {"offset-moved", "HFCR shows the next offset byte: 0 Empty LSB to 3 Full MSB"},
    {"triggered", "TRG is set, and TPIR is this index; no number: 0"},
    {"packet-recorded", "a trace entry was stored at this index; no number: 0"},
    {"trace-complete", "TC is set; the packets that TECR counts"},
    {"shifted", "the 28 bits behind ACDR, now"},
    {"selector-cleared", "FCCR.PROG cleared the selector's memory"},
    {"selector-configured", "FCCR.DONE is 1"},
    {"selector-error", "FCCR.ERR is 1: a frame was bad"},
    {"external-true", "the external input became TRUE: EXT"},
    {"wire-driven", "1: the board pulls the external wire low; 0: it lets go"},
    {"clock-reset", "the SNI's global reset set the receive clock to 0"},
    {"receive-time-wrapped", "RTV: the receive clock went through zero"},
    {"injected-here", "an error on purpose took effect; its place in the list below, from 0", true},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

inline constexpr const char* kSelectorWords[] = {"good", "never-done", "init-low",
                                                 nullptr};                         // enum surf_selector_fault
inline constexpr const char* kSimmWords[] = {"whole", "absent", "half", nullptr};  // enum surf_simm_fault
inline constexpr Injection kInjections[] = {
    {"inject-drop", any_number(" packets"), "next packets that do not come over the cable",
     "the next packets do not come over the cables J2 and J3",
     "WCDR, histogram and trace lack them while the SNI's RXP has them: `traceCheck`, `surf show`",
     "5ms surfboard inject-drop 3", PB_MEMBER(SurfInjected, drop)},
    {"inject-late", any_number(" ns"), "ns that packets have been under way for longer",
     "from now on packets have been under way for so much longer: their transmit time is earlier, but not "
     "before 0",
     "longer latencies, and ISCR.LV if they do not fit the window: V in trace entries, latency FFFFFF",
     "5ms surfboard inject-late 20000000", PB_MEMBER(SurfInjected, late_ns)},
    {"inject-damage", any_number(" packets"), "next packets whose sender and transmit time are inverted",
     "in the next packets the bits of the sender's coordinate and of the transmit time are inverted on the "
     "cable",
     "ISCR.LU, as the time sent lies in the future; U in trace entries; a sender that is no node",
     "5ms surfboard inject-damage 1", PB_MEMBER(SurfInjected, damage)},
    {"inject-no-eod", any_number(" packets"), "next packets without end of data",
     "the next packets come without S_EOD_L, the end of data",
     "two packets become one, and LED 9 stays on; HTCR.PRS ends it (p. 59)", "5ms surfboard inject-no-eod 1",
     PB_MEMBER(SurfInjected, no_end)},
    {"inject-overrun", any_number(" packets"), "next packets that find Stage 1 busy (ISCR.PV)",
     "the next packets find Stage 1 busy and are dropped", "ISCR.PV (p. 58)",
     "5ms surfboard inject-overrun 2", PB_MEMBER(SurfInjected, overrun)},
    {"inject-skew", any_number(" of 100 ns"), "100 ns that the senders' clocks are ahead (ISCR.LU)",
     "from now on the senders' clocks are ahead by so much",
     "ISCR.LU: received before it was sent; latency 0, U in trace entries (p. 57)",
     "5ms surfboard inject-skew 1000000", PB_MEMBER(SurfInjected, skew_ticks)},
    {"inject-clock-wrap", any_number(" ns"), "ns after which the receive clock wraps (ISCR.RTV)",
     "the receive clock is set so that it wraps after so long; reads as what is left, 0 if that is nothing "
     "or too much",
     "ISCR.RTV, until the SNI's global reset (p. 57); packets before it have LV",
     "5ms surfboard inject-clock-wrap 1000000"},
    {"inject-fifo-overflow", any_number(" bin addresses"),
     "next bin addresses that find the FIFO full (ISCR.FV)",
     "the next bin addresses find the FIFO full and are lost",
     "ISCR.FV beside BV, and no slot in the FIFO (p. 58)", "5ms surfboard inject-fifo-overflow 1",
     PB_MEMBER(SurfInjected, fifo_overflow)},
    {"inject-selector", one_of(kSelectorWords), "how the selector's FPGA fails (FCCR)",
     "the selector's FPGA fails: it takes its bitstream but does not start, or holds INIT* low; one that is "
     "configured works until PROG",
     "FCCR.DONE stays 0, or FCCR.ERR is 1 (p. 52): the driver's SURF_IOC_CONFIG ends with EIO",
     "0s surfboard inject-selector never-done", PB_MEMBER(SurfInjected, selector)},
    {"inject-trace-simm", one_of(kSimmWords), "what is in the trace socket",
     "the trace SIMM is not there, or its upper half is the lower one again, which presence detect does not "
     "tell",
     "FCCR.TSPD F and no trace memory; or half the size, found only by asking the memory (p. 52)",
     "0s surfboard inject-trace-simm half", PB_MEMBER(SurfInjected, trace_simm)},
    {"inject-hist-simm", one_of(kSimmWords), "what is in the histogram socket",
     "the same of the histogram SIMM", "FCCR.HSPD F; or half the bins (p. 52)",
     "0s surfboard inject-hist-simm absent", PB_MEMBER(SurfInjected, hist_simm)},
    PB_GENERIC_INJECTIONS("surfboard"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

// The tables that hw/surfboard/README.md shows, in its order.
inline constexpr ManualPart kManual[] = {
    {"EISA slot registers (slot I/O, offset in the slot's 0xz000)", kSlotRegisters},
    {"Memory-mapped registers (offset from RBASE)", kRegisters},
    {"Application shift register (behind ACDR)", kShiftRegister},
    {"Trace memory entry (16 bytes)", kTraceWords},
};

const BoardView& surf_view();

}  // namespace perfboard::surf
