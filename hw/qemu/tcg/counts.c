/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts - callbacks that only add to a vCPU's counts are three instructions of translated code instead (plugins/machine.h). Not the plugin API's inline
 * additions: with a thread for each vCPU these look up the vCPU's number and multiply it, 8 instructions; with vCPUs in turn QEMU 10.0 spoils the number. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/ops.h"

enum {
    ASIDE = 0xd40, /* ops.h; behind the blocks' own words (blocks.c), and where no count is at 0xe00 (fetched.c) that is often written */
    TEMPS = 40,    /* one that adds and the constants that are added: sums of a block's instructions */
};

static intptr_t distance; /* from a vCPU's state (ops.h) */

void *pb_counts(unsigned vcpu, size_t bytes)
{
    static bool tried;
    CPUState *cpu = qemu_get_cpu(vcpu);
    PbEnvSpan span;

    if (!tried) {
        tried = true;
        distance = pb_translator_known() && pb_env_span(&span) && bytes <= span.gap ? pb_env_place(&span, ASIDE, bytes) : 0;
    }
    return cpu && distance ? (void *)(pb_env_of(cpu) + distance) : NULL;
}

static void add(const struct qemu_plugin_dyn_cb *cb)
{
    const intptr_t at = distance + pb_count_offset(cb->regular.userp);
    const uint32_t n = pb_count_n(cb->regular.userp);
    TCGv_i64 none;

    if (n) {
        pb_ops_add(at, n);
        return;
    }
    none = tcg_temp_ebb_new_i64();
    tcg_gen_movi_i64(none, 0);
    tcg_gen_st_i64(none, (TCGv_ptr)tcg_env, at);
    tcg_temp_free_i64(none);
}

static const struct qemu_plugin_dyn_cb *callback(const GArray *of, guint i)
{
    return &g_array_index(of, struct qemu_plugin_dyn_cb, i);
}

static void at_start(TCGOp *op, GArray *callbacks, PbInsnCallback start)
{
    tcg_ctx->emit_before_op = op;
    for (guint i = 0; callbacks && i < callbacks->len; i++) {
        const struct qemu_plugin_dyn_cb *cb = callback(callbacks, i);
        if (cb->type == PLUGIN_CB_REGULAR && cb->regular.f.vcpu_udata == start) {
            add(cb);
            g_array_remove_index(callbacks, i--);
        }
    }
    tcg_ctx->emit_before_op = NULL;
}

static bool adds(const struct qemu_plugin_dyn_cb *cb, PbAccessCallback access)
{
    return cb->type == PLUGIN_CB_MEM_REGULAR && cb->regular.f.vcpu_mem == access;
}

/* Whether other callbacks are called for the access at op, too. */
static bool also_calls(const TCGOp *op, const GArray *callbacks, PbAccessCallback access)
{
    const enum qemu_plugin_mem_rw rw = pb_op_rw(op);

    for (guint i = 0; i < callbacks->len; i++) {
        const struct qemu_plugin_dyn_cb *cb = callback(callbacks, i);
        if (!adds(cb, access) && (cb->type != PLUGIN_CB_MEM_REGULAR || cb->regular.rw & rw)) {
            return true;
        }
    }
    return false;
}

/* What helpers access calls back. Beside them an access of the instruction's own does so no more, unless others are to be called there, too; or may be: another
 * plugin looks at the block behind us. */
static void at_access(TCGOp *op, const struct qemu_plugin_insn *insn, PbAccessCallback access)
{
    const enum qemu_plugin_mem_rw rw = pb_op_rw(op);

    if (!insn->mem_cbs || (insn->calls_helpers && (!pb_ops_alone() || also_calls(op, insn->mem_cbs, access)))) {
        return;
    }
    tcg_ctx->emit_before_op = op;
    for (guint i = 0; i < insn->mem_cbs->len; i++) {
        const struct qemu_plugin_dyn_cb *cb = callback(insn->mem_cbs, i);
        if (adds(cb, access) && cb->regular.rw & rw) {
            add(cb);
        }
    }
    tcg_ctx->emit_before_op = NULL;
    if (insn->calls_helpers) {
        tcg_op_remove(tcg_ctx, op);
    }
}

static void drop(struct qemu_plugin_insn *insn, PbAccessCallback access)
{
    for (guint i = 0; insn->mem_cbs && !insn->calls_helpers && i < insn->mem_cbs->len; i++) {
        if (adds(callback(insn->mem_cbs, i), access)) {
            g_array_remove_index(insn->mem_cbs, i--);
        }
    }
}

void pb_count_inline(struct qemu_plugin_tb *tb, PbInsnCallback start, PbAccessCallback access)
{
    struct qemu_plugin_insn *insn = NULL;
    bool starts = false;
    size_t begun = 0;
    TCGOp *op, *next;

    if (!distance || !pb_ops_begin(tb) || !pb_ops_room(TEMPS)) {
        return;
    }
    tcg_temp_ebb_reset_freed(tcg_ctx); /* temporaries that are free now may be in use elsewhere in the block */
    QTAILQ_FOREACH_SAFE(op, &tcg_ctx->ops, link, next) {
        switch (op->opc) {
        case INDEX_op_insn_start:
            insn = g_ptr_array_index(tb->insns, begun++);
            starts = true;
            break;
        case INDEX_op_plugin_cb: /* an instruction's first one is that of its start */
            if (starts) {
                at_start(op, insn->insn_cbs, start);
            }
            starts = false;
            break;
        case INDEX_op_plugin_mem_cb:
            if (insn) {
                at_access(op, insn, access);
            }
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; i < tb->n; i++) {
        drop(g_ptr_array_index(tb->insns, i), access);
    }
}
