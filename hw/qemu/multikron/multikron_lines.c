/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which chip serves which vCPU (the eight CPU ID lines of each), and the reset pin that all chips share. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/multikron/multikron.h"

static GPtrArray *chips; /* every MultiKronDevice of the machine */

static unsigned vcpus(void)
{
    return current_machine->smp.max_cpus;
}

/* At the machine's start all chips are known. Later one may be missing: its vCPUs have no line then. */
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

static bool connect_line(MultiKronDevice *s, MkConfig *config, unsigned cpu, Error **errp)
{
    if (cpu >= vcpus()) {
        error_setg(errp, "multikron: cpus=%s: there is no vCPU %u; legal are 0..%u", s->cpus, cpu, vcpus() - 1);
        return false;
    }
    if (s->line[cpu] >= 0) {
        error_setg(errp, "multikron: cpus=%s: vCPU %u is named twice", s->cpus, cpu);
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

/* QEMU's own lists have commas, which would end a property. */
static uint16List *cpu_list(const char *text, Error **errp)
{
    g_autofree char *commas = g_strdelimit(g_strdup(text), ":", ',');
    Visitor *visitor = string_input_visitor_new(commas);
    uint16List *list = NULL;

    /* The visitor overlooks a comma at the end. */
    if (g_str_has_suffix(text, ":") || !visit_type_uint16List(visitor, "cpus", &list, NULL)) {
        error_setg(errp, "multikron: cpus=%s: legal are vCPUs and ranges of them with ':' between, as in 0-3:6", text);
    } else if (!list) {
        error_setg(errp, "multikron: cpus= names no vCPU");
    }
    visit_free(visitor);
    return list;
}

static bool is_taken(unsigned place)
{
    for (guint i = 0; i < chips->len; i++) {
        if (((MultiKronDevice *)g_ptr_array_index(chips, i))->place == place) {
            return true;
        }
    }
    return false;
}

/* One that is plugged in takes the place of one that went. */
static unsigned free_place(void)
{
    unsigned place = 0;

    while (is_taken(place)) {
        place++;
    }
    return place;
}

bool multikron_connect_lines(MultiKronDevice *s, MkConfig *config, Error **errp)
{
    static Notifier at_start = { .notify = check_served };
    static bool is_checked;
    g_autoptr(uint16List) list = NULL;

    if (!chips) {
        chips = g_ptr_array_new();
    }
    if (!DEVICE(s)->hotplugged && !is_checked) {
        is_checked = true;
        qemu_add_machine_init_done_notifier(&at_start);
    }
    memset(s->line, -1, sizeof(s->line));
    s->place = free_place();
    if (!s->cpus) { /* the first chip has the first eight, and so on */
        s->cpus = g_strdup_printf("%u-%u", s->place * MK_LINES, MIN(s->place * MK_LINES + MK_LINES, vcpus()) - 1);
        if (s->place * MK_LINES >= vcpus()) {
            error_setg(errp, "multikron: chips before this one serve all %u vCPUs; say with cpus= which this one is to serve", vcpus());
            return false;
        }
    }
    list = cpu_list(s->cpus, errp);
    if (!list) {
        return false;
    }
    for (uint16List *cpu = list; cpu; cpu = cpu->next) {
        if (!connect_line(s, config, cpu->value, errp)) {
            return false;
        }
    }
    g_ptr_array_add(chips, s);
    return true;
}

void multikron_disconnect_lines(MultiKronDevice *s)
{
    if (chips) {
        g_ptr_array_remove(chips, s);
    }
}

void multikron_reset(MultiKronDevice *s)
{
    pb_glue_reset(&s->glue);
    mk_hardware_reset(&s->chip);
    s->was_reset = true;
}

void multikron_reset_all(void)
{
    for (guint i = 0; chips && i < chips->len; i++) {
        multikron_reset(g_ptr_array_index(chips, i));
    }
}

/* Accesses to the MULTIKRON card: by which vCPU, and whether it can be held. */

static MkAccess access_of(const MultiKronDevice *s, const PbAccess *a)
{
    return (MkAccess){
        .window = a->window, .offset = a->offset, .size = a->size,
        .line = a->cpu ? s->line[pb_vcpu_index(a->cpu)] : -1,
        .can_wait = a->cpu && a->cpu->mem_io_pc, /* without mem_io_pc there is no instruction to make again */
    };
}

static uint64_t multikron_read(void *dev, const PbAccess *asked)
{
    MultiKronDevice *s = dev;
    MkAccess a = access_of(s, asked);
    uint64_t data = 0;

    while (mk_read(&s->chip, &a, &data) == MK_WAIT) {
        a.can_wait = pb_stall_wait(&s->stall, asked->cpu);
    }
    return data;
}

static void multikron_write(void *dev, const PbAccess *asked, uint64_t data)
{
    MultiKronDevice *s = dev;
    MkAccess a = access_of(s, asked);

    while (mk_write(&s->chip, &a, data) == MK_WAIT) {
        a.can_wait = pb_stall_wait(&s->stall, asked->cpu);
    }
    if (asked->cpu) {
        pb_stall_written(&s->stall, asked->cpu);
    }
}

/* What has left the chip before an access is not the access's doing. The access itself begins with it: only who looks can tell. */
static void advance(void *dev)
{
    MultiKronDevice *s = dev;

    if (unlikely(s->glue.attention)) {
        mk_advance(&s->chip);
    }
}

#define WINDOW(number, region) { \
    .name = region, .bytes = MK_WINDOW_BYTES, .bar = 2 * (number), .stalls = true, .most = 8, \
    .read = multikron_read, .write = multikron_write, .catch_up = advance }

const PbWindow multikron_windows[] = {
    WINDOW(0, "multikron-4"),
    WINDOW(1, "multikron-8"),
    WINDOW(2, "multikron-sample"),
    { NULL }
};
