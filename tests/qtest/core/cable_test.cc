// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cable: which adapter a monitor listens to, and that it hears it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kSource = 0x8000, kTarget = 0x10000;

// Words that the boards in these slots count of one packet of three.
std::vector<uint32_t> counted(Machine& m, unsigned sni_slot, std::initializer_list<unsigned> slots) {
  Sni sni(m, sni_slot);
  sni.enable();
  sni.accept(kTarget >> SNI_PAGE_SHIFT, SNI_IPT_VALID);
  std::vector<Surf> boards;
  for (unsigned slot : slots) {
    boards.emplace_back(m, slot);
    boards.back().enable(SURF_IRLEV_DISABLED, Surf::kRegisters + slot * 0x10000,
                         0x80000000 + slot * 0x8000000);
    boards.back().shift_in(kPlainShift);
    boards.back().write(SURF_HTCR, SURF_HTCR_WEN);
  }
  sni.deliberate(kSource, kTarget, 3);
  m.step(20'000);
  std::vector<uint32_t> words;
  for (Surf& board : boards) words.push_back(board.read(SURF_WCDR));
  return words;
}

TEST(Cable, TheOnlyAdapterIsFoundWhereverItStandsAndByIdAndByPath) {
  const std::string sni = "shrimp-sni,slot=1,id=sni", surf = "surfboard,slot=2,id=surf";
  for (const std::vector<std::string>& devices :
       {std::vector{sni, surf}, std::vector{surf, sni}, std::vector{sni, surf + ",listens=sni"},
        std::vector{sni, surf + ",listens=/machine/peripheral/sni"}}) {
    Machine m({.devices = devices});
    EXPECT_EQ(m.text("surf", "listens"), "/machine/peripheral/sni");
    EXPECT_EQ(counted(m, 1, {2}), std::vector<uint32_t>{3});
  }
}

TEST(Cable, AllMonitorsHearAPacketAndTheClocksReset) {
  Machine m({.devices = {"surfboard,slot=2,id=a", "shrimp-sni,slot=1,id=sni",
                         "surfboard,slot=3,id=b,listens=sni", "surfboard,slot=5,id=c"}});
  EXPECT_EQ(counted(m, 1, {2, 3, 5}), (std::vector<uint32_t>{3, 3, 3}));
  for (const char* id : {"a", "b", "c"}) EXPECT_GT(m.get(id, "receive-time"), 0u);
  Sni(m, 1).write(SNI_SCR, SNI_SCR_EN | SNI_SCR_GRST);
  for (const char* id : {"a", "b", "c"}) EXPECT_EQ(m.get(id, "receive-time"), 0u) << id;
}

TEST(Cable, WithoutAnAdapterNothingIsHeard) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  EXPECT_EQ(m.text("surf", "listens"), "");
  Surf surf(m, 2);
  surf.enable();
  surf.write(SURF_HTCR, SURF_HTCR_WEN);
  m.step(20'000);
  EXPECT_EQ(surf.read(SURF_WCDR), 0u);
}

TEST(Cable, CannotBeMovedLater) {
  Machine m({.devices = {"shrimp-sni,slot=1,id=sni", "surfboard,slot=2,id=surf"}});
  EXPECT_TRUE(has(m.set("surf", "listens", R"("")"), "listens"));
  EXPECT_EQ(counted(m, 1, {2}), std::vector<uint32_t>{3});
}

TEST(Cable, WrongNamesAreRefusedInOneLine) {
  for (const auto& [name, said] : std::vector<std::pair<std::string, std::string>>{
           {"nobody", "'nobody' not found"},
           {"mk", "'listens', expected: shrimp-sni"},
           {"later", "'later' not found"},
       }) {
    const Refusal r =
        start_and_end({"-device", "multikron,id=mk", "-device", "i82375", "-device",
                       "surfboard,slot=2,listens=" + name, "-device", "shrimp-sni,slot=1,id=later"});
    EXPECT_EQ(r.status, 1) << r.output;
    EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
    EXPECT_TRUE(has(r.output, "listens=" + name)) << r.output;
    EXPECT_TRUE(has(r.output, said)) << r.output;
  }
}

}  // namespace
}  // namespace perfboard::qtest
