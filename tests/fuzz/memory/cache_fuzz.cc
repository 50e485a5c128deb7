// SPDX-License-Identifier: GPL-2.0-or-later
//
// The caches of a processor against a reference that keeps lists of lines: what each access hits, what is
// counted, which lines are there and dirty, after each step. By all ways in: the calls, their short forms,
// and the plugin's own walk of one level.
//
// A state that is damaged is refused, or it is one that can be worked with and stays legal.
#include <algorithm>
#include <cstring>
#include <list>
#include <vector>

#include "hw/memory/cache.h"
#include "hw/model/host.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

struct Line {
  uint64_t number;
  bool dirty;
};

class Level {
 public:
  Level(uint32_t lines, uint32_t ways) : ways_(ways), sets_(lines ? lines / ways : 0) {}
  explicit operator bool() const { return !sets_.empty(); }
  Line* find(uint64_t number) {
    if (sets_.empty()) return nullptr;
    for (Line& l : set(number))
      if (l.number == number) return &l;
    return nullptr;
  }
  // The newest of its set from now on.
  Line* use(uint64_t number) {
    if (!find(number)) return nullptr;
    auto& s = set(number);
    s.splice(s.begin(), s,
             std::find_if(s.begin(), s.end(), [&](const Line& l) { return l.number == number; }));
    return &s.front();
  }
  // Put in as a clean one. What goes for it; number ~0: nothing.
  Line put(uint64_t number) {
    auto& s = set(number);
    Line out = {~uint64_t{0}, false};
    if (s.size() == ways_) {
      out = s.back();
      s.pop_back();
    }
    s.push_front({number, false});
    return out;
  }
  bool drop(uint64_t number) {
    const Line* l = find(number);
    if (!l) return false;
    const bool dirty = l->dirty;
    set(number).remove_if([&](const Line& x) { return x.number == number; });
    return dirty;
  }
  uint32_t ways() const { return ways_; }
  const std::vector<std::list<Line>>& sets() const { return sets_; }

 private:
  std::list<Line>& set(uint64_t number) { return sets_[number % sets_.size()]; }
  uint32_t ways_;
  std::vector<std::list<Line>> sets_;
};

class Reference {
 public:
  explicit Reference(const CacheGeometry& g)
      : first(g.l1_size / g.line, g.l1_ways), second(g.l2_size / g.line, g.l2_ways), geometry_(g) {}

  CacheResult load(uint64_t number) {
    const CacheResult from = bring(number);
    counts.l1_misses += from != CACHE_L1;
    counts.l2_misses += from == CACHE_BUS;
    return from;
  }
  bool store(uint64_t number, bool through) {
    if (through) {  // it makes nothing dirty, and brings nothing
      if (first) first.use(number);
      if (second) second.use(number);
      ++counts.bus_writes;
      return true;
    }
    if (geometry_.write_allocate) {
      const bool on_bus = bring(number) == CACHE_BUS;
      if (Line* l = first ? first.find(number) : second ? second.find(number) : nullptr) l->dirty = true;
      counts.bus_writes += on_bus;
      return on_bus;
    }
    Line* l = first ? first.use(number) : nullptr;
    if (!l && second) l = second.use(number);
    if (l) l->dirty = true;
    counts.bus_writes += !l;
    return !l;
  }
  void drop(uint64_t number) {
    first.drop(number);
    second.drop(number);
  }

  Level first, second;
  CacheState counts{};

 private:
  CacheResult bring(uint64_t number) {
    if (first && first.use(number)) return CACHE_L1;
    const bool below = second && second.use(number);
    bool pushed = false;
    if (second && !below) {
      const Line out = second.put(number);
      const bool above = first.drop(out.number);  // level 2 includes level 1
      pushed = out.dirty || above;
    }
    if (first) {
      const Line out = first.put(number);
      if (out.dirty) {
        if (Line* l = second ? second.use(out.number) : nullptr)
          l->dirty = true;
        else
          pushed = true;
      }
    }
    counts.writebacks += pushed;
    return below ? CACHE_L2 : CACHE_BUS;
  }

  CacheGeometry geometry_;
};

class Bench {
 public:
  explicit Bench(Input& source)
      : in(source),
        geometry_(geometry(source)),
        memory_(cache_state_bytes(&geometry_) / 8),
        reference_(geometry_) {
    char why[200];
    FUZZ_CHECK(cache_geometry_ok(&geometry_, why, sizeof why), "%s", why);
    cache_attach(&c_, &geometry_, memory_.data());
  }

  void step() {
    const uint32_t op = in.below(16);
    const uint64_t pa = address();
    const uint32_t size = in.below(4) ? 1u << in.below(5) : 1 + in.below(geometry_.line);
    switch (op) {
      case 0: {
        const uint32_t bytes = in.below(4) * geometry_.line + in.u8();
        for (uint64_t l = pa / geometry_.line; bytes && l <= (pa + bytes - 1) / geometry_.line; ++l)
          reference_.drop(l);
        cache_invalidate(&c_, pa, bytes);
        break;
      }
      case 1:
        if (in.below(8) == 0) {
          cache_reset(&c_);
          reference_ = Reference(geometry_);
        }
        break;
      case 2:
        if (in.below(4) == 0) damage();
        break;
      case 3:
      case 4:
        if (cache_one_level(&c_)) one_level(pa, in.flip());
        break;
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
        store(pa, std::min(size, geometry_.line), in.below(8) == 0);
        break;
      default:
        load(pa, std::min(size, geometry_.line));
    }
    check();
  }

