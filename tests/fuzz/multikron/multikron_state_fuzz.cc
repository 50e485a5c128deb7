// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a MULTIKRON: see state_bench.h.
#include <algorithm>

#include "tests/fuzz/state_bench.h"
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

using fuzz::running::in;

MkBench::Options options() {
  constexpr uint32_t kNode[] = {50'000'000, 33'333'333, 1'000'000'000, 1'000'003};
  MkBench::Options o = {.node_hz = kNode[in.below(4)],
                        .depth = 1 + in.below(in.flip() ? 8 : 64),
                        .free = static_cast<enum mk_free>(in.below(3)),
                        .free_bytes = 1 + in.below(200),
                        .drain_hz = in.flip() ? in.below(4) * 5'000'000 : in.u32(),
                        .sources = true};
  o.timestamp_hz = 1 + in.below(65536) * (o.node_hz / 3 / 65536);
  return o;
}

class OnMultiKron
    : public boards::On<fuzz::StateBench, MkBench, [](MkBench& b) { return &b.chip; }, mk_state_ok, mk_load> {
 public:
  OnMultiKron() : On(options()) {
    access(true, 8 * addr::kCsr, csr::kSample | csr::kWriteWait | csr::kReadWait);
    access(true, 8 * addr::kFilter, 0xffff);
  }
  void reset() override { mk_power_on(&bench.chip); }
  void same_wires(StateBench& other) override {
    const MkState& s = static_cast<OnMultiKron&>(other).bench.state();
    bench.state().test_mode = s.test_mode;
    bench.state().external_free = s.external_free;
  }
  std::span<const fuzz::Place> places() override {
    static constexpr size_t kAfterFifo = offsetof(MkState, head);
    static constexpr fuzz::Place kPlaces[] = {{0, offsetof(MkState, fifo)},
                                              {kAfterFifo, sizeof(MkState) - kAfterFifo}};
    return kPlaces;
  }
  void check_outside() override {
    for (const size_t n : bench.batches) FUZZ_CHECK(n <= MK_PENDING_WORDS, "%zu words", n);
    bench.batches.clear();
    bench.out.clear();
  }

  void operate() override {
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
        bench.test_mode(in.below(4) == 0);
        break;
      case 11:
        mk_set_external_free(&bench.chip, in.flip());
        break;
      case 12: {
        const uint32_t pin = in.below(16);
        bench.still[pin] = bench.total[pin] += in.u16();
        mk_external_edges(&bench.chip, in.below(16), in.u8());
        break;
      }
      case 13:
        access(true, 8 * (in.flip() ? 8 : 11), in.u64());  // MUX SEL, ENABLE
        break;
      case 14:
        if (in.below(4) == 0) mk_hardware_reset(&bench.chip);
        break;
      case 15:
        mk_pre_save(&bench.chip);
        break;
    }
  }

 private:
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
    const auto result = write ? mk_write(&bench.chip, &a, value) : mk_read(&bench.chip, &a, &value);
    if (result == MK_WAIT) bench.now -= std::min<uint64_t>(bench.now - bench.state().reset_ns, in.below(32));
  }
  void pass(uint64_t ns) {
    const uint64_t until = bench.now + ns;
    for (int turns = 0; bench.armed <= until && turns < 3; ++turns) {
      bench.now = std::max(bench.now, bench.armed);
      bench.armed = PB_NEVER;
      mk_timer(&bench.chip);
      FUZZ_CHECK(bench.armed > bench.now, "the timer is to come at once, again and again");
    }
    bench.now = std::max(bench.now, until);
  }
};

}  // namespace
}  // namespace perfboard::mk

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<mk::OnMultiKron>();
}
