/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rt.h - runtime of the bare-metal programs for POWER: QEMU's pseries machine without firmware, `-bios program.bin`.
 *
 *   int program(void)     what a program defines; its result is said in the last line, "# status N"
 *   say, ok, is           output to the machine's first console, test lines as TAP has them
 *   rt_on, rt_taken       what a vector does (start.S has the handlers), how often it was taken
 *   rt_translate, rt_map  page tables: everything as it is, plus one window of 4 KB pages; data only
 *   mk_find               the i-th MULTIKRON card; its base address registers are placed here
 *   rt_config             configuration space of the first PCI bus
 *   rt_start              another processor
 *   rt_number             a number from the words of QEMU's option -name: "seed:7 cpus:2"
 *
 * Why pseries: it is the one machine of qemu-system-ppc64 whose processors have both byte orders and the vector facilities, whose
 * PCI bus needs no set-up (hypervisor calls reach its configuration space), and whose real mode, once a radix page
 * table is registered, reaches every physical address. No firmware runs: what is counted is the program's alone.
 */
#ifndef PERFBOARD_BARE_PPC_RT_H
#define PERFBOARD_BARE_PPC_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/multikron/regs.h"
#include "layout.h"
#include "../say.h"

int program(void);

/* --- exceptions ----------------------------------------------------------- */
enum {
  V_DSI = 0x300, V_DATA_SEGMENT = 0x380, V_ISI = 0x400, V_EXTERNAL = 0x500, V_ALIGNMENT = 0x600, V_PROGRAM = 0x700,
  V_FP = 0x800, V_DECREMENTER = 0x900, V_SYSCALL = 0xc00, V_VEC = 0xf20, V_VSX = 0xf40, V_FACILITY = 0xf60,
};
void rt_skip(void);
void rt_return(void);
void rt_tick(void);
void rt_map_it(void);
void rt_unexpected(void);
void rt_on(unsigned vector, void (*handler)(void));
static inline uint32_t rt_taken(unsigned vector) { return *(volatile uint32_t *)(uintptr_t)(RT_TAKEN + vector); }

enum { MSR_LE = 1, MSR_RI = 2, MSR_DR = 0x10, MSR_IR = 0x20, MSR_FP = 0x2000, MSR_EE = 0x8000, MSR_VSX = 0x800000, MSR_VEC = 0x2000000 };
static inline uint64_t mfmsr(void) {
  uint64_t v;
  __asm__ volatile("mfmsr %0" : "=r"(v));
  return v;
}
static inline void mtmsrd(uint64_t v) { __asm__ volatile("mtmsrd %0\n\tisync" ::"r"(v) : "memory"); }

/* --- translation ----------------------------------------------------------- */
#define RT_WINDOW 0x40000000ul /* 2 MB of effective addresses with a page table of their own */
enum { RT_ABSENT = 0, RT_READ = 4, RT_WRITE = 6 };
void rt_translate(bool on); /* data accesses through the page tables */
void rt_map(uint64_t effective, uint64_t real, unsigned rights);
void rt_prepare(uint64_t effective, uint64_t real, unsigned rights); /* absent until rt_map_it maps it */

/* --- machine --------------------------------------------------------------- */
uint64_t rt_call(unsigned number, uint64_t a, uint64_t b, uint64_t c, uint64_t d); /* of the hypervisor */
static inline uint32_t rt_big(uint32_t v) { /* from and to what the platform reads */
#ifdef __LITTLE_ENDIAN__
  return __builtin_bswap32(v);
#else
  return v;
#endif
}
/* RTAS. The first result; where second is not NULL, the second one. One processor at a time. */
uint32_t rt_service(uint32_t token, unsigned inputs, unsigned outputs, const uint32_t *arguments, uint32_t *second);
uint32_t rt_pci_find(uint32_t id, uint32_t nth);            /* the device number; 32: there is none */
uint64_t rt_pci_memory(uint32_t device, unsigned bar);      /* places it, once, and enables memory */
uint32_t rt_config(uint32_t device, uint32_t offset);       /* 32 bits; all ones: there is nothing */
void rt_config_put(uint32_t device, uint32_t offset, uint32_t v);
bool rt_start_again(uint32_t processor);                   /* as rt_start() did; false: it runs, or there is none */
void rt_start(uint32_t processor, void (*function)(void)); /* 1 to 7, on a stack of its own; must not return */
bool rt_number(const char *word, uint32_t *v);             /* decimal, behind the word and a colon */
static inline bool rt_option(const char *word) { return rt_number(word, NULL); }
static inline uint64_t timebase(void) { /* 512 MHz */
  uint64_t v;
  __asm__ volatile("mftb %0" : "=r"(v)::"memory");
  return v;
}

/* --- MULTIKRON: PCI is little-endian ---------------------------------------- */
struct mk {
  uint64_t four, eight, sample; /* real addresses of the windows */
};

#ifdef __LITTLE_ENDIAN__
#define RT_LWZ "lwzx"
#define RT_STW "stwx"
#define RT_LD "ldx"
#define RT_STD "stdx"
#else
#define RT_LWZ "lwbrx"
#define RT_STW "stwbrx"
#define RT_LD "ldbrx"
#define RT_STD "stdbrx"
#endif
static inline uint32_t mmio32(uint64_t at) {
  uint32_t v;
  __asm__ volatile(RT_LWZ " %0, 0, %1" : "=r"(v) : "r"(at) : "memory");
  return v;
}
static inline void mmio32_put(uint64_t at, uint32_t v) { __asm__ volatile(RT_STW " %0, 0, %1" ::"r"(v), "r"(at) : "memory"); }
static inline uint64_t mmio64(uint64_t at) {
  uint64_t v;
  __asm__ volatile(RT_LD " %0, 0, %1" : "=r"(v) : "r"(at) : "memory");
  return v;
}
static inline void mmio64_put(uint64_t at, uint64_t v) { __asm__ volatile(RT_STD " %0, 0, %1" ::"r"(v), "r"(at) : "memory"); }
static inline void mk_put(const struct mk *c, unsigned address, uint32_t v) { mmio32_put(c->eight + MKR_AT8(address), v); }
static inline uint32_t mk_get(const struct mk *c, unsigned address) { return mmio32(c->eight + MKR_AT8(address)); }
static inline void mk_put64(const struct mk *c, unsigned address, uint64_t v) { mmio64_put(c->eight + MKR_AT8(address), v); }
static inline uint64_t mk_get64(const struct mk *c, unsigned address) { return mmio64(c->eight + MKR_AT8(address)); }

#include "tests/guest/bare/rt/mk_start.h"

/* The address of these instructions, which stand apart. */
#define RT_CODE(at, text)                                                                                     \
  __asm__(".pushsection .text.cases, \"ax\"\n\t.balign 64\n\t.machine push\n\t.machine power9\n88:\n\t" text    \
          "\n\t.machine pop\n\t.popsection\n\tlis %0, 88b@ha\n\taddi %0, %0, 88b@l" : "=b"(at))

/* A loop of n iterations of one instruction that touches no memory. */
static inline void spin(uint64_t n) { __asm__ volatile("mtctr %0\n1:\tbdnz 1b" ::"r"(n) : "ctr"); }

#endif
