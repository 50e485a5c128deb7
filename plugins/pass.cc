// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/pass.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "plugins/access.h"
#include "plugins/hit_filter.h"
#include "plugins/isa/isa.h"
#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/ranges.h"
#include "plugins/taps_state.h"

namespace perfboard {

OnMiss g_on_miss;
OnFetchMiss g_on_fetch_miss;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// One access within one page, on the slow path.
struct Access {
  Vcpu& cpu;
  uint64_t vaddr;
  unsigned bytes;
  bool store;
  PassTag tag;
  bool goes_on = false;  // the bus has had it
};

// --- models --------------------------------------------------------------------------------------

// With paging off there are no translations, and no misses. A task switch changes the address space without
// an instruction that says so: that is noticed at the next miss.
bool misses_tlb(Vcpu& cpu, TlbNode& tlb, uint64_t page, bool fetch) {
  if (!tlb_has(&tlb, page)) {
    uint64_t space;
    if (!pb_machine.address_space(cpu.view.cpu, fetch, &space)) return false;
    if (space != tlb.state->space) {
      hit_filter_clear_pages(cpu);
      tlb_reset(&tlb);
      tlb.state->space = space;
    }
  }
  return !tlb_use(&tlb, page);
}

void through_tlbs(const Access& a, Found& found) {
  each_bit(g_models.tlbs.used.load(kAcquire), [&](unsigned m) {
    TlbNode& tlb = g_models.tlbs.models[m]->cpus[a.cpu.index].node;
    if (tlb_newest(&tlb, a.vaddr >> PB_PAGE_BITS)) return;
    hit_filter_touch_page(a.cpu, a.vaddr >> PB_PAGE_BITS);
    if (misses_tlb(a.cpu, tlb, a.vaddr >> PB_PAGE_BITS, false)) found.tlb_misses |= 1u << m;
  });
}

// Which models had to go to the bus.
uint32_t through_caches(const Access& a, uint64_t addr, uint32_t owners, Found& found) {
  uint32_t bus = 0;
  each_bit(g_models.caches.used.load(kAcquire), [&](unsigned m) {
    Modelled<CacheNode>& cpu = g_models.caches.models[m]->cpus[a.cpu.index];
    CacheNode& node = cpu.node;
    const uint64_t castouts = node.state->writebacks;
    hit_filter_touch(a.cpu, addr, a.bytes);
    const bool through = a.store && (owners & g_taps.write_through[m].load(kRelaxed));
    const bool missed = through ? !cache_holds(&node, addr, a.bytes) : false;
    const bool on_bus =
        a.store ? cache_store(&node, addr, a.bytes, through) : cache_load(&node, addr, a.bytes) == CACHE_BUS;
    if (through ? missed : on_bus) found.cache_misses |= 1u << m;
    if (on_bus) bus |= 1u << m;
    add(cpu.castouts[a.tag.privileged], node.state->writebacks - castouts);
  });
  return bus;
}

// --- taps ----------------------------------------------------------------------------------------

void tell(const Access& a, const PbTap& tap, uint64_t addr, const uint8_t* data, uint8_t type) {
  const uint64_t now = pb_machine.event_time(&a.cpu.view, a.tag.insns_left);
  const PbTapAccess access = {now, addr, a.bytes, a.cpu.index, data, a.store, a.tag.locked, type};
  tap.ops.on_access(tap.opaque, &access);
}

// told: the taps that have heard of the access with its bytes. bus: the models of caches that let it through
// to the bus.
void tell_bus(const Access& a, uint64_t addr, uint32_t told, uint32_t bus) {
  each_bit(g_layer.bus.load(kAcquire) & ~told, [&](unsigned t) {
    const PbTap& tap = *g_taps.tap[t];
    if (tap.caches ? !(bus >> tap.caches->index & 1) : a.goes_on) return;
    if (g_layer.awaits.load(kRelaxed) >> t & 1)
      tell(a, tap, addr, nullptr, PB_MEMORY_UNCACHED);
    else
      add(a.store ? a.cpu.tap[t].writes : a.cpu.tap[t].reads);
  });
}

// --- the pass ------------------------------------------------------------------------------------

constexpr uint32_t kAllModels = UINT32_MAX;

void tell_listener(const Modelled<CacheNode>& of, const Vcpu& cpu, bool store, const PassTag& tag) {
  if (g_on_miss)
    g_on_miss(store ? Missed::kDcacheStores : Missed::kDcacheLoads, &of, cpu.index, tag.privileged,
              tag.insns_left);
}

void count_miss(Modelled<CacheNode>& of, const Vcpu& cpu, bool store, const PassTag& tag) {
  add((store ? of.store_misses : of.misses)[tag.privileged]);
  tell_listener(of, cpu, store, tag);
}

void count_miss(Modelled<TlbNode>& of, const Vcpu& cpu, const PassTag& tag) {
  add(of.misses[tag.privileged]);
  if (g_on_miss) g_on_miss(Missed::kDtlb, &of, cpu.index, tag.privileged, tag.insns_left);
}

void tell_all(const Access& a, uint32_t taps, uint64_t addr, const uint8_t* host, uint8_t type) {
  const uint32_t typed = g_taps.types.load(kRelaxed);
  each_bit(taps, [&](unsigned t) {
    tell(a, *g_taps.tap[t], addr, host, typed >> t & 1 ? type : uint8_t{PB_MEMORY_UNCACHED});
  });
}

// A locked instruction makes one transaction, as the processor does: if its store faults, it has not begun.
// TCG loads first, and finds out at the store. So its load is told together with its store.
void later(const Access& a, const LockedLoad::Part& part) {
  LockedLoad& l = a.cpu.locked;
  if (part.taps && l.parts < std::size(l.part)) l.part[l.parts++] = part;
}

void locked_access(Vcpu& cpu, uint64_t vaddr, bool store, const PassTag& tag) {
  LockedLoad& l = cpu.locked;
  for (unsigned i = 0; store && l.vaddr == vaddr && i < l.parts; ++i) {
    const LockedLoad::Part& p = l.part[i];
    tell_all({cpu, vaddr, p.bytes, false, tag}, p.taps & g_taps.loads.load(kRelaxed), p.addr, p.host, p.type);
  }
  l.parts = 0;
  l.vaddr = vaddr;
}

// Returns the taps whose page it is.
uint32_t tell_owners(const Access& a, uint32_t info, const Place& place, uint32_t owners) {
  const uint32_t told = owners & (a.store ? g_taps.stores : g_taps.loads).load(kRelaxed);
  const uint32_t typed = told & g_taps.types.load(kRelaxed);
  const uint8_t type =
      typed ? pb_machine.memory_type(&a.cpu.view, mmu_mode_of(info), place.entry, a.vaddr) : uint8_t{0};
  if (a.tag.locked && !a.store)
    later(a, {place.addr, place.host, a.bytes, told, type});
  else
    tell_all(a, told, place.addr, place.host, type);
  return told;
}

void in_page(const Access& a, uint32_t info, Found& found) {
  Place place;
  through_tlbs(a, found);
  if (!place_of(a.cpu.view, info, a.vaddr, a.store, place)) return;
  found.ranges |= ranges_touched(place.addr, a.bytes);
  if (!place.host && pb_machine.in_processor(place.addr)) return;
  found.io |= !place.host;
  const uint32_t owners = g_layer.pages.owners(place.addr >> PB_PAGE_BITS);
  const PbRamPiece* const piece = place.host ? piece_of_host(*pb_machine.ram_map(), place.host) : nullptr;
  uint32_t bus = piece && piece->cached ? through_caches(a, place.addr, owners, found) : kAllModels;
  if (a.goes_on) bus &= ~a.cpu.found.bus;
  found.bus |= bus;
  const uint32_t told = place.host ? tell_owners(a, info, place, owners) : 0;
  tell_bus(a, place.addr, told, bus);
}

void own_access(unsigned vcpu, uint32_t info, uint64_t vaddr, bool store) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  Place place;
  for (unsigned left = bytes_of(info), n; left > 0; left -= n, vaddr += n) {
    n = std::min(left, static_cast<unsigned>(kPageMask + 1 - (vaddr & kPageMask)));
    if (!place_of(cpu.view, info, vaddr, store, place) || !place.host) continue;
    tell_owners({cpu, vaddr, n, store, {}}, info, place, g_layer.pages.owners(place.addr >> PB_PAGE_BITS));
  }
}

