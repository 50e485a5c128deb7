// SPDX-License-Identifier: GPL-2.0-or-later
// snap - a long run of accesses of node 0, hashed at the end, for bare_snap: write-combining buffers are filled most of the time, and with latency=on
// requests are outstanding. Two monitors, one with few entries and a short queue, listen to node 0. The other processor
// is not started: which one QEMU runs next is not part of a snapshot.
#include "../sci/steps.h"
#include "hwm.h"

enum { PROGRESS = 20, ROUNDS = 30, CARDS = 2 };

static struct hwm cards[CARDS];
static uint64_t records_hash[CARDS], records[CARDS];

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3ull; }

static void take(const struct hwm *m, const struct hwm_record *r) {
  const unsigned i = (unsigned)(m - cards);
  records[i]++;
  records_hash[i] = mix(mix(mix(records_hash[i], r->kind << 16 | r->source << 8 | r->destination), (uint64_t)r->page << 32 | r->word), r->count << 8 | r->entry);
}

static void fill(uint32_t i) {
  for (uint32_t k = 0; k < 200; k++) *(volatile uint32_t *)(WC + 4096 * (k % 7) + 4 * ((k * 37 + i) % 1000)) = i + k;
}

int program(void) {
  sci_find();
  for (unsigned i = 0; i < CARDS; i++)
    if (!hwm_find(i, &cards[i])) bail(RT_NO_BOARD, "two smile-hwm are needed");
  sci_home(0, sci_card.pages, 1);
  sci_home(3, 1, 0);
  steps_prepare(false);
  for (unsigned i = 0; i < CARDS; i++) hwm_dynamic(&cards[i], SMR_FILTER_ALL);
  for (unsigned p = 1; p <= PROGRESS; p++) {
    for (unsigned i = 0; i < ROUNDS; i++) {
      fill(p * ROUNDS + i);
      for (unsigned k = 0; k < 8; k++) step(0);
    }
    hwm_drain(&cards[p % CARDS], take);
    say("# %u of %u\n", p, PROGRESS);
  }
  uint64_t memory = 0;
  for (uint32_t i = 0; i < PAGES * 1024; i++) memory = mix(memory, *(volatile uint32_t *)WINDOW(0, 4 * i));
  for (unsigned i = 0; i < CARDS; i++) {
    hwm_swap(&cards[i], take);
    say("# final card %u: %lu records, hash %llx, packets %u, lost %u, clashes %u\n", i, (unsigned long)records[i], (unsigned long long)records_hash[i],
        hwm(&cards[i], SMR_PACKETS), hwm(&cards[i], SMR_LOSTN), hwm(&cards[i], SMR_CLASHES));
  }
  say("# final memory %llx\n", (unsigned long long)memory);
  for (unsigned node = 0; node < 2; node++) {
    say("# final node %u:", node);
    for (unsigned i = 0; i < SCIR_STATS_COUNT; i++) say(" %llu", (unsigned long long)sci_count(node, 8 * i));
    say(" B-Link %llx\n", (unsigned long long)(sci_card.blink ? blink_hash(node) : 0));
  }
  ok(hwm(&cards[0], SMR_PACKETS) > 1000, "it was worth it");
  return done_testing();
}
