// SPDX-License-Identifier: GPL-2.0-or-later
// mkexact - MULTIKRON from a processor's side: what a delayed access costs, the paper's rates, clocks and
// counters against the processor's own clock, overruns. Under icount (virtual time is exact).
//
// Its "# stream" line says what must be in the network's stream; tests/guest/bare/multikron/multikron_run looks.
#include "../rt/mk.h"

enum { CYCLE_NS = 20, TICK_NS = 100, TRACE_CYCLES = 32, RESOURCE_CYCLES = 160, DEPTH = 8 };
static struct mk mk;
static uint32_t traces, resources;  // that the stream must hold

static uint64_t cycle_of(uint64_t ns) { return ns / CYCLE_NS; }  // the reset was at time 0
static void drain(void) {                                          // longer than a full FIFO takes
  while (mk_get(&mk, MKR_CSR) & (MKR_CSR_FFULL | MKR_CSR_SHFULL))
    ;
  spin(4000);
}

static void begin(uint32_t csr) {
  mk_put(&mk, MKR_RESET, 0);
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_SOURCE(0), 0x00010002);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | csr);
}

// One store that may be delayed, with the time right before and right after it.
struct timed {
  uint64_t before, after;
};
static struct timed timed_put(unsigned address, uint32_t v) {
  uint32_t before, after;
  __asm__ volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %3, (%2)\n\trdtsc\n\tmovl %%eax, %1"
                   : "=&S"(before), "=&D"(after)
                   : "c"(mk.eight + MKR_AT8(address)), "b"(v)
                   : "eax", "edx", "memory");
  const uint64_t now = now_ns();
  return (struct timed){now - ((uint32_t)now - before), now - ((uint32_t)now - after)};
}

// From one reading to the other three instructions end: a move, the store, the second reading.
static uint32_t undelayed_ns, instruction_ns;

static void calibrate(void) {
  begin(MKR_CSR_WWAIT);
  const struct timed t = timed_put(MKR_SAMPLE_TRACE(0), 1);
  traces++;
  undelayed_ns = (uint32_t)(t.after - t.before);
  instruction_ns = undelayed_ns / 3;
  is(undelayed_ns % 3, 0, "an undelayed event: %u ns, %u an instruction", undelayed_ns, instruction_ns);
  drain();
}

// n groups of events as fast as they go; the last one's delay equals the wait counter's increase, exactly.
static void delays(const char *what, unsigned address, unsigned n, unsigned group, uint32_t steady_cycles) {
  begin(MKR_CSR_WWAIT);
  uint32_t waited = 0, wrong = 0, delayed = 0, uneven = 0;
  uint64_t last_end = 0;
  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = 1; k < group; k++) mk_put(&mk, address, k);
    const uint32_t before = mk_get(&mk, MKR_WAIT);
    const struct timed t = timed_put(address, i);
    const uint32_t delta = mk_get(&mk, MKR_WAIT) - before;
    const uint64_t attempt = t.before + 2 * instruction_ns;  // when the store was first tried
    const uint64_t done = t.after - instruction_ns;           // when it was made
    if (delta != cycle_of(done) - cycle_of(attempt)) wrong++;
    if (delta && done % CYCLE_NS) wrong++;                              // released on a clock edge
    if (delta) {
      if (last_end && (cycle_of(done) - last_end) % steady_cycles) uneven++;
      last_end = cycle_of(done);
      delayed++;
    }
    waited += delta;
  }
  is(wrong, 0, "%s: cost of each of %u delayed of %u equals the wait counter's increase (%u cycles in all)", what, delayed,
     n, waited);
  ok(delayed > n / 2, "%s: %u were delayed", what, delayed);
  is(uneven, 0, "%s: they end at multiples of %u cycles", what, steady_cycles);
  is(mk_get(&mk, MKR_OVERRUN), 0, "%s: no overrun", what);
  drain();
}

