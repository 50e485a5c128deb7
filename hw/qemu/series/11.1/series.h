/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU 11.1: all that differs between the series that the object is for. Macros only, for C and C++ (plugins/port.h). */
#ifndef PB_SERIES_11_1_H
#define PB_SERIES_11_1_H

#define PB_FROM_11_1
#include "hw/qemu/series/10.2/series.h"

/* Headers that have moved (qemu.h, per_target.h). */
#define PB_QEMU_CORE_H(name) <hw/core/name>
#define PB_QEMU_ACCEL_OPS_H "accel/accel-cpu-ops.h"
#define PB_QEMU_ADDRESS_SPACES_H "system/address-spaces.h"
#define PB_QEMU_CPU_LOOP_H "accel/tcg/cpu-loop.h"
#define PB_QEMU_ICOUNT_H "exec/icount.h"
#define PB_QEMU_FLATVIEW_H "system/memory-internal.h"
#define PB_QEMU_MEMORY_H "system/memory.h"
#define PB_QEMU_QDEV_H "hw/core/qdev.h"
#define PB_QEMU_RAM_BLOCKS_H "system/ramlist.h"
#define PB_QEMU_PROBE_H "accel/tcg/probe.h"
#define PB_QEMU_TLB_FLAGS_H "exec/tlb-flags.h"
#define PB_QEMU_TB_H "accel/tcg/internal-common.h"

/* Names, and types of functions. */
#define PbViewedSpace const AddressSpace
/* VMStateDescription.post_save */
#define PB_POST_SAVE(name) static void name(void *opaque)
#define PB_POST_SAVED return
/* 11.1.3 has another VMStateField than 11.1.1, whose headers these are (vmstate.c). */
#define PB_FIELDS_WITH_WIDTHS
/* A callback of the plugin API without data of its own, and what is registered. */
#define PB_PLUGIN_CALLBACK(...) (__VA_ARGS__ __VA_OPT__(, ) void *pb_data)
#define PB_PLUGIN_ARGS(id, callback) id, callback, NULL
/* Where a page of code is, without a fault. */
#define PB_CODE_PAGE(name) \
    static bool name(CPUState *cpu, uint64_t page, hwaddr *addr) \
    { \
        TranslateForDebugResult result; \
        bool there = cpu_translate_for_debug(cpu, page, &result); \
        *addr = result.physaddr; \
        return there; \
    }
#define PB_SERIES_SYMBOLS SYMBOL(tb_flush__exclusive_or_serial) SYMBOL(cpu_translate_for_debug)

#endif
