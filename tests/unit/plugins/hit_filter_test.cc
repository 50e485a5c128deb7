// SPDX-License-Identifier: GPL-2.0-or-later
//
// The models' counts on random traffic against lists that know sets and ages alone: with the hit filter
// in front of the callbacks (plugins/hit_filter.h), and without. Meanwhile pages are mapped otherwise,
// translations dropped, address spaces and MMU modes changed, memory is written by others, pages are watched,
// models come into use and go. Instruction TLBs' counts on random blocks likewise: with look-ups left out in
// translated code (plugins/machine.h), and without. And what vCPUs' threads use is there while the process
// ends: exit() does not wait for them.
#include "plugins/hit_filter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "plugins/layer.h"
#include "plugins/machine.h"
#include "plugins/models_state.h"
#include "plugins/ranges.h"
#include "tests/unit/plugins/fake_machine.h"

namespace perfboard {
namespace {

constexpr uint64_t kPage = FakeMachine::kPage;
constexpr unsigned kVcpus = 2;

struct Slow {
  struct Line {
    uint64_t number;
    bool dirty;
  };
  uint64_t sets = 1, ways = 1;
  std::map<uint64_t, std::list<Line>> in;  // by set, newest first

  bool has(uint64_t n) {
    const auto& set = in[n % sets];
    return std::any_of(set.begin(), set.end(), [&](const Line& l) { return l.number == n; });
  }
  void drop(uint64_t n) {
    in[n % sets].remove_if([&](const Line& l) { return l.number == n; });
  }
  bool dirty(uint64_t n) {
    const auto& set = in[n % sets];
    return std::any_of(set.begin(), set.end(), [&](const Line& l) { return l.number == n && l.dirty; });
  }
  // The line that went for it.
  std::optional<Line> use(uint64_t n, bool dirty) {
    auto& set = in[n % sets];
    for (const Line& l : set)
      if (l.number == n) dirty |= l.dirty;
    drop(n);
    set.push_front({n, dirty});
    if (set.size() <= ways) return std::nullopt;
    const Line out = set.back();
    set.pop_back();
    return out;
  }
};

struct Counts {
  uint64_t loads = 0, stores = 0, castouts = 0, pages = 0;
  bool operator==(const Counts&) const = default;
};

struct Kind {
  bool cached, tlb;
  CacheGeometry cache;
  TlbGeometry entries;
};

// What listeners of misses have heard: by the vCPU's part of the model, what was missed, and privilege.
std::map<std::tuple<const void*, Missed, bool>, uint64_t> g_heard;
void hear(Missed what, const void* of, unsigned, bool privileged, uint32_t) {
  g_heard[{of, what, privileged}]++;
}
void hear_fetch(Missed what, const void* of, unsigned, bool privileged, uint64_t, uint64_t) {
  g_heard[{of, what, privileged}]++;
}
template <typename All>
uint64_t heard(const All& all, const PbModel* model, Missed what, unsigned v, bool privileged) {
  return model ? g_heard[{&all.models[model->index]->cpus[v], what, privileged}] : 0;
}

class Traffic {
 public:
  Traffic(const Kind& kind, bool filters, unsigned seed) : kind_(kind), rng_(seed) {
    char why[200];
    m_.filters = filters;
    m_.left_out = 0;
    m_.paging = true;
    m_.space = space_;
    pb_models_reset();
    g_heard.clear();
    g_on_miss = seed % 2 ? hear : nullptr;
    if (kind.cached) use(cache_ = pb_model_caches(&kind.cache, why, sizeof why), true);
    if (kind.tlb) use(tlb_ = pb_model_tlb(&kind.entries, why, sizeof why), true);
    for (unsigned v = 0; v < kVcpus; ++v) {
      if (kind.cached) caches_[v].sets = kind.cache.l1_size / kind.cache.line / kind.cache.l1_ways;
      caches_[v].ways = kind.cache.l1_ways;
      if (kind.cache.l2_size) below_[v].sets = kind.cache.l2_size / kind.cache.line / kind.cache.l2_ways;
      below_[v].ways = kind.cache.l2_ways;
      if (kind.tlb) tlbs_[v].sets = kind.entries.entries / kind.entries.ways;
      tlbs_[v].ways = kind.entries.ways;
      for (const bool privileged : {false, true}) began_[v][privileged] = counted(v, privileged);
    }
  }
  ~Traffic() {
    g_on_miss = nullptr;
    if (cache_) use(cache_, false);
    if (tlb_) use(tlb_, false);
    if (ranged_) range_use(range_open(0x3000, 0x3fff), false);
    m_.mode = 0;
    m_.paging = false;
    m_.space = 0;
    m_.remap(0);
    m_.filters = false;
  }

