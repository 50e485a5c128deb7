// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page shows what the model runs.
#include "hw/model/manual.h"

#include "tests/unit/boards/board.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard::boards {
namespace {

std::string page_of(std::string_view board) {
  const std::string page = source("hw/" + std::string(board) + "/README.md");
  EXPECT_FALSE(page.empty());
  return page;
}

TEST_P(EveryBoard, PageShowsTheTablesAndListsOfTheModel) {
  const std::string page = page_of(view.board);
  const auto fresh = manual_update(page, board.manual(), manual_view(view));
  ASSERT_TRUE(fresh) << "no markers in hw/" << view.board << "/README.md";
  size_t at = 0;
  while (at < page.size() && at < fresh->size() && page[at] == (*fresh)[at]) ++at;
  const size_t line = page.rfind('\n', at) + 1;
  EXPECT_TRUE(*fresh == page) << "run " << view.board << "-manual hw/" << view.board
                              << "/README.md: it differs from\n"
                              << page.substr(line, page.find('\n', line) - line);
}

TEST_P(EveryBoard, PageNamesWhatItMust) {
  const std::string page = page_of(view.board);
  for (const std::string_view name : board.listed)
    EXPECT_NE(page.find("| " + std::string(name) + " |"), std::string::npos) << name;
  if (board.inferred.empty()) return;
  const size_t list = page.find("\n## INFERRED");
  ASSERT_NE(list, std::string::npos);
  for (const std::string_view name : board.inferred)
    EXPECT_NE(page.find(name, list), std::string::npos) << name;
}

}  // namespace
}  // namespace perfboard::boards
