/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The configuration ROM as the bridge has it: made in firmware/eisa. */
#ifndef PERFBOARD_EISA_ROM_H
#define PERFBOARD_EISA_ROM_H

#include <stdint.h>

extern const uint32_t eisa_rom_bytes; /* a power of two */
extern const uint8_t eisa_rom[];

#endif
