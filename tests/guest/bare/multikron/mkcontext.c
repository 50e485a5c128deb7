// SPDX-License-Identifier: GPL-2.0-or-later
// mkcontext - MULTIKRON's external inputs connected to event sources with a context: what a program at privilege level 3
// does counts as the user's, what serves it as the kernel's, and an instruction between them where it begins. The counts
// of each case are written beside it by hand.
//
// With -append smp two processors run the cases at the same time, each with eight counters of its own.
//
// A trip: the kernel goes down by IRET, the user comes back by INT 0x80. What the counters' frame counts around no trip is
// subtracted.
#include "../rt/mk.h"
#include "../rt/user.h"

// The inputs of each processor, as meson.build connects them; the second half is the first processor's alone.
enum {
  INSNS_USER, INSNS_KERNEL, LOADS_USER, STORES_USER, BRANCHES_USER, EXCEPTIONS_USER, INTERRUPTS_USER, BRANCHES_KERNEL,
  EACH, LOADS_KERNEL = EACH, STORES_KERNEL, EXCEPTIONS_KERNEL, INTERRUPTS_KERNEL, INSNS, INSNS_UNMARKED, INSNS_MARKED,
  INSNS_USER_UNMARKED, SOURCES
};
static const char *const names[SOURCES] = {
    "instructions:user", "instructions:kernel", "loads:user", "stores:user", "branches:user", "exceptions:user",
    "interrupts:user", "branches:kernel", "loads:kernel", "stores:kernel", "exceptions:kernel", "interrupts:kernel",
    "instructions", "instructions:unmarked", "instructions:marked", "instructions:user:unmarked"};
enum { APIC = 0xFEE00000, WAKE = 0x2e, ROUNDS = 14 };

struct counts {
  uint32_t user, loads, stores, branches;  // the user's
  uint32_t exceptions, interrupts;         // that came at the user's, INT 0x80 aside
};
struct trip {
  const char *name;
  const void *code;
  uint32_t times;
  bool interrupted;
  struct counts expected;
};

// Handlers. INT 0x80: off the stack, on where edx says. 2 instructions, 1 branch.
// A fault of one byte: past it. 3 instructions, 10 loads (IRET: 5, and two descriptors of 2), 1 store, 1 branch.
// An interrupt: 2 instructions, 9 loads, 1 store, 1 branch.
__asm__(
    ".text\n"
    "ctx_back: addl $20, %esp\n"
    "  jmp *%edx\n"
    "ctx_skip: addl $4, %esp\n"
    "  incl (%esp)\n"
    "  iret\n"
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
extern const uint8_t ctx_back[], ctx_skip[], ctx_wake[], ctx_nothing[], ctx_loop[], ctx_call[], ctx_faults[];

// --- trips -----------------------------------------------------------------------------------------
enum { DOWN_INSNS = 6, DOWN_LOADS = 9, DOWN_STORES = 5, BACK_INSNS = 2 };  // IRET loads 5 and two descriptors of 2

static struct mk mk;
static uint8_t user_stack[3][256];  // each ends where the next begins
static uint32_t memory[2][4];

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
    "  ret\n");
void ctx_trip(uint32_t registers, uint32_t mask, const void *code, uint32_t *memory, uint8_t *stack, uint32_t *esp0);

static void around(unsigned cpu, const void *code) {
  const uint32_t mask = rt_option("smp") ? 0xffu << (EACH * cpu) : 0xffff;
  ctx_trip(mk.eight + MKR_AT8(MKR_ENABLE), mask, code, memory[cpu], user_stack[cpu + 1], &tss[cpu].esp0);
}

static const struct trip trips[] = {
    {"nothing", ctx_nothing, 1, false, {1, 0, 0, 0, 0, 0}},
    {"a loop", ctx_loop, 1, false, {1 + 4 * 16 + 1, 16, 16, 16, 0, 0}},
    {"call, return, jump", ctx_call, 1, false, {4, 1, 1, 3, 0, 0}},
    {"three that are privileged", ctx_faults, 1, false, {2, 0, 0, 0, 3, 0}},
    {"an interrupt", ctx_loop, 1, true, {1 + 4 * 16 + 1, 16, 16, 16, 0, 1}},
    {"many", ctx_loop, 400, false, {1 + 4 * 16 + 1, 16, 16, 16, 0, 0}},
    {"many faults", ctx_faults, 400, false, {2, 0, 0, 0, 3, 0}},
};

