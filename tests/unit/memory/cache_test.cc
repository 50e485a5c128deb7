// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules of hw/memory/cache.h, an example of each. Caches of any geometry against a reference: fuzz-cache.
#include "hw/memory/cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct Caches {
  std::vector<uint64_t> memory;
  CacheNode node;
  explicit Caches(const CacheGeometry& g) : memory((cache_state_bytes(&g) + 7) / 8, ~0ull) {
    cache_attach(&node, &g, memory.data());
    cache_reset(&node);
  }
};

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
