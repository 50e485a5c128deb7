/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * empty - a plugin that is called at each access and does nothing: what QEMU's plugin interface costs by itself.
 *
 *   bench-empty.so             at each load and store
 *   bench-empty.so,stores=on   at each store
 */
#include <stdio.h>
#include <string.h>

#include <qemu-plugin.h>

#include PB_SERIES

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static enum qemu_plugin_mem_rw which = QEMU_PLUGIN_MEM_RW;

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
}

static void on_translation PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS, which, NULL);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "stores=on") != 0) {
            fprintf(stderr, "bench-empty: unknown option '%s'; the only one is stores=on\n", argv[i]);
            return -1;
        }
        which = QEMU_PLUGIN_MEM_W;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, on_translation));
    return 0;
}
