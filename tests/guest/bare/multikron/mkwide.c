// SPDX-License-Identifier: GPL-2.0-or-later
// mkwide - instructions that store more than once, to MULTIKRON's sample page, with write wait on: each store is
// one sample, though the instruction stands still in its middle.
#include "../rt/mk.h"

enum { WIDE = 100, PUSHES = 50 };
static struct mk mk;

int program(void) {
  uint32_t cr4, moved = 0;
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  __asm__ volatile("movl %%cr4, %0\n\torl $0x600, %0\n\tmovl %0, %%cr4" : "=r"(cr4));  // SSE
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  const uint64_t start = now_ns();
  for (unsigned i = 0; i < WIDE; i++)  // levels 2 and 3
    __asm__ volatile("movups %%xmm0, (%0)" ::"r"(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(2))) : "memory");
  const uint64_t ns = now_ns() - start;
  const uint32_t waited = mk_get(&mk, MKR_WAIT);
  ok(rt_option("free") || (ns > (2 * WIDE - 10) * 640u && ns < 2 * WIDE * 640u), "%u stores of 16 bytes: %u ns", WIDE,
     (uint32_t)ns);
  // A host may be slower than the card.
  ok((waited > 0 || rt_option("free")) && waited <= ns / 20 + 1, "%u cycles waited", waited);
  // Eight pushes, every second one at the lower half of an address.
  for (unsigned i = 0; i < PUSHES; i++)
    __asm__ volatile("movl %%esp, %%ecx\n\tmovl %0, %%esp\n\tpushal\n\tmovl %%ecx, %%esp"
                     : "=r"(moved)
                     : "0"(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(12)))
                     : "ecx", "memory");
  is(mk_get(&mk, MKR_OVERRUN), 0, "no overrun");
  spin(200000);
  say("# stream trace %u resource 0\n", 2 * WIDE + 4 * PUSHES);
  return done_testing();
}
