/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbGlue - a model's PbHost made of QEMU: virtual clock, one timer, DMA to RAM, log flags.
 *
 * A shim supplies functions (PbBoardType.ops), each of which gets the device: one drives its interrupt line (NULL: it has none), one is
 * called when the timer comes, one takes and gives back the lock of the model (NULL: the big lock is enough), one has the model do what has
 * come due by now (NULL: it does at each access), and one is called when the board has gone and no vCPU is in a block that may know it (NULL:
 * there is nothing to do).
 *
 * What the model tells goes on to whoever looks (inspect.h). Where the clock must not be read - a tap's callback - the shim says what
 * time it is: pb_glue_at(a->now), and pb_glue_at(PB_NEVER) behind the model's call. It holds for all boards, in that thread.
 */
#ifndef PERFBOARD_QEMU_HOST_GLUE_H
#define PERFBOARD_QEMU_HOST_GLUE_H

#include "hw/core/host.h"
#include "hw/qemu/core/fault.h"
#include "hw/qemu/core/inject.h"
#include "hw/qemu/core/time.h"

typedef struct PbGlueOps {
    void (*set_irq)(void *dev, bool level);
    void (*expired)(void *dev);
    void (*lock)(void *dev, bool on);
    void (*catch_up)(void *dev);
    void (*gone)(void *dev);
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

typedef struct PbGlue {
    PbHost host;
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
void pb_glue_lock(PbGlue *g, bool on);
void pb_glue_catch_up(PbGlue *g);
void pb_glue_reset(PbGlue *g); /* the bus resets the board: in its reset function, before the model's */
void pb_glue_injected(PbGlue *g, const char *property, uint64_t value); /* is about to be set (inject.h) */

/* PbGlueOps.lock of a board whose model's lock is its member `lock`, a QemuSpin or a QemuMutex. */
#define PB_GLUE_SPIN_LOCK(function, Device) PB_GLUE_LOCK(function, Device, qemu_spin_lock, qemu_spin_unlock)
#define PB_GLUE_MUTEX(function, Device) PB_GLUE_LOCK(function, Device, qemu_mutex_lock, qemu_mutex_unlock)
#define PB_GLUE_LOCK(function, Device, take, give) \
    static void function(void *dev, bool on)       \
    {                                              \
        if (on) {                                  \
            take(&((Device *)dev)->lock);          \
        } else {                                   \
            give(&((Device *)dev)->lock);          \
        }                                          \
    }

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
