// SPDX-License-Identifier: GPL-2.0-or-later
// mkevsmp - event sources of one vCPU and of all: two processors work at the same time, each its own
// number of stores, locked operations and exceptions.
#include "rt/mk.h"

// The inputs, as tests/guest/bare/meson.build connects them.
enum { STORES_0, STORES_1, STORES, EXCEPTIONS_0, EXCEPTIONS_1, EXCEPTIONS, PAGE_0, PAGE_1, PAGE_ALL, SOURCES };
#define SHARED 0x02000000u  // a page that both lock
enum { APIC = 0xFEE00000, ROUNDS = 4, WORK_0 = 3000, WORK_1 = 5000, TRAPS_0 = 70, TRAPS_1 = 50, LOCKED = 400 };

static struct mk mk;
static uint32_t own[2];
static volatile uint32_t alive, go, finished;

// 16-bit start at 0x8000, then to protected mode and second().
__asm__(
    ".text\n"
    ".code16\n"
    "ev_start: cli\n"
    "  xorw %ax, %ax\n"
    "  movw %ax, %ds\n"
    "  lgdtl 0x8000 + ev_gdt - ev_start\n"
    "  lidtl 0x8000 + ev_idt - ev_start\n"
    "  movl %cr0, %eax\n"
    "  orb $1, %al\n"
    "  movl %eax, %cr0\n"
    "  ljmpl $8, $ev_32\n"
    "ev_gdt: .skip 6\n"
    "ev_idt: .skip 6\n"
    "ev_start_end:\n"
    ".code32\n"
    "ev_32: movw $16, %ax\n"
    "  movw %ax, %ds\n"
    "  movw %ax, %es\n"
    "  movw %ax, %ss\n"
    "  movl $ev_stack_top, %esp\n"
    "  call ev_second\n"
    "ev_return: iret\n"
    ".bss\n"
    ".balign 16\n"
    "  .skip 4096\n"
    "ev_stack_top:\n"
    ".text\n");
extern uint8_t ev_start[], ev_start_end[], ev_gdt[], ev_idt[], ev_return[];
extern const uint8_t rt_gdt_pointer[];
void ev_second(void);

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

void ev_second(void) {
  alive = 1;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    while (go != round) __asm__ volatile("pause");
    work(&own[1], WORK_1, TRAPS_1);
    finished = round;
  }
  for (;;) __asm__ volatile("cli; hlt");
}

struct __attribute__((packed)) table {
  uint16_t limit;
  uint32_t base;
};

static bool start_second(void) {
  struct table idt;
  __asm__ volatile("sidt %0" : "=m"(idt));
  uint32_t *gate = (uint32_t *)(idt.base + 8 * 3);
  gate[0] = 0x00080000u | ((uint32_t)ev_return & 0xffff);
  gate[1] = ((uint32_t)ev_return & 0xffff0000u) | 0x8e00;
  uint8_t *to = (uint8_t *)0x8000;
  for (uint8_t *from = ev_start; from < ev_start_end; from++) to[from - ev_start] = *from;
  for (unsigned i = 0; i < 6; i++) {
    to[ev_gdt - ev_start + i] = rt_gdt_pointer[i];
    to[ev_idt - ev_start + i] = ((const uint8_t *)&idt)[i];
  }
  mmio32_put(APIC + 0x300, 0x000C4500);  // INIT, all but this one
  spin(10000000);
  mmio32_put(APIC + 0x300, 0x000C4608);  // STARTUP at page 8
  for (unsigned i = 0; i < 100000000 && !alive; i++) __asm__ volatile("pause");
  return alive;
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  if (!start_second()) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  mk_put(&mk, MKR_RESET, 0);
  mk_put64(&mk, MKR_MUXSEL, 0xffff);  // all external
  *(volatile uint32_t *)SHARED = 0;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    mk_put(&mk, MKR_RRESET, 0xffff);
    mk_put(&mk, MKR_ENABLE, 0xffff);
    go = round;  // nothing else stores between the two
    work(&own[0], WORK_0, TRAPS_0);
    while (finished != round) __asm__ volatile("pause");
    mk_put(&mk, MKR_DISABLE, 0xffff);
    uint32_t seen[SOURCES];
    for (unsigned i = 0; i < SOURCES; i++) seen[i] = (uint32_t)mk_get64(&mk, MKR_COUNTER(i));
    const uint32_t first = 1 + WORK_0 + LOCKED, second = WORK_1 + LOCKED + 1;  // and go, and finished
    is(seen[STORES_0], first, "round %u: stores of the first", round);
    is(seen[STORES_1], second, "round %u: stores of the second", round);
    is(seen[STORES], first + second, "round %u: stores of both", round);
    is(seen[EXCEPTIONS_0], TRAPS_0, "round %u: exceptions of the first", round);
    is(seen[EXCEPTIONS_1], TRAPS_1, "round %u: exceptions of the second", round);
    is(seen[EXCEPTIONS], TRAPS_0 + TRAPS_1, "round %u: exceptions of both", round);
    is(seen[PAGE_0], 2 * LOCKED, "round %u: shared page, the first", round);
    is(seen[PAGE_1], 2 * LOCKED, "round %u: shared page, the second", round);
    is(seen[PAGE_ALL], 4 * LOCKED, "round %u: shared page, both", round);
    is(*(volatile uint32_t *)SHARED, 2 * LOCKED * round, "round %u: locked additions of both", round);
  }
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
