// SPDX-License-Identifier: GPL-2.0-or-later
//
// The five rules for the end of combining (paper 2.2.1), each on both sides, and what bus cycles
// become. Every packet is closed for exactly one counted cause.
#include <algorithm>
#include <numeric>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniCombining : testing::Test {
  SniBench bench;
  void SetUp() override { bench.map(3, {.page = 7, .comb = true}); }
  void unmapped_write(uint64_t addr) { bench.bus_write(addr, nullptr, 4); }
  bool open() { return bench.read("SSR") & 1; }
  // Closes what is open and delivers everything.
  void finish() {
    bench.write("SCR", bench.read("SCR") | bit::kFlush);
    bench.run_for(1'000'000);
  }
  std::vector<uint32_t> sizes() { return bench.sizes(); }
};

TEST_F(SniCombining, SequentialWordsBecomeOnePacket) {
  for (uint32_t i = 0; i < 5; i++) {
    bench.store32(0x3010 + 4 * i, 100 + i);
    bench.run_for(1000);
  }
  EXPECT_TRUE(open());
  EXPECT_EQ(bench.causes(), "");
  finish();
  ASSERT_EQ(sizes(), std::vector<uint32_t>{5});
  EXPECT_EQ(bench.packets[0].payload, (std::vector<uint32_t>{100, 101, 102, 103, 104}));
  EXPECT_EQ(bench.packets[0].p.address, 0x7010u);
  EXPECT_EQ(bench.packets[0].p.first_word, 100u);
  EXPECT_EQ(bench.packets[0].p.byte_enables, 15);
  EXPECT_EQ(bench.memory32(0x7020), 104u);
  EXPECT_EQ(bench.causes(), "ENDF 1");
  EXPECT_EQ(bench.counter(AUS), 5u);
  EXPECT_EQ(bench.counter(AUW), 5u);
}

TEST_F(SniCombining, DisabledEndsEveryPacketAtOnce) {
  bench.map(4, {.page = 8});
  bench.store32(0x4000, 1);
  EXPECT_FALSE(open());
  bench.store32(0x4004, 2);
  EXPECT_EQ(bench.causes(), "ENDD 2");
  bench.run_for(20'000);
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1, 1}));
}

TEST_F(SniCombining, ReadEnds) {
  bench.store32(0x3000, 1);
  bench.bus_read(0x3000);
  EXPECT_FALSE(open());
  EXPECT_EQ(bench.causes(), "ENDR 1");
  bench.bus_read(0x9999000);  // none open: a read, but nothing to end
  EXPECT_EQ(bench.causes(), "ENDR 1");
  EXPECT_EQ(bench.counter(BRD), 2u);
}

TEST_F(SniCombining, OneMoreThanThePreviousAddress) {
  bench.store32(0x3000, 1);
  bench.store32(0x3004, 2);  // +4: sequential
  EXPECT_EQ(bench.causes(), "");
  bench.store32(0x300c, 3);  // +8: not
  EXPECT_EQ(bench.causes(), "ENDN 1");
  EXPECT_TRUE(open());
  bench.store32(0x300c, 4);  // the same again: not
  EXPECT_EQ(bench.causes(), "ENDN 2");
  bench.store32(0x3008, 5);  // backwards: not
  EXPECT_EQ(bench.causes(), "ENDN 3");
  finish();
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{2, 1, 1, 1}));
}

TEST_F(SniCombining, AnotherMappedPageEndsAndOpens) {
  bench.map(4, {.page = 8, .comb = true});
  bench.store32(0x3000, 1);
  bench.store32(0x4004, 2);
  EXPECT_TRUE(open());
  EXPECT_EQ(bench.causes(), "ENDN 1");
  finish();
  ASSERT_EQ(sizes(), (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(bench.packets[1].p.address, 0x8004u);
}

TEST_F(SniCombining, UnmappedPageIsANonSequentialWrite) {
  bench.store32(0x3000, 1);
  unmapped_write(0x5000);
  EXPECT_FALSE(open());
  EXPECT_EQ(bench.causes(), "ENDN 1");
  EXPECT_EQ(bench.counter(BWR), 1u);
  EXPECT_EQ(bench.counter(AUS), 1u);
  unmapped_write(0xf0000000ull);  // beyond the page table: unmapped too
  EXPECT_EQ(bench.counter(BWR), 2u);
  finish();
  EXPECT_EQ(sizes(), std::vector<uint32_t>{1});
}

struct SniBoundary : SniCombining, testing::WithParamInterface<uint32_t> {};

TEST_P(SniBoundary, LastWordBelowBelongsAndTheNextDoesNot) {
  const uint32_t bytes = 256u << std::min(GetParam(), 4u);
  bench.map(5, {.page = 9, .comb = true, .bound = GetParam()});
  for (uint32_t at = bytes - 12; at < bytes - 4; at += 4) bench.store32(0x5000 + at, at);
  EXPECT_TRUE(open());
  bench.store32(0x5000 + bytes - 4, 1);  // boundary - 4
  EXPECT_FALSE(open());
  EXPECT_EQ(bench.causes(), "ENDB 1");
  if (bytes < 4096) {
    bench.store32(0x5000 + bytes, 2);  // boundary + 0
    EXPECT_TRUE(open());
    EXPECT_EQ(bench.causes(), "ENDB 1");
    finish();
    EXPECT_EQ(sizes(), (std::vector<uint32_t>{3, 1}));
  }
}
INSTANTIATE_TEST_SUITE_P(Bounds, SniBoundary, testing::Range(0u, 8u));

TEST_F(SniCombining, BoundaryIsOfTheAddressNotOfTheLength) {
  bench.map(5, {.page = 9, .comb = true, .bound = 0});
  for (uint32_t at = 0x80; at < 0x180; at += 4) bench.store32(0x5000 + at, at);
  finish();
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{32, 32}));
  EXPECT_EQ(bench.causes(), "ENDB 1 ENDF 1");
}

