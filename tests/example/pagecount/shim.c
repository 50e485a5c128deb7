/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagecount on QEMU's side: a PCI card with one BAR, one interrupt pin and one tap. */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/snapshot.h"
#include "plugins/taps.h"
#include "tests/example/pagecount/pagecount.h"

typedef struct PageCountDevice {
    PCIDevice parent_obj;
    PageCount board;
    PbGlue glue;
    QemuSpin lock; /* around the board: a vCPU that stores comes without the big lock */
    PbTap *tap;
    uint32_t watched; /* the page that the tap has */
} PageCountDevice;

#define TYPE_PAGECOUNT "pagecount"
OBJECT_DECLARE_SIMPLE_TYPE(PageCountDevice, PAGECOUNT)

PB_GLUE_SPIN_LOCK(lock, PageCountDevice)

static void watch(void *dev)
{
    PageCountDevice *s = dev;
    uint32_t page = s->board.state.page;

    if (page != s->watched) {
        pb_tap_pages(s->tap, s->watched >> 12, 1, false);
        pb_tap_pages(s->tap, page >> 12, 1, page != 0);
        pb_tap_want(s->tap, page ? PB_TAP_STORES : PB_TAP_NOTHING);
        s->watched = page;
    }
}

static void stored(void *opaque, const PbTapAccess *a)
{
    PageCountDevice *s = opaque;

    pb_glue_at(a->now);
    lock(s, true);
    pagecount_stored(&s->board, a->now);
    lock(s, false);
    pb_glue_at(PB_NEVER);
}

static uint64_t read_register(void *dev, const PbAccess *a)
{
    return pagecount_read(&PAGECOUNT(dev)->board, a->offset, a->size);
}

static void write_register(void *dev, const PbAccess *a, uint64_t value)
{
    pagecount_write(&PAGECOUNT(dev)->board, a->offset, a->size, value);
}

static const PbWindow windows[] = {
    { .name = TYPE_PAGECOUNT, .bytes = PAGECOUNT_BYTES, .bar = 0, .most = 4, .read = read_register, .write = write_register, .behind = watch },
    { NULL }
};

static void expired(void *dev)
{
    lock(dev, true);
    pagecount_timer(&PAGECOUNT(dev)->board);
    lock(dev, false);
}

#define STATE_LIST "tests/example/pagecount/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(PageCountState_bytes != 16, "PageCountState has changed: count up the snapshot's version, then correct this number");

static void *save(void *dev)
{
    return &PAGECOUNT(dev)->board.state;
}

static void clean(void *dev)
{
    pagecount_power_on(&PAGECOUNT(dev)->board);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    return pagecount_load(&PAGECOUNT(dev)->board, image, why, why_size);
}

static void replaced(void *dev)
{
    watch(dev);
    pb_retranslate();
}

static const PbSnapshot snapshot = {
    .version = 1, PB_SNAPSHOT_STATE(PageCountState), .save = save, .clean = clean, .load = load, .replaced = replaced,
};

static void realize(PCIDevice *pci, Error **errp)
{
    static const PbTapOps tap_ops = { .told = stored };
    PageCountDevice *s = PAGECOUNT(pci);

    s->tap = pb_tap_new(&tap_ops, s);
    if (!s->tap) {
        error_setg(errp, "pagecount: the machine has %d boards that observe its memory already", PB_MOST_TAPS);
        return;
    }
    qemu_spin_init(&s->lock);
    pb_board_begin(s);
    s->board.host = s->glue.host;
    pci_config_set_interrupt_pin(pci->config, 1);
    pb_board_open(s, &s->board, errp);
}

static void leave(PCIDevice *pci)
{
    if (PAGECOUNT(pci)->tap) {
        pb_tap_close(PAGECOUNT(pci)->tap);
    }
}

static void free_tap(Object *obj)
{
    if (PAGECOUNT(obj)->tap) {
        pb_tap_free(PAGECOUNT(obj)->tap);
    }
}

static void reset(Object *obj, ResetType type)
{
    lock(obj, true);
    pagecount_reset(&PAGECOUNT(obj)->board);
    lock(obj, false);
    watch(obj);
}

static const PbBoardType pagecount = {
    .name = TYPE_PAGECOUNT, .desc = "an example: counts stores to a page", .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(PageCountDevice),
    .windows = windows, .view = pagecount_view, .ops = { pb_pci_set_irq, expired, lock }, .snapshot = &snapshot, .reset = reset, .free = free_tap,
    .pci = { PCI_VENDOR_ID_QEMU, 0x4558 /* 'EX' */, PCI_CLASS_OTHERS, realize, leave },
};

void perfboard_register_pagecount(void)
{
    pb_board_register(&pagecount);
}
