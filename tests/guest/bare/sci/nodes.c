// SPDX-License-Identifier: GPL-2.0-or-later
// nodes - one node of several, whose others are machines of their own: all load, store and add in each other's memories, with barriers in the window.
//
// What a node sees does not depend on the others: words of its own are as it left them, and sums are right. What is said at the end tells two runs
// apart: its statistics and the time.
#include "sci.h"

enum { ROUNDS = 200, FLAGS = 0, SUMS = 64, CAS = 128, OWN = 256, STREAM = 2048 };

static uint32_t node, nodes, rounds, x;

static uint32_t random(uint32_t below) {
  x ^= x << 13;  // xorshift32, Marsaglia 2003
  x ^= x >> 17;
  x ^= x << 5;
  return (x >> 8) % below;
}

// Page n is node n's memory.
static volatile uint32_t *at(uint32_t n, uint32_t offset) { return (volatile uint32_t *)WINDOW(n, offset); }

// Each tells all, and looks at what it has been told: in its own memory, so that looking sends nothing.
static void barrier(void) {
  rounds++;
  for (uint32_t n = 0; n < nodes; n++)
    if (n != node) *at(n, FLAGS + 4 * node) = rounds;
  for (uint32_t n = 0; n < nodes; n++)
    while (n != node && (int32_t)(*at(node, FLAGS + 4 * n) - rounds) < 0) continue;
}

static void add(volatile uint32_t *to, uint32_t value) { __asm__ volatile("lock addl %1, %0" : "+m"(*to) : "r"(value) : "memory", "cc"); }

// A compare and exchange of 8 bytes fails while others are quicker.
static void add64(volatile uint64_t *to, uint32_t value) {
  uint64_t old = 0, sum;
  bool good;
  do {
    sum = old + value;
    __asm__ volatile("lock cmpxchg8b %1" : "+A"(old), "+m"(*to), "=@ccz"(good) : "b"((uint32_t)sum), "c"((uint32_t)(sum >> 32)) : "memory");
  } while (!good);
}

// Its own words in all memories: loads see its stores, however they lie.
static void own_words(void) {
  bool good = true;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    const uint32_t n = random(nodes), bytes = 1u << random(3), offset = OWN + 64 * node + 4 * random(8) + random(4);
    const uint32_t value = random(1u << 24) << 8 | i, mask = bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;
    uint32_t is;
    if (bytes == 1) {
      *(volatile uint8_t *)at(n, offset) = (uint8_t)value;
      is = *(volatile uint8_t *)at(n, offset);
    } else if (bytes == 2) {
      *(volatile uint16_t *)at(n, offset) = (uint16_t)value;
      is = *(volatile uint16_t *)at(n, offset);
    } else {
      *at(n, offset) = value;
      is = *at(n, offset);
    }
    good &= is == (value & mask);
    spin(1 + random(100));
  }
  ok(good, "a node sees its own stores");
}

// To the next one: it finds all of it when it has passed the barrier. One instruction loads and stores the words of two other nodes.
static void stream(void) {
  const uint32_t next = (node + 1) % nodes, before = (node + nodes - 1) % nodes;
  bool good = true;
  for (uint32_t i = 0; i < 256; i++) *at(next, STREAM + 4 * i) = node << 16 | i;
  barrier();
  for (uint32_t i = 0; i < 256; i++) good &= *at(node, STREAM + 4 * i) == (before << 16 | i);
  ok(good, "what the node before has stored is there behind a barrier");
  barrier();
  rep_movsl(WINDOW(before, STREAM + 1024), WINDOW(next, STREAM), 256);
  barrier();
  good = true;
  for (uint32_t i = 0; i < 256; i++) good &= *at(before, STREAM + 1024 + 4 * i) == (node << 16 | i);
  ok(good, "and is moved from node to node");
}

int program(void) {
  sci_find();
  node = sci(SCIR_NODE);
  nodes = sci_card.nodes;
  x = 2463534242u + node;
  for (uint32_t page = 0; page < sci_card.pages; page++) sci_home(page, 1, page % nodes);
  barrier();
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR);
  const uint64_t begin = now_ns();
  own_words();
  barrier();
  for (uint32_t i = 0; i < ROUNDS; i++) {
    add(at(i % nodes, SUMS), node + 1);
    add(at(0, SUMS + 4), i);
    add64((volatile uint64_t *)at(1, CAS), i + node);
    spin(1 + random(60));
  }
  barrier();
  uint32_t sum = 0;
  for (uint32_t n = 0; n < nodes; n++) sum += *at(n, SUMS);
  is(sum, ROUNDS * nodes * (nodes + 1) / 2, "locked additions of all nodes in all memories");
  is(*at(0, SUMS + 4), nodes * (ROUNDS * (ROUNDS - 1) / 2), "in the memory of one");
  is(*at(1, CAS), nodes * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS * (nodes * (nodes - 1) / 2), "compared and exchanged");
  stream();
  barrier();
  is(sci_count(node, SCIR_STATS_LOCKS), sci_count(node, SCIR_STATS_UNLOCKS), "as many unlocks as locks");
  barrier();  // nobody goes while others need its memory
  say("# %llu reads, %llu writes, %llu locks, %llu unlocks, %llu received, %llu packets\n", sci_count(node, SCIR_STATS_READS),
      sci_count(node, SCIR_STATS_WRITES), sci_count(node, SCIR_STATS_LOCKS), sci_count(node, SCIR_STATS_UNLOCKS),
      sci_count(node, SCIR_STATS_RECEIVED), sci_count(node, SCIR_STATS_PACKETS));
  say("# node %u of %u: waited %llu ns, from %llu to %llu ns\n", node, nodes, sci_count(node, SCIR_STATS_WAIT), begin, now_ns());
  return done_testing();
}
