/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who looks at a board (hw/inspect), as properties that every board has:
 *
 *   pb_board_open(s, &s->board, errp)      in realize, behind pb_board_begin() (board_type.h)
 *
 *   log           file for the access log; "-" is QEMU's own log, or stderr where there is none
 *   log-format    text or json
 *   log-size      bytes that the file may have, 0: any number; of what does not fit, the first half and what came last are kept
 *   log-filter    patterns (hw/inspect/pattern.h) with ';' between: what the log keeps; '!' in front: what it leaves out
 *   coverage      file that counts of what the guest has touched are added to (hw/inspect/coverage.h)
 *   break         a pattern: the machine stops before the guest's instruction that makes that access (breaks.h)
 *   recent        so many accesses are kept for `registers`
 *   registers     read only: every register decoded, as JSON
 *
 * log-filter, break and recent may be set while the machine runs. While nobody looks an access costs one test (region.h).
 */
#ifndef PERFBOARD_QEMU_CORE_INSPECT_H
#define PERFBOARD_QEMU_CORE_INSPECT_H

#include "hw/qdev-properties.h"

#include "hw/inspect/inspect.h"
#include "hw/qemu/core/host_glue.h"

/* Appends them, as Property: the device's PbGlue is at `glue`. By board_type.c. */
void pb_inspect_properties(GArray *all, size_t glue);

/* view: the board's BoardView, or NULL; model: what its functions take. False: errp says which property is wrong. */
bool pb_glue_inspect(PbGlue *g, const void *view, void *model, Error **errp);

/* pb_glue_leave()'s part: nobody looks any more, and what was seen is in the files. */
void pb_glue_look_away(PbGlue *g);

/* It has a window of ports (region.h). */
void pb_glue_ports(PbGlue *g);

uint64_t pb_glue_log_size(const PbGlue *g);

/* As the properties. Before pb_glue_inspect() they do nothing. */
bool pb_glue_filter(PbGlue *g, const char *patterns, Error **errp);
bool pb_glue_break(PbGlue *g, const char *pattern, Error **errp);
bool pb_glue_recent(PbGlue *g, uint32_t n, Error **errp);

/* As pb_inspect_await(), for a board that is realized. Big lock held. */
PbInspectAwait *pb_glue_await(PbGlue *g, const char *pattern, void (*come)(void *opaque, uint64_t ns), void *opaque, Error **errp);
void pb_glue_await_on(PbGlue *g, PbInspectAwait *await, bool on);

#endif
