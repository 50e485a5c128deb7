/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The MULTIKRON card's QOM object: shared by its shim (multikron.c), its connections to the
 * machine (multikron_pins.c), its windows (multikron_lines.c), its network (multikron_net.c) and
 * what is collected over it (multikron_collect.c). */
#ifndef PERFBOARD_QEMU_MULTIKRON_H
#define PERFBOARD_QEMU_MULTIKRON_H

#include "hw/qemu/series/qemu.h"
#include "hw/multikron/collect.h"
#include "hw/multikron/multikron.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/time/time.h"
#include "plugins/events.h"

/* MkNet - the data collection network on QEMU's side: words of hw/multikron/stream.h to a chardev.
 *
 * What the reader does not take at once is kept. When more than `limit` bytes are kept the machine is
 * stopped, as QEMU stops it when a disk is full (run state io-error), and goes on by itself when the
 * reader has caught up: a slow reader never changes what the guest sees. A socket that nobody has
 * opened yet is a slow reader; one that comes after another begins with a whole word. Without a chardev
 * the words are dropped. A file gets `most` bytes at most: what comes then is dropped, and counted.
 */

#define MK_NET_MOST_LIMIT (UINT64_C(1) << 30)

typedef struct MkNet {
    CharFrontend chr;
    uint64_t limit; /* bytes, at most MK_NET_MOST_LIMIT */
    uint64_t most;  /* bytes of a file; 0: any number */
    uint64_t taken, dropped; /* bytes */
    bool full;
    GByteArray *kept;
    guint sent;  /* of the kept bytes, how many the reader has taken */
    guint watch;   /* GLib source that waits for the reader; 0: none */
    guint goes_on; /* that lets the machine go on */
    bool failed;   /* the last attempt to write */
    bool paused;   /* we asked for the machine to be stopped, and it has not run anew since */
} MkNet;

void mk_net_init(MkNet *n);
/* For MkConfig.network; opaque is the MkNet. Any thread that holds the big lock. */
void mk_net_words(void *opaque, const uint16_t *words, size_t count);
/* Hand over what the reader takes now; with `last`, wait a while for a reader that is slow. */
void mk_net_flush(MkNet *n, bool last);
/* The card is unplugged: what it has sent is handed over, and a machine that waits for the reader goes on. Also of one that was never begun. */
void mk_net_end(MkNet *n);

/* MkCollect - a card of a node whose samples go to the one node that collects (hw/multikron/collect.h).
 *
 * When the guest ends its machine, the node stays as long as it has samples that have not been sent; the one that collects, until all
 * others have left. So nothing is lost, whichever machine ends first. If somebody else ends QEMU it goes at once.
 */

typedef struct MkCollect {
    uint32_t node; /* the one that collects */
    Cluster *cluster;
    MkCollection *all;
    MkNet *net; /* where the stream goes; NULL: the card has gone */
    PbClusterPort port;
    PbTimer timer;
    uint64_t departs; /* when what has been gathered is sent; PB_NEVER: nothing is gathered */
    unsigned under_way; /* batches without a receipt */
    Notifier at_end;
    bool stays; /* the guest has ended its machine */
} MkCollect;

/* multikron_collect_life.c. In realize, before the chip is made; it is there as long as QEMU. NULL: an option is wrong. */
MkCollect *mk_collect_open(int32_t node, MkNet *net, const MkConfig *config, bool hotplugged, Error **errp);
/* The machine has ended, or the card goes; before the last flush of `net`. NULL, and a second time: nothing. */
void mk_collect_end(MkCollect *c);

/* multikron_collect.c. For MkConfig.network and whole. */
void mk_collect_words(MkCollect *c, const uint16_t *words, size_t n);
void mk_collect_whole(MkCollect *c, uint64_t ns);
bool mk_collects(const MkCollect *c); /* this node */
void mk_collect_promise(void *collect, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers);
bool mk_collect_take(void *collect, const ClusterMessage *m);
void mk_collect_timer(void *collect);
void mk_collect_depart(MkCollect *c);                  /* what has been gathered is sent */
void mk_collect_come_out(MkCollect *c, uint64_t now); /* what is due goes to the stream */

#define TYPE_MULTIKRON "multikron"
OBJECT_DECLARE_SIMPLE_TYPE(MultiKronDevice, MULTIKRON)

enum { MK_PINS = 16, MK_LINES = 8 };

typedef struct MkPin {
    char *source; /* the property's text; NULL: not connected */
    PbEventSource *events;
    PbWire *wire; /* NULL: to none */
    PbWireEnd end;
    MultiKronDevice *card;
    bool high; /* set from outside (pin0..pin15) */
} MkPin;

struct MultiKronDevice {
    PCIDevice parent_obj;
    MultiKron chip;
    PbGlue glue;
    PbStall stall;
    MkNet net;
    MkCollect *collect; /* NULL: the stream is this card's alone */
    int32_t collect_node; /* -1: so */
    MkPin pin[MK_PINS];
    char *cpus, *free; /* properties as given */
    uint32_t node_clock, timestamp_clock, fifo_depth, wait_states;
    uint64_t free_size, free_rate;
    bool test_mode, external_free;
    bool was_reset; /* by the reset that is under way */
    unsigned place; /* among the machine's chips */
    bool pins_high[MK_PINS]; /* pin[].high, in a snapshot */
    int8_t line[PB_MAX_VCPUS]; /* CPU ID line of a vCPU; -1: another chip's */
};

extern const PbWindow multikron_windows[]; /* multikron_lines.c */
extern const PbSnapshot multikron_snapshot; /* multikron_vmstate.c */

/* multikron_pins.c */
bool multikron_connect_pins(MultiKronDevice *s, Error **errp);
void multikron_disconnect_pins(MultiKronDevice *s);
uint64_t multikron_external(void *opaque, unsigned pin);
void multikron_watch(void *opaque, uint16_t pins);
void multikron_rebase(void *opaque, uint16_t pins);
void multikron_add_properties(ObjectClass *klass);

/* multikron_lines.c: which chip serves which vCPU */
bool multikron_connect_lines(MultiKronDevice *s, MkConfig *config, Error **errp);
void multikron_disconnect_lines(MultiKronDevice *s);
/* The reset pin, which all chips of the machine share. */
void multikron_reset_all(void);
void multikron_reset(MultiKronDevice *s); /* of one alone: it has just got its power */

#endif
