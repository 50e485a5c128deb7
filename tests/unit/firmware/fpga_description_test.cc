// SPDX-License-Identifier: GPL-2.0-or-later
//
// The language of the histogram address: what it means, and what it says of an error and where.
#include <gtest/gtest.h>

#include "firmware/surfboard/bitstream.h"

namespace perfboard::has {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_description(text, "a.has");
  } catch (const DescriptionError& e) {
    return e.what();
  }
  return "no error";
}

TEST(FpgaDescription, VariablesLieWhereThePartHasThem) {
  const struct {
    const char* name;
    uint32_t first, width;
  } variables[] = {
      {"latency", 0, 24}, {"sender", 24, 6}, {"color", 30, 6}, {"category", 36, 4}, {"size", 40, 10}};
  for (const auto& v : variables)
    for (uint32_t bit = 0; bit < v.width; ++bit) {
      const std::string text = "address[5] = " + std::string(v.name) + "[" + std::to_string(bit) + "]";
      Mapping want = all_zero();
      want[5] = static_cast<uint8_t>(v.first + bit);
      EXPECT_EQ(parse_description(text, "a.has"), want) << text;
    }
}

TEST(FpgaDescription, RangesWholeVariablesConstants) {
  const Mapping m = parse_description(
      "# a comment\n"
      "\n"
      "address[21:12]=size\t# all of it\r\n"
      "  address [ 3 : 0 ] = latency [ 11 : 8 ]\n"
      "address[23] = 1\n"
      "address[22] = 0",
      "a.has");
  for (uint32_t i = 0; i < 10; ++i) EXPECT_EQ(m[12 + i], 40 + i);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(m[i], 8 + i);
  for (uint32_t i = 4; i < 12; ++i) EXPECT_EQ(m[i], kZero) << "not mentioned";
  EXPECT_EQ(m[23], kOne);
  EXPECT_EQ(m[22], kZero);
}

TEST(FpgaDescription, NothingIsAllZeros) {
  EXPECT_EQ(parse_description("", "a.has"), all_zero());
  EXPECT_EQ(parse_description("# only this", "a.has"), all_zero());
  EXPECT_EQ(parse_description(describe(all_zero()), "a.has"), all_zero());
}

TEST(FpgaDescription, DescribesInTheShortestForm) {
  const std::string text =
      "address[23] = 1\n"
      "address[21:12] = size\n"
      "address[11:1] = latency[11:1]\n";
  EXPECT_EQ(describe(parse_description(text, "a.has")), text);
  // Input bits 23 and 24 lie side by side in different variables.
  EXPECT_EQ(describe(parse_description("address[1] = sender[0]\naddress[0] = latency[23]", "a.has")),
            "address[1] = sender[0]\naddress[0] = latency[23]\n");
}

TEST(FpgaDescription, ErrorsNameFileLineAndColumn) {
  const struct {
    const char *text, *says;
  } errors[] = {
      {"address[3:0] = color", "a.has:1:16: address[3:0] has 4 bits, color has 6 bits"},
      {"address = 0", "a.has:1:11: address has 24 bits, 0 has 1 bit"},
      {"address[5:0] = color\n\naddress[5] = size[0]",
       "a.has:3:1: address[5] is assigned already, in line 1"},
      {"address[24] = 0", "a.has:1:9: address has no bit 24: its bits are 23..0"},
      {"address[0] = sender[6]", "a.has:1:21: sender has no bit 6: its bits are 5..0"},
      {"address[0] = sender[99999999999999]",
       "a.has:1:21: sender has no bit 99999999999999: its bits are 5..0"},
      {"address[0:3] = category", "a.has:1:9: the high bit comes first: [3:0]"},
      {"address[0] = 2", "a.has:1:14: a constant is 0 or 1, not 2"},
      {"address[0] = colour[1]",
       "a.has:1:14: no variable 'colour': there are size, category, color, sender, latency"},
      {"size = address", "a.has:1:1: 'size' cannot be assigned: only address can"},
      {"  = size", "a.has:1:3: expected address, found '='"},
      {"address[1", "a.has:1:10: expected ':' or ']', found the end of the line"},
      {"address[3:2 = 0", "a.has:1:13: expected ']', found '='"},
      {"address[x] = 0", "a.has:1:9: expected a bit number, found 'x'"},
      {"address[0] size[0]", "a.has:1:12: expected '=', found 's'"},
      {"address[0] =  # size[0]", "a.has:1:15: expected a variable, 0 or 1, found the end of the line"},
      {"address[0] = size[0] size[1]", "a.has:1:22: expected the end of the line, found 's'"},
      {"\x01", "a.has:1:1: expected address, found byte 0x01"},
  };
  for (const auto& e : errors) EXPECT_EQ(error_of(e.text), e.says) << e.text;
}

}  // namespace
}  // namespace perfboard::has
