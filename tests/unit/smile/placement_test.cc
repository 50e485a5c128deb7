// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile adapt: where pages, or threads, are to be, interval by interval. The test has them, and moves them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "guest/smile/cmd/page_placement.h"
#include "guest/smile/cmd/thread_placement.h"

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

// --- smile adapt --threads: on which nodes threads are to be -----------------------------

constexpr unsigned kGroups = 4;

class SmileThreadPlacement : public testing::Test {
 protected:
  using Use = std::vector<std::vector<uint64_t>>;  // of each thread: of each node's memory

  // Intervals in which threads use nodes' memory so often. What a thread does at its own node no monitor
  // sees.
  void intervals(unsigned count, const Use& use) {
    for (unsigned i = 0; i < count; ++i) {
      for (unsigned thread = 0; thread < use.size(); ++thread)
        for (unsigned home = 0; home < use[thread].size(); ++home)
          if (use[thread][home] && home != node_[thread])
            threads_.counted(node_[thread], home, use[thread][home]);
      ThreadPlacement::Threads on(kGroups);
      for (unsigned thread = 0; thread < use.size(); ++thread)
        on[node_[thread]].push_back(100 + static_cast<int>(thread));
      for (const ThreadMove& s : threads_.moves(on))
        for (const int thread : on[s.from]) node_[static_cast<unsigned>(thread) - 100] = s.to;
      path_ += where() + " ";
    }
  }
  std::string where() const {
    std::string text;
    for (const unsigned node : node_) text += std::to_string(node);
    return text;
  }

  ThreadPlacement threads_{{.least = 10, .margin = 25, .rest = 2, .fade = 64}, kGroups};
  std::vector<unsigned> node_{0, 1, 2, 3};
  std::string path_;
};

TEST_F(SmileThreadPlacement, ThreadsGoToTheirMemoryAllTogetherAndStay) {
  intervals(40, {{0, 100, 0, 5}, {0, 0, 100, 5}, {5, 0, 0, 100}, {100, 0, 5, 0}});
  EXPECT_EQ(where(), "1230");
  EXPECT_EQ(path_.substr(0, 5), "1230 ");
  EXPECT_EQ(path_.find("0123"), path_.npos);
}

TEST_F(SmileThreadPlacement, WhatAThreadDoesAtItsOwnNodeShowsWhenItHasMoved) {
  intervals(4, {{100, 50, 0, 0}, {50, 100, 0, 0}, {0, 0, 100, 0}, {0, 0, 0, 100}});
  EXPECT_EQ(path_, "1023 1023 1023 0123 ");
}

TEST_F(SmileThreadPlacement, WithinTheMarginThreadsStay) {
  threads_ = ThreadPlacement({.least = 10, .margin = 25, .rest = 2, .fade = 1000000}, kGroups);
  const auto use = [](uint64_t own) { return Use{{own, 120, 0, 0}, {120, own, 0, 0}, {}, {}}; };
  intervals(20, use(100));
  EXPECT_EQ(where(), "1023");  // at first nothing is known of what they do at home
  intervals(30, use(145));
  EXPECT_EQ(where(), "1023");
  intervals(30, use(155));
  EXPECT_EQ(where(), "0123");
}

TEST_F(SmileThreadPlacement, ThreadsAtTheirMemoryComeBackToIt) {
  intervals(4, {{100, 9, 0, 0}, {9, 100, 0, 0}, {0, 0, 100, 0}, {0, 0, 0, 100}});
  EXPECT_EQ(path_, "1023 1023 1023 0123 ");
  intervals(30, {{100, 9, 0, 0}, {9, 100, 0, 0}, {0, 0, 100, 0}, {0, 0, 0, 100}});
  EXPECT_EQ(where(), "0123");
}

TEST_F(SmileThreadPlacement, AnExchangeMustSaveEnough) {
  intervals(20, {{0, 5, 0, 0}, {4, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(where(), "0123");
  intervals(20, {{0, 6, 0, 0}, {6, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(where(), "1023");
}

TEST_F(SmileThreadPlacement, AllWantOneNodeAndOneGetsIt) {
  intervals(20, {{90, 0, 0, 0}, {100, 0, 0, 0}, {400, 0, 0, 0}, {110, 0, 0, 0}});
  EXPECT_EQ(node_[2], 0u);
  std::vector<unsigned> nodes = node_;
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(nodes, (std::vector<unsigned>{0, 1, 2, 3}));
}

TEST_F(SmileThreadPlacement, ANodeWithoutThreadsIsFree) {
  node_ = {0};
  intervals(5, {{0, 0, 0, 100}});
  EXPECT_EQ(where(), "3");
}

TEST_F(SmileThreadPlacement, ThreadsOfANodeMoveTogether) {
  node_ = {0, 0, 1};
  intervals(5, {{0, 50, 0, 0}, {0, 50, 0, 0}, {20, 0, 0, 0}});
  EXPECT_EQ(where(), "110");
}

TEST_F(SmileThreadPlacement, OfNewThreadsNothingIsKnown) {
  const Use use{{0, 100, 0, 0}, {100, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  intervals(4, use);
  EXPECT_EQ(where(), "1023");
  // Others, which use what is their nodes' own, but for a few accesses: the first use says that they
  // exchange.
  for (int i = 0; i < 4; ++i) {
    threads_.counted(0, 1, 20);
    threads_.counted(1, 0, 20);
    const std::vector<ThreadMove> moves = threads_.moves({{200}, {201}, {202}, {203}});
    EXPECT_EQ(moves.size(), 2u) << i;  // that nobody makes, so all begins anew
  }
}

TEST_F(SmileThreadPlacement, WhatIsNoNodeIsLeftOut) {
  threads_.counted(kGroups, 1, 1000);
  threads_.counted(1, kGroups, 1000);
  EXPECT_TRUE(threads_.moves(ThreadPlacement::Threads(kGroups, {1})).empty());
  EXPECT_TRUE(assign({}).empty());
}

TEST(SmileAssign, IsTheBestOfAll) {
  std::mt19937 random(1);
  for (unsigned n = 1; n <= 7; ++n)
    for (int i = 0; i < 60; ++i) {
      std::vector<std::vector<double>> gain(n, std::vector<double>(n));
      for (std::vector<double>& row : gain)
        for (double& g : row) g = random() % (i % 2 ? 5 : 1000);
      const auto sum = [&](const std::vector<unsigned>& columns) {
        double all = 0;
        for (unsigned row = 0; row < n; ++row) all += gain[row][columns[row]];
        return all;
      };
      std::vector<unsigned> each(n);
      std::iota(each.begin(), each.end(), 0);
      double best = 0;
      do best = std::max(best, sum(each));
      while (std::next_permutation(each.begin(), each.end()));
      const std::vector<unsigned> found = assign(gain);
      EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), each.begin()));
      EXPECT_EQ(sum(found), best) << n << " " << i;
    }
}

}  // namespace
}  // namespace perfboard::smile