  void step() {
    const unsigned vcpu = any(kVcpus);
    switch (any(400)) {
      case 0:
        swap_ = any(4);
        m_.remap(swap_);
        break;
      case 1:
        models_tlb_empty(vcpu);
        tlbs_[vcpu].in.clear();
        break;
      case 2: {
        const uint64_t page = (any(64) * kPage + FakeMachine::kOffset) / kPage;
        models_tlb_drop(vcpu, page);
        tlbs_[vcpu].drop(page);
        break;
      }
      case 3:
        m_.space = ++space_;
        break;
      case 4: {
        const uint64_t addr = physical(place());
        const uint32_t bytes = 1 + any(600);
        pb_models_written(addr, bytes);
        for (auto* const level : {&caches_, &below_})
          for (Slow& c : *level)
            for (uint64_t l = addr / line(); l <= (addr + bytes - 1) / line(); ++l) c.drop(l);
        break;
      }
      case 5:  // pages that every access to is told; counts of models are the same
        ranged_ = !ranged_;
        range_use(range_open(0x3000, 0x3fff), ranged_);
        break;
      case 6:
        m_.mode = any(4);
        break;
      default:
        access(vcpu);
    }
  }
  void check(const char* when) {
    for (unsigned v = 0; v < kVcpus; ++v)
      for (const bool privileged : {false, true}) {
        const Counts now = counted(v, privileged), &began = began_[v][privileged],
                     &e = expected_[v][privileged];
        EXPECT_EQ(now.loads - began.loads, e.loads) << when;
        EXPECT_EQ(now.stores - began.stores, e.stores) << when;
        EXPECT_EQ(now.castouts - began.castouts, e.castouts) << when;
        EXPECT_EQ(now.pages - began.pages, e.pages) << when;
        const auto told = [&](uint64_t n) { return g_on_miss ? n : 0; };
        EXPECT_EQ(heard(g_models.caches, cache_, Missed::kDcacheLoads, v, privileged), told(e.loads)) << when;
        EXPECT_EQ(heard(g_models.caches, cache_, Missed::kDcacheStores, v, privileged), told(e.stores))
            << when;
        EXPECT_EQ(heard(g_models.tlbs, tlb_, Missed::kDtlb, v, privileged), told(e.pages)) << when;
      }
  }
  uint64_t left_out() const { return m_.left_out; }

 private:
  uint32_t any(uint64_t n) { return static_cast<uint32_t>(rng_() % n); }
  uint64_t line() const { return kind_.cache.line; }
  void use(PbModel* model, bool on) { pb_model_use(model, on); }
  Counts counted(unsigned v, bool privileged) const {
    const auto of = [&](PbModel* model, ModelCount what) {
      return model ? models_count(models_number(model, what), v, privileged) : 0;
    };
    return {of(cache_, ModelCount::kLoadMisses), of(cache_, ModelCount::kStoreMisses),
            of(cache_, ModelCount::kCastouts), of(tlb_, ModelCount::kMisses)};
  }

