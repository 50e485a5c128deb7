// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page shows the tables that the model runs, and the tables' reset values are a monitor's.
#include <cstdlib>

#include "hw/smile/manual_parts.h"
#include "hw/smile/view.h"
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

TEST(SmileManual, TablesHaveNotDrifted) {
  const char* root = std::getenv("PERFBOARD_ROOT");
  ASSERT_NE(root, nullptr) << "set PERFBOARD_ROOT to the source tree";
  const std::string page = read_text_file(std::string(root) + "/hw/smile/README.md");
  ASSERT_FALSE(page.empty());
  const std::optional<std::string> fresh =
      manual_update(page, manual_tables(kManual), manual_view(smile_view()));
  EXPECT_TRUE(fresh == page) << "run smile-manual hw/smile/README.md";
}

TEST(SmileManual, ResetValuesAreAMonitors) {
  Bench fixed({.design = SMILE_STATIC}), dynamic;
  for (Bench* b : {&fixed, &dynamic}) smile_set_design(b->hwm.get(), b->config.initial);
  for (const Register& r : kRegisters) {
    const uint32_t value = dynamic.get(r.offset);
    EXPECT_EQ(value == SMILE_NO_ANSWER ? fixed.get(r.offset) : value, r.reset()) << r.name;
  }
}

}  // namespace
}  // namespace perfboard::smile
