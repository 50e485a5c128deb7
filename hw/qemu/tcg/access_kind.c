/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/tcg/access_kind.h"
#include "plugins/instrument.h"

PbAccessKind pb_access_kind(CPUState *cpu, MemTxAttrs attrs)
{
    return (PbAccessKind){ .locked = pb_instrument_locked(cpu), .type = pb_attrs_memory_type(attrs) };
}
