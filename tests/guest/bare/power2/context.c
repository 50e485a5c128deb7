// SPDX-License-Identifier: GPL-2.0-or-later
// context - what system calls and interrupts do to the process mark, and so to what MMCR's bits let count; and interrupts to a program's cycles:
// nothing. The numbers come of 1000 turns of a loop: what the way there and back counts is subtracted.
#include "p2.h"

enum { FEW = 1, MANY = 1001, TURNS = MANY - FEW };

static struct p2_event instructions;

static uint32_t counted(uint32_t mmcr, unsigned context, const void *piece) {
  own_put(P2R_MMCR, mmcr | instructions.mmcr);
  const uint32_t few = p2_measure(instructions, context, piece, FEW);
  return p2_measure(instructions, context, piece, MANY) - few;
}

// --- system calls, interrupts ---------------------------------------------------------------------------
#define DP P2_MMCR_DP
#define DU P2_MMCR_DU
#define DMS P2_MMCR_DMS
#define DMR P2_MMCR_DMR
enum { BY_CALL, BY_TRAP };

#ifdef __powerpc64__
enum { PMM = 4 };
// The handler of sc is the one that brings pieces back, by r12. Here it does n turns, and goes on behind sc.
__asm__(
    "\t.text\n"
    "pm_call: mfmsr 9\n\tstw 9, 0(7)\n\tmtctr 6\n1:\tbdnz 1b\n\trfid\n"
    // A trap's. With n turns; MSR and SRR1 go to memory.
    "pm_trap: mfmsr 30\n\tstw 30, 0(7)\n\tmfsrr1 30\n\tstw 30, 4(7)\n\tmtctr 6\n1:\tbdnz 1b\n"
    "\tmfsrr0 30\n\taddi 30, 30, 4\n\tmtsrr0 30\n\tmfsprg 30, 3\n\tmtctr 30\n\tmfsprg 30, 2\n\tmfsprg 31, 1\n\trfid\n"
    // The decrementer's.
    "pm_tick: mfmsr 30\n\tstw 30, 8(7)\n\tmfsrr1 30\n\tstw 30, 12(7)\n\tlis 30, 0x7fff\n\tmtdec 30\n"
    "\tmfsprg 30, 3\n\tmtctr 30\n\tmfsprg 30, 2\n\tmfsprg 31, 1\n\trfid\n");
// scv's: LR and CTR bring it back.
__asm__("\t.section .scv, \"ax\"\n\tmfmsr 9\n\tstw 9, 0(7)\n1:\taddic. 6, 6, -1\n\tbne 1b\n\trfscv\n");
PIECE(scv_piece, "mflr 3\n\tscv 0\n\tmtlr 3");
enum { FSCR = 153, FSCR_SCV = 0x1000 };
void pm_trap(void);
void pm_tick(void);
// The turns in the handler, or those behind it.
PIECE(call_piece, "mr 10, 12\n\tlis 12, pm_call@ha\n\taddi 12, 12, pm_call@l\n\tsc\n\tmr 12, 10");
PIECE(after_call_piece, "mr 10, 12\n\tmr 8, 6\n\tli 6, 1\n\tlis 12, pm_call@ha\n\taddi 12, 12, pm_call@l\n\tsc\n\tmr 12, 10\n\tmtctr 8\n1:\tbdnz 1b");
PIECE(trap_piece, "trap");
PIECE(after_trap_piece, "mr 8, 6\n\tli 6, 1\n\ttrap\n\tmtctr 8\n1:\tbdnz 1b");
// In a call's handler, a trap; then the turns.
__asm__("\t.text\npm_nested: mr 8, 6\n\tli 6, 1\n\tmfsrr0 4\n\tmfsrr1 5\n\ttrap\n\tmtsrr0 4\n\tmtsrr1 5\n\tmtctr 8\n1:\tbdnz 1b\n\trfid\n");
PIECE(nested_piece, "mr 10, 12\n\tlis 12, pm_nested@ha\n\taddi 12, 12, pm_nested@l\n\tsc\n\tmr 12, 10");
// Kernel code that changes its MSR, as kernels do: the mark stays.
__asm__("\t.text\npm_mtmsr: mtctr 6\n\tmfmsr 9\n\tmtmsrd 9\n\tmfmsr 9\n\tstw 9, 0(7)\n1:\tbdnz 1b\n\trfid\n");
PIECE(mtmsr_piece, "mr 10, 12\n\tlis 12, pm_mtmsr@ha\n\taddi 12, 12, pm_mtmsr@l\n\tsc\n\tmr 12, 10");
// Most of its cycles are waits.
PIECE(waits_piece, "divw 8, 6, 6\n\tcmpw 8, 6\n\tbeq 1f\n1:\tmtctr 6\n\tbdnz 2f\n2:\tmullw 8, 6, 6\n\tadd. 8, 8, 6\n\tbeq 3f\n3:\tfdiv 1, 2, 3\n\t"
                   "fcmpu 0, 1, 2\n\tbeq 4f\n4:\tmtctr 6\n\tbdnz 5f\n5:");
