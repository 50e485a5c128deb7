// SPDX-License-Identifier: GPL-2.0-or-later
//
// A snapshot that was damaged: refused, with the member, its value and what is legal; the chip is as
// after power-on, its reader is told so, and it works.
#include <functional>
#include <ostream>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

struct Damage {
  const char* member;
  std::function<void(MkState&)> make;
  friend void PrintTo(const Damage& d, std::ostream* out) { *out << d.member; }
};

// Samples in the FIFO, one of them half sent; the shadow registers taken; an access delayed.
void make_busy(MkBench& b) {
  b.write(addr::kCsr, csr::kWriteWait);
  b.write(addr::kMuxSel, uint64_t{0xffff} << 32 | 0xffff);
  b.write(addr::kEnable, 0xffff);
  b.write(addr::kTrace, 1);
  b.write(addr::kResource, 2);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.at(b.cycle() + 20);
  mk_pre_save(&b.chip);
}

class MkDamaged : public testing::TestWithParam<Damage> {};

TEST_P(MkDamaged, IsRefusedAndLeavesAChipThatWasReset) {
  MkBench b;
  make_busy(b);
  EXPECT_TRUE(b.state().waiting && b.state().sent && b.state().count == 2);
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(mk_state_ok(&b.chip, &b.state(), why, sizeof why)) << why;
  MkState image = b.state();
  GetParam().make(image);
  b.out.clear();
  EXPECT_FALSE(mk_load(&b.chip, &image, why, sizeof why));
  EXPECT_EQ(std::string(why).rfind(GetParam().member, 0), 0u) << why;
  EXPECT_NE(std::string(why).find("="), std::string::npos) << why;

  EXPECT_EQ(b.out, std::vector<uint16_t>{MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET});
  EXPECT_EQ(b.release, b.now) << "nobody is held any more";
  EXPECT_EQ(b.watched, 0);
  EXPECT_EQ(b.armed, PB_NEVER);
  EXPECT_TRUE(mk_state_ok(&b.chip, &b.state(), why, sizeof why)) << why;
  for (unsigned a : {addr::kCsr, addr::kTimestamp, addr::kFilter, addr::kWait, addr::kOverrun, addr::kMuxSel,
                     addr::kEnable, addr::kSource, addr::kCounter, addr::kCounter + 15})
    EXPECT_EQ(b.read(a), 0u) << a;

  // It lives on.
  b.write(addr::kCsr, csr::kSample);
  b.write(addr::kFilter, 0xffff);
  b.write(addr::kTrace, 7);
  b.at(b.cycle() + 100);
  ASSERT_EQ(b.samples().size(), 1u);
  EXPECT_EQ(b.samples()[0].data(), 7u);
}

// An access that the chip delays is given up, and time goes back to the start of its instruction. A
// snapshot made then is no damaged one, and counters do not run backwards.
TEST(MkGivenUp, TimeThatGoesBackIsNoDamage) {
  MkBench b;
  make_busy(b);
  b.at(b.cycle() + 7);
  EXPECT_EQ(b.try_write(addr::kResource, 3), MK_WAIT);
  b.write(addr::kRReset, 0);  // counts
  const uint64_t counted = b.state().counter[0];
  b.now -= 30;
  mk_pre_save(&b.chip);
  EXPECT_EQ(b.state().counter[0], counted);
  const MkState image = b.state();
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(mk_load(&b.chip, &image, why, sizeof why)) << why;
}

const Damage kDamages[] = {
    {"head", [](MkState& s) { s.head = MK_FIFO_MAX; }},
    {"count", [](MkState& s) { s.count = 9; }},  // the FIFO's depth is 8
    {"sent", [](MkState& s) { s.sent = 16; }},
    {"fifo[63].resource", [](MkState& s) { s.fifo[63].resource = 2; }},
    {"next_edge", [](MkState& s) { s.next_edge = 0; }},
    {"next_edge", [](MkState& s) { s.next_edge |= 1; }},
    {"next_edge", [](MkState& s) { s.next_edge = UINT64_MAX - 1; }},
    {"reset_ns", [](MkState& s) { s.reset_ns = UINT64_MAX; }},
    {"timestamp", [](MkState& s) { s.timestamp = uint64_t{1} << 56; }},
    {"timestamp_tick", [](MkState& s) { s.timestamp_tick = UINT64_MAX; }},
    {"counted_cycle", [](MkState& s) { s.counted_cycle = UINT64_MAX; }},
    {"counted_tick", [](MkState& s) { s.counted_tick = UINT64_MAX; }},
    {"wait_cycle", [](MkState& s) { s.wait_cycle = UINT64_MAX; }},
    {"waiting", [](MkState& s) { s.wait_shadow = 0; }},
    {"net_stopped", [](MkState& s) { s.net_stopped = 2; }},
    {"fifo[3].damage", [](MkState& s) { s.fifo[3].damage = 4; }},
    {"csr", [](MkState& s) { s.csr |= 2; }},
    {"filter", [](MkState& s) { s.filter |= 0x10000; }},
    {"mux_sel", [](MkState& s) { s.mux_sel = UINT64_MAX; }},
    {"test", [](MkState& s) { s.test = uint64_t{1} << 48; }},
    {"external_count", [](MkState& s) { s.external_count = 1; }},
    {"right_half[8]", [](MkState& s) { s.right_half[8] = 17; }},
    {"shadow_busy", [](MkState& s) { s.shadow_busy = 2; }},
};
INSTANTIATE_TEST_SUITE_P(Members, MkDamaged, testing::ValuesIn(kDamages));

}  // namespace
}  // namespace perfboard::mk
