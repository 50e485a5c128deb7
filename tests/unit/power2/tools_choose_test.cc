// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which values of MMCR the tools choose for events; on a table of the test's own (tools_events.c).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

std::vector<uint32_t> mmcr_of(const std::vector<std::string>& events, uint32_t control = 0) {
  std::vector<uint32_t> values;
  for (const p2_set& set : choose_sets(events, control)) {
    values.push_back(set.mmcr);
    EXPECT_EQ(set.imr, 0u);
  }
  return values;
}

using Values = std::vector<uint32_t>;

TEST(Power2Choose, OneGroupOfEachUnitFitsInOneSet) {
  EXPECT_EQ(mmcr_of({"cycles"}), Values{0});
  EXPECT_EQ(mmcr_of({"cycles", "errors", "flops", "loads", "branches"}), Values{0});
  EXPECT_EQ(mmcr_of({"fp_add", "imr", "interrupts", "dma_rd"}), Values{0x1d82});
  EXPECT_EQ(mmcr_of({"fxu0", "fxu0_instructions"}), Values{0});  // the same by another name
}

TEST(Power2Choose, AnEventOfSeveralUnitsGoesWhereThereIsRoom) {
  // The FXU's group 13 is needed for imr, and has the instructions as well.
  EXPECT_EQ(mmcr_of({"imr", "interrupts", "instructions"}), Values{0x0d80});
  // FPU and FXU are taken.
  EXPECT_EQ(mmcr_of({"flops", "loads", "shared"}), Values{0x0030});
  EXPECT_EQ(mmcr_of({"flops", "branches", "shared"}), Values{0x0200});
}

TEST(Power2Choose, SeveralGroupsOfAUnitTakeTurns) {
  EXPECT_EQ(mmcr_of({"flops", "fp_add"}), (Values{0x0000, 0x1000}));
  // A unit with fewer groups than there are sets is counted in all.
  EXPECT_EQ(mmcr_of({"flops", "fp_add", "interrupts"}), (Values{0x0080, 0x1080}));
}

TEST(Power2Choose, SgaIfItSavesSetsOrNothingElseHasTheEvent) {
  EXPECT_EQ(mmcr_of({"only_sga"}), Values{P2_MMCR_SGA});
  EXPECT_EQ(mmcr_of({"dcache_mis", "dma_rd", "mem_reads"}), Values{P2_MMCR_SGA});
  EXPECT_EQ(mmcr_of({"dcache_mis"}), Values{0x0001});
  EXPECT_EQ(mmcr_of({"dcache_mis", "dma_rd", "mem_reads", "flops"}), (Values{0x0000, P2_MMCR_SGA}));
}

TEST(Power2Choose, ControlBitsAreInEverySet) {
  const uint32_t control = p2_control(P2_USER_ONLY) | P2_MMCR_DMR;
  EXPECT_EQ(control, P2_MMCR_DP | P2_MMCR_DMR);
  EXPECT_EQ(mmcr_of({"flops", "fp_add"}, control), (Values{control, control | 0x1000}));
  EXPECT_EQ(p2_control(P2_KERNEL_ONLY), P2_MMCR_DU);
}

// Whatever is asked for: each event is counted in some set, and no smaller number of sets would do (by trying
// all choices of groups).
TEST(Power2Choose, RandomEvents) {
  std::vector<std::string> all;
  for (size_t e = 0; e < p2_event_count; e++)
    if (std::find(all.begin(), all.end(), p2_events[e].name) == all.end())
      all.emplace_back(p2_events[e].name);
  std::mt19937 random(1);
  for (int round = 0; round < 300; round++) {
    std::vector<std::string> wanted;
    for (const std::string& name : all)
      if (random() % 3 == 0) wanted.push_back(name);
    if (wanted.empty()) continue;
    const Values values = mmcr_of(wanted);
    const auto counted = [&](const Values& sets) {
      return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return std::any_of(sets.begin(), sets.end(),
                           [&](uint32_t m) { return p2_counter_of(m, name.c_str()) >= 0; });
      });
    };
    EXPECT_TRUE(counted(values));
    if (values.size() != 2) continue;
    // One set: the groups that the table has, or SGA.
    bool one_would_do = counted({P2_MMCR_SGA});
    for (uint32_t fpu : {0, 1, 5})
      for (uint32_t fxu : {0, 2, 13})
        for (uint32_t icu : {0, 3, 8})
          for (uint32_t scu : {1, 2, 4, 5}) one_would_do |= counted({fpu << 12 | fxu << 8 | icu << 4 | scu});
    EXPECT_FALSE(one_would_do);
  }
}

