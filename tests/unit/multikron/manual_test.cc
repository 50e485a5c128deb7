// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page shows the tables that the model runs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hw/multikron/manual_parts.h"
#include "hw/multikron/view.h"

namespace perfboard::mk {
namespace {

TEST(MultiKronManual, TablesHaveNotDrifted) {
  const char* root = std::getenv("PERFBOARD_ROOT");
  ASSERT_NE(root, nullptr) << "set PERFBOARD_ROOT to the source tree";
  const std::string page = read_text_file(std::string(root) + "/hw/multikron/README.md");
  ASSERT_FALSE(page.empty());
  const std::optional<std::string> fresh =
      manual_update(page, manual_tables(kManual), manual_view(mk_view()));
  EXPECT_TRUE(fresh == page) << "run multikron-manual hw/multikron/README.md";
}

}  // namespace
}  // namespace perfboard::mk
