/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Snapshot - what a snapshot holds of a board: its model's state, member by member, and nothing that is worked out from it.
 *
 *   #define STATE_LIST "hw/sci/state.def"                     the state's list (hw/core/state_struct.h)
 *   #include "hw/qemu/core/state_vmstate.h"
 *   const PbSnapshot sci_snapshot = { sizeof(SciState), save, clean, load, replaced };        in the board's PbGlueOps
 *   const VMStateDescription vmstate_sci = {
 *       .name = ..., .version_id = ..., PB_SNAPSHOT_FUNCTIONS,
 *       .fields = (const VMStateField[]) { ..., PB_SNAPSHOT_STATE(SciDevice, SciState), VMSTATE_END_OF_LIST() } };
 *
 * It is read into a copy, and only a whole one that the model accepts gets into the board. The board is powered on anew before the
 * reading begins, and stays so if that or the check fails: then one line says why.
 */
#ifndef PERFBOARD_QEMU_CORE_SNAPSHOT_H
#define PERFBOARD_QEMU_CORE_SNAPSHOT_H

#include "migration/vmstate.h"

#include "hw/qemu/core/host_glue.h"

/* Functions get the device. clean() and load() are called under the board's lock (PbGlueOps.lock), if it has one. */
typedef struct PbSnapshot {
    size_t bytes;             /* of the model's state */
    void *(*save)(void *dev); /* the state, as the snapshot is to have it */
    void (*clean)(void *dev); /* the model is powered on anew */
    bool (*load)(void *dev, const void *image, char *why, size_t why_size);
    void (*replaced)(void *dev); /* behind either, not under the lock; NULL: nothing to do */
} PbSnapshot;

#define PB_SNAPSHOT_FUNCTIONS .pre_save = pb_snapshot_pre_save, .pre_load = pb_snapshot_pre_load, .post_load = pb_snapshot_post_load
#define PB_SNAPSHOT_STATE(Device, State) { \
    .name = "image", .vmsd = &vmstate_##State, .size = sizeof(State *), .flags = VMS_STRUCT | VMS_POINTER, \
    .offset = offsetof(Device, glue.image) }

int pb_snapshot_pre_save(void *dev);
int pb_snapshot_pre_load(void *dev);
int pb_snapshot_post_load(void *dev, int version);
/* The model did not take it, and is as powered on: so is the configuration space, and it is said. Gives what post_load() returns. */
int pb_snapshot_refused(PbGlue *g, const char *why);

#endif
