/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * qemu-system-i386 and qemu-system-x86_64 lay out a processor's state differently. cpu_x86.c is compiled once for
 * each, and gives a PbX86Kind. */
#ifndef PERFBOARD_QEMU_CPU_X86_H
#define PERFBOARD_QEMU_CPU_X86_H

#include "hw/qemu/tcg/cpu_hooks.h"

typedef struct PbX86Kind {
    const char *type; /* QOM type of the processors */
    void (*state)(void *cpu, PbX86State *state);
    bool (*paging)(void *cpu, uint64_t *cr3);
    /* Bits of interrupt_request: first are served before others and deliver nothing; machine_check is an exception. */
    unsigned first, machine_check;
} PbX86Kind;

extern const PbX86Kind pb_cpu_i386, pb_cpu_x86_64;

#endif
