/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbStall - a board that holds a vCPU in the middle of an access, as hardware does by delaying RDY.
 *
 *   CPUState *cpu = pb_accessing_cpu(attrs);       in a memory region's access function
 *   ... the board cannot answer yet ...
 *   pb_stall_release_at(&s, ns);                   when it will be able to; may come before or after
 *   if (pb_stall_wait(&s, cpu)) again              mostly does not return: the instruction is given up
 *
 * The vCPU stands still in front of the instruction, which it makes again when released. Under
 * icount it is released one instruction's time early, so that with one vCPU the second try falls
 * on exactly the nanosecond asked for; with several it may be later, as they run in turn.
 *
 * Nothing of it is in a snapshot: whoever lets a stopped machine run (cont, loadvm, reset) lets its
 * held vCPUs run too. They make their access again, the board holds them again, and its own state says
 * until when.
 *
 * An instruction with several stores (16 bytes are two of 8, PUSHA makes eight) must not make the first ones twice. So not
 * every wait is a hold:
 *   icount        no time passes within an instruction, so a store at the time of the last one by the same vCPU is another
 *                 of the same instruction. It waits in place: virtual time goes on by what it waits for, and timers
 *                 that come due meanwhile come at the instruction's end. If nobody knows until when (PB_NEVER),
 *                 it cannot wait.
 *   free-running  nobody can tell, so all waits of up to PB_STALL_SHORT_NS are in place. In a longer one the first
 *                 stores are made again.
 *
 * A region whose accesses are held must set disable_reentrancy_guard: the access never ends.
 */
#ifndef PERFBOARD_QEMU_STALL_H
#define PERFBOARD_QEMU_STALL_H

#include "qemu/timer.h"
#include "exec/memattrs.h"
#include "hw/core/cpu.h"

#include "plugins/cpu_view.h"

#define PB_STALL_SHORT_NS UINT64_C(100000)

typedef struct PbStall {
    QEMUTimer timer;
    uint64_t at; /* as last told; the timer comes an instruction before */
    bool armed;  /* the timer is to come */
    DECLARE_BITMAP(held, PB_MAX_VCPUS + 1); /* by vCPU index */
    uint64_t written[PB_MAX_VCPUS + 1];     /* icount: when its last store was made, ns */
} PbStall;

void pb_stall_init(PbStall *s);
/* PB_NEVER: not known yet. Big lock held. */
void pb_stall_release_at(PbStall *s, uint64_t ns);
/* The vCPU whose instruction makes this access and could make it again; NULL: somebody else (DMA, an interrupt
 * message of a device, a monitor, qtest). */
CPUState *pb_accessing_cpu(MemTxAttrs attrs);
/* True: the time has come, make the access again. False: the access cannot wait. Otherwise it does not return. */
bool pb_stall_wait(PbStall *s, CPUState *cpu);
void pb_stall_written(PbStall *s, const CPUState *cpu); /* its store to the board has been made */

#endif
