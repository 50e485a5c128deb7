/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plugin's entry, and the lists that the object is built with: look at the QEMU that loads it, refuse what would not work, register
 * the devices, start observing.
 *
 *   -plugin perfboard.so            loads
 *   -plugin perfboard.so,help       lists devices, properties and event sources, and ends
 *   -plugin perfboard.so,scenario=FILE   errors on purpose at virtual times (scenario.h)
 *   -plugin perfboard.so,cluster=FILE,...   the machine is one node of several (cluster.h)
 */
#include <stdio.h>
#include <string.h>

#include <qemu-plugin.h>

#include "hw/qemu/core/load/load.h"
#include "plugins/instrument.h"

/* meson.build defines PERFBOARD_BOARDS, the lines of hw/boards as BOARD(name, bus, device), PERFBOARD_EMULATORS, as
 * EMULATOR(name, buses), and PERFBOARD_SERIES. */
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

const char pb_series_built[] = PERFBOARD_SERIES;

const PbBoard *pb_next_board(const PbEmulator *emulator, const PbBoard *before)
{
    for (const PbBoard *b = before ? before + 1 : pb_boards; b < pb_boards + pb_board_count; b++) {
        if (b->bus & emulator->buses) {
            return b;
        }
    }
    return NULL;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const PbEmulator *emulator;
    PbOptions o = { .cluster.patience = 60 };

    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "help=on")) {
            o.help = true;
            continue;
        }
        if (!strncmp(argv[i], "scenario=", strlen("scenario=")) && !o.scenario) {
            o.scenario = argv[i] + strlen("scenario=");
            continue;
        }
        if (!strncmp(argv[i], "unreached=", strlen("unreached=")) && !o.unreached) {
            o.unreached = argv[i] + strlen("unreached=");
            continue;
        }
        if (!strncmp(argv[i], "pending=", strlen("pending=")) && !o.pending) {
            o.pending = argv[i] + strlen("pending=");
            continue;
        }
        if (pb_cluster_option(&o.cluster, argv[i])) {
            continue;
        }
        fprintf(stderr, "perfboard: unknown option '%s'; legal are help, one scenario=FILE, one unreached=FILE, one pending=FILE, and of a cluster "
                        "cluster=FILE, node=N, nodes=N, join=NS, patience=S, pause=NS and free=on\n", argv[i]);
        return 1;
    }
    emulator = perfboard_guard(info->target_name, info->system_emulation, info->system.max_vcpus);
    if (!emulator || !perfboard_start(emulator, &o)) {
        return 1;
    }
    pb_instrument_install(id, info->system.max_vcpus);
    return 0;
}
