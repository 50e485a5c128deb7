/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * MULTIKRON - C entry points of the model (NISTIR 4737) and of the card of ours around the chip.
 *
 *   mk_init(&m, &cfg, &host)     once, before anything else; then it is as after mk_hardware_reset()
 *   mk_hardware_reset            the reset pin: everything, the Timestamp too
 *   mk_read / mk_write           an access by a processor; MK_WAIT: RDY is being delayed, see below
 *   mk_external_edges            rising edges on a pin that nobody totals (config.external)
 *   mk_set_test_mode             the TEST Mode pin
 *   mk_set_external_free         the External FIFO Free pin, if config.free says MK_FREE_PIN
 *   mk_timer                     the deadline that host->arm() asked for has come
 *   mk_advance                   what is to have left the chip by now has left it; an access may follow
 *   mk_catch_up                  hand over all that has left the chip until now
 *   mk_inject                    errors on purpose
 *   mk_pre_save                  before the state is saved
 *   mk_load                      a snapshot's state in place of the chip's, if the chip can be in it
 *
 * Delayed accesses (Tables 3A, 3B). mk_read() and mk_write() return MK_WAIT if the chip delays RDY. Nothing has
 * happened then, and the same access is to be made again at the time that config.release_at() is told. The
 * wait counter tallies the node clock cycles from the first try to that time. Tries in between
 * change nothing. An access that cannot wait (no vCPU made it) is answered as if the wait were disabled.
 *
 * All times are virtual ns. The shim serialises calls (QEMU: under the big lock).
 * Usable from C and C++.
 */
#ifndef PERFBOARD_MULTIKRON_MULTIKRON_H
#define PERFBOARD_MULTIKRON_MULTIKRON_H

#include <stddef.h>
#include <stdint.h>

#include "hw/model/host.h"
#include "hw/multikron/stream.h"

/* All that a MULTIKRON remembers. Plain data: reset is one assignment, a snapshot is whole.
 * A cycle is one of the node clock since the hardware reset, a tick one of the timestamp clock. */
#define MK_FIFO_MAX 64
#define MK_COUNTERS 16
#define MK_SOURCES 8

/* What is wrong with a sample on purpose: a set. */
#define MK_DAMAGE_BIT 1 /* bit 0 of its first byte of user data, but not that byte's parity */
#define MK_DAMAGE_OPEN 2 /* the last element lacks the end flag */

#define STATE_LIST "hw/multikron/state.def"
#include "hw/model/state_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who drives the External FIFO Free pin. */
enum mk_free {
    MK_FREE_ALWAYS, /* high for ever */
    MK_FREE_FIFO,   /* an external FIFO of free_bytes, drained at drain_hz bytes a second */
    MK_FREE_PIN,    /* mk_set_external_free(); high at first */
};

/* The paper's chip; that the FIFO has 8 levels is INFERRED ("small"). */
#define MK_DEFAULT_NODE_HZ 50000000u
#define MK_DEFAULT_TIMESTAMP_HZ 10000000u
#define MK_DEFAULT_FIFO_DEPTH 8u

typedef struct MkConfig {
    uint32_t node_hz;      /* node clock; the network clock is half of it */
    uint32_t timestamp_hz; /* at most a third of node_hz */
    uint32_t fifo_depth;   /* 1..MK_FIFO_MAX samples */
    uint32_t wait_states;  /* 0..3, the two pins */
    enum mk_free free;
    uint32_t free_bytes;   /* MK_FREE_FIFO: its size, 1 and up */
    uint32_t drain_hz;     /* MK_FREE_FIFO: bytes a second, 0: never */
    uint8_t lines;         /* CPU ID lines that are connected, 1..8; the card tells drivers */
    uint8_t line_cpu[8];   /* number of the processor on each of them */

    void *opaque; /* for the functions below */
    /* Words of hw/multikron/stream.h, in order, each once. */
    void (*network)(void *opaque, const uint16_t *words, size_t n);
    /* What network() has had so far is whole: samples and events, the last of which left at that time, ns; at most
     * MK_WHOLE_WORDS since the last time. NULL: nobody asks. */
    void (*whole)(void *opaque, uint64_t ns);
    /* How many rising edges pin 0..15 has had while it was watched; never falls, but in rebase(). NULL: only
     * mk_external_edges(). */
    uint64_t (*external)(void *opaque, unsigned pin);
    /* The pins whose edges some counter counts from now on (enabled, External Signal selected). */
    void (*watch)(void *opaque, uint16_t pins);
    /* These pins' counters are cleared: external() says no more of edges that came to nothing. May be NULL. */
    void (*rebase)(void *opaque, uint16_t pins);
    /* A delayed access may be made again at that time, ns; PB_NEVER: not known yet, a new call will tell.
     * A time that is not later than now: at once. */
    void (*release_at)(void *opaque, uint64_t ns);
    /* A trace sample with this user's data was taken. NULL: nobody asks. */
    void (*sampled)(void *opaque, uint64_t data);
} MkConfig;

