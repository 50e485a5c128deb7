// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/bank.h"

#include <gtest/gtest.h>

namespace perfboard {
namespace {

constexpr Field kBankFields[] = {
    {"RW", 31, 24, Access::rw, 0, "a", "p"},      {"W1C", 23, 16, Access::w1c, 0, "a", "p"},
    {"RO", 15, 8, Access::ro, 0, "a", "p"},       {"WO", 7, 6, Access::wo, 0, "a", "p"},
    {"RES", 5, 4, Access::reserved, 0, "a", "p"}, {"WA", 3, 3, Access::wa, 0, "a", "p"},
    {"LOW", 1, 0, Access::rw, 0, "a", "p"},
};
constexpr Register kAny = {"ANY", 0, 1, kBankFields, "t", "p"};
constexpr Register kWide = {"WIDE", 0, 4, kBankFields, "t", "p"};
constexpr Lanes kWhole = Lanes::of(0, 4);

TEST(Lanes, CoverTheBytesOfTheAccess) {
  EXPECT_EQ(Lanes::of(0, 4).mask, 0xffffffffu);
  EXPECT_EQ(Lanes::of(0, 1).mask, 0x000000ffu);
  EXPECT_EQ(Lanes::of(3, 1).mask, 0xff000000u);
  EXPECT_EQ(Lanes::of(1, 2).mask, 0x00ffff00u);
  EXPECT_EQ(Lanes::of(1, 3).mask, 0xffffff00u);
  EXPECT_EQ(Lanes::of(2, 2).shift, 16u);
}

TEST(Bank, EachAccessTypeTakesWritesItsOwnWay) {
  // Written with ones, then with zeros, over all ones.
  EXPECT_EQ(bank_write(kAny, 0xffffffff, kWhole, 0xffffffff), 0xff00ffffu);  // w1c cleared
  EXPECT_EQ(bank_write(kAny, 0xffffffff, kWhole, 0), 0x00ffff3cu);  // rw, wo cleared; w1c, ro, wa kept
  EXPECT_EQ(bank_write(kAny, 0, kWhole, 0xffffffff), 0xff0000c3u);  // only rw and wo can be set
}

TEST(Bank, ByteLanesKeepTheirNeighbours) {
  EXPECT_EQ(bank_write(kAny, 0x12345603, Lanes::of(3, 1), 0xab), 0xab345603u);
  EXPECT_EQ(bank_write(kAny, 0x12340003, Lanes::of(0, 1), 0x00), 0x12340000u);
  EXPECT_EQ(bank_write(kAny, 0x12ff0003, Lanes::of(2, 1), 0x0f), 0x12f00003u);  // w1c in that byte only
  EXPECT_EQ(bank_write(kAny, 0x12ff0003, Lanes::of(2, 2), 0xab00), 0xabff0003u);
}

TEST(Bank, NarrowWritesAreIgnoredWhereTheTableSaysSo) {
  EXPECT_EQ(bank_write(kWide, 0x11000000, Lanes::of(3, 1), 0x22), 0x11000000u);
  EXPECT_EQ(bank_write(kWide, 0x11000000, Lanes::of(2, 2), 0x2200), 0x11000000u);
  EXPECT_EQ(bank_write(kWide, 0x11000000, kWhole, 0x22000000), 0x22000000u);
}

TEST(Bank, ReadsMoveTheLanesDownAndHideTheUnreadable) {
  EXPECT_EQ(bank_read(kAny, 0xffffffff, kWhole), 0xffffff0bu);
  EXPECT_EQ(bank_read(kAny, 0x12345601, Lanes::of(3, 1)), 0x12u);
  EXPECT_EQ(bank_read(kAny, 0x12345601, Lanes::of(1, 2)), 0x3456u);
}

TEST(Bank, ARegisterOf64BitsHasTheBitsOfTwoRows) {
  Bits<uint64_t> bits;
  bits.add(kAny);
  bits.add(kWide, 32);
  const auto upper = LanesOf<uint64_t>::of(4, 4), both = LanesOf<uint64_t>::of(0, 8);
  EXPECT_EQ(bank_write(bits, uint64_t{5}, upper, uint64_t{0xffffffff}), 0xff0000c3'00000005u);
  EXPECT_EQ(bank_read(bits, ~uint64_t{0}, upper), 0xffffff0bu);
  EXPECT_EQ(bank_read(bits, ~uint64_t{0}, both), 0xffffff0b'ffffff0bu);
  EXPECT_EQ(bits.taken, 0xffff00cb'ffff00cbu);
}

}  // namespace
}  // namespace perfboard
