// SPDX-License-Identifier: GPL-2.0-or-later
// memory - the SurfBoard's memories while they change between plain RAM and watched windows: every word
// keeps its value, and every access to another board in between reaches that board.
//
// The memories change at each flash of LED 6 (0.1 s) and at each start and end of collecting, so the
// program takes a few tenths of a second of virtual time.
#include "../rt/boards.h"

enum { STRIDE = 1021 };  // words between two accesses to registers: a prime
static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static uint32_t pattern(uint32_t round, uint32_t i) { return (i + round) * 2654435761u; }

static uint32_t strangers;  // registers that did not answer as they must

static void registers(uint32_t i) {
  sni_put(SNI_CTOR, i & 0xFFF);
  strangers += sni(SNI_CTOR) != (i & 0xFFF);
  surf_put(SURF_WCDR, i);
  strangers += surf(SURF_WCDR) != i;
}

static void fill(volatile uint32_t *memory, uint32_t words, uint32_t round) {
  for (uint32_t i = 0; i < words; i++) {
    memory[i] = pattern(round, i);
    if (i % STRIDE == 0) registers(i);
  }
}

static uint32_t wrong(volatile uint32_t *memory, uint32_t words, uint32_t round) {
  uint32_t bad = 0;
  for (uint32_t i = 0; i < words; i++) {
    bad += memory[i] != pattern(round, i);
    if (i % STRIDE == 0) registers(i);
  }
  return bad;
}

// Of the size that REP MOVS and REP STOS take in one block.
static uint32_t wrong_copies(uint32_t round) {
  volatile uint32_t *to = hist();
  uint32_t bad = 0;
  for (uint32_t n = 0; n < 400; n++) {
    void *d = (void *)to, *s = (void *)trace();
    uint32_t count = 64;
    surf_put(SURF_HTCR, n & 1 ? SURF_HTCR_HEN : 0);
    __asm__ volatile("rep movsl" : "+D"(d), "+S"(s), "+c"(count)::"memory");
    for (uint32_t i = 0; i < 64; i++) bad += to[i] != pattern(round, i);
    d = (void *)to, count = 64;
    __asm__ volatile("rep stosl" : "+D"(d), "+c"(count) : "a"(n) : "memory");
    for (uint32_t i = 0; i < 64; i++) bad += to[i] != n;
    wait_us(500);
  }
  surf_put(SURF_HTCR, 0);
  return bad;
}

int program(void) {
  boards_start();
  au_export(arrived, 0, false);
  au_map(source, arrived, AU_COMB | AU_BOUND(4));  // so that loads are observed, too
  uint32_t words = 1u << 18;
  for (uint32_t round = 0; round < 3; round++) {
    surf_put(SURF_HTCR, 0);
    fill(trace(), words, round);
    fill(hist(), words, round + 1);
    surf_put(SURF_HTCR, round == 1 ? SURF_HTCR_HEN | SURF_HTCR_TEN : 0);
    is(wrong(trace(), words, round), 0, "round %u: every word of the trace memory", round);
    is(wrong(hist(), words, round + 1), 0, "every word of the histogram memory");
    is(strangers, 0, "the boards' registers answered");
  }
  is(wrong_copies(2), 0, "REP MOVS and REP STOS across changes");
  return done_testing();
}