  // Some words again and again, or anything in any memory, or a device.
  uint64_t place() {
    if (any(20) == 0)
      return any(2) ? m_.addr(FakeMachine::kNode1) + any(8 * kPage) : m_.addr(FakeMachine::kBar) + any(kPage);
    if (any(40) == 0) return 0xfd000000 + any(64);
    if (any(3)) return any(6) * 5 * kPage + any(3) * line() + any(16);
    return any(63 * kPage);
  }
  uint64_t physical(uint64_t addr) const { return addr < 64 * kPage ? addr ^ swap_ * kPage : addr; }
  bool is_cached(uint64_t addr) const {
    return addr < 64 * kPage || addr - m_.addr(FakeMachine::kNode1) < 32 * kPage;
  }

  // A line's access: whether no level had it.
  bool misses(unsigned vcpu, uint64_t l, bool store, uint64_t& castouts) {
    Slow &first = caches_[vcpu], &second = below_[vcpu];
    const bool two = kind_.cache.l2_size != 0, brings = !store || kind_.cache.write_allocate;
    const bool here = first.has(l), there = two && second.has(l);
    bool went = false;
    if (here || (brings && !two)) {
      const auto out = first.use(l, store);
      went = out && out->dirty;
    } else if (brings) {
      const auto out = second.use(l, false);
      if (out) {
        went = out->dirty || first.dirty(out->number);
        first.drop(out->number);
      }
      const auto down = first.use(l, store);
      if (down && down->dirty) second.use(down->number, true);
    } else if (there) {
      second.use(l, true);
    }
    castouts += went;
    return !here && !there;
  }

  void access(unsigned vcpu) {
    const uint64_t addr = place();
    const unsigned bytes = 1u << any(5);
    const bool store = any(2);
    PassTag tag;
    tag.privileged = any(2);
    m_.access(vcpu, addr, bytes, store, tag);
    Counts& e = expected_[vcpu][tag.privileged];
    bool page_missed = false, missed = false;
    for (uint64_t at = addr, end = addr + bytes; at < end;) {  // by pages
      const uint64_t next = std::min(end, (at / kPage + 1) * kPage);
      if (kind_.tlb) {
        Slow& tlb = tlbs_[vcpu];
        const uint64_t page = (at + FakeMachine::kOffset) / kPage;
        if (!tlb.has(page)) {
          if (spaces_[vcpu] != m_.space) tlb.in.clear();
          spaces_[vcpu] = m_.space;
          page_missed = true;
        }
        tlb.use(page, false);
      }
      const uint64_t first = physical(at), last = first + (next - at) - 1;
      for (uint64_t l = first / line(); kind_.cached && is_cached(first) && l <= last / line(); ++l) {
        missed |= misses(vcpu, l, store, e.castouts);
      }
      at = next;
    }
    e.pages += page_missed;
    (store ? e.stores : e.loads) += missed;
  }

