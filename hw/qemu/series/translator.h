/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Translator - whether this QEMU's TCG is as its headers say, so that operations may be put into its blocks (tcg/ops.h). If it is not, nothing is put
 * there: filters, their ranges, the hit filter and counted blocks are off, and every access calls back.
 *
 *   pb_translator_at_load();             once: its operations, and how large its context is
 *   pb_translator_known()                so far
 *   pb_translator_of_block(tb, s)        when a block is translated, its context set as tcg_ctx: the first one is looked at whole
 */
#ifndef PB_TRANSLATOR_H
#define PB_TRANSLATOR_H

#include "hw/qemu/series/tcg.h"

struct qemu_plugin_tb;
void pb_translator_at_load(void);
bool pb_translator_known(void);
bool pb_translator_of_block(const struct qemu_plugin_tb *tb, const TCGContext *s);

#endif
