// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is odd about the card as it looks from outside: registers of two halves in three windows, and counters
// that are being sent; and the manual page's sequences.
#include "hw/multikron/view.h"

#include <functional>
#include <map>

#include "guest/multikron/regs.h"
#include "tests/unit/model/sequence_walk.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

const BoardView& view = mk_view();

// What so many bytes from there on reach, by their lower or upper word.
Place reached(const MkBench& b, unsigned window, uint64_t first, uint32_t bytes, uint32_t word) {
  return place_of(view, &b.chip, window, first + word, {.first = first, .bytes = bytes, .vcpu = 0});
}
std::string_view name_at(const MkBench& b, unsigned window, uint64_t first, uint32_t bytes,
                         uint32_t word = 0) {
  const Place place = reached(b, window, first, bytes, word);
  return place.reg ? place.reg->name : "nothing";
}

TEST(MultiKronView, PlacesInTheWindows) {
  MkBench b;
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCsr, 4), "CSR");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace + 4, 4), "TRACE1");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace, 8, 4), "TRACE0_H") << "64 bits: one sample";
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCounter, 8, 4), "RC0_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTimestamp, 8, 4), "TIMESTAMP_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kFilter, 8, 4), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 512, 4), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kMuxSel, 8, 4), "MUXSEL_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kCsr, 8, 4), "nothing");
  for (const uint64_t upper : {8 * (addr::kTimestamp + 1), 8 * (addr::kMuxSel + 1), 8 * (addr::kTest + 1)})
    EXPECT_EQ(name_at(b, MK_WINDOW_8, upper, 4), "nothing") << "an upper half is at its register's address";
  EXPECT_TRUE(reached(b, MK_WINDOW_8, 8 * addr::kFilter, 8, 4).filler) << "a correct 64-bit access";
  EXPECT_TRUE(reached(b, MK_WINDOW_4, 4 * addr::kFilter, 8, 4).filler);
  EXPECT_FALSE(reached(b, MK_WINDOW_8, 8 * addr::kFilter + 4, 4, 0).filler) << "the upper half alone";
  EXPECT_FALSE(reached(b, MK_WINDOW_8, 8 * addr::kMuxSel, 8, 4).filler) << "it has one";
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x814, 4), "LINES");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x818, 4), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kResource, 8), "RSRC0");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kCsr, 8), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 0x814, 4), "nothing");
}

TEST(MultiKronView, BusyCounters) {
  MkBench b;
  const Place wrong = reached(b, MK_WINDOW_8, 8 * addr::kCounter, 8, 4);
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0u);
  b.resource(0);
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0x80000000u);
}

