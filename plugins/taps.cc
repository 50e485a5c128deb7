// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/taps.h"

#include <algorithm>
#include <iterator>

#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/pass.h"
#include "plugins/ranges.h"
#include "plugins/taps_state.h"

PbMachine pb_machine;

namespace perfboard {

Forever<Layer> g_layer_forever;
Taps g_taps;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

PbBusCounts operator+(PbBusCounts a, PbBusCounts b) { return {a.reads + b.reads, a.writes + b.writes}; }
PbBusCounts operator-(PbBusCounts a, PbBusCounts b) { return {a.reads - b.reads, a.writes - b.writes}; }

PbBusCounts of(const BusCount& n) { return {n.reads.load(kRelaxed), n.writes.load(kRelaxed)}; }

// What the fast paths have counted for this tap and its like, ever.
PbBusCounts fast(const PbTap& tap) {
  PbBusCounts sum{};
  for (unsigned i = 0; !tap.caches && i < g_layer.cpu_count; ++i) {
    PbAccessCount passed;
    sum = sum + of(g_layer.cpus[i].uncached);
    if (pb_machine.access_count(i, &passed)) sum = sum + PbBusCounts{passed.loads, passed.stores};
  }
  return sum;
}

PbBusCounts own(const PbTap& tap) {
  PbBusCounts sum{};
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) sum = sum + of(g_layer.cpus[i].tap[tap.number]);
  return sum;
}

bool on_bus(const PbTap& tap) { return tap.level == PB_TAP_BUS; }

// A bit of a mask that any thread writes. Whether it was another one.
bool put_shared_bit(std::atomic<uint32_t>& mask, unsigned number, bool on) {
  const uint32_t bit = 1u << number;
  if ((mask.load(kRelaxed) & bit) == (on ? bit : 0)) return false;
  if (on)
    mask.fetch_or(bit, kRelaxed);
  else
    mask.fetch_and(~bit, kRelaxed);
  return true;
}

void memory_moved() {
  g_layer.map.store(pb_machine.ram_map(), std::memory_order_release);
  g_layer.pages.map(pb_machine.ram_map());
  ranges_moved();
  pb_machine.filter_changed();
}

bool has_type(uint64_t page) { return (g_layer.pages.owners(page) & g_taps.types.load(kRelaxed)) != 0; }

void drained(unsigned vcpu, bool) { pass_drain(vcpu, 0); }

constexpr PbCpuEvents kDrainedBy = {nullptr, drained, drained, nullptr, nullptr};

// Taps hear of no store to a device's page. Where every access is on the bus, one to the processor's own is
// not.
bool may_be_marked(const uint8_t* host, uint64_t addr) {
  if (host) return g_layer.pages.maybe(host);
  return ranges_features() || io_used() ||
         ((g_layer.features.load(kRelaxed) & kBus) && pb_machine.in_processor(addr));
}

// Whether some tap has a use for stores, or loads, of this vCPU to this page.
bool told_of(const PbFilledPage* p, bool store) {
  const uint32_t told = g_layer.pages.owners(p->page) & (store ? g_taps.stores : g_taps.loads).load(kRelaxed);
  const uint32_t typed = g_taps.types.load(kRelaxed);
  bool wanted = false;
  each_bit(told, [&](unsigned t) {
    const PbTap& tap = *g_taps.tap[t];
    if (!tap.ops.unwatched) {
      wanted = true;
      return;
    }
    const uint8_t type = typed >> t & 1 ? pb_machine.memory_type(&p->view, p->mmu_mode, p->entry, p->vaddr)
                                        : uint8_t{PB_MEMORY_UNCACHED};
    const PbTapAccess page = {0,   p->page << PB_PAGE_BITS, 1 << PB_PAGE_BITS, p->vcpu, nullptr, store, false,
                              type};
    wanted |= !tap.ops.unwatched(tap.opaque, &page);
  });
  return wanted;
}

