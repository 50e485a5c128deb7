// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile adapt: where pages are to be, interval by interval. The test has the pages, and moves them.
#include "guest/smile/cmd/page_placement.h"

#include <gtest/gtest.h>

#include <string>

namespace perfboard::smile {
namespace {

class SmilePagePlacement : public testing::Test {
 protected:
  // Intervals in which nodes use a page so often. What its home does no monitor sees.
  void intervals(unsigned count, const std::vector<uint64_t>& use, uint64_t page = 0) {
    for (unsigned i = 0; i < count; ++i) {
      for (unsigned node = 0; node < use.size(); ++node)
        if (use[node] && node != homes_[page]) pages_.counted(page, node, use[node]);
      for (const Move& m : pages_.moves(homes_)) {
        homes_[m.page] = static_cast<uint8_t>(m.better);
        path_ += std::to_string(m.better) + " ";
      }
    }
  }

  PagePlacement pages_{{.least = 10, .margin = 25, .rest = 2, .fade = 64}};
  std::vector<uint8_t> homes_{0, 0, 0, 0};
  std::string path_;
};

TEST_F(SmilePagePlacement, APageGoesToItsUserAndStays) {
  intervals(100, {0, 5, 100, 20});
  EXPECT_EQ(path_, "2 ");
}

TEST_F(SmilePagePlacement, WhatIsKnownOfAHomeFadesUntilThePageShowsItAnew) {
  intervals(160, {0, 5, 100, 20});
  EXPECT_EQ(path_, "2 ");
  intervals(100, {0, 5, 100, 20});
  EXPECT_EQ(path_, "2 3 2 ");
}

TEST_F(SmilePagePlacement, WhatTheHomeDoesShowsWhenThePageHasMoved) {
  intervals(1, {100, 50});
  EXPECT_EQ(homes_[0], 1);
  intervals(2, {100, 50});  // it rests
  EXPECT_EQ(path_, "1 ");
  intervals(1, {100, 50});
  EXPECT_EQ(path_, "1 0 ");
}

TEST_F(SmilePagePlacement, WithinTheMarginAPageStays) {
  pages_ = PagePlacement({.least = 10, .margin = 25, .rest = 2, .fade = 1000000});
  intervals(20, {120, 100});
  EXPECT_EQ(path_, "1 ");
  intervals(20, {130, 100});
  EXPECT_EQ(path_, "1 0 ");
}

TEST_F(SmilePagePlacement, AMoveMustSaveEnough) {
  intervals(100, {0, 9});
  EXPECT_EQ(path_, "");
  intervals(100, {0, 11});
  EXPECT_EQ(path_, "1 ");
}

TEST_F(SmilePagePlacement, WhenAHomesUseHasEndedThePageLeaves) {
  intervals(20, {100, 50});
  EXPECT_EQ(homes_[0], 0);
  intervals(60, {0, 50});
  EXPECT_EQ(path_, "1 0 ");
  intervals(20, {0, 50});
  EXPECT_EQ(path_, "1 0 1 ");
}

TEST_F(SmilePagePlacement, PagesAreApart) {
  intervals(1, {0, 0, 50}, 1);
  intervals(1, {0, 0, 0, 50}, 3);
  EXPECT_EQ(homes_, (std::vector<uint8_t>{0, 2, 0, 3}));
}

TEST_F(SmilePagePlacement, WhatIsNoPageOrNodeIsLeftOut) {
  pages_.counted(4, 1, 1000);
  pages_.counted(0, kNodes, 1000);
  EXPECT_TRUE(pages_.moves(homes_).empty());
  EXPECT_TRUE(pages_.moves({255, 0, 0, 0}).empty());
}

}  // namespace
}  // namespace perfboard::smile
