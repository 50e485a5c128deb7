// SPDX-License-Identifier: GPL-2.0-or-later
// What users write to the command mk.
#include <gtest/gtest.h>

#include "guest/common/arguments.h"
#include "guest/multikron/cmd/card.h"

namespace perfboard::mk {
namespace {

TEST(MkWords, Sets) {
  EXPECT_EQ(parse_set("all"), 0xffff);
  EXPECT_EQ(parse_set("none"), 0);
  EXPECT_EQ(parse_set("0x39"), 0x39);
  EXPECT_EQ(parse_set("0,3-5"), 0x39);
  EXPECT_EQ(parse_set("12-"), 0xf000);
  EXPECT_EQ(parse_set("15"), 0x8000);
  for (const char* text : {"", "16", "0-16", "5-3", "1,", "x", "-"})
    EXPECT_THROW(parse_set(text), UsageError) << text;
  EXPECT_THROW(parse_set("0x10000"), Misuse);
  for (uint32_t set = 0; set <= 0xffff; set += 7) {
    const auto now = static_cast<uint16_t>(set);
    EXPECT_EQ(parse_set(set_text(now)), now);
  }
}

TEST(MkWords, Numbers) {
  EXPECT_EQ(legal_number("0xFFFFffff", UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(legal_number("7", 7), 7u);
  for (const char* text : {"8", "", "-1", "0x", "seven"}) EXPECT_THROW(legal_number(text, 7), Misuse) << text;
}

TEST(MkWords, Csr) {
  EXPECT_EQ(parse_csr("sampling"), MKR_CSR_SE);
  EXPECT_EQ(parse_csr("0x10"), 0x10u);
  for (const char* text : {"samplin", "", "1x", "-1"}) EXPECT_THROW(parse_csr(text), Misuse) << text;
}

}  // namespace
}  // namespace perfboard::mk
