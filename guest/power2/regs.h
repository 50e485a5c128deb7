/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * regs.h - registers of the POWER2 performance monitor, as a driver sees them.
 *
 * One monitor for each processor: MMCR and the 22 counters of Figure 1 (Figure 1) side by side, so that one load multiple saves them.
 * PCI 1234:5032. BAR 0 little-endian, BAR 2 the same registers big-endian. All registers have 32 bits; a
 * 64-bit access to a multiple of 8 is two registers. The paper counts bits from the most significant one: its bit 0 is 0x80000000 here.
 *
 *   P2R_OWN + r           of the processor that makes the access
 *   P2R_OF(n) + r         of processor n
 *   P2R_CARD + r          of the card, read-only
 */
#ifndef PERFBOARD_GUEST_POWER2_REGS_H
#define PERFBOARD_GUEST_POWER2_REGS_H

#define P2_PCI_VENDOR 0x1234
#define P2_PCI_DEVICE 0x5032 /* "P2" */
#define P2_BAR_BYTES 0x20000

#define P2R_OWN 0x0000
#define P2R_CARD 0x0800
#define P2R_OF(n) (0x1000 + 0x100 * (n)) /* n: 0 ... 254 */

/* Of a monitor. */
#define P2R_MMCR 0x00
#define P2R_COUNTER(i) (0x04 + 4 * (i)) /* i: P2_FPU0 ... */
#define P2R_IMR 0x60
#define P2R_SPE 0x64
#define P2R_MARK 0x68  /* x86: the process mark; POWER: read-only, MSR[PM] as the monitor sees it */
#define P2R_STATE 0x6c /* read-only */

/* Counters, in the order of MMCR's fields. */
#define P2_FPU0 0
#define P2_FXU0 5
#define P2_ICU0 10
#define P2_SCU0 15
#define P2_CYCLES 20
#define P2_ERRORS 21 /* correctable memory errors */
#define P2_COUNTERS 22
#define P2_UNITS 4 /* FPU, FXU, ICU, SCU */
#define P2_UNIT_COUNTERS 5
#define P2_GROUPS 16

/* MMCR: Figure 2. */
#define P2_MMCR_DIS 0x80000000u
#define P2_MMCR_DP 0x40000000u
#define P2_MMCR_DU 0x20000000u
#define P2_MMCR_DMS 0x10000000u
#define P2_MMCR_DMR 0x08000000u
#define P2_MMCR_SGA 0x04000000u
#define P2_MMCR_RESERVED 0x03ff0000u
#define P2_MMCR_FPU(group) ((group) << 12)
#define P2_MMCR_FXU(group) ((group) << 8)
#define P2_MMCR_ICU(group) ((group) << 4)
#define P2_MMCR_SCU(group) ((group) << 0)

#define P2_SPE_SPE 1u   /* bit 31 of the paper's numbering: cycles are counted while it is 1 */
#define P2_MARK_PM 1u
#define P2_STATE_PR 1u      /* MSR(PR): 1 problem state */
#define P2_STATE_PM 2u      /* MSR(PM) */
#define P2_STATE_COUNTS 4u  /* the counters count, by MMCR, PR and PM (Table 1) */

/* IMR on POWER: an instruction word, of which the opcode and the extended opcode count. On x86: map << 8 | opcode; map 0: one byte,
 * 1: 0F, 2: 0F 38, 3: 0F 3A. 0: nothing matches. */

/* Of the card. */
#define P2R_CARD_MAGIC 0x00     /* P2_CARD_MAGIC */
#define P2R_CARD_VERSION 0x04   /* 1 */
#define P2R_CARD_MONITORS 0x08  /* how many: one for each processor */
#define P2R_CARD_CLOCK 0x0c     /* Hz: 66666667 */
#define P2R_CARD_NODE 0x10      /* 0 thin, 1 thin 2, 2 wide, 3 other */
#define P2R_CARD_DCACHE 0x14    /* bytes */
#define P2R_CARD_DCACHE_LINE 0x18
#define P2R_CARD_ICACHE 0x1c    /* bytes */
#define P2R_CARD_DCACHE_PENALTY 0x20 /* cycles that a miss holds the processor */
#define P2R_CARD_TLB_PENALTY 0x24
#define P2R_CARD_ICACHE_PENALTY 0x28
#define P2R_CARD_FLAGS 0x2c     /* P2_CARD_* */
#define P2_CARD_MAGIC 0x32575250u /* bytes P, R, W, 2 */
#define P2_CARD_OWN_MARK 1u       /* MARK is writable: the processor has no process mark of its own (x86) */

#endif
