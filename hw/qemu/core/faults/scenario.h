/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A scenario: errors on purpose at virtual times (inject.h).
 *
 * hw/qemu/README.md (Errors on purpose) has the file's language. Besides: a time has up to nine decimals. Lines need not be in order; those
 * of one start and one time are done in the file's order, by one virtual timer. Free-running that may be later, never earlier. While an
 * access is awaited its board is looked at, as for a log.
 *
 * What was not done is said when the machine ends: a line for each line of the file, and of an `after` that never came that one alone. The file
 * of unreached=FILE is there, and empty, if all was done. A replay says nothing.
 *
 * A line that is wrong ends QEMU at its start with file and line: syntax when the object is loaded, device, property and value when
 * the machine is complete. A snapshot holds up to which time lines have been done, and when the first, second, ... `after` came: a machine that is
 * loaded goes on behind it, also with another scenario or with none before.
 *
 * Between its files:
 *
 *   scenario_file.c    its file, as parts with lines of four words in order of time. What is wrong is said on stderr with file and line
 *   scenario.c         does the lines
 *   scenario_state.c   how far it is: what a snapshot holds of it, and what was not done when the machine ends, a line for each line of the file
 */
#ifndef PERFBOARD_QEMU_CORE_SCENARIO_H
#define PERFBOARD_QEMU_CORE_SCENARIO_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/faults/inject.h"

/* While the object is loaded. file: NULL: there is none; unreached: NULL: stderr. False: one line has been said. */
bool pb_scenario_read(const char *file, const char *unreached);
/* Then, if it stays. */
void pb_scenario_start(void);

/* A board that comes and goes while the machine runs (board_type.h). */
void pb_scenario_plugged(PbGlue *g);
void pb_scenario_leave(PbGlue *g);

/* --- between its files --- */

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

typedef struct PbSchedule {
    PbScenarioPart *part;
    guint next; /* line to be done */
    PbTimer timer;
    uint64_t from; /* what the times count from; PB_NEVER: it has not come */
    PbGlue *board; /* whose access is awaited; NULL: none is */
    struct PbInspectAwait *await;
} PbSchedule;

enum { PB_MOST_SCHEDULES = 1 + PB_SCENARIO_AFTER };

typedef struct PbScenarioState {
    const char *file;
    const char *unreached; /* file for what is not done; NULL: stderr */
    PbSchedule schedule[PB_MOST_SCHEDULES];
    guint count; /* 0: no scenario */
    /* Only in a snapshot, of each schedule: lines of earlier times have been done; what it counts from. */
    uint64_t done_before, done_after[PB_SCENARIO_AFTER], from[PB_SCENARIO_AFTER];
} PbScenarioState;

extern PbScenarioState pb_scenario;

uint64_t pb_scenario_next(const PbSchedule *s); /* when its next line is to be done; PB_NEVER: there is none */
void pb_scenario_arm(PbSchedule *s);            /* for that */
void pb_scenario_snapshots(void);
/* What was not done is said at the machine's end. A replay, which ends where somebody stops it, says nothing. */
void pb_scenario_at_end(void);

#endif
