// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of addresses and bits, written on its own, against the tables that the model runs: every
// register and field of the tables is in the header, and they agree.
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

#include "guest/power2/regs.h"
#include "hw/power2/registers.h"

namespace perfboard::p2 {
namespace {

class P2GuestHeader : public testing::Test {
 protected:
  void address(const std::string& reg, uint32_t offset) {
    EXPECT_EQ(at(kRegisters, reg).offset, offset) << reg;
  }
  void field_is(const std::string& reg, const std::string& name, uint32_t mask) {
    EXPECT_EQ(at(kRegisters, reg).field(name).mask(), mask) << reg << '.' << name;
    taken_.insert(reg + '.' + name);
  }
  std::set<std::string> taken_;
};

TEST_F(P2GuestHeader, FieldsAndAddresses) {
  field_is("MMCR", "DIS", P2_MMCR_DIS);
  field_is("MMCR", "DP", P2_MMCR_DP);
  field_is("MMCR", "DU", P2_MMCR_DU);
  field_is("MMCR", "DMS", P2_MMCR_DMS);
  field_is("MMCR", "DMR", P2_MMCR_DMR);
  field_is("MMCR", "SGA", P2_MMCR_SGA);
  field_is("MMCR", "RESERVED", P2_MMCR_RESERVED);
  field_is("MMCR", "FPU", P2_MMCR_FPU(15u));
  field_is("MMCR", "FXU", P2_MMCR_FXU(15u));
  field_is("MMCR", "ICU", P2_MMCR_ICU(15u));
  field_is("MMCR", "SCU", P2_MMCR_SCU(15u));
  field_is("SPE", "SPE", P2_SPE_SPE);
  field_is("MARK", "PM", P2_MARK_PM);
  field_is("STATE", "PR", P2_STATE_PR);
  field_is("STATE", "PM", P2_STATE_PM);
  field_is("STATE", "COUNTS", P2_STATE_COUNTS);
  field_is("IMR", "INSTRUCTION", 0xffffffff);
  field_is("PAD", "RESERVED", 0xffffffff);
  address("MMCR", P2R_MMCR);
  address("IMR", P2R_IMR);
  address("SPE", P2R_SPE);
  address("MARK", P2R_MARK);
  address("STATE", P2R_STATE);
  const char* units[] = {"FPU", "FXU", "ICU", "SCU"};
  const unsigned first[] = {P2_FPU0, P2_FXU0, P2_ICU0, P2_SCU0};
  for (unsigned unit = 0; unit < P2_UNITS; ++unit)
    for (unsigned i = 0; i < P2_UNIT_COUNTERS; ++i) {
      const std::string reg = units[unit] + std::to_string(i);
      address(reg, P2R_COUNTER(first[unit] + i));
      field_is(reg, "COUNT", 0xffffffff);
    }
  address("CYCLES", P2R_COUNTER(P2_CYCLES));
  field_is("CYCLES", "COUNT", 0xffffffff);
  address("ERRORS", P2R_COUNTER(P2_ERRORS));
  field_is("ERRORS", "COUNT", 0xffffffff);
  for (const Register& r : kRegisters)
    for (const Field& f : r.fields)
      EXPECT_TRUE(taken_.contains(std::string(r.name) + '.' + std::string(f.name)))
          << r.name << '.' << f.name;
}

TEST_F(P2GuestHeader, Sizes) {
  EXPECT_EQ(P2_COUNTERS, kCounters);
  EXPECT_EQ(P2_UNITS, kUnits);
  EXPECT_EQ(P2_UNIT_COUNTERS, kUnitCounters);
  EXPECT_EQ(P2_GROUPS, kGroups);
  EXPECT_EQ(P2_BAR_BYTES, P2_WINDOW_BYTES);
  EXPECT_EQ(P2R_OWN, kOwnWindow);
  EXPECT_EQ(P2R_OF(0), kWindows);
  EXPECT_EQ(P2R_OF(3), kWindows + 3 * kWindowBytes);
  EXPECT_LE(P2R_OF(P2_MOST_MONITORS), P2_WINDOW_BYTES);
}

TEST_F(P2GuestHeader, Card) {
  const auto offset = [](const char* name) { return at(kCard, name).offset - P2R_CARD; };
  const uint32_t offsets[] = {
      P2R_CARD_MAGIC,          P2R_CARD_VERSION,     P2R_CARD_MONITORS,       P2R_CARD_CLOCK,
      P2R_CARD_NODE,           P2R_CARD_DCACHE,      P2R_CARD_DCACHE_LINE,    P2R_CARD_ICACHE,
      P2R_CARD_DCACHE_PENALTY, P2R_CARD_TLB_PENALTY, P2R_CARD_ICACHE_PENALTY, P2R_CARD_FLAGS,
  };
  const char* names[] = {"MAGIC",          "VERSION",     "MONITORS",       "CLOCK",
                         "NODE",           "DCACHE",      "DCACHE_LINE",    "ICACHE",
                         "DCACHE_PENALTY", "TLB_PENALTY", "ICACHE_PENALTY", "FLAGS"};
  ASSERT_EQ(std::size(kCard), std::size(names));
  for (size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(offset(names[i]), offsets[i]) << names[i];
  EXPECT_EQ(P2_CARD_MAGIC, kCardMagic);
  EXPECT_EQ(P2_CARD_OWN_MARK, at(kCard, "FLAGS").field("OWN_MARK").mask());
}

}  // namespace
}  // namespace perfboard::p2
