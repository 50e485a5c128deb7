/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * meson.build defines PERFBOARD_BOARDS, the lines of hw/boards as BOARD(name, bus, device), and PERFBOARD_EMULATORS, as
 * EMULATOR(name, buses). */
#include "hw/qemu/core/boards.h"

#define BOARD(name, bus, device) \
    void perfboard_register_##name(void); \
    extern const PbSymbol pb_symbols_##name[];
PERFBOARD_BOARDS
#undef BOARD

#define BOARD(name, bus, device) { #name, device, PB_BUS_##bus, perfboard_register_##name, pb_symbols_##name },
const PbBoard pb_boards[] = { PERFBOARD_BOARDS };
const size_t pb_board_count = sizeof(pb_boards) / sizeof(pb_boards[0]);
#undef BOARD

#define EMULATOR(name, buses) { name, buses },
const PbEmulator pb_emulators[] = { PERFBOARD_EMULATORS };
const size_t pb_emulator_count = sizeof(pb_emulators) / sizeof(pb_emulators[0]);
#undef EMULATOR

const PbBoard *pb_next_board(const PbEmulator *emulator, const PbBoard *before)
{
    for (const PbBoard *b = before ? before + 1 : pb_boards; b < pb_boards + pb_board_count; b++) {
        if (b->bus & emulator->buses) {
            return b;
        }
    }
    return NULL;
}
