// SPDX-License-Identifier: GPL-2.0-or-later
// ticks - SIMPLE (the paper's 4.2.4) under a timer interrupt each 10 ms: what a tick does to combining, cause by cause (hw/shrimp/README.md, Ticks).
//
// In each run the handler does one thing, and the board's counters say what that ended. 512 groups of 1024 words with combining, a word each 1 us,
// or with -append 100us each 100 us. The target time is carried through all of them, as the paper has it: what was missed is made up for.
#include "../rt/boards.h"

enum { TIMER_HZ = 1193182, HZ = 100, QUANTUM = 20 /* ticks: 200 ms, paper 4.3.13 */ };
enum { GROUPS = 512, WORDS = GROUPS * WORDS_OF_PAGE, L2 = 256 * 1024 };

static volatile uint32_t source[2][WORDS_OF_PAGE] __attribute__((aligned(4096)));  // the second one is not mapped
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

// Lines above the program. It is smaller than 252 KB, so none of its own meets them in the second level, which has one way.
#define LINE(i) (*(volatile uint32_t *)(0x2000000 + L2 - 4096 + 32 * (i)))
#define MEETS(i) (*(volatile uint32_t *)(0x2000000 + 2 * L2 - 4096 + 32 * (i)))
enum { STORED, COUNT, READ };  // no load brings the first one; SIMPLE keeps its count in the second

enum does { NOTHING, PORTS, STORES, READS, REGISTER, RELOADS };
static const char *const names[] = {"nothing", "ports", "stores", "reads", "register", "reloads"};

static struct {
  enum does does;
  bool shares;       // another program has every other quantum
  uint32_t left;     // ticks of SIMPLE's quantum; 0: it is the other's
  uint32_t ended;    // SIMPLE's count when a tick last ended a packet
  uint32_t no_open;  // ticks that found no packet open
  uint32_t last;     // ticks behind which SIMPLE wrote a group's last word
  volatile uint32_t ticks, when;
} at;

static inline uint32_t low_ns(void) {
  uint32_t v;
  __asm__ volatile("rdtsc" : "=a"(v)::"edx");
  return v;
}

// The other program has all it needs in registers.
static void other(void) {
  outb(0x20, 0x20);
  irq_on();
  for (const uint32_t until = at.ticks + QUANTUM; at.ticks != until;) continue;
  irq_off();
  at.left = QUANTUM;
}

static void handler(void) {
  at.when = low_ns();
  const uint32_t count = LINE(COUNT);
  at.ticks++;
  at.no_open += count % WORDS_OF_PAGE == 0 || count == at.ended;
  at.last += count % WORDS_OF_PAGE == WORDS_OF_PAGE - 1;
  switch (at.does) {
    case NOTHING:
      break;
    case PORTS: {  // masks and unmasks, as a Linux of the time does beside the acknowledgement
      const uint8_t mask = inb(0x21);
      outb(0x21, mask | 1);
      outb(0x21, mask);
      break;
    }
    case STORES:
      LINE(STORED) = at.ticks;
      break;
    case READS:  // two lines that push each other out
      (void)LINE(READ);
      (void)MEETS(READ);
      break;
    case REGISTER:
      (void)sni(SNI_SISR);
      break;
    case RELOADS:  // pushes SIMPLE's line out
      (void)MEETS(COUNT);
      break;
  }
  if (at.does >= STORES) at.ended = count;
  if (at.shares && at.left && !--at.left) other();
}

static __attribute__((noinline)) void simple(volatile uint32_t *page, uint32_t words, uint32_t wait) {
  uint32_t target = low_ns();
  for (uint32_t i = 0; i < words; i++) {
    irq_off();  // so that a tick finds the count right
    page[i % WORDS_OF_PAGE] = i + 1;
    (void)LINE(COUNT);
    LINE(COUNT) = i + 1;
    irq_on();
    target += wait;
    for (int32_t left; (left = (int32_t)(target - low_ns())) > 0;) spin((uint32_t)left / 512 + 1);
  }
}

