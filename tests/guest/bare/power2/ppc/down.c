// SPDX-License-Identifier: GPL-2.0-or-later
// POWER: any context by rfid, and back by sc, which keeps the mark.
#include "../p2.h"

enum { MSR_PR = 0x4000, MSR_PMM = 4 };

const char *const contexts[CONTEXTS] = {"user", "kernel", "user, marked", "kernel, marked"};
uint8_t down_memory[PROCESSORS][8192] __attribute__((aligned(4096)));

// r3: the piece; r4: MSR; r5: unused; r6, r7: what it gets. r11: the MSR of before; r12: where sc comes back to.
__asm__(
    "\t.text\n"
    "down_by_rfid:\n"
    "\tmfmsr 11\n\tmtsrr0 3\n\tmtsrr1 4\n\tlis 12, 1f@ha\n\taddi 12, 12, 1f@l\n\tmtsprg 0, 30\n\tmr 0, 31\n\trfid\n"
    "1:\tmtmsrd 11\n\tmr 31, 0\n\tmfsprg 30, 0\n\tblr\n"
    // The handler of sc.
    "down_back:\tmtctr 12\n\tbctr\n");
void down_by_rfid(const void *piece, uint64_t msr, uint64_t unused, uint64_t n, uint8_t *memory);
void down_back(void);

PIECE(piece_loop, "mr 8, 6\n1:\taddic. 8, 8, -1\n\tbne 1b");

unsigned down_self(void) {
  uint64_t v;
  __asm__ volatile("mfspr %0, 1023" : "=r"(v));  // PIR
  return v % PROCESSORS;
}

void down_prepare(unsigned processor) {
  (void)processor;
  rt_on(V_SYSCALL, down_back);
  *(volatile uint32_t *)RT_PERIOD = 0x7fffffff;
  rt_on(V_DECREMENTER, rt_tick);
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
}

void run_in(unsigned context, const void *piece, uint32_t n) {
  const uint64_t msr = mfmsr() | (context == USER || context == USER_MARKED ? MSR_PR | MSR_IR | MSR_DR | MSR_EE : 0) |
                       (context == USER_MARKED || context == KERNEL_MARKED ? MSR_PMM : 0);
  down_by_rfid(piece, msr, 0, n, down_memory[down_self()]);
}
