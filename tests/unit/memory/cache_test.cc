// SPDX-License-Identifier: GPL-2.0-or-later
//
// The caches against a naive model that knows only sets, ages and the rules of hw/memory/cache.h.
#include "hw/memory/cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

struct NaiveLevel {
  struct Line {
    uint64_t used;
    bool dirty;
  };
  // A set's lines are neighbours.
  struct BySet {
    uint64_t sets;
    bool operator()(uint64_t m, uint64_t n) const { return std::pair(m % sets, m) < std::pair(n % sets, n); }
  };
  uint64_t size, ways, line, sets = size ? size / line / ways : 1;
  std::map<uint64_t, Line, BySet> lines{BySet{sets}};

  bool has(uint64_t n) const { return lines.count(n) != 0; }
  // The line that must go before n can come, if any.
  bool victim(uint64_t n, uint64_t* out) const {
    uint64_t in_set = 0, oldest = UINT64_MAX;
    for (auto at = lines.lower_bound(n % sets); at != lines.end() && at->first % sets == n % sets; ++at) {
      in_set++;
      if (at->second.used < oldest) oldest = at->second.used, *out = at->first;
    }
    return in_set == ways;
  }
};

struct NaiveCache {
  NaiveLevel a, b;
  uint64_t time = 0, l1_misses = 0, l2_misses = 0, bus_writes = 0, writebacks = 0;
  bool allocates;

  explicit NaiveCache(const CacheGeometry& g)
      : a{g.l1_size, g.l1_ways, g.line}, b{g.l2_size, g.l2_ways, g.line}, allocates(g.write_allocate) {}

  CacheResult load(uint64_t n) {
    const CacheResult from = bring(n);
    l1_misses += from != CACHE_L1;
    l2_misses += from == CACHE_BUS;
    return from;
  }
  CacheResult bring(uint64_t n) {
    time++;
    if (a.has(n)) return a.lines[n].used = time, CACHE_L1;
    const bool hit = b.has(n);
    if (hit) {
      b.lines[n].used = time;
    } else {
      uint64_t out;
      if (b.size && b.victim(n, &out)) {
        bool dirty = b.lines[out].dirty;
        b.lines.erase(out);
        if (a.has(out)) dirty |= a.lines[out].dirty, a.lines.erase(out);
        writebacks += dirty;
      }
      if (b.size) b.lines[n] = {time, false};
    }
    uint64_t out;
    if (a.size && a.victim(n, &out)) {
      if (a.lines[out].dirty) {
        if (b.size)
          b.lines[out].dirty = true, b.lines[out].used = ++time;
        else
          writebacks++;
      }
      a.lines.erase(out);
    }
    if (a.size) a.lines[n] = {time, false};
    return hit ? CACHE_L2 : CACHE_BUS;
  }
  bool store(uint64_t n, bool through) {
    if (allocates && !through) {
      const bool bus = bring(n) == CACHE_BUS;
      NaiveLevel& nearest = a.size ? a : b;
      if (nearest.size) nearest.lines[n].dirty = true;
      bus_writes += bus;
      return bus;
    }
    time++;
    NaiveLevel* at = a.has(n) ? &a : b.has(n) ? &b : nullptr;
    if (a.has(n)) a.lines[n].used = time;
    if (b.has(n) && (through || at == &b)) b.lines[n].used = time;
    if (!through && at) return at->lines[n].dirty = true, false;
    return bus_writes++, true;
  }
  void invalidate(uint64_t n) {
    a.lines.erase(n);
    b.lines.erase(n);
  }
};

struct Caches {
  std::vector<uint64_t> memory;
  CacheNode node;
  explicit Caches(const CacheGeometry& g) : memory((cache_state_bytes(&g) + 7) / 8, ~0ull) {
    cache_attach(&node, &g, memory.data());
    cache_reset(&node);
  }
};

struct CacheRandom : testing::TestWithParam<CacheGeometry> {};

