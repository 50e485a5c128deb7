/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SniState - everything that a snapshot of the SHRIMP network interface holds.
 *
 * Plain data of fixed width: copying it copies the board. Members under "derived" follow from the
 * others: sni_post_load() recomputes them. sni_state_ok() says which values are legal.
 *
 * Times are virtual ns. A packet goes through these places, in order:
 *
 *   fifo[]    the outgoing FIFO, a ring of 64-bit words: header, timestamp (SCR.TSE), payload
 *   flight[]  a ring of packets between the FIFO and the receiver's memory. Four counts that
 *             only grow divide it: popped <= done <= granted <= arrived
 *               popped..done     in memory, waits for sni_pop_delivery
 *               done..granted    has the receiver's bus (0 or 1)
 *               granted..arrived in the backplane or waiting for the receiver's bus
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SHRIMP_SNI_STATE_H
#define PERFBOARD_SHRIMP_SNI_STATE_H

#include <stdint.h>

#include "hw/shrimp/packet.h"

#define SNI_PAGES 32768   /* 4 KB pages that both page tables cover: 128 MB */
#define SNI_PROXY_SPAN 0x8000000u /* the proxy window: as much as they cover */
#define SNI_FIFO_MIN 1100 /* 64-bit words: two largest packets */
#define SNI_FIFO_MAX 65536
#define SNI_CREDITS 6   /* packets at most between the FIFO and the end of DMA */
#define SNI_FLIGHTS 128 /* the ring: those, and what the shim has not yet popped */
#define SNI_COUNTERS 20 /* 64-bit counters at 0x100..0x19F */
#define SNI_MESH_NODES 64 /* most, of a mesh whose links are busy (links=on) */
#define SNI_MESH_ROUTERS (2 * SNI_MESH_NODES)
#define SNI_LINKS 5 /* of a router: to its four neighbours and to its node */
#define SNI_CYCLES 256 /* bus cycles of one instruction, which its processor waits for */
#define SNI_CYCLE_BYTES 16
#define SNI_TERMS 6     /* latency terms at 0x200..0x25F */

#define STATE_LIST "hw/shrimp/state.def"
#include "hw/model/state_struct.h"

#endif
