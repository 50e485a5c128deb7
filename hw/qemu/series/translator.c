/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tcg.h"

#define WITHOUT "without filters and counted blocks"

QEMU_BUILD_BUG_ON(TCG_TARGET_REG_BITS != 64);

__thread TCGContext *pb_tcg_ctx; /* tcg.h */
extern TCGContext tcg_init_ctx;

static bool known;

/* Numbers, names, arguments and flags of all: what is needed behind an operation follows from them. */
static bool opcodes_ok(void)
{
    static const TCGOpDef defs[] = {
#define DEF(name, outs, ins, constants, flags) { #name, outs, ins, constants, outs + ins + constants, flags },
#include "tcg/tcg-opc.h"
    };

    if (!pb_inside_bytes(tcg_op_defs, sizeof(defs))) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(defs); i++) {
        const TCGOpDef *a = &defs[i], *b = &tcg_op_defs[i];
        if (strcmp(a->name, b->name) || a->nb_oargs != b->nb_oargs || a->nb_iargs != b->nb_iargs || a->nb_cargs != b->nb_cargs ||
            a->flags != b->flags) {
            return false;
        }
    }
    return true;
}

void pb_translator_at_load(void)
{
    known = pb_inside_faster("opcodes", opcodes_ok(), WITHOUT) &&
            pb_inside_faster("context", pb_inside_bytes(&tcg_init_ctx, sizeof(TCGContext)), WITHOUT);
}

bool pb_translator_known(void)
{
    return qatomic_read(&known);
}

static bool instructions_ok(const struct qemu_plugin_tb *tb)
{
    if (tb->n != qemu_plugin_tb_n_insns(tb) || tb->insns->len < tb->n) {
        return false;
    }
    for (size_t i = 0; i < tb->n; i++) {
        const struct qemu_plugin_insn *insn = g_ptr_array_index(tb->insns, i);
        if (insn != qemu_plugin_tb_get_insn(tb, i) || insn->vaddr != qemu_plugin_insn_vaddr(insn) || insn->len != qemu_plugin_insn_size(insn)) {
            return false;
        }
    }
    return true;
}

/* Each instruction begins once, and QEMU stores in the vCPU whether a device may be accessed (neg.can_do_io). */
static bool operations_ok(const struct qemu_plugin_tb *tb, const TCGContext *s)
{
    TCGTemp *env = tcgv_ptr_temp(tcg_env);
    size_t begun = 0, all = 0;
    bool stores = false;
    TCGOp *op;

    if (s->nb_globals <= 0 || s->nb_temps < s->nb_globals || s->nb_temps > TCG_MAX_TEMPS || env != &s->temps[temp_idx(env)] ||
        env->kind != TEMP_FIXED || (s->temps[s->nb_globals - 1].kind != TEMP_GLOBAL && s->nb_globals > 1) || !s->gen_tb) {
        return false;
    }
    QTAILQ_FOREACH(op, &s->ops, link) {
        if (op->opc >= NB_OPS || ++all > s->nb_ops) {
            return false;
        }
        begun += op->opc == INDEX_op_insn_start;
        stores |= pb_op_stores_byte(op, offsetof(CPUState, neg.can_do_io));
    }
    return begun == tb->n && stores;
}

bool pb_translator_of_block(const struct qemu_plugin_tb *tb, const TCGContext *s)
{
    static gsize tried;

    if (pb_translator_known() && g_once_init_enter(&tried)) {
        if (!pb_inside_faster("block", instructions_ok(tb) && operations_ok(tb, s), WITHOUT)) {
            qatomic_set(&known, false);
        }
        g_once_init_leave(&tried, 1);
    }
    return pb_translator_known();
}
