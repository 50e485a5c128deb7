/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a tap tells of an access (plugins/taps.h), for a board that answers the access itself:
 *
 *   static MemTxResult my_read(void *opaque, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
 *       CPUState *cpu = pb_accessing_cpu();                 (stall.h) NULL: no instruction makes the access
 *       PbAccessKind kind = pb_access_kind(cpu, attrs);
 *
 * The region's pages must be marked for a tap that asked for memory types (pb_tap_pages(), pb_tap_types()); its level may be
 * PB_TAP_NOTHING. The instruction under way may make several accesses. hw/qemu/tcg/memory_type.c implements it. */
#ifndef PERFBOARD_QEMU_ACCESS_KIND_H
#define PERFBOARD_QEMU_ACCESS_KIND_H

#include "exec/memattrs.h"
#include "hw/core/cpu.h"

#include "plugins/taps.h"

typedef struct PbAccessKind {
    bool locked; /* the instruction locks the bus */
    /* QEMU's loads, or stores, are not the processor's: no transaction. A load of POWER's conditional store, for example. */
    bool hides_loads, hides_stores;
    uint8_t type; /* PbMemory, as the mapping says through which the access came */
} PbAccessKind;

/* In the vCPU's thread, before anything else changes it. */
PbAccessKind pb_access_kind(CPUState *cpu, MemTxAttrs attrs);

#endif
