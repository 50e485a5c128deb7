// SPDX-License-Identifier: GPL-2.0-or-later
// mark - event sources on another card's inputs that tell marked from unmarked on x86, where the monitor has the mark. The store that changes
// the mark counts where it begins. The counts of each case are written beside it by hand.
#include "../rt/mk.h"
#include "p2.h"

// The inputs, as meson.build connects them.
enum {
  INSNS_MARKED, INSNS_UNMARKED, LOADS_MARKED, LOADS_UNMARKED, STORES_MARKED, STORES_UNMARKED, BRANCHES_MARKED,
  BRANCHES_UNMARKED, INSNS_KERNEL_MARKED, INSNS_USER_MARKED, INSNS, STORES, SOURCES
};
static const char *const names[SOURCES] = {
    "instructions:marked", "instructions:unmarked", "loads:marked", "loads:unmarked", "stores:marked", "stores:unmarked",
    "branches:marked", "branches:unmarked", "instructions:kernel:marked", "instructions:user:marked", "instructions", "stores"};
struct counts {
  uint32_t insns, loads, stores, branches;
};

static struct mk mk;
static uint32_t memory[4], frame[SOURCES], seen[SOURCES];

static void read_counts(uint32_t *to) {
  for (unsigned i = 0; i < SOURCES; i++) to[i] = (uint32_t)mk_get64(&mk, MKR_COUNTER(i));
  mk_put(&mk, MKR_RRESET, 0xffff);
}

// ebx: ENABLE; DISABLE is the next address, 8 bytes on. edi: the mark. The jump begins a block.
#define RUN(text)                                                                                                          \
  do {                                                                                                                     \
    uint32_t a, c;                                                                                                         \
    __asm__ volatile("movl $0xffff, (%%ebx)\n\tjmp 77f\n77:\n\t" text "\n\tmovl $0xffff, 8(%%ebx)"                         \
                     : "=a"(a), "=c"(c)                                                                                    \
                     : "b"(mk.eight + MKR_AT8(MKR_ENABLE)), "S"(memory), "D"(p2.little + P2R_OWN + P2R_MARK)               \
                     : "memory", "cc");                                                                                    \
    read_counts(seen);                                                                                                     \
  } while (0)
#define SETS "movl $1, (%%edi)\n\t"
#define CLEARS "movl $0, (%%edi)\n\t"

static void check(const char *name, struct counts marked, struct counts unmarked) {
  const uint32_t expected[SOURCES] = {
      [INSNS_MARKED] = marked.insns,
      [INSNS_UNMARKED] = unmarked.insns,
      [LOADS_MARKED] = marked.loads,
      [LOADS_UNMARKED] = unmarked.loads,
      [STORES_MARKED] = marked.stores,
      [STORES_UNMARKED] = unmarked.stores,
      [BRANCHES_MARKED] = marked.branches,
      [BRANCHES_UNMARKED] = unmarked.branches,
      [INSNS_KERNEL_MARKED] = marked.insns,
      [INSNS_USER_MARKED] = 0,
      [INSNS] = marked.insns + unmarked.insns,
      [STORES] = marked.stores + unmarked.stores,
  };
  for (unsigned i = 0; i < SOURCES; i++) is(seen[i] - frame[i], expected[i], "%s: %s", name, names[i]);
}

int program(void) {
  if (!mk_find(0, &mk) || !p2_find()) bail(RT_NO_BOARD, "a card is missing");
  own_put(P2R_MARK, 0);
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  RUN("");
  for (unsigned i = 0; i < SOURCES; i++) frame[i] = seen[i];
  is(frame[INSNS_MARKED], 0, "no mark at first");
  RUN("nop\n\tnop");
  check("nothing marked", (struct counts){0, 0, 0, 0}, (struct counts){2, 0, 0, 0});
  RUN("nop\n\t" SETS "movl (%%esi), %%eax\n\tnop\n\tmovl 4(%%esi), %%eax\n\t" CLEARS "movl (%%esi), %%eax");
  check("set and cleared", (struct counts){4, 2, 1, 0}, (struct counts){3, 1, 1, 0});
  RUN(SETS "movl $100, %%ecx\n1:\tmovl (%%esi), %%eax\n\tmovl %%eax, 4(%%esi)\n\tdecl %%ecx\n\tjnz 1b\n\t" CLEARS);
  check("a loop", (struct counts){1 + 4 * 100 + 1, 100, 101, 100}, (struct counts){1, 0, 1, 0});
  // The instruction that ends the counting is marked too, and is no part of the unmarked frame then.
  RUN(SETS "nop");
  check("set and left", (struct counts){1 + 1, 0, 0, 0}, (struct counts){1 - 1, 0, 1, 0});
  RUN("nop\n\t" CLEARS "nop");
  // So is the frame's jump here.
  check("cleared", (struct counts){1 + 2, 0, 1, 1}, (struct counts){1 - 1, 0, 0, 0u - 1});
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
