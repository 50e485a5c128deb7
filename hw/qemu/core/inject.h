/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors on purpose: a board's properties inject-*.
 *
 *   static const PbInjection mine[] = {
 *       { .property = "inject-drop", .text = "next packets that are lost", .most = UINT32_MAX, .which = DROP, .get = get, .set = set },
 *       { .property = NULL } };
 *   pb_inject_class_init(klass, offsetof(SciDevice, glue), false, mine);     in class_init
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

struct PbGlue;

typedef struct PbInjection {
    const char *property;     /* "inject-..."; NULL: the list's end */
    const char *text;         /* for -plugin perfboard.so,help, which adds the legal range */
    const char *const *words; /* values by number, then NULL; pb_off_on: a boolean property. NULL: a number, */
    uint64_t most;            /* from 0 to this */
    unsigned which;           /* the board's number for it */
    uint64_t (*get)(Object *board, unsigned which);
    void (*set)(Object *board, unsigned which, uint64_t value);
} PbInjection;

extern const char *const pb_off_on[];

/* What the command line has asked for; in a PbGlue. */
typedef struct PbInject {
    bool complete; /* the machine is */
    GArray *asked;
} PbInject;

/* has_irq: it has an interrupt line. own: NULL: the board has what every board has, and nothing else. */
void pb_inject_class_init(ObjectClass *klass, size_t glue_offset, bool has_irq, const PbInjection *own);
void pb_inject_init(struct PbGlue *glue); /* by pb_glue_init() */
void pb_inject_plugged(struct PbGlue *glue); /* the board is whole, and so is the machine (plug.h) */
void pb_inject_leave(struct PbGlue *glue);
void pb_inject_free(struct PbGlue *glue);

struct PbGlue *pb_inject_glue(Object *board);

/* For a scenario. NULL: it has none such. */
const PbInjection *pb_injection_find(Object *board, const char *property);
bool pb_injection_parse(const PbInjection *injection, const char *word, uint64_t *value, Error **errp);
void pb_injection_set(Object *board, const PbInjection *injection, uint64_t value);

#endif
