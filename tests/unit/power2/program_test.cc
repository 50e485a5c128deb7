// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program on paper, through the models to the registers: eight POWER instructions that the machine model
// times, the caches and TLBs of the wide node look up, IMR matches; then every published event is read as a
// driver does. What is counted is derived in the comments from MACHINE.md's rules; an event that has no line
// there counts 0.
#include <map>
#include <vector>

#include "guest/power2/events.h"
#include "guest/power2/regs.h"
#include "hw/power2/events.h"
#include "hw/power2/machine.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

constexpr uint8_t gpr(unsigned n) { return static_cast<uint8_t>(kGeneral0 + n); }
constexpr uint8_t fpr(unsigned n) { return static_cast<uint8_t>(kFloat0 + n); }

struct Registers {
  std::vector<uint8_t> reads, writes;
  uint8_t addresses = 0;  // the first of `reads`
};
ModelInsn insn(uint32_t opcode, Op op, const Registers& r) {
  ModelInsn i{.opcode = opcode, .bytes = 4, .op = op};
  for (uint8_t n : r.reads) i.read[i.reads++] = n;
  for (uint8_t n : r.writes) i.write[i.writes++] = n;
  i.address_reads = r.addresses;
  return i;
}

// Where the program and its data are.
constexpr uint64_t kCode = 0x10000, kData = 0x20000;
constexpr uint32_t kAdd = 0x7c000214;  // the add, without its registers

// Dispatched in cycle                          begins
//  0  lwz   r3,0(r4)      FXU0 in 1, r3 in 3
//  0  add   r5,r3,r6      FXU0 in 3: waits for r3 in 2 (held by a load; opportunity lost in 1), r5 in 4
//  0  cmpw  cr0,r5,r7     FXU0 in 4: not beside the add (opportunity lost in 3), cr0 for the branch in 7
//  0  lfd   f1,8(r4)      FXU1 in 4: a pair; f1 in 6
//  1  fmadd f2,f1,f3,f2   FPU0 in 6: nothing is there in 1, waits for f1 in 2 to 5; f2 in 8
//  1  stfd  f2,16(r4)     FXU0 in 5; its data in 8
//  7  bne   cr0           ICU: nothing is dispatched in 2 to 6
//  8  isync               ICU: all is complete in 8; what comes next is dispatched in 9
// 9 cycles: 0 dispatches four, 1 two, 2 to 6 none, 7 and 8 one each.
// Units from 1 to 9: FXU0 begins in 1, 3, 4, 5; is held in 2, empty in 6 to 9. FPU0 begins in 6; held in 2 to
// 5, empty in 1, 7 to 9.
std::vector<ModelInsn> program() {
  const uint8_t cr0 = kCondition0;
  std::vector<ModelInsn> p = {
      insn(0x80640000, Op::kLoad, {{gpr(4)}, {gpr(3)}, 1}),
      insn(0x7ca33214, Op::kInteger, {{gpr(3), gpr(6)}, {gpr(5)}}),
      insn(0x7c053800, Op::kInteger, {{gpr(5), gpr(7)}, {cr0}}),
      insn(0xc8240008, Op::kFloatLoad, {{gpr(4)}, {fpr(1)}, 1}),
      insn(0xfc4110fa, Op::kFloatMultiplyAdd, {{fpr(1), fpr(3), fpr(2)}, {fpr(2)}}),
      insn(0xd8440010, Op::kFloatStore, {{gpr(4), fpr(2)}, {}, 1}),
      insn(0x40820000, Op::kBranch, {{cr0}, {}}),
      insn(0x4c00012c, Op::kSync, {}),
  };
  p[0].loads = p[3].loads = p[5].stores = 1;
  p[3].float_data = p[5].float_data = true;
  p[6].branch = p[6].conditional = true;
  p[6].needs = kNeedsCondition;
  p[7].serializes = true;
  return p;
}

