// SPDX-License-Identifier: GPL-2.0-or-later
// mkfetch - the event source icache-misses (8 KB, 2-way, 32-byte lines), on code whose lines are known: a jump in each line to
// the next one.
#include "../rt/mk.h"

enum { LINE = 32, SETS = 128, MOST = 1024 };
static uint8_t code[2 * MOST * LINE] __attribute__((aligned(4096)));
static struct mk mk;

// n lines from line `first` on; the last one returns.
static void write_code(unsigned first, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    uint8_t *at = code + (first + i) * LINE;
    if (i == n - 1) {
      at[0] = 0xc3;  // ret
    } else {
      at[0] = 0xe9;  // jmp
      *(uint32_t *)(at + 1) = LINE - 5;
    }
  }
}

// Misses while the code at that place runs once. First the same instructions call a line of their own, so that they are in the
// cache themselves.
static __attribute__((noinline)) uint32_t misses(const uint8_t *place) {
  const uint8_t *volatile called[] = {code, place};
  for (unsigned i = 0; i < 2; i++) {
    mk_put(&mk, MKR_RRESET, 1);
    mk_put(&mk, MKR_ENABLE, 1);
    ((void (*)(void))(uint32_t)called[i])();
    mk_put(&mk, MKR_DISABLE, 1);
  }
  return (uint32_t)mk_get64(&mk, MKR_COUNTER(0));
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  write_code(0, 1);
  misses(code);  // the first time counting begins with the block behind the one that begins it
  is(misses(code), 0, "a line that is there");
  // Lines that were not there yet; few enough that the caller's stay, since a set has two places.
  for (unsigned n = 2; n <= SETS; n *= 4) {
    uint32_t seen[2];
    write_code(MOST + n, n);
    for (unsigned i = 0; i < 2; i++) seen[i] = misses(code + (MOST + n) * LINE);
    is(seen[0], n, "%u lines for the first time", n);
    is(seen[1], 0, "%u lines again", n);
  }
  // An instruction that reaches into the next line is in both.
  for (unsigned across = 0; across < 2; across++) {
    uint8_t *const at = code + (MOST + 600 + 4 * across) * LINE - across;
    at[0] = 0x66, at[1] = 0x90, at[2] = 0xc3;  // nop, of two bytes; ret
    is(misses(at), 1 + across, "an instruction in %u lines", 1 + across);
  }
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
