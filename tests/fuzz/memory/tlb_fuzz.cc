// SPDX-License-Identifier: GPL-2.0-or-later
//
// A TLB against a reference of one list: the pages of a set that were used last are those that are there,
// newest first.
#include <algorithm>
#include <cstring>
#include <vector>

#include "hw/memory/tlb.h"
#include "hw/model/host.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

class Bench {
 public:
  explicit Bench(Input& source) : in(source) {
    geometry_.entries = 1u << in.below(8);
    geometry_.ways = std::min(1u << in.below(7), geometry_.entries);
    char why[200];
    FUZZ_CHECK(tlb_geometry_ok(&geometry_, why, sizeof why), "%s", why);
    memory_.resize(tlb_state_bytes(&geometry_) / 8);
    tlb_attach(&t_, &geometry_, memory_.data());
  }

  void step() {
    const uint64_t page = in.below(8) ? in.below(512) : in.u64() >> 12;
    switch (in.below(16)) {
      case 0:
      case 1:
        tlb_drop(&t_, page);
        std::erase(used_, page);
        break;
      case 2:
        if (in.below(16) == 0) {
          tlb_reset(&t_);
          used_.clear();
        }
        break;
      case 3:
        damage(page);
        break;
      default: {
        const bool there = has(page);
        FUZZ_CHECK(tlb_has(&t_, page) == there, "page %llx is there: %d", ull(page), there);
        FUZZ_CHECK(tlb_use(&t_, page) == there, "page %llx hits: %d", ull(page), there);
        FUZZ_CHECK(tlb_newest(&t_, page), "page %llx is not the newest", ull(page));
        std::erase(used_, page);
        used_.insert(used_.begin(), page);
      }
    }
    check();
  }

 private:
  static unsigned long long ull(uint64_t v) { return v; }
  uint64_t set_of(uint64_t page) const { return page % (geometry_.entries / geometry_.ways); }
  bool has(uint64_t page) const {
    uint32_t newer = 0;
    for (const uint64_t p : used_) {
      if (p == page) return newer < geometry_.ways;
      newer += set_of(p) == set_of(page);
    }
    return false;
  }
  void check() {
    // What was pushed out does not come back when another is dropped.
    std::vector<uint32_t> in_set(geometry_.entries / geometry_.ways);
    std::erase_if(used_, [&](uint64_t p) { return in_set[set_of(p)]++ >= geometry_.ways; });
    std::vector<uint64_t> wanted(geometry_.entries);
    std::fill(in_set.begin(), in_set.end(), 0);
    for (const uint64_t p : used_) wanted[set_of(p) * geometry_.ways + in_set[set_of(p)]++] = p + 1;
    FUZZ_CHECK(std::memcmp(t_.entry, wanted.data(), 8 * wanted.size()) == 0, "the entries");
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(tlb_state_ok(&geometry_, memory_.data(), why, sizeof why), "%s", why);
  }
  void damage(uint64_t page) {
    std::vector<uint64_t> image = memory_;
    uint64_t& word = image[in.u16() % image.size()];
    word = in.flip() ? page + 1 : word ^ uint64_t { 1 } << in.below(64);
    char why[PB_WHY_BYTES] = "";
    if (!tlb_state_ok(&geometry_, image.data(), why, sizeof why)) {
      FUZZ_CHECK(why[0] && !std::strchr(why, '\n'), "'%s'", why);
      return;
    }
    TlbNode other;
    tlb_attach(&other, &geometry_, image.data());
    for (uint32_t n = in.below(8); n; --n) tlb_use(&other, page ^ in.below(64));
    FUZZ_CHECK(tlb_state_ok(&geometry_, image.data(), why, sizeof why),
               "a damaged state was taken, and then: %s", why);
  }

  Input& in;
  TlbGeometry geometry_;
  std::vector<uint64_t> memory_, used_;  // used_: newest first
  TlbNode t_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
