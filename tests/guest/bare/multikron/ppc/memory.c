// SPDX-License-Identifier: GPL-2.0-or-later
// memory - what MULTIKRON's event sources make of an access's address on POWER: what its own instructions access, in a range of physical
// addresses and in the model of the data cache; what empties the model of a data TLB, and whose: tlbie of one processor reaches all, tlbiel and
// a new process identifier only its own. The counts of each case are written beside it by hand. Two processors.
#include "rt.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // counts that are left out are 0

// The inputs, as meson.build connects them.
enum { LOADS, STORES, PAGES, WORD, DCACHE, TLB, SOURCES, TLB_OF_SECOND = SOURCES };
static const char *const names[SOURCES] = {"loads", "stores", "pages", "one word", "dcache-misses", "tlb-misses"};
enum { PAGE = 4096, PIDR = 48 };
#define RANGE 0x02000000ul  // pages: its first 8 KB; word: RANGE + 0x800..0x803
#define W RT_WINDOW

static struct mk mk;
struct counts {
  uint32_t n[SOURCES];
};

// Counters count from the store to ENABLE to that to DISABLE; nothing else accesses memory between.
static void run(const char *name, struct counts expected, bool judged, void *code, uint64_t a, uint64_t b) {
  register uint64_t r3 __asm__("r3") = a, r4 __asm__("r4") = b;
  mk_put(&mk, MKR_RRESET, 0xffff);
  __asm__ volatile(
      "mtctr %[code]\n\t" RT_STW " %[all], 0, %[enable]\n\tb 1f\n1:\tbctrl\n\t" RT_STW " %[all], 0, %[disable]"
      : "+r"(r3), "+r"(r4)
      : [code] "r"(code), [all] "r"(0xffff), [enable] "r"(mk.eight + MKR_AT8(MKR_ENABLE)), [disable] "r"(mk.eight + MKR_AT8(MKR_DISABLE))
      : "r0", "r5", "r6", "r7", "r8", "ctr", "lr", "cr0", "memory");
  if (!judged) return;
  bool good = true;
  for (unsigned i = 0; i < SOURCES; i++) {
    const uint64_t n = mk_get64(&mk, MKR_COUNTER(i));
    if (n == expected.n[i]) continue;
    good = false;
    say("# %s: %s: expected %u, seen %lu\n", name, names[i], expected.n[i], n);
  }
  ok(good, "%s: %u loads, %u stores, %u in the range, %u of the word, %u cache misses, %u TLB misses", name, expected.n[LOADS],
     expected.n[STORES], expected.n[PAGES], expected.n[WORD], expected.n[DCACHE], expected.n[TLB]);
}

#define EXPAND(...) {{__VA_ARGS__}}
#define DO(judged, a, b, name, expected, text)                                                                \
  do {                                                                                                        \
    void *f;                                                                                                  \
    RT_CODE(f, text "\n\tblr");                                                                               \
    run(name, (struct counts)EXPAND expected, judged, f, a, b);                                               \
  } while (0)
#define CASE(a, b, name, expected, text) DO(true, a, b, name, expected, text)
#define PREPARE(a, b, text) DO(false, a, b, "", (0), text)

// (loads, stores, in the range, of the word); the cache's and the TLB's are apart.
static void ranges(uint64_t at) {
#define RANGED(name, loads, stores, pages, word, misses, tlb, text) CASE(at, at + PAGE, name, (loads, stores, pages, word, misses, tlb), text)
  // Brings all lines into the cache, no three of one set, and all pages into the TLB.
  PREPARE(at, at + PAGE, "lwz 5, 0(3)\n\tlwz 5, 0x7e0(3)\n\tlwz 5, 0x800(3)\n\tlwz 5, 0x820(3)\n\tlwz 5, 0x840(3)\n\tlwz 5, 0x860(3)\n\t"
          "lwz 5, -8(3)\n\tlwz 5, 0xff8(4)\n\tlwz 5, 0x1000(4)");
  RANGED("a load, a store", 1, 1, 2, 0, 0, 0, "lwz 5, 0(3)\n\tstw 5, 0(3)");
  RANGED("byte-reversed, sixteen bytes", 3, 0, 3, 2, 0, 0, "addi 6, 3, 0x800\n\tlwbrx 5, 0, 6\n\tlvx 0, 0, 6\n\tlfd 0, 0(3)");
  RANGED("reserve, store", 1, 1, 2, 2, 0, 0, "addi 6, 3, 0x800\n\tlwarx 5, 0, 6\n\tstwcx. 5, 0, 6");
  RANGED("a line of 128 bytes", 0, 16, 16, 1, 0, 0, "addi 6, 3, 0x800\n\tdcbz 0, 6");
  RANGED("store multiple", 0, 4, 4, 1, 0, 0, "addi 6, 3, 0x7fc\n\tstmw 28, 0(6)");
  RANGED("store multiple across the end", 0, 4, 2, 0, 0, 0, "addi 6, 4, 0xff8\n\tstmw 28, 0(6)");
}

