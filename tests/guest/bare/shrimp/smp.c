// SPDX-License-Identifier: GPL-2.0-or-later
// smp - two processors of one node store at the same time: totals exact, each word once.
#include "../rt/boards.h"

enum { WORDS = 1000, ROUNDS = 4 };
static uint32_t source[3][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[3][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t go, finished;  // not on mapped pages

static inline void store(uint32_t *to, uint32_t value, uint32_t n) {
  uint32_t turns;
  __asm__ volatile(
      "1: movl %1, (%0)\n\taddl $4, %0\n\tincl %1\n\tmovl $40, %3\n2:\tdecl %3\n\tjnz 2b\n\tdecl %2\n\tjnz 1b"
      : "+r"(to), "+r"(value), "+r"(n), "=&r"(turns)::"memory");
}
static inline void add_shared(uint32_t n) {
  for (uint32_t i = 0; i < n; i++) __asm__ volatile("lock incl %0" : "+m"(source[2][0])::"memory");
}

static void second(void) {
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    while (go != round) __asm__ volatile("pause");
    store(source[1], 0x20000 * round, WORDS);
    add_shared(100);
    finished = round;
  }
  for (;;) __asm__ volatile("cli; hlt");
}

int program(void) {
  boards_start();
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  for (unsigned i = 0; i < 3; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], AU_PLAIN);
  }
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    struct counts before, c;
    settle();
    surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
    counts_read(&before);
    go = round;
    for (uint32_t at = 0; at < WORDS; at += 100) {
      store(source[0] + at, 0x10000 * round + at, 100);
    }
    add_shared(100);
    while (finished != round) __asm__ volatile("pause");
    settle();
    counts_since(&c, &before);
    is(c.aus, 2 * WORDS + 200, "round %u: stores of both processors snooped", round);
    is(c.txp + c.ovf, 2 * WORDS + 200, "round %u: packets sent, or lost with the FIFO full", round);
    is(c.rxp, c.txp, "round %u: delivered", round);
    is(c.wcdr, c.txp, "round %u: word count", round);
    is(c.tecr, c.txp, "round %u: traced", round);
    is(source[2][0], 200 * round, "round %u: locked additions of both", round);
    uint32_t from_page[3] = {0, 0, 0};
    for (uint32_t i = 0; i < c.tecr; i++)
      for (unsigned p = 0; p < 3; p++)
        from_page[p] += recorded(i).address >> 12 == (uint32_t)arrived[p] >> 12;
    if (c.ovf == 0) {
      is(from_page[0], WORDS, "round %u: packets of the first", round);
      is(from_page[1], WORDS, "round %u: packets of the second", round);
      is(from_page[2], 200, "round %u: packets of the shared word", round);
      bool same = true;
      for (uint32_t i = 0; i < WORDS; i++)
        same &= source[0][i] == arrived[0][i] && source[1][i] == arrived[1][i];
      ok(same, "round %u: both pages arrived", round);
      is(arrived[2][0], 200 * round, "round %u: the shared word's last value arrived last", round);
    } else {
      say("# round %u: %llu lost\n", round, c.ovf);
    }
  }
  return done_testing();
}
