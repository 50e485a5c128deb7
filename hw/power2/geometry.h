/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory of a POWER2 node: caches, TLBs, bus. Three nodes of the SP2, or one's own.
 *
 *   P2Geometry g = *p2_node_geometry(P2_WIDE);
 *   g.dcache = 128 << 10;                          p2_node_of(&g) is now P2_OTHER
 *   if (!p2_geometry_ok(&g, why, sizeof why)) ...   one line: property, value, legal range
 *   CacheGeometry c = p2_dcache(&g);               for the models of hw/memory
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_POWER2_GEOMETRY_H
#define PERFBOARD_POWER2_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/memory/cache.h"
#include "hw/memory/tlb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers as the card tells them (P2R_CARD_NODE). */
enum P2Node { P2_THIN, P2_THIN2, P2_WIDE, P2_OTHER };

typedef struct P2Geometry {
    uint32_t dcache, dcache_ways, dcache_line; /* bytes */
    uint32_t icache, icache_ways, icache_line;
    uint32_t tlb, tlb_ways; /* entries */
    uint32_t itlb, itlb_ways;
    uint32_t bus; /* bytes that the memory bus moves in a cycle; the node's, no property */
} P2Geometry;

/* What a miss costs, cycles. */
typedef struct P2Penalties {
    uint32_t dcache, tlb, icache;
} P2Penalties;

#define P2_MOST_PENALTY 10000u

const P2Geometry *p2_node_geometry(enum P2Node node);  /* not of P2_OTHER */
const P2Penalties *p2_node_penalties(enum P2Node node);
/* "thin", "thin2", "wide". False: no such node, and one line: property, value, legal ones. */
bool p2_node_named(const char *name, enum P2Node *node, char *why, size_t why_size);
const char *p2_node_name(enum P2Node node);
enum P2Node p2_node_of(const P2Geometry *g);

bool p2_geometry_ok(const P2Geometry *g, char *why, size_t why_size);
CacheGeometry p2_dcache(const P2Geometry *g);
CacheGeometry p2_icache(const P2Geometry *g);
TlbGeometry p2_tlb(const P2Geometry *g);
TlbGeometry p2_itlb(const P2Geometry *g);

#ifdef __cplusplus
}
#endif
#endif
