/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smile_regs.h - the SMiLE hardware monitor (smile-hwm) as a program sees it: addresses and bits.
 *
 * Transcribed from the paper ("Design and Implementation Aspects for the SMiLE Hardware Monitor") and, where it gives no
 * addresses, from the card's manual page (hw/smile/README.md), not from the model: a unit test compares the two. Plain
 * #defines, for the kernel, libc and bare metal alike. 32-bit little-endian accesses.
 *
 * SMR_NAME is an offset in BAR 0, SMR_NAME_FIELD a bit, SMR_NAME_FIELD_MASK (in place) and _SHIFT a wider field;
 * SMR_GET and SMR_PUT take and make one.
 */
#ifndef PERFBOARD_SMILE_REGS_H
#define PERFBOARD_SMILE_REGS_H

#define SMR_GET(field, value) (((value) & SMR_##field##_MASK) >> SMR_##field##_SHIFT)
#define SMR_PUT(field, value) (((value) << SMR_##field##_SHIFT) & SMR_##field##_MASK)

#define SMR_VENDOR 0x133E /* PCI: the H.O.T. II card */
#define SMR_DEVICE 0x4000
#define SMR_BAR 0
#define SMR_BAR_BYTES 0x1000000u
#define SMR_BAR_IO 1
#define SMR_BAR_IO_BYTES 256u

/* --- bridge: a PCI 9060's runtime registers, in BAR 1 too --- */
#define SMR_MBOX(i) (0x40u + 4u * (i))
#define SMR_DOORBELL_LOCAL 0x60u /* PCI to local */
#define SMR_DOORBELL_PCI 0x64u   /* local to PCI */
#define SMR_INTCSR 0x68u
#define SMR_INTCSR_PCI (1u << 8)        /* enables: interrupts at all, */
#define SMR_INTCSR_DOORBELL (1u << 9)   /* the doorbell's, */
#define SMR_INTCSR_LOCAL (1u << 11)     /* the local input's */
#define SMR_INTCSR_DOORBELL_ACTIVE (1u << 13)
#define SMR_INTCSR_LOCAL_ACTIVE (1u << 15)
#define SMR_CONTROL 0x6Cu
#define SMR_PCI_ID 0x70u

/* --- memories --- */
#define SMR_RING 0x200000u /* dual-ported RAM: the ring of records */
#define SMR_RING_WORDS 4096u
#define SMR_RING_MASK (SMR_RING_WORDS - 1u)
#define SMR_SPARE 0x204000u /* the second dual-ported RAM: the host's */
#define SMR_SPARE_BYTES 0x4000u
#define SMR_CACHE 0x400000u /* configuration RAM cache */
#define SMR_SLOTS 2u
#define SMR_SLOT(i) (SMR_CACHE + SMR_SLOT_BYTES * (i))
#define SMR_SLOT_BYTES 0x40000u
#define SMR_FLASH 0x600000u /* the initial configuration; read only */
#define SMR_FLASH_BYTES 0x200000u

/* --- configuration cache manager --- */
#define SMR_CCM_INTERRUPT 0x800000u
#define SMR_CCM_INTERRUPT_NONE (1u << 0) /* 0: interrupt active */
#define SMR_CCM_COMMAND 0x800004u        /* write: load from... */
#define SMR_CCM_LOAD_FLASH 0u
#define SMR_CCM_LOAD_SLOT(i) (1u + (i))
#define SMR_CCM_STATUS 0x800008u
#define SMR_CCM_STATUS_BUSY (1u << 0)
#define SMR_CCM_STATUS_DONE (1u << 1)
#define SMR_CCM_STATUS_ERROR (1u << 2)
#define SMR_CCM_STATUS_SOURCE_MASK 0x00000030u
#define SMR_CCM_STATUS_SOURCE_SHIFT 4
#define SMR_CCM_DESIGN 0x80000Cu
#define SMR_CCM_CLEAR 0x800014u /* any write clears the interrupt */

#define SMR_DESIGN_NONE 0u
#define SMR_DESIGN_STATIC 1u
#define SMR_DESIGN_DYNAMIC 2u
#define SMR_DESIGN_TARGET 3u /* CCM_DESIGN: the design is on a daughter board, and in MSR */

