// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every row of the published table of events, by the registers: MMCR is set as the row says, every source
// happens so and so many times, and the counter has the sum that the event's definition says. The definitions
// stand here a second time, by hand.
#include "hw/power2/events.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "guest/power2/events.h"
#include "guest/power2/regs.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

struct Row {
  const char* name;
  unsigned unit, group, counter;
  const char* text;
};
constexpr Row kRows[] = {
#define ROW(name, unit, group, counter, text) {#name, unit, group, counter, text},
    P2_EVENTS(ROW)
#undef ROW
};

// How often each source happens: no two sums of a few are alike.
uint64_t times(unsigned source) { return (source + 3) * (source + 3) * 2654435761u % 1'000'003; }

uint64_t n(std::string_view source) {
  for (unsigned s = 0; s < P2_SOURCES; ++s)
    if (source_name(s) == source) return times(s);
  ADD_FAILURE() << source << " is no source";
  return 0;
}

// The wide node: penalties 16, 36, 12; a line of 256 or 128 bytes takes 8 or 4 cycles of its bus.
uint64_t dcache_misses() { return n("dcache_load_misses") + n("dcache_store_misses"); }
uint64_t tlb_misses() { return n("dtlb_misses") + n("itlb_misses"); }
uint64_t stall_cycles() { return 16 * dcache_misses() + 36 * tlb_misses() + 12 * n("icache_misses"); }
uint64_t dma() { return n("dma_read_lines") + n("dma_write_lines"); }
uint64_t io() { return n("io_loads") + n("io_stores"); }

const std::map<std::string_view, std::function<uint64_t()>> kDefinitions = {
    {"instructions", [] { return n("insns"); }},
    {"instructions_fetched", [] { return n("fetched"); }},
    {"instructions_dispatched",
     [] { return n("dispatched_fxu") + n("dispatched_fpu") + n("dispatched_icu"); }},
    {"icu_instructions", [] { return n("dispatched_icu"); }},
    {"imr", [] { return n("imr_matches"); }},
    {"fxu_instructions", [] { return n("fxu0") + n("fxu1"); }},
    {"fxu0_instructions", [] { return n("fxu0"); }},
    {"fxu1_instructions", [] { return n("fxu1"); }},
    {"load_instructions", [] { return n("fx_load") + n("fp_load") + n("fx_load_store"); }},
    {"store_instructions", [] { return n("fx_store") + n("fp_store") + n("fx_load_store"); }},
    {"storage_instructions",
     [] { return n("fx_load") + n("fp_load") + n("fx_store") + n("fp_store") + n("fx_load_store"); }},
    {"fxu_held",
     [] { return n("fxu_held_load") + n("fxu_held_result") + n("fxu_held_multi") + n("fxu_held_fpu"); }},
    {"lost", [] { return n("lost_pair") + n("lost_load") + n("lost_multi") + n("lost_other"); }},
    {"spe_cycles", [] { return n("cycles") + stall_cycles(); }},
    {"held_branch", [] { return n("held_branch_fxu") + n("held_branch_fpu") + n("held_branch_icu"); }},
    {"machine_cycles", [] { return n("cycles"); }},
    {"fpu_instructions", [] { return n("fpu0") + n("fpu1"); }},
    {"fpu0_instructions", [] { return n("fpu0"); }},
    {"fpu1_instructions", [] { return n("fpu1"); }},
    {"fp_arith", [] { return n("fp_add") + n("fp_mul") + n("fp_fma") + n("fp_div") + n("fp_sqrt"); }},
    {"flops",
     [] { return n("fp_add") + n("fp_mul") + n("fp_fma") + n("fp_fma") + n("fp_div") + n("fp_sqrt"); }},
    {"fpu_held", [] { return n("fpu_held_load") + n("fpu_held_result") + n("fpu_held_divide"); }},
    {"special_delay", [] { return 4 * n("special_numbers"); }},
    {"accesses", [] { return n("loads") + n("stores"); }},
    {"dcache_mis", [] { return dcache_misses(); }},
    {"dcache_load_mis", [] { return n("dcache_load_misses"); }},
    {"dcache_store_mis", [] { return n("dcache_store_misses"); }},
    {"dcache_held", [] { return 16 * dcache_misses(); }},
    {"icache_mis", [] { return n("icache_misses"); }},
    {"icache_held", [] { return 12 * n("icache_misses"); }},
    {"tlb_mis", [] { return tlb_misses(); }},
    {"dtlb_mis", [] { return n("dtlb_misses"); }},
    {"itlb_mis", [] { return n("itlb_misses"); }},
    {"tlb_held", [] { return 36 * tlb_misses(); }},
    {"dtlb_held", [] { return 36 * n("dtlb_misses"); }},
    {"itlb_held", [] { return 36 * n("itlb_misses"); }},
    {"scu_requests",
     [] { return dcache_misses() + n("dcache_castouts") + n("icache_misses") + tlb_misses() + io(); }},
    {"scu_latency", [] { return stall_cycles(); }},
    {"io_requests", [] { return io(); }},
    {"dma_rd", [] { return n("dma_read_lines"); }},
    {"dma_wr", [] { return n("dma_write_lines"); }},
    {"dma_lines", [] { return dma(); }},
    {"sio_requests", [] { return io() + dma(); }},
    {"mem_reads", [] { return dcache_misses() + n("icache_misses") + n("dma_read_lines"); }},
    {"mem_writes", [] { return n("dcache_castouts") + n("dma_write_lines"); }},
    {"mem_lines", [] { return dcache_misses() + n("icache_misses") + n("dcache_castouts") + dma(); }},
    {"mem_bus_busy",
     [] { return 8 * (dcache_misses() + n("dcache_castouts") + dma()) + 4 * n("icache_misses"); }},
    {"cycles", [] { return n("cycles") + stall_cycles(); }},
    {"errors", [] { return uint64_t{0}; }},
};