TEST_P(CacheRandom, AgreesWithTheNaiveModel) {
  const CacheGeometry g = GetParam();
  char why[200] = "";
  ASSERT_TRUE(cache_geometry_ok(&g, why, sizeof why)) << why;
  Caches c(g);
  NaiveCache naive(g);
  std::mt19937_64 rng(g.l1_size + g.l2_size * 3 + g.line);
  const uint64_t span = 4 * (g.l1_size + g.l2_size + 1024);
  uint64_t seen[3] = {};
  for (int i = 0; i < 60'000; i++) {
    uint64_t pa = rng() % 4 ? rng() % span : rng() % (g.line * 16);
    if (i % 5 == 0) pa += 0xff'0000'0000ull;
    const uint32_t size = 1u << rng() % 5;
    const uint64_t first = pa / g.line, last = (pa + size - 1) / g.line;
    switch (rng() % 9) {
      case 0: {
        const uint32_t bytes = 1 + uint32_t(rng() % 300);
        cache_invalidate(&c.node, pa, bytes);
        for (uint64_t n = first; n <= (pa + bytes - 1) / g.line; n++) naive.invalidate(n);
        break;
      }
      case 1:
      case 2:
      case 3: {
        const bool through = rng() % 2;
        bool bus = false;
        for (uint64_t n = first; n <= last; n++) bus |= naive.store(n, through);
        ASSERT_EQ(cache_store(&c.node, pa, size, through), bus) << i;
        break;
      }
      default: {
        CacheResult worst = CACHE_L1;
        for (uint64_t n = first; n <= last; n++) worst = std::max(worst, naive.load(n));
        ASSERT_EQ(cache_load(&c.node, pa, size), worst) << i;
        seen[worst]++;
      }
    }
  }
  EXPECT_GT(seen[CACHE_BUS], 0u);
  EXPECT_EQ(c.node.state->l1_misses, naive.l1_misses);
  EXPECT_EQ(c.node.state->l2_misses, naive.l2_misses);
  EXPECT_EQ(c.node.state->bus_writes, naive.bus_writes);
  EXPECT_EQ(c.node.state->writebacks, naive.writebacks);
}
INSTANTIATE_TEST_SUITE_P(
    Geometries, CacheRandom,
    testing::Values(CacheGeometry CACHE_GEOMETRY_PENTIUM, CacheGeometry{512, 2, 4096, 1, 32},
                    CacheGeometry{1024, 4, 4096, 2, 16}, CacheGeometry{0, 1, 2048, 4, 64},
                    CacheGeometry{2048, 64, 0, 1, 32}, CacheGeometry{0, 0, 0, 0, 32},
                    CacheGeometry{4096, 2, 1024, 1, 32}, CacheGeometry{256, 1, 256, 1, 256},
                    CacheGeometry{512, 2, 4096, 1, 32, 1}, CacheGeometry{4096, 4, 0, 1, 64, 1},
                    CacheGeometry{0, 1, 2048, 4, 64, 1}, CacheGeometry{0, 0, 0, 0, 32, 1},
                    CacheGeometry{1024, 1, 2048, 2, 256, 1}));

TEST(Cache, LoadsHitWhereTheLineIs) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches c(g);
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_BUS);
  EXPECT_EQ(cache_load(&c.node, 0x101c, 4), CACHE_L1);
  EXPECT_EQ(cache_load(&c.node, 0x1020, 4), CACHE_BUS);
  EXPECT_EQ(cache_load(&c.node, 0x2000, 4), CACHE_BUS);  // the same set of level 1: both fit
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
  EXPECT_EQ(cache_load(&c.node, 0x3000, 4), CACHE_BUS);  // pushes out 0x2000, used longest ago
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
  EXPECT_EQ(cache_load(&c.node, 0x2000, 4), CACHE_L2);
  EXPECT_EQ(cache_load(&c.node, 0x1000 + 262144, 4), CACHE_BUS);  // the same place of level 2
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_BUS) << "gone from level 1 as well";
}

