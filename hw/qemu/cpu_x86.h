/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is laid out differently in qemu-system-i386 and qemu-system-x86_64: cpu_x86.c is compiled once for each. */
#ifndef PERFBOARD_QEMU_CPU_X86_H
#define PERFBOARD_QEMU_CPU_X86_H

#include "hw/qemu/cpu_hooks.h"

typedef struct PbX86Kind {
    const char *type; /* of the processors */
    void (*state)(void *cpu, PbX86State *state);
    bool (*paging)(void *cpu, uint64_t *cr3);
    unsigned first, machine_check; /* of interrupt_request: what is served first and delivers nothing; an exception's */
} PbX86Kind;

extern const PbX86Kind pb_cpu_i386, pb_cpu_x86_64;

#endif
