/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "exec/memop.h"
#include "exec/memopidx.h"
#include "qemu/plugin.h"
#include "qemu/qemu-plugin.h"

#include "hw/qemu/core/vcpu/vcpu.h"


/* What a memory callback is told of an access: the MMU mode in bits 0-3, log2 of the size in bits 4-6, a store in bit 17. QEMU's
 * headers make the word, QEMU itself and plugins/access.h take it apart. */
bool pb_info_word_ok(void)
{
    for (unsigned mode = 0; mode < PB_MMU_MODES; mode++) {
        for (unsigned size = MO_8; size <= MO_128; size++) {
            MemOpIdx index = make_memop_idx(size | MO_BE, mode);
            qemu_plugin_meminfo_t load = make_plugin_meminfo(index, QEMU_PLUGIN_MEM_R);
            qemu_plugin_meminfo_t store = make_plugin_meminfo(index, QEMU_PLUGIN_MEM_W);

            if ((store & (PB_MMU_MODES - 1)) != mode || (store >> 4 & 7) != size || qemu_plugin_mem_size_shift(store) != size ||
                !qemu_plugin_mem_is_store(store) || qemu_plugin_mem_is_store(load)) {
                return false;
            }
        }
    }
    return true;
}
