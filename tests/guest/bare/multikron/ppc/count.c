// SPDX-License-Identifier: GPL-2.0-or-later
// count - MULTIKRON's external inputs connected to event sources on POWER: each way a processor executes, loads, stores,
// branches and faults, counted exactly. The counts of each case are written beside it by hand. Both byte orders.
//
// With -DSMP two processors run the cases at once (-DSMP=4: four), each with counters of its own. With -DPOWER2 the counters are those of the POWER2
// performance monitor, each processor's own; the MULTIKRON card is then a device to access.
//
// A case is a function; what the same frame counts around an empty one is subtracted. All values that were read are printed ("# read"):
// multikron_run compares them with those of the oracle (tests/guest/oracle).
#ifdef POWER2
#include "tests/guest/bare/power2/p2.h"
#endif
#include "rt.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // counts that are left out are 0

// The inputs, as tests/guest/bare/meson.build connects them; those of the second processor follow the first's.
enum { INSNS, LOADS, STORES, BRANCHES, EXCEPTIONS, INTERRUPTS, SOURCES };
static const char *const names[SOURCES] = {"instructions", "loads", "stores", "branches", "exceptions", "interrupts"};
enum { PAGE = 4096, MOST_CASES = 120, ANY = INT32_MIN };
#define W RT_WINDOW

