// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page's programming sequences, each walked by a program that does as it says, as log and coverage
// see it (what they count: sequences_test.cc).
#include <functional>
#include <map>

#include "hw/power2/view.h"
#include "tests/unit/core/sequence_walk.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

// A bench whose accesses somebody looks at.
struct Seen {
  explicit Seen(std::string_view sequence) : walk(p2_view(), &bench.card, sequence) {
    bench.on_effect = [this](unsigned number, uint64_t value) { walk.tell(number, value); };
  }
  void write(uint32_t offset, uint64_t value, uint32_t bytes = 4) {
    walk.write(0, offset, bytes, value, [&] { bench.store(offset, bytes, value); });
  }
  uint64_t read(uint32_t offset, uint32_t bytes = 4) {
    return walk.read(0, offset, bytes, [&] { return bench.load(offset, bytes); });
  }

  Bench bench;
  SequenceWalk walk;
};

constexpr uint32_t kCycleRegister = reg::counter(kCycleCounter);

// A choice of who counts, a look, and the end.
void count_some(Seen& s, uint32_t mmcr) {
  s.write(reg::kMmcr, mmcr::kDis);
  s.write(kCycleRegister, 0);
  s.write(reg::kMmcr, mmcr);
  s.read(kCycleRegister);
  s.write(reg::kMmcr, mmcr::kDis);
}

const std::map<std::string_view, std::function<void(Seen&)>> kPrograms = {
    {"one-process", [](Seen& s) { count_some(s, mmcr::kDmr); }},
    {"all-but-one", [](Seen& s) { count_some(s, mmcr::kDms); }},
    {"kernel-only", [](Seen& s) { count_some(s, mmcr::kDu); }},
    {"user-only", [](Seen& s) { count_some(s, mmcr::kDp); }},
    {"private-counters",
     [](Seen& s) {
       uint64_t saved[12];
       s.write(reg::kMmcr, mmcr::kDis);
       for (unsigned i = 0; i < 12; ++i) saved[i] = s.read(8 * i, 8);
       for (unsigned i = 12; i-- > 1;) s.write(8 * i, saved[i], 8);
       s.write(0, saved[0] & ~uint64_t{mmcr::kDis}, 8);
     }},
    {"segment",
     [](Seen& s) {
       s.write(reg::kMmcr, 0);
       s.write(reg::kMmcr, mmcr::kDis);
       s.read(kCycleRegister);
     }},
    {"interval",
     [](Seen& s) {
       s.write(reg::kMmcr, mmcr::fxu(13));
       s.write(reg::kSpe, 1);
       s.bench.happens(P2S_cycles, 17);
       s.write(reg::kSpe, 0);
       EXPECT_EQ(s.read(reg::counter(kFxu + 1)), 17u) << "the counter that the manual names";
     }},
    {"opcodes",
     [](Seen& s) {
       s.write(reg::kImr, 0x7c000214);
       s.write(reg::kMmcr, mmcr::fxu(13));
       s.bench.happens(P2S_imr_matches, 4);
       EXPECT_EQ(s.read(reg::counter(kFxu)), 4u);
       s.write(reg::kImr, 0);
     }},
    {"storage",
     [](Seen& s) {
       s.write(reg::kMmcr, mmcr::kSga);
       s.read(reg::counter(kFpu));
       s.read(reg::counter(kScu + 4));
     }},
};

TEST(P2View, EverySequenceCanBeWalked) {
  for (const Sequence& sequence : p2_view().sequences) {
    const auto program = kPrograms.find(sequence.name);
    ASSERT_NE(program, kPrograms.end()) << sequence.name;
    Seen s(sequence.name);
    program->second(s);
    EXPECT_EQ(s.walk.next(), "") << sequence.name;
  }
}

TEST(P2View, AStepThatIsLeftOutIsMissed) {
  Seen s("private-counters");
  s.write(reg::kMmcr, mmcr::kDis);
  s.read(0, 8);
  s.write(8, 0, 8);
  EXPECT_EQ(s.walk.next(), "read ERRORS");
}

}  // namespace
}  // namespace perfboard::p2
