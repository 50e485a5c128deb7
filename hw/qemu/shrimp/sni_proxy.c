/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's proxy window: accesses of user programs (hw/shrimp/proxy.cc). Nobody looks at them one by one: they are no registers, and
 * there are as many as memory has words. What they begin the log tells as effects. */
#include "qemu/osdep.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/shrimp/sni.h"

static uint64_t proxy_read(void *opaque, hwaddr offset, unsigned size)
{
    SniDevice *s = opaque;
    uint32_t status;

    sni_run(s); /* what has come due comes first */
    qemu_mutex_lock(s->glue.mutex);
    status = sni_proxy_read(&s->board, offset, size);
    qemu_mutex_unlock(s->glue.mutex);
    return status;
}

static void proxy_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    SniDevice *s = opaque;

    sni_run(s);
    qemu_mutex_lock(s->glue.mutex);
    sni_proxy_write(&s->board, offset, value, size);
    qemu_mutex_unlock(s->glue.mutex);
}

static const MemoryRegionOps proxy_ops = {
    .read = proxy_read, .write = proxy_write, .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

void sni_open_proxies(SniDevice *s)
{
    pb_region_init_io(&s->proxy_region, &s->glue, PB_NO_WINDOW, &s->proxies, OBJECT(s), &proxy_ops, s, "shrimp-sni-proxies", SNI_PROXY_SPAN);
}
