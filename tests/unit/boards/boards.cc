// SPDX-License-Identifier: GPL-2.0-or-later
//
// The boards; and what each may be configured to, and what is said about the rest: property, value, legal
// range.
#include "tests/unit/boards/board.h"

namespace perfboard::boards {

std::vector<Board>& boards() {
  static std::vector<Board> all;
  return all;
}

TEST_P(EveryBoard, PropertiesHaveTheirRanges) {
  for (const auto& [property, low, high, complaint] : board.limits)
    for (const uint32_t value : {low - 1, low, high, high + 1, ~uint32_t{0}}) {
      const std::string said = complaint(value), name = property,
                        legal = std::to_string(low) + " to " + std::to_string(high);
      if (value >= low && value <= high) {
        EXPECT_EQ(said, "") << name;
        continue;
      }
      EXPECT_EQ(said.rfind(name + "=" + std::to_string(value) + ": legal ", 0), 0u) << name << ": " << said;
      EXPECT_NE(said.find(legal), said.npos) << name << ": " << said;
    }
}

INSTANTIATE_TEST_SUITE_P(Boards, EveryBoard, testing::Range(size_t{0}, boards().size()),
                         [](const auto& board) { return std::string(boards()[board.param].view.board); });

}  // namespace perfboard::boards
