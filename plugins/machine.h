/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machine - all that observation asks of the machine beside QEMU's plugin API, as one table of functions that it is handed. It calls
 * nothing else of the machine: hw/qemu/core/load/load.c hands over QEMU's, tests/unit/plugins/fake_machine.cc a machine made of arrays.
 *
 *   pb_machine_is(&machine);                  once, before anything else here
 *   map = pb_machine.ram_map();
 *
 * What data looks like is in port.h (memory, TLBs), below (a vCPU, filters, fetches) and in block_slots.h (what translated code
 * and observation have in common). Where an access goes is read from these, without a call. None of the functions may be NULL.
 */
#ifndef PERFBOARD_PLUGINS_MACHINE_H
#define PERFBOARD_PLUGINS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/block_slots.h"
#include "plugins/port.h"

/* What the plugin API does not tell the event counters about a vCPU: the context in which it runs, the exceptions
 * and interrupts that are delivered to it, the instructions that it gives up.
 *
 * hw/qemu/tcg/cpu_hooks.c implements it for every architecture, hw/qemu/tcg/<isa> what differs between them.
 * QEMU keeps what a processor does in TCG in a table of functions (TCGCPUOps). A copy with a few functions wrapped
 * takes its place: those for exceptions and interrupts, and restore_state_to_opc, which QEMU calls when it leaves a
 * block in the middle. None of these functions runs often.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbCpuState {
    unsigned vcpu;
    uint64_t pc;   /* virtual address of the instruction that is next, or at hand when a hook is called */
    uint32_t mode; /* how its code is to be read: the architecture's own bits (plugins/isa/<isa>/cpu.h) */
    bool relative;   /* a block may run at other virtual addresses, too: in another page, as far from its beginning */
    bool privileged; /* x86: CPL 0 to 2; POWER: MSR[PR] is 0, hypervisor included */
    bool marked;     /* POWER: MSR[PMM]; x86 has none */
} PbCpuState;

/* Why QEMU gives up an instruction that it has begun. */
typedef enum PbAbandoned {
    PB_FAULTS,
    /* QEMU will begin the instruction again: a board held the vCPU, or QEMU cannot run it in this block. */
    PB_AGAIN,
    /* QEMU will begin the instruction again, in a block where plugins see its accesses but not the instruction. */
    PB_AGAIN_COUNTED,
} PbAbandoned;

/* What the counters are told, in the vCPU's thread. privileged: in which context it was, before. */
typedef struct PbCpuEvents {
    void (*abandoned)(unsigned vcpu, bool privileged, PbAbandoned why); /* the instruction at PbCpuState::pc */
    /* An exception was delivered; if its delivery faulted, the exception that came of that was. */
    void (*exception)(unsigned vcpu, bool privileged);
    void (*interrupt)(unsigned vcpu, bool privileged); /* an interrupt was delivered */
    /* What has changed behind the program's back: an exception or interrupt was delivered, the vCPU was reset or loaded. */
    void (*marked)(unsigned vcpu, bool marked);
    /* Somebody else has changed what the vCPU's TLB may hold: another vCPU, or a hypervisor that QEMU plays. page:
     * address >> PB_PAGE_BITS, or PB_ALL_PAGES. */
    void (*translations)(unsigned vcpu, uint64_t page);
} PbCpuEvents;

#define PB_ALL_PAGES UINT64_MAX
/* A page that a vCPU's TLB has just been filled with. */
typedef struct PbFilledPage {
    PbCpuView view;
    uint64_t page, vaddr; /* guest-physical address >> PB_PAGE_BITS; an address in it */
    uintptr_t entry;      /* its index in the MMU mode's table */
    unsigned vcpu, mmu_mode;
} PbFilledPage;

/* Where accesses to watched pages are so many that the filter costs less, or no longer are. */
typedef struct PbDensity {
    void (*dense)(bool is);     /* big lock held */
    uint64_t (*accesses)(void); /* to marked pages, that taps were told of, ever. Any thread */
} PbDensity;

/* At most so many, as plugins/isa/<isa>/cpu.h numbers an architecture's. */
enum { PB_REGISTERS = 40 };

/* Filter: accesses to pages that nobody marked cost no call. A few translated instructions in front of an access's callback
 * compare the address with a window, and leave the callback out if the address is not in it.
 *
 * A window is of one vCPU and one MMU mode: the virtual addresses from the lowest to the highest page that may be marked
 * (PbMachine::filter_start). A page gets into it when QEMU fills the vCPU's TLB with it; in between, no access can reach the
 * page. So the callback is called too often at worst: for a page between two marked ones.
 *
 * hw/qemu/tcg/filter.c and filter_range.c implement the calls. Where the filter cannot be had, every access calls:
 * another plugin is loaded, which may want what the filter leaves out; vCPUs that could be added later; a place in a block where a
 * label is not safe.
 */

