// SPDX-License-Identifier: GPL-2.0-or-later
// Where output goes, exit, and the processor's tables. See rt.h.
#include "rt.h"

#include "rt_internal.h"

// GCC may call these for structures and loops even in freestanding code.
void *memset(void *to, int byte, size_t n) {
  uint8_t *p = to;
  __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(byte) : "memory");
  return to;
}
void *memcpy(void *to, const void *from, size_t n) {
  void *p = to;
  __asm__ volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(n)::"memory");
  return to;
}

// --- output -------------------------------------------------------------------
void rt_put(char c) { outb(0xE9, (uint8_t)c); }

void rt_exit(int status) {
  irq_off();
  outl(0xF4, (uint32_t)status);  // isa-debug-exit; what follows runs only on a machine without it
  outw(0x604, 0x2000);           // ACPI PM1a control: SLP_EN, type 0, as QEMU's PCs have it
  for (;;) __asm__ volatile("cli; hlt");
}

// --- interrupts and exceptions ------------------------------------------------
enum { VECTORS = 48, IRQ_BASE = 32, PIC1 = 0x20, PIC2 = 0xA0, ELCR = 0x4D0 };

struct gate {
  uint16_t low, selector;
  uint8_t zero, type;
  uint16_t high;
} __attribute__((packed));
static struct gate idt[VECTORS];
static trap_handler traps[IRQ_BASE];
static irq_handler irqs[16];
extern const uint8_t rt_stubs[];

void rt_trap(struct frame *f) {
  if (f->vector < IRQ_BASE) {
    if (traps[f->vector] && traps[f->vector](f)) return;
    bail(RT_TRAP, "exception %u, error %x, at %08x, cr2 %08x, esp %08x", f->vector, f->error, f->eip, cr2(),
         f->esp);
  }
  unsigned irq = f->vector - IRQ_BASE;
  if (irq == 7 || irq == 15) {  // a line that fell before it was acknowledged: not in service
    outb(irq == 7 ? PIC1 : PIC2, 0x0B);
    if (!(inb(irq == 7 ? PIC1 : PIC2) & 0x80)) {
      if (irq == 15) outb(PIC1, 0x20);
      return;
    }
  }
  if (irqs[irq])
    irqs[irq]();
  else
    bail(RT_TRAP, "interrupt %u that nobody wants", irq);
  if (irq >= 8) outb(PIC2, 0x20);
  outb(PIC1, 0x20);
}

void rt_on_trap(unsigned vector, trap_handler handler) { traps[vector] = handler; }

void rt_irq(unsigned irq, bool level, irq_handler handler) {
  uint16_t mask_port = irq < 8 ? PIC1 + 1 : PIC2 + 1, elcr = ELCR + irq / 8;
  uint8_t bit = (uint8_t)(1u << irq % 8);
  irqs[irq] = handler;
  outb(elcr, level ? inb(elcr) | bit : inb(elcr) & ~bit);
  outb(mask_port, handler ? inb(mask_port) & ~bit : inb(mask_port) | bit);
}

static void tables(void) {
  for (unsigned v = 0; v < VECTORS; v++) {
    uint32_t at = (uint32_t)rt_stubs + 16 * v;
    idt[v] = (struct gate){(uint16_t)at, 8, 0, 0x8E, (uint16_t)(at >> 16)};
  }
  struct {
    uint16_t limit;
    uint32_t base;
  } __attribute__((packed)) pointer = {sizeof idt - 1, (uint32_t)idt};
  __asm__ volatile("lidt %0" ::"m"(pointer));
  static const struct {
    uint8_t port, value;
  } setup[] = {
      {PIC1, 0x11},     {PIC2, 0x11},  // ICW1: cascade, ICW4 follows
      {PIC1 + 1, 32},   {PIC2 + 1, 40},   {PIC1 + 1, 4},
      {PIC2 + 1, 2},    {PIC1 + 1, 1},    {PIC2 + 1, 1},  // 8086 mode
      {PIC1 + 1, 0xFB}, {PIC2 + 1, 0xFF},                 // all masked but the cascade
  };
  for (unsigned i = 0; i < sizeof setup / sizeof *setup; i++) outb(setup[i].port, setup[i].value);
}

// --- paging -------------------------------------------------------------------
static uint32_t directory[1024] __attribute__((aligned(4096)));
static uint32_t window[1024] __attribute__((aligned(4096)));

void rt_paging(void) {
  for (uint32_t i = 0; i < 1024; i++) directory[i] = i << 22 | 0x83;  // 4 MB pages, as they are
  directory[RT_WINDOW >> 22] = (uint32_t)window | 3;
  __asm__ volatile(
      "movl %%cr4, %%eax\n\torl $0x10, %%eax\n\tmovl %%eax, %%cr4\n\t"  // PSE
      "movl %0, %%cr3\n\t"
      "movl %%cr0, %%eax\n\torl $0x80010000, %%eax\n\tmovl %%eax, %%cr0"  // PG, WP
      ::"r"(directory)
      : "eax", "memory");
}

void rt_large(uint32_t address, uint32_t bits) {
  directory[address >> 22] = (address & 0xFFC00000u) | 0x83 | bits;
  __asm__ volatile("invlpg (%0)" ::"r"(address) : "memory");
}

void rt_map(uint32_t virtual_address, uint32_t physical, unsigned rights) {
  window[virtual_address >> 12 & 1023] = (physical & ~0xFFFu) | rights;
  __asm__ volatile("invlpg (%0)" ::"r"(virtual_address) : "memory");
}

void rt_main(uint32_t magic, const struct multiboot *mb) {
  tables();
  if (magic != 0x2BADB002) bail(RT_NO_BOARD, "not started by a multiboot loader (eax %08x)", magic);
  rt_machine(mb);
  rt_exit(program());
}
