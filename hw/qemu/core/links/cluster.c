/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/time/time.h"

enum { MOST_PORTS = 16, SPIN_US = 20 };

static PbClusterOptions wanted;
static Cluster *cluster;
static const PbClusterPort *ports[MOST_PORTS];
static unsigned ports_used;
static uint64_t limit; /* as told last */
static struct {
    uint64_t now, next, came;
} promised = { .now = PB_NEVER }; /* how it was when the boards were asked last; something was delivered since: never */
static bool told;

/* --- time granted ------------------------------------------------------------------- */

static void give_up(void)
{
    if (!told) {
        told = true;
        error_report("perfboard: cluster: %s", cluster_wrong(cluster));
        qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_HOST_ERROR, 1);
    }
}

/* Asks the boards. */
static void promise(uint64_t now, uint64_t next)
{
    uint64_t promise = PB_NEVER, answers = PB_NEVER, alone = PB_NEVER;
    const uint64_t comes = MAX(now, limit); /* from then on what comes may wake whom it comes to */
    const ClusterMessage *first = cluster_first(cluster);

    /* A vCPU stops at the first instruction behind the limit or a message. What the message lets go leaves at the message's time. */
    const uint64_t from = MIN(now, first ? MIN(first->at, limit) : limit);

    if (first) {
        next = MIN(next, MAX(now, first->at));
    }
    for (unsigned i = 0; i < ports_used; i++) {
        uint64_t p, a;
        ports[i]->promise(ports[i]->dev, from, next, &p, &a);
        alone = MIN(alone, MIN(p, a));
        if (comes < next) {
            ports[i]->promise(ports[i]->dev, from, comes, &p, &a);
        }
        promise = MIN(promise, p);
        answers = MIN(answers, a);
    }
    cluster_promise(cluster, now, promise, answers, alone);
}

static uint64_t until(uint64_t now, uint64_t next)
{
    const ClusterMessage *first;

    /* Who waits has nothing new to say, and is to see soon what the others say. */
    if (now != promised.now || next != promised.next || cluster_came(cluster) != promised.came) {
        promise(now, next);
        promised.now = now;
        promised.next = next;
        promised.came = cluster_came(cluster);
    }
    limit = cluster_limit(cluster);
    if (cluster_wrong(cluster)) {
        give_up();
        return now;
    }
    first = cluster_first(cluster);
    return first && first->at < limit ? MAX(first->at, now) : limit;
}

static bool due(uint64_t now)
{
    const ClusterMessage *first = cluster_first(cluster);

    return !told && first && first->at <= now && first->at < limit;
}

static void deliver(void)
{
    const ClusterMessage *m = cluster_first(cluster);

    for (unsigned i = 0; i < ports_used; i++) {
        if (ports[i]->kind == m->kind && !ports[i]->take(ports[i]->dev, m)) {
            g_autofree char *what = g_strdup_printf("has sent what this %s cannot take", ports[i]->name);
            cluster_blame(cluster, m->from, what);
            give_up();
            break;
        }
    }
    cluster_take(cluster);
    promised.now = PB_NEVER;
}

static void rest(void)
{
    cluster_wait(cluster, SPIN_US);
}

/* --- life ------------------------------------------------------------------------------ */

static void machine_ends(Notifier *notifier, void *unused)
{
    cluster_leave(cluster);
}

static void machine_complete(Notifier *notifier, void *unused)
{
    static const PbTimeGrant grant = { .until = until, .due = due, .deliver = deliver, .wait = rest };
    static Notifier at_end = { .notify = machine_ends };

    qemu_add_exit_notifier(&at_end);
    if (wanted.free) {
        if (pb_time_counts_instructions()) {
            error_report("perfboard: cluster=%s: free=on: legal without -icount", wanted.file);
            exit(1);
        }
        pb_cluster_run_free(deliver, give_up);
        return;
    }
    if (!pb_time_counts_instructions() || replay_mode != REPLAY_MODE_NONE || CPU_NEXT(first_cpu)) {
        error_report("perfboard: cluster=%s: a node has one vCPU and -icount, and is not recorded", wanted.file);
        exit(1);
    }
    pb_time_grant(&grant);
    pb_time_grant_stop_at(wanted.pause ? wanted.pause : PB_NEVER);
}

Cluster *pb_cluster_port(const PbClusterPort *port, Error **errp)
{
    if (!cluster) {
        error_setg(errp, "this machine is no node: -plugin perfboard.so,cluster=FILE,node=N,nodes=N");
        return NULL;
    }
    if (ports_used == MOST_PORTS) {
        error_setg(errp, "fabric=cluster: a node has %d ports at most", MOST_PORTS);
        return NULL;
    }
    for (unsigned i = 0; i < ports_used; i++) {
        g_assert(ports[i]->kind != port->kind || ports[i]->take == port->take);
    }
    cluster_answers_after(cluster, port->answer);
    ports[ports_used++] = port;
    return cluster;
}

void pb_cluster_port_end(const PbClusterPort *port)
{
    for (unsigned i = 0; i < ports_used; i++) {
        if (ports[i] == port) {
            ports[i] = ports[--ports_used];
        }
    }
}

uint32_t pb_cluster_node(void)
{
    return wanted.node;
}

uint32_t pb_cluster_nodes(void)
{
    return wanted.nodes;
}

bool pb_cluster_is_free(void)
{
    return wanted.free;
}

uint64_t pb_cluster_join(void)
{
    return wanted.join;
}

/* --- options ------------------------------------------------------------------------------ */

/* Before the load guard: nothing of QEMU. */
bool pb_cluster_option(PbClusterOptions *o, const char *word)
{
    const struct {
        const char *name;
        uint64_t *value;
    } numbers[] = { { "node=", &o->node }, { "nodes=", &o->nodes }, { "join=", &o->join }, { "patience=", &o->patience }, { "pause=", &o->pause } };

    if (g_str_has_prefix(word, "cluster=")) {
        o->file = word + strlen("cluster=");
        return true;
    }
    if (!strcmp(word, "free=on") || !strcmp(word, "free=off")) {
        o->free = word[strlen("free=o")] == 'n';
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        const char *value = word + strlen(numbers[i].name);
        if (g_str_has_prefix(word, numbers[i].name)) {
            return g_ascii_string_to_unsigned(value, 10, 0, UINT64_MAX, numbers[i].value, NULL);
        }
    }
    return false;
}

bool pb_cluster_start(const PbClusterOptions *o)
{
    static Notifier complete = { .notify = machine_complete };
    char why[200];
    ClusterConfig config = { .path = o->file, .node = o->node, .nodes = o->nodes, .join = o->free ? CLUSTER_FREE : o->join, .patience_ms = o->patience * 1000 };

    if (!o->file) {
        return true;
    }
    wanted = *o;
    if (MAX(MAX(o->node, o->nodes), o->patience) > UINT32_MAX / 1000) {
        error_report("perfboard: cluster=%s: node, nodes or patience is too large", o->file);
        return false;
    }
    cluster = cluster_open(&config, why, sizeof(why));
    if (!cluster) {
        error_report("perfboard: %s", why);
        return false;
    }
    pb_cluster_wires();
    pb_cluster_snapshots(cluster);
    qemu_add_machine_init_done_notifier(&complete);
    return true;
}
