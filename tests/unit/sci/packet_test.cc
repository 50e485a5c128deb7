// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sci/packet.h"

#include <gtest/gtest.h>

#include "hw/sci/registers.h"

namespace perfboard::sci {
namespace {

TEST(SciPacket, TableIsThatOfTheHeader) {
  const auto field = [](std::string_view word, std::string_view name, unsigned shift, unsigned bits) {
    const Field& f = at(kPacket, word).field(name);
    const unsigned up = word.ends_with('H') ? 32 : 0;
    EXPECT_EQ(f.lsb + up, shift) << name;
    EXPECT_EQ(f.msb - f.lsb + 1u, bits) << name;
  };
  field("BD1", "SOURCE", SCI_BD1_SOURCE_SHIFT, 16);
  field("BD1H", "DEST", SCI_BD1_DEST_SHIFT, 16);
  field("BD1H", "TRANS", SCI_BD1_TRANS_SHIFT, SCI_BD1_TRANS_BITS);
  field("BD2", "OFFSET", SCI_BD2_OFFSET_SHIFT, SCI_BD2_OFFSET_BITS);
  field("BD2", "PAGE", SCI_BD2_PAGE_SHIFT, SCI_BD2_PAGE_BITS);
  field("BD2H", "ENABLES", SCI_BD2_ENABLES_SHIFT, 8);
  const auto mask = [](std::string_view name) {
    return at(kPacket, "BD1").field(name).mask() >> SCI_BD1_COMMAND_SHIFT;
  };
  EXPECT_EQ(mask("WHAT"), SCI_COMMAND_WHAT);
  EXPECT_EQ(mask("RESPONSE"), SCI_COMMAND_RESPONSE);
  EXPECT_EQ(mask("DATA64"), SCI_COMMAND_64);
  EXPECT_EQ(mask("ECHO"), SCI_COMMAND_ECHO);
}

}  // namespace
}  // namespace perfboard::sci
