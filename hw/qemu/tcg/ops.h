/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ops - the operations of a block that is being translated, and which temporaries are needed after one of them.
 *
 *   if (!pb_ops_alone()) return;              another plugin may want what we leave out
 *   if (!pb_ops_begin(tb)) return;            this block's context; false: this QEMU's TCG is not known (series/tcg.h)
 *   PbLive *live = pb_live_new(tb);           after all callbacks are registered, before operations are added
 *   if (pb_live_label_is_safe(live, op)) ...  a label may stand behind op
 *   pb_live_discard(live, op);                says in front of op which temporaries nobody needs: TCG would save them
 *   pb_live_free(live);                       in memory at a branch and at a label
 *   if (!pb_ops_room(n)) return;              n more temporaries could end the translation
 */
#ifndef PB_OPS_H
#define PB_OPS_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/series/tcg.h"

typedef struct PbLive PbLive;

bool pb_ops_alone(void);
bool pb_ops_begin(const struct qemu_plugin_tb *tb);
/* The block that is being translated; nothing may be put into it. */
const TranslationBlock *pb_ops_block(const struct qemu_plugin_tb *tb);
/* Nobody translates: before blocks are translated without plugins. */
void pb_ops_forget(void);
/* Whether n more temporaries and constants fit into the block. If not, TCG would leave the translation by a long jump, past whatever its callers
 * hold, and translate fewer instructions. */
bool pb_ops_room(unsigned n);
/* Adds n to the uint64_t at that distance from env: three instructions. Where operations are added now. */
void pb_ops_add(intptr_t from_env, uint64_t n);
PbLive *pb_live_new(const struct qemu_plugin_tb *tb);
void pb_live_free(PbLive *live);
bool pb_live_label_is_safe(const PbLive *live, const TCGOp *op);
void pb_live_discard(const PbLive *live, TCGOp *op);

/* Env-relative - memory of ours that translated code reaches as it reaches a vCPU's state (env): at a distance that is the same for all vCPUs,
 * since they share blocks, and that fits into the 31 bits of an operation.
 *
 *   if (!pb_env_span(&span)) return;            vCPUs could be added where there never were any, or are of several kinds
 *   distance = pb_env_place(&span, aside, bytes);      0: there is no room
 */

/* Where the states of the vCPUs are. */
typedef struct PbEnvSpan {
    uintptr_t first, last;
    size_t gap; /* the least distance between two; SIZE_MAX: there is one */
} PbEnvSpan;

static inline uintptr_t pb_env_of(CPUState *cpu)
{
    return (uintptr_t)cpu + sizeof(*cpu);
}

/* Where it is true no vCPU comes later: one that the guest ejects leaves a place, but QEMU 10.0 has as many contexts of TCG as the machine
 * has places, and gives none a second time (tcg_register_thread). */
bool pb_env_span(PbEnvSpan *span);
/* Zeroed memory from first + distance to last + distance + bytes. Within a page it lies `aside` bytes behind env: where translated code
 * writes often, that is not to be where guest registers are, nor what comes before env. Processors tell loads from stores before
 * them by the low 12 bits of their addresses first, and wait where these are equal. (Blocks ran at half the speed.) */
intptr_t pb_env_place(const PbEnvSpan *span, size_t aside, size_t bytes);

#endif