TEST_F(SniCombining, AWholePageIsOnePacketOf1024) {
  for (uint32_t at = 0; at < 4096; at += 4) bench.store32(0x3000 + at, at);
  EXPECT_EQ(bench.causes(), "ENDB 1");
  bench.run_for(1'000'000);
  ASSERT_EQ(sizes(), std::vector<uint32_t>{1024});
  for (uint32_t at = 0; at < 4096; at += 4) ASSERT_EQ(bench.memory32(0x7000 + at), at);
}

struct SniTimeout : SniCombining {
  void SetUp() override {
    bench.write("CTOR", 10);  // 1 us
    bench.map(6, {.page = 10, .comb = true, .timed = true});
    bench.now = 1'000'000'000 + 100 * 77 + 30;  // the clock began at ...020: its tick began 10 ns ago
  }
};

TEST_F(SniTimeout, OneNanosecondBeforeTheTickTheWordStillCombines) {
  bench.store32(0x6000, 1);
  bench.run_until(bench.now - 10 + 1000 - 1);
  bench.store32(0x6004, 2);
  EXPECT_EQ(bench.causes(), "");
  finish();
  EXPECT_EQ(sizes(), std::vector<uint32_t>{2});
}

TEST_F(SniTimeout, AtTheTickItIsTooLate) {
  bench.store32(0x6000, 1);
  bench.now += -10 + 1000;  // no timer came: the store itself must find out
  bench.store32(0x6004, 2);
  EXPECT_EQ(bench.causes(), "ENDT 1");
  finish();
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(bench.packets[0].terms[COMB], 990u);
}

