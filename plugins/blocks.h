/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks - counts that follow from the instructions that vCPUs execute: by class, and by a model of a pipeline.
 *
 *   char *why;
 *   if (!pb_blocks_open(&model, vcpus, &why)) ...      one model for the process; again: nothing more is done
 *   pb_blocks_count(true);                             from the next block on
 *   uint64_t totals[COUNTS];
 *   pb_blocks_read(0, PB_USER | PB_USER_MARKED, totals, NULL);   of vCPU 0, while it was not privileged
 *
 * Translated code only counts how often each block was begun, and with which state of the pipeline: the model is run once for
 * each block and state, since what it says depends on nothing else. An instruction counts when it is executed, in the context in which it
 * begins; events.h says what is an instruction, and what a context is: the counts are exact as its are. A block that is left early counts
 * as far as it came, and so does its pipeline.
 *
 * INFERRED: nothing but instructions moves a pipeline. It stands still while an exception or interrupt is delivered, and while
 * the vCPU is halted. What is privileged has a pipeline of its own: so what a program is worth does not depend on when interrupts came. What a repeated string instruction does beside its last look at the count is worth, for each iteration, what
 * the instruction is worth to an empty pipeline; with -icount, where QEMU makes a block of each, its pipeline goes through all.
 */
#ifndef PERFBOARD_PLUGINS_BLOCKS_H
#define PERFBOARD_PLUGINS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pure model of what a run of instructions is worth. */
typedef struct PbBlockModel {
    unsigned counts, state_bytes; /* state: plain data, equal situations are equal bytes; all zero: nothing before */
    /* insns: ModelInsn[n] (hw/processor/insn.h). Sets counts. Any thread, several at once. */
    void (*run)(const void *insns, size_t n, void *state, uint32_t *counts);
    /* Whether an instruction is one of the pattern's (IMR). power: it is POWER's, else x86's. */
    bool (*matches)(const void *insn, uint32_t pattern, bool power);
} PbBlockModel;

/* What follows with the big lock held; the model is kept. vcpus: the machine's. False: one line in *why (g_free). */
bool pb_blocks_open(const PbBlockModel *model, unsigned vcpus, char **why);
/* Blocks are translated anew: from each vCPU's next block on. The pipelines are empty when counting begins. */
void pb_blocks_count(bool on);
/* Sums over the contexts (PB_USER ...), one for each of the model's counts. Exact in the vCPU's own thread, the instruction under way
 * included, and whenever the vCPU does not run; else without the block under way. Never falls, but in pb_blocks_rebase().
 * matched: instructions that match the vCPU's pattern. NULL: never mind */
void pb_blocks_read(unsigned vcpu, unsigned contexts, uint64_t *totals, uint64_t *matched);
/* The totals tell no more of instructions that were then taken back (events.h). False: nothing was. */
bool pb_blocks_rebase(unsigned vcpu);
/* 0 (at first): no instruction matches it. The count goes on from where it was. */
void pb_blocks_pattern(unsigned vcpu, uint32_t pattern);
/* How often each opcode is executed, from now on: by all vCPUs, in all contexts. code: what an instruction goes under; the same for each
 * of the same opcode. Before counting begins. NULL: no more. */
void pb_blocks_opcodes(uint32_t (*code)(const void *insn, bool power));
/* each() for each code that was executed, in ascending order. While the vCPUs do not run. */
void pb_blocks_read_opcodes(void (*each)(void *opaque, uint32_t code, uint64_t times), void *opaque);
/* The context in which the vCPU is: exact as pb_blocks_read() is. */
void pb_blocks_context(unsigned vcpu, bool *privileged, bool *marked);
/* The state of one of a vCPU's two pipelines, state_bytes of the model's: for snapshots, while the machine stands still. */
size_t pb_blocks_state_bytes(void);
void pb_blocks_save(unsigned vcpu, bool privileged, void *state);
void pb_blocks_load(unsigned vcpu, bool privileged, const void *state);
void pb_blocks_reset(void); /* the machine's: all pipelines are empty */

#ifdef __cplusplus
}
#endif
#endif
