/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The port: what plugins/ reads of the machine without a call (machine.h has the calls), without a QEMU header.
 *
 * hw/qemu/tcg checks with static assertions that the shapes below are those of the QEMU series it is built against (the
 * load guard refuses any other series).
 *
 * The vCPU's own softmmu TLB holds, for each page it touched lately, the displacement from guest-virtual to host address.
 * Where the page's memory begins in the host tells the physical address, at a sixteenth of the cost of asking the plugin
 * API (0.3 ns against 4.5 ns).
 */
#ifndef PERFBOARD_PLUGINS_PORT_H
#define PERFBOARD_PLUGINS_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include PB_SERIES /* hw/qemu/series/SERIES/series.h: what differs between series */

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
    PB_TLB_WATCHPOINT = 1 << 1, /* of an entry's slow flags */
};

typedef struct PbCpuView {
    void *cpu;               /* CPUState */
    const PbTlbFast *tlb;    /* PB_MMU_MODES of them: PB_TLB_TABLE(mode) */
} PbCpuView;

#define PB_MAX_VCPUS 255 /* what PbMachine::prepare_vcpu() can tell apart */

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

#ifdef __cplusplus
}
#endif
#endif
