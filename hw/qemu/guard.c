/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/qapi-commands-machine.h"
#include "qapi/qapi-commands-misc.h"
#include "qapi/qapi-commands-control.h"
#include "qom/object.h"
#include "hw/qdev-core.h"
#include "system/tcg.h"

#include "hw/qemu/eisa.h"
#include "hw/qemu/guard.h"
#include "hw/qemu/symbols_needed.h"
#include "hw/qemu/types.h"

static bool refuse(const char *why, const char *what)
{
    fprintf(stderr, "perfboard: cannot be used here: %s%s\n", why, what);
    return false;
}

bool perfboard_guard(bool system_emulation)
{
    g_autofree char *series = NULL;
    const char *missing;
    VersionInfo *v;

    if (!system_emulation) {
        return refuse("it adds devices to a whole machine (qemu-system-*), and this QEMU runs one program", "");
    }
    missing = perfboard_missing_symbol("qmp_query_version");
    if (missing) {
        return refuse("this QEMU does not export its device API; it lacks ", missing);
    }
    v = qmp_query_version(NULL);
    series = g_strdup_printf("%" PRId64 ".%" PRId64, v->qemu->major, v->qemu->minor);
    if (strcmp(series, PERFBOARD_QEMU_SERIES)) {
        g_autofree char *what = g_strdup_printf("%s, and this is %s (build it again: scripts/setup)",
                                                PERFBOARD_QEMU_SERIES, series);
        return refuse("it was built for QEMU ", what);
    }
    missing = perfboard_missing_symbol(NULL);
    if (missing) {
        return refuse("this QEMU does not export its device API; it lacks ", missing);
    }
    if (!tcg_enabled()) {
        return refuse("boards observe the guest through TCG, and this accelerator is another one "
                      "(start QEMU with -accel tcg)", "");
    }
    if (object_class_by_name(TYPE_EISA_DEVICE)) {
        return refuse("it is loaded already, under another path", "");
    }
    return true;
}

void perfboard_register_devices(void)
{
    perfboard_register_eisa();
    perfboard_register_surfboard();
    perfboard_register_sni();
    perfboard_register_multikron();
}

static const char *const devices[] = { "i82375", "shrimp-sni", "surfboard", "multikron" };

/* Properties that every device has, and how QEMU's own list of a device leaves them out. */
static bool common_property(const ObjectProperty *p)
{
    static const char *const names[] = {
        "type", "realized", "hotpluggable", "hotplugged", "parent_bus", "legacy-addr", "romfile", "romsize",
        "rombar", "multifunction", "x-pcie-lnksta-dllla", "x-pcie-extcap-init", "failover_pair_id",
        "acpi-index", "x-pcie-err-unc-mask", "x-pcie-ari-nextfn-1", "x-max-bounce-buffer-size",
        "x-pcie-ext-tag", "busnr", "sriov-pf",
    };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(p->name, names[i])) {
            return true;
        }
    }
    return !strncmp(p->name, "legacy-", 7);
}

void perfboard_help(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
        ObjectClass *klass = object_class_by_name(devices[i]);
        ObjectPropertyIterator it;
        ObjectProperty *p;

        printf("-device %s: %s\n", devices[i], DEVICE_CLASS(klass)->desc);
        object_class_property_iter_init(&it, klass);
        while ((p = object_property_iter_next(&it))) {
            if (!common_property(p)) {
                printf("  %s=<%s>%*s %s%s\n", p->name, p->type, (int)MAX(1, 24 - (int)strlen(p->name) - (int)strlen(p->type)),
                       "", p->description ? p->description : "", p->set ? "" : " (read only)");
            }
        }
    }
}
