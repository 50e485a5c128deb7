/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/branches.h"
#include "plugins/machine.h"
#include "plugins/port.h"

static void unless_in_range(const TCGOp *op, TCGv_i64 addr, TCGLabel *out)
{
    TCGv_i64 from_high = tcg_temp_ebb_new_i64(), span = tcg_temp_ebb_new_i64();
    intptr_t at;

    pb_filter_range_at(get_mmuidx(op->args[1]), &at);
    tcg_gen_ld_i64(from_high, (TCGv_ptr)tcg_env, at + offsetof(PbFilterRange, high));
    tcg_gen_sub_i64(from_high, from_high, addr);
    tcg_gen_ld_i64(span, (TCGv_ptr)tcg_env, at + offsetof(PbFilterRange, span));
    tcg_gen_brcond_i64(TCG_COND_GTU, from_high, span, out);
    tcg_temp_free_i64(from_high);
    tcg_temp_free_i64(span);
}

static unsigned log2_bytes(const TCGOp *op)
{
    return get_memop(op->args[1]) & MO_SIZE;
}

/* An access that is not aligned has a key of its own, which is no line's. */
static void if_hit(const TCGOp *op, TCGv_i64 addr, TCGLabel *out)
{
    TCGv_i64 key = tcg_temp_ebb_new_i64(), there = tcg_temp_ebb_new_i64();
    TCGv_ptr place = tcg_temp_ebb_new_ptr();
    uint64_t within = (UINT64_C(1) << log2_bytes(op)) - 1;
    const unsigned step = ctz32(sizeof(PbHitLine));
    PbHitFilterAt at;

    pb_hit_filter_at(get_mmuidx(op->args[1]), &at);
    tcg_gen_shri_i64(key, addr, at.bits - step);
    tcg_gen_andi_i64(key, key, (PB_HIT_LINES - 1) << step);
    if (!at.table) {
        tcg_gen_ld_ptr(place, (TCGv_ptr)tcg_env, at.from_env);
        tcg_gen_add_ptr(place, place, (TCGv_ptr)key);
    }
    tcg_gen_ld_i64(there, at.table ? (TCGv_ptr)key : place,
                   at.table + (pb_op_rw(op) == QEMU_PLUGIN_MEM_W ? offsetof(PbHitLine, store) : offsetof(PbHitLine, load)));
    tcg_gen_andi_i64(key, addr, (UINT64_MAX << at.bits) | within);
    tcg_gen_brcond_i64(TCG_COND_EQ, there, key, out);
    tcg_temp_free_i64(key);
    tcg_temp_free_i64(there);
    tcg_temp_free_ptr(place);
}

static void if_passes(const TCGOp *op, TCGv_i64 addr, TCGLabel *out)
{
    TCGv_i64 place = tcg_temp_ebb_new_i64(), limit = tcg_temp_ebb_new_i64();
    TCGv_ptr table = tcg_temp_ebb_new_ptr();
    PbPassedAt at;

    pb_access_count_at(get_mmuidx(op->args[1]), log2_bytes(op), pb_op_rw(op) == QEMU_PLUGIN_MEM_W, &at);
    tcg_gen_ld_i64(limit, (TCGv_ptr)tcg_env, at.begin);
    tcg_gen_sub_i64(place, addr, limit);
    tcg_gen_rotri_i64(place, place, log2_bytes(op));
    tcg_gen_ld_ptr(table, (TCGv_ptr)tcg_env, at.table);
    tcg_gen_ld_i64(limit, table, at.limit);
    tcg_gen_brcond_i64(TCG_COND_LTU, place, limit, out);
    tcg_temp_free_i64(place);
    tcg_temp_free_i64(limit);
    tcg_temp_free_ptr(table);
}

/* The access at op has passed. */
static void count_passed(const TCGOp *op)
{
    PbPassedAt at;

    pb_access_count_at(get_mmuidx(op->args[1]), log2_bytes(op), pb_op_rw(op) == QEMU_PLUGIN_MEM_W, &at);
    pb_ops_add(at.count, 1);
}

const PbQuestion pb_unless_in_range = { .branch = unless_in_range };
const PbQuestion pb_if_passes = { .branch = if_passes, .left_out = count_passed };
const PbQuestion pb_if_hit = { .branch = if_hit };

enum {
    SIZES = 8,     /* of accesses, by log2 */
    ASIDE = 0xd00, /* ops.h */
};

typedef struct Beyond {
    uint64_t begin, limit[SIZES];
} Beyond;

typedef struct Passing {
    PbAccessCount count;
    const Beyond *limits; /* mode, or nothing */
    Beyond mode[PB_MMU_MODES];
} Passing;

static const Beyond nothing[PB_MMU_MODES];
static intptr_t distance;                 /* from a vCPU's state; 0: nothing ever passes */
static Passing *passing_of[PB_MAX_VCPUS]; /* by vCPU index, of those that went, too */

void pb_access_count_start(const PbEnvSpan *span)
{
    CPUState *cpu;

    distance = pb_env_place(span, ASIDE, sizeof(Passing));
    CPU_FOREACH(cpu) {
        Passing *p = distance ? (Passing *)(pb_env_of(cpu) + distance) : NULL;
        passing_of[pb_vcpu_index(cpu)] = p;
        if (p) {
            p->limits = p->mode;
        }
    }
}

void pb_access_count_range(CPUState *cpu, unsigned mode, PbFilterRange w)
{
    Beyond *b;

    if (!distance) {
        return;
    }
    b = &((Passing *)(pb_env_of(cpu) + distance))->mode[mode];
    b->begin = w.high + 1;
    for (int n = 0; n < SIZES; n++) {
        b->limit[n] = (UINT64_MAX - w.span) >> n;
    }
}

bool pb_access_count_at(unsigned mode, unsigned log2_bytes, bool store, PbPassedAt *at)
{
    const intptr_t of_mode = mode * sizeof(Beyond);

    g_assert(mode < PB_MMU_MODES && log2_bytes < SIZES);
    *at = (PbPassedAt){
        .begin = distance + offsetof(Passing, mode) + of_mode + offsetof(Beyond, begin),
        .table = distance + offsetof(Passing, limits),
        .limit = of_mode + offsetof(Beyond, limit) + log2_bytes * sizeof(uint64_t),
        .count = distance + offsetof(Passing, count) + (store ? offsetof(PbAccessCount, stores) : offsetof(PbAccessCount, loads)),
    };
    return distance;
}

bool pb_access_count(unsigned vcpu, PbAccessCount *count)
{
    const Passing *p;

    g_assert(vcpu < PB_MAX_VCPUS);
    p = passing_of[vcpu];
    if (p) {
        *count = (PbAccessCount){ qatomic_read(&p->count.loads), qatomic_read(&p->count.stores) };
    }
    return p;
}

void pb_access_count_none(bool on)
{
    for (int i = 0; i < PB_MAX_VCPUS; i++) {
        if (passing_of[i]) {
            qatomic_set(&passing_of[i]->limits, on ? nothing : passing_of[i]->mode);
        }
    }
}
