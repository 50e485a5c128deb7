// SPDX-License-Identifier: GPL-2.0-or-later
// snap - counts in all groups while caches, TLBs and pipelines fill, in all contexts. At the end it prints every register, and a hash of
// all that was read: a machine that was stopped, saved and restored on the way must print the same as one that was not
// (tests/guest/bare/bare_snap).
#include "p2.h"

enum { STEPS = 40, WALKS = 24, WORDS = 1 << 18 };

static uint32_t walked[WORDS] __attribute__((aligned(4096)));
static uint32_t hash = 2166136261u;

static void mix(uint32_t v) { hash = (hash ^ v) * 16777619u; }

static void walk(uint32_t stride) {
  for (uint32_t i = 0; i < WORDS; i += stride) walked[i] += rt_random();
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  down_prepare(0);
#ifdef __powerpc64__
  rt_translate(true);
#else
  rt_paging();
  rt_large(0x100000, 4);  // for users, too
#endif
  for (unsigned step = 0; step < STEPS; step++) {
    const uint32_t group = step % P2_GROUPS, scope = step / 2 % 5;
    say("# %u of %u: hash %x\n", step, STEPS, hash);
    // Now and then nothing needs a model, for more than a second.
    own_put(P2R_MMCR, step % 5 == 4 ? P2_MMCR_DIS : 0x1111 * group | (step % 7 == 3 ? P2_MMCR_SGA : 0) | (uint32_t[]){0, 0, P2_MMCR_DMR, P2_MMCR_DP, P2_MMCR_DMS}[scope]);
    own_put(P2R_SPE, step & 1);
    own_put(P2R_IMR, rt_random() & 0xff);
    for (unsigned i = 0; i < WALKS; i++) {
      walk(1 + rt_random() % 40);
      run_in(i % CONTEXTS, piece_loop, 1 + rt_random() % 100000);
      const unsigned counter = rt_random() % P2_COUNTERS;
      mix(own_get(P2R_COUNTER(counter)));
      if (rt_random() % 4 == 0) own_put(P2R_COUNTER(counter), rt_random());
    }
    if (step % 5 == 4) spin(8000000);
    for (unsigned i = 0; i < P2_COUNTERS; i++) mix(own_get(P2R_COUNTER(i)));
  }
  for (unsigned i = 0; i < P2_COUNTERS; i++) say("# final counter %u: %x\n", i, own_get(P2R_COUNTER(i)));
  say("# final mmcr %x imr %x spe %x\n", own_get(P2R_MMCR), own_get(P2R_IMR), own_get(P2R_SPE));
  say("# final hash %x\n", hash);
  ok(own_get(P2R_COUNTER(P2_CYCLES)) != 0, "it has counted");
  return done_testing();
}
