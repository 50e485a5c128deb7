/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbBoardType - a board as QEMU knows it. Its type is made of this one description: class, properties and what they are, windows, errors on
 * purpose, snapshots, reset, and for PCI the card's IDs and hot plug.
 *
 *   static const PbBoardType sci_board = {
 *       .name = TYPE_SMILE_SCI, .desc = "PCI-SCI adapters", .category = DEVICE_CATEGORY_NETWORK, PB_BOARD_DEVICE(SciDevice),
 *       .properties = sci_properties, .windows = sci_windows, .view = sci_board_view, .snapshot = &sci_snapshot, .reset = reset,
 *       .ops = { .lock = PB_SPIN, .timer = timer, .behind = sci_update_observation },
 *       .pci = { .vendor = ..., .device = ..., .class = ..., .realize = sci_realize, .exit = sci_exit },
 *   };
 *   void perfboard_register_sci(void) { pb_board_register(&sci_board); }
 *
 * Realizing it, a board makes what its model needs and then says
 *
 *       pb_board_begin(s);                                    the host and the windows; on PCI the interrupt pin, if it has one
 *       sci_init(&s->board, &config, &s->glue.host);
 *       pb_board_open(s, &s->board, errp)                     log, coverage, `registers`: false if one of these properties is wrong
 *
 *       pb_board_tap(s, &tap_ops, errp)                       if it observes the guest's memory (plugins/taps.h): s->glue.tap, which goes with
 *                                                             the board. False: there are too many already
 *
 * Boards on PCI come and go while the machine runs: by device_add, device_del, and a guest that ejects one without anybody's asking.
 *
 *   exit(pci)         undoes what realize() has done. It is called when the board is unplugged, and when realize() fails, with whatever
 *                     was done by then; and perhaps once more. What it frees is nothing that an access needs
 *   free(obj)         the rest: nobody is in the middle of an access any more, and each vCPU has been
 *                     between two blocks since exit()
 *
 * pb_glue_last() comes by itself in front of exit(), and pb_glue_leave() behind it. hw/qemu/README.md (Boards that come and go) says what the
 * guest meets.
 *
 * Snapshot - what a snapshot holds of a board: its model's state, member by member, and nothing that is worked out from it.
 *
 *   #define STATE_LIST "hw/sci/state.def"                     the state's list (hw/model/state_struct.h)
 *   #include "hw/qemu/core/board/state_vmstate.h"
 *
 *   static const PbSnapshot sci_snapshot = {
 *       .version = 3, PB_SNAPSHOT_STATE(SciDevice, board.state, SciState), .before = equal, .clean = reset, .load = load,
 *   };
 *
 * QEMU's description is made of that: the configuration space of a card on PCI, `before`, the state, `behind`. A board without a PbSnapshot
 * (PbBoardType.snapshot) has no snapshots, and QEMU takes none of a machine with it.
 *
 * How it is read, and what becomes of one that is damaged: hw/qemu/README.md, Snapshots.
 *
 * Record and replay (-icount rr=record, rr=replay): what no recording holds is refused, so that no replay is wrong.
 *
 *   pb_record_start();                       at load. When the machine is complete, a board's properties that somebody could set
 *                                            from outside (pins, wires, clocks) say so in one line, in a recording and in a replay; and
 *                                            no board is hotpluggable, for a monitor or for a guest
 *   pb_record_takes(board, chr, &error)      at realize, of a chardev whose reader the board waits for
 *   pb_record_reads(board, property, chr, instead, &error)      at realize, of a chardev that the board reads
 *
 * Without a recording nothing is changed. Properties of those who only look (break, recent, log-filter) may be set at any time; inject.c
 * refuses its own itself.
 *
 * What is odd about a board it adds to its class itself, in `more`. Big lock held in each function.
 */
#ifndef PERFBOARD_QEMU_CORE_BOARD_TYPE_H
#define PERFBOARD_QEMU_CORE_BOARD_TYPE_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/board/window.h"
#include "plugins/taps.h"

