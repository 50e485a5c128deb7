// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a PageCount: see state_bench.h.
#include "tests/example/pagecount/pagecount.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::pagecount {
namespace {

using fuzz::running::in;

struct Bench : Rig {
  Bench() {
    board.host = host();
    pagecount_power_on(&board);
  }
  PageCount board;
};
bool state_ok(PageCount*, const PageCountState* s, char* why, uint32_t size) {
  return pagecount_state_ok(s, why, size);
}

class OnPageCount : public boards::On<fuzz::StateBench, Bench, [](Bench& b) { return &b.board; }, state_ok,
                                      pagecount_load> {
 public:
  void reset() override { pagecount_power_on(&bench.board); }
  std::span<const fuzz::Place> places() override {
    static constexpr fuzz::Place kPlaces[] = {{0, sizeof(PageCountState)}};
    return kPlaces;
  }
  void check_outside() override {
    if (bench.armed != PB_NEVER) bench.armed = PB_NEVER, pagecount_timer(&bench.board);
    const PageCountState& s = bench.board.state;
    FUZZ_CHECK(bench.irq == (s.stores && s.ctrl), "the line is %d", bench.irq);
  }
  void operate() override {
    const uint32_t size = 1u << in.below(3), offset = in.below(12) & ~(size - 1);
    switch (in.below(8)) {
      case 0:
        return pagecount_reset(&bench.board);
      case 1:
        return void(pagecount_read(&bench.board, offset, size));
      case 2:
        return pagecount_write(&bench.board, offset, size, in.value());
      default:
        pagecount_stored(&bench.board, 0);
    }
  }
};

}  // namespace
}  // namespace perfboard::pagecount

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<pagecount::OnPageCount>();
}
