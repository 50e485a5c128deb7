/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A scenario's file (scenario.h), as parts with lines of four words in order of time. What is wrong is said on stderr with file and line.
 */
#ifndef PERFBOARD_QEMU_CORE_SCENARIO_FILE_H
#define PERFBOARD_QEMU_CORE_SCENARIO_FILE_H

#include <glib.h>
#include <stdint.h>

#include "hw/qemu/core/inject.h"

typedef struct PbScenarioLine {
    uint64_t ns;     /* since what the part counts from */
    unsigned number; /* in the file, from 1 */
    char **words;    /* time, device, property, value */
    /* When the machine is complete (scenario.c). */
    const PbInjection *injection;
    uint64_t value;
    bool missed; /* when its time came the device was not there any more */
} PbScenarioLine;

/* Lines whose times count from the same. */
typedef struct PbScenarioPart {
    unsigned number;     /* of its line `after` */
    char **after;        /* device, pattern; NULL: the machine's start */
    GArray *lines;       /* PbScenarioLine */
} PbScenarioPart;
#define PB_SCENARIO_AFTER 16 /* lines `after`, at most */

/* PbScenarioPart: the machine's start, then the others in the file's order. NULL: one line has been said. */
GArray *pb_scenario_file(const char *file);
/* The device that a line names, when the machine is complete. NULL: one line has been said. */
Object *pb_scenario_board(const char *file, unsigned number, const char *name);
/* The same while the machine runs. NULL: it is not there, or there are several by now. */
Object *pb_scenario_find(const char *name, bool *ambiguous);
/* "perfboard: FILE:NUMBER: ..."; false. */
bool pb_scenario_refuse(const char *file, unsigned number, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
