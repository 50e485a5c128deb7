// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surfboard/view.h"

#include <array>
#include <iterator>

#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr WindowView kWindows[] = {
    {"slot", kSlotBytes, "slot I/O, zC80 to zC87: EPIR and EBCR"},
    {"registers", kWindowBytes, "64 KB at EBCR.RBASE: the registers, 1024 times"},
};

constexpr std::span<const Register> kTables[] = {kSlotRegisters, kRegisters};

constexpr Condition kConditions[] = {
    {"RTV", "ISCR.RTV", "IEMR.RTV", "effect clock-reset",
     "the receive clock has wrapped; the SNI's global reset ends it", "p. 57"},
    {"LU", "ISCR.LU", "IEMR.LU", "write ISCR.LU=1", "a packet was received before it was sent", "p. 57"},
    {"LV", "ISCR.LV", "IEMR.LV", "write ISCR.LV=1", "a latency did not fit the window", "p. 57"},
    {"PV", "ISCR.PV", "IEMR.PV", "write ISCR.PV=1", "a packet came too fast and was dropped", "p. 58"},
    {"WCV", "ISCR.WCV", "IEMR.WCV", "write ISCR.WCV=1", "the word counter has wrapped", "p. 58"},
    {"BV", "ISCR.BV", "IEMR.BV", "write ISCR.BV=1", "a histogram bin has wrapped", "p. 58"},
    {"FV", "ISCR.FV", "IEMR.FV", "write ISCR.FV=1", "a bin's address found the FIFO full", "p. 58"},
    {"FF", "ISCR.FF", "IEMR.FF", "read HFDR", "the FIFO is full", "p. 58"},
    {"FAF", "ISCR.FAF", "IEMR.FAF", "read HFDR", "the FIFO has fewer free slots than the full offset",
     "p. 58"},
    {"FPF", "ISCR.FPF", "IEMR.FPF", "read HFDR", "the FIFO has as many slots occupied as the empty offset",
     "p. 58"},
    {"FNE", "ISCR.FNE", "IEMR.FNE", "read HFDR", "the FIFO is not empty", "p. 58"},
    {"EXT", "ISCR.EXT", "IEMR.EXT", "write ISCR.EXT=1", "the external input became TRUE", "p. 58"},
    {"TP", "ISCR.TP", "IEMR.TP", "write ISCR.TP=1", "the trigger packet has come", "p. 58"},
    {"TC", "ISCR.TC", "IEMR.TC", "write ISCR.TC=1", "the trace is complete", "p. 58"},
};

// ---- programming sequences ------------------------------------------------------------------

constexpr std::string_view kStart[] = {"EBCR.ENABLE=1", "IEMR=0", "read FCCR", "write ACDR", "HTCR.FRS=0"};
constexpr std::string_view kSelector[] = {"FCCR.PROG=1", "FCCR.PROG=0", "read FCCR.CFG=1", "write FCDR",
                                          "read FCCR.DONE=1"};
constexpr std::string_view kCollect[] = {"IEMR=0", "HTCR.TEN=0", "write ACDR", "write TTCR", "TICR=0",
                                         "TECR=0", "write ISCR", "write PCLR", "write IEMR", "write HTCR"};
// Reading and then writing it, 28 times (p. 54).
constexpr auto kRecirculate = [] {
  std::array<std::string_view, 56> steps{};
  for (size_t i = 0; i < steps.size(); i += 2) {
    steps[i] = "read ACDR";
    steps[i + 1] = "write ACDR";
  }
  return steps;
}();
constexpr std::string_view kInterrupt[] = {"irq=1", "read ISCR.PEND=1", "irq=0"};
constexpr std::string_view kBinAddress[] = {"read HFDR.LSB=1", "read HFDR.LSB=0", "read HFDR.LSB=0"};
constexpr std::string_view kOffsets[] = {"HTCR.FRS=1", "HTCR.FRS=0", "write HFCR",
                                         "write HFCR", "write HFCR", "write HFCR"};
