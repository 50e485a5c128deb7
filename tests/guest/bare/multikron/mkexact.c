// SPDX-License-Identifier: GPL-2.0-or-later
// mkexact - MULTIKRON from a processor's side: what a delayed access costs, exactly what the wait counter says, the paper's rates, and the card's
// clocks against the processor's own. On POWER, too, in both byte orders, with its registers and accesses. Under icount (virtual time is exact).
//
// Its "# stream" line says what must be in the network's stream; tests/guest/bare/multikron/multikron_run looks.
#ifdef __powerpc64__
#include "rt.h"
#else
#include "../rt/mk.h"
#endif

enum { CYCLE_NS = 20, TICK_NS = 100, TRACE_CYCLES = 32, RESOURCE_CYCLES = 160, DEPTH = 8, INSTRUCTION_NS = 16 };
static struct mk mk;
static uint32_t traces, resources;  // that the stream must hold

static uint64_t cycle_of(uint64_t ns) { return ns / CYCLE_NS; }  // the reset was at time 0
static void drain(void) {                                          // longer than a full FIFO takes
  while (mk_get(&mk, MKR_CSR) & (MKR_CSR_FFULL | MKR_CSR_SHFULL))
    ;
  spin(8000);
}

static void begin(uint32_t csr) {
  mk_put(&mk, MKR_RESET, 0);
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_SOURCE(0), 0x00010002);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | csr);
}

// --- an access, with the time right before and right after it --------------------
struct timed {
  uint64_t before, after, value;
};

#ifdef __powerpc64__
enum { BETWEEN = 2 };  // instructions that end from one reading to the other: the access, the second reading
// The time base ticks at 512 MHz: 1.95 ns. All times of this machine are even, and no two even ones have the same tick.
static uint64_t ns_of(uint64_t ticks) {
  const uint64_t ns = (ticks * 125 + 63) / 64;
  return ns + (ns & 1);
}

static struct timed timed_put(unsigned address, uint32_t v) {
  struct timed t = {0, 0, v};
  __asm__ volatile("mftb %0\n\t" RT_STW " %3, 0, %2\n\tmftb %1"
                   : "=&r"(t.before), "=&r"(t.after) : "r"(mk.eight + MKR_AT8(address)), "r"(v) : "memory");
  t.before = ns_of(t.before), t.after = ns_of(t.after);
  return t;
}
static struct timed timed_get(unsigned address) {
  struct timed t;
  __asm__ volatile("mftb %0\n\t" RT_LD " %2, 0, %3\n\tmftb %1"
                   : "=&r"(t.before), "=&r"(t.after), "=&r"(t.value) : "r"(mk.eight + MKR_AT8(address)) : "memory");
  t.before = ns_of(t.before), t.after = ns_of(t.after);
  return t;
}
#else
enum { BETWEEN = 3 };  // as well a move, before the access
static struct timed timed_at(uint32_t before, uint32_t after, uint64_t value) {
  const uint64_t now = now_ns();
  return (struct timed){now - ((uint32_t)now - before), now - ((uint32_t)now - after), value};
}

static struct timed timed_put(unsigned address, uint32_t v) {
  uint32_t before, after;
  __asm__ volatile("rdtsc\n\tmovl %%eax, %0\n\tmovl %3, (%2)\n\trdtsc\n\tmovl %%eax, %1"
                   : "=&S"(before), "=&D"(after)
                   : "c"(mk.eight + MKR_AT8(address)), "b"(v)
                   : "eax", "edx", "memory");
  return timed_at(before, after, v);
}
static struct timed timed_get(unsigned address) {
  uint32_t before, after;
  uint64_t value;
  __asm__ volatile("rdtsc\n\tmovl %%eax, %0\n\tmovq (%3), %%mm0\n\trdtsc\n\tmovl %%eax, %1\n\tmovq %%mm0, %2"
                   : "=&S"(before), "=&D"(after), "=m"(value)
                   : "c"(mk.eight + MKR_AT8(address))
                   : "eax", "edx", "memory");
  return timed_at(before, after, value);
}
#endif

static void calibrate(void) {
  begin(MKR_CSR_WWAIT);
  const struct timed t = timed_put(MKR_SAMPLE_TRACE(0), 1);
  traces++;
  is(t.after - t.before, BETWEEN * INSTRUCTION_NS, "an undelayed event costs what -icount says");
  is(mk_get(&mk, MKR_WAIT), 0, "nothing waited");
  drain();
}

