/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/qapi-commands-control.h"
#include "qom/object.h"
#include "system/tcg.h"

#include "hw/qemu/eisa/eisa.h"
#include "hw/qemu/core/guard.h"
#include "hw/qemu/core/symbols_needed.h"

static const char *const targets[] = { PERFBOARD_TARGETS };

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

static bool legal_target(const char *target, bool system_emulation)
{
    g_autoptr(GString) legal = g_string_new(NULL);

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        if (system_emulation && !strcmp(target, targets[i])) {
            return true;
        }
        g_string_append_printf(legal, "%sqemu-system-%s", i ? " or " : "", targets[i]);
    }
    if (!system_emulation) {
        return refuse("it adds devices to a machine, and qemu-%s runs one program; use %s", target, legal->str);
    }
    return refuse("this is qemu-system-%s; use %s", target, legal->str);
}

static bool legal_series(void)
{
    VersionInfo *v = qmp_query_version(NULL); /* for as long as the process lives */
    g_autofree char *series = g_strdup_printf("%" PRId64 ".%" PRId64, v->qemu->major, v->qemu->minor);

    if (!strcmp(series, PERFBOARD_QEMU_SERIES)) {
        return true;
    }
    return refuse("it was built for QEMU " PERFBOARD_QEMU_SERIES ", and this is %s; "
                  "use QEMU " PERFBOARD_QEMU_SERIES ", or build it for this one (QEMU=PATH scripts/setup)", series);
}

bool perfboard_guard(const char *target, bool system_emulation)
{
    const char *missing;

    if (!legal_target(target, system_emulation)) {
        return false;
    }
    missing = perfboard_missing_symbol("qmp_query_version");
    if (missing) {
        return lacks(missing);
    }
    if (!legal_series()) {
        return false;
    }
    missing = perfboard_missing_symbol(NULL);
    if (missing) {
        return lacks(missing);
    }
    if (!tcg_enabled()) {
        return refuse("boards observe the guest through TCG, and this accelerator is another one; use -accel tcg");
    }
    if (object_class_by_name(TYPE_EISA_DEVICE)) {
        return refuse("it is loaded already, under another path; give one -plugin");
    }
    return true;
}
