// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ranges.h"

#include <algorithm>

#include "plugins/machine.h"

namespace perfboard {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

struct {
  struct {
    uint64_t low, high;
    unsigned users;
  } range[kMostRanges];
  std::atomic<unsigned> count{0};
  std::atomic<uint64_t> used{0};  // a bit for each
} g_ranges;

std::atomic<unsigned> g_io_users{0};

// The pages of the machine's memory that the range touches. What is no memory takes the slow path anyway.
void mark(uint64_t low, uint64_t high) {
  const PbRamMap& map = *pb_machine.ram_map();
  for (uint32_t i = 0; i < map.count; ++i) {
    const PbRamPiece& piece = map.piece[i];
    const uint64_t first = std::max(low, piece.addr) >> PB_PAGE_BITS;
    const uint64_t last = std::min(high, piece.addr + piece.bytes - 1) >> PB_PAGE_BITS;
    if (low <= piece.addr + piece.bytes - 1 && high >= piece.addr)
      g_layer.pages.mark(first, last - first + 1, kRangesOwner, true);
  }
}

}  // namespace

uint32_t ranges_features() { return g_ranges.used.load(kRelaxed) ? kMarkedStores | kMarkedLoads : 0; }

void ranges_moved() {
  g_layer.pages.unmark_all(kRangesOwner);
  each_bit(g_ranges.used.load(kRelaxed),
           [](unsigned i) { mark(g_ranges.range[i].low, g_ranges.range[i].high); });
}

int range_open(uint64_t low, uint64_t high) {
  const unsigned n = g_ranges.count.load(kRelaxed);
  for (unsigned i = 0; i < n; ++i)
    if (g_ranges.range[i].low == low && g_ranges.range[i].high == high) return static_cast<int>(i);
  if (n == kMostRanges) return -1;
  g_ranges.range[n] = {low, high, 0};
  g_ranges.count.store(n + 1, std::memory_order_release);
  return static_cast<int>(n);
}

void range_use(int range, bool on) {
  auto& r = g_ranges.range[range];
  r.users += on ? 1u : -1u;
  if (r.users != (on ? 1u : 0u)) return;  // it was in use before, or still is
  put_bit(g_ranges.used, static_cast<unsigned>(range), on);
  layer_changed();
  ranges_moved();
  if (on) pb_machine.filter_changed();
}

uint64_t range_count(unsigned range, unsigned vcpu, bool privileged) {
  return g_layer.cpus[vcpu].in_range[range][privileged].load(kRelaxed);
}

uint64_t ranges_touched(uint64_t addr, unsigned bytes) {
  uint64_t touched = 0;
  each_bit(g_ranges.used.load(kAcquire), [&](unsigned i) {
    if (addr <= g_ranges.range[i].high && addr + bytes - 1 >= g_ranges.range[i].low)
      touched |= uint64_t{1} << i;
  });
  return touched;
}

void ranges_add(Vcpu& cpu, uint64_t ranges, bool privileged, bool several) {
  each_bit(ranges, [&](unsigned i) {
    add(cpu.in_range[i][privileged], 1);
    if (several) cpu.tried[i]++;
  });
}

void ranges_done(Vcpu& cpu) { std::fill_n(cpu.tried, g_ranges.count.load(kRelaxed), 0u); }

void ranges_take_back(Vcpu& cpu, bool privileged) {
  for (unsigned i = 0; i < g_ranges.count.load(kRelaxed); ++i)
    add(cpu.in_range[i][privileged], -uint64_t{cpu.tried[i]});
  ranges_done(cpu);
}

bool io_used() { return g_io_users.load(kRelaxed) != 0; }

// A device's page has a flag in its TLB entry, so each such access takes the slow path.
uint32_t io_features() { return io_used() ? kMarkedStores | kMarkedLoads : 0; }

void io_use(bool on) {
  const bool was = io_used();
  g_io_users.fetch_add(on ? 1u : -1u, kRelaxed);
  if (io_used() == was) return;
  layer_changed();
  if (on) pb_machine.filter_changed();
}

uint64_t io_count(unsigned vcpu, bool privileged, bool store) {
  const Vcpu& cpu = g_layer.cpus[vcpu];
  return (store ? cpu.io_stores : cpu.io_loads)[privileged].load(kRelaxed);
}

}  // namespace perfboard