struct counts {
  int insns, loads, stores, branches, exceptions, interrupts;
};
typedef void (*code)(uint8_t *memory, uint8_t *other, uint64_t device);
struct look {
  const char *name;
  struct counts expected;
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

static void __attribute__((noinline)) run(struct cpu *c, const char *name, struct counts expected, code f, uint8_t *a, uint8_t *b) {
  struct look *l = &c->looks[c->n++];
  l->name = name, l->expected = expected;
  for (unsigned i = 0; i < SOURCES; i++) l->before[i] = counted(c, i);
  f(a, b, mk.eight + MKR_AT8(MKR_SOURCE(5)));
  for (unsigned i = 0; i < SOURCES; i++) l->after[i] = counted(c, i);
}

// CASE(name, (counts), code): r3 and r4 point into memory, 256 bytes apart; r5 is a register of the card. It may use r0 and r3
// to r12, and what functions may.
#define EXPAND(...) {__VA_ARGS__}
#define CASE_AT(a, b, name, expected, text)                                                                   \
  do {                                                                                                        \
    void *f;                                                                                                  \
    RT_CODE(f, text "\n\tblr");                                                                               \
    run(c, name, (struct counts)EXPAND expected, (code)f, a, b);                                              \
  } while (0)
#define CASE(name, expected, text) CASE_AT(c->memory, c->memory + 256, name, expected, text)

// What the handlers of start.S execute, with their vectors.
#define SKIP(insns, loads, stores, branches) (insns) + 19, (loads) + 2, (stores) + 1, (branches) + 2, 1
#define RETURN(insns, loads, stores, branches) (insns) + 16, (loads) + 2, (stores) + 1, (branches) + 2, 1
#define MAPS(insns, loads, stores, branches) (insns) + 21, (loads) + 4, (stores) + 2, (branches) + 2, 1

static void plain(struct cpu *c) {
  CASE("with update", (4, 2, 2), "lwzu 6, 4(3)\n\tstwu 6, 4(4)\n\tldu 6, 8(3)\n\tstdu 6, 8(4)");
  CASE("bytes, halves, algebraic", (6, 3, 3), "lbz 6, 0(3)\n\tlha 7, 0(3)\n\tlwa 8, 0(3)\n\tstb 6, 0(4)\n\tsth 7, 0(4)\n\tstw 8, 0(4)");
  CASE("byte-reversed", (6, 3, 3), "lhbrx 6, 0, 3\n\tlwbrx 6, 0, 3\n\tldbrx 6, 0, 3\n\tsthbrx 6, 0, 4\n\tstwbrx 6, 0, 4\n\tstdbrx 6, 0, 4");
  CASE("a quadword", (2, 1, 1), "lq 6, 0(3)\n\tstq 6, 16(3)");
  CASE("vectors", (4, 2, 2), "lvx 0, 0, 3\n\tstvx 0, 0, 4\n\tlxv 32, 0(3)\n\tstxv 32, 16(4)");
  CASE("vectors of two halves", (2, 2, 2), "lxvd2x 0, 0, 3\n\tstxvd2x 0, 0, 4");
  CASE("a line of 128 bytes", (1, 0, 16), "dcbz 0, 3");
  CASE("through the count register", (7, 0, 0, 2), "mflr 7\n\tbcl 20, 31, 1f\n1:\tmflr 6\n\taddi 6, 6, 16\n\tmtctr 6\n\tbctr\n\tmtlr 7");
}

static void reservations(struct cpu *c) {
  CASE("reserve, store", (2, 1, 1), "lwarx 6, 0, 3\n\tstwcx. 6, 0, 3");
  CASE("eight bytes", (2, 1, 1), "ldarx 6, 0, 3\n\tstdcx. 6, 0, 3");
  CASE("one, two bytes", (4, 2, 2), "lbarx 6, 0, 3\n\tstbcx. 6, 0, 3\n\tlharx 6, 0, 3\n\tsthcx. 6, 0, 3");
  CASE("sixteen bytes", (2, 1, 1), "lqarx 6, 0, 3\n\tstqcx. 6, 0, 3");
  CASE("a store without a reservation", (1), "stwcx. 6, 0, 3");
  CASE("a store with another's reservation", (2, 1), "lwarx 6, 0, 3\n\tstwcx. 6, 0, 4");
}

// QEMU makes such an instruction twice when it stands in the middle of a block.
static void devices(struct cpu *c) {
  CASE("both, with 64 bits", (4, 1, 1), "nop\n\tld 6, 0(5)\n\tstd 6, 0(5)\n\tnop");
  CASE("in two halves", (3, 2), "nop\n\tlxvd2x 0, 0, 5\n\tnop");
}

static void multiple(struct cpu *c) {
#ifdef __LITTLE_ENDIAN__
  // lmw 29, 0(3); stmw 29, 0(4); lswi 6, 3, 7: the assembler has them big-endian only.
  CASE("load multiple: an alignment interrupt", (SKIP(1, 0, 0, 0)), "nop\n\t.long 0xbba30000");
  CASE("store multiple", (SKIP(1, 0, 0, 0)), "nop\n\t.long 0xbfa40000");
  CASE("load string", (SKIP(1, 0, 0, 0)), "nop\n\t.long 0x7cc33caa");
#else
  CASE("load multiple", (7, 3), "mr 6, 29\n\tmr 7, 30\n\tmr 8, 31\n\tlmw 29, 0(3)\n\tmr 29, 6\n\tmr 30, 7\n\tmr 31, 8");
  CASE("store multiple", (1, 0, 4), "stmw 28, 0(4)");
  CASE("store multiple across a page", (2, 0, 4), "addi 6, 3, 4088\n\tstmw 28, 0(6)");
  // Seven bytes: a word, a half, a byte.
  CASE("strings", (2, 3, 3), "lswi 6, 3, 7\n\tstswi 6, 4, 7");
#endif
}

#ifdef HELPED_ROWS
// A case for each row of plugins/isa/ppc/helped.def.
static void helped(struct cpu *c) {
#define LENGTH(n) "li 7, " #n "\n\tsldi 7, 7, 56"
#define PIECES(...)
#define ELSEWHERE(...)
#define HELPED(helper, name, tcg_loads, tcg_stores, loads, stores, before, code, why) CASE(name, (ANY, loads, stores), before "\n\t" code);
#ifdef __LITTLE_ENDIAN__
#define BIG_ENDIAN_ONLY(...)
#else
#define BIG_ENDIAN_ONLY HELPED
#endif
#include "plugins/isa/ppc/helped.def"
}
#endif

static void exceptions(struct cpu *c) {
  CASE("a trap, skipped", (SKIP(2, 0, 0, 0)), "nop\n\ttrap\n\tnop");
  CASE("a trap that does not trap", (2), "tweqi 1, 0\n\tnop");
  CASE("a system call: it completes", (RETURN(2, 0, 0, 0)), "sc\n\tnop");
  CASE("an unaligned reservation, skipped", (SKIP(2, 0, 0, 0)), "addi 6, 3, 2\n\tlwarx 7, 0, 6\n\tnop");
  const uint64_t msr = mfmsr();
  mtmsrd(msr & ~(uint64_t)(MSR_FP | MSR_VEC | MSR_VSX));
  CASE("no floating point, skipped", (SKIP(1, 0, 0, 0)), "nop\n\tlfd 0, 0(3)");
  CASE("no vectors, skipped", (SKIP(1, 0, 0, 0)), "nop\n\tlvx 0, 0, 3");
  mtmsrd(msr);
}

#ifndef SMP
static void faults(struct cpu *c) {
  uint8_t *const m = c->memory;
  rt_translate(true);
  rt_map(W, (uintptr_t)m, RT_WRITE);
  rt_map(W + PAGE, 0, RT_ABSENT);
  rt_on(V_DSI, rt_skip);
  CASE_AT((uint8_t *)W + PAGE, m, "a load that cannot be, skipped", (SKIP(2, 0, 0, 0)), "nop\n\tlwz 6, -2(3)\n\tnop");
  rt_map(W + PAGE, (uintptr_t)m, RT_READ);
  CASE_AT((uint8_t *)W + PAGE, m, "a store to a page that is only read, skipped", (SKIP(3, 1, 0, 0)), "nop\n\tlwz 6, 0(3)\n\tstw 6, 0(3)\n\tnop");
  rt_on(V_DSI, rt_map_it);
#define FAULT(offset, name, expected, text)                   \
  rt_prepare(W + PAGE, (uintptr_t)m + PAGE, RT_WRITE);        \
  CASE_AT((uint8_t *)W + PAGE + (offset), m, name, expected, text)
  FAULT(0, "a load, mapped and restarted", (MAPS(3, 1, 0, 0)), "nop\n\tlwz 6, 0(3)\n\tnop");
  FAULT(0, "a reservation", (MAPS(2, 1, 1, 0)), "lwarx 6, 0, 3\n\tstwcx. 6, 0, 3");
  FAULT(0, "a quadword", (MAPS(1, 1, 0, 0)), "lq 6, 0(3)");
  // The first half is loaded, the second faults; then both are loaded.
  FAULT(-8, "a vector whose second half faults", (MAPS(1, 1 + 2, 0, 0)), "lxvd2x 0, 0, 3");
#ifdef HELPED_ROWS
  FAULT(-8, "a vector by its length", (MAPS(3, 1, 0, 0)), LENGTH(16) "\n\tlxvl 0, 3, 7");
  FAULT(-8, "a vector by its length is stored", (MAPS(3, 0, 1, 0)), LENGTH(16) "\n\tstxvl 0, 3, 7");
#endif
  FAULT(0, "a vector", (MAPS(1, 1, 0, 0)), "lvx 0, 0, 3");
  // May be read: the store alone faults, and its load has not been made either.
  rt_prepare(W + PAGE, (uintptr_t)m + PAGE, RT_WRITE);
  rt_map(W + PAGE, (uintptr_t)m + PAGE, RT_READ);
  CASE_AT((uint8_t *)W + PAGE, m, "an atomic addition whose store faults", (MAPS(1, 1, 1, 0)), "ldat 6, 3, 0");
#ifndef __LITTLE_ENDIAN__
  FAULT(-8, "store multiple", (MAPS(1, 0, 4, 0)), "stmw 28, 0(3)");
  FAULT(-4, "strings", (MAPS(1, 3, 0, 0)), "lswi 6, 3, 7");
#endif
  rt_on(V_DSI, rt_unexpected);
  rt_translate(false);
}

static volatile uint32_t ticks;
static void interrupts(struct cpu *c) {
  enum { PERIOD = 512000, TICKS = 20 };  // ticks of the time base: 1 ms
  *(volatile uint32_t *)RT_PERIOD = PERIOD;
  rt_on(V_DECREMENTER, rt_tick);
  const uint32_t before = rt_taken(V_DECREMENTER);
  // r6: how many are wanted; the loop's last look is a load and a branch more than its others.
  *(uint32_t *)c->memory = before + TICKS;
  CASE("decrementer interrupts", (-1), "lwz 6, 0(3)\n\tli 8, 1\n\tmtdec 8\n\tmfmsr 7\n\tori 8, 7, 0x8000\n\tmtmsrd 8, 1\n1:\tlwz 9, 0x2900(0)\n\tcmplw 9, 6\n\tblt 1b\n\tmtmsrd 7, 1");
  ticks = rt_taken(V_DECREMENTER) - before;
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
  rt_on(V_DECREMENTER, rt_unexpected);
}

static unsigned delayed(struct cpu *c) {
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_SOURCE(0), 1);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  mk_put(&mk, MKR_WAIT, 0);
  CASE_AT((uint8_t *)mk.eight + MKR_AT8(MKR_SAMPLE_TRACE(0)), c->memory, "40 delayed stores", (2 + 80, 0, 40, 40),
          "li 6, 40\n\tmtctr 6\n1:\tstw 6, 0(3)\n\tbdnz 1b");
  mk_put(&mk, MKR_CSR, MKR_CSR_SEOFF | MKR_CSR_WWAITOFF);
  return 40;
}
#endif

