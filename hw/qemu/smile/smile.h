/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SMiLE monitor's QOM object: shared by its shim (smile.c), its memories and its place on the bus (smile_card.c), its
 * cable (smile_card.c), the daughter board (smile_daughter.c) and its waveforms (smile_vcd.c).
 *
 * Packets come in vCPUs' threads without the big lock. All else comes with it. So glue.spin is around every call of the
 * model; whoever needs both takes the big lock first. */
#ifndef PERFBOARD_QEMU_SMILE_H
#define PERFBOARD_QEMU_SMILE_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/links.h"
#include "hw/smile/smile.h"
#include "hw/smile/vcd.h"

#define TYPE_SMILE_HWM "smile-hwm"
#define SMILE_ADAPTER "smile-sci" /* at the other end of the cable */
OBJECT_DECLARE_SIMPLE_TYPE(SmileDevice, SMILE_HWM)

struct SmileDevice {
    PCIDevice parent_obj;
    SmileHwm hwm;
    PbGlue glue;
    PbCable cable;
    MemoryRegion ring, spare, cache, flash; /* in BAR 0 */
    MemoryRegion queue;                     /* the swap queue, which no bus reaches */
    bool away;                              /* smile_away(), as the bus knows it */
    /* Properties. */
    uint32_t node, entries, queue_records, cclk;
    char *initial, *flash_file;
    /* smile_daughter.c. */
    char *daughter; /* NULL: there is no daughter board */
    uint32_t boards; /* 1, or 2 with it */
    uint32_t xchecker_rate;
    uint8_t *stream; /* of a file */
    CharFrontend xchecker;
    MemoryRegion daughter_memory; /* which no bus reaches */
    uint8_t answer[SMILE_XCHECKER_ANSWER]; /* that its reader has not taken yet */
    uint32_t answer_bytes, answer_sent;
    guint answer_watch;
    /* smile_vcd.c. */
    char *vcd_file;
    uint64_t vcd_start, vcd_stop, vcd_most;
    SmileVcd *vcd;
    int vcd_error;
    FILE *vcd_out; /* NULL: there is no dump, or none any more */
    bool vcd_seeks; /* a regular file */
    off_t vcd_rest; /* what is behind it was pending when the machine stood still; -1: nothing */
};

/* smile_card.c */
bool smile_realize_card(SmileDevice *s, SmileConfig *config, Error **errp); /* memories: BAR 0 gets them, and the model */
void smile_show_presence(SmileDevice *s); /* the card leaves the bus or comes back, as the model says; big lock held, lock not */
uint32_t smile_config_read(PCIDevice *pci, uint32_t addr, int len);
void smile_config_write(PCIDevice *pci, uint32_t addr, uint32_t value, int len);
void smile_memories_dirty(SmileDevice *s);
ssize_t smile_read_file(const char *name, uint8_t *data, size_t most); /* bytes, up to `most`; -1: errno says why not */
extern const char *const smile_design_names[]; /* by enum smile_design */
extern const uint8_t *const smile_images[];    /* firmware/smile's, by enum smile_design; the daughter board's behind them */
extern const uint32_t smile_images_bytes[];
void smile_leave_card(SmileDevice *s); /* in exit: as what these leave also of a realize that has failed */

/* smile_card.c */
void smile_cable_class_init(ObjectClass *klass);

/* smile_daughter.c */
bool smile_realize_daughter(SmileDevice *s, SmileConfig *config, Error **errp);
void smile_plug_xchecker(SmileDevice *s);
void smile_take_answer(SmileDevice *s); /* behind smile_timer() */
void smile_send_answer(SmileDevice *s);
void smile_unplug_xchecker(SmileDevice *s);

/* smile_vcd.c */
bool smile_realize_vcd(SmileDevice *s, SmileConfig *config, Error **errp);
void smile_flush_vcd(SmileDevice *s);
void smile_vcd_ends(void *dev);     /* QEMU ends: the file is whole */
void smile_end_vcd(SmileDevice *s); /* in exit: it is, and another card may have it */

#endif
