/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
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
    } else if (r->row->ports && (cpu = pb_running_cpu())) { /* IN and OUT go through an address space, as DMA does */
        a->vcpu = cpu->cpu_index;
        a->has_pc = pb_port_pc(cpu->cpu_index, &a->pc);
    }
}

static PbInspectAccess describe(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    PbInspectAccess a = {
        .ns = pb_time_now(), .window = r->window, .offset = r->base + addr, .bytes = size, .write = write, .value = value,
        .big = r->row->big, .none = r->glue->attention & PB_GONE,
    };
    say_who(r, &a);
    return a;
}

/* Whether it is looked at. Under the big lock, as all accesses. */
static bool begin(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    unsigned attention = r->glue->attention;
    PbInspectAccess a;

    if (!(attention & (PB_LOOKED_AT | PB_MAY_BREAK))) {
        return false;
    }
    a = describe(r, addr, size, write, value);
    if (attention & PB_MAY_BREAK) {
        pb_break_access(r->mr, addr, size, write, value, pb_inspect_breaks(r->glue->inspect, &a));
    }
    pb_inspect_begin(r->glue->inspect, &a);
    return true;
}

/* --- accesses ------------------------------------------------------------------------ */

/* Not in the window: map_update.h. */
static bool is_elsewhere(const PbRegion *r, hwaddr addr)
{
    return unlikely(addr >= r->bytes);
}

static bool is_gone(const PbRegion *r)
{
    return unlikely(r->glue->attention & PB_GONE);
}

/* The access's next piece, behind `done` of its bytes. */
static PbAccess piece_of(const PbWindow *w, const PbAccess *whole, unsigned done)
{
    PbAccess a = *whole;

    a.offset += done;
    a.size -= done;
    if (w->piece) {
        a.size = w->piece(a.offset, a.size);
    }
    return a;
}

/* The board's answer, or value taken. */
static uint64_t ask(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    const PbWindow *w = r->row;
    PbGlue *g = r->glue;
    const PbAccess whole = { .window = r->window, .offset = r->base + addr, .size = size, .cpu = pb_accessing_cpu() };
    uint64_t answer = 0;

    if (w->before) {
        w->before(g->dev, &whole, write, value);
    }
    pb_glue_lock(g, true);
    for (unsigned done = 0; done < size;) {
        PbAccess a = piece_of(w, &whole, done);
        if (write) {
            w->write(g->dev, &a, extract64(value, 8 * done, 8 * a.size));
        } else {
            answer |= w->read(g->dev, &a) << (8 * done);
        }
        done += a.size;
    }
    pb_glue_lock(g, false);
    if (write && w->behind) {
        w->behind(g->dev);
    } else if (write) {
        pb_glue_behind(g);
    }
    return answer;
}

static uint64_t make_access(const PbRegion *r, hwaddr addr, unsigned size, bool write, uint64_t value)
{
    uint64_t answer = UINT64_MAX;
    bool looked_at;

    if (is_elsewhere(r, addr)) {
        return answer;
    }
    if (r->row->catch_up) {
        r->row->catch_up(r->glue->dev);
    }
    if (likely(!r->glue->attention)) {
        return ask(r, addr, size, write, value);
    }
    looked_at = begin(r, addr, size, write, value);
    if (!is_gone(r)) {
        answer = ask(r, addr, size, write, value);
    }
    if (looked_at) {
        pb_inspect_end(r->glue->inspect, write ? 0 : answer);
    }
    return answer;
}

static uint64_t window_read(void *opaque, hwaddr addr, unsigned size)
{
    return make_access(opaque, addr, size, false, 0);
}

static void window_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    make_access(opaque, addr, size, true, value);
}

static MemTxResult memory_read(void *opaque, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    const PbRegion *r = opaque;

    if (is_elsewhere(r, addr) || is_gone(r)) {
        *value = UINT64_MAX;
        return MEMTX_OK;
    }
    return r->memory->read_with_attrs(r->glue->dev, addr, value, size, attrs);
}

static MemTxResult memory_write(void *opaque, hwaddr addr, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    const PbRegion *r = opaque;

    return is_elsewhere(r, addr) || is_gone(r) ? MEMTX_OK : r->memory->write_with_attrs(r->glue->dev, addr, value, size, attrs);
}

/* --- regions ------------------------------------------------------------------------- */

static void init(PbRegion *r, MemoryRegion *mr, const char *name)
{
    r->mr = mr;
    memory_region_init_io(mr, r->glue->dev, &r->ops, r, name, r->bytes);
    pb_master_abort_asks(mr);
}

void pb_region_init_io(PbRegion *r, PbGlue *glue, MemoryRegion *mr, const MemoryRegionOps *ops, const char *name, uint64_t size)
{
    *r = (PbRegion){ .ops = *ops, .memory = ops, .glue = glue, .bytes = size };
    r->ops.read_with_attrs = memory_read;
    r->ops.write_with_attrs = memory_write;
    init(r, mr, name);
}

void pb_window_part(PbWindowPart *p, PbGlue *g, unsigned number, uint64_t base, uint64_t bytes)
{
    const PbWindow *w = &pb_board_type(g->dev)->windows[number];

    p->region = (PbRegion){ .row = w, .glue = g, .window = number, .base = base, .bytes = bytes };
    p->region.ops = (MemoryRegionOps){
        .read = window_read, .write = window_write, .endianness = w->big ? DEVICE_BIG_ENDIAN : DEVICE_LITTLE_ENDIAN,
        .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = w->unaligned },
        .impl = { .min_access_size = 1, .max_access_size = w->most, .unaligned = w->unaligned },
    };
    init(&p->region, &p->mr, w->name);
    p->mr.disable_reentrancy_guard = w->stalls;
    if (w->ports) {
        pb_glue_ports(g);
    }
}
