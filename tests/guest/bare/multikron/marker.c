/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * marker - a second plugin that plays a board with a mark register: a store of 'MARK' sets the vCPU's process mark, one of
 * 'UNMA' clears it (pb_event_mark, plugins/events.h).
 *
 *   -plugin perfboard.so -plugin marker.so,perfboard=perfboard.so
 *
 * QEMU calls the plugin that was loaded last first. So this one is called when the store has been made and before it is
 * counted, as a board is. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void (*event_mark)(unsigned vcpu, bool marked, bool storing);

static void on_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *marked)
{
    event_mark(vcpu, marked != NULL, true);
}

/* movl $'MARK', (%esi) and movl $'UNMA', (%esi) */
static const uint8_t sets[] = { 0xc7, 0x06, 'M', 'A', 'R', 'K' }, clears[] = { 0xc7, 0x06, 'U', 'N', 'M', 'A' };

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint8_t code[sizeof(sets)];

        if (qemu_plugin_insn_data(insn, code, sizeof(code)) != sizeof(code)) {
            continue;
        }
        if (!memcmp(code, sets, sizeof(code)) || !memcmp(code, clears, sizeof(code))) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
                                             memcmp(code, sets, sizeof(code)) ? NULL : (void *)sets);
        }
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    void *board;

    if (argc != 1 || strncmp(argv[0], "perfboard=", 10) || !(board = dlopen(argv[0] + 10, RTLD_NOLOAD | RTLD_LAZY))) {
        fprintf(stderr, "marker: perfboard=PATH of the plugin that is loaded already is missing\n");
        return 1;
    }
    event_mark = (void (*)(unsigned, bool, bool))dlsym(board, "pb_event_mark");
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return event_mark ? 0 : 1;
}