// As fast as a guest stores: the paper's rates of the network.
static void rates(void) {
  enum { N = 3000 };
  begin(MKR_CSR_WWAIT);
  uint64_t start = now_ns();
  for (unsigned i = 0; i < N; i++) mk_put64(&mk, MKR_SAMPLE_TRACE(0), 0xa5a500000000ull | i);
  uint64_t ns = now_ns() - start;
  traces += N;
  uint32_t rate = (uint32_t)((uint64_t)N * 1000000 / (ns / 1000));
  ok(rate >= 1562500 && rate < 1570000, "%u trace samples a second (1.5625 million, and a FIFO's worth)", rate);
  drain();
  start = now_ns();
  for (unsigned i = 0; i < N; i++) mk_put64(&mk, MKR_SAMPLE_RESOURCE(0), i);
  ns = now_ns() - start;
  resources += N;
  rate = (uint32_t)((uint64_t)N * 1000000 / (ns / 1000));
  ok(rate >= 312500 && rate < 313000, "%u resource samples a second (0.3125 million)", rate);
  drain();
}

static void overruns(void) {
  enum { N = 500 };
  begin(MKR_CSR_WWAITOFF);
  for (unsigned i = 0; i < N; i++) mk_put(&mk, MKR_SAMPLE_TRACE(i % 16), i);
  const uint32_t lost = mk_get(&mk, MKR_OVERRUN);
  ok(lost > 0 && lost < N, "%u of %u trace samples overran", lost, N);
  ok(mk_get(&mk, MKR_CSR) & MKR_CSR_FOV, "CSR shows FIFO Overrun");
  traces += N - lost;
  drain();
  mk_put(&mk, MKR_SAMPLE_TRACE(0), 0);
  traces++;
  ok(!(mk_get(&mk, MKR_CSR) & MKR_CSR_FOV), "the next sample took the flag along");
  for (unsigned i = 0; i < 100; i++) mk_put(&mk, MKR_SAMPLE_RESOURCE(i % 16), i);
  const uint32_t lost_resources = mk_get(&mk, MKR_OVERRUN) - lost;
  ok(lost_resources > 0 && lost_resources < 100, "%u of 100 resource samples overran", lost_resources);
  resources += 100 - lost_resources;
  is(mk_get(&mk, MKR_WAIT), 0, "nothing waited");
  drain();
  mk_put(&mk, MKR_FILTER, 0x0005);
  for (unsigned level = 0; level < 16; level++) mk_put(&mk, MKR_SAMPLE_TRACE(level), level), spin(100);
  traces += 2;
  mk_put(&mk, MKR_CSR, MKR_CSR_SEOFF);
  mk_put(&mk, MKR_SAMPLE_TRACE(0), 1);
  is(mk_get(&mk, MKR_OVERRUN) - lost, lost_resources, "filtered and disabled samples are no overruns");
  drain();
}

static void counters(void) {
  begin(0);
  mk_put64(&mk, MKR_MUXSEL, 0x0000000300000001ull);  // 0: node clock; 1: software; 2 and up: slow clock
  is(mk_get64(&mk, MKR_MUXSEL), 0x0000000300000001ull, "MUX SEL, 64 bits in one access");
  mk_put(&mk, MKR_ENABLE, 0x0007);
  const uint64_t n0 = mk_get64(&mk, MKR_COUNTER(0)), t0 = now_ns();
  spin(12345);
  const uint64_t n1 = mk_get64(&mk, MKR_COUNTER(0)), t1 = now_ns();
  const uint64_t off = (t1 - t0) / CYCLE_NS - (n1 - n0);
  ok(off + 1 <= 2, "node clock counter: %llu cycles, clock %llu", n1 - n0, (t1 - t0) / CYCLE_NS);
  for (unsigned i = 0; i < 1000; i++) mk_put(&mk, MKR_COUNTER(1), 0);
  is(mk_get64(&mk, MKR_COUNTER(1)), 1000, "software counts");
  const uint64_t s0 = mk_get64(&mk, MKR_COUNTER(2)), m0 = mk_get64(&mk, MKR_TIMESTAMP);
  spin(54321);
  const uint64_t s1 = mk_get64(&mk, MKR_COUNTER(2)), m1 = mk_get64(&mk, MKR_TIMESTAMP);
  ok(m1 / 10 - m0 / 10 - (s1 - s0) + 1 <= 2, "slow clock: %llu us, timestamp %llu", s1 - s0, (m1 - m0) / 10);
  const uint64_t stamp = mk_get64(&mk, MKR_TIMESTAMP), now = now_ns();
  ok(now / TICK_NS - stamp <= 1, "timestamp %llu at %llu ns", stamp, now);

  // Table 3A.
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_RWAITOFF);
  mk_put(&mk, MKR_SAMPLE_RESOURCE(0), 1);
  resources++;
  const uint64_t wrong = mk_get64(&mk, MKR_COUNTER(1));
  is(wrong, 1ull << 63 | 1000, "shadow registers full, no wait: bit 63");
  mk_put(&mk, MKR_COUNTER(1), 0);
  mk_put(&mk, MKR_CSR, MKR_CSR_RWAIT);
  mk_put(&mk, MKR_WAIT, 0);
  drain();
  mk_put(&mk, MKR_SAMPLE_RESOURCE(0), 2);
  resources++;
  is(mk_get64(&mk, MKR_COUNTER(1)), 1001, "shadow registers full, wait: the right value");
  ok(mk_get(&mk, MKR_WAIT) > 50, "it waited for %u cycles", mk_get(&mk, MKR_WAIT));
  drain();
}

