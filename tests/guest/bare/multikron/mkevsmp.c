// SPDX-License-Identifier: GPL-2.0-or-later
// mkevsmp - event sources of one vCPU and of all: two processors work at the same time, each its own
// number of stores, locked operations and exceptions. Then branches that fault, which QEMU counts at their start and
// takes back: a counter never falls, and counts each branch that completes once.
#include "../rt/mk.h"

// The inputs, as tests/guest/bare/meson.build connects them.
enum {
  STORES_0, STORES_1, STORES, EXCEPTIONS_0, EXCEPTIONS_1, EXCEPTIONS, PAGE_0, PAGE_1, PAGE_ALL, BRANCHES_0, BRANCHES_1,
  INSTRUCTIONS_1, SOURCES
};
#define SHARED 0x02000000u  // a page that both lock
enum { APIC = 0xFEE00000, ROUNDS = 4, WORK_0 = 3000, WORK_1 = 5000, TRAPS_0 = 70, TRAPS_1 = 50, LOCKED = 400 };
enum { FAULTS = 8000, WAKE = 0x2e, FAULT = 13 };

static struct mk mk;
static uint32_t own[2];
static volatile uint32_t go, finished;

__asm__(
    ".text\n"
    "ev_return: iret\n"
    "ev_wake: movl $0, 0xFEE000B0\n"  // end of interrupt
    "  iret\n"
    "ev_skip: addl $4, %esp\n"  // the error code; an ljmp of two bytes
    "  addl $2, (%esp)\n"
    "  iret\n"
    "ev_look: pushl %eax\n"
    "  movl looked_at, %eax\n"
    "  movl (%eax), %eax\n"
    "  movl %eax, looked\n"
    "  popl %eax\n"
    "  jmp ev_skip\n"
    "ev_write: pushl %eax\n"
    "  movl written_at, %eax\n"
    "  movl $0xffff, (%eax)\n"
    "  popl %eax\n"
    "  jmp ev_skip\n");
extern uint8_t ev_return[], ev_wake[], ev_skip[], ev_look[], ev_write[];
uint32_t looked_at __asm__("looked_at"), written_at __asm__("written_at");
volatile uint32_t looked __asm__("looked");

// stores stores, traps exceptions and LOCKED locked additions; nothing else stores.
static inline __attribute__((always_inline)) void work(uint32_t *to, uint32_t stores, uint32_t traps) {
  uint32_t locked = LOCKED;
  __asm__ volatile(
      "1: movl %1, (%0)\n\tdecl %1\n\tjnz 1b\n"
      "2: int3\n\tdecl %2\n\tjnz 2b\n"
      "3: lock incl (%4)\n\tdecl %3\n\tjnz 3b"
      : "+r"(to), "+r"(stores), "+r"(traps), "+r"(locked)
      : "r"(SHARED)
      : "memory", "cc");
}

static void second(void) {
  rt_wait_now();
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    while (go != round) __asm__ volatile("pause");
    work(&own[1], WORK_1, TRAPS_1);
    finished = round;
  }
  while (go != ROUNDS + 1) __asm__ volatile("pause");
  mmio32_put(APIC + 0xF0, 0x1FF);  // its APIC takes interrupts
  finished = ROUNDS + 1;
  // In each round an interrupt wakes it, and FAULTS far jumps fault, which the handler skips. Nothing else branches.
#define FAULTING                                                                              \
  "cli\n\tincl %0\n\tsti\n\thlt\n\tmovl %2, %%ecx\n1:\tljmp *(%1)\n\tdecl %%ecx\n\tjnz 1b\n\t"
  static const uint32_t nowhere[2] = {0, 0x1230};  // a selector beyond the table
  __asm__ volatile(FAULTING FAULTING FAULTING FAULTING "cli\n\tincl %0"
                   : "+m"(finished)
                   : "S"(nowhere), "i"(FAULTS)
                   : "ecx", "memory", "cc");
  for (;;) __asm__ volatile("cli; hlt");
}
enum { BRANCHES_OF_A_ROUND = 1 + 2 * FAULTS };  // IRETs, and the loop's own

static uint32_t count_of(unsigned source) { return (uint32_t)mk_get64(&mk, MKR_COUNTER(source)); }

// A far jump through the counter of branches: it reads the counter while it is under way, finds no legal selector there,
// and is taken back. The handler reads the counter before anything else branches.
static void look_within(void) {
  rt_gate(FAULT, ev_look);
  looked_at = mk.eight + MKR_AT8(MKR_COUNTER(BRANCHES_0));
  mk_put(&mk, MKR_RRESET, 0xffff);
  __asm__ volatile("movl $0xffff, (%%ebx)\n\tjmp 1f\n1:\tljmp *(%%esi)\n\tjmp 2f\n2:\tmovl $0xffff, 8(%%ebx)"
                   :
                   : "b"(mk.eight + MKR_AT8(MKR_ENABLE)), "S"(looked_at)
                   : "memory", "cc");
  is(looked, 2, "a far jump that read the counter and faulted: the counter stands still");
  is(count_of(BRANCHES_0), 1 + 2 + 1, "and what is made after it counts once");  // the handler's, the last
}

