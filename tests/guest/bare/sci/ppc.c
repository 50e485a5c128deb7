// SPDX-License-Identifier: GPL-2.0-or-later
// ppc - what POWER's accesses to the window become, packet by packet, in both byte orders; and two processors at once. Node 0 works at first; pages 1
// and 2 are at home on node 1. Reservations are plain loads and stores. Needs the test card.
#include "sci.h"

enum { R = SCI_READ, W = SCI_WRITE, TIMES = 3000 };
#define ASM(code) __asm__ volatile(code ::"b"(p1) : "r5", "r6", "r7", "r8", "cr0", "memory")

static uintptr_t p1;
static volatile uint32_t go, finished;

static void work(unsigned page) {
  for (unsigned i = 0; i < TIMES; i++) {
    volatile uint32_t *const word = (volatile uint32_t *)WINDOW(page, 4 * (i % 1024));
    *word = i;
    (void)*word;
  }
}

static void second(void) {
  while (!go)
    ;
  work(0);
  finished = 1;
  for (;;)
    ;
}

int program(void) {
  sci_find();
  if (!sci_card.blink || sci_card.nodes < 2) bail(RT_NO_BOARD, "no test-blink, or one node only");
  sci_home(0, sci_card.pages, 0);
  sci_home(1, 2, 1);
  blink_clear();
  p1 = WINDOW(1, 0);
  ASM("stb 5, 1(%0)\n\tsth 5, 6(%0)\n\tstw 5, 8(%0)\n\tstd 5, 16(%0)");
  EXPECT("stores", T(W, AT(1, 1), 0x02), T(W, AT(1, 6), 0xc0), T(W, AT(1, 8), 0x0f), T(W, AT(1, 16), 0xff));
  ASM("lbz 5, 7(%0)\n\tlha 5, 2(%0)\n\tlwz 5, 4(%0)\n\tld 5, 24(%0)\n\tli 6, 32\n\tldbrx 5, 6, %0");
  EXPECT("loads", T(R, AT(1, 7), 0x80), T(R, AT(1, 2), 0x0c), T(R, AT(1, 4), 0xf0), T(R, AT(1, 24), 0xff), T(R, AT(1, 32), 0xff));
  ASM("stw 5, 2(%0)\n\tli 6, 4094\n\tlwzx 5, 6, %0");
  EXPECT("misaligned, and across pages", T(W, AT(1, 2), 0x0c), T(W, AT(1, 4), 0x30), T(R, AT(1, 4094), 0xc0), T(R, AT(2, 0), 0x03));
  ASM("lwarx 5, 0, %0\n\taddi 5, 5, 1\n\tstwcx. 5, 0, %0");
  EXPECT("a reservation that holds", T(R, AT(1, 0), 0x0f), T(W, AT(1, 0), 0x0f));
  ASM("stwcx. 5, 0, %0");
  expect(NULL, 0, "none");
  ASM("stdu 5, 40(%0)\n\taddi %0, %0, -40");
  EXPECT("with update", T(W, AT(1, 40), 0xff));
  static struct transaction line[16];
  for (unsigned i = 0; i < 16; i++) line[i] = (struct transaction)T(W, AT(1, 256 + 8 * i), 0xff);
  ASM("li 6, 300\n\tdcbz 6, %0");
  expect(line, 16, "dcbz, a line of 128 bytes");
#ifdef __BIG_ENDIAN__
  __asm__ volatile("stmw 30, 8(%0)\n\tlmw 30, 16(%0)" ::"b"(p1) : "r30", "r31", "memory");
  EXPECT("load and store multiple", T(W, AT(1, 8), 0x0f), T(W, AT(1, 12), 0xf0), T(R, AT(1, 16), 0x0f), T(R, AT(1, 20), 0xf0));
#endif
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR);
  rt_start(1, second);
  go = 1;
  work(1);
  while (!finished)
    ;
  for (unsigned node = 0; node < 2; node++) {
    is(sci_count(node, SCIR_STATS_READS), TIMES, "reads of node %u", node);
    is(sci_count(node, SCIR_STATS_WRITES), TIMES, "writes of node %u", node);
    is(sci_count(node, SCIR_STATS_LOCKS), 0, "locks of node %u", node);
    is(sci_count(node, SCIR_STATS_RECEIVED), 2 * TIMES, "requests to node %u", node);
    is(sci_count(node, SCIR_STATS_PACKETS), 6 * TIMES, "packets on B-Link %u", node);
  }
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
