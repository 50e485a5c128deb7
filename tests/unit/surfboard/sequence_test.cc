// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver that does what the manual says walks each programming sequence of the view, as `coverage=` sees
// it, and each interrupt condition is raised, enabled and serviced by the access that the view names.
#include "hw/surfboard/view.h"
#include "tests/unit/model/sequence_walk.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

using inspect::Kind;

class LookedAt : public Covered<SurfBench, [](SurfBench& b) { return &b.board; }> {
 public:
  LookedAt() : Covered(surf_view()) {}
  uint32_t get(std::string_view name) {
    const uint32_t offset = at(kRegisters, name).offset;
    return covered_read(1, offset, [&] { return read_at(offset, 4); });
  }
  void put(std::string_view name, uint32_t value) {
    const uint32_t offset = at(kRegisters, name).offset;
    covered_write(1, offset, value, [&] { write_at(offset, value, 4); });
  }
  void put_ebcr(uint32_t value) {
    covered_write(0, 0xC84, value, [&] { io_write(0xC84, value, 4); });
  }
  uint32_t shift(uint32_t value) {
    uint32_t was = 0;
    for (int i = 0; i < 28; ++i) {
      was |= get("ACDR") << i;
      put("ACDR", value >> i & 1);
    }
    return was;
  }
};

// One driver's life. After each step the sequences that it ends, and none before.
TEST(SurfSequences, ADriverWalksThemAll) {
  LookedAt b;
  const auto ended = [&](std::string_view name) { EXPECT_TRUE(b.walked(name)) << name; };

  b.put_ebcr(0x00010401);
  b.put("IEMR", 0);
  b.get("FCCR");
  b.shift(shift_value(0, 12));
  EXPECT_FALSE(b.walked("start"));
  b.put("HTCR", 0);
  ended("start");
  EXPECT_FALSE(b.walked("recirculate") && b.count(Kind::kSequence, "recirculate") > 1);
  b.shift(b.shift(0));
  ended("recirculate");

  b.put("FCCR", 1);
  b.put("FCCR", 0);
  b.get("FCCR");
  for (const bool bit : good_stream()) b.put("FCDR", bit);
  EXPECT_FALSE(b.walked("selector"));
  b.get("FCCR");
  ended("selector");

  b.put("HTCR", bits("HTCR.FRS"));
  b.put("HTCR", 0);
  for (const uint32_t byte : {3u, 0u, 3u, 0u}) b.put("HFCR", byte);
  ended("set-offsets");
  for (int i = 0; i < 4; ++i) b.get("HFCR");
  ended("read-offsets");

  b.put("IEMR", 0);
  b.put("HTCR", 0);
  b.shift(shift_value(0, 12));
  b.put("TTCR", 0);
  b.put("TICR", 0);
  b.put("TECR", 0);
  b.put("ISCR", 0x1f87);
  b.put("PCLR", 0x10);
  b.put("IEMR", bits("IEMR.TC"));
  EXPECT_FALSE(b.walked("collect"));
  b.put("HTCR", bits("HTCR.TEN"));
  ended("collect");
  for (int i = 0; i < 16; ++i) b.send();
  EXPECT_TRUE(b.irq);
  b.get("ISCR");
  b.put("TECR", 0);
  b.put("ISCR", bits("ISCR.TC"));
  EXPECT_FALSE(b.irq);
  ended("clear-trace-full");
  ended("interrupt");

  b.put("HTCR", 0);
  b.put("TTCR", 2 << 2);
  b.put("HTCR", bits("HTCR.TEN"));
  b.send();
  b.get("ISCR");
  b.put("HTCR", 0);
  b.put("ISCR", bits("ISCR.TC"));
  ended("clear-trace-triggered");
  b.put("HTCR", bits("HTCR.TEN"));
  b.put("HTCR", bits("HTCR.TEN") | bits("HTCR.TRG"));
  ended("restore-trigger");
  b.put("HTCR", bits("HTCR.PRS"));
  b.put("HTCR", 0);
  ended("pipeline-reset");

  b.put("HFDR", 0x1aa);
  b.put("HFDR", 0xbb);
  b.put("HFDR", 0xcc);
  for (int i = 0; i < 3; ++i) b.get("HFDR");
  ended("bin-address");
  b.put("TTCR", bits("TTCR.MEOD"));
  b.put("ECDR", 1);
  b.put("ECDR", 0);
  ended("external-output");
  b.expect_all_walked();
}

TEST(SurfConditions, EachIsRaisedEnabledAndServicedByTheAccessThatTheViewNames) {
  LookedAt b;
  b.put_ebcr(0x00010401);
  b.shift(shift_value(0, 1));
  b.select(HAS_SIZE_SHIFT, 10);
  b.put("HTCR", 0);
  b.put("IEMR", at(kRegisters, "IEMR").mask(rw));
  b.put("WCDR", 0xffffffff);
  b.put("HTCR", bits("HTCR.TEN") | bits("HTCR.HEN") | bits("HTCR.WEN"));
  b.set_bin(1, 0xffffffff);
  b.send();
  b.get("ISCR");
  while (b.get("ISCR") & bits("ISCR.FNE")) b.get("HFDR");
  for (int i = 0; i < SURF_FIFO_SLOTS; ++i) b.put("HFDR", 0);
  b.set_bin(1, 0xffffffff);
  b.send();
  b.send({.timestamp = b.now});
  for (int i = 0; i < 16; ++i) b.send();
  const uint64_t start = b.now;
  b.deliver({}, start);
  b.deliver({}, start + 300);
  b.pull(true);
  b.pull(false);
  surf_set_receive_time(&b.board, kTimeMask);
  b.pass(200);
  b.get("ISCR");
  while (b.get("ISCR") & bits("ISCR.FNE")) b.get("HFDR");
  b.put("TECR", 0);
  b.put("ISCR", at(kRegisters, "ISCR").mask(w1c));
  surf_global_reset(&b.board);
  b.expect_all_met();
  EXPECT_EQ(b.get("ISCR"), 0u);
}

}  // namespace
}  // namespace perfboard::surf
