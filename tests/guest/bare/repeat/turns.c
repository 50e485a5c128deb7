// SPDX-License-Identifier: GPL-2.0-or-later
// turns - two processors take turns, and each time one says when its turn has come; the first one moves memory about meanwhile, which QEMU lets go of
// in a thread of its own. The times are the same in every run.
#include "../rt/rt.h"

enum { TURNS = 400, PRINTED = 20, SHADOW = 0x5C }; /* a register of the host bridge: whether low memory is RAM or ROM */

static volatile uint32_t last, turns, hash = 2166136261u;

static void take_turns(uint32_t processor) {
  while (turns < TURNS) {
    if (last == processor) continue;
    last = processor;
    hash = (hash ^ (uint32_t)now_ns()) * 16777619u;
    if (++turns % PRINTED == 0) say("# %u: %08x %08x\n", turns, (uint32_t)now_ns(), hash);
    if (processor == 0) pci_config_put(0, 0, 0, SHADOW, turns & 2 ? 0x33 : 0);
  }
}

static void other(void) { take_turns(1); }

int program(void) {
  if (!rt_second(other)) bail(RT_NO_BOARD, "two processors are wanted (-smp 2)");
  take_turns(0);
  ok(true, "%u turns", TURNS);
  return done_testing();
}