static void make(unsigned cpu, const struct trip *t) {
  for (uint32_t i = 0; i < t->times; i++) {
    if (t->interrupted) mmio32_put(APIC + 0x300, 0x00044000 | WAKE);  // to this one; it waits for IRET
    around(cpu, t->code);
  }
}

static uint32_t frame[SOURCES];
static void read_counts(uint32_t *to) {
  for (unsigned i = 0; i < 16; i++) to[i] = (uint32_t)mk_get64(&mk, MKR_COUNTER(i));
  mk_put(&mk, MKR_RRESET, 0xffff);
}

static void check(const uint32_t *seen, unsigned sources, const struct trip *t, const char *whose) {
  const struct counts *e = &t->expected;
  const uint32_t faults = e->exceptions, interrupts = e->interrupts;
  const uint32_t kernel = DOWN_INSNS + BACK_INSNS + 3 * faults + 2 * interrupts;
  const uint32_t expected[SOURCES] = {
      [INSNS_USER] = e->user,
      [INSNS_KERNEL] = kernel,
      [LOADS_USER] = e->loads,
      [STORES_USER] = e->stores,
      [BRANCHES_USER] = e->branches,
      [EXCEPTIONS_USER] = faults + 1,
      [INTERRUPTS_USER] = interrupts,
      [BRANCHES_KERNEL] = 2 + faults + interrupts,
      [LOADS_KERNEL] = DOWN_LOADS + 10 * faults + 9 * interrupts,
      [STORES_KERNEL] = DOWN_STORES + faults + interrupts,
      [EXCEPTIONS_KERNEL] = 0,
      [INTERRUPTS_KERNEL] = 0,
      [INSNS] = e->user + kernel,
      [INSNS_UNMARKED] = e->user + kernel,
      [INSNS_MARKED] = 0,
      [INSNS_USER_UNMARKED] = e->user,
  };
  for (unsigned i = 0; i < sources; i++)
    is(seen[i] - t->times * frame[i], t->times * expected[i], "%s%s: %s", whose, t->name, names[i]);
}

// --- two processors ----------------------------------------------------------------------------------
static volatile uint32_t go, finished;

static void second(void) {
  user_prepare(1);
  mmio32_put(APIC + 0xF0, 0x1FF);  // its APIC takes interrupts
  for (uint32_t round = 1;; round++) {
    while (go != round) __asm__ volatile("pause");
    make(1, &trips[round % (sizeof trips / sizeof trips[0])]);
    finished = round;
  }
}

static void both(void) {
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    const struct trip *t = &trips[round % (sizeof trips / sizeof trips[0])];
    go = round;
    make(0, t);
    while (finished != round) __asm__ volatile("pause");
    uint32_t seen[16];
    read_counts(seen);
    check(seen, EACH, t, "the first: ");
    check(seen + EACH, EACH, t, "the second: ");
  }
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  user_gate(0x80, ctx_back, 0xEE);
  user_gate(13, ctx_skip, 0x8E);
  user_gate(WAKE, ctx_wake, 0x8E);
  user_prepare(0);
  mmio32_put(APIC + 0xF0, 0x1FF);
  mk_start_external(&mk);
  around(0, NULL);                    // code and data have been touched once
  mk_put(&mk, MKR_RRESET, 0xffff);
  around(0, NULL);
  read_counts(frame);
  if (rt_option("smp")) {
    both();
  } else {
    for (unsigned i = 0; i < sizeof trips / sizeof trips[0]; i++) {
      uint32_t seen[16];
      make(0, &trips[i]);
      read_counts(seen);
      check(seen, SOURCES, &trips[i], "");
    }
  }
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