inline Found look(Vcpu& cpu, uint32_t info, uint64_t vaddr, bool store, const PassTag& tag, bool goes_on) {
  const unsigned bytes = bytes_of(info);
  const auto first = std::min(bytes, static_cast<unsigned>(kPageMask + 1 - (vaddr & kPageMask)));
  Found found;
  in_page({cpu, vaddr, first, store, tag, goes_on}, info, found);
  if (bytes > first) in_page({cpu, vaddr + first, bytes - first, store, tag}, info, found);
  return found;
}

inline void count(Vcpu& cpu, const Found& found, bool store, const PassTag& tag) {
  each_bit(found.cache_misses,
           [&](unsigned m) { count_miss(g_models.caches.models[m]->cpus[cpu.index], cpu, store, tag); });
  each_bit(found.tlb_misses,
           [&](unsigned m) { count_miss(g_models.tlbs.models[m]->cpus[cpu.index], cpu, tag); });
  ranges_add(cpu, found.ranges, tag.privileged, tag.several);
  if (found.io && io_used()) add((store ? cpu.io_stores : cpu.io_loads)[tag.privileged]);
}

// Any access. The fast paths leave to it what is not plain.
__attribute__((noinline)) void access(Vcpu& cpu, uint32_t info, uint64_t vaddr, bool store,
                                      const PassTag& tag) {
  models_drop_written(cpu.index);
  if (tag.locked) locked_access(cpu, vaddr, store, tag);
  const Found found = look(cpu, info, vaddr, store, tag, false);
  count(cpu, found, store, tag);
  // This access ends an iteration.
  if (tag.repeats && (store || (tag.halves && !cpu.halfway))) ranges_done(cpu);
}