// Until the decrementer has come: free-running, a busy host delivers it when it gets round to it.
PIECE(wait_piece, "1:\tlwz 9, 12(7)\n\tcmpwi 9, -1\n\tbeq 1b");
enum { EACH_TURN = 1, TRAP_KEEPS = false };
static uint32_t *words(void) { return (uint32_t *)down_memory[0]; }

enum { DELAY = 8 }; /* of the decrementer, in 16 ns */
static void arm(uint32_t delay) {
  words()[3] = 0xffffffff;
  __asm__ volatile("mtdec %0" ::"r"(delay));
}
static bool disarm(void) {
  __asm__ volatile("mtdec %0" ::"r"(0x7fffffff));
  return words()[3] != 0xffffffff;
}

static void prepare(void) {
  uint64_t fscr;
  __asm__ volatile("mfspr %0, %1\n\tor %0, %0, %2\n\tmtspr %1, %0" : "=&r"(fscr) : "i"(FSCR), "r"((uint64_t)FSCR_SCV));
  rt_on(V_PROGRAM, pm_trap);
  rt_on(V_DECREMENTER, pm_tick);
}

static void of_this_processor(void) {
  for (unsigned marked = 0; marked < 2; marked++) {
    const unsigned context = marked ? USER_MARKED : USER;
    const uint32_t pmm = marked ? PMM : 0;
    run_in(context, call_piece, 1);
    is(words()[0] & PMM, pmm, "%s: sc leaves MSR(PM) as it is", contexts[context]);
    run_in(context, scv_piece, 1);
    is(words()[0] & PMM, pmm, "%s: so does scv", contexts[context]);
    is(counted(DU | DMR, context, scv_piece), marked ? 2 * TURNS : 0, "%s: scv's handler, privileged and marked", contexts[context]);
    run_in(context, mtmsr_piece, 1);
    is(words()[0] & PMM, pmm, "%s: so do mfmsr and mtmsrd behind it", contexts[context]);
    run_in(context, trap_piece, 1);
    is(words()[0] & PMM, 0, "%s: another interrupt clears MSR(PM)", contexts[context]);
    is(words()[1] & PMM, pmm, "%s: SRR1 keeps it", contexts[context]);
    words()[3] = 0xffffffff;
    __asm__ volatile("mtdec %0" ::"r"(2000));
    run_in(context, wait_piece, 1);
    is(words()[2] & PMM, 0, "%s: the decrementer clears it", contexts[context]);
    is(words()[3] & PMM, pmm, "%s: SRR1 keeps it", contexts[context]);
    is(counted(DU | DMR, context, nested_piece), marked ? TURNS : 0, "%s: a trap within a system call: rfid brings it back", contexts[context]);
    is(counted(DU | DMR, context, mtmsr_piece), marked ? TURNS : 0, "%s: marked kernel code that writes its MSR", contexts[context]);
  }
  run_in(KERNEL_MARKED, trap_piece, 1);
  __asm__ volatile("mfmsr %0\n\tori %0, %0, 4\n\tmtmsrd %0" ::"r"(0ul));
  is(own_get(P2R_STATE) & P2_STATE_PM, P2_STATE_PM, "the kernel marks itself: STATE");
  is(own_get(P2R_MARK), 1, "MARK");
  own_put(P2R_MARK, 0);
  is(own_get(P2R_MARK), 1, "MARK is read-only");
  mtmsrd(mfmsr() & ~(uint64_t)PMM);
  is(own_get(P2R_MARK), 0, "and clears the mark again");
}
#else
__asm__(
    ".text\n"
    "pm_call: decl %ecx\n"
    "  jnz pm_call\n"
    "  iret\n"
    "pm_tick: movl $1, (%esi)\n"
    "  movl $0, 0xFEE000B0\n"
    "  iret\n");
extern const uint8_t pm_call[], pm_tick[];
// A software interrupt and a fault: what runs the handler with n turns.
PIECE(call_piece, "int $0x81");
PIECE(after_call_piece, "movl %ecx, %eax\n\tmovl $1, %ecx\n\tint $0x81\n1: decl %eax\n\tjnz 1b");
PIECE(trap_piece, "int3");
PIECE(after_trap_piece, "movl %ecx, %eax\n\tmovl $1, %ecx\n\tint3\n1: decl %eax\n\tjnz 1b");
PIECE(waits_piece, "movl %ecx, %eax\n\txorl %edx, %edx\n\tdivl %ecx\n\ttestl %eax, %eax\n\tjz 1f\n1: imull %ecx, %eax\n\taddl %ecx, %eax\n\tjz 2f\n"
                   "2: movl (%esi), %eax\n\ttestl %eax, %eax\n\tjz 3f\n3: fldz\n\tfld1\n\tfdivrp\n\tfstpl 8(%esi)\n\timull %ecx, %edx\n\ttestl %edx, %edx\n\tjz 4f\n4:");
