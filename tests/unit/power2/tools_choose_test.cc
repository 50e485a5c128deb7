// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which values of MMCR the tools choose for events; on a table of the test's own (tools_events.c).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

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

// Counts of several sets: scaled by how long each was counted.
TEST(Power2Values, ScaledToTheWholeTime) {
  p2_session s = P2_CLOSED;
  s.sets = 2;
  s.set[0] = {0x0000, 0};
  s.set[1] = {0x1000, 0};
  p2_counts before{}, now{};
  now.set[0].enabled_ns = now.set[1].enabled_ns = 1000;
  now.set[0].running_ns = 250;
  now.set[1].running_ns = 750;
  now.set[0].counter[P2_FPU0] = 100;  // flops
  now.set[1].counter[P2_FPU0] = 33;   // fp_add
  now.set[0].counter[P2_ICU0] = 40;   // instructions: in both
  now.set[1].counter[P2_ICU0] = 120;
  p2_value v;
  ASSERT_EQ(p2_value_of(&s, nullptr, &now, "flops", &v), 0);
  EXPECT_EQ(v.count, 400);
  EXPECT_EQ(v.raw, 100u);
  EXPECT_EQ(v.running_ns, 250u);
  ASSERT_EQ(p2_value_of(&s, nullptr, &now, "fp_add", &v), 0);
  EXPECT_EQ(v.count, 44);
  ASSERT_EQ(p2_value_of(&s, nullptr, &now, "instructions", &v), 0);
  EXPECT_EQ(v.count, 160);
  EXPECT_EQ(v.running_ns, v.enabled_ns);
  before = now;
  now.set[0].enabled_ns = now.set[1].enabled_ns = 1100;
  now.set[0].running_ns = 300;
  now.set[0].counter[P2_FPU0] = 110;
  ASSERT_EQ(p2_value_of(&s, &before, &now, "flops", &v), 0);
  EXPECT_EQ(v.count, 20);
  EXPECT_EQ(p2_value_of(&s, &before, &now, "fp_add", &v), -1);
  EXPECT_EQ(errno, ENODATA);
  EXPECT_EQ(p2_value_of(&s, nullptr, &now, "dma_rd", &v), -1);
  EXPECT_EQ(errno, ENOENT);
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
