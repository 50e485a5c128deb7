/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A scenario: errors on purpose at virtual times (inject.h).
 *
 *   -plugin perfboard.so,scenario=FILE
 *
 *   # TIME DEVICE PROPERTY VALUE          a comment goes from # to the line's end
 *   200us   smile-sci  inject-drop  3     the board's name (hw/boards) or the device's, if there is one only
 *   1.5ms   surf0      inject-irq   pulse its id=
 *
 *   # after DEVICE ACCESS                   lines below with a + count from it, until the next such line
 *   after surf0 write HTCR.TRG=1
 *   +10us   surf0      inject-gone  on
 *
 * TIME is virtual, from the machine's start: a number with up to nine decimals and ns, us, ms or s. With a + in front it is from the first
 * access, or event, of the device that the pattern fits (hw/inspect/pattern.h): so a scenario that begins with what the driver does is right for each
 * kernel, however long it takes to boot. Lines need not be in order; those of one start and one time are
 * done in the file's order, by one virtual timer. Under icount that is at the same instruction in every run. Free-running it may be
 * later, never earlier. Those of an `after` whose access never comes are never done. While one is awaited its board is looked at, as for a log.
 *
 * When the machine ends, what was not done is said: a line on stderr for each line of the file, or in the file that unreached=FILE names, which is
 * then there and empty if all was done. Of a line `after` whose access never came it is that line. A replay says nothing.
 *
 * A board that is unplugged takes its lines along, until one is plugged in by whose id or name the file knows it: whose time came in between is not done, and
 * an access is awaited of the new one.
 *
 * A line that is wrong ends QEMU at its start with file and line: syntax when the object is loaded, device, property and value when
 * the machine is complete. A snapshot holds up to which time lines have been done, and when the first, second, ... `after` came: a machine that is
 * loaded goes on behind it, also with another scenario or with none before.
 */
#ifndef PERFBOARD_QEMU_CORE_SCENARIO_H
#define PERFBOARD_QEMU_CORE_SCENARIO_H

#include <stdbool.h>

/* While the object is loaded. file: NULL: there is none; unreached: NULL: stderr. False: one line has been said. */
bool pb_scenario_read(const char *file, const char *unreached);
/* Then, if it stays. */
void pb_scenario_start(void);

struct PbGlue;
/* A board that comes and goes while the machine runs (plug.h). */
void pb_scenario_plugged(struct PbGlue *g);
void pb_scenario_leave(struct PbGlue *g);

#endif