struct delays {
  uint32_t waited, wrong, delayed, uneven;
  uint64_t last_end;
};
static void look(struct delays *d, struct timed t, uint32_t counted, uint32_t steady_cycles) {
  const uint64_t attempt = t.before + (BETWEEN - 1) * INSTRUCTION_NS;  // when the access was first tried
  const uint64_t done = t.after - INSTRUCTION_NS;                        // when it was made
  if (counted != cycle_of(done) - cycle_of(attempt)) {
    if (!d->wrong) say("# counted %u, first try at %llu ns, done at %llu\n", counted, (unsigned long long)attempt, (unsigned long long)done);
    d->wrong++;
  }
  d->waited += counted;
  if (!counted) return;
  if (done % CYCLE_NS) d->wrong++;  // released on a clock edge
  if (d->last_end && steady_cycles && (cycle_of(done) - d->last_end) % steady_cycles) d->uneven++;
  d->last_end = cycle_of(done);
  d->delayed++;
}
static void judge(const struct delays *d, const char *what, unsigned n) {
  is(d->wrong, 0, "%s: cost of each of %u delayed of %u equals the wait counter's increase (%u cycles in all)", what, d->delayed, n,
     d->waited);
  ok(d->delayed > n / 2, "%s: %u were delayed", what, d->delayed);
  is(d->uneven, 0, "%s: they end evenly", what);
  is(mk_get(&mk, MKR_OVERRUN), 0, "%s: no overrun", what);
  drain();
}

// n groups of events as fast as they go.
static void stores(const char *what, unsigned address, unsigned n, unsigned group, uint32_t steady_cycles) {
  struct delays d = {0};
  begin(MKR_CSR_WWAIT);
  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = 1; k < group; k++) mk_put(&mk, address, k);
    const uint32_t before = mk_get(&mk, MKR_WAIT);
    const struct timed t = timed_put(address, i);
    look(&d, t, mk_get(&mk, MKR_WAIT) - before, steady_cycles);
  }
  judge(&d, what, n);
}

// A counter is read while a resource sample leaves.
static void loads(unsigned n) {
  struct delays d = {0};
  uint32_t wrong = 0;
  begin(MKR_CSR_RWAIT);
  mk_put64(&mk, MKR_MUXSEL, MKR_MUX_PUT(1, MKR_MUX_SOFTWARE));
  mk_put(&mk, MKR_ENABLE, 1 << 1);
  for (unsigned i = 0; i < n; i++) {
    mk_put(&mk, MKR_SAMPLE_RESOURCE(0), i);
    mk_put(&mk, MKR_COUNTER(1), 0);
    const uint32_t before = mk_get(&mk, MKR_WAIT);
    const struct timed t = timed_get(MKR_COUNTER(1));
    look(&d, t, mk_get(&mk, MKR_WAIT) - before, 0);
    if (t.value != i + 1) wrong++;
  }
  is(wrong, 0, "a delayed load has the counter's value");
  resources += n;
  judge(&d, "counter loads", n);
}

#ifdef __powerpc64__
static uint8_t byte_at(uint64_t at) {
  uint8_t v;
  __asm__ volatile("lbzx %0, 0, %1" : "=r"(v) : "r"(at) : "memory");
  return v;
}

static void of_power(void) {
  begin(0);
  for (unsigned i = 0; i < 4; i++)
    is(byte_at(mk.eight + MKR_CARD_MAGIC + i), "MKRN"[i], "byte %u of the card's magic number, as the bus has it", i);
  mk_put64(&mk, MKR_MUXSEL, 0x0000123400005678);
  is(mk_get64(&mk, MKR_MUXSEL), 0x0000123400005678, "64 bits in one access");
  is(mk_get(&mk, MKR_MUXSEL), 0x5678, "their low half");
  is(mmio32(mk.eight + MKR_AT8(MKR_MUXSEL) + 4), 0x1234, "their high half");
}

