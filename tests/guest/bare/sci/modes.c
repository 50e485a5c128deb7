// SPDX-License-Identifier: GPL-2.0-or-later
// modes - what a mapping makes of a store in each format of page tables: 32-bit without and with PAE, and long mode with four and five levels, in pages
// of 4 KB, of 4 or 2 MB, and of 1 GB; and without paging. In long mode this 32-bit code goes on in compatibility mode, without
// exceptions. Needs -cpu max and the test card; node 0 works, the window is at home on node 1.
#include "sci.h"

enum { EFER = 0xC0000080, LME = 1 << 8, PAE = 1 << 5, LA57 = 1 << 12, PS = 1 << 7, PAT_LARGE = 1 << 12 };
typedef uint64_t table[512] __attribute__((aligned(4096)));
static table level5, level4, level3, pae3, level2[4], level1;

static void set_cr0_pg(bool on) {
  __asm__ volatile("movl %%cr0, %%eax\n\tandl $0x7fffffff, %%eax\n\torl %0, %%eax\n\tmovl %%eax, %%cr0" ::"r"(on ? 0x80000000u : 0) : "eax", "memory");
}
static void set_cr3(const void *root) { __asm__ volatile("movl %0, %%cr3" ::"r"(root) : "memory"); }
static void set_cr4(uint32_t bits) {
  __asm__ volatile("movl %%cr4, %%eax\n\tandl %1, %%eax\n\torl %0, %%eax\n\tmovl %%eax, %%cr4" ::"r"(bits), "r"(~(uint32_t)(PAE | LA57)) : "eax", "memory");
}

static void off(void) {
  set_cr0_pg(false);
  wrmsr(EFER, 0, 0);
  set_cr4(0);
}
static const void *root(unsigned levels) { return levels == 5 ? level5 : levels == 4 ? level4 : pae3; }
static void on(unsigned levels) {
  off();
  if (levels == 2) return rt_paging();
  set_cr4(PAE | (levels == 5 ? LA57 : 0));
  if (levels > 3) wrmsr(EFER, LME, 0);
  set_cr3(root(levels));
  set_cr0_pg(true);
}

static uint64_t at(const void *to) { return (uint32_t)to; }
static void tables(void) {
  for (uint32_t i = 0; i < 2048; i++) level2[i / 512][i % 512] = (uint64_t)i << 21 | PS | 3;
  level2[RT_WINDOW >> 30][RT_WINDOW >> 21 & 511] = at(level1) | 3;
  for (unsigned i = 0; i < 4; i++) level3[i] = at(level2[i]) | 3, pae3[i] = at(level2[i]) | 1;
  level4[0] = at(level3) | 3;
  level5[0] = at(level4) | 3;
}

static volatile uint32_t seen;
// Whether a store there waits. No output meanwhile: that drains.
static bool waits(uint32_t where) {
  blink_clear();
  *(volatile uint32_t *)where = 0;
  const bool held = blink_count() == 0;
  __asm__ volatile("sfence" ::: "memory");
  seen += blink_count();
  return held;
}

// As after reset, but entry 1 (PWT), and entries 4 and 6 (PAT; PAT and PCD), are write-combining; or as after reset.
static void combining(bool on) {
  if (on)
    wrmsr(PAT_MSR, 0x00070106, 0x00010401);
  else
    wrmsr(PAT_MSR, 0x00070406, 0x00070406);
  __asm__ volatile("movl %%cr3, %%eax\n\tmovl %%eax, %%cr3" ::: "eax", "memory");
}
// Of the eight, by these three bits.
static const unsigned kAll[] = {0, RT_PWT, RT_PCD, RT_PCD | RT_PWT, RT_PAT, RT_PAT | RT_PWT, RT_PAT | RT_PCD, RT_PAT | RT_PCD | RT_PWT};
enum { CASES = sizeof kAll / sizeof *kAll, COMBINE = 1 << 1 | 1 << 4 | 1 << 6 };

// In a small page, in a large one where the window lies, and in a huge one.
static void map(unsigned levels, uint32_t page, unsigned bits) {
  const unsigned large = (bits & ~RT_PAT) | (bits & RT_PAT ? PAT_LARGE : 0);
  if (levels == 2) {
    rt_map(RT_WINDOW, page, RT_WRITE | bits);
    rt_large(page, large);
    return;
  }
  level1[RT_WINDOW >> 12 & 511] = page | 3 | bits;
  level2[page >> 30][page >> 21 & 511] = (page & 0xFFE00000u) | PS | 3 | large;
  if (levels > 3) level3[2] = (page & 0xC0000000u) | PS | 3 | large;
  set_cr3(root(levels));
}

static void check(unsigned levels) {
  const uint32_t page = WINDOW(1, 0), huge = 0x80000000u | (page & 0x3FFFFFFF);
  uint32_t small = 0, large = 0, largest = 0;
  seen = 0;
  on(levels);
  for (unsigned i = 0; i < CASES; i++) {
    map(levels, page, kAll[i]);
    small |= (uint32_t)waits(RT_WINDOW) << i;
    large |= (uint32_t)waits(page) << i;
    if (levels > 3) largest |= (uint32_t)waits(huge) << i;
  }
  const uint32_t packets = seen;
  map(levels, page, RT_PWT);
  combining(false);
  const bool without = waits(RT_WINDOW);
  combining(true);
  const bool again = waits(RT_WINDOW);
  map(levels, page, 0);
  level3[2] = at(level2[2]) | 3;
  off();
  is(small, COMBINE, "%u levels, 4 KB: which of the eight combine", levels);
  is(large, COMBINE, "%u levels, 4 or 2 MB", levels);
  if (levels > 3) is(largest, COMBINE, "%u levels, 1 GB", levels);
  is(packets, 2 * CASES * (levels > 3 ? 3 : 2), "%u levels: packets of all the stores", levels);
  ok(!without && again, "%u levels: IA32_PAT says which", levels);
}

int program(void) {
  sci_find();
  if (!sci_card.blink || sci_card.nodes < 2) bail(RT_NO_BOARD, "no test-blink, or one node only (-smp 2)");
  sci_home(0, sci_card.pages, 1);
  combining(true);
  tables();
  is(waits(WINDOW(1, 0)), 0, "without paging nothing combines");
  for (unsigned levels = 2; levels <= 5; levels++) check(levels);
  is(waits(WINDOW(1, 0)), 0, "nor when it is off again");
  return done_testing();
}
