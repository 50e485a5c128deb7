// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page's programming sequences, each walked by a program that does as it says.
#include <functional>
#include <map>

#include "hw/multikron/view.h"
#include "tests/unit/core/sequence_walk.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

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
