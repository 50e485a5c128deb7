// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a POWER2 performance monitor: see state_bench.h.
#include "tests/fuzz/state_bench.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

using fuzz::running::in;

class OnPower2 : public boards::On<fuzz::StateBench, Bench, [](Bench& b) { return &b.monitors[0]; },
                                   p2_state_ok, p2_load> {
 public:
  OnPower2() : On(Bench::Options{.power = in.flip(), .awake = false}) {
    if (in.below(8)) p2_wake(monitor());
  }
  void reset() override { p2_reset(monitor()); }
  std::span<const fuzz::Place> places() override {
    static constexpr fuzz::Place kPlaces[] = {{0, offsetof(P2State, counter)},
                                              {offsetof(P2State, counter), sizeof(P2State::counter)}};
    return kPlaces;
  }
  // What stands outside is what the state says.
  void check_outside() override {
    const P2State& s = bench.state();
    const Bench::Processor& cpu = bench.cpu();
    const bool mark = !cpu.marks.empty() && cpu.marks.back();
    const uint32_t match = cpu.matches.empty() ? 0 : cpu.matches.back();
    FUZZ_CHECK(match == s.imr && mark == (s.mark != 0), "IMR %x, mark %d", match, mark);
    FUZZ_CHECK(!cpu.counts || s.awake, "counting asleep");
  }

  void operate() override {
    const uint32_t n = in.u8();
    total_ += n;
    for (unsigned s = 0; s < P2_SOURCES; ++s) bench.happens(s, uint64_t{n} * s);
    bench.context(total_ & 1, total_ & 2);
    switch (in.below(8)) {
      default:
        p2_wake(monitor());
        bench.set(4 * in.below(28), in.value());
        break;
      case 4:
        p2_wake(monitor());
        bench.set(0, in.value());
        break;
      case 5:
        p2_correctable_errors(monitor(), in.value());
        break;
      case 6:
        if (in.below(8) == 0) p2_reset(monitor());
        break;
      case 7:
        p2_pre_save(monitor());
        bench.get(in.u8());
        break;
    }
  }

 private:
  P2Monitor* monitor() { return &bench.monitors[0]; }
  uint64_t total_ = 0;
};

}  // namespace
}  // namespace perfboard::p2

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<p2::OnPower2>();
}
