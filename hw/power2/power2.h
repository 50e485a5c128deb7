/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The POWER2 performance monitor - C entry points of the model. A monitor is one processor's; the card around them is ours.
 *
 *   P2Config c; p2_config_default(&c, P2_WIDE);   then set what is different; p2_config_ok() says what is wrong
 *   p2_init(&m, &c, &host)      once, before anything else; asleep, as after p2_reset()
 *   p2_reset                    the machine's: everything is 0, nothing is watched
 *   p2_wake                     the card was accessed: counting begins. Later calls do nothing
 *   p2_read / p2_write          a register (registers.h), of 32 bits, in the processor's own thread or while it does not run
 *   p2_correctable_errors       the memory has corrected n errors
 *   p2_inject_...               errors on purpose; a reset ends none of them
 *   p2_pre_save                 before the state is saved
 *   p2_load                     a snapshot's state in place of the monitor's, if it is one
 *
 *   P2Card card = { monitors, n };
 *   p2_card_load / p2_card_store   an access to a BAR, of any size at any offset
 *
 * Counters are differences. Nothing is done when an event happens: a counter knows what it held when it was last settled, and what
 * the sum of its event was then. It is settled when MMCR, IMR, SPE or itself is written, and before a snapshot.
 *
 * Undercount. Somebody may see an instruction under way that is then taken back. The totals stand still until events have made up
 * for it. A counter that is written meanwhile, or that begins to count, has shown nothing of it and must not pay. So whenever counters are
 * settled each takes over what it has shown, and the totals are rebased. It makes up for it when it counts again, unless it is written.
 *
 * The shim serialises calls (QEMU: under the big lock). A monitor calls config.totals(), rebase(), watch(), mark(), match()
 * and context() only from within p2_*(). Usable from C and C++.
 */
#ifndef PERFBOARD_POWER2_POWER2_H
#define PERFBOARD_POWER2_POWER2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/model/host.h"
#include "hw/power2/geometry.h"

/* All that a POWER2 performance monitor remembers. Plain data: reset is one assignment, a snapshot is whole. */
#define P2_STATE_COUNTERS 22

#define STATE_LIST "hw/power2/state.def"
#include "hw/model/state_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets of contexts; bits as plugins/events.h has them. */
enum { P2_USER = 1, P2_KERNEL = 2, P2_USER_MARKED = 4, P2_KERNEL_MARKED = 8, P2_ANY_CONTEXT = 15 };

/* What events are made of: the machine model's statistics, then all else. P2S_insns ... */
enum P2Source {
#define STAT(name, text) P2S_##name,
#include "hw/power2/stats.def"
    P2_STATS,
    P2_BEFORE_SOURCES_ = P2_STATS - 1,
#define SOURCE(name, text) P2S_##name,
#include "hw/power2/stats.def"
    P2_SOURCES
};
#define P2_SOURCE_WORDS 2 /* of a set of sources: source s is bit s % 64 of word s / 64 */

#define P2_DEFAULT_CLOCK 66666667u /* "66-MHz" (Basic monitoring considerations); FACTS: 66.7 in places */

typedef struct P2Config {
    uint32_t clock_hz;
    bool power;    /* a POWER processor: MSR(PM) is the mark, IMR takes instruction words */
    bool own_mark; /* MARK is writable */
    bool stalls;   /* misses cost cycles in the cycle counter; else no memory model has to run for it */
    P2Geometry geometry;
    P2Penalties penalty;

    void *opaque; /* for the functions below: one monitor's */
    /* The totals of all sources that are watched, over these contexts; never fall, but in rebase(). totals[P2_SOURCES]; those of others
     * may be stale. */
    void (*totals)(void *opaque, unsigned contexts, uint64_t *totals);
    /* totals() tells no more of events that came to nothing. False: nothing was. NULL: nothing ever is. */
    bool (*rebase)(void *opaque);
    /* The sources that some counter counts from now on. counts: some context counts. Called when that changes. */
    void (*watch)(void *opaque, const uint64_t *sources /* P2_SOURCE_WORDS */, bool counts);
    void (*mark)(void *opaque, bool marked);    /* own_mark: MARK was written; context() tells when it is so */
    void (*match)(void *opaque, uint32_t imr);  /* IMR is now this; 0: nothing matches */
    void (*context)(void *opaque, bool *privileged, bool *marked); /* the processor's present one */
} P2Config;