uint64_t expected(std::string_view name) {
  const auto found = kDefinitions.find(name);
  return found == kDefinitions.end() ? n(name) : found->second();
}

// How a driver reads a row.
uint32_t mmcr_of(const Row& row) {
  switch (row.unit) {
    case 0:
      return P2_MMCR_FPU(row.group);
    case 1:
      return P2_MMCR_FXU(row.group);
    case 2:
      return P2_MMCR_ICU(row.group);
    case 3:
      return P2_MMCR_SCU(row.group);
    default:
      return row.unit == 4 ? P2_MMCR_SGA : 0;
  }
}
unsigned register_of(const Row& row) { return row.unit < 4 ? 5 * row.unit + row.counter : row.counter; }

TEST(P2Events, EveryPublishedRowCountsWhatItsDefinitionSays) {
  for (const Row& row : kRows) {
    Bench b;
    b.set(reg::kMmcr, mmcr_of(row));
    b.set(reg::kSpe, 1);
    for (unsigned s = 0; s < P2_SOURCES; ++s) b.happens(s, times(s));
    EXPECT_EQ(b.count(register_of(row)), static_cast<uint32_t>(expected(row.name)))
        << row.name << ", unit " << row.unit << ", group " << row.group;
  }
}

TEST(P2Events, EveryPlaceIsPublishedOnce) {
  std::set<std::tuple<unsigned, unsigned, unsigned>> places;
  std::map<std::string, std::string> texts;
  for (const Row& row : kRows) {
    EXPECT_TRUE(places.insert({row.unit, row.group, row.counter}).second) << row.name;
    EXPECT_EQ(texts.emplace(row.name, row.text).first->second, row.text) << row.name << " has two meanings";
  }
  EXPECT_EQ(places.size(), 4u * 16 * 5 + 20 + 2);
  for (unsigned unit = 0; unit < 4; ++unit)
    for (unsigned group = 0; group < 16; ++group)
      for (unsigned i = 0; i < 5; ++i) EXPECT_TRUE(places.contains({unit, group, i}));
  for (unsigned i = 0; i < 20; ++i) EXPECT_TRUE(places.contains({4, 0, i}));
  EXPECT_TRUE(places.contains({5, 0, P2_CYCLES}) && places.contains({5, 0, P2_ERRORS}));
}

TEST(P2Events, AGroupHasFiveDifferentEvents) {
  for (unsigned unit = 0; unit < kUnits; ++unit)
    for (unsigned number = 0; number < kGroups; ++number) {
      const Group& g = group(unit, number);
      EXPECT_EQ(std::set<uint16_t>(std::begin(g.event), std::end(g.event)).size(), 5u)
          << kUnitNames[unit] << number;
    }
  EXPECT_EQ(std::set<uint16_t>(kScuGetsAll, kScuGetsAll + 20).size(), 20u);
}

TEST(P2Events, EveryEventIsInAGroupAndEverySourceInAnEvent) {
  std::set<std::string_view> placed, used;
  for (const Row& row : kRows) placed.insert(row.name);
  for (const Event& e : kEvents) {
    EXPECT_TRUE(placed.contains(e.name)) << e.name << " can be counted nowhere";
    EXPECT_EQ(e.text.find_first_of("\"\\\n|"), e.text.npos) << e.name;
    for (const Term& t : e.sum()) used.insert(source_name(t.source));
  }
  for (unsigned s = 0; s < P2_SOURCES; ++s) EXPECT_TRUE(used.contains(source_name(s))) << source_name(s);
  for (const auto& [other, name] : kAliases) {
    EXPECT_TRUE(placed.contains(name)) << name;
    EXPECT_FALSE(placed.contains(other)) << other;
  }
}

// A definition above that nothing has would be tested by nothing.
TEST(P2Events, TheDefinitionsHereAreAllUsed) {
  for (const auto& [name, sum] : kDefinitions)
    EXPECT_TRUE(std::any_of(kEvents.begin(), kEvents.end(), [&](const Event& e) { return e.name == name; }))
        << name;
}

