// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/cache.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace {

constexpr uint64_t kDirty = 1;

constexpr uint64_t place_for(uint64_t line) { return (line + 1) << 1; }

// The places before s[w] move up, over it.
void put_first(uint64_t* s, uint32_t w, uint64_t place) {
  for (; w > 0; --w) s[w] = s[w - 1];
  s[0] = place;
}

struct Level {
  uint64_t* lines;
  uint32_t sets;
  uint32_t ways;

  uint64_t* set(uint64_t line) const { return lines + (line & (sets - 1)) * ways; }

  // The line's place, now the first of its set; null if it is not there.
  uint64_t* use(uint64_t line) const {
    if (sets == 0) return nullptr;
    uint64_t* const s = set(line);
    for (uint32_t w = 0; w < ways; w++) {
      if (s[w] >> 1 != line + 1) continue;
      put_first(s, w, s[w]);
      return s;
    }
    return nullptr;
  }

  // Puts the line in as a clean one; returns what it pushed out, 0 for nothing.
  uint64_t fill(uint64_t line) const {
    uint64_t* const s = set(line);
    const uint64_t out = s[ways - 1];
    put_first(s, ways - 1, place_for(line));
    return out;
  }

  // Takes the line out; returns what was there. The places behind it move up.
  uint64_t drop(uint64_t line) const {
    if (sets == 0) return 0;
    uint64_t* const s = set(line);
    for (uint32_t w = 0; w < ways; w++) {
      if (s[w] >> 1 != line + 1) continue;
      const uint64_t was = s[w];
      std::rotate(s + w, s + w + 1, s + ways);
      s[ways - 1] = 0;
      return was;
    }
    return 0;
  }
};

Level l1(const CacheNode* c) { return {c->l1, c->l1_sets, c->l1_ways}; }
Level l2(const CacheNode* c) { return {c->l2, c->l2_sets, c->l2_ways}; }

// The line, which is not in level 1, is then the newest of its set in each level that there is. Where it was
// before.
CacheResult bring_below(CacheNode* c, uint64_t line) {
  const Level first = l1(c), second = l2(c);
  bool written_back = false;
  const bool hit = second.use(line) != nullptr;
  if (!hit && second.sets) {
    uint64_t out = second.fill(line);
    if (out) out |= first.drop((out >> 1) - 1) & kDirty;  // inclusion
    written_back = out & kDirty;
  }
  if (first.sets) {
    const uint64_t out = first.fill(line);
    if (out & kDirty) {
      if (uint64_t* below = second.sets ? second.use((out >> 1) - 1) : nullptr)
        *below |= kDirty;
      else
        written_back = true;
    }
  }
  c->state->writebacks += written_back;
  return hit ? CACHE_L2 : CACHE_BUS;
}

CacheResult bring(CacheNode* c, uint64_t line) { return l1(c).use(line) ? CACHE_L1 : bring_below(c, line); }

CacheResult load_line(CacheNode* c, uint64_t line) {
  return l1(c).use(line) ? CACHE_L1 : cache_load_below(c, line);
}

bool store_line(CacheNode* c, uint64_t line, bool write_through) {
  CacheState& s = *c->state;
  if (c->write_allocate && !write_through) {
    const bool on_bus = bring(c, line) == CACHE_BUS;
    const Level nearest = c->l1_sets ? l1(c) : l2(c);
    if (nearest.sets) *nearest.set(line) |= kDirty;
    s.bus_writes += on_bus;
    return on_bus;
  }
  uint64_t* place = l1(c).use(line);
  // A write-through store passes level 2 as well and leaves its line there as it is.
  if (!place || write_through) {
    uint64_t* below = l2(c).use(line);
    if (!place) place = below;
  }
  if (place && !write_through) {
    *place |= kDirty;
    return false;
  }
  s.bus_writes++;
  return true;
}

bool holds(const Level& level, uint64_t line) {
  if (level.sets == 0) return false;
  const uint64_t* const s = level.set(line);
  return std::any_of(s, s + level.ways, [&](uint64_t place) { return place >> 1 == line + 1; });
}

// Null, or what is wrong with the set.
const char* wrong_in(const Level& level, uint32_t set) {
  const uint64_t* const s = level.lines + size_t{set} * level.ways;
  for (uint32_t w = 0; w < level.ways; w++) {
    if (s[w] == 0) continue;
    if (s[w] == kDirty) return "a place is empty and dirty";
    if (w > 0 && s[w - 1] == 0) return "an empty place stands before a line";
    if ((((s[w] >> 1) - 1) & (level.sets - 1)) != set) return "a line is in another's set";
    for (uint32_t before = 0; before < w; before++)
      if (s[before] >> 1 == s[w] >> 1) return "a line is there twice";
  }
  return nullptr;
}

bool power_of_two(uint32_t v) { return std::has_single_bit(v); }

}  // namespace

