// SPDX-License-Identifier: GPL-2.0-or-later
// latency - how long a processor waits for a remote access (latency=on), in virtual time under icount, against numbers worked out by hand from
// the tables of hw/sci/README.md; and that the others run meanwhile. Two nodes in one ringlet. Needs the test card.
//
//   request on the sender's B-Link    access + REQUEST 700, at the B-Link's next clock (20 ns)
//   response back                     360 + 40 + 1200 + 410 behind that, so 2020 (tests/unit/sci/latency_test.cc has each packet's time)
//   data in the processor             RESPONSE 700 behind the response's last word, the third: 2020 + 60 + 700
#include "sci.h"

enum { BACK = 2020, REQUEST = 700, RESPONSE = 60 + 700, INSTRUCTION = 32 };

static volatile uint32_t go, counter;

static void second(void) {
  while (!go) __asm__ volatile("hlt");
  for (;;) counter++;
}

int program(void) {
  uint64_t before, after, first;
  uint32_t word;
  sci_find();
  if (!sci_card.blink || !(sci(SCIR_STATUS) & SCIR_STATUS_LATENCY)) bail(RT_NO_BOARD, "no test-blink, or latency=off");
  const uint32_t remote = WINDOW(1, 0);
  sci_home(0, 1, 0);
  sci_home(1, 1, 1);
  // The other processor does not run: the wait is exact.
  for (unsigned round = 0; round < 4; round++) {
    spin(10000 + round);  // any phase of the B-Link's clock
    blink_clear();
    before = now_ns();
    word = *(volatile uint32_t *)remote;
    after = now_ns();
    (void)word;
    first = blink_packet(0).ns;
    ok(first >= before + REQUEST && first <= before + REQUEST + 20 + 4 * INSTRUCTION && first % 20 == 0, "a read's request");
    is(blink_packet(3).ns - first, BACK, "its response is back");
    ok(after >= first + BACK + RESPONSE && after <= first + BACK + RESPONSE + 3 * INSTRUCTION, "it ends %u ns behind its response",
       (uint32_t)(after - first - BACK));
    blink_clear();
    before = now_ns();
    __asm__ volatile("lock incl (%0)" ::"r"(remote) : "memory", "cc");
    after = now_ns();
    first = blink_packet(0).ns;
    is(blink_count(), 6, "packets of a locked instruction");
    ok(after >= first + BACK + RESPONSE && after <= first + BACK + RESPONSE + 3 * INSTRUCTION, "a lock waits for its response");
    ok(blink_packet(4).ns >= first + BACK + RESPONSE, "and its unlock comes behind it");
  }
  spin(10000);
  before = now_ns();
  *(volatile uint32_t *)remote = 1;
  after = now_ns();
  ok(after - before <= 8 * INSTRUCTION, "nobody waits for a write");
  // The other processor runs while this one waits.
  go = 1;
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only");
  uint32_t most = 0;
  for (unsigned i = 0; i < 20; i++) {
    const uint32_t was = counter;
    (void)*(volatile uint32_t *)remote;
    if (counter - was > most) most = counter - was;
  }
  ok(most > 5, "the other processor runs meanwhile");
  return done_testing();
}
