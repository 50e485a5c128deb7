// SPDX-License-Identifier: GPL-2.0-or-later
// pace - the load that scripts/bench has each node of a cluster do for a while of virtual time; nothing is sent.
//
//   ms=N        so long, from the processor's start
//   idle        halted, and woken by a timer 250 times a second, as Debian's kernel is at least
//   (else)      computing, and updating a table
#include "tests/guest/bare/rt/rt.h"

enum { WORDS = 1 << 14, PIT_HZ = 1193182, TICKS = 250, PIT_RATE_0 = 0x34 };

static uint32_t table[WORDS];
static volatile uint32_t ticks;

static void tick(void) { ticks++; }

static uint32_t compute(uint32_t x) {
  for (uint32_t i = 0; i < WORDS; i++) {
    x ^= x << 13;  // xorshift32, Marsaglia 2003
    x ^= x >> 17;
    x ^= x << 5;
    table[x % WORDS] += x;
  }
  return x;
}

int program(void) {
  const bool idle = rt_option("idle");
  uint32_t ms = 0, x = 2463534242u;
  if (!rt_number("ms=", &ms)) bail(RT_NO_BOARD, "ms=N is not there");
  outb(0x43, PIT_RATE_0);
  outb(0x40, PIT_HZ / TICKS & 0xff);
  outb(0x40, PIT_HZ / TICKS >> 8);
  rt_irq(0, false, tick);
  irq_on();
  while (now_ns() < (uint64_t)ms * 1000000) {
    if (idle)
      __asm__ volatile("hlt" ::: "memory");
    else
      x = compute(x);
  }
  say("ticks %u sum %x\n", ticks, x);
  return 0;
}
