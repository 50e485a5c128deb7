// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a MULTIKRON: see state_bench.h.
#include <algorithm>

#include "hw/multikron/multikron.h"
#include "hw/multikron/stream.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::fuzz {
namespace {

class Rig : public Machine {
 public:
  using State = MkState;
  static constexpr size_t kAfterFifo = offsetof(MkState, head);
  static constexpr Place kPlaces[] = {{0, offsetof(MkState, fifo)},
                                      {kAfterFifo, sizeof(MkState) - kAfterFifo}};

  explicit Rig(Input& source) : in(source), chip_(std::make_unique<MultiKron>()) {
    now_ = 1'000'003;
    constexpr uint32_t kNode[] = {50'000'000, 33'333'333, 1'000'000'000, 1'000'003};
    MkConfig config = {
        .node_hz = kNode[in.below(4)],
        .fifo_depth = 1 + in.below(in.flip() ? 8 : 64),
        .free = static_cast<enum mk_free>(in.below(3)),
        .free_bytes = 1 + in.below(200),
        .drain_hz = in.flip() ? in.below(4) * 5'000'000 : in.u32(),
        .lines = 8,
        .opaque = this,
        .network = [](void*, const uint16_t*,
                      size_t n) { FUZZ_CHECK(n <= MK_PENDING_WORDS, "%zu words", n); },
        .external = [](void* o, unsigned pin) { return self(o).total_[pin]; },
        .watch = [](void*, uint16_t) {},
        .release_at = [](void*, uint64_t) {},
    };
    config.timestamp_hz = 1 + in.below(65536) * (config.node_hz / 3 / 65536);
    char why[200];
    FUZZ_CHECK(mk_config_ok(&config, why, sizeof why), "%s", why);
    mk_init(chip_.get(), &config, &host());
    access(true, 8, 1 | 4 | 16);  // CSR: sampling, delays
    access(true, 8 * 4, 0xffff);  // filter
  }

  MkState& state() { return chip_->state; }
  bool ok(const MkState& s, char* why) { return mk_state_ok(chip_.get(), &s, why, PB_WHY_BYTES); }
  bool load(const MkState& s, char* why) { return mk_load(chip_.get(), &s, why, PB_WHY_BYTES); }
  void check_line() {}
  void check_reset() {
    const MkState& s = state();
    FUZZ_CHECK(
        s.reset_ns == now_ && s.count == 0 && s.csr == 0 && s.enable == 0 && !s.waiting && !s.shadow_busy,
        "refused, and not reset: count %u, CSR %x", s.count, s.csr);
  }

  void operate() {
    switch (in.below(16)) {
      default:  // a sample
        access(true, 8 * (96 + in.below(32)), in.u64());
        break;
      case 5:
        any_access();
        break;
      case 6:  // an instruction of the test register
        access(true, 8 * 14, in.u64());
        break;
      case 7:
      case 8:
        pass(in.u16());
        break;
      case 9:
        pass(in.u32());
        break;
      case 10:
        mk_set_test_mode(chip_.get(), in.below(4) == 0);
        break;
      case 11:
        mk_set_external_free(chip_.get(), in.flip());
        break;
      case 12:
        total_[in.below(16)] += in.u16();
        mk_external_edges(chip_.get(), in.below(16), in.u8());
        break;
      case 13:
        access(true, 8 * (in.flip() ? 8 : 11), in.u64());  // MUX SEL, ENABLE
        break;
      case 14:
        if (in.below(4) == 0) mk_hardware_reset(chip_.get());
        break;
      case 15:
        mk_pre_save(chip_.get());
        break;
    }
  }

 private:
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }
  void access(bool write, uint32_t offset, uint64_t value) {
    access({MK_WINDOW_8, offset, 8, static_cast<int>(in.below(9)) - 1, in.flip()}, write, value);
  }
  void any_access() {
    const MkAccess a = {static_cast<enum mk_window>(in.below(3)), in.u16() % MK_WINDOW_BYTES,
                        1u << in.below(4), static_cast<int>(in.below(9)) - 1, in.flip()};
    access(a, in.flip(), in.u64());
  }
  // One that is delayed is given up: time goes back to the start of its instruction.
  void access(const MkAccess& a, bool write, uint64_t value) {
    const auto result = write ? mk_write(chip_.get(), &a, value) : mk_read(chip_.get(), &a, &value);
    if (result == MK_WAIT) now_ -= std::min<uint64_t>(now_ - state().reset_ns, in.below(32));
  }
  void pass(uint64_t ns) {
    const uint64_t until = now_ + ns;
    for (int turns = 0; armed_ <= until && turns < 3; ++turns) {
      now_ = std::max(now_, armed_);
      armed_ = PB_NEVER;
      mk_timer(chip_.get());
      FUZZ_CHECK(armed_ > now_, "the timer is to come at once, again and again");
    }
    now_ = std::max(now_, until);
  }

  Input& in;
  std::unique_ptr<MultiKron> chip_;
  uint64_t total_[16] = {};
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
