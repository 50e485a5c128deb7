/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "qemu/plugin.h"

#include "hw/qemu/tcg/ops.h"
#include "plugins/block_slots.h"
#include "plugins/blocks.h"

bool pb_block_slots(uint32_t n, PbBlockSlots *slots)
{
    return false;
}

void pb_block_count(struct qemu_plugin_tb *tb, uint32_t number, PbBlockBegin begin)
{
}

bool pb_block_again(const struct qemu_plugin_tb *tb)
{
    return pb_ops_begin(tb) && tb_cflags(tcg_ctx->gen_tb) & CF_MEMI_ONLY;
}

bool pb_own_thread(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    return cpu && cpu->created && qemu_cpu_is_self(cpu);
}
