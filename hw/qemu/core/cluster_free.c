/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "system/runstate.h"

#include "hw/core/host.h"
#include "hw/qemu/core/cluster_free.h"
#include "hw/qemu/core/time.h"

enum { LOOK_MS = 100 }; /* at the other nodes, whether they are there yet */

static Cluster *cluster;
static void (*deliver_first)(void), (*give_up)(void);
static QEMUBH *has_come;
static QemuSemaphore taken;
static PbTimer due;

static void deliver(void *unused)
{
    const ClusterMessage *first;

    while ((first = cluster_first(cluster)) && first->at <= pb_time_now()) {
        deliver_first();
    }
    pb_timer_set(&due, first ? first->at : PB_NEVER);
}

/* A machine that stands still takes nothing in: what comes waits, as credits bound it. */
static void take_in(void *unused)
{
    if (runstate_is_running()) {
        cluster_take_in(cluster);
        if (cluster_wrong(cluster)) {
            give_up();
        } else {
            deliver(NULL);
        }
    }
    qemu_sem_post(&taken);
}

static void *listens(void *unused)
{
    for (;;) {
        cluster_listen(cluster, LOOK_MS);
        qemu_bh_schedule(has_come);
        qemu_sem_wait(&taken);
    }
    return NULL;
}

static void machine_changed(void *unused, bool running, RunState state)
{
    if (running) {
        pb_time_go_to(cluster_age(cluster));
    }
}

void pb_cluster_run_free(Cluster *c, void (*deliver_one)(void), void (*gives_up)(void))
{
    static QemuThread thread;

    cluster = c;
    deliver_first = deliver_one;
    give_up = gives_up;
    has_come = qemu_bh_new(take_in, NULL);
    qemu_sem_init(&taken, 0);
    pb_timer_init(&due, deliver, NULL);
    qemu_add_vm_change_state_handler(machine_changed, NULL);
    qemu_thread_create(&thread, "perfboard-cluster", listens, NULL, QEMU_THREAD_DETACHED);
}
