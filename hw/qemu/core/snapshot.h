/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshot - what a snapshot holds of a board: its model's state, member by member, and nothing that is worked out from it.
 *
 *   #define STATE_LIST "hw/sci/state.def"                     the state's list (hw/core/state_struct.h)
 *   #include "hw/qemu/core/state_vmstate.h"
 *
 *   static const PbSnapshot sci_snapshot = {
 *       .version = 3, PB_SNAPSHOT_STATE(SciDevice, board.state, SciState), .before = equal, .clean = reset, .load = load,
 *   };
 *
 * QEMU's description is made of that: the configuration space of a card on PCI, `before`, the state, `behind`. A board without a PbSnapshot
 * (PbBoardType.snapshot) has no snapshots, and QEMU takes none of a machine with it.
 *
 * It is read into a copy, and only a whole one that the model accepts gets into the board. The board is powered on anew before the
 * reading begins, and stays so if that or the check fails: then one line says why.
 */
#ifndef PERFBOARD_QEMU_CORE_SNAPSHOT_H
#define PERFBOARD_QEMU_CORE_SNAPSHOT_H

#include "migration/vmstate.h"

#include "hw/qemu/core/host_glue.h"

/* Functions get the device. clean() and load() are called under the board's lock (PbGlueOps.lock), if it has one. Translated code of a board
 * that observes memory (pb_board_tap()) is made anew behind them. */
typedef struct PbSnapshot {
    int version;
    const VMStateDescription *state; /* PB_SNAPSHOT_STATE; NULL: `before` and `behind` are all, and load() gets no image */
    size_t bytes, at; /* of the state, and where it is in the device */
    /* Fields of the device. Each ends with VMSTATE_END_OF_LIST(); NULL: none. */
    const VMStateField *before; /* properties that must be those of the machine that saved it */
    const VMStateField *behind;
    void (*save)(void *dev);  /* the state becomes what the snapshot is to have. NULL: it is that */
    void (*clean)(void *dev); /* the model is powered on anew */
    bool (*load)(void *dev, const void *image, char *why, size_t why_size);
    void (*replaced)(void *dev); /* behind either, not under the lock; NULL: PbGlueOps.behind */
} PbSnapshot;

#define PB_SNAPSHOT_STATE(Device, member, State) .state = &vmstate_##State, .bytes = sizeof(State), .at = offsetof(Device, member)

struct PbBoardType;
/* Made once, for the type's whole life. */
const VMStateDescription *pb_snapshot_description(const struct PbBoardType *type);

#endif