template <bool kStore>
__attribute__((noinline)) void slow(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata) {
  access(g_layer.cpus[vcpu], info, vaddr, kStore, PassTag::unpack(udata));
}

// A part of one of the processor's: it counts what no other part of that has shown. Taps of its page hear of
// each part.
void piece(Vcpu& cpu, uint32_t info, uint64_t vaddr, bool store, const PassTag& tag) {
  const Pieced::Step step = cpu.pieced.next(vaddr, bytes_of(info), store);
  if (step.absent) return;
  models_drop_written(cpu.index);
  Found& all = cpu.found;
  if (step.begins) all = {};
  const bool new_page = step.begins || (vaddr & kPageMask) == 0;
  const Found found = look(cpu, info, vaddr, store, tag, !new_page);
  count(cpu,
        {found.cache_misses & ~all.cache_misses, found.tlb_misses & ~all.tlb_misses, 0,
         found.ranges & ~all.ranges, found.io && !all.io},
        store, tag);
  all = {all.cache_misses | found.cache_misses, all.tlb_misses | found.tlb_misses,
         (new_page ? 0 : all.bus) | found.bus, all.ranges | found.ranges, all.io || found.io};
  const auto size = static_cast<uint32_t>(std::countr_zero(cpu.pieced.more_bytes()));
  for (unsigned i = 0; i < step.more; ++i)
    access(cpu, with_size(info, size), step.from + (uint64_t{i} << size), false, tag);
}

