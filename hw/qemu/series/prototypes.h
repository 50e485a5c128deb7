/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions of QEMU whose headers need to know the target, for files that are compiled once for all of them. tcg/page_shapes.h, compiled for
 * each, includes their headers behind this: a prototype that differs does not compile. */
#ifndef PB_PROTOTYPES_H
#define PB_PROTOTYPES_H

#include "qemu/typedefs.h"

void tlb_flush(CPUState *cpu);
FlatView *address_space_get_flatview(AddressSpace *as);
void flatview_unref(FlatView *view);

#endif
