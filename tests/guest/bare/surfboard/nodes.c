// SPDX-License-Identifier: GPL-2.0-or-later
// nodes - one node of a ring, whose others are machines of their own: each writes into the next one's page, with a barrier before and behind.
//
// Gaps between the words are random, and other on each node. What is said at the end tells two runs apart: each record of the trace, the page,
// the counters and the time.
#include "../rt/boards.h"

enum { STORES = 1000, GAP_NS = 6000 };

static uint32_t send[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t got[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t raise[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t raised[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t rounds;

// After round r the r + 1 nodes before this one have come.
static void barrier(void) {
  for (uint32_t n = 1; n < boards.nodes; n++) {
    raise[0] = ++rounds;
    while ((int32_t)(raised[0] - rounds) < 0) continue;  // it may be a round ahead
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
  const uint32_t barriers = 2 * (boards.nodes - 1);
  barrier();
  while (sni64(SNI_RXW) < STORES + barriers) continue;
  wait_us(20);  // the SurfBoard's three stages
  is(sni64(SNI_RXW), STORES + barriers, "words have come");
  is(sni64(SNI_TXW), STORES + barriers, "words have gone");
  const uint32_t packets = surf(SURF_TECR);
  is(packets, sni64(SNI_RXP), "packets are traced");
  uint32_t trace_sum = 2166136261u, page_sum = trace_sum;
  for (uint32_t i = 0; i < 4 * packets; i++) trace_sum = hash(trace_sum, trace()[i]);
  for (uint32_t i = 0; i < WORDS_OF_PAGE; i++) page_sum = hash(page_sum, got[i]);
  say("# node %u of %u: %u packets, trace %08x, page %08x, from %llu to %llu ns\n", boards.node, boards.nodes, packets, trace_sum, page_sum, begin, now_ns());
  return done_testing();
}