static void all(struct cpu *c) {
  CASE("frame", (0), "");
  CASE("the frame again", (0), "");
#ifdef HELPED_ROWS
  helped(c);
#endif
  plain(c);
  reservations(c);
  devices(c);
  multiple(c);
  exceptions(c);
}

// --- what came out -------------------------------------------------------------------
static void judge(struct cpu *c) {
  const struct look *frame = &c->looks[0];
  for (const struct look *l = c->looks; l < c->looks + c->n; l++) {
    int expected[SOURCES] = {l->expected.insns, l->expected.loads, l->expected.stores, l->expected.branches,
                                   l->expected.exceptions, l->expected.interrupts};
    bool good = true;
    for (unsigned i = 0; i < SOURCES && l->expected.insns != -1; i++) {
      const int n = difference(l->after[i], l->before[i]) - difference(frame->after[i], frame->before[i]);
      if (expected[i] == ANY) expected[i] = n;
      if (n == expected[i]) continue;
      good = false;
      say("# %s: %s: expected %d, seen %d\n", l->name, names[i], expected[i], n);
    }
    if (l->expected.insns != -1)
      ok(good, "%s: %d instructions, %d loads, %d stores, %d branches, %d exceptions", l->name, expected[INSNS], expected[LOADS],
         expected[STORES], expected[BRANCHES], expected[EXCEPTIONS]);
    for (unsigned i = 0; i < SOURCES; i++) say("# read %u %lu\n", said(c, i), l->before[i]);
    for (unsigned i = 0; i < SOURCES; i++) say("# read %u %lu\n", said(c, i), l->after[i]);
  }
}

