/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * start.S - first instructions, exception vectors, short handlers. The image lies at address 0; QEMU enters at 0x100.
 *
 * A processor begins big-endian. Each entry therefore is big-endian words, which go on at a fixed address in the
 * program's own byte order.
 *
 * Every vector counts in rt_taken[] and goes to the handler in rt_handler[], both indexed by the vector's address. A
 * handler may use r30 and r31. What entry and handlers execute is written beside them: tests add it to their numbers.
 */
#include "layout.h"

#ifdef __LITTLE_ENDIAN__
#define LE 1
#else
#define LE 0
#endif
#define MSR_BITS (0x02802002 | LE) /* VEC, VSX, FP, RI */

	.macro be word
	.byte (\word) >> 24 & 255, (\word) >> 16 & 255, (\word) >> 8 & 255, (\word) & 255
	.endm
	/* To `at` in the program's byte order: an address below 0x8000. r3 stays. */
	.macro enter at
	be 0x7d2000a6		/* mfmsr r9 */
	be 0x61290000 + LE	/* ori   r9,r9,LE */
	be 0x7d3b03a6		/* mtsrr1 r9 */
	be 0x39200000 + \at	/* li    r9,at */
	be 0x7d3a03a6		/* mtsrr0 r9 */
	be 0x4c000024		/* rfid */
	.endm
	.macro stack_and_toc top
	lis	1, \top@ha
	addi	1, 1, \top@l
	li	0, 0
	stdu	0, -64(1)
	lis	2, .TOC.@ha
	addi	2, 2, .TOC.@l
	mfmsr	4
	oris	4, 4, MSR_BITS >> 16
	ori	4, 4, MSR_BITS & 0xffff
	li	5, 1
	sldi	5, 5, 63	/* SF: 64-bit mode */
	or	4, 4, 5
	mtmsrd	4
	.endm

	.section .head, "ax"
	.org 0x100
	enter	0x1100

	/* Vector entry: 8 instructions, 1 load, 1 branch. */
	.macro vector at
	.org \at
	mtsprg	1, 31
	mtsprg	2, 30
	mfctr	31
	mtsprg	3, 31
	lwz	30, RT_HANDLER + \at(0)
	mtctr	30
	li	31, \at
	bctr
	.endm
	.irp at, 0x200, 0x300, 0x380, 0x400, 0x480, 0x500, 0x600, 0x700, 0x800, 0x900, 0x980, 0xa00, 0xc00, 0xd00, 0xe00, \
		0xe20, 0xe40, 0xe60, 0xe80, 0xea0, 0xf00, 0xf20, 0xf40, 0xf60, 0xf80
	vector	\at
	.endr

	.org 0x1000
	.globl rt_second
rt_second:			/* r3: what start-cpu was given */
	enter	0x1180

	.org 0x1100
	stack_and_toc rt_stack
	bl	rt_main		/* r3: the device tree */
1:	b	1b

	.org 0x1180
	stack_and_toc rt_second_stack
	sldi	3, 3, 12	/* each processor has 4 KB of it */
	subf	1, 3, 1
	bl	rt_second_main
1:	b	1b

	/* The end of each handler: 5 instructions, 1 branch (rfid). */
	.macro leave
	mfsprg	30, 3
	mtctr	30
	mfsprg	30, 2
	mfsprg	31, 1
	rfid
	.endm
	.macro count
	lwz	30, RT_TAKEN(31)
	addi	30, 30, 1
	stw	30, RT_TAKEN(31)
	.endm

	/* Behind the instruction. With its vector: 19 instructions, 2 loads, 1 store, 2 branches. */
	.globl rt_skip
rt_skip:
	count
	mfsrr0	30
	addi	30, 30, 4
	mtsrr0	30
	leave

	/* Back to where it was. With its vector: 16 instructions, 2 loads, 1 store, 2 branches. */
	.globl rt_return
rt_return:
	count
	leave

	/* The decrementer: sets it anew, and back. With its vector: 18 instructions, 3 loads, 1 store, 2 branches. */
	.globl rt_tick
rt_tick:
	count
	lwz	30, RT_PERIOD(0)
	mtdec	30
	leave

	/* Stores the page table entry that was prepared, and back. With its vector: 21 instructions, 4 loads, 2 stores, 2 branches. */
	.globl rt_map_it
rt_map_it:
	count
	ld	31, RT_FIX_AT(0)
	ld	30, RT_FIX_ENTRY(0)
	std	30, 0(31)
	ptesync
	isync
	leave

	/* Nobody expects it. */
	.globl rt_unexpected
rt_unexpected:
	lis	1, rt_panic_stack@ha
	addi	1, 1, rt_panic_stack@l
	stdu	1, -64(1)
	mr	3, 31
	mfsrr0	4
	mfsrr1	5
	mfspr	6, 19		/* DAR */
	bl	rt_panic
1:	b	1b

	.bss
	.balign 65536
	.skip 16384
rt_stack:
	.skip 32768
rt_second_stack:
	.skip 16384
rt_panic_stack:
	.globl rt_stack, rt_second_stack, rt_panic_stack
	.section .note.GNU-stack, "", @progbits
