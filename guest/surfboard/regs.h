/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surfboard_regs.h - the SurfBoard as a program sees it: offsets, bits, trace words.
 *
 * Transcribed from the paper (TR-596-99, appendix A, page numbers below), not from hw/:
 * a unit test compares the two. Plain #defines, for the kernel, libc and bare metal alike.
 *
 *   SURF_HTCR          offset of a register from RBASE
 *   SURF_HTCR_TEN      a one-bit field, in place
 *   SURF_FCCR_TSPD_MASK, SURF_FCCR_TSPD_SHIFT   a wider field: the mask is in place
 *   SURF_GET(FCCR_TSPD, value), SURF_PUT(FCCR_TSPD, field)   take and make such a field
 */
#ifndef PERFBOARD_SURFBOARD_REGS_H
#define PERFBOARD_SURFBOARD_REGS_H

#define SURF_GET(field, value) (((value) & SURF_##field##_MASK) >> SURF_##field##_SHIFT)
#define SURF_PUT(field, value) (((value) << SURF_##field##_SHIFT) & SURF_##field##_MASK)

/*
 * EISA slot-specific I/O (p. 50): slot z's registers are at z * 0x1000 + offset.
 * The product ID's four bytes, read as one little-endian word: "PRU", product 001; the revision
 * is in 27..24. INFERRED: the paper gives the product number only, not the letters.
 */
#define SURF_EPIR 0x0C80
#define SURF_EBCR 0x0C84
#define SURF_PRODUCT_ID 0x10005542u
#define SURF_PRODUCT_ID_MASK 0xF0FFFFFFu /* all but the revision: low nibble of the last byte */

/* EBCR. INFERRED: the page is lost; the fields' widths and ENABLE's place are known. */
#define SURF_EBCR_RBASE_MASK 0xFFFF0000u
#define SURF_EBCR_RBASE_SHIFT 16
#define SURF_EBCR_MBASE_MASK 0x0000F800u
#define SURF_EBCR_MBASE_SHIFT 11
#define SURF_EBCR_IRLEV_MASK 0x00000700u
#define SURF_EBCR_IRLEV_SHIFT 8
#define SURF_EBCR_ENABLE (1u << 0)

#define SURF_IRLEV_DISABLED 0 /* 1 too */
#define SURF_IRLEV_IRQ5 2
#define SURF_IRLEV_IRQ9 3
#define SURF_IRLEV_IRQ10 4
#define SURF_IRLEV_IRQ12 5
#define SURF_IRLEV_IRQ14 6
#define SURF_IRLEV_IRQ15 7

/* Address spaces (p. 50, A.7, A.8) */
#define SURF_REG_WINDOW 0x00010000u   /* at RBASE; the registers are there 1024 times */
#define SURF_REG_BYTES 0x40u
#define SURF_MEM_WINDOW 0x08000000u   /* at MBASE */
#define SURF_MEM_TRACE_OFFSET 0x00000000u
#define SURF_MEM_HIST_OFFSET 0x04000000u
#define SURF_MEM_SPAN 0x04000000u     /* of either memory */

/* A.6: registers */
#define SURF_FCCR 0x00 /* FPGA Configuration Control Register */
#define SURF_FCDR 0x04 /* FPGA Configuration Data Register */
#define SURF_ACDR 0x08 /* Application Configuration Data Register */
#define SURF_TTCR 0x0C /* Trace Trigger Configuration Register */
#define SURF_ECDR 0x10 /* External Connector Data Register (ECCR in some places) */
#define SURF_PCLR 0x14 /* Packet Category / LED Register */
#define SURF_ISCR 0x18 /* Interrupt Status / Control Register */
#define SURF_IEMR 0x1C /* Interrupt Event Mask Register */
#define SURF_HTCR 0x20 /* Histogram / Trace Command Register */
#define SURF_WCDR 0x24 /* Word Count Data Register */
#define SURF_HFCR 0x28 /* Histogram FIFO Control Register (HFCCR, HFCDR in some places) */
#define SURF_HFDR 0x2C /* Histogram FIFO Data Register */
#define SURF_TICR 0x30 /* Trace Index Count Register */
#define SURF_TECR 0x34 /* Trace Event Count Register */
#define SURF_TPIR 0x38 /* Trigger Packet Index Register */

/* FCCR, p. 52 */
#define SURF_FCCR_TSPD_MASK 0x00000F00u
#define SURF_FCCR_TSPD_SHIFT 8
#define SURF_FCCR_HSPD_MASK 0x000000F0u
#define SURF_FCCR_HSPD_SHIFT 4
#define SURF_FCCR_DONE (1u << 3)
#define SURF_FCCR_ERR (1u << 2)
#define SURF_FCCR_CFG (1u << 1)
#define SURF_FCCR_PROG (1u << 0)

