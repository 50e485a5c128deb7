// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where registers are in the view, by the manual page's numbers.
#include "hw/shrimp/view.h"

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

const BoardView& view = sni_view();

TEST(SniView, FindsEachEntryAndHalf) {
  const auto at = [](uint64_t offset) { return view.place(nullptr, 1, offset); };
  EXPECT_EQ(at(kCounters + 8 * RXD + 4).reg->name, "RXD");
  EXPECT_EQ(at(kCounters + 8 * RXD + 4).index, 1);
  EXPECT_EQ(at(kTerms + 16 * EISA + 12).reg->name, "EISA");
  EXPECT_EQ(at(kTerms + 16 * EISA + 12).index, 3);
  EXPECT_EQ(at(kOutTable + 8 * 32767 + 4).reg->name, "OPT1");
  EXPECT_EQ(at(kOutTable + 8 * 32767 + 4).index, 32767);
  EXPECT_EQ(at(kInTable + 4 * 5).reg->name, "IPT");
  EXPECT_EQ(at(kInTable + 4 * 5).index, 5);
  EXPECT_EQ(at(kInCounts + 4 * 6).reg->name, "IPC");
  EXPECT_EQ(at(kInCounts + 4 * 6).index, 6);
}

TEST(SniView, FindsNothingElsewhere) {
  for (const uint32_t offset :
       {0x2cu, 0x54u, kCounters + 8 * kNoCounter, kTermsEnd, kInCountsEnd, kWindowBytes})
    EXPECT_EQ(view.place(nullptr, 1, offset).reg, nullptr) << offset;
  EXPECT_EQ(view.place(nullptr, 0, 0xc88).reg, nullptr);
  EXPECT_EQ(view.place(nullptr, 2, 0).reg, nullptr);
}

}  // namespace
}  // namespace perfboard::sni
