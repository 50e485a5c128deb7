/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Virtual time: the one owner.
 *
 * Whatever reads or changes QEMU's virtual clock, sets a timer of it, holds a vCPU or makes the machine wait goes through
 * here. Nothing else in the object looks at icount or at QEMU's timers_state (tests/style/includes). So there is one
 * place for whoever grants virtual time, as a cluster of machines must.
 *
 *   clock     pb_time_now()                  virtual ns; for a plugin's callback there is pb_event_time()
 *             pb_time_counts_instructions()  icount: time comes from executed instructions, and vCPUs run in turn
 *   timers    pb_timer_init(&t, expired, opaque); pb_timer_set(&t, ns); pb_timer_end(&t);
 *   vCPUs     pb_time_hold(cpu)              the instruction under way is given up, and the vCPU stands still before it
 *             pb_time_release(cpu)           it goes on, and begins that instruction again
 *             pb_time_skip(cpu, ns)          icount: time passes in the middle of an instruction
 *             pb_time_pass(ns), pb_time_cut(cpu, ns)   for time granted: idle time passes; a vCPU's turn is shortened
 *   idle      pb_idle_start()                icount: idle time passes at the same point of every run (timers.c)
 *   machine   pb_stop(), pb_pause(), pb_go_on()    it waits for somebody outside of it, and goes on
 *
 * A timer never comes in a stopped machine, though QEMU may run it there. It then comes when the machine goes on, at the
 * same virtual time.
 *
 * Time granted: somebody outside of the machine says how far virtual time may pass (cluster.h). Under icount, and with one vCPU.
 *
 * All is decided in the vCPU's thread. Before it runs, its instructions are cut to those that begin before the time allowed; while it is halted,
 * time passes here, to QEMU's next timer at most, and QEMU's main loop never moves it on. Neither timers nor the main loop are needed for a step.
 * If time may not pass at all, the vCPU executes nothing and takes no interrupt until it may. One that is held (time.h) does neither: time passes
 * as while it is halted.
 *
 * At one virtual time first QEMU's timers come, then what comes from outside, then the instruction: the order of no two things depends on the host.
 */
#ifndef PERFBOARD_QEMU_CORE_TIME_H
#define PERFBOARD_QEMU_CORE_TIME_H

#include "hw/qemu/series/qemu.h"

typedef struct PbTimer {
    QEMUTimer timer;
    uint64_t at;    /* as last set */
    uint64_t order; /* of those that come at one time */
    bool late;      /* it came while the machine stood still */
    void (*expired)(void *opaque);
    void *opaque;
    struct VMChangeStateEntry *machine; /* hears of the machine; NULL: the timer has ended */
    QLIST_ENTRY(PbTimer) others;
} PbTimer;

/* When the object is loaded: QEMU keeps its time in what its headers say, or ends (series/insides.h). */
void pb_time_try(void);
uint64_t pb_time_now(void);
bool pb_time_counts_instructions(void);
/* icount: what one instruction takes, ns. Free-running: 0. */
uint64_t pb_time_of_instruction(void);
/* icount: instructions since the machine was started, of all vCPUs; in an access with the one that makes it. */
int64_t pb_time_count(void);
/* icount: how many of them this vCPU has executed in its turn. A block takes all of its own off when it starts. */
int64_t pb_time_executed(const CPUState *cpu);
/* icount: when the next timer comes that lets idle time pass, ns; `now`: it is due; PB_NEVER: none. */
uint64_t pb_time_of_next_timer(uint64_t now);

/* Free-running, big lock held: from now on it is so late, ns, or as late as it was if that was later. */
void pb_time_go_to(uint64_t ns);

void pb_timer_init(PbTimer *t, void (*expired)(void *opaque), void *opaque);
/* PB_NEVER: not at all. May be called without the big lock, and in a plugin's callback. */
void pb_timer_set(PbTimer *t, uint64_t ns);
/* It never comes again, whoever sets it. Also of one that has ended, or that is all zeros. Big lock held. */
void pb_timer_end(PbTimer *t);

