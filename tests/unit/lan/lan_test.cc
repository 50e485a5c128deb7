// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ends of an Ethernet without a cluster: what one sends is kept. What each frame does: whom it goes to, when
// it is there, what is dropped; and which states a snapshot may have. Times are worked out by hand: at 10
// Mbit/s a byte takes 800 ns; 60 bytes are 72 on the wire, 57,600 ns; 1514 are 1526, 1,220,800 ns; the gap is
// 9,600 ns.
#include "hw/lan/lan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/model/host.h"

namespace perfboard::lan {
namespace {

constexpr uint64_t kNow = 5'000'000;

using Bytes = std::vector<uint8_t>;

constexpr uint16_t kAll = 0xffff;

// To the adapter of a node, or to all.
Bytes frame_to(uint16_t node, uint32_t bytes, uint8_t fill = 0) {
  Bytes f(bytes, fill);
  const uint8_t address[] = {
      0x52, 0x54, 0x00, 0x50, static_cast<uint8_t>(node >> 8), static_cast<uint8_t>(node)};
  for (uint32_t i = 0; i < 6 && i < bytes; i++) f[i] = node == kAll ? 0xff : address[i];
  return f;
}

class LanTest : public testing::Test {
 protected:
  void make(uint32_t node, uint32_t nodes, uint32_t rate = 10, uint64_t join = 0) {
    const LanConfig config = {.node = node,
                              .nodes = nodes,
                              .rate = rate,
                              .latency_ns = 10'000,
                              .join = join,
                              .send = keep,
                              .opaque = this};
    lan = std::make_unique<Lan>();
    lan_init(lan.get(), &config);
  }
  LanSent send(uint64_t now, const Bytes& frame) {
    return lan_send(lan.get(), now, frame.data(), static_cast<uint32_t>(frame.size()));
  }
  // A frame arrives; when the adapter gets it, if nothing else is held.
  bool take(uint64_t at, const Bytes& frame) {
    auto m = std::make_unique<ClusterMessage>();
    m->at = at;
    m->kind = LAN_CLUSTER_KIND;
    m->bytes = static_cast<uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), m->data);
    return lan_take(lan.get(), m.get());
  }
  Bytes next(uint64_t now) {
    Bytes f(LAN_MOST_BYTES);
    f.resize(lan_next(lan.get(), now, f.data()));
    return f;
  }

  std::unique_ptr<Lan> lan;
  std::vector<ClusterMessage> sent;

 private:
  static void keep(void* opaque, const ClusterMessage* m) {
    static_cast<LanTest*>(opaque)->sent.push_back(*m);
  }
};

constexpr uint64_t kLeast = 57'600, kLong = 1'220'800, kGap = 9'600, kSwitch = 10'000;

std::vector<uint32_t> receivers(const std::vector<ClusterMessage>& sent) {
  std::vector<uint32_t> all;
  for (const ClusterMessage& m : sent) all.push_back(m.to);
  return all;
}

TEST_F(LanTest, AnAddressOfANodeIsForThatNode) {
  make(1, 4);
  EXPECT_EQ(send(kNow, frame_to(3, 100, 7)), LAN_SENT);
  ASSERT_EQ(receivers(sent), (std::vector<uint32_t>{3}));
  EXPECT_EQ(sent[0].kind, uint32_t{LAN_CLUSTER_KIND});
  EXPECT_EQ(Bytes(sent[0].data, sent[0].data + sent[0].bytes), frame_to(3, 100, 7));
  EXPECT_FALSE(sent[0].asks);
  EXPECT_FALSE(sent[0].answers);
}

TEST_F(LanTest, AllOthersAreForEverybodyElse) {
  for (Bytes frame : {frame_to(kAll, 60), frame_to(4, 60), Bytes{0x01, 0x00, 0x5e, 0, 0, 1},
                      Bytes{0x52, 0x54, 0x00, 0x12, 0x34, 0x56}}) {
    make(1, 4);
    sent.clear();
    EXPECT_EQ(send(kNow, frame), LAN_SENT);
    EXPECT_EQ(receivers(sent), (std::vector<uint32_t>{0, 2, 3}));
    for (const ClusterMessage& m : sent) EXPECT_EQ(m.at, sent[0].at);
  }
}

TEST_F(LanTest, NodesBeyond255) {
  make(0, 1024);
  EXPECT_EQ(send(kNow, frame_to(0x3ff, 60)), LAN_SENT);
  EXPECT_EQ(send(kNow, frame_to(0x103, 60)), LAN_SENT);
  EXPECT_EQ(receivers(sent), (std::vector<uint32_t>{0x3ff, 0x103}));
  sent.clear();
  EXPECT_EQ(send(kNow, frame_to(0x400, 60)), LAN_SENT) << "nobody's: everywhere";
  EXPECT_EQ(sent.size(), 1023u);
}

TEST_F(LanTest, ANodesOwnAddressIsForNobody) {
  make(1, 4);
  EXPECT_EQ(send(kNow, frame_to(1, 60)), LAN_SENT);
  EXPECT_TRUE(sent.empty());
}

