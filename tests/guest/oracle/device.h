/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * device.h - which device an access goes to. QEMU 10.2 tells plugins of none (hw/qemu/INSIDES.md), so its map of memory is asked. */
#ifndef PERFBOARD_ORACLE_DEVICE_H
#define PERFBOARD_ORACLE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <qemu-plugin.h>

extern char address_space_memory[];
void *address_space_get_flatview(void *space);
void *flatview_translate(void *view, uint64_t address, uint64_t *within, uint64_t *bytes, bool store, uint64_t attributes);
void flatview_unref(void *view);
const char *memory_region_name(const void *region);

static bool is_of(const struct qemu_plugin_hwaddr *hw, const char *device)
{
    uint64_t within, bytes = 1;
    void *view = address_space_get_flatview(address_space_memory);
    void *region = flatview_translate(view, qemu_plugin_hwaddr_phys_addr(hw), &within, &bytes, false, 0);

    flatview_unref(view);
    return !strcmp(memory_region_name(region), device);
}

#endif