  const Kind& kind_;
  FakeMachine& m_ = fake_machine();
  std::mt19937_64 rng_;
  PbModel *cache_ = nullptr, *tlb_ = nullptr;
  Slow caches_[kVcpus], below_[kVcpus], tlbs_[kVcpus];
  uint64_t spaces_[kVcpus] = {}, space_ = 1, swap_ = 0;
  Counts expected_[kVcpus][2], began_[kVcpus][2];
  bool ranged_ = false;
};

constexpr Kind kKinds[] = {
    {true, true, {4096, 4, 0, 1, 64, 1}, {16, 2}},
    {true, false, {2048, 2, 0, 1, 32, 1}, {1, 1}},
    {true, true, {8192, 1, 0, 1, 256, 1}, {8, 1}},
    {true, true, {1024, 2, 0, 1, 32, 0}, {4, 4}},
    {true, false, {1024, 8, 0, 1, 128, 0}, {1, 1}},
    {false, true, {16, 1, 0, 1, 16, 0}, {8, 2}},
    {true, true, {1024, 2, 0, 1, 16, 1}, {8, 2}},  // too short a line for the hit filter
    // Two levels; the second one with more sets than the first, and with fewer.
    {true, false, {1024, 2, 8192, 1, 32, 0}, {1, 1}},
    {true, true, {2048, 2, 1024, 8, 64, 1}, {8, 2}},
};

TEST(HitFilter, CountsAsListsDo) {
  for (const Kind& kind : kKinds)
    for (const bool filters : {false, true})
      for (unsigned seed = 0; seed < 4; ++seed) {
        Traffic t(kind, filters, seed);
        for (unsigned i = 0; i < 6000 && !HasFailure(); ++i) {
          t.step();
          if (i % 50 == 0) t.check("on the way");
        }
        t.check("at the end");
        ASSERT_FALSE(HasFailure()) << "kind " << &kind - kKinds << ", seed " << seed << ", filters "
                                   << filters;
        const bool may = filters && (!kind.cached || kind.cache.line >= 32);
        if (may)
          EXPECT_GT(t.left_out(), 10u) << "it was worth it";
        else
          EXPECT_EQ(t.left_out(), 0u);
      }
}

// Instruction TLBs. Meanwhile translations are dropped, address spaces change, paging goes off, models come
// into use and go, are emptied, saved and loaded.
constexpr TlbGeometry kTlbs[] = {{8, 2}, {2, 1}, {4, 4}};
constexpr size_t kCount = std::size(kTlbs);

struct Lists {
  uint64_t space = 0;
  std::map<uint64_t, std::list<uint64_t>> in;

  bool misses(const TlbGeometry& g, uint64_t page, bool paging, uint64_t present) {
    const uint64_t at = page % (g.entries / g.ways);
    const bool had = std::count(in[at].begin(), in[at].end(), page);
    if (!had && !paging) return false;
    if (!had && space != present) in.clear();
    if (!had) space = present;
    in[at].remove(page);
    in[at].push_front(page);
    if (in[at].size() > g.ways) in[at].pop_back();
    return !had;
  }
  void drop(uint64_t page) {
    for (auto& [at, set] : in) set.remove(page);
  }
};

class Blocks {
 public:
  Blocks(bool filters, unsigned seed) : rng_(seed) {
    char why[200];
    m_.filters = filters;
    m_.not_looked_up = 0;
    m_.paging = true;
    m_.space = space_;
    pb_models_reset();
    g_heard.clear();
    g_on_fetch_miss = hear_fetch;
    for (size_t t = 0; t < kCount; ++t) {
      models_[t] = pb_model_fetch_tlb(&kTlbs[t], why, sizeof why);
      for (unsigned v = 0; v < kVcpus; ++v)
        for (const bool privileged : {false, true})
          began_[t][v][privileged] = expected_[t][v][privileged] = pb_model_misses(models_[t], v, privileged);
    }
    use(0, true);
    image_.resize(pb_models_bytes());
    save();
  }
  ~Blocks() {
    g_on_fetch_miss = nullptr;
    for (size_t t = 0; t < kCount; ++t)
      if (used_[t]) use(t, false);
    m_.paging = false;
    m_.space = 0;
    m_.filters = false;
  }

  void step() {
    const unsigned vcpu = any(kVcpus);
    switch (any(200)) {
      case 0:
        models_tlb_empty(vcpu);
        for (auto& lists : lists_) lists[vcpu] = {};
        break;
      case 1:
      case 2: {
        const uint64_t page = any(2) ? here_[vcpu] : place();
        models_tlb_drop(vcpu, page);
        for (auto& lists : lists_) lists[vcpu].drop(page);
        break;
      }
      case 3:
        m_.space = ++space_;
        break;
      case 4:
      case 5: {
        const size_t t = any(kCount);
        if (t == 0 && used_[t] && !used_[1]) break;  // one is in use, mostly
        use(t, !used_[t]);
        break;
      }
      case 6:
        m_.paging = !m_.paging;
        break;
      case 7:
        any(2) ? save() : load();
        break;
      case 8:
        pb_models_reset();
        for (auto& lists : lists_)
          for (Lists& l : lists) l = {};
        break;
      default:
        fetch(vcpu);
    }
  }

