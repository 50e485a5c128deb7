/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What isa/ppc and hw/qemu/tcg/ppc agree on: PbCpuState::mode, and the numbers of the registers. */
#ifndef PERFBOARD_PLUGINS_ISA_PPC_CPU_H
#define PERFBOARD_PLUGINS_ISA_PPC_CPU_H

enum {
    PB_PPC_LITTLE_ENDIAN = 1,
    PB_PPC_PREFIXES = 2 /* opcode 1 begins an instruction of 8 bytes (ISA 3.1) */
};

enum {
    PB_PPC_GENERAL = 0,
    PB_PPC_MSR = 32,
    PB_PPC_MSR_LEGAL, /* the bits of the MSR that this processor has */
    PB_PPC_SRR1,
    PB_PPC_HSRR1,
    PB_PPC_CTR,
    PB_PPC_REGISTERS
};

/* MSR, by its bits' places from the low end. */
enum { PB_PPC_MSR_PMM = 2, PB_PPC_MSR_PR = 14, PB_PPC_MSR_HV = 60 };

#endif
