/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The port: all that plugins/ knows of QEMU beside its plugin API, without a QEMU header.
 *
 * hw/qemu/tcg implements it and checks with static assertions that the shapes below are
 * those of the QEMU series it is built against (the load guard refuses any other series).
 *
 * The vCPU's own softmmu TLB holds, for each page it touched lately, the displacement from guest-virtual to host address.
 * Where the page's memory begins in the host tells the physical address, at a sixteenth of the cost of asking the plugin
 * API (0.3 ns against 4.5 ns).
 */
#ifndef PERFBOARD_PLUGINS_PORT_H
#define PERFBOARD_PLUGINS_PORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbTlbEntry {
    uintptr_t addr_read, addr_write, addr_code, addend;
} PbTlbEntry;

typedef struct PbTlbFast {
    uintptr_t mask; /* (entries - 1) << PB_TLB_ENTRY_BITS */
    const PbTlbEntry *table;
} PbTlbFast;

enum {
    PB_PAGE_BITS = 12,
    PB_TLB_ENTRY_BITS = 5,
    PB_TLB_INVALID = 1 << (PB_PAGE_BITS - 1),
    PB_TLB_MMIO = 1 << (PB_PAGE_BITS - 3),
    PB_MMU_MODES = 16,
};

typedef struct PbCpuView {
    void *cpu;               /* CPUState */
    const PbTlbFast *tlb;    /* PB_MMU_MODES of them */
} PbCpuView;

#define PB_MAX_VCPUS 255 /* what pb_prepare_vcpu can tell apart */

/* The vCPU (CPUState) whose execution loop the calling thread is in; NULL: none. */
void *pb_running_cpu(void);
bool pb_cpu_view(unsigned vcpu, PbCpuView *view); /* in the vCPU's own thread */

/* Virtual time, ns, at the end of the instruction after which insns_left more follow in the
 * running block. For callbacks: it reads the instruction counter without changing it. */
uint64_t pb_event_time(const PbCpuView *view, unsigned insns_left);

/* Guest memory that accesses reach without a device: RAM, ROM, a board's RAM behind a BAR. */
typedef struct PbRamPiece {
    const uint8_t *host;
    uint64_t bytes;
    uint64_t addr; /* guest-physical */
    bool cached;   /* the machine's own memory; the rest of the bus is uncached */
} PbRamPiece;

/* The largest cached piece stands first, the others by address. Pieces that lie in the host as far from each other as in
 * the guest are one, with the hole between them. An address that is in two is of the one that stands first and is smaller. */
typedef struct PbRamMap {
    uint32_t count;
    PbRamPiece piece[];
} PbRamMap;

/* The present map. The caller is a vCPU's thread, or holds the big lock: a map that is replaced lives until such callers
 * are done with it. Before pb_ram_watch() it is empty. */
const PbRamMap *pb_ram_map(void);
/* From now on there is a map; changed() is told of each new one (big lock held). */
void pb_ram_watch(void (*changed)(void));

/* Calls release(p) when no vCPU's thread looks any more at what it has found so far. Big lock held. */
void pb_release_later(void *p, void (*release)(void *p));

/* Whether the word that tells of an access has the bits that plugins/access.h takes for MMU mode and size. For the load guard. */
bool pb_info_word_ok(void);

/* The guest-physical address of the page that a TLB entry is of; entry is its index in the MMU mode's table. */
uint64_t pb_tlb_phys(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry);
/* What the guest's mapping of an address makes of its memory (PbMemory, taps.h); entry: the address's in the MMU mode's table. */
uint8_t pb_memory_type(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry, uint64_t vaddr);
/* From now on TLB entries keep the types of those pages that wanted() says yes to (guest-physical page). To be called again
 * when it will say yes to others: the TLBs are filled anew. Without it each look walks the guest's page tables. */
void pb_memory_types(bool (*wanted)(uint64_t page));
/* Whether a device's address is the processor's own (x86: its local APIC): such an access is never on the bus. */
bool pb_in_processor(uint64_t addr);

/* The guest-physical address of code that the vCPU of this thread is about to run. False: it is not
 * mapped. For translation: it walks page tables. */
bool pb_code_addr(uint64_t vaddr, uint64_t *addr);

/* Under icount: no vCPU runs while a device works, be it by a timer or by a vCPU's access. */
bool pb_devices_alone(void);

/* There are processor models: they are saved with the machine, and emptied by its reset. Or there are none any more. Big lock held. */
void pb_models_saved(bool on);

/* Have all blocks translated anew, before the calling vCPU's next block. Any thread. */
void pb_retranslate(void);
/* No block was translated yet, so none will be thrown away: what is wanted holds at once. */
bool pb_no_blocks_yet(void);
/* Once: on_block is to see each block that is translated while wanted() says so. It is asked at pb_retranslate(). While
 * a plugin sees blocks, QEMU stores the value of each access in them for it: one instruction in thirty. Beside another
 * plugin on_block sees every block. */
struct qemu_plugin_tb;
void pb_see_blocks(uint64_t plugin_id, void (*on_block)(uint64_t plugin_id, struct qemu_plugin_tb *block), bool (*wanted)(void));
/* In a vCPU's thread, before its first block. With several vCPUs in turn on one thread (icount,
 * thread=single) blocks are shared, and callbacks get the index of the vCPU that translated the block. A cluster
 * number of its own for each vCPU keeps their blocks apart. (CF_PARALLEL would too, but QEMU then
 * hangs at a misaligned locked instruction: EXCP_ATOMIC finds no instruction budget left.) */
void pb_prepare_vcpu(unsigned vcpu);
/* Big lock held: a vCPU is about to go. When this returns its thread runs no more of it. */
void pb_stop_vcpu(unsigned vcpu);

#ifdef __cplusplus
}
#endif
#endif
