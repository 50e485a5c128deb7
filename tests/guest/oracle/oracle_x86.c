/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * oracle_x86 - a second plugin that counts what POWER2's monitors count on x86, in the plainest way, to compare with them.
 *
 *   -plugin oracle_x86.so,out=FILE,pm10=instructions,pm11=branches,pm5=loads:user,pm6=stores:kernel[,bits=64]
 *
 * pm0 to pm21 are counters of each processor's own monitor. They count while MMCR(DIS) is 0, from what was written to them. When a
 * processor loads 32 bits from one of its own, FILE gets a line "NUMBER VALUE": 100 for each processor, from 100 on, and the counter's
 * number; what the oracle has counted. The guest says what it has read.
 *
 * It shares nothing with perfboard.so: each instruction and each access calls a function, no inline counter is used, and faults
 * are not heard of but seen. An instruction is counted when it begins. If the one that begins next
 *   - follows it: it has completed
 *   - is the same: a repeated string instruction has made an iteration if ECX has changed, and a branch to itself has
 *     completed; else QEMU has given it up and begins it again. It is taken back, with its accesses
 *   - is another, and the stack holds what a fault pushes, with the instruction's own address: it is taken back; accesses
 *     that it has made before it faulted were made. What is left on a stack can look like that (Linux 6.12's system calls begin at
 *     a random place of theirs): so the flags are looked at, too, and a direct branch that came to its target has completed; of an
 *     indirect one, which leaves the stack pointer or moves it by a word, the frame must lie where the processor would have begun it
 * Where an instruction accesses a device in the middle of a block, QEMU makes it again without beginning it again: so a second
 * load of MOVS and POP is not counted. One flat stack, 32-bit code, or 64-bit code (bits=64) of user and kernel; under icount, where QEMU begins
 * each iteration of a string instruction anew. */
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

enum { VCPUS = 64, COUNTERS = 22, MMCR = 0, FIRST_COUNTER = 4 };
enum kind { INSTRUCTIONS, LOADS, STORES, BRANCHES, KINDS };
static const char *const names[KINDS] = { "instructions", "loads", "stores", "branches" };
enum { USER = 1, KERNEL = 2, ANY = USER | KERNEL, CONTEXTS };
#define DIS 0x80000000u

typedef struct Insn {
    uint64_t pc;
    unsigned bytes;
    unsigned context; /* the code segment's privilege is part of what a block is translated for */
    bool branch, repeated, probes, copies, locked, image;
    unsigned parts; /* so many of QEMU's accesses are one */
    unsigned more;  /* loads that QEMU leaves out, behind its third of 2 bytes */
    bool direct, to_itself;
    uint64_t target; /* of a direct branch */
} Insn;

typedef struct Cpu {
    uint64_t total[CONTEXTS][KINDS]; /* [USER], [KERNEL] */
    const Insn *last;
    unsigned accesses[KINDS]; /* of the last one: LOADS, STORES */
    uint64_t count;           /* ECX, when it began */
    uint64_t stack;           /* the stack pointer, when it began; of an indirect branch only */
    unsigned stores;          /* of an INS: the first of two is TCG's own */
    unsigned parts, halves;   /* of the last one: accesses, loads of 2 bytes */
    uint64_t image;           /* where the last one's image begins */
    bool on;
    uint64_t counted[CONTEXTS][KINDS]; /* until it was switched off; or on, then less the totals of that moment */
    uint64_t base[COUNTERS];  /* what a counter is more than that */
} Cpu;

static Cpu cpus[VCPUS];
static struct { bool used; enum kind kind; unsigned contexts; } monitors[COUNTERS];
static bool wide; /* 64-bit code */
static struct qemu_plugin_register *rcx, *rsp, *cs; /* the same for all vCPUs */
static FILE *out;
static GMutex lock; /* of the file */

static uint64_t read_register(struct qemu_plugin_register *which)
{
    g_autoptr(GByteArray) array = g_byte_array_new();
    uint64_t value = 0;

    qemu_plugin_read_register(which, array);
    memcpy(&value, array->data, MIN(array->len, wide ? 8 : 4));
    return value;
}

