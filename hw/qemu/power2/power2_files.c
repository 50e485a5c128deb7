/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * opcodes=FILE: how often each opcode was executed, by all processors, since the machine was started; what the instruction match
 * register's samples approach. profile=FILE: what each instruction of a command was worth (plugins/profile.h). Counting needs no guest. A file
 * is whole whenever the machine stands still, when the card is gone, and when QEMU has ended. One that cannot be written costs one line, never
 * the machine. */
#include "hw/qemu/series/qemu.h"

#include "hw/power2/machine_c.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"
#include "plugins/profile.h"

/* --- opcodes ----------------------------------------------------------------------- */

typedef struct Row {
    uint32_t code;
    uint64_t times;
} Row;

static void take_row(void *rows, uint32_t code, uint64_t times)
{
    g_array_append_val((GArray *)rows, ((Row){ code, times }));
}

/* The most frequent first; of equal ones the smallest, as they come. */
static gint by_times(gconstpointer a, gconstpointer b)
{
    uint64_t x = ((const Row *)a)->times, y = ((const Row *)b)->times;
    return (x < y) - (x > y);
}

static void write_opcodes(FILE *file)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(Row));

    pb_blocks_read_opcodes(take_row, rows);
    g_array_sort(rows, by_times); /* is stable */
    fputs("opcode,times\n", file);
    for (guint i = 0; i < rows->len; i++) {
        const Row *r = &g_array_index(rows, Row, i);
        fprintf(file, "0x%x,%" PRIu64 "\n", r->code, r->times);
    }
}

static bool open_opcodes(Power2Device *s, Error **errp)
{
    pb_blocks_opcodes(p2_machine_imr_of);
    return true;
}

static void close_opcodes(void)
{
    pb_blocks_opcodes(NULL);
}

/* --- profile ----------------------------------------------------------------------- */

#define GROUP "linux"

static Power2Device *counting; /* whose files the counts are for; one that has gone stays it until no vCPU is in a block */

static void region_work(CPUState *cpu, run_on_cpu_data is)
{
    if (counting) {
        power2_always(counting, is.host_int, counting->profile_misses);
    }
}

/* Feeds are turned at a virtual time, and in the middle of a block there is none. */
static void region_near(bool is)
{
    CPUState *cpu = pb_running_cpu();

    if (cpu) {
        async_run_on_cpu(cpu, region_work, RUN_ON_CPU_HOST_INT(is));
    }
}

static bool open_profile(Power2Device *s, Error **errp)
{
    static const struct {
        const char *name;
        size_t at;
    } values[] = {
#define X(member) { #member, offsetof(PbGuestKernel, member) },
        PB_GUEST_KERNEL(X)
#undef X
    };
    const P2Geometry *g = &s->config.geometry;
    const P2Penalties *p = &s->config.penalty;
    int end = 0;
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GError) error = NULL;
    PbProfile profile = {
        .marker = "perfboard-mark",
        .machine = g_strdup_printf("dcache=%u,dcache-ways=%u,dcache-line=%u,icache=%u,icache-ways=%u,icache-line=%u,tlb=%u,tlb-ways=%u,itlb=%u,"
                                   "itlb-ways=%u,dcache-penalty=%u,tlb-penalty=%u,icache-penalty=%u", g->dcache, g->dcache_ways, g->dcache_line,
                                   g->icache, g->icache_ways, g->icache_line, g->tlb, g->tlb_ways, g->itlb, g->itlb_ways, p->dcache, p->tlb, p->icache),
        .insns = p2_machine_insns(), .cycles = p2_machine_cycles(),
        .models = s->profile_misses ? &s->models : NULL, .marked = s->profile_marked, .calls = s->profile_calls, .near = region_near,
    };

    if (s->profile_events && sscanf(s->profile_events, "%" SCNu64 ":%" SCNu64 "%n", &profile.from, &profile.to, &end) >= 2) {
        profile.events = !s->profile_events[end];
    }
    if (s->profile_events && !profile.events) {
        error_setg(errp, "power2-pm: profile-events=%s: legal are two numbers with a colon between", s->profile_events);
        return false;
    }
    if (s->profile_kernel) {
        g_key_file_load_from_file(file, s->profile_kernel, G_KEY_FILE_NONE, &error);
    }
    for (size_t i = 0; i < ARRAY_SIZE(values) && s->profile_kernel && !error; i++) {
        *(uint64_t *)((char *)&profile.kernel + values[i].at) = g_key_file_get_uint64(file, GROUP, values[i].name, &error);
    }
    if (error) {
        error_setg(errp, "power2-pm: profile-kernel=%s: %s", s->profile_kernel, error->message);
        return false;
    }
    pb_profile_open(&profile);
    return true;
}

/* --- both -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*open)(Power2Device *s, Error **errp);
    void (*write)(FILE *file);
    void (*close)(void);
} kinds[P2_FILES] = {
    [P2_OPCODES] = { "opcodes", open_opcodes, write_opcodes, close_opcodes },
    [P2_PROFILE] = { "profile", open_profile, pb_profile_write, pb_profile_close },
};

static void write_files(Power2Device *s)
{
    for (unsigned i = 0; i < P2_FILES; i++) {
        FILE *file = s->file[i].to;

        if (!file || !s->file[i].counts) {
            continue;
        }
        rewind(file);
        kinds[i].write(file);
        if (fflush(file) || ferror(file) || (ftruncate(fileno(file), ftell(file)) && errno != EINVAL)) { /* what is no regular file has no length */
            warn_report("power2-pm: %s=%s: %s: it is written no more", kinds[i].name, s->file[i].name, strerror(errno));
            fclose(file);
            s->file[i].to = NULL;
        }
    }
}

static void machine_stopped(void *opaque, bool running, RunState state)
{
    if (!running) {
        write_files(opaque);
    }
}

void power2_end_files(void *dev)
{
    Power2Device *s = dev;

    if (counting != s) {
        return;
    }
    counting = NULL;
    write_files(s);
    for (unsigned i = 0; i < P2_FILES; i++) {
        if (s->file[i].to) {
            fclose(s->file[i].to);
            s->file[i].to = NULL;
        }
        if (s->file[i].counts) {
            kinds[i].close();
            s->file[i].counts = false;
        }
    }
    qemu_del_vm_change_state_handler(s->files_changes);
}

bool power2_open_files(Power2Device *s, Error **errp)
{
    if (counting) {
        power2_end_files(counting); /* one has gone, and its last block has not ended yet */
    }
    for (unsigned i = 0; i < P2_FILES; i++) {
        if (!s->file[i].name) {
            continue;
        }
        if (counting != s) {
            s->files_changes = qemu_add_vm_change_state_handler(machine_stopped, s);
            counting = s;
        }
        s->file[i].to = fopen(s->file[i].name, "w");
        if (!s->file[i].to) {
            error_setg(errp, "power2-pm: %s=%s: %s", kinds[i].name, s->file[i].name, strerror(errno));
        } else {
            s->file[i].counts = kinds[i].open(s, errp);
        }
        if (!s->file[i].counts) {
            power2_end_files(s);
            return false;
        }
        if (i == P2_OPCODES || !s->profile_kernel) {
            power2_always(s, true, i == P2_PROFILE && s->profile_misses);
        }
    }
    return true;
}
