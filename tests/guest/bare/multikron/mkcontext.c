// SPDX-License-Identifier: GPL-2.0-or-later
// mkcontext - MULTIKRON's external inputs connected to event sources with a context: what a program does counts as the user's, what serves it as
// the kernel's; on POWER, in both byte orders, marked or not (MSR[PMM]) as well. An instruction that changes the context counts where it begins,
// an exception where it comes. The counts of each case are written beside it by hand.
//
// With the word smp two processors run the cases at the same time, each with eight counters of its own.
//
// A trip: the kernel goes to a case's code in its context (IRET, rfid), which comes back by INT 0x80 or sc. What the counters' frame counts around no
// trip is subtracted.
#ifdef __powerpc64__
#include "rt.h"
#else
#include "../rt/mk.h"
#include "../rt/user.h"
#endif

#ifdef __powerpc64__
// The inputs of each processor, as meson.build connects them: an event in each context. Pages: accesses to the cases' memory.
enum { USER, USER_MARKED, KERNEL, KERNEL_MARKED, CONTEXTS };
enum { INSNS, LOADS, PAGES, EXCEPTIONS, EVENTS };
static const char *const contexts[CONTEXTS] = {"user", "user, marked", "kernel", "kernel, marked"};
static const char *const events[EVENTS] = {"instructions", "loads", "pages", "exceptions"};
enum { PLACES = CONTEXTS, ROUNDS = 28 };  // contexts in which a case can be
#else
enum { USER, KERNEL, CONTEXTS };
enum { INSNS, EXCEPTIONS, INTERRUPTS, LOADS, STORES, BRANCHES, EVENTS };
static const char *const contexts[CONTEXTS] = {"user", "kernel"};
static const char *const events[EVENTS] = {"instructions", "exceptions", "interrupts", "loads", "stores", "branches"};
enum { PLACES = USER + 1, ROUNDS = 14 };
#endif

struct counts {
  int n[EVENTS];
};
struct trip {
  const char *name;
  const void *code;
  unsigned times;
  bool disturbed;                        // by an interrupt that waits, by single steps
  struct counts expected, also, kernel;  // in its own context, in the unmarked or marked one beside it, in the kernel's
};

static struct mk mk;
static unsigned of_each = EVENTS;  // events that are counted of a processor
static uint32_t counters_of(unsigned cpu) { return ((1u << of_each * CONTEXTS) - 1) << of_each * CONTEXTS * cpu; }

#ifdef __powerpc64__
enum { MSR_PR = 0x4000, MSR_PMM = 4, MSR_SE = 0x400 };
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

static const struct counts own = {{1 + 10, 1, 0, 0}};  // of every trip: rfid, vector and handler
// rt_skip with its vector: 19 instructions, 2 loads; rt_return three instructions less.
#define SKIPS(n) {{19 * (n), 2 * (n), 0, 0}}
static const struct trip trips[] = {
    {"nothing", ctx_nothing, 1, false, {{1, 0, 0, 1}}, {{0}}, {{0}}},
    {"a loop", ctx_loop, 1, false, {{2 + 3 * 16 + 1, 16, 32, 1}}, {{0}}, {{0}}},
    {"call and return", ctx_call, 1, false, {{6, 0, 0, 1}}, {{0}}, {{0}}},
    {"two that are skipped", ctx_skipped, 1, false, {{4, 2, 2, 3}}, {{0}}, SKIPS(2)},
    {"one that is illegal", ctx_illegal, 1, false, {{2, 1, 1, 2}}, {{0}}, SKIPS(1)},
    {"a hypercall: nothing is delivered", ctx_hypercall, 1, false, {{4, 0, 0, 1}}, {{0}}, {{0}}},
    {"no access but a reservation's", ctx_hidden, 1, false, {{6, 1, 2, 1}}, {{0}}, {{0}}},
    {"many", ctx_loop, 300, false, {{2 + 3 * 16 + 1, 16, 32, 1}}, {{0}}, {{0}}},
    {"single steps: a trace behind each", ctx_steps, 1, true, {{4, 1, 1, 4}}, {{0}}, {{3 * 16, 3 * 2, 0, 0}}},
    {"many that are skipped", ctx_skipped, 300, false, {{4, 2, 2, 3}}, {{0}}, SKIPS(2)},
};
// Of the kernel alone: mtmsrd sets the mark, mtmsr clears it. Where it is set already the first changes nothing.
static const struct trip sets = {"the mark set and cleared", ctx_sets, 1, false, {{5, 0, 0, 1}}, {{5, 1, 1, 0}}, {{0}}};
static const struct trip clears = {"set again, then cleared", ctx_sets, 1, false, {{8, 1, 1, 0}}, {{2, 0, 0, 1}}, {{0}}};
// Of the user alone: no user sets the mark.
static const struct trip faults = {"set by a user: skipped", ctx_privileged, 1, false, {{4, 0, 0, 2}}, {{0}}, SKIPS(1)};

