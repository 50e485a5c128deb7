/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbCpuKind - what cpu_hooks.c must know of an emulator's processors. Each emulator lays out a processor's state in its
 * own way: <isa>/cpu.c is compiled once for each emulator of the architecture, and gives a PbCpuKind. */
#ifndef PERFBOARD_QEMU_CPU_KIND_H
#define PERFBOARD_QEMU_CPU_KIND_H

#include "hw/qemu/series/qemu.h"
#include "plugins/machine.h"

/* An exception that QEMU is about to serve (do_interrupt). */
typedef enum PbDue {
    PB_DUE_NOTHING,  /* nothing is delivered: QEMU serves it itself, or ignores it */
    PB_DUE_FAULT,    /* its instruction does not complete */
    PB_DUE_FETCH,    /* no instruction was begun, unless QEMU has unwound one */
    PB_DUE_BEHIND,   /* it comes behind an instruction, which has completed */
    PB_DUE_SOFTWARE, /* its instruction completes; if its delivery faults, the instruction has faulted */
} PbDue;

/* What cpu_exec_interrupt() has served. */
typedef enum PbServed { PB_SERVED_NOTHING, PB_SERVED_INTERRUPT, PB_SERVED_EXCEPTION } PbServed;

typedef struct PbCpuKind {
    const char *type; /* QOM type of the processors */
    const char *isa;  /* plugins/isa/isa.h */
    uint64_t own_page; /* guest-physical: device registers there are the processor's own. UINT64_MAX: there are none */
    bool (*known)(void *cpu); /* NULL: all of that type are */
    void (*state)(void *cpu, PbCpuState *state); /* all but relative */
    /* Where the architecture's state (env) has PbCpuState::pc at the beginning of a block that may run at several addresses and whose
     * TranslationBlock::cs_base is 0. pc_bytes 0: there are no such blocks. */
    size_t pc_at, pc_bytes;
    void (*registers)(void *cpu, uint64_t *registers);
    bool (*float_register)(void *cpu, unsigned number, uint64_t *words);
    bool (*address_space)(void *cpu, bool fetch, uint64_t *space);
    /* What the guest's mapping of an address makes of its memory (PbMemory). NULL: uncached, all of it. */
    uint8_t (*memory_type)(void *cpu, uint64_t vaddr);
    /* The address of an instruction, by what cpu_unwind_state_data() says of it. NULL: nobody asks. */
    uint64_t (*unwound_pc)(void *cpu, const uint64_t *data);
    /* What is about to be delivered is a system call, and the vCPU is marked. NULL: nothing that QEMU delivers clears the mark. */
    bool (*keeps_mark)(void *cpu);
    void (*set_mark)(void *cpu);
    bool (*privileged_block)(uint32_t flags); /* by TranslationBlock::flags */
    /* exception_index is of an exception, and says in which way it is one. */
    bool (*is_exception)(int index);
    PbDue (*due)(void *cpu);
    /* The hypercall that is about to be served (PB_DUE_NOTHING) changes page tables. NULL: there are none. */
    bool (*changes_translations)(void *cpu);
    /* pending(): a value that served() gets to see again, behind cpu_exec_interrupt(request). */
    uint64_t (*pending)(void *cpu, int request);
    PbServed (*served)(void *cpu, int request, uint64_t pending);
    /* From now on nothing that the guest can read depends on how often QEMU begins and ends vCPUs' turns. NULL: nothing does. */
    void (*hide_turns)(void *cpu);
} PbCpuKind;

extern const PbCpuKind *pb_cpu_kind; /* of the machine's processors; NULL before pb_cpu_hook() */
/* Lets QEMU deliver an exception, or an interrupt if there is one, and tells what the processor accesses meanwhile (pb_cpu_own_accesses()). A system call
 * keeps the mark, if pb_cpu_keep_mark() says so. */
void pb_deliver(CPUState *cpu, void (*do_interrupt)(CPUState *cpu));
bool pb_deliver_interrupt(CPUState *cpu, int request, bool (*serves)(CPUState *cpu, int request));

extern const PbCpuKind pb_cpu_i386, pb_cpu_x86_64, pb_cpu_ppc64;

#endif
