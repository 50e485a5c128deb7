// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a POWER2 performance monitor: see state_bench.h.
#include <memory>

#include "hw/power2/power2.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::fuzz {
namespace {

class Rig {
 public:
  using State = P2State;
  static constexpr Place kPlaces[] = {{0, offsetof(P2State, counter)},
                                      {offsetof(P2State, counter), sizeof(P2State::counter)}};

  explicit Rig(Input& source) : in(source), monitor_(std::make_unique<P2Monitor>()) {
    P2Config config;
    p2_config_default(&config, P2_WIDE);
    config.power = in.flip();
    config.own_mark = !config.power;
    config.opaque = this;
    config.totals = [](void* o, unsigned contexts, uint64_t* totals) {
      for (unsigned s = 0; s < P2_SOURCES; ++s) totals[s] = self(o).total_ * (s + contexts);
    };
    config.watch = [](void* o, const uint64_t*, bool counts) { self(o).counts_ = counts; };
    config.mark = [](void* o, bool marked) { self(o).mark_ = marked; };
    config.match = [](void* o, uint32_t imr) { self(o).match_ = imr; };
    config.context = [](void* o, bool* privileged, bool* marked) {
      *privileged = self(o).total_ & 1;
      *marked = self(o).total_ & 2;
    };
    const PbHost host = {
        .opaque = this,
        .now = nullptr,
        .set_irq = nullptr,
        .arm = nullptr,
        .dma_read = nullptr,
        .dma_write = nullptr,
        .log = [](void*, pb_log_kind, const char*) {},
    };
    p2_init(monitor_.get(), &config, &host);
    if (in.below(8)) p2_wake(monitor_.get());
  }

  P2State& state() { return monitor_->state; }
  bool ok(const P2State& s, char* why) { return p2_state_ok(monitor_.get(), &s, why, PB_WHY_BYTES); }
  bool load(const P2State& s, char* why) { return p2_load(monitor_.get(), &s, why, PB_WHY_BYTES); }
  // What stands outside is what the state says.
  void check_line() {
    FUZZ_CHECK(match_ == state().imr && mark_ == (state().mark != 0), "IMR %x, mark %d", match_, mark_);
    FUZZ_CHECK(!counts_ || state().awake, "counting asleep");
  }
  void check_reset() {  // asleep all else is 0, as ok() says
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(!state().awake && ok(state(), why) && !counts_, "refused, and not reset: %s", why);
  }

  void operate() {
    total_ += in.u8();
    switch (in.below(8)) {
      default:
        p2_wake(monitor_.get());
        p2_write(monitor_.get(), 4 * in.below(28), in.value());
        break;
      case 4:
        p2_wake(monitor_.get());
        p2_write(monitor_.get(), 0, in.value());
        break;
      case 5:
        p2_correctable_errors(monitor_.get(), in.value());
        break;
      case 6:
        if (in.below(8) == 0) p2_reset(monitor_.get());
        break;
      case 7:
        p2_pre_save(monitor_.get());
        p2_read(monitor_.get(), in.u8());
        break;
    }
  }

 private:
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }

  Input& in;
  std::unique_ptr<P2Monitor> monitor_;
  uint64_t total_ = 0;
  bool counts_ = false, mark_ = false;
  uint32_t match_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
