/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagecount on QEMU's side: a PCI card with one BAR, one interrupt pin and one tap. It has no snapshots. */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qapi/error.h"
#include "migration/vmstate.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/region.h"
#include "plugins/taps.h"
#include "tests/example/pagecount/pagecount.h"

typedef struct PageCountDevice {
    PCIDevice parent_obj;
    PageCount board;
    PbGlue glue;
    QemuMutex lock; /* around the board: a vCPU that stores comes without the big lock */
    MemoryRegion registers;
    PbRegion region;
    PbTap *tap;
} PageCountDevice;

static void stored(void *opaque, const PbTapAccess *a)
{
    PageCountDevice *s = opaque;
    QEMU_LOCK_GUARD(&s->lock);
    pagecount_stored(&s->board, a->now);
}

static uint64_t read_register(void *opaque, hwaddr addr, unsigned size)
{
    PageCountDevice *s = opaque;
    QEMU_LOCK_GUARD(&s->lock);
    return pagecount_read(&s->board, addr, size);
}

static void write_register(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    PageCountDevice *s = opaque;

    pb_tap_pages(s->tap, s->board.page >> 12, 1, false);
    qemu_mutex_lock(&s->lock);
    pagecount_write(&s->board, addr, size, value);
    qemu_mutex_unlock(&s->lock);
    pb_tap_pages(s->tap, s->board.page >> 12, 1, s->board.page != 0);
    pb_tap_want(s->tap, s->board.page ? PB_TAP_STORES : PB_TAP_NOTHING);
}

static const MemoryRegionOps register_ops = { .read = read_register, .write = write_register, .endianness = DEVICE_LITTLE_ENDIAN,
                                              .impl = { .min_access_size = 1, .max_access_size = 4 } };

static void set_irq(void *dev, bool level)
{
    pci_set_irq(dev, level);
}

static char *describe(void *dev)
{
    return pb_pci_describe(dev, "pagecount");
}

static void lock(void *dev, bool on)
{
    PageCountDevice *s = dev;

    if (on) {
        qemu_mutex_lock(&s->lock);
    } else {
        qemu_mutex_unlock(&s->lock);
    }
}

static void expired(void *dev)
{
    PageCountDevice *s = dev;
    QEMU_LOCK_GUARD(&s->lock);
    pagecount_timer(&s->board);
}

static void realize(PCIDevice *pci, Error **errp)
{
    static const PbGlueOps glue_ops = { set_irq, describe, expired, lock };
    static const PbTapOps tap_ops = { .write = stored };
    PageCountDevice *s = (PageCountDevice *)pci;

    s->tap = pb_tap_new(&tap_ops, s);
    if (!s->tap) {
        error_setg(errp, "pagecount: the machine has %d boards that observe its memory already", PB_MOST_TAPS);
        return;
    }
    qemu_mutex_init(&s->lock);
    pb_glue_init(&s->glue, s, &glue_ops);
    s->board.host = s->glue.host;
    if (!pb_glue_inspect(&s->glue, DEVICE(s), pagecount_view(), &s->board, errp)) {
        return;
    }
    pci_config_set_interrupt_pin(pci->config, 1);
    pb_region_init_io(&s->region, &s->glue, 0, &s->registers, OBJECT(s), &register_ops, s, "pagecount", 4096);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
}

static void leave(PCIDevice *pci)
{
    PageCountDevice *s = (PageCountDevice *)pci;

    if (s->tap) {
        pb_tap_close(s->tap);
    }
}

static void free_tap(Object *obj)
{
    PageCountDevice *s = (PageCountDevice *)obj;

    if (s->tap) {
        pb_tap_free(s->tap);
    }
}

static const Property properties[] = { DEFINE_PB_INSPECT(PageCountDevice, glue) };
static const VMStateDescription no_snapshots = { .name = "pagecount", .unmigratable = 1 };

static const PbBoardType pagecount = {
    .name = "pagecount", .desc = "an example: counts stores to a page", .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(PageCountDevice),
    PB_BOARD_PROPERTIES(properties), .vmsd = &no_snapshots, .free = free_tap,
    .pci = { PCI_VENDOR_ID_QEMU, 0x4558 /* 'EX' */, PCI_CLASS_OTHERS, realize, leave },
};

void perfboard_register_pagecount(void)
{
    pb_board_register(&pagecount);
}
