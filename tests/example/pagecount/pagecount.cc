// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/example/pagecount/pagecount.h"

#include "hw/core/bank.h"
#include "hw/core/view.h"

using namespace perfboard;

namespace {
constexpr Field kFields[] = {
    {"STORES", 11, 0, Access::ro, 0, "stores to the page; stays at 4095", "INFERRED: there is no paper"},
    {"PAGE", 31, 12, Access::rw, 0, "the page that is watched; 0: none", "INFERRED: there is no paper"},
};
constexpr Register kRegisters[] = {{"WATCH", 0, 4, kFields, "Watched Page", "INFERRED: there is no paper"}};
static_assert(table_ok(kRegisters));

constexpr std::span<const Register> kTables[] = {kRegisters};
constexpr WindowView kWindows[] = {{"bar0", 4096, "the register"}};

Place place(const void*, unsigned, uint64_t offset) {
  return offset < 4 ? Place{&kRegisters[0], -1, static_cast<uint32_t>(offset)} : Place{};
}

std::optional<uint32_t> peek(const void* model, uint64_t, const Place&) {
  const auto* b = static_cast<const PageCount*>(model);
  return b->page | b->stores;
}

constexpr BoardView kView{
    .board = "pagecount", .windows = kWindows, .tables = kTables, .place = place, .peek = peek};
}  // namespace

uint32_t pagecount_read(const PageCount* b, uint32_t byte, uint32_t size) {
  return bank_read(kRegisters[0], b->page | b->stores, Lanes::of(byte, size));
}

void pagecount_write(PageCount* b, uint32_t byte, uint32_t size, uint32_t value) {
  b->page = bank_write(kRegisters[0], b->page, Lanes::of(byte, size), value);
  b->stores = 0;
  pagecount_timer(b);
}

void pagecount_stored(PageCount* b, uint64_t now) {
  if (b->stores < kFields[0].mask()) ++b->stores;
  b->host.arm(b->host.opaque, now);
}

const void* pagecount_view(void) { return &kView; }

void pagecount_timer(PageCount* b) { b->host.set_irq(b->host.opaque, b->stores > 0); }
