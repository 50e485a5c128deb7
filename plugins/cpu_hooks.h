/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the plugin API does not tell the event counters about a vCPU: the context in which it runs, the exceptions
 * and interrupts that are delivered to it, the instructions that it gives up. machine.h has the calls.
 *
 * hw/qemu/tcg/cpu_hooks.c implements it for every architecture, hw/qemu/tcg/<isa> what differs between them.
 * QEMU keeps what a processor does in TCG in a table of functions (TCGCPUOps). A copy with a few functions wrapped
 * takes its place: those for exceptions and interrupts, and restore_state_to_opc, which QEMU calls when it leaves a
 * block in the middle. None of these functions runs often.
 */
#ifndef PERFBOARD_PLUGINS_CPU_HOOKS_H
#define PERFBOARD_PLUGINS_CPU_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbCpuState {
    uint64_t pc;   /* virtual address of the instruction that is next, or at hand when a hook is called */
    uint32_t mode; /* how its code is to be read: the architecture's own bits (plugins/isa/<isa>/cpu.h) */
    unsigned vcpu;
    bool relative;   /* a block may run at other virtual addresses, too: in another page, as far from its beginning */
    bool parallel;   /* each vCPU runs in a thread of its own */
    bool privileged; /* x86: CPL 0 to 2; POWER: MSR[PR] is 0, hypervisor included */
    bool marked;     /* POWER: MSR[PMM]; x86 has none */
} PbCpuState;

/* Why QEMU gives up an instruction that it has begun. */
typedef enum PbAbandoned {
    PB_FAULTS,
    /* QEMU will begin the instruction again: a board held the vCPU, or QEMU cannot run it in this block. */
    PB_AGAIN,
    /* QEMU will begin the instruction again, in a block where plugins see its accesses but not the instruction. */
    PB_AGAIN_COUNTED,
} PbAbandoned;

/* What the counters are told, in the vCPU's thread. privileged: in which context it was, before. */
typedef struct PbCpuEvents {
    void (*abandoned)(unsigned vcpu, bool privileged, PbAbandoned why); /* the instruction at PbCpuState::pc */
    /* An exception was delivered; if its delivery faulted, the exception that came of that was. */
    void (*exception)(unsigned vcpu, bool privileged);
    void (*interrupt)(unsigned vcpu, bool privileged); /* an interrupt was delivered */
    /* What has changed behind the program's back: an exception or interrupt was delivered, the vCPU was reset or loaded. */
    void (*marked)(unsigned vcpu, bool marked);
    /* Somebody else has changed what the vCPU's TLB may hold: another vCPU, or a hypervisor that QEMU plays. page:
     * address >> PB_PAGE_BITS, or PB_ALL_PAGES. */
    void (*translations)(unsigned vcpu, uint64_t page);
} PbCpuEvents;

#define PB_ALL_PAGES UINT64_MAX
/* At most so many, as plugins/isa/<isa>/cpu.h numbers an architecture's. */
enum { PB_REGISTERS = 40 };

#ifdef __cplusplus
}
#endif
#endif