struct qemu_plugin_tb;
typedef void (*PbAccessCallback)(unsigned vcpu, uint32_t info, uint64_t vaddr, void *udata);

/* Puts a filter into the block (PbMachine::filter_block). */
typedef void (*PbBlockFilter)(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store);

/* Where every load and store is a bus cycle that only counts (taps.h): what the filter leaves out is counted there, by vCPU.
 * An access that is not aligned calls: it may cross a page, and be two bus cycles. */
typedef struct PbAccessCount {
    uint64_t loads, stores;
} PbAccessCount;

/* Hit filter (hit_filter.h): accesses that would change nothing in the models cost no call either. Instead of a range a table for each
 * vCPU and MMU mode: where the line of an address has its place there, and its key, the access does without the callback.
 * What fills a vCPU's TLB with a page takes the page's lines out of the table. The key of a line is its address. */
enum { PB_HIT_LINES = 2048 };
#define PB_HIT_NONE UINT64_MAX
typedef struct PbHitLine {
    uint64_t load, store; /* key: loads, or stores, change nothing. PB_HIT_NONE: no such line */
} PbHitLine;
typedef struct PbHitFilter {
    PbHitLine line[PB_HIT_LINES]; /* by the line's number, modulo */
} PbHitFilter;

/* What a callback of a count does, packed into its user data: adds n to the uint64_t that many bytes behind where the vCPU's counts begin. n is 0: clears it. */
static inline void *pb_count_pack(uint16_t offset, uint32_t n)
{
    return (void *)((uintptr_t)n << 16 | offset);
}
static inline uint16_t pb_count_offset(const void *packed)
{
    return (uint16_t)(uintptr_t)packed;
}
static inline uint32_t pb_count_n(const void *packed)
{
    return (uint32_t)((uintptr_t)packed >> 16);
}
static inline void pb_count_add(void *counts, const void *packed)
{
    uint64_t *const count = (uint64_t *)((char *)counts + pb_count_offset(packed));
    const uint32_t n = pb_count_n(packed);

    *count = n ? *count + n : 0;
}
typedef void (*PbInsnCallback)(unsigned vcpu, void *udata);

/* Fetched - the page of instructions that a vCPU looked up last in its instruction TLBs. A block that begins in that page would change
 * nothing in them: translated code compares, and leaves the look-up out.
 *
 * PbFetched::page is a page only as long as it is the newest of its set in each instruction TLB in use: whoever changes one of them writes
 * PB_FETCHED_NONE there. hw/qemu/tcg/fetched.c implements the calls.
 */

#define PB_FETCHED_NONE UINT64_MAX
typedef struct PbFetched {
    uint64_t page; /* virtual address >> PB_PAGE_BITS; PB_FETCHED_NONE: none */
    void *vcpu;    /* for look() */
} PbFetched;

typedef void (*PbFetchLook)(PbFetched *fetched, uint64_t page);