bool cache_geometry_ok(const CacheGeometry* g, char* why, size_t size) {
  if (!power_of_two(g->line) || g->line < 16 || g->line > 256) {
    std::snprintf(why, size, "line-size=%u: legal are powers of two from 16 to 256", g->line);
    return false;
  }
  if (g->write_allocate > 1) {
    std::snprintf(why, size, "write-allocate=%u: legal are 0 and 1", g->write_allocate);
    return false;
  }
  struct {
    const char *size_name, *ways_name;
    uint32_t bytes, ways;
  } levels[] = {{"l1d-size", "l1d-ways", g->l1_size, g->l1_ways},
                {"l2-size", "l2-ways", g->l2_size, g->l2_ways}};
  constexpr uint32_t kMost = 16u << 20;
  for (const auto& l : levels) {
    if (l.bytes == 0) continue;
    if (!power_of_two(l.bytes) || l.bytes < g->line || l.bytes > kMost) {
      std::snprintf(why, size,
                    "%s=%u: legal are 0 (no such level) and powers of two from %u (line-size) to %u",
                    l.size_name, l.bytes, g->line, kMost);
      return false;
    }
    const uint32_t most = std::min(l.bytes / g->line, 64u);
    if (!power_of_two(l.ways) || l.ways > most) {
      std::snprintf(why, size, "%s=%u: legal are powers of two from 1 to %u", l.ways_name, l.ways, most);
      return false;
    }
  }
  return true;
}

size_t cache_state_bytes(const CacheGeometry* g) {
  return sizeof(CacheState) + sizeof(uint64_t) * (g->l1_size / g->line + g->l2_size / g->line);
}

void cache_attach(CacheNode* c, const CacheGeometry* g, void* memory) {
  c->state = static_cast<CacheState*>(memory);
  c->l1 = reinterpret_cast<uint64_t*>(c->state + 1);
  c->l2 = c->l1 + g->l1_size / g->line;
  c->l1_ways = g->l1_ways;
  c->l1_sets = g->l1_size ? g->l1_size / g->line / g->l1_ways : 0;
  c->l2_ways = g->l2_ways;
  c->l2_sets = g->l2_size ? g->l2_size / g->line / g->l2_ways : 0;
  c->line_shift = uint32_t(std::countr_zero(g->line));
  c->write_allocate = g->write_allocate;
}

void cache_reset(CacheNode* c) {
  *c->state = {};
  std::fill_n(c->l1, size_t{c->l1_sets} * c->l1_ways, 0);
  std::fill_n(c->l2, size_t{c->l2_sets} * c->l2_ways, 0);
}

bool cache_state_ok(const CacheGeometry* g, const void* memory, char* why, size_t size) {
  CacheNode c;
  cache_attach(&c, g, const_cast<void*>(memory));
  const Level levels[] = {l1(&c), l2(&c)};
  for (int i = 0; i < 2; i++)
    for (uint32_t set = 0; set < levels[i].sets; set++)
      if (const char* wrong = wrong_in(levels[i], set)) {
        std::snprintf(why, size, "level %d cache, set %u: %s", i + 1, set, wrong);
        return false;
      }
  for (size_t i = 0; levels[1].sets && i < size_t{levels[0].sets} * levels[0].ways; i++) {
    const uint64_t place = levels[0].lines[i];
    if (place == 0 || holds(levels[1], (place >> 1) - 1)) continue;
    std::snprintf(why, size, "level 1 cache, place %zu: level 2 does not hold its line", i);
    return false;
  }
  return true;
}

CacheResult cache_load_below(CacheNode* c, uint64_t line) {
  CacheState& s = *c->state;
  const CacheResult from = bring_below(c, line);
  s.l1_misses++;
  s.l2_misses += from == CACHE_BUS;
  return from;
}

bool cache_store_below(CacheNode* c, uint64_t line) {
  bool hit;
  if (c->write_allocate) {
    hit = bring_below(c, line) == CACHE_L2;
    *l1(c).set(line) |= kDirty;
  } else {
    uint64_t* const place = l2(c).use(line);
    hit = place != nullptr;
    if (hit) *place |= kDirty;
  }
  c->state->bus_writes += !hit;
  return !hit;
}

CacheResult cache_load_slow(CacheNode* c, uint64_t pa, uint32_t size) {
  CacheResult worst = CACHE_L1;
  const uint64_t last = (pa + size - 1) >> c->line_shift;
  for (uint64_t line = pa >> c->line_shift; line <= last; line++) worst = std::max(worst, load_line(c, line));
  return worst;
}

bool cache_store_slow(CacheNode* c, uint64_t pa, uint32_t size, bool write_through) {
  bool on_bus = false;
  const uint64_t last = (pa + size - 1) >> c->line_shift;
  for (uint64_t line = pa >> c->line_shift; line <= last; line++)
    on_bus |= store_line(c, line, write_through);
  return on_bus;
}

bool cache_holds(const CacheNode* c, uint64_t pa, uint32_t size) {
  const uint64_t last = (pa + size - 1) >> c->line_shift;
  for (uint64_t line = pa >> c->line_shift; line <= last; line++)
    if (!holds(l1(c), line) && !holds(l2(c), line)) return false;
  return true;
}

void cache_invalidate(CacheNode* c, uint64_t pa, uint32_t bytes) {
  if (bytes == 0) return;
  const uint64_t last = (pa + bytes - 1) >> c->line_shift;
  for (uint64_t line = pa >> c->line_shift; line <= last; line++) {
    l1(c).drop(line);
    l2(c).drop(line);
  }
}