/* --- PCI_Target --- */
#define SMR_TARGET 0x100000u
#define SMR_MCR (SMR_TARGET + 0x000u)
#define SMR_MCR_RUN (1u << 0)
#define SMR_MCR_RESET (1u << 1) /* write: monitor_reset */
#define SMR_MCR_SWAP (1u << 2)  /* write: SWAP_OUT on demand */
#define SMR_MCR_IEF (1u << 3)   /* interrupt when the ring is full */
#define SMR_MCR_IED (1u << 4)   /* interrupt when a demanded SWAP_OUT is done */
#define SMR_MSR (SMR_TARGET + 0x004u)
#define SMR_MSR_DESIGN_MASK 0x00000003u
#define SMR_MSR_DESIGN_SHIFT 0
#define SMR_MSR_STATE_MASK 0x00000070u /* Fig. 9 */
#define SMR_MSR_STATE_SHIFT 4
#define SMR_MSR_DECODE_MASK 0x00000300u /* Fig. 3 */
#define SMR_MSR_DECODE_SHIFT 8
#define SMR_MSR_FULL (1u << 12)
#define SMR_MSR_LOST (1u << 13) /* a one written clears it */
#define SMR_MSR_DONE (1u << 14) /* a one written clears it */
#define SMR_MSR_EXCHANGED (1u << 15) /* the daughter board has another design; a one written clears it */
#define SMR_MSR_ENTRIES_MASK 0x007F0000u
#define SMR_MSR_ENTRIES_SHIFT 16
#define SMR_STATE_IDLE 0u
#define SMR_STATE_FORWARD 1u
#define SMR_STATE_BUSY 2u
#define SMR_STATE_SWAP 3u
#define SMR_STATE_SWAP_ALL 4u
#define SMR_DECODE_IDLE 0u
#define SMR_DECODE_BD1 1u
#define SMR_DECODE_BD2 2u
#define SMR_NODE (SMR_TARGET + 0x008u) /* own node ID: outbound is what has it as source */
#define SMR_NODE_MASK 0x0000001Fu
#define SMR_NODE_SHIFT 0
#define SMR_MAXR (SMR_TARGET + 0x00Cu) /* Max_Range, 4-byte words */
#define SMR_MAXR_MASK 0x03FFFFFFu
#define SMR_MAXR_SHIFT 0
#define SMR_MASK (SMR_TARGET + 0x010u) /* transactions that the dynamic part counts: SMR_FILTER_* */
#define SMR_RDP (SMR_TARGET + 0x014u)  /* location last read */
#define SMR_WRP (SMR_TARGET + 0x018u)  /* location last written */
#define SMR_AUX (SMR_TARGET + 0x01Cu)  /* WRP + 1 */
#define SMR_LOSTN (SMR_TARGET + 0x020u)
#define SMR_QUEUE (SMR_TARGET + 0x024u)
#define SMR_PACKETS (SMR_TARGET + 0x028u)
#define SMR_ORPHANS (SMR_TARGET + 0x02Cu)
#define SMR_CLASHES (SMR_TARGET + 0x030u)
#define SMR_CRST (SMR_TARGET + 0x034u)   /* write: static counters to 0 */
#define SMR_GEVENT (SMR_TARGET + 0x038u) /* write n: global event 16 + n happens */
#define SMR_TIMER (SMR_TARGET + 0x03Cu)  /* period of the timer event, B-Link clocks; 0: off */
#define SMR_BLINK_CLOCK_NS 20u
#define SMR_OVF (SMR_TARGET + 0x040u)
#define SMR_OVF_INDEX_MASK 0x0000000Fu
#define SMR_OVF_INDEX_SHIFT 0
#define SMR_OVF_VALID (1u << 4)
#define SMR_CABLE (SMR_TARGET + 0x044u)
#define SMR_CABLE_NODE_MASK 0x0000001Fu
#define SMR_CABLE_NODE_SHIFT 0
#define SMR_CABLE_PLUGGED (1u << 31)

/* A filter passes what has its type, its kind and its direction among the ones. */
#define SMR_FILTER_READ (1u << 0)
#define SMR_FILTER_WRITE (1u << 1)
#define SMR_FILTER_LOCK (1u << 2)
#define SMR_FILTER_UNLOCK (1u << 3)
#define SMR_FILTER_REQUEST (1u << 4)
#define SMR_FILTER_RESPONSE (1u << 5)
#define SMR_FILTER_INBOUND (1u << 6)
#define SMR_FILTER_OUTBOUND (1u << 7)
#define SMR_FILTER_ALL 0xFFu

/* --- static part --- */
#define SMR_PAGES 32u
#define SMR_EVENTS 16u
#define SMR_COUNTERS 16u
#define SMR_GLOBAL_EVENT 16u /* events 0 to 15 are the table's, 16 to 31 global */
#define SMR_TIMER_EVENT 16u
#define SMR_ALL_EVENTS 32u

