/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ops - the operations of a block that is being translated, and which temporaries are needed after one of them.
 *
 *   if (!pb_ops_alone()) return;              another plugin may want what we leave out
 *   if (!pb_ops_begin(tb)) return;            this block's context; false: this QEMU's TCG is not known (series/translator.h)
 *   PbLive *live = pb_live_new(tb);           after all callbacks are registered, before operations are added
 *   if (pb_live_label_is_safe(live, op)) ...  a label may stand behind op
 *   pb_live_discard(live, op);                says in front of op which temporaries nobody needs: TCG would save them
 *   pb_live_free(live);                       in memory at a branch and at a label
 *   if (!pb_ops_room(n)) return;              n more temporaries could end the translation
 */
#ifndef PB_OPS_H
#define PB_OPS_H

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
PbLive *pb_live_new(const struct qemu_plugin_tb *tb);
void pb_live_free(PbLive *live);
bool pb_live_label_is_safe(const PbLive *live, const TCGOp *op);
void pb_live_discard(const PbLive *live, TCGOp *op);

#endif
