// SPDX-License-Identifier: GPL-2.0-or-later
// bus - a node without caches: each load and each store is a bus cycle, and the SNI counts them (BRD, BWR) to the last one,
// whether translated code counts an access by itself or a callback does: aligned or not, across pages, of devices, of the processor's own
// registers, and while an open packet waits for the next cycle.
//
// Needs an SNI with l1d-size=0,l2-size=0.
#include "../rt/boards.h"

enum { TIMES = 1000 };

static uint8_t source[PAGE] __attribute__((aligned(4096)));
static uint8_t arrived[PAGE] __attribute__((aligned(4096)));
static uint8_t plain[2 * PAGE] __attribute__((aligned(4096)));
static uint32_t surf_register;

struct bus {
  uint64_t reads, writes;
};
static struct bus bus_now(void) { return (struct bus){sni64(SNI_BRD), sni64(SNI_BWR)}; }

// Of f(), and of what is around it, which is the same each time.
static __attribute__((noinline)) struct bus cycles_of(void (*f)(void)) {
  const struct bus before = bus_now();
  f();
  const struct bus after = bus_now();
  return (struct bus){after.reads - before.reads, after.writes - before.writes};
}

// A function that does it TIMES times. %ebx: plain[], %esi: source[], %edi: the SurfBoard's registers.
#define REPEAT(name, what)                                                        \
  static void name(void) {                                                        \
    __asm__ volatile("movl %0, %%ecx\n1:\t" what "\n\tdecl %%ecx\n\tjnz 1b"        \
                     :                                                            \
                     : "i"(TIMES), "b"(plain), "S"(source), "D"(surf_register)    \
                     : "eax", "edx", "ecx", "memory", "cc");                      \
  }
REPEAT(nothing, "")
REPEAT(load_1, "movb 3(%%ebx), %%al")
REPEAT(load_2, "movw 6(%%ebx), %%ax")
REPEAT(load_4, "movl 8(%%ebx), %%eax")
REPEAT(load_4_across_words, "movl 5(%%ebx), %%eax")
REPEAT(load_4_in_line, "movl 4091(%%ebx), %%eax")
REPEAT(load_4_across_pages, "movl 4094(%%ebx), %%eax")
REPEAT(store_1, "movb %%al, 4095(%%ebx)")
REPEAT(store_2, "movw %%ax, 2(%%ebx)")
REPEAT(store_2_across_pages, "movw %%ax, 4095(%%ebx)")
REPEAT(store_4, "movl %%eax, 4096(%%ebx)")
REPEAT(store_4_across_words, "movl %%eax, 4097(%%ebx)")
REPEAT(store_4_across_pages, "movl %%eax, 4093(%%ebx)")
REPEAT(stack, "pushl %%eax\n\tpopl %%eax")
REPEAT(locked, "lock; incl 12(%%ebx)")
REPEAT(exchange, "xchgl %%eax, 16(%%ebx)")
REPEAT(change, "addl $1, 20(%%ebx)")
REPEAT(all_pushed, "pusha\n\taddl $32, %%esp")
REPEAT(device_load, "movl (%%edi), %%eax")
REPEAT(own_load, "movl 0xFEE00020, %%eax")
REPEAT(many, "movl (%%ebx), %%eax\n\tmovl %%eax, 4(%%ebx)\n\tmovl 4094(%%ebx), %%eax\n\tmovb %%al, (%%ebx)\n\tmovl (%%edi), %%edx")
REPEAT(packet_and_load, "movl %%ecx, (%%esi)\n\tmovl (%%ebx), %%eax")
REPEAT(packet_and_store, "movl %%ecx, 4(%%esi)\n\tmovl %%eax, (%%ebx)")
REPEAT(packet_and_load_later, "movl %%ecx, 8(%%esi)\n\tnop\n\tnop\n\tmovb 1(%%ebx), %%al\n\tmovl (%%ebx), %%eax")

static const struct {
  const char *name;
  void (*does)(void);
  unsigned reads, writes;  // each time
  int ends;                // how a packet ends each time; -1: none is open
} kCases[] = {
    {"a load of 1 byte", load_1, 1, 0, -1},
    {"a load of 2 bytes", load_2, 1, 0, -1},
    {"a load of 4 bytes", load_4, 1, 0, -1},
    {"a load across words", load_4_across_words, 1, 0, -1},
    {"a load that ends before a page does", load_4_in_line, 1, 0, -1},
    {"a load across pages", load_4_across_pages, 2, 0, -1},
    {"a store of 1 byte", store_1, 0, 1, -1},
    {"a store of 2 bytes", store_2, 0, 1, -1},
    {"a store of 2 bytes across pages", store_2_across_pages, 0, 2, -1},
    {"a store of 4 bytes", store_4, 0, 1, -1},
    {"a store across words", store_4_across_words, 0, 1, -1},
    {"a store across pages", store_4_across_pages, 0, 2, -1},
    {"push and pop", stack, 1, 1, -1},
    {"a locked increment", locked, 1, 1, -1},
    {"an exchange", exchange, 1, 1, -1},
    {"an addition in memory", change, 1, 1, -1},
    {"pusha", all_pushed, 0, 8, -1},
    {"a load of a device's register", device_load, 1, 0, -1},
    {"a load of the processor's own register", own_load, 0, 0, -1},
    {"one of many kinds", many, 4, 2, -1},
    {"a store to a combining page, and a load", packet_and_load, 1, 0, ENDR},
    {"a store to a combining page, and another store", packet_and_store, 0, 1, ENDN},
    {"a store to a combining page, and two loads", packet_and_load_later, 2, 0, ENDR},
};

static void check(unsigned i) {
  struct counts before, c;
  settle();
  counts_read(&before);
  const struct bus all = cycles_of(kCases[i].does), around = cycles_of(nothing);
  counts_since(&c, &before);
  const uint64_t reads = all.reads - around.reads, writes = all.writes - around.writes;
  const uint64_t ended = kCases[i].ends < 0 ? TIMES : c.end[kCases[i].ends];
  const bool good = reads == TIMES * kCases[i].reads && writes == TIMES * kCases[i].writes && ended == TIMES;
  ok(good, "%s: %u reads, %u writes", kCases[i].name, kCases[i].reads, kCases[i].writes);
  if (!good) say("# %u times: %llu reads, %llu writes, %llu packets ended\n", TIMES, reads, writes, ended);
}

int program(void) {
  boards_start();
  surf_register = boards.surf_regs + SURF_ISCR;
  au_export(arrived, 0, false);
  au_map(source, arrived, AU_COMB | AU_BOUND(4));
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE);
  for (unsigned i = 0; i < sizeof kCases / sizeof kCases[0]; i++) check(i);
  sni_put(SNI_SCR, 0);
  return done_testing();
}
