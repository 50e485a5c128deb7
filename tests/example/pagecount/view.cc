// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/view.h"

#include "hw/model/generic_injections.h"
#include "tests/example/pagecount/pagecount.h"
#include "tests/example/pagecount/registers.h"

namespace perfboard::pagecount {
namespace {

constexpr WindowView kWindows[] = {{"registers", PAGECOUNT_BYTES, "BAR 0"}};
constexpr std::span<const Register> kTables[] = {kRegisters};

constexpr Condition kConditions[] = {
    {"STORED", "WATCH.STORES", "CTRL.IEN", "write WATCH", "a store to the page", kOurs}};

constexpr std::string_view kCount[] = {"write WATCH", "CTRL.IEN=1", "read WATCH"};
constexpr Sequence kSequences[] = {{"count", kCount, "watches a page, and takes the interrupt", kOurs}};

constexpr Injection kInjections[] = {
    {"inject-deaf", any_number(" stores"), "next stores to its page that are not counted",
     "so many of the next stores to the page are not counted, and make no interrupt",
     "fewer STORES than were made", "1ms pagecount inject-deaf 3"},
    PB_GENERIC_INJECTIONS("pagecount"),
};

Place place(const void*, unsigned window, uint64_t offset) {
  const auto byte = static_cast<uint32_t>(offset & 3);
  return window == 0 && offset < PAGECOUNT_BYTES
             ? Place{find(kRegisters, static_cast<uint32_t>(offset) & ~3u), -1, byte}
             : Place{};
}

std::optional<uint32_t> peek(const void* model, uint64_t, const Place& place) {
  if (!place.reg) return std::nullopt;
  return pagecount_read(static_cast<const PageCount*>(model), place.reg->offset, 4);
}

uint64_t injected(void* model, unsigned) { return static_cast<PageCount*>(model)->state.deaf; }
void inject(void* model, unsigned, uint64_t value) {
  static_cast<PageCount*>(model)->state.deaf = static_cast<uint32_t>(value);
}

constexpr BoardView kView{.board = "pagecount",
                          .windows = kWindows,
                          .tables = kTables,
                          .conditions = kConditions,
                          .sequences = kSequences,
                          .injections = kInjections,
                          .place = place,
                          .peek = peek,
                          .injected = injected,
                          .inject = inject};

}  // namespace
}  // namespace perfboard::pagecount

const void* pagecount_view(void) { return &perfboard::pagecount::kView; }
