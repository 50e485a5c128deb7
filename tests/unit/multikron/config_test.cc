// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a card may be configured to, and what is said about the rest: option, value, legal range.
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr MkConfig kGood = {
    .node_hz = 50'000'000, .timestamp_hz = 10'000'000, .fifo_depth = 8, .free_bytes = 1, .lines = 1};

std::string complaint(MkConfig c) {
  char why[200] = "";
  return mk_config_ok(&c, why, sizeof why) ? "" : why;
}
MkConfig with(auto MkConfig::* member, auto value) {
  MkConfig c = kGood;
  c.*member = value;
  return c;
}
void expect_refused(const MkConfig& c, std::string_view option, std::string_view legal) {
  const std::string why = complaint(c);
  EXPECT_EQ(why.substr(0, option.size()), option) << why;
  EXPECT_NE(why.find(legal), why.npos) << why;
}

TEST(MkConfigOk, ThePapersChip) { EXPECT_EQ(complaint(kGood), ""); }

TEST(MkConfigOk, ATimestampClockAboveAThirdOfTheNodeClockIsAnError) {
  EXPECT_EQ(complaint(with(&MkConfig::timestamp_hz, 16'666'666u)), "");
  expect_refused(with(&MkConfig::timestamp_hz, 16'666'667u), "timestamp-clock=16666667", "16666666");
  expect_refused(with(&MkConfig::timestamp_hz, 0u), "timestamp-clock=0", "1 to");
}

TEST(MkConfigOk, NodeClock) {
  MkConfig slow = with(&MkConfig::node_hz, 1000u);
  slow.timestamp_hz = 333;
  EXPECT_EQ(complaint(slow), "");
  EXPECT_EQ(complaint(with(&MkConfig::node_hz, 1'000'000'000u)), "");
  expect_refused(with(&MkConfig::node_hz, 1'000'000'001u), "node-clock=1000000001", "1000000000");
  expect_refused(with(&MkConfig::node_hz, 0u), "node-clock=0", "1000");
}

TEST(MkConfigOk, FifoDepth) {
  EXPECT_EQ(complaint(with(&MkConfig::fifo_depth, 1u)), "");
  EXPECT_EQ(complaint(with(&MkConfig::fifo_depth, 64u)), "");
  expect_refused(with(&MkConfig::fifo_depth, 0u), "fifo-depth=0", "1 to 64");
  expect_refused(with(&MkConfig::fifo_depth, 65u), "fifo-depth=65", "1 to 64");
}

TEST(MkConfigOk, WaitStates) {
  EXPECT_EQ(complaint(with(&MkConfig::wait_states, 3u)), "");
  expect_refused(with(&MkConfig::wait_states, 4u), "wait-states=4", "0 to 3");
}

TEST(MkConfigOk, ExternalFifo) {
  MkConfig c = kGood;
  c.free_bytes = 0;
  EXPECT_EQ(complaint(c), "") << "nobody asks for its size";
  c.free = MK_FREE_FIFO;
  expect_refused(c, "free-size=0", "1 ");
  c.free_bytes = 1;
  EXPECT_EQ(complaint(c), "");
}

TEST(MkConfigOk, AShortBufferIsNotOverrun) {
  char why[8] = "";
  MkConfig c = kGood;
  c.fifo_depth = 0;
  EXPECT_FALSE(mk_config_ok(&c, why, sizeof why));
  EXPECT_EQ(std::strlen(why), 7u);
}

}  // namespace
}  // namespace perfboard::mk
