// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard's registers, bit by bit (TR-596-99, A.5-A.7).
//
//   kSlotRegisters    EPIR, EBCR: EISA slot I/O, offsets 0xC80 and 0xC84
//   kRegisters        FCCR .. TPIR: offsets from RBASE, mirrored every 0x40 bytes
//   kShiftRegister    the 28 bits behind ACDR, as if they were a register
//   kTraceWords       the four words of a trace entry
//   bits("HTCR.TEN")  a field's mask, for code; a name that no table has does not compile
//
// hw/surfboard/README.md prints these tables. Reset values are those of power-on with both SIMM
// sockets empty; where the paper gives none they are 0 (INFERRED).
#pragma once

#include "hw/model/register.h"
#include "hw/surfboard/surfboard_state.h"

namespace perfboard::surf {

using enum Access;

inline constexpr std::string_view kLostPage = "INFERRED: the page is lost; widths from p. 50, places ours";

inline constexpr Field kEpirFields[] = {
    {"PNUML", 31, 28, ro, 0x1, "low digit of the product number 0x001", "p. 50"},
    {"REV", 27, 24, ro, 0x0, "revision", "INFERRED: EISA product ID format"},
    {"PNUMH", 23, 16, ro, 0x00, "upper two digits of the product number", "p. 50"},
    {"L2L", 15, 13, ro, 0x2, "second letter, bits 2..0", "INFERRED: \"PRU\""},
    {"L3", 12, 8, ro, 0x15, "third letter", "INFERRED: \"PRU\""},
    {"ZERO", 7, 7, ro, 0, "0: the slot is not empty", "INFERRED: EISA product ID format"},
    {"L1", 6, 2, ro, 0x10, "first letter", "INFERRED: \"PRU\""},
    {"L2H", 1, 0, ro, 0x2, "second letter, bits 4..3", "INFERRED: \"PRU\""},
};
inline constexpr Field kEbcrFields[] = {
    {"RBASE", 31, 16, rw, 0, "top 16 bits of the base of the 64 KB of registers", kLostPage},
    {"MBASE", 15, 11, rw, 0, "top 5 bits of the base of the 128 MB of memory", kLostPage},
    {"IRLEV", 10, 8, rw, 0,
     "interrupt: 2 IRQ 5, 3 IRQ 9, 4 IRQ 10, 5 IRQ 12, 6 IRQ 14, 7 IRQ 15; 0 and 1 disabled", kLostPage},
    {"ENABLE", 0, 0, rw, 0, "0: only EPIR and EBCR answer; IEMR is cleared", "p. 50"},
};
inline constexpr Register kSlotRegisters[] = {
    {"EPIR", 0xC80, 1, kEpirFields, "EISA Product Identification Register", "p. 50"},
    {"EBCR", 0xC84, 1, kEbcrFields, "EISA Board Configuration Register", "p. 50"},
};
static_assert(table_ok(kSlotRegisters));
static_assert(kSlotRegisters[0].reset() == SURF_PRODUCT_ID);

inline constexpr Field kFccrFields[] = {
    {"TSPD", 11, 8, ro, 0xF, "Trace SIMM Presence Detect: C 4 MB, E 16 MB, F empty; 64 MB reads C, too",
     "p. 52; 64 MB INFERRED: the part's size code repeats every 16-fold"},
    {"HSPD", 7, 4, ro, 0xF, "Histogram SIMM Presence Detect: as TSPD", "p. 52"},
    {"DONE", 3, 3, ro, 0, "Done: the HAS is configured (pin DONE)", "p. 52"},
    {"ERR", 2, 2, ro, 1, "Error: inverse of the HAS's pin INIT*", "p. 52"},
    {"CFG", 1, 1, ro, 1, "Configuration: the HAS is in configuration mode (pin HDC)", "p. 52"},
    {"PROG", 0, 0, rw, 1, "Program: 1 forces the HAS into configuration mode", "p. 52"},
};
inline constexpr Field kFcdrFields[] = {
    {"DATA", 0, 0, rw, 1, "write: one CCLK with DATA on DIN; read: last stage, nothing moves", "p. 53"},
};
inline constexpr Field kAcdrFields[] = {
    {"DATA", 0, 0, rw, 0, "write: shifts DATA into bit 27; read: bit 0, nothing moves", "p. 54"},
};
inline constexpr Field kTtcrFields[] = {
    {"EIP", 8, 8, rw, 0, "External Input Polarity: 1 inverts, low is FALSE", "p. 55"},
    {"EOP", 7, 7, rw, 0, "External Output Polarity: 1 inverts, FALSE drives low", "p. 55"},
    {"MEOD", 6, 6, rw, 0, "Mask External Output Data: 0 masks ECDR.DATA out", "p. 56"},
    {"MEI", 5, 5, rw, 0, "Mask External Input: 0 masks the input out", "p. 56"},
    {"MBV", 4, 4, rw, 0, "Mask Bin Overflow: 0 masks ISCR.BV out", "p. 56"},
    {"MODE", 3, 2, rw, 0, "Trace Mode: trigger at 0 beginning, 1 middle, 2 end; 3 reserved", "p. 56"},
    {"QUAL", 1, 0, rw, 0,
     "Trigger Packet Qualifier: 0 any packet, 1 external input, 2 bin overflow, 3 either of 1, 2", "p. 56"},
};
inline constexpr Field kEcdrFields[] = {
    {"DATA", 0, 0, rw, 0, "Logical Output Data", "p. 57"},
};
inline constexpr Field kPclrFields[] = {
    {"LED", 4, 4, rw, 0, "LED Indicator: 1 lights LED 10", "p. 57"},
    {"CAT", 3, 0, rw, 0, "Category of packets if CATMUX is 0", "p. 57"},
};
inline constexpr Field kIscrFields[] = {
    {"PEND", 31, 31, ro, 0, "Interrupt Pending: the board asserts its interrupt line", "p. 57"},
    {"RTV", 13, 13, ro, 0, "Receive Time Overflow; a global reset clears it", "p. 57"},
    {"LU", 12, 12, w1c, 0, "Latency Underflow", "p. 57"},
    {"LV", 11, 11, w1c, 0, "Latency Overflow", "p. 57"},
    {"PV", 10, 10, w1c, 0, "Pipeline Overflow: at least one packet was dropped", "p. 58"},
    {"WCV", 9, 9, w1c, 0, "Word Counter Overflow", "p. 58"},
    {"BV", 8, 8, w1c, 0, "Bin Overflow; also the BOC of the output equation", "p. 58"},
    {"FV", 7, 7, w1c, 0, "FIFO Overflow: a bin address found the FIFO full", "p. 58"},
    {"FF", 6, 6, ro, 0, "FIFO Full", "p. 58"},
    {"FAF", 5, 5, ro, 0, "FIFO Almost Full: fewer free slots than the full offset", "p. 58"},
    {"FPF", 4, 4, ro, 0, "FIFO Partially Full: at least as many slots occupied as the empty offset", "p. 58"},
    {"FNE", 3, 3, ro, 0, "FIFO Not Empty", "p. 58"},
    {"EXT", 2, 2, w1c, 0, "External Input went from FALSE to TRUE", "p. 58"},
    {"TP", 1, 1, w1c, 0, "Trigger Packet: HTCR.TRG went from 0 to 1 with TEN 1", "p. 58"},
    {"TC", 0, 0, w1c, 0, "Trace Complete; stays while its cause lasts: MODE 0, 1: the memory is full; 2: TRG",
     "p. 58"},
};
inline constexpr Field kIemrFields[] = {
    {"RTV", 13, 13, rw, 0, "Receive Time Overflow", "p. 59"},
    {"LU", 12, 12, rw, 0, "Latency Underflow", "p. 59"},
    {"LV", 11, 11, rw, 0, "Latency Overflow", "p. 59"},
    {"PV", 10, 10, rw, 0, "Pipeline Overflow", "p. 59"},
    {"WCV", 9, 9, rw, 0, "Word Counter Overflow", "p. 59"},
    {"BV", 8, 8, rw, 0, "Bin Overflow", "p. 59"},
    {"FV", 7, 7, rw, 0, "FIFO Overflow", "p. 59"},
    {"FF", 6, 6, rw, 0, "FIFO Full", "p. 59"},
    {"FAF", 5, 5, rw, 0, "FIFO Almost Full", "p. 59"},
    {"FPF", 4, 4, rw, 0, "FIFO Partially Full", "p. 59"},
    {"FNE", 3, 3, rw, 0, "FIFO Not Empty", "p. 59"},
    {"EXT", 2, 2, rw, 0, "External Input", "p. 59"},
    {"TP", 1, 1, rw, 0, "Trigger Packet", "p. 59"},
    {"TC", 0, 0, rw, 0, "Trace Complete", "p. 59"},
};
inline constexpr Field kHtcrFields[] = {
    {"PRS", 5, 5, rw, 0, "Pipeline Reset: held in reset while 1", "p. 59"},
    {"FRS", 4, 4, rw, 1, "FIFO Reset: held in reset while 1", "p. 59"},
    {"TRG", 3, 3, rw, 0, "Trigger Occurred", "p. 59"},
    {"WEN", 2, 2, rw, 0, "Word Counter Enable", "p. 59"},
    {"HEN", 1, 1, rw, 0, "Histogram Enable", "p. 59"},
    {"TEN", 0, 0, rw, 0, "Trace Enable", "p. 59"},
};
inline constexpr Field kWcdrFields[] = {
    {"DATA", 31, 0, rw, 0, "32-bit words received", "p. 60"},
};
inline constexpr Field kHfcrFields[] = {
    {"DATA", 7, 0, rw, 0x07,
     "an offset byte: Empty LSB, Empty MSB, Full LSB, Full MSB in rotation, one per access",
     "p. 60; rotation INFERRED: FIFO part"},
};
inline constexpr Field kHfdrFields[] = {
    {"LSB", 8, 8, rw, 0, "Least Significant Byte Indicator", "p. 61"},
    {"DATA", 7, 0, rw, 0, "a byte out of, or into, the FIFO; undefined if empty, ignored if full", "p. 61"},
};
inline constexpr Field kTicrFields[] = {
    {"DATA", 21, 0, rw, 0, "index of the next trace entry; 4, 18, 20 or 22 bits, by TSIZE", "p. 61"},
};
inline constexpr Field kTecrFields[] = {
    {"DATA", 22, 0, rw, 0,
     "packets recorded since the trace started; in MODE 1, before the trigger, up to half the buffer's size",
     "p. 61; MODE 1 INFERRED, see Trace"},
};
inline constexpr Field kTpirFields[] = {
    {"DATA", 21, 0, rw, 0, "index of the trigger packet's entry", "p. 62"},
};

inline constexpr Register kRegisters[] = {
    {"FCCR", 0x00, 1, kFccrFields, "FPGA Configuration Control Register", "p. 52"},
    {"FCDR", 0x04, 1, kFcdrFields, "FPGA Configuration Data Register", "p. 53"},
    {"ACDR", 0x08, 1, kAcdrFields, "Application Configuration Data Register", "p. 54"},
    {"TTCR", 0x0C, 1, kTtcrFields, "Trace Trigger Configuration Register", "p. 55"},
    {"ECDR", 0x10, 1, kEcdrFields, "External Connector Data Register (the paper also says ECCR)", "p. 57"},
    {"PCLR", 0x14, 1, kPclrFields, "Packet Category / LED Register", "p. 57"},
    {"ISCR", 0x18, 1, kIscrFields, "Interrupt Status / Control Register", "p. 57"},
    {"IEMR", 0x1C, 1, kIemrFields, "Interrupt Event Mask Register", "p. 59"},
    {"HTCR", 0x20, 1, kHtcrFields, "Histogram / Trace Command Register", "p. 59"},
    {"WCDR", 0x24, 4, kWcdrFields, "Word Count Data Register", "p. 60"},
    {"HFCR", 0x28, 1, kHfcrFields, "Histogram FIFO Control Register (also HFCCR, HFCDR)", "p. 60"},
    {"HFDR", 0x2C, 1, kHfdrFields, "Histogram FIFO Data Register", "p. 61"},
    {"TICR", 0x30, 4, kTicrFields, "Trace Index Count Register", "p. 61"},
    {"TECR", 0x34, 4, kTecrFields, "Trace Event Count Register", "p. 61"},
    {"TPIR", 0x38, 1, kTpirFields, "Trigger Packet Index Register", "p. 62"},
};
static_assert(table_ok(kRegisters));
inline constexpr uint32_t kRegisterBytes = 0x40, kWindowBytes = 0x10000;  // mirrored 1024 times (p. 51)
inline constexpr uint32_t kSlotBytes = 0x1000;
inline constexpr uint32_t kEntryBytes = 16;  // of a trace entry (A.7)
enum Window : unsigned { kSlotWindow, kRegisterWindow };

inline constexpr Field kShiftFields[] = {
    {"SENDID", 27, 25, rw, 0,
     "Sender Identification: bits of Y: 1 + SENDID, of X: 5 - SENDID; 5..7 undefined", "p. 54"},
    {"RDBK_A", 24, 24, rw, 0, "Readback A, unused", "p. 54"},
    {"CATMUX", 23, 23, rw, 0, "Category: 0 PCLR.CAT, 1 upper four bits of the first payload word", "p. 54"},
    {"RDBK_B", 22, 20, rw, 0, "Readback B, unused", "p. 54"},
    {"LAT_S", 19, 15, rw, 0, "Latency window: START / 2, 0..20", "p. 55"},
    {"LAT_N", 14, 11, rw, 0, "Latency window: NUM / 2, 1..12", "p. 55"},
    {"RDBK_C", 10, 8, rw, 0, "Readback C, unused", "p. 55"},
    {"TSIZE", 7, 6, rw, 0, "Trace DRAM size: 0 256 bytes, 1 4 MB, 2 16 MB, 3 64 MB", "p. 55"},
    {"RDBK_D", 5, 4, rw, 0, "Readback D, unused", "p. 55"},
    {"RDBK_F", 3, 0, rw, 0, "Readback F, unused", "p. 55"},
};
inline constexpr Register kShiftRegister[] = {
    {"SHIFT", 0, 1, kShiftFields, "the 28 bits behind ACDR; bit 0 goes in, and comes out, first",
     "p. 54; places INFERRED: they decode the paper's 02006080, and leave RDBK_E no room"},
};
static_assert(table_ok(kShiftRegister));
static_assert(kShiftRegister[0].mask(rw) == 0x0fffffff);

inline constexpr Field kTrace0Fields[] = {
    {"SENDER", 31, 26, rw, 0, "Sender ID, made of Y and X by SENDID", "p. 62"},
    {"V", 25, 25, rw, 0, "Latency Overflow", "p. 62"},
    {"U", 24, 24, rw, 0, "Latency Underflow", "p. 62"},
    {"LATENCY", 23, 0, rw, 0, "Latency in the window", "p. 62"},
};
inline constexpr Field kTrace1Fields[] = {
    {"CATEGORY", 31, 28, rw, 0, "Category", "p. 62"},
    {"SIZE", 27, 18, rw, 0, "Size in 32-bit words; 1024 reads 0", "p. 62"},
    {"COLOR", 17, 12, rw, 0, "Color", "p. 62"},
    {"RTIME", 11, 0, rw, 0, "Receive Time, bits 43..32", "p. 62"},
};
inline constexpr Field kTrace2Fields[] = {
    {"RTIME", 31, 0, rw, 0, "Receive Time, bits 31..0", "p. 62"},
};
inline constexpr Field kTrace3Fields[] = {
    {"I", 31, 31, rw, 0, "Interrupt bit of the incoming page table", "p. 62"},
    {"P", 30, 29, rw, 0, "Presence: the hardware stores 0", "p. 62; width INFERRED: 128 - 126 bits (A.1)"},
    {"ADDRESS", 28, 4, rw, 0, "Packet Address, bits 26..2", "p. 62"},
    {"BE", 3, 0, rw, 0, "Byte Enables; they mean something if the size is 1", "p. 62"},
};
inline constexpr Register kTraceWords[] = {
    {"TRACE0", 0x0, 1, kTrace0Fields, "Trace Memory Word (Offset 0)", "p. 62"},
    {"TRACE1", 0x4, 1, kTrace1Fields, "Trace Memory Word (Offset 1)", "p. 62"},
    {"TRACE2", 0x8, 1, kTrace2Fields, "Trace Memory Word (Offset 2)", "p. 62"},
    {"TRACE3", 0xC, 1, kTrace3Fields, "Trace Memory Word (Offset 3)", "p. 62"},
};
static_assert(table_ok(kTraceWords));

consteval const Field& field(std::string_view dotted) {
  const size_t dot = dotted.find('.');
  const std::string_view reg = dotted.substr(0, dot);
  const std::string_view name = dotted.substr(dot + 1);
  for (std::span<const Register> table :
       {std::span<const Register>(kSlotRegisters), std::span<const Register>(kRegisters),
        std::span<const Register>(kShiftRegister), std::span<const Register>(kTraceWords)})
    for (const Register& r : table)
      if (r.name == reg) return r.field(name);
  no_such_name();
}
consteval uint32_t bits(std::string_view dotted) { return field(dotted).mask(); }

}  // namespace perfboard::surf
