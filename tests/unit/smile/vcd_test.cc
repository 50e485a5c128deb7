// SPDX-License-Identifier: GPL-2.0-or-later
//
// Waveforms: what a reader finds in the dump is what was on the B-Link, and what Figs. 3 and 9 make of it.
#include "hw/smile/vcd.h"

#include <algorithm>
#include <functional>
#include <random>

#include "tests/unit/smile/blink.h"
#include "tests/unit/smile/fixture.h"
#include "tests/unit/smile/vcd_reader.h"

namespace perfboard::smile {
namespace {

constexpr uint64_t kFrom = 1'000'000;

// A monitor and a dump of it.
class Scope {
 public:
  explicit Scope(const Bench::Options& options = {}, uint64_t start = 0, uint64_t stop = UINT64_MAX)
      : bench(options) {
    const SmileVcdConfig config = {
        .start = start,
        .stop = stop,
        .node = 3,
        .opaque = this,
        .write =
            [](void* p, const char* bytes, size_t n) {
              Scope& s = *static_cast<Scope*>(p);
              if (s.room < n) return false;
              s.room -= n;
              s.text.append(bytes, n);
              return true;
            },
    };
    smile_vcd_init(vcd.get(), &config);
    bench.hwm->config.opaque = this;
    bench.hwm->config.wave = [](void* p, const SciPacket* packet, const SmileWave* what) {
      smile_vcd_wave(static_cast<Scope*>(p)->vcd.get(), packet, what);
    };
  }
  void send(uint64_t ns, const Packet& p, std::vector<uint64_t> payload = {}) {
    SciPacket packet = {.ns = ns,
                        .known = ns,
                        .bd1 = bd1(p),
                        .bd2 = bd2(p),
                        .words = static_cast<uint8_t>(2 + payload.size())};
    std::copy(payload.begin(), payload.end(), packet.payload);
    bench.now = ns;
    smile_packet(bench.hwm.get(), &packet);
  }
  Vcd read() {
    smile_vcd_end(vcd.get());
    return read_vcd(text);
  }
  std::string as_if_it_ended() {
    std::string all = text;
    const SmileVcdConfig to = {
        .opaque = &all,
        .write =
            [](void* to_all, const char* bytes, size_t n) {
              static_cast<std::string*>(to_all)->append(bytes, n);
              return true;
            },
    };
    EXPECT_TRUE(smile_vcd_rest(vcd.get(), &to));
    return all;
  }

