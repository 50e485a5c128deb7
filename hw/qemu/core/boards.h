/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The registry: the one list of the devices that the object brings.
 *
 * A new board is a line in boards.c, and its registration function in types.h.
 */
#ifndef PERFBOARD_QEMU_BOARDS_H
#define PERFBOARD_QEMU_BOARDS_H

#include <stddef.h>

typedef struct PbBoard {
    const char *device; /* what -device takes */
    void (*register_types)(void);
} PbBoard;

extern const PbBoard pb_boards[];
extern const size_t pb_board_count;

void perfboard_register_devices(void);

#endif
