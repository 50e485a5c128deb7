// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/example/pagecount/pagecount.h"

#include "hw/model/bank.h"
#include "hw/model/state_check.h"
#include "tests/example/pagecount/registers.h"

namespace perfboard::pagecount {
#define STATE_LIST "tests/example/pagecount/state.def"
#include "hw/model/state_legal.h"
}  // namespace perfboard::pagecount

using namespace perfboard;
using namespace perfboard::pagecount;

uint32_t pagecount_read(const PageCount* b, uint32_t offset, uint32_t size) {
  const Register* const reg = find(kRegisters, offset & ~3u);
  if (!reg) return 0;
  const PageCountState& s = b->state;
  return bank_read(*reg, reg->offset ? s.ctrl : s.page | s.stores, Lanes::of(offset & 3, size));
}

void pagecount_write(PageCount* b, uint32_t offset, uint32_t size, uint32_t value) {
  const Register* const reg = find(kRegisters, offset & ~3u);
  if (!reg || size < reg->min_write_bytes) return;
  uint32_t& kept = reg->offset ? b->state.ctrl : b->state.page;
  kept = bank_write(*reg, kept, Lanes::of(offset & 3, size), value);
  if (reg->offset == 0) b->state.stores = 0;
  pagecount_timer(b);
}

void pagecount_stored(PageCount* b, uint64_t now) {
  PageCountState& s = b->state;
  if (s.deaf) return void(--s.deaf);
  if (s.stores < kStores.mask()) ++s.stores;
  if (s.stores == 1) b->host.arm(b->host.opaque, now);
}

void pagecount_timer(PageCount* b) { b->host.set_irq(b->host.opaque, b->state.stores && b->state.ctrl); }

void pagecount_reset(PageCount* b) {
  b->state = {.page = 0, .stores = 0, .ctrl = 0, .deaf = b->state.deaf};
  pagecount_timer(b);
}

void pagecount_power_on(PageCount* b) {
  b->state = {};
  pagecount_timer(b);
}

bool pagecount_state_ok(const PageCountState* image, char* why, uint32_t why_size) {
  StateCheck check(why, why_size);
  members_ok(check, *image);
  return check.ok();
}

bool pagecount_load(PageCount* b, const PageCountState* image, char* why, uint32_t why_size) {
  pagecount_power_on(b);
  if (!pagecount_state_ok(image, why, why_size)) return false;
  b->state = *image;
  pagecount_timer(b);
  return true;
}
