/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multikron_regs.h - NIST's MULTIKRON as a program sees it: addresses and bits.
 *
 * Transcribed from NISTIR 4737 (Tables 1, 2, 4, A-1 and C-1), not from the model: a unit test compares the
 * two. Plain #defines, for the kernel, libc and bare metal alike. An address counts 32-bit
 * locations, as Table A-1 does; where it lies depends on the window:
 *
 *   BAR 0  MKR_AT4(address)   32-bit accesses; 64-bit ones at even addresses
 *   BAR 2  MKR_AT8(address)   64-bit accesses; the card's information (MKR_CARD_*) behind them
 *   BAR 4  MKR_AT8(address)   samples only: for a user's process
 *
 * MKR_NAME is an address, MKR_NAME_FIELD a bit, MKR_NAME_FIELD_MASK (in place) and _SHIFT a wider
 * field; MKR_GET and MKR_PUT take and make one.
 */
#ifndef PERFBOARD_MULTIKRON_REGS_H
#define PERFBOARD_MULTIKRON_REGS_H

#define MKR_GET(field, value) (((value) & MKR_##field##_MASK) >> MKR_##field##_SHIFT)
#define MKR_PUT(field, value) (((value) << MKR_##field##_SHIFT) & MKR_##field##_MASK)

#define MKR_AT4(address) (4u * (address))
#define MKR_AT8(address) (8u * (address))

#define MKR_VENDOR 0x1234 /* PCI: QEMU's; the card is ours */
#define MKR_DEVICE 0x4d4b /* "MK" */
#define MKR_BAR4 0
#define MKR_BAR8 2
#define MKR_BAR_SAMPLE 4
#define MKR_BAR_BYTES 65536u

#define MKR_RESET 0 /* write: software reset, the Timestamp goes on */

#define MKR_CSR 1
/* Commands (a one acts, a zero does nothing); those without OFF and SLOW1US read back as state. */
#define MKR_CSR_SE (1u << 0)       /* sampling enabled */
#define MKR_CSR_SEOFF (1u << 1)    /* disable it: default */
#define MKR_CSR_WWAIT (1u << 2)    /* write wait on overrun */
#define MKR_CSR_WWAITOFF (1u << 3) /* discard the sample instead: default */
#define MKR_CSR_RWAIT (1u << 4)    /* read wait for shadow registers */
#define MKR_CSR_RWAITOFF (1u << 5) /* error bit instead: default */
#define MKR_CSR_SLOW10US (1u << 14) /* slow clock of 10 us */
#define MKR_CSR_SLOW1US (1u << 15)  /* of 1 us: default */
/* Status */
#define MKR_CSR_FFULL (1u << 6)   /* FIFO full */
#define MKR_CSR_SHFULL (1u << 7)  /* resource shadow registers full */
#define MKR_CSR_FOV (1u << 8)     /* FIFO overrun */
#define MKR_CSR_SHOV (1u << 9)    /* resource shadow register overrun */
#define MKR_CSR_BIT128 (1u << 10) /* 129th FIFO output bit: with resource data */
#define MKR_CSR_WS_MASK 0x00003000u /* number of wait states */
#define MKR_CSR_WS_SHIFT 12
#define MKR_CSR_COMMANDS 0x0000C03Fu

/* Read only, 56 bits. By 32 bits: the upper half, the lower, the upper; again if the two upper ones differ. */
#define MKR_TIMESTAMP 2
#define MKR_TIMESTAMP_MASK 0x00FFFFFFFFFFFFFFull
#define MKR_TIMESTAMP_SHIFT 0
#define MKR_FILTER 4 /* bit n: filter level n */
#define MKR_FILTER_LEVEL_MASK 0x0000FFFFu
#define MKR_FILTER_LEVEL_SHIFT 0
#define MKR_WAIT 5    /* node clock cycles; any write clears it */
#define MKR_OVERRUN 6 /* samples; any write clears it */

#define MKR_MUXSEL 8 /* 64 bits: counter i has bit i (LSB) and bit 32 + i (MSB) */
#define MKR_MUXSEL_LSB_MASK 0x000000000000FFFFull
#define MKR_MUXSEL_LSB_SHIFT 0
#define MKR_MUXSEL_MSB_MASK 0x0000FFFF00000000ull
#define MKR_MUXSEL_MSB_SHIFT 32
/* Table 4 */
#define MKR_MUX_SLOW 0u
#define MKR_MUX_EXTERNAL 1u
#define MKR_MUX_SOFTWARE 2u
#define MKR_MUX_NODE 3u
#define MKR_MUX_FIELD(i) (0x0000000100000001ull << (i))
#define MKR_MUX_PUT(i, source) \
	(((unsigned long long)((source) & 1u) | (unsigned long long)((source) >> 1 & 1u) << 32) << (i))