// As the processor stores, not as TCG does (StoreOrder); and second loads that end an iteration.
template <bool kStore>
void peculiar(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  Unfinished& u = cpu.unfinished;
  const PassTag tag = PassTag::unpack(udata);
  if (!kStore && tag.halves) cpu.halfway = !cpu.halfway;
  if (kStore && tag.probes) {
    u.probed = !u.probed;
    if (u.probed) return;
  }
  if (tag.pieces) return piece(cpu, info, vaddr, kStore, tag);
  if (!kStore || !tag.reverses) return access(cpu, info, vaddr, kStore, tag);
  if (u.stores == 0) u.lowest = vaddr;
  if (++u.stores < kDescendingStores) return;
  while (u.stores > 0) access(cpu, info, u.lowest + --u.stores * bytes_of(info), true, tag);
}

inline bool awaited() { return (g_layer.bus.load(kRelaxed) & g_layer.awaits.load(kRelaxed)) != 0; }

// A plain access through the only caches, past level 1 or to two lines, that no tap without caches hears of.
template <bool kStore>
__attribute__((noinline)) void past_level_1(Vcpu& cpu, uint64_t addr, uint32_t info, uint64_t vaddr,
                                            void* udata) {
  if (cpu.written.any.load(kRelaxed)) models_drop_written(cpu.index);
  const unsigned bytes = bytes_of(info);
  hit_filter_touch(cpu, addr, bytes);
  CacheNode* const node = &cpu.caches->node;
  const uint64_t castouts = node->state->writebacks;
  const bool on_bus =
      kStore ? cache_store_slow(node, addr, bytes, false) : cache_load_slow(node, addr, bytes) == CACHE_BUS;
  const PassTag tag = PassTag::unpack(udata);
  if (node->state->writebacks != castouts)
    add(cpu.caches->castouts[tag.privileged], node->state->writebacks - castouts);
  if (!on_bus) return;
  count_miss(*cpu.caches, cpu, kStore, tag);
  tell_bus({cpu, vaddr, bytes, kStore, tag}, addr, 0, g_models.caches.used.load(kRelaxed));
}

// A plain access to a page that may be marked, and nothing but marked pages matters. As in_page(), a fifth of
// its instructions.
template <bool kStore>
__attribute__((noinline)) void marked(Vcpu& cpu, const PbTlbEntry& entry, uint32_t info, uint64_t vaddr,
                                      void* udata) {
  const unsigned mode = mmu_mode_of(info);
  const auto index = static_cast<uintptr_t>(&entry - table_of(cpu.view, mode).table);
  const uint64_t addr = pb_machine.tlb_phys(&cpu.view, mode, index) | (vaddr & kPageMask);
  const uint32_t owners = g_layer.pages.owners(addr >> PB_PAGE_BITS);
  const PassTag tag = PassTag::unpack(udata);
  if (tag.locked || owners >> kRangesOwner & 1) return slow<kStore>(cpu.index, info, vaddr, udata);
  uint32_t told = owners & (kStore ? g_taps.stores : g_taps.loads).load(kRelaxed);
  if (!told) return;
  const uint32_t typed = told & g_taps.types.load(kRelaxed);
  PbTapAccess a = {
      .now = 0,
      .addr = addr,
      .bytes = bytes_of(info),
      .vcpu = cpu.index,
      .data = host_of(entry, vaddr),
      .store = kStore,
      .locked = false,
      .type = PB_MEMORY_UNCACHED,
  };
  uint8_t type = PB_MEMORY_UNCACHED;
  if (kStore && typed) type = pb_machine.memory_type(&cpu.view, mode, index, vaddr);
  for (; told; told &= told - 1) {
    const auto t = static_cast<unsigned>(__builtin_ctz(told));
    const PbTap& tap = *g_taps.tap[t];
    a.type = kStore && typed >> t & 1 ? type : uint8_t{PB_MEMORY_UNCACHED};
    if (tap.ops.ignores && tap.ops.ignores(tap.opaque, &a)) continue;
    if (!a.now) {
      a.now = pb_machine.event_time(&cpu.view, tag.insns_left);
      add(cpu.marked);
    }
    if (!kStore && typed >> t & 1) a.type = pb_machine.memory_type(&cpu.view, mode, index, vaddr);
    tap.ops.on_access(tap.opaque, &a);
  }
}

