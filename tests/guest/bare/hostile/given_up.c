// SPDX-License-Identifier: GPL-2.0-or-later
// given_up - QEMU gives up the translation of a block in the middle of an instruction, since the next page is not there; and the next block that it
// translates is one that nobody observes any more. QEMU 10.0 keeps what it knew of the instruction, and would end here (pb_ops_forget()).
//
// Between the two nothing may be translated: so all that runs there has run before. Each round gives up some blocks that change nothing first.
#include "../sci/sci.h"

enum { BYTES = 4096, ROUNDS = 20, WARM = 4, PAGE_FAULT = 14, ACROSS = RT_WINDOW + BYTES - 2 };
static uint8_t code[BYTES] __attribute__((aligned(BYTES)));
static uint32_t faults, next;

static bool given_up(struct frame *f) {
  if (f->eip != ACROSS) return false;
  faults++;
  sci_put(SCIR_CTRL, next);
  f->eip = f->edx;
  return true;
}

static __attribute__((noinline)) void give_up(uint32_t enable) {
  next = enable;
  __asm__ volatile("movl $1f, %%edx\n\tjmp *%0\n1:" ::"r"(ACROSS) : "eax", "edx", "memory");
}

int program(void) {
  sci_find();
  rt_on_trap(PAGE_FAULT, given_up);
  rt_paging();
  code[BYTES - 2] = code[BYTES - 1] = 0xA1;  // movl address, %eax, of which three bytes are missing
  rt_map(RT_WINDOW, (uint32_t)code, RT_WRITE);
  rt_map(RT_WINDOW + BYTES, 0, RT_ABSENT);
  for (unsigned round = 0; round < ROUNDS; round++) {
    sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE);
    for (unsigned i = 0; i <= WARM; i++) give_up(i < WARM ? SCIR_CTRL_ENABLE : 0);
  }
  is(faults, ROUNDS * (WARM + 1), "blocks that were given up");
  return done_testing();
}