constexpr std::string_view kReadOffsets[] = {"read HFCR", "read HFCR", "read HFCR", "read HFCR"};
constexpr std::string_view kTcFull[] = {"read ISCR.TC=1", "TECR=0", "ISCR.TC=1"};
constexpr std::string_view kTcTrigger[] = {"read ISCR.TC=1", "HTCR.TRG=0", "ISCR.TC=1"};
constexpr std::string_view kPipelineReset[] = {"HTCR.PRS=1", "HTCR.PRS=0"};
constexpr std::string_view kRestoreTrigger[] = {"HTCR.TEN=1", "HTCR.TRG=1"};
constexpr std::string_view kExternalOutput[] = {"TTCR.MEOD=1", "ECDR.DATA=1", "ECDR.DATA=0"};

constexpr Sequence kSequences[] = {
    {"start", kStart,
     "what is left to the driver after a reset: mask, look for the SIMMs, set TSIZE, release the FIFO",
     "A.9.1, p. 59"},
    {"selector", kSelector, "loads the histogram address selector in slave serial mode", "p. 52"},
    {"collect", kCollect, "an experiment, from masking all interrupts to enabling collection", "A.9.2"},
    {"recirculate", kRecirculate, "reads the 28 bits behind ACDR and leaves them as they were", "p. 54"},
    {"interrupt", kInterrupt,
     "the board asserts its line, software finds it by the sign of ISCR, the line falls", "p. 57"},
    {"bin-address", kBinAddress, "takes a bin's address out of the FIFO, least significant byte first",
     "p. 61"},
    {"set-offsets", kOffsets, "resets the FIFO, then writes its two offsets", "p. 59, p. 60"},
    {"read-offsets", kReadOffsets, "four reads bring HFCR's pointer round", "p. 60; INFERRED: FIFO part"},
    {"clear-trace-full", kTcFull, "takes TC back in MODE 0 and 1: first its cause, then the bit", "p. 58"},
    {"clear-trace-triggered", kTcTrigger, "takes TC back in MODE 2", "p. 58"},
    {"pipeline-reset", kPipelineReset, "after a packet without end of data", "p. 59"},
    {"restore-trigger", kRestoreTrigger, "restores ISCR.TP: TRG is set while TEN is 1", "p. 58, p. 59"},
    {"external-output", kExternalOutput, "drives the external connector from a register", "p. 56"},
};

// ---- errors on purpose -----------------------------------------------------------------------

constexpr uint32_t kModes[] = {0, 1, 2};
constexpr uint32_t kQualifiers[] = {0, 1, 2, 3};
constexpr uint32_t kLevels[] = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr uint32_t kPresence[] = {0xC, 0xE, 0xF};
constexpr Values kValues[] = {
    {"TTCR.MODE", kModes},    {"TTCR.QUAL", kQualifiers}, {"EBCR.IRLEV", kLevels},
    {"FCCR.TSPD", kPresence}, {"FCCR.HSPD", kPresence},
};

// ---- registers ----------------------------------------------------------------------------------

Place place(const void*, unsigned window, uint64_t offset) { return place_at(window, offset); }

std::optional<uint32_t> peek(const void* model, uint64_t now, const Place& place) {
  const SurfBoard* b = static_cast<const SurfBoard*>(model);
  if (!place.reg) return std::nullopt;
  return value_at(kBehaviours, b, b->state, Part{.place = place, .now = now});
}

constexpr BoardView kView = {
    .board = "surfboard",
    .windows = kWindows,
    .tables = kTables,
    .conditions = kConditions,
    .sequences = kSequences,
    .mistakes = kMistakes,
    .effects = kEffects,
    .injections = kInjections,
    .values = kValues,
    .place = place,
    .peek = peek,
    .injected = injected_by<surf_injected>,
    .inject = inject_by<surf_inject>,
};

}  // namespace

const BoardView& surf_view() { return kView; }

}  // namespace perfboard::surf

const void* surf_board_view(void) { return &perfboard::surf::surf_view(); }
