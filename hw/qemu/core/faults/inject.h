/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors on purpose: a board's properties inject-*. board_type.c gives each class its own.
 *
 * Which there are is in the board's view (hw/model/view.h), and so is what does them. It is called under the board's lock; catch_up() of
 * PbGlueOps comes before and behind it.
 *
 * They are settable on the command line, by qom-set and by a scenario (scenario.h), and readable. A value that is not legal is an
 * error that names property, value and legal range. What the command line says reaches set() when the machine is complete, before
 * its first reset, and what device_add says before the board's. A reset does not end an injection: it is the world's, not the board's.
 * A board's own are state of its model (hw/BOARD/state.def), and so in its snapshots. Those that every board has are PbFault's.
 *
 * While QEMU records or replays, only command line and scenario may inject: what a monitor sets is not in a recording.
 *
 * Big lock held.
 *
 * PbFault - the errors that every board can have on purpose.
 *
 * hw/qemu/README.md (Errors on purpose) says what they do. A pulse takes PB_FAULT_PULSE_NS.
 *
 * Whoever answers an access asks pb_fault_gone() (region.c), or has this over it:
 *
 * PbMasterAbort - what the guest meets in a board's place while that is gone, as where no device answers a bus's master: reads are all ones, writes
 * go nowhere.
 *
 *   PbMasterAbort c = { .board = OBJECT(s) };
 *   pb_master_abort_asks(&s->registers);     an I/O region that looks itself whether its board is there (region.c): it has none over it
 *   pb_master_abort_set(&c, true);
 *
 * It lies over all memories and I/O regions that the board owns, wherever they are mapped. They are found at the first time. Windows change
 * between two blocks only (map_update.h). Big lock held.
 *
 * In a snapshot this is a section of its own, read into a copy and checked, and loaded before the board.
 */
#ifndef PERFBOARD_QEMU_CORE_INJECT_H
#define PERFBOARD_QEMU_CORE_INJECT_H

#include "hw/qemu/series/qemu.h"
#include "hw/inspect/injections.h"
#include "hw/qemu/core/time/time.h"

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
void pb_inject_plugged(struct PbGlue *glue); /* the board is whole, and so is the machine (board_type.h) */
void pb_inject_leave(struct PbGlue *glue);
void pb_inject_free(struct PbGlue *glue);

/* For a scenario. NULL: it has none such. */
const PbInjection *pb_injection_find(Object *board, const char *property);
char *pb_injection_range(const PbInjection *injection); /* what is legal; freed with g_free */
bool pb_injection_parse(const PbInjection *injection, const char *word, uint64_t *value, Error **errp);
void pb_injection_set(Object *board, const PbInjection *injection, uint64_t value);

/* --- fault.c, master_abort.c --- */

#define PB_FAULT_PULSE_NS 10000

typedef struct PbMasterAbort {
    Object *board;
    GPtrArray *regions; /* MemoryRegion; NULL: it was never gone */
} PbMasterAbort;

void pb_master_abort_asks(MemoryRegion *mr);
void pb_master_abort_set(PbMasterAbort *over, bool on);
/* The board is unplugged. */
void pb_master_abort_forget(Object *board); /* those of its regions that pb_master_abort_asks() knows */
void pb_master_abort_leave(PbMasterAbort *over);
void pb_master_abort_free(PbMasterAbort *over);  /* its regions are gone */

typedef struct PbFaultState {
    uint8_t gone;
    uint8_t irq;         /* a word of inject-irq */
    uint64_t pulse_ends; /* virtual ns; 0: there is no pulse */
} PbFaultState;

typedef struct PbFault {
    PbFaultState state, image; /* image: what a snapshot is read into */
    bool level;                /* what the board wants of its interrupt line */
    PbTimer pulse;
    PbMasterAbort master_abort;
    PCIConfigReadFunc *config_read;
    PCIConfigWriteFunc *config_write;
} PbFault;

void pb_fault_init(struct PbGlue *glue); /* by pb_glue_init() */
void pb_fault_leave(struct PbGlue *glue); /* from now on it is gone, whatever inject-gone says */

/* False: the property is another. Big lock held. */
bool pb_fault_injected(struct PbGlue *glue, const char *property, uint64_t *value);
bool pb_fault_inject(struct PbGlue *glue, const char *property, uint64_t value);

/* Any thread. */
bool pb_fault_gone(const struct PbGlue *glue);
/* The interrupt line's level if the board wants this one. Big lock held. */
bool pb_fault_level(struct PbGlue *glue, bool wanted);

#endif
