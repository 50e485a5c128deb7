/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbCpuView - what the observer reads of a vCPU, without a QEMU header.
 *
 * hw/qemu/tcg/cpu_view.c fills it in and checks with static assertions that the shapes below are
 * those of the QEMU series it is built against (the load guard refuses any other series).
 *
 * The vCPU's own softmmu TLB holds, for each page it touched lately, the displacement from
 * guest-virtual to host address; minus the start of guest RAM that is the physical address,
 * at a sixteenth of the cost of asking the plugin API (0.3 ns against 4.5 ns).
 */
#ifndef PERFBOARD_PLUGINS_CPU_VIEW_H
#define PERFBOARD_PLUGINS_CPU_VIEW_H

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

/* Guest RAM that is one piece in the host: the machine's. No bytes: it is not one piece. */
typedef struct PbRam {
    const uint8_t *host;
    uint64_t bytes;
    uint64_t below_4g; /* offsets from here on are at 4 GiB and up in guest-physical space */
} PbRam;
PbRam pb_machine_ram(void);

/* Where an access went, asked of the plugin API. False: it does not know. */
typedef struct PbTarget {
    uint64_t addr;     /* guest-physical */
    bool is_io;        /* a device's registers, not memory */
    bool in_processor; /* the local APIC's page: never on the bus */
} PbTarget;
bool pb_target(uint32_t meminfo, uint64_t vaddr, PbTarget *target);

/* Have all blocks translated anew, before the calling vCPU's next block. Any thread. */
void pb_retranslate(void);
/* In a vCPU's thread, before its first block. With several vCPUs in turn on one thread (icount,
 * thread=single) blocks are shared, and callbacks get the index of the vCPU that translated the block. A cluster
 * number of its own for each vCPU keeps their blocks apart. (CF_PARALLEL would too, but QEMU then
 * hangs at a misaligned locked instruction: EXCP_ATOMIC finds no instruction budget left.) */
void pb_prepare_vcpu(unsigned vcpu);

#ifdef __cplusplus
}
#endif
#endif
