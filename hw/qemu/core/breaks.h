/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stopping the machine at a guest's access: what the property break= of a board does.
 *
 *   pb_break_init();                                         once, in the main thread, before the machine runs
 *   pb_break_access(&mr, addr, size, write, value, named);   in a memory region's access function, before the board is asked;
 *                                                            named: break= names this access. Mostly does not return then
 *   pb_break_leave(board);                                   the board is unplugged: no access of its regions passes any more
 *   pb_break_event();                                        what break= names has happened: it was known only afterwards
 *
 * Before the access. The instruction is given up, as by a stall (stall.h): nothing of it has happened, the program counter is at it,
 * and the machine stops as for a debugger (run state debug). A gdb that is connected hears of it as of a breakpoint. When the machine
 * goes on, the vCPU makes the access again, and that access passes. Virtual time does not pass meanwhile.
 *
 * After the access. The machine stops at the next instruction, where nothing can be given up any more: for an event; for an access
 * that no instruction makes itself (a port, DMA, a device's message); and for the second access of one instruction.
 *
 * Code in a board's registers. QEMU fetches it anew whenever the machine goes on. So the machine stops once for an instruction that is
 * fetched from there, until the vCPU makes an access by another one.
 *
 * Replay. While gdb goes back, nothing stops: QEMU's replay is told of each access at which it could, and goes to the last one. It
 * then stands before the instruction, too.
 *
 * While a recording is made nothing stops; pb_break_refused() says why. */
#ifndef PERFBOARD_QEMU_BREAKS_H
#define PERFBOARD_QEMU_BREAKS_H

#include "exec/memory.h"

void pb_break_init(void);
/* A line for the user, or NULL: break= may be set. */
const char *pb_break_refused(void);
/* Also to be called for accesses that are not named, as long as break= is set. Big lock held or not. */
void pb_break_access(const MemoryRegion *mr, hwaddr addr, unsigned size, bool write, uint64_t value, bool named);
void pb_break_leave(const Object *board); /* big lock held */
void pb_break_event(void); /* any thread, any locks */

#endif
