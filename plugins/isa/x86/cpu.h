/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What isa/x86 and hw/qemu/tcg/x86 agree on: PbCpuState::mode, and the numbers of the registers. */
#ifndef PERFBOARD_PLUGINS_ISA_X86_CPU_H
#define PERFBOARD_PLUGINS_ISA_X86_CPU_H

enum {
    PB_X86_BITS = 0x7f,  /* 16, 32 or 64: the code segment's */
    PB_X86_SINGLE = 0x80 /* QEMU makes a block of each iteration of a repeated string instruction */
};

/* General registers and segments as the encoding numbers them. */
enum {
    PB_X86_GENERAL = 0,
    PB_X86_SEGMENT_BASE = 16,
    PB_X86_CR0 = 22,
    PB_X86_CR4,
    PB_X86_CPL,
    PB_X86_REGISTERS
};

#endif
