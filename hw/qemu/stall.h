/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbStall - a board that holds a vCPU in the middle of an access, as hardware does by delaying RDY.
 *
 *   CPUState *cpu = pb_accessing_cpu(attrs);       in a memory region's access function
 *   ... the board cannot answer yet ...
 *   pb_stall_release_at(&s, ns);                   when it will be able to; may come before or after
 *   pb_stall_hold(&s, cpu);                        does not return: the instruction is given up
 *
 * The vCPU stands still in front of the instruction, which it makes again when released. Under
 * icount it is released one instruction's time early, so that with one vCPU the second try falls
 * on exactly the nanosecond asked for; with several it may be later, as they run in turn.
 *
 * Nothing of it is in a snapshot: whoever lets a stopped machine run (cont, loadvm, reset) lets its
 * held vCPUs run too. They make their access again, the board holds them again, and its own state says
 * until when.
 *
 * An instruction that makes several accesses (PUSHA, a store of 16 bytes, which is two of 8) makes them all
 * again: what its first ones did is done once more, and if that is what the last one waits for, it never ends.
 *
 * A region whose accesses are held must set disable_reentrancy_guard: the access never ends.
 */
#ifndef PERFBOARD_QEMU_STALL_H
#define PERFBOARD_QEMU_STALL_H

#include "qemu/timer.h"
#include "exec/memattrs.h"
#include "hw/core/cpu.h"

#include "plugins/cpu_view.h"

typedef struct PbStall {
    QEMUTimer timer;
    uint64_t at; /* as last told; the timer comes an instruction before */
    bool armed;  /* the timer is to come */
    DECLARE_BITMAP(held, PB_MAX_VCPUS + 1); /* by vCPU index */
} PbStall;

void pb_stall_init(PbStall *s);
/* PB_NEVER: not known yet. Big lock held. */
void pb_stall_release_at(PbStall *s, uint64_t ns);
/* The vCPU whose instruction makes this access and could make it again; NULL: somebody else (DMA, an interrupt
 * message of a device, a monitor, qtest). */
CPUState *pb_accessing_cpu(MemTxAttrs attrs);
G_NORETURN void pb_stall_hold(PbStall *s, CPUState *cpu);

#endif
