/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two layers fill the window: the RAM below, and above it `cover`, which is enabled while the memory is watched. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/surfboard/surfboard.h"

/* What of the memory answers is known once the access has been announced. */
static uint64_t simm_read(void *opaque, hwaddr addr, unsigned size)
{
    Simm *m = opaque;
    uint64_t answers = m->announce(m->opaque, m);
    return answers ? ldn_le_p(simm_pointer(m) + (addr & (answers - 1)), size) : UINT64_MAX;
}

static void simm_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    Simm *m = opaque;
    uint64_t answers = m->announce(m->opaque, m);
    if (answers) {
        addr &= answers - 1;
        stn_le_p(simm_pointer(m) + addr, size, value);
        memory_region_set_dirty(&m->ram, addr, size);
    }
}

/* QEMU splits an access that is not aligned, so none crosses the memory's end. */
static const MemoryRegionOps simm_ops = {
    .read = simm_read,
    .write = simm_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void simm_repeat(Simm *m, Object *owner, const char *name, MemoryRegion *in, MemoryRegion *what,
                        MemoryRegion *alias)
{
    for (unsigned i = 0; i < SIMM_WINDOW / m->bytes; i++) {
        memory_region_init_alias(&alias[i], owner, name, what, 0, m->bytes);
        memory_region_add_subregion(in, i * m->bytes, &alias[i]);
    }
}

bool simm_realize(Simm *m, Object *owner, const char *name, MemoryRegion *space, hwaddr at, Error **errp)
{
    g_autofree char *watched = g_strdup_printf("%s-watched", name);

    if (m->bytes != 0 && m->bytes != 4 * MiB && m->bytes != 16 * MiB && m->bytes != 64 * MiB) {
        error_setg(errp, "%s-size=%" PRIu64 ": legal sizes are 0 (empty socket), 4M, 16M and 64M",
                   name, m->bytes);
        return false;
    }
    memory_region_init(&m->window, owner, name, SIMM_WINDOW);
    memory_region_init_io(&m->watched, owner, &simm_ops, m, watched, m->bytes ? m->bytes : SIMM_WINDOW);
    if (m->bytes == 0) {
        memory_region_add_subregion(&m->window, 0, &m->watched);
    } else {
        if (!memory_region_init_ram(&m->ram, owner, name, m->bytes, errp)) {
            return false;
        }
        memory_region_init(&m->cover, owner, watched, SIMM_WINDOW);
        simm_repeat(m, owner, name, &m->window, &m->ram, m->alias);
        simm_repeat(m, owner, watched, &m->cover, &m->watched, m->watched_alias);
        memory_region_add_subregion_overlap(&m->window, 0, &m->cover, 1);
    }
    memory_region_add_subregion(space, at, &m->window);
    return true;
}

void simm_watch(Simm *m, bool on)
{
    if (m->bytes) {
        memory_region_set_enabled(&m->cover, on);
    }
}

uint8_t *simm_pointer(Simm *m)
{
    return m->bytes ? memory_region_get_ram_ptr(&m->ram) : NULL;
}