TEST(Cache, AnAccessAcrossALineCountsBoth) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches c(g);
  EXPECT_EQ(cache_load(&c.node, 0x101e, 4), CACHE_BUS);
  EXPECT_EQ(c.node.state->l2_misses, 2u);
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
  EXPECT_EQ(cache_load(&c.node, 0x103e, 4), CACHE_BUS) << "half a hit is a bus read";
}

TEST(Cache, StoresDoNotAllocateAndWriteThroughIsAlwaysOnTheBus) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches c(g);
  EXPECT_TRUE(cache_store(&c.node, 0x1000, 4, false));
  EXPECT_TRUE(cache_store(&c.node, 0x1000, 4, false)) << "the first did not bring the line in";
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_BUS);
  EXPECT_FALSE(cache_store(&c.node, 0x1000, 4, false));
  EXPECT_TRUE(cache_store(&c.node, 0x1000, 4, true));
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1) << "and keeps the line";
}

TEST(Cache, AStoreThatMissesBringsItsLine) {
  const CacheGeometry g = {1024, 2, 0, 1, 64, 1};
  Caches c(g);
  EXPECT_TRUE(cache_store(&c.node, 0x1000, 4, false));
  EXPECT_FALSE(cache_store(&c.node, 0x1030, 4, false)) << "the first brought it";
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
  EXPECT_TRUE(cache_store(&c.node, 0x1000, 4, true)) << "write-through";
  EXPECT_EQ(cache_load(&c.node, 0x1000 + 512, 4), CACHE_BUS);
  EXPECT_EQ(c.node.state->writebacks, 0u);
  EXPECT_EQ(cache_load(&c.node, 0x1000 + 1024, 4), CACHE_BUS);
  EXPECT_EQ(c.node.state->writebacks, 1u) << "the oldest of the set was dirty";
}

TEST(Cache, ADirtyLineThatGoesIsAWriteBack) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches c(g);
  for (bool dirty : {false, true}) {
    cache_reset(&c.node);
    cache_load(&c.node, 0x1000, 4);
    if (dirty) cache_store(&c.node, 0x1000, 4, false);
    cache_load(&c.node, 0x1000 + 262144, 4);
    EXPECT_EQ(c.node.state->writebacks, uint64_t{dirty});
  }
}

TEST(Cache, InvalidateTakesExactlyTheLinesTouched) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches c(g);
  for (uint64_t at = 0x1000; at < 0x1080; at += 32) cache_load(&c.node, at, 4);
  cache_invalidate(&c.node, 0x103f, 2);  // the last byte of one line, the first of the next
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
  EXPECT_EQ(cache_load(&c.node, 0x1020, 4), CACHE_BUS);
  EXPECT_EQ(cache_load(&c.node, 0x1040, 4), CACHE_BUS);
  EXPECT_EQ(cache_load(&c.node, 0x1060, 4), CACHE_L1);
  cache_invalidate(&c.node, 0x1000, 0);
  EXPECT_EQ(cache_load(&c.node, 0x1000, 4), CACHE_L1);
}

