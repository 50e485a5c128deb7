/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the counters are made of: the statistics of executed blocks (plugins/blocks.h, hw/power2/machine_c.h), event counts
 * with the node's caches and TLBs (plugins/events.h), floating-point operands (plugins/special.h).
 *
 * A feed is what is switched on and off together. It is on from the moment that a monitor wants it; off when nobody has for a second
 * of virtual time, or at a reset. To switch one flushes translated blocks, and a kernel that writes MMCR at each context switch must
 * not pay for that. */
#include "hw/qemu/series/qemu.h"

#include "hw/power2/machine_c.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"
#include "plugins/special.h"

#define LINGER_NS UINT64_C(1000000000)
enum { MOST_OF_FEED = 3 };

typedef struct Feed {
    const char *events[MOST_OF_FEED]; /* plugins/events.h; none: it is one of the two below */
    uint8_t sources[MOST_OF_FEED];    /* enum P2Source */
} Feed;

enum { BLOCKS, SPECIAL, DCACHE = 6, ICACHE, TLB, ITLB, MISSES = 1 << DCACHE | 1 << ICACHE | 1 << TLB | 1 << ITLB }; /* the first two are no events */

/* The order is a snapshot's. */
static const Feed feeds[] = {
    [BLOCKS] = { { NULL }, { P2S_imr_matches } }, /* and all statistics */
    [SPECIAL] = { { NULL }, { P2S_special_numbers } },
    { { "exceptions" }, { P2S_exceptions } }, { { "interrupts" }, { P2S_interrupts } },
    { { "loads" }, { P2S_loads } }, { { "stores" }, { P2S_stores } },
    [DCACHE] = { { "dcache-load-misses", "dcache-store-misses", "castouts" },
      { P2S_dcache_load_misses, P2S_dcache_store_misses, P2S_dcache_castouts } },
    [ICACHE] = { { "icache-misses" }, { P2S_icache_misses } },
    [TLB] = { { "tlb-misses" }, { P2S_dtlb_misses } }, [ITLB] = { { "itlb-misses" }, { P2S_itlb_misses } },
    { { "io-loads", "io-stores" }, { P2S_io_loads, P2S_io_stores } },
    { { "dma-reads", "dma-writes" }, { P2S_dma_read_lines, P2S_dma_write_lines } },
};
QEMU_BUILD_BUG_ON(ARRAY_SIZE(feeds) > P2_MOST_FEEDS);

static unsigned events_of(const Feed *f)
{
    unsigned n = 0;
    while (n < MOST_OF_FEED && f->events[n]) {
        n++;
    }
    return n;
}

/* --- what is wanted -------------------------------------------------------------- */

static P2Sources sources_of(unsigned feed)
{
    P2Sources set = { { 0 } };

    for (unsigned source = 0; feed == BLOCKS && source < P2_STATS; source++) {
        add(&set, source);
    }
    for (unsigned i = 0; i < MAX(events_of(&feeds[feed]), 1); i++) {
        add(&set, feeds[feed].sources[i]);
    }
    return set;
}

/* By all monitors that count. */
static P2Sources wanted(const Power2Device *s)
{
    P2Sources set = { { 0 } };

    for (unsigned i = 0; i < s->card.count; i++) {
        for (unsigned w = 0; w < P2_SOURCE_WORDS; w++) {
            set.word[w] |= s->cpu[i].counts ? s->cpu[i].wanted.word[w] : 0;
        }
    }
    return set;
}

static void turn(Power2Device *s, unsigned feed, bool on)
{
    if (on == (s->feeds_on >> feed & 1)) {
        return;
    }
    s->feeds_on ^= 1u << feed;
    s->feed_idle[feed] = PB_NEVER;
    switch (feed) {
    case BLOCKS:
        pb_blocks_count(on);
        break;
    case SPECIAL:
        pb_special_watch(on);
        break;
    default:
        pb_events_watch(s->events[feed], on);
    }
}

void power2_settle_feeds(void *dev)
{
    Power2Device *s = dev;
    uint64_t now = pb_time_now(), next = PB_NEVER;
    const P2Sources all = wanted(s);

    for (unsigned i = 0; i < ARRAY_SIZE(feeds); i++) {
        const P2Sources of_feed = sources_of(i);
        if (meet(&of_feed, &all) || s->feeds_always >> i & 1) {
            turn(s, i, true);
            s->feed_idle[i] = PB_NEVER;
        } else if (s->feeds_on >> i & 1) {
            s->feed_idle[i] = MIN(s->feed_idle[i], now);
            if (now - s->feed_idle[i] >= LINGER_NS) {
                turn(s, i, false);
            } else {
                next = MIN(next, s->feed_idle[i] + LINGER_NS);
            }
        }
    }
    pb_timer_set(&s->glue.timer, next);
}