// One line of code and of data, each on a page of its own, in empty caches and TLBs: the first access to each
// misses.
const std::map<std::string_view, uint32_t> kExpected = {
    {"instructions", 8},
    {"instructions_fetched", 8},
    {"instructions_dispatched", 10},  // lfd and stfd go to both
    {"dispatched_fxu", 5},
    {"dispatched_fpu", 3},
    {"icu_instructions", 2},
    {"imr", 1},
    {"fxu_instructions", 5},
    {"fxu0_instructions", 4},
    {"fxu1_instructions", 1},
    {"load_instructions", 2},
    {"store_instructions", 1},
    {"storage_instructions", 3},
    {"fx_arith", 1},
    {"fx_compare", 1},
    {"fx_load", 1},
    {"fp_load", 1},
    {"fp_store", 1},
    {"fxu0_busy", 4},
    {"fxu1_busy", 1},
    {"fxu_pairs", 1},
    {"fxu_empty", 4},
    {"fxu_held", 1},
    {"fxu_held_load", 1},
    {"lost", 2},
    {"lost_load", 1},
    {"lost_pair", 1},
    {"branches", 1},
    {"br_conditional", 1},
    {"syncs", 1},
    {"dispatch_0", 5},
    {"dispatch_1", 2},
    {"dispatch_2", 1},
    {"dispatch_4", 1},
    {"held_branch", 5},
    {"held_branch_fxu", 5},
    {"machine_cycles", 9},
    {"fpu_instructions", 1},
    {"fpu0_instructions", 1},
    {"fp_fma", 1},
    {"fp_arith", 1},
    {"flops", 2},
    {"fpu0_busy", 1},
    {"fpu_empty", 4},
    {"fpu_held", 4},
    {"fpu_held_load", 4},
    {"loads", 2},
    {"stores", 1},
    {"accesses", 3},
    {"dcache_mis", 1},
    {"dcache_load_mis", 1},
    {"dcache_held", 16},
    {"icache_mis", 1},
    {"icache_held", 12},
    {"tlb_mis", 2},
    {"dtlb_mis", 1},
    {"itlb_mis", 1},
    {"tlb_held", 72},
    {"dtlb_held", 36},
    {"itlb_held", 36},
    {"scu_requests", 4},
    {"scu_latency", 16 + 12 + 72},
    {"mem_reads", 2},
    {"mem_lines", 2},
    {"mem_bus_busy", 8 + 4},
    {"cycles", 9 + 16 + 12 + 72},
    {"spe_cycles", 9 + 16 + 12 + 72},
};

// The models' memory, empty.
template <typename Node, typename Geometry>
struct Model {
  Model(const Geometry& g, size_t bytes, void (*attach)(Node*, const Geometry*, void*))
      : memory(bytes / 8 + 1) {
    attach(&node, &g, memory.data());
  }
  std::vector<uint64_t> memory;
  Node node;
};

void run(Bench& b) {
  const P2Config& config = b.monitors[0].config;
  const CacheGeometry d = p2_dcache(&config.geometry), f = p2_icache(&config.geometry);
  const TlbGeometry t = p2_tlb(&config.geometry), u = p2_itlb(&config.geometry);
  Model<CacheNode, CacheGeometry> dcache(d, cache_state_bytes(&d), cache_attach);
  Model<CacheNode, CacheGeometry> icache(f, cache_state_bytes(&f), cache_attach);
  Model<TlbNode, TlbGeometry> tlb(t, tlb_state_bytes(&t), tlb_attach),
      itlb(u, tlb_state_bytes(&u), tlb_attach);

  std::vector<ModelInsn> p = program();
  uint64_t data = kData;
  for (size_t i = 0; i < p.size(); ++i) {
    p[i].address = kCode + 4 * i;
    if (cache_load(&icache.node, p[i].address, 4) == CACHE_BUS) b.happens(P2S_icache_misses);
    if (!tlb_use(&itlb.node, p[i].address >> 12)) b.happens(P2S_itlb_misses);
    if (imr_matches(p[i], b.get(reg::kImr), true)) b.happens(P2S_imr_matches);
    if (!p[i].loads && !p[i].stores) continue;
    if (!tlb_use(&tlb.node, data >> 12)) b.happens(P2S_dtlb_misses);
    if (p[i].loads) {
      b.happens(P2S_loads);
      if (cache_load(&dcache.node, data, 8) == CACHE_BUS) b.happens(P2S_dcache_load_misses);
    } else {
      b.happens(P2S_stores);
      if (cache_store(&dcache.node, data, 8, false)) b.happens(P2S_dcache_store_misses);
    }
    data += 8;
  }
  MachineState state{};
  uint32_t counts[kStats];
  machine_run(p.data(), p.size(), &state, counts);
  for (unsigned s = 0; s < P2_STATS; ++s) b.happens(s, counts[s]);
}

struct Published {
  std::string_view name;
  unsigned unit, group, counter;
};
constexpr Published kPublished[] = {
#define ROW(name, unit, group, counter, text) {#name, unit, group, counter},
    P2_EVENTS(ROW)
#undef ROW
};

TEST(P2Program, EveryEventIsWhatThePaperSays) {
  std::map<std::string_view, uint32_t> left = kExpected;
  for (const Published& row : kPublished) {
    Bench b;
    const unsigned shift = row.unit < 4 ? 12 - 4 * row.unit : 0;
    b.user();
    b.mark();
    b.set(reg::kImr, kAdd);
    b.set(reg::kSpe, 1);
    b.set(reg::kMmcr, mmcr::kDp | mmcr::kDmr | (row.unit == 4 ? mmcr::kSga : row.group << shift));
    run(b);
    const auto line = kExpected.find(row.name);
    EXPECT_EQ(b.count(row.unit < 4 ? 5 * row.unit + row.counter : row.counter),
              line == kExpected.end() ? 0 : line->second)
        << row.name << ", unit " << row.unit << ", group " << row.group;
    left.erase(row.name);
  }
  EXPECT_TRUE(left.empty()) << left.begin()->first << " is no event";
}

TEST(P2Program, OfAnotherContextNothingIsCounted) {
  Bench b;
  b.kernel();
  b.set(reg::kMmcr, mmcr::kDp | mmcr::kDmr);
  run(b);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 0u);
}

}  // namespace
}  // namespace perfboard::p2