TEST_F(SniTimeout, OneTickLater) {
  bench.store32(0x6000, 1);
  bench.now += -10 + 1100;
  bench.store32(0x6004, 2);
  EXPECT_EQ(bench.causes(), "ENDT 1");
  bench.run_for(100'000);
  EXPECT_EQ(bench.packets[0].terms[COMB], 990u) << "closed at its own time, not when it was noticed";
}

TEST_F(SniTimeout, CountsFromTheLastWord) {
  for (uint32_t i = 0; i < 20; i++) {
    bench.store32(0x6000 + 4 * i, i);
    bench.run_for(900);
  }
  EXPECT_EQ(bench.causes(), "");
  bench.run_for(100'000);  // the timer alone
  EXPECT_EQ(bench.causes(), "ENDT 1");
  EXPECT_EQ(sizes(), std::vector<uint32_t>{20});
}

TEST_F(SniTimeout, NotForPagesWithoutIt) {
  bench.map(3, {.page = 7, .comb = true});
  bench.store32(0x3000, 1);
  bench.run_for(1'000'000'000);
  EXPECT_TRUE(open());
}

TEST_F(SniTimeout, ShorterTimeoutTakesEffectOnTheOpenPacket) {
  bench.write("CTOR", 0xffffff);
  bench.store32(0x6000, 1);
  bench.run_for(5000);
  bench.write("CTOR", 20);  // already over
  EXPECT_FALSE(open());
  EXPECT_EQ(bench.causes(), "ENDT 1");
  bench.run_for(100'000);
  EXPECT_EQ(bench.packets[0].terms[COMB], 5000u);
}

TEST_F(SniCombining, SoftwareEnds) {
  const auto one = [&] { bench.store32(0x3000, 1); };
  one();
  bench.write("SCR", 7 | bit::kFlush);
  EXPECT_EQ(bench.causes(), "ENDF 1");
  one();
  bench.put(kOutTable + 8 * 3, 1u << 31 | 9);
  EXPECT_EQ(bench.causes(), "ENDF 2");
  one();
  bench.put(kOutTable + 8 * 3 + 4, 1);  // BOUND
  EXPECT_EQ(bench.causes(), "ENDF 3");
  one();
  bench.write("SCR", 5);  // AUE
  EXPECT_EQ(bench.causes(), "ENDF 4");
  bench.write("SCR", 7);
  one();
  bench.write("SCR", 6);  // EN
  EXPECT_EQ(bench.causes(), "ENDF 5");
  bench.write("SCR", 7);
  one();
  bench.sbcr(0, 1);  // ENABLE
  bench.sbcr(1, 1);
  EXPECT_EQ(bench.causes(), "ENDF 6");
  one();
  bench.put(kOutTable + 8 * 4, 1u << 31);  // another page's entry
  EXPECT_EQ(bench.causes(), "ENDF 6");
}

// --- bus cycles ---------------------------------------------------------------------------

TEST(SniStores, OfEachLaneACycle) {
  const struct {
    const char* what;
    bool comb;
    uint32_t at, bytes;
    uint64_t cycles;
    const char* causes;
    std::vector<uint32_t> packets;
  } rows[] = {{"8 aligned bytes", false, 8, 8, 1, "ENDD 1", {2}},
              {"16 bytes", false, 16, 16, 2, "ENDD 2", {2, 2}},
              {"16 bytes, combining", true, 16, 16, 2, "ENDF 1", {4}},
              {"8 bytes across a lane's end", false, 4, 8, 2, "ENDD 2", {1, 1}},
              {"3 bytes across words", true, 3, 3, 1, "ENDP 2", {1, 1}}};
  const uint8_t data[16] = {1, 2, 3};
  for (const auto& r : rows) {
    SniBench bench;
    bench.map(3, {.page = 7, .comb = r.comb});
    bench.bus_write(0x3000 + r.at, data, r.bytes);
    bench.write("SCR", bench.read("SCR") | bit::kFlush);
    bench.run_for(100'000);
    EXPECT_EQ(bench.counter(AUS), r.cycles) << r.what;
    EXPECT_EQ(bench.causes(), r.causes) << r.what;
    EXPECT_EQ(bench.sizes(), r.packets) << r.what;
    EXPECT_EQ(bench.counter(AUW), std::accumulate(r.packets.begin(), r.packets.end(), 0u)) << r.what;
  }
}

// Every size and offset in two lanes: exactly the bytes stored arrive, and no other changes.
TEST_F(SniCombining, EveryPartialStoreArrivesByteExact) {
  for (bool comb : {false, true}) {
    bench.map(4, {.page = 8, .comb = comb});
    for (uint32_t bytes = 1; bytes <= 16; bytes++) {
      for (uint32_t at = 0; at + bytes <= 32; at++) {
        std::vector<uint8_t> expected(48, 0xee), data(bytes);
        for (uint32_t i = 0; i < bytes; i++) data[i] = uint8_t(i * 7 + at + 1);
        std::fill_n(&bench.memory[0x8000], 48, 0xee);
        std::copy(data.begin(), data.end(), expected.begin() + at);
        bench.bus_write(0x4000 + at, data.data(), bytes);
        finish();
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), &bench.memory[0x8000]))
            << bytes << " bytes at " << at << " comb " << comb;
      }
    }
  }
}

TEST_F(SniCombining, PartialWordsStandAloneWithByteEnables) {
  const uint8_t byte[2] = {0xaa, 0xbb};
  bench.store32(0x3000, 1);
  bench.bus_write(0x3005, byte, 2);  // the sequential word, but only bytes 1 and 2 of it
  EXPECT_FALSE(open());
  EXPECT_EQ(bench.causes(), "ENDP 2");
  bench.store32(0x3008, 2);
  bench.bus_write(0x3020, byte, 1);  // not sequential: the open packet ends for that
  EXPECT_EQ(bench.causes(), "ENDN 1 ENDP 3");
  bench.run_for(100'000);
  ASSERT_EQ(sizes(), (std::vector<uint32_t>{1, 1, 1, 1}));
  EXPECT_EQ(bench.packets[1].p.byte_enables, 6);
  EXPECT_EQ(bench.packets[1].p.address, 0x7004u);
  EXPECT_EQ(bench.packets[3].p.byte_enables, 1);
  EXPECT_EQ(bench.packets[1].payload[0], 0x00bbaa00u);
}

TEST_F(SniCombining, TheTimestampIsThatOfTheFirstWord) {
  const uint64_t first = sni_clock(bench.board(), bench.now);
  bench.store32(0x3000, 1);
  bench.run_for(123'456);
  bench.store32(0x3004, 2);
  finish();
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_EQ(bench.packets[0].p.timestamp, first);
  EXPECT_GE(bench.packets[0].terms[COMB], 123'456u);
}

TEST_F(SniCombining, NothingIsSnoopedWithoutEnableEnAndAue) {
  for (uint32_t scr : {4u, 5u, 6u}) {
    bench.write("SCR", scr);
    bench.store32(0x3000, 1);
    bench.bus_read(0);
  }
  bench.write("SCR", 7);
  bench.sbcr(0, 1);
  bench.store32(0x3000, 1);
  bench.sbcr(1, 1);
  EXPECT_EQ(bench.counter(AUS), 0u);
  EXPECT_EQ(bench.counter(BRD), 0u);
  EXPECT_EQ(bench.causes(), "");
}

}  // namespace
}  // namespace perfboard::sni
