// SPDX-License-Identifier: GPL-2.0-or-later
// radix - the load that scripts/bench counts host instructions of: a radix sort of 32-bit keys, 8 bits at a time.
//
//   arithmetic     a loop that computes in registers instead
//   stores, all    meanwhile a page of the SNI has automatic update; with `all` also combining
//   counting       meanwhile a MULTIKRON's external inputs count
//   classes        meanwhile a POWER2 monitor counts: group 0 of each unit
//   misses         as classes, with the FXU's group of cache and TLB misses
//   smile          meanwhile a SMiLE monitor counts, of the keys in the adapters' window:
//     outside      none: they are in ordinary memory
//     home         none: their pages' home is this node
//     remote       every access: their home is the other node
//
// The first sort makes QEMU translate the code. Those to look at come between two bytes on the debug console; the
// program writes nothing there before. Keys and their copy fit into the least TLB that QEMU has (64 pages): how large
// QEMU makes it depends on the host's clock.
#include "guest/power2/regs.h"
#include "guest/smile/regs.h"
#include "tests/guest/bare/rt/boards.h"
#include "tests/guest/bare/rt/mk.h"
#include "tests/guest/bare/sci/sci.h"

enum { KEYS = 8192, SORTS = 4, BINS = 256, ROUNDS = 100000 };
static uint32_t keys_here[KEYS], other_here[KEYS];
static uint32_t *keys = keys_here, *other = other_here;
static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static void fill(void) {
  uint32_t x = 2463534242u;  // xorshift32, Marsaglia 2003
  for (uint32_t i = 0; i < KEYS; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    keys[i] = x;
  }
}

// Four passes: the result is in keys again.
static __attribute__((noinline)) void sort(void) {
  uint32_t *from = keys, *to = other;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    static uint32_t place[BINS];
    for (unsigned b = 0; b < BINS; b++) place[b] = 0;
    for (uint32_t i = 0; i < KEYS; i++) place[from[i] >> shift & (BINS - 1)]++;
    for (uint32_t b = 0, sum = 0; b < BINS; b++) {
      const uint32_t n = place[b];
      place[b] = sum;
      sum += n;
    }
    for (uint32_t i = 0; i < KEYS; i++) to[place[from[i] >> shift & (BINS - 1)]++] = from[i];
    uint32_t *const swap = from;
    from = to;
    to = swap;
  }
}

// Numbers and how many of them are odd, until they are back in the sum.
static __attribute__((noinline, aligned(1024))) uint32_t arithmetic(void) {
  uint32_t x = 2463534242u, sum = 2166136261u, odd = 0;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    sum = (sum ^ x) * 16777619u;
    if (x & 1) odd += x >> 7;
    sum += odd;
  }
  return sum | 1;
}

static uint32_t checksum(void) {
  uint32_t sum = 2166136261u;
  for (uint32_t i = 0; i < KEYS; i++) {
    if (i && keys[i - 1] > keys[i]) return 0;
    sum = (sum ^ keys[i]) * 16777619u;
  }
  return sum | 1;
}

static void mark(char c) { outb(0xE9, (uint8_t)c); }

// The monitor's BAR. Every request that the node sends, in ranges of a page.
static uint32_t smile_start(void) {
  const uint32_t pages = 2 * KEYS * 4 / 4096, device = pci_find(SMR_DEVICE << 16 | SMR_VENDOR, 0);
  sci_find();
  if (device == 32) bail(RT_NO_BOARD, "no SMiLE monitor");
  const uint32_t monitor = pci_memory(device, SMR_BAR);
  sci_home(0, pages, rt_option("remote"));
  if (!rt_option("outside")) {
    keys = (uint32_t *)WINDOW(0, 0);
    other = keys + KEYS;
  }
  mmio32_put(monitor + SMR_MASK, SMR_FILTER_ALL & ~(SMR_FILTER_RESPONSE | SMR_FILTER_INBOUND));
  mmio32_put(monitor + SMR_MAXR, SMR_PAGE_WORDS - 1);
  mmio32_put(monitor + SMR_MCR, SMR_MCR_RUN);
  return monitor;
}

static uint32_t power2_start(bool misses) {
  const uint32_t device = pci_find(P2_PCI_DEVICE << 16 | P2_PCI_VENDOR, 0);
  if (device == 32) bail(RT_NO_BOARD, "no POWER2 monitor");
  const uint32_t monitor = pci_memory(device, 0);
  mmio32_put(monitor + P2R_MMCR, misses ? P2_MMCR_FXU(6u) : 0);
  return monitor;
}

int program(void) {
  const bool all = rt_option("all"), observed = all || rt_option("stores"), counting = rt_option("counting");
  const bool smile = rt_option("smile"), misses = rt_option("misses"), power2 = misses || rt_option("classes");
  const bool computing = rt_option("arithmetic");
  struct mk mk;
  uint32_t monitor = 0, sum = 0;
  rt_paging();
  if (observed) {
    boards_start();
    au_export(arrived, 5, false);
    au_map(source, arrived, all ? AU_COMB : AU_PLAIN);
    ((volatile uint32_t *)source)[0] = 1;
    settle();
  }
  if (counting) {
    if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
    mk_put64(&mk, MKR_MUXSEL, 0xffff);  // all external
    mk_put(&mk, MKR_RRESET, 0xffff);
  }
  if (smile) monitor = smile_start();
  if (power2) monitor = power2_start(misses);
  fill();
  computing ? (void)arithmetic() : sort();
  if (counting) mk_put(&mk, MKR_ENABLE, 0xffff);
  const uint64_t reads = observed ? sni64(SNI_BRD) : 0, writes = observed ? sni64(SNI_BWR) : 0;
  mark('<');
  for (unsigned i = 0; i < SORTS; i++) {
    if (computing) {
      sum = arithmetic();
    } else {
      fill();
      sort();
    }
  }
  mark('>');
  if (counting) mk_put(&mk, MKR_DISABLE, 0xffff);
  if (observed) say("\nbus %llu %llu", sni64(SNI_BRD) - reads, sni64(SNI_BWR) - writes);
  say("\nsum %08x\n", computing ? sum : checksum());
  if (observed) {
    const uint64_t before = sni64(SNI_AUS);
    ((volatile uint32_t *)source)[0] = 2;
    settle();
    say("snooped %llu\n", sni64(SNI_AUS) - before);
  }
  for (unsigned i = 0; counting && i < 4; i++) say("counter %u %llu\n", i, mk_get64(&mk, MKR_COUNTER(i)));
  for (unsigned i = 0; power2 && i < P2_COUNTERS; i++) say("counter %u %u\n", i, mmio32(monitor + P2R_COUNTER(i)));
  if (smile) say("packets %u\nrunning %u\n", mmio32(monitor + SMR_PACKETS), mmio32(monitor + SMR_MCR) & SMR_MCR_RUN);
  return RT_PASS;
}
