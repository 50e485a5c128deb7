/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU's headers: every file of hw/qemu begins with this one. Where a series has moved one, its name stands in SERIES/series.h. */
#ifndef PB_QEMU_H
#define PB_QEMU_H

#include "qemu/osdep.h"

#include PB_SERIES

#include "accel/tcg/cpu-ops.h"
#include "chardev/char-fe.h"
#include "chardev/char.h"
#include "exec/cpu-interrupt.h"
#include "exec/gdbstub.h"
#include "exec/memattrs.h"
#include "exec/memop.h"
#include "exec/memopidx.h"
#include "exec/page-protection.h"
#include "exec/tb-flush.h"
#include "exec/tlb-common.h"
#include "exec/translation-block.h"
#include "gdbstub/internals.h"
#include "hw/core/cpu.h"
#include "hw/input/hid.h"
#include "hw/isa/isa.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_device.h"
#include "hw/virtio/virtio.h"
#include "migration/blocker.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"
#include "net/net.h"
#include "qapi/error.h"
#include "qapi/qapi-builtin-visit.h"
#include "qapi/qapi-commands-control.h"
#include "qapi/string-input-visitor.h"
#include "qapi/visitor.h"
#include "qemu/atomic.h"
#include "qemu/bitmap.h"
#include "qemu/bitops.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/fifo8.h"
#include "qemu/lockable.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qemu/notify.h"
#include "qemu/plugin.h"
#include "qemu/processor.h"
#include "qemu/range.h"
#include "qemu/rcu.h"
#include "qemu/seqlock.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qemu/typedefs.h"
#include "qemu/units.h"
#include "qobject/qjson.h"
#include "qobject/qobject.h"
#include "qom/object.h"
#include "system/cpu-timers-internal.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/replay.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/system.h"
#include "system/tcg.h"
#include PB_QEMU_ACCEL_OPS_H
#include PB_QEMU_ADDRESS_SPACES_H
#include PB_QEMU_CORE_H(boards.h)
#include PB_QEMU_CORE_H(irq.h)
#include PB_QEMU_CORE_H(qdev-properties-system.h)
#include PB_QEMU_CORE_H(qdev-properties.h)
#include PB_QEMU_CORE_H(resettable.h)
#include PB_QEMU_CPU_LOOP_H
#include PB_QEMU_ICOUNT_H
#include PB_QEMU_MEMORY_H
#include PB_QEMU_QDEV_H
#include PB_QEMU_RAM_BLOCKS_H

/* Those that name no header of what they need. */
#include "plugins/plugin.h"

#endif
