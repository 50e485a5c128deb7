/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sni_regs.h - the SHRIMP network interface as a program sees it: offsets and bits.
 *
 * Transcribed from its manual page, hw/shrimp/README.md, not from the model: a unit test
 * compares the two. Plain #defines, for the kernel, libc and bare metal alike. The names follow
 * surfboard_regs.h: NAME is an offset, NAME_FIELD a bit, NAME_FIELD_MASK (in place) and _SHIFT
 * a wider field; SNI_GET and SNI_PUT take and make one.
 */
#ifndef PERFBOARD_SNI_REGS_H
#define PERFBOARD_SNI_REGS_H

#define SNI_GET(field, value) (((value) & SNI_##field##_MASK) >> SNI_##field##_SHIFT)
#define SNI_PUT(field, value) (((value) << SNI_##field##_SHIFT) & SNI_##field##_MASK)

/* EISA slot-specific I/O: slot z's registers are at z * 0x1000 + offset. "PRU" 002. */
#define SNI_EPIR 0x0C80
#define SNI_SBCR 0x0C84
#define SNI_PRODUCT_ID 0x20005542u
#define SNI_PRODUCT_ID_MASK 0xF0FFFFFFu /* all but the revision */

#define SNI_SBCR_BASE_MASK 0xFFF00000u
#define SNI_SBCR_BASE_SHIFT 20
#define SNI_SBCR_IRLEV_MASK 0x00000700u /* as the SurfBoard's */
#define SNI_SBCR_IRLEV_SHIFT 8
#define SNI_SBCR_ENABLE (1u << 0)

#define SNI_WINDOW 0x00100000u /* at BASE */

/* Control and status */
#define SNI_SCR 0x0000
#define SNI_SCR_EN (1u << 0)    /* network enable */
#define SNI_SCR_AUE (1u << 1)   /* automatic update enable */
#define SNI_SCR_TSE (1u << 2)   /* timestamps in packets */
#define SNI_SCR_GRST (1u << 3)  /* w1: pulse the global clock reset */
#define SNI_SCR_FLUSH (1u << 4) /* w1: close the open packet */
#define SNI_SCR_CRST (1u << 5)  /* w1: clear all counters */

#define SNI_SSR 0x0004
#define SNI_SSR_OPEN (1u << 0)
#define SNI_SSR_FULL (1u << 1)
#define SNI_SSR_AHW (1u << 2)
#define SNI_SSR_BLW (1u << 3)
#define SNI_SSR_EMPTY (1u << 4)
#define SNI_SSR_DUB (1u << 5)
#define SNI_SSR_RXB (1u << 6)

#define SNI_SISR 0x0008 /* w1c but PEND */
#define SNI_SISR_PEND (1u << 31)
#define SNI_SISR_CKV (1u << 7)
#define SNI_SISR_DUE (1u << 6)
#define SNI_SISR_DUD (1u << 5)
#define SNI_SISR_OVF (1u << 4)
#define SNI_SISR_RXE (1u << 3)
#define SNI_SISR_RXI (1u << 2)
#define SNI_SISR_LW (1u << 1)
#define SNI_SISR_HW (1u << 0)
#define SNI_SISR_CONDITIONS 0x000000FFu

#define SNI_SIER 0x000C
#define SNI_SIER_CKV (1u << 7)
#define SNI_SIER_DUE (1u << 6)
#define SNI_SIER_DUD (1u << 5)
#define SNI_SIER_OVF (1u << 4)
#define SNI_SIER_RXE (1u << 3)
#define SNI_SIER_RXI (1u << 2)
#define SNI_SIER_LW (1u << 1)
#define SNI_SIER_HW (1u << 0)

#define SNI_NODE 0x0010
#define SNI_NODE_COORD_MASK 0x00000FFFu /* Y in 11..6, X in 5..0 */
#define SNI_NODE_COORD_SHIFT 0
#define SNI_NODE_NUMBER_MASK 0xFFFF0000u
#define SNI_NODE_NUMBER_SHIFT 16

#define SNI_MESH 0x0014
#define SNI_MESH_WIDTH_MASK 0x000000FFu
#define SNI_MESH_WIDTH_SHIFT 0
#define SNI_MESH_HEIGHT_MASK 0x0000FF00u
#define SNI_MESH_HEIGHT_SHIFT 8
#define SNI_MESH_NODES_MASK 0xFFFF0000u
#define SNI_MESH_NODES_SHIFT 16

/* A coordinate, as NODE, DUDN and the page table hold it */
#define SNI_COORD_X_MASK 0x03Fu
#define SNI_COORD_X_SHIFT 0
#define SNI_COORD_Y_MASK 0xFC0u
#define SNI_COORD_Y_SHIFT 6

#define SNI_FSIZE 0x0018 /* 64-bit words */
#define SNI_FCNT 0x001C
#define SNI_FHWM 0x0020
#define SNI_FLWM 0x0024
#define SNI_CTOR 0x0028 /* combining timeout, 100 ns */
#define SNI_CTOR_CLOCKS_MASK 0x00FFFFFFu
#define SNI_CTOR_CLOCKS_SHIFT 0
#define SNI_CLKL 0x0030 /* reading it latches CLKH */
#define SNI_CLKH 0x0034
#define SNI_CLKH_CLOCK_MASK 0x00001FFFu
#define SNI_CLKH_CLOCK_SHIFT 0

