// SPDX-License-Identifier: GPL-2.0-or-later
//
// Texts that tools read: numbers, ranges, lines of the kernel's trace.
#include <gtest/gtest.h>

#include "guest/common/arguments.h"
#include "guest/common/kernel_trace.h"
#include "guest/common/ranges.h"
#include "hw/model/number.h"

namespace perfboard {
namespace {

TEST(Number, IsAllOfTheText) {
  uint64_t n = 0;
  EXPECT_TRUE(parse_number("18446744073709551615", n) && n == UINT64_MAX);
  EXPECT_TRUE(parse_number("0xFFFFffffFFFFffff", n) && n == UINT64_MAX);
  EXPECT_TRUE(parse_number("0X10", n) && n == 16);
  EXPECT_TRUE(parse_number("010", n) && n == 10) << "no octal numbers";
  for (const char* text : {"", "0x", "-1", "+1", " 1", "1 ", "1.", "a", "0x0x1", "18446744073709551616"})
    EXPECT_FALSE(parse_number(text, n)) << text;
  uint32_t small = 0;
  EXPECT_TRUE(parse_integer("FFFFFFFF", 16, small) && small == UINT32_MAX);
  EXPECT_FALSE(parse_integer("100000000", 16, small));
  EXPECT_FALSE(parse_integer("0x1", 16, small));
  EXPECT_TRUE(parse_hex_number("0x1f", small) && small == 31);
  EXPECT_TRUE(parse_hex_number("1F", small) && small == 31);
}

TEST(Ranges, BothEndsAreIn) {
  const auto range = [](const char* text, uint64_t most = UINT64_MAX) {
    const Range r = parse_range("--x", text, decimal_or_hex, most);
    return std::pair(r.low, r.high);
  };
  EXPECT_EQ(range("5"), std::pair(uint64_t{5}, uint64_t{5}));
  EXPECT_EQ(range("0x10-32"), std::pair(uint64_t{16}, uint64_t{32}));
  EXPECT_EQ(range("-7"), std::pair(uint64_t{0}, uint64_t{7}));
  EXPECT_EQ(range("7-"), std::pair(uint64_t{7}, UINT64_MAX));
  EXPECT_EQ(range("7-", 15), std::pair(uint64_t{7}, uint64_t{15}));
  EXPECT_EQ(range("0-15", 15), std::pair(uint64_t{0}, uint64_t{15}));
}

std::string refusal(const std::string& text, uint64_t most) {
  try {
    List("--x", text, most);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Ranges, WrongOnesAreNamedWithWhatIsLegal) {
  for (const char* text :
       {"", "-", "2-1", "1-2-3", "a", "1,", ",1", "1,,2", "1-x", "--1", "1;2", "16", "0-16", "16-"})
    EXPECT_NE(refusal(text, 15).find("expected LO-HI, LO-, -HI or a single number, at most 15"),
              std::string::npos)
        << text;
  EXPECT_EQ(refusal("0,17", 15), "--x: '17': expected LO-HI, LO-, -HI or a single number, at most 15");
  EXPECT_EQ(refusal("x", UINT64_MAX), "--x: 'x': expected LO-HI, LO-, -HI or a single number");
}

TEST(Ranges, TrimLeavesWhatIsBetween) {
  EXPECT_EQ(trim(" \t\r\n\v\fa b\r"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \f "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Ranges, Lists) {
  const List list("--x", "0,2-3,14-", 15);
  for (uint64_t n = 0; n < 18; n++)
    EXPECT_EQ(list.has(n), n == 0 || n == 2 || n == 3 || n == 14 || n == 15) << n;
}

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