// The page is not the newest of its set in the only TLB, and becomes that.
void past_newest_page(Vcpu& cpu, uint64_t page, const PassTag& tag) {
  hit_filter_touch_page(cpu, page);
  if (misses_tlb(cpu, cpu.tlb->node, page, false)) count_miss(*cpu.tlb, cpu, tag);
}

// A plain access through the only caches, the only TLB or both, which nobody else hears of. Its line is in
// the hit filter then, if it can be.
template <bool kStore, uint32_t kWhat>
__attribute__((noinline)) void counted(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  const PbRamPiece& main = g_layer.map.load(std::memory_order_acquire)->piece[0];
  const auto offset = static_cast<uint64_t>(host_of(entry, vaddr) - main.host);
  if ((kWhat & kCached) && offset >= main.bytes) return slow<kStore>(vcpu, info, vaddr, udata);
  bool newest_page = true;  // where no TLB is in use any page will do
  if constexpr ((kWhat & kTlbUsed) != 0) {
    const uint64_t page = vaddr >> PB_PAGE_BITS;
    if (!tlb_newest(&cpu.tlb->node, page)) past_newest_page(cpu, page, PassTag::unpack(udata));
    newest_page = tlb_newest(&cpu.tlb->node, page);
  }
  uint64_t line = 0;
  bool dirty = true;
  if constexpr ((kWhat & kCached) != 0) {
    const uint64_t addr = main.addr + offset;
    CacheNode& node = cpu.caches->node;
    if (!(kStore ? cache_store_hits(&node, addr, bytes_of(info))
                 : cache_load_hits(&node, addr, bytes_of(info))))
      past_level_1<kStore>(cpu, addr, info, vaddr, udata);
    else
      hit_filter_touch(cpu, addr, bytes_of(info));
    line = addr >> node.line_shift;
    if (!cpu.hit_filter.bits || line != (addr + bytes_of(info) - 1) >> node.line_shift) return;
    const uint64_t newest = *cache_set(&node, line);
    if (newest >> 1 != line + 1) return;  // a store that misses brings no line
    dirty = newest & 1;
  }
  if (newest_page) hit_filter_put(cpu, mmu_mode_of(info), vaddr, line, dirty);
}

// Who hears of a plain access that has missed the only caches.
template <bool kStore>
__attribute__((noinline)) void tell_of_miss(Vcpu& cpu, uint32_t info, uint64_t vaddr, void* udata,
                                            uint64_t addr) {
  const PassTag tag = PassTag::unpack(udata);
  tell_listener(*cpu.caches, cpu, kStore, tag);
  tell_bus({cpu, vaddr, bytes_of(info), kStore, tag}, addr, 0, g_models.caches.used.load(kRelaxed));
}

template <bool kStore>
inline void missed(Vcpu& cpu, uint32_t info, uint64_t vaddr, void* udata, uint64_t addr) {
  add((kStore ? cpu.caches->store_misses : cpu.caches->misses)[PassTag::is_privileged(udata)]);
  if (g_layer.hears.load(kRelaxed)) tell_of_miss<kStore>(cpu, info, vaddr, udata, addr);
}

// A line that is not in the only caches, which have one level, has pushed this out of them.
template <bool kStore>
__attribute__((noinline)) void brought(Vcpu& cpu, uint32_t info, uint64_t vaddr, void* udata, uint64_t out,
                                       uint64_t addr) {
  CacheNode& node = cpu.caches->node;
  const uint64_t line = addr >> node.line_shift;
  if (kStore) *cache_set(&node, line) |= 1;
  cache_count_miss(&node, kStore, out);
  if (out & 1) add(cpu.caches->castouts[PassTag::is_privileged(udata)]);
  hit_filter_put_line(cpu.hit_filter, mmu_mode_of(info), vaddr, line, kStore);
  missed<kStore>(cpu, info, vaddr, udata, addr);
}