typedef struct P2Monitor {
    P2State state; /* everything that a snapshot holds */
    P2Config config;
    PbHost host;
    /* Not state: the process's own, or made anew. */
    uint64_t then[P2_STATE_COUNTERS]; /* the sum of each counter's event when it was settled, and its undercount */
    uint64_t undercount[P2_STATE_COUNTERS]; /* what it has shown that came to nothing: it stands still until events have made up for it */
    uint64_t watched[P2_SOURCE_WORDS];
    bool counts; /* as config.watch() was last told */
} P2Monitor;

void p2_config_default(P2Config *config, enum P2Node node); /* all but the functions; a POWER processor's */
/* False, and one line: property, value, legal range. */
bool p2_config_ok(const P2Config *config, char *why, size_t why_size);

void p2_init(P2Monitor *m, const P2Config *config, const PbHost *host);
void p2_reset(P2Monitor *m);
void p2_wake(P2Monitor *m);
uint32_t p2_read(P2Monitor *m, uint32_t offset);
void p2_write(P2Monitor *m, uint32_t offset, uint32_t value);
void p2_correctable_errors(P2Monitor *m, uint32_t n);
/* Errors on purpose; what is to happen while a monitor is asleep happens when it wakes. */
void p2_inject_silent(P2Monitor *m, bool silent);    /* it answers nothing: reads give all ones, writes are lost; it counts on */
void p2_inject_errors(P2Monitor *m, uint32_t n);     /* as p2_correctable_errors() */
void p2_inject_roll_over(P2Monitor *m, uint32_t n);  /* every counter is n events before its roll-over; 0: nothing happens */
void p2_pre_save(P2Monitor *m);
/* A snapshot. False: no monitor can be in this state; `why` gets a line that names the member, its value and what is legal, and
 * the monitor is as after p2_reset(). */
bool p2_load(P2Monitor *m, const P2State *image, char *why, uint32_t why_size);
bool p2_state_ok(const P2Monitor *m, const P2State *image, char *why, uint32_t why_size);

/* The card. */
#define P2_WINDOW_BYTES 0x20000u /* each BAR */
#define P2_MOST_MONITORS 255u

typedef struct P2Card {
    P2Monitor *monitors;
    unsigned count;      /* 1..P2_MOST_MONITORS */
    unsigned errors_cpu; /* whose monitor counts errors that are injected */
} P2Card;

typedef struct P2Access {
    uint32_t offset; /* in the BAR */
    uint32_t size;   /* bytes: 1, 2, 4, 8; others are answered like 1 */
    bool big;        /* BAR 2. The value is the number that the bus's byte order says; of 8 bytes the first register is the upper half */
    int processor;   /* that makes the access; -1: none does */
} P2Access;

uint64_t p2_card_load(P2Card *card, const P2Access *a);
void p2_card_store(P2Card *card, const P2Access *a, uint64_t value);
/* What will be watched when this access has been made, if it begins to count something: adds to sources. So that these may be watched before
 * it is made. write: of `value`. Nothing changes, nobody is told of mistakes. */
void p2_card_begins(const P2Card *card, const P2Access *a, bool write, uint64_t value, uint64_t *sources);

/* Errors on purpose, of all monitors, by the number of the row in the view's list (view.h), which says what each is.
 * What is left of one; 0 of what is done at once. */
uint64_t p2_injected(const P2Card *card, unsigned which);
void p2_inject(P2Card *card, unsigned which, uint64_t value);

/* The card from outside: a perfboard::BoardView (hw/power2/view.h), whose model is a P2Card. */
const void *p2_board_view(void);

#ifdef __cplusplus
}
static_assert(P2_SOURCES <= 64 * P2_SOURCE_WORDS);
#endif
#endif
