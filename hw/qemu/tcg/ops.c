/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/ops.h"

typedef struct Temps {
    DECLARE_BITMAP(bit, TCG_MAX_TEMPS);
} Temps;

struct PbLive {
    GHashTable *sites; /* TCGOp: Temps that are needed behind it (plugin_mem_cb), or by it and behind it (branches) */
};

extern TCGContext **tcg_ctxs;
extern unsigned int tcg_cur_ctxs;
extern struct qemu_plugin_state plugin;

bool pb_ops_alone(void)
{
    const struct qemu_plugin_ctx *first = QTAILQ_FIRST(&plugin.ctxs);
    return first && !QTAILQ_NEXT(first, entry);
}

static TCGContext *context_of(const struct qemu_plugin_tb *tb)
{
    unsigned n = qatomic_read(&tcg_cur_ctxs);

    for (unsigned i = 0; i < n; i++) {
        TCGContext *s = qatomic_read(&tcg_ctxs[i]);
        if (s && s->plugin_tb == tb) {
            return s;
        }
    }
    return NULL;
}

bool pb_ops_begin(const struct qemu_plugin_tb *tb)
{
    if (!pb_translator_known()) {
        return false;
    }
    pb_tcg_ctx = context_of(tb);
    return pb_tcg_ctx && pb_translator_of_block(tb, pb_tcg_ctx);
}

const TranslationBlock *pb_ops_block(const struct qemu_plugin_tb *tb)
{
    const TCGContext *s = context_of(tb);

    pb_inside_needed("translation", s && s->gen_tb);
    return s->gen_tb;
}

bool pb_ops_room(unsigned n)
{
    return tcg_ctx->nb_temps + n <= TCG_MAX_TEMPS;
}

void pb_ops_add(intptr_t from_env, uint64_t n)
{
    TCGv_i64 count = tcg_temp_ebb_new_i64();

    tcg_gen_ld_i64(count, (TCGv_ptr)tcg_env, from_env);
    tcg_gen_addi_i64(count, count, n);
    tcg_gen_st_i64(count, (TCGv_ptr)tcg_env, from_env);
    tcg_temp_free_i64(count);
}

/* A block that is given up in the middle of an instruction, as its next page is not there, leaves plugin_insn set. A block that is then
 * translated without plugins would have operations for plugins that nobody takes out again. TCG does not know these, and QEMU 10.0 ends
 * (signal 11): hostile-given-up does just that. */
void pb_ops_forget(void)
{
    unsigned n = pb_translator_known() ? qatomic_read(&tcg_cur_ctxs) : 0;

    for (unsigned i = 0; i < n; i++) {
        TCGContext *s = qatomic_read(&tcg_ctxs[i]);
        if (s) {
            s->plugin_insn = NULL;
        }
    }
}

typedef struct Walk {
    Temps live;
    GHashTable *labels; /* TCGLabel: Temps */
    bool callbacks;     /* some instruction has callbacks of its own, which may read registers */
} Walk;

static void globals(Temps *live)
{
    bitmap_set(live->bit, 0, tcg_ctx->nb_globals);
}

static bool any_needed(const Temps *live, const TCGOp *op, int outs)
{
    for (int i = 0; i < outs; i++) {
        if (test_bit(temp_idx(arg_temp(op->args[i])), live->bit)) {
            return true;
        }
    }
    return false;
}

/* From what is needed behind the operation to what is needed in front of it. Whatever may leave the block needs all
 * globals, as the guest's registers are among them. */