// As a host of 32 bits reads: the lower half, then the upper one.
static bool counter_by_halves(unsigned i, uint32_t *value) {
  const uint32_t at = mk.eight + MKR_AT8(MKR_COUNTER(i));
  *value = mmio32(at);
  return !(mmio32(at + 4) & MKR_COUNTER_ERROR_HALF);
}

static void halves(void) {
  const uint32_t one = mk.eight + MKR_AT8(MKR_COUNTER(1)), time = mk.eight + MKR_AT8(MKR_TIMESTAMP);
  uint32_t n = 0, wrong = 0;
  begin(0);
  mk_put64(&mk, MKR_MUXSEL, MKR_MUX_PUT(1, MKR_MUX_SOFTWARE));
  mk_put(&mk, MKR_ENABLE, 1 << 1);
  for (unsigned i = 0; i < 7; i++) mk_put(&mk, MKR_COUNTER(1), 0);
  ok(counter_by_halves(1, &n), "a counter in two halves");
  is(n, 7, "and its value");
  mk_put(&mk, MKR_SAMPLE_RESOURCE(0), 1);
  mk_put(&mk, MKR_COUNTER(1), 0);
  while (!counter_by_halves(1, &n)) wrong++;
  ok(wrong > 0, "while a resource sample leaves the upper half says so, %u times", wrong);
  is(n, 8, "then it is right");
  mk_put(&mk, MKR_SAMPLE_RESOURCE(0), 2);
  mk_put(&mk, MKR_COUNTER(1), 0);
  n = mmio32(one);
  drain();
  is(n, 8, "the lower half while a resource sample leaves: the sample's");
  is(mmio32(one + 4), MKR_COUNTER_ERROR_HALF, "its upper half, though the sample has left");
  resources += 2;
  uint32_t upper, lower, again = mmio32(time + 4);
  do {
    upper = again;
    lower = mmio32(time);
    again = mmio32(time + 4);
  } while (upper != again);
  const uint64_t stamp = (uint64_t)upper << 32 | lower, now = now_ns();
  ok(now / TICK_NS - stamp <= 3, "timestamp in halves %llu at %llu ns", stamp, now);
}

static void resets(void) {
  begin(MKR_CSR_WWAIT);
  const uint64_t stamp = mk_get64(&mk, MKR_TIMESTAMP);
  for (unsigned i = 0; i < 4; i++) mk_put(&mk, MKR_SAMPLE_TRACE(0), i);  // the first is on its way
  mk_put(&mk, MKR_RESET, 0);
  is(mk_get(&mk, MKR_CSR), 0, "CSR after a software reset");
  ok(mk_get64(&mk, MKR_TIMESTAMP) >= stamp, "the timestamp goes on");
  begin(0);
  mk_put(&mk, MKR_SAMPLE_TRACE(0), 0x1234);
  traces++;
  drain();
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  calibrate();
  delays("trace", MKR_SAMPLE_TRACE(0), 100, 2 * DEPTH, TRACE_CYCLES), traces += 100 * 2 * DEPTH;
  delays("resource", MKR_SAMPLE_RESOURCE(0), 100, 2, RESOURCE_CYCLES), resources += 100 * 2;
  rates();
  overruns();
  counters();
  halves();
  resets();
  say("# stream trace %u resource %u\n", traces, resources);
  return done_testing();
}
