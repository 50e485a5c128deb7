// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/register.h"

#include <gtest/gtest.h>

namespace perfboard {
namespace {

constexpr Field kGood[] = {
    {"HIGH", 31, 24, Access::rw, 0xab, "high", "p. 1"},
    {"MID", 8, 8, Access::w1c, 1, "mid", "p. 1"},
    {"LOW", 7, 0, Access::ro, 0x5a, "low", "p. 1"},
};
constexpr Register reg(std::span<const Field> fields, uint32_t offset = 0, uint8_t width = 1) {
  return {"R", offset, width, fields, "title", "p. 1"};
}
constexpr bool ok(std::span<const Field> fields) {
  const Register table[] = {reg(fields)};
  return table_ok(table);
}

TEST(Field, MasksAndMovesItsBits) {
  EXPECT_EQ(kGood[0].mask(), 0xff000000u);
  EXPECT_EQ(kGood[1].mask(), 0x100u);
  constexpr Field whole = {"W", 31, 0, Access::rw, 0, "whole", "p. 1"};
  EXPECT_EQ(whole.mask(), 0xffffffffu);
  EXPECT_EQ(kGood[0].get(0x12345678), 0x12u);
  EXPECT_EQ(kGood[0].set(0x12345678, 0x1ff), 0xff345678u);
}

TEST(Register, CollectsByAccess) {
  constexpr Register r = reg(kGood);
  EXPECT_EQ(r.mask(Access::rw), 0xff000000u);
  EXPECT_EQ(r.readable(), 0xff0001ffu);
  EXPECT_EQ(r.reset(), 0xab00015au);
  EXPECT_EQ(r.field("MID").lsb, 8);
}

TEST(Table, RejectsEveryBrokenRule) {
  EXPECT_TRUE(ok(kGood));
  constexpr Field overlap[] = {{"A", 4, 0, Access::rw, 0, "a", "p"}, {"B", 5, 4, Access::rw, 0, "b", "p"}};
  EXPECT_FALSE(ok(overlap));
  const Field broken[] = {
      {"A", 0, 4, Access::rw, 0, "upside down", "p"},
      {"A", 32, 0, Access::rw, 0, "too high", "p"},
      {"A", 1, 0, Access::rw, 4, "a reset value that is too big", "p"},
      {"A", 0, 0, Access::wo, 1, "one of what is only written", "p"},
      {"A", 0, 0, Access::reserved, 1, "one of what is reserved", "p"},
      {"", 0, 0, Access::rw, 0, "no name", "p"},
      {"A", 0, 0, Access::rw, 0, "", "p"},
      {"A", 0, 0, Access::rw, 0, "no source", ""},
  };
  for (const Field& field : broken) EXPECT_FALSE(ok({&field, 1})) << field.text;
}

TEST(Table, RejectsBadOffsetsAndWidths) {
  const Register ascending[] = {reg(kGood, 0), reg(kGood, 4)};
  EXPECT_TRUE(table_ok(ascending));
  const Register same[] = {reg(kGood, 4), reg(kGood, 4)};
  EXPECT_FALSE(table_ok(same));
  const Register crooked[] = {reg(kGood, 2)};
  EXPECT_FALSE(table_ok(crooked));
  const Register three[] = {reg(kGood, 0, 3)};
  EXPECT_FALSE(table_ok(three));
}

constexpr Register kEighth = {"R8_H", 0x10, 4, kGood, "level 8, upper part", "p. 1"};
TEST(Table, ARowStandsForSeveralWhoseNumbersCountUp) {
  constexpr auto table = one_table(std::array{reg(kGood)}, numbered<kEighth, 3, 8>);
  EXPECT_TRUE(table_ok(table));
  EXPECT_EQ(table[1].name, "R8_H");
  EXPECT_EQ(table[3].name, "R10_H");
  EXPECT_EQ(table[3].title, "level 10, upper part");
  EXPECT_EQ(table[3].offset, 0x20u);
  EXPECT_EQ(counted_up("not assigned", 7).data(), std::string_view("not assigned"));
}

TEST(Table, FindsByOffsetAndName) {
  constexpr Register table[] = {{"A", 0, 1, kGood, "a", "p"}, {"B", 4, 1, kGood, "b", "p"}};
  EXPECT_EQ(find(table, 4), &table[1]);
  EXPECT_EQ(find(table, 8), nullptr);
  EXPECT_EQ(&at(table, "B"), &table[1]);
}

}  // namespace
}  // namespace perfboard
