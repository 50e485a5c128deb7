// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines of the kernel's trace.
#include "guest/common/kernel_trace.h"

#include <gtest/gtest.h>

namespace perfboard {
namespace {

TEST(KernelTrace, LinesOfTheTrace) {
  KernelLine line;
  ASSERT_TRUE(parse_kernel_line(
      "     kworker/0:1-23      [002] d..3.    12.345678: sched_switch: prev_comm=a b ==> next", line));
  EXPECT_EQ(line.cpu, 2u);
  EXPECT_EQ(line.command, "kworker/0:1");
  EXPECT_EQ(line.pid, 23);
  EXPECT_EQ(line.time_ns, 12345678000u);
  EXPECT_EQ(line.event, "sched_switch");
  EXPECT_EQ(line.text, "prev_comm=a b ==> next");
  ASSERT_TRUE(parse_kernel_line("<idle>-0 [000] d.h1. 3.000000: print", line));
  EXPECT_EQ(line.event, "print");
  EXPECT_EQ(line.text, "");
  for (const char* text :
       {"", "# tracer: nop", "a-1 [000] d 1.5: x: y", "a-1 [000 d 1.500000: x: y", "a [000] d 1.500000: x: y",
        "a-1 [000] d 1.500000 x y", "a-1 [0x0] d 1.500000: x: y", "CPU:0 [LOST 5 EVENTS]"})
    EXPECT_FALSE(parse_kernel_line(text, line)) << text;
}

}  // namespace
}  // namespace perfboard
