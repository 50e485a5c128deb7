// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cable where a machine has several adapters.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

TEST(TwoCables, EachMonitorHearsItsAdapter) {
  Machine m({.devices = {"test-adapter,id=a", "test-adapter,id=b", "test-monitor,id=left,listens=a",
                         "test-monitor,id=right,listens=b", "test-monitor,id=too,listens=b"}});
  EXPECT_EQ(m.set("a", "send", "1"), "");
  EXPECT_EQ(m.set("b", "send", "20"), "");
  EXPECT_EQ(m.set("a", "send", "300"), "");
  EXPECT_EQ(m.get("left", "heard"), 301u);
  EXPECT_EQ(m.get("right", "heard"), 20u);
  EXPECT_EQ(m.get("too", "heard"), 20u);
}

// Wherever the monitor that names none stands.
TEST(TwoCables, WhoNamesNoneIsRefusedInOneLine) {
  std::vector<std::string> devices = {"test-adapter,id=a", "test-adapter,id=b", "test-monitor"};
  do {
    std::vector<std::string> words = {"-device", "test-monitor,id=other"};
    for (const std::string& d : devices) words.insert(words.end(), {"-device", d});
    const Refusal r = start_and_end(words);
    EXPECT_EQ(r.status, 1) << r.output;
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
    for (const char* part : {"test-monitor: ", "several test-adapter", "listens=ID"})
      EXPECT_NE(r.output.find(part), r.output.npos) << part << "\n" << r.output;
  } while (std::next_permutation(devices.begin(), devices.end()));
}

}  // namespace
}  // namespace perfboard::qtest
