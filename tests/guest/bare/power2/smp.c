// SPDX-License-Identifier: GPL-2.0-or-later
// smp - four processors work at the same time, marked and unmarked, as user and as kernel; each has a monitor of its own, and what
// all count together is exact. The first processor reads the others' monitors by their numbers.
//
// With the word looked-at it then counts its cycles while the others look at its monitor without end: each count is the same as alone. A look finds
// blocks that the processor then leaves early, as it reads its counter in the middle of one.
#include "p2.h"

enum { ROUNDS = 40, MORE = 997, MEASURED = 20000, TURNS = 10 };

static const struct scope {
  const char *name;
  uint32_t mmcr;
  bool counts[CONTEXTS];
} scopes[] = {
    {"marked", P2_MMCR_DMR, {[USER_MARKED] = true, [KERNEL_MARKED] = true}},
    {"not privileged and unmarked", P2_MMCR_DP | P2_MMCR_DMS, {[USER] = true}},
    {"privileged and marked", P2_MMCR_DU | P2_MMCR_DMR, {[KERNEL_MARKED] = true}},
};
enum { SCOPES = sizeof scopes / sizeof scopes[0] };

static struct p2_event instructions, cycles;
static volatile uint32_t go, finished[PROCESSORS], looked[PROCESSORS]; /* 1: it has */
static uint32_t expected[PROCESSORS];

static uint32_t turns(unsigned processor, unsigned round) { return 2 + (processor + 1) * MORE + round * 31; }

// What it counts itself, turn by turn, is what its counter must have counted in the end.
static void work(unsigned processor, const struct scope *s) {
  uint32_t frame[CONTEXTS];
  own_put(P2R_MMCR, instructions.mmcr | s->mmcr);
  for (unsigned c = 0; c < CONTEXTS; c++) frame[c] = p2_measure(instructions, c, piece_loop, 1);
  own_put(P2R_COUNTER(instructions.counter), 0);
  uint32_t sum = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const unsigned context = (processor + round) % CONTEXTS;
    const uint32_t n = turns(processor, round);
    run_in(context, piece_loop, n);
    sum += frame[context] + (s->counts[context] ? 2 * (n - 1) : 0);
  }
  expected[processor] = sum;
}

static void look(unsigned processor) {
  for (uint32_t last = 0;; looked[processor] = 1) {
    const uint32_t n = p2_get(P2R_OF(0) + P2R_COUNTER(cycles.counter));
    if (n < last) bail(RT_FAIL, "processor %u: the counter fell from %u to %u", processor, last, n);
    last = n;
  }
}

static void other(unsigned processor) {
  down_prepare(processor);
  finished[processor] = 1;
  for (uint32_t n = 1;; n++) {
    while (go != n) __asm__ volatile("" ::: "memory");
    if (n > 2 * SCOPES) look(processor);
    work(processor, &scopes[(n - 1) % SCOPES]);
    __sync_synchronize();
    finished[processor] = n + 1;
  }
}

static void wait_for(uint32_t n) {
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (finished[i] != n) __asm__ volatile("" ::: "memory");
}

#ifndef __powerpc64__
// Another processor's mark is set while it runs: it waits in a loop, and its counter begins to count; cleared, it stands still.
static void mark_others(void) {
  for (unsigned i = 1; i < PROCESSORS; i++) {
    const uint32_t monitor = P2R_OF(i), counter = monitor + P2R_COUNTER(instructions.counter);
    p2_put(monitor + P2R_MMCR, instructions.mmcr | P2_MMCR_DMR);
    p2_put(counter, 0);
    spin(100000);
    is(p2_get(counter), 0, "processor %u is not marked", i);
    p2_put(monitor + P2R_MARK, 1);
    while (!(p2_get(monitor + P2R_STATE) & P2_STATE_PM)) __asm__ volatile("pause");
    while (p2_get(counter) < 1000) __asm__ volatile("pause");
    ok(true, "processor %u was marked by another, and counts", i);
    p2_put(monitor + P2R_MARK, 0);
    while (p2_get(monitor + P2R_STATE) & P2_STATE_PM) __asm__ volatile("pause");
    const uint32_t n = p2_get(counter);
    spin(100000);
    is(p2_get(counter), n, "and no more");
  }
  is(own_get(P2R_STATE) & P2_STATE_PM, 0, "this one never was");
}
#else
static void mark_others(void) {}  // MSR(PM) is the processor's own
#endif

static void looked_at(void) {
  uint32_t alone = 0, different = 0;
  own_put(P2R_MMCR, cycles.mmcr);
  for (unsigned i = 0; i < 2; i++) alone = p2_measure(cycles, KERNEL, piece_loop, TURNS);
  go = 2 * SCOPES + 1;
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (!looked[i]) relax();
  for (unsigned i = 0; i < MEASURED; i++) {
    const uint32_t n = p2_measure(cycles, KERNEL, piece_loop, TURNS);
    if (n != alone && different++ < 5) say("# %u cycles, not %u\n", n, alone);
  }
  is(different, 0, "%u times the same", MEASURED);
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  if (p2_get(P2R_CARD + P2R_CARD_MONITORS) != PROCESSORS) bail(RT_NO_BOARD, "a monitor for each of %u processors is wanted", PROCESSORS);
  instructions = p2_event("instructions"), cycles = p2_event("machine_cycles");
  down_prepare(0);
  p2_others(other);
  wait_for(1);
  for (uint32_t n = 1; n <= 2 * SCOPES; n++) {
    const struct scope *s = &scopes[(n - 1) % SCOPES];
    uint32_t sum = 0, wanted = 0;
    go = n;
    work(0, s);
    wait_for(n + 1);
    for (unsigned i = 0; i < PROCESSORS; i++) {
      const uint32_t seen = p2_get(P2R_OF(i) + P2R_COUNTER(instructions.counter));
      is(seen, expected[i], "%s: processor %u", s->name, i);
      sum += seen;
      wanted += expected[i];
    }
    is(sum, wanted, "%s: all", s->name);
  }
  mark_others();
  if (rt_option("looked-at")) looked_at();
  return done_testing();
}
