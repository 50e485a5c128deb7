// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/boards/board.h"

namespace perfboard::boards {

std::vector<Board>& boards() {
  static std::vector<Board> all;
  return all;
}

INSTANTIATE_TEST_SUITE_P(Boards, EveryBoard, testing::Range(size_t{0}, boards().size()),
                         [](const auto& board) { return std::string(boards()[board.param].view.board); });

}  // namespace perfboard::boards
