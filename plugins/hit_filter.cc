// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/hit_filter.h"

#include "plugins/access.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"

namespace perfboard {

namespace {

// A shorter line could have the key of none: an access of 16 bytes leaves no bit of its address out of the
// key.
constexpr unsigned kShortestLine = 32;

// A table by set, all zero; nothing for no sets.
template <typename T>
uint64_t make(std::unique_ptr<T[]>& table, uint32_t sets) {
  table = sets ? std::make_unique<T[]>(sets) : nullptr;
  return sets - 1;
}

// Where lines can be in it that level 1 has not: with one way no order changes, and what takes a place is of
// its set.
uint32_t sets_below(const CacheNode& c) { return c.l2_ways == 1 && !c.write_allocate ? c.l2_sets : 0; }

}  // namespace

void hit_filter_renew() {
  const uint32_t features = g_layer.features.load(std::memory_order_relaxed);
  const bool cached = features & kCached, tlb = features & kTlbUsed;
  unsigned bits = tlb ? PB_PAGE_BITS : 0;
  if (cached) {
    const CacheNode& c = g_layer.cpus[0].caches->node;
    bits = c.l1_sets && 1u << c.line_shift >= kShortestLine ? c.line_shift : 0;
  }
  if (features & (kBus | kMany) || !pb_machine.hit_filter_table(0)) bits = 0;
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    Vcpu& cpu = g_layer.cpus[i];
    HitFilter& s = cpu.hit_filter;
    hit_filter_clear(cpu);
    cpu.fetched->page = PB_FETCHED_NONE;
    s.table = bits ? pb_machine.hit_filter_table(i) : nullptr;
    s.bits = s.table ? bits : 0;  // there may never have been such a vCPU
    s.line_mask = make(s.of_line, s.bits && cached ? cache_fewest_sets(&cpu.caches->node) : 0);
    s.below_mask = make(s.of_below, s.bits && cached ? sets_below(cpu.caches->node) : 0);
    s.page_mask = make(s.of_page, s.bits && tlb ? cpu.tlb->node.sets : 0);
    if (!s.of_line) continue;
    const CacheNode& node = cpu.caches->node;
    s.sets = node.l1;
    s.set_mask = node.l1_sets - 1;
    s.ways = node.l1_ways;
    s.brings = node.write_allocate;
    s.alone = cache_one_level(&node);
  }
  pb_machine.hit_filter_lines(bits);
}

void hit_filter_clear(Vcpu& cpu) {
  HitFilter& s = cpu.hit_filter;
  for (; s.modes; s.modes &= s.modes - 1)
    std::memset(&s.table[__builtin_ctz(s.modes)], 0xff, sizeof *s.table);
  if (s.of_page) std::memset(s.of_page.get(), 0, (s.page_mask + 1) * sizeof s.of_page[0]);
}

void hit_filter_clear_pages(Vcpu& cpu) {
  for (uint64_t set = 0; cpu.hit_filter.of_page && set <= cpu.hit_filter.page_mask; ++set)
    hit_filter_take_out_page(cpu, cpu.hit_filter.of_page[set]);
}

void hit_filter_take_out_page(Vcpu& cpu, uint64_t& owner) {
  if (!owner) return;
  const unsigned bits = cpu.hit_filter.bits;
  PbHitLine* const mode = cpu.hit_filter.table[mmu_mode_of(static_cast<uint32_t>(owner >> 1))].line;
  PbHitLine* const first =
      &mode[owner >> (1 + PB_INFO_MODE_BITS) << PB_PAGE_BITS >> bits & (PB_HIT_LINES - 1)];
  if (bits == PB_PAGE_BITS)
    *first = {PB_HIT_NONE, PB_HIT_NONE};
  else
    std::memset(first, 0xff, sizeof(PbHitLine) << (PB_PAGE_BITS - bits));
  owner = 0;
}

void hit_filter_touch(Vcpu& cpu, uint64_t addr, uint32_t bytes) {
  if (!cpu.hit_filter.of_line) return;
  const uint64_t first = addr >> cpu.hit_filter.bits, last = (addr + bytes - 1) >> cpu.hit_filter.bits;
  if (last - first > cpu.hit_filter.line_mask) return hit_filter_clear(cpu);
  for (uint64_t line = first; line <= last; ++line) hit_filter_touch_line(cpu, line);
}

}  // namespace perfboard