TEST_F(LanTest, ShortFramesGetZeros) {
  make(0, 2);
  EXPECT_EQ(send(kNow, frame_to(1, 20, 9)), LAN_SENT);
  Bytes wanted = frame_to(1, 20, 9);
  wanted.resize(60);
  EXPECT_EQ(Bytes(sent[0].data, sent[0].data + sent[0].bytes), wanted);
  EXPECT_EQ(lan->state.sent_bytes, 60u);
  EXPECT_EQ(send(kNow, {}), LAN_SENT);
  EXPECT_EQ(sent[1].bytes, 60u);
}

TEST_F(LanTest, LongFramesAreDropped) {
  make(0, 2);
  EXPECT_EQ(send(kNow, frame_to(1, 1518)), LAN_SENT);
  EXPECT_EQ(send(kNow, frame_to(1, 1519)), LAN_TOO_LONG);
  EXPECT_EQ(send(kNow, frame_to(1, 9000)), LAN_TOO_LONG);
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(lan->state.dropped_long, 2u);
  EXPECT_EQ(lan->state.sent_frames, 1u);
}

TEST_F(LanTest, NobodyHearsWhatIsSentBeforeJoin) {
  make(0, 2, 10, kNow);
  EXPECT_EQ(send(kNow - 1, frame_to(1, 60)), LAN_NOT_JOINED);
  EXPECT_EQ(lan->state.dropped_not_joined, 1u);
  EXPECT_EQ(send(kNow, frame_to(1, 60)), LAN_SENT);
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(LanTest, AFrameIsOnTwoLinksOneBehindTheOther) {
  for (const auto& [bytes, wire] : {std::pair(60u, kLeast), {1514u, kLong}}) {
    make(0, 2);
    sent.clear();
    send(kNow, frame_to(1, bytes));
    const ClusterMessage m = sent[0];
    make(1, 2);
    ASSERT_TRUE(lan_take(lan.get(), &m));
    EXPECT_EQ(lan_due(lan.get()), kNow + wire + kSwitch + wire);
    EXPECT_TRUE(next(kNow + wire + kSwitch + wire - 1).empty());
    EXPECT_EQ(next(kNow + wire + kSwitch + wire), frame_to(1, bytes));
    EXPECT_EQ(lan_due(lan.get()), PB_NEVER);
  }
}

TEST_F(LanTest, AFasterLinkIsFaster) {
  make(0, 2, 1000);
  send(kNow, frame_to(1, 60));
  EXPECT_EQ(sent[0].at, kNow + 576 + kSwitch + 576);
  make(0, 2, 3);
  send(kNow, frame_to(1, 61));  // 73 bytes: 194,666.7 ns; 60: 192,000
  EXPECT_EQ(sent[1].at, kNow + 194'667 + kSwitch + 192'000);
}

TEST_F(LanTest, FramesOfOneNodeGoOneByOneAndInOrder) {
  make(0, 2);
  send(kNow, frame_to(1, 1514, 1));
  send(kNow, frame_to(1, 60, 2));
  send(kNow + kLong + kGap + kLeast + kGap + 5, frame_to(1, 60, 3));  // the link has been free for 5 ns
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[1].at - sent[0].at, kGap + kLeast);
  EXPECT_EQ(sent[2].at - sent[1].at, kGap + kLeast + 5);
  const std::vector<ClusterMessage> all = sent;
  make(1, 2);
  for (const ClusterMessage& m : all) ASSERT_TRUE(lan_take(lan.get(), &m));
  // The long one fills the second link as well: the short ones wait for it.
  const uint64_t first = kNow + 2 * kLong + kSwitch;
  EXPECT_TRUE(next(first - 1).empty());
  EXPECT_EQ(next(first), frame_to(1, 1514, 1));
  EXPECT_TRUE(next(first + kGap + kLeast - 1).empty());
  EXPECT_EQ(next(first + kGap + kLeast), frame_to(1, 60, 2));
  EXPECT_EQ(next(first + 2 * (kGap + kLeast)), frame_to(1, 60, 3));
}

TEST_F(LanTest, FramesOfSeveralNodesWaitForTheOneLink) {
  make(2, 3);
  ASSERT_TRUE(take(kNow, frame_to(2, 60, 1)));
  ASSERT_TRUE(take(kNow, frame_to(2, 60, 2)));
  EXPECT_EQ(lan_due(lan.get()), kNow);
  EXPECT_EQ(next(kNow), frame_to(2, 60, 1));
  EXPECT_EQ(lan_due(lan.get()), kNow + kGap + kLeast);
  EXPECT_EQ(next(kNow + kGap + kLeast), frame_to(2, 60, 2));
  EXPECT_EQ(lan->state.received_frames, 2u);
  EXPECT_EQ(lan->state.received_bytes, 120u);
}

