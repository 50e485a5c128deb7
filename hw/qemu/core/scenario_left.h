/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What of a scenario was not done when the machine ends: a line for each line of the file, on stderr or in a file.
 *
 *   pb_scenario_at_end(unreached, tell);   tell() is called at the machine's end; a replay, which ends where somebody stops it, says nothing
 *   pb_scenario_left(part, from, next, file, to, prefix);   what tell() says of a part: its lines from `next` on, if it has begun (from)
 */
#ifndef PB_SCENARIO_LEFT_H
#define PB_SCENARIO_LEFT_H

#include "hw/qemu/core/scenario_file.h"

void pb_scenario_at_end(const char *unreached, void (*tell)(FILE *to, const char *prefix));
void pb_scenario_left(const PbScenarioPart *part, uint64_t from, guint next, const char *file, FILE *to, const char *prefix);

#endif
