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
void expect_refused(const MkConfig& c, std::string_view option, std::string_view legal) {
  const std::string why = complaint(c);
  EXPECT_EQ(why.substr(0, option.size()), option) << why;
  EXPECT_NE(why.find(legal), why.npos) << why;
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
