// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard's BoardView (hw/core/view.h): what a driver can do to the board, and what it causes.
//
//   surf_view()                                        the view
//   log_mistake(b, mistake("fifo-empty"), "...")       in the model: a row of kMistakes
//   tell_effect(b, effect("packet-recorded"), index)   in the model: a row of kEffects
#pragma once

#include "hw/core/manual.h"
#include "hw/core/view.h"
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
    {"injected-here", "an error on purpose took effect; its place in the list below, from 0"},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

// The tables that hw/surfboard/README.md shows, in its order.
inline constexpr ManualPart kManual[] = {
    {"EISA slot registers (slot I/O, offset in the slot's 0xz000)", kSlotRegisters},
    {"Memory-mapped registers (offset from RBASE)", kRegisters},
    {"Application shift register (behind ACDR)", kShiftRegister},
    {"Trace memory entry (16 bytes)", kTraceWords},
};

const BoardView& surf_view();

}  // namespace perfboard::surf
