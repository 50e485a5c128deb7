/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/notify.h"
#include "system/replay.h"
#include "system/runstate.h"

#include "hw/core/host.h"
#include "hw/qemu/core/scenario_left.h"
#include "hw/qemu/core/time.h"

static struct {
    const char *unreached; /* file; NULL: stderr */
    void (*tell)(FILE *to, const char *prefix);
} at_end;

void pb_scenario_left(const PbScenarioPart *part, uint64_t from, guint next, const char *file, FILE *to, const char *prefix)
{
    const uint64_t now = pb_time_now(), second = 1000000000;

    if (from == PB_NEVER) {
        fprintf(to, "%s%s:%u: 'after %s %s': it never came, and what stands below it was not done\n", prefix, file, part->number, part->after[0],
                part->after[1]);
        return;
    }
    for (guint n = 0; n < part->lines->len; n++) {
        const PbScenarioLine *l = &g_array_index(part->lines, PbScenarioLine, n);
        g_autofree char *words = g_strjoinv(" ", l->words);
        uint64_t due = from + l->ns;
        if (n >= next) {
            fprintf(to, "%s%s:%u: '%s': not done: its time was %" PRIu64 ".%09" PRIu64 " s, and the machine ended at %" PRIu64 ".%09" PRIu64 " s\n",
                    prefix, file, l->number, words, due / second, due % second, now / second, now % second);
        } else if (l->missed) {
            fprintf(to, "%s%s:%u: '%s': not done: the device had been unplugged at its time, %" PRIu64 ".%09" PRIu64 " s\n", prefix, file,
                    l->number, words, due / second, due % second);
        }
    }
}

static void machine_ends(Notifier *notifier, void *unused)
{
    static bool told;
    FILE *to;

    if (told || replay_mode == REPLAY_MODE_PLAY) {
        return;
    }
    told = true;
    if (!at_end.unreached) {
        at_end.tell(stderr, "perfboard: ");
        return;
    }
    to = fopen(at_end.unreached, "w");
    if (to) {
        at_end.tell(to, "");
    }
    if (!to || fclose(to)) {
        fprintf(stderr, "perfboard: unreached=%s: %s\n", at_end.unreached, strerror(errno));
    }
}

void pb_scenario_at_end(const char *unreached, void (*tell)(FILE *to, const char *prefix))
{
    static Notifier notifier = { .notify = machine_ends };

    at_end.unreached = unreached;
    at_end.tell = tell;
    qemu_register_shutdown_notifier(&notifier);
}