#define SNI_RXPG 0x0038 /* last RXI packet */
#define SNI_RXEP 0x003C /* last RXE packet */
#define SNI_RX_PAGE_MASK 0x00007FFFu
#define SNI_RX_PAGE_SHIFT 0
#define SNI_RX_SENDER_MASK 0x0FFF0000u
#define SNI_RX_SENDER_SHIFT 16

#define SNI_DUSA 0x0040 /* deliberate update: source */
#define SNI_DUDA 0x0044 /* destination address, bits 26..2 */
#define SNI_DUDA_ADDR_MASK 0x07FFFFFCu
#define SNI_DUDN 0x0048 /* destination coordinate, and the key that the packet carries */
#define SNI_DUDN_KEY_MASK 0x03FF0000u
#define SNI_DUDN_KEY_SHIFT 16
#define SNI_DUWC 0x004C /* words; starts it */
#define SNI_DUWC_WORDS_MASK 0x000007FFu
#define SNI_DUWC_WORDS_SHIFT 0

#define SNI_PROXY_BYTES 0x08000000u
#define SNI_UDCR 0x0050 /* user-level deliberate update: the proxy window */
#define SNI_UDCR_BASE_MASK 0xF8000000u
#define SNI_UDCR_HOLD (1u << 1) /* none begins */
#define SNI_UDCR_ENABLE (1u << 0)

/* The proxy window at UDCR.BASE, a word for each word of memory: what a load answers */
#define SNI_PROXY_INITIATED (1u << 31)    /* it has begun the transfer */
#define SNI_PROXY_TRANSFERRING (1u << 30) /* the engine is at work: load again */
#define SNI_PROXY_INVALID (1u << 29)      /* no store before it: store again */
#define SNI_PROXY_MATCH (1u << 28)        /* the transfer at work is from this word */
#define SNI_PROXY_REFUSED (1u << 27)

/* Counters: 64 bits, low word first; reading the low word latches the high one */
#define SNI_TXP 0x0100  /* packets sent */
#define SNI_TXW 0x0108  /* payload words sent */
#define SNI_RXP 0x0110  /* packets delivered */
#define SNI_RXW 0x0118  /* words delivered */
#define SNI_RXD 0x0120  /* packets dropped */
#define SNI_TXU 0x0128  /* packets to no node */
#define SNI_OVFC 0x0130 /* stores lost */
#define SNI_DUP 0x0138  /* deliberate-update packets */
/* why automatic-update packets were closed */
#define SNI_ENDD 0x0140 /* combining disabled */
#define SNI_ENDR 0x0148 /* read on the bus */
#define SNI_ENDN 0x0150 /* non-sequential write */
#define SNI_ENDB 0x0158 /* boundary crossed */
#define SNI_ENDT 0x0160 /* timeout */
#define SNI_ENDP 0x0168 /* partial word */
#define SNI_ENDF 0x0170 /* flushed by software */
#define SNI_AUS 0x0180  /* stores snooped */
#define SNI_AUW 0x0188  /* words from them */
#define SNI_BRD 0x0190  /* bus reads seen */
#define SNI_BWR 0x0198  /* other bus writes seen */
/* Latency of delivered packets, ns: a 64-bit sum, 32-bit minimum and maximum */
#define SNI_LAT_COMB 0x0200
#define SNI_LAT_FIFO 0x0210
#define SNI_LAT_BACK 0x0220
#define SNI_LAT_EISA 0x0230
#define SNI_LAT_XFER 0x0240
#define SNI_LAT_TOTAL 0x0250
#define SNI_LAT_SUM 0x0
#define SNI_LAT_MIN 0x8
#define SNI_LAT_MAX 0xC

/* Page tables: 128 MB in pages of 4 KB */
#define SNI_PAGES 32768
#define SNI_PAGE_SHIFT 12
#define SNI_MEMORY_LIMIT 0x08000000u

#define SNI_OPT(page) (0x40000 + 8 * (page)) /* outgoing page table: two words */
#define SNI_OPT0_AU (1u << 31)
#define SNI_OPT0_DU (1u << 30) /* destination of user-level updates */
#define SNI_OPT0_DNODE_MASK 0x0FFF0000u
#define SNI_OPT0_DNODE_SHIFT 16
#define SNI_OPT0_DPAGE_MASK 0x00007FFFu
#define SNI_OPT0_DPAGE_SHIFT 0
#define SNI_OPT1_TOE (1u << 4)
#define SNI_OPT1_BOUND_MASK 0x0000000Eu /* 256 << BOUND bytes */
#define SNI_OPT1_BOUND_SHIFT 1
#define SNI_OPT1_COMB (1u << 0)
#define SNI_OPT1_KEY_MASK 0x03FF0000u /* that its packets carry */
#define SNI_OPT1_KEY_SHIFT 16
#define SNI_OPT1_CONTEXT_MASK 0x0000FFE0u /* whose page it is in user-level updates */
#define SNI_OPT1_CONTEXT_SHIFT 5

#define SNI_IPT(page) (0x80000 + 4 * (page)) /* incoming page table: one word */
#define SNI_IPT_COLOR_MASK 0x000003F0u /* 9..8 read as 01 */
#define SNI_IPT_COLOR_SHIFT 4
#define SNI_IPT_INT (1u << 1)
#define SNI_IPT_VALID (1u << 0)
#define SNI_IPT_KEY_MASK 0x03FF0000u /* a packet with another one is dropped */
#define SNI_IPT_KEY_SHIFT 16

#define SNI_IPC(page) (0xA0000 + 4 * (page)) /* packets to the page that set RXI */

#endif
