// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of addresses and bits, transcribed from the paper on its own, against the tables that
// the model runs: every register and field of the tables is in the header, and they agree.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "guest/multikron/regs.h"
#include "hw/multikron/registers.h"

namespace perfboard::mk {
namespace {

class GuestHeader : public testing::Test {
 protected:
  void address(const std::string& reg, unsigned n) { EXPECT_EQ(row(reg).offset, MKR_AT4(n)) << reg; }
  void flag(const char* reg, const char* name, uint64_t mask) {
    const Field& f = take(reg, name);
    EXPECT_EQ(f.mask(), mask) << reg << '.' << name;
    EXPECT_EQ(f.msb, f.lsb) << reg << '.' << name;
  }
  // `up`: 32 if the field is in the row of the register's upper half.
  void wide(const char* reg, const char* name, uint64_t mask, unsigned shift, unsigned up = 0) {
    const Field& f = take(reg, name);
    EXPECT_EQ(uint64_t{f.mask()} << up, mask) << reg << '.' << name;
    EXPECT_EQ(f.lsb + up, shift) << reg << '.' << name;
  }
  void all_taken() {
    for (const Register& r : kRegisters)
      for (const Field& f : r.fields)
        EXPECT_TRUE(f.name == "RESERVED" || taken_.contains(std::string(r.name) + '.' + std::string(f.name)))
            << r.name << '.' << f.name;
  }
  const Field& take(const std::string& reg, const char* name) {
    taken_.insert(reg + '.' + name);
    return row(reg).field(name);
  }

