/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wires with a name go on to the cluster's other nodes (wire.h): all of one name are one wire, low while any node's board pulls it.
 *
 * INFERRED: what one node does to a wire is seen CLUSTER_WIRE_NS later by the others. A cable takes some ten ns; but nodes are in step, and may go no
 * further than what may still come over a wire. So it is as long as a packet takes at least, and wires make no step shorter.
 */
#ifndef PERFBOARD_QEMU_CLUSTER_WIRES_H
#define PERFBOARD_QEMU_CLUSTER_WIRES_H

#include <stdbool.h>
#include <stdint.h>

#define CLUSTER_WIRE_NS 5000
#define CLUSTER_WIRE_KIND 2 /* of its messages */

/* Of a machine that is a node, before it has boards. */
void pb_cluster_wires(void);
/* Which wires other nodes pull; *bytes is to be g_free()d. False: that is none of it. */
uint32_t pb_cluster_wires_save(uint8_t **bytes);
bool pb_cluster_wires_load(const uint8_t *bytes, uint32_t n);

#endif
