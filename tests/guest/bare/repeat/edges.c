// SPDX-License-Identifier: GPL-2.0-or-later
// edges - the interval timer interrupts a program that allows it only now and then. Now and then it does so at the very instruction at which the
// timer's next interrupt is due. Which of the two comes first tells whether they are two interrupts or one.
#include "../rt/rt.h"

enum { PERIOD = 24 /* of 838 ns */, TIMES = 60000, PRINTED = 6000 };

static volatile uint32_t interrupts, hash = 2166136261u;

static void tick(void) {
  interrupts++;
  hash = (hash ^ (uint32_t)now_ns()) * 16777619u;
}

int program(void) {
  rt_irq(0, false, tick);
  outb(0x43, 0x34), outb(0x40, PERIOD), outb(0x40, 0);  // counter 0, again and again
  for (uint32_t i = 1; i <= TIMES; i++) {
    irq_off();
    spin(200 + i * 37 % 1900);
    irq_on();
    spin(1 + i % 5);
    if (i % PRINTED == 0) say("# %u: %u interrupts, %08x\n", i, interrupts, hash);
  }
  ok(interrupts > TIMES / 2, "%u interrupts", interrupts);
  return done_testing();
}
