/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which instructions call back while pages are watched (watch.c): those that have ever accessed one, and those whose helpers might.
 * QEMU keeps for its helpers whether the instruction under way calls back (plugin_mem_cbs). So of each that does it is said that it has helpers. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "hw/qemu/tcg/ops.h"

/* Instructions that have made such an access, by their virtual addresses: a bit for several. One too many has a callback more. */
enum { SEEN_BITS = 18 };
static unsigned long seen[BITS_TO_LONGS(1 << SEEN_BITS)];

static unsigned long bit_of(vaddr pc)
{
    return (pc * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SEEN_BITS);
}

void pb_watch_calls(vaddr pc)
{
    set_bit_atomic(bit_of(pc), seen);
}

static bool is_one(const GArray *calls, guint i, PbAccessCallback load, PbAccessCallback store)
{
    const struct qemu_plugin_dyn_cb *cb = &g_array_index(calls, struct qemu_plugin_dyn_cb, i);
    return cb->type == PLUGIN_CB_MEM_REGULAR && (cb->regular.f.vcpu_mem == load || cb->regular.f.vcpu_mem == store);
}

static void drop_calls(GArray *calls, PbAccessCallback load, PbAccessCallback store)
{
    for (guint i = 0; calls && i < calls->len; i++) {
        if (is_one(calls, i, load, store)) {
            g_array_remove_index(calls, i--);
        }
    }
}

static bool calls_others(const GArray *calls, PbAccessCallback load, PbAccessCallback store)
{
    for (guint i = 0; calls && i < calls->len; i++) {
        if (!is_one(calls, i, load, store)) {
            return true;
        }
    }
    return false;
}

/* accesses: how many operations of the instruction access memory. */
static void watch_insn(struct qemu_plugin_insn *insn, unsigned accesses, bool last, PbAccessCallback load, PbAccessCallback store)
{
    /* The last one in a block accesses a device at once. It would do so again if its second access were to make it begin anew. And QEMU takes any
     * callback in the block for a helper of the last one's: whoever it calls, then, must be all. */
    insn->calls_helpers |= test_bit(bit_of(insn->vaddr), seen) || (last && (accesses > 1 || calls_others(insn->mem_cbs, load, store)));
    if (!insn->calls_helpers) {
        drop_calls(insn->mem_cbs, load, store);
    } else if (!insn->mem_cbs || !insn->mem_cbs->len) { /* nobody is told. But a block is not given up for a helper: not all can begin anew */
        qemu_plugin_register_vcpu_mem_cb(insn, store, QEMU_PLUGIN_CB_NO_REGS, 0, NULL);
    }
}

void pb_watch_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store)
{
    unsigned accesses = 0;
    size_t begun_insns = 0;
    TCGOp *op;

    if (!pb_ops_begin(tb)) {
        pb_inside_needed("translation", !pb_translator_known());
        pb_watch_never();
        return;
    }
    QTAILQ_FOREACH(op, &tcg_ctx->ops, link) {
        if (op->opc == INDEX_op_insn_start) {
            if (begun_insns) {
                watch_insn(g_ptr_array_index(tb->insns, begun_insns - 1), accesses, false, load, store);
            }
            begun_insns++;
            accesses = 0;
        } else if (op->opc == INDEX_op_plugin_mem_cb) {
            accesses++;
        }
    }
    watch_insn(g_ptr_array_index(tb->insns, begun_insns - 1), accesses, true, load, store);
}
