/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plugin's entry: look at the QEMU that loads it, refuse what would not work, register the
 * devices, start observing.
 *
 *   -plugin perfboard.so            loads
 *   -plugin perfboard.so,help       lists devices, properties and event sources, and ends
 *   -plugin perfboard.so,scenario=FILE   errors on purpose at virtual times (scenario.h)
 *   -plugin perfboard.so,cluster=FILE,...   the machine is one node of several (cluster.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include "hw/qemu/core/cluster.h"
#include "hw/qemu/core/guard.h"
#include "hw/qemu/core/help.h"
#include "hw/qemu/core/idle.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/pending.h"
#include "hw/qemu/core/record.h"
#include "hw/qemu/core/scenario.h"
#include "hw/qemu/series/insides.h"
#include "plugins/instrument.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const PbEmulator *emulator;
    const char *scenario = NULL, *unreached = NULL, *pending = NULL;
    PbClusterOptions cluster = { .patience = 60 };
    bool help = false;

    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "help=on")) {
            help = true;
            continue;
        }
        if (!strncmp(argv[i], "scenario=", strlen("scenario=")) && !scenario) {
            scenario = argv[i] + strlen("scenario=");
            continue;
        }
        if (!strncmp(argv[i], "unreached=", strlen("unreached=")) && !unreached) {
            unreached = argv[i] + strlen("unreached=");
            continue;
        }
        if (!strncmp(argv[i], "pending=", strlen("pending=")) && !pending) {
            pending = argv[i] + strlen("pending=");
            continue;
        }
        if (pb_cluster_option(&cluster, argv[i])) {
            continue;
        }
        fprintf(stderr, "perfboard: unknown option '%s'; legal are help, one scenario=FILE, one unreached=FILE, one pending=FILE, and of a cluster "
                        "cluster=FILE, node=N, nodes=N, join=NS, patience=S, pause=NS and free=on\n", argv[i]);
        return 1;
    }
    emulator = perfboard_guard(info->target_name, info->system_emulation, info->system.max_vcpus);
    if (!emulator || !pb_scenario_read(scenario, unreached) || (!help && !pb_cluster_start(&cluster))) {
        return 1;
    }
    pb_machine_start();
    perfboard_register_core();
    for (const PbBoard *b = NULL; (b = pb_next_board(emulator, b));) {
        b->register_types();
    }
    if (help) {
        perfboard_help(emulator);
        exit(0);
    }
    pb_insides_start();
    pb_idle_start();
    pb_scenario_start();
    pb_pending_at_end(pending);
    pb_record_start();
    pb_instrument_install(id, info->system.max_vcpus);
    return 0;
}
