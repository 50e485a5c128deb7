// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of software to the slot's registers and to the window.
#include <algorithm>

#include "hw/shrimp/pipeline.h"

using namespace perfboard;
using namespace perfboard::sni;

namespace {

uint32_t idle(uint32_t size) { return Lanes::of(0, size).mask; }  // the bus when nobody answers

bool crosses(SniBoard& b, uint32_t offset, uint32_t size) {
  if (size != 0 && (offset & 3) + size <= 4) return false;
  log_mistake(&b, mistake("crosses"), "access of %u bytes at 0x%05x crosses a register", size, offset);
  return true;
}

Part part_of(unsigned window, uint32_t offset, uint32_t size) {
  return {.place = place_at(window, offset), .lanes = Lanes::of(offset & 3, size)};
}

void write_part(SniBoard* b, Part p, uint32_t value) {
  p.now = b->state.now;
  write_at(kBehaviours, b, b->state, p, value);
}

bool writable(const Register& r) { return behaviour_of(kBehaviours, &r).bits.taken; }

// False, and a line: the register does not take it.
bool takes(const SniBoard* b, const Part& p, uint32_t offset) {
  const Register& r = *p.place.reg;
  if (writable(r) && p.lanes.bytes >= r.min_write_bytes) return true;
  if (writable(r))
    log_mistake(b, mistake("narrow-write"), "%s ignores %u-byte writes", r.name.data(), p.lanes.bytes);
  else if (among(kRegisters, &r))
    log_mistake(b, mistake("read-only"), "write of %s, which is read only", r.name.data());
  else
    log_mistake(b, mistake("read-only"), "write of register 0x%05x: counters are read only", offset);
  return false;
}

}  // namespace

void perfboard::sni::enter(SniBoard& b) {
  b.state.now = std::max(b.state.now, b.host.now(b.host.opaque));
  advance(b, b.state.now);
  drive_irq(b);
}

void perfboard::sni::leave(SniBoard& b) {
  drive_irq(b);
  rearm(b);
}

uint32_t sni_io_read(SniBoard* b, uint32_t offset, uint32_t size) {
  if (crosses(*b, offset, size)) return idle(size);
  const Part p = part_of(kSlotWindow, offset, size);
  if (p.place.reg) return read_at(kBehaviours, b, b->state, p);
  log_mistake(b, mistake("unused-offset"), "read of slot register 0x%03x: nothing is there", offset);
  return idle(size);
}

void sni_io_write(SniBoard* b, uint32_t offset, uint32_t value, uint32_t size) {
  if (crosses(*b, offset, size)) return;
  const Part p = part_of(kSlotWindow, offset, size);
  if (!p.place.reg)
    return log_mistake(b, mistake("unused-offset"), "write of slot register 0x%03x: nothing is there",
                       offset);
  if (!writable(*p.place.reg)) return;  // some systems write to the ID before they read it
  enter(*b);
  write_part(b, p, value);
  leave(*b);
}

uint32_t sni_reg_read(SniBoard* b, uint32_t offset, uint32_t size) {
  if (crosses(*b, offset, size)) return idle(size);
  enter(*b);
  Part p = part_of(kRegisterWindow, offset, size);
  p.now = b->state.now;
  const uint32_t value = p.place.reg ? read_at(kBehaviours, b, b->state, p) : 0;
  leave(*b);
  if (p.place.reg) return value;
  log_mistake(b, mistake("unused-offset"), "read of register 0x%05x: nothing is there", offset);
  return idle(size);
}

void sni_reg_write(SniBoard* b, uint32_t offset, uint32_t value, uint32_t size) {
  if (crosses(*b, offset, size)) return;
  const Part p = part_of(kRegisterWindow, offset, size);
  enter(*b);
  if (!p.place.reg)
    log_mistake(b, mistake("unused-offset"), "write of register 0x%05x: nothing is there", offset);
  else if (takes(b, p, offset))
    write_part(b, p, value);
  b->state.next_event = 0;
  leave(*b);
}