#define MEMORY 0x2000000ul  // meson.build knows it
static void around(unsigned cpu, const struct trip *t, unsigned context) {
  // User code runs with translation, and takes interrupts: hreg_store_msr() sees to that.
  const uint64_t msr = mfmsr() | (t && t->disturbed ? MSR_SE : 0) | (context == USER || context == USER_MARKED ? MSR_PR | MSR_IR | MSR_DR | MSR_EE : 0) |
                       (context == USER_MARKED || context == KERNEL_MARKED ? MSR_PMM : 0);
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
  ctx_trip(mk.eight + MKR_AT8(MKR_ENABLE), counters_of(cpu), t ? t->code : NULL, (uint32_t *)(MEMORY + 256 * cpu), msr, mk.eight + MKR_AT8(MKR_DISABLE));
}

static void prepare(unsigned cpu) {
  if (cpu) return;
  rt_on(V_SYSCALL, ctx_back);
  rt_on(V_PROGRAM, rt_skip);
  rt_on(0xd00, rt_return);  // trace
}
static void begin_second(void (*second)(void)) { rt_start(1, second); }
static void relax(void) {}
#else
enum { APIC = 0xFEE00000, WAKE = 0x2e };

// ebx: ENABLE; DISABLE is the next address, 8 bytes on. The jump begins a block.
__asm__(
    ".text\n"
    "ctx_trip: pushl %ebp\n"
    "  pushl %ebx\n"
    "  pushl %esi\n"
    "  pushl %edi\n"
    "  movl 20(%esp), %ebx\n"
    "  movl 24(%esp), %edi\n"
    "  movl 28(%esp), %eax\n"
    "  movl 32(%esp), %esi\n"
    "  movl 36(%esp), %ebp\n"
    "  movl 40(%esp), %ecx\n"
    "  movl $2f, %edx\n"
    "  movl %esp, (%ecx)\n"  // INT 0x80 comes back onto this stack
    "  testl %eax, %eax\n"
    "  jz 3f\n"
    "  movl %edi, (%ebx)\n"
    "  jmp 1f\n"
    "1: pushl $35\n"
    "  pushl %ebp\n"
    "  pushl $0x202\n"
    "  pushl $27\n"
    "  pushl %eax\n"
    "  iret\n"
    "2: movl %edi, 8(%ebx)\n"
    "  jmp 5f\n"
    "3: movl %edi, (%ebx)\n"
    "  jmp 4f\n"
    "4: movl %edi, 8(%ebx)\n"
    "5: popl %edi\n"
    "  popl %esi\n"
    "  popl %ebx\n"
    "  popl %ebp\n"
    "  ret\n"
    // Handlers. INT 0x80: off the stack, on where edx says. 2 instructions, 1 branch.
    "ctx_back: addl $20, %esp\n"
    "  jmp *%edx\n"
    // A fault of one byte: past it. 3 instructions, 10 loads (IRET: 5, and two descriptors of 2), 1 store, 1 branch.
    "ctx_skip: addl $4, %esp\n"
    "  incl (%esp)\n"
    "  iret\n"
    // An interrupt: 2 instructions, 9 loads, 1 store, 1 branch.
    "ctx_wake: movl $0, 0xFEE000B0\n"
    "  iret\n"
    // What the user does. esi points to memory.
    "ctx_nothing: int $0x80\n"
    "ctx_loop: movl $16, %ecx\n"
    "1: movl (%esi), %eax\n"
    "  movl %eax, 4(%esi)\n"
    "  decl %ecx\n"
    "  jnz 1b\n"
    "  int $0x80\n"
    "ctx_call: call 1f\n"
    "  jmp 2f\n"
    "1: ret\n"
    "2: int $0x80\n"
    "ctx_faults: cli\n"
    "  nop\n"
    "  hlt\n"
    "  cli\n"
    "  int $0x80\n");
void ctx_trip(uint32_t registers, uint32_t mask, const void *code, uint32_t *memory, uint8_t *stack, uint32_t *esp0);
extern const uint8_t ctx_back[], ctx_skip[], ctx_wake[], ctx_nothing[], ctx_loop[], ctx_call[], ctx_faults[];

