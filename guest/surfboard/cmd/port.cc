// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/port.h"

#include <cstring>

#include "guest/surfboard/cmd/registers.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

Undisturbed::Undisturbed() {
  static_assert(sizeof(sigset_t) <= sizeof saved_);
  sigset_t block, old;
  sigemptyset(&block);
  for (int signal : kHeldSignals) sigaddset(&block, signal);
  sigprocmask(SIG_BLOCK, &block, &old);
  memcpy(saved_, &old, sizeof old);
}

Undisturbed::~Undisturbed() {
  sigset_t old;
  memcpy(&old, saved_, sizeof old);
  sigprocmask(SIG_SETMASK, &old, nullptr);
}

uint32_t read_acdr(Board& board) {
  const Undisturbed turn;
  uint32_t value = 0;
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) {
    const uint32_t bit = board.get(SURF_ACDR) & SURF_ACDR_DATA;
    value |= bit << i;
    board.put(SURF_ACDR, bit);
  }
  return value;
}

void write_acdr(Board& board, uint32_t value) {
  const Undisturbed turn;
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) board.put(SURF_ACDR, value >> i & SURF_ACDR_DATA);
}

uint32_t read_offsets(Board& board) {
  const Undisturbed turn;
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; i++) value |= (board.get(SURF_HFCR) & SURF_HFCR_DATA_MASK) << 8 * i;
  return value & 0x0FFF0FFFu;
}

void write_offsets(Board& board, uint32_t value) {
  const Undisturbed turn;
  for (unsigned i = 0; i < 4; i++) board.put(SURF_HFCR, value >> 8 * i & SURF_HFCR_DATA_MASK);
}

std::vector<uint32_t> read_slots(Board& board) {
  const Undisturbed turn;
  std::vector<uint32_t> slots;
  while (board.get(SURF_ISCR) & SURF_ISCR_FNE && slots.size() < kFifoSlots)
    slots.push_back(board.get(SURF_HFDR));
  write_slots(board, slots);
  return slots;
}

void write_slots(Board& board, std::span<const uint32_t> slots) {
  const Undisturbed turn;
  for (const uint32_t slot : slots) board.put(SURF_HFDR, slot);
}

bool take_address(Board& board, uint32_t& address) {
  const Undisturbed turn;
  unsigned bytes = 0;
  while (bytes < 3 && board.get(SURF_ISCR) & SURF_ISCR_FNE) {
    const uint32_t slot = board.get(SURF_HFDR);
    if (slot & SURF_HFDR_LSB)
      bytes = address = 0;
    else if (bytes == 0)
      continue;
    address |= (slot & SURF_HFDR_DATA_MASK) << 8 * bytes++;
  }
  return bytes == 3;
}

uint32_t read_register(Board& board, const RegisterInfo& reg) {
  switch (reg.kind) {
    case RegisterKind::shift:
      return read_acdr(board);
    case RegisterKind::fifo_offset:
      return read_offsets(board);
    default:
      return board.get(reg.offset);
  }
}

void write_register(Board& board, const RegisterInfo& reg, uint32_t value) {
  switch (reg.kind) {
    case RegisterKind::shift:
      return write_acdr(board, value);
    case RegisterKind::fifo_offset:
      return write_offsets(board, value);
    default:
      return board.put(reg.offset, value);
  }
}

}  // namespace perfboard::prompt
