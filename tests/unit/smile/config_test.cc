// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a monitor may be configured to, and what is said about the rest: option, value, legal range.
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

std::string complaint(const SmileConfig& c) {
  char why[200] = "";
  return smile_config_ok(&c, why, sizeof why) ? "" : why;
}
SmileConfig good() {
  return {.entries = 16, .queue = 65536, .node = 0, .initial = SMILE_DYNAMIC, .cclk = SMILE_DEFAULT_CCLK};
}

TEST(SmileConfigOk, EachOptionInItsRange) {
  EXPECT_EQ(complaint(good()), "");
  const struct {
    uint32_t SmileConfig::* member;
    const char* name;
    uint32_t low, high;
  } options[] = {{&SmileConfig::entries, "entries", 4, 64},
                 {&SmileConfig::queue, "queue", 0, 1048576},
                 {&SmileConfig::node, "node", 0, 31},
                 {&SmileConfig::cclk, "cclk", 100000, 100000000}};
  for (const auto& o : options)
    for (const uint32_t value : {o.low - 1, o.low, o.high, o.high + 1, ~uint32_t{0}}) {
      SmileConfig c = good();
      c.*o.member = value;
      const std::string legal = "=" + std::to_string(value) + ": legal are " + std::to_string(o.low) +
                                " to " + std::to_string(o.high);
      EXPECT_EQ(complaint(c), value >= o.low && value <= o.high ? "" : o.name + legal);
    }
}

TEST(SmileConfigOk, AShortBufferIsNotOverrun) {
  char why[8] = "";
  SmileConfig c = good();
  c.entries = 0;
  EXPECT_FALSE(smile_config_ok(&c, why, sizeof why));
  EXPECT_EQ(std::strlen(why), 7u);
}

}  // namespace
}  // namespace perfboard::smile
