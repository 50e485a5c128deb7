// SPDX-License-Identifier: GPL-2.0-or-later
// context - MULTIKRON's external inputs connected to event sources with a context on POWER: privileged or not (MSR[PR]),
// marked or not (MSR[PMM]). An instruction that changes the context counts where it begins, an exception where it comes.
// The counts of each case are written beside it by hand. Both byte orders.
//
// With -DSMP two processors run the cases at the same time, each with eight counters of its own.
//
// A trip: rfid goes to a case's code in its context, sc comes back. QEMU clears the mark when it delivers an exception. What the
// counters' frame counts around no trip is subtracted.
#include "rt.h"

// The inputs of each processor, as meson.build connects them: an event in each context.
enum { USER, USER_MARKED, KERNEL, KERNEL_MARKED, CONTEXTS };
enum { INSNS, LOADS, PAGES, EXCEPTIONS, EVENTS };  // pages: accesses to the cases' memory
static const char *const events[EVENTS] = {"instructions", "loads", "pages", "exceptions"};
static const char *const contexts[CONTEXTS] = {"user", "user, marked", "kernel", "kernel, marked"};
#ifdef SMP
enum { OF_EACH = 2 };
#else
enum { OF_EACH = EVENTS };
#endif
enum { EACH = OF_EACH * CONTEXTS, MSR_PR = 0x4000, MSR_PMM = 4, MSR_SE = 0x400, ROUNDS = 28 };

struct counts {
  int n[EVENTS];
};
struct trip {
  const char *name;
  const void *code;
  unsigned times;
  struct counts expected, also, kernel;  // in its own context, in the unmarked or marked one beside it, in the kernel's
};

// r3, r4: ENABLE and what is to be stored there; r5: code, 0: none; r6: memory; r7: MSR; r8: DISABLE. The branches begin blocks.
__asm__(
    "\t.text\n"
    "ctx_trip:\n"
    "\tmfmsr 11\n\tmtsrr0 5\n\tmtsrr1 7\n\tlis 12, 2f@ha\n\taddi 12, 12, 2f@l\n\tmtsprg 0, 30\n\tmr 0, 31\n\tcmpldi 5, 0\n\tbeq 3f\n"
    "\t" RT_STW " 4, 0, 3\n\tb 1f\n"
    "1:\trfid\n"
    "2:\t" RT_STW " 4, 0, 8\n\tb 5f\n"
    "3:\t" RT_STW " 4, 0, 3\n\tb 4f\n"
    "4:\t" RT_STW " 4, 0, 8\n"
    "5:\tmtmsrd 11\n\tmr 31, 0\n\tmfsprg 30, 0\n\tblr\n"
    // The vector's handler. With the vector (start.S): 10 instructions, 1 load.
    "ctx_back:\tmtctr 12\n\tbctr\n"
    // What is done there.
    "ctx_nothing:\tsc\n"
    "ctx_loop:\tli 9, 16\n\tmtctr 9\n1:\tlwz 10, 0(6)\n\tstw 10, 4(6)\n\tbdnz 1b\n\tsc\n"
    "ctx_call:\tmflr 9\n\tbl 1f\n\tb 2f\n1:\tblr\n2:\tmtlr 9\n\tsc\n"
    "ctx_skipped:\tlwz 10, 0(6)\n\ttrap\n\tlwz 10, 0(6)\n\ttrap\n\tnop\n\tsc\n"
    "ctx_illegal:\tlwz 10, 0(6)\n\t.long 0\n\tsc\n"
    "ctx_hypercall:\tli 3, -4\n\tsc 1\n\tnop\n\tsc\n"
    "ctx_steps:\tnop\n\tlwz 10, 0(6)\n\tb 1f\n1:\tsc\n"
    "ctx_hidden:\tdcbst 0, 6\n\ticbi 0, 6\n\tdcbf 0, 6\n\tlwarx 10, 0, 6\n\tstwcx. 10, 0, 6\n\tsc\n"
    "ctx_sets:\tmfmsr 9\n\tori 9, 9, 4\n\tmtmsrd 9\n\tnop\n\tlwz 10, 0(6)\n\tli 10, 4\n\tandc 9, 9, 10\n\tmtmsr 9\n\tnop\n\tsc\n"
    "ctx_privileged:\tnop\n\tli 9, 4\n\tmtmsrd 9\n\tnop\n\tsc\n");
void ctx_trip(uint64_t enable, uint32_t mask, const void *code, uint32_t *memory, uint64_t msr, uint64_t disable);
extern const uint8_t ctx_nothing[], ctx_loop[], ctx_call[], ctx_skipped[], ctx_illegal[], ctx_hypercall[], ctx_steps[], ctx_hidden[], ctx_sets[], ctx_privileged[];
void ctx_back(void);

static struct mk mk;
#define MEMORY 0x2000000ul  // meson.build knows it

static void around(unsigned cpu, const void *code, unsigned context) {
  const uint32_t mask = EACH < 16 ? ((1u << EACH) - 1) << (EACH * cpu) : 0xffff;
  // User code runs with translation, and takes interrupts: hreg_store_msr() sees to that.
  const uint64_t msr = mfmsr() | (code == ctx_steps ? MSR_SE : 0) | (context == USER || context == USER_MARKED ? MSR_PR | MSR_IR | MSR_DR | MSR_EE : 0) |
                       (context == USER_MARKED || context == KERNEL_MARKED ? MSR_PMM : 0);
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
  ctx_trip(mk.eight + MKR_AT8(MKR_ENABLE), mask, code, (uint32_t *)(MEMORY + 256 * cpu), msr, mk.eight + MKR_AT8(MKR_DISABLE));
}

