// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TLB, an example of each rule. TLBs of any geometry against a reference: fuzz-tlb.
#include "hw/memory/tlb.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

constexpr TlbGeometry kPentium = TLB_GEOMETRY_PENTIUM;

struct Tlb {
  Tlb() : memory(tlb_state_bytes(&kPentium) / 8) {
    tlb_attach(&node, &kPentium, memory.data());
    tlb_reset(&node);
  }
  Tlb(const Tlb&) = delete;
  bool use(uint64_t page) { return tlb_use(&node, page); }
  bool has(uint64_t page) const { return tlb_has(&node, page); }
  bool ok() const {
    char why[100];
    return tlb_state_ok(&kPentium, memory.data(), why, sizeof why);
  }

  std::vector<uint64_t> memory;  // the space, then the entries
  TlbNode node;
};

TEST(Tlb, HasThePentiumsSize) {
  EXPECT_EQ(kPentium.entries, 64u);
  EXPECT_EQ(kPentium.ways, 4u);
  EXPECT_EQ(tlb_state_bytes(&kPentium), 65 * sizeof(uint64_t));
}

TEST(Tlb, GeometriesThatCannotBeAreNamed) {
  const struct {
    TlbGeometry geometry;
    const char* wrong;  // nullptr: nothing
  } kCases[] = {
      {{1, 1}, nullptr},     {{512, 2}, nullptr},     {{64, 64}, nullptr},         {{4096, 64}, nullptr},
      {{0, 1}, "0 entries"}, {{65, 1}, "65 entries"}, {{8192, 1}, "8192 entries"}, {{64, 0}, "0 ways"},
      {{64, 3}, "3 ways"},   {{4, 8}, "8 ways"},      {{4096, 128}, "128 ways"},
  };
  for (const auto& c : kCases) {
    char why[100] = "";
    EXPECT_EQ(tlb_geometry_ok(&c.geometry, why, sizeof why), c.wrong == nullptr) << why;
    EXPECT_NE(std::string(why).find(c.wrong ? c.wrong : ""), std::string::npos) << why;
  }
}

TEST(Tlb, Holds64PagesInOrder) {
  Tlb t;
  for (uint64_t p = 0; p < 64; ++p) EXPECT_FALSE(t.use(p));
  for (uint64_t p = 0; p < 64; ++p) EXPECT_TRUE(t.use(p));
  EXPECT_FALSE(t.use(64));
  EXPECT_FALSE(t.use(0)) << "the oldest of its set had to go";
  EXPECT_TRUE(t.use(64));
}

TEST(Tlb, PageZeroAndTheLastPageAreNotThereAtFirst) {
  Tlb t;
  const uint64_t last = UINT64_MAX >> 12;
  EXPECT_FALSE(t.has(0));
  EXPECT_FALSE(t.use(0));
  EXPECT_FALSE(t.use(last));
  EXPECT_TRUE(t.has(0) && t.has(last));
}

TEST(Tlb, DropTakesOneOutAndLeavesTheOrder) {
  Tlb t;
  for (uint64_t p : {0, 16, 32, 48}) t.use(p);
  tlb_drop(&t.node, 32);
  tlb_drop(&t.node, 7);  // is not there
  EXPECT_FALSE(t.has(32));
  EXPECT_TRUE(t.has(0) && t.has(16) && t.has(48));
  EXPECT_FALSE(t.use(64)) << "into the empty place";
  EXPECT_TRUE(t.has(0));
  EXPECT_FALSE(t.use(80)) << "now the oldest goes";
  EXPECT_FALSE(t.has(0));
  EXPECT_TRUE(t.has(16));
}

TEST(Tlb, ResetEmpties) {
  Tlb t;
  t.use(5);
  t.node.state->space = 77;
  tlb_reset(&t.node);
  for (const uint64_t word : t.memory) EXPECT_EQ(word, 0u);
}

TEST(Tlb, ASnapshotOfWhatItCannotHoldIsSeen) {
  Tlb t;
  for (uint64_t page = 0; page < 32; ++page) t.use(page);
  const std::vector<uint64_t> good = t.memory;
  uint64_t* const set = t.node.entry + 3 * t.node.ways;
  ASSERT_TRUE(t.ok());
  set[0] = 5;  // page 4 is set 4's
  EXPECT_FALSE(t.ok());
  t.memory = good;
  ASSERT_TRUE(t.ok());
  t.node.entry[3 * t.node.ways + 1] = t.node.entry[3 * t.node.ways];
  EXPECT_FALSE(t.ok()) << "twice";
  t.memory = good;
  t.node.entry[3 * t.node.ways] = 0;
  EXPECT_FALSE(t.ok()) << "an empty place before a page";
}

}  // namespace