#define SMR_PAGE(i) (SMR_TARGET + 0x200u + 4u * (i))
#define SMR_PAGE_NUMBER_MASK 0x000FFFFFu
#define SMR_PAGE_NUMBER_SHIFT 0
#define SMR_PAGE_NODE_MASK 0x01F00000u
#define SMR_PAGE_NODE_SHIFT 20
#define SMR_PAGE_VALID (1u << 31)
#define SMR_EVENT(i) (SMR_TARGET + 0x300u + 8u * (i))
#define SMR_EVENT_PAGE_MASK 0x0000001Fu /* index of the page table */
#define SMR_EVENT_PAGE_SHIFT 0
#define SMR_EVENT_FILTER_MASK 0x0000FF00u
#define SMR_EVENT_FILTER_SHIFT 8
#define SMR_EVENT_VALID (1u << 31)
#define SMR_EVENT_RANGE(i) (SMR_EVENT(i) + 4u)
#define SMR_EVENT_BOTTOM_MASK 0x000003FFu /* both inclusive, 4-byte words of the page */
#define SMR_EVENT_BOTTOM_SHIFT 0
#define SMR_EVENT_TOP_MASK 0x03FF0000u
#define SMR_EVENT_TOP_SHIFT 16
#define SMR_COUNTER_START(i) (SMR_TARGET + 0x400u + 0x10u * (i))
#define SMR_COUNTER_STOP(i) (SMR_COUNTER_START(i) + 0x4u)
#define SMR_COUNTER_COUNT(i) (SMR_COUNTER_START(i) + 0x8u)
#define SMR_COUNTER_EVENT_MASK 0x0000001Fu /* of the three */
#define SMR_COUNTER_EVENT_SHIFT 0
#define SMR_COUNTER_EVENT_VALID (1u << 31)
#define SMR_COUNTER_VALUE(i) (SMR_COUNTER_START(i) + 0xCu)
#define SMR_COUNTER_VALUE_MASK 0x0000FFFFu
#define SMR_COUNTER_VALUE_SHIFT 0
#define SMR_COUNTER_ACTIVE (1u << 31)

/* --- dynamic part: the range table, read only --- */
#define SMR_ENTRIES_LEAST 4u
#define SMR_ENTRIES_MOST 64u
#define SMR_RANGE(i) (SMR_TARGET + 0x600u + 0x10u * (i))
#define SMR_RANGE_SOURCE_MASK 0x0000001Fu
#define SMR_RANGE_SOURCE_SHIFT 0
#define SMR_RANGE_DESTINATION_MASK 0x00001F00u
#define SMR_RANGE_DESTINATION_SHIFT 8
#define SMR_RANGE_VALID (1u << 31)
#define SMR_RANGE_ADDRESS(i) (SMR_RANGE(i) + 0x4u)
#define SMR_RANGE_ADDRESS_MASK 0x03FFFFFFu
#define SMR_RANGE_ADDRESS_SHIFT 0
#define SMR_RANGE_COUNT(i) (SMR_RANGE(i) + 0x8u)
#define SMR_RANGE_COUNT_MASK 0x0000FFFFu
#define SMR_RANGE_COUNT_SHIFT 0
#define SMR_RANGE_LRU(i) (SMR_RANGE(i) + 0xCu)
#define SMR_RANGE_USED (1u << 0)

/* --- records: two words. word 0: --- */
#define SMR_RECORD_KIND_MASK 0xE0000000u
#define SMR_RECORD_KIND_SHIFT 29
#define SMR_RECORD_RANGE 1u   /* an entry of the range table */
#define SMR_RECORD_COUNTER 2u /* a static counter */
#define SMR_RECORD_LOSS 3u    /* word 1: number of records that were lost here */
#define SMR_RECORD_OVF (1u << 28)
#define SMR_RECORD_WHY_MASK 0x0C000000u
#define SMR_RECORD_WHY_SHIFT 26
#define SMR_RECORD_REPLACED 0u
#define SMR_RECORD_OVERFLOW 1u
#define SMR_RECORD_DEMAND 2u
#define SMR_RECORD_ADDRESS_MASK 0x03FFFFFFu /* range: page << 10 | word of the page */
#define SMR_RECORD_ADDRESS_SHIFT 0
#define SMR_RECORD_INDEX_MASK 0x0000000Fu /* counter */
#define SMR_RECORD_INDEX_SHIFT 0
/* word 1; what it stands for is 65536 * OVF + COUNT */
#define SMR_RECORD_COUNT_MASK 0x0000FFFFu
#define SMR_RECORD_COUNT_SHIFT 0
#define SMR_RECORD_SOURCE_MASK 0x001F0000u
#define SMR_RECORD_SOURCE_SHIFT 16
#define SMR_RECORD_DESTINATION_MASK 0x03E00000u
#define SMR_RECORD_DESTINATION_SHIFT 21
#define SMR_RECORD_ENTRY_MASK 0xFC000000u
#define SMR_RECORD_ENTRY_SHIFT 26
#define SMR_OVERFLOW_VALUE 65536u

#define SMR_PAGE_WORDS 1024u

#endif
