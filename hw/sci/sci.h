/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The PCI-SCI adapters of all nodes of a machine - C entry points of the model (smile.txt; hw/sci/README.md).
 * Node k is vCPU k. Each node has a B-Link of its own. Or the nodes are machines of their own, and this is one node's adapter: see below.
 *
 *   sci_init(&a, &config, &host)     once, before anything else; then it is as after sci_reset()
 *   sci_reset                        the bus's reset
 *   sci_enabled                      whether accesses are to be told at all; a register write may change it
 *   sci_stays                        whether sci_access() would do nothing for it; may be asked while others are in a call
 *   sci_access                       a load or store of a vCPU to the window; SCI_WAIT: see below
 *   sci_drain                        a vCPU's write-combining buffers are emptied
 *   sci_holds                        whether any vCPU's buffer holds anything
 *   sci_register_read / _write       an access to BAR 0
 *   sci_timer                        the deadline that host->arm() asked for has come (latency=on)
 *   sci_tell_due                     packets whose time has come pass, although the timer has yet to run
 *   sci_tell_all                     all packets of transactions that have begun pass now
 *   sci_load                         a snapshot's state in place of the adapters', if they can be in it
 *
 * Packets. Each packet on each B-Link is told to config.packet(). latency=off: before the call that caused it returns, in the order in which
 * the B-Link carries them. latency=on: when its time has come, in the order of times. Its payload is filled in only if
 * sci_want_payload() has asked for it. config.packet() calls nothing of the adapters.
 *
 * Waiting (latency=on). sci_access() returns SCI_WAIT if the processor is held. Then the same access is to be made again at the
 * time that *until tells. A load's transaction has begun, and is not begun again; a store waits until it can begin. Tries
 * in between change nothing. If the node makes other accesses first, that is all the same: the adapters know SCI_HELD of them, and forget
 * the oldest one of more. An access that cannot wait is done at once. With latency=on each piece (model.h) is told as an access of its
 * own.
 *
 * Other machines (config.cluster; always latency=on). vCPU config.node is this machine's, and there is no other one. An access to a page of another
 * node's is a message to that node, whose memory it is made to. So the adapter makes every access itself, also one that stays:
 * a load's bytes are in SciAccess.loaded, and nobody else looks into the window's memory for a processor. SCI_WAIT: the vCPU waits in the
 * middle of the access, whether it can be held or not; config.moved() brings the end of that wait forward. The same
 * access is then made again, and it is made once.
 *
 *   sci_join(&config, cluster)       before sci_init()
 *   sci_promise, sci_take            hw/qemu/core/links/cluster.h has what each is to do
 *
 * All times are virtual ns. The shim serialises calls. Usable from C and C++.
 */
#ifndef PERFBOARD_SCI_SCI_H
#define PERFBOARD_SCI_SCI_H

#include <stddef.h>

#include "hw/model/host.h"
#include "hw/sci/packet.h"
#include "hw/sci/sci_state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCI_PAGE_BYTES 4096u
#define SCI_LEAST_SIZE SCI_PAGE_BYTES
#define SCI_MOST_SIZE (SCI_MAX_PAGES * (uint64_t)SCI_PAGE_BYTES)
#define SCI_DEFAULT_SIZE (UINT64_C(16) << 20)
#define SCI_LEAST_RINGLET 2u
#define SCI_MOST_RINGLET 8u
#define SCI_DEFAULT_BUFFERS 4u
#define SCI_REGISTER_BYTES 0x80000u
#define SCI_CABLE_MOST 10000000u
#define SCI_NO_VCPU UINT32_MAX /* nobody's instruction makes the access */

typedef struct SciConfig {
    uint32_t nodes;      /* 1..SCI_MAX_NODES */
    uint64_t size;       /* of the window, bytes: a power of two, SCI_LEAST_SIZE..SCI_MOST_SIZE */
    bool latency;        /* an access takes the time that the ring says */
    uint32_t ringlet;    /* nodes in a ringlet, SCI_LEAST_RINGLET..SCI_MOST_RINGLET */
    uint32_t wc_buffers; /* of each node, 0..SCI_MAX_BUFFERS; 0: stores are not combined */

    void *opaque; /* for the functions below */
    void (*packet)(void *opaque, const SciPacket *packet);
    uint8_t *memory; /* the window's: for payloads; other machines: for the processor, and for the other nodes, too */

    /* Other machines. */
    struct Cluster *cluster;                     /* hw/cluster/cluster.h; NULL: there are none */
    uint32_t node;                               /* of this machine */
    uint32_t cable_ns;                           /* each way to another node takes so much longer, 0..SCI_CABLE_MOST */
    void (*moved)(void *opaque, uint64_t until); /* what waits ends then */
} SciConfig;

