// SPDX-License-Identifier: GPL-2.0-or-later
// idle - a machine of four processors, three of which halt for good: the interval timer wakes the first one, over and over. The times at which it
// goes on are the same in every run, whatever the host is doing (bare_run --disturb).
#include "../rt/rt.h"

enum { OTHERS = 3, WAKES = 3000, PRINTED = 500 };

static inline uint32_t tsc(void) {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return low;
}

static void tick(void) {}
static void other(unsigned processor) { (void)processor; }

static void sleep_for(uint32_t ticks) {
  outb(0x43, 0x30), outb(0x40, ticks & 255), outb(0x40, (uint8_t)(ticks >> 8));  // counter 0, once
  __asm__ volatile("sti\n\thlt\n\tcli");
}

int program(void) {
  uint32_t hash = 2166136261u;
  rt_irq(0, false, tick);
  if (!rt_others(OTHERS, other)) bail(RT_NO_BOARD, "four processors are wanted (-smp 4)");
  for (uint32_t wakes = 1; wakes <= WAKES; wakes++) {
    sleep_for(20 + 37 * wakes % 1500);
    hash = (hash ^ tsc()) * 16777619u;
    if (wakes % PRINTED == 0) say("# %u: %08x %08x\n", wakes, tsc(), hash);
    spin(1 + hash % 3000);
  }
  ok(true, "slept and woke %u times", WAKES);
  return done_testing();
}
