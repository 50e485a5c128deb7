/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Accesses to the MULTIKRON card: by which vCPU, and whether it can be held. */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/multikron/multikron.h"

static MkAccess multikron_access(MkWindow *w, hwaddr addr, unsigned size, CPUState **cpu)
{
    *cpu = pb_accessing_cpu();
    return (MkAccess){
        .window = w->window, .offset = addr, .size = size,
        .line = *cpu ? w->card->line[pb_vcpu_index(*cpu)] : -1,
        .can_wait = *cpu && (*cpu)->mem_io_pc, /* without mem_io_pc there is no instruction to make again */
    };
}

static MemTxResult multikron_read(void *opaque, hwaddr addr, uint64_t *data, unsigned size, MemTxAttrs attrs)
{
    MkWindow *w = opaque;
    CPUState *cpu;
    MkAccess a = multikron_access(w, addr, size, &cpu);
    while (mk_read(&w->card->chip, &a, data) == MK_WAIT) {
        a.can_wait = pb_stall_wait(&w->card->stall, cpu);
    }
    return MEMTX_OK;
}

static MemTxResult multikron_write(void *opaque, hwaddr addr, uint64_t data, unsigned size, MemTxAttrs attrs)
{
    MkWindow *w = opaque;
    CPUState *cpu;
    MkAccess a = multikron_access(w, addr, size, &cpu);
    while (mk_write(&w->card->chip, &a, data) == MK_WAIT) {
        a.can_wait = pb_stall_wait(&w->card->stall, cpu);
    }
    if (cpu) {
        pb_stall_written(&w->card->stall, cpu);
    }
    return MEMTX_OK;
}

void multikron_advance(void *opaque)
{
    MkWindow *w = opaque;
    mk_advance(&w->card->chip);
}

const MemoryRegionOps multikron_ops = {
    .read_with_attrs = multikron_read,
    .write_with_attrs = multikron_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};
