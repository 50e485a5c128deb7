/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors on purpose: a board's properties inject-*. board_type.c gives each class its own.
 *
 * Which there are is in the board's view (hw/core/view.h), and so is what does them. It is called under the board's lock; catch_up() of
 * PbGlueOps comes before and behind it.
 *
 * They are settable on the command line, by qom-set and by a scenario (scenario.h), and readable. A value that is not legal is an
 * error that names property, value and legal range. What the command line says reaches set() when the machine is complete, before
 * its first reset, and what device_add says before the board's. A reset does not end an injection: it is the world's, not the board's.
 * A board's own are state of its model (hw/BOARD/state.def), and so in its snapshots. Those that every board has are in fault.h.
 *
 * While QEMU records or replays, only command line and scenario may inject: what a monitor sets is not in a recording.
 *
 * Big lock held.
 */
#ifndef PERFBOARD_QEMU_CORE_INJECT_H
#define PERFBOARD_QEMU_CORE_INJECT_H

#include "qom/object.h"

#include "hw/inspect/injections.h"

struct PbBoardType;
struct PbGlue;

/* What the command line has asked for; in a PbGlue. */
typedef struct PbInject {
    bool complete; /* the machine is */
    GArray *asked;
} PbInject;

/* A type without a view has what every board has, and nothing else. */
void pb_inject_class_init(ObjectClass *klass, const struct PbBoardType *type);
void pb_inject_init(struct PbGlue *glue); /* by pb_glue_init() */
void pb_inject_plugged(struct PbGlue *glue); /* the board is whole, and so is the machine (plug.h) */
void pb_inject_leave(struct PbGlue *glue);
void pb_inject_free(struct PbGlue *glue);

const struct PbBoardType *pb_inject_type(Object *board);
struct PbGlue *pb_inject_glue(Object *board);

/* For a scenario. NULL: it has none such. */
const PbInjection *pb_injection_find(Object *board, const char *property);
char *pb_injection_range(const PbInjection *injection); /* what is legal; freed with g_free */
bool pb_injection_parse(const PbInjection *injection, const char *word, uint64_t *value, Error **errp);
void pb_injection_set(Object *board, const PbInjection *injection, uint64_t value);

#endif
