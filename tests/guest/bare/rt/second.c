// SPDX-License-Identifier: GPL-2.0-or-later
// Starts the other processors: 16-bit code in low memory, then protected mode with this one's descriptor tables.
#include "rt.h"

enum { APIC = 0xFEE00000, START = 0x8000, ALL_BUT_THIS = 0xC0000 };

__asm__(
    ".text\n"
    ".code16\n"
    "rt_low: cli\n"
    "  xorw %ax, %ax\n"
    "  movw %ax, %ds\n"
    "  lgdtl 0x8000 + rt_low_gdt - rt_low\n"
    "  lidtl 0x8000 + rt_low_idt - rt_low\n"
    "  movl %cr0, %eax\n"
    "  orb $1, %al\n"
    "  movl %eax, %cr0\n"
    "  ljmpl $8, $rt_low_32\n"
    "rt_low_gdt: .skip 6\n"
    "rt_low_idt: .skip 6\n"
    "rt_low_end:\n"
    ".code32\n"
    "rt_low_32: movw $16, %ax\n"
    "  movw %ax, %ds\n"
    "  movw %ax, %es\n"
    "  movw %ax, %ss\n"
    "  movl 0xFEE00020, %ecx\n"  // its APIC ID, which is its number
    "  shrl $24, %ecx\n"
    "  movl %ecx, %esp\n"
    "  shll $12, %esp\n"
    "  addl $rt_other_stacks, %esp\n"
    "  pushl %ecx\n"
    "  lock incl rt_others_alive\n"
    "  call *rt_others_main\n"
    "1: hlt\n"
    "  jmp 1b\n"
    ".bss\n"
    ".balign 16\n"
    "rt_other_stacks: .skip 8 * 4096\n"  // one ends where the next begins; the first processor has its own
    ".text\n");
extern const uint8_t rt_low[], rt_low_end[], rt_low_gdt[], rt_low_idt[];
volatile uint32_t rt_others_alive;
void (*rt_others_main)(unsigned processor);

// INIT and STARTUP to whom the command's high word and its shorthand name; n more processors begin.
static bool begin(uint32_t high, uint32_t shorthand, unsigned n, void (*main)(unsigned processor)) {
  struct {
    uint8_t bytes[6];
  } gdt, idt;
  uint8_t *const to = (uint8_t *)START;
  const uint32_t all = rt_others_alive + n;
  __asm__ volatile("sgdt %0\n\tsidt %1" : "=m"(gdt), "=m"(idt));
  rt_others_main = main;
  for (const uint8_t *from = rt_low; from < rt_low_end; from++) to[from - rt_low] = *from;
  for (unsigned i = 0; i < 6; i++) {
    to[rt_low_gdt - rt_low + i] = gdt.bytes[i];
    to[rt_low_idt - rt_low + i] = idt.bytes[i];
  }
  mmio32_put(APIC + 0x310, high);
  mmio32_put(APIC + 0x300, shorthand | 0x4500);  // INIT
  spin(10000000);
  mmio32_put(APIC + 0x310, high);
  mmio32_put(APIC + 0x300, shorthand | 0x4600 | START >> 12);  // STARTUP
  for (unsigned i = 0; i < 0xFFFFFFFF && rt_others_alive != all; i++) __asm__ volatile("pause");
  return rt_others_alive == all;
}

bool rt_others(unsigned n, void (*main)(unsigned processor)) { return begin(0, ALL_BUT_THIS, n, main); }
bool rt_other(unsigned processor, void (*main)(unsigned processor)) { return begin(processor << 24, 0, 1, main); }

static volatile uint32_t waiting;
void rt_wait_now(void) { __sync_fetch_and_add(&waiting, 1); }
void rt_all_wait(void) {
  while (waiting != rt_others_alive) __asm__ volatile("pause");
}

static void (*second_main)(void);
static void second(unsigned processor) {
  (void)processor;
  second_main();
}

bool rt_second(void (*main)(void)) {
  second_main = main;
  return rt_others(1, second);
}
