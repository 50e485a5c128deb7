// SPDX-License-Identifier: GPL-2.0-or-later
// nodes - one node of a ring, whose others are machines of their own: each writes into the next one's page, with a barrier before and behind.
//
// Gaps between the words are random, and other on each node. What is said at the end tells two runs apart: each record of the trace, the page,
// the counters and the time. With -append free only what does not depend on when something comes.
#include "../rt/boards.h"

enum { STORES = 1000, GAP_NS = 6000 };

static uint32_t send[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t got[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t raise[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t raised[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t rounds;

enum { ROUND, HEARD };  // words of that page

// Nodes that run free begin at different times, and what comes to one that has not begun is lost. Each says one more than it has heard from the
// node before. Once that has gone all around, all hear.
static void meet(void) {
  bool all;
  do {
    all = raised[HEARD] > boards.nodes;
    raise[HEARD] = raised[HEARD] + 1;
    wait_us(1000);
  } while (!all);
}

// After round r the r + 1 nodes before this one have come.
static void barrier(void) {
  for (uint32_t n = 1; n < boards.nodes; n++) {
    raise[ROUND] = ++rounds;
    while ((int32_t)(raised[ROUND] - rounds) < 0) continue;  // it may be a round ahead
  }
}

static uint32_t hash(uint32_t sum, uint32_t value) { return (sum ^ value) * 16777619u; }

int program(void) {
  rt_paging();
  boards_start();
  au_export(got, 1, false);
  au_export((const void *)raised, 0, false);
  au_map(send, got, AU_COMB | AU_TIMEOUT | AU_BOUND(1));
  au_map((const void *)raise, (const void *)raised, AU_PLAIN);
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN | SURF_HTCR_TRG, 0);
  const bool free = rt_option("free");
  if (free) meet();
  barrier();
  uint32_t x = 2463534242u + boards.node;
  const uint64_t begin = now_ns();
  for (uint32_t i = 0; i < STORES; i++) {
    x ^= x << 13;  // xorshift32, Marsaglia 2003
    x ^= x >> 17;
    x ^= x << 5;
    ((volatile uint32_t *)send)[x >> 8 & (WORDS_OF_PAGE - 1)] = x;
    for (const uint64_t until = now_ns() + x % GAP_NS; now_ns() < until;) continue;
  }
  sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_FLUSH);
  const uint32_t barriers = 3 * (boards.nodes - 1);
  barrier();
  barrier();  // so all have had all, and whoever ends now leaves no packet of another without its credit
  uint32_t page_sum = 2166136261u, trace_sum = page_sum;
  for (uint32_t i = 0; i < WORDS_OF_PAGE; i++) page_sum = hash(page_sum, got[i]);
  if (free) {
    is(rounds, barriers, "rounds");
    say("# node %u of %u: page %08x\n", boards.node, boards.nodes, page_sum);
    return done_testing();
  }
  while (sni64(SNI_RXW) < STORES + barriers) continue;
  wait_us(20);  // the SurfBoard's three stages
  is(sni64(SNI_RXW), STORES + barriers, "words have come");
  is(sni64(SNI_TXW), STORES + barriers, "words have gone");
  const uint32_t packets = surf(SURF_TECR);
  is(packets, sni64(SNI_RXP), "packets are traced");
  for (uint32_t i = 0; i < 4 * packets; i++) trace_sum = hash(trace_sum, trace()[i]);
  say("# node %u of %u: %u packets, trace %08x, page %08x, from %llu to %llu ns\n", boards.node, boards.nodes, packets, trace_sum, page_sum, begin, now_ns());
  return done_testing();
}
