// SPDX-License-Identifier: GPL-2.0-or-later
// mksnap - samples as fast as they go, most of the time in front of a store that the chip delays. At the end it
// prints every register, clock and count: a machine that was stopped, saved and restored on the
// way must print the same as one that was not (tests/guest/bare/bare_snap), and its networks must have given the same.
#include "../rt/mk.h"

enum { STEPS = 20, SAMPLES = 1500 };

int program(void) {
  struct mk mk;
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  mk_put(&mk, MKR_RESET, 0);
  mk_put(&mk, MKR_FILTER, 0x7fff);
  mk_put(&mk, MKR_SOURCE(0), 0xcafe0001);
  mk_put64(&mk, MKR_MUXSEL, 0x0000000900000005ull);  // 0 node clock, 2 external, 3 software, others slow clock
  mk_put(&mk, MKR_ENABLE, 0xffff);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT);
  uint64_t read = 0;
  for (unsigned step = 0; step < STEPS; step++) {
    say("# %u of %u: %u cycles waited\n", step, STEPS, mk_get(&mk, MKR_WAIT));
    for (unsigned i = 0; i < SAMPLES; i++) {
      const uint32_t r = rt_random();
      mk_put64(&mk, r & 1 ? MKR_SAMPLE_RESOURCE(r >> 4 & 15) : MKR_SAMPLE_TRACE(r >> 4 & 15), (uint64_t)r << 16 | i);
      if ((r & 0xf00) == 0) read = read * 31 + mk_get64(&mk, MKR_COUNTER(r >> 4 & 15));
      if ((r & 0x3000) == 0) mk_put(&mk, MKR_COUNTER(3), 0);
    }
    mk_put(&mk, MKR_CSR, step & 1 ? MKR_CSR_SLOW1US | MKR_CSR_WWAIT : MKR_CSR_SLOW10US | MKR_CSR_WWAITOFF);
  }
  say("# final csr %x filter %x enable %x wait %u overrun %u\n", mk_get(&mk, MKR_CSR), mk_get(&mk, MKR_FILTER),
      mk_get(&mk, MKR_ENABLE), mk_get(&mk, MKR_WAIT), mk_get(&mk, MKR_OVERRUN));
  for (unsigned i = 0; i < 4; i++) say("# final counter %u: %llx\n", i, mk_get64(&mk, MKR_COUNTER(i)));
  say("# final read %llx timestamp %llu at %llu\n", read, mk_get64(&mk, MKR_TIMESTAMP), now_ns());
  ok(mk_get(&mk, MKR_WAIT) > 500000, "it has waited much");
  spin(100000);
  return done_testing();
}
