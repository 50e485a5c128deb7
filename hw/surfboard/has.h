/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * HAS - the histogram address selector: an FPGA that maps 50 packet bits to 24 address bits.
 *
 *   has_power_on(&h)       PROG is 1: held in configuration (A.6, FCCR)
 *   has_prog(&h, prog)     FCCR.PROG was written; 1 clears the configuration memory
 *   has_clock(&h, din)     FCDR was written: one CCLK with DATA on DIN
 *   has_done/error/hdc     FCCR.DONE (pin DONE), FCCR.ERR (not INIT*), FCCR.CFG (pin HDC)
 *   has_read_data          FCDR.DATA as read: pin DOUT
 *   has_address(&h, bits)  the histogram address of a packet
 *
 * Loading: PROG 1, PROG 0, then every bit of the bitstream; then DONE is 1, ERR and CFG are 0.
 * ERR is 1 while PROG is 1, because the part holds INIT* low while its memory is cleared.
 * The bitstream is that of firmware/surfboard; the container's constants are in hw/fpga/xc4000.h.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFBOARD_HAS_H
#define PERFBOARD_SURFBOARD_HAS_H

#include <stdbool.h>
#include <stdint.h>

#define HAS_INPUTS 50  /* packet bits (A.1) */
#define HAS_OUTPUTS 24 /* histogram address bits */

/* All that it remembers. A snapshot saves every member as it is; nothing is derived from another member. */
#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/model/state_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where each variable lies in the 50 input bits (INFERRED: the order is ours). */
#define HAS_LATENCY_SHIFT 0   /* 24 bits */
#define HAS_SENDER_SHIFT 24   /* 6 bits */
#define HAS_COLOR_SHIFT 30    /* 6 bits */
#define HAS_CATEGORY_SHIFT 36 /* 4 bits */
#define HAS_SIZE_SHIFT 40     /* 10 bits */

void has_power_on(HasState *h);
void has_prog(HasState *h, bool prog);
void has_clock(HasState *h, bool din);
bool has_done(const HasState *h);
bool has_error(const HasState *h);
bool has_hdc(const HasState *h);
bool has_read_data(const HasState *h);

/* Until its outputs are active the part pulls them up weakly: 0xFFFFFF (INFERRED: the paper
 * does not say what an unconfigured HAS does; XC4000 pins have pull-ups while it configures). */
uint32_t has_address(const HasState *h, uint64_t input50);

#ifdef __cplusplus
}

// Which device it is, and what our design keeps in the frames of its bitstream.
//
// Device: XC4003 (10 x 10 CLBs, 80 IOBs). INFERRED: the paper does not name the device; this is
// the smallest of the plain family whose pins suffice for 50 inputs and 24 outputs.
//
// Data (INFERRED; the real layout is not public, this one is ours): frame k, for k < 24, holds the switches
// of address bit k. In a frame, data bit i, for i < 50, closes the switch from input i, and data bit 50
// the one from VCC. All other data bits are zeros that do nothing. An output with no switch closed is
// low. An output with several switches closed is low if one of their inputs is.
//
// The two flips that the CRC does not find are those of data bits 8 and 9 of frame 426, which mean nothing.
#include "hw/fpga/xc4000.h"

namespace perfboard::has {

inline constexpr const xc4000::Device& kDevice = xc4000::kXc4003;
inline constexpr uint32_t kSwitches = HAS_INPUTS + 1;
inline constexpr uint32_t kVcc = HAS_INPUTS;  // data bit of the switch from VCC

}  // namespace perfboard::has
#endif
#endif
