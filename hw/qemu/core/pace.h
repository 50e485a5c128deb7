/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pace: somebody outside of the machine says how far virtual time may pass (cluster.h). Under icount, and with one vCPU.
 *
 * All is decided in the vCPU's thread. Before it runs, its instructions are cut to those that begin before the time allowed; while it is halted,
 * time passes here, to QEMU's next timer at most, and QEMU's main loop never moves it on. Neither timers nor the main loop are needed for a step.
 * If time may not pass at all, the vCPU executes nothing and takes no interrupt until it may. One that is held (time.h) does neither: time passes
 * as while it is halted.
 *
 * At one virtual time first QEMU's timers come, then what comes from outside, then the instruction: the order of no two things depends on the host.
 */
#ifndef PERFBOARD_QEMU_CORE_PACE_H
#define PERFBOARD_QEMU_CORE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* In the vCPU's thread, with the big lock, but for wait(). */
typedef struct PbPace {
    /* Until when time may pass, ns; `now`: not yet. next: before that time nothing happens here, unless something comes from outside. */
    uint64_t (*until)(uint64_t now, uint64_t next);
    bool (*due)(uint64_t now); /* behind until(): something has come, for now */
    void (*deliver)(void);     /* that, one thing at least */
    void (*wait)(void);        /* big lock not held; a millisecond at most */
} PbPace;

/* A vCPU that a board makes stand still before its next instruction (hw/shrimp/stand.cc). Time passes as while it is held, but the board's state says until
 * when: so a stand is saved, and goes on. Blocks have one instruction, so that there is always a next one. In the vCPU's thread, with the big lock. */
typedef struct PbStand {
    uint64_t (*until)(void *dev); /* come() is called then, ns; 0: it does not stand */
    bool (*come)(void *dev, uint64_t now); /* behind what has come from outside. True: the next instruction comes before any interrupt */
    void *dev;
} PbStand;

/* When the machine is complete, under icount: QEMU has what it takes, or ends. */
void pb_pace_try(void);
/* Once, when the machine is complete, and before it runs. */
void pb_pace(const PbPace *pace);
/* Before that: one board of a machine may. After an access that makes it stand the vCPU's turn is to be cut (pb_time_cut()). */
void pb_pace_stand(const PbStand *stand);
bool pb_is_paced(void);
/* Once: the machine stops behind the last instruction that begins before that time, ns, and before any other (run state paused). */
void pb_pace_stop_at(uint64_t ns);
/* It has stopped there, and has not gone on since. */
bool pb_pace_stands(void);
/* In the vCPU's thread, big lock held, in the middle of an instruction: so much time passes, ns. Timers that become due do not run here. */
void pb_pace_skip(uint64_t ns);
/* The same, until *end, ns, which what comes from outside may change. False: it has not come, and the machine stops; the instruction is to be given up. */
bool pb_pace_await(const uint64_t *end);

#endif
