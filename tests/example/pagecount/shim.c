/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagecount on QEMU's side: a PCI card with one BAR, one interrupt pin and one tap. */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/region.h"
#include "hw/qemu/core/snapshot.h"
#include "plugins/port.h"
#include "plugins/taps.h"
#include "tests/example/pagecount/pagecount.h"

#define STATE_LIST "tests/example/pagecount/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(PageCountState_bytes != 16, "PageCountState has changed: count up vmstate_pagecount's versions, then correct this number");

typedef struct PageCountDevice {
    PCIDevice parent_obj;
    PageCount board;
    PbGlue glue;
    QemuSpin lock; /* around the board: a vCPU that stores comes without the big lock */
    MemoryRegion registers;
    PbRegion region;
    PbTap *tap;
    uint32_t watched; /* the page that the tap has */
} PageCountDevice;

#define TYPE_PAGECOUNT "pagecount"
OBJECT_DECLARE_SIMPLE_TYPE(PageCountDevice, PAGECOUNT)

static void watch(PageCountDevice *s)
{
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
    qemu_spin_lock(&s->lock);
    pagecount_stored(&s->board, a->now);
    qemu_spin_unlock(&s->lock);
    pb_glue_at(PB_NEVER);
}

static uint64_t read_register(void *opaque, hwaddr addr, unsigned size)
{
    PageCountDevice *s = opaque;

    qemu_spin_lock(&s->lock);
    uint64_t value = pagecount_read(&s->board, addr, size);
    qemu_spin_unlock(&s->lock);
    return value;
}

static void write_register(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    PageCountDevice *s = opaque;

    qemu_spin_lock(&s->lock);
    pagecount_write(&s->board, addr, size, value);
    qemu_spin_unlock(&s->lock);
    watch(s);
}

static const MemoryRegionOps register_ops = { .read = read_register, .write = write_register, .endianness = DEVICE_LITTLE_ENDIAN,
                                              .impl = { .min_access_size = 1, .max_access_size = 4 } };

static void set_irq(void *dev, bool level)
{
    pci_set_irq(dev, level);
}

static char *describe(void *dev)
{
    return pb_pci_describe(dev, TYPE_PAGECOUNT);
}

static void expired(void *dev)
{
    PageCountDevice *s = dev;

    qemu_spin_lock(&s->lock);
    pagecount_timer(&s->board);
    qemu_spin_unlock(&s->lock);
}

PB_GLUE_SPIN_LOCK(lock, PAGECOUNT)

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

static const PbSnapshot snapshot = { sizeof(PageCountState), save, clean, load, replaced };

static const VMStateDescription vmstate_pagecount = {
    .name = TYPE_PAGECOUNT, .version_id = 1, .minimum_version_id = 1, PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) { VMSTATE_PCI_DEVICE(parent_obj, PageCountDevice), PB_SNAPSHOT_STATE(PageCountDevice, PageCountState),
                                       VMSTATE_END_OF_LIST() },
};

static void realize(PCIDevice *pci, Error **errp)
{
    static const PbGlueOps glue_ops = { .set_irq = set_irq, .describe = describe, .expired = expired, .lock = lock, .snapshot = &snapshot };
    static const PbTapOps tap_ops = { .write = stored };
    PageCountDevice *s = PAGECOUNT(pci);

    s->tap = pb_tap_new(&tap_ops, s);
    if (!s->tap) {
        error_setg(errp, "pagecount: the machine has %d boards that observe its memory already", PB_MOST_TAPS);
        return;
    }
    qemu_spin_init(&s->lock);
    pb_glue_init(&s->glue, s, &glue_ops);
    s->board.host = s->glue.host;
    if (!pb_glue_inspect(&s->glue, DEVICE(s), pagecount_view(), &s->board, errp)) {
        return;
    }
    pci_config_set_interrupt_pin(pci->config, 1);
    pb_region_init_io(&s->region, &s->glue, 0, &s->registers, OBJECT(s), &register_ops, s, TYPE_PAGECOUNT, PAGECOUNT_BYTES);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
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
    PageCountDevice *s = PAGECOUNT(obj);

    qemu_spin_lock(&s->lock);
    pagecount_reset(&s->board);
    qemu_spin_unlock(&s->lock);
    watch(s);
}

static const Property properties[] = { DEFINE_PB_INSPECT(PageCountDevice, glue) };

static const PbBoardType pagecount = {
    .name = TYPE_PAGECOUNT, .desc = "an example: counts stores to a page", .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(PageCountDevice),
    PB_BOARD_PROPERTIES(properties), .view = pagecount_view, .vmsd = &vmstate_pagecount, .reset = reset, .free = free_tap,
    .pci = { PCI_VENDOR_ID_QEMU, 0x4558 /* 'EX' */, PCI_CLASS_OTHERS, realize, leave },
};

void perfboard_register_pagecount(void)
{
    pb_board_register(&pagecount);
}