// A store to a line that is not in level 1 of the only caches, and that it does not bring.
__attribute__((noinline)) void past(Vcpu& cpu, uint32_t info, uint64_t vaddr, void* udata, uint64_t addr) {
  CacheNode& node = cpu.caches->node;
  const uint64_t line = addr >> node.line_shift;
  if (cache_store_below(&node, line)) return missed<true>(cpu, info, vaddr, udata, addr);
  if (cpu.hit_filter.of_below) hit_filter_put_below(cpu.hit_filter, mmu_mode_of(info), vaddr, line);
}

// A line that is not in level 1 of the only caches, and that comes there; there is a level 2.
template <bool kStore>
__attribute__((noinline)) void brought_below(Vcpu& cpu, uint32_t info, uint64_t vaddr, void* udata,
                                             uint64_t addr) {
  CacheNode& node = cpu.caches->node;
  const uint64_t line = addr >> node.line_shift, castouts = node.state->writebacks;
  hit_filter_touch_line(cpu, line);
  const bool on_bus = kStore ? cache_store_below(&node, line) : cache_load_below(&node, line) == CACHE_BUS;
  hit_filter_put_line(cpu.hit_filter, mmu_mode_of(info), vaddr, line, kStore);
  if (node.state->writebacks != castouts)
    add(cpu.caches->castouts[PassTag::is_privileged(udata)], node.state->writebacks - castouts);
  if (on_bus) missed<kStore>(cpu, info, vaddr, udata, addr);
}

// counted(), half of its instructions: what most accesses come to that the hit filter lacks. Without a
// call that comes back.
template <bool kStore, uint32_t kWhat>
inline void counted_fast(Vcpu& cpu, const PbTlbEntry& entry, uint32_t info, uint64_t vaddr, void* udata) {
  HitFilter& s = cpu.hit_filter;
  const unsigned mode = mmu_mode_of(info);
  if (!s.bits) return counted<kStore, kWhat>(cpu.index, info, vaddr, udata);
  if constexpr ((kWhat & kTlbUsed) != 0) {
    const uint64_t page = vaddr >> PB_PAGE_BITS;
    if (!hit_filter_has_page(s, page, mode)) {
      if (!tlb_renew_held(&cpu.tlb->node, page)) return counted<kStore, kWhat>(cpu.index, info, vaddr, udata);
      hit_filter_set_page(cpu, page, mode);
    }
  }
  uint64_t line = 0;
  bool dirty = true;
  if constexpr ((kWhat & kCached) != 0) {
    const PbRamPiece& main = g_layer.map.load(std::memory_order_acquire)->piece[0];
    const auto offset = static_cast<uint64_t>(host_of(entry, vaddr) - main.host);
    const uint64_t addr = main.addr + offset;
    line = addr >> s.bits;
    if (offset >= main.bytes || (addr + bytes_of(info) - 1) >> s.bits != line ||
        cpu.written.any.load(kRelaxed))
      return counted<kStore, kWhat>(cpu.index, info, vaddr, udata);
    uint64_t* const set = &s.sets[(line & s.set_mask) * s.ways];
    if (set[0] >> 1 != line + 1) {
      const bool brings = !kStore || s.brings;
      if (s.alone && brings) {
        bool hit;
        const uint64_t out = cache_renew(set, s.ways, line, &hit);
        if (!hit) return brought<kStore>(cpu, info, vaddr, udata, out, addr);
      } else if (!cache_renew_held(set, s.ways, line)) {
        if (brings) return brought_below<kStore>(cpu, info, vaddr, udata, addr);
        if (!s.alone) return past(cpu, info, vaddr, udata, addr);
        cpu.caches->node.state->bus_writes++;
        return missed<kStore>(cpu, info, vaddr, udata, addr);
      }
    }
    if (kStore) set[0] |= 1;
    dirty = set[0] & 1;
  }
  hit_filter_put_line(s, mode, vaddr, line, dirty);
}

