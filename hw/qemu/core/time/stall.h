/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbStall - a board that holds a vCPU in the middle of an access, as hardware does by delaying RDY.
 *
 *   CPUState *cpu = pb_accessing_cpu();            in a memory region's access function
 *   ... the board cannot answer yet ...
 *   pb_stall_release_at(&s, ns);                   when the board can answer; before or after the wait begins
 *   if (pb_stall_wait(&s, cpu)) again              mostly does not return: the instruction is given up
 *
 * hw/qemu/README.md (Holding a vCPU) says how it is held. Several vCPUs run in turn, so under icount a second try may come later than asked for.
 * A hold is not saved: whatever lets a stopped machine run (cont, loadvm, reset) lets its held vCPUs run, too, and the board, whose own state
 * says until when, holds them again.
 *
 * Several stores. One instruction may store more than once (16 bytes are two stores of 8, PUSHA makes eight). If its
 * last store were held, its first ones would be made twice. So some waits are made in place, in the access:
 *   icount        no time passes within an instruction. So a store at the same time as the same vCPU's last store
 *                 belongs to the same instruction, and waits in place: virtual time is moved on, and timers that
 *                 become due run when the instruction ends. If the end of the wait is not known (PB_NEVER), the store
 *                 cannot wait.
 *   free-running  time does not tell which stores belong together. So all waits of up to PB_STALL_SHORT_NS are made
 *                 in place. A longer wait is a hold, and the instruction's first stores are made again.
 *
 * Accesses that count. A board may promise that each access is made once, whatever the instruction (pb_stall_once()). It
 * calls pb_stall_written() after loads, too. Under icount what is said above is then enough. Free-running, every wait is
 * made in place, without the big lock, so that other vCPUs may use the board meanwhile. If the machine is to stop, the
 * wait ends at once, and the access cannot wait.
 *
 * Other nodes (time.h). An answer comes from another machine, so nobody knows when the wait ends. pb_stall_await() waits in
 * place, whatever the instruction has done before, and needs no PbStall.
 *
 * A region whose accesses are held must set disable_reentrancy_guard: an access that is held does not return.
 */
#ifndef PERFBOARD_QEMU_STALL_H
#define PERFBOARD_QEMU_STALL_H

#include "hw/qemu/core/time/time.h"
#include "plugins/port.h"

#define PB_STALL_SHORT_NS UINT64_C(100000)

typedef struct PbStall {
    PbTimer timer;
    uint64_t at; /* end of the wait, as last told; the timer is set one instruction's time earlier */
    bool armed;  /* the timer has not come yet */
    bool once;
    DECLARE_BITMAP(held, PB_MAX_VCPUS); /* by vCPU index */
    uint64_t written[PB_MAX_VCPUS];     /* icount: by vCPU index, when its last store was made, ns */
} PbStall;

void pb_stall_init(PbStall *s);
void pb_stall_once(PbStall *s); /* after pb_stall_init() */
/* The board leaves: whoever is held goes on, and meets what is there then; who waits in place finds that the wait is over.
 * Also of one that was never begun, all zeros. */
void pb_stall_end(PbStall *s);
/* The wait ends at ns (PB_NEVER: not known yet). Big lock held. */
void pb_stall_release_at(PbStall *s, uint64_t ns);
/* The vCPU whose instruction makes this access, and could make it again. NULL: no instruction makes it, but DMA, a
 * device's interrupt message, a monitor or qtest. */
CPUState *pb_accessing_cpu(void);
/* True: the wait is over, ask the board again. False: the access cannot wait. A hold does not return. */
bool pb_stall_wait(PbStall *s, CPUState *cpu);
/* Time is granted: until *ns, which what comes may bring forward. If the machine is to stop first, this does not return: the instruction is given up. */
void pb_stall_await(CPUState *cpu, const uint64_t *ns);
/* Time is granted: the instruction is given up, and begins again when the wait for the board's bus is over (time.h). */
G_NORETURN void pb_stall_begin_again(CPUState *cpu);
/* In a tap's callback (plugins/taps.h), whose access is made already; no time is granted. In place, too: what follows in the block comes behind it. */
void pb_stall_behind(CPUState *cpu, uint64_t now, uint64_t until);
void pb_stall_written(PbStall *s, const CPUState *cpu); /* this vCPU's store to the board (once: any access) has been made */

#endif
