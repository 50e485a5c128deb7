// SPDX-License-Identifier: GPL-2.0-or-later
// eject - the guest ejects processors that store to mapped pages, between their stores and in the middle of them; then the monitor plugs another
// one in (eject_run, with "plug"). Each word that is stored is snooped once and sent once, and arrives in its order.
#include "../rt/boards.h"
#include "../rt/hotplug.h"

enum { PROCESSORS = 4, WORDS = 500 };
static uint32_t source[PROCESSORS][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[PROCESSORS][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t go, finished[PROCESSORS], goes_on = PROCESSORS;  // not on mapped pages

// Slowly: the FIFO must not run over.
static void store(unsigned processor, uint32_t value) {
  for (uint32_t i = 0; i < WORDS; i++) {
    *(volatile uint32_t *)&source[processor][i] = value + i;
    spin(2000);
  }
}

static void other(unsigned processor) {
  for (uint32_t round = finished[processor];;) {
    while (go == round) __asm__ volatile("pause");
    round = go;
    store(processor, 0x10000 * round);
    finished[processor] = round;
    while (goes_on == processor) store(processor, 0x10000 * round);
  }
}

static uint32_t arrived_of(unsigned processor, uint32_t round) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < WORDS; i++) n += arrived[processor][i] == 0x10000 * round + i;
  return n;
}

static void send(const char *when) {
  const uint32_t next = go + 1;
  struct counts before, c;
  uint32_t n = 0, bad = 0;
  bool there[PROCESSORS] = {true};
  settle();
  for (unsigned i = 1; i < PROCESSORS; i++) there[i] = hotplug_is_there(i);
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
  go = next;
  store(0, 0x10000 * next);
  for (unsigned i = 0; i < PROCESSORS; i++) {
    if (!there[i]) continue;
    while (i && finished[i] != next) __asm__ volatile("pause");
    n += WORDS;
  }
  settle();
  counts_since(&c, &before);
  for (unsigned i = 0; i < PROCESSORS; i++) bad += there[i] && arrived_of(i, next) != WORDS;
  is(c.aus, n, "%s: stores snooped", when);
  is(c.txp + c.ovf, n, "%s: packets sent, or lost with the FIFO full", when);
  is(c.rxp, c.txp, "%s: delivered", when);
  is(c.tecr, c.txp, "%s: traced", when);
  if (!c.ovf) is(bad, 0, "%s: pages that did not arrive", when);
}

// Whatever it had stored when it went has been sent, and no more comes.
static void eject_in_the_middle(unsigned processor) {
  struct counts before, c, later;
  settle();
  counts_read(&before);
  goes_on = processor;
  go++;
  while (finished[processor] != go) __asm__ volatile("pause");
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (hotplug_is_there(i) && finished[i] != go) __asm__ volatile("pause");
  spin(100000);
  hotplug_eject(processor);
  goes_on = PROCESSORS;
  settle();
  counts_since(&c, &before);
  is(c.rxp + c.ovf, c.aus, "what it has stored has been sent, and has arrived");
  spin(100000);
  counts_since(&later, &before);
  is(later.aus, c.aus, "and it stores no more");
}

int program(void) {
  boards_start();
  hotplug_begin();
  for (unsigned i = 0; i < PROCESSORS; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], AU_PLAIN);
  }
  if (!rt_others(PROCESSORS - 1, other)) bail(RT_NO_BOARD, "four processors are wanted (-smp 4)");
  send("four");
  hotplug_eject(1);
  send("three");
  eject_in_the_middle(2);
  send("two");
  if (rt_option("plug")) {
    finished[1] = go;  // it is to wait for the next round
    hotplug_plug(1, other);
    send("another one");
    eject_in_the_middle(1);
  }
  hotplug_eject(3);
  send("one");
  return done_testing();
}
