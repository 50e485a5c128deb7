/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagecount on QEMU's side: a PCI card with one BAR, one interrupt pin and one tap. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "tests/example/pagecount/pagecount.h"

typedef struct PageCountDevice {
    PCIDevice parent_obj;
    PageCount board;
    PbGlue glue; /* with a spin lock: a vCPU that stores comes without the big lock */
    uint32_t watched; /* the page that the tap has */
} PageCountDevice;

#define TYPE_PAGECOUNT "pagecount"
OBJECT_DECLARE_SIMPLE_TYPE(PageCountDevice, PAGECOUNT)

static void watch(void *dev)
{
    PageCountDevice *s = dev;
    uint32_t page = s->board.state.page;

    if (page != s->watched) {
        pb_tap_pages(s->glue.tap, s->watched >> 12, 1, false);
        pb_tap_pages(s->glue.tap, page >> 12, 1, page != 0);
        pb_tap_want(s->glue.tap, page ? PB_TAP_STORES : PB_TAP_NOTHING);
        s->watched = page;
    }
}

static void stored(void *opaque, const PbTapAccess *a)
{
    PageCountDevice *s = opaque;

    pb_glue_at(a->now);
    qemu_spin_lock(&s->glue.spin);
    pagecount_stored(&s->board, a->now);
    qemu_spin_unlock(&s->glue.spin);
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
    { .name = TYPE_PAGECOUNT, .bytes = PAGECOUNT_BYTES, .bar = 0, .most = 4, .read = read_register, .write = write_register },
    { NULL }
};

#define STATE_LIST "tests/example/pagecount/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(PageCountState_bytes != 16, "PageCountState has changed: count up the snapshot's version, then correct this number");

PB_MODEL(clean, PageCountDevice, board, pagecount_power_on)
PB_MODEL_LOAD(load, PageCountDevice, board, pagecount_load)
PB_MODEL(reset, PageCountDevice, board, pagecount_reset)
PB_MODEL(timer, PageCountDevice, board, pagecount_timer)

static const PbSnapshot snapshot = {
    .version = 1, PB_SNAPSHOT_STATE(PageCountDevice, board.state, PageCountState), .clean = clean, .load = load,
};

static void realize(PCIDevice *pci, Error **errp)
{
    static const PbTapOps tap_ops = { .on_access = stored };
    PageCountDevice *s = PAGECOUNT(pci);

    pb_board_begin(s);
    s->board.host = s->glue.host;
    if (pb_board_tap(s, &tap_ops, errp)) {
        pb_board_open(s, &s->board, errp);
    }
}

static const PbBoardType pagecount = {
    .name = TYPE_PAGECOUNT, .desc = "an example: counts stores to a page", .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(PageCountDevice),
    .windows = windows, .view = pagecount_view, .snapshot = &snapshot,
    .reset = reset, .ops = { .lock = PB_SPIN, .set_irq = pb_pci_set_irq, .timer = timer, .behind = watch },
    .pci = { PCI_VENDOR_ID_QEMU, 0x4558 /* 'EX' */, PCI_CLASS_OTHERS, realize },
};

void perfboard_register_pagecount(void)
{
    pb_board_register(&pagecount);
}
