/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sci_regs.h - the PCI-SCI adapter (smile-sci) as a program sees it: registers and window.
 *
 * Transcribed from the adapter's manual page (hw/sci/README.md), not from the model: a unit test compares the two. Plain
 * #defines, for the kernel, libc and bare metal alike. Registers are 32 bits wide, little-endian, in BAR 0.
 *
 * SCIR_NAME is an offset, SCIR_NAME_FIELD a bit, SCIR_NAME_FIELD_MASK (in place) and _SHIFT a wider field.
 */
#ifndef PERFBOARD_SCI_REGS_H
#define PERFBOARD_SCI_REGS_H

#define SCIR_GET(field, value) (((value) & SCIR_##field##_MASK) >> SCIR_##field##_SHIFT)

#define SCIR_VENDOR 0x1234 /* PCI: QEMU's; the card is ours */
#define SCIR_DEVICE 0x5c10
#define SCIR_BAR 0
#define SCIR_BAR_BYTES 0x80000u
#define SCIR_BAR_WINDOW 2 /* global shared memory */

#define SCIR_PAGE_BYTES 4096u
#define SCIR_MAX_NODES 32u
#define SCIR_MAX_PAGES 65536u

#define SCIR_ID 0x0000u
#define SCIR_ID_VALUE 0x49435353u
#define SCIR_VERSION 0x0004u
#define SCIR_VERSION_VALUE 1u
#define SCIR_NODES 0x0008u
#define SCIR_PAGES 0x000Cu
#define SCIR_NODE 0x0010u /* of the processor that reads */
#define SCIR_NODE_NONE 0xFFFFFFFFu
#define SCIR_CTRL 0x0014u
#define SCIR_CTRL_ENABLE (1u << 0) /* 0: no transactions, the window is plain memory */
#define SCIR_CTRL_CLEAR (1u << 1)  /* write: statistics to 0 */
#define SCIR_STATUS 0x0018u
#define SCIR_STATUS_LATENCY (1u << 0) /* remote accesses take the time that the ring says */
#define SCIR_STATUS_CLUSTER (1u << 1) /* the other nodes are machines of their own */

/* Statistics of a node: 64 bits each. Read the low word first: that latches the high one. */
#define SCIR_STATS(node) (0x1000u + 0x80u * (node))
#define SCIR_STATS_READS 0x00u       /* requests that the node sent: READS, WRITES, LOCKS, UNLOCKS */
#define SCIR_STATS_WRITES 0x08u
#define SCIR_STATS_LOCKS 0x10u
#define SCIR_STATS_UNLOCKS 0x18u
#define SCIR_STATS_RECEIVED 0x20u    /* requests that reached it */
#define SCIR_STATS_WAIT 0x28u        /* ns that its processor was held */
#define SCIR_STATS_OUTSTANDING 0x30u /* 0 to 64, now */
#define SCIR_STATS_PACKETS 0x38u     /* on its B-Link */
#define SCIR_STATS_COUNT 8u

/* Address translation table: the home of a page. */
#define SCIR_ATT(page) (0x40000u + 4u * (page))
#define SCIR_ATT_HOME_MASK 0x0000001Fu
#define SCIR_ATT_HOME_SHIFT 0

#endif
