// SPDX-License-Identifier: GPL-2.0-or-later
// shared - two SNIs on one machine's bus, which send at once: each waits for the other, and the processor for both.
//
// The processor stores a word to a page that both have mapped. By hand (hw/shrimp/README.md, Time):
//
//   780 + 480 + 1000 + 40 + 3 * 40 + 1680 = 4100 ns behind the store both boards ask for the bus
//   the next edge of BCLK (120 ns), + 360     the board in the lower slot has it: G
//   + 60 + 120 + 120                          its word is in memory; the next edge is at G + 360
//   G + 720                                   the other board has it
//   G + 1020                                  that one's word is in memory; the next edge is at G + 1080
//   G + 1440                                  the processor has it, if it has asked meanwhile
//
// With contention=off (-append off) all three have it at once. With -append snap it stores and stores, for bare_snap. Needs SNIs in two slots, contention=on, node=1, nodes=4, and icount.
#include "../rt/boards.h"

enum { WAY = 4100, BCLK = 120, ACQUIRE = 360, OTHER = 720, BACK = 1440, INSN = 32 };

static volatile uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint8_t arrived[2][PAGE] __attribute__((aligned(4096)));
static uint32_t registers[2];

static void use(unsigned board) { boards.sni_regs = registers[board]; }

static void start(void) {
  boards_start_sni();
  registers[0] = boards.sni_regs;
  registers[1] = rt_free_window(SNI_WINDOW, SNI_WINDOW);
  unsigned slot = boards.sni_slot + 1;
  while (slot <= EISA_SLOTS && (eisa_id(slot) & SNI_PRODUCT_ID_MASK) != SNI_PRODUCT_ID) slot++;
  if (slot > EISA_SLOTS || !registers[1]) bail(RT_NO_BOARD, "no second SNI");
  outl((uint16_t)(slot << 12 | SNI_SBCR), registers[1] | SNI_SBCR_ENABLE);
  for (unsigned board = 0; board < 2; board++) {
    use(board);
    sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_CRST);
    au_export(arrived[board], 0, false);
    au_map((const void *)source, arrived[board], AU_PLAIN);
  }
}

// All packets arrive, and nobody reads a register meanwhile: that takes the bus, too.
static void settle_unseen(void) { spin(2000); }

// Of all packets so far: from request to grant.
static uint64_t waited(unsigned board) {
  use(board);
  return sni64(SNI_LAT_EISA);
}

// A store, and another one 2 * n + 3 instructions later. When each was made, and how long the second one waited.
struct stores {
  uint64_t first, second;
  uint32_t waited;
};
static __attribute__((noinline)) struct stores store_twice(uint32_t n) {
  uint32_t a, b, c;
  __asm__ volatile(
      "rdtsc\n\tmovl %%eax, %0\n\tmovl %%eax, (%4)\n"
      "1:\tdecl %3\n\tjnz 1b\n\t"
      "rdtsc\n\tmovl %%eax, %1\n\tmovl %%eax, (%4)\n\t"
      "rdtsc\n\tmovl %%eax, %2"
      : "=&S"(a), "=&D"(b), "=&c"(c), "+b"(n)
      : "r"(&source[0])
      : "eax", "edx", "memory", "cc");
  const uint64_t now = now_ns();
  return (struct stores){now - ((uint32_t)now - a) + 2 * INSN, now - ((uint32_t)now - b) + 2 * INSN, c - b - 3 * INSN};
}

// How long the second one waits, by hand.
static uint32_t by_hand(struct stores s) {
  const uint64_t asks = s.first + WAY, back = (asks + BCLK - 1) / BCLK * BCLK + ACQUIRE + BACK;
  return s.second >= asks && s.second < back ? (uint32_t)(back - s.second) : 0;
}

// Stores that the bus is too slow for: at any time packets of both boards wait, and the processor does.
static int busy(void) {
  enum { STEPS = 20, STORES = 2000 };
  uint64_t processor = 0;
  for (uint32_t step = 1; step <= STEPS; step++) {
    for (uint32_t i = 0; i < STORES; i++) processor += store_twice(1 + i % 32).waited;
    say("# %u of %u\n", step, STEPS);
  }
  for (unsigned board = 0; board < 2; board++) {
    use(board);
    while (sni(SNI_FCNT))
      ;
  }
  settle_unseen();
  for (unsigned board = 0; board < 2; board++)
    say("# final board %u: waited %llu ns, packets %llu, lost %llu\n", board, waited(board), sni64(SNI_RXP), sni64(SNI_OVFC));
  say("# final processor: waited %llu ns\n", processor);
  say("# final time %llu ns\n", now_ns());
  for (unsigned board = 0; board < 2; board++) {
    use(board);
    is(sni64(SNI_RXP) + sni64(SNI_OVFC), 2 * STEPS * STORES, "each store is a packet or is lost");
  }
  return done_testing();
}

int program(void) {
  const bool off = rt_option("off");
  start();
  if (rt_option("snap")) return busy();
  source[0] = 1;
  settle_unseen();
  uint64_t first = waited(0), other = waited(1);
  ok(first > ACQUIRE && first <= ACQUIRE + BCLK, "the first board waits for an edge of BCLK and its acquisition: %llu ns", first);
  is(other - first, off ? 0 : OTHER, "the other board has the bus so much later");

  uint32_t wrong = 0, most = 0;
  for (uint32_t n = 30; n < 110; n++) {
    const struct stores s = store_twice(n);
    const uint32_t expected = off ? 0 : by_hand(s);
    if (s.waited != expected && !wrong++) say("# %u ns behind the first store: %u, by hand %u\n", (uint32_t)(s.second - s.first), s.waited, expected);
    if (s.waited > most) most = s.waited;
    settle_unseen();
  }
  is(wrong, 0, "a second store, 2 to 7 us behind the first, waits as long as by hand");
  if (!off) ok(most > ACQUIRE + BACK - 2 * INSN && most < ACQUIRE + BACK + BCLK, "the longest wait is for both boards: %u ns", most);
  for (unsigned board = 0; board < 2; board++) {
    use(board);
    is(sni64(SNI_RXP), 161, "board %u has all packets", board);
    is(*(uint32_t *)arrived[board], source[0], "and the last word");
  }
  return done_testing();
}
