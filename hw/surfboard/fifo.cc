// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surfboard/model.h"
#include "hw/surfboard/registers.h"

namespace perfboard::surf {
namespace {

constexpr uint16_t kDefaultOffset = 7;  // the paper's session, B.2.1
constexpr uint16_t kSlotMask = 0x1ff;

}  // namespace

void fifo_reset(SurfFifo& f) {
  f = SurfFifo{};
  f.empty_offset = f.full_offset = kDefaultOffset;
}

bool fifo_push(SurfFifo& f, uint16_t slot) {
  if (f.count == SURF_FIFO_SLOTS) return false;
  f.slot[(f.head + f.count) % SURF_FIFO_SLOTS] = slot & kSlotMask;
  ++f.count;
  return true;
}

uint16_t fifo_front(const SurfFifo& f) { return f.count ? f.slot[f.head] : 0; }

uint16_t fifo_pop(SurfFifo& f) {
  if (f.count == 0) return 0;
  const uint16_t slot = f.slot[f.head];
  f.head = (f.head + 1) % SURF_FIFO_SLOTS;
  --f.count;
  return slot;
}

bool fifo_push_address(SurfFifo& f, uint32_t address) {
  bool all = fifo_push(f, (address & 0xff) | kFifoLsb);
  all &= fifo_push(f, (address >> 8) & 0xff);
  all &= fifo_push(f, (address >> 16) & 0xff);
  return all;
}

uint8_t fifo_offset(const SurfFifo& f) {
  const uint16_t offset = f.pointer < 2 ? f.empty_offset : f.full_offset;
  return f.pointer & 1 ? offset >> 8 : offset & 0xff;
}

void fifo_set_offset(SurfFifo& f, uint8_t byte) {
  uint16_t& offset = f.pointer < 2 ? f.empty_offset : f.full_offset;
  if (f.pointer & 1)
    offset = (offset & 0x0ff) | (byte & 0xf) << 8;
  else
    offset = (offset & 0xf00) | byte;
}

void fifo_step(SurfFifo& f) { f.pointer = (f.pointer + 1) & 3; }

uint32_t fifo_conditions(const SurfFifo& f) {
  const uint32_t room = SURF_FIFO_SLOTS - f.count;
  uint32_t c = 0;
  if (f.count != 0) c |= bits("ISCR.FNE");
  if (f.count >= f.empty_offset) c |= bits("ISCR.FPF");
  if (room < f.full_offset) c |= bits("ISCR.FAF");
  if (room == 0) c |= bits("ISCR.FF");
  return c;
}

}  // namespace perfboard::surf
