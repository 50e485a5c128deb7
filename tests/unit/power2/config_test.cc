// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a card may be configured to, and what is said about the rest: property, value, legal range.
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

P2Config wide() {
  P2Config c;
  p2_config_default(&c, P2_WIDE);
  return c;
}
std::string complaint(const P2Config& c) { return complaint_about<p2_config_ok>(c); }
void expect_refused(const P2Config& c, std::string_view option, std::string_view legal) {
  const std::string why = complaint(c);
  EXPECT_EQ(why.substr(0, option.size()), option) << why;
  EXPECT_NE(why.find(legal), why.npos) << why;
}

TEST(P2ConfigOk, TheThreeNodes) {
  for (P2Node node : {P2_THIN, P2_THIN2, P2_WIDE}) {
    P2Config c;
    p2_config_default(&c, node);
    EXPECT_EQ(complaint(c), "");
    EXPECT_EQ(p2_node_of(&c.geometry), node);
    char why[200] = "";
    P2Node named = P2_OTHER;
    EXPECT_TRUE(p2_node_named(p2_node_name(node), &named, why, sizeof why)) << why;
    EXPECT_EQ(named, node);
    const CacheGeometry d = p2_dcache(&c.geometry), i = p2_icache(&c.geometry);
    const TlbGeometry t = p2_tlb(&c.geometry), f = p2_itlb(&c.geometry);
    EXPECT_TRUE(cache_geometry_ok(&d, why, sizeof why)) << why;
    EXPECT_TRUE(cache_geometry_ok(&i, why, sizeof why)) << why;
    EXPECT_TRUE(tlb_geometry_ok(&t, why, sizeof why)) << why;
    EXPECT_TRUE(tlb_geometry_ok(&f, why, sizeof why)) << why;
    EXPECT_EQ(d.write_allocate, 1u);
    EXPECT_EQ(d.l1_size, (64u << 10) << node) << "64, 128, 256 KB";
    EXPECT_EQ(c.geometry.bus, 8u << node) << "64, 128, 256 bits";
    EXPECT_EQ(d.line / c.geometry.bus, 8u) << "a line takes 8 bus cycles";
  }
}

TEST(P2ConfigOk, NoSuchNode) {
  P2Node node = P2_THIN;
  char why[200] = "";
  EXPECT_FALSE(p2_node_named("fat", &node, why, sizeof why));
  EXPECT_EQ(std::string(why), "node=fat: legal are thin, thin2, wide");
}

TEST(P2ConfigOk, OnesOwnGeometryIsAnother) {
  P2Config c = wide();
  c.geometry.dcache_ways = 2;
  EXPECT_EQ(complaint(c), "");
  EXPECT_EQ(p2_node_of(&c.geometry), P2_OTHER);
  EXPECT_EQ(std::string(p2_node_name(P2_OTHER)), "other");
}

struct Bad {
  uint32_t P2Geometry::* member;
  uint32_t value;
  std::string option, legal;
};
#define BAD(member, value, legal) {&P2Geometry::member, value, #member, legal}
TEST(P2ConfigOk, Geometry) {
  Bad bad[] = {
      BAD(dcache, 0, "256 to 16777216"),
      BAD(dcache, 3 << 16, "powers of two"),
      BAD(dcache, 32 << 20, "16777216"),
      BAD(dcache_ways, 0, "1 to 64"),
      BAD(dcache_ways, 3, "powers of two"),
      BAD(dcache_ways, 128, "1 to 64"),
      BAD(dcache_line, 8, "16 to 256"),
      BAD(dcache_line, 512, "16 to 256"),
      BAD(icache, 64, "128 to"),
      BAD(icache_ways, 5, "1 to 64"),
      BAD(icache_line, 0, "16 to 256"),
      BAD(tlb, 0, "1 to 4096"),
      BAD(tlb, 8192, "1 to 4096"),
      BAD(tlb_ways, 6, "1 to 64"),
      BAD(itlb, 100, "1 to 4096"),
      BAD(itlb_ways, 0, "1 to 64"),
      BAD(bus, 0, "1 to 256"),
  };
  for (Bad& b : bad) {
    P2Config c = wide();
    c.geometry.*b.member = b.value;
    std::replace(b.option.begin(), b.option.end(), '_', '-');
    expect_refused(c, b.option + "=" + std::to_string(b.value), b.legal);
  }
}

#undef BAD

TEST(P2ConfigOk, WaysAreNotMoreThanThereIsRoomFor) {
  P2Config c = wide();
  c.geometry.icache = 512;
  c.geometry.icache_ways = 4;
  EXPECT_EQ(complaint(c), "");
  c.geometry.icache_ways = 8;
  expect_refused(c, "icache-ways=8", "1 to 4");
  c = wide();
  c.geometry.itlb = 2;
  EXPECT_EQ(complaint(c), "");
  c.geometry.itlb = 1;
  expect_refused(c, "itlb-ways=2", "1 to 1");
}

TEST(P2ConfigOk, WhatPassesPassesTheModels) {
  for (uint32_t line : {16u, 256u})
    for (uint32_t bytes = line; bytes <= 16u << 20; bytes *= 2)
      for (uint32_t ways = 1; ways <= 64; ways *= 2) {
        P2Config c = wide();
        c.geometry.dcache = bytes;
        c.geometry.dcache_line = line;
        c.geometry.dcache_ways = ways;
        const CacheGeometry g = p2_dcache(&c.geometry);
        char why[200] = "";
        EXPECT_EQ(complaint(c).empty(), cache_geometry_ok(&g, why, sizeof why))
            << bytes << ' ' << ways << ' ' << line;
      }
  for (uint32_t entries = 1; entries <= 4096; entries *= 2)
    for (uint32_t ways = 1; ways <= 64; ways *= 2) {
      P2Config c = wide();
      c.geometry.tlb = entries;
      c.geometry.tlb_ways = ways;
      const TlbGeometry g = p2_tlb(&c.geometry);
      char why[200] = "";
      EXPECT_EQ(complaint(c).empty(), tlb_geometry_ok(&g, why, sizeof why)) << entries << ' ' << ways;
    }
}

}  // namespace
}  // namespace perfboard::p2