#define MK_PENDING_WORDS 4096
#define MK_WHOLE_WORDS (MK_RESOURCE_BYTES + 1) /* a sample, or what a reset leaves of one and the reset */
#define MK_HAND_OVER_NS 1000000u /* how long elements wait for more, so that a reader gets many at once */

typedef struct MultiKron {
    MkState state;   /* everything that a snapshot holds */
    MkConfig config;
    PbHost host;
    /* Not state: made anew from it, or the process's own. */
    uint32_t node_ns, tick_ns;  /* periods, if they are whole nanoseconds; 0: they are not */
    uint16_t watched;           /* pins, as config.watch() was last told */
    bool armed;                 /* host.arm() was asked to call mk_timer() */
    uint64_t release_cycle;     /* what config.release_at() was last told */
    uint64_t external_seen[16]; /* config.external() at the counters' last update */
    uint16_t pending[MK_PENDING_WORDS]; /* words that have left the chip and are not yet handed over */
    uint32_t pending_count;
} MultiKron;

/* How an address comes to the chip. */
enum mk_window {
    MK_WINDOW_4,      /* address n at byte 4 n: 32-bit hosts, and 64-bit accesses to even addresses */
    MK_WINDOW_8,      /* address n at byte 8 n; the card's information behind them, from MK_CARD_BASE */
    MK_WINDOW_SAMPLE, /* as MK_WINDOW_8, but only 64..127 answer: for a user's process */
};
#define MK_WINDOW_BYTES 65536u /* a page of any kernel: nothing else of the machine is mapped along with a window */

/* The card's information in MK_WINDOW_8: read-only 32-bit words. */
#define MK_CARD_BASE 0x800u
#define MK_CARD_MAGIC 0x4e524b4du /* bytes M, K, R, N */
#define MK_CARD_VERSION 1u

typedef struct MkAccess {
    enum mk_window window;
    uint32_t offset; /* bytes, 0..MK_WINDOW_BYTES - 1 */
    uint32_t size;   /* bytes: 1, 2, 4, 8 */
    int line;        /* CPU ID line that is active, 0..7; -1: none */
    bool can_wait;   /* whoever accesses can be held */
} MkAccess;

enum mk_result { MK_DONE, MK_WAIT };

void mk_init(MultiKron *m, const MkConfig *config, const PbHost *host);
void mk_hardware_reset(MultiKron *m);
enum mk_result mk_read(MultiKron *m, const MkAccess *a, uint64_t *value);
enum mk_result mk_write(MultiKron *m, const MkAccess *a, uint64_t value);
void mk_external_edges(MultiKron *m, unsigned pin, uint32_t edges);
void mk_set_test_mode(MultiKron *m, bool on);
void mk_set_external_free(MultiKron *m, bool high);
void mk_timer(MultiKron *m);
void mk_advance(MultiKron *m);
void mk_catch_up(MultiKron *m);
void mk_pre_save(MultiKron *m);
/* A snapshot. False: the chip cannot be in this state; `why` gets a line that names the member, its
 * value and what is legal, and mk_load() leaves a chip that was powered on anew, and says so in the
 * network's stream. */
bool mk_load(MultiKron *m, const MkState *image, char *why, uint32_t why_size);
bool mk_state_ok(const MultiKron *m, const MkState *image, char *why, uint32_t why_size);
void mk_power_on(MultiKron *m);  /* as mk_hardware_reset(), but nothing of before comes to an end first */
void mk_post_load(MultiKron *m); /* after m->state was replaced by one that mk_state_ok() has passed */

/* The board from outside: a perfboard::BoardView (hw/multikron/view.h), whose model is a MultiKron. */
const void *mk_board_view(void);

/* Errors on purpose, by the number of the row in the view's list (view.h), which says what each is. A value that the property's range excludes must not come here. */
void mk_inject(MultiKron *m, unsigned which, uint64_t value);
uint64_t mk_injected(const MultiKron *m, unsigned which); /* what is left of it; 0 of what is done at once */

/* False, and one line: option (node-clock, timestamp-clock, fifo-depth, wait-states, free-size, free-rate), value, legal range. */
bool mk_config_ok(const MkConfig *config, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif
