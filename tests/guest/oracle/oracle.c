/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * oracle - a second plugin that counts what MULTIKRON's event sources and POWER2's monitors count, in the plainest way, to compare
 * with them.
 *
 *   -plugin oracle.so,out=FILE,ext0=instructions:0,ext1=loads:user:0,...
 *   -plugin oracle.so,out=FILE,pm10=instructions,pm5=loads,...
 *
 * ext0 to ext15 are as MULTIKRON's properties. Whenever an instruction loads 64 bits from one of the card's counters, FILE gets a
 * line "COUNTER VALUE": what the oracle has counted until then. pm0 to pm21 are the counters of POWER2's monitors: when a processor
 * loads 32 bits from one of its own, the line's number is that of the counter and 100 for each processor, from 100 on; what it
 * has counted is that processor's. The guest says what it has read, and a script compares the differences between loads of the same counter.
 *
 * It shares nothing with perfboard.so: each instruction and each access calls a function, no inline counter is used, and
 * faults are not heard of but seen. An instruction is counted when it begins. If the one that begins next
 *   - follows it, or it was a branch or scv (which leaves SRR0 alone): it has completed
 *   - is the same: QEMU has given it up and begins it again. It is taken back, with its accesses
 *   - is another: an exception or interrupt was taken. SRR0 says whether to go back to the instruction (it is
 *     taken back) or behind it (it has completed). If it was an interrupt that found the instruction given up, its
 *     accesses are taken back too; an instruction that faults has made its earlier accesses
 * POWER only: it knows instructions of four bytes in either byte order (Linux calls RTAS in the other), branches by their code, and
 * SRR0.
 *
 * Accesses that QEMU makes without telling plugins (load and store multiple and string, dcbz, in RAM) are counted by definition
 * (plugins/events.h): a word each, what is left in a half and a byte; dcbz is 16 stores of 8 bytes.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#include PB_SERIES

#include "device.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { VCPUS = 64, INPUTS = 16, COUNTERS = 22 };
enum kind { INSTRUCTIONS, LOADS, STORES, BRANCHES, KINDS };
static const char *const names[KINDS] = { "instructions", "loads", "stores", "branches" };
enum { USER, KERNEL, CONTEXTS };
static const char *const context_names[CONTEXTS] = { "user", "kernel" };

typedef struct Insn {
    uint64_t pc;
    bool branch, loads_nothing, atomic;
    bool once; /* QEMU accesses each byte */
    bool goes; /* elsewhere, and has completed then: branches, scv */
    unsigned context; /* MSR[PR] is part of what a block is translated for */
    /* QEMU tells of its accesses or not, as it happens: they are counted when it has completed. */
    bool untold;
    unsigned accesses[KINDS]; /* untold: LOADS, STORES */
} Insn;

typedef struct Cpu {
    uint64_t total[CONTEXTS][KINDS];
    const Insn *last;
    unsigned accesses[KINDS]; /* of the last one: LOADS, STORES */
} Cpu;

static Cpu cpus[VCPUS];
typedef struct Input {
    bool used;
    enum kind kind;
    unsigned contexts; /* a set */
    int vcpu;          /* -1: all */
} Input;
static Input inputs[INPUTS], monitors[COUNTERS];
static struct qemu_plugin_register *srr0, *msr; /* the same for all vCPUs */
static FILE *out;
static GMutex lock; /* of the file */

static bool is_interrupt(uint64_t vector)
{
    switch (vector & 0xfff) {
    case 0x100: case 0x200: case 0x500: case 0x900: case 0x980: case 0xa00: case 0xe60: case 0xe80: case 0xea0: case 0xf00:
        return true;
    default:
        return false;
    }
}

/* Of the running vCPU. The API has a register's bytes in the guest's byte order. */
static void read_register(struct qemu_plugin_register *which, uint8_t bytes[8])
{
    g_autoptr(GByteArray) array = g_byte_array_new();

    qemu_plugin_read_register(which, array);
    memcpy(bytes, array->data, 8);
}

/* MSR[LE] is the last bit. In the first byte of a big-endian MSR that bit is reserved and 0. */
static bool little_endian(uint64_t *value)
{
    uint8_t bytes[8];
    bool little;

    read_register(msr, bytes);
    little = bytes[0] & 1;
    *value = 0;
    for (int i = 0; i < 8; i++) {
        *value = *value << 8 | bytes[little ? 7 - i : i];
    }
    return little;
}

static uint64_t read_srr0(void)
{
    uint64_t value;
    bool little = little_endian(&value);
    uint8_t bytes[8];

    read_register(srr0, bytes);
    value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[little ? 7 - i : i];
    }
    return value;
}

static void completed(Cpu *c, const Insn *insn)
{
    c->total[insn->context][LOADS] += insn->accesses[LOADS];
    c->total[insn->context][STORES] += insn->accesses[STORES];
}

static void settle(Cpu *c, uint64_t pc)
{
    const Insn *last = c->last;
    bool again, interrupt;

    if (!last) {
        return;
    }
    if (last->goes || pc == last->pc + 4) {
        completed(c, last);
        return;
    }
    again = pc == last->pc;
    interrupt = !again && is_interrupt(pc);
    if (again || read_srr0() == last->pc) {
        uint64_t *total = c->total[last->context];
        total[INSTRUCTIONS]--;
        if (again || interrupt || last->atomic || last->once) { /* the accesses of an atomic one are one */
            total[LOADS] -= c->accesses[LOADS];
            total[STORES] -= c->accesses[STORES];
        }
    } else {
        completed(c, last);
    }
}

static void begins(unsigned vcpu, void *data)
{
    Cpu *c = &cpus[vcpu];
    const Insn *insn = data;

    settle(c, insn->pc);
    c->last = insn;
    c->accesses[LOADS] = c->accesses[STORES] = 0;
    c->total[insn->context][INSTRUCTIONS]++;
    c->total[insn->context][BRANCHES] += insn->branch;
}

/* vcpu: -1 for all. */
static void counter_is_read(unsigned number, const Input *input, int vcpu)
{
    uint64_t sum = 0;

    if (!input->used) {
        return;
    }
    for (int i = 0; i < VCPUS; i++) {
        for (unsigned context = 0; context < CONTEXTS; context++) {
            if ((vcpu < 0 || vcpu == i) && input->contexts >> context & 1) {
                sum += cpus[i].total[context][input->kind];
            }
        }
    }
    g_mutex_lock(&lock);
    fprintf(out, "%u %" PRIu64 "\n", number, sum);
    g_mutex_unlock(&lock);
}

/* MULTIKRON's counters are at 0x100 of the window with 8 bytes for each address; those of a processor's own monitor at 4. */
static void device_is_read(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr)
{
    unsigned shift = qemu_plugin_mem_size_shift(info);
    struct qemu_plugin_hwaddr *hw = NULL;
    uint64_t at = vaddr & 0xfff;

    if ((at < 0x100 && shift == 2) || (at < 0x180 && shift == 3)) {
        hw = qemu_plugin_get_hwaddr(info, vaddr);
    }
    if (!hw) {
        return;
    }
    if (at >= 0x100 && shift == 3 && is_of(hw, "multikron-8")) {
        counter_is_read((at - 0x100) / 8, &inputs[(at - 0x100) / 8], inputs[(at - 0x100) / 8].vcpu);
    }
    if (at >= 4 && at < 4 + 4 * COUNTERS && shift == 2 && !(qemu_plugin_hwaddr_phys_addr(hw) & 0x1f000) && is_of(hw, "power2")) {
        counter_is_read((at - 4) / 4 + 100 * (vcpu + 1), &monitors[(at - 4) / 4], vcpu);
    }
}

static void loads(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    Cpu *c = &cpus[vcpu];
    const Insn *insn = data;

    if (insn->loads_nothing || insn->untold || (insn->once && c->accesses[LOADS])) {
        return;
    }
    device_is_read(vcpu, info, vaddr);
    c->total[insn->context][LOADS]++;
    c->accesses[LOADS]++;
}

static void stores(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    const Insn *insn = data;

    if (!insn->untold && !(insn->once && cpus[vcpu].accesses[STORES])) {
        cpus[vcpu].total[insn->context][STORES]++;
        cpus[vcpu].accesses[STORES]++;
    }
}

/* Branches, and the returns from interrupts. */
static bool is_branch(uint32_t code)
{
    unsigned minor = code >> 1 & 0x3ff;

    switch (code >> 26) {
    case 16: /* bc */
    case 18: /* b */
        return true;
    case 19: /* bclr, bcctr, bctar; rfid, rfscv, hrfid */
        return minor == 16 || minor == 528 || minor == 560 || minor == 18 || minor == 82 || minor == 274;
    default:
        return false;
    }
}

/* QEMU loads, the processor does not: stwcx. and its like of 1, 2, 4, 8 and 16 bytes; dcbst, dcbf, icbi */
static bool loads_nothing(uint32_t code)
{
    unsigned minor = code >> 1 & 0x3ff;
    return code >> 26 == 31 && (minor == 694 || minor == 726 || minor == 150 || minor == 214 || minor == 182 ||
                                minor == 54 || minor == 86 || minor == 982);
}

/* lwat, ldat, stwat, stdat */
static bool is_atomic(uint32_t code)
{
    unsigned minor = code >> 1 & 0x3ff;
    return code >> 26 == 31 && (minor == 582 || minor == 614 || minor == 710 || minor == 742);
}

/* Load and store vector with length: lxvl, lxvll, stxvl, stxvll */
static bool has_length(uint32_t code)
{
    unsigned minor = code >> 1 & 0x3ff;
    return code >> 26 == 31 && (minor == 269 || minor == 301 || minor == 397 || minor == 429);
}

/* Load and store multiple and string immediate, dcbz. */
static void find_untold(Insn *insn, uint32_t code)
{
    unsigned register_ = code >> 21 & 31, bytes = code >> 11 & 31, minor = code >> 1 & 0x3ff;
    unsigned words = bytes ? bytes / 4 + (bytes % 4 + 1) / 2 : 8; /* a rest of three is a half and a byte */

    insn->untold = true;
    if (code >> 26 == 46) {
        insn->accesses[LOADS] = 32 - register_;
    } else if (code >> 26 == 47) {
        insn->accesses[STORES] = 32 - register_;
    } else if (code >> 26 == 31 && minor == 597) {
        insn->accesses[LOADS] = words;
    } else if (code >> 26 == 31 && minor == 725) {
        insn->accesses[STORES] = words;
    } else if (code >> 26 == 31 && minor == 1014) { /* dcbz */
        insn->accesses[STORES] = 16;
    } else {
        insn->untold = false;
    }
}

static uint32_t code_of(struct qemu_plugin_insn *insn, bool little)
{
    uint8_t b[4] = { 0 };

    qemu_plugin_insn_data(insn, b, sizeof(b));
    return little ? (uint32_t)b[3] << 24 | b[2] << 16 | b[1] << 8 | b[0]
                  : (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static void translated PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    uint64_t now;
    bool little = little_endian(&now);

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t code = code_of(insn, little);
        Insn *known = g_new(Insn, 1);

        *known = (Insn){ .pc = qemu_plugin_insn_vaddr(insn), .branch = is_branch(code), .loads_nothing = loads_nothing(code),
                         .atomic = is_atomic(code), .once = has_length(code), .goes = is_branch(code) || (code & 0xfc000003) == 0x44000001,
                         .context = now >> 14 & 1 ? USER : KERNEL };
        find_untold(known, code);
        qemu_plugin_register_vcpu_insn_exec_cb(insn, begins, QEMU_PLUGIN_CB_R_REGS, known);
        qemu_plugin_register_vcpu_mem_cb(insn, loads, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, known);
        qemu_plugin_register_vcpu_mem_cb(insn, stores, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, known);
    }
}

static void init PB_PLUGIN_CALLBACK(unsigned vcpu)
{
    g_autoptr(GArray) registers = qemu_plugin_get_registers();

    for (guint i = 0; i < registers->len; i++) {
        qemu_plugin_reg_descriptor *r = &g_array_index(registers, qemu_plugin_reg_descriptor, i);
        if (!strcmp(r->name, "srr0")) {
            srr0 = r->handle;
        } else if (!strcmp(r->name, "msr")) {
            msr = r->handle;
        }
    }
    if (!srr0 || !msr) {
        fputs("oracle: this processor has no registers srr0 and msr: it is for POWER\n", stderr);
        exit(1);
    }
}

static void at_exit(void)
{
    fclose(out);
}

/* EVENT[:user|:kernel][:VCPU]; other sources are not compared. */
static bool take_input(Input *list, unsigned most, const char *number, const char *source)
{
    g_auto(GStrv) words = g_strsplit(source, ":", -1);
    unsigned long n = strtoul(number, NULL, 10);

    if (n >= most || !words[0]) {
        return false;
    }
    list[n].contexts = (1 << CONTEXTS) - 1;
    list[n].vcpu = -1;
    for (int k = 0; k < KINDS; k++) {
        if (!strcmp(words[0], names[k])) {
            list[n].used = true;
            list[n].kind = k;
        }
    }
    for (char **word = words + 1; *word; word++) {
        for (unsigned context = 0; context < CONTEXTS; context++) {
            if (!strcmp(*word, context_names[context])) {
                list[n].contexts = 1 << context;
            }
        }
        if (g_ascii_isdigit(**word)) {
            list[n].vcpu = atoi(*word);
        }
    }
    return true;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        bool good = value != NULL;

        if (good && g_str_has_prefix(argv[i], "out=")) {
            out = fopen(value + 1, "w");
        } else if (good && g_str_has_prefix(argv[i], "ext")) {
            good = take_input(inputs, INPUTS, argv[i] + 3, value + 1);
        } else if (good && g_str_has_prefix(argv[i], "pm")) {
            good = take_input(monitors, COUNTERS, argv[i] + 2, value + 1);
        } else {
            good = false;
        }
        if (!good) {
            fprintf(stderr, "oracle: what is '%s'?\n", argv[i]);
            return 1;
        }
    }
    if (!out || info->system.max_vcpus > VCPUS) {
        fprintf(stderr, "oracle: out=FILE, up to %d vCPUs\n", VCPUS);
        return 1;
    }
    qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(id, init));
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, translated));
    atexit(at_exit);
    return 0;
}
