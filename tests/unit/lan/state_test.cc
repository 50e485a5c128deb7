// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which states a snapshot may have.
#include <functional>

#include "tests/unit/lan/fixture.h"

namespace perfboard::lan {
namespace {

class LanStateTest : public LanTest {
 protected:
  LanStateTest() {
    make(1, 2);
    for (uint8_t i = 0; i < LAN_HELD; i++) {  // around the ring's end
      take(kNow, frame_to(1, 60));
      if (i < 60) next(kNow + 60'000'000);
    }
    for (uint8_t i = 0; i < 6; i++) take(kNow, frame_to(1, 100));
  }
  std::string refused(const std::function<void(LanState&)>& change) {
    auto image = std::make_unique<LanState>(lan->state);
    change(*image);
    char why[PB_WHY_BYTES] = "";
    return lan_state_ok(image.get(), kNow, why, sizeof why) ? "" : why;
  }
};

TEST_F(LanStateTest, WhatAnEndComesToIsLegal) {
  EXPECT_EQ(lan->state.held, 10u);
  EXPECT_EQ(refused([](LanState&) {}), "");
  EXPECT_EQ(refused([](LanState& s) { s = {}; }), "");
}

TEST_F(LanStateTest, WhatItRefuses) {
  EXPECT_EQ(refused([](LanState& s) { s.first = LAN_HELD; }), "first=64: legal are 0 to 63");
  EXPECT_EQ(refused([](LanState& s) { s.held = LAN_HELD + 1; }), "held=65: legal are 0 to 64");
  EXPECT_EQ(refused([](LanState& s) { s.frame[0].bytes = 59; }), "frame[0].bytes=59: legal are 60 to 1518");
  EXPECT_EQ(refused([](LanState& s) { s.frame[63].bytes = 1519; }),
            "frame[63].bytes=1519: legal are 60 to 1518");
  EXPECT_NE(refused([](LanState& s) { s.frame[61].due = 0; }), "") << "before the one in front of it";
  EXPECT_NE(refused([](LanState& s) { s.frame[5].due = s.downlink_free + 1; }), "");
  EXPECT_NE(refused([](LanState& s) { s.uplink_free = kNow + 1'000'000'001; }), "");
  EXPECT_NE(refused([](LanState& s) { s.downlink_free = kNow + 1'000'000'001; }), "");
  EXPECT_EQ(refused([](LanState& s) { s.frame[30].bytes = 9999; }), "") << "it is not held";
}

}  // namespace
}  // namespace perfboard::lan