/* Address, code segment of its privilege, flags: bit 1 is always set, those from 22 on never. */
static bool is_frame(const uint64_t *word, const Insn *insn)
{
    return word[0] == insn->pc && word[1] - 1 < 0xffff && (word[1] & 3) == (insn->context == USER ? 3 : 0) &&
           (word[2] & 2) && !(word[2] >> 22);
}

static bool is_indirect(const Insn *insn)
{
    return insn->branch && !insn->direct;
}

/* Where a frame of this many words begins, if it is on the stack of what is interrupted. */
static uint64_t frame_below(uint64_t stack, int words)
{
    return wide ? (stack & ~15ull) - 8 * words : stack - 4 * words;
}

/* With an error code above them or without. */
static bool has_faulted(const Cpu *c, const Insn *insn)
{
    g_autoptr(GByteArray) array = g_byte_array_new();
    const uint64_t stack = read_register(rsp);
    const bool own = is_indirect(insn) && insn->context == KERNEL;
    const int words = wide ? 5 : 3;
    uint64_t word[4] = { 0 };
    size_t bytes = wide ? 8 : 4;

    if (!qemu_plugin_read_memory_vaddr(stack, array, 4 * bytes)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        memcpy(&word[i], array->data + i * bytes, bytes);
    }
    return (is_frame(word, insn) && (!own || stack == frame_below(c->stack, words))) ||
           (is_frame(word + 1, insn) && (!own || stack == frame_below(c->stack, words + 1)));
}

static void settle(Cpu *c, uint64_t pc)
{
    const Insn *last = c->last;
    bool again;

    if (!last || pc == last->pc + last->bytes || (last->repeated && read_register(rcx) != c->count)) {
        return;
    }
    again = pc == last->pc;
    if (last->to_itself || (last->direct && pc == last->target) || !(again || has_faulted(c, last))) {
        return;
    }
    c->total[last->context][INSTRUCTIONS]--;
    c->total[last->context][BRANCHES] -= last->branch;
    if (again || last->locked || last->parts) { /* a locked instruction's accesses are one */
        c->total[last->context][LOADS] -= c->accesses[LOADS];
        c->total[last->context][STORES] -= c->accesses[STORES];
    }
}

static void begins(unsigned vcpu, void *data)
{
    Cpu *c = &cpus[vcpu];
    const Insn *insn = data;

    settle(c, insn->pc);
    c->last = insn;
    c->accesses[LOADS] = c->accesses[STORES] = c->stores = c->parts = c->halves = 0;
    c->count = insn->repeated ? read_register(rcx) : 0;
    c->stack = is_indirect(insn) ? read_register(rsp) : 0;
    c->total[insn->context][INSTRUCTIONS]++;
    c->total[insn->context][BRANCHES] += insn->branch;
}

/* --- the monitor ---------------------------------------------------------------- */

static uint64_t counted(const Cpu *c, unsigned counter)
{
    enum kind kind = monitors[counter].kind;
    uint64_t sum = 0;

    for (unsigned context = USER; context <= KERNEL; context++) {
        if (monitors[counter].contexts & context) {
            sum += c->counted[context][kind] + (c->on ? c->total[context][kind] : 0);
        }
    }
    return sum;
}

/* Of the own monitor: the offset; or -1. */
static int is_monitor(qemu_plugin_meminfo_t info, uint64_t vaddr)
{
    struct qemu_plugin_hwaddr *hw;
    uint64_t at = vaddr & 0xfff;

    if (at >= FIRST_COUNTER + 4 * COUNTERS || qemu_plugin_mem_size_shift(info) != 2) {
        return -1;
    }
    hw = qemu_plugin_get_hwaddr(info, vaddr);
    return hw && !(qemu_plugin_hwaddr_phys_addr(hw) & 0x1f000) && is_of(hw, "power2") ? (int)at : -1;
}

static void is_read(unsigned vcpu, unsigned counter)
{
    const Cpu *c = &cpus[vcpu];

    if (monitors[counter].used) {
        g_mutex_lock(&lock);
        fprintf(out, "%u %" PRIu32 "\n", 100 * (vcpu + 1) + counter,
                (uint32_t)(counted(c, counter) + c->base[counter]));
        g_mutex_unlock(&lock);
    }
}

