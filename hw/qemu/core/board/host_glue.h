/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbGlue - a model's PbHost made of QEMU: virtual clock, one timer, DMA to RAM, log flags.
 *
 * A shim says what there is (PbBoardType.ops): a lock, its interrupt line, what is called and when.
 *
 * What the model tells goes on to whoever looks (inspect.h). Where the clock must not be read - a tap's callback - the shim says what
 * time it is: pb_glue_at(a->now), and pb_glue_at(PB_NEVER) behind the model's call. It holds for all boards, in that thread.
 */
#ifndef PERFBOARD_QEMU_HOST_GLUE_H
#define PERFBOARD_QEMU_HOST_GLUE_H

#include "hw/qemu/series/qemu.h"
#include "hw/model/host.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/time/time.h"

/* Around every call of the model: the big lock is enough; PbGlue.spin; PbGlue.mutex. */
typedef enum PbGlueLock { PB_BIG_LOCK, PB_SPIN, PB_MUTEX } PbGlueLock;

/* Functions get the device. NULL: nothing. Not under the lock, but for timer(). */
typedef struct PbGlueOps {
    PbGlueLock lock;
    void (*set_irq)(void *dev, bool level); /* NULL: it has no interrupt line */
    void (*catch_up)(void *dev); /* the model does what has come due by now. NULL: it does at each access */
    void (*expired)(void *dev);  /* the timer has come: first this, */
    void (*timer)(void *dev);    /* then the model's part, under the lock */
    void (*behind)(void *dev);   /* the model has been written, reset or loaded, or its timer has come: what it asks of QEMU from now on */
    void (*run_state)(void *dev, bool running, RunState state); /* the machine stops, or goes on */
    void (*ends)(void *dev);     /* QEMU ends */
    void (*gone)(void *dev);     /* the board has gone, and no vCPU is in a block that may know it */
} PbGlueOps;

/* Why an access is more than the board's answer (PbGlue.attention). */
enum { PB_LOOKED_AT = 1, PB_MAY_BREAK = 2, PB_GONE = 4 };

/* The properties of inspect.h. */
typedef struct PbLookers {
    char *log, *log_format, *log_filter, *coverage, *break_at;
    uint32_t recent;
    bool has_log_size;
    uint64_t log_size; /* bytes; 0: no limit */
} PbLookers;

void pb_spin_wait(QemuSpin *spin);
/* As qemu_spin_lock(), but who has waited for longer than a packet takes lets others run: where there are more vCPUs than processors, the one that
 * has the lock may be waiting for one. */
static inline void pb_spin_lock(QemuSpin *spin)
{
    if (unlikely(qemu_spin_trylock(spin))) {
        pb_spin_wait(spin);
    }
}

typedef struct PbGlue {
    PbHost host;
    QemuSpin spin;
    QemuMutex *mutex, own_mutex; /* boards whose models call each other have one of theirs in common */
    bool left; /* it is unplugged: nobody calls the model any more. Changed with the big lock and the board's held */
    struct PbTap *tap; /* board_type.h: pb_board_tap() */
    VMChangeStateEntry *machine; /* hears of the machine, and so does at_end; NULL: they do not */
    Notifier at_end;
    PbTimer timer;
    const PbGlueOps *ops;
    void *dev;
    struct PbInspect *inspect; /* NULL before pb_glue_inspect() */
    void *model;               /* what the functions of the board's view take */
    PbLookers lookers;
    unsigned attention; /* changes with the big lock held; any thread reads it */
    bool has_ports, ports_watched;
    bool irq;           /* the interrupt line's level */
    uint64_t irq_ns;    /* virtual time at which it came to it */
    PbInject inject;
    PbFault fault;
    /* snapshot.c. Saving: the board's own state. Loading: a copy, which `loaded` owns. */
    void *image, *loaded;
    struct PbWindowPart *windows; /* window.h */
} PbGlue;

void pb_glue_init(PbGlue *g, void *dev, const PbGlueOps *ops);
/* The board is unplugged, or its realize has failed; whatever of the glue has been begun ends: log and coverage are whole, the timer
 * comes no more, no access reaches the model. Once more does nothing. */
void pb_glue_leave(PbGlue *g);
/* In the board's instance_finalize: nobody is in the middle of an access any more. */
void pb_glue_free(PbGlue *g);
char *pb_glue_unit(const PbGlue *g);     /* which of several boards of a kind: "04.0" on PCI, "2" in an EISA slot; NULL: there is one. g_free */
char *pb_glue_describe(const PbGlue *g); /* for log lines: "multikron 04.0: ", "EISA slot 2: surfboard: "; freed with g_free */
void pb_pci_set_irq(void *dev, bool level); /* PbGlueOps.set_irq of a card with an interrupt pin */
void pb_glue_reset(PbGlue *g); /* the bus resets the board: in its reset function, before the model's */
void pb_glue_injected(PbGlue *g, const char *property, uint64_t value); /* is about to be set (inject.h) */

/* window.c: when a board is called. */
void pb_glue_lock(PbGlue *g, bool on);
void pb_glue_catch_up(PbGlue *g);
void pb_glue_behind(PbGlue *g);
void pb_glue_call(PbGlue *g, void (*model)(void *dev)); /* under the lock, and then behind() */
void pb_glue_expired(void *glue);                       /* its timer has come */
void pb_glue_hear(PbGlue *g);                           /* run_state() and ends() are called from now on */
/* The board is about to be unplugged: what has come due by now is done, and nothing behind it (`left`). */
void pb_glue_last(PbGlue *g);

extern bool pb_glue_looked_at; /* some board is, or was */
void pb_glue_say_time(uint64_t ns);
uint64_t pb_glue_time(void); /* as said, or the clock's */

static inline void pb_glue_at(uint64_t ns)
{
    if (unlikely(qatomic_read(&pb_glue_looked_at))) {
        pb_glue_say_time(ns);
    }
}

#endif
