// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page shows what the model runs.
#include "hw/core/manual.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hw/sci/manual_text.h"
#include "hw/sci/packet.h"
#include "hw/sci/registers.h"
#include "hw/sci/timing.h"
#include "hw/sci/view.h"

namespace perfboard::sci {
namespace {

std::string page() {
  const char* root = std::getenv("PERFBOARD_ROOT");
  return read_text_file(std::string(root ? root : ".") + "/hw/sci/README.md");
}

TEST(SciManual, TablesOnThePageAreThoseOfTheModel) {
  const auto fresh = manual_update(page(), manual_text(), manual_view(sci_view()));
  ASSERT_TRUE(fresh) << "no markers in hw/sci/README.md";
  EXPECT_TRUE(*fresh == page()) << "run sci-manual hw/sci/README.md";
}

TEST(SciManual, EveryInferenceInTheTimingTableIsListed) {
  const std::string text = page();
  const size_t list = text.find("\n## INFERRED");
  ASSERT_NE(list, std::string::npos);
  for (const Timing& t : kTimings)
    if (t.source.starts_with("INFERRED")) {
      EXPECT_NE(text.find(std::string(t.name), list), std::string::npos) << t.name;
    }
}

TEST(SciManual, ThePacketsTableIsThatOfTheHeader) {
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