/* In the vCPU's thread, in an access that an instruction makes. */
G_NORETURN void pb_time_hold(CPUState *cpu);
/* The same, but the vCPU does not stand still: it leaves its loop, and then begins the instruction again. */
G_NORETURN void pb_time_begin_again(CPUState *cpu);
void pb_time_release(CPUState *cpu);
bool pb_time_holds(const CPUState *cpu);
/* Whether any vCPU may be in the middle of a block. False: the machine stands still, or all are held. */
bool pb_time_vcpus_run(void);
/* In the main loop, before it looks whether all vCPUs are idle. One that stands at a breakpoint of gdb's waits for the main loop, which stops the
 * machine right after this: it is to stop, and so is not idle. */
void pb_time_stopped_is_not_idle(void);
/* icount, in the vCPU's thread, which executes no instruction. Timers that become due do not run here. */
void pb_time_pass(uint64_t ns);
/* icount, in the vCPU's thread, between two instructions of its turn. What is left of the turn, ns; only instructions that begin within so many ns are
 * executed from now on; whether there is none that may be, or fewer than in the block that would be next. */
uint64_t pb_time_of_turn(CPUState *cpu);
void pb_time_cut(CPUState *cpu, uint64_t ns);
bool pb_time_is_up(CPUState *cpu);
/* In the vCPU's thread. Timers that become due run when the instruction ends. */
void pb_time_skip(CPUState *cpu, uint64_t ns);

/* When the object is loaded, before there are vCPUs: idle time. A recording (rr=) has its own points in time, and needs none of this. */
void pb_idle_start(void);

/* The main loop stops the machine, as for a disk that is full (run state io-error). */
void pb_stop(void);
/* The main loop stops the machine, as a monitor does (paused). */
void pb_pause(void);
/* In the main loop: a machine that pb_stop() has stopped goes on. One that stands still for another reason, or runs
 * yet, stays as it is. */
void pb_go_on(void);

/* --- time granted (hw/qemu/tcg/time_grant.c) --- */

/* In the vCPU's thread, with the big lock, but for wait(). */
typedef struct PbTimeGrant {
    /* Until when time may pass, ns; `now`: not yet. next: before that time nothing happens here, unless something comes from outside. */
    uint64_t (*until)(uint64_t now, uint64_t next);
    bool (*due)(uint64_t now); /* behind until(): something has come, for now */
    void (*deliver)(void);     /* that, one thing at least */
    void (*wait)(void);        /* big lock not held; a millisecond at most */
} PbTimeGrant;

/* A vCPU that waits for a board's bus, and stands still before its next instruction (hw/shrimp/bus_wait.cc). Time passes as while it is held,
 * but the board's state says until when: so a wait is saved, and goes on. Blocks have one instruction, so that there is always a next one.
 * In the vCPU's thread, with the big lock. */
typedef struct PbBusWait {
    uint64_t (*until)(void *dev); /* come() is called then, ns; 0: it does not wait */
    bool (*come)(void *dev, uint64_t now); /* behind what has come from outside. True: the next instruction comes before any interrupt */
    void *dev;
} PbBusWait;

/* When the machine is complete, under icount: QEMU has what it takes, or ends. */
void pb_time_grant_try(void);
/* Once, when the machine is complete, and before it runs. */
void pb_time_grant(const PbTimeGrant *grant);
/* Before that: one board of a machine may. After an access that makes it wait the vCPU's turn is to be cut (pb_time_cut()). */
void pb_time_grant_bus_wait(const PbBusWait *wait);
bool pb_time_is_granted(void);
/* Once: the machine stops behind the last instruction that begins before that time, ns, and before any other (run state paused). */
void pb_time_grant_stop_at(uint64_t ns);
/* It has stopped there, and has not gone on since. */
bool pb_time_grant_stopped(void);
/* In the vCPU's thread, big lock held, in the middle of an instruction: so much time passes, ns. Timers that become due do not run here. */
void pb_time_grant_skip(uint64_t ns);
/* The same, until *end, ns, which what comes from outside may change. False: it has not come, and the machine stops; the instruction is to be given up. */
bool pb_time_grant_await(const uint64_t *end);

#endif
