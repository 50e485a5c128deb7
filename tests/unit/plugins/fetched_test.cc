// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instruction TLBs' counts on random blocks against lists that know sets and ages alone: with look-ups left
// out in translated code (plugins/fetched.h), and without. Meanwhile translations are dropped, address spaces
// change, paging goes off, models come into use and go, are emptied, saved and loaded.
#include "plugins/fetched.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <vector>

#include "plugins/models_state.h"
#include "tests/unit/plugins/fake_machine.h"

namespace perfboard {
namespace {

constexpr unsigned kVcpus = 2;
constexpr TlbGeometry kTlbs[] = {{8, 2}, {2, 1}, {4, 4}};
constexpr size_t kCount = std::size(kTlbs);

struct Lists {
  uint64_t space = 0;
  std::map<uint64_t, std::list<uint64_t>> in;  // by set, newest first

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
    for (size_t t = 0; t < kCount; ++t) {
      models_[t] = pb_model_fetch_tlb(&kTlbs[t], why, sizeof why);
      for (unsigned v = 0; v < kVcpus; ++v)
        for (const bool privileged : {false, true})
          expected_[t][v][privileged] = pb_model_misses(models_[t], v, privileged);
    }
    use(0, true);
    image_.resize(pb_models_bytes());
    save();
  }
  ~Blocks() {
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
        for (const bool privileged : {false, true})
          EXPECT_EQ(pb_model_misses(models_[t], v, privileged), expected_[t][v][privileged])
              << "TLB " << t << ", vCPU " << v;
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
  uint64_t expected_[kCount][kVcpus][2] = {};
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

}  // namespace
}  // namespace perfboard