#define SURF_PD_1M 0xC    /* Micron 1 M x 32: 4 MB */
#define SURF_PD_4M 0xE    /* Micron 4 M x 32: 16 MB */
#define SURF_PD_EMPTY 0xF /* no SIMM in the socket */

#define SURF_FCDR_DATA (1u << 0) /* p. 53 */
#define SURF_ACDR_DATA (1u << 0) /* p. 54 */

/*
 * The 28 bits of the shift register behind ACDR, p. 54; bit 0 is shifted in, and comes out, first.
 * INFERRED: the list of the paper has no bits left for RDBK_E; this order decodes its example,
 * 02006080, as SENDID 1, CATMUX 0, LAT_S 00, LAT_N C, TSIZE 2.
 */
#define SURF_ACDR_BITS 28
#define SURF_ACDR_SENDID_MASK 0x0E000000u
#define SURF_ACDR_SENDID_SHIFT 25
#define SURF_ACDR_RDBK_A (1u << 24)
#define SURF_ACDR_CATMUX (1u << 23)
#define SURF_ACDR_RDBK_B_MASK 0x00700000u
#define SURF_ACDR_RDBK_B_SHIFT 20
#define SURF_ACDR_LAT_S_MASK 0x000F8000u
#define SURF_ACDR_LAT_S_SHIFT 15
#define SURF_ACDR_LAT_N_MASK 0x00007800u
#define SURF_ACDR_LAT_N_SHIFT 11
#define SURF_ACDR_RDBK_C_MASK 0x00000700u
#define SURF_ACDR_RDBK_C_SHIFT 8
#define SURF_ACDR_TSIZE_MASK 0x000000C0u
#define SURF_ACDR_TSIZE_SHIFT 6
#define SURF_ACDR_RDBK_D_MASK 0x00000030u
#define SURF_ACDR_RDBK_D_SHIFT 4
#define SURF_ACDR_RDBK_F_MASK 0x0000000Fu
#define SURF_ACDR_RDBK_F_SHIFT 0

#define SURF_SENDID_32X2 0 /* 1 bit of Y, 5 of X */
#define SURF_SENDID_16X4 1
#define SURF_SENDID_8X8 2
#define SURF_SENDID_4X16 3
#define SURF_SENDID_2X32 4 /* 5 bits of Y, 1 of X */
#define SURF_TSIZE_256B 0
#define SURF_TSIZE_4MB 1
#define SURF_TSIZE_16MB 2
#define SURF_TSIZE_64MB 3

/* TTCR, p. 55 */
#define SURF_TTCR_EIP (1u << 8)
#define SURF_TTCR_EOP (1u << 7)
#define SURF_TTCR_MEOD (1u << 6)
#define SURF_TTCR_MEI (1u << 5)
#define SURF_TTCR_MBV (1u << 4)
#define SURF_TTCR_MODE_MASK 0x0000000Cu
#define SURF_TTCR_MODE_SHIFT 2
#define SURF_TTCR_QUAL_MASK 0x00000003u
#define SURF_TTCR_QUAL_SHIFT 0

#define SURF_MODE_BEGIN 0
#define SURF_MODE_MIDDLE 1
#define SURF_MODE_END 2
#define SURF_QUAL_ANY 0
#define SURF_QUAL_EXT 1
#define SURF_QUAL_BIN 2
#define SURF_QUAL_EXT_OR_BIN 3

#define SURF_ECDR_DATA (1u << 0) /* p. 57 */

/* PCLR, p. 57 */
#define SURF_PCLR_LED (1u << 4)
#define SURF_PCLR_CAT_MASK 0x0000000Fu
#define SURF_PCLR_CAT_SHIFT 0

/* ISCR, p. 57; IEMR, p. 59, has the same bits but PEND */
#define SURF_ISCR_PEND (1u << 31)
#define SURF_ISCR_RTV (1u << 13)
#define SURF_ISCR_LU (1u << 12)
#define SURF_ISCR_LV (1u << 11)
#define SURF_ISCR_PV (1u << 10)
#define SURF_ISCR_WCV (1u << 9)
#define SURF_ISCR_BV (1u << 8)
#define SURF_ISCR_FV (1u << 7)
#define SURF_ISCR_FF (1u << 6)
#define SURF_ISCR_FAF (1u << 5)
#define SURF_ISCR_FPF (1u << 4)
#define SURF_ISCR_FNE (1u << 3)
#define SURF_ISCR_EXT (1u << 2)
#define SURF_ISCR_TP (1u << 1)
#define SURF_ISCR_TC (1u << 0)
#define SURF_ISCR_CONDITIONS 0x00003FFFu
#define SURF_ISCR_W1C 0x00001F87u /* those that writing 1 clears: LU LV PV WCV BV FV EXT TP TC */