TEST(Power2Choose, Refusals) {
  p2_set sets[2];
  size_t wrong = 7;
  const char* names[] = {"cycles", "cicles"};
  EXPECT_EQ(p2_choose(names, 2, 0, sets, 2, &wrong), 0u);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(wrong, 1u);
  EXPECT_EQ(p2_choose(names, 0, 0, sets, 2, nullptr), 0u);
  EXPECT_EQ(errno, EINVAL);
  const char* many[] = {"flops", "fp_add"};
  EXPECT_EQ(p2_choose(many, 2, 0, sets, 1, &wrong), 0u);
  EXPECT_EQ(errno, E2BIG);
}

TEST(Power2Choose, WhatACounterCounts) {
  EXPECT_STREQ(p2_event_at(0x0d80, P2_FXU0)->name, "imr");
  EXPECT_STREQ(p2_event_at(0x0d80, P2_ICU0)->name, "interrupts");
  EXPECT_EQ(p2_event_at(0x0d80, P2_ICU0 + 1), nullptr);
  EXPECT_STREQ(p2_event_at(P2_MMCR_SGA | 0x0d80, 2)->name, "dcache_mis");
  EXPECT_EQ(p2_event_at(P2_MMCR_SGA, P2_FXU0), nullptr);
  EXPECT_STREQ(p2_event_at(P2_MMCR_SGA, P2_CYCLES)->name, "cycles");
  EXPECT_EQ(p2_counter_of(0, "dcache_mis"), -1);
  EXPECT_EQ(p2_counter_of(1, "dcache_mis"), P2_SCU0);
  EXPECT_EQ(p2_counter_of(P2_MMCR_SGA, "dcache_mis"), 2);
  EXPECT_EQ(p2_counter_of(P2_MMCR_SGA, "errors"), P2_ERRORS);
}

