/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "plugins/ports.h"

/* --- who makes the access ----------------------------------------------------------- */

static void say_who(const PbRegion *r, PbInspectAccess *a)
{
    CPUState *cpu = pb_accessing_cpu();

    a->vcpu = -1;
    if (cpu) {
        a->vcpu = cpu->cpu_index;
        a->has_pc = cpu->mem_io_pc && pb_access_pc(cpu, &a->pc);
    } else if (r->ports && (cpu = pb_running_cpu())) { /* IN and OUT go through an address space, as DMA does */
        a->vcpu = cpu->cpu_index;
        a->has_pc = pb_port_pc(cpu->cpu_index, &a->pc);
    }
}

static PbInspectAccess describe(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    PbInspectAccess a = {
        .ns = pb_time_now(), .window = r->window, .offset = r->base + addr, .bytes = size, .write = write, .value = value,
        .big = r->inner->endianness == DEVICE_BIG_ENDIAN, .none = r->glue->attention & PB_GONE,
    };
    say_who(r, &a);
    return a;
}

/* --- accesses ------------------------------------------------------------------------ */

/* Whether it is looked at. Under the big lock, as all accesses. */
static bool begin(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    unsigned attention = r->glue->attention;
    PbInspectAccess a;

    if (r->window == PB_NO_WINDOW || !(attention & (PB_LOOKED_AT | PB_MAY_BREAK))) {
        return false;
    }
    a = describe(r, addr, size, write, value);
    if (attention & PB_MAY_BREAK) {
        pb_break_access(r->mr, addr, size, write, value, pb_inspect_breaks(r->glue->inspect, &a));
    }
    pb_inspect_begin(r->glue->inspect, &a);
    return true;
}

static MemTxResult inner_read(const PbRegion *r, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    if (r->inner->read_with_attrs) {
        return r->inner->read_with_attrs(r->opaque, addr, value, size, attrs);
    }
    *value = r->inner->read(r->opaque, addr, size);
    return MEMTX_OK;
}

static MemTxResult inner_write(const PbRegion *r, hwaddr addr, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    if (r->inner->write_with_attrs) {
        return r->inner->write_with_attrs(r->opaque, addr, value, size, attrs);
    }
    r->inner->write(r->opaque, addr, value, size);
    return MEMTX_OK;
}

static void catch_up(const PbRegion *r)
{
    if (r->catch_up) {
        r->catch_up(r->glue->dev);
    }
}

static MemTxResult looked_at_read(const PbRegion *r, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    MemTxResult result = MEMTX_OK;
    bool looked_at = begin(r, addr, size, false, 0);

    if (r->glue->attention & PB_GONE) {
        *value = UINT64_MAX;
    } else {
        result = inner_read(r, addr, value, size, attrs);
    }
    if (looked_at) {
        pb_inspect_end(r->glue->inspect, *value);
    }
    return result;
}

static MemTxResult looked_at_write(const PbRegion *r, hwaddr addr, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    MemTxResult result = MEMTX_OK;
    bool looked_at = begin(r, addr, size, true, value);

    if (!(r->glue->attention & PB_GONE)) {
        result = inner_write(r, addr, value, size, attrs);
    }
    if (looked_at) {
        pb_inspect_end(r->glue->inspect, 0);
    }
    return result;
}

/* Not in the window: map_update.h. */
static bool is_elsewhere(const PbRegion *r, hwaddr addr)
{
    return unlikely(addr >= r->bytes);
}

static MemTxResult region_read(void *opaque, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    const PbRegion *r = opaque;

    if (is_elsewhere(r, addr)) {
        *value = UINT64_MAX;
        return MEMTX_OK;
    }
    catch_up(r);
    return unlikely(r->glue->attention) ? looked_at_read(r, addr, value, size, attrs) : inner_read(r, addr, value, size, attrs);
}

static MemTxResult region_write(void *opaque, hwaddr addr, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    const PbRegion *r = opaque;

    if (is_elsewhere(r, addr)) {
        return MEMTX_OK;
    }
    catch_up(r);
    return unlikely(r->glue->attention) ? looked_at_write(r, addr, value, size, attrs) : inner_write(r, addr, value, size, attrs);
}

void pb_region_ports(PbRegion *r)
{
    r->ports = true;
    pb_glue_ports(r->glue);
}

void pb_region_init_io(PbRegion *r, PbGlue *glue, unsigned window, MemoryRegion *mr, Object *owner, const MemoryRegionOps *ops,
                       void *opaque, const char *name, uint64_t size)
{
    *r = (PbRegion){ .inner = ops, .opaque = opaque, .glue = glue, .mr = mr, .window = window, .bytes = size };
    r->ops = (MemoryRegionOps){
        .read_with_attrs = region_read, .write_with_attrs = region_write, .endianness = ops->endianness, .valid = ops->valid,
        .impl = ops->impl,
    };
    memory_region_init_io(mr, owner, &r->ops, r, name, size);
    pb_master_abort_asks(mr);
}
