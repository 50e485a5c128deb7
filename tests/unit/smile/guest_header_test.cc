// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of addresses and bits, transcribed on its own, against the tables that the model runs:
// every register and field of the tables is in the header, and they agree.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "guest/smile/regs.h"
#include "hw/smile/registers.h"

namespace perfboard::smile {
namespace {

class SmileGuestHeader : public testing::Test {
 protected:
  void flag(const std::string& reg, const char* name, uint32_t mask) {
    const Field& f = take(reg, name);
    EXPECT_EQ(f.mask(), mask) << reg << '.' << name;
    EXPECT_EQ(f.msb, f.lsb) << reg << '.' << name;
  }
  void wide(const std::string& reg, const char* name, uint32_t mask, unsigned shift) {
    const Field& f = take(reg, name);
    EXPECT_EQ(f.mask(), mask) << reg << '.' << name;
    EXPECT_EQ(f.lsb, shift) << reg << '.' << name;
  }
  // A register that is one field, which the header does not name.
  void whole(const std::string& reg, const char* name) { take(reg, name); }
  void address(const char* reg, uint32_t offset) {
    EXPECT_EQ(SMILE_TARGET_BASE + at(kRegisters, reg).offset, offset) << reg;
    addresses_.insert(reg);
  }
  const Field& take(const std::string& reg, const char* name) {
    taken_.insert(reg + '.' + name);
    return (reg.starts_with("RECORD") ? at(kRecord, reg) : at(kRegisters, reg)).field(name);
  }
  std::set<std::string> taken_, addresses_;
};

TEST_F(SmileGuestHeader, Fields) {
  flag("MCR", "RUN", SMR_MCR_RUN);
  flag("MCR", "RESET", SMR_MCR_RESET);
  flag("MCR", "SWAP", SMR_MCR_SWAP);
  flag("MCR", "IEF", SMR_MCR_IEF);
  flag("MCR", "IED", SMR_MCR_IED);
  wide("MSR", "DESIGN", SMR_MSR_DESIGN_MASK, SMR_MSR_DESIGN_SHIFT);
  wide("MSR", "STATE", SMR_MSR_STATE_MASK, SMR_MSR_STATE_SHIFT);
  wide("MSR", "DECODE", SMR_MSR_DECODE_MASK, SMR_MSR_DECODE_SHIFT);
  flag("MSR", "FULL", SMR_MSR_FULL);
  flag("MSR", "LOST", SMR_MSR_LOST);
  flag("MSR", "DONE", SMR_MSR_DONE);
  flag("MSR", "EXCHANGED", SMR_MSR_EXCHANGED);
  wide("MSR", "ENTRIES", SMR_MSR_ENTRIES_MASK, SMR_MSR_ENTRIES_SHIFT);
  wide("NODE", "NODE", SMR_NODE_MASK, SMR_NODE_SHIFT);
  wide("MAXR", "MAX_RANGE", SMR_MAXR_MASK, SMR_MAXR_SHIFT);
  flag("MASK", "READ", SMR_FILTER_READ);
  flag("MASK", "WRITE", SMR_FILTER_WRITE);
  flag("MASK", "LOCK", SMR_FILTER_LOCK);
  flag("MASK", "UNLOCK", SMR_FILTER_UNLOCK);
  flag("MASK", "REQUEST", SMR_FILTER_REQUEST);
  flag("MASK", "RESPONSE", SMR_FILTER_RESPONSE);
  flag("MASK", "INBOUND", SMR_FILTER_INBOUND);
  flag("MASK", "OUTBOUND", SMR_FILTER_OUTBOUND);
  EXPECT_EQ(at(kRegisters, "MASK").readable(), SMR_FILTER_ALL);
  wide("RDP", "RDP", SMR_RING_MASK, 0);
  wide("WRP", "WRP", SMR_RING_MASK, 0);
  wide("AUX", "AUX", SMR_RING_MASK, 0);
  whole("LOSTN", "LOST");
  whole("QUEUE", "RECORDS");
  whole("PACKETS", "PACKETS");
  whole("ORPHANS", "ORPHANS");
  whole("CLASHES", "CLASHES");
  wide("CRST", "COUNTERS", (1u << SMR_COUNTERS) - 1, 0);
  wide("GEVENT", "EVENT", SMR_ALL_EVENTS - SMR_GLOBAL_EVENT - 1, 0);
  whole("TIMER", "PERIOD");
  wide("OVF", "INDEX", SMR_OVF_INDEX_MASK, SMR_OVF_INDEX_SHIFT);
  flag("OVF", "VALID", SMR_OVF_VALID);
  wide("CABLE", "NODE", SMR_CABLE_NODE_MASK, SMR_CABLE_NODE_SHIFT);
  flag("CABLE", "PLUGGED", SMR_CABLE_PLUGGED);
  wide("PAGE0", "PAGE", SMR_PAGE_NUMBER_MASK, SMR_PAGE_NUMBER_SHIFT);
  wide("PAGE0", "NODE", SMR_PAGE_NODE_MASK, SMR_PAGE_NODE_SHIFT);
  flag("PAGE0", "VALID", SMR_PAGE_VALID);
  wide("EVENT0", "PAGE", SMR_EVENT_PAGE_MASK, SMR_EVENT_PAGE_SHIFT);
  wide("EVENT0", "FILTER", SMR_EVENT_FILTER_MASK, SMR_EVENT_FILTER_SHIFT);
  flag("EVENT0", "VALID", SMR_EVENT_VALID);
  wide("EVENT0_RANGE", "BOTTOM", SMR_EVENT_BOTTOM_MASK, SMR_EVENT_BOTTOM_SHIFT);
  wide("EVENT0_RANGE", "TOP", SMR_EVENT_TOP_MASK, SMR_EVENT_TOP_SHIFT);
  for (const char* reg : {"COUNTER0_START", "COUNTER0_STOP", "COUNTER0_COUNT"}) {
    wide(reg, "EVENT", SMR_COUNTER_EVENT_MASK, SMR_COUNTER_EVENT_SHIFT);
    flag(reg, "VALID", SMR_COUNTER_EVENT_VALID);
  }
  wide("COUNTER0_VALUE", "VALUE", SMR_COUNTER_VALUE_MASK, SMR_COUNTER_VALUE_SHIFT);
  flag("COUNTER0_VALUE", "ACTIVE", SMR_COUNTER_ACTIVE);
  wide("RANGE0", "SOURCE", SMR_RANGE_SOURCE_MASK, SMR_RANGE_SOURCE_SHIFT);
  wide("RANGE0", "DESTINATION", SMR_RANGE_DESTINATION_MASK, SMR_RANGE_DESTINATION_SHIFT);
  flag("RANGE0", "VALID", SMR_RANGE_VALID);
  wide("RANGE0_ADDRESS", "ADDRESS", SMR_RANGE_ADDRESS_MASK, SMR_RANGE_ADDRESS_SHIFT);
  wide("RANGE0_COUNT", "COUNT", SMR_RANGE_COUNT_MASK, SMR_RANGE_COUNT_SHIFT);
  flag("RANGE0_USED", "USED", SMR_RANGE_USED);
  wide("RECORD0", "KIND", SMR_RECORD_KIND_MASK, SMR_RECORD_KIND_SHIFT);
  flag("RECORD0", "OVF", SMR_RECORD_OVF);
  wide("RECORD0", "WHY", SMR_RECORD_WHY_MASK, SMR_RECORD_WHY_SHIFT);
  wide("RECORD0", "ADDRESS", SMR_RECORD_ADDRESS_MASK, SMR_RECORD_ADDRESS_SHIFT);
  wide("RECORD1", "COUNT", SMR_RECORD_COUNT_MASK, SMR_RECORD_COUNT_SHIFT);
  wide("RECORD1", "SOURCE", SMR_RECORD_SOURCE_MASK, SMR_RECORD_SOURCE_SHIFT);
  wide("RECORD1", "DESTINATION", SMR_RECORD_DESTINATION_MASK, SMR_RECORD_DESTINATION_SHIFT);
  wide("RECORD1", "ENTRY", SMR_RECORD_ENTRY_MASK, SMR_RECORD_ENTRY_SHIFT);
  const auto all_taken = [&](std::span<const Register> table) {
    for (const Register& r : table)
      for (const Field& f : r.fields)
        EXPECT_TRUE(taken_.contains(std::string(r.name) + '.' + std::string(f.name)))
            << r.name << '.' << f.name;
  };
  all_taken(kRegisters);
  all_taken(kRecord);
}

TEST_F(SmileGuestHeader, Addresses) {
  address("MCR", SMR_MCR);
  address("MSR", SMR_MSR);
  address("NODE", SMR_NODE);
  address("MAXR", SMR_MAXR);
  address("MASK", SMR_MASK);
  address("RDP", SMR_RDP);
  address("WRP", SMR_WRP);
  address("AUX", SMR_AUX);
  address("LOSTN", SMR_LOSTN);
  address("QUEUE", SMR_QUEUE);
  address("PACKETS", SMR_PACKETS);
  address("ORPHANS", SMR_ORPHANS);
  address("CLASHES", SMR_CLASHES);
  address("CRST", SMR_CRST);
  address("GEVENT", SMR_GEVENT);
  address("TIMER", SMR_TIMER);
  address("OVF", SMR_OVF);
  address("CABLE", SMR_CABLE);
  address("PAGE0", SMR_PAGE(0));
  address("EVENT0", SMR_EVENT(0));
  address("EVENT0_RANGE", SMR_EVENT_RANGE(0));
  address("COUNTER0_START", SMR_COUNTER_START(0));
  address("COUNTER0_STOP", SMR_COUNTER_STOP(0));
  address("COUNTER0_COUNT", SMR_COUNTER_COUNT(0));
  address("COUNTER0_VALUE", SMR_COUNTER_VALUE(0));
  address("RANGE0", SMR_RANGE(0));
  address("RANGE0_ADDRESS", SMR_RANGE_ADDRESS(0));
  address("RANGE0_COUNT", SMR_RANGE_COUNT(0));
  address("RANGE0_USED", SMR_RANGE_LRU(0));
  EXPECT_EQ(addresses_.size(), std::size(kRegisters));
}

TEST_F(SmileGuestHeader, Tables) {
  const Array& pages = kArrays[0];
  const Array& events = kArrays[1];
  const Array& counters = kArrays[2];
  const Array& range = kArrays[3];
  EXPECT_EQ(SMR_PAGES, pages.count);
  EXPECT_EQ(SMR_EVENTS, events.count);
  EXPECT_EQ(SMR_COUNTERS, counters.count);
  EXPECT_EQ(SMR_ENTRIES_MOST, range.count);
  EXPECT_EQ(SMR_ENTRIES_LEAST, SMILE_MIN_ENTRIES);
  EXPECT_EQ(SMR_PAGE(1) - SMR_PAGE(0), pages.stride);
  EXPECT_EQ(SMR_EVENT(1) - SMR_EVENT(0), events.stride);
  EXPECT_EQ(SMR_COUNTER_VALUE(1) - SMR_COUNTER_VALUE(0), counters.stride);
  EXPECT_EQ(SMR_RANGE(1) - SMR_RANGE(0), range.stride);
}

TEST_F(SmileGuestHeader, Values) {
  EXPECT_EQ(SMR_TARGET, SMILE_TARGET_BASE);
  EXPECT_EQ(SMR_RING, SMILE_RING_BASE);
  EXPECT_EQ(SMR_RING_WORDS, SMILE_RING_WORDS);
  EXPECT_EQ(SMR_BAR_BYTES, SMILE_BAR_BYTES);
  EXPECT_EQ(SMR_CCM_INTERRUPT, SMILE_CCM_BASE);
  EXPECT_EQ(SMR_DESIGN_NONE, unsigned{SMILE_NONE});
  EXPECT_EQ(SMR_DESIGN_STATIC, unsigned{SMILE_STATIC});
  EXPECT_EQ(SMR_DESIGN_DYNAMIC, unsigned{SMILE_DYNAMIC});
  EXPECT_EQ(SMR_DESIGN_TARGET, unsigned{SMILE_TARGET});
  EXPECT_EQ(SMR_STATE_IDLE, unsigned{SMILE_IDLE});
  EXPECT_EQ(SMR_STATE_FORWARD, unsigned{SMILE_FORWARD});
  EXPECT_EQ(SMR_STATE_BUSY, unsigned{SMILE_BUSY});
  EXPECT_EQ(SMR_STATE_SWAP, unsigned{SMILE_SWAP});
  EXPECT_EQ(SMR_STATE_SWAP_ALL, unsigned{SMILE_SWAP_ALL});
  EXPECT_EQ(SMR_DECODE_IDLE, unsigned{SMILE_DECODE_IDLE});
  EXPECT_EQ(SMR_DECODE_BD1, unsigned{SMILE_DECODE_BD1});
  EXPECT_EQ(SMR_DECODE_BD2, unsigned{SMILE_DECODE_BD2});
  EXPECT_EQ(SMR_RECORD_RANGE, unsigned(Kind::kRange));
  EXPECT_EQ(SMR_RECORD_COUNTER, unsigned(Kind::kCounter));
  EXPECT_EQ(SMR_RECORD_LOSS, unsigned(Kind::kLoss));
  EXPECT_EQ(SMR_RECORD_REPLACED, unsigned(Why::kReplaced));
  EXPECT_EQ(SMR_RECORD_OVERFLOW, unsigned(Why::kOverflow));
  EXPECT_EQ(SMR_RECORD_DEMAND, unsigned(Why::kDemand));
  EXPECT_EQ(SMR_TIMER_EVENT, 16u);
  EXPECT_EQ(SMR_BLINK_CLOCK_NS, SCI_BLINK_CLOCK_NS);
}

}  // namespace
}  // namespace perfboard::smile
