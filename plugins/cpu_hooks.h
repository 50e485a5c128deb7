/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the plugin API does not tell the event counters about a vCPU: the context in which it runs, the exceptions
 * and interrupts that are delivered to it, the instructions that it gives up. The counters need no QEMU header for it.
 *
 * hw/qemu/tcg/cpu_hooks.c implements it for every architecture, hw/qemu/tcg/<isa> what differs between them.
 * QEMU keeps what a processor does in TCG in a table of functions (TCGCPUOps). A copy with a few functions wrapped
 * takes its place: those for exceptions and interrupts, and restore_state_to_opc, which QEMU calls when it leaves a
 * block in the middle. None of these functions runs often.
 */
#ifndef PERFBOARD_PLUGINS_CPU_HOOKS_H
#define PERFBOARD_PLUGINS_CPU_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
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

/* The architecture's name, as isa_named() (plugins/isa/isa.h) takes it; NULL: an unknown one. When there are vCPUs. */
const char *pb_cpu_isa(void);
/* Before the vCPUs run; `events` may be there already. What is NULL in it is not told. False: processors that it does not know. */
bool pb_cpu_hook(const PbCpuEvents *events, unsigned vcpus);
/* When the machine is complete, and no vCPU has run: nothing that the guest can read depends on how often QEMU begins and ends vCPUs' turns. */
void pb_cpu_hide_turns(void);
#define PB_ALL_PAGES UINT64_MAX
/* This vCPU's instruction changes what all TLBs may hold: the others' translations() is called, each in its vCPU's thread and
 * before its next block. */
void pb_cpu_tell_others(unsigned vcpu, uint64_t page);
void pb_cpu_take_told(void); /* what waits of it is done now; while no vCPU is in a block */
/* POWER: system calls leave the mark as it is, where QEMU clears it. */
void pb_cpu_keep_mark(bool on);
/* The board holds this vCPU (stall.h): when QEMU leaves the block, the instruction will be begun again. */
void pb_cpu_again(unsigned vcpu);
void pb_cpu_gone(unsigned vcpu); /* it is about to go; another one may have its index */

bool pb_running_state(PbCpuState *state); /* of the vCPU that runs in this thread; at translation: of the block */
bool pb_cpu_state(void *cpu, PbCpuState *state);
/* In an access to a device, in the vCPU's thread: the virtual address of the instruction that makes it. False: not known. */
bool pb_access_pc(void *cpu, uint64_t *pc);
/* The architecture's registers as plugins/isa/<isa>/cpu.h numbers them. */
enum { PB_REGISTERS = 40 };
bool pb_cpu_registers(void *cpu, uint64_t registers[PB_REGISTERS]);
/* A floating-point or vector register by hw/processor/insn.h's number less kFloat0: as many words as it has. POWER: the doubleword that
 * the architecture counts as 0 first. x86: the lowest first; of an x87 register the significand, then sign and exponent. False: empty
 * (x87), or there is none. */
bool pb_cpu_float(void *cpu, unsigned number, uint64_t words[4]);
/* True: addresses - fetch: of instructions - are translated, by the tables of this address space (x86: CR3; POWER: PIDR and LPIDR). */
bool pb_address_space(void *cpu, bool fetch, uint64_t *space);
/* Reads size bytes of guest memory at a virtual address. Returns how many could be read. */
size_t pb_peek(void *cpu, uint64_t vaddr, uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