// rt_skip with its vector: 19 instructions, 2 loads; rt_return three instructions less.
#define SKIPS(n) {{19 * (n), 2 * (n), 0, 0}}
static const struct trip trips[] = {
    {"nothing", ctx_nothing, 1, {{1, 0, 0, 1}}, {{0}}, {{0}}},
    {"a loop", ctx_loop, 1, {{2 + 3 * 16 + 1, 16, 32, 1}}, {{0}}, {{0}}},
    {"call and return", ctx_call, 1, {{6, 0, 0, 1}}, {{0}}, {{0}}},
    {"two that are skipped", ctx_skipped, 1, {{4, 2, 2, 3}}, {{0}}, SKIPS(2)},
    {"one that is illegal", ctx_illegal, 1, {{2, 1, 1, 2}}, {{0}}, SKIPS(1)},
    {"a hypercall: nothing is delivered", ctx_hypercall, 1, {{4, 0, 0, 1}}, {{0}}, {{0}}},
    {"no access but a reservation's", ctx_hidden, 1, {{6, 1, 2, 1}}, {{0}}, {{0}}},
    {"many", ctx_loop, 300, {{2 + 3 * 16 + 1, 16, 32, 1}}, {{0}}, {{0}}},
    {"single steps: a trace behind each", ctx_steps, 1, {{4, 1, 1, 4}}, {{0}}, {{3 * 16, 3 * 2, 0, 0}}},
    {"many that are skipped", ctx_skipped, 300, {{4, 2, 2, 3}}, {{0}}, SKIPS(2)},
};
#ifndef SMP
// Of the kernel alone: mtmsrd sets the mark, mtmsr clears it. Where it is set already the first changes nothing.
static const struct trip sets = {"the mark set and cleared", ctx_sets, 1, {{5, 0, 0, 1}}, {{5, 1, 1, 0}}, {{0}}};
static const struct trip clears = {"set again, then cleared", ctx_sets, 1, {{8, 1, 1, 0}}, {{2, 0, 0, 1}}, {{0}}};
// Of the user alone: no user sets the mark.
static const struct trip faults = {"set by a user: skipped", ctx_privileged, 1, {{4, 0, 0, 2}}, {{0}}, SKIPS(1)};
#endif

static void make(unsigned cpu, const struct trip *t, unsigned context) {
  for (unsigned i = 0; i < t->times; i++) around(cpu, t->code, context);
}

static uint64_t frame[16], seen[16];
static void read_counts(uint64_t *to) {
  for (unsigned i = 0; i < 16; i++) to[i] = mk_get64(&mk, MKR_COUNTER(i));
  mk_put(&mk, MKR_RRESET, 0xffff);
}

static void check(unsigned cpu, const struct trip *t, unsigned context) {
  static const struct counts own = {{1 + 10, 1, 0, 0}};  // rfid, vector and handler
  int expected[CONTEXTS][EVENTS] = {0};
  bool good = true;
  for (unsigned e = 0; e < EVENTS; e++) {
    expected[context][e] += t->expected.n[e];
    expected[context ^ 1][e] += t->also.n[e];
    expected[KERNEL][e] += t->kernel.n[e] + own.n[e];
  }
  for (unsigned e = 0; e < OF_EACH; e++) {
    for (unsigned c = 0; c < CONTEXTS; c++) {
      const unsigned i = EACH * cpu + CONTEXTS * e + c;
      const int64_t n = (int64_t)(seen[i] - t->times * frame[CONTEXTS * e + c]), wanted = (int64_t)t->times * expected[c][e];
      if (n == wanted) continue;
      good = false;
      say("# %s of %s: expected %d, seen %d\n", events[e], contexts[c], (int)wanted, (int)n);
    }
  }
  ok(good, "processor %u, %s: %s", cpu, contexts[context], t->name);
}

#ifdef SMP
static volatile unsigned go, finished;
static const struct trip *volatile trip_of_both;
static volatile unsigned context_of_second;
static void second(void) {
  for (unsigned round = 1;; round++) {
    while (go != round)
      ;
    make(1, trip_of_both, context_of_second);
    __asm__ volatile("sync" ::: "memory");
    finished = round;
  }
}

static void all(void) {
  rt_start(1, second);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    const unsigned context = round % CONTEXTS;
    trip_of_both = &trips[round % (sizeof trips / sizeof trips[0])];
    context_of_second = CONTEXTS - 1 - context;
    __asm__ volatile("sync" ::: "memory");
    go = round;
    make(0, trip_of_both, context);
    while (finished != round)
      ;
    read_counts(seen);
    check(0, trip_of_both, context);
    check(1, trip_of_both, context_of_second);
  }
}
#else
static void one(const struct trip *t, unsigned context) {
  make(0, t, context);
  read_counts(seen);
  check(0, t, context);
}

static void all(void) {
  for (unsigned context = 0; context < CONTEXTS; context++)
    for (unsigned i = 0; i < sizeof trips / sizeof trips[0]; i++) one(&trips[i], context);
  one(&sets, KERNEL);
  one(&clears, KERNEL_MARKED);
  one(&faults, USER);
  one(&faults, USER_MARKED);
}
#endif

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  rt_on(V_SYSCALL, ctx_back);
  rt_on(V_PROGRAM, rt_skip);
  rt_on(0xd00, rt_return);  // trace
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  around(0, NULL, KERNEL);
  read_counts(frame);
  all();
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