#ifndef SMP
static void judge_interrupts(const struct cpu *c) {
  const struct look *frame = &c->looks[0], *l = &c->looks[c->n - 1];
  int n[SOURCES];
  for (unsigned i = 0; i < SOURCES; i++) n[i] = difference(l->after[i], l->before[i]) - difference(frame->after[i], frame->before[i]);
  // Each round of the loop is three instructions, a load and a branch.
  const int loads = n[LOADS] - 1 - 3 * (int)ticks;
  ok(ticks >= 20, "%u interrupts, as the handler counted", ticks);
  is((uint64_t)n[INTERRUPTS], ticks, "decrementer interrupts");
  is((uint64_t)n[EXCEPTIONS], 0, "interrupts are no exceptions");
  is((uint64_t)n[STORES], ticks, "stores of the handler");
  is((uint64_t)n[INSNS], 7 + 18 * ticks + 3 * (unsigned)loads, "instructions of the handler and of %d rounds", loads);
  is((uint64_t)n[BRANCHES], 2 * ticks + (unsigned)loads, "branches");
}
#else
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
  const unsigned traces = delayed(c);
  faults(c);
  interrupts(c);
  mk_put(&mk, MKR_DISABLE, 0xffff);
  judge(c);
  judge_interrupts(c);
  say("# stream trace %u resource 0\n", traces);
#endif
  return done_testing();
}
