// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/power2/view.h"

#include <iterator>

#include "hw/power2/model.h"

namespace perfboard::p2 {
namespace {

constexpr WindowView kWindowViews[] = {
    {"bar0", P2_WINDOW_BYTES, "the own monitor, the card, all monitors; little-endian"},
    {"bar2", P2_WINDOW_BYTES, "the same registers, big-endian", true},
};

constexpr std::span<const Register> kTables[] = {kRegisters, kCard};

constexpr std::string_view kOneProcess[] = {"write MMCR.DIS=1", "write CYCLES.COUNT=0", "write MMCR.DMR=1",
                                            "read CYCLES", "write MMCR.DIS=1"};
constexpr std::string_view kAllButOne[] = {"write MMCR.DIS=1", "write MMCR.DMS=1", "read CYCLES",
                                           "write MMCR.DIS=1"};
constexpr std::string_view kPrivate[] = {"write MMCR.DIS=1", "read FPU0", "read ERRORS", "write FPU1",
                                         "write MMCR.DIS=0"};
constexpr std::string_view kSegment[] = {"write MMCR.DIS=0", "write MMCR.DIS=1", "read CYCLES"};
constexpr std::string_view kKernelOnly[] = {"write MMCR.DU=1", "read CYCLES", "write MMCR.DIS=1"};
constexpr std::string_view kUserOnly[] = {"write MMCR.DP=1", "read CYCLES", "write MMCR.DIS=1"};
constexpr std::string_view kInterval[] = {"write MMCR.FXU=13", "write SPE.SPE=1", "write SPE.SPE=0",
                                          "read FXU1"};
constexpr std::string_view kOpcodes[] = {"write IMR", "write MMCR.FXU=13", "read FXU0", "write IMR"};
constexpr std::string_view kStorage[] = {"write MMCR.SGA=1", "read FPU0", "read SCU4"};

constexpr Sequence kSequences[] = {
    {"one-process", kOneProcess, "only marked processes count", "Monitoring one process"},
    {"all-but-one", kAllButOne, "only unmarked processes count", "Monitoring a set of processes"},
    {"private-counters", kPrivate, "a switch: one process's counters are saved, another's loaded",
     "Monitoring all events using a log"},
    {"segment", kSegment, "code between an entry and an exit",
     "Monitoring segments of code with well-defined entries and exits"},
    {"kernel-only", kKernelOnly, "problem state does not count", "Table 1"},
    {"user-only", kUserOnly, "privileged state does not count", "Table 1"},
    {"interval", kInterval, "cycles of an interval of the program's own", "Implementation of monitor"},
    {"opcodes", kOpcodes, "how often one instruction is executed, then another", "Implementation of monitor"},
    {"storage", kStorage, "the SCU gets all", "SCU observable events"},
};

constexpr uint32_t kSixteen[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint32_t kNodes[] = {P2_THIN, P2_THIN2, P2_WIDE, 3};
constexpr Values kValues[] = {
    {"MMCR.FPU", kSixteen}, {"MMCR.FXU", kSixteen}, {"MMCR.ICU", kSixteen},
    {"MMCR.SCU", kSixteen}, {"NODE.NODE", kNodes},
};

// In the big-endian window a register's upper byte comes first.
Place in_order_of(unsigned window, Place place) {
  if (window >= std::size(kWindowViews)) return {};
  if (kWindowViews[window].big) place.byte = 3 - place.byte;
  return place;
}

Place place(const void* model, unsigned window, uint64_t offset) {
  return in_order_of(window, place_at(static_cast<const P2Card*>(model), offset, -1));
}

Place place_asked(const void* model, unsigned window, uint64_t offset, const AccessRequest& asked) {
  if (!whole(asked.first, asked.bytes)) return {};
  return in_order_of(window, place_at(static_cast<const P2Card*>(model), offset, asked.vcpu));
}

std::optional<uint32_t> peek(const void* model, uint64_t, const Place& place) {
  const auto* card = static_cast<const P2Card*>(model);
  if (among(kCard, place.reg)) return card_word(card, place.reg);
  if (!place.reg || place.unit < 0 || place.unit >= static_cast<int>(card->count)) return {};
  return value_of(&card->monitors[place.unit], place.reg);
}

constexpr BoardView kView = {
    .board = "power2",
    .windows = kWindowViews,
    .tables = kTables,
    .conditions = {},
    .sequences = kSequences,
    .mistakes = kMistakes,
    .effects = kEffects,
    .injections = kInjections,
    .values = kValues,
    .place = place,
    .peek = peek,
    .place_asked = place_asked,
    .injected = injected_by<p2_injected>,
    .inject = inject_by<p2_inject>,
};

}  // namespace

const BoardView& p2_view() { return kView; }

}  // namespace perfboard::p2

const void* p2_board_view(void) { return &perfboard::p2::p2_view(); }
