// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model: each bit, the view, the manual page, the driver's header, what a snapshot may hold.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hw/model/manual.h"
#include "hw/model/view.h"
#include "tests/example/pagecount/driver/regs.h"
#include "tests/example/pagecount/pagecount.h"
#include "tests/example/pagecount/registers.h"

namespace perfboard::pagecount {
namespace {

const BoardView& kView = *static_cast<const BoardView*>(pagecount_view());

struct Bench {
  Bench() {
    board.host = {.opaque = this,
                  .now = nullptr,
                  .set_irq = [](void* o, bool level) { static_cast<Bench*>(o)->irq = level; },
                  .arm = [](void* o, uint64_t ns) { static_cast<Bench*>(o)->armed = ns; }};
    pagecount_power_on(&board);
  }
  uint32_t read(uint32_t offset) { return pagecount_read(&board, offset, 4); }
  void write(uint32_t offset, uint32_t value) { pagecount_write(&board, offset, 4, value); }
  void store(uint32_t n = 1) {
    while (n--) pagecount_stored(&board, 7);
  }
  PageCount board;
  bool irq = true;
  uint64_t armed = 0;
};

TEST(PageCount, CountsAndStopsAtTheEnd) {
  Bench b;
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0u);
  b.write(PAGECOUNTR_WATCH, 0x12345fff);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0x12345000u) << "the count is read only";
  b.store(3);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0x12345003u);
  EXPECT_EQ(pagecount_read(&b.board, 1, 1), 0x50u);
  pagecount_write(&b.board, 0, 2, 0);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0x12345003u) << "a narrow write is ignored";
  b.store(5000);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0x12345fffu);
  b.write(PAGECOUNTR_WATCH, 0x12345000);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0x12345000u) << "a write begins anew";
  EXPECT_EQ(b.read(8), 0u);
  b.write(8, 1);
}

TEST(PageCount, TheLineIsUpWhileEnabledAndStored) {
  Bench b;
  EXPECT_FALSE(b.irq);
  b.store();
  EXPECT_EQ(b.armed, 7u);
  b.armed = 0;
  b.store();
  EXPECT_EQ(b.armed, 0u) << "once is enough";
  pagecount_timer(&b.board);
  EXPECT_FALSE(b.irq);
  pagecount_write(&b.board, PAGECOUNTR_CTRL, 1, 0xff);
  EXPECT_EQ(b.read(PAGECOUNTR_CTRL), PAGECOUNTR_CTRL_IEN);
  EXPECT_TRUE(b.irq);
  b.write(PAGECOUNTR_WATCH, 0x1000);
  EXPECT_FALSE(b.irq);
  b.store();
  pagecount_timer(&b.board);
  EXPECT_TRUE(b.irq);
  pagecount_reset(&b.board);
  EXPECT_FALSE(b.irq);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH) | b.read(PAGECOUNTR_CTRL), 0u);
}

TEST(PageCount, DeafOnPurposeAlsoBehindAReset) {
  Bench b;
  kView.inject(&b.board, 0, 3);
  b.store(1);
  pagecount_reset(&b.board);
  EXPECT_EQ(kView.injected(&b.board, 0), 2u);
  b.store(3);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 1u);
}

TEST(PageCount, AViewOfWhatIsThere) {
  Bench b;
  EXPECT_EQ(view_error(kView), "");
  b.write(PAGECOUNTR_WATCH, 0x5000);
  b.store();
  b.write(PAGECOUNTR_CTRL, 1);
  for (uint32_t offset = 0; offset < PAGECOUNT_BYTES; ++offset) {
    const Place p = kView.place(&b.board, 0, offset);
    EXPECT_EQ(p.reg, offset < 8 ? &kRegisters[offset / 4] : nullptr);
    EXPECT_EQ(p.byte, offset % 4);
    EXPECT_EQ(kView.peek(&b.board, 0, p), p.reg ? std::optional(b.read(offset & ~3u)) : std::nullopt);
  }
  EXPECT_FALSE(kView.place(&b.board, 1, 0).reg);
  EXPECT_FALSE(kView.place(&b.board, 0, PAGECOUNT_BYTES).reg);
}

TEST(PageCount, TheManualPageIsTheModels) {
  const char* root = std::getenv("PERFBOARD_ROOT");
  const std::string page =
      read_text_file(std::string(root ? root : ".") + "/tests/example/pagecount/README.md");
  constexpr ManualPart kParts[] = {{"Registers", kRegisters}};
  const auto fresh = manual_update(page, manual_tables(kParts), manual_view(kView));
  ASSERT_TRUE(fresh) << "no markers";
  EXPECT_TRUE(*fresh == page) << "run pagecount-manual tests/example/pagecount/README.md";
}

TEST(PageCount, TheDriversHeaderIsThePages) {
  EXPECT_EQ(at(kRegisters, "WATCH").offset, PAGECOUNTR_WATCH);
  EXPECT_EQ(at(kRegisters, "WATCH").field("STORES").mask(), PAGECOUNTR_WATCH_STORES);
  EXPECT_EQ(at(kRegisters, "WATCH").field("PAGE").mask(), PAGECOUNTR_WATCH_PAGE);
  EXPECT_EQ(at(kRegisters, "CTRL").offset, PAGECOUNTR_CTRL);
  EXPECT_EQ(at(kRegisters, "CTRL").field("IEN").mask(), PAGECOUNTR_CTRL_IEN);
  EXPECT_EQ(PAGECOUNT_BYTES, PAGECOUNTR_BAR_BYTES);
}

TEST(PageCount, ASnapshotIsWholeOrRefused) {
  Bench b;
  char why[PB_WHY_BYTES] = "";
  const PageCountState good = {.page = 0xfffff000, .stores = 4095, .ctrl = 1, .deaf = UINT32_MAX};
  EXPECT_TRUE(pagecount_load(&b.board, &good, why, sizeof why)) << why;
  EXPECT_TRUE(b.irq);
  EXPECT_EQ(b.read(PAGECOUNTR_WATCH), 0xffffffffu);
  const std::pair<PageCountState, const char*> bad[] = {
      {{.page = 0x1001, .stores = 0, .ctrl = 0, .deaf = 0}, "page=0x1001: legal are bits 0xfffff000"},
      {{.page = 0, .stores = 4096, .ctrl = 0, .deaf = 0}, "stores=4096: legal are 0 to 4095"},
      {{.page = 0, .stores = 0, .ctrl = 2, .deaf = 0}, "ctrl=2: legal are 0 to 1"},
  };
  for (const auto& [state, said] : bad) {
    EXPECT_FALSE(pagecount_load(&b.board, &state, why, sizeof why));
    EXPECT_STREQ(why, said);
    EXPECT_FALSE(b.irq) << "powered on anew";
  }
}

}  // namespace
}  // namespace perfboard::pagecount