// "to select all odd counters to count 50 MHz node clocks (encoding=11) and all even counters to count
// external signals (encoding=01)": MSBs of the odd ones, LSBs of all.
TEST(MkGuestHeader, MuxExample) {
  uint64_t mux = 0;
  for (unsigned i = 0; i < MKR_COUNTERS; ++i) mux |= MKR_MUX_PUT(i, i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
  EXPECT_EQ(mux, 0x0000aaaa0000ffffull);
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    EXPECT_EQ(MKR_MUX_GET(i, mux), i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
}

// --- the manual page's programming sequences, each walked by a program that does as it says ---------

// A bench whose accesses somebody looks at.
struct Seen {
  explicit Seen(std::string_view sequence) : walk(mk_view(), &bench.chip, sequence) {
    bench.on_effect = [this](unsigned number, uint64_t value) { walk.tell(number, value); };
  }
  void write(unsigned address, uint64_t value) {
    walk.write(MK_WINDOW_8, 8 * address, 8, value, [&] { bench.write(address, value); });
  }
  uint64_t read(unsigned address) {
    return walk.read(MK_WINDOW_8, 8 * address, 8, [&] { return bench.read(address); });
  }
  // As the machine does: an access that is delayed is made again.
  void held_write(unsigned address, uint64_t value) {
    walk.write(MK_WINDOW_8, 8 * address, 8, value, [&] { bench.held_write(address, value); });
  }
  uint64_t held_read(unsigned address) {
    uint64_t value = 0;
    return walk.read(MK_WINDOW_8, 8 * address, 8, [&] { return bench.held_read(address, &value), value; });
  }
  void test(const TestWord& t) { write(addr::kTest, t.value()); }

  MkBench bench;
  SequenceWalk walk;
};

constexpr uint64_t kSoftwareInputs = 0x0000ffff00000000;

const std::map<std::string_view, std::function<void(Seen&)>> kPrograms = {
    {"trace",
     [](Seen& s) {
       s.write(addr::kReset, 0);
       s.write(addr::kFilter, 0xffff);
       s.write(addr::kCsr, csr::kSample);
       s.write(addr::kTrace + 3, 7);
       s.write(addr::kCsr, csr::kNoSample);
       s.read(addr::kOverrun);
     }},
    {"count",
     [](Seen& s) {
       s.write(addr::kDisable, 0xffff);
       s.write(addr::kMuxSel, 0);
       s.write(addr::kRReset, 0xffff);
       s.write(addr::kEnable, 1);
       s.read(addr::kCounter);
     }},
    {"software-count",
     [](Seen& s) {
       s.write(addr::kDisable, 0xffff);
       s.write(addr::kMuxSel, kSoftwareInputs);
       s.write(addr::kRReset, 0xffff);
       s.write(addr::kEnable, 1);
       s.write(addr::kCounter, 0);
       EXPECT_EQ(s.read(addr::kCounter), 1u);
     }},
    {"resource",
     [](Seen& s) {
       s.write(addr::kMuxSel, 0);
       s.write(addr::kEnable, 1);
       s.write(addr::kCsr, csr::kSample);
       s.write(addr::kResource, 0);
       s.bench.run_until(s.bench.now + 10'000);
       s.read(addr::kCsr);
     }},
    {"switch",
     [](Seen& s) {
       for (const uint64_t process : {1u, 2u}) {
         s.write(addr::kSource, process);
         s.write(addr::kTrace, 0);
       }
     }},
    {"overrun",
     [](Seen& s) {
       s.write(addr::kCsr, csr::kNoWriteWait);
       for (int i = 0; i < 9; ++i) s.write(addr::kTrace, 0);
       EXPECT_EQ(s.read(addr::kOverrun), 1u);
       s.write(addr::kOverrun, 0);
     }},
    {"write-wait",
     [](Seen& s) {
       s.write(addr::kCsr, csr::kWriteWait);
       for (int i = 0; i < 9; ++i) s.held_write(addr::kTrace, 0);
       EXPECT_GT(s.read(addr::kWait), 0u);
       s.write(addr::kWait, 0);
     }},
    {"read-wait",
     [](Seen& s) {
       s.write(addr::kCsr, csr::kReadWait);
       s.write(addr::kResource, 0);
       EXPECT_EQ(s.held_read(addr::kCounter), 0u);
     }},
    {"test-counters",
     [](Seen& s) {
       s.bench.test_mode(true);
       s.test({.data = 0x11112222, .set = 3});
       s.test({.inc = 3});
       EXPECT_EQ(s.read(addr::kCounter + 5), 0x11112223u);
     }},
    {"test-fifo",
     [](Seen& s) {
       s.bench.test_mode(true);
       s.test({.off = true});
       s.test({.data = 0xabcd, .off = true, .load = true});
       EXPECT_EQ(s.read(addr::kFifo), 0xabcdu);
       s.test({.off = true, .shift = true});
       s.test({});
     }},
};

TEST(MultiKronView, EverySequenceCanBeWalked) {
  for (const Sequence& sequence : mk_view().sequences) {
    const auto program = kPrograms.find(sequence.name);
    ASSERT_NE(program, kPrograms.end()) << sequence.name;
    Seen s(sequence.name);
    s.bench.at(1000);
    program->second(s);
    EXPECT_EQ(s.walk.next(), "") << sequence.name;
  }
}

TEST(MultiKronView, AStepThatIsLeftOutIsMissed) {
  Seen s("trace");
  s.write(addr::kReset, 0);
  s.write(addr::kCsr, csr::kSample);
  s.write(addr::kTrace, 7);
  s.write(addr::kCsr, csr::kNoSample);
  s.read(addr::kOverrun);
  EXPECT_EQ(s.walk.next(), "write FILTER");
}

}  // namespace
}  // namespace perfboard::mk
