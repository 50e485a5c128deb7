/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the plugin API does not tell the event counters (plugins/events_count.cc) about a vCPU. The counters
 * need no QEMU header for it.
 *
 * QEMU keeps what a processor does in TCG in a table of functions (TCGCPUOps). A copy with a few functions wrapped
 * takes its place: those for exceptions and interrupts, and restore_state_to_opc, which QEMU calls when it leaves a
 * block in the middle. None of these functions runs often.
 */
#ifndef PERFBOARD_QEMU_CPU_HOOKS_H
#define PERFBOARD_QEMU_CPU_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PbX86State {
    uint64_t eip, cs_base, cr0, cr3, cr4;
    uint64_t reg[16], segment_base[6]; /* as the encoding numbers them */
    unsigned vcpu, code_bits, cpl;
    bool parallel; /* each vCPU runs in a thread of its own */
    bool long_mode;
    bool is_int;        /* the exception that is being delivered is a software interrupt: INT, INT3, INTO */
    bool single_string; /* QEMU makes a block of each iteration of a repeated string instruction */
} PbX86State;

enum { PB_VECTOR_DEBUG = 1, PB_VECTOR_PAGE = 14, PB_VECTORS = 256 };

/* Why QEMU gives up an instruction that it has begun. */
typedef enum PbAbandoned {
    PB_FAULTS,
    /* QEMU will begin the instruction again: a board held the vCPU, or QEMU cannot run it in this block. */
    PB_AGAIN,
    /* QEMU will begin the instruction again, in a block where plugins see its accesses but not the instruction. */
    PB_AGAIN_COUNTED,
} PbAbandoned;

/* What the counters are told, in the vCPU's thread. */
typedef struct PbCpuEvents {
    void (*abandoned)(unsigned vcpu, PbAbandoned why); /* the instruction at eip */
    /* An exception is about to be delivered. unwound: abandoned() was called for its instruction. An exception that
     * arises while an exception or interrupt is being delivered is not told. */
    void (*excepted)(unsigned vcpu, unsigned vector, bool is_int, bool unwound);
    /* An exception was delivered; if its delivery faulted, the exception that came of that was. */
    void (*exception)(unsigned vcpu);
    void (*interrupt)(unsigned vcpu); /* an interrupt was delivered */
} PbCpuEvents;

/* To be called once, before the vCPUs run. False: these are no x86 processors. */
bool pb_cpu_hook(const PbCpuEvents *events, unsigned vcpus);
/* The board holds this vCPU (stall.h): when QEMU leaves the block, the instruction will be begun again. */
void pb_cpu_again(unsigned vcpu);

bool pb_running_state(PbX86State *state); /* of the vCPU that runs in this thread */
bool pb_x86_state(void *cpu, PbX86State *state);
bool pb_paging(void *cpu, uint64_t *cr3); /* true: paging is on */
/* Reads size bytes of guest memory at a virtual address. Returns how many could be read. */
size_t pb_peek(void *cpu, uint64_t vaddr, uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
