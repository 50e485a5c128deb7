/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/ops.h"

#include "exec/helper-head.h.inc"

enum { ASIDE = 0xe00 }; /* ops.h; not where blocks.c has its word */

static intptr_t distance; /* from a vCPU's state to its PbFetched (ops.h). 0: there is none */

void pb_fetched_start(void)
{
    PbEnvSpan span;
    CPUState *cpu;
    intptr_t place;

    if (distance || !pb_translator_known() || !pb_env_span(&span)) {
        return;
    }
    place = pb_env_place(&span, ASIDE, sizeof(PbFetched));
    if (!place) {
        return;
    }
    CPU_FOREACH(cpu) {
        ((PbFetched *)(pb_env_of(cpu) + place))->page = PB_FETCHED_NONE;
    }
    /* Last: another vCPU's translator may look at any moment. */
    qatomic_store_release(&distance, place);
}

PbFetched *pb_fetched(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    return distance && cpu ? (PbFetched *)(pb_env_of(cpu) + distance) : NULL;
}

/* Behind the callbacks of the first instruction. */
static TCGOp *behind_callbacks(void)
{
    bool begun = false;
    TCGOp *op;

    QTAILQ_FOREACH(op, &tcg_ctx->ops, link) {
        begun |= op->opc == INDEX_op_insn_start;
        if (begun && op->opc == INDEX_op_plugin_cb) {
            return QTAILQ_NEXT(op, link);
        }
    }
    g_assert_not_reached();
}

static TCGv_i64 page_of(bool relative, uint64_t page)
{
    TCGv_i64 pc = tcg_temp_ebb_new_i64();

    if (!relative) {
        tcg_gen_movi_i64(pc, page);
        return pc;
    }
    if (pb_cpu_kind->pc_bytes == sizeof(uint32_t)) {
        tcg_gen_ld32u_i64(pc, (TCGv_ptr)tcg_env, pb_cpu_kind->pc_at);
    } else {
        tcg_gen_ld_i64(pc, (TCGv_ptr)tcg_env, pb_cpu_kind->pc_at);
    }
    tcg_gen_shri_i64(pc, pc, PB_PAGE_BITS);
    return pc;
}

/* What is not the usual way stands behind the block's last operation, as in pb_block_count(). */
bool pb_fetch_page(struct qemu_plugin_tb *tb, bool relative, uint64_t page, PbFetchLook look)
{
    static TCGHelperInfo info = {
        .flags = TCG_CALL_NO_RWG,
        .typemask = dh_typemask(void, 0) | dh_typemask(ptr, 1) | dh_typemask(i64, 2),
    };
    enum { TEMPS = 16 }; /* and constants, of all that follows */
    TCGLabel *otherwise, *looked;
    TCGv_i64 here, last;
    TCGv_ptr fetched;

    if (!qatomic_load_acquire(&distance) || !pb_ops_begin(tb)) {
        return false;
    }
    if (relative && (!pb_cpu_kind->pc_bytes || tcg_ctx->gen_tb->cs_base)) {
        return false;
    }
    if (pb_block_again(tb)) {
        return true; /* no callback would be called */
    }
    if (!pb_ops_room(TEMPS)) {
        return false;
    }
    tcg_temp_ebb_reset_freed(tcg_ctx); /* temporaries that are free now may be in use elsewhere in the block */
    otherwise = gen_new_label();
    looked = gen_new_label();
    tcg_ctx->emit_before_op = behind_callbacks();
    last = tcg_temp_ebb_new_i64();
    tcg_gen_ld_i64(last, (TCGv_ptr)tcg_env, distance + offsetof(PbFetched, page));
    if (relative) {
        here = page_of(relative, page);
        tcg_gen_brcond_i64(TCG_COND_NE, here, last, otherwise);
        tcg_temp_free_i64(here);
    } else {
        tcg_gen_brcond_i64(TCG_COND_NE, last, tcg_constant_i64(page), otherwise);
    }
    tcg_temp_free_i64(last);
    gen_set_label(looked);
    tcg_ctx->emit_before_op = NULL;

    gen_set_label(otherwise);
    fetched = tcg_temp_ebb_new_ptr();
    tcg_gen_addi_ptr(fetched, tcg_env, distance);
    here = page_of(relative, page);
    tcg_gen_call2(look, &info, NULL, tcgv_ptr_temp(fetched), tcgv_i64_temp(here));
    tcg_temp_free_i64(here);
    tcg_temp_free_ptr(fetched);
    tcg_gen_br(looked);
    return true;
}
