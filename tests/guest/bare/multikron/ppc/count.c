// SPDX-License-Identifier: GPL-2.0-or-later
// count - MULTIKRON's external inputs connected to event sources on POWER: each way a processor executes, loads, stores,
// branches and faults, in both byte orders. All values that were read are printed ("# read"): multikron_run compares them with those of the oracle
// (tests/guest/oracle), which counts instructions, loads, stores and branches. How many exceptions a case takes is written beside it. Counts of the
// others that are worked out by hand: mkevents.c, for x86; here those of plugins/isa/ppc/helped.def, a case for each row.
//
// With -DSMP two processors run the cases at once (-DSMP=4: four), each with counters of its own. With -DPOWER2 the counters are those of the POWER2
// performance monitor, each processor's own; the MULTIKRON card is then a device to access.
//
// A case is a function; what the same frame counts around an empty one is subtracted.
#ifdef POWER2
#include "tests/guest/bare/power2/p2.h"
#endif
#include "rt.h"

// The inputs, as tests/guest/bare/meson.build connects them; those of the second processor follow the first's.
enum { INSNS, LOADS, STORES, BRANCHES, EXCEPTIONS, INTERRUPTS, SOURCES };
static const char *const names[SOURCES] = {"instructions", "loads", "stores", "branches", "exceptions", "interrupts"};
enum { PAGE = 4096, MOST_CASES = 160, ANY = -1 };
#define W RT_WINDOW

typedef void (*code)(uint8_t *memory, uint8_t *other, uint64_t device);
struct look {
  const char *name;
  int expected[SOURCES];
  uint64_t before[SOURCES], after[SOURCES];
};
struct cpu {
  unsigned first;  // of its counters
  struct look looks[MOST_CASES];
  unsigned n;
  uint8_t memory[4 * PAGE] __attribute__((aligned(PAGE)));
};
#if defined SMP && SMP > 1
enum { CPUS = SMP };
#else
enum { CPUS = 2 };
#endif
static struct cpu cpus[CPUS];
static struct mk mk;

// The counters: of the card, or of the executing processor's monitor.
#ifdef POWER2
static unsigned counter[SOURCES];
static uint64_t counted(const struct cpu *c, unsigned i) { return (void)c, own_get(P2R_COUNTER(counter[i])); }
// Of the numbers that are said, a processor has a hundred.
static unsigned said(const struct cpu *c, unsigned i) { return 100 * (unsigned)(c - cpus + 1) + counter[i]; }
// Larger differences wrap as the counters do.
static int difference(uint64_t after, uint64_t before) { return (int)((uint32_t)after - (uint32_t)before); }

static void count_on_this_processor(void) { own_put(P2R_MMCR, p2_of_accesses(counter)); }
#else
static uint64_t counted(const struct cpu *c, unsigned i) { return mk_get64(&mk, MKR_COUNTER(c->first + i)); }
static unsigned said(const struct cpu *c, unsigned i) { return c->first + i; }
static int difference(uint64_t after, uint64_t before) { return (int)(after - before); }
static void count_on_this_processor(void) {}
#endif

static void __attribute__((noinline)) run(struct cpu *c, const char *name, int exceptions, code f, uint8_t *a, uint8_t *b) {
  struct look *l = &c->looks[c->n++];
  *l = (struct look){name, {ANY, ANY, ANY, ANY, exceptions, 0}, {0}, {0}};
  for (unsigned i = 0; i < SOURCES; i++) l->before[i] = counted(c, i);
  f(a, b, mk.eight + MKR_AT8(MKR_SOURCE(5)));
  for (unsigned i = 0; i < SOURCES; i++) l->after[i] = counted(c, i);
}

// CASE(name, exceptions, code): r3 and r4 point into memory, 256 bytes apart; r5 is a register of the card. It may use r0 and r3
// to r12, and what functions may.
#define CASE_AT(a, b, name, exceptions, text) \
  do {                                        \
    void *f;                                  \
    RT_CODE(f, text "\n\tblr");               \
    run(c, name, exceptions, (code)f, a, b);  \
  } while (0)