// r3: a line of 32 bytes that no case has touched.
static void cache(uint64_t at) {
#define CACHED(line, name, loads, stores, misses, text) CASE(at + 32 * (line), 0, name, (loads, stores, 0, 0, misses), text)
  CACHED(8, "sixteen bytes of one line", 1, 0, 1, "lvx 0, 0, 3");
  CACHED(12, "a line of 128 bytes that is not there", 4, 16, 20, "dcbz 0, 3\n\tlwz 5, 0(3)\n\tlwz 5, 32(3)\n\tlwz 5, 64(3)\n\tlwz 5, 96(3)");
  CACHED(16, "load multiple", 4, 0, 1, "mr 5, 28\n\tmr 6, 29\n\tmr 7, 30\n\tmr 8, 31\n\tlmw 28, 0(3)\n\tmr 28, 5\n\tmr 29, 6\n\tmr 30, 7\n\tmr 31, 8");
}

// A look is one load between two readings of the processor's counter of misses, and says how many there were.
static uint64_t look(unsigned counter, uint64_t address) {
  mk_get64(&mk, MKR_COUNTER(counter));  // the counter's own page is at hand then
  const uint64_t before = mk_get64(&mk, MKR_COUNTER(counter));
  (void)*(volatile uint32_t *)address;
  return mk_get64(&mk, MKR_COUNTER(counter)) - before;
}

// What the second is asked for, and its answer.
static volatile unsigned asked, answered;
static volatile uint64_t where, misses;
static void second(void) {
  rt_translate(true);
  for (unsigned i = 1;; i++) {
    while (asked != i)
      ;
    misses = look(TLB_OF_SECOND, where);
    __asm__ volatile("sync" ::: "memory");
    answered = i;
  }
}
static uint64_t look_second(uint64_t address) {
  where = address;
  __asm__ volatile("sync" ::: "memory");
  const unsigned i = ++asked;
  while (answered != i)
    ;
  return misses;
}

// Radix, a page of a process: R and PRS 1, RIC and IS 0.
#define INVALIDATE(name, address)                                                                                  \
  __asm__ volatile("ptesync\n\t.machine push\n\t.machine power9\n\t" name " %0, %1, 0, 1, 1\n\t.machine pop\n\tptesync" ::"r"(address), \
                   "r"(0ul) : "memory")

static void both(const char *what, uint64_t first, uint64_t of_second) {
  is(look(TLB, W), first, "%s: the first's misses", what);
  is(look_second(W), of_second, "%s: the second's", what);
}

static void tlb(void) {
  mk_put(&mk, MKR_RRESET, 0xffff);
  mk_put(&mk, MKR_ENABLE, 0xffff);
  rt_map(W, RANGE, RT_WRITE);
  rt_map(W + PAGE, RANGE, RT_WRITE);
  rt_start(1, second);
  is(look(TLB, RANGE), 0, "without translation nothing misses");
  rt_translate(true);
  both("touched for the first time", 1, 1);
  both("again", 0, 0);
  INVALIDATE("tlbie", W + PAGE);
  both("tlbie of another page", 0, 0);
  INVALIDATE("tlbie", W);
  both("tlbie", 1, 1);
  INVALIDATE("tlbiel", W);
  both("tlbiel", 1, 0);
  __asm__ volatile("mtspr %0, %1\n\tisync" ::"i"(PIDR), "r"(0ul) : "memory");
  both("the process identifier written", 1, 0);
  rt_map(W + PAGE, RANGE, RT_WRITE);
  both("tlbie of everything", 1, 1);
  for (unsigned i = 0; i < 100; i++) {
    INVALIDATE("tlbie", W);
    const uint64_t first = look(TLB, W), other = look_second(W);
    if (first == 1 && other == 1) continue;
    ok(false, "round %u: misses of the first %u, of the second %u", i, (unsigned)first, (unsigned)other);
  }
  both("after a hundred rounds", 0, 0);
  rt_translate(false);
  mk_put(&mk, MKR_DISABLE, 0xffff);
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  ranges(RANGE);
  cache(RANGE + 0x100000);
  rt_translate(true);
  for (unsigned i = 0; i < 4; i++) rt_map(W + i * PAGE, RANGE - PAGE + i * PAGE, RT_WRITE);
  ranges(W + PAGE);
  rt_translate(false);
  tlb();
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
