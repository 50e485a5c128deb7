// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile advise: which pages have a better home, and what it and apply read; smile adapt: where pages, or
// threads, are to be, interval by interval. The test has them, and moves them.
#include "guest/smile/cmd/placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

#include "guest/smile/cmd/advice.h"

namespace perfboard::smile {
namespace {

class SmileAdvice : public testing::Test {
 protected:
  SmileAdvice() : file_(testing::TempDir() + "smile-advice-" + std::to_string(getpid())) {}
  ~SmileAdvice() override { std::remove(file_.c_str()); }

  Traffic traffic(const std::string& text) {
    std::ofstream(file_) << text;
    Input in(file_);
    Traffic t;
    read_traffic(in, t);
    return t;
  }
  std::vector<Move> moves(const std::string& text) {
    std::ofstream(file_) << text;
    Input in(file_);
    return read_moves(in);
  }
  static std::string text(const std::vector<Advice>& list) {
    std::string all;
    for (const Advice& a : list)
      all += std::to_string(a.page) + ":" + std::to_string(a.home) + ">" + std::to_string(a.better) + " " +
             std::to_string(a.gain) + "/" + std::to_string(a.remote) + " ";
    return all;
  }
  std::string file_;
};

const std::string kHead = "page,source,destination,count\n";

TEST_F(SmileAdvice, TheNodeWithMostAccesses) {
  const Traffic t = traffic(kHead + "7,2,0,100\n7,3,0,20\n8,1,0,5\n");
  EXPECT_EQ(text(advise(t, {}, {})), "7:0>2 100/120 8:0>1 5/5 ");
  EXPECT_EQ(text(advise(t, {}, {.least = 6})), "7:0>2 100/120 ");
  EXPECT_EQ(text(advise(t, {}, {.least = 1, .percent = 84})), "8:0>1 5/5 ");
  EXPECT_EQ(text(advise(t, {}, {.least = 100, .percent = 83})), "7:0>2 100/120 ");
}

TEST_F(SmileAdvice, NoNodeHasMost) {
  const Traffic t = traffic(kHead + "7,1,0,10\n7,2,0,10\n7,3,0,10\n");
  EXPECT_EQ(text(advise(t, {}, {})), "");
  EXPECT_EQ(text(advise(t, {}, {.least = 1, .percent = 0})), "7:0>1 10/30 ");  // of equals the first
}

// A page that has moved while it was watched: what its home of now did before, counts against another move.
TEST_F(SmileAdvice, TheHomesOwnAccessesCountAgainstAMove) {
  const Traffic t = traffic(kHead + "1,2,0,50\n1,3,2,60\n0,2,0,50\n0,3,2,40\n");
  EXPECT_EQ(text(advise(t, {2, 2}, {})), "1:2>3 10/60 ");
  EXPECT_EQ(text(advise(t, {2, 2}, {.least = 11})), "");
  EXPECT_EQ(text(advise(t, {0, 3}, {})), "0:0>2 50/90 ");
}

// Without homes of now: where most accesses went.
TEST_F(SmileAdvice, LargestGainFirst) {
  const Traffic t =
      traffic("offset,page,source,destination,count\n0,0,1,0,5\n64,0,1,0,6\n4096,1,2,0,12\n4200,1,3,1,2\n");
  EXPECT_EQ(text(advise(t, {}, {})), "1:0>2 12/14 0:0>1 11/11 ");
}

TEST_F(SmileAdvice, FilesThatAreNone) {
  for (const char* wrong : {"", "# only this\n", "page,source,count\n1,2,3\n"})
    EXPECT_THROW(traffic(wrong), FileError) << wrong;
  for (const char* wrong : {"1,2,3\n", "1,2,3,4,5\n", "1,32,0,1\n", "1,0,32,1\n", "x,0,0,1\n", "1,0,0,-1\n",
                            "1,0,0,\n", "1,0,0,18446744073709551616\n"})
    EXPECT_THROW(traffic(kHead + wrong), FileError) << wrong;
  EXPECT_TRUE(traffic(kHead).empty());
}

TEST_F(SmileAdvice, Moves) {
  const std::vector<Move> m = moves("# why\npage,home,better,remote,gain\n9,0,3,5,5\n 10 , 1, 2 ,1,1\n");
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m[0].page, 9u);
  EXPECT_EQ(m[0].better, 3u);
  EXPECT_EQ(m[1].page, 10u);
  EXPECT_EQ(m[1].better, 2u);
  EXPECT_THROW(moves("page,better\n1,32\n"), FileError);
  EXPECT_THROW(moves("page,better\n4294967296,1\n"), FileError);
  EXPECT_THROW(moves("page,home\n"), FileError);
  EXPECT_TRUE(moves("page,better\n").empty());
}

// --- smile adapt: where pages are to be --------------------------------------------------

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
