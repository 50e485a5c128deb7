/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * layout.h - fixed addresses that instructions reach without a base register. For C and for the assembler.
 */
#ifndef PERFBOARD_BARE_PPC_LAYOUT_H
#define PERFBOARD_BARE_PPC_LAYOUT_H

#define RT_TAKEN 0x2000     /* u32 at + vector: how often it was taken */
#define RT_HANDLER 0x3000   /* u32 at + vector: address of its handler */
#define RT_PERIOD 0x4000    /* u32: what rt_tick puts into the decrementer */
#define RT_FIX_AT 0x4008    /* u64: where rt_map_it stores ... */
#define RT_FIX_ENTRY 0x4010 /* u64: ... this page table entry */
#define RT_LOW_END 0x5000

#endif
