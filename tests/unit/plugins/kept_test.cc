// SPDX-License-Identifier: GPL-2.0-or-later
//
// What callbacks point to stays until all blocks are thrown away, which is asked for at the limit.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "plugins/udata_arena.h"

namespace perfboard {
namespace {

constexpr size_t kMost = 100;

TEST(Kept, AsksAtTheLimitAndKeepsWhatItHas) {
  UdataArena<size_t, kMost> kept;
  std::vector<const size_t*> places;
  unsigned asked = 0;
  for (size_t round = 0; round < 50; ++round) {
    for (size_t i = 0; i < kMost + 7; ++i) {  // a few more, before blocks go
      bool full;
      places.push_back(kept.add(i, full));
      asked += full;
      EXPECT_EQ(full, i + 1 == kMost);
    }
    for (size_t i = 0; i < places.size(); ++i) ASSERT_EQ(*places[i], i);
    EXPECT_EQ(kept.size(), kMost + 7);
    kept.clear();
    places.clear();
    EXPECT_EQ(kept.size(), 0u);
  }
  EXPECT_EQ(asked, 50u);
}

TEST(Kept, EqualOnesShareAPlace) {
  UdataArena<size_t, kMost> kept;
  bool full;
  const size_t* const three = kept.same(3, full);
  EXPECT_FALSE(full);
  for (unsigned i = 0; i < 10 * kMost; ++i) {
    EXPECT_EQ(kept.same(3, full), three);
    EXPECT_FALSE(full);
  }
  EXPECT_EQ(kept.size(), 1u);
  for (size_t i = 10; i < 10 + kMost - 1; ++i) kept.same(i, full);
  EXPECT_TRUE(full);
  EXPECT_EQ(kept.same(3, full), three);
  EXPECT_FALSE(full);
}

}  // namespace
}  // namespace perfboard
