// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/manual.h"

#include <gtest/gtest.h>

namespace perfboard {
namespace {

constexpr Field kManualFields[] = {
    {"HIGH", 31, 4, Access::w1c, 0xab, "this | that", "p. 7"},
    {"LOW", 0, 0, Access::ro, 1, "low", "INFERRED: why"},
};
constexpr Register kManualTable[] = {
    {"ONE", 0x00, 1, kManualFields, "the first", "p. 6"},
    {"TWO", 0x1C, 4, kManualFields, "the second", "p. 7"},
};
constexpr ManualPart kParts[] = {{"Part", kManualTable}};

TEST(Manual, PrintsEveryRegisterAndField) {
  const std::string text = manual_tables(kParts);
  for (const char* line : {
           "### Part\n",
           "| 0x1C | TWO | the second | 00000AB1 |\n",
           "#### ONE (0x00): the first\n",
           "| 31..4 | HIGH | w1c | AB | this \\| that | p. 7 |\n",
           "| 0 | LOW | ro | 1 | low | INFERRED: why |\n",
           "Writes of fewer than 4 bytes are ignored.",
           "Source: p. 7, where a field names no other.",
           "| 31..4 | HIGH | w1c | AB | this \\| that |  |\n",
       })
    EXPECT_NE(text.find(line), text.npos) << line;
}

TEST(Manual, WhatAllFieldsShareIsSaidAboveThem) {
  static constexpr Field fields[] = {{"ALL", 31, 0, Access::rw, 0, "all", "p. 6"}};
  constexpr Register one[] = {{"A", 0x00, 1, fields, "the only one", "p. 6"}};
  const ManualPart parts[] = {{"Part", one}};
  EXPECT_NE(manual_tables(parts).find(
                "Source: p. 6.\n\n| Bits | Field | Access | Reset | Meaning |\n|---|---|---|---|---|\n"
                "| 31..0 | ALL | rw | 0 | all |\n\n"),
            std::string::npos);
}

TEST(Manual, RegistersThatShareTheirFieldsHaveOneTable) {
  constexpr Register alike[] = {
      {"A0", 0x00, 1, kManualFields, "the first", "p. 6"},
      {"A1", 0x04, 1, kManualFields, "the second", "p. 6"},
      {"A2", 0x10, 1, kManualFields, "the third", "p. 6"},
      {"B", 0x14, 1, kManualFields, "from elsewhere", "p. 8"},
  };
  const ManualPart parts[] = {{"Part", alike}};
  const std::string text = manual_tables(parts);
  EXPECT_NE(text.find("| 0x04 | A1 | the second | 00000AB1 |\n"), text.npos);
  EXPECT_NE(text.find("#### A0 to A2 (0x00 to 0x10)\n\nSource: p. 6.\n"), text.npos);
  EXPECT_NE(text.find("#### B (0x14): from elsewhere\n"), text.npos);
  EXPECT_EQ(text.find("#### A1"), text.npos);
}

TEST(Manual, RegistersWithOneTitleHaveOneRow) {
  constexpr Register alike[] = {
      {"A0", 0x00, 1, kManualFields, "not assigned", "p. 6"},
      {"A1", 0x04, 1, kManualFields, "not assigned", "p. 6"},
      {"A2", 0x08, 1, kManualFields, "other", "p. 6"},
      {"A3", 0x0C, 1, kManualFields, "not assigned", "p. 6"},
  };
  const ManualPart parts[] = {{"Part", alike}};
  const std::string text = manual_tables(parts);
  EXPECT_NE(
      text.find(
          "|---|---|---|---|\n| 0x00 to 0x04 | A0 to A1 | not assigned | 00000AB1 |\n| 0x08 | A2 | other |"),
      text.npos)
      << text;
  EXPECT_NE(text.find("| 0x0C | A3 | not assigned | 00000AB1 |\n"), text.npos);
}

TEST(Manual, WhatIsNoRegisterHasNoResetValue) {
  const ManualPart parts[] = {{"Part", kManualTable, Resets::kNone}};
  const std::string text = manual_tables(parts);
  EXPECT_NE(text.find("| 0x1C | TWO | the second |\n"), text.npos);
  EXPECT_NE(text.find("| 0 | LOW | low | INFERRED: why |\n"), text.npos);
  EXPECT_EQ(text.find("Reset"), text.npos);
}

TEST(Manual, ReplacesOnlyWhatIsBetweenTheMarkers) {
  const std::string page = "before\n<!-- registers:begin -->\nold\n<!-- registers:end -->\nafter\n";
  const std::string fresh = "before\n<!-- registers:begin -->\n\nnew\n<!-- registers:end -->\nafter\n";
  EXPECT_EQ(manual_update(page, "new\n"), fresh);
  EXPECT_EQ(manual_update(fresh, "new\n"), fresh);
}

TEST(Manual, WantsBothMarkers) {
  EXPECT_EQ(manual_update("no markers", "x"), std::nullopt);
  EXPECT_EQ(manual_update("<!-- registers:begin -->\n", "x"), std::nullopt);
}

}  // namespace
}  // namespace perfboard
