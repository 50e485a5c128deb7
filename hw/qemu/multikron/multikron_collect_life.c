/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a card's part in the collection network begins and ends. */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/multikron/multikron.h"

enum { SPIN_US = 20 };

static void machine_ends(Notifier *notifier, void *cause)
{
    MkCollect *c = container_of(notifier, MkCollect, at_end);

    c->stays = shutdown_caused_by_guest(*(ShutdownCause *)cause);
}

static bool is_needed(const MkCollect *c)
{
    if (!mk_collects(c)) {
        return mk_collection_holds(c->all) && !cluster_has_left(c->cluster, c->node);
    }
    for (uint32_t n = 0; n < pb_cluster_nodes(); n++) {
        if (n != pb_cluster_node() && !cluster_has_left(c->cluster, n)) {
            return true;
        }
    }
    return false;
}

/* Takes in what has come. Until when: as the others allow, or all of it. */
static uint64_t network_time(MkCollect *c, uint64_t now)
{
    uint64_t first, answers;

    if (pb_cluster_is_free()) {
        cluster_take_in(c->cluster);
        return PB_NEVER;
    }
    mk_collect_promise(c, now, now, &first, &answers);
    cluster_promise(c->cluster, now, first, answers, MIN(first, answers));
    return cluster_limit(c->cluster);
}

/* QEMU remembers one cause, the last one. A guest's end, or its next one, while its processor runs on, would hide a signal that the main loop has
 * not seen yet. */
static const int ends[] = { SIGINT, SIGHUP, SIGTERM };
static struct sigaction of_qemu[NSIG]; /* by number */
static volatile sig_atomic_t signalled;

static void on_signal(int number, siginfo_t *info, void *context)
{
    signalled = 1;
    of_qemu[number].sa_sigaction(number, info, context);
}

/* In the main loop's first round, and no other poll: QEMU sets its own handlers right before. */
static void hear_signals(Notifier *round, void *unused)
{
    main_loop_poll_remove_notifier(round);
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        struct sigaction own;

        sigaction(ends[i], NULL, &own);
        if (own.sa_flags & SA_SIGINFO) { /* else it is not QEMU's */
            of_qemu[ends[i]] = own;
            own.sa_sigaction = on_signal;
            sigaction(ends[i], &own, NULL);
        }
    }
}

/* The machine stands still, and the network's time goes on. */
static void stay(MkCollect *c)
{
    for (uint64_t now = pb_time_now(); !signalled;) {
        const bool needed = is_needed(c);
        const uint64_t limit = network_time(c, now);
        const ClusterMessage *first = cluster_first(c->cluster);

        if (cluster_wrong(c->cluster)) {
            error_report("perfboard: cluster: %s", cluster_wrong(c->cluster));
            break;
        }
        if (first && first->at < limit) {
            now = MAX(now, first->at);
            if (first->kind == MK_COLLECT_KIND) {
                mk_collect_take(c, first);
            }
            cluster_take(c->cluster);
        } else if (!needed && !(first && mk_collects(c))) { /* who has left has not yet promised that nothing comes any more, perhaps */
            break;
        } else if (limit > now && limit != PB_NEVER) {
            now = limit;
        } else if (pb_cluster_is_free()) {
            g_usleep(1000);
        } else {
            cluster_wait(c->cluster, SPIN_US);
        }
        mk_collect_come_out(c, now);
        mk_net_flush(c->net, false);
    }
}

void mk_collect_end(MkCollect *c)
{
    if (!c || !c->net) {
        return;
    }
    if (!mk_collects(c)) {
        mk_collect_depart(c);
    }
    if (c->stays) {
        stay(c);
    }
    if (mk_collects(c)) {
        mk_collect_come_out(c, PB_NEVER);
    } else if (mk_collection_holds(c->all)) {
        warn_report("multikron: %" PRIu64 " words of the network are lost: node %u did not take them", mk_collection_holds(c->all), c->node);
    }
    pb_timer_end(&c->timer);
    c->net = NULL;
}

MkCollect *mk_collect_open(int32_t node, MkNet *net, const MkConfig *config, bool hotplugged, Error **errp)
{
    static Notifier first_round = { .notify = hear_signals };
    static bool is_open;
    static Error *blocker;
    MkCollect *c;

    if (is_open || hotplugged) {
        error_setg(errp, "multikron: collect=%d: a node has one such card, from its start", node);
        return NULL;
    }
    if (config->node_hz > MK_COLLECT_NODE_HZ) {
        error_setg(errp, "multikron: node-clock=%u: legal are up to %u Hz with collect=, whose network takes half as many elements a second",
                   config->node_hz, MK_COLLECT_NODE_HZ);
        return NULL;
    }
    c = g_new0(MkCollect, 1); /* it stays: so does its port */
    c->port = (PbClusterPort){ .name = "multikron", .kind = MK_COLLECT_KIND, .answer = MK_COLLECT_WAY_NS, .promise = mk_collect_promise, .take = mk_collect_take, .dev = c };
    c->cluster = pb_cluster_port(&c->port, errp);
    if (!c->cluster) {
        error_prepend(errp, "multikron: collect=%d: ", node);
        return NULL;
    }
    if (node < 0 || (uint32_t)node >= pb_cluster_nodes()) {
        error_setg(errp, "multikron: collect=%d: legal are 0 to %u, and -1, none", node, pb_cluster_nodes() - 1);
        return NULL;
    }
    c->node = node;
    error_setg(&blocker, "multikron: collect=%d: what is under way between the chips is not saved", node);
    if (migrate_add_blocker(&blocker, errp)) {
        return NULL;
    }
    is_open = true;
    c->all = mk_collection_new(pb_cluster_node(), pb_cluster_join());
    c->net = net;
    c->departs = PB_NEVER;
    pb_timer_init(&c->timer, mk_collect_timer, c);
    c->at_end.notify = machine_ends;
    qemu_register_shutdown_notifier(&c->at_end);
    main_loop_poll_add_notifier(&first_round);
    return c;
}
