/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/simm.h"

static uint64_t empty_socket_read(void *opaque, hwaddr addr, unsigned size)
{
    return UINT64_MAX;
}

static void empty_socket_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
}

static const MemoryRegionOps empty_socket_ops = {
    .read = empty_socket_read, .write = empty_socket_write, .endianness = DEVICE_LITTLE_ENDIAN,
};

bool simm_realize(Simm *m, Object *owner, const char *name, MemoryRegion *space, hwaddr at, Error **errp)
{
    if (m->bytes != 0 && m->bytes != 4 * MiB && m->bytes != 16 * MiB && m->bytes != 64 * MiB) {
        error_setg(errp, "%s-size=%" PRIu64 ": legal sizes are 0 (empty socket), 4M, 16M and 64M",
                   name, m->bytes);
        return false;
    }
    memory_region_init(&m->window, owner, name, SIMM_WINDOW);
    if (m->bytes == 0) {
        memory_region_init_io(&m->empty, owner, &empty_socket_ops, m, name, SIMM_WINDOW);
        memory_region_add_subregion(&m->window, 0, &m->empty);
    } else {
        if (!memory_region_init_ram(&m->ram, owner, name, m->bytes, errp)) {
            return false;
        }
        for (unsigned i = 0; i < SIMM_WINDOW / m->bytes; i++) {
            memory_region_init_alias(&m->alias[i], owner, name, &m->ram, 0, m->bytes);
            memory_region_add_subregion(&m->window, i * m->bytes, &m->alias[i]);
        }
    }
    memory_region_add_subregion(space, at, &m->window);
    return true;
}

uint8_t *simm_pointer(Simm *m)
{
    return m->bytes ? memory_region_get_ram_ptr(&m->ram) : NULL;
}
