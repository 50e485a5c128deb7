/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine waits for somebody outside of it, and goes on.
 */
#ifndef PERFBOARD_QEMU_CORE_STOP_H
#define PERFBOARD_QEMU_CORE_STOP_H

/* The main loop stops the machine, as for a disk that is full (run state io-error). */
void pb_stop(void);
/* The main loop stops the machine, as a monitor does (paused). */
void pb_pause(void);
/* In the main loop: a machine that pb_stop() has stopped goes on. One that stands still for another reason, or runs
 * yet, stays as it is. */
void pb_go_on(void);

#endif
