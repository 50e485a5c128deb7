/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the event counters (plugins/events_count.cc) learn of a vCPU that the plugin API does not tell,
 * without a QEMU header.
 *
 * QEMU's table of what a processor does in TCG (TCGCPUOps) is replaced by a copy with a few entries wrapped:
 * exceptions, interrupts, and restore_state_to_opc, through which QEMU leaves a block in the middle of it.
 * None of them is on a path that runs often.
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
    bool parallel; /* vCPUs run each in a thread of its own */
    bool long_mode;
    bool is_int;        /* the exception under way is a software interrupt: INT, INT3, INTO */
    bool single_string; /* QEMU makes a block of each iteration of a repeated string instruction */
} PbX86State;

enum { PB_VECTOR_DEBUG = 1, PB_VECTOR_PAGE = 14, PB_VECTORS = 256 };

/* Why an instruction that was begun is given up. */
typedef enum PbAbandoned {
    PB_FAULTS,
    PB_AGAIN,         /* to be made again from its start: a board held the vCPU, or QEMU cannot make it in this block */
    PB_AGAIN_COUNTED, /* the same, in a block in which QEMU lets plugins see accesses, but no instruction */
} PbAbandoned;

/* In the vCPU's thread. */
typedef struct PbCpuEvents {
    void (*abandoned)(unsigned vcpu, PbAbandoned why); /* the instruction at eip */
    /* An exception is about to be delivered; unwound: abandoned() was called for its instruction.
     * Not called for one that arises while another, or an interrupt, is being delivered. */
    void (*excepted)(unsigned vcpu, unsigned vector, bool is_int, bool unwound);
    void (*exception)(unsigned vcpu); /* it, or what became of it, was delivered */
    void (*interrupt)(unsigned vcpu); /* one was delivered */
} PbCpuEvents;

/* Once, before the vCPUs run. False: these are no x86 processors. */
bool pb_cpu_hook(const PbCpuEvents *events, unsigned vcpus);
/* The next unwinding of this vCPU is to make its instruction again (stall.h). */
void pb_cpu_again(unsigned vcpu);

bool pb_running_state(PbX86State *state); /* of the vCPU that runs in this thread */
bool pb_x86_state(void *cpu, PbX86State *state);
bool pb_paging(void *cpu, uint64_t *cr3); /* whether it is on */
/* size bytes of guest memory at the virtual address; as many as could be read. */
size_t pb_peek(void *cpu, uint64_t vaddr, uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