TEST_F(LanTest, TheAdapterHolds32LongFramesBeyondTheOneOnTheLink) {
  make(0, 2);
  for (int i = 0; i < LAN_QUEUED + 1; i++) ASSERT_EQ(send(kNow, frame_to(1, 1518)), LAN_SENT) << i;
  EXPECT_EQ(send(kNow, frame_to(1, 60)), LAN_NO_ROOM);
  EXPECT_EQ(lan->state.dropped_uplink, 1u);
  const uint64_t longest = kLong + 4 * 800 + kGap;
  EXPECT_EQ(send(kNow + longest - 1, frame_to(1, 60)), LAN_NO_ROOM);
  EXPECT_EQ(send(kNow + longest, frame_to(1, 60)), LAN_SENT);
  EXPECT_EQ(lan->state.sent_frames, uint64_t{LAN_QUEUED} + 2);
}

TEST_F(LanTest, TheSwitchHolds64Frames) {
  make(1, 2);
  for (uint8_t i = 0; i < LAN_HELD; i++) ASSERT_TRUE(take(kNow, frame_to(1, 60, i)));
  EXPECT_TRUE(take(kNow, frame_to(1, 60, 200))) << "a frame, if one too many";
  EXPECT_EQ(lan->state.dropped_downlink, 1u);
  EXPECT_EQ(next(kNow), frame_to(1, 60, 0));
  EXPECT_TRUE(take(kNow, frame_to(1, 60, 201)));
  for (uint8_t i = 1; i < LAN_HELD; i++) EXPECT_EQ(next(PB_NEVER - 1), frame_to(1, 60, i));
  EXPECT_EQ(next(PB_NEVER - 1), frame_to(1, 60, 201));
  EXPECT_TRUE(next(PB_NEVER - 1).empty());
}

TEST_F(LanTest, APromiseIsWhatTheNextFrameKeeps) {
  make(0, 2);
  EXPECT_EQ(lan_promise(lan.get(), kNow), kNow + 2 * kLeast + kSwitch);
  send(kNow, frame_to(1, 60));
  EXPECT_EQ(sent.back().at, kNow + 2 * kLeast + kSwitch) << "exactly: none could be earlier";
  // The link is busy: the next one is as late as that.
  const uint64_t promised = lan_promise(lan.get(), kNow + 1);
  send(kNow + 1, frame_to(1, 60));
  EXPECT_EQ(sent.back().at, promised);
  EXPECT_EQ(lan_promise(lan.get(), PB_NEVER), PB_NEVER);
  EXPECT_EQ(lan_promise(lan.get(), PB_NEVER - 5), PB_NEVER);
}

TEST(LanConfig, HasItsRanges) {
  const std::string rates = ": legal range is 1 to 1000", latencies = ": legal range is 5000 to 100000";
  for (const auto& [rate, latency, wanted] : std::vector<std::tuple<uint32_t, uint32_t, std::string>>{
           {1, 5000, ""},
           {1000, 100'000, ""},
           {0, 5000, "rate=0" + rates},
           {1001, 5000, "rate=1001" + rates},
           {1000, 4999, "latency=4999" + latencies},
           {1000, 100'001, "latency=100001" + latencies}}) {
    char why[200] = "";
    const LanConfig c = {.node = 0, .nodes = 2, .rate = rate, .latency_ns = latency};
    EXPECT_EQ(lan_config_ok(&c, why, sizeof why), wanted.empty());
    EXPECT_EQ(why, wanted);
  }
}

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
  std::string refused(void (*change)(LanState&)) {
    auto image = std::make_unique<LanState>(lan->state);
    change(*image);
    char why[PB_WHY_BYTES] = "";
    return lan_state_ok(image.get(), kNow, why, sizeof why) ? "" : why;
  }
};

TEST_F(LanStateTest, WhatAnEndComesToIsLegalAndWhatItDoesNotIsRefused) {
  EXPECT_EQ(lan->state.held, 10u);
  for (const auto& [change, wanted] : std::vector<std::pair<void (*)(LanState&), const char*>>{
           {[](LanState&) {}, ""},
           {[](LanState& s) { s = {}; }, ""},
           {[](LanState& s) { s.frame[30].bytes = 9999; }, ""},  // it is not held
           {[](LanState& s) { s.first = LAN_HELD; }, "first=64: legal are 0 to 63"},
           {[](LanState& s) { s.held = LAN_HELD + 1; }, "held=65: legal are 0 to 64"},
           {[](LanState& s) { s.frame[0].bytes = 59; }, "frame[0].bytes=59: legal are 60 to 1518"},
           {[](LanState& s) { s.frame[63].bytes = 1519; }, "frame[63].bytes=1519: legal are 60 to 1518"}})
    EXPECT_EQ(refused(change), wanted);
  EXPECT_NE(refused([](LanState& s) { s.frame[61].due = 0; }), "") << "before the one in front of it";
  EXPECT_NE(refused([](LanState& s) { s.frame[5].due = s.downlink_free + 1; }), "");
  EXPECT_NE(refused([](LanState& s) { s.uplink_free = kNow + 1'000'000'001; }), "");
  EXPECT_NE(refused([](LanState& s) { s.downlink_free = kNow + 1'000'000'001; }), "");
}

}  // namespace
}  // namespace perfboard::lan
