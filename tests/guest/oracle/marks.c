/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * marks - a second plugin that counts instructions between two places of a guest's program, and needs no device for it: what a program
 * costs when no monitor is in the machine, and what it costs when one watches it.
 *
 *   -plugin marks.so,out=FILE
 *
 * A program says where it is by an instruction that does nothing (guest/common/mark.h): nopl 0x50324d4b(%rax) on x86, ori 26,26,0 on
 * POWER. FILE gets a line "PROBLEM PRIVILEGED THREAD" for each that is executed: how many instructions all processors have begun until
 * then, by the state in which they are executed, as the halves of the address space tell; and the thread's pointer to what is its own (FS's
 * base, r13), which tells threads apart. Like QEMU's own plugin insn it counts an instruction when it begins, so one that faults and is
 * executed again twice.
 *
 * For one processor: with several under icount QEMU 10.0 adds to another's counts, and crashes.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include PB_SERIES

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

typedef struct Counts {
    uint64_t problem, privileged;
} Counts;

static struct qemu_plugin_scoreboard *counts;
static qemu_plugin_u64 problem, privileged;
static struct qemu_plugin_register *own; /* of a thread; the same for all vCPUs */
static FILE *out;
static bool power;

static bool is_mark(const struct qemu_plugin_insn *insn)
{
    static const uint8_t nopl[] = { 0x0f, 0x1f, 0x80, 0x4b, 0x4d, 0x32, 0x50 }, ori[] = { 0x00, 0x00, 0x5a, 0x63 };
    uint8_t bytes[sizeof(nopl)];
    const size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

    return power ? size == sizeof(ori) && !memcmp(bytes, ori, size) : size == sizeof(nopl) && !memcmp(bytes, nopl, size);
}

static void on_mark(unsigned int vcpu, void *unused)
{
    g_autoptr(GByteArray) thread = g_byte_array_new();

    qemu_plugin_read_register(own, thread);
    fprintf(out, "%" PRIu64 " %" PRIu64 " ", qemu_plugin_u64_sum(problem), qemu_plugin_u64_sum(privileged));
    for (guint i = 0; i < thread->len; i++) {
        fprintf(out, "%02x", thread->data[i]);
    }
    fputc('\n', out);
}

static void init PB_PLUGIN_CALLBACK(unsigned int vcpu)
{
    g_autoptr(GArray) registers = qemu_plugin_get_registers();

    for (guint i = 0; i < registers->len; i++) {
        const qemu_plugin_reg_descriptor *r = &g_array_index(registers, qemu_plugin_reg_descriptor, i);

        if (!strcmp(r->name, power ? "r13" : "fs_base")) {
            own = r->handle;
        }
    }
    if (!own) {
        fputs("marks: this processor has neither fs_base nor r13\n", stderr);
        exit(1);
    }
}

static void on_block PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const bool high = qemu_plugin_insn_vaddr(insn) >> 63;

        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, high ? privileged : problem, 1);
        if (!high && is_mark(insn)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_R_REGS, NULL);
        }
    }
}

static void at_exit(void)
{
    fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (argc == 1 && g_str_has_prefix(argv[0], "out=")) {
        out = fopen(argv[0] + 4, "w");
    }
    if (!out) {
        fprintf(stderr, "marks: out=FILE\n");
        return 1;
    }
    power = g_str_has_prefix(info->target_name, "ppc");
    counts = qemu_plugin_scoreboard_new(sizeof(Counts));
    problem = qemu_plugin_scoreboard_u64_in_struct(counts, Counts, problem);
    privileged = qemu_plugin_scoreboard_u64_in_struct(counts, Counts, privileged);
    qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(id, init));
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, on_block));
    atexit(at_exit);
    return 0;
}
