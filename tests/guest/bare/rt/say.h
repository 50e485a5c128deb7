/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * say.h - output and test lines (TAP) of bare-metal programs, on any processor.
 *
 *   say("%08x\n", v)               %s %c %d %u %x with zero-padded width, and %lu %lx %llu %llx
 *   ok(a == b, "what")             a test line
 *   is(seen, expected, "what")     a test line, with both numbers
 *   return done_testing();         the plan; the program's status
 *   bail(RT_NO_BOARD, "why")       the end
 *   rt_random()                    32 bits, the same in each run
 */
#ifndef PERFBOARD_BARE_SAY_H
#define PERFBOARD_BARE_SAY_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_PASS = 0, RT_FAIL = 1, RT_NO_BOARD = 2, RT_TRAP = 3 };

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool is(uint64_t seen, uint64_t expected, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void bail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int done_testing(void); /* RT_PASS or RT_FAIL */

static inline uint32_t rt_random(void) { /* xorshift32, Marsaglia 2003 */
  static uint32_t x = 2463534242u;
  x ^= x << 13;
  x ^= x >> 17;
  return x ^= x << 5;
}

/* The runtime's. */
void rt_put(char c);
_Noreturn void rt_exit(int status);

#endif