/* The instruction that writes MMCR is counted if it ends the counting; its access if it begins it. */
static void is_written(unsigned vcpu, unsigned at, uint32_t value)
{
    Cpu *c = &cpus[vcpu];
    bool on = !(value & DIS);

    if (at >= FIRST_COUNTER) {
        unsigned counter = (at - FIRST_COUNTER) / 4;
        c->base[counter] = value - counted(c, counter);
    } else if (on != c->on) {
        for (int k = 0; k < KINDS; k++) {
            for (unsigned context = USER; context <= KERNEL; context++) {
                c->counted[context][k] += on ? -c->total[context][k] : c->total[context][k];
            }
        }
        c->on = on;
    }
}

static void loads(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    const Insn *insn = data;
    Cpu *c = &cpus[vcpu];
    int at = is_monitor(info, vaddr);

    if ((c->accesses[LOADS] && insn->copies) || (insn->parts && c->parts++ % insn->parts)) {
        return;
    }
    if (insn->more && qemu_plugin_mem_size_shift(info) == 1 && ++c->halves == 3) {
        c->total[insn->context][LOADS] += insn->more;
        c->accesses[LOADS] += insn->more;
    }
    if (at >= FIRST_COUNTER) {
        is_read(vcpu, (at - FIRST_COUNTER) / 4);
    }
    c->total[insn->context][LOADS]++;
    c->accesses[LOADS]++;
}

/* FXSAVE's opcode, and six bytes behind each of eight registers of ten. */
static bool is_reserved(uint64_t at)
{
    return at == 6 || (at >= 32 && at < 160 && at % 16 >= 10);
}

static void stores(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
    const Insn *insn = data;
    Cpu *c = &cpus[vcpu];
    int at = is_monitor(info, vaddr);

    if (!c->accesses[STORES]) {
        c->image = vaddr;
    }
    if ((insn->image && is_reserved(vaddr - c->image)) || (insn->probes && ++c->stores % 2 == 1) || (insn->parts && c->parts++ % insn->parts)) {
        return;
    }
    if (at >= 0) {
        is_written(vcpu, at, qemu_plugin_mem_get_value(info).data.u32);
    }
    c->total[insn->context][STORES]++;
    c->accesses[STORES]++;
}

/* --- translation ------------------------------------------------------------------ */

static bool is_branch(const uint8_t *code)
{
    unsigned reg = code[1] >> 3 & 7;

    switch (code[0]) {
    case 0x0f:
        return code[1] >> 4 == 8;
    case 0x9a: case 0xc2: case 0xc3: case 0xca: case 0xcb: case 0xcf: case 0xe8: case 0xe9: case 0xea: case 0xeb:
        return true;
    case 0xff:
        return reg >= 2 && reg <= 5;
    default:
        return code[0] >> 4 == 7 || (code[0] >= 0xe0 && code[0] <= 0xe3);
    }
}

/* Bytes of the displacement, the instruction's last, of a near branch that has one; or 0. */
static unsigned displacement(const uint8_t *code)
{
    if (code[0] >> 4 == 7 || (code[0] >= 0xe0 && code[0] <= 0xe3) || code[0] == 0xeb) {
        return 1;
    }
    return code[0] == 0xe8 || code[0] == 0xe9 || (code[0] == 0x0f && code[1] >> 4 == 8) ? 4 : 0;
}

