// SPDX-License-Identifier: GPL-2.0-or-later
// x86: privilege level 3 by IRET, and back by INT 0x80; the mark is the monitor's register.
#include "p2.h"

struct tss {
  uint32_t back, esp0, ss0, rest[23];
};
struct __attribute__((packed)) pointer {
  uint16_t limit;
  const void *base;
};
enum { KERNEL_CODE = 8, KERNEL_DATA = 16, USER_DATA = 35, TSS = 40, TSS_BYTES = 104 };
enum { APIC = 0xFEE00000 };

const char *const contexts[CONTEXTS] = {"user", "kernel", "user, marked", "kernel, marked"};
uint8_t down_memory[PROCESSORS][8192] __attribute__((aligned(4096)));
static struct tss tss[PROCESSORS];
static uint8_t user_stack[PROCESSORS][256];
static uint64_t gdt[5 + PROCESSORS] = {0, 0x00CF9B000000FFFF, 0x00CF93000000FFFF, 0x00CFFB000000FFFF, 0x00CFF3000000FFFF};
static uint64_t idt[256];

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

void down_gate(unsigned vector, const void *handler, unsigned rights) {
  idt[vector] = ((uint64_t)(uint32_t)handler & 0xffff) | KERNEL_CODE << 16 | (uint64_t)rights << 40 |
                ((uint64_t)(uint32_t)handler >> 16) << 48;
}

unsigned down_self(void) { return mmio32(APIC + 0x20) >> 24; }

void down_prepare(unsigned processor) {
  const uint64_t base = (uint32_t)&tss[processor];
  gdt[TSS / 8 + processor] = (sizeof tss[0] - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24) << 56;
  tss[processor].ss0 = KERNEL_DATA;
  down_gate(0x80, down_back, 0xEE);
  down_gate(13, down_skip, 0x8E);
  const struct pointer g = {sizeof gdt - 1, gdt}, i = {sizeof idt - 1, idt};
  __asm__ volatile("lgdt %0\n\tlidt %1\n\tmovw %w2, %%ds\n\tmovw %w2, %%es\n\tmovw %w3, %%ss\n\tltr %w4"
                   :
                   : "m"(g), "m"(i), "r"(USER_DATA), "r"(KERNEL_DATA), "r"(TSS + 8 * processor)
                   : "memory");
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