// A function for each combination, so that none looks for what nobody wants.
template <bool kStore, uint32_t kWhat>
void fast(unsigned vcpu, uint32_t info, uint64_t vaddr, void* udata) {
  constexpr bool kMarked = (kWhat & (kMarkedStores | kMarkedLoads)) != 0;
  constexpr bool kOnlyMarked = kMarked && !(kWhat & ~(kMarkedStores | kMarkedLoads));
  Vcpu& cpu = g_layer.cpus[vcpu];
  const PbTlbEntry& entry = entry_of(cpu.view, info, vaddr);
  if constexpr (kOnlyMarked) {
    // A watched page's entry has this flag; in some series a device's has it, too.
    const uint64_t tag = kStore ? entry.addr_write : entry.addr_read;
    if (plain(tag & ~uint64_t{PB_TLB_FORCE_SLOW}, vaddr) &&
        !is_device(cpu.view, mmu_mode_of(info), entry, kStore)) {
      if (g_layer.pages.maybe(host_of(entry, vaddr))) marked<kStore>(cpu, entry, info, vaddr, udata);
      return;
    }
  }
  if (!plain(kStore ? entry.addr_write : entry.addr_read, vaddr) ||
      (kMarked && __builtin_expect(g_layer.pages.maybe(host_of(entry, vaddr)), 0)) ||
      ((kWhat & kBus) && __builtin_expect(awaited(), 0)))
    return slow<kStore>(vcpu, info, vaddr, udata);
  if constexpr ((kWhat & (kCached | kTlbUsed)) && !(kWhat & kBus))
    return counted_fast<kStore, kWhat>(cpu, entry, info, vaddr, udata);
  if (((kWhat & kTlbUsed) && !tlb_newest(&cpu.tlb->node, vaddr >> PB_PAGE_BITS)))
    return slow<kStore>(vcpu, info, vaddr, udata);
  if constexpr ((kWhat & kCached) != 0) {
    const PbRamPiece& main = g_layer.map.load(std::memory_order_acquire)->piece[0];
    const auto offset = static_cast<uint64_t>(host_of(entry, vaddr) - main.host);
    const uint64_t addr = main.addr + offset;
    CacheNode* const node = &cpu.caches->node;
    if (offset >= main.bytes) return slow<kStore>(vcpu, info, vaddr, udata);
    if (!(kStore ? cache_store_hits(node, addr, bytes_of(info))
                 : cache_load_hits(node, addr, bytes_of(info))))
      return slow<kStore>(vcpu, info, vaddr, udata);
  }
  if constexpr ((kWhat & kBus) != 0) add(kStore ? cpu.uncached.writes : cpu.uncached.reads);
}

// Bits of the index: marked, bus, cached, TLB.
template <bool kStore, size_t... kIndex>
constexpr std::array<AccessCallback, sizeof...(kIndex)> table(std::index_sequence<kIndex...>) {
  return {fast < kStore, (kIndex & 1 ? (kStore ? kMarkedStores : kMarkedLoads) : 0) |
                             (kIndex & 2 ? kBus : 0) | (kIndex & 4 ? kCached : 0) |
                             (kIndex & 8 ? kTlbUsed : 0) > ...};
}

template <bool kStore>
AccessCallback callback(uint32_t features, bool is_peculiar) {
  constexpr auto kFast = table<kStore>(std::make_index_sequence<16>());
  features &= kStore ? kStoreFeatures : kLoadFeatures;
  if (!features) return nullptr;
  if (is_peculiar) return peculiar<kStore>;
  if (features & kMany) return slow<kStore>;
  return kFast[(features & (kMarkedStores | kMarkedLoads) ? 1 : 0) | (features & kBus ? 2 : 0) |
               (features & kCached ? 4 : 0) | (features & kTlbUsed ? 8 : 0)];
}

}  // namespace

AccessCallback pass_store_callback(uint32_t features, bool peculiar) {
  return callback<true>(features, peculiar);
}
AccessCallback pass_load_callback(uint32_t features, bool peculiar) {
  return callback<false>(features, peculiar);
}

