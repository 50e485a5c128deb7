/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TCG's headers as a plugin can use them, and what differs between series of QEMU in the operations of a block. */
#ifndef PB_SERIES_TCG_H
#define PB_SERIES_TCG_H

#include "hw/qemu/series/qemu.h"

/* TCG's inline functions use QEMU's thread-local tcg_ctx. A plugin cannot refer to it weakly, and with a strong reference an
 * emulator that lacks it would end with the dynamic linker's message instead of the load guard's line. So they use a
 * variable of our own, which pb_ops_begin() sets. */
#define tcg_ctx pb_tcg_ctx
#include "tcg/tcg.h"
#include "tcg/tcg-op-common.h"
#include "tcg/tcg-temp-internal.h"

static inline bool pb_op_is_brcond(const TCGOp *op)
{
    return PB_OP_IS_BRCOND(op->opc);
}

/* What the access of a plugin_mem_cb is. Only one bit of its word says so for sure: from 10.2 on that of loads is also one of the MemOp's. */
static inline enum qemu_plugin_mem_rw pb_op_rw(const TCGOp *op)
{
    return qemu_plugin_mem_is_store(op->args[1]) ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_R;
}

/* NULL: the operation goes on with the next one only. */
static inline TCGLabel *pb_op_target(const TCGOp *op)
{
    return op->opc == INDEX_op_br ? arg_label(op->args[0]) : pb_op_is_brcond(op) ? arg_label(op->args[3]) : NULL;
}

static inline bool pb_op_reaches(const TCGOp *op, intptr_t member)
{
    return arg_temp(op->args[1]) == tcgv_ptr_temp(tcg_env) && (intptr_t)op->args[2] == member - (intptr_t)sizeof(CPUState);
}

/* Stores a word, or a byte, into a member of CPUState, by its offset there. */
static inline bool pb_op_stores(const TCGOp *op, intptr_t member)
{
    return PB_OP_IS_STORE(op->opc) && pb_op_reaches(op, member);
}

static inline bool pb_op_stores_byte(const TCGOp *op, intptr_t member)
{
    return PB_OP_IS_STORE_OF_BYTE(op->opc) && pb_op_reaches(op, member);
}

/* Translator - whether this QEMU's TCG is as its headers say, so that operations may be put into its blocks (tcg/ops.h). If it is not, nothing is put
 * there: filters, their ranges, the hit filter and counted blocks are off, and every access calls back.
 *
 *   pb_translator_at_load();             once: its operations, and how large its context is
 *   pb_translator_known()                so far
 *   pb_translator_of_block(tb, s)        when a block is translated, its context set as tcg_ctx: the first one is looked at whole
 */

struct qemu_plugin_tb;
void pb_translator_at_load(void);
bool pb_translator_known(void);
bool pb_translator_of_block(const struct qemu_plugin_tb *tb, const TCGContext *s);

#endif
