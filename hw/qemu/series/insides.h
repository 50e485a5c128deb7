/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Insides - what the object relies on of QEMU beyond its plugin API is tried before it is used. ../INSIDES.md is the table: what it is,
 * where it stands, and the names of the tries.
 *
 *   pb_inside_holds("info-word", so)                       so
 *   pb_inside_needed("tlb", so);                           QEMU ends with one line, unless it is so
 *   if (!pb_inside_faster("opcodes", so, "without filters"))   it only makes things faster: one line, and the caller does without
 *
 * An object that tests load may have pb_inside_fails(): what it names does not hold (tests/example/insides).
 */
#ifndef PB_INSIDES_H
#define PB_INSIDES_H

#include "hw/qemu/series/qemu.h"

bool pb_inside_holds(const char *name, bool so);
void pb_inside_needed(const char *name, bool so);
/* without: what the user loses beside speed, which is nothing, and what is switched off. To be called once for a name. */
bool pb_inside_faster(const char *name, bool so, const char *without);

/* When the object is loaded; what needs a machine is tried when that is complete, before it runs. */
void pb_insides_start(void);

/* What QEMU is to be given for a description of ours: each time the same. In vmstate.c; big lock. */
const VMStateDescription *pb_vmstate(const VMStateDescription *description);

/* In a vCPU's thread, when QEMU has filled its TLB with the page of an address: what is read there of each vCPU's first page in each MMU mode
 * is what QEMU itself says of that page. */
void pb_inside_filled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode);

/* Whether the running QEMU's variable has as many bytes as the headers say. */
bool pb_inside_bytes(const void *variable, size_t bytes);

#endif