TEST(Cache, StateIsFlat) {
  const CacheGeometry g = CACHE_GEOMETRY_PENTIUM;
  Caches a(g), b(g);
  std::mt19937 rng(3);
  for (int i = 0; i < 5000; i++) cache_load(&a.node, rng() % 600'000, 4);
  b.memory = a.memory;
  for (int i = 0; i < 5000; i++) {
    const uint64_t pa = rng() % 600'000;
    ASSERT_EQ(cache_load(&a.node, pa, 4), cache_load(&b.node, pa, 4));
  }
  EXPECT_EQ(a.memory, b.memory);
}

TEST(Cache, BadGeometryIsNamed) {
  struct {
    CacheGeometry g;
    const char *name, *value;
  } const cases[] = {
      {{8192, 2, 262144, 1, 24}, "line-size", "=24"},  {{8192, 2, 262144, 1, 8}, "line-size", "=8"},
      {{8192, 2, 262144, 1, 0}, "line-size", "=0"},    {{8192, 2, 262144, 1, 512}, "line-size", "=512"},
      {{8000, 2, 262144, 1, 32}, "l1d-size", "=8000"}, {{16, 1, 262144, 1, 32}, "l1d-size", "=16"},
      {{8192, 3, 262144, 1, 32}, "l1d-ways", "=3"},    {{8192, 0, 262144, 1, 32}, "l1d-ways", "=0"},
      {{64, 4, 262144, 1, 32}, "l1d-ways", "=4"},      {{8192, 2, 1u << 25, 1, 32}, "l2-size", "=33554432"},
      {{8192, 2, 262144, 128, 32}, "l2-ways", "=128"},
  };
  for (const auto& c : cases) {
    char why[200] = "";
    EXPECT_FALSE(cache_geometry_ok(&c.g, why, sizeof why));
    EXPECT_EQ(std::string(why).find(std::string(c.name) + c.value + ": legal"), 0u) << why;
  }
}

// Whatever was done, a snapshot of it is legal; what no access can lead to is not.
TEST(CacheSnapshot, LegalIsWhatAccessesLeadTo) {
  constexpr CacheGeometry kCases[] = {{8192, 2, 262144, 1, 32},
                                      {1024, 4, 2048, 2, 16},
                                      {0, 1, 4096, 4, 32},
                                      {512, 2, 0, 1, 32},
                                      {0, 1, 0, 1, 32}};
  std::mt19937 random(1);
  for (const CacheGeometry& g : kCases) {
    std::vector<uint64_t> memory(cache_state_bytes(&g) / 8), damaged;
    CacheNode c;
    cache_attach(&c, &g, memory.data());
    cache_reset(&c);
    char why[200] = "";
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t at = random() % 16384;
      if (random() % 16 == 0)
        cache_invalidate(&c, at, 1 + random() % 256);
      else if (random() % 2)
        cache_load(&c, at, 4);
      else
        cache_store(&c, at, 4, random() % 4 == 0);
      if (i % 500 == 0) {
        ASSERT_TRUE(cache_state_ok(&g, memory.data(), why, sizeof why)) << why;
      }
    }
    const size_t first = sizeof(CacheState) / 8;
    for (size_t place = first; place < memory.size(); place += 1 + memory.size() / 50) {
      for (uint64_t bad : {uint64_t{1}, uint64_t{(place + 1) << 40 | 2}, ~uint64_t{0}}) {
        damaged = memory;
        damaged[place] = bad;
        cache_attach(&c, &g, damaged.data());
        if (!cache_state_ok(&g, damaged.data(), why, sizeof why)) {
          EXPECT_NE(std::string(why).find("cache"), std::string::npos) << why;
          continue;
        }
        EXPECT_NE(bad, 1u) << "empty and dirty at " << place;
      }
    }
  }
}

TEST(CacheSnapshot, SaysWhatIsWrong) {
  const CacheGeometry g = {1024, 2, 2048, 2, 32};  // 16 sets, 32 sets
  const auto place = [](uint64_t line) { return (line + 1) << 1; };
  const struct {
    size_t l1, l2;  // places in their levels
    uint64_t in_l1, in_l2;
    const char* wrong;
  } cases[] = {
      {0, 0, place(16), place(32), "level 1 cache, place 0: level 2 does not hold its line"},
      {0, 0, 1, 0, "level 1 cache, set 0: a place is empty and dirty"},
      {1, 0, place(32), place(32), "level 1 cache, set 0: an empty place stands before a line"},
      {2, 2, place(2), place(1), "level 1 cache, set 1: a line is in another's set"},
      {0, 6, 0, place(4), "level 2 cache, set 3: a line is in another's set"},
  };
  for (const auto& c : cases) {
    std::vector<uint64_t> memory(cache_state_bytes(&g) / 8);
    uint64_t* const lines = memory.data() + sizeof(CacheState) / 8;
    lines[c.l1] = c.in_l1;
    lines[32 + c.l2] = c.in_l2;
    char why[200] = "";
    EXPECT_FALSE(cache_state_ok(&g, memory.data(), why, sizeof why)) << c.wrong;
    EXPECT_STREQ(why, c.wrong);
  }
}

}  // namespace
