/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * window - a second plugin that counts what each vCPU does to each page of a range, in the plainest way, to compare with SMiLE.
 *
 *   -plugin window.so,out=FILE,range=PLACE,size=BYTES[,mark=PLACE]
 *
 * PLACE is a guest-physical address (0x...), or NAME:BAR[:OFFSET] of a PCI device, wherever the guest puts it: NAME is a type that the
 * machine has one of (smile-sci), or an id. tests/guest/README.md says what FILE holds; scripts/studyrun/window.py reads it.
 *
 * An access is counted as its pieces, which hw/sci/README.md defines: loads and stores, and apart from them those of
 * instructions that lock the bus (x86: LOCK, XCHG with memory), whose load is counted when the store has been made. A store to the mark's 4 bytes is no access: FILE gets all counts of
 * that moment, and so it does when the machine ends.
 *
 * It shares nothing with perfboard.so: each access calls a function, which asks QEMU for the physical address. Alone and under
 * icount with several vCPUs it would be wrong: QEMU 10.0 then gives callbacks another vCPU's number. perfboard.so, beside it,
 * keeps the vCPUs' blocks apart.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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

enum { VCPUS = 64, PAGE = 4096, LONGEST = 256 << 20 };
enum { LOADS, STORES, LOCKS, UNLOCKS, KINDS };
#define NOWHERE UINT64_MAX

typedef struct Place {
    char *device; /* NULL: the address is given */
    int bar;
    uint64_t offset;
    void *object;
    uint64_t address; /* NOWHERE: not placed yet */
} Place;

typedef struct Cpu {
    uint64_t (*pages)[KINDS];
    unsigned probes; /* stores of an INS: each second one is its own */
} Cpu;

static Cpu cpus[VCPUS];
static Place range, mark;
static uint64_t size;
static bool marks, x86;
static unsigned marked;
static FILE *out;
static GMutex lock; /* of the file */

/* The plugin API does not tell where a device's memory lies. */
static void *(*resolve_path)(const char *path, bool *ambiguous);
static void *(*resolve_type)(const char *path, const char *type, bool *ambiguous);
static uint64_t (*bar_address)(void *device, int bar);

static void locate(Place *p)
{
    bool ambiguous = false;

    if (!p->device) {
        return;
    }
    if (!p->object) {
        p->object = resolve_path(p->device, &ambiguous);
    }
    if (!p->object) {
        p->object = resolve_type("", p->device, &ambiguous);
    }
    if (p->object) {
        uint64_t at = bar_address(p->object, p->bar);
        __atomic_store_n(&p->address, at == UINT64_MAX ? NOWHERE : at + p->offset, __ATOMIC_RELAXED);
    }
}

static void dump(const char *title)
{
    g_mutex_lock(&lock);
    fprintf(out, "%s\n", title);
    for (unsigned v = 0; v < VCPUS; v++) {
        for (uint64_t page = 0; cpus[v].pages && page < size / PAGE; page++) {
            const uint64_t *n = cpus[v].pages[page];
            if (n[LOADS] || n[STORES] || n[LOCKS] || n[UNLOCKS]) {
                fprintf(out, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", v, page, n[LOADS], n[STORES],
                        n[LOCKS], n[UNLOCKS]);
            }
        }
    }
    fputs(".\n", out);
    fflush(out);
    g_mutex_unlock(&lock);
}

static void is_mark(unsigned vcpu, uint64_t value)
{
    g_autofree char *title = g_strdup_printf("mark %u %u %" PRIu64, marked++, vcpu, value);
    dump(title);
}

static uint64_t value_of(qemu_plugin_meminfo_t info)
{
    qemu_plugin_mem_value v = qemu_plugin_mem_get_value(info);

    switch (v.type) {
    case QEMU_PLUGIN_MEM_VALUE_U8:
        return v.data.u8;
    case QEMU_PLUGIN_MEM_VALUE_U16:
        return v.data.u16;
    case QEMU_PLUGIN_MEM_VALUE_U32:
        return v.data.u32;
    case QEMU_PLUGIN_MEM_VALUE_U64:
        return v.data.u64;
    default:
        return v.data.u128.low;
    }
}

/* The largest power of two, 8 at most, that divides both. */
static unsigned piece_at(uint64_t address, unsigned left)
{
    unsigned piece = 8;

    while (address % piece || left % piece) {
        piece /= 2;
    }
    return piece;
}

/* Within one page. */
static void count(Cpu *c, uint64_t address, unsigned bytes, unsigned kind)
{
    uint64_t begin = __atomic_load_n(&range.address, __ATOMIC_RELAXED), offset = address - begin;

    if (begin == NOWHERE || offset >= size) {
        return;
    }
    if (bytes > 8) { /* two, one of 8 bytes: a load's second, a store's first */
        unsigned half = kind == LOADS || kind == LOCKS ? bytes - 8 : 8;
        count(c, address, half, kind);
        count(c, address + half, bytes - half, kind);
        return;
    }
    for (unsigned piece; bytes; bytes -= piece, offset += piece) {
        piece = piece_at(offset, bytes);
        c->pages[offset / PAGE][kind]++;
    }
}

static void touches(Cpu *c, uint64_t address, unsigned bytes, unsigned kind)
{
    if (kind == UNLOCKS) {
        count(c, address, bytes, LOCKS);
    }
    count(c, address, bytes, kind);
}

