// SPDX-License-Identifier: GPL-2.0-or-later
// counts - all processors load, store and lock on shared pages at once, and the pages move home between rounds. Each monitor's records,
// added up, and the adapters' statistics are exactly what was done: however few entries, whatever was swapped out. 2 or 4 processors.
#include "../sci/sci.h"
#include "hwm.h"

enum { PAGES = 8, ROUNDS = 5, NODES = 4, CARDS = 8, MANY = 70000, MANY_WORD = 77 };

static volatile uint32_t go, finished[NODES];
static uint32_t nodes;
static struct hwm cards[CARDS];
static unsigned n_cards;

// Transactions of all rounds: source, home, page.
static struct done {
  uint64_t reads, writes, locks;
} done[NODES][NODES][PAGES];
static uint64_t seen[CARDS][NODES][NODES][PAGES], words_seen[CARDS];

static unsigned loads_of(unsigned node, unsigned page) { return 30 + 5 * node + page; }
static unsigned stores_of(unsigned node, unsigned page) { return 50 + 7 * node + 2 * page; }
static unsigned locks_of(unsigned node, unsigned page) { return 10 + 3 * node + page; }
static uint32_t home_of(unsigned page, uint32_t round) { return (page + round) % nodes; }

// A word of its own on each page.
static void work(unsigned node, uint32_t round) {
  for (unsigned page = 0; page < PAGES; page++) {
    volatile uint32_t *const word = (volatile uint32_t *)WINDOW(page, 256 * node);
    for (unsigned i = 0; i < loads_of(node, page); i++) (void)*word;
    for (unsigned i = 0; i < stores_of(node, page); i++) *word = i;
    for (unsigned i = 0; i < locks_of(node, page); i++) __asm__ volatile("lock incl %0" : "+m"(*word));
    spin(10 * node + round);
  }
}

static void expect_work(uint32_t round) {
  for (unsigned node = 0; node < nodes; node++)
    for (unsigned page = 0; page < PAGES; page++) {
      struct done *const d = &done[node][home_of(page, round)][page];
      if (home_of(page, round) == node) continue;
      d->reads += loads_of(node, page);
      d->writes += stores_of(node, page);
      d->locks += locks_of(node, page);
    }
}

static void other(unsigned node) {
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    while (go != round) __asm__ volatile("pause");
    work(node, round);
    finished[node] = round;
  }
  for (;;) __asm__ volatile("cli; hlt");
}

static void take(const struct hwm *m, const struct hwm_record *r) {
  const unsigned card = (unsigned)(m - cards);
  if (r->kind != SMR_RECORD_RANGE || r->source >= nodes || r->destination >= nodes || r->page >= PAGES) {
    ok(false, "card %u: kind %u, %u to %u, page %u", card, r->kind, r->source, r->destination, r->page);
    return;
  }
  seen[card][r->source][r->destination][r->page] += r->count;
  words_seen[card] += r->word % 64 != 0 && r->word != MANY_WORD;
}

// What passes on the B-Link of `node` of source's to destination's packets: requests, and responses to the other's requests.
static uint64_t passes(unsigned node, unsigned source, unsigned destination, unsigned page) {
  const struct done *const d = &done[source][destination][page], *const answered = &done[destination][source][page];
  if (source != node && destination != node) return 0;
  return d->reads + d->writes + 2 * d->locks + answered->reads + answered->locks;
}

static void check_card(unsigned card) {
  const struct hwm *const m = &cards[card];
  uint64_t packets = 0;
  bool same = true;
  for (unsigned s = 0; s < nodes; s++)
    for (unsigned d = 0; d < nodes; d++)
      for (unsigned page = 0; page < PAGES; page++) {
        const uint64_t n = passes(m->node, s, d, page);
        packets += n;
        if (seen[card][s][d][page] == n) continue;
        say("# card %u: %u to %u, page %u: %lu, should be %lu\n", card, s, d, page, (unsigned long)seen[card][s][d][page], (unsigned long)n);
        same = false;
      }
  ok(same, "card %u, %u entries: each page's packets of each pair", card, SMR_GET(MSR_ENTRIES, hwm(m, SMR_MSR)));
  is(hwm(m, SMR_PACKETS), packets, "card %u: packets decoded", card);
  is(hwm(m, SMR_ORPHANS) + hwm(m, SMR_CLASHES) + hwm(m, SMR_LOSTN), 0, "card %u: orphans, clashes, losses", card);
  is(words_seen[card], 0, "card %u: records of words that nobody used", card);
}

static void check_adapter(unsigned node) {
  struct done sent = {0, 0, 0};
  uint64_t received = 0, packets = 0;
  for (unsigned o = 0; o < nodes; o++)
    for (unsigned page = 0; page < PAGES; page++) {
      const struct done *const to = &done[node][o][page], *const from = &done[o][node][page];
      sent.reads += to->reads, sent.writes += to->writes, sent.locks += to->locks;
      received += from->reads + from->writes + 2 * from->locks;
      packets += passes(node, node, o, page) + passes(node, o, node, page);
    }
  is(sci_count(node, SCIR_STATS_READS), sent.reads, "node %u: reads", node);
  is(sci_count(node, SCIR_STATS_WRITES), sent.writes, "node %u: writes", node);
  is(sci_count(node, SCIR_STATS_LOCKS), sent.locks, "node %u: locks", node);
  is(sci_count(node, SCIR_STATS_UNLOCKS), sent.locks, "node %u: unlocks", node);
  is(sci_count(node, SCIR_STATS_RECEIVED), received, "node %u: received", node);
  is(sci_count(node, SCIR_STATS_PACKETS), packets, "node %u: packets", node);
}

int program(void) {
  sci_find();
  nodes = sci_card.nodes;
  if (nodes < 2 || nodes > NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 2 to 4", nodes);
  while (n_cards < CARDS && hwm_find(n_cards, &cards[n_cards])) n_cards++;
  if (!n_cards) bail(RT_NO_BOARD, "no smile-hwm");
  if (!rt_others(nodes - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  for (unsigned i = 0; i < n_cards; i++) hwm_dynamic(&cards[i], SMR_FILTER_ALL);
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    for (unsigned page = 0; page < PAGES; page++) sci_home(page, 1, home_of(page, round));
    expect_work(round);
    go = round;
    work(0, round);
    for (unsigned node = 1; node < nodes; node++)
      while (finished[node] != round)
        for (unsigned i = 0; i < n_cards; i++) hwm_drain(&cards[i], take);
  }
  // A count that overflows.
  sci_home(0, 1, 1);
  for (unsigned i = 0; i < MANY; i++) *(volatile uint32_t *)WINDOW(0, 4 * MANY_WORD) = i;
  done[0][1][0].writes += MANY;
  for (unsigned i = 0; i < n_cards; i++) hwm_swap(&cards[i], take);
  for (unsigned i = 0; i < n_cards; i++) check_card(i);
  for (unsigned node = 0; node < nodes; node++) check_adapter(node);
  return done_testing();
}
