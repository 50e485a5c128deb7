/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * chance.h - what the storms of both architectures draw: numbers that a seed repeats, and the next step.
 *
 *   chance_seed(&x, seed, processor);   each processor has an order of its own
 *   chance_any(&x), chance_below(&x, n), chance_value(&x)   32 bits; below n; what registers like least
 *   steps_begin(all, n)                 leaves out what a word of the options lets alone
 *   steps_next(&x)                      the number of a step
 */
#ifndef PERFBOARD_BARE_CHANCE_H
#define PERFBOARD_BARE_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;
struct step {
  const char *name; /* the word that leaves it out */
  uint32_t often;   /* beside the others */
  void (*take)(struct cpu *c);
};


static inline void chance_seed(uint64_t *x, uint32_t seed, unsigned processor) {
  *x = (uint64_t)(seed + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)(processor + 1) << 32;
}

static inline uint32_t chance_any(uint64_t *x) {
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return (uint32_t)(*x >> 16);
}
static inline uint32_t chance_below(uint64_t *x, uint32_t n) { return chance_any(x) % n; }

/* Small numbers, single bits, edges, anything. */
static inline uint32_t chance_value(uint64_t *x) {
  switch (chance_below(x, 5)) {
    case 0: return chance_below(x, 4);
    case 1: return 1u << chance_below(x, 32);
    case 2: return 0u - chance_below(x, 3);
    case 3: return chance_below(x, 0x1000);
    default: return chance_any(x);
  }
}

/* Of the options, as the runtime of this architecture has them. */
static inline uint32_t number(const char *word, uint32_t otherwise) {
  uint32_t v;
  return rt_number(word, &v) ? v : otherwise;
}

enum { MOST_STEPS = 16 };
static uint32_t steps_often[MOST_STEPS], steps_sum;

static inline void steps_begin(const struct step *all, unsigned n) {
  for (unsigned i = 0; i < n; i++) steps_sum += steps_often[i] = rt_option(all[i].name) ? 0 : all[i].often;
}

static inline unsigned steps_next(uint64_t *x) {
  uint32_t n = chance_below(x, steps_sum), i = 0;
  while (n >= steps_often[i]) n -= steps_often[i++];
  return i;
}

#endif
