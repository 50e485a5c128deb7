/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU 10.2: all that differs between the series that the object is for. Macros only, for C and C++ (plugins/port.h). */
#ifndef PB_SERIES_H
#define PB_SERIES_H

/* The softmmu TLB: an MMU mode's table among those of a vCPU. Tests build an object with another order, which must refuse to run. */
#define PB_MMU_MODES 22
#ifndef PB_TLB_TABLE
#define PB_TLB_TABLE(mode) (PB_MMU_MODES - 1 - (mode))
#endif
/* Flags of an entry's tag: no access may use it; QEMU looks at the page's slow flags. */
#define PB_TLB_INVALID (1 << 6)
#define PB_TLB_FORCE_SLOW (1 << 8)
/* An access calls a device. page_flags: the slow flags of the page for such an access, if they are needed to know. */
#define PB_TLB_MMIO (1 << 4)
#define PB_TLB_IS_DEVICE(tag, page_flags) (((tag) & PB_TLB_FORCE_SLOW) && ((page_flags) & PB_TLB_MMIO))

/* The word that a callback is told of an access has the mode in its lowest bits, then log2 of the size in three. */
#define PB_INFO_MODE_BITS 5

/* Names. */
#define PbClassData const void
/* PropertyInfo.print */
#define PB_PROPERTY_SHOWN_AS(name, shown) \
    static char *name(Object *obj, const Property *property) \
    { \
        return g_strdup(shown); \
    }
/* While no vCPU runs. */
#define PB_FLUSH_BLOCKS(cpu) tb_flush__exclusive_or_serial()

/* Operations of a block. */
#define PB_OP_IS_BRCOND(opc) ((opc) == INDEX_op_brcond)
#define PB_OP_IS_STORE(opc) ((opc) == INDEX_op_st)
#define PB_OP_IS_STORE_OF_BYTE(opc) ((opc) == INDEX_op_st8)

#ifndef PB_FROM_11_1 /* which has the rest otherwise */
/* Headers that have moved (qemu.h, per_target.h). */
#define PB_QEMU_CORE_H(name) <hw/name>
#define PB_QEMU_ACCEL_OPS_H "accel/accel-cpu-ops.h"
#define PB_QEMU_ADDRESS_SPACES_H "system/address-spaces.h"
#define PB_QEMU_CPU_LOOP_H "exec/cpu-common.h"
#define PB_QEMU_ICOUNT_H "exec/icount.h"
#define PB_QEMU_FLATVIEW_H "system/memory-internal.h"
#define PB_QEMU_MEMORY_H "system/memory.h"
#define PB_QEMU_QDEV_H "hw/qdev-core.h"
#define PB_QEMU_RAM_BLOCKS_H "exec/cpu-common.h"
#define PB_QEMU_PROBE_H "accel/tcg/probe.h"
#define PB_QEMU_TLB_FLAGS_H "exec/tlb-flags.h"
#define PB_QEMU_TB_H "accel/tcg/internal-common.h"

/* Names, and types of functions. */
#define PbViewedSpace AddressSpace
/* VMStateDescription.post_save */
#define PB_POST_SAVE(name) static int name(void *opaque)
#define PB_POST_SAVED return 0
/* A callback of the plugin API without data of its own, and what is registered. */
#define PB_PLUGIN_CALLBACK(...) (qemu_plugin_id_t pb_id __VA_OPT__(, ) __VA_ARGS__)
#define PB_PLUGIN_ARGS(id, callback) id, callback
/* Where a page of code is, without a fault. */
#define PB_CODE_PAGE(name) \
    static bool name(CPUState *cpu, uint64_t page, hwaddr *addr) \
    { \
        MemTxAttrs attrs; \
        *addr = cpu_get_phys_page_attrs_debug(cpu, page, &attrs); \
        return *addr != -1; \
    }
#define PB_SERIES_SYMBOLS SYMBOL(tb_flush__exclusive_or_serial) SYMBOL(cpu_get_phys_page_attrs_debug)
#endif

#endif