PIECE(wait_piece, "1: cmpl $0, (%esi)\n\tje 1b\n2: decl %ecx\n\tjnz 2b");
enum { EACH_TURN = 2, TRAP_KEEPS = true, APIC = 0xFEE00000, WAKE = 0x2e };

static void prepare(void) {
  down_gate(0x81, pm_call, 0xEE);
  down_gate(3, pm_call, 0xEE);
  down_gate(WAKE, pm_tick, 0x8E);
  mmio32_put(APIC + 0xF0, 0x1FF);
}

enum { LVT_TIMER = APIC + 0x320, TIMER_COUNT = APIC + 0x380, TIMER_DIVIDE = APIC + 0x3E0, BY_1 = 0xB, DELAY = 16 /* ns */ };
static void arm(uint32_t delay) {
  *(uint32_t *)down_memory[0] = 0;
  mmio32_put(TIMER_DIVIDE, BY_1);
  mmio32_put(LVT_TIMER, WAKE);
  mmio32_put(TIMER_COUNT, delay);
}
static bool disarm(void) {
  mmio32_put(TIMER_COUNT, 0);
  return *(volatile uint32_t *)down_memory[0];
}

static uint32_t behind_interrupt(uint32_t mmcr, unsigned context, uint32_t n) {
  own_put(P2R_MMCR, mmcr | instructions.mmcr);
  *(uint32_t *)down_memory[0] = 0;
  mmio32_put(APIC + 0x300, 0x00044000 | WAKE);  // to this one; it waits for IRET
  return p2_measure(instructions, context, wait_piece, n);
}

static void of_this_processor(void) {
  is(behind_interrupt(DP | DMR, USER_MARKED, MANY) - behind_interrupt(DP | DMR, USER_MARKED, FEW), 2 * TURNS,
     "user, marked: an interrupt, and the mark is still there");
  is(behind_interrupt(DP | DMR, USER, MANY) - behind_interrupt(DP | DMR, USER, FEW), 0, "user: an interrupt");
  own_put(P2R_MARK, 1);
  is(own_get(P2R_STATE) & P2_STATE_PM, P2_STATE_PM, "the kernel marks itself: STATE");
  is(own_get(P2R_MARK), 1, "MARK");
  own_put(P2R_MARK, 0xfffffffe);
  is(own_get(P2R_MARK), 0, "MARK has one bit");
}
#endif

static void calls_and_traps(void) {
  for (unsigned by = BY_CALL; by <= BY_TRAP; by++)
    for (unsigned marked = 0; marked < 2; marked++) {
      const unsigned context = marked ? USER_MARKED : USER;
      const void *const within = by == BY_CALL ? call_piece : trap_piece, *const after = by == BY_CALL ? after_call_piece : after_trap_piece;
      const bool stays = marked && (by == BY_CALL || TRAP_KEEPS);
      const char *const name = by == BY_CALL ? "a system call" : "a trap";
      is(counted(DU | DMR, context, within), stays ? EACH_TURN * TURNS : 0, "%s, %s: privileged and marked", contexts[context], name);
      is(counted(DU | DMS, context, within), stays ? 0 : EACH_TURN * TURNS, "%s, %s: privileged and unmarked", contexts[context], name);
      is(counted(DP | DMR, context, after), marked ? EACH_TURN * TURNS : 0, "%s, behind %s: not privileged and marked", contexts[context], name);
      is(counted(DP | DMS, context, after), marked ? 0 : EACH_TURN * TURNS, "%s, behind %s: not privileged and unmarked", contexts[context], name);
    }
}

// Wherever an interrupt comes. Under icount the delays put one behind each instruction of the piece.
static void interrupts_between(void) {
  enum { DELAYS = 300 };
  const struct p2_event cycles = p2_event("machine_cycles");
  own_put(P2R_MMCR, cycles.mmcr | DP);
  p2_measure(cycles, USER, waits_piece, 3);
  const uint32_t alone = p2_measure(cycles, USER, waits_piece, 3);
  unsigned came = 0, different = 0;
  for (uint32_t i = 1; i <= DELAYS; i++) {
    arm(i * DELAY);
    const uint32_t n = p2_measure(cycles, USER, waits_piece, 3);
    came += disarm();
    if (n != alone && different++ < 5) say("# %u cycles, not %u, with an interrupt after %u\n", n, alone, i * DELAY);
  }
  ok(came, "interrupts of a program: %u", came);
  is(different, 0, "and its cycles are the same");
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  instructions = p2_event("instructions");
  down_prepare(0);
  prepare();
  calls_and_traps();
  of_this_processor();
  interrupts_between();
  return done_testing();
}