bool g_hooked;  // PbMachine::cpu_hook() knows these processors; else no block can be given up

bool g_dense;  // accesses to marked pages are so many that the filter costs less than watching these pages

void dense(bool is) {
  g_dense = is;
  layer_changed();
}

uint64_t marked_accesses() {
  uint64_t sum = 0;
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) sum += g_layer.cpus[i].marked.load(kRelaxed);
  return sum;
}

constexpr PbDensity kDensity = {dense, marked_accesses};

// Nothing else is asked of accesses.
bool only_marked(uint32_t features) {
  return (features & (kMarkedStores | kMarkedLoads)) && !(features & (kBus | kCached | kTlbUsed | kMany)) &&
         !ranges_features() && !io_used() && !g_dense && g_hooked;
}

// What await and are on the bus has changed, or may have: while there are such taps, no access passes without
// a call.
void share_awaited() {
  static std::mutex lock;
  const std::lock_guard guard(lock);
  pb_machine.access_count_none((g_layer.bus.load(kRelaxed) & g_layer.awaits.load(kRelaxed)) != 0);
}

// Translated code has a place for the page that a vCPU has fetched last, or none.
void share_fetched() {
  pb_machine.fetched_start();
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    PbFetched* const fetched = pb_machine.fetched(i);
    if (!fetched) continue;
    fetched->vcpu = &g_layer.cpus[i];
    g_layer.cpus[i].fetched = fetched;
  }
}

}  // namespace

uint32_t taps_features() {
  uint32_t features = 0;
  if (g_taps.stores.load(kRelaxed)) features |= kMarkedStores;
  if (g_taps.loads.load(kRelaxed)) features |= kMarkedLoads;
  for (const PbTap* tap : g_taps.tap)
    if (tap && on_bus(*tap) && !tap->caches) features |= kBus;
  each_bit(g_taps.types.load(kRelaxed), [&](unsigned t) {
    if (g_taps.tap[t]->ops.drain) features |= kDrains;
  });
  return features;
}

void layer_start(unsigned vcpus) {
  g_layer.cpus = new Vcpu[vcpus];  // for as long as the process lives
  g_layer.cpu_count = vcpus;
  for (unsigned i = 0; i < vcpus; ++i) g_layer.cpus[i].index = i;
}

void layer_vcpu_started(unsigned vcpu) {
  if (vcpu < g_layer.cpu_count) pb_machine.cpu_view(vcpu, &g_layer.cpus[vcpu].view);
}

void layer_vcpu_gone(unsigned vcpu) {
  if (vcpu >= g_layer.cpu_count) return;
  Vcpu& cpu = g_layer.cpus[vcpu];
  cpu.view = {};
  cpu.fetched = &cpu.nowhere;
  cpu.unfinished = {};
  cpu.locked = {};
  cpu.halfway = false;
  std::fill(std::begin(cpu.tried), std::end(cpu.tried), 0);
}

void layer_changed() {
  g_layer.hears.store(g_layer.bus.load(kRelaxed) || g_on_miss, kRelaxed);
  static bool watched;
  uint32_t features =
      taps_features() | models_features() | ranges_features() | io_features() | ports_features();
  if (features && !watched) {
    watched = true;
    pb_machine.ram_watch(memory_moved);
    memory_moved();
    pb_machine.filter_start(may_be_marked);
    share_awaited();
  }
  if (only_marked(features)) features |= kWatched;
  if ((features & kFetchPages) && g_layer.cpu_count && g_layer.cpus[0].fetched == &g_layer.cpus[0].nowhere)
    share_fetched();
  if (g_layer.next.exchange(features, std::memory_order_acq_rel) != features) pb_machine.retranslate();
}

void layer_adopt() {
  const uint32_t features = g_layer.next.load(std::memory_order_acquire);
  const uint32_t before = g_layer.features.exchange(features, std::memory_order_acq_rel);
  if ((features ^ before) & kWatched) pb_machine.watch(features & kWatched ? told_of : nullptr, &kDensity);
  if ((features ^ before) & kBus) pb_machine.filter_changed();  // may_be_marked() says another thing
}

}  // namespace perfboard