void power2_always(Power2Device *s, bool on, bool misses)
{
    s->feeds_always = s->file[P2_OPCODES].counts << BLOCKS | (on ? 1 << BLOCKS | (misses ? MISSES : 0) : 0);
    if (s->card.monitors) {
        power2_settle_feeds(s);
    }
}

bool power2_begin_feeds(Power2Device *s, const P2Sources *sources)
{
    uint32_t before = s->feeds_on;

    for (unsigned i = 0; i < ARRAY_SIZE(feeds); i++) {
        const P2Sources of_feed = sources_of(i);
        if (meet(&of_feed, sources)) {
            turn(s, i, true);
        }
    }
    if (s->feeds_on != before) {
        power2_settle_feeds(s); /* until the access is made again they are idle */
    }
    return s->feeds_on != before;
}

/* The monitors have been reset: they want nothing. */
void power2_reset_feeds(Power2Device *s)
{
    for (unsigned i = 0; i < ARRAY_SIZE(feeds); i++) {
        turn(s, i, false);
        s->feed_idle[i] = PB_NEVER;
    }
    power2_settle_feeds(s);
}

bool power2_feeds_ok(uint32_t on)
{
    return !(on >> ARRAY_SIZE(feeds));
}

void power2_load_feeds(Power2Device *s, uint32_t on, const uint64_t *idle)
{
    for (unsigned i = 0; i < ARRAY_SIZE(feeds); i++) {
        if (on >> i & 1) {
            turn(s, i, true);
            s->feed_idle[i] = idle[i];
        }
    }
    power2_settle_feeds(s);
}

/* --- what a monitor asks --------------------------------------------------------- */

static void power2_totals(void *opaque, unsigned contexts, uint64_t *totals)
{
    const P2Cpu *cpu = opaque;
    const Power2Device *s = cpu->card;

    pb_blocks_read(cpu->vcpu, contexts, totals, &totals[P2S_imr_matches]);
    if (has(&cpu->wanted, P2S_special_numbers)) {
        totals[P2S_special_numbers] = pb_special_read(cpu->vcpu, contexts);
    }
    for (unsigned i = SPECIAL + 1; i < ARRAY_SIZE(feeds); i++) {
        uint64_t events[MOST_OF_FEED];
        const P2Sources of_feed = sources_of(i);
        if (meet(&of_feed, &cpu->wanted)) {
            pb_events_read(s->events[i], cpu->vcpu, contexts, events);
            for (unsigned j = 0; j < events_of(&feeds[i]); j++) {
                totals[feeds[i].sources[j]] = events[j];
            }
        }
    }
}

static void power2_watch(void *opaque, const uint64_t *sources, bool counts)
{
    P2Cpu *cpu = opaque;

    memcpy(cpu->wanted.word, sources, sizeof(cpu->wanted.word));
    cpu->counts = counts;
    power2_settle_feeds(cpu->card);
}

/* --- start and end ------------------------------------------------------------------------- */

bool power2_open_feeds(Power2Device *s, P2Config *c, Error **errp)
{
    static PbBlockModel model;
    unsigned vcpus = current_machine->smp.max_cpus;
    char *why = NULL;

    model = (PbBlockModel){
        .counts = p2_machine_counts(), .state_bytes = p2_machine_state_bytes(),
        .run = p2_machine_run, .matches = p2_machine_imr_matches,
    };
    if (!power2_open_models(&c->geometry, &s->models, errp)) {
        return false;
    }
    for (unsigned i = SPECIAL + 1; i < ARRAY_SIZE(feeds) && !why; i++) {
        s->events[i] = pb_events_open(feeds[i].events, events_of(&feeds[i]), vcpus, &s->models, &why);
    }
    if (why || !pb_blocks_open(&model, vcpus, &why)) {
        error_setg(errp, "power2-pm: %s", why);
        g_free(why);
        return false;
    }
    s->cpu = g_new0(P2Cpu, vcpus);
    for (unsigned i = 0; i < vcpus; i++) {
        s->cpu[i] = (P2Cpu){ .card = s, .vcpu = i };
    }
    c->totals = power2_totals;
    c->rebase = power2_rebase;
    c->watch = power2_watch;
    c->mark = power2_mark;
    c->match = power2_match;
    c->context = power2_context;
    return true;
}

void power2_close_feeds(Power2Device *s)
{
    for (unsigned i = 0; i < ARRAY_SIZE(feeds); i++) {
        if (s->events[i]) {
            pb_events_close(s->events[i]);
            s->events[i] = NULL;
        }
    }
    power2_close_models(&s->models);
}