/* { DEFINE_PROP_UINT32("nodes", SciDevice, nodes, 0), "nodes of the cluster, 1..32; 0: one for each vCPU" } */
typedef struct PbProperty {
    Property property;
    const char *text;
} PbProperty;

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

/* Of a VMStateField: a member of 32 bits that must be what it was in the machine that saved it. called: its name for the user. */
#define PB_VMSTATE_EQUAL(member, Device, called) \
    { .name = (called), .size = sizeof(uint32_t), .info = &pb_vmstate_equal, .flags = VMS_SINGLE, .offset = vmstate_offset_value(Device, member, uint32_t) }
extern const VMStateInfo pb_vmstate_equal;

#define PB_SNAPSHOT_STATE(Device, member, State) .state = &vmstate_##State, .bytes = sizeof(State), .at = offsetof(Device, member)

typedef struct PbBoardType {
    const char *name; /* -device NAME */
    const char *desc;
    enum DeviceCategory category;
    size_t size, glue; /* PB_BOARD_DEVICE */
    const char *parent, *interface; /* NULL: a PCI device; none of ours */
    const PbProperty *properties; /* those of inspect.h come by themselves. The last one has no name; NULL: none */
    const PbWindow *windows;      /* window.h. NULL: none */
    const void *(*view)(void);    /* NULL: it has none */
    PbGlueOps ops;
    const PbSnapshot *snapshot; /* NULL: it has none */
    void (*init)(Object *board);                    /* members that are not 0 at first. NULL: none */
    /* The model's part of a reset by the bus, under the lock; of one after a sleep that took the slots' power. NULL: `more` says how; as reset() */
    void (*reset)(void *dev);
    void (*power_lost)(void *dev);
    void (*free)(Object *board);                    /* a board on PCI has gone; the glue is freed behind it. NULL: nothing */
    void (*more)(ObjectClass *klass);               /* NULL: nothing */
    struct {
        uint16_t vendor, device, class;
        void (*realize)(PCIDevice *pci, Error **errp);
        void (*exit)(PCIDevice *pci);
        void (*config_write)(PCIDevice *pci, uint32_t addr, uint32_t value, int len); /* NULL: pb_pci_write_config() */
    } pci;
} PbBoardType;

#define PB_BOARD_DEVICE(Device) .size = sizeof(Device), .glue = offsetof(Device, glue)

/* A function of the model, which is the device's `member`, as one of the device: PB_MODEL(timer, SciDevice, board, sci_timer) */
#define PB_MODEL(function, Device, member, call) \
    static void function(void *dev)              \
    {                                            \
        call(&((Device *)dev)->member);          \
    }
/* PbSnapshot.load, of the model's own. */
#define PB_MODEL_LOAD(function, Device, member, call)                                     \
    static bool function(void *dev, const void *image, char *why, size_t why_size)        \
    {                                                                                     \
        return call(&((Device *)dev)->member, image, why, why_size);                      \
    }

void pb_board_register(const PbBoardType *board);

/* Which of QEMU's objects is a board of ours: its description, or NULL. And such a one's glue. */
const PbBoardType *pb_board_type(Object *obj);
PbGlue *pb_board_glue(Object *board);
/* The device of a board that hw/boards has under this name; else the name. */
const char *pb_board_device(const char *name);

/* In realize. */
void pb_board_begin(void *dev);
bool pb_board_tap(void *dev, const PbTapOps *ops, Error **errp);
bool pb_board_open(void *dev, void *model, Error **errp);

/* In `more`: a property that is no member of the device. */
void pb_board_add(ObjectClass *klass, const char *name, const char *type, ObjectPropertyAccessor *get, ObjectPropertyAccessor *set, const char *text);
void pb_board_add_bool(ObjectClass *klass, const char *name, bool (*get)(Object *, Error **), void (*set)(Object *, bool, Error **), const char *text);

/* --- snapshot.c --- */

/* Made once, for the type's whole life. */
const VMStateDescription *pb_snapshot_description(const PbBoardType *type);

void pb_record_start(void);
bool pb_record_takes(const char *board, CharFrontend *chr, Error **errp);
bool pb_record_reads(const char *board, const char *property, CharFrontend *chr, const char *instead, Error **errp);

#endif
