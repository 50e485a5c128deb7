// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which registers each design has; what nobody answers; what RESET leaves.
#include "hw/smile/registers.h"

#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

// By hand, from the manual page: where a design has registers.
constexpr struct {
  uint32_t first, end;
  int part;  // SMILE_NONE: of both
} kPlaces[] = {
    {0x000, 0x00c, SMILE_NONE},     // MCR, MSR, NODE
    {0x00c, 0x014, SMILE_DYNAMIC},  // MAXR, MASK
    {0x014, 0x034, SMILE_NONE},     // RDP to CLASHES
    {0x034, 0x044, SMILE_STATIC},   // CRST, GEVENT, TIMER, OVF
    {0x044, 0x048, SMILE_NONE},     // CABLE
    {0x200, 0x280, SMILE_STATIC},   // PAGE
    {0x300, 0x380, SMILE_STATIC},   // EVENT
    {0x400, 0x500, SMILE_STATIC},   // COUNTER
    {0x600, 0x700, SMILE_DYNAMIC},  // RANGE
};

class SmileRegisters : public testing::TestWithParam<enum smile_design> {};

TEST_P(SmileRegisters, ThoseOfTheDesignAnswerAndNothingElse) {
  const enum smile_design design = GetParam();
  Bench b({.node = 3, .design = design});
  smile_set_design(b.hwm.get(), design);
  b.log.clear();
  for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
    const bool there =
        design != SMILE_NONE && std::ranges::any_of(kPlaces, [&](const auto& p) {
          return offset >= p.first && offset < p.end && (p.part == SMILE_NONE || p.part == design);
        });
    const size_t lines = b.log.size();
    EXPECT_EQ(b.get(offset) != 0xffffffff, there) << std::hex << offset;
    EXPECT_EQ(b.log.size(), lines + !there) << std::hex << offset;
    if (there) continue;
    b.set(offset, 0xffffffff);
    EXPECT_EQ(b.log.size(), lines + 2) << std::hex << offset;
  }
}
INSTANTIATE_TEST_SUITE_P(Designs, SmileRegisters, testing::Values(SMILE_NONE, SMILE_STATIC, SMILE_DYNAMIC));

TEST(SmileCable, SaysWhoseLinkItIs) {
  Bench b({.node = 29});
  EXPECT_EQ(b.get(reg::kCable), 29u);
  smile_set_cable(b.hwm.get(), true);
  EXPECT_EQ(b.get(reg::kCable), 29u | kValidBit);
  smile_set_design(b.hwm.get(), SMILE_STATIC);
  EXPECT_EQ(b.get(reg::kCable), 29u | kValidBit) << "it stays plugged in";
}

TEST(SmileLog, NamesTheRegisterAndTheDesign) {
  Bench b;
  b.get(reg::kPage + 4 * 17);
  EXPECT_TRUE(b.logged("read of PAGE17 (offset 0x100244): the dynamic part is loaded"));
  b.set(reg::kCounter + 16 * 11 + 4, 1);
  EXPECT_TRUE(b.logged("write to COUNTER11_STOP (offset 0x1004b4): the dynamic part is loaded"));
  b.set_sized(reg::kMaxr, 2, 1);
  EXPECT_TRUE(b.logged("16-bit write to MAXR"));
  b.set(reg::kRange + 4, 1);
  EXPECT_TRUE(b.logged("write to RANGE0_ADDRESS: read only"));
  smile_set_design(b.hwm.get(), SMILE_NONE);
  b.get(reg::kMsr);
  EXPECT_TRUE(b.logged("read of MSR (offset 0x100004): no design is loaded"));
}

// The rest of BAR 0 that comes here: nothing is there.
TEST(SmileBar0, ElsewhereNobodyAnswers) {
  Bench b;
  for (const uint32_t offset : {0x100u, 0xffffcu, 0x101000u, 0x1ffffcu, 0x3ffffcu, 0x800020u, 0xfffffcu}) {
    EXPECT_EQ(smile_read(b.hwm.get(), offset, 4), 0xffffffffu) << offset;
    EXPECT_EQ(smile_read(b.hwm.get(), offset, 1), 0xffu) << offset;
    smile_write(b.hwm.get(), offset, 4, 0);
  }
  EXPECT_EQ(b.log.size(), 21u);
}

// --- RESET ----------------------------------------------------------------------------

TEST(SmileReset, OfTheStaticPartKeepsTheTables) {
  static constexpr uint32_t kSettings[][2] = {
      {reg::kNode, 9},
      {reg::kTimer, 1000},
      {reg::kPage + 4 * 31, 3 << 20 | 0x4321 | kValidBit},
      {reg::kEvent + 8 * 15, 31 | 0x5a << 8 | kValidBit},
      {reg::kEvent + 8 * 15 + 4, 3 | 1000 << 16},
      {reg::kCounter + 16 * 15, 1 | kValidBit},
      {reg::kCounter + 16 * 15 + 4, 17 | kValidBit},
      {reg::kCounter + 16 * 15 + 8, 31 | kValidBit},
  };
  Bench b({.design = SMILE_STATIC});
  for (const auto& [offset, value] : kSettings) b.set(offset, value);
  b.activate(15, 0xffff);
  b.global(15);
  b.activate(14, 5);
  EXPECT_EQ(b.get(reg::kOvf), 16u + 15);
  b.set(reg::kMcr, mcr::kReset);
  for (const auto& [offset, value] : kSettings) EXPECT_EQ(b.get(offset), value) << std::hex << offset;
  EXPECT_EQ(b.get(reg::kOvf), 0u);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(b.get(reg::kCounter + 16 * i + 12), 0u) << "neither value nor ACTIVE";
  b.set(reg::kMcr, mcr::kRun);
  b.activate(15, 1);
  b.global(15);
  EXPECT_EQ(b.value(15), 2u) << "its registers are connected";
}

}  // namespace
}  // namespace perfboard::smile
