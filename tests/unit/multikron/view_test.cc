// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is odd about the card as it looks from outside: registers of two halves in three windows, and counters
// that are being sent.
#include "hw/multikron/view.h"

#include "guest/multikron/regs.h"
#include "hw/multikron/registers.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

const BoardView& view = mk_view();

std::string_view name_at(const MkBench& b, unsigned window, uint64_t offset, uint32_t bytes, uint64_t first) {
  const Place place = place_of(view, &b.chip, window, offset, {.first = first, .bytes = bytes, .vcpu = 0});
  return place.reg ? place.reg->name : "nothing";
}

TEST(MultiKronView, PlacesInTheWindows) {
  MkBench b;
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCsr, 4, 4 * addr::kCsr), "CSR");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace + 4, 4, 4 * addr::kTrace + 4), "TRACE1");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTrace + 4, 8, 4 * addr::kTrace), "TRACE0_H")
      << "64 bits: one sample";
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kCounter + 4, 8, 4 * addr::kCounter), "RC0_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kTimestamp + 4, 8, 4 * addr::kTimestamp), "TIMESTAMP_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 4 * addr::kFilter + 4, 8, 4 * addr::kFilter), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_4, 512, 4, 512), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kMuxSel + 4, 8, 8 * addr::kMuxSel), "MUXSEL_H");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 8 * addr::kCsr + 4, 8, 8 * addr::kCsr), "nothing");
  const auto filler = [&](unsigned window, uint64_t offset, uint64_t first, uint32_t bytes) {
    return place_of(view, &b.chip, window, offset, {.first = first, .bytes = bytes, .vcpu = 0}).filler;
  };
  EXPECT_TRUE(filler(MK_WINDOW_8, 8 * addr::kFilter + 4, 8 * addr::kFilter, 8)) << "a correct 64-bit access";
  EXPECT_TRUE(filler(MK_WINDOW_4, 4 * addr::kFilter + 4, 4 * addr::kFilter, 8));
  EXPECT_FALSE(filler(MK_WINDOW_8, 8 * addr::kFilter + 4, 8 * addr::kFilter + 4, 4))
      << "the upper half alone";
  EXPECT_FALSE(filler(MK_WINDOW_8, 8 * addr::kMuxSel + 4, 8 * addr::kMuxSel, 8)) << "it has one";
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x814, 4, 0x814), "LINES");
  EXPECT_EQ(name_at(b, MK_WINDOW_8, 0x818, 4, 0x818), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kResource, 8, 8 * addr::kResource), "RSRC0");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 8 * addr::kCsr, 8, 8 * addr::kCsr), "nothing");
  EXPECT_EQ(name_at(b, MK_WINDOW_SAMPLE, 0x814, 4, 0x814), "nothing");
}

TEST(MultiKronView, PeekOfTheCard) {
  MkBench b;
  for (const Register& r : kCard)
    EXPECT_EQ(view.peek(&b.chip, 0, {.reg = &r}), b.read_at(MK_WINDOW_8, r.offset, 4)) << r.name;
  for (const Register& r : kRegisters) {
    if (r.offset / 4 >= addr::kTrace || r.name == "RESET") {
      EXPECT_FALSE(view.peek(&b.chip, 0, {.reg = &r})) << r.name;
    }
  }
}

TEST(MultiKronView, BusyCounters) {
  MkBench b;
  const Place wrong =
      place_of(view, &b.chip, MK_WINDOW_8, 8 * addr::kCounter + 4, {8 * addr::kCounter, 8, 0});
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0u);
  b.write(addr::kResource, 0);
  EXPECT_EQ(view.peek(&b.chip, b.now, wrong), 0x80000000u);
}

// "to select all odd counters to count 50 MHz node clocks (encoding=11) and all even counters to count
// external signals (encoding=01)": MSBs of the odd ones, LSBs of all.
TEST(MkGuestHeader, MuxExample) {
  uint64_t mux = 0;
  for (unsigned i = 0; i < MKR_COUNTERS; ++i) mux |= MKR_MUX_PUT(i, i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
  EXPECT_EQ(mux, 0x0000aaaa0000ffffull);
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    EXPECT_EQ(MKR_MUX_GET(i, mux), i % 2 ? MKR_MUX_NODE : MKR_MUX_EXTERNAL);
}

}  // namespace
}  // namespace perfboard::mk
