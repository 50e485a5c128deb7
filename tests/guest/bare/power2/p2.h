/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * p2.h - a small driver for the POWER2 performance monitor, and pieces of code to be counted; for x86, and for POWER in both byte orders.
 *
 *   p2_find()                           false: there is no card
 *   p2_get, p2_put                      a register of the card, through the little-endian window
 *   own_get, own_put                    a register of the executing processor's monitor
 *   p2_event("instructions")            where the event is counted; bails out if there is none
 *   p2_event_of("loads", P2_FXU0, 8)    the same, in that group of the unit with that first counter
 *
 *   PIECE(name, "li 6, 1\n\t...")       a piece of code. x86: ECX is n, ESI memory; POWER: r6 is n, r7 memory. It may change these,
 *                                       and EAX, EDX, EDI, EBP; r3 to r5, r8 to r10, CTR, XER, CR0, floating-point registers
 *   p2_others(main)                     the other processors begin there, PROCESSORS in all
 *   down_prepare(processor)             once on each processor, that processor itself
 *   run_in(KERNEL_MARKED, name, n)      the piece, in that context, and back
 *   p2_measure(event, context, name, n) what the event's counter counts meanwhile, the way there and back included. The group is
 *                                       chosen (MMCR) already
 */
#ifndef PERFBOARD_BARE_P2_H
#define PERFBOARD_BARE_P2_H

#ifdef __powerpc64__
#include "rt.h"
#else
#include "../rt/rt.h"
#endif
#include "guest/power2/regs.h"

/* --- the card --- */
struct p2 {
  uintptr_t little, big; /* addresses of the windows */
};
extern struct p2 p2;
struct p2_event {
  const char *name;
  uint32_t mmcr;    /* the group's bits, or SGA */
  unsigned counter; /* of 22 */
};

/* The published rows: a unit, or one of these. */
enum { P2_ROW_SGA = P2_UNITS, P2_ROW_DEDICATED };
struct p2_row {
  const char *name;
  uint8_t unit, group, counter;
};
extern const struct p2_row p2_rows[];
extern const unsigned p2_row_count;
bool p2_equal(const char *a, const char *b);

bool p2_find(void);
struct p2_event p2_event(const char *name);
struct p2_event p2_event_of(const char *name, unsigned first, unsigned group);
/* The counters of instructions, loads, stores, branches, exceptions and interrupts, and the MMCR that has them all. */
uint32_t p2_of_accesses(unsigned counter[6]);

static inline uint32_t p2_get(uint32_t offset) { return mmio32(p2.little + offset); }
static inline void p2_put(uint32_t offset, uint32_t v) { mmio32_put(p2.little + offset, v); }
static inline uint32_t own_get(uint32_t r) { return p2_get(P2R_OWN + r); }
static inline void own_put(uint32_t r, uint32_t v) { p2_put(P2R_OWN + r, v); }
static inline uint32_t p2_count(struct p2_event e) { return own_get(P2R_COUNTER(e.counter)); }

/* --- pieces of code --- */
enum { USER, KERNEL, USER_MARKED, KERNEL_MARKED, CONTEXTS };
extern const char *const contexts[CONTEXTS];
enum { PROCESSORS = 4 };

#ifdef __powerpc64__
#define PIECE_ENDS "sc"
#else
#define PIECE_ENDS "ret"
#endif
#define PIECE(name, text)                                                        \
  __asm__("\t.text\n\t.globl " #name "\n\t.balign 64\n" #name ":\n\t" text "\n\t" PIECE_ENDS "\n"); \
  extern const uint8_t name[]

extern const uint8_t piece_loop[]; /* 2n instructions that touch nothing, and one more on POWER; n >= 1 */
extern uint8_t down_memory[PROCESSORS][8192];

void p2_others(void (*main)(unsigned processor));
#ifdef __powerpc64__
static inline void relax(void) { __asm__ volatile("" ::: "memory"); }
#else
static inline void relax(void) { __asm__ volatile("pause" ::: "memory"); }
#endif
unsigned down_self(void); /* the number of the executing processor */
void down_prepare(unsigned processor);
#ifndef __powerpc64__
void down_gate(unsigned vector, const void *handler, unsigned rights);
#endif
void run_in(unsigned context, const void *piece, uint32_t n);
uint32_t p2_measure(struct p2_event e, unsigned context, const void *piece, uint32_t n);

#endif