#define CASE(name, exceptions, text) CASE_AT(c->memory, c->memory + 256, name, exceptions, text)

// What helpers of QEMU's access: loads and stores are as the rows have them.
static void expect(struct cpu *c, int loads, int stores) {
  int *expected = c->looks[c->n - 1].expected;
  expected[LOADS] = loads, expected[STORES] = stores, expected[BRANCHES] = 0;
}
static void helped(struct cpu *c) {
#define LENGTH(n) "li 7, " #n "\n\tsldi 7, 7, 56"
#define PIECES(...)
#define ELSEWHERE(...)
#define HELPED(helper, name, tcg_loads, tcg_stores, loads, stores, before, code, why) \
  CASE(name, 0, before "\n\t" code);                                                  \
  expect(c, loads, stores);
#ifdef __LITTLE_ENDIAN__
#define BIG_ENDIAN_ONLY(...)
#else
#define BIG_ENDIAN_ONLY HELPED
#endif
#include "plugins/isa/ppc/helped.def"
}

static void plain(struct cpu *c) {
  CASE("with update", 0, "lwzu 6, 4(3)\n\tstwu 6, 4(4)\n\tldu 6, 8(3)\n\tstdu 6, 8(4)");
  CASE("bytes, halves, algebraic", 0, "lbz 6, 0(3)\n\tlha 7, 0(3)\n\tlwa 8, 0(3)\n\tstb 6, 0(4)\n\tsth 7, 0(4)\n\tstw 8, 0(4)");
  CASE("byte-reversed", 0, "lhbrx 6, 0, 3\n\tlwbrx 6, 0, 3\n\tldbrx 6, 0, 3\n\tsthbrx 6, 0, 4\n\tstwbrx 6, 0, 4\n\tstdbrx 6, 0, 4");
  CASE("vectors", 0, "lvx 0, 0, 3\n\tstvx 0, 0, 4\n\tlxv 32, 0(3)\n\tstxv 32, 16(4)");
  CASE("through the count register", 0, "mflr 7\n\tbcl 20, 31, 1f\n1:\tmflr 6\n\taddi 6, 6, 16\n\tmtctr 6\n\tbctr\n\tmtlr 7");
}

static void reservations(struct cpu *c) {
  CASE("eight bytes", 0, "ldarx 6, 0, 3\n\tstdcx. 6, 0, 3");
  CASE("one, two bytes", 0, "lbarx 6, 0, 3\n\tstbcx. 6, 0, 3\n\tlharx 6, 0, 3\n\tsthcx. 6, 0, 3");
  CASE("a store with another's reservation", 0, "lwarx 6, 0, 3\n\tstwcx. 6, 0, 4");
}

// QEMU makes such an instruction twice when it stands in the middle of a block.
static void devices(struct cpu *c) {
  CASE("both, with 64 bits", 0, "nop\n\tld 6, 0(5)\n\tstd 6, 0(5)\n\tnop");
  CASE("in two halves", 0, "nop\n\tlxvd2x 0, 0, 5\n\tnop");
}

static void multiple(struct cpu *c) {
#ifdef __LITTLE_ENDIAN__
  // lmw 29, 0(3); stmw 29, 0(4); lswi 6, 3, 7: the assembler has them big-endian only.
  CASE("load multiple: an alignment interrupt", 1, "nop\n\t.long 0xbba30000");
  CASE("store multiple", 1, "nop\n\t.long 0xbfa40000");
  CASE("load string", 1, "nop\n\t.long 0x7cc33caa");
#else
  CASE("store multiple across a page", 0, "addi 6, 3, 4088\n\tstmw 28, 0(6)");
#endif
}