typedef struct PbMachine {
    /* --- vCPUs: what is read of one. cpu: CPUState */

    bool (*cpu_view)(unsigned vcpu, PbCpuView *view); /* in the vCPU's own thread */
    bool (*running_state)(PbCpuState *state);         /* of the vCPU that runs in this thread; at translation: of the block */
    bool (*cpu_state)(void *cpu, PbCpuState *state);
    /* In an access to a device, in the vCPU's thread: the virtual address of the instruction that makes it. False: not known. */
    bool (*access_pc)(void *cpu, uint64_t *pc);
    /* The architecture's registers as plugins/isa/<isa>/cpu.h numbers them. */
    bool (*cpu_registers)(void *cpu, uint64_t registers[PB_REGISTERS]);
    /* A floating-point or vector register by hw/processor/insn.h's number less kFloat0: as many words as it has. POWER: the doubleword that
     * the architecture counts as 0 first. x86: the lowest first; of an x87 register the significand, then sign and exponent. False: empty
     * (x87), or there is none. */
    bool (*cpu_float)(void *cpu, unsigned number, uint64_t words[4]);
    /* True: addresses - fetch: of instructions - are translated, by the tables of this address space (x86: CR3; POWER: PIDR and LPIDR). */
    bool (*address_space)(void *cpu, bool fetch, uint64_t *space);
    /* Reads size bytes of guest memory at a virtual address. Returns how many could be read. */
    size_t (*peek)(void *cpu, uint64_t vaddr, uint8_t *bytes, size_t size);
    bool (*own_thread)(unsigned vcpu); /* whether the caller is in the thread that runs this vCPU */
    bool (*cpu_runs)(void *cpu);       /* whether it may be in a block. Any thread */

    /* --- vCPUs: what they do */

    /* The architecture's name, as isa_named() (plugins/isa/isa.h) takes it; NULL: an unknown one. When there are vCPUs. */
    const char *(*cpu_isa)(void);
    /* Before the vCPUs run; `events` may be there already. What is NULL in it is not told. False: processors that it does not know. */
    bool (*cpu_hook)(const PbCpuEvents *events, unsigned vcpus);
    /* Behind a cpu_hook(): what a processor accesses itself while it delivers an exception or interrupt is told as an instruction's accesses
     * are. NULL: loads, or both, are not. */
    void (*cpu_own_accesses)(PbAccessCallback load, PbAccessCallback store);
    /* This vCPU's instruction changes what all TLBs may hold: the others' translations() is called, each in its vCPU's thread and
     * before its next block. */
    void (*tlb_shootdown)(unsigned vcpu, uint64_t page);
    /* In a vCPU's thread, before its first block. With several vCPUs in turn on one thread (icount,
     * thread=single) blocks are shared, and callbacks get the index of the vCPU that translated the block. A cluster
     * number of its own for each vCPU keeps their blocks apart. (CF_PARALLEL would too, but QEMU then
     * hangs at a misaligned locked instruction: EXCP_ATOMIC finds no instruction budget left.) */
    void (*prepare_vcpu)(unsigned vcpu);
    void (*stop_vcpu)(unsigned vcpu); /* big lock held: it is about to go. When this returns its thread runs no more of it */
    void (*cpu_gone)(unsigned vcpu);  /* it is about to go; another one may have its index */

    /* --- time */

    /* Virtual time, ns, at the end of the instruction after which insns_left more follow in the
     * running block. For callbacks: it reads the instruction counter without changing it. */
    uint64_t (*event_time)(const PbCpuView *view, unsigned insns_left);
    bool (*devices_alone)(void); /* under icount: no vCPU runs while a device works, be it by a timer or by a vCPU's access */

    /* --- memory */

    /* The present map. The caller is a vCPU's thread, or holds the big lock: a map that is replaced lives until such callers
     * are done with it. Before ram_watch() it is empty. */
    const PbRamMap *(*ram_map)(void);
    void (*ram_watch)(void (*changed)(void)); /* from now on there is a map; changed() is told of each new one (big lock held) */
    /* Calls release(p) when no vCPU's thread looks any more at what it has found so far. Big lock held. */
    void (*release_later)(void *p, void (*release)(void *p));
    /* The guest-physical address of the page that a TLB entry is of; entry is its index in the MMU mode's table. */
    uint64_t (*tlb_phys)(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry);
    uint8_t (*tlb_slow_flags)(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry, bool store); /* of a load, or a store */
    /* What the guest's mapping of an address makes of its memory (PbMemory, taps.h); entry: the address's in the MMU mode's table. */
    uint8_t (*memory_type)(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry, uint64_t vaddr);
    /* From now on TLB entries keep the types of those pages that wanted() says yes to (guest-physical page). To be called again
     * when it will say yes to others: the TLBs are filled anew. Without it each look walks the guest's page tables. */
    void (*memory_types)(bool (*wanted)(uint64_t page));
    /* Whether a device's address is the processor's own (x86: its local APIC): such an access is never on the bus. */
    bool (*in_processor)(uint64_t addr);
    /* The guest-physical address of code that the vCPU of this thread is about to run. False: it is not
     * mapped. For translation: it walks page tables. */
    bool (*code_addr)(uint64_t vaddr, uint64_t *addr);
    /* Once, while devices are made: who is to be told of each line of memory that a device reads or writes; any thread, and not of
     * the same line again and again for one access. hw/qemu/core/memory/bus.c says what is seen. */
    void (*bus_open)(void (*moved)(bool write));
    void (*bus_watch)(bool on); /* whether it is told from now on. Big lock held */
    /* There are processor models: they are saved with the machine, and emptied by its reset. Or there are none any more. Big lock held. */
    void (*models_saved)(bool on);

    /* --- blocks: tb is the one that is being translated */

    void (*retranslate)(void);   /* have all blocks translated anew, before the calling vCPU's next block. Any thread */
    bool (*no_blocks_yet)(void); /* no block was translated yet, so none will be thrown away: what is wanted holds at once */
    /* Once: on_block is to see each block that is translated while wanted() says so. It is asked at retranslate(), while no vCPU is in a block. While
     * a plugin sees blocks, QEMU stores the value of each access in them for it: one instruction in thirty. Beside another
     * plugin on_block sees every block. */
    void (*see_blocks)(uint64_t plugin_id, void (*on_block)(struct qemu_plugin_tb *block), bool (*wanted)(void));
    /* The value of each access, which QEMU stores for plugins that ask for it (nobody here does): left out. Unless another
     * plugin is loaded. */
    void (*drop_values)(struct qemu_plugin_tb *tb);

    /* --- the filter in front of accesses */

    /* Once, before the rest. host is NULL for a device's page, whose guest-physical address is addr. */
    void (*filter_start)(bool (*maybe)(const uint8_t *host, uint64_t addr));
    void (*filter_changed)(void); /* pages were marked, or memory lies elsewhere. Any thread */
    /* When all callbacks are registered: the filter in front of those loads for which `load` is registered and nothing else, and stores
     * with `store`. NULL: no loads, or no stores, are filtered. */
    PbBlockFilter filter_block;
    /* Watched pages: accesses to all others cost nothing, in blocks that go through filter_block. wants: which pages those are, loads and
     * stores apart; it is asked when a TLB is filled. NULL: none are any more. While no vCPU is in a block, and all blocks are about to be translated
     * anew. Where it cannot be had nothing happens. */
    void (*watch)(bool (*wants)(const PbFilledPage *page, bool store), const PbDensity *density);
    /* wants() says yes to more pages: for what the calling thread's vCPU accesses next, and if `others` for all others, those of another thread
     * from their next blocks on (big lock held). */
    void (*watch_anew)(bool others);
    PbBlockFilter access_count_block;                /* one that counts what it leaves out */
    bool (*access_count)(unsigned vcpu, PbAccessCount *counts); /* what was left out so far, ever. False: nothing ever is. Any thread */
    void (*access_count_none)(bool on);              /* nothing is left out from now on; false: again. Any thread, one at a time */
    PbBlockFilter hit_filter_block;                  /* one that leaves out hits of the hit filter */
    PbHitFilter *(*hit_filter_table)(unsigned vcpu); /* PB_MMU_MODES of them. NULL: this filter cannot be had */
    void (*hit_filter_lines)(unsigned bits);         /* lines of 1 << bits bytes; 0: none. While no vCPU runs */

    /* --- counts that translated code adds to (pb_count_pack) */

    /* When there are vCPUs: zeroed memory for one's counts, always of as many bytes. NULL: translated code cannot reach it, and count_inline() does nothing. */
    void *(*counts)(unsigned vcpu, size_t bytes);
    /* When all callbacks are registered, before filters: `start`, of instructions, and `access`, of accesses, as operations where the block has room for them. Those of accesses
     * that helpers make stay. */
    void (*count_inline)(struct qemu_plugin_tb *tb, PbInsnCallback start, PbAccessCallback access);

    /* --- fetches */

    void (*fetched_start)(void);           /* once, when there are vCPUs */
    PbFetched *(*fetched)(unsigned vcpu);  /* NULL: it cannot be had, or there is no such vCPU */
    /* look() before the block's first instruction, behind its callbacks, unless PbFetched::page is the page in which the block begins.
     * relative: the block may run in other pages than this one. False: this block needs callbacks. */
    bool (*fetch_page)(struct qemu_plugin_tb *tb, bool relative, uint64_t page, PbFetchLook look);

    /* --- counted blocks (block_slots.h) */

    /* Once, when there are vCPUs: zeroed memory that translated code reaches. False: the slots are to be elsewhere, and the next two are
     * not for them. */
    bool (*block_slots)(PbBlockSlots *slots);
    /* Counts the block at its start; loops: it may follow itself. False: this block has no room for operations of ours, and wants callbacks. */
    bool (*block_count)(struct qemu_plugin_tb *tb, uint32_t number, bool privileged, bool loops, PbBlockBegin begin);
    /* The last instruction's stores (or loads), each, in that slot: those that QEMU makes without a helper. False: as above. */
    bool (*block_count_accesses)(struct qemu_plugin_tb *tb, uint32_t number, bool stores);
    /* The block is executed again for an access's sake: its instructions are counted already. */
    bool (*block_again)(const struct qemu_plugin_tb *tb);
} PbMachine;

/* Not seen outside the object, so that a call through it is one instruction, as any other call is. */
extern PbMachine pb_machine __attribute__((visibility("hidden")));
void pb_machine_is(const PbMachine *machine);

#ifdef __cplusplus
}
#endif
#endif
