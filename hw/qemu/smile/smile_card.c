/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The card's memories, and its place on the bus: while the FPGA takes a configuration there is no PCI core that could answer. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/smile/smile.h"

#define SPARE_BASE (SMILE_RING_BASE + 4 * SMILE_RING_WORDS) /* the second dual-ported RAM */

const char *const smile_design_names[] = {
    [SMILE_NONE] = "none", [SMILE_STATIC] = "static", [SMILE_DYNAMIC] = "dynamic", [SMILE_TARGET] = "target",
};

static uint8_t *bytes_of(MemoryRegion *mr)
{
    return memory_region_get_ram_ptr(mr);
}

/* --- memories -------------------------------------------------------------------- */

ssize_t smile_read_file(const char *name, uint8_t *data, size_t most)
{
    FILE *file = fopen(name, "rb");
    ssize_t bytes;

    if (!file) {
        return -1;
    }
    bytes = fread(data, 1, most, file);
    if (ferror(file)) {
        bytes = -1;
    }
    int error = errno;
    fclose(file);
    errno = error;
    return bytes;
}

static bool read_flash_file(SmileDevice *s, Error **errp)
{
    g_autofree uint8_t *data = g_malloc(SMILE_FLASH_BYTES + 1);
    ssize_t bytes;
    uint32_t clocks;

    if (s->initial) {
        error_setg(errp, "smile-hwm: initial=%s: the flash holds what flash= says; give one of the two", s->initial);
        return false;
    }
    bytes = smile_read_file(s->flash_file, data, SMILE_FLASH_BYTES + 1);
    if (bytes < 0) {
        error_setg(errp, "smile-hwm: flash=%s: %s", s->flash_file, strerror(errno));
        return false;
    }
    if (bytes > SMILE_FLASH_BYTES) {
        error_setg(errp, "smile-hwm: flash=%s: it has more than the flash's %u bytes", s->flash_file, SMILE_FLASH_BYTES);
        return false;
    }
    if (!smile_image_ok(data, bytes, s->daughter ? SMILE_FPGA_CARD : SMILE_FPGA_ONE, &clocks)) {
        error_setg(errp, "smile-hwm: flash=%s: no configuration for this card is at its start (wrong after %u bits); "
                   "hot2d says more", s->flash_file, clocks);
        return false;
    }
    memcpy(bytes_of(&s->flash), data, bytes);
    return true;
}

static bool is_for_card(const SmileDevice *s, unsigned design)
{
    return design == SMILE_NONE || (design == SMILE_TARGET) == (s->daughter != NULL);
}

static bool fill_flash(SmileDevice *s, Error **errp)
{
    const char *initial = s->initial ? s->initial : smile_design_names[s->daughter ? SMILE_TARGET : SMILE_DYNAMIC];
    unsigned design = 0;

    memset(bytes_of(&s->flash), 0xff, SMILE_FLASH_BYTES); /* as erased */
    if (s->flash_file) {
        return read_flash_file(s, errp);
    }
    while (design <= SMILE_TARGET && strcmp(initial, smile_design_names[design])) {
        design++;
    }
    if (design > SMILE_TARGET || !is_for_card(s, design)) {
        error_setg(errp, "smile-hwm: initial=%s: legal are %s", initial,
                   s->daughter ? "target and none: the F.R.L. is on the daughter board, daughter=" : "dynamic, static and none");
        return false;
    }
    memcpy(bytes_of(&s->flash), smile_images[design], smile_images_bytes[design]);
    return true;
}

static bool add_ram(SmileDevice *s, MemoryRegion *mr, const char *name, uint32_t base, uint32_t bytes, Error **errp)
{
    if (!memory_region_init_ram(mr, OBJECT(s), name, bytes, errp)) {
        return false;
    }
    memory_region_add_subregion(pb_window_region(&s->glue, 0), base, mr);
    return true;
}