 private:
  const Register& row(const std::string& reg) { return at(kRegisters, reg); }
  std::set<std::string> taken_;
};

TEST_F(GuestHeader, Fields) {
  take("RESET", "RESET");  // a write: no bits
  flag("CSR", "SE", MKR_CSR_SE);
  flag("CSR", "SEOFF", MKR_CSR_SEOFF);
  flag("CSR", "WWAIT", MKR_CSR_WWAIT);
  flag("CSR", "WWAITOFF", MKR_CSR_WWAITOFF);
  flag("CSR", "RWAIT", MKR_CSR_RWAIT);
  flag("CSR", "RWAITOFF", MKR_CSR_RWAITOFF);
  flag("CSR", "FFULL", MKR_CSR_FFULL);
  flag("CSR", "SHFULL", MKR_CSR_SHFULL);
  flag("CSR", "FOV", MKR_CSR_FOV);
  flag("CSR", "SHOV", MKR_CSR_SHOV);
  flag("CSR", "BIT128", MKR_CSR_BIT128);
  wide("CSR", "WS", MKR_CSR_WS_MASK, MKR_CSR_WS_SHIFT);
  flag("CSR", "SLOW10", MKR_CSR_SLOW10US);
  flag("CSR", "SLOW100", MKR_CSR_SLOW1US);
  wide("TIMESTAMP", "LOW", MKR_TIMESTAMP_MASK & 0xffffffff, MKR_TIMESTAMP_SHIFT);
  wide("TIMESTAMP_H", "HIGH", MKR_TIMESTAMP_MASK & ~0xffffffffull, 32, 32);
  wide("FILTER", "LEVEL", MKR_FILTER_LEVEL_MASK, MKR_FILTER_LEVEL_SHIFT);
  take("WAIT", "CYCLES");
  take("OVERRUN", "SAMPLES");
  wide("MUXSEL", "LSB", MKR_MUXSEL_LSB_MASK, MKR_MUXSEL_LSB_SHIFT);
  wide("MUXSEL_H", "MSB", MKR_MUXSEL_MSB_MASK, MKR_MUXSEL_MSB_SHIFT, 32);
  wide("RRESET", "CLEAR", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT);
  wide("ENABLE", "ENABLE", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT);
  wide("DISABLE", "DISABLE", MKR_COUNTERS_MASK, MKR_COUNTERS_SHIFT);
  take("FIFO", "GROUP");
  wide("TEST", "DATA", MKR_TEST_DATA_MASK, MKR_TEST_DATA_SHIFT);
  wide("TEST_H", "NOTHING", MKR_TEST_NOTHING_MASK, MKR_TEST_NOTHING_SHIFT, 32);
  wide("TEST_H", "SET", MKR_TEST_SET_MASK, MKR_TEST_SET_SHIFT, 32);
  wide("TEST_H", "INC", MKR_TEST_INC_MASK, MKR_TEST_INC_SHIFT, 32);
  wide("TEST_H", "GROUP", MKR_TEST_GROUP_MASK, MKR_TEST_GROUP_SHIFT, 32);
  wide("TEST_H", "NETOFF", MKR_TEST_NETOFF, 38, 32);
  wide("TEST_H", "LOAD", MKR_TEST_LOAD, 39, 32);
  wide("TEST_H", "SHIFT", MKR_TEST_SHIFT, 40, 32);
  for (int i = 0; i < MKR_SOURCES; ++i) {
    const std::string reg = "SRC" + std::to_string(i);
    EXPECT_EQ(take(reg, "SOURCE").mask(), MKR_SOURCE_NODE_MASK | MKR_SOURCE_PROCESS_MASK) << reg;
    address(reg, MKR_SOURCE(i));
  }
  for (int i = 0; i < MKR_COUNTERS; ++i) {
    const std::string reg = "RC" + std::to_string(i);
    EXPECT_EQ(take(reg, "COUNT").mask(), MKR_COUNTER_VALUE_MASK) << reg;
    address(reg, MKR_COUNTER(i));
  }
  for (int i = 0; i < MKR_LEVELS; ++i) {
    const std::string n = std::to_string(i);
    take("TRACE" + n, "DATA");
    take("RSRC" + n, "DATA");
    address("TRACE" + n, MKR_SAMPLE_TRACE(i));
    address("RSRC" + n, MKR_SAMPLE_RESOURCE(i));
  }
  all_taken();
}

TEST_F(GuestHeader, Addresses) {
  address("RESET", MKR_RESET);
  address("CSR", MKR_CSR);
  address("TIMESTAMP", MKR_TIMESTAMP);
  address("FILTER", MKR_FILTER);
  address("WAIT", MKR_WAIT);
  address("OVERRUN", MKR_OVERRUN);
  address("MUXSEL", MKR_MUXSEL);
  address("RRESET", MKR_RRESET);
  address("ENABLE", MKR_ENABLE);
  address("DISABLE", MKR_DISABLE);
  address("FIFO", MKR_FIFO);
  address("TEST", MKR_TEST);
  EXPECT_EQ(MKR_SAMPLES, kSamples);
  EXPECT_EQ(MKR_ADDRESSES, kAddresses);
  EXPECT_EQ(MKR_BAR_BYTES, MK_WINDOW_BYTES);
}

TEST_F(GuestHeader, Masks) {
  uint32_t commands = 0;
  for (const Field& f : at(kRegisters, "CSR").fields)
    if (f.access != ro) commands |= f.mask();
  EXPECT_EQ(MKR_CSR_COMMANDS, commands);
  uint64_t test = at(kRegisters, "TEST").fields[0].mask();
  for (const Field& f : at(kRegisters, "TEST_H").fields) test |= uint64_t{f.mask()} << 32;
  EXPECT_EQ(MKR_TEST_BITS, test);
}

// "to select all odd counters to count 50 MHz node clocks (encoding=11) and all even counters to count
// external signals (encoding=01)": MSBs of the odd ones, LSBs of all.
TEST_F(GuestHeader, MuxExample) {
  uint64_t mux = 0;
  for (unsigned i = 0; i < MKR_COUNTERS; ++i) mux |= MKR_MUX_PUT(i, i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
  EXPECT_EQ(mux, 0x0000aaaa0000ffffull);
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    EXPECT_EQ(MKR_MUX_GET(i, mux), i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
}

TEST_F(GuestHeader, Card) {
  const auto offset = [](const char* name) { return at(kCard, name).offset; };
  EXPECT_EQ(MKR_CARD_MAGIC, offset("MAGIC"));
  EXPECT_EQ(MKR_CARD_VERSION, offset("VERSION"));
  EXPECT_EQ(MKR_CARD_NODE_HZ, offset("NODE_HZ"));
  EXPECT_EQ(MKR_CARD_TIMESTAMP_HZ, offset("TIMESTAMP_HZ"));
  EXPECT_EQ(MKR_CARD_FIFO_DEPTH, offset("FIFO_DEPTH"));
  EXPECT_EQ(MKR_CARD_LINES, offset("LINES"));
  for (unsigned i = 0; i < MKR_SOURCES; ++i)
    EXPECT_EQ(MKR_CARD_CPU(i), offset(("CPU" + std::to_string(i)).c_str()));
  EXPECT_EQ(MKR_CARD_MAGIC_VALUE, MK_CARD_MAGIC);
}

}  // namespace
}  // namespace perfboard::mk
