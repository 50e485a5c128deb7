/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The window with latency=on: an I/O region, whose accesses the shim itself makes to the same memory when the model
 * lets it. Meanwhile their vCPU is held (stall.h), each node's on its own.
 *
 * Whatever accesses the window without a processor's instruction (DMA, the debugger, qtest), or from a processor that is no node,
 * meets plain memory. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/sci/sci.h"

typedef enum Passed {
    PLAIN, /* the access is to be made to this machine's memory */
    MADE,  /* fabric=cluster: the model has made it */
    GONE,  /* the adapters went meanwhile */
} Passed;

/* The packets of the access pass; the vCPU has waited for it. stored: NULL for a load, whose bytes go to loaded. */
static Passed pass(SciDevice *s, hwaddr addr, unsigned size, const uint8_t *stored, uint8_t *loaded, MemTxAttrs attrs)
{
    CPUState *cpu = pb_accessing_cpu();
    SciAccess a = { .offset = addr, .bytes = size, .store = stored, .data = stored, .loaded = loaded };
    enum sci_result result;
    PbAccessKind kind;
    PbStall *stall;
    uint64_t until;

    if (!cpu || !sci_enabled(&s->board)) {
        return PLAIN;
    }
    kind = pb_access_kind(cpu, attrs);
    if (stored ? kind.hides_stores : kind.hides_loads) {
        return PLAIN;
    }
    a.vcpu = sci_node_of(s, cpu);
    if (a.vcpu >= s->nodes) { /* is logged, and done */
        pb_spin_lock(&s->glue.spin);
        sci_access(&s->board, &a, NULL);
        qemu_spin_unlock(&s->glue.spin);
        return PLAIN;
    }
    a.locked = kind.locked;
    a.write_combining = kind.type == PB_MEMORY_WRITE_COMBINING;
    a.can_wait = cpu->mem_io_pc; /* without it there is no instruction to make again */
    stall = &s->stall[a.vcpu];
    for (;;) {
        pb_spin_lock(&s->glue.spin);
        a.ns = pb_time_now(); /* so that no access comes before one that has been told */
        result = sci_access(&s->board, &a, &until);
        pb_tap_holds(s->glue.tap, sci_holds(&s->board));
        qemu_spin_unlock(&s->glue.spin);
        if (result == SCI_DONE) {
            break;
        }
        if (sci_is_node(s)) {
            s->until = until;
            pb_stall_await(cpu, &s->until);
        } else {
            pb_stall_release_at(stall, until);
            a.can_wait = pb_stall_wait(stall, cpu);
        }
        if (s->glue.left) {
            return GONE;
        }
    }
    pb_stall_written(stall, cpu);
    return sci_is_node(s) ? MADE : PLAIN;
}

/* Not every address is in it: map_update.h; and an access that no processor makes may reach beyond its end. */
static uint8_t *at(SciDevice *s, hwaddr addr, unsigned size)
{
    return addr < s->size && size <= s->size - addr ? (uint8_t *)memory_region_get_ram_ptr(&s->memory) + addr : NULL;
}

static MemTxResult window_read(void *opaque, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    SciDevice *s = opaque;

    uint8_t bytes[8];
    Passed passed = at(s, addr, size) ? pass(s, addr, size, NULL, bytes, attrs) : GONE;

    *value = passed == PLAIN ? ldn_le_p(at(s, addr, size), size) : passed == MADE ? ldn_le_p(bytes, size) : UINT64_MAX;
    return MEMTX_OK;
}

static MemTxResult window_write(void *opaque, hwaddr addr, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    SciDevice *s = opaque;
    uint8_t bytes[8];

    if (!at(s, addr, size)) {
        return MEMTX_OK;
    }
    stn_le_p(bytes, size, value);
    if (pass(s, addr, size, bytes, NULL, attrs) == PLAIN) {
        memcpy(at(s, addr, size), bytes, size);
        memory_region_set_dirty(&s->memory, addr, size);
    }
    return MEMTX_OK;
}

static const MemoryRegionOps window_ops = {
    .read_with_attrs = window_read,
    .write_with_attrs = window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

void sci_make_waiting_window(SciDevice *s)
{
    pb_region_init_io(&s->io_region, &s->glue, &s->io, &window_ops, "smile-sci-window", s->size);
    s->io.disable_reentrancy_guard = true; /* stall.h */
    s->window = &s->io;
    for (unsigned i = 0; i < SCI_MAX_NODES; i++) {
        pb_stall_init(&s->stall[i]);
        pb_stall_once(&s->stall[i]);
    }
}
