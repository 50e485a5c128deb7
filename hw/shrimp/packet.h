/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ShrimpPacket - a raw packet as the receiving SNI hands it to its SurfBoard (J2/J3, A.2).
 *
 * On the wire: a 64-bit header, an optional 64-bit timestamp, the payload two 32-bit words
 * to a 64-bit word; S_EOD_L marks the last one. The header's bit layout is not public, and
 * nothing that software or the boards can observe depends on it, so this struct carries the
 * header's contents, already parsed, in place of its bits.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SHRIMP_PACKET_H
#define PERFBOARD_SHRIMP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define SHRIMP_MAX_WORDS 1024 /* 32-bit payload words in the largest packet: a 4096-byte page */

typedef struct ShrimpPacket {
  uint64_t start_ns;    /* virtual time of the first 64-bit word on S_DATA (PMEN_L falls) */
  uint64_t end_ns;      /* virtual time of the last word (S_EOD_L) */
  uint16_t sender;      /* 12 bits: Y in 11..6, X in 5..0 */
  uint8_t color;        /* 6 bits, from the incoming page table; the SNI wires the top two to 01 */
  bool interrupt;       /* interrupt bit of the incoming page table entry */
  bool eod;             /* terminated by S_EOD_L; false only for a damaged packet */
  uint8_t byte_enables; /* 4 bits, 1 = byte written; meaningful for one-word packets */
  uint16_t words;       /* 32-bit payload words, 1..1024 */
  uint32_t address;     /* destination, bits 26..2 (a byte address, low two bits 0) */
  uint64_t timestamp;   /* 45-bit transmit time, 100 ns; the SurfBoard ignores bit 44 */
  uint32_t first_word;  /* first payload word: its upper four bits can be the category */
} ShrimpPacket;

#endif
