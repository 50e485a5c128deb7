// SPDX-License-Identifier: GPL-2.0-or-later
// eject - processors go, on the PC through ACPI's ports, on POWER as a monitor asks: one whose monitor stands still, one that counts. What each has counted stays, to the
// instruction; the others count on, and so does one that is plugged in anew under its number (eject_run, with "plug").
#include "p2.h"
#ifdef __powerpc64__
#include "../rt/ppc/hotplug.h"
#else
#include "../rt/hotplug.h"
#endif

enum { TURNS = 5000 };

static struct p2_event instructions;
static volatile uint32_t go, finished[PROCESSORS], stays_on = PROCESSORS;
static uint32_t total[PROCESSORS], wrong;

// The counter as it was when the monitor last stood still is the one with which it goes on.
static void measure(unsigned processor) {
  wrong += p2_count(instructions) != total[processor];
  own_put(P2R_MMCR, instructions.mmcr);
  const uint32_t frame = p2_measure(instructions, KERNEL, piece_loop, 1);
  wrong += p2_measure(instructions, KERNEL, piece_loop, TURNS) - frame != 2 * (TURNS - 1);
  own_put(P2R_MMCR, instructions.mmcr | P2_MMCR_DIS);
  total[processor] = p2_count(instructions);
}

static void other(unsigned processor) {
  down_prepare(processor);
  for (uint32_t round = finished[processor];;) {
    while (go == round) relax();
    round = go;
    measure(processor);
    if (stays_on == processor) own_put(P2R_MMCR, instructions.mmcr);
    __sync_synchronize();
    finished[processor] = round;
  }
}

static uint32_t counter_of(unsigned processor) { return p2_get(P2R_OF(processor) + P2R_COUNTER(instructions.counter)); }

static void measure_all(const char *when) {
  const uint32_t next = go + 1;
  wrong = 0;
  go = next;
  measure(0);
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (hotplug_is_there(i) && finished[i] != next) relax();
  is(wrong, 0, "%s: each that is there counts its own instructions, and goes on where it stood", when);
  for (unsigned i = 0; i < PROCESSORS; i++)
    if (i != stays_on) is(counter_of(i), total[i], "%s: what processor %u has counted", when, i);
}

static void eject(unsigned processor) {
  hotplug_eject(processor);
  const uint32_t n = counter_of(processor);
  spin(100000);
  is(counter_of(processor), n, "and counts no more");
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  instructions = p2_event("instructions");
  hotplug_begin();
  down_prepare(0);
  for (unsigned i = 0; i < PROCESSORS; i++) p2_put(P2R_OF(i) + P2R_MMCR, instructions.mmcr | P2_MMCR_DIS);
  p2_others(other);
  measure_all("four");
  eject(1);
  measure_all("three");
  stays_on = 2;
  measure_all("one of them goes on counting");
  ok(counter_of(2) > total[2], "it does");
  eject(2);
  total[2] = counter_of(2);
  stays_on = PROCESSORS;
  measure_all("two");
  eject(3);
  measure_all("one");
#ifndef __powerpc64__
  if (rt_option("plug")) {
    finished[1] = go;  // it is to wait for the next round
    hotplug_plug(1, other);
    measure_all("another one");
    measure_all("and again");
    eject(1);
    measure_all("one");
  }
#endif
  return done_testing();
}
