// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is printed from the model's tables is what the tree has: the guest's list of the events; and reset
// values are a monitor's.
#include "hw/core/manual.h"

#include <cstdlib>

#include "hw/power2/view.h"
#include "hw/power2/registers.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

std::string file(const char* path) {
  const char* root = std::getenv("PERFBOARD_ROOT");
  EXPECT_NE(root, nullptr) << "set PERFBOARD_ROOT to the source tree";
  const std::string text = read_text_file(std::string(root ? root : ".") + "/" + path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

TEST(P2Manual, TheGuestsEventsHaveNotDrifted) {
  EXPECT_TRUE(file("guest/power2/events.h") == guest_header()) << "run power2-events > guest/power2/events.h";
}

TEST(P2Manual, ResetValuesAreAMonitors) {
  Bench b({.awake = false});
  for (const Register& r : kRegisters) EXPECT_EQ(b.load(0x1000 + r.offset, 4), r.reset()) << r.name;
  for (const Register& r : kCard) EXPECT_EQ(b.load(r.offset, 4), r.reset()) << r.name;
}

}  // namespace
}  // namespace perfboard::p2
