// SPDX-License-Identifier: GPL-2.0-or-later
//
// Taps, models and ranges together, on a machine of arrays: each hears and counts exactly what it asked for,
// whatever the others asked for. What must be heard is worked out by rules that know neither masks nor fast
// paths.
#include "plugins/layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "plugins/models_state.h"
#include "plugins/ranges.h"
#include "tests/unit/plugins/fake_machine.h"

namespace perfboard {
namespace {

constexpr uint64_t kPage = FakeMachine::kPage;

// What a tap is told: load or store, address, bytes (0: without its bytes), vCPU.
using Told = std::tuple<bool, uint64_t, uint32_t, unsigned>;

struct Listener {
  explicit Listener(const CacheGeometry* caches = nullptr) {
    static const PbTapOps ops = {
        .on_access = [](void* o, const PbTapAccess* a) { static_cast<Listener*>(o)->hear(a); }};
    tap = pb_tap_new(&ops, this);
    char why[200] = "";
    if (caches) pb_tap_caches(tap, model = pb_model_caches(caches, why, sizeof why));
    EXPECT_STREQ(why, "");
  }
  ~Listener() {
    pb_tap_close(tap);
    pb_tap_free(tap);
  }
  Listener(const Listener&) = delete;

  void want(PbTapLevel l) { pb_tap_want(tap, level = l); }
  void mark(uint64_t first, uint64_t n, bool on) {
    pb_tap_pages(tap, first, n, on);
    for (uint64_t p = first; p < first + n; ++p) on ? (void)pages.insert(p) : (void)pages.erase(p);
  }
  void await(bool on) { pb_tap_awaits(tap, awaits = on); }
  void hear(const PbTapAccess* a) {
    told.push_back({a->store, a->addr, a->data ? a->bytes : 0, a->vcpu});
    const uint8_t* const there = fake_machine().host(a->addr);
    EXPECT_EQ(a->data, a->data ? there : nullptr);
    EXPECT_EQ(a->now, fake_machine().time);
  }

  PbTap* tap;
  PbModel* model = nullptr;
  PbTapLevel level = PB_TAP_NOTHING;
  bool awaits = true;
  std::set<uint64_t> pages;
  std::vector<Told> told;
};

// One level, LRU, no write-allocate, with lists: the rules of hw/memory/cache.h once more.
struct SlowCache {
  explicit SlowCache(const CacheGeometry& g)
      : line(g.line), ways(g.l1_ways), sets(g.l1_size / g.line / g.l1_ways) {}
  // Whether some line was not there.
  bool load(uint64_t addr, unsigned bytes) {
    bool missed = false;
    for (uint64_t l = addr / line; l <= (addr + bytes - 1) / line; ++l) {
      auto& set = lines[l % sets];
      const auto at = std::find(set.begin(), set.end(), l);
      missed |= at == set.end();
      if (at != set.end()) set.erase(at);
      set.push_front(l);
      if (set.size() > ways) set.pop_back();
    }
    return missed;
  }
  bool store(uint64_t addr, unsigned bytes) {
    bool missed = false;
    for (uint64_t l = addr / line; l <= (addr + bytes - 1) / line; ++l) {
      auto& set = lines[l % sets];
      const auto at = std::find(set.begin(), set.end(), l);
      missed |= at == set.end();
      if (at != set.end()) set.splice(set.begin(), set, at);
    }
    return missed;
  }
  uint64_t line, ways, sets;
  std::map<uint64_t, std::list<uint64_t>> lines;
};

bool is_own_memory(uint64_t addr) {
  const FakeMachine& m = fake_machine();
  return addr - m.addr(FakeMachine::kNode0) < 64 * kPage || addr - m.addr(FakeMachine::kNode1) < 32 * kPage;
}

// What a listener must hear.
struct Expected {
  Listener* l;
  std::vector<Told> told;
  std::map<unsigned, std::vector<Told>> loaded;  // by vCPU: by a locked instruction, which has not stored yet
  uint64_t reads = 0, writes = 0;                // only counted

