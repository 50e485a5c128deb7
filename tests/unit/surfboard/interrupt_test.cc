// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fourteen conditions, IEMR, PEND, and the line.
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

// How to bring each condition about through packets, the wire, the clock and registers alone.
struct Condition {
  const char* name;
  void (*cause)(SurfBench&);
  void (*clear)(SurfBench&);  // nothing: a 1
};

void fill(SurfBench& b, int slots) {
  for (int i = 0; i < slots; ++i) b.write("HFDR", 0);
}
void drain(SurfBench& b, int slots) {
  for (int i = 0; i < slots; ++i) b.read("HFDR");
}
void overflow_bin(SurfBench& b) {
  b.put("HTCR.HEN");
  b.set_bin(5, 0xffffffff);
  b.send({.words = 5});
}

constexpr Condition kConditions[] = {
    {"RTV",
     [](SurfBench& b) {
       surf_set_receive_time(&b.board, kTimeMask);
       b.pass(100);
     },
     [](SurfBench& b) { surf_global_reset(&b.board); }},
    {"LU",
     [](SurfBench& b) {
       surf_set_receive_time(&b.board, 5);
       b.send({.timestamp = 100});
     },
     nullptr},
    {"LV",
     [](SurfBench& b) {
       surf_set_receive_time(&b.board, 1 << 25);
       b.send();
     },
     nullptr},
    {"PV",
     [](SurfBench& b) {
       const uint64_t t = b.now;
       b.deliver({}, t);
       b.deliver({}, t + 1079);
     },
     nullptr},
    {"WCV",
     [](SurfBench& b) {
       b.put("HTCR.WEN");
       b.write("WCDR", 0xffffffff);
       b.send();
     },
     nullptr},
    {"BV", overflow_bin, nullptr},
    {"FV",
     [](SurfBench& b) {
       fill(b, 4096);
       overflow_bin(b);
     },
     nullptr},
    {"FF", [](SurfBench& b) { fill(b, 4096); }, [](SurfBench& b) { drain(b, 1); }},
    {"FAF", [](SurfBench& b) { fill(b, 4090); }, [](SurfBench& b) { drain(b, 1); }},
    {"FPF", [](SurfBench& b) { fill(b, 7); }, [](SurfBench& b) { drain(b, 1); }},
    {"FNE", [](SurfBench& b) { fill(b, 1); }, [](SurfBench& b) { drain(b, 1); }},
    {"EXT", [](SurfBench& b) { b.pull(true); }, nullptr},
    {"TP",
     [](SurfBench& b) {
       b.put("HTCR.TEN");
       b.send();
     },
     nullptr},
    {"TC",
     [](SurfBench& b) {
       b.write("TECR", 15);
       b.put("HTCR.TEN");
       b.send();
     },
     [](SurfBench& b) {
       b.write("TECR", 0);
       b.put("ISCR.TC");
     }},
};
static_assert(std::size(kConditions) == 14);

class Interrupt : public testing::TestWithParam<Condition> {
 protected:
  Interrupt() {
    bench.select_size();
    bench.write("HTCR", 0);
  }
  uint32_t mask() const { return at(kRegisters, "ISCR").field(GetParam().name).mask(); }
  SurfBench bench;
};
INSTANTIATE_TEST_SUITE_P(Of, Interrupt, testing::ValuesIn(kConditions),
                         [](const auto& i) { return i.param.name; });

TEST_P(Interrupt, ShowsUnmaskedAndInterruptsMasked) {
  EXPECT_EQ(bench.read("ISCR"), 0u);
  bench.write("IEMR", 0x3fff & ~mask());
  bench.write("IEMR", 0);
  GetParam().cause(bench);
  EXPECT_EQ(bench.read("ISCR") & mask(), mask());
  EXPECT_FALSE(bench.is("ISCR.PEND"));
  EXPECT_FALSE(bench.irq);
  bench.write("IEMR", mask());
  EXPECT_TRUE(bench.irq);
  EXPECT_TRUE(bench.is("ISCR.PEND"));
  bench.write("IEMR", 0);
  EXPECT_FALSE(bench.irq);
  EXPECT_EQ(bench.read("ISCR") & (mask() | bits("ISCR.PEND")), mask());
}

TEST_P(Interrupt, LineFollowsTheCondition) {
  bench.write("IEMR", mask());
  EXPECT_FALSE(bench.irq);
  GetParam().cause(bench);
  EXPECT_TRUE(bench.irq);
  if (GetParam().clear)
    GetParam().clear(bench);
  else
    bench.write("ISCR", mask());
  EXPECT_FALSE(bench.irq);
  EXPECT_EQ(bench.read("ISCR") & mask(), 0u);
}

TEST_P(Interrupt, WritingZeroToIscrClearsNothing) {
  GetParam().cause(bench);
  bench.write("ISCR", 0);
  EXPECT_EQ(bench.read("ISCR") & mask(), mask());
  bench.write("ISCR", ~mask());
  EXPECT_EQ(bench.read("ISCR") & mask(), mask());
}

TEST_P(Interrupt, DisablingReleasesTheLineAndForgetsTheMask) {
  bench.write("IEMR", mask());
  GetParam().cause(bench);
  bench.disable();
  EXPECT_FALSE(bench.irq);
  bench.enable();
  EXPECT_FALSE(bench.irq);
  EXPECT_EQ(bench.read("ISCR") & mask(), mask());
}

TEST_P(Interrupt, WritingOneClearsThoseThatSayW1cOnly) {
  const Field& f = at(kRegisters, "ISCR").field(GetParam().name);
  GetParam().cause(bench);
  bench.write("ISCR", 0xffffffff);
  // TC's cause lasts here
  const bool stays = f.access == ro || f.name == "TC";
  EXPECT_EQ(bench.read("ISCR") & mask(), stays ? mask() : 0);
}

TEST(InterruptLine, MovesWithIrlevWithoutBeingLeftBehind) {
  SurfBench bench;
  bench.write("HTCR", 0);
  bench.write("HFDR", 0);
  bench.put("IEMR.FNE");
  EXPECT_TRUE(bench.irq);
  std::vector<std::pair<int, bool>> calls;
  bench.board.host.opaque = &bench;
  static std::vector<std::pair<int, bool>>* seen;
  static SurfBench* board;
  seen = &calls;
  board = &bench;
  bench.board.host.set_irq = [](void*, bool level) {
    seen->push_back({surf_irq_number(&board->board), level});
  };
  bench.enable(5);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0], (std::pair{10, false}));
  EXPECT_EQ(calls[1], (std::pair{12, true}));
}

}  // namespace
}  // namespace perfboard::surf