 private:
  static CacheGeometry geometry(Input& in) {
    CacheGeometry g = {};
    g.line = 16u << in.below(5);
    const auto level = [&](uint32_t& bytes, uint32_t& ways) {
      const uint32_t lines = 1u << in.below(7);
      ways = std::min(1u << in.below(4), lines);
      bytes = in.below(4) ? lines * g.line : 0;
    };
    level(g.l1_size, g.l1_ways);
    level(g.l2_size, g.l2_ways);
    g.write_allocate = in.flip();
    return g;
  }
  // Near one another, so that sets fill; or up to the last physical address.
  uint64_t address() {
    const uint64_t near = in.u16() & 0x3fff;
    return in.below(8) ? near : (uint64_t{1} << 52) - 0x8000 + near;
  }
  template <typename Do>
  void each_line(uint64_t pa, uint32_t size, Do what) {
    for (uint64_t l = pa / geometry_.line; l <= (pa + size - 1) / geometry_.line; ++l) what(l);
  }
  void load(uint64_t pa, uint32_t size) {
    CacheResult worst = CACHE_L1;
    each_line(pa, size, [&](uint64_t l) { worst = std::max(worst, reference_.load(l)); });
    const CacheResult got = cache_load(&c_, pa, size);
    FUZZ_CHECK(got == worst, "a load hits %d, not %d", got, worst);
    holds(pa, size);
  }
  void store(uint64_t pa, uint32_t size, bool through) {
    bool on_bus = false;
    each_line(pa, size, [&](uint64_t l) { on_bus |= reference_.store(l, through); });
    const bool got = cache_store(&c_, pa, size, through);
    FUZZ_CHECK(got == on_bus, "a store is on the bus %d, not %d", got, on_bus);
    holds(pa, size);
  }
  // As plugins/pass.cc does.
  void one_level(uint64_t pa, bool is_store) {
    if (is_store && !geometry_.write_allocate) return;
    const uint64_t line = pa / geometry_.line;
    if (is_store)
      reference_.store(line, false);
    else
      reference_.load(line);
    uint64_t* const set = cache_set(&c_, line);
    if (set[0] >> 1 != line + 1) {
      bool hit;
      const uint64_t out = cache_renew(set, c_.l1_ways, line, &hit);
      if (!hit) cache_count_miss(&c_, is_store, out);
    }
    if (is_store) set[0] |= 1;
  }
  void holds(uint64_t pa, uint32_t size) {
    bool all = true;
    each_line(pa, size, [&](uint64_t l) { all &= reference_.first.find(l) || reference_.second.find(l); });
    FUZZ_CHECK(cache_holds(&c_, pa, size) == all, "it holds them: %d", all);
  }
  void check() {
    FUZZ_CHECK(std::memcmp(c_.state, &reference_.counts, sizeof reference_.counts) == 0,
               "misses, bus writes, write-backs");
    check(c_.l1, reference_.first);
    check(c_.l2, reference_.second);
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(cache_state_ok(&geometry_, memory_.data(), why, sizeof why), "%s", why);
  }
  void check(const uint64_t* place, const Level& level) {
    for (const auto& set : level.sets()) {
      uint32_t way = 0;
      for (const Line& l : set) {
        FUZZ_CHECK(place[way] == ((l.number + 1) << 1 | l.dirty), "way %u: %llx, not line %llx", way,
                   static_cast<unsigned long long>(place[way]), static_cast<unsigned long long>(l.number));
        ++way;
      }
      for (; way < level.ways(); ++way) FUZZ_CHECK(place[way] == 0, "way %u is not empty", way);
      place += level.ways();
    }
  }
  void damage() {
    std::vector<uint64_t> image = memory_;
    for (uint32_t n = 1 + in.below(3); n; --n) {
      uint64_t& word = image[in.u16() % image.size()];
      word = in.below(3) ? word ^ uint64_t { 1 } << in.below(64) : image[in.u16() % image.size()];
    }
    char why[PB_WHY_BYTES] = "";
    if (!cache_state_ok(&geometry_, image.data(), why, sizeof why)) {
      FUZZ_CHECK(why[0] && !std::strchr(why, '\n'), "'%s'", why);
      return;
    }
    CacheNode other;
    cache_attach(&other, &geometry_, image.data());
    for (uint32_t n = in.below(16); n; --n) {
      const uint64_t pa = address();
      if (in.flip())
        cache_load(&other, pa, 1);
      else
        cache_store(&other, pa, 1, in.flip());
    }
    FUZZ_CHECK(cache_state_ok(&geometry_, image.data(), why, sizeof why),
               "a damaged state was taken, and then: %s", why);
  }

  Input& in;
  const CacheGeometry geometry_;
  std::vector<uint64_t> memory_;
  Reference reference_;
  CacheNode c_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