static void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, bool store, bool locks)
{
    Cpu *c = &cpus[vcpu];
    unsigned bytes = 1u << qemu_plugin_mem_size_shift(info), first = MIN(bytes, PAGE - vaddr % PAGE);
    unsigned kind = locks ? UNLOCKS : store ? STORES : LOADS;
    struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
    uint64_t at = hw ? qemu_plugin_hwaddr_phys_addr(hw) : NOWHERE;

    if (locks && !store) {
        return;
    }
    if (store && marks && at <= mark.address && mark.address < at + first) {
        is_mark(vcpu, value_of(info));
        return;
    }
    touches(c, at, first, kind);
    if (bytes > first && (hw = qemu_plugin_get_hwaddr(info, vaddr + first))) {
        touches(c, qemu_plugin_hwaddr_phys_addr(hw), bytes - first, kind);
    }
}

/* What a callback knows of its instruction. */
enum { LOCKED = 1, PROBES = 2 };

static void loads(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn)
{
    accessed(vcpu, info, vaddr, false, (uintptr_t)insn & LOCKED);
}

static void stores(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn)
{
    if (!((uintptr_t)insn & PROBES) || ++cpus[vcpu].probes % 2 == 0) {
        accessed(vcpu, info, vaddr, true, (uintptr_t)insn & LOCKED);
    }
}

static void begins(unsigned vcpu, void *insn)
{
    cpus[vcpu].probes = 0;
}

static uintptr_t look_at(struct qemu_plugin_insn *insn)
{
    uint8_t code[16] = { 0 };
    size_t n = qemu_plugin_insn_data(insn, code, sizeof(code) - 1), i = 0;
    uintptr_t found = 0;

    for (; i < n && code[i] && strchr("\xf0\xf2\xf3\x66\x67\x2e\x36\x3e\x26\x64\x65", code[i]); i++) {
        if (code[i] == 0xf0) {
            found |= LOCKED;
        }
    }
    if (code[i] >= 0x40 && code[i] < 0x50 && i + 1 < n) {
        i++;
    }
    if ((code[i] == 0x86 || code[i] == 0x87) && code[i + 1] < 0xc0) {
        found |= LOCKED;
    }
    return code[i] == 0x6c || code[i] == 0x6d ? found | PROBES : found;
}

static void translated PB_PLUGIN_CALLBACK(struct qemu_plugin_tb *tb)
{
    locate(&range);
    locate(&mark);
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uintptr_t what = x86 ? look_at(insn) : 0;

        if (what & PROBES) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, begins, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        qemu_plugin_register_vcpu_mem_cb(insn, loads, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, (void *)what);
        qemu_plugin_register_vcpu_mem_cb(insn, stores, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, (void *)what);
    }
}

static void init PB_PLUGIN_CALLBACK(unsigned vcpu)
{
    if (!cpus[vcpu].pages) {
        cpus[vcpu].pages = g_malloc0(size / PAGE * sizeof(*cpus[vcpu].pages));
    }
}

static void at_exit(void)
{
    dump("end");
    fclose(out);
}

static bool take_place(Place *p, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ":", 3);

    p->address = NOWHERE;
    if (g_str_has_prefix(text, "0x")) {
        p->address = g_ascii_strtoull(text, NULL, 16);
        return true;
    }
    if (!words[0] || !words[1]) {
        return false;
    }
    p->device = g_strdup(words[0]);
    p->bar = atoi(words[1]);
    p->offset = words[2] ? g_ascii_strtoull(words[2], NULL, 0) : 0;
    resolve_path = (void *(*)(const char *, bool *))dlsym(RTLD_DEFAULT, "object_resolve_path");
    resolve_type = (void *(*)(const char *, const char *, bool *))dlsym(RTLD_DEFAULT, "object_resolve_path_type");
    bar_address = (uint64_t(*)(void *, int))dlsym(RTLD_DEFAULT, "pci_get_bar_addr");
    return p->bar >= 0 && p->bar < 6 && resolve_path && resolve_type && bar_address;
}

/* Bytes, or with K, M or G. */
static uint64_t take_size(const char *text)
{
    char *end;
    uint64_t n = g_ascii_strtoull(text, &end, 0);

    return n << (*end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    bool ranged = false;

    for (int i = 0; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        bool good = value != NULL;

        if (good && g_str_has_prefix(argv[i], "out=")) {
            good = (out = fopen(value + 1, "w"));
        } else if (good && g_str_has_prefix(argv[i], "range=")) {
            good = ranged = take_place(&range, value + 1);
        } else if (good && g_str_has_prefix(argv[i], "mark=")) {
            good = marks = take_place(&mark, value + 1);
        } else if (good && g_str_has_prefix(argv[i], "size=")) {
            size = take_size(value + 1);
            good = size && size % PAGE == 0 && size <= LONGEST;
        } else {
            good = false;
        }
        if (!good) {
            fprintf(stderr, "window: what is '%s'?\n", argv[i]);
            return 1;
        }
    }
    if (!out || !ranged || !size || !info->system_emulation || info->system.max_vcpus > VCPUS) {
        fprintf(stderr, "window: out=FILE, range=PLACE, size=BYTES (4K to 256M), up to %d vCPUs\n", VCPUS);
        return 1;
    }
    x86 = g_str_has_prefix(info->target_name, "x86_64") || g_str_has_prefix(info->target_name, "i386");
    qemu_plugin_register_vcpu_init_cb(PB_PLUGIN_ARGS(id, init));
    qemu_plugin_register_vcpu_tb_trans_cb(PB_PLUGIN_ARGS(id, translated));
    atexit(at_exit);
    return 0;
}
