// SPDX-License-Identifier: GPL-2.0-or-later
//
// The histogram index FIFO: 4096 slots of 9 bits, three to a bin address, least significant byte
// first and flagged in the ninth bit (A.6: HFCR, HFDR, HTCR.FRS; ISCR.FNE, FPF, FAF, FF).
//
// Its offset port is four bytes in rotation, one step per access: Empty LSB, Empty MSB, Full LSB,
// Full MSB. INFERRED: reads and writes share the pointer, because the paper says "the control
// register pointer"; offsets have 12 bits, so the upper half of each MSB reads 0.
#pragma once

#include "hw/surfboard/surfboard_state.h"

namespace perfboard::surf {

inline constexpr uint16_t kFifoLsb = 1 << 8;

void fifo_reset(SurfFifo& f);
bool fifo_push(SurfFifo& f, uint16_t slot);  // false: it was full, nothing is stored
// Removes the oldest slot and returns it. INFERRED: 0 when empty; the paper leaves that undefined.
uint16_t fifo_pop(SurfFifo& f);
uint16_t fifo_front(const SurfFifo& f);
// A bin address, as three slots. INFERRED: each byte is written by itself, so with one or two
// slots free that many bytes are stored; the LSB flag lets software find the next address.
bool fifo_push_address(SurfFifo& f, uint32_t address);

uint8_t fifo_offset(const SurfFifo& f);  // the byte that the pointer shows
void fifo_set_offset(SurfFifo& f, uint8_t byte);
void fifo_step(SurfFifo& f);

uint32_t fifo_conditions(const SurfFifo& f);  // ISCR's FF, FAF, FPF, FNE

}  // namespace perfboard::surf