bool smile_realize_card(SmileDevice *s, SmileConfig *c, Error **errp)
{
    if (!add_ram(s, &s->ring, "smile-ring", SMILE_RING_BASE, 4 * SMILE_RING_WORDS, errp) ||
        !add_ram(s, &s->spare, "smile-spare", SPARE_BASE, 4 * SMILE_RING_WORDS, errp) ||
        !add_ram(s, &s->cache, "smile-cache", SMILE_CACHE_BASE, SMILE_CACHE_BYTES, errp) ||
        !memory_region_init_rom(&s->flash, OBJECT(s), "smile-flash", SMILE_FLASH_BYTES, errp) ||
        (s->queue_records &&
         !memory_region_init_ram(&s->queue, OBJECT(s), "smile-queue", 8 * (uint64_t)s->queue_records, errp))) {
        return false;
    }
    memory_region_add_subregion(pb_window_region(&s->glue, 0), SMILE_FLASH_BASE, &s->flash);
    c->ring = bytes_of(&s->ring);
    c->cache = bytes_of(&s->cache);
    c->flash = bytes_of(&s->flash);
    c->swap_queue = s->queue_records ? bytes_of(&s->queue) : NULL;
    return fill_flash(s, errp);
}

/* A part of the BAR would hold the card. The memories' names in snapshots are another card's from now on, which may come into the slot before they
 * are free. */
void smile_leave_card(SmileDevice *s)
{
    MemoryRegion *parts[] = { &s->ring, &s->spare, &s->cache, &s->flash, &s->queue, &s->daughter_memory };

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (parts[i]->container) {
            memory_region_del_subregion(pb_window_region(&s->glue, 0), parts[i]);
        }
        if (parts[i]->ram_block) {
            vmstate_unregister_ram(parts[i], DEVICE(s));
        }
    }
}

/* The model writes them without a word. Whenever the machine stops, QEMU is told: that is before the last look that a snapshot takes at RAM. */
void smile_memories_dirty(SmileDevice *s)
{
    MemoryRegion *written[] = { &s->ring, &s->queue, &s->daughter_memory };

    for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
        if (written[i]->ram_block) {
            memory_region_set_dirty(written[i], 0, memory_region_size(written[i]));
        }
    }
}

/* --- presence -------------------------------------------------------------------- */

void smile_show_presence(SmileDevice *s)
{
    bool away;

    pb_spin_lock(&s->glue.spin);
    away = smile_away(&s->hwm);
    qemu_spin_unlock(&s->glue.spin);
    if (away && !s->away) {
        pb_pci_reset_config(PCI_DEVICE(s)); /* with that it comes back */
    }
    s->away = away;
}

uint32_t smile_config_read(PCIDevice *pci, uint32_t addr, int len)
{
    return SMILE_HWM(pci)->away ? UINT32_MAX >> (32 - 8 * len) : pci_default_read_config(pci, addr, len);
}

void smile_config_write(PCIDevice *pci, uint32_t addr, uint32_t value, int len)
{
    if (!SMILE_HWM(pci)->away) {
        pb_pci_write_config(pci, addr, value, len);
    }
}

/* The card's cable, which is plugged into a node's B-Link (hw/qemu/core/links/links.h). */

/* Of its lane. In the thread of the vCPU whose access makes the packet, without the big lock. Millions a second: QOM's look at the
 * object's class would be a quarter of the time. */
static void heard(Object *monitor, const void *packet)
{
    SmileDevice *s = container_of(monitor, SmileDevice, parent_obj.qdev.parent_obj);

    pb_spin_lock(&s->glue.spin);
    if (!s->glue.left) {
        smile_packet(&s->hwm, packet);
    }
    qemu_spin_unlock(&s->glue.spin);
}

static bool fits(Object *monitor, Object *adapter, Error **errp)
{
    uint32_t node = SMILE_HWM(monitor)->node;
    uint64_t nodes = object_property_get_uint(adapter, "nodes", &error_abort);

    if (node >= nodes) {
        error_setg(errp, "smile-hwm: node=%u: legal are 0 to %" PRIu64 ", the nodes of the smile-sci", node, nodes - 1);
    }
    return node < nodes;
}

static void plugged(Object *monitor)
{
    SmileDevice *s = SMILE_HWM(monitor);

    pb_spin_lock(&s->glue.spin);
    smile_set_cable(&s->hwm, s->cable.adapter);
    qemu_spin_unlock(&s->glue.spin);
}

void smile_cable_class_init(ObjectClass *klass)
{
    PbCableMonitorClass *mc = PB_CABLE_MONITOR_CLASS(klass);

    mc->packet = heard;
    mc->fits = fits;
    mc->plugged = plugged;
}
