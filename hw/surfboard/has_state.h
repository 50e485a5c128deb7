/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * HasState - everything that the histogram address selector remembers (has.h).
 *
 * A snapshot saves every member as it is; nothing here is derived from another member.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFBOARD_HAS_STATE_H
#define PERFBOARD_SURFBOARD_HAS_STATE_H

#include <stdint.h>

#define HAS_INPUTS 50  /* packet bits (A.1) */
#define HAS_OUTPUTS 24 /* histogram address bits */

typedef struct HasState {
    uint64_t pip[HAS_OUTPUTS]; /* closed switches of each address bit: 49..0 inputs, 50 VCC */
    uint32_t count;            /* CCLKs since PROG* rose, modulo 2^24 */
    uint32_t length;           /* length count of the header */
    uint16_t frame;            /* frames loaded */
    uint16_t bit;              /* bits taken of the present field or frame */
    uint16_t crc;              /* running CRC-16 of the frames' data */
    uint8_t phase;             /* enum has_phase, has_phase.h */
    uint8_t prog;              /* FCCR.PROG: 1 drives PROG* low */
    uint8_t error;             /* a frame was bad: INIT* low until PROG */
    uint8_t startup;           /* CCLKs since the length count matched: C1, C2, ... */
    uint8_t shift;             /* last four DIN bits, newest in bit 0 */
    uint8_t dout;              /* level of DOUT */
} HasState;

#endif
