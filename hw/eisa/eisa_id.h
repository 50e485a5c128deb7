/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * EISA product IDs: three letters, three hex digits of product, one of revision, in the four
 * bytes nC80..nC83, held here as the little-endian word that those bytes form.
 *
 *   nC80: 0 L1(4..0) L2(4..3)    nC81: L2(2..0) L3(4..0)    nC82: product 11..4
 *   nC83: product 3..0, revision                            (a letter is its code minus 0x40)
 *
 * INFERRED: the SurfBoard's paper gives its product number (0x001) but not the manufacturer's letters; Perfboard's boards use
 * `PRU`. The SNI is product 0x002. Usable from C and C++.
 */
#ifndef PERFBOARD_EISA_ID_H
#define PERFBOARD_EISA_ID_H

#include <stdint.h>

#define EISA_LETTER_(c) ((unsigned)(c) - 0x40u)

#define EISA_ID(a, b, c, product, revision)                                            \
    ((EISA_LETTER_(a) << 2 | EISA_LETTER_(b) >> 3) |                                   \
     ((EISA_LETTER_(b) & 7u) << 5 | EISA_LETTER_(c)) << 8 |                            \
     ((product) >> 4 & 0xffu) << 16 |                                                  \
     (((product) & 0xfu) << 4 | ((revision) & 0xfu)) << 24)

/* The system board in slot 0. INFERRED: any valid ID will do; ours names the project's machine. */
#define EISA_SYSTEM_BOARD_ID EISA_ID('P', 'R', 'U', 0xe00u, 0u)

/* SeaBIOS and OVMF place PCI I/O BARs from 0xC000 up: slots 12 to 15 belong to the machine's PCI devices. */
#define EISA_LAST_SLOT 11u

/* The configuration ROM as the bridge has it: made in firmware/eisa. */

extern const uint32_t eisa_rom_bytes; /* a power of two */
extern const uint8_t eisa_rom[];

#endif