  // Of one access within a page. missed: the listener's caches let it through to the bus.
  void access(unsigned vcpu, uint64_t addr, unsigned bytes, bool store, bool missed, bool locked) {
    if ((addr & ~(kPage - 1)) == FakeMachine::kOwnPage) return;
    const bool mine = fake_machine().host(addr) && l->pages.count(addr / kPage);
    if (mine && locked && !store && l->level == PB_TAP_PAGES)
      loaded[vcpu].push_back({store, addr, bytes, vcpu});
    else if (mine && (store ? l->level >= PB_TAP_STORES : l->level == PB_TAP_PAGES))
      told.push_back({store, addr, bytes, vcpu});
    else if (l->level == PB_TAP_BUS && missed && l->awaits)
      told.push_back({store, addr, 0, vcpu});
    else if (l->level == PB_TAP_BUS && missed)
      (store ? writes : reads)++;
  }
};

class Layer : public ::testing::Test {
 protected:
  FakeMachine& m = fake_machine();
  char why[200] = "";
};

TEST_F(Layer, NothingWantedNothingCarried) {
  Listener l;
  l.mark(0, 4, true);
  EXPECT_EQ(g_layer.features.load(), 0u);
  EXPECT_EQ(pass_store_callback(0, false), nullptr);
  EXPECT_EQ(pass_load_callback(0, true), nullptr);
  l.want(PB_TAP_STORES);
  EXPECT_EQ(pass_load_callback(g_layer.features.load(), false), nullptr) << "loads carry nothing";
  const unsigned before = m.retranslations;
  l.want(PB_TAP_NOTHING);
  EXPECT_EQ(m.retranslations, before + 1);
  EXPECT_EQ(g_layer.features.load(), 0u);
}

TEST_F(Layer, EachLevelHearsItsOwn) {
  Listener stores, pages, bus;
  for (Listener* l : {&stores, &pages, &bus}) l->mark(2, 1, true);
  stores.want(PB_TAP_STORES);
  pages.want(PB_TAP_PAGES);
  bus.want(PB_TAP_BUS);
  m.access(0, 2 * kPage + 8, 4, true);
  m.access(1, 2 * kPage + 8, 4, false);
  m.access(2, 5 * kPage, 8, true);
  m.access(3, 0xd0000000, 4, false);                // a device
  m.access(3, FakeMachine::kOwnPage + 4, 4, true);  // never on the bus
  EXPECT_EQ(stores.told, (std::vector<Told>{{true, 2 * kPage + 8, 4, 0}}));
  EXPECT_EQ(pages.told, (std::vector<Told>{{true, 2 * kPage + 8, 4, 0}, {false, 2 * kPage + 8, 4, 1}}));
  EXPECT_EQ(bus.told, (std::vector<Told>{{true, 2 * kPage + 8, 4, 0},
                                         {false, 2 * kPage + 8, 0, 1},
                                         {true, 5 * kPage, 0, 2},
                                         {false, 0xd0000000, 0, 3}}));
}

// A board that has no use for vCPU 1 hears nothing of it, if it is asked; the other one hears all.
TEST_F(Layer, WhatOneBoardIgnoresTheOtherHears) {
  struct Board {
    std::vector<Told> told;
    uint64_t questions = 0;
  } board;
  static const PbTapOps ops = {
      .on_access =
          [](void* o, const PbTapAccess* a) {
            static_cast<Board*>(o)->told.push_back({a->store, a->addr, a->bytes, a->vcpu});
          },
      .ignores =
          [](void* o, const PbTapAccess* a) {
            static_cast<Board*>(o)->questions++;
            EXPECT_EQ(a->store, a->addr % 16 == 0);
            return a->vcpu == 1;
          },
  };
  Listener all;
  PbTap* const tap = pb_tap_new(&ops, &board);
  all.mark(2, 1, true);
  all.want(PB_TAP_PAGES);
  pb_tap_pages(tap, 2, 1, true);
  pb_tap_want(tap, PB_TAP_PAGES);
  std::vector<Told> expected_all, expected;
  for (unsigned i = 0; i < 32; ++i) {
    const Told t = {i % 4 == 0, 2 * kPage + 4 * i, 4, i / 4 % 3};
    m.access(std::get<3>(t), std::get<1>(t), 4, std::get<0>(t));
    expected_all.push_back(t);
    if (std::get<3>(t) != 1) expected.push_back(t);
  }
  pb_tap_want(tap, PB_TAP_NOTHING);
  pb_tap_pages(tap, 2, 1, false);
  EXPECT_EQ(all.told, expected_all);
  EXPECT_EQ(board.told, expected);
  EXPECT_EQ(board.questions, 32u);
}

// Pages that no board listens to, or has no use for, leave all accesses out. A board that listens to all
// accesses ends that.
TEST_F(Layer, WhatIsNotWatchedIsLeftOut) {
  static unsigned useless;  // this vCPU's accesses to the page
  static const PbTapOps ops = {
      .on_access = [](void* o, const PbTapAccess*) { ++*static_cast<unsigned*>(o); },
      .unwatched = [](void*, const PbTapAccess* a) { return a->addr == 3 * kPage && a->vcpu == useless; },
  };
  unsigned told = 0;
  PbTap* const tap = pb_tap_new(&ops, &told);
  const auto left_out = [&](unsigned vcpu, uint64_t page, bool store) {
    const uint64_t before = m.left_out;
    m.access(vcpu, page * kPage + 8, 4, store);
    return m.left_out - before;
  };
  useless = 1;
  pb_tap_pages(tap, 2, 2, true);
  pb_tap_want(tap, PB_TAP_STORES);
  EXPECT_EQ(left_out(0, 1, true), 1u);
  EXPECT_EQ(left_out(0, 2, true), 0u);
  EXPECT_EQ(left_out(0, 2, false), 1u);
  EXPECT_EQ(left_out(0, 3, true), 0u);
  EXPECT_EQ(left_out(1, 3, true), 1u);
  EXPECT_EQ(told, 2u);
  useless = 0;
  pb_tap_anew(true);
  EXPECT_EQ(left_out(0, 3, true), 1u);
  EXPECT_EQ(left_out(1, 3, true), 0u);
  Listener pages;
  pages.mark(2, 1, true);
  pages.want(PB_TAP_PAGES);
  EXPECT_EQ(left_out(0, 2, false), 0u);
  pages.want(PB_TAP_BUS);
  EXPECT_EQ(left_out(0, 1, true), 0u);
  pb_tap_close(tap);
  pb_tap_free(tap);
}

// Where most accesses are watched the filter costs less.
TEST_F(Layer, ManyWatchedAccessesWantTheFilter) {
  Listener l;
  l.mark(2, 1, true);
  l.want(PB_TAP_STORES);
  const uint64_t before = m.density->accesses();
  for (const bool dense : {false, true, false}) {
    m.density->dense(dense);
    EXPECT_EQ(m.watched == nullptr, dense);
    m.access(0, 2 * kPage, 4, true);
  }
  EXPECT_EQ(l.told.size(), 3u);
  EXPECT_EQ(m.density->accesses() - before, 3u);
}

TEST_F(Layer, ABarsMemoryIsHeardWhereverItLies) {
  Listener l;
  const uint64_t before = m.addr(FakeMachine::kBar), after = 0x5000000;
  l.mark(after / kPage, 2, true);
  l.want(PB_TAP_PAGES);
  m.access(0, before, 4, true);
  EXPECT_TRUE(l.told.empty());
  m.place(FakeMachine::kBar, after);
  m.access(0, after + kPage, 4, true);
  m.access(0, after + 2 * kPage, 4, true);
  m.access(1, after, 1, false);
  EXPECT_EQ(l.told, (std::vector<Told>{{true, after + kPage, 4, 0}, {false, after, 1, 1}}));
  m.place(FakeMachine::kBar, before);
  m.access(0, before, 4, true);
  EXPECT_EQ(l.told.size(), 2u);
}

TEST_F(Layer, PagesThatCannotBeAreLeftOut) {
  Listener l;
  pb_tap_pages(l.tap, Pages::kPages, 5, true);
  pb_tap_pages(l.tap, UINT64_MAX, 1, true);
  pb_tap_pages(l.tap, Pages::kPages - 1, 5, true);
  EXPECT_EQ(g_layer.pages.owners(Pages::kPages), 0u);
  EXPECT_EQ(g_layer.pages.owners(UINT64_MAX), 0u);
  EXPECT_NE(g_layer.pages.owners(Pages::kPages - 1), 0u);
  pb_tap_pages(l.tap, Pages::kPages - 1, 1, false);
  EXPECT_EQ(g_layer.pages.owners(Pages::kPages - 1), 0u);
}

// A guest moves a window about.
TEST_F(Layer, TablesOfPagesGoWithTheLastMark) {
  constexpr uint64_t kFar = uint64_t{1} << 27;  // a table of its own at each level
  Listener l, other;
  const auto released = [&] { return m.released; };
  const auto before = released();
  l.mark(kFar, 1, true);
  other.mark(kFar + 1, 1, true);
  l.mark(kFar, 1, false);
  EXPECT_EQ(released(), before);
  other.mark(kFar + 1, 1, false);
  EXPECT_EQ(released(), before + 2);
  for (uint64_t i = 2; i < 1002; ++i) {
    l.mark(i * kFar - 3, 6, true);
    EXPECT_NE(g_layer.pages.owners(i * kFar - 1), 0u);
    EXPECT_NE(g_layer.pages.owners(i * kFar), 0u);
    l.mark(i * kFar - 3, 6, false);
    EXPECT_EQ(g_layer.pages.owners(i * kFar), 0u);
  }
  EXPECT_EQ(released(), before + 2 + 4 * 1000);
}

TEST_F(Layer, OneModelForOneGeometry) {
  const CacheGeometry small = {1024, 2, 0, 1, 32}, other = {2048, 2, 0, 1, 32};
  PbModel* const a = pb_model_caches(&small, why, sizeof why);
  EXPECT_EQ(pb_model_caches(&small, why, sizeof why), a);
  EXPECT_NE(pb_model_caches(&other, why, sizeof why), a);
  EXPECT_NE(pb_model_fetches(&small, why, sizeof why), a);
  EXPECT_STREQ(why, "");
  const CacheGeometry wrong = {1000, 2, 0, 1, 32};
  EXPECT_EQ(pb_model_caches(&wrong, why, sizeof why), nullptr);
  EXPECT_NE(std::string(why).find("1000"), std::string::npos) << why;
}

TEST_F(Layer, AModelThatIsClosedLeavesItsPlace) {
  const size_t before = pb_models_bytes();
  for (uint32_t size = 4096; size <= 1u << 20; size *= 2)
    for (const uint32_t ways : {1u, 4u}) {
      const CacheGeometry g = {size, ways, 0, 1, 64};
      PbModel* const a = pb_model_caches(&g, why, sizeof why);
      ASSERT_TRUE(a) << why;
      EXPECT_GT(pb_models_bytes(), before);
      EXPECT_EQ(pb_model_caches(&g, why, sizeof why), a);
      EXPECT_EQ(pb_model_hold(a), a);
      for (int i = 0; i < 3; ++i) pb_model_close(a);
      EXPECT_EQ(pb_models_bytes(), before);
    }
}

// What a miss is, and of which privilege, is for hit_filter_test.cc.
TEST_F(Layer, MissesCountWhileTheModelIsUsed) {
  const CacheGeometry g = {512, 1, 0, 1, 32};
  PbModel* const model = pb_model_caches(&g, why, sizeof why);
  uint64_t at = 0;
  const auto misses = [&] {
    m.access(1, at += 4096, 4, false);
    return pb_model_misses(model, 1, false);
  };
  EXPECT_EQ(misses(), 0u);
  pb_model_use(model, true);
  pb_model_use(model, true);
  EXPECT_EQ(misses(), 1u);
  pb_model_use(model, false);
  EXPECT_EQ(misses(), 2u) << "one user is left";
  pb_model_use(model, false);
  EXPECT_EQ(misses(), 2u);
}

TEST_F(Layer, TheTlbMissesNothingWithoutPaging) {
  const TlbGeometry g = {8, 2};
  PbModel* const model = pb_model_tlb(&g, why, sizeof why);
  pb_model_use(model, true);
  for (const bool paging : {false, true}) {
    m.paging = paging;
    m.access(2, 0, 4, false);
    EXPECT_EQ(pb_model_misses(model, 2, false), paging);
  }
  m.paging = false;
  pb_model_use(model, false);
}

TEST_F(Layer, FetchesLineByLine) {
  const CacheGeometry g = {512, 1, 0, 1, 32};
  PbModel* const model = pb_model_fetches(&g, why, sizeof why);
  pb_model_use(model, true);
  EXPECT_TRUE(g_layer.features.load() & kFetches);
  EXPECT_EQ(models_fetch_line(), 32u);
  pass_fetch(3, 0x1000, 64, true);
  pass_fetch(3, 0x1010, 16, true);
  pass_fetch(3, 0x1030, 32, false);  // reaches into the next line
  EXPECT_EQ(pb_model_misses(model, 3, true), 2u);
  EXPECT_EQ(pb_model_misses(model, 3, false), 1u);
  pb_models_written(0x1000, 4);
  pass_fetch(3, 0x1000, 32, true);
  EXPECT_EQ(pb_model_misses(model, 3, true), 3u);
  pb_model_use(model, false);
  EXPECT_FALSE(g_layer.features.load() & kFetches);
}

// Free-running the lines of a vCPU that runs are its own thread's to drop: a snapshot has no line twice, nor
// one that is gone.
TEST_F(Layer, WhatAnotherMasterWroteIsDropped) {
  const CacheGeometry g = {1024, 2, 0, 1, 32};
  PbModel* const model = pb_model_caches(&g, why, sizeof why);
  pb_models_reset();
  pb_model_use(model, true);
  const auto misses = [&] { return pb_model_misses(model, 0, false); };
  m.access(0, 0x100, 4, false);
  const uint64_t before = misses();
  pb_models_written(0x100, 4);
  m.access(0, 0x100, 4, false);
  EXPECT_EQ(misses(), before + 1) << "at once, if no vCPU runs";
  m.devices_alone = false;
  std::atomic<bool> over{false};
  std::thread vcpu([&] {
    while (!over)
      for (uint64_t at = 0; at < 4096; at += 32) m.access(0, at, 4, false);
  });
  for (unsigned i = 0; i < 20000; ++i) pb_models_written(i % 64 * 64, 64);
  over = true;
  vcpu.join();
  std::vector<char> image(pb_models_bytes());
  pb_models_save(image.data());
  EXPECT_TRUE(pb_models_ok(image.data(), why, sizeof why)) << why;
  pb_models_reset();
  m.access(0, 0x100, 4, false);
  pb_models_written(0x100, 4);
  m.access(0, 0x900, 4, false);  // misses, and so drops
  const uint64_t last = misses();
  m.access(0, 0x100, 4, false);
  EXPECT_EQ(misses(), last + 1);
  m.devices_alone = true;
  pb_model_use(model, false);
}

// A guest lets packets arrive in memory, each elsewhere, while a processor is halted.
TEST_F(Layer, WhatIsWrittenWhileAVcpuIsHaltedHasALimit) {
  constexpr uint64_t kLines = 4 * Written::kMost;
  const CacheGeometry g = {1024, 2, 0, 1, 32};
  PbModel* const model = pb_model_caches(&g, why, sizeof why);
  pb_models_reset();
  pb_model_use(model, true);
  m.devices_alone = false;
  for (uint64_t at = 0; at < 1024; at += 32) m.access(1, at, 4, false);
  const uint64_t misses = pb_model_misses(model, 1, false);
  size_t most = 0;
  unsigned asked = m.retranslations, stops = 0;
  for (uint64_t i = 0; i < kLines; ++i) {
    pb_models_written(i * 64, 64);
    for (unsigned v = 0; v < FakeMachine::kVcpus; ++v)
      most = std::max(most, g_layer.cpus[v].written.lines.size());
    if (m.retranslations == asked) continue;
    EXPECT_EQ(m.retranslations, asked + 1) << "asked for once";
    asked = m.retranslations;
    stops++;
    // What is written before the vCPUs have stopped.
    for (uint64_t more = 0; more < 100; ++more) pb_models_written(more * 64, 32);
    EXPECT_EQ(m.retranslations, asked);
    models_drop_all_written();
  }
  EXPECT_LE(most, Written::kMost);
  EXPECT_GE(stops, 3u);
  models_drop_all_written();
  EXPECT_EQ(pb_model_misses(model, 1, false), misses);
  for (uint64_t at = 0; at < 1024; at += 32) m.access(1, at, 4, false);
  EXPECT_EQ(pb_model_misses(model, 1, false), misses + 1024 / 32) << "each line was dropped";
  m.devices_alone = true;
  pb_models_reset();
  pb_model_use(model, false);
}

TEST_F(Layer, RangesToTheByteAndBackAgain) {
  const int r = range_open(3 * kPage + 8, 3 * kPage + 15);
  ASSERT_GE(r, 0);
  EXPECT_EQ(range_open(3 * kPage + 8, 3 * kPage + 15), r);
  const int device = range_open(0xd0000000, 0xd0000003);
  range_use(r, true);
  range_use(device, true);
  const auto n = [&](int range) { return range_count(static_cast<unsigned>(range), 0, false); };
  m.access(0, 3 * kPage + 4, 4, true);
  m.access(0, 3 * kPage + 16, 4, true);
  EXPECT_EQ(n(r), 0u);
  m.access(0, 3 * kPage + 5, 4, true);
  m.access(0, 3 * kPage + 15, 1, false);
  m.access(0, 3 * kPage + 15, 8, false);
  EXPECT_EQ(n(r), 3u);
  m.access(0, 0xd0000000, 4, false);
  EXPECT_EQ(n(device), 1u);
  PassTag several;
  several.several = true;
  pass_begin(0, nullptr);
  m.access(0, 3 * kPage + 8, 4, true, several);
  EXPECT_EQ(n(r), 4u);
  pass_taken_back(0, false);
  EXPECT_EQ(n(r), 3u);
  several.repeats = true;
  pass_begin(0, nullptr);
  m.access(0, 3 * kPage + 8, 4, true, several);  // ends an iteration
  m.access(0, 3 * kPage + 8, 4, false, several);
  pass_taken_back(0, false);
  EXPECT_EQ(n(r), 4u) << "the iteration that came to its end counts";
  range_use(r, false);
  range_use(device, false);
  EXPECT_EQ(g_layer.features.load(), 0u);
}

TEST_F(Layer, WhatTheProcessorAccessesItselfIsToldAtPagesAndNotCounted) {
  const int r = range_open(9 * kPage, 11 * kPage);
  Listener pages, bus;
  range_use(r, true);
  pages.mark(9, 1, true);
  bus.mark(10, 1, true);
  EXPECT_EQ(m.own[true], nullptr);
  bus.want(PB_TAP_BUS);
  EXPECT_EQ(m.own[false], nullptr) << "nobody hears of loads from pages";
  pages.want(PB_TAP_PAGES);
  m.access(0, 10 * kPage - 2, 4, true, {}, true);
  m.access(1, 9 * kPage, 8, false, {}, true);
  m.access(1, 20 * kPage, 4, true, {}, true);
  EXPECT_EQ(pages.told, (std::vector<Told>{{true, 10 * kPage - 2, 2, 0}, {false, 9 * kPage, 8, 1}}));
  EXPECT_EQ(bus.told, (std::vector<Told>{{true, 10 * kPage, 2, 0}}));
  for (unsigned vcpu : {0, 1}) EXPECT_EQ(range_count(static_cast<unsigned>(r), vcpu, false), 0u);
  bus.want(PB_TAP_NOTHING);
  pages.want(PB_TAP_NOTHING);
  EXPECT_EQ(m.own[true], nullptr);
  range_use(r, false);
}

TEST_F(Layer, StoresAsTheProcessorMakesThem) {
  Listener l;
  l.mark(9, 1, true);
  l.want(PB_TAP_STORES);
  PassTag probes, reverses;
  probes.probes = reverses.reverses = true;
  pass_begin(0, nullptr);
  m.access(0, 9 * kPage, 4, true, probes);
  pass_begin(0, nullptr);  // it faulted behind its probe, and begins again
  m.access(0, 9 * kPage, 4, true, probes);
  EXPECT_TRUE(l.told.empty());
  m.access(0, 9 * kPage, 4, true, probes);
  EXPECT_EQ(l.told.size(), 1u);
  l.told.clear();
  pass_begin(0, nullptr);
  for (unsigned i = 0; i < 8; ++i) m.access(0, 9 * kPage + 64 + 4 * i, 4, true, reverses);
  ASSERT_EQ(l.told.size(), 8u);
  EXPECT_EQ(std::get<1>(l.told.front()), 9 * kPage + 64 + 28);
  EXPECT_EQ(std::get<1>(l.told.back()), 9 * kPage + 64);
}

// Bytes that are one access of the processor's.
TEST_F(Layer, PiecesOfAnAccess) {
  const CacheGeometry g = {1024, 2, 0, 1, 32};
  Listener marked, all, cached(&g);
  const auto n = [](int range) { return range_count(static_cast<unsigned>(range), 0, false); };
  const int r = range_open(9 * kPage - 4, 9 * kPage + 3);
  const uint64_t misses = pb_model_misses(cached.model, 0, false), ranges = n(r);
  const Pieces pieces = {.begins = 1};
  marked.mark(9, 1, true);
  marked.want(PB_TAP_PAGES);
  PassTag tag;
  tag.pieces = true;
  const auto access = [&](uint64_t addr, bool store) {
    pass_begin(0, pieces.pack());
    for (unsigned i = 0; i < 16; ++i) m.access(0, addr + i, 1, store, tag);
  };
  access(9 * kPage + 64, true);
  EXPECT_EQ(marked.told.size(), 16u) << "each part";
  range_use(r, true);
  access(9 * kPage - 8, false);
  access(9 * kPage - 8, true);
  EXPECT_EQ(n(r), ranges + 2);
  range_use(r, false);
  for (Listener* l : {&all, &cached}) {
    l->want(PB_TAP_BUS);
    l->await(true);
  }
  access(5 * kPage + 16, false);  // a line
  access(5 * kPage + 56, false);  // across two
  access(6 * kPage - 8, true);    // across two pages
  EXPECT_EQ(all.told.size(), 4u) << "a page each";
  EXPECT_EQ(cached.told.size(), 4u);
  EXPECT_EQ(pb_model_misses(cached.model, 0, false), misses + 3);
}

TEST_F(Layer, ASnapshotOfTheModels) {
  const CacheGeometry g = {1024, 2, 0, 1, 32};
  PbModel* const model = pb_model_caches(&g, why, sizeof why);
  pb_models_reset();
  pb_model_use(model, true);
  m.access(0, 64, 4, false);
  std::vector<char> image(pb_models_bytes());
  pb_models_save(image.data());
  ASSERT_TRUE(pb_models_ok(image.data(), why, sizeof why)) << why;
  pb_models_reset();
  const uint64_t before = pb_model_misses(model, 0, false);
  m.access(0, 64, 4, false);
  EXPECT_EQ(pb_model_misses(model, 0, false), before + 1);
  pb_models_load(image.data());
  m.access(0, 64, 4, false);
  EXPECT_EQ(pb_model_misses(model, 0, false), before + 1) << "it is there again";
  pb_model_use(model, false);
  // No bit of a head may differ: the geometry is another then.
  for (unsigned bit = 0; bit < 64; ++bit) {
    image[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_FALSE(pb_models_ok(image.data(), why, sizeof why)) << bit;
    image[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
  EXPECT_TRUE(pb_models_ok(image.data(), why, sizeof why));
}

// What a tap is told of an access besides: whether it is locked, and its memory type.
TEST_F(Layer, LockedAndMemoryTypes) {
  struct Kinds {
    std::vector<std::pair<bool, unsigned>> told;
    std::vector<std::pair<uint64_t, unsigned>> drained;  // time and vCPU
    PbTap* tap;
    Kinds() {
      const auto hear = [](void* o, const PbTapAccess* a) {
        static_cast<Kinds*>(o)->told.push_back({a->locked, a->type});
      };
      const PbTapOps ops = {.on_access = hear, .drain = [](void* o, uint64_t now, unsigned vcpu) {
                              static_cast<Kinds*>(o)->drained.push_back({now, vcpu});
                            }};
      tap = pb_tap_new(&ops, this);
      pb_tap_want(tap, PB_TAP_PAGES);
    }
    ~Kinds() {
      pb_tap_holds(tap, false);
      pb_tap_types(tap, false);
      pb_tap_pages(tap, 0, 16, false);
      pb_tap_want(tap, PB_TAP_NOTHING);
    }
  } asks, does_not;
  constexpr uint64_t kWc = PB_MEMORY_WRITE_COMBINING;  // a page of that type (FakeMachine::type_of)
  EXPECT_FALSE(g_layer.features.load() & kDrains) << "nobody asked";
  pb_tap_types(asks.tap, true);
  EXPECT_TRUE(g_layer.features.load() & kDrains);
  pb_tap_pages(asks.tap, kWc, 2, true);
  pb_tap_pages(does_not.tap, kWc - 1, 2, true);
  ASSERT_NE(m.typed, nullptr);
  EXPECT_TRUE(m.typed(kWc) && m.typed(kWc + 1));
  EXPECT_FALSE(m.typed(kWc - 1)) << "no tap that asked has this page";
  PassTag locked;
  locked.locked = true;
  m.access(0, kWc * kPage, 4, true);
  const auto both = [&](unsigned vcpu, uint64_t addr) {
    m.access(vcpu, addr, 4, false, locked);
    m.access(vcpu, addr, 4, true, locked);
  };
  m.access(0, kWc * kPage, 4, false, locked);  // its store faults: it is begun again
  both(0, kWc * kPage);
  both(0, (kWc + 1) * kPage - 2);  // on two pages
  both(1, (kWc - 1) * kPage);
  using Kind = std::vector<std::pair<bool, unsigned>>;
  EXPECT_EQ(asks.told,
            (Kind{{false, kWc}, {true, kWc}, {true, kWc}, {true, kWc}, {true, 0}, {true, kWc}, {true, 0}}));
  EXPECT_EQ(does_not.told,
            (Kind{{false, 0}, {true, 0}, {true, 0}, {true, 0}, {true, 0}, {true, 0}, {true, 0}}));
  // Drains: only while the tap holds, by instructions and by what is delivered.
  using Drained = std::vector<std::pair<uint64_t, unsigned>>;
  m.time = 100;
  pass_drain(1, 0);
  EXPECT_TRUE(asks.drained.empty());
  pb_tap_holds(asks.tap, true);
  pb_tap_holds(does_not.tap, true);
  pass_drain(1, 3);
  ASSERT_NE(m.events, nullptr);
  m.events->exception(2, false);
  m.events->interrupt(3, true);
  EXPECT_EQ(asks.drained, (Drained{{97, 1}, {100, 2}, {100, 3}}));
  EXPECT_TRUE(does_not.drained.empty());
  pb_tap_holds(asks.tap, false);
  m.events->exception(2, false);
  EXPECT_EQ(asks.drained.size(), 3u);
  pb_tap_types(asks.tap, false);
  EXPECT_FALSE(g_layer.features.load() & kDrains);
}

// Five taps at any levels on any pages, with two models of caches, one of them shared, and four vCPUs in any
// order.
TEST_F(Layer, EachHearsExactlyItsOwn) {
  const CacheGeometry small = {256, 2, 0, 1, 32}, big = {1024, 4, 0, 1, 64};
  Listener listeners[] = {Listener(), Listener(), Listener(&small), Listener(&big), Listener(&big)};
  constexpr unsigned kTaps = 5, kModelOf[] = {0, 0, 1, 2, 2};  // 0: none
  const uint64_t bases[] = {0, m.addr(FakeMachine::kNode1), m.addr(FakeMachine::kBar), 0xd0000000,
                            FakeMachine::kOwnPage};
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    pb_models_reset();
    std::vector<SlowCache> caches[] = {{},
                                       std::vector<SlowCache>(FakeMachine::kVcpus, SlowCache(small)),
                                       std::vector<SlowCache>(FakeMachine::kVcpus, SlowCache(big))};
    Expected expected[kTaps];
    for (unsigned i = 0; i < kTaps; ++i) {
      expected[i].l = &listeners[i];
      listeners[i].told.clear();
    }
    // Whether a model lets an access through to the bus. It runs while some tap at the bus has it. A store to
    // a page that a tap with this model has marked is write-through.
    const auto through = [&](unsigned model, unsigned vcpu, uint64_t addr, unsigned bytes, bool store) {
      bool used = false, marked = false;
      for (unsigned i = 0; i < kTaps; ++i) {
        used |= kModelOf[i] == model && listeners[i].level == PB_TAP_BUS;
        marked |= kModelOf[i] == model && listeners[i].pages.count(addr / kPage);
      }
      if (model == 0 || !used || !is_own_memory(addr)) return true;
      SlowCache& cache = caches[model][vcpu];
      return store ? cache.store(addr, bytes) || marked : cache.load(addr, bytes);
    };
    for (unsigned step = 0; step < 6000; ++step) {
      Listener& l = listeners[any(kTaps)];
      const uint64_t base = bases[any(5)];
      m.time++;
      switch (any(40)) {
        case 0:
          l.want(static_cast<PbTapLevel>(any(4)));
          continue;
        case 1:
        case 2:
          l.mark(base / kPage + any(12), 1 + any(4), any(2));
          continue;
        case 3:
          l.await(any(2));
          continue;
      }
      const unsigned vcpu = any(FakeMachine::kVcpus), bytes = 1u << any(5);
      const uint64_t addr = base + any(8) * kPage + (any(4) ? any(64) : kPage - 16 + any(16));
      const auto first = std::min(bytes, static_cast<unsigned>(kPage - addr % kPage));
      const auto access = [&](bool store, bool locked) {
        PassTag tag;
        tag.locked = locked;
        m.access(vcpu, addr, bytes, store, tag);
        for (auto& e : expected) {
          if (store && locked) e.told.insert(e.told.end(), e.loaded[vcpu].begin(), e.loaded[vcpu].end());
          if (locked) e.loaded[vcpu].clear();
        }
        for (const auto& [at, n] : {std::pair(addr, first), std::pair(addr + first, bytes - first)}) {
          if (n == 0) continue;
          bool bus[3];
          for (unsigned model = 0; model < 3; ++model) bus[model] = through(model, vcpu, at, n, store);
          for (unsigned i = 0; i < kTaps; ++i)
            expected[i].access(vcpu, at, n, store, bus[kModelOf[i]], locked);
        }
      };
      if (any(6)) {
        access(any(2), false);
      } else {  // a locked instruction; at times its store faults
        access(false, true);
        if (any(4)) access(true, true);
      }
    }
    for (unsigned i = 0; i < kTaps; ++i) {
      EXPECT_EQ(listeners[i].told, expected[i].told) << "seed " << seed << ", tap " << i;
      const PbBusCounts counts = pb_tap_take(listeners[i].tap);
      EXPECT_EQ(counts.reads, expected[i].reads) << "seed " << seed << ", tap " << i;
      EXPECT_EQ(counts.writes, expected[i].writes) << "seed " << seed << ", tap " << i;
      EXPECT_EQ(pb_tap_take(listeners[i].tap).reads, 0u);
      EXPECT_GT(listeners[i].told.size(), 50u) << "it was worth it";
    }
    if (HasFailure()) break;
  }
}

// vCPUs in threads of their own: nothing is lost, and nothing is heard twice.
TEST_F(Layer, SeveralVcpusAtOnce) {
  struct Counter {
    std::atomic<uint64_t> writes{0}, reads{0};
    PbTap* tap;
    Counter() {
      static const PbTapOps ops = {.on_access = [](void* o, const PbTapAccess* a) {
        Counter& c = *static_cast<Counter*>(o);
        ++(a->store ? c.writes : c.reads);
      }};
      tap = pb_tap_new(&ops, this);
    }
    ~Counter() {
      pb_tap_pages(tap, 0, 64, false);
      pb_tap_want(tap, PB_TAP_NOTHING);
    }
  } stores, bus;
  constexpr unsigned kEach = 20000;
  pb_tap_pages(stores.tap, 0, 16, true);
  pb_tap_pages(bus.tap, 8, 16, true);
  pb_tap_want(stores.tap, PB_TAP_STORES);
  pb_tap_want(bus.tap, PB_TAP_BUS);
  pb_tap_awaits(bus.tap, false);
  std::vector<std::thread> threads;
  for (unsigned v = 0; v < FakeMachine::kVcpus; ++v)
    threads.emplace_back([&, v] {
      for (unsigned i = 0; i < kEach; ++i) {
        // Bytes of its own: the memory is the guest's, and a race there is not the layer's.
        m.access(v, (i % 32) * kPage + 16 * v, 4, true);
        m.access(v, (i % 32) * kPage + 16 * v, 4, false);
        if (v == 0) pb_tap_awaits(bus.tap, i % 3 == 0);
      }
    });
  for (auto& t : threads) t.join();
  const PbBusCounts counted = pb_tap_take(bus.tap);
  EXPECT_EQ(stores.writes, FakeMachine::kVcpus * kEach / 2);
  EXPECT_EQ(stores.reads, 0u);
  EXPECT_EQ(bus.writes + counted.writes, FakeMachine::kVcpus * kEach);
  EXPECT_EQ(bus.reads + counted.reads, FakeMachine::kVcpus * kEach);
}

TEST_F(Layer, AClosedTapHearsNothingMoreAndAnotherHasItsPlace) {
  for (unsigned i = 0; i < 3 * PB_MOST_TAPS; ++i) {
    Listener one, bus;
    one.mark(2, 4, true);
    one.want(PB_TAP_PAGES);
    bus.want(PB_TAP_BUS);
    bus.await(false);
    pb_tap_types(one.tap, true);
    m.access(1, 2 * kPage, 4, true);
    m.access(1, 9 * kPage, 4, false);
    EXPECT_EQ(one.told.size(), 1u);
    const PbBusCounts counts = pb_tap_take(bus.tap);
    EXPECT_EQ(counts.reads, 1u) << "not of the one that had its place";
    EXPECT_EQ(counts.writes, 1u);
    pb_tap_close(one.tap);
    pb_tap_holds(one.tap, true);  // by who was in the middle of a callback
    m.access(1, 2 * kPage, 4, true);
    EXPECT_EQ(one.told.size(), 1u);
  }
  EXPECT_EQ(g_layer.pages.owners(2), 0u);
  EXPECT_EQ(g_layer.holds.load(), 0u);
}

TEST_F(Layer, ThereIsAnEndOfTaps) {
  static const PbTapOps ops = {};
  std::vector<PbTap*> made;
  while (PbTap* const tap = pb_tap_new(&ops, nullptr)) {
    made.push_back(tap);
    ASSERT_LE(made.size(), PB_MOST_TAPS);
  }
  for (PbTap* const tap : made) {
    pb_tap_close(tap);
    pb_tap_free(tap);
  }
  PbTap* const again = pb_tap_new(&ops, nullptr);
  ASSERT_NE(again, nullptr);
  pb_tap_free(again);
}

}  // namespace
}  // namespace perfboard
