// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's header, transcribed on its own, against the tables of bridge and configuration cache manager,
// and the card's map.
#include <gtest/gtest.h>

#include <string>

#include "guest/smile/regs.h"
#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/smile.h"

namespace perfboard::smile {
namespace {

TEST(SmileCardHeader, Bridge) {
  const auto offset = [](std::string_view name) { return at(kBridgeRegisters, name).offset; };
  const auto bit = [](std::string_view name) { return at(kBridgeRegisters, "INTCSR").field(name).mask(); };
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(offset("MBOX" + std::to_string(i)), SMR_MBOX(i));
  EXPECT_EQ(offset("P2L_DOORBELL"), SMR_DOORBELL_LOCAL);
  EXPECT_EQ(offset("L2P_DOORBELL"), SMR_DOORBELL_PCI);
  EXPECT_EQ(offset("INTCSR"), SMR_INTCSR);
  EXPECT_EQ(offset("CONTROL"), SMR_CONTROL);
  EXPECT_EQ(offset("PCI_ID"), SMR_PCI_ID);
  EXPECT_EQ(bit("PCI_EN"), SMR_INTCSR_PCI);
  EXPECT_EQ(bit("DOORBELL_EN"), SMR_INTCSR_DOORBELL);
  EXPECT_EQ(bit("LOCAL_EN"), SMR_INTCSR_LOCAL);
  EXPECT_EQ(bit("DOORBELL_INT"), SMR_INTCSR_DOORBELL_ACTIVE);
  EXPECT_EQ(bit("LOCAL_INT"), SMR_INTCSR_LOCAL_ACTIVE);
}

TEST(SmileCardHeader, ConfigurationCacheManager) {
  const auto offset = [](std::string_view name) { return SMILE_CCM_BASE + at(kCcmRegisters, name).offset; };
  const auto field = [](std::string_view name) { return at(kCcmRegisters, "CCM_STATUS").field(name); };
  EXPECT_EQ(offset("CCM_INTERRUPT"), SMR_CCM_INTERRUPT);
  EXPECT_EQ(offset("CCM_COMMAND"), SMR_CCM_COMMAND);
  EXPECT_EQ(offset("CCM_STATUS"), SMR_CCM_STATUS);
  EXPECT_EQ(offset("CCM_DESIGN"), SMR_CCM_DESIGN);
  EXPECT_EQ(offset("CCM_CLEAR"), SMR_CCM_CLEAR);
  EXPECT_EQ(at(kCcmRegisters, "CCM_INTERRUPT").field("NONE").mask(), SMR_CCM_INTERRUPT_NONE);
  EXPECT_EQ(field("BUSY").mask(), SMR_CCM_STATUS_BUSY);
  EXPECT_EQ(field("DONE").mask(), SMR_CCM_STATUS_DONE);
  EXPECT_EQ(field("ERROR").mask(), SMR_CCM_STATUS_ERROR);
  EXPECT_EQ(field("SOURCE").mask(), SMR_CCM_STATUS_SOURCE_MASK);
  EXPECT_EQ(field("SOURCE").lsb, SMR_CCM_STATUS_SOURCE_SHIFT);
}

TEST(SmileCardHeader, CardAndMemories) {
  EXPECT_EQ(kPciVendor, SMR_VENDOR);
  EXPECT_EQ(kPciDevice, SMR_DEVICE);
  EXPECT_EQ(SMILE_BAR_BYTES, SMR_BAR_BYTES);
  EXPECT_EQ(SMILE_BRIDGE_BYTES, SMR_BAR_IO_BYTES);
  EXPECT_EQ(SMILE_RING_BASE, SMR_RING);
  EXPECT_EQ(SMILE_RING_WORDS, SMR_RING_WORDS);
  EXPECT_EQ(SMILE_CACHE_BASE, SMR_SLOT(0));
  EXPECT_EQ(SMILE_SLOT_BYTES, SMR_SLOT_BYTES);
  EXPECT_EQ(SMILE_CACHE_BYTES, SMR_SLOT_BYTES * SMR_SLOTS);
  EXPECT_EQ(SMILE_FLASH_BASE, SMR_FLASH);
  EXPECT_EQ(SMILE_FLASH_BYTES, SMR_FLASH_BYTES);
}

}  // namespace
}  // namespace perfboard::smile
