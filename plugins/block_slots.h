/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Block slots - what translated code and the counts of blocks have in common: for each vCPU an array, a slot for each block.
 *
 *   PbBlockSlots slots;
 *   PbBlockSlots slots = { .slots = 1 << 18 };    so many for each vCPU, or fewer
 *   if (!pb_machine.block_slots(&slots)) ...      zeroed memory that translated code reaches
 *   PbBlockSlot *s = pb_block_slot(&slots, vcpu, number);
 *
 * At a block's start:  if (word->state == slot->expected) { *word = slot->exit; slot->count++; } else begin(...);
 *
 * where `word` is first->word[privileged]. A block that follows itself does not look at the state if word->slot is its own number: see
 * PB_BLOCK_MOVED.
 *
 * Number 0 is of no block: its place in the array is the vCPU's own (PbBlockFirst). hw/qemu/tcg/blocks.c implements it.
 */
#ifndef PERFBOARD_PLUGINS_BLOCK_SLOTS_H
#define PERFBOARD_PLUGINS_BLOCK_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of a vCPU's two pipelines, and its mark, behind the pipeline's last block; and that block's slot. 0: not the whole of it was executed.
 * PB_BLOCK_MOVED is set unless that block would begin with the state in which it ends, and its slot expects that. */
#define PB_BLOCK_MOVED 0x80000000u
typedef struct PbBlockWord {
    uint32_t state, slot;
} PbBlockWord;

typedef struct PbBlockSlot {
    PbBlockWord exit;  /* behind the block, if it begins with the state that is expected */
    uint64_t count;    /* how often it has begun so */
    uint32_t expected; /* 0: none */
    uint32_t unused;
    void *armed; /* what `count` is worth */
} PbBlockSlot;

typedef struct PbBlockFirst {
    PbBlockWord word[2]; /* of blocks that are not privileged, and of those that are */
    void *vcpu;          /* for begin() */
    uint64_t unused;
} PbBlockFirst;

/* A vCPU's array lies in chunks: those of all vCPUs lie between each other. */
typedef struct PbBlockSlots {
    uint32_t slots;
    char *const *start; /* of each vCPU's first chunk */
    size_t stride;      /* from one chunk to the next */
    unsigned shift;     /* log2 of the slots in a chunk */
} PbBlockSlots;

static inline PbBlockSlot *pb_block_slot(const PbBlockSlots *s, unsigned vcpu, uint32_t number)
{
    return (PbBlockSlot *)(s->start[vcpu] + (number >> s->shift) * s->stride) + (number & ((1u << s->shift) - 1));
}

typedef void (*PbBlockBegin)(PbBlockFirst *first, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
