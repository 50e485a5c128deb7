// SPDX-License-Identifier: GPL-2.0-or-later
// taps - two observers at once, on pages that overlap, in the machine's memory and in a board's: the SNI hears stores, or all
// that is on the bus; MULTIKRON's external inputs count accesses to ranges, and cache misses. Two processors store, load and add to one word
// at the same time. Each observer sees exactly its own.
//
// Needs 64 MB of memory, of which the second half may be another NUMA node's, and an ivshmem device of 64 KB.
#include "../rt/boards.h"
#include "../rt/mk.h"

// The inputs, as tests/guest/bare/shrimp/meson.build connects them.
enum { BOTH, BOTH_0, BOTH_1, IN_BAR, MISSES };
// Pages: of the SNI alone, of both, of the ranges alone, of both in the board's memory.
static const uint32_t kOfSni = 0x2000000, kOfBoth = 0x2001000, kOfRanges = 0x2002000, kBar = 0x6000000;
enum { STORES = 200, LOADS = 100, ADDS = 100, SHARED = 1000, ROUNDS = 6 };
enum { IVSHMEM = 0x11101af4, PCI_COMMAND = 4, PCI_BAR2 = 0x18, PCI_BAR3 = 0x1c, PCI_MEMORY = 2 };

static uint32_t arrived[3][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t go, finished;  // not on mapped pages
static struct mk mk;

static bool place_bar(void) {
  for (uint32_t device = 0; device < 32; device++) {
    if (pci_config(0, device, 0, 0) != IVSHMEM) continue;
    pci_config_put(0, device, 0, PCI_BAR2, kBar);
    pci_config_put(0, device, 0, PCI_BAR3, 0);
    pci_config_put(0, device, 0, PCI_COMMAND, pci_config(0, device, 0, PCI_COMMAND) | PCI_MEMORY);
    return true;
  }
  return false;
}

// The processor's own words of a page.
static void work_on(uint32_t page, unsigned processor, uint32_t value) {
  volatile uint32_t *const words = (volatile uint32_t *)page + 512 * processor;
  for (unsigned i = 0; i < STORES; i++) {
    words[i] = value + i;
    spin(100);
  }
  for (unsigned i = 0; i < LOADS; i++) (void)words[i];
}

static void work(unsigned processor, uint32_t round) {
  const uint32_t value = round << 24 | processor << 16;
  work_on(kOfSni, processor, value);
  work_on(kOfBoth, processor, value);
  work_on(kOfRanges, processor, value);
  work_on(kBar, processor, value);
  for (unsigned i = 0; i < ADDS; i++) __asm__ volatile("lock incl %0" : "+m"(((volatile uint32_t *)kOfSni)[SHARED])::"memory", "cc");
}

static void second(void) {
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    while (go != round) __asm__ volatile("pause");
    work(1, round);
    finished = round;
  }
  for (;;) __asm__ volatile("cli; hlt");
}

static uint32_t count_of(unsigned input) { return (uint32_t)mk_get64(&mk, MKR_COUNTER(input)); }

static bool came(uint32_t page, const uint32_t *there) {
  for (unsigned p = 0; p < 2; p++)
    for (unsigned i = 0; i < STORES; i++)
      if (there[512 * p + i] != ((volatile uint32_t *)page)[512 * p + i]) return false;
  return true;
}

int program(void) {
  boards_start();
  if (!mk_find(0, &mk) || !place_bar()) bail(RT_NO_BOARD, "no MULTIKRON, or no ivshmem device");
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only (-smp 2)");
  mk_start_external(&mk);
  for (unsigned i = 0; i < 3; i++) au_export(arrived[i], i, false);
  ((volatile uint32_t *)kOfSni)[SHARED] = 0;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    // Odd rounds: stores alone are snooped. Even rounds: a page combines, so loads are, too.
    const uint32_t how = round % 2 ? AU_PLAIN : AU_COMB;
    // In the last two the SNI hears nothing of the board's memory.
    const bool bar = round <= 4;
    struct counts before, c;
    au_map((void *)kOfSni, arrived[0], how);
    au_map((void *)kOfBoth, arrived[1], AU_PLAIN);
    if (bar)
      au_map((void *)kBar, arrived[2], AU_PLAIN);
    else
      au_unmap((void *)kBar);
    settle();
    surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
    counts_read(&before);
    mk_put(&mk, MKR_RRESET, 0xffff);
    mk_put(&mk, MKR_ENABLE, 0xffff);
    go = round;
    work(0, round);
    while (finished != round) __asm__ volatile("pause");
    mk_put(&mk, MKR_DISABLE, 0xffff);
    // A store that closes the page's last packet, if it combines.
    au_unmap((void *)kOfSni);
    settle();
    counts_since(&c, &before);
    is(c.aus, 2 * (STORES * (bar ? 3 : 2) + ADDS), "round %u: stores that the SNI has seen", round);
    is(c.auw, c.aus, "round %u: words of them", round);
    is(c.ovf, 0, "round %u: nothing was lost", round);
    // How many packets combining makes of two processors' stores depends on how long each one's blocks are.
    ok(c.rxp == c.txp, "round %u: packets that have arrived", round);
    is(c.wcdr, c.auw, "round %u: words counted", round);
    ok(c.tecr == c.txp, "round %u: packets traced", round);
    is(((volatile uint32_t *)kOfSni)[SHARED], 2 * ADDS * round, "round %u: locked additions of both", round);
    is(arrived[0][SHARED], 2 * ADDS * round, "round %u: whose last value has arrived last", round);
    ok(came(kOfSni, arrived[0]) && came(kOfBoth, arrived[1]), "round %u: the pages arrived", round);
    is(came(kBar, arrived[2]), bar, "round %u: whether the board's memory did", round);
    is(count_of(BOTH_0), 2 * (STORES + LOADS), "round %u: accesses in the range, the first processor's", round);
    is(count_of(BOTH_1), 2 * (STORES + LOADS), "round %u: the second's", round);
    is(count_of(BOTH), 4 * (STORES + LOADS), "round %u: both", round);
    is(count_of(IN_BAR), 2 * (STORES + LOADS), "round %u: accesses in the board's memory", round);
    ok(count_of(MISSES) > 0, "round %u: cache misses are counted meanwhile", round);
  }
  return done_testing();
}
