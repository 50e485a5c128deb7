// SPDX-License-Identifier: GPL-2.0-or-later
//
// sci_stays(): what need not be told. Told or not, it makes no difference; and what makes none is mostly
// known.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

TEST(SciStays, AnAccessThatStaysChangesNothing) {
  SciBench b;
  std::minstd_rand random(1);
  unsigned stayed = 0, left = 0;
  for (uint32_t page = 0; page < 16; ++page) b.home(page, page % 4);
  for (unsigned i = 0; i < 20000; ++i) {
    const SciAccess a = {.offset = random() % 16 * SCI_PAGE_BYTES + random() % 500 * 8,
                         .bytes = 1u << random() % 4,
                         .vcpu = static_cast<uint32_t>(random() % 5),
                         .store = random() % 2 == 0,
                         .locked = random() % 8 == 0,
                         .write_combining = random() % 16 == 0};
    const bool stays = sci_stays(b.adapter(), &a);
    if (a.vcpu < 4 && a.offset / SCI_PAGE_BYTES % 4 == a.vcpu && !a.write_combining) {
      ASSERT_EQ(stays, !sci_holds(b.adapter())) << i << ": at home, and no buffer to be emptied";
    }
    const SciState before = b.state();
    b.packets.clear();
    b.now += 4;
    b.access(a);
    const bool changed = !b.packets.empty() || std::memcmp(&before, &b.state(), sizeof before) != 0;
    if (stays) {
      ASSERT_FALSE(changed) << i;
    }
    (stays ? stayed : left) += 1;
    if (random() % 3 == 0)
      for (uint32_t node = 0; node < 4; ++node) sci_drain(b.adapter(), b.now, node);
  }
  EXPECT_GT(stayed, 1000u);
  EXPECT_GT(left, 1000u);
}

}  // namespace
}  // namespace perfboard::sci