// Of every trip: six instructions with five stores go down, and IRET loads 5 and two descriptors of 2; the handler.
static const struct counts own = {{6 + 2, 0, 0, 9, 5, 1 + 1}};
static const struct trip trips[] = {
    {"nothing", ctx_nothing, 1, false, {{1, 1}}, {{0}}, {{0}}},
    {"a loop", ctx_loop, 1, false, {{1 + 4 * 16 + 1, 1, 0, 16, 16, 16}}, {{0}}, {{0}}},
    {"call, return, jump", ctx_call, 1, false, {{4, 1, 0, 1, 1, 3}}, {{0}}, {{0}}},
    {"three that are privileged", ctx_faults, 1, false, {{2, 3 + 1}}, {{0}}, {{3 * 3, 0, 0, 3 * 10, 3, 3}}},
    {"an interrupt", ctx_loop, 1, true, {{1 + 4 * 16 + 1, 1, 1, 16, 16, 16}}, {{0}}, {{2, 0, 0, 9, 1, 1}}},
    {"many", ctx_loop, 400, false, {{1 + 4 * 16 + 1, 1, 0, 16, 16, 16}}, {{0}}, {{0}}},
    {"many faults", ctx_faults, 400, false, {{2, 3 + 1}}, {{0}}, {{3 * 3, 0, 0, 3 * 10, 3, 3}}},
};

static uint8_t user_stack[3][256];  // each ends where the next begins
static uint32_t memory[2][4];
static void around(unsigned cpu, const struct trip *t, unsigned context) {
  (void)context;
  if (t && t->disturbed) mmio32_put(APIC + 0x300, 0x00044000 | WAKE);  // to this one; it waits for IRET
  ctx_trip(mk.eight + MKR_AT8(MKR_ENABLE), counters_of(cpu), t ? t->code : NULL, memory[cpu], user_stack[cpu + 1], &tss[cpu].esp0);
}

static void prepare(unsigned cpu) {
  user_gate(0x80, ctx_back, 0xEE);
  user_gate(13, ctx_skip, 0x8E);
  user_gate(WAKE, ctx_wake, 0x8E);
  user_prepare(cpu);
  mmio32_put(APIC + 0xF0, 0x1FF);  // its APIC takes interrupts
}
static void begin_second(void (*second)(void)) {
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
}
static void relax(void) { __asm__ volatile("pause"); }
#endif

static void make(unsigned cpu, const struct trip *t, unsigned context) {
  for (unsigned i = 0; i < t->times; i++) around(cpu, t, context);
}

static uint64_t frame[16], seen[16];
static void read_counts(uint64_t *to) {
  for (unsigned i = 0; i < 16; i++) to[i] = mk_get64(&mk, MKR_COUNTER(i));
  mk_put(&mk, MKR_RRESET, 0xffff);
}

static void check(unsigned cpu, const struct trip *t, unsigned context) {
  int expected[CONTEXTS][EVENTS] = {0};
  bool good = true;
  for (unsigned e = 0; e < EVENTS; e++) {
    expected[context][e] += t->expected.n[e];
    expected[context ^ 1][e] += t->also.n[e];
    expected[KERNEL][e] += t->kernel.n[e] + own.n[e];
  }
  for (unsigned e = 0; e < of_each; e++) {
    for (unsigned c = 0; c < CONTEXTS; c++) {
      const unsigned i = CONTEXTS * e + c;
      const int n = (int)(seen[of_each * CONTEXTS * cpu + i] - t->times * frame[i]), wanted = (int)t->times * expected[c][e];
      if (n == wanted) continue;
      good = false;
      say("# %s of %s: expected %d, seen %d\n", events[e], contexts[c], wanted, n);
    }
  }
  ok(good, "processor %u, %s: %s", cpu, contexts[context], t->name);
}

static void one(const struct trip *t, unsigned context) {
  make(0, t, context);
  read_counts(seen);
  check(0, t, context);
}

static void alone(void) {
  for (unsigned context = 0; context < PLACES; context++)
    for (unsigned i = 0; i < sizeof trips / sizeof trips[0]; i++) one(&trips[i], context);
#ifdef __powerpc64__
  one(&sets, KERNEL);
  one(&clears, KERNEL_MARKED);
  one(&faults, USER);
  one(&faults, USER_MARKED);
#endif
}

static volatile unsigned go, finished;
static const struct trip *volatile trip_of_both;
static volatile unsigned context_of_second;
static void second(void) {
  prepare(1);
  for (unsigned round = 1;; round++) {
    while (go != round) relax();
    make(1, trip_of_both, context_of_second);
    __sync_synchronize();
    finished = round;
  }
}

static void both(void) {
  begin_second(second);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    const unsigned context = round % PLACES;
    trip_of_both = &trips[round % (sizeof trips / sizeof trips[0])];
    context_of_second = PLACES - 1 - context;
    __sync_synchronize();
    go = round;
    make(0, trip_of_both, context);
    while (finished != round) relax();
    read_counts(seen);
    check(0, trip_of_both, context);
    check(1, trip_of_both, context_of_second);
  }
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  const bool smp = rt_option("smp");
  if (smp) of_each = 8 / CONTEXTS;
  prepare(0);
  mk_start_external(&mk);
  around(0, NULL, KERNEL);  // code and data have been touched once
  mk_put(&mk, MKR_RRESET, 0xffff);
  around(0, NULL, KERNEL);
  read_counts(frame);
  if (smp)
    both();
  else
    alone();
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