using namespace perfboard;

void pb_machine_is(const PbMachine* machine) { pb_machine = *machine; }

PbTap* pb_tap_new(const PbTapOps* ops, void* opaque) {
  PbTap** const place = std::find(std::begin(g_taps.tap), std::end(g_taps.tap), nullptr);
  if (place == std::end(g_taps.tap)) return nullptr;
  const auto number = static_cast<unsigned>(place - std::begin(g_taps.tap));
  *place = new PbTap{*ops, opaque, number, PB_TAP_NOTHING, nullptr, {}, {}, {}};
  (*place)->taken = own(**place);  // of another one, which had this place
  g_layer.awaits.fetch_or(1u << number);
  g_hooked = pb_machine.cpu_hook(&kDrainedBy, g_layer.cpu_count);
  return *place;
}

void pb_tap_close(PbTap* tap) {
  g_layer.pages.unmark_all(tap->number);
  pb_tap_want(tap, PB_TAP_NOTHING);
  pb_tap_caches(tap, nullptr);
  pb_tap_types(tap, false);
}

// What any thread sets may have been set by one that still was in a callback when the tap was closed.
void pb_tap_free(PbTap* tap) {
  g_taps.tap[tap->number] = nullptr;
  pb_tap_holds(tap, false);
  delete tap;
}

void pb_tap_want(PbTap* tap, PbTapLevel level) {
  if (tap->level == level) return;
  const bool was = on_bus(*tap), is = level == PB_TAP_BUS;
  if (is && !was) tap->begun = fast(*tap);
  if (was && !is) tap->kept = tap->kept + (fast(*tap) - tap->begun);
  tap->level = level;
  put_bit(g_taps.stores, tap->number, level >= PB_TAP_STORES);
  put_bit(g_taps.loads, tap->number, level == PB_TAP_PAGES);
  pb_machine.watch_anew(true);
  pb_machine.cpu_own_accesses(g_taps.loads.load(kRelaxed) ? pass_own_load : nullptr,
                              g_taps.stores.load(kRelaxed) ? pass_own_store : nullptr);
  put_bit(g_layer.bus, tap->number, is);
  share_awaited();
  if (is != was && tap->caches) pb_model_use(tap->caches, is);
  layer_changed();
}

void pb_tap_pages(PbTap* tap, uint64_t first, uint64_t n, bool on) {
  g_layer.pages.mark(first, n, tap->number, on);
  if (on) pb_machine.filter_changed();
  if (on && (g_taps.types.load(kRelaxed) >> tap->number & 1)) pb_machine.memory_types(has_type);
}

void pb_tap_caches(PbTap* tap, PbModel* caches) {
  if (tap->caches) put_bit(g_taps.write_through[tap->caches->index], tap->number, false);
  tap->caches = caches;
  if (caches) put_bit(g_taps.write_through[caches->index], tap->number, true);
}

void pb_tap_anew(bool others) { pb_machine.watch_anew(others); }

void pb_tap_awaits(PbTap* tap, bool on) {
  if (put_shared_bit(g_layer.awaits, tap->number, on)) share_awaited();
}

void pb_tap_types(PbTap* tap, bool on) {
  put_bit(g_taps.types, tap->number, on);
  if (on) pb_machine.memory_types(has_type);
  layer_changed();
}

void pb_tap_holds(PbTap* tap, bool on) { put_shared_bit(g_layer.holds, tap->number, on); }

PbBusCounts pb_tap_take(PbTap* tap) {
  PbBusCounts all = tap->kept + own(*tap);
  if (on_bus(*tap)) all = all + (fast(*tap) - tap->begun);
  const PbBusCounts fresh = all - tap->taken;
  tap->taken = all;
  return fresh;
}