  Bench bench;
  std::unique_ptr<SmileVcd> vcd = std::make_unique<SmileVcd>();
  std::string text;
  size_t room = SIZE_MAX;
};

using Changes = std::vector<std::pair<uint64_t, std::string>>;
std::string bits(uint64_t value) {
  std::string text;
  do text.insert(text.begin(), value & 1 ? '1' : '0');
  while (value >>= 1);
  return text;
}

// A dump that somebody looks at in between has all packets, and goes on as if nobody had.
TEST(SmileVcdFile, WhatIsPendingCanBeSeenBeforeTheEnd) {
  Scope s, unseen;
  const Packet p = read(0, 2, 0x123, 0x45, 7);
  uint64_t ns = kFrom;
  for (size_t n = 1; n <= 20; ++n, ns += n % 3 ? 60 : 4000) {
    for (Scope* scope : {&s, &unseen}) scope->send(ns, p);
    smile_vcd_flush(s.vcd.get());
    EXPECT_EQ(heads(read_vcd(s.as_if_it_ended())).size(), n);
  }
  s.read();
  unseen.read();
  EXPECT_EQ(s.text, unseen.text);
}

// Acceptance: a read request and its response show the states of Fig. 3 in order.
TEST(SmileVcdFile, AReadAndItsResponseShowFig3) {
  Scope s;
  const Packet request_packet = read(0, 2, 0x123, 0x45, 7);
  s.send(kFrom, request_packet);
  s.send(kFrom + 2400, answer(request_packet), {0x1122334455667788});
  const Vcd d = s.read();
  EXPECT_EQ(d.timescale, "1ns");
  const uint64_t a = kFrom, b = kFrom + 2400;
  EXPECT_EQ(
      changes(d, "decoder.decode_state"),
      (Changes{{0, "0"}, {a, "1"}, {a + 20, "10"}, {a + 40, "0"}, {b, "1"}, {b + 20, "10"}, {b + 40, "0"}}))
      << "IDLE BD1 BD2 IDLE, twice";
  EXPECT_EQ(changes(d, "b_link.bframe"),
            (Changes{{0, "1"}, {a - 10, "0"}, {a + 10, "1"}, {b - 10, "0"}, {b + 10, "1"}}));
  const Changes data = {
      {0, "z"},
      {a - 10, bits(bd1(request_packet))},
      {a + 10, bits(bd2(request_packet))},
      {a + 30, "z"},
      {b - 10, bits(bd1(answer(request_packet)))},
      {b + 10, "0"},
      {b + 30, bits(0x1122334455667788)},
      {b + 50, "z"},
  };
  EXPECT_EQ(changes(d, "b_link.blink_data"), data);
  EXPECT_EQ(changes(d, "decoder.trans_id"), (Changes{{0, "x"}, {a, "111"}}));
  EXPECT_EQ(changes(d, "decoder.command"), (Changes{{0, "x"}, {a, "0"}, {b, "100"}}));
  EXPECT_EQ(changes(d, "decoder.source_id"), (Changes{{0, "x"}, {a, "0"}, {b, "10"}}));
  EXPECT_EQ(changes(d, "decoder.dest_id"), (Changes{{0, "x"}, {a, "10"}, {b, "0"}}));
  EXPECT_EQ(changes(d, "decoder.page_number"), (Changes{{0, "x"}, {a + 20, bits(0x123)}}))
      << "the response has it out of the table";
  EXPECT_EQ(changes(d, "decoder.page_offset"), (Changes{{0, "x"}, {a + 20, bits(0x45)}}));
  const Changes states = {
      {0, "0"}, {a + 40, "1"}, {a + 60, "10"}, {a + 80, "0"}, {b + 40, "1"}, {b + 60, "10"}, {b + 80, "0"},
  };
  EXPECT_EQ(changes(d, "frl.frl_state"), states) << "Idle Forward Busy Idle: Fig. 9";
  EXPECT_EQ(changes(d, "frl.entry"), (Changes{{0, "x"}, {a + 60, "0"}, {b + 60, "1"}}));
}

// The paper's decoder, clocked by what is in the file, goes through the states that are in the file.
TEST(SmileVcdFile, ADecoderOnTheseWiresSeesTheSame) {
  Scope s;
  std::mt19937 random(1);
  uint64_t ns = kFrom;
  for (int i = 0; i < 300; ++i) {
    Packet p = request(random() % 4, random() % 4, random() % 4, random() % 8, random() % 1024, random() % 8);
    if (random() % 3 == 0) p.command |= 4;
    if (random() % 10 == 0) p.command |= 0x40;
    s.send(ns, p, std::vector<uint64_t>(random() % 9, random()));
    ns += 20 * (11 + (random() % 4 ? 0 : random() % 50));
  }
  const Vcd d = s.read();
  const auto& clock = changes(d, "b_link.b_clk");
  // Changes in order: a cursor for each signal.
  std::map<std::string, size_t> at;
  const auto value = [&](const char* name, uint64_t time) {
    const auto& all = changes(d, name);
    size_t& i = at[name];
    while (i + 1 < all.size() && all[i + 1].first <= time) ++i;
    return all[i].second;
  };
  BlinkDecoder decoder;
  unsigned edges = 0, events = 0;
  for (const auto& [time, level] : clock) {
    if (level != "1") continue;
    ++edges;
    EXPECT_EQ(time % 20, 0u);
    const std::string data = value("b_link.blink_data", time);
    decoder.clock(value("b_link.bframe", time) == "1", data == "z" ? 0 : std::stoull(data, nullptr, 2));
    ASSERT_EQ(value("decoder.decode_state", time), bits(decoder.decode_state)) << time;
    if (decoder.valid || decoder.orphan) {
      ++events;
      EXPECT_EQ(value("decoder.trans_id", time), bits(decoder.trans_id));
      EXPECT_EQ(value("decoder.source_id", time), bits(decoder.source_id));
      EXPECT_EQ(value("decoder.dest_id", time), bits(decoder.dest_id));
      EXPECT_EQ(value("decoder.orphan", time), bits(decoder.orphan));
      EXPECT_EQ(value("decoder.clash", time), bits(decoder.clash));
      if (!decoder.orphan) {
        EXPECT_EQ(value("decoder.page_number", time), bits(decoder.page_number));
        EXPECT_EQ(value("decoder.page_offset", time), bits(decoder.page_offset));
      }
    }
  }
  EXPECT_GT(events, 200u);
  EXPECT_GT(edges, 2000u);
}

TEST(SmileVcdFile, SwapAndSwapAll) {
  Scope s({.entries = 4});
  for (unsigned i = 0; i < 5; ++i) s.send(kFrom + 400 * i, write(0, 2, 10 * i, 0));
  s.bench.now = kFrom + 10'007;
  s.bench.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  const Vcd d = s.read();
  const uint64_t swap = kFrom + 1600, all = kFrom + 10'020;
  const Changes& frl = changes(d, "frl.frl_state");
  const Changes last = {
      {swap + 40, "1"},  {swap + 60, "10"}, {swap + 80, "11"},
      {swap + 120, "0"}, {all, "100"},      {all + 4 * 40, "0"},
  };
  EXPECT_EQ((Changes{frl.end() - 6, frl.end()}), last);
  EXPECT_EQ(value_at(d, "frl.records", swap + 80), "1");
  EXPECT_EQ(value_at(d, "frl.records", all), "100");
  EXPECT_EQ(value_at(d, "frl.records", all + 160), "0");
}

// An event that comes while the F.R.L. swaps waits for it.
TEST(SmileVcdFile, AnEventWaitsForTheSwap) {
  Scope s({.entries = 4});
  for (unsigned i = 0; i < 6; ++i) s.send(kFrom + 60 * i, write(0, 2, 10 * i, 0));
  const Vcd d = s.read();
  const Changes& frl = changes(d, "frl.frl_state");
  EXPECT_TRUE(std::is_sorted(frl.begin(), frl.end(), [](auto& a, auto& b) { return a.first < b.first; }));
  std::string order;
  for (const auto& [ns, state] : frl) order += std::to_string(std::stoi(state, nullptr, 2));
  EXPECT_EQ(order,
            "0"
            "120"
            "120"
            "120"
            "120"
            "123"
            "0"
            "123"
            "0");
}

TEST(SmileVcdFile, OnlyTheWindowIsWritten) {
  Scope s({}, kFrom + 500, kFrom + 900);
  for (unsigned i = 0; i < 10; ++i) s.send(kFrom + 200 * i, write(0, 2, i, i, i));
  const Vcd d = s.read();
  EXPECT_EQ(d.times.front(), kFrom + 500);
  EXPECT_EQ(d.times.back(), kFrom + 900);
  EXPECT_EQ(changes(d, "decoder.trans_id"),
            (Changes{{kFrom + 500, "10"}, {kFrom + 600, "11"}, {kFrom + 800, "100"}}))
      << "it begins with the values of then";
  const size_t length = s.text.size();
  s.send(kFrom + 5000, write(0, 2, 1, 1));
  EXPECT_EQ(s.text.size(), length) << "behind the window nothing is written";
}

TEST(SmileVcdFile, AWindowWithoutTrafficIsAFileAllTheSame) {
  Scope s({}, 500, 1000);
  const Vcd d = s.read();
  EXPECT_EQ(d.times, (std::vector<uint64_t>{500}));
  EXPECT_EQ(value_at(d, "decoder.decode_state", 500), "0");
  EXPECT_EQ(value_at(d, "b_link.blink_data", 500), "z");
}

// latency=off: the accesses take no time, so all is at one moment.
TEST(SmileVcdFile, PacketsAtOneMomentAreDrawnOneBehindTheOther) {
  Scope s;
  for (unsigned i = 0; i < 5; ++i) s.send(kFrom, read(0, 2, 1, i, i));
  const Vcd d = s.read();
  Changes want = {{0, "0"}};
  for (uint64_t at = kFrom; at < kFrom + 5 * 60; at += 60)
    want.insert(want.end(), {{at, "1"}, {at + 20, "10"}, {at + 40, "0"}});
  EXPECT_EQ(changes(d, "decoder.decode_state"), want);
}

TEST(SmileVcdFile, TheClockIsShownAroundPackets) {
  Scope s;
  s.send(kFrom, read(0, 1, 1, 1));
  s.send(kFrom + 100'000, read(0, 1, 1, 1));
  const Vcd d = s.read();
  const auto clock = [&](uint64_t ns) { return value_at(d, "b_link.b_clk", ns); };
  EXPECT_EQ(clock(kFrom - 41), "x");
  for (uint64_t t = kFrom - 40; t < kFrom + 140; t += 20) {
    EXPECT_EQ(clock(t), "1") << t;
    EXPECT_EQ(clock(t + 10), "0") << t;
  }
  EXPECT_EQ(clock(kFrom + 5000), "x");
  EXPECT_LT(changes(d, "b_link.b_clk").size(), 60u);
}

TEST(SmileVcdFile, ASwapLongAfterAPacketHasAClockOfItsOwn) {
  Scope s;
  s.send(kFrom, write(0, 2, 1, 1));
  s.bench.now = kFrom + 1'000'000;
  s.bench.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  s.send(kFrom + 900'000, write(0, 2, 1, 1));  // its time was fixed before
  const Vcd d = s.read();
  EXPECT_LT(changes(d, "b_link.b_clk").size(), 100u);
  EXPECT_EQ(value_at(d, "b_link.b_clk", kFrom + 500'000), "x");
  EXPECT_EQ(value_at(d, "frl.frl_state", kFrom + 1'000'000), "100");
  EXPECT_EQ(changes(d, "decoder.decode_state").size(), 7u);
}

TEST(SmileVcdFile, ATimeBeyondAllTimeIsLeftOut) {
  Scope s;
  s.send(UINT64_MAX - 5, write(0, 2, 1, 1));
  s.send(kFrom, write(0, 2, 1, 1));
  EXPECT_EQ(s.read().signals.at("decoder.decode_state").changes.size(), 4u);
}

TEST(SmileVcdFile, AFullDiskStopsIt) {
  Scope s;
  s.room = 5000;
  for (unsigned i = 0; i < 2000; ++i) s.send(kFrom + 400 * i, write(0, 2, i, i, i % 64));
  EXPECT_TRUE(s.vcd->done);
  EXPECT_LE(s.text.size(), 5000u);
  EXPECT_EQ(s.bench.get(reg::kPackets), 2000u) << "the monitor goes on";
  smile_vcd_end(s.vcd.get());
  EXPECT_LE(s.text.size(), 5000u);
}

TEST(SmileVcdFile, ItEndsAtItsSize) {
  Scope s;
  s.vcd->config.most = 1 << 16;
  for (unsigned i = 0; i < 2000; ++i) {
    s.send(kFrom + 400 * i, write(0, 2, i, i, i % 64));
    smile_vcd_flush(s.vcd.get());
    if (i % 100 && (s.vcd->full || s.text.size() + 4096 < 1u << 16)) continue;
    // As it would end here: never longer, either.
    const std::string rest = s.as_if_it_ended();
    ASSERT_LE(rest.size(), 1u << 16);
    read_vcd(rest);
  }
  EXPECT_TRUE(s.vcd->full);
  const Vcd d = s.read();
  EXPECT_LE(s.text.size(), 1u << 16);
  EXPECT_GT(s.text.size(), (1u << 16) - 2 * SMILE_VCD_TEXT);
  EXPECT_GT(d.times.size(), 1000u);
  EXPECT_TRUE(s.text.ends_with("$comment the waveforms end here: vcd-size=65536 $end\n"));
  EXPECT_EQ(s.bench.get(reg::kPackets), 2000u) << "the monitor goes on";
}

TEST(SmileVcdFile, TimeThatGoesBackIsLeftOut) {
  Scope s;
  s.send(kFrom + 100'000, read(0, 1, 1, 1, 1));
  smile_vcd_rewind(s.vcd.get());
  for (unsigned i = 0; i < 10; ++i) s.send(kFrom + 15'000 * i, read(0, 1, 1, 1, 20 + i));
  const Vcd d = s.read();  // the reader takes no time that goes back
  const Changes& trans = changes(d, "decoder.trans_id");
  const Changes wanted = {
      {kFrom + 100'000, "1"},
      {kFrom + 105'000, bits(27)},
      {kFrom + 120'000, bits(28)},
      {kFrom + 135'000, bits(29)},
  };
  EXPECT_EQ((Changes{trans.begin() + 1, trans.end()}), wanted);
}

// Whatever it is told, what it writes is a dump: time goes on, values fit. The reader looks.
TEST(SmileVcdFile, AnythingGivesADump) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    std::mt19937_64 random(seed);
    Scope s({}, random() % 2 ? 0 : kFrom + 20'000, random() % 2 ? UINT64_MAX : kFrom + 60'000);
    uint64_t ns = kFrom;
    for (int i = 0; i < 300; ++i) {
      SmileWave w = {};
      for (size_t b = 0; b < sizeof w; ++b)
        reinterpret_cast<uint8_t*>(&w)[b] = static_cast<uint8_t>(random());
      SciPacket p = {.bd1 = random(),
                     .bd2 = random(),
                     .words = static_cast<uint8_t>(random() % 3 ? 2 + random() % 9 : random())};
      for (uint64_t& word : p.payload) word = random();
      switch (random() % 8) {
        case 0:
          ns -= random() % 1000;
          break;
        case 1:
          break;
        case 2:
          ns += random() % 100'000;
          break;
        default:
          ns += random() % 200;
          break;
      }
      p.ns = w.ns = random() % 200 ? ns : random();
      w.source &= 31, w.destination &= 31, w.trans &= 63, w.command &= 127, w.offset &= 1023;
      w.orphan &= 1, w.clash &= 1, w.last = static_cast<uint8_t>(w.last % 5);
      if (w.entry != SMILE_NO_ENTRY) w.entry &= 63;
      w.records = static_cast<uint16_t>(random() % 3 ? 0 : w.records % 65);
      smile_vcd_wave(s.vcd.get(), random() % 5 ? &p : nullptr, &w);
      if (random() % 50 == 0) smile_vcd_rewind(s.vcd.get());
      if (random() % 20 == 0) smile_vcd_flush(s.vcd.get());
    }
    EXPECT_NO_THROW(s.read()) << seed;
  }
}

TEST(SmileVcdFile, ASwapOfEverythingBetweenPackets) {
  Scope s({.entries = 64, .queue = 4096});
  for (unsigned i = 0; i < 400; ++i) {
    s.send(kFrom + 60 * i, write(0, 2, 10 * i, 0, i % 64), std::vector<uint64_t>(i % 2, i));
    if (i % 7 == 0) s.bench.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  }
  const Vcd d = s.read();
  unsigned swaps = 0;
  for (const auto& [ns, state] : changes(d, "frl.frl_state")) swaps += state == "100";
  EXPECT_EQ(swaps, 58u);
}

}  // namespace
}  // namespace perfboard::smile
