/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/ops.h"

#include "exec/helper-head.h.inc"

QEMU_BUILD_BUG_ON(sizeof(PbBlockSlot) != 32 || sizeof(PbBlockFirst) != sizeof(PbBlockSlot));
QEMU_BUILD_BUG_ON(offsetof(PbBlockFirst, word) != 0 || sizeof(PbBlockWord) != 8 || offsetof(PbBlockWord, state) != 0);

enum {
    FEWEST_SLOTS = 8192,
    ASIDE = 0xd00, /* ops.h */
};

static intptr_t distance; /* from a vCPU's state to its first chunk (ops.h) */
static PbBlockSlots near_slots;

static size_t log2_of(size_t n)
{
    return 63 - clz64(n);
}

/* A chunk is smaller than the least distance between two vCPUs' states: so the next vCPU's begins behind it. */
static bool place(const PbEnvSpan *span, uint32_t slots)
{
    PbBlockSlots *s = &near_slots;
    size_t chunk = MIN(pow2floor(span->gap), slots * sizeof(PbBlockSlot)), chunks = slots * sizeof(PbBlockSlot) / chunk;

    s->slots = slots;
    s->shift = log2_of(chunk / sizeof(PbBlockSlot));
    s->stride = ROUND_UP(span->last - span->first + chunk, sizeof(PbBlockSlot));
    distance = pb_env_place(span, ASIDE, chunks * s->stride);
    return distance;
}

bool pb_block_slots(PbBlockSlots *slots)
{
    g_autofree char **start = NULL;
    PbEnvSpan span;
    CPUState *cpu;
    unsigned cpus = 0;
    int last = 0;

    CPU_FOREACH(cpu) {
        cpus++;
        last = MAX(last, cpu->cpu_index);
    }
    if (!pb_translator_known() || !pb_env_span(&span) || cpus != last + 1u) { /* the guest has ejected one */
        return false;
    }
    for (uint32_t n = pow2floor(slots->slots); !distance; n /= 2) {
        if (n < FEWEST_SLOTS) {
            return false;
        }
        place(&span, n);
    }
    start = g_new0(char *, last + 1);
    CPU_FOREACH(cpu) {
        start[cpu->cpu_index] = (char *)pb_env_of(cpu) + distance;
    }
    near_slots.start = g_steal_pointer(&start);
    *slots = near_slots;
    return true;
}

/* From a vCPU's state. */
static intptr_t offset_of(uint32_t number)
{
    const PbBlockSlots *s = &near_slots;
    return distance + (number >> s->shift) * s->stride + (number & ((1u << s->shift) - 1)) * sizeof(PbBlockSlot);
}

/* Where the block's own callbacks go. */
static TCGOp *start_of_block(void)
{
    TCGOp *op;

    QTAILQ_FOREACH(op, &tcg_ctx->ops, link) {
        if (op->opc == INDEX_op_plugin_cb) {
            return op;
        }
    }
    g_assert_not_reached();
}

/* The block begins with the state that is expected in the word there, or goes to `otherwise`. */
static void take_expected(intptr_t at, intptr_t word, TCGLabel *otherwise)
{
    TCGv_i32 state = tcg_temp_ebb_new_i32(), expected = tcg_temp_ebb_new_i32();
    TCGv_i64 exit;

    tcg_gen_ld_i32(state, (TCGv_ptr)tcg_env, word + offsetof(PbBlockWord, state));
    tcg_gen_ld_i32(expected, (TCGv_ptr)tcg_env, at + offsetof(PbBlockSlot, expected));
    tcg_gen_brcond_i32(TCG_COND_NE, state, expected, otherwise);
    tcg_temp_free_i32(state);
    tcg_temp_free_i32(expected);
    exit = tcg_temp_ebb_new_i64();
    tcg_gen_ld_i64(exit, (TCGv_ptr)tcg_env, at + offsetof(PbBlockSlot, exit));
    tcg_gen_st_i64(exit, (TCGv_ptr)tcg_env, word);
    tcg_temp_free_i64(exit);
}

/* Temporaries and constants of what follows. */
enum { COUNT_TEMPS = 24 };

/* What is not the usual way stands behind the block's last operation, so that the usual way has no jump. */
bool pb_block_count(struct qemu_plugin_tb *tb, uint32_t number, bool privileged, bool loops, PbBlockBegin begin)
{
    static TCGHelperInfo info = {
        .flags = TCG_CALL_NO_RWG,
        .typemask = dh_typemask(void, 0) | dh_typemask(ptr, 1) | dh_typemask(i32, 2),
    };
    const intptr_t at = offset_of(number), word = distance + offsetof(PbBlockFirst, word[privileged]);
    TCGLabel *otherwise, *counted, *another = NULL, *again = NULL;
    TCGv_i32 last;
    TCGv_ptr first;

    if (!pb_ops_begin(tb) || !pb_ops_room(COUNT_TEMPS)) {
        return false;
    }
    tcg_temp_ebb_reset_freed(tcg_ctx); /* temporaries that are free now may be in use elsewhere in the block */
    otherwise = gen_new_label();
    counted = gen_new_label();
    tcg_ctx->emit_before_op = start_of_block();
    if (loops) {
        another = gen_new_label();
        again = gen_new_label();
        last = tcg_temp_ebb_new_i32();
        tcg_gen_ld_i32(last, (TCGv_ptr)tcg_env, word + offsetof(PbBlockWord, slot));
        tcg_gen_brcond_i32(TCG_COND_NE, last, tcg_constant_i32(number), another);
        tcg_temp_free_i32(last);
        gen_set_label(again);
    } else {
        take_expected(at, word, otherwise);
    }
    pb_ops_add(at + offsetof(PbBlockSlot, count), 1);
    gen_set_label(counted);
    tcg_ctx->emit_before_op = NULL;

    if (loops) {
        gen_set_label(another);
        take_expected(at, word, otherwise);
        tcg_gen_br(again);
    }
    gen_set_label(otherwise);
    first = tcg_temp_ebb_new_ptr();
    tcg_gen_addi_ptr(first, tcg_env, distance);
    tcg_gen_call2(begin, &info, NULL, tcgv_ptr_temp(first), tcgv_i32_temp(tcg_constant_i32(number)));
    tcg_temp_free_ptr(first);
    tcg_gen_br(counted);
    return true;
}

bool pb_block_count_accesses(struct qemu_plugin_tb *tb, uint32_t number, bool stores)
{
    size_t begun = 0;
    TCGOp *op;

    if (!pb_ops_begin(tb) || !pb_ops_room(COUNT_TEMPS)) {
        return false;
    }
    tcg_temp_ebb_reset_freed(tcg_ctx);
    QTAILQ_FOREACH(op, &tcg_ctx->ops, link) {
        begun += op->opc == INDEX_op_insn_start;
        if (op->opc == INDEX_op_plugin_mem_cb && begun == tb->n && qemu_plugin_mem_is_store(op->args[1]) == stores) {
            tcg_ctx->emit_before_op = op;
            pb_ops_add(offset_of(number) + offsetof(PbBlockSlot, count), 1);
            tcg_ctx->emit_before_op = NULL;
        }
    }
    return true;
}

bool pb_block_again(const struct qemu_plugin_tb *tb)
{
    return tb_cflags(pb_ops_block(tb)) & CF_MEMI_ONLY;
}

bool pb_cpu_runs(void *cpu)
{
    return qatomic_read(&((CPUState *)cpu)->running);
}

bool pb_own_thread(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    return cpu && cpu->created && qemu_cpu_is_self(cpu);
}
