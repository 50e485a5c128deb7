// SPDX-License-Identifier: GPL-2.0-or-later
// history - the same piece counts the same whatever was counted before it: for the first time, again, behind other groups, and when
// nothing has been watched for more than the second after which sources go off. The store that begins and the one that
// ends counting are in it: the numbers that follow from the manual page's rule are written beside each event.
#include "p2.h"

enum { STORES = 16, LOADS = 8 };

// From the store that begins to the one that ends; little-endian window. In registers, so that nothing else is between them.
static void __attribute__((noinline)) counted(uint32_t begin, uint32_t end) {
  const uintptr_t mmcr = p2.little + P2R_OWN + P2R_MMCR;
  uint8_t *const memory = down_memory[0];
#define EIGHT(text, at) text(at, 0) text(at, 4) text(at, 8) text(at, 12) text(at, 16) text(at, 20) text(at, 24) text(at, 28)
#ifdef __powerpc64__
#define STORE(from, at) "stw " from ", " #at "(%3)\n\t"
#define LOAD(to, at) "lwz " to ", " #at "(%3)\n\t"
  __asm__ volatile(RT_STW " %0, 0, %2\n\t" EIGHT(STORE, "%0") EIGHT(LOAD, "9") EIGHT(STORE, "%0") RT_STW " %1, 0, %2"
                   :
                   : "r"(begin), "r"(end), "r"(mmcr), "b"(memory)
                   : "r9", "memory");
#else
#define STORE(from, at) "movl " from ", " #at "(%3)\n\t"
#define LOAD(to, at) "movl " #at "(%3), " to "\n\t"
  __asm__ volatile("movl %0, (%2)\n\t" EIGHT(STORE, "%0") EIGHT(LOAD, "%%eax") EIGHT(STORE, "%0") "movl %1, (%2)"
                   :
                   : "r"(begin), "r"(end), "r"(mmcr), "r"(memory)
                   : "eax", "memory");
#endif
}

// What begins counting is an access, but no instruction, of what is counted; what ends it is an instruction, but no access.
enum { BEGINS = 1, ENDS = 1 };
static const struct {
  const char *event;
  uint32_t n;
  bool pause; /* behind which it is measured as well */
} cases[] = {
    {"stores", STORES + BEGINS, true},
    {"loads", LOADS, false},
    {"accesses", STORES + LOADS + BEGINS, true},
    {"io_stores", BEGINS, true},
    {"io_loads", 0, false},
    {"io_requests", BEGINS, false},
    {"instructions", STORES + LOADS + ENDS, true},
    {"fx_store", STORES + ENDS, false},
    {"storage_instructions", STORES + LOADS + ENDS, false},
    {"exceptions", 0, false},
    {"interrupts", 0, false},
    {"special_numbers", 0, false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static uint32_t measure(const char *event, uint32_t end) {
  const struct p2_event e = p2_event(event);
  own_put(P2R_COUNTER(e.counter), 0);
  counted(e.mmcr, end);
  const uint32_t n = p2_count(e);
  own_put(P2R_MMCR, P2_MMCR_DIS);
  return n;
}

static void all(const char *when) {
  for (unsigned i = 0; i < CASES; i++) is(measure(cases[i].event, P2_MMCR_DIS), cases[i].n, "%s: %s", when, cases[i].event);
}

// Of virtual time; more than a second.
static void rest(void) {
#ifdef __powerpc64__
  for (const uint64_t from = timebase(); timebase() - from < 600000000;) spin(100000);
#else
  // The ACPI timer of these machines is not set up; channel 2 of the 8254 counts 1193182 a second, and is read as it goes.
  enum { TICKS = 1300000 };
  outb(0x61, (inb(0x61) & 0xfc) | 1);
  outb(0x43, 0xb4); /* channel 2, both bytes, rate */
  outb(0x42, 0);
  outb(0x42, 0);
  uint32_t passed = 0;
  uint16_t last = 0;
  while (passed < TICKS) {
    outb(0x43, 0x80);
    const uint16_t low = inb(0x42), now = (uint16_t)(low | inb(0x42) << 8);
    passed += (uint16_t)(last - now);
    last = now;
    spin(10000);
  }
#endif
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  down_prepare(0);
  own_put(P2R_MMCR, P2_MMCR_DIS);
  // Behind a pause the sources are off; and again at once.
  for (unsigned i = 0; i < CASES; i++) {
    if (!cases[i].pause) continue;
    rest();
    is(measure(cases[i].event, P2_MMCR_DIS), cases[i].n, "behind a pause: %s", cases[i].event);
    is(measure(cases[i].event, P2_MMCR_DIS), cases[i].n, "again: %s", cases[i].event);
  }
  all("in turn");
  // Counting ends for other reasons than DIS.
  for (unsigned i = 0; i < CASES; i++)
    is(measure(cases[i].event, p2_event(cases[i].event).mmcr | P2_MMCR_DP), cases[i].n, "ended by DP: %s", cases[i].event);
  measure("dcache_mis", P2_MMCR_DIS);
  all("behind misses");
  return done_testing();
}
