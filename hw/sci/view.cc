// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sci/view.h"

#include <iterator>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

constexpr WindowView kWindows[] = {
    {"registers", SCI_REGISTER_BYTES, "BAR 0. The window of global memory, BAR 2, has no registers"},
};

constexpr std::span<const Register> kTables[] = {kRegisters, kStatistics, kTable};

constexpr std::string_view kStart[] = {"read ID", "read VERSION", "read NODES", "read PAGES",
                                       "CTRL.ENABLE=1"};
constexpr std::string_view kDistribute[] = {"read NODES", "read PAGES", "write ATT"};
constexpr std::string_view kStatistic[] = {"read READS", "read READSH"};
constexpr std::string_view kStop[] = {"CTRL.ENABLE=1", "CTRL.ENABLE=0"};

constexpr Sequence kSequences[] = {
    {"start", kStart, "looks what cluster it is, and switches transactions on", kOurs},
    {"distribute", kDistribute, "gives pages a home among the nodes that there are", kOurs},
    {"statistic", kStatistic, "reads 64 bits: the lower half latches the upper one", kOurs},
    {"stop", kStop, "switches transactions off; what buffers hold still goes", kOurs},
};

// ---- registers ----------------------------------------------------------------------------------

Place place(const void* model, unsigned window, uint64_t offset) {
  const SciConfig& c = static_cast<const SciAdapter*>(model)->config;
  return window == 0 ? place_at(c, offset) : Place{.byte = static_cast<uint32_t>(offset & 3)};
}

uint32_t entries(const Register& r) { return &r == &kTable[0] ? SCI_MAX_PAGES : 0; }

// NODE is what a debugger reads: who looks is no node. The upper half of a statistic is as it is, not as
// somebody latched it.
std::optional<uint32_t> peek(const void* model, uint64_t now, const Place& place) {
  if (!place.reg) return std::nullopt;
  return peek_at(static_cast<const SciAdapter*>(model), place, now);
}

constexpr BoardView kView = {
    .board = "sci",
    .windows = kWindows,
    .tables = kTables,
    .conditions = {},
    .sequences = kSequences,
    .mistakes = kMistakes,
    .effects = kEffects,
    .injections = kInjections,
    .values = {},
    .place = place,
    .peek = peek,
    .injected = injected_by<sci_injected>,
    .inject = inject_by<sci_inject>,
    .entries = entries,
};

}  // namespace

const BoardView& sci_view() { return kView; }

}  // namespace perfboard::sci

const void* sci_board_view(void) { return &perfboard::sci::sci_view(); }
