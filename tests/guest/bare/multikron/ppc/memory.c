// SPDX-License-Identifier: GPL-2.0-or-later
// memory - what MULTIKRON's event sources make of an access's address on POWER: ranges of physical addresses, the model of the data
// cache, the model of the data TLB. The counts of each case are written beside it by hand. Under icount.
#include "rt.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // counts that are left out are 0

// The inputs, as meson.build connects them.
enum { LOADS, STORES, PAGES, WORD, DCACHE, TLB, SOURCES };
static const char *const names[SOURCES] = {"loads", "stores", "pages", "one word", "dcache-misses", "tlb-misses"};
enum { PAGE = 4096 };
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
    __asm__(".pushsection .text.cases, \"ax\"\n\t.balign 64\n\t.machine push\n\t.machine power9\n88:\n\t" text "\n\tblr\n\t.machine pop\n\t.popsection\n\t" \
            "lis %0, 88b@ha\n\taddi %0, %0, 88b@l" : "=b"(f));                                                 \
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
  RANGED("the last bytes", 1, 1, 2, 0, 0, 0, "lwz 5, 0xffc(4)\n\tstb 5, 0xfff(4)");
  RANGED("behind and before", 2, 0, 0, 0, 0, 0, "lwz 5, 0x1000(4)\n\tlwz 5, -4(3)");
  RANGED("across the beginning", 1, 0, 1, 0, 0, 0, "lwz 5, -2(3)");
  RANGED("across the end", 1, 0, 1, 0, 0, 0, "lwz 5, 0xffe(4)");
  RANGED("the word, each of its bytes", 5, 1, 6, 6, 0, 0,
         "lwz 5, 0x800(3)\n\tlbz 5, 0x800(3)\n\tlbz 5, 0x803(3)\n\tld 5, 0x800(3)\n\tlwz 5, 0x7fd(3)\n\tsth 5, 0x802(3)");
  RANGED("beside the word", 2, 0, 2, 0, 0, 0, "lwz 5, 0x804(3)\n\tlwz 5, 0x7fc(3)");
  RANGED("byte-reversed, sixteen bytes", 3, 0, 3, 2, 0, 0, "addi 6, 3, 0x800\n\tlwbrx 5, 0, 6\n\tlvx 0, 0, 6\n\tlfd 0, 0(3)");
  RANGED("reserve, store", 1, 1, 2, 2, 0, 0, "addi 6, 3, 0x800\n\tlwarx 5, 0, 6\n\tstwcx. 5, 0, 6");
  RANGED("a line of 128 bytes", 0, 16, 16, 1, 0, 0, "addi 6, 3, 0x800\n\tdcbz 0, 6");
#ifndef __LITTLE_ENDIAN__
  RANGED("store multiple", 0, 4, 4, 1, 0, 0, "addi 6, 3, 0x7fc\n\tstmw 28, 0(6)");
  RANGED("store multiple across the end", 0, 4, 2, 0, 0, 0, "addi 6, 4, 0xff8\n\tstmw 28, 0(6)");
#endif
}

// 8 KB, two ways, lines of 32 bytes: addresses 4 KB apart share a set. r3: one that no case has touched; each touches its own line.
static void cache(uint64_t at) {
#define CACHED(line, name, loads, stores, misses, text) CASE(at + 32 * (line), 0, name, (loads, stores, 0, 0, misses), text)
#define THREE(line) PREPARE(at + 32 * (line), 0, "lwz 5, 0(3)\n\tlwz 5, 0x1000(3)\n\tlwz 5, 0x2000(3)")
  CACHED(0, "a line that was never there", 2, 0, 1, "lwz 5, 0(3)\n\tlwz 5, 28(3)");
  CACHED(1, "two ways", 4, 0, 2, "lwz 5, 0(3)\n\tlwz 5, 0x1000(3)\n\tlwz 5, 0(3)\n\tlwz 5, 0x1000(3)");
  CACHED(2, "the third pushes out the one used longest ago", 5, 0, 4,
         "lwz 5, 0(3)\n\tlwz 5, 0x1000(3)\n\tlwz 5, 0(3)\n\tlwz 5, 0x2000(3)\n\tlwz 5, 0x1000(3)");
  THREE(3);
  CACHED(3, "two are there, one is not", 3, 0, 1, "lwz 5, 0x1000(3)\n\tlwz 5, 0x2000(3)\n\tlwz 5, 0(3)");
  CACHED(4, "a store that misses brings no line", 1, 2, 3, "stw 5, 0(3)\n\tstw 5, 4(3)\n\tlwz 5, 0(3)");
  CACHED(6, "across two lines that are not there", 1, 0, 1, "lwz 5, 30(3)");
  CACHED(8, "sixteen bytes of one line", 1, 0, 1, "lvx 0, 0, 3");
  CACHED(12, "a line of 128 bytes that is not there", 4, 16, 20, "dcbz 0, 3\n\tlwz 5, 0(3)\n\tlwz 5, 32(3)\n\tlwz 5, 64(3)\n\tlwz 5, 96(3)");
#ifndef __LITTLE_ENDIAN__
  CACHED(16, "load multiple", 4, 0, 1, "mr 5, 28\n\tmr 6, 29\n\tmr 7, 30\n\tmr 8, 31\n\tlmw 28, 0(3)\n\tmr 28, 5\n\tmr 29, 6\n\tmr 30, 7\n\tmr 31, 8");
#endif
}

// 64 entries, four ways: pages 16 apart share a set. Registers of a device miss no cache, but their page takes a place.
static void tlb(uint64_t at) {
#define PAGED(a, name, loads, misses, text) CASE((a), 0, name, (loads, 0, 0, 0, loads, misses), text)
  // The cache misses each time: each access is to a line that no other case has.
#define EMPTY "\n\t.machine push\n\t.machine power9\n\tptesync\n\tli 7, 0xc00\n\tli 8, 0\n\ttlbiel 7, 8, 2, 1, 1\n\tptesync\n\t.machine pop\n\t"
  PAGED(at, "three pages into an empty one", 3, 3, EMPTY "lwz 5, 0x20(3)\n\tlwz 5, 0x1040(3)\n\tlwz 5, 0x2060(3)");
  PAGED(at, "they are there", 2, 0, "lwz 5, 0xa0(3)\n\tlwz 5, 0x10c0(3)");
  PAGED(at, "one page dropped", 2, 1,
        "addi 7, 3, 0\n\tli 8, 0\n\t.machine push\n\t.machine power9\n\ttlbiel 7, 8, 0, 1, 1\n\t.machine pop\n\tptesync\n\t"
        "lwz 5, 0x1e0(3)\n\tlwz 5, 0x1200(3)");
  PAGED(at, "across two pages, both missing", 1, 1, EMPTY "lwz 5, 0xffe(3)");
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  ranges(RANGE);
  cache(RANGE + 0x100000);
  rt_translate(true);
  for (unsigned i = 0; i < 4; i++) rt_map(W + i * PAGE, RANGE + 0x200000 + i * PAGE, RT_WRITE);
  tlb(W);
  for (unsigned i = 0; i < 4; i++) rt_map(W + i * PAGE, RANGE - PAGE + i * PAGE, RT_WRITE);
  ranges(W + PAGE);
  rt_translate(false);
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
