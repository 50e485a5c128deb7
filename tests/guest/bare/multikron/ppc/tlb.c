// SPDX-License-Identifier: GPL-2.0-or-later
// tlb - what empties the model of a data TLB on POWER (event source "tlb-misses"), and whose: tlbie of one processor reaches all,
// tlbiel and a new process identifier only its own. Two processors. Both byte orders.
//
// A look is one load between two readings of the processor's counter of misses, and says how many there were.
#include "rt.h"

enum { PAGE = 4096, PIDR = 48 };
#define W RT_WINDOW

static struct mk mk;
static uint8_t memory[PAGE] __attribute__((aligned(PAGE)));

static uint64_t look(unsigned processor, uint64_t address) {
  mk_get64(&mk, MKR_COUNTER(processor));  // the counter's own page is at hand then
  const uint64_t before = mk_get64(&mk, MKR_COUNTER(processor));
  (void)*(volatile uint32_t *)address;
  return mk_get64(&mk, MKR_COUNTER(processor)) - before;
}

// What the second is asked for, and its answer.
static volatile unsigned asked, answered;
static volatile uint64_t where, misses;
static void second(void) {
  rt_translate(true);
  for (unsigned i = 1;; i++) {
    while (asked != i)
      ;
    misses = look(1, where);
    __asm__ volatile("sync" ::: "memory");
    answered = i;
  }
}
static uint64_t look_second(uint64_t address) {
  where = address;
  __asm__ volatile("sync" ::: "memory");
  const unsigned i = ++asked;
  while (answered != i)
    ;
  return misses;
}

// Radix, a page of a process: R and PRS 1, RIC and IS 0.
#define INVALIDATE(name, address)                                                                                  \
  __asm__ volatile("ptesync\n\t.machine push\n\t.machine power9\n\t" name " %0, %1, 0, 1, 1\n\t.machine pop\n\tptesync" ::"r"(address), \
                   "r"(0ul) : "memory")

static void both(const char *what, uint64_t first, uint64_t of_second) {
  is(look(0, W), first, "%s: the first's misses", what);
  is(look_second(W), of_second, "%s: the second's", what);
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  mk_put(&mk, MKR_ENABLE, 0xffff);
  rt_map(W, (uintptr_t)memory, RT_WRITE);
  rt_map(W + PAGE, (uintptr_t)memory, RT_WRITE);
  rt_start(1, second);
  is(look(0, (uintptr_t)memory), 0, "without translation nothing misses");
  rt_translate(true);
  both("touched for the first time", 1, 1);
  both("again", 0, 0);
  INVALIDATE("tlbie", W + PAGE);
  both("tlbie of another page", 0, 0);
  INVALIDATE("tlbie", W);
  both("tlbie", 1, 1);
  INVALIDATE("tlbiel", W);
  both("tlbiel", 1, 0);
  __asm__ volatile("mtspr %0, %1\n\tisync" ::"i"(PIDR), "r"(0ul) : "memory");
  both("the process identifier written", 1, 0);
  rt_map(W + PAGE, (uintptr_t)memory, RT_WRITE);
  both("tlbie of everything", 1, 1);
  for (unsigned i = 0; i < 100; i++) {
    INVALIDATE("tlbie", W);
    const uint64_t first = look(0, W), other = look_second(W);
    if (first == 1 && other == 1) continue;
    ok(false, "round %u: misses of the first %u, of the second %u", i, (unsigned)first, (unsigned)other);
  }
  both("after a hundred rounds", 0, 0);
  rt_translate(false);
  mk_put(&mk, MKR_DISABLE, 0xffff);
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