static void step_back(Walk *w, const TCGOp *op)
{
    const TCGOpDef *def = &tcg_op_defs[op->opc];
    bool call = op->opc == INDEX_op_call;
    int outs = call ? TCGOP_CALLO(op) : def->nb_oargs, ins = call ? TCGOP_CALLI(op) : def->nb_iargs;
    bool pure = !(def->flags & (TCG_OPF_SIDE_EFFECTS | TCG_OPF_BB_EXIT | TCG_OPF_BB_END | TCG_OPF_COND_BRANCH));
    bool leaves = !pure;
    const TCGLabel *target = pb_op_target(op);
    const Temps *there = target ? g_hash_table_lookup(w->labels, target) : NULL;

    if (op->opc == INDEX_op_set_label) {
        g_hash_table_insert(w->labels, arg_label(op->args[0]), g_memdup2(&w->live, sizeof(w->live)));
        return;
    }
    if (op->opc == INDEX_op_plugin_cb) {
        if (w->callbacks) {
            globals(&w->live);
        }
        return;
    }
    if (call) {
        unsigned flags = ((const TCGHelperInfo *)op->args[outs + ins + 1])->flags;
        pure = flags & TCG_CALL_NO_SIDE_EFFECTS;
        leaves = !(flags & TCG_CALL_NO_READ_GLOBALS);
    }
    if (pure && outs && !any_needed(&w->live, op, outs)) {
        return; /* TCG will remove it */
    }
    if (op->opc == INDEX_op_br || (def->flags & TCG_OPF_BB_EXIT)) {
        bitmap_zero(w->live.bit, TCG_MAX_TEMPS);
    }
    for (int i = 0; i < outs; i++) {
        clear_bit(temp_idx(arg_temp(op->args[i])), w->live.bit);
    }
    if (there) {
        bitmap_or(w->live.bit, w->live.bit, there->bit, TCG_MAX_TEMPS);
    } else if (target) {
        bitmap_fill(w->live.bit, TCG_MAX_TEMPS); /* a branch back, to what has not been looked at */
    } else if (leaves) {
        globals(&w->live);
    }
    for (int i = outs; i < outs + ins; i++) {
        set_bit(temp_idx(arg_temp(op->args[i])), w->live.bit);
    }
}

/* One at a time in a thread: what a translation that TCG gave up has left is there for the next one. */
PbLive *pb_live_new(const struct qemu_plugin_tb *tb)
{
    static __thread PbLive kept;
    PbLive *live = &kept;
    Walk w = { .labels = g_hash_table_new_full(NULL, NULL, NULL, g_free) };
    TCGOp *op;

    for (size_t i = 0; i < tb->n; i++) {
        const struct qemu_plugin_insn *insn = g_ptr_array_index(tb->insns, i);
        w.callbacks |= insn->insn_cbs && insn->insn_cbs->len;
    }
    live->sites = live->sites ?: g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_remove_all(live->sites);
    QTAILQ_FOREACH_REVERSE(op, &tcg_ctx->ops, link) {
        if (op->opc == INDEX_op_plugin_mem_cb) {
            g_hash_table_insert(live->sites, op, g_memdup2(&w.live, sizeof(w.live)));
        }
        step_back(&w, op);
        if (pb_op_is_brcond(op)) {
            g_hash_table_insert(live->sites, op, g_memdup2(&w.live, sizeof(w.live)));
        }
    }
    g_hash_table_destroy(w.labels);
    return live;
}

void pb_live_free(PbLive *live)
{
    g_hash_table_remove_all(live->sites);
}

/* TEMP_EBB temporaries do not live across a label. */
bool pb_live_label_is_safe(const PbLive *live, const TCGOp *op)
{
    const Temps *behind = g_hash_table_lookup(live->sites, op);

    for (int i = tcg_ctx->nb_globals; behind && i < tcg_ctx->nb_temps; i++) {
        if (tcg_ctx->temps[i].kind == TEMP_EBB && test_bit(i, behind->bit)) {
            return false;
        }
    }
    return behind;
}

/* TEMP_TB temporaries do, in memory. Those that were given a value since the last label are worth a word. */
void pb_live_discard(const PbLive *live, TCGOp *op)
{
    const Temps *needed = g_hash_table_lookup(live->sites, op);
    Temps done = { 0 };
    TCGOp *at;

    for (at = QTAILQ_PREV(op, link); needed && at && at->opc != INDEX_op_set_label; at = QTAILQ_PREV(at, link)) {
        int outs = at->opc == INDEX_op_call ? TCGOP_CALLO(at) : tcg_op_defs[at->opc].nb_oargs;
        for (int i = 0; i < outs; i++) {
            TCGTemp *t = arg_temp(at->args[i]);
            if (t->kind != TEMP_TB || test_bit(temp_idx(t), needed->bit) || test_and_set_bit(temp_idx(t), done.bit)) {
                continue;
            }
            tcg_ctx->emit_before_op = op;
            if (t->type == TCG_TYPE_I32) {
                tcg_gen_discard_i32(temp_tcgv_i32(t));
            } else if (t->type == TCG_TYPE_I64) {
                tcg_gen_discard_i64(temp_tcgv_i64(t));
            }
            tcg_ctx->emit_before_op = NULL;
        }
    }
}
