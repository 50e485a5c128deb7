// SPDX-License-Identifier: GPL-2.0-or-later
// cache - loads and stores whose hits and misses cache_exact compares with those of QEMU's own plugin `cache`. That plugin says
// only what it has counted when the machine ends. So the program runs twice, with work and without (a word that QEMU's loader puts into
// memory), and differs in nothing else: before and behind the work it fills every set of the cache anew, and then reads and says its counts by the
// same accesses whatever they are. QEMU 10.2's plugin takes a read of the monitor for one of memory (hw/qemu/INSIDES.md).
#include "p2.h"

#define ROUNDS_AT 0x1f00000ul  // how often it works
#define BUFFER 0x2000000ul
enum { SWEEP = 2 << 20, WORK = 2 << 20 };  // bytes: of the buffer, and behind these

static struct p2_event events[4];

static void sweep(void) {
  for (uintptr_t at = BUFFER; at < BUFFER + SWEEP; at += 32) *(volatile uint32_t *)at;
}

// In any order, again and again the same few, one after the other with stores, in strides of a page and more.
static void __attribute__((noinline)) work(uint32_t rounds) {
  uint32_t random = 1, sum = 0;
  for (uint32_t round = 0; round < rounds; round++) {
    for (unsigned i = 0; i < 20000; i++) {
      random = random * 1664525 + 1013904223;
      volatile uint32_t *const at = (volatile uint32_t *)(BUFFER + SWEEP + (random >> 8) % WORK / 4 * 4);
      if (random >> 7 & 1)
        *at = random;
      else
        sum += *at;
      sum += ((volatile uint8_t *)(BUFFER + SWEEP))[(random >> 3) % 4096];
    }
    for (unsigned i = 0; i < 300000; i += 4) *(volatile uint32_t *)(BUFFER + SWEEP + i) += sum;
    for (unsigned stride = 4096; stride <= 65536; stride *= 2)
      for (unsigned i = 0; i < WORK; i += stride) ((volatile uint16_t *)(BUFFER + SWEEP + i))[round % 16] = (uint16_t)sum;
  }
}

static void read_all(uint32_t counts[4]) {
  for (unsigned i = 0; i < 4; i++) counts[i] = own_get(P2R_COUNTER(events[i].counter));
}

// The same instructions and accesses for every number.
static void put(uint32_t n) {
  for (int shift = 28; shift >= 0; shift -= 4) {
    const uint32_t digit = n >> shift & 15;
    rt_put((char)('0' + digit + ((9 - digit) >> 31) * ('a' - '0' - 10)));
  }
}

int program(void) {
  static const char *const names[4] = {"loads", "stores", "dcache_load_mis", "dcache_store_mis"};
  uint32_t before[4], after[4];
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  for (unsigned i = 0; i < 4; i++) events[i] = p2_event_of(names[i], P2_FXU0, 8);
  own_put(P2R_MMCR, events[0].mmcr);
  sweep();
  read_all(before);
  work(*(volatile uint32_t *)ROUNDS_AT);
  sweep();
  read_all(after);
  say("# counts");
  for (unsigned i = 0; i < 4; i++) {
    rt_put(' ');
    put(after[i] - before[i]);
  }
  rt_put('\n');
  ok(true, "it has worked");
  return done_testing();
}
