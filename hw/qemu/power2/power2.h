/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The POWER2 performance monitor's QOM object: shared by its shim (power2.c), its properties (power2_props.c), what its counters
 * are made of (power2_feeds.c), what they ask of a processor (power2_processor.c), its files of opcodes and of a profile
 * (power2_files.c) and its snapshot description (power2_vmstate.c).
 *
 * One monitor for each vCPU. All of it works under the big lock; nothing of it runs in a plugin's callback. */
#ifndef PERFBOARD_QEMU_POWER2_H
#define PERFBOARD_QEMU_POWER2_H

#include "hw/qemu/series/qemu.h"
#include "hw/power2/power2.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/time.h"
#include "plugins/events.h"

#define TYPE_POWER2_PM "power2-pm"
OBJECT_DECLARE_SIMPLE_TYPE(Power2Device, POWER2_PM)

typedef struct P2Sources {
    uint64_t word[P2_SOURCE_WORDS]; /* as P2Config.watch() takes them */
} P2Sources;

/* Of a vCPU. */
typedef struct P2Cpu {
    Power2Device *card;
    unsigned vcpu;
    P2Sources wanted; /* by its monitor */
    bool counts;      /* its monitor, in some context */
} P2Cpu;

/* What is switched on and off together (power2_feeds.c). The numbers are in snapshots. */
enum { P2_MOST_FEEDS = 16 };
enum { P2_OPCODES, P2_PROFILE, P2_FILES };

struct Power2Device {
    PCIDevice parent_obj;
    PbGlue glue;
    P2Config config; /* of all monitors */
    P2Card card;
    P2Cpu *cpu; /* one for each monitor */
    /* power2_feeds.c. */
    PbEventModels models; /* NULL: not opened */
    PbEvents *events[P2_MOST_FEEDS];
    uint32_t feeds_on;                    /* a bit for each */
    uint32_t feeds_always;                /* those that a file wants */
    uint64_t feed_idle[P2_MOST_FEEDS];    /* on, but unwanted since then, ns; PB_NEVER: wanted */
    /* Properties. */
    char *node;
    uint64_t dcache, icache; /* all ones: not given, as of all numbers here that have no default */
    uint32_t dcache_ways, dcache_line, icache_ways, icache_line, tlb, tlb_ways, itlb, itlb_ways;
    uint32_t dcache_penalty, tlb_penalty, icache_penalty;
    uint32_t clock;
    bool stalls;
    char *profile_kernel, *profile_events;
    bool profile_misses, profile_calls, profile_marked;
    /* power2_files.c */
    struct {
        char *name; /* the property; NULL: not given */
        FILE *to;   /* NULL: there is none, or none any more */
        bool counts;
    } file[P2_FILES];
    VMChangeStateEntry *files_changes; /* hears of the machine */
    /* power2_vmstate.c: what is being saved or loaded. */
    P2State *image;     /* of each monitor */
    uint8_t *pipelines; /* of each vCPU */
    uint32_t monitors, pipeline_bytes, saved_stalls, saved_on;
    uint64_t saved_idle[P2_MOST_FEEDS];
};

extern const struct PbSnapshot power2_snapshot; /* power2_vmstate.c */

/* power2.c */
void power2_reset(void *dev);

/* power2_props.c */
void power2_nothing_given(Power2Device *s);
bool power2_configure(Power2Device *s, P2Config *config, Error **errp); /* all but the functions */
bool power2_open_models(const P2Geometry *g, PbEventModels *models, Error **errp); /* false: some may be open */
void power2_close_models(PbEventModels *models);
extern const PbProperty power2_properties[];
void power2_add_properties(ObjectClass *klass);

/* power2_feeds.c */
bool power2_open_feeds(Power2Device *s, P2Config *config, Error **errp); /* gives the config its functions; false: some may be open */
void power2_close_feeds(Power2Device *s);                                 /* behind the monitors' reset; as far as they are open */
void power2_reset_feeds(Power2Device *s);                                 /* behind the monitors' */
/* These sources will be wanted. True: something went on for that, and counts from the next block on. */
bool power2_begin_feeds(Power2Device *s, const P2Sources *sources);
/* Feeds that are wanted go on; the others' seconds begin, or end. */
void power2_settle_feeds(void *dev);
bool power2_feeds_ok(uint32_t on);
void power2_load_feeds(Power2Device *s, uint32_t on, const uint64_t *idle); /* as a snapshot has them; behind the monitors' */

void power2_always(Power2Device *s, bool on, bool misses); /* blocks are counted, whoever wants them; caches and TLBs, too */

/* power2_files.c */
bool power2_open_files(Power2Device *s, Error **errp);
/* The board has gone, and no vCPU is in a block that counts for it: its files are whole and closed. Once more does nothing. */
void power2_end_files(void *dev);

/* power2_processor.c: for the model; opaque is a P2Cpu */
void power2_mark(void *opaque, bool marked);
void power2_match(void *opaque, uint32_t imr);
void power2_context(void *opaque, bool *privileged, bool *marked);
bool power2_rebase(void *opaque);

/* Sets of the monitor's sources: a bit for each. meet(): they have one in common. */
static inline void add(P2Sources *set, unsigned source)
{
    set->word[source / 64] |= UINT64_C(1) << source % 64;
}

static inline bool has(const P2Sources *set, unsigned source)
{
    return set->word[source / 64] >> source % 64 & 1;
}

static inline bool meet(const P2Sources *a, const P2Sources *b)
{
    uint64_t both = 0;

    for (unsigned w = 0; w < P2_SOURCE_WORDS; w++) {
        both |= a->word[w] & b->word[w];
    }
    return both;
}

#endif
