// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/events.h"
#include "p2.h"
#ifndef __powerpc64__
#include "../rt/user.h"
#endif

struct p2 p2;

const struct p2_row p2_rows[] = {
#define ROW(name, unit, group, counter, text) {#name, unit, group, counter},
    P2_EVENTS(ROW)
#undef ROW
};
const unsigned p2_row_count = sizeof p2_rows / sizeof p2_rows[0];

bool p2_equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// In the first group that has it.
struct p2_event p2_event(const char *name) {
  for (unsigned i = 0; i < p2_row_count; i++) {
    if (!p2_equal(p2_rows[i].name, name)) continue;
    const unsigned unit = p2_rows[i].unit, group = p2_rows[i].group, counter = p2_rows[i].counter;
    if (unit == P2_ROW_SGA) return (struct p2_event){name, P2_MMCR_SGA, counter};
    if (unit == P2_ROW_DEDICATED) return (struct p2_event){name, 0, counter};
    return (struct p2_event){name, group << (12 - 4 * unit), P2_UNIT_COUNTERS * unit + counter};
  }
  bail(RT_NO_BOARD, "there is no event %s", name);
}

struct p2_event p2_event_of(const char *name, unsigned first, unsigned group) {
  for (unsigned i = 0; i < p2_row_count; i++) {
    const unsigned unit = p2_rows[i].unit;
    if (unit < P2_UNITS && unit * P2_UNIT_COUNTERS == first && p2_rows[i].group == group && p2_equal(p2_rows[i].name, name))
      return (struct p2_event){name, group << (12 - 4 * unit), first + p2_rows[i].counter};
  }
  bail(RT_NO_BOARD, "group %u of the unit at counter %u has no event %s", group, first, name);
}

uint32_t p2_of_accesses(unsigned counter[6]) {
  const struct p2_event found[6] = {
      p2_event_of("instructions", P2_ICU0, 0), p2_event_of("loads", P2_FXU0, 8),      p2_event_of("stores", P2_FXU0, 8),
      p2_event_of("branches", P2_ICU0, 0),     p2_event_of("exceptions", P2_SCU0, 9), p2_event_of("interrupts", P2_SCU0, 9)};
  uint32_t mmcr = 0;
  for (unsigned i = 0; i < 6; i++) {
    mmcr |= found[i].mmcr;
    counter[i] = found[i].counter;
  }
  return mmcr;
}

bool p2_find(void) {
  const uint32_t device = rt_pci_find(P2_PCI_DEVICE << 16 | P2_PCI_VENDOR, 0);
  if (device == 32) return false;
  p2.little = rt_pci_memory(device, 0);
  p2.big = rt_pci_memory(device, 2);
  return true;
}

uint32_t p2_measure(struct p2_event e, unsigned context, const void *piece, uint32_t n) {
  const uint32_t before = p2_count(e);
  run_in(context, piece, n);
  return p2_count(e) - before;
}

// --- any context, and back; the other processors ---
const char *const contexts[CONTEXTS] = {"user", "kernel", "user, marked", "kernel, marked"};
uint8_t down_memory[PROCESSORS][8192] __attribute__((aligned(4096)));

#ifdef __powerpc64__
// By rfid, and back by sc, which keeps the mark.
enum { MSR_PR = 0x4000, MSR_PMM = 4 };

// r3: the piece; r4: MSR; r5: unused; r6, r7: what it gets. r11: the MSR of before; r12: where sc comes back to.
__asm__(
    "\t.text\n"
    "down_by_rfid:\n"
    "\tmfmsr 11\n\tmtsrr0 3\n\tmtsrr1 4\n\tlis 12, 1f@ha\n\taddi 12, 12, 1f@l\n\tmtsprg 0, 30\n\tmr 0, 31\n\trfid\n"
    "1:\tmtmsrd 11\n\tmr 31, 0\n\tmfsprg 30, 0\n\tblr\n"
    // The handler of sc.
    "down_back:\tmtctr 12\n\tbctr\n");
void down_by_rfid(const void *piece, uint64_t msr, uint64_t unused, uint64_t n, uint8_t *memory);
void down_back(void);

PIECE(piece_loop, "mr 8, 6\n1:\taddic. 8, 8, -1\n\tbne 1b");

unsigned down_self(void) {
  uint64_t v;
  __asm__ volatile("mfspr %0, 1023" : "=r"(v));  // PIR
  return v % PROCESSORS;
}

void down_prepare(unsigned processor) {
  (void)processor;
  rt_on(V_SYSCALL, down_back);
  *(volatile uint32_t *)RT_PERIOD = 0x7fffffff;
  rt_on(V_DECREMENTER, rt_tick);
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
}

void run_in(unsigned context, const void *piece, uint32_t n) {
  const uint64_t msr = mfmsr() | (context == USER || context == USER_MARKED ? MSR_PR | MSR_IR | MSR_DR | MSR_EE : 0) |
                       (context == USER_MARKED || context == KERNEL_MARKED ? MSR_PMM : 0);
  down_by_rfid(piece, msr, 0, n, down_memory[down_self()]);
}

static void (*others_main)(unsigned processor);
static void others_begin(void) { others_main(down_self()); }
void p2_others(void (*main)(unsigned processor)) {
  others_main = main;
  for (unsigned i = 1; i < PROCESSORS; i++) rt_start(i, others_begin);
}
#else
// Privilege level 3 by IRET, and back by INT 0x80; the mark is the monitor's register.
static uint8_t user_stack[PROCESSORS][256];
enum { APIC = 0xFEE00000 };

// ebx: the piece; ecx, esi: what it gets; edi: &tss.esp0; ebp: the user's stack. INT 0x80 finds it in the TSS.
__asm__(
    ".text\n"
    "down_by_iret: pushal\n"
    "  movl 36(%esp), %ebx\n"
    "  movl 40(%esp), %ecx\n"
    "  movl 44(%esp), %esi\n"
    "  movl 48(%esp), %edi\n"
    "  movl 52(%esp), %ebp\n"
    "  movl %esp, (%edi)\n"
    "  pushl $35\n"
    "  pushl %ebp\n"
    "  pushl $0x202\n"
    "  pushl $27\n"
    "  pushl $1f\n"
    "  iret\n"
    "1: call *%ebx\n"
    "  int $0x80\n"
    "down_back: addl $20, %esp\n"
    "  popal\n"
    "  ret\n"
    "down_call: pushal\n"
    "  movl 36(%esp), %ebx\n"
    "  movl 40(%esp), %ecx\n"
    "  movl 44(%esp), %esi\n"
    "  call *%ebx\n"
    "  popal\n"
    "  ret\n"
    "down_skip: addl $4, %esp\n"  // a fault of one byte
    "  incl (%esp)\n"
    "  iret\n");
extern const uint8_t down_back[], down_skip[];
void down_by_iret(const void *piece, uint32_t n, uint8_t *memory, uint32_t *esp0, uint8_t *stack);
void down_call(const void *piece, uint32_t n, uint8_t *memory);

PIECE(piece_loop, "1: decl %ecx\n\tjnz 1b");

void down_gate(unsigned vector, const void *handler, unsigned rights) { user_gate(vector, handler, rights); }

unsigned down_self(void) { return mmio32(APIC + 0x20) >> 24; }

void down_prepare(unsigned processor) {
  user_gate(0x80, down_back, 0xEE);
  user_gate(13, down_skip, 0x8E);
  user_prepare(processor);
}

void run_in(unsigned context, const void *piece, uint32_t n) {
  const unsigned processor = down_self();
  uint8_t *const memory = down_memory[processor];

  own_put(P2R_MARK, context == USER_MARKED || context == KERNEL_MARKED);
  if (context == USER || context == USER_MARKED)
    down_by_iret(piece, n, memory, &tss[processor].esp0, user_stack[processor] + sizeof user_stack[0]);
  else
    down_call(piece, n, memory);
  own_put(P2R_MARK, 0);
}

void p2_others(void (*main)(unsigned processor)) {
  if (!rt_others(PROCESSORS - 1, main)) bail(RT_NO_BOARD, "there are not %u processors", PROCESSORS);
}
#endif