// So long behind a tick that no tick of the runs is within 9 us of a group's begin or end: a compiler's few instructions do not change a count.
enum { START_NS = 4432000 };
static void begin_behind_a_tick(void) {
  for (const uint32_t seen = at.ticks; at.ticks == seen;) continue;
  while (low_ns() - at.when < START_NS) continue;
}

struct run {
  uint64_t packets;
  uint32_t full, longest;  // groups in one packet; latency, 100 ns
};

static struct run run(uint32_t wait, enum does does, bool shares, uint32_t expected) {
  struct counts before, c;
  at.does = does;
  simple(source[1], 50000000 / wait, wait);  // what the handler needs is in the caches, at this depth of the stack
  settle();
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN | SURF_HTCR_TRG, 0);
  counts_read(&before);
  begin_behind_a_tick();
  irq_off();
  at.shares = shares;
  at.left = QUANTUM;
  at.ticks = at.no_open = at.last = at.ended = 0;
  LINE(COUNT) = 0;
  (void)LINE(COUNT);
  irq_on();
  simple(source[0], WORDS, wait);
  irq_off();
  at.shares = false;
  const uint32_t ticks = at.ticks, no_open = at.no_open, last = at.last;
  irq_on();
  settle();
  counts_since(&c, &before);
  struct run r = {.packets = c.txp};
  for (uint32_t i = 0; i < c.tecr; i++) {
    const struct record p = recorded(i);
    r.full += p.size == 0;  // 1024, in ten bits
    if (p.latency > r.longest) r.longest = p.latency;
  }
  say("# %u us, %s%s: %llu packets: %llu boundary + %llu read + %llu write; ", wait / 1000, names[does], shares ? ", shared" : "", c.txp,
      c.end[ENDB], c.end[ENDR], c.end[ENDN]);
  say("%u ticks, %u found no packet open; %u groups in one packet; latency to %u us\n", ticks, no_open, r.full, r.longest / 10);
  is(c.txw, WORDS, "words have gone");
  is(c.rxw, WORDS, "words have come");
  is(c.tecr, c.txp, "packets are traced");
  const uint32_t ends = does < STORES ? 0 : ticks - no_open;
  is(c.end[ENDB], GROUPS, "each group has an end");
  is(c.end[ENDN], does == STORES ? ends : 0, "a write has ended as many");
  is(c.end[ENDR], does == STORES ? 0 : does == RELOADS ? ends + ticks - last : ends, "a read");
  is(c.txp, GROUPS + c.end[ENDN] + c.end[ENDR], "packets have one of these ends");
  is(c.txp, expected, "packets");
  return r;
}

static void near(uint64_t seen, uint32_t paper) {
  ok(10 * seen > 9 * paper && 10 * seen < 11 * paper, "%llu packets are within 10 %% of the paper's %u", seen, paper);
}

int program(void) {
  boards_start();
  au_export(arrived, 1, false);
  au_map((const void *)source[0], arrived, AU_COMB | AU_BOUND(4));
  outb(0x43, 0x34), outb(0x40, TIMER_HZ / HZ & 255), outb(0x40, TIMER_HZ / HZ >> 8);  // counter 0 of the 8254, rate
  rt_irq(0, false, handler);
  irq_on();
  if (!rt_option("100us")) {
    run(1000, NOTHING, false, GROUPS);
    run(1000, PORTS, false, GROUPS);
    near(run(1000, STORES, false, 564).packets, 579);
    run(1000, READS, false, 564);
    run(1000, REGISTER, false, 564);
    run(1000, RELOADS, false, 616);
    return done_testing();
  }
  run(100000, NOTHING, false, GROUPS);
  run(100000, STORES, false, 5750);
  struct run r = run(100000, NOTHING, true, GROUPS);
  ok(r.longest > 2000000, "a packet is open for a quantum of the other program's");
  r = run(100000, STORES, true, 3133);
  near(r.packets, 3146);
  ok(r.full > GROUPS / 5 && r.full < GROUPS * 3 / 10, "%u groups are one packet, in the paper a quarter (4.3.13)", r.full);
  return done_testing();
}