/* When the next packet of a transaction on its way passes. */
typedef struct SciNext {
    uint64_t ns, number;
    uint32_t place; /* in SciState.flight */
} SciNext;

/* Not state: made anew from configuration and state, or the process's own. */
typedef struct SciDerived {
    bool payload;      /* somebody wants it */
    bool strange_vcpu; /* a vCPU that is no node has been logged */
    uint32_t filled;   /* write-combining buffers in use, of all nodes */
    uint64_t wanted;   /* sci_want_packets() */
    /* latency=off: ns from a request on its own B-Link to its other passes, from node to node, by its size (fabric.h). */
    uint32_t behind[SCI_MAX_NODES][SCI_MAX_NODES][3][SCI_PASSES - 1];
    /* latency=on (flights.cc). */
    uint64_t armed;         /* what host.arm() was last told */
    uint32_t flights;       /* in next */
    uint32_t unused_places; /* in unused */
    SciNext next[SCI_FLIGHTS];
    uint16_t unused[SCI_FLIGHTS]; /* places in SciState.flight */
} SciDerived;

struct SciFabric;
struct Cluster;
struct ClusterMessage;

typedef struct SciAdapter {
    SciState state; /* everything that a snapshot holds */
    SciConfig config;
    PbHost host;
    SciDerived derived;
    const struct SciFabric *fabric; /* fabric.h */
} SciAdapter;

typedef struct SciAccess {
    uint64_t ns;
    uint64_t offset; /* in the window; the access lies within a page */
    uint32_t bytes;  /* 1..16 */
    uint32_t vcpu;
    bool store;
    bool locked;          /* the instruction locks the bus: its load and its store are lock and unlock */
    bool write_combining; /* so is the mapping by which the processor reaches the page */
    bool can_wait;        /* whoever accesses can be held */
    /* What a store stores, for payloads; NULL: it is in config.memory already. */
    const uint8_t *data;
    uint8_t *loaded; /* other machines: where a load's bytes go */
} SciAccess;

enum sci_result { SCI_DONE, SCI_WAIT };

void sci_init(SciAdapter *a, const SciConfig *config, const PbHost *host);
void sci_reset(SciAdapter *a);
bool sci_enabled(const SciAdapter *a);
void sci_want_payload(SciAdapter *a, bool on);
/* config.packet() is called for packets on these nodes' B-Links only, a bit each; at first for all. */
void sci_want_packets(SciAdapter *a, uint64_t nodes);
enum sci_result sci_access(SciAdapter *a, const SciAccess *access, uint64_t *until);
void sci_drain(SciAdapter *a, uint64_t ns, uint32_t vcpu);
bool sci_holds(const SciAdapter *a);
void sci_timer(SciAdapter *a);
void sci_tell_due(SciAdapter *a);
void sci_tell_all(SciAdapter *a);
/* latency=off: whether the access stays within its node and empties no buffer, so that it need not be told. */
bool sci_stays(const SciAdapter *a, const SciAccess *access);

/* Other machines. */
#define SCI_CLUSTER_KIND 3
void sci_join(SciConfig *config, struct Cluster *cluster);
uint64_t sci_answers_after(const SciConfig *config);
void sci_promise(SciAdapter *a, uint64_t now, uint64_t next, uint64_t *promise, uint64_t *answers);
/* False: it is no message that an adapter sends. */
bool sci_take(SciAdapter *a, const struct ClusterMessage *message);

/* Errors on purpose, by the number of the row in the view's list (view.h), which says what each is. A reset ends none. */
uint64_t sci_injected(const SciAdapter *a, unsigned which);
void sci_inject(SciAdapter *a, unsigned which, uint64_t value);

/* size: 1, 2, 4 or 8 bytes, aligned. vcpu: who accesses; SCI_NO_VCPU: no vCPU. */
uint64_t sci_register_read(SciAdapter *a, uint32_t offset, uint32_t size, uint32_t vcpu);
void sci_register_write(SciAdapter *a, uint32_t offset, uint64_t value, uint32_t size, uint32_t vcpu);

/* A snapshot. False: the adapters cannot be in this state; `why` gets a line that names the member, its value and
 * what is legal, and sci_load() leaves adapters that were reset. */
bool sci_load(SciAdapter *a, const SciState *image, char *why, uint32_t why_size);
bool sci_state_ok(const SciAdapter *a, const SciState *image, char *why, uint32_t why_size);

const void *sci_board_view(void); /* view.h: a BoardView of hw/model/view.h */

/* False, and one line: option (nodes, size, ringlet, wc-buffers, node, cable), value, legal range. */
bool sci_config_ok(const SciConfig *config, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif
#endif
