// SPDX-License-Identifier: GPL-2.0-or-later
// rom - what firmware has left behind in each EISA slot: the ID, the control register at nC84, and the machine's ELCR.
#include "../rt/rt.h"

int program(void) {
  for (unsigned slot = 1; slot < 16; slot++) {
    const uint16_t base = (uint16_t)(slot << 12);
    const uint32_t id = inl(base + 0xC80);
    if (id & 0x80) continue;
    say("slot %u: %08x %08x\n", slot, id, inl(base + 0xC84));
  }
  say("elcr: %04x\n", (uint32_t)(inb(0x4D0) | inb(0x4D1) << 8));
  return 0;
}
