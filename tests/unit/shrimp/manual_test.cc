// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/manual.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hw/shrimp/manual_text.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/timing.h"
#include "hw/shrimp/view.h"

namespace perfboard::sni {
namespace {

std::string page() {
  const char* root = std::getenv("PERFBOARD_ROOT");
  return read_text_file(std::string(root ? root : ".") + "/hw/shrimp/README.md");
}

TEST(SniManual, TablesAndListsOnThePageAreThoseOfTheModel) {
  const auto fresh = manual_update(page(), manual_text(), manual_view(sni_view()));
  ASSERT_TRUE(fresh) << "no markers in hw/shrimp/README.md";
  EXPECT_EQ(*fresh, page()) << "run shrimp-manual hw/shrimp/README.md";
}

TEST(SniManual, EveryRegisterCounterTermAndConstantIsThere) {
  const std::string text = page();
  const auto there = [&](std::string_view name) {
    EXPECT_NE(text.find("| " + std::string(name) + " |"), std::string::npos) << name;
  };
  for (const Register& r : kRegisters) there(r.name);
  for (const Counter& c : kCounterTable) there(c.name);
  for (const Term& t : kTermTable) there(t.name);
  for (const Timing& t : kTimings) there(t.name);
}

TEST(SniManual, EveryInferenceInTheTimingTableIsListed) {
  const std::string text = page();
  const size_t list = text.find("\n## INFERRED");
  ASSERT_NE(list, std::string::npos);
  for (const Timing& t : kTimings)
    if (t.source.starts_with("INFERRED")) {
      EXPECT_NE(text.find(std::string(t.name), list), std::string::npos) << t.name;
    }
}

}  // namespace
}  // namespace perfboard::sni
