/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "qemu/plugin.h"

#include "hw/qemu/tcg/branches.h"
#include "hw/qemu/tcg/access_count.h"
#include "hw/qemu/tcg/filter_range.h"
#include "plugins/filter.h"
#include "plugins/port.h"

static void unless_in_range(const TCGOp *op, TCGv_i64 addr, TCGLabel *out)
{
    TCGv_i64 from_high = tcg_temp_ebb_new_i64(), span = tcg_temp_ebb_new_i64();
    intptr_t at;

    pb_filter_range_at(op->args[1] & (PB_MMU_MODES - 1), &at);
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

static bool is_store(const TCGOp *op)
{
    return get_plugin_meminfo_rw(op->args[1]) & QEMU_PLUGIN_MEM_W;
}

/* An access that is not aligned has a key of its own, which is no line's. */
static void if_hit(const TCGOp *op, TCGv_i64 addr, TCGLabel *out)
{
    TCGv_i64 key = tcg_temp_ebb_new_i64(), there = tcg_temp_ebb_new_i64();
    TCGv_ptr place = tcg_temp_ebb_new_ptr();
    uint64_t within = (UINT64_C(1) << log2_bytes(op)) - 1;
    const unsigned step = ctz32(sizeof(PbHitLine));
    PbHitFilterAt at;

    pb_hit_filter_at(op->args[1] & (PB_MMU_MODES - 1), &at);
    tcg_gen_shri_i64(key, addr, at.bits - step);
    tcg_gen_andi_i64(key, key, (PB_HIT_LINES - 1) << step);
    if (!at.table) {
        tcg_gen_ld_ptr(place, (TCGv_ptr)tcg_env, at.from_env);
        tcg_gen_add_ptr(place, place, (TCGv_ptr)key);
    }
    tcg_gen_ld_i64(there, at.table ? (TCGv_ptr)key : place,
                   at.table + (is_store(op) ? offsetof(PbHitLine, store) : offsetof(PbHitLine, load)));
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

    pb_access_count_at(op->args[1] & (PB_MMU_MODES - 1), log2_bytes(op), is_store(op), &at);
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
    TCGv_i64 count = tcg_temp_ebb_new_i64();
    PbPassedAt at;

    pb_access_count_at(op->args[1] & (PB_MMU_MODES - 1), log2_bytes(op), is_store(op), &at);
    tcg_gen_ld_i64(count, (TCGv_ptr)tcg_env, at.count);
    tcg_gen_addi_i64(count, count, 1);
    tcg_gen_st_i64(count, (TCGv_ptr)tcg_env, at.count);
    tcg_temp_free_i64(count);
}

const PbQuestion pb_unless_in_range = { .branch = unless_in_range };
const PbQuestion pb_if_passes = { .branch = if_passes, .left_out = count_passed };
const PbQuestion pb_if_hit = { .branch = if_hit };
