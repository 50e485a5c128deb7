// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which registers each design has, and those that act; what nobody answers; what RESET and a reconfiguration
// leave.
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

// --- what acts ----------------------------------------------------------------------

TEST(SmileMcr, EachBit) {
  Bench b;
  for (unsigned bit = 0; bit < 32; ++bit) {
    b.set(reg::kMcr, 0);
    b.set(reg::kMsr, msr::kDone);
    b.send(write(0, 1, 5, 5));
    b.set(reg::kMcr, 1u << bit);
    EXPECT_EQ(b.get(reg::kMcr), 1u << bit & 0x19u) << bit;
    EXPECT_EQ((b.get(reg::kMsr) & msr::kDone) != 0, bit == 2) << bit;
  }
}

// RESET comes before the rest of the same write.
TEST(SmileMcr, ResetAndRunAtOnce) {
  Bench b;
  b.send(write(0, 1, 5, 5));
  b.set(reg::kMcr, mcr::kReset | mcr::kRun | mcr::kSwap);
  EXPECT_EQ(b.get(reg::kMcr), mcr::kRun);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  EXPECT_TRUE(b.records().empty());
  b.send(write(0, 1, 5, 5));
  EXPECT_EQ(entry(b, 0).count, 1u);
}

TEST(SmileMsr, OnesClearLostAndDoneAlone) {
  Bench b({.entries = 33, .queue = 0});
  b.target().lost_flag = b.target().done = 1;
  const uint32_t before = b.get(reg::kMsr);
  EXPECT_EQ(before, 33u << 16 | msr::kLost | msr::kDone | SMILE_DYNAMIC);
  b.set(reg::kMsr, 0);
  EXPECT_EQ(b.get(reg::kMsr), before);
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (bit == 13 || bit == 14) continue;
    b.set(reg::kMsr, 1u << bit);
    EXPECT_EQ(b.get(reg::kMsr), before) << bit;
  }
  b.set(reg::kMsr, 1u << 13);
  EXPECT_EQ(b.get(reg::kMsr), before & ~msr::kLost);
  b.set(reg::kMsr, 1u << 14);
  EXPECT_EQ(b.get(reg::kMsr), before & ~(msr::kLost | msr::kDone));
}

TEST(SmileCable, SaysWhoseLinkItIs) {
  Bench b({.node = 29});
  EXPECT_EQ(b.get(reg::kCable), 29u);
  smile_set_cable(b.hwm.get(), true);
  EXPECT_EQ(b.get(reg::kCable), 29u | kValidBit);
  smile_set_design(b.hwm.get(), SMILE_STATIC);
  EXPECT_EQ(b.get(reg::kCable), 29u | kValidBit) << "it stays plugged in";
}

TEST(SmileRange, EntriesThatTheTableLacksDoNotAnswer) {
  Bench b({.entries = 5});
  EXPECT_EQ(b.get(reg::kRange + 16 * 4), 0u);
  EXPECT_EQ(b.get(reg::kRange + 16 * 5), 0xffffffffu);
  EXPECT_TRUE(b.logged("no register"));
}

TEST(SmileRange, ReadOnly) {
  Bench b;
  b.send(write(7, 8, 0x1234, 0x155));
  const uint32_t wanted[] = {kValidBit | 8 << 8 | 7, 0x1234u << 10 | 0x155, 1, 1};
  for (unsigned k = 0; k < 4; ++k) {
    b.set(reg::kRange + 4 * k, ~wanted[k]);
    EXPECT_EQ(b.get(reg::kRange + 4 * k), wanted[k]);
  }
  EXPECT_TRUE(b.logged("write to RANGE0_ADDRESS: read only"));
}