static void exceptions(struct cpu *c) {
  CASE("a trap, skipped", 1, "nop\n\ttrap\n\tnop");
  CASE("a trap that does not trap", 0, "tweqi 1, 0\n\tnop");
  CASE("a system call: it completes", 1, "sc\n\tnop");
  CASE("an unaligned reservation, skipped", 1, "addi 6, 3, 2\n\tlwarx 7, 0, 6\n\tnop");
  const uint64_t msr = mfmsr();
  mtmsrd(msr & ~(uint64_t)(MSR_FP | MSR_VEC | MSR_VSX));
  CASE("no floating point, skipped", 1, "nop\n\tlfd 0, 0(3)");
  CASE("no vectors, skipped", 1, "nop\n\tlvx 0, 0, 3");
  mtmsrd(msr);
}

static void all(struct cpu *c) {
  CASE("frame", 0, "");
  helped(c);
  plain(c);
  reservations(c);
  devices(c);
  multiple(c);
  exceptions(c);
}

#ifndef SMP
static void faults(struct cpu *c) {
  uint8_t *const m = c->memory;
  rt_translate(true);
  rt_map(W, (uintptr_t)m, RT_WRITE);
  rt_map(W + PAGE, 0, RT_ABSENT);
  rt_on(V_DSI, rt_skip);
  CASE_AT((uint8_t *)W + PAGE, m, "a load that cannot be, skipped", 1, "nop\n\tlwz 6, -2(3)\n\tnop");
  rt_map(W + PAGE, (uintptr_t)m, RT_READ);
  CASE_AT((uint8_t *)W + PAGE, m, "a store to a page that is only read, skipped", 1, "nop\n\tlwz 6, 0(3)\n\tstw 6, 0(3)\n\tnop");
  rt_on(V_DSI, rt_map_it);
#define FAULT(offset, name, text)                      \
  rt_prepare(W + PAGE, (uintptr_t)m + PAGE, RT_WRITE); \
  CASE_AT((uint8_t *)W + PAGE + (offset), m, name, 1, text)
  FAULT(0, "a load, mapped and restarted", "nop\n\tlwz 6, 0(3)\n\tnop");
  FAULT(0, "a reservation", "lwarx 6, 0, 3\n\tstwcx. 6, 0, 3");
  FAULT(0, "a quadword", "lq 6, 0(3)");
  // The first half is loaded, the second faults; then both are loaded.
  FAULT(-8, "a vector whose second half faults", "lxvd2x 0, 0, 3");
  FAULT(-8, "a vector by its length", LENGTH(16) "\n\tlxvl 0, 3, 7");
  FAULT(-8, "a vector by its length is stored", LENGTH(16) "\n\tstxvl 0, 3, 7");
  FAULT(0, "a vector", "lvx 0, 0, 3");
  // May be read: the store alone faults, and its load has not been made either.
  rt_prepare(W + PAGE, (uintptr_t)m + PAGE, RT_WRITE);
  rt_map(W + PAGE, (uintptr_t)m + PAGE, RT_READ);
  CASE_AT((uint8_t *)W + PAGE, m, "an atomic addition whose store faults", 1, "ldat 6, 3, 0");
#ifndef __LITTLE_ENDIAN__
  FAULT(-8, "store multiple", "stmw 28, 0(3)");
  FAULT(-4, "strings", "lswi 6, 3, 7");
#endif
  rt_on(V_DSI, rt_unexpected);
  rt_translate(false);
}

static void interrupts(struct cpu *c) {
  enum { PERIOD = 512000, TICKS = 20 };  // ticks of the time base: 1 ms
  *(volatile uint32_t *)RT_PERIOD = PERIOD;
  rt_on(V_DECREMENTER, rt_tick);
  const uint32_t before = rt_taken(V_DECREMENTER);
  *(uint32_t *)c->memory = before + TICKS;  // r6
  CASE("decrementer interrupts, as many as the handler counts", 0,
       "lwz 6, 0(3)\n\tli 8, 1\n\tmtdec 8\n\tmfmsr 7\n\tori 8, 7, 0x8000\n\tmtmsrd 8, 1\n1:\tlwz 9, 0x2900(0)\n\tcmplw 9, 6\n\tblt 1b\n\tmtmsrd 7, 1");
  c->looks[c->n - 1].expected[INTERRUPTS] = (int)(rt_taken(V_DECREMENTER) - before);
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
  rt_on(V_DECREMENTER, rt_unexpected);
}

