// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile advise: which pages have a better home, and what it and apply read.
#include "guest/smile/cmd/advice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

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

}  // namespace
}  // namespace perfboard::smile
