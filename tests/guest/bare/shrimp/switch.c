// SPDX-License-Identifier: GPL-2.0-or-later
// switch - observation goes on and off while the very blocks that switch it run; and pages are
// mapped that are no memory. Each of these once ended QEMU. With "executed" it is bare_code's: instructions in a board's register, one of which
// reads that register, too.
#include "../rt/boards.h"

static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

enum { TURNS = 4, SWITCHES = 15, STORES = 8 };

// A chain of blocks that a flush would take away: each switch is followed by stores in a loop.
static void switch_in_a_loop(void) {
  static uint32_t values[SWITCHES + 1];
  for (unsigned turn = 0; turn < TURNS; turn++) {
    struct counts before, c;
    uint32_t on = 0;
    for (unsigned i = 0; i < SWITCHES; i++) {
      const bool snoop = i % 4 == 3;
      values[i] = snoop ? SNI_SCR_EN | SNI_SCR_AUE : SNI_SCR_EN;
      on += snoop;
    }
    values[SWITCHES] = 0;
    sni_put(SNI_SCR, SNI_SCR_EN);
    settle();
    counts_read(&before);
    uint32_t scr = boards.sni_regs + SNI_SCR, value = (uint32_t)values;
    __asm__ volatile(
        "0: movl (%1), %%eax\n"
        "   testl %%eax, %%eax\n"
        "   jz 2f\n"
        "   movl %%eax, (%0)\n"
        "   movl %3, %%ecx\n"
        "1: movl %%ecx, (%2)\n"
        "   decl %%ecx\n"
        "   jnz 1b\n"
        "   addl $4, %1\n"
        "   jmp 0b\n"
        "2:\n"
        : "+r"(scr), "+r"(value)
        : "r"((uint32_t)source), "i"(STORES)
        : "eax", "ecx", "memory");
    sni_put(SNI_SCR, SNI_SCR_EN);
    settle();
    counts_since(&c, &before);
    is(c.aus, STORES * on, "turn %u: the stores of each time that snooping was on", turn);
  }
}

// An 80-bit store is two, made in a helper that the first must not pull the ground from under.
static void switch_in_a_helper(void) {
  static struct {
    uint32_t low, high;
    uint16_t sign;
  } value = {0, 0x80000000u, 0x3fff};
  __asm__ volatile("movl %%cr0, %%eax; andl $~0xc, %%eax; movl %%eax, %%cr0; fninit" ::: "eax");
  for (unsigned i = 0; i < 200; i++) {
    value.low = i % 2 ? SNI_SCR_EN : SNI_SCR_EN | SNI_SCR_AUE;
    __asm__ volatile("fldt %0; fstpt (%1)" ::"m"(value), "r"(boards.sni_regs + SNI_SCR) : "memory");
  }
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE);
  settle();
  ok(true, "200 switches by 80-bit stores");
}

// Automatic update is of the node's memory: a page of a device or of nothing sends no packet.
static void map_no_memory(uint32_t where, const char *what) {
  struct counts before, c;
  au_map((void *)where, arrived, AU_COMB);
  settle();
  counts_read(&before);
  *(volatile uint32_t *)where = 0x12345678;
  settle();
  counts_since(&c, &before);
  is(c.aus, 0, "a store to %s that is mapped: not seen as one", what);
}

static int executed(void) {
  const uint32_t at = boards.sni_regs + SNI_DUSA;
  sni_put(SNI_DUSA, 0x90C30184);  // testb %al, (%ecx); ret
  for (unsigned i = 0; i < 3; i++) {
    uint32_t bit = 1u << (i + 1);
    __asm__ volatile("call *%%edx\n\tsetnz %%al\n\tmovzbl %%al, %%eax" : "+a"(bit) : "d"(at), "c"(at) : "memory", "cc");
    is(bit, 0x84 >> (i + 1) & 1, "call %u: the instruction has read bit %u", i, i + 1);
  }
  return done_testing();
}

int program(void) {
  boards_start();
  if (rt_option("executed")) return executed();
  au_export(arrived, 0, false);
  au_map(source, arrived, AU_PLAIN);
  settle();
  switch_in_a_loop();
  switch_in_a_helper();
  map_no_memory(0xA0000, "the video window");
  if (rt_option("high")) map_no_memory(0x7000000, "an address above memory");
  return done_testing();
}
