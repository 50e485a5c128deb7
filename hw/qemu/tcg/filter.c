/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/branches.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "hw/qemu/tcg/ops.h"

static bool is_value(const TCGOp *op)
{
    return pb_op_stores(op, offsetof(CPUState, neg.plugin_mem_value_low)) || pb_op_stores(op, offsetof(CPUState, neg.plugin_mem_value_high));
}

void pb_drop_values(struct qemu_plugin_tb *tb)
{
    TCGOp *op, *next;

    if (!pb_ops_alone() || !pb_ops_begin(tb)) {
        return;
    }
    QTAILQ_FOREACH_SAFE(op, &tcg_ctx->ops, link, next) {
        if (is_value(op)) {
            tcg_op_remove(tcg_ctx, op);
        }
    }
}

/* Whether the access at op calls back `load` or `store`, or both if it is both, and nothing else. */
static bool calls_only(const struct qemu_plugin_insn *insn, const TCGOp *op, PbAccessCallback load, PbAccessCallback store)
{
    const enum qemu_plugin_mem_rw rw = pb_op_rw(op);
    bool calls = false;

    for (guint i = 0; insn->mem_cbs && i < insn->mem_cbs->len; i++) {
        const struct qemu_plugin_dyn_cb *cb = &g_array_index(insn->mem_cbs, struct qemu_plugin_dyn_cb, i);
        if (cb->type != PLUGIN_CB_MEM_REGULAR) {
            return false;
        }
        if (cb->regular.rw & rw) {
            if (cb->regular.f.vcpu_mem != (cb->regular.rw == QEMU_PLUGIN_MEM_R ? load : store)) {
                return false;
            }
            calls = true;
        }
    }
    return calls;
}

enum { TEMPS = 16 }; /* and constants */

static void filter(TCGOp *op, const PbLive *live, const PbQuestion *question)
{
    TCGv_i64 addr;
    TCGLabel *out, *end;

    tcg_ctx->emit_before_op = op;
    /* A copy that lives as far as the call: TCG would save the address itself in memory. */
    addr = tcg_temp_ebb_new_i64();
    tcg_gen_mov_i64(addr, temp_tcgv_i64(arg_temp(op->args[0])));
    pb_live_discard(live, op);
    tcg_ctx->emit_before_op = op;
    op->args[0] = tcgv_i64_arg(addr);
    out = gen_new_label();
    question->branch(op, addr, out);
    tcg_ctx->emit_before_op = QTAILQ_NEXT(op, link);
    if (question->left_out) {
        end = gen_new_label();
        tcg_gen_br(end);
        gen_set_label(out);
        question->left_out(op);
        out = end;
    }
    gen_set_label(out);
    tcg_ctx->emit_before_op = NULL;
    tcg_temp_free_i64(addr); /* for the next access's filter: QEMU's own callbacks, made later, take other temporaries */
}

static void filter_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store, const PbQuestion *question)
{
    const struct qemu_plugin_insn *insn = NULL;
    bool filtered = false;
    size_t begun = 0;
    TCGOp *op, *next;
    PbLive *live;

    if (!pb_ops_alone() || !pb_ops_begin(tb)) {
        return;
    }
    live = pb_live_new(tb);
    tcg_temp_ebb_reset_freed(tcg_ctx); /* temporaries that are free now may be in use elsewhere in the block */
    QTAILQ_FOREACH_SAFE(op, &tcg_ctx->ops, link, next) {
        switch (op->opc) {
        case INDEX_op_insn_start:
            insn = g_ptr_array_index(tb->insns, begun++);
            break;
        case INDEX_op_plugin_mem_cb:
            if (insn && calls_only(insn, op, load, store) && pb_live_label_is_safe(live, op) && pb_ops_room(TEMPS)) {
                filter(op, live, question);
                filtered = true;
            }
            break;
        default:
            if (filtered && pb_op_is_brcond(op)) {
                pb_live_discard(live, op);
            }
            break;
        }
    }
    pb_live_free(live);
}

void pb_filter_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store)
{
    intptr_t at;

    if (pb_watches()) {
        pb_watch_block(tb, load, store);
    }
    if (pb_filter_range_at(0, &at)) {
        filter_block(tb, load, store, &pb_unless_in_range);
    }
}

void pb_access_count_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store)
{
    PbPassedAt at;

    if (pb_access_count_at(0, 0, false, &at)) {
        filter_block(tb, load, store, &pb_if_passes);
    }
}

void pb_hit_filter_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store)
{
    PbHitFilterAt at;

    if (pb_hit_filter_at(0, &at)) {
        filter_block(tb, load, store, &pb_if_hit);
    }
}
