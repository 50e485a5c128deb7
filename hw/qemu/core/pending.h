/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What waits for a driver that never came: interrupt lines that have been high for a second or more of virtual time when the machine ends.
 *
 *   pb_pending_at_end(file);     while the object is loaded; file: what pending=FILE of the object names, or NULL: nobody is told
 *   pb_pending_add(g, unit);     a board, when it is realized; pb_pending_leave(g) when it is unplugged: its line is down then
 *
 *   surfboard: interrupt line high for 28.104 s, ISCR.TP never acknowledged (write ISCR.TP=1)
 *
 * A line each, by the view's conditions. The file is there only if there is one.
 */
#ifndef PERFBOARD_QEMU_CORE_PENDING_H
#define PERFBOARD_QEMU_CORE_PENDING_H

struct PbGlue;

void pb_pending_at_end(const char *file);
void pb_pending_add(struct PbGlue *g, const char *unit); /* unit: which of several, copied; NULL: there is no more than one */
void pb_pending_leave(struct PbGlue *g);

#endif
