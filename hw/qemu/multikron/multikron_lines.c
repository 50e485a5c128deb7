/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which chip serves which vCPU (the eight CPU ID lines of each), and the reset pin that all chips share. */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "qapi/error.h"
#include "hw/boards.h"
#include "system/system.h"

#include "hw/qemu/multikron/multikron.h"

static GPtrArray *chips; /* every MultiKronDevice of the machine, for as long as it lives */

static unsigned vcpus(void)
{
    return current_machine->smp.max_cpus;
}

/* At the machine's start all chips are known. */
static void check_served(Notifier *notifier, void *unused)
{
    for (unsigned cpu = 0; cpu < vcpus(); cpu++) {
        bool served = false;
        for (guint i = 0; i < chips->len; i++) {
            served |= ((MultiKronDevice *)g_ptr_array_index(chips, i))->line[cpu] >= 0;
        }
        if (!served) {
            error_report("multikron: no chip serves vCPU %u of 0..%u: a chip has eight CPU ID lines; name it in a chip's cpus=, "
                         "or add a chip", cpu, vcpus() - 1);
            exit(1);
        }
    }
}

static bool connect_line(MultiKronDevice *s, MkConfig *config, unsigned long cpu, Error **errp)
{
    if (cpu >= vcpus()) {
        error_setg(errp, "multikron: cpus=%s: there is no vCPU %lu; legal are 0..%u", s->cpus, cpu, vcpus() - 1);
        return false;
    }
    if (s->line[cpu] >= 0) {
        error_setg(errp, "multikron: cpus=%s: vCPU %lu is named twice", s->cpus, cpu);
        return false;
    }
    if (config->lines == MK_LINES) {
        error_setg(errp, "multikron: cpus=%s: a chip has %d CPU ID lines", s->cpus, MK_LINES);
        return false;
    }
    config->line_cpu[config->lines] = cpu;
    s->line[cpu] = config->lines++;
    return true;
}

static bool connect_range(MultiKronDevice *s, MkConfig *config, const char *text, Error **errp)
{
    unsigned long low, high;
    const char *end;

    if (qemu_strtoul(text, &end, 10, &low)) {
        goto malformed;
    }
    high = low;
    if (*end == '-' && (qemu_strtoul(end + 1, &end, 10, &high) || high < low)) {
        goto malformed;
    }
    if (*end) {
        goto malformed;
    }
    for (; low <= high; low++) {
        if (!connect_line(s, config, low, errp)) {
            return false;
        }
    }
    return true;
malformed:
    error_setg(errp, "multikron: cpus=%s: legal are vCPUs and ranges of them with ':' between, as in 0-3:6", s->cpus);
    return false;
}

bool multikron_connect_lines(MultiKronDevice *s, MkConfig *config, Error **errp)
{
    static Notifier at_start = { .notify = check_served };
    g_auto(GStrv) ranges = NULL;

    if (current_machine->smp.max_cpus > PB_MAX_VCPUS) {
        error_setg(errp, "multikron: -smp maxcpus=%u: it knows machines of 1 to %d vCPUs", current_machine->smp.max_cpus, PB_MAX_VCPUS);
        return false;
    }
    if (!chips) {
        chips = g_ptr_array_new();
        qemu_add_machine_init_done_notifier(&at_start);
    }
    memset(s->line, -1, sizeof(s->line));
    if (!s->cpus) { /* the first chip has the first eight, and so on */
        s->cpus = g_strdup_printf("%u-%u", chips->len * MK_LINES,
                                  MIN(chips->len * MK_LINES + MK_LINES, vcpus()) - 1);
        if (chips->len * MK_LINES >= vcpus()) {
            error_setg(errp, "multikron: chips before this one serve all %u vCPUs; say with cpus= which this one is to serve", vcpus());
            return false;
        }
    }
    ranges = g_strsplit(s->cpus, ":", -1);
    for (char **range = ranges; *range; range++) {
        if (!connect_range(s, config, *range, errp)) {
            return false;
        }
    }
    if (!config->lines) {
        error_setg(errp, "multikron: cpus= names no vCPU");
        return false;
    }
    g_ptr_array_add(chips, s);
    return true;
}

void multikron_reset_all(void)
{
    for (guint i = 0; chips && i < chips->len; i++) {
        MultiKronDevice *s = g_ptr_array_index(chips, i);
        mk_hardware_reset(&s->chip);
        s->was_reset = true;
    }
}
