/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Idle time under icount: it passes when the vCPUs' thread sleeps, and not before.
 *
 * With sleep=off QEMU's main loop lets virtual time go to the next timer whenever it finds all vCPUs halted. Nothing keeps it from looking in the
 * middle of the vCPUs' thread's way to sleep: the last vCPU has halted, but its instructions are not in the clock yet, and QEMU's timer for turns
 * of vCPUs still runs. Whether it looks then depends on the host. On a busy one two runs of the same guest, with no plugin either, came to differ
 * by microseconds to milliseconds (test bare-idle). So the main loop waits here for the few instructions that are left.
 *
 * QEMU takes a vCPU at a breakpoint of gdb's for halted as well, until the main loop has stopped the machine: each breakpoint let time jump to the
 * next timer (test linux-gdb). Here it is one that is about to stop.
 *
 * A pseries' guest reads how often each vCPU was dispatched (VPA, dispatch counter) and waits for locks by it, Linux 6.2 and newer for all locks.
 * QEMU counts each time that it enters its execution loop: once more whenever something on the host ends a turn early, which nothing else tells
 * the guest. Two runs of Linux 6.12 with four vCPUs came to differ (test linux-ppc64-smile). Here the counter says whether the vCPU has its
 * turn, 0, or not, 1, and no more.
 */
#ifndef PERFBOARD_QEMU_CORE_IDLE_H
#define PERFBOARD_QEMU_CORE_IDLE_H

/* When the plugin is loaded, before there are vCPUs. A recording (rr=) has its own points in time, and needs none of this. */
void pb_idle_start(void);

#endif
