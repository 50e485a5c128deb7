// SPDX-License-Identifier: GPL-2.0-or-later
//
// Every row of the published table of events, by the registers: MMCR is set as the row says, every source
// happens so and so many times, and the counter has the sum that the event's definition says. The definitions
// stand here a second time, by hand.
#include "hw/power2/events.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
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

// Sums of sources and of other events, as often as the number before * says; what is not here is a source's
// name. The wide node: penalties 16, 36, 12; a line of 256 or 128 bytes takes 8 or 4 cycles of its bus.
const std::map<std::string_view, const char*> kDefinitions = {
    {"instructions", "insns"},
    {"instructions_fetched", "fetched"},
    {"instructions_dispatched", "dispatched_fxu dispatched_fpu dispatched_icu"},
    {"icu_instructions", "dispatched_icu"},
    {"imr", "imr_matches"},
    {"fxu_instructions", "fxu0 fxu1"},
    {"fxu0_instructions", "fxu0"},
    {"fxu1_instructions", "fxu1"},
    {"load_instructions", "fx_load fp_load fx_load_store"},
    {"store_instructions", "fx_store fp_store fx_load_store"},
    {"storage_instructions", "fx_load fp_load fx_store fp_store fx_load_store"},
    {"fxu_held", "fxu_held_load fxu_held_result fxu_held_multi fxu_held_fpu"},
    {"lost", "lost_pair lost_load lost_multi lost_other"},
    {"spe_cycles", "cycles scu_latency"},
    {"held_branch", "held_branch_fxu held_branch_fpu held_branch_icu"},
    {"machine_cycles", "cycles"},
    {"fpu_instructions", "fpu0 fpu1"},
    {"fpu0_instructions", "fpu0"},
    {"fpu1_instructions", "fpu1"},
    {"fp_arith", "fp_add fp_mul fp_fma fp_div fp_sqrt"},
    {"flops", "fp_add fp_mul 2*fp_fma fp_div fp_sqrt"},
    {"fpu_held", "fpu_held_load fpu_held_result fpu_held_divide"},
    {"special_delay", "4*special_numbers"},
    {"accesses", "loads stores"},
    {"dcache_mis", "dcache_load_misses dcache_store_misses"},
    {"dcache_load_mis", "dcache_load_misses"},
    {"dcache_store_mis", "dcache_store_misses"},
    {"dcache_held", "16*dcache_mis"},
    {"icache_mis", "icache_misses"},
    {"icache_held", "12*icache_misses"},
    {"tlb_mis", "dtlb_misses itlb_misses"},
    {"dtlb_mis", "dtlb_misses"},
    {"itlb_mis", "itlb_misses"},
    {"tlb_held", "36*tlb_mis"},
    {"dtlb_held", "36*dtlb_misses"},
    {"itlb_held", "36*itlb_misses"},
    {"scu_requests", "dcache_mis dcache_castouts icache_misses tlb_mis io_requests"},
    {"scu_latency", "dcache_held tlb_held icache_held"},
    {"io_requests", "io_loads io_stores"},
    {"dma_rd", "dma_read_lines"},
    {"dma_wr", "dma_write_lines"},
    {"dma_lines", "dma_read_lines dma_write_lines"},
    {"sio_requests", "io_requests dma_lines"},
    {"mem_reads", "dcache_mis icache_misses dma_read_lines"},
    {"mem_writes", "dcache_castouts dma_write_lines"},
    {"mem_lines", "dcache_mis icache_misses dcache_castouts dma_lines"},
    {"mem_bus_busy", "8*dcache_mis 8*dcache_castouts 8*dma_lines 4*icache_misses"},
    {"cycles", "cycles scu_latency"},
    {"errors", ""},
};

uint64_t expected(std::string_view event) {
  const auto found = kDefinitions.find(event);
  if (found == kDefinitions.end()) return n(event);
  uint64_t sum = 0;
  std::istringstream words(found->second);
  for (std::string word; words >> word;) {
    const size_t star = word.find('*');
    const std::string name = word.substr(star + 1);
    sum += (star == word.npos ? 1 : std::stoul(word)) * (name == "cycles" ? n(name) : expected(name));
  }
  return sum;
}

// How a driver reads a row.
uint32_t mmcr_of(const Row& row) {
  const uint32_t g = row.group,
                 all[] = {P2_MMCR_FPU(g), P2_MMCR_FXU(g), P2_MMCR_ICU(g), P2_MMCR_SCU(g), P2_MMCR_SGA, 0};
  return all[row.unit];
}
unsigned register_of(const Row& row) { return row.unit < 4 ? 5 * row.unit + row.counter : row.counter; }

TEST(P2Events, EveryPublishedRowCountsWhatItsDefinitionSays) {
  for (const Row& row : kRows) {
    Bench b;
    b.mode(mmcr_of(row));
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
