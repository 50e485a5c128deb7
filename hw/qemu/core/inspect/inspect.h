/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who looks at a board (hw/inspect), as properties that every board has:
 *
 *   pb_board_open(s, &s->board, errp)      in realize, behind pb_board_begin() (board_type.h)
 *
 * hw/inspect/README.md lists them. While nobody looks an access costs one test (region.c).
 *
 * Stopping the machine at a guest's access: what the property break= of a board does.
 *
 *   pb_break_init();                                         once, in the main thread, before the machine runs
 *   pb_break_access(&mr, addr, size, write, value, named);   in a memory region's access function, before the board is asked;
 *                                                            named: break= names this access. Mostly does not return then
 *   pb_break_leave(board);                                   the board is unplugged: no access of its regions passes any more
 *   pb_break_event();                                        what break= names has happened: it was known only afterwards
 *
 * hw/qemu/README.md (Stops at accesses) says where the machine stops. A gdb that is connected hears of it as of a breakpoint.
 *
 * Code in a board's registers. QEMU fetches it anew whenever the machine goes on. So the machine stops once for an instruction that is
 * fetched from there, until the vCPU makes an access by another one.
 *
 * While a recording is made nothing stops; pb_break_refused() says why.
 *
 * What waits for a driver that never came: interrupt lines that have been high for a second or more of virtual time when the machine ends.
 *
 *   pb_unserviced_irq_at_end(file);     while the object is loaded; file: what pending=FILE of the object names, or NULL: nobody is told
 *   pb_unserviced_irq_add(g, unit);     a board, when it is realized; pb_unserviced_irq_leave(g) when it is unplugged: its line is down then
 *
 *   surfboard: interrupt line high for 28.104 s, ISCR.TP never acknowledged (write ISCR.TP=1)
 *
 * A line each, by the view's conditions. The file is there only if there is one.
 */
#ifndef PERFBOARD_QEMU_CORE_INSPECT_H
#define PERFBOARD_QEMU_CORE_INSPECT_H

#include "hw/qemu/series/qemu.h"
#include "hw/inspect/inspect.h"
#include "hw/qemu/core/board/host_glue.h"

/* Appends them, as Property: the device's PbGlue is at `glue`. By board_type.c. */
void pb_inspect_properties(GArray *all, size_t glue);

/* view: the board's BoardView, or NULL; model: what its functions take. False: errp says which property is wrong. */
bool pb_glue_inspect(PbGlue *g, const void *view, void *model, Error **errp);

/* pb_glue_leave()'s part: nobody looks any more, and what was seen is in the files. */
void pb_glue_look_away(PbGlue *g);

/* It has a window of ports (region.c). */
void pb_glue_ports(PbGlue *g);

uint64_t pb_glue_log_size(const PbGlue *g);
/* Whether a board's file may have so many bytes: as log-size. */
bool pb_file_size(const char *property, uint64_t size, DeviceState *dev, Error **errp);

/* As the properties. Before pb_glue_inspect() they do nothing. */
bool pb_glue_filter(PbGlue *g, const char *patterns, Error **errp);
bool pb_glue_break(PbGlue *g, const char *pattern, Error **errp);
bool pb_glue_recent(PbGlue *g, uint32_t n, Error **errp);

/* As pb_inspect_await(), for a board that is realized. Big lock held. */
PbInspectAwait *pb_glue_await(PbGlue *g, const char *pattern, void (*come)(void *opaque, uint64_t ns), void *opaque, Error **errp);
void pb_glue_await_on(PbGlue *g, PbInspectAwait *await, bool on);

/* --- breaks.c --- */

void pb_break_init(void);
/* A line for the user, or NULL: break= may be set. */
const char *pb_break_refused(void);
/* Also to be called for accesses that are not named, as long as break= is set. Big lock held or not. */
void pb_break_access(const MemoryRegion *mr, hwaddr addr, unsigned size, bool write, uint64_t value, bool named);
void pb_break_leave(const Object *board); /* big lock held */
void pb_break_event(void); /* any thread, any locks */

/* --- unserviced_irq.c --- */

void pb_unserviced_irq_at_end(const char *file);
void pb_unserviced_irq_add(PbGlue *g, const char *unit); /* unit: which of several, copied; NULL: there is no more than one */
void pb_unserviced_irq_leave(PbGlue *g);

#endif
