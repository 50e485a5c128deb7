// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a PageCount: see state_bench.h.
#include "tests/example/pagecount/pagecount.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::fuzz {
namespace {

class Rig {
 public:
  using State = PageCountState;
  static constexpr Place kPlaces[] = {{0, sizeof(State)}};

  explicit Rig(Input& source) : in(source) {
    board_.host = {.opaque = this,
                   .now = nullptr,
                   .set_irq = [](void* o, bool level) { static_cast<Rig*>(o)->irq_ = level; },
                   .arm = [](void* o, uint64_t) { static_cast<Rig*>(o)->armed_ = true; }};
    pagecount_power_on(&board_);
  }
  State& state() { return board_.state; }
  bool ok(const State& s, char* why) { return pagecount_state_ok(&s, why, PB_WHY_BYTES); }
  bool load(const State& s, char* why) { return pagecount_load(&board_, &s, why, PB_WHY_BYTES); }
  void check_line() {
    if (armed_) armed_ = false, pagecount_timer(&board_);
    FUZZ_CHECK(irq_ == (state().stores && state().ctrl), "the line is %d", irq_);
  }
  void check_reset() {
    FUZZ_CHECK(!state().page && !state().stores && !state().ctrl && !state().deaf,
               "refused, and not powered on anew");
  }
  void operate() {
    const uint32_t size = 1u << in.below(3), offset = in.below(12) & ~(size - 1);
    switch (in.below(8)) {
      case 0:
        return pagecount_reset(&board_);
      case 1:
        return void(pagecount_read(&board_, offset, size));
      case 2:
        return pagecount_write(&board_, offset, size, in.value());
      default:
        pagecount_stored(&board_, 0);
    }
  }

 private:
  Input& in;
  PageCount board_;
  bool irq_ = false, armed_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