// Counts of several sets: scaled by the cycles in which each was counted, whatever time they took.
TEST(Power2Values, ScaledToAllCycles) {
  p2_session s = P2_CLOSED;
  s.sets = 2;
  s.set[0] = {0x0000, 0};
  s.set[1] = {0x1000, 0};
  p2_counts before{}, now{};
  now.set[0].enabled_ns = now.set[1].enabled_ns = 1000;
  now.set[0].running_ns = 900;  // the host was busy
  now.set[1].running_ns = 100;
  now.set[0].counter[P2_CYCLES] = 2500;
  now.set[1].counter[P2_CYCLES] = 7500;
  now.set[0].counter[P2_FPU0] = 100;  // flops
  now.set[1].counter[P2_FPU0] = 33;   // fp_add
  now.set[0].counter[P2_ICU0] = 40;   // instructions: in both
  now.set[1].counter[P2_ICU0] = 120;
  const auto value = [&](const char* event, const p2_counts* since = nullptr) {
    p2_value v{};
    EXPECT_EQ(p2_value_of(&s, since, &now, event, &v), 0) << event;
    return v;
  };
  p2_value v = value("flops");
  EXPECT_EQ(v.count, 400);
  EXPECT_EQ(v.raw, 100u);
  EXPECT_EQ(v.running_ns, 900u);
  EXPECT_EQ(v.cycles, 2500u);
  EXPECT_EQ(v.all_cycles, 10000u);
  EXPECT_EQ(value("fp_add").count, 44);
  v = value("instructions");
  EXPECT_EQ(v.count, 160);
  EXPECT_EQ(v.cycles, v.all_cycles);
  EXPECT_EQ(v.running_ns, v.enabled_ns);
  EXPECT_EQ(value("cycles").count, 10000);
  before = now;
  now.set[0].counter[P2_CYCLES] += 10;
  now.set[0].counter[P2_FPU0] = 110;
  EXPECT_EQ(value("flops", &before).count, 10) << "nothing else has had a turn";
  now.set[1].counter[P2_CYCLES] += 10;
  EXPECT_EQ(value("flops", &before).count, 20);
  now.set[1].counter[P2_CYCLES] -= 10;
  EXPECT_EQ(p2_value_of(&s, &before, &now, "fp_add", &v), -1);
  EXPECT_EQ(errno, ENODATA);
  EXPECT_EQ(p2_value_of(&s, nullptr, &now, "dma_rd", &v), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(value("flops", &now).count, 0) << "no cycle at all: nothing has been counted";
}

// A session of these sets in turns.
p2_session session_of(const Turns& turns) {
  p2_session s = P2_CLOSED;
  s.sets = static_cast<unsigned>(turns.sets().size());
  std::copy(turns.sets().begin(), turns.sets().end(), s.set);
  return s;
}

TEST(Power2Turns, SetsAreGivenAsOftenAsTheyFit) {
  const auto copies = [](size_t n) { return Turns(std::vector<p2_set>(n)).sets().size(); };
  EXPECT_EQ(copies(1), 1u);
  EXPECT_EQ(copies(2), 16u);
  EXPECT_EQ(copies(16), 64u);
  EXPECT_EQ(copies(20), 60u);
  EXPECT_EQ(copies(33), 33u);
  EXPECT_EQ(copies(64), 64u);
  const std::vector<p2_set> sets = Turns({{0x0000, 1}, {0x1000, 2}}).sets();
  for (size_t i = 0; i < sets.size(); i++) EXPECT_EQ(sets[i].imr, 1 + i % 2) << "one copy behind the other";
}

// By hand: the error of the ratio of sums of eight samples.
TEST(Power2Turns, HowFarTheCopiesLieApart) {
  const Turns turns({{0x0000, 0}, {0x1000, 0}});
  const p2_session s = session_of(turns);
  p2_counts now{};
  EXPECT_EQ(turns.spread(s, nullptr, now, "flops"), 0) << "nothing was scaled";
  for (size_t copy = 0; copy < 8; copy++) {
    for (size_t set = 0; set < 2; set++) now.set[2 * copy + set].counter[P2_CYCLES] = 1000;
    now.set[2 * copy].counter[P2_FPU0] = 100;                      // flops: always the same
    now.set[2 * copy + 1].counter[P2_FPU0] = copy % 2 ? 110 : 90;  // fp_add
    now.set[2 * copy].counter[P2_ICU0] = 100 * copy;               // instructions: in both
  }
  EXPECT_EQ(turns.spread(s, nullptr, now, "flops"), 0);
  EXPECT_NEAR(turns.spread(s, nullptr, now, "fp_add"), std::sqrt(8 * 100 * 8.0 / 7) / 800, 1e-12);
  EXPECT_EQ(turns.spread(s, nullptr, now, "instructions"), 0) << "counted all the time";
  EXPECT_TRUE(std::isinf(turns.spread(s, nullptr, now, "dma_rd"))) << "not at all";
  // A slow turn of a busy host has fewer cycles, and says as much of the rate.
  p2_counts slow = now;
  slow.set[0].counter[P2_CYCLES] = 10;
  slow.set[0].counter[P2_FPU0] = 1;
  EXPECT_EQ(turns.spread(s, nullptr, slow, "flops"), 0);
  EXPECT_EQ(turns.spread(s, &now, now, "flops"), 0) << "nothing since";
}

TEST(Power2Turns, FewCopiesSayNothing) {
  const Turns turns({{0x0000, 0}, {0x1000, 0}});
  const p2_session s = session_of(turns);
  p2_counts now{};
  for (size_t set = 0; set < 6; set++) now.set[set].counter[P2_CYCLES] = 1000;
  now.set[0].counter[P2_FPU0] = 100;
  EXPECT_TRUE(std::isinf(turns.spread(s, nullptr, now, "flops"))) << "three had a turn";
  now.set[6].counter[P2_CYCLES] = 1000;
  EXPECT_GT(turns.spread(s, nullptr, now, "flops"), kMostSpread);
}

// Of the guest's clock: a tick now and then is no host.
TEST(Power2Turns, WhetherTimeIsTheHosts) {
  std::vector<double> took(32, 204.800e-6);
  took[3] += 1e-9;
  for (size_t i : {5, 11, 30}) took[i] += 7e-6;
  EXPECT_FALSE(by_host_clock(took));
  for (size_t i = 0; i < took.size(); i++) took[i] += 1e-9 * static_cast<double>(i * 7 % 32);
  EXPECT_TRUE(by_host_clock(took));
  EXPECT_TRUE(by_host_clock(time_a_loop()));
}

TEST(Power2Lib, AClosedSessionRefuses) {
  p2_session s = P2_CLOSED;
  EXPECT_EQ(p2_enable(&s), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(p2_hook_here(&s, 1, 2, 3), -1);
  EXPECT_EQ(p2_count(&s, "cycles"), 0u);
  p2_end(&s);
  EXPECT_EQ(p2_connect(&s, "/dev/null"), -1);
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(s.fd, -1);
  EXPECT_EQ(p2_select(&s, "flops,fp_add", P2_USER_ONLY), 0);
  EXPECT_EQ(s.sets, 2u);
  EXPECT_EQ(s.set[1].mmcr, P2_MMCR_DP | 0x1000);
  EXPECT_EQ(p2_select(&s, "flops,,fp_add", 0), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(p2_select(&s, std::string(5000, 'x').c_str(), 0), -1);
  EXPECT_EQ(errno, E2BIG);
}

}  // namespace
}  // namespace perfboard::p2
