// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of the adapters: see state_bench.h.
#include <algorithm>
#include <memory>
#include <vector>

#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::sci;

class Rig : public Machine {
 public:
  using State = SciState;
  static constexpr Place kPlaces[] = {
      {0, offsetof(SciState, home) + 8},
      {offsetof(SciState, node), 4 * sizeof(SciNode)},
      {offsetof(SciState, node) + offsetof(SciNode, held), 2 * sizeof(SciHeld)},
      {offsetof(SciState, flight), 8 * sizeof(SciFlight)},
      {offsetof(SciState, line), sizeof(SciLine)},
      {offsetof(SciState, latch), offsetof(SciState, flight) - offsetof(SciState, latch)},
      {offsetof(SciState, inject), sizeof(SciInject)}};

  explicit Rig(Input& source)
      : in(source), memory_(kPages * SCI_PAGE_BYTES), adapter_(std::make_unique<SciAdapter>()) {
    now_ = 1'000'003;
    const SciConfig config = {
        .nodes = 2 + in.below(in.flip() ? 3 : 31),
        .size = kPages * SCI_PAGE_BYTES,
        .latency = in.below(4) != 0,
        .ringlet = 2 + in.below(7),
        .wc_buffers = in.below(17),
        .opaque = this,
        .packet =
            [](void* o, const SciPacket* p) {
              FUZZ_CHECK(p->node < self(o).adapter_->config.nodes && p->words >= 2 && p->words <= 10,
                         "node %u", p->node);
            },
        .memory = memory_.data(),
    };
    char why[200];
    FUZZ_CHECK(sci_config_ok(&config, why, sizeof why), "%s", why);
    sci_init(adapter_.get(), &config, &host());
    sci_want_payload(adapter_.get(), true);
    prepare();
  }

  SciState& state() { return adapter_->state; }
  bool ok(const SciState& s, char* why) { return sci_state_ok(adapter_.get(), &s, why, PB_WHY_BYTES); }
  bool load(const SciState& s, char* why) { return sci_load(adapter_.get(), &s, why, PB_WHY_BYTES); }
  void check_line() {
    const SciDerived& d = adapter_->derived;
    FUZZ_CHECK(armed_ == (d.flights ? d.next[0].ns : PB_NEVER), "the timer comes at another time");
    FUZZ_CHECK(d.flights + d.unused_places == SCI_FLIGHTS, "places are lost");
  }
  void check_reset() {
    static const SciState kFresh{};
    FUZZ_CHECK(!std::memcmp(&state(), &kFresh, sizeof kFresh) && !sci_holds(adapter_.get()),
               "refused, and not reset");
    prepare();
  }

  void operate() {
    switch (in.below(12)) {
      case 0:
        now_ += in.below(8) ? in.u16() : in.u32() % 10'000'000;
        if (armed_ <= now_) armed_ = PB_NEVER, sci_timer(adapter_.get());
        if (in.below(16) == 0) sci_tell_all(adapter_.get());
        break;
      case 1:
        registers(true);
        break;
      case 2:
        registers(false);
        break;
      case 3:
        sci_register_write(adapter_.get(), kAtt + 4 * in.below(kPages), in.below(32), 4, who());
        break;
      case 4:
        sci_drain(adapter_.get(), now_, who());
        break;
      case 5:
        if (in.below(8) == 0) sci_register_write(adapter_.get(), kCtrl, in.below(4), 4, who());
        break;
      case 6:
        if (in.below(16) == 0) sci_reset(adapter_.get()), prepare();
        break;
      default:
        access();
    }
  }

 private:
  static constexpr unsigned kPages = 4;
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }
  void prepare() {
    sci_register_write(adapter_.get(), kCtrl, 1, 4, SCI_NO_VCPU);
    for (unsigned p = 0; p < kPages; ++p)
      sci_register_write(adapter_.get(), kAtt + 4 * p, p % adapter_->config.nodes, 4, SCI_NO_VCPU);
  }
  // A node, a processor that is none, or nobody.
  uint32_t who() {
    static constexpr uint32_t kNone[] = {255, 256, 287, 0x7fffffff, SCI_NO_VCPU};
    return in.below(8) ? in.below(34) : kNone[in.below(5)];
  }
  // As the bus has them: aligned.
  void registers(bool write) {
    const uint32_t size = 1u << in.below(4), where = in.below(4) ? in.u16() : in.u32();
    const uint32_t offset = where % SCI_REGISTER_BYTES & ~(size - 1), vcpu = who();
    if (write) return sci_register_write(adapter_.get(), offset, in.u64(), size, vcpu);
    const uint64_t value = sci_register_read(adapter_.get(), offset, size, vcpu);
    FUZZ_CHECK(size == 8 || value >> 8 * size == 0, "%u bytes read %llx", size,
               static_cast<unsigned long long>(value));
  }
  void access() {
    const uint32_t bytes = adapter_->config.latency ? 1u << in.below(4) : 1 + in.below(16);
    uint32_t at = in.u16() % (kPages * SCI_PAGE_BYTES);
    if (in.flip()) at &= ~0xf00u;
    if (adapter_->config.latency) at &= ~(bytes - 1);
    at = std::min(at, (at | 4095) + 1 - bytes);
    SciAccess a = {.ns = now_,
                   .offset = at,
                   .bytes = bytes,
                   .vcpu = who(),
                   .store = in.flip(),
                   .locked = in.below(4) == 0,
                   .write_combining = in.flip(),
                   .can_wait = in.below(8) != 0};
    uint64_t until = 0;
    for (int tries = in.below(4); tries >= 0; --tries) {
      if (sci_access(adapter_.get(), &a, &until) == SCI_DONE) return;
      FUZZ_CHECK(a.can_wait && until > a.ns && until <= a.ns + 1'100'000'000, "until %llu",
                 static_cast<unsigned long long>(until));
      if (in.below(4)) now_ = a.ns = until;
    }
  }

  Input& in;
  std::vector<uint8_t> memory_;
  std::unique_ptr<SciAdapter> adapter_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