void pass_own_load(unsigned vcpu, uint32_t info, uint64_t vaddr, void*) {
  own_access(vcpu, info, vaddr, false);
}
void pass_own_store(unsigned vcpu, uint32_t info, uint64_t vaddr, void*) {
  own_access(vcpu, info, vaddr, true);
}

void pass_begin(unsigned vcpu, void* udata) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  if (udata) begin_pieces(cpu.pieced, cpu.view.cpu, udata);
  cpu.unfinished = {};
  cpu.halfway = false;
  ranges_done(cpu);
}

// A function of its own, so that the others' way through pass_fetch() saves no registers.
[[gnu::noinline]] static void look_up_fetch(unsigned vcpu, uint64_t addr, unsigned bytes, bool privileged) {
  models_drop_written(vcpu);
  each_bit(g_models.fetches.used.load(kAcquire), [&](unsigned m) {
    auto& cpu = g_models.fetches.models[m]->cpus[vcpu];
    // Line by line: each is a fetch of its own.
    const uint64_t line = uint64_t{1} << cpu.node.line_shift;
    for (uint64_t at = addr; at < addr + bytes; at = (at & ~(line - 1)) + line)
      if (cache_load(&cpu.node, at, 1) == CACHE_BUS) {
        add(cpu.misses[privileged]);
        if (g_on_fetch_miss) g_on_fetch_miss(Missed::kIcache, &cpu, vcpu, privileged, at & ~(line - 1), line);
      }
  });
}

void pass_fetch(unsigned vcpu, uint64_t addr, unsigned bytes, bool privileged) {
  // Mostly it is the newest line of its set in the only cache, where it changes nothing: a fifth of the other
  // way.
  const Vcpu& here = g_layer.cpus[vcpu];
  if (here.fetches && !here.written.any.load(kRelaxed)) {
    const CacheNode& node = here.fetches->node;
    const uint64_t line = addr >> node.line_shift;
    if ((addr + bytes - 1) >> node.line_shift == line && *cache_set(&node, line) >> 1 == line + 1) return;
  }
  look_up_fetch(vcpu, addr, bytes, privileged);
}

void pass_fetch_page(unsigned vcpu, uint64_t page, bool privileged) {
  bool newest = true;
  each_bit(g_models.fetch_tlbs.used.load(kAcquire), [&](unsigned m) {
    auto& cpu = g_models.fetch_tlbs.models[m]->cpus[vcpu];
    if (tlb_newest(&cpu.node, page)) return;
    if (misses_tlb(g_layer.cpus[vcpu], cpu.node, page, true)) {
      add(cpu.misses[privileged]);
      if (g_on_fetch_miss)
        g_on_fetch_miss(Missed::kItlb, &cpu, vcpu, privileged, page << PB_PAGE_BITS, kPageMask + 1);
    }
    newest &= tlb_newest(&cpu.node, page);  // with paging off it may not be
  });
  g_layer.cpus[vcpu].fetched->page = newest ? page : PB_FETCHED_NONE;
}

void pass_drain(unsigned vcpu, uint32_t insns_left) {
  each_bit(g_layer.holds.load(kRelaxed) & g_taps.types.load(kAcquire), [&](unsigned t) {
    const PbTap& tap = *g_taps.tap[t];
    if (tap.ops.drain)
      tap.ops.drain(tap.opaque, pb_machine.event_time(&g_layer.cpus[vcpu].view, insns_left), vcpu);
  });
}

void pass_torn(unsigned vcpu, bool privileged) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  if (!cpu.pieced.torn()) return;
  each_bit(cpu.found.ranges, [&](unsigned i) { add(cpu.in_range[i][privileged], UINT64_MAX); });
  cpu.found = {};
}

void pass_taken_back(unsigned vcpu, bool privileged) {
  Vcpu& cpu = g_layer.cpus[vcpu];
  ranges_take_back(cpu, privileged);
  cpu.halfway = false;
}

}  // namespace perfboard