static unsigned delayed(struct cpu *c) {
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_SOURCE(0), 1);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  mk_put(&mk, MKR_WAIT, 0);
  CASE_AT((uint8_t *)mk.eight + MKR_AT8(MKR_SAMPLE_TRACE(0)), c->memory, "40 delayed stores", 0,
          "li 6, 40\n\tmtctr 6\n1:\tstw 6, 0(3)\n\tbdnz 1b");
  mk_put(&mk, MKR_CSR, MKR_CSR_SEOFF | MKR_CSR_WWAITOFF);
  return 40;
}

// What one processor does; samples that it stores.
static unsigned alone(struct cpu *c) {
  const unsigned traces = delayed(c);
  faults(c);
  interrupts(c);
  return traces;
}
#endif

// --- what came out -------------------------------------------------------------------
static void judge(struct cpu *c) {
  const struct look *frame = &c->looks[0];
  for (const struct look *l = c->looks; l < c->looks + c->n; l++) {
    bool good = true;
    for (unsigned i = 0; i < SOURCES; i++) {
      const int n = difference(l->after[i], l->before[i]) - difference(frame->after[i], frame->before[i]);
      if (l->expected[i] == ANY || n == l->expected[i]) continue;
      good = false;
      say("# %s: %s: expected %d, seen %d\n", l->name, names[i], l->expected[i], n);
    }
    ok(good, "%s", l->name);
    for (unsigned i = 0; i < SOURCES; i++) say("# read %u %lu\n", said(c, i), l->before[i]);
    for (unsigned i = 0; i < SOURCES; i++) say("# read %u %lu\n", said(c, i), l->after[i]);
  }
}

#ifdef SMP
static volatile bool go;
static volatile unsigned ready, over;
static uint64_t self(void) {
  uint64_t v;
  __asm__ volatile("mfspr %0, 1023" : "=r"(v));  // PIR
  return v;
}
static void other(void) {
  count_on_this_processor();
  ready++;
  while (!go)
    ;
  for (unsigned round = 0; round < 2; round++) all(&cpus[self()]);
  __asm__ volatile("sync" ::: "memory");
  __atomic_add_fetch(&over, 1, __ATOMIC_SEQ_CST);
  for (;;)
    ;
}
#endif

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
#ifdef POWER2
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
#endif
  rt_on(V_PROGRAM, rt_skip);
  rt_on(V_ALIGNMENT, rt_skip);
  rt_on(V_SYSCALL, rt_return);
  rt_on(V_FP, rt_skip);
  rt_on(V_VEC, rt_skip);
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  mk_put(&mk, MKR_ENABLE, 0xffff);
  cpus[1].first = SOURCES;
  count_on_this_processor();
#ifdef SMP
  for (unsigned i = 1; i < CPUS; i++) {
    rt_start(i, other);
    while (ready < i)
      ;
  }
  go = true;
  for (unsigned round = 0; round < 2; round++) all(&cpus[0]);
  while (over < CPUS - 1)
    ;
  mk_put(&mk, MKR_DISABLE, 0xffff);
  for (unsigned i = 0; i < CPUS; i++) judge(&cpus[i]);
  say("# stream trace 0 resource 0\n");
#else
  struct cpu *c = &cpus[0];
  all(c);
  const unsigned traces = alone(c);
  mk_put(&mk, MKR_DISABLE, 0xffff);
  judge(c);
  say("# stream trace %u resource 0\n", traces);
#endif
  return done_testing();
}
