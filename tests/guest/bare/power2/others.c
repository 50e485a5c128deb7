// SPDX-License-Identifier: GPL-2.0-or-later
// others - a processor counts its cycles while the others look at its monitor without end: each count is the same as alone. A look finds
// blocks that the processor then leaves early, as it reads its counter in the middle of one.
#include "p2.h"

enum { MEASURED = 20000, TURNS = 10 };

static struct p2_event cycles;
static volatile uint32_t looks, looked[PROCESSORS]; /* 1: it has */

static void other(unsigned processor) {
  uint32_t last = 0;
  down_prepare(processor);
  for (;;) {
    if (!looks) continue;
    const uint32_t n = p2_get(P2R_OF(0) + P2R_COUNTER(cycles.counter));
    if (n < last) bail(RT_FAIL, "processor %u: the counter fell from %u to %u", processor, last, n);
    last = n;
    looked[processor] = 1;
  }
}

int program(void) {
  uint32_t alone = 0, different = 0;

  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  cycles = p2_event("machine_cycles");
  down_prepare(0);
  p2_others(other);
  own_put(P2R_MMCR, cycles.mmcr);
  for (unsigned i = 0; i < 2; i++) alone = p2_measure(cycles, KERNEL, piece_loop, TURNS);
  looks = 1;
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (!looked[i]) relax();
  for (unsigned i = 0; i < MEASURED; i++) {
    const uint32_t n = p2_measure(cycles, KERNEL, piece_loop, TURNS);
    if (n != alone && different++ < 5) say("# %u cycles, not %u\n", n, alone);
  }
  looks = 0;
  is(different, 0, "%u times the same", MEASURED);
  return done_testing();
}
