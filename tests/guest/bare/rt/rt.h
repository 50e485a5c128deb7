/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rt.h - runtime of the bare-metal programs: no operating system, one processor, ring 0, flat.
 *
 *   int program(void)        what a program defines; the tests' result is the exit status
 *   say, ok, is              output to the debug console (port 0xE9), test lines as TAP has them
 *   rt_irq                   a handler on an interrupt level through the two 8259s, edge or level
 *   rt_on_trap               a handler for a processor exception; it may change the frame
 *   rt_paging, rt_map        page tables: everything as it is, plus one window of 4 KB pages
 *   rt_free_window           physical addresses that neither memory nor any PCI device uses
 *   rt_module                files given with -initrd
 *   rt_second, rt_other(s)   a second processor, a certain one, or all
 *
 * Status: 0 passed, 1 a test failed, 2 no board or no memory, 3 unexpected exception, written to
 * the debug exit device at port 0xF4 (QEMU ends with 2 * status + 1), or ACPI power-off without it.
 */
#ifndef PERFBOARD_BARE_RT_H
#define PERFBOARD_BARE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "say.h"

int program(void);


static inline void outb(uint16_t port, uint8_t v) { __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port)); }
static inline void outw(uint16_t port, uint16_t v) { __asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port)); }
static inline void outl(uint16_t port, uint32_t v) { __asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port)); }
static inline uint8_t inb(uint16_t port) {
  uint8_t v;
  __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
  return v;
}
static inline uint16_t inw(uint16_t port) {
  uint16_t v;
  __asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
  return v;
}
static inline uint32_t inl(uint16_t port) {
  uint32_t v;
  __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
  return v;
}
/* PCI configuration space, mechanism 1. */
static inline uint32_t pci_config(uint32_t bus, uint32_t device, uint32_t function, uint32_t offset) {
  outl(0xCF8, 0x80000000u | bus << 16 | device << 11 | function << 8 | offset);
  return inl(0xCFC);
}
static inline void pci_config_put(uint32_t bus, uint32_t device, uint32_t function, uint32_t offset, uint32_t v) {
  outl(0xCF8, 0x80000000u | bus << 16 | device << 11 | function << 8 | offset);
  outl(0xCFC, v);
}
uint32_t rt_pci_find(uint32_t id, uint32_t nth);       /* on the first bus; 32: there is none */
uint32_t rt_pci_memory(uint32_t device, unsigned bar); /* where it is; enables memory */
static inline uint32_t mmio32(uint32_t address) {
  uint32_t v;
  __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*(const volatile uint32_t *)address) : "memory");
  return v;
}
static inline void mmio32_put(uint32_t address, uint32_t v) {
  __asm__ volatile("movl %1, %0" : "=m"(*(volatile uint32_t *)address) : "r"(v) : "memory");
}

/* --- interrupts and exceptions -------------------------------------------- */
struct frame {
  uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax;
  uint32_t vector, error;
  uint32_t eip, cs, eflags;
};
typedef void (*irq_handler)(void);
typedef bool (*trap_handler)(struct frame *f); /* false: not mine */

void rt_irq(unsigned irq, bool level, irq_handler handler); /* NULL masks it */
void rt_on_trap(unsigned vector, trap_handler handler);
/* The handler itself, with nothing of ours around it. */
static inline void rt_gate(unsigned vector, const uint8_t *handler) {
  struct __attribute__((packed)) {
    uint16_t limit;
    uint32_t base;
  } idt;
  __asm__ volatile("sidt %0" : "=m"(idt));
  uint32_t *const gate = (uint32_t *)(idt.base + 8 * vector);
  gate[0] = 0x00080000u | ((uint32_t)handler & 0xffff);
  gate[1] = ((uint32_t)handler & 0xffff0000u) | 0x8e00;
}
static inline void irq_on(void) { __asm__ volatile("sti" ::: "memory"); }
static inline void irq_off(void) { __asm__ volatile("cli" ::: "memory"); }
static inline uint32_t cr2(void) {
  uint32_t v;
  __asm__ volatile("movl %%cr2, %0" : "=r"(v));
  return v;
}

/* --- paging --------------------------------------------------------------- */
#define RT_WINDOW 0x40000000u /* 4 MB of virtual addresses with a page table of their own */
enum { RT_ABSENT = 0, RT_READ = 1, RT_WRITE = 3, RT_PWT = 8, RT_PCD = 16, RT_PAT = 128 };
void rt_paging(void);
void rt_large(uint32_t address, uint32_t bits); /* the 4 MB around it, which lie where they are: more bits of their entry */
void rt_map(uint32_t virtual_address, uint32_t physical, unsigned rights);

/* --- machine -------------------------------------------------------------- */
uint32_t rt_free_window(uint32_t bytes, uint32_t alignment); /* 0: none */
const uint8_t *rt_module(const char *name, uint32_t *bytes); /* NULL: not given; name is a part of its line */
const char *rt_module_line(unsigned i);
bool rt_option(const char *word); /* given with -append */
bool rt_number(const char *word, uint32_t *value); /* the digits behind the word, which is given with -append */
/* n other processors, all that there are, 7 at most, begin there, each on a stack of 4 KB; false: they are not there. */
bool rt_others(unsigned n, void (*main)(unsigned processor));
bool rt_other(unsigned processor, void (*main)(unsigned processor)); /* that one alone; false: it is not there */
/* On its way into main a processor stores to its stack. Who counts stores lets each say when it only waits, and waits for all that have begun. */
void rt_wait_now(void);
void rt_all_wait(void);
bool rt_second(void (*main)(void)); /* the second processor begins there, on a stack of its own; false: there is none */

/* Under icount the time stamp counter counts virtual ns. */
static inline uint64_t now_ns(void) {
  uint64_t v;
  __asm__ volatile("rdtsc" : "=A"(v));
  return v;
}

/* A loop of n iterations of two instructions that touches no memory. */
static inline void spin(uint32_t n) { __asm__ volatile("1: decl %0\n\tjnz 1b" : "+r"(n)); }

#endif