#define SURF_IEMR_RTV (1u << 13)
#define SURF_IEMR_LU (1u << 12)
#define SURF_IEMR_LV (1u << 11)
#define SURF_IEMR_PV (1u << 10)
#define SURF_IEMR_WCV (1u << 9)
#define SURF_IEMR_BV (1u << 8)
#define SURF_IEMR_FV (1u << 7)
#define SURF_IEMR_FF (1u << 6)
#define SURF_IEMR_FAF (1u << 5)
#define SURF_IEMR_FPF (1u << 4)
#define SURF_IEMR_FNE (1u << 3)
#define SURF_IEMR_EXT (1u << 2)
#define SURF_IEMR_TP (1u << 1)
#define SURF_IEMR_TC (1u << 0)

/* HTCR, p. 59 */
#define SURF_HTCR_PRS (1u << 5)
#define SURF_HTCR_FRS (1u << 4)
#define SURF_HTCR_TRG (1u << 3)
#define SURF_HTCR_WEN (1u << 2)
#define SURF_HTCR_HEN (1u << 1)
#define SURF_HTCR_TEN (1u << 0)

/* HFCR, p. 60: DATA is a byte (bits 31..8 are unused): four offset bytes in rotation */
#define SURF_HFCR_DATA_MASK 0x000000FFu
#define SURF_HFCR_DATA_SHIFT 0

/* HFDR, p. 61 */
#define SURF_HFDR_LSB (1u << 8)
#define SURF_HFDR_DATA_MASK 0x000000FFu
#define SURF_HFDR_DATA_SHIFT 0
#define SURF_FIFO_ENTRIES 1365 /* of three bytes: 5.1 */

/* WCDR p. 60 (32 bits), TICR p. 61, TECR p. 61, TPIR p. 62: 32-bit writes only for the first three */
#define SURF_WCDR_DATA_MASK 0xFFFFFFFFu
#define SURF_WCDR_DATA_SHIFT 0
#define SURF_TICR_DATA_MASK 0x003FFFFFu
#define SURF_TICR_DATA_SHIFT 0
#define SURF_TECR_DATA_MASK 0x007FFFFFu
#define SURF_TECR_DATA_SHIFT 0
#define SURF_TPIR_DATA_MASK 0x003FFFFFu
#define SURF_TPIR_DATA_SHIFT 0

/*
 * A.7: a trace record is four little-endian words.
 * INFERRED: P is two bits. The Trace Register samples 126 bits of packet data (A.1), the words
 * have 128, and A.7 speaks of presence bits.
 */
#define SURF_TRACE_BYTES 16
#define SURF_TRACE0_SENDER_MASK 0xFC000000u
#define SURF_TRACE0_SENDER_SHIFT 26
#define SURF_TRACE0_V (1u << 25)
#define SURF_TRACE0_U (1u << 24)
#define SURF_TRACE0_LATENCY_MASK 0x00FFFFFFu
#define SURF_TRACE0_LATENCY_SHIFT 0
#define SURF_TRACE1_CATEGORY_MASK 0xF0000000u
#define SURF_TRACE1_CATEGORY_SHIFT 28
#define SURF_TRACE1_SIZE_MASK 0x0FFC0000u
#define SURF_TRACE1_SIZE_SHIFT 18
#define SURF_TRACE1_COLOR_MASK 0x0003F000u
#define SURF_TRACE1_COLOR_SHIFT 12
#define SURF_TRACE1_RTIME_MASK 0x00000FFFu /* bits 43..32 of the receive time */
#define SURF_TRACE1_RTIME_SHIFT 0
#define SURF_TRACE3_I (1u << 31)
#define SURF_TRACE3_P_MASK 0x60000000u
#define SURF_TRACE3_P_SHIFT 29
#define SURF_TRACE3_ADDRESS_MASK 0x1FFFFFF0u /* bits 26..2 of the address */
#define SURF_TRACE3_ADDRESS_SHIFT 4
#define SURF_TRACE3_BE_MASK 0x0000000Fu
#define SURF_TRACE3_BE_SHIFT 0

#endif
