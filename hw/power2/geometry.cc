// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/power2/geometry.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace {

struct Preset {
  const char* name;
  P2Geometry geometry;
  P2Penalties penalty;
};

// By P2Node. Sizes and bus widths: FACTS. INFERRED: the wide node's ways and lines, which are usually given,
// but not confirmed; that lines are as much smaller as the bus is narrower, so that each takes 8 bus cycles;
// instruction TLB; penalties: 8 cycles until the first word and the line's bus cycles behind it, and for a
// TLB's miss two reads of the page table's memory and 4 cycles around them.
constexpr Preset kPresets[] = {
    {"thin", {64 << 10, 4, 64, 32 << 10, 2, 128, 512, 2, 128, 2, 8}, {16, 36, 24}},
    {"thin2", {128 << 10, 4, 128, 32 << 10, 2, 128, 512, 2, 128, 2, 16}, {16, 36, 16}},
    {"wide", {256 << 10, 4, 256, 32 << 10, 2, 128, 512, 2, 128, 2, 32}, {16, 36, 12}},
};

// As far as the models of hw/memory go.
constexpr uint32_t kMostCache = 16 << 20, kMostLine = 256, kMostWays = 64, kMostEntries = 4096;

bool same(const P2Geometry& a, const P2Geometry& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool power_of_two(const char* option, const char* what, uint32_t value, uint32_t low, uint32_t high,
                  char* why, size_t size) {
  if (std::has_single_bit(value) && value >= low && value <= high) return true;
  std::snprintf(why, size, "%s%s=%u: legal are powers of two from %u to %u", option, what, value, low, high);
  return false;
}

bool cache_ok(const char* option, uint32_t bytes, uint32_t ways, uint32_t line, char* why, size_t size) {
  return power_of_two(option, "-line", line, 16, kMostLine, why, size) &&
         power_of_two(option, "", bytes, line, kMostCache, why, size) &&
         power_of_two(option, "-ways", ways, 1, std::min(bytes / line, kMostWays), why, size);
}

bool tlb_ok(const char* option, uint32_t entries, uint32_t ways, char* why, size_t size) {
  return power_of_two(option, "", entries, 1, kMostEntries, why, size) &&
         power_of_two(option, "-ways", ways, 1, std::min(entries, kMostWays), why, size);
}

}  // namespace

const P2Geometry* p2_node_geometry(enum P2Node node) { return &kPresets[node].geometry; }
const P2Penalties* p2_node_penalties(enum P2Node node) { return &kPresets[node].penalty; }

bool p2_node_named(const char* name, enum P2Node* node, char* why, size_t why_size) {
  for (size_t i = 0; i < std::size(kPresets); ++i)
    if (std::strcmp(kPresets[i].name, name) == 0) {
      *node = static_cast<P2Node>(i);
      return true;
    }
  std::snprintf(why, why_size, "node=%s: legal are thin, thin2, wide", name);
  return false;
}

const char* p2_node_name(enum P2Node node) { return node < P2_OTHER ? kPresets[node].name : "other"; }

enum P2Node p2_node_of(const P2Geometry* g) {
  for (size_t i = 0; i < std::size(kPresets); ++i)
    if (same(*g, kPresets[i].geometry)) return static_cast<P2Node>(i);
  return P2_OTHER;
}

bool p2_geometry_ok(const P2Geometry* g, char* why, size_t size) {
  return cache_ok("dcache", g->dcache, g->dcache_ways, g->dcache_line, why, size) &&
         cache_ok("icache", g->icache, g->icache_ways, g->icache_line, why, size) &&
         tlb_ok("tlb", g->tlb, g->tlb_ways, why, size) && tlb_ok("itlb", g->itlb, g->itlb_ways, why, size) &&
         power_of_two("bus", "", g->bus, 1, 256, why, size);
}

CacheGeometry p2_dcache(const P2Geometry* g) {
  return {.l1_size = g->dcache, .l1_ways = g->dcache_ways, .line = g->dcache_line, .write_allocate = 1};
}
CacheGeometry p2_icache(const P2Geometry* g) {
  return {.l1_size = g->icache, .l1_ways = g->icache_ways, .line = g->icache_line};
}
TlbGeometry p2_tlb(const P2Geometry* g) { return {.entries = g->tlb, .ways = g->tlb_ways}; }
TlbGeometry p2_itlb(const P2Geometry* g) { return {.entries = g->itlb, .ways = g->itlb_ways}; }