TEST(SmileLog, NamesTheRegisterAndTheDesign) {
  Bench b;
  b.get(reg::kPage + 4 * 17);
  EXPECT_TRUE(b.logged("read of PAGE17 (offset 0x100244): the dynamic part is loaded"));
  b.set(reg::kCounter + 16 * 11 + 4, 1);
  EXPECT_TRUE(b.logged("write to COUNTER11_STOP (offset 0x1004b4): the dynamic part is loaded"));
  b.set_sized(reg::kMaxr, 2, 1);
  EXPECT_TRUE(b.logged("16-bit write to MAXR"));
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

// --- RESET, reconfiguration ---------------------------------------------------------

TEST(SmileReset, OfTheDynamicPartKeepsItsConfiguration) {
  Bench b({.entries = 4, .queue = 4});
  b.set(reg::kNode, 9);
  b.set(reg::kMaxr, 77);
  b.set(reg::kMcr, mcr::kRun | mcr::kIef | mcr::kIed);
  b.send(read(9, 1, 1, 1, 5));
  b.send(response(kReadType, 1, 9, 6));
  b.send(read(9, 1, 2, 2, 5));
  for (unsigned i = 0; i < 3000; ++i) b.send(write(i & 31, 3, i, 0, 50));
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  for (const uint32_t offset : {reg::kLostN, reg::kPackets, reg::kOrphans, reg::kClashes, reg::kQueue})
    EXPECT_NE(b.get(offset), 0u);
  b.set(reg::kRdp, 0x123);
  b.set(reg::kMcr, mcr::kReset);
  EXPECT_EQ(b.get(reg::kMcr), 0u);
  EXPECT_EQ(b.get(reg::kMsr), 4u << 16 | SMILE_DYNAMIC);
  for (const uint32_t offset :
       {reg::kLostN, reg::kPackets, reg::kOrphans, reg::kClashes, reg::kQueue, reg::kAux})
    EXPECT_EQ(b.get(offset), 0u);
  EXPECT_EQ(b.get(reg::kRdp), 0xfffu);
  EXPECT_EQ(b.get(reg::kWrp), 0xfffu);
  EXPECT_EQ(b.get(reg::kNode), 9u);
  EXPECT_EQ(b.get(reg::kMaxr), 77u);
  EXPECT_EQ(b.get(reg::kMask), 255u);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.get(reg::kRange + 4 * i), 0u) << i;
}

void program_static(Bench& b) {
  b.set(reg::kNode, 9);
  b.set(reg::kTimer, 1000);
  b.page(31, 3, 0x4321);
  b.event(15, 31, 0x5a, 3, 1000);
  b.counter(15, 1, 17, 31);
  b.activate(15, 0xffff);
  b.global(15);
}
constexpr uint32_t kStaticSettings[][2] = {
    {reg::kNode, 9},
    {reg::kTimer, 1000},
    {reg::kPage + 4 * 31, 3 << 20 | 0x4321 | kValidBit},
    {reg::kEvent + 8 * 15, 31 | 0x5a << 8 | kValidBit},
    {reg::kEvent + 8 * 15 + 4, 3 | 1000 << 16},
    {reg::kCounter + 16 * 15, 1 | kValidBit},
    {reg::kCounter + 16 * 15 + 4, 17 | kValidBit},
    {reg::kCounter + 16 * 15 + 8, 31 | kValidBit},
};

TEST(SmileReset, OfTheStaticPartKeepsTheTables) {
  Bench b({.design = SMILE_STATIC});
  program_static(b);
  b.activate(14, 5);
  EXPECT_EQ(b.get(reg::kOvf), 16u + 15);
  b.set(reg::kMcr, mcr::kReset);
  for (const auto& [offset, value] : kStaticSettings) EXPECT_EQ(b.get(offset), value) << std::hex << offset;
  EXPECT_EQ(b.get(reg::kOvf), 0u);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(b.get(reg::kCounter + 16 * i + 12), 0u) << "neither value nor ACTIVE";
  b.set(reg::kMcr, mcr::kRun);
  b.activate(15, 1);
  b.global(15);
  EXPECT_EQ(b.value(15), 2u) << "its registers are connected";
}

TEST(SmileReconfiguration, LeavesNothing) {
  Bench b({.design = SMILE_STATIC});
  program_static(b);
  smile_set_design(b.hwm.get(), SMILE_DYNAMIC);
  EXPECT_EQ(b.get(reg::kMsr), 16u << 16 | SMILE_DYNAMIC);
  EXPECT_EQ(b.get(reg::kMcr), 0u);
  EXPECT_EQ(b.get(reg::kNode), 0u);
  EXPECT_EQ(b.get(reg::kWrp), 0xfffu);
  b.set(reg::kMask, 255);
  b.set(reg::kMcr, mcr::kRun);
  b.send(write(1, 2, 3, 4));
  smile_set_design(b.hwm.get(), SMILE_STATIC);
  EXPECT_EQ(b.get(reg::kPackets), 0u);
  for (const auto& [offset, value] : kStaticSettings) EXPECT_EQ(b.get(offset), 0u) << std::hex << offset;
  smile_set_design(b.hwm.get(), SMILE_NONE);
  b.send(write(1, 2, 3, 4));
  EXPECT_EQ(b.target().packets, 0u) << "nothing is there that would decode";
}

TEST(SmileReconfiguration, TheRingsContentsStay) {
  Bench b;
  b.send(write(1, 2, 3, 4));
  b.set(reg::kMcr, mcr::kSwap);
  const uint32_t word = b.ring_word(0);
  EXPECT_NE(word, 0u);
  smile_set_design(b.hwm.get(), SMILE_STATIC);
  EXPECT_EQ(b.ring_word(0), word);
}

}  // namespace
}  // namespace perfboard::smile