// 16 bytes are two stores of 8: no store is made twice, however often the instruction is.
static void wide(void) {
  enum { N = 100 };
  static const uint32_t pair[4] __attribute__((aligned(16)));
  begin(MKR_CSR_WWAIT);
  for (unsigned i = 0; i < N; i++)
    __asm__ volatile(".machine push\n\t.machine power8\n\tlxvd2x 0, 0, %0\n\tstxvd2x 0, 0, %1\n\t.machine pop"
                     ::"r"(pair), "r"(mk.eight + MKR_AT8(MKR_SAMPLE_TRACE(0))) : "memory");
  traces += 2 * N;
  is(mk_get(&mk, MKR_OVERRUN), 0, "stores of two samples: no overrun");
  ok(mk_get(&mk, MKR_WAIT) > N, "%u cycles waited", mk_get(&mk, MKR_WAIT));
  drain();
}

// A store that the hypervisor makes for a processor is no instruction's: it is answered at once, and is an overrun.
static void hypervisor(void) {
  enum { N = 40, H_LOGICAL_CI_STORE = 0x40 };
  begin(MKR_CSR_WWAIT);
  for (unsigned i = 0; i < N; i++) rt_call(H_LOGICAL_CI_STORE, 4, mk.eight + MKR_AT8(MKR_SAMPLE_TRACE(0)), i, 0);
  const uint32_t lost = mk_get(&mk, MKR_OVERRUN);
  ok(lost > 0 && lost < N, "%u of %u stores by the hypervisor overran", lost, N);
  is(mk_get(&mk, MKR_WAIT), 0, "none waited");
  traces += N - lost;
  drain();
}
#else
// As far apart each time.
static __attribute__((noinline)) void read_with_time(unsigned address, uint64_t *value, uint64_t *ns) {
  *value = mk_get64(&mk, address);
  *ns = now_ns();
}

static void clocks(void) {
  uint64_t n0, n1, t0, t1;
  begin(0);
  mk_put64(&mk, MKR_MUXSEL, MKR_MUX_PUT(0, MKR_MUX_NODE));
  mk_put(&mk, MKR_ENABLE, 1 << 0);
  read_with_time(MKR_COUNTER(0), &n0, &t0);
  spin(12345);
  read_with_time(MKR_COUNTER(0), &n1, &t1);
  const uint32_t counted = (uint32_t)(n1 - n0), passed = (uint32_t)((t1 - t0) / CYCLE_NS);
  ok(passed - counted + 1 <= 2, "node clock counter: %u cycles, clock %u", counted, passed);
  read_with_time(MKR_TIMESTAMP, &n0, &t0);
  ok(t0 / TICK_NS - n0 <= 1, "timestamp %llu at %llu ns", n0, t0);
}

// As fast as a guest stores.
static uint32_t rate(unsigned address) {
  enum { N = 3000 };
  begin(MKR_CSR_WWAIT);
  const uint64_t start = now_ns();
  for (unsigned i = 0; i < N; i++) mk_put64(&mk, address, i);
  const uint64_t ns = now_ns() - start;
  *(address == MKR_SAMPLE_TRACE(0) ? &traces : &resources) += N;
  drain();
  return (uint32_t)((uint64_t)N * 1000000 / (ns / 1000));
}

static void rates(void) {
  const uint32_t trace = rate(MKR_SAMPLE_TRACE(0)), resource = rate(MKR_SAMPLE_RESOURCE(0));
  ok(trace >= 1562500 && trace < 1570000, "%u trace samples a second (1.5625 million, and a FIFO's worth)", trace);
  ok(resource >= 312500 && resource < 313000, "%u resource samples a second (0.3125 million)", resource);
}
#endif

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  calibrate();
  stores("trace", MKR_SAMPLE_TRACE(0), 100, 2 * DEPTH, TRACE_CYCLES), traces += 100 * 2 * DEPTH;
  stores("resource", MKR_SAMPLE_RESOURCE(0), 100, 2, RESOURCE_CYCLES), resources += 100 * 2;
  loads(100);
#ifdef __powerpc64__
  of_power();
  wide();
  hypervisor();
  rt_translate(true);
  stores("trace, translated", MKR_SAMPLE_TRACE(0), 20, 2 * DEPTH, TRACE_CYCLES), traces += 20 * 2 * DEPTH;
#else
  clocks();
  rates();
#endif
  say("# stream trace %u resource %u\n", traces, resources);
  return done_testing();
}