static bool is_string(uint8_t opcode)
{
    return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

/* By definition (plugins/HELPED.md): ten bytes of BCD are two accesses, bytes that a mask selects one; what is restored of the x87's
 * state has pointers, too, and what is saved neither opcode nor reserved bytes, which QEMU 11.1.3 stores. Not what AVX masks. */
static void find_helped(Insn *insn, const uint8_t *code)
{
    unsigned modrm = code[0] == 0x0f ? code[2] : code[1], reg = modrm >> 3 & 7;

    insn->image = modrm < 0xc0 && code[0] == 0x0f && code[1] == 0xae && (reg == 0 || reg == 4 || reg == 6);
    if (code[0] == 0x0f && code[1] == 0xf7) {
        insn->parts = 16;
    } else if (modrm < 0xc0 && code[0] == 0xdf && (reg == 4 || reg == 6)) {
        insn->parts = 8;
    } else if (modrm < 0xc0 && (code[0] == 0xd9 || code[0] == 0xdd) && reg == 4) {
        insn->more = 4;
    } else if (modrm < 0xc0 && code[0] == 0x0f && code[1] == 0xae && (reg == 1 || reg == 5)) {
        insn->more = 2;
    }
}

static void look_at(Insn *insn, const uint8_t *code)
{
    size_t i = 0;
    bool repeats = false, locks = false;
    unsigned bytes;

    for (; code[i] && strchr("\xf0\xf2\xf3\x66\x67\x2e\x36\x3e\x26\x64\x65", code[i]); i++) {
        repeats |= code[i] == 0xf2 || code[i] == 0xf3;
        locks |= code[i] == 0xf0;
    }
    if (wide && code[i] >> 4 == 4) {
        i++; /* REX */
    }
    insn->branch = is_branch(code + i);
    insn->repeated = repeats && is_string(code[i]);
    find_helped(insn, code + i);
    insn->locked = locks || ((code[i] & 0xfe) == 0x86 && code[i + 1] < 0xc0);
    insn->probes = code[i] == 0x6c || code[i] == 0x6d;
    insn->copies = code[i] == 0xa4 || code[i] == 0xa5 || code[i] == 0x8f;
    bytes = displacement(code + i);
    if (bytes && insn->bytes >= i + bytes + 1) {
        int32_t by = (int8_t)code[insn->bytes - 1];
        if (bytes == 4) {
            memcpy(&by, code + insn->bytes - 4, 4);
        }
        insn->direct = true;
        insn->target = insn->pc + insn->bytes + by;
        insn->target = wide ? insn->target : (uint32_t)insn->target;
        insn->to_itself = bytes == 1 && insn->target == insn->pc;
    }
}

static void translated PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    unsigned context = (read_register(cs) & 3) == 3 ? USER : KERNEL;

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        Insn *known = g_new0(Insn, 1);
        uint8_t code[16] = { 0 };

        qemu_plugin_insn_data(insn, code, sizeof(code) - 1);
        known->context = context;
        known->pc = qemu_plugin_insn_vaddr(insn);
        known->bytes = qemu_plugin_insn_size(insn);
        look_at(known, code);
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
        if (!strcmp(r->name, "rcx")) {
            rcx = r->handle;
        } else if (!strcmp(r->name, "rsp")) {
            rsp = r->handle;
        } else if (!strcmp(r->name, "cs")) {
            cs = r->handle;
        }
    }
    if (!rcx || !rsp || !cs) {
        fputs("oracle_x86: this processor has no registers rcx, rsp and cs: it is for qemu-system-x86_64\n", stderr);
        exit(1);
    }
}

static void at_exit(void)
{
    fclose(out);
}

/* EVENT[:user|:kernel] */
static bool take_monitor(const char *number, const char *event)
{
    g_auto(GStrv) words = g_strsplit(event, ":", 2);
    unsigned long n = strtoul(number, NULL, 10);

    for (int k = 0; n < COUNTERS && k < KINDS; k++) {
        if (!strcmp(words[0], names[k])) {
            monitors[n].used = true;
            monitors[n].kind = k;
            monitors[n].contexts = !words[1] ? ANY : !strcmp(words[1], "user") ? USER : !strcmp(words[1], "kernel") ? KERNEL : 0;
            return monitors[n].contexts;
        }
    }
    return false;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        bool good = value != NULL;

        if (good && g_str_has_prefix(argv[i], "out=")) {
            good = (out = fopen(value + 1, "w"));
        } else if (good && g_str_has_prefix(argv[i], "pm")) {
            good = take_monitor(argv[i] + 2, value + 1);
        } else if (good && g_str_has_prefix(argv[i], "bits=")) {
            wide = !strcmp(value + 1, "64");
            good = wide || !strcmp(value + 1, "32");
        } else {
            good = false;
        }
        if (!good) {
            fprintf(stderr, "oracle_x86: what is '%s'?\n", argv[i]);
            return 1;
        }
    }
    if (!out || info->system.max_vcpus > VCPUS) {
        fprintf(stderr, "oracle_x86: out=FILE, up to %d vCPUs\n", VCPUS);
        return 1;
    }
    qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(id, init));
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, translated));
    atexit(at_exit);
    return 0;
}