#define MKR_MUX_GET(i, mux) ((unsigned)((mux) >> (i) & 1u) | (unsigned)((mux) >> (32 + (i)) & 1u) << 1)

#define MKR_RRESET 10  /* write: ones clear counters */
#define MKR_ENABLE 11  /* write: ones enable; read: which are */
#define MKR_DISABLE 12 /* write: ones disable */
#define MKR_COUNTERS_MASK 0x0000FFFFu
#define MKR_COUNTERS_SHIFT 0

#define MKR_FIFO 13 /* read only, test mode only */
#define MKR_TEST 14 /* test mode only: data in bits 31..0, instruction above (Table C-1) */
#define MKR_TEST_DATA_MASK 0x00000000FFFFFFFFull
#define MKR_TEST_DATA_SHIFT 0
#define MKR_TEST_SET_MASK 0x0000000300000000ull
#define MKR_TEST_SET_SHIFT 32
#define MKR_TEST_INC_MASK 0x0000000C00000000ull
#define MKR_TEST_INC_SHIFT 34
#define MKR_TEST_GROUP_MASK 0x0000003000000000ull
#define MKR_TEST_GROUP_SHIFT 36
#define MKR_TEST_NETOFF (1ull << 38)
#define MKR_TEST_LOAD (1ull << 39)
#define MKR_TEST_SHIFT (1ull << 40)
#define MKR_TEST_NOTHING_MASK 0x0000FE0000000000ull /* stored; no instruction has them */
#define MKR_TEST_NOTHING_SHIFT 41
#define MKR_TEST_BITS 0x0000FFFFFFFFFFFFull
/* Of SET and INC */
#define MKR_TEST_ERRORS 1u /* wait and overrun counters */
#define MKR_TEST_TIMESTAMP 2u
#define MKR_TEST_RESOURCE 3u

#define MKR_SOURCES 8
#define MKR_SOURCE(line) (16 + (line)) /* node.process */
#define MKR_SOURCE_PROCESS_MASK 0x0000FFFFu /* our split: the paper leaves it to the system */
#define MKR_SOURCE_PROCESS_SHIFT 0
#define MKR_SOURCE_NODE_MASK 0xFFFF0000u
#define MKR_SOURCE_NODE_SHIFT 16

#define MKR_COUNTERS 16
#define MKR_COUNTER(i) (32 + (i)) /* write: a software count */
#define MKR_COUNTER_VALUE_MASK 0x00000000FFFFFFFFull
#define MKR_COUNTER_VALUE_SHIFT 0
#define MKR_COUNTER_ERROR (1ull << 63) /* wrong data: shadow registers full, no read wait */
/* By 32 bits in BAR 2: read the lower half, then the upper one. This bit of the upper: read both again. */
#define MKR_COUNTER_ERROR_HALF (1u << 31)

/* Writes that take a sample, with 48 bits of the user's data */
#define MKR_LEVELS 16
#define MKR_SAMPLES 64
#define MKR_SAMPLE_TRACE(level) (96 + (level))
#define MKR_SAMPLE_RESOURCE(level) (112 + (level))
#define MKR_SAMPLE_DATA_MASK 0x0000FFFFFFFFFFFFull
#define MKR_SAMPLE_DATA_SHIFT 0
#define MKR_ADDRESSES 128

/* The card's information: 32-bit words in BAR 2 at these offsets */
#define MKR_CARD_MAGIC 0x800u
#define MKR_CARD_VERSION 0x804u
#define MKR_CARD_NODE_HZ 0x808u
#define MKR_CARD_TIMESTAMP_HZ 0x80cu
#define MKR_CARD_FIFO_DEPTH 0x810u
#define MKR_CARD_LINES 0x814u
#define MKR_CARD_CPU(line) (0x820u + 4u * (line))
#define MKR_CARD_MAGIC_VALUE 0x4e524b4du /* bytes M, K, R, N */
#define MKR_CARD_NO_CPU 0xffffffffu

#endif
