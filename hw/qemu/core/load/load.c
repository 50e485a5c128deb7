/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/faults/scenario.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/load/load.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"

const char *pb_board_device(const char *name)
{
    for (size_t i = 0; i < pb_board_count; i++) {
        if (!strcmp(pb_boards[i].name, name)) {
            return pb_boards[i].device;
        }
    }
    return name;
}

/* --- the guard --- */

static bool G_GNUC_PRINTF(1, 2) refuse(const char *format, ...)
{
    va_list words;

    fputs("perfboard: cannot be used here: ", stderr);
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    return false;
}

static bool lacks(const char *symbol)
{
    return refuse("this QEMU does not export its device API (it lacks %s); "
                  "use one that was configured with --enable-modules, as Debian's is", symbol);
}

static const PbEmulator *legal_emulator(const char *target, bool system_emulation)
{
    g_autoptr(GString) legal = g_string_new(NULL);

    for (size_t i = 0; i < pb_emulator_count; i++) {
        if (system_emulation && !strcmp(target, pb_emulators[i].name)) {
            return &pb_emulators[i];
        }
        g_string_append_printf(legal, "%sqemu-system-%s", i ? " or " : "", pb_emulators[i].name);
    }
    if (!system_emulation) {
        refuse("it adds devices to a machine, and qemu-%s runs one program; use %s", target, legal->str);
    } else {
        refuse("this is qemu-system-%s; use %s", target, legal->str);
    }
    return NULL;
}

static bool legal_symbols(const PbSymbol *list, const char *only)
{
    for (const PbSymbol *s = list; s->name; s++) {
        if (!s->address && (!only || !strcmp(only, s->name))) {
            return lacks(s->name);
        }
    }
    return true;
}

static bool legal_series(void)
{
    VersionInfo *v = qmp_query_version(NULL); /* for as long as the process lives */
    g_autofree char *series = g_strdup_printf("%" PRId64 ".%" PRId64, v->qemu->major, v->qemu->minor);

    if (!strcmp(series, PERFBOARD_QEMU_SERIES)) {
        return true;
    }
    return refuse("it was built for QEMU %s, and this is %s; use QEMU %s with perfboard.so, or build it for this one (QEMU=PATH scripts/setup)",
                  pb_series_built, series, pb_series_built);
}

static bool legal_here(const PbEmulator *emulator, int most_vcpus)
{
    if (!legal_symbols(pb_symbols_core, "qmp_query_version") || !legal_series() || !legal_symbols(pb_symbols_core, NULL)) {
        return false;
    }
    for (const PbBoard *b = NULL; (b = pb_next_board(emulator, b));) {
        if (!legal_symbols(b->symbols, NULL)) {
            return false;
        }
    }
    if (!tcg_enabled()) {
        return refuse("boards observe the guest through TCG, and this accelerator is another one; use -accel tcg");
    }
    if (most_vcpus > PB_MAX_VCPUS) {
        return refuse("-smp maxcpus=%d: legal are 1 to %d", most_vcpus, PB_MAX_VCPUS);
    }
    if (object_class_by_name(pb_next_board(emulator, NULL)->device)) {
        return refuse("it is loaded already, under another path; give one -plugin");
    }
    if (!pb_inside_holds("info-word", pb_info_word_ok())) {
        return refuse("this QEMU " PERFBOARD_QEMU_SERIES " tells of memory accesses in another way than its headers say; "
                      "use an unchanged one");
    }
    return true;
}

const PbEmulator *perfboard_guard(const char *target, bool system_emulation, int most_vcpus)
{
    const PbEmulator *emulator = legal_emulator(target, system_emulation);
    return emulator && legal_here(emulator, most_vcpus) ? emulator : NULL;
}

/* --- start --- */

#define MEMBER(name) .name = pb_##name,
static const PbMachine machine = { PB_MACHINE_FUNCTIONS(MEMBER) };

/* None is left out: it would be called as NULL. */
#define ONE(name) +1
QEMU_BUILD_BUG_ON(sizeof(machine) / sizeof(void *) != PB_MACHINE_FUNCTIONS(ONE));

bool perfboard_start(const PbEmulator *emulator, const PbOptions *o)
{
    if (!pb_scenario_read(o->scenario, o->unreached) || (!o->help && !pb_cluster_start(&o->cluster))) {
        return false;
    }
    pb_machine_is(&machine);
    perfboard_register_core();
    for (const PbBoard *b = NULL; (b = pb_next_board(emulator, b));) {
        b->register_types();
    }
    if (o->help) {
        perfboard_help(emulator);
        exit(0);
    }
    pb_insides_start();
    pb_idle_start();
    pb_scenario_start();
    pb_unserviced_irq_at_end(o->pending);
    pb_record_start();
    return true;
}
