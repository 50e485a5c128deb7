/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/load/load.h"
#include "plugins/events.h"
#include "version.h" /* scripts/version */

/* ext2 comes before ext10. */
static gint by_name(gconstpointer a, gconstpointer b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static gint by_property_name(gconstpointer a, gconstpointer b)
{
    return strverscmp((*(ObjectProperty *const *)a)->name, (*(ObjectProperty *const *)b)->name);
}

/* Not what every device, or every PCI device, has; but where on the bus it is may be told. */
static bool own_property(const ObjectProperty *p)
{
    static const char *const bases[] = { TYPE_DEVICE, TYPE_PCI_DEVICE };

    if (!strcmp(p->name, "addr")) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
        if (object_class_property_find(object_class_by_name(bases[i]), p->name)) {
            return false;
        }
    }
    return !g_str_has_prefix(p->name, "legacy-");
}

/* As one would type it. */
static char *default_of(const ObjectProperty *p)
{
    g_autoptr(GString) json = qobject_to_json(p->defval);
    uint64_t size;

    if (!strcmp(p->type, "bool")) {
        return g_strdup(!strcmp(json->str, "true") ? "on" : "off");
    }
    if (strcmp(p->type, "size")) {
        return g_strdup(json->str);
    }
    size = g_ascii_strtoull(json->str, NULL, 10);
    if (size && size % MiB == 0) {
        return g_strdup_printf("%" PRIu64 "M", (uint64_t)(size / MiB));
    }
    if (size && size % KiB == 0) {
        return g_strdup_printf("%" PRIu64 "K", (uint64_t)(size / KiB));
    }
    return g_strdup_printf("%" PRIu64, size);
}

static void print_property(const ObjectProperty *p)
{
    g_autofree char *name = g_strdup_printf("%s=<%s>", p->name, p->type);

    printf("  %-27s %s", name, p->description ? p->description : "");
    if (p->defval) {
        g_autofree char *value = default_of(p);
        printf(" (default: %s)", value);
    }
    puts(p->set ? "" : " (read only)");
}

static void print_device(const char *device)
{
    g_autoptr(GPtrArray) properties = g_ptr_array_new();
    ObjectClass *klass = object_class_by_name(device);
    ObjectPropertyIterator it;
    ObjectProperty *p;

    printf("-device %s: %s\n", device, DEVICE_CLASS(klass)->desc);
    object_class_property_iter_init(&it, klass);
    while ((p = object_property_iter_next(&it))) {
        if (own_property(p)) {
            g_ptr_array_add(properties, p);
        }
    }
    g_ptr_array_sort(properties, by_property_name);
    for (guint i = 0; i < properties->len; i++) {
        print_property(properties->pdata[i]);
    }
}

static void print_sources(void)
{
    g_auto(GStrv) names = pb_event_names();

    qsort(names, g_strv_length(names), sizeof(*names), by_name);
    puts("Event sources, where a property takes one; for one vCPU with its number behind, as in loads:0; for a context\n"
         "with user or kernel, marked or unmarked before that, as in loads:user:0 or stores:kernel:marked:");
    for (char **name = names; *name; name++) {
        printf("  %s\n", *name);
    }
}

void perfboard_help(const PbEmulator *emulator)
{
    g_autoptr(GPtrArray) devices = g_ptr_array_new();

    puts("Perfboard " PERFBOARD_VERSION_LINE ", for QEMU " PERFBOARD_QEMU_SERIES);
    for (const PbBoard *b = NULL; (b = pb_next_board(emulator, b));) {
        g_ptr_array_add(devices, (void *)b->device);
    }
    g_ptr_array_sort(devices, by_name);
    for (guint i = 0; i < devices->len; i++) {
        print_device(devices->pdata[i]);
    }
    print_sources();
    puts("QEMU answers its own -device NAME,help before it loads plugins, and finds no such device: this list is\n"
         "in its place. In the monitor of a running machine, device_add NAME,help works.");
}