static void jump_twice(void) {
  mk_put(&mk, MKR_ENABLE, 0xffff);
  __asm__ volatile("jmp 1f\n1:\tjmp 2f\n2:\tmovl $0xffff, (%0)"
                   :
                   : "r"(mk.eight + MKR_AT8(MKR_DISABLE))
                   : "memory");
}

// The same far jump. The handler stops the counters before anything else branches: the counter has told of a branch
// that was taken back, and nothing has made up for it.
static void fault_and_stop(void) {
  rt_gate(FAULT, ev_write);
  looked_at = mk.eight + MKR_AT8(MKR_COUNTER(BRANCHES_0));
  written_at = mk.eight + MKR_AT8(MKR_DISABLE);
  mk_put(&mk, MKR_RRESET, 0xffff);
  __asm__ volatile("movl $0xffff, (%%ebx)\n\tjmp 1f\n1:\tljmp *(%%esi)\n\tmovl $0xffff, 8(%%ebx)"
                   :
                   : "b"(mk.eight + MKR_AT8(MKR_ENABLE)), "S"(looked_at)
                   : "memory", "cc");
}

static void owed_branch(void) {
  fault_and_stop();
  is(count_of(BRANCHES_0), 1 + 1, "stopped before another branch: the counter stands still");
  jump_twice();
  is(count_of(BRANCHES_0), 1 + 2, "and started again: each branch that completed, once");
  fault_and_stop();
  mk_put(&mk, MKR_RRESET, 0xffff);
  jump_twice();
  is(count_of(BRANCHES_0), 2, "cleared while it is stopped: nothing is owed");
}

// toggles: how often the counters are stopped and started meanwhile.
static void look_while_it_faults(unsigned round, unsigned toggles) {
  static const unsigned sources[] = {BRANCHES_1, INSTRUCTIONS_1};
  uint32_t last[2] = {0, 0}, looks = 0, falls = 0;
  mk_put(&mk, MKR_RRESET, 0xffff);
  mk_put(&mk, MKR_ENABLE, 0xffff);
  mmio32_put(APIC + 0x300, 0x000C4000 | WAKE);  // all but this one
  for (; finished != round; looks++) {
    for (unsigned i = 0; i < 2; i++) {
      const uint32_t n = count_of(sources[i]);
      falls += n < last[i] || n == 0xffffffff;
      last[i] = n;
    }
    if (looks < toggles) {
      mk_put(&mk, MKR_DISABLE, 0xffff);
      mk_put(&mk, MKR_ENABLE, 0xffff);
    }
  }
  mk_put(&mk, MKR_DISABLE, 0xffff);
  is(falls, 0, "round %u: counters never fall", round);
  if (toggles)  // what is under way when a counter stops counts
    ok(count_of(BRANCHES_1) <= BRANCHES_OF_A_ROUND + toggles, "round %u: no branch counts twice", round);
  else
    is(count_of(BRANCHES_1), BRANCHES_OF_A_ROUND, "round %u: branches that completed", round);
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  rt_gate(3, ev_return);
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  rt_all_wait();
  mk_start_external(&mk);
  *(volatile uint32_t *)SHARED = 0;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    mk_put(&mk, MKR_RRESET, 0xffff);
    mk_put(&mk, MKR_ENABLE, 0xffff);
    go = round;  // nothing else stores between the two
    work(&own[0], WORK_0, TRAPS_0);
    while (finished != round) __asm__ volatile("pause");
    mk_put(&mk, MKR_DISABLE, 0xffff);
    uint32_t seen[SOURCES];
    for (unsigned i = 0; i < SOURCES; i++) seen[i] = count_of(i);
    const uint32_t first = 1 + WORK_0 + LOCKED, second = WORK_1 + LOCKED + 1;  // and go, and finished
    static const char *const names[BRANCHES_0] = {
        "stores of the first", "stores of the second", "stores of both", "exceptions of the first", "exceptions of the second",
        "exceptions of both", "shared page, the first", "shared page, the second", "shared page, both"};
    const uint32_t expected[BRANCHES_0] = {first, second, first + second, TRAPS_0, TRAPS_1, TRAPS_0 + TRAPS_1, 2 * LOCKED, 2 * LOCKED, 4 * LOCKED};
    for (unsigned i = 0; i < BRANCHES_0; i++) is(seen[i], expected[i], "round %u: %s", round, names[i]);
    is(*(volatile uint32_t *)SHARED, 2 * LOCKED * round, "round %u: locked additions of both", round);
  }
  look_within();
  owed_branch();
  rt_gate(FAULT, ev_skip);
  rt_gate(WAKE, ev_wake);
  go = ROUNDS + 1;
  while (finished != ROUNDS + 2) __asm__ volatile("pause");
  look_while_it_faults(ROUNDS + 3, 0);
  look_while_it_faults(ROUNDS + 4, 0);
  look_while_it_faults(ROUNDS + 5, 100);
  look_while_it_faults(ROUNDS + 6, 0);
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
