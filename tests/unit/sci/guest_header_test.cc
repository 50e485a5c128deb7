// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header of offsets and bits, transcribed on its own, against the tables that the model runs.
#include <gtest/gtest.h>

#include "guest/sci/regs.h"
#include "hw/sci/registers.h"

namespace perfboard::sci {
namespace {

TEST(SciGuestHeader, Offsets) {
  const std::pair<std::string_view, uint32_t> all[] = {
      {"ID", SCIR_ID},     {"VERSION", SCIR_VERSION}, {"NODES", SCIR_NODES},  {"PAGES", SCIR_PAGES},
      {"NODE", SCIR_NODE}, {"CTRL", SCIR_CTRL},       {"STATUS", SCIR_STATUS}};
  EXPECT_EQ(std::size(all), std::size(kRegisters));
  for (const auto& [name, offset] : all) EXPECT_EQ(at(kRegisters, name).offset, offset) << name;
  const std::pair<std::string_view, uint32_t> statistics[] = {{"READS", SCIR_STATS_READS},
                                                              {"WRITES", SCIR_STATS_WRITES},
                                                              {"LOCKS", SCIR_STATS_LOCKS},
                                                              {"UNLOCKS", SCIR_STATS_UNLOCKS},
                                                              {"RECEIVED", SCIR_STATS_RECEIVED},
                                                              {"WAIT", SCIR_STATS_WAIT},
                                                              {"OUTSTANDING", SCIR_STATS_OUTSTANDING},
                                                              {"PACKETS", SCIR_STATS_PACKETS}};
  EXPECT_EQ(std::size(statistics), SCIR_STATS_COUNT);
  EXPECT_EQ(2 * std::size(statistics), std::size(kStatistics));
  for (const auto& [name, offset] : statistics) EXPECT_EQ(at(kStatistics, name).offset, offset) << name;
  for (unsigned node : {0u, 1u, 31u}) EXPECT_EQ(SCIR_STATS(node), kStatisticsBase + kStatisticsStep * node);
  for (unsigned page : {0u, 1u, 65535u}) EXPECT_EQ(SCIR_ATT(page), kAtt + 4 * page);
}

TEST(SciGuestHeader, FieldsAndNumbers) {
  EXPECT_EQ(at(kRegisters, "CTRL").field("ENABLE").mask(), SCIR_CTRL_ENABLE);
  EXPECT_EQ(at(kRegisters, "CTRL").field("CLEAR").mask(), SCIR_CTRL_CLEAR);
  EXPECT_EQ(at(kRegisters, "STATUS").field("LATENCY").mask(), SCIR_STATUS_LATENCY);
  EXPECT_EQ(kTable[0].field("HOME").mask(), SCIR_ATT_HOME_MASK);
  EXPECT_EQ(kTable[0].field("HOME").lsb, SCIR_ATT_HOME_SHIFT);
  EXPECT_EQ(kIdValue, SCIR_ID_VALUE);
  EXPECT_EQ(at(kRegisters, "VERSION").reset(), SCIR_VERSION_VALUE);
  EXPECT_EQ(SCI_REGISTER_BYTES, SCIR_BAR_BYTES);
  EXPECT_EQ(SCI_PAGE_BYTES, SCIR_PAGE_BYTES);
  EXPECT_EQ(SCI_MAX_NODES, SCIR_MAX_NODES);
  EXPECT_EQ(SCI_MAX_PAGES, SCIR_MAX_PAGES);
}

}  // namespace
}  // namespace perfboard::sci
