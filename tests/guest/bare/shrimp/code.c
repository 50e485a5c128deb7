// SPDX-License-Identifier: GPL-2.0-or-later
// code - for bare_code: instructions in a board's register, one of which reads that register, too.
#include "../rt/boards.h"

int program(void) {
  boards_start();
  const uint32_t at = boards.sni_regs + SNI_DUSA;
  sni_put(SNI_DUSA, 0x90C30184);  // testb %al, (%ecx); ret
  for (unsigned i = 0; i < 3; i++) {
    uint32_t bit = 1u << (i + 1);
    __asm__ volatile("call *%%edx\n\tsetnz %%al\n\tmovzbl %%al, %%eax" : "+a"(bit) : "d"(at), "c"(at) : "memory", "cc");
    is(bit, 0x84 >> (i + 1) & 1, "call %u: the instruction has read bit %u", i, i + 1);
  }
  return done_testing();
}
