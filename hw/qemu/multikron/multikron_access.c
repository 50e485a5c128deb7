/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Accesses to the MULTIKRON card: by which vCPU, and whether it can be held. */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/multikron/multikron.h"

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

/* What has left the chip before an access is not the access's doing. */
static void advance(void *dev)
{
    mk_advance(&((MultiKronDevice *)dev)->chip);
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