// What the paper says that each unit counts, in its words ("FXU observable events" and so on), and where it
// is here.
struct Kind {
  unsigned unit;
  const char* words;
  std::vector<const char*> events;
};
TEST(P2Events, EveryKindThatThePaperNamesIsThere) {
  const Kind kinds[] = {
      {1, "cycles inhibited: branch delays", {"held_branch"}},
      {1, "cycles inhibited: data cache misses", {"dcache_held", "fxu_held_load"}},
      {1, "cycles inhibited: floating-point interactions", {"fxu_held_fpu"}},
      {1, "cycles inhibited: TLB reloads", {"tlb_held"}},
      {1, "the timing of multicycle instructions", {"fxu_held_multi"}},
      {1, "fixed-point instruction counts", {"fxu_instructions", "fx_arith", "fx_mul", "fx_div"}},
      {1,
       "utilization of the internal elements",
       {"fxu0_instructions", "fxu1_instructions", "fxu0_busy", "fxu1_busy"}},
      {1, "opportunity by altering the scheduling", {"lost"}},
      {1, "the kind of scheduling opportunities", {"lost_pair", "lost_load", "lost_multi", "lost_other"}},
      {1, "specific instructions (IMR)", {"imr"}},
      {1, "cycles for which the SPE bit is 1", {"spe_cycles"}},
      {2, "instruction cache and TLB misses", {"icache_mis", "itlb_mis"}},
      {2,
       "instructions fetched, dispatched, and executed",
       {"instructions_fetched", "instructions_dispatched", "instructions"}},
      {2, "interrupts acknowledged", {"interrupts"}},
      {2,
       "classes of instructions, particularly branches",
       {"branches", "br_conditional", "br_unconditional", "br_link_register", "br_count_register", "br_count",
        "br_call", "br_return", "condition_ops", "system_calls"}},
      {2,
       "sources of dispatch and branch delay",
       {"held_branch_fxu", "held_branch_fpu", "held_branch_icu", "held_fxu_queue", "held_fpu_queue",
        "held_rename", "held_sync"}},
      {0, "conditions causing execution delays", {"fpu_held_load", "fpu_held_result", "fpu_held_divide"}},
      {0,
       "execution element utilizations",
       {"fpu0_busy", "fpu1_busy", "fpu0_instructions", "fpu1_instructions"}},
      {0, "number of instructions executed", {"fpu_instructions"}},
      {0, "special number processing delays", {"special_numbers", "special_delay"}},
      {0,
       "classes of instructions executed",
       {"fp_add", "fp_mul", "fp_fma", "fp_div", "fp_sqrt", "fp_compare", "fp_convert", "fp_move"}},
      {0, "register-renaming stalls", {"held_rename"}},
      {0, "queue-related stall cases", {"held_fpu_queue", "fxu_held_fpu"}},
      {3,
       "number and type of storage operation requests",
       {"scu_requests", "dcache_load_mis", "dcache_store_mis", "dcache_castouts", "icache_mis", "tlb_mis"}},
      {3, "latency for such requests", {"scu_latency", "dcache_held", "icache_held", "tlb_held"}},
      {3, "DMA activity", {"dma_rd", "dma_wr", "dma_lines"}},
      {3, "memory bus activity", {"mem_reads", "mem_writes", "mem_bus_busy"}},
      {3, "SIO bus activity", {"io_loads", "io_stores", "sio_requests"}},
  };
  for (const Kind& kind : kinds)
    for (const char* name : kind.events)
      EXPECT_TRUE(
          std::any_of(std::begin(kRows), std::end(kRows),
                      [&](const Row& r) { return r.unit == kind.unit && std::string_view(r.name) == name; }))
          << kUnitNames[kind.unit] << ": " << kind.words << ": " << name;
}

// "strictly storage-control counts": with SGA no statistic of the machine model is needed.
TEST(P2Events, ScuGetsAllIsAboutStorageOnly) {
  for (uint16_t e : kScuGetsAll)
    for (const Term& t : kEvents[e].sum()) EXPECT_GE(t.source, P2_STATS) << kEvents[e].name;
}

TEST(P2Events, APenaltyOfZeroCostsNothing) {
  P2Config c = Bench::default_config();
  c.penalty = {};
  uint64_t totals[P2_SOURCES];
  for (unsigned s = 0; s < P2_SOURCES; ++s) totals[s] = times(s);
  EXPECT_EQ(value_of(kEvents[kCyclesEvent], c, totals), n("cycles"));
}

TEST(P2Events, ALineThatIsShorterThanTheBusTakesACycle) {
  P2Config c = Bench::default_config();
  c.geometry.dcache_line = 16;
  c.geometry.icache_line = 16;
  uint64_t totals[P2_SOURCES] = {};
  totals[P2S_dma_read_lines] = 5;
  totals[P2S_icache_misses] = 7;
  const auto busy =
      std::find_if(kEvents.begin(), kEvents.end(), [](const Event& e) { return e.name == "mem_bus_busy"; });
  EXPECT_EQ(value_of(*busy, c, totals), 12u);
}

}  // namespace
}  // namespace perfboard::p2
