/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lan - a node's end of the Ethernet between the nodes of a cluster (README.md): a link to a switch, one frame at a time each way.
 *
 *   lan_send(l, now, frame, bytes)       the node's adapter sends: messages to the others, for when each has all of it
 *   lan_take(l, &message)                one of these has come, at its time; the link to this node may be busy still
 *   lan_next(l, now, frame)              what the adapter gets by now, in order; lan_due(l): when it gets the next one
 *   lan_promise(l, next)                 what it sends at `next` or later arrives no sooner
 *
 * Times are virtual ns. Frames are as an adapter has them: from the destination's address on, without check sequence.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_LAN_H
#define PERFBOARD_LAN_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/cluster/cluster.h"

#define LAN_CLUSTER_KIND 4   /* of its messages */
#define LAN_LEAST_BYTES 60   /* of a frame on the wire: a shorter one gets zeros behind it */
#define LAN_MOST_BYTES 1518  /* with a VLAN's tag */
#define LAN_HELD 64          /* frames that the switch holds for a node */
#define LAN_QUEUED 32        /* the longest frames that an adapter holds for its link */

#define STATE_LIST "hw/lan/state.def"
#include "hw/model/state_struct.h"

typedef struct LanConfig {
    uint32_t node, nodes; /* this one, of how many */
    uint32_t rate;        /* Mbit/s of each link: 1 to 1000 */
    uint32_t latency_ns;  /* of the switch: 5000 to 100000 */
    uint64_t join;        /* until then nobody hears anybody */
    void (*send)(void *opaque, const ClusterMessage *message); /* to another node */
    void *opaque;
} LanConfig;

typedef struct Lan {
    LanConfig config;
    LanState state;
} Lan;

#ifdef __cplusplus
extern "C" {
#endif

bool lan_config_ok(const LanConfig *config, char *why, uint32_t why_size);
void lan_init(Lan *l, const LanConfig *config);

/* Nobody gets one that is not LAN_SENT. It is counted. */
typedef enum LanSent { LAN_SENT, LAN_TOO_LONG, LAN_NO_ROOM, LAN_NOT_JOINED } LanSent;
LanSent lan_send(Lan *l, uint64_t now, const uint8_t *frame, uint32_t bytes);

/* False: it is no frame. What the switch has no room for is counted. */
bool lan_take(Lan *l, const ClusterMessage *message);
uint64_t lan_due(const Lan *l); /* PB_NEVER: nothing is held */
/* Bytes; 0: none is due by now. frame: room for LAN_MOST_BYTES. */
uint32_t lan_next(Lan *l, uint64_t now, uint8_t *frame);

uint64_t lan_promise(const Lan *l, uint64_t next);

/* Whether a snapshot's state is one that the end can be in; why not, in one line. */
bool lan_state_ok(const LanState *image, uint64_t now, char *why, uint32_t why_size);

#ifdef __cplusplus
}
#endif
#endif