  void check() {
    for (size_t t = 0; t < kCount; ++t)
      for (unsigned v = 0; v < kVcpus; ++v)
        for (const bool privileged : {false, true}) {
          EXPECT_EQ(pb_model_misses(models_[t], v, privileged), expected_[t][v][privileged])
              << "TLB " << t << ", vCPU " << v;
          EXPECT_EQ(heard(g_models.fetch_tlbs, models_[t], Missed::kItlb, v, privileged),
                    expected_[t][v][privileged] - began_[t][v][privileged]);
        }
  }

 private:
  uint32_t any(uint64_t n) { return static_cast<uint32_t>(rng_() % n); }
  uint64_t place() { return any(3) ? any(6) : uint64_t{0xfffff} << 36 | any(20); }

  void use(size_t t, bool on) {
    used_[t] = on;
    pb_model_use(models_[t], on);
  }
  void save() {
    pb_models_save(image_.data());
    std::copy(&lists_[0][0], &lists_[0][0] + kCount * kVcpus, &saved_[0][0]);
  }
  void load() {
    pb_models_load(image_.data());
    std::copy(&saved_[0][0], &saved_[0][0] + kCount * kVcpus, &lists_[0][0]);
  }

  // Mostly the page in which the vCPU is.
  void fetch(unsigned vcpu) {
    if (any(4) == 0) here_[vcpu] = place();
    const bool privileged = any(2);
    if (!(g_layer.features.load() & kFetchPages)) return;
    m_.fetch(vcpu, here_[vcpu], privileged);
    for (size_t t = 0; t < kCount; ++t)
      if (used_[t])
        expected_[t][vcpu][privileged] += lists_[t][vcpu].misses(kTlbs[t], here_[vcpu], m_.paging, m_.space);
  }

  FakeMachine& m_ = fake_machine();
  std::mt19937_64 rng_;
  PbModel* models_[kCount] = {};
  bool used_[kCount] = {};
  Lists lists_[kCount][kVcpus], saved_[kCount][kVcpus];
  uint64_t expected_[kCount][kVcpus][2] = {}, began_[kCount][kVcpus][2] = {};
  uint64_t here_[kVcpus] = {}, space_ = 1;
  std::vector<char> image_;
};

TEST(Fetched, CountsAsListsDo) {
  for (const bool filters : {false, true})
    for (unsigned seed = 0; seed < 12; ++seed) {
      Blocks b(filters, seed);
      for (unsigned i = 0; i < 5000 && !testing::Test::HasFailure(); ++i) {
        b.step();
        if (i % 20 == 0) b.check();
      }
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", filters " << filters;
      if (filters)
        EXPECT_GT(fake_machine().not_looked_up, 1000u) << "it was worth it";
      else
        EXPECT_EQ(fake_machine().not_looked_up, 0u);
    }
}

constexpr int kThere = 7;
bool g_ending;

// As a thread that still works, when all that is destroyed has been.
void look() {
  if (!g_ending) return;
  unsigned holders = 0;
  for (const auto& model : g_models.caches.models)
    if (model) holders += model->handle.holders;
  _exit(holders == 1 ? kThere : 1);
}

// Before any object of static storage is made, so behind them at the end.
[[gnu::constructor(101)]] void first() { std::atexit(look); }

// A suite of this name runs before the others, whose models would be holders, too.
TEST(ForeverDeathTest, AModelIsThereWhileTheProcessEnds) {
  const auto end = [] {
    const CacheGeometry geometry{1024, 2, 0, 1, 32};
    char why[200] = "";
    if (!pb_model_caches(&geometry, why, sizeof why)) _exit(2);
    g_ending = true;
    std::exit(0);
  };
  EXPECT_EXIT(end(), ::testing::ExitedWithCode(kThere), "");
}

}  // namespace
}  // namespace perfboard
