/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * That an emulator's pages, and the flags in its softmmu TLB, are those of plugins/port.h. For <isa>/cpu.c, which is compiled once
 * for each emulator; behind cpu.h. */
#ifndef PERFBOARD_QEMU_PAGE_SHAPES_H
#define PERFBOARD_QEMU_PAGE_SHAPES_H

#include "exec/cpu-all.h"
#include "exec/cputlb.h"
#include "exec/memory-internal.h"

#include "hw/qemu/series/prototypes.h"
#include "plugins/port.h"

QEMU_BUILD_BUG_ON(TARGET_PAGE_BITS != PB_PAGE_BITS);
QEMU_BUILD_BUG_ON(TLB_INVALID_MASK != PB_TLB_INVALID);
QEMU_BUILD_BUG_ON(TLB_MMIO != PB_TLB_MMIO);

#endif
