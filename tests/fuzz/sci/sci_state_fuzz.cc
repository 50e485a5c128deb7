// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of the adapters: see state_bench.h.
#include <algorithm>

#include "hw/sci/model.h"
#include "tests/fuzz/state_bench.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

using fuzz::running::in;
constexpr unsigned kPages = 4;

class OnSci : public boards::On<fuzz::StateBench, SciBench, [](SciBench& b) { return b.adapter(); },
                                sci_state_ok, sci_load> {
 public:
  OnSci()
      : On(SciBench::Setup{.nodes = 2 + in.below(in.flip() ? 3 : 31),
                           .size = kPages * SCI_PAGE_BYTES,
                           .latency = in.below(4) != 0,
                           .ringlet = 2 + in.below(7),
                           .wc_buffers = in.below(17)}) {
    sci_want_payload(adapter(), true);
  }
  void reset() override { sci_reset(adapter()); }
  void set_up() override {
    bench.write(kCtrl, 1);
    for (unsigned p = 0; p < kPages; ++p) bench.home(p, p % adapter()->config.nodes);
  }
  std::span<const fuzz::Place> places() override {
    static constexpr fuzz::Place kPlaces[] = {
        {0, offsetof(SciState, home) + 8},
        {offsetof(SciState, node), 4 * sizeof(SciNode)},
        {offsetof(SciState, node) + offsetof(SciNode, held), 2 * sizeof(SciHeld)},
        {offsetof(SciState, flight), 8 * sizeof(SciFlight)},
        {offsetof(SciState, line), sizeof(SciLine)},
        {offsetof(SciState, latch), offsetof(SciState, flight) - offsetof(SciState, latch)},
        {offsetof(SciState, inject), sizeof(SciInject)}};
    return kPlaces;
  }
  void check_outside() override {
    const SciDerived& d = adapter()->derived;
    FUZZ_CHECK(bench.armed == (d.flights ? d.next[0].ns : PB_NEVER), "the timer comes at another time");
    FUZZ_CHECK(d.flights + d.unused_places == SCI_FLIGHTS, "places are lost");
    FUZZ_CHECK(sci_holds(adapter()) == (filled(adapter()->state) != 0), "buffers are miscounted");
    for (const SciPacket& p : bench.packets)
      FUZZ_CHECK(p.node < adapter()->config.nodes && p.words >= 2 && p.words <= 10, "node %u", p.node);
    bench.packets.clear();
  }

  void operate() override {
    switch (in.below(12)) {
      case 0:
        bench.now += in.below(8) ? in.u16() : in.u32() % 10'000'000;
        if (bench.armed <= bench.now) bench.armed = PB_NEVER, sci_timer(adapter());
        if (in.below(16) == 0) sci_tell_all(adapter());
        break;
      case 1:
        registers(true);
        break;
      case 2:
        registers(false);
        break;
      case 3:
        sci_register_write(adapter(), kAtt + 4 * in.below(kPages), in.below(32), 4, who());
        break;
      case 4:
        sci_drain(adapter(), bench.now, who());
        break;
      case 5:
        if (in.below(8) == 0) bench.write(kCtrl, in.below(4), who());
        break;
      case 6:
        if (in.below(16) == 0) sci_reset(adapter()), set_up();
        break;
      default:
        access();
    }
  }

 private:
  SciAdapter* adapter() { return bench.adapter(); }
  // A node, a processor that is none, or nobody.
  uint32_t who() {
    static constexpr uint32_t kNone[] = {255, 256, 287, 0x7fffffff, SCI_NO_VCPU};
    return in.below(8) ? in.below(34) : kNone[in.below(5)];
  }
  // As the bus has them: aligned.
  void registers(bool write) {
    const uint32_t size = 1u << in.below(4), where = in.below(4) ? in.u16() : in.u32();
    const uint32_t offset = where % SCI_REGISTER_BYTES & ~(size - 1), vcpu = who();
    if (write) return sci_register_write(adapter(), offset, in.u64(), size, vcpu);
    const uint64_t value = sci_register_read(adapter(), offset, size, vcpu);
    FUZZ_CHECK(size == 8 || value >> 8 * size == 0, "%u bytes read %llx", size,
               static_cast<unsigned long long>(value));
  }
  void access() {
    const bool latency = adapter()->config.latency;
    const uint32_t bytes = latency ? 1u << in.below(4) : 1 + in.below(16);
    uint32_t at = in.u16() % (kPages * SCI_PAGE_BYTES);
    if (in.flip()) at &= ~0xf00u;
    if (latency) at &= ~(bytes - 1);
    at = std::min(at, (at | 4095) + 1 - bytes);
    SciAccess a = {.ns = bench.now,
                   .offset = at,
                   .bytes = bytes,
                   .vcpu = who(),
                   .store = in.flip(),
                   .locked = in.below(4) == 0,
                   .write_combining = in.flip(),
                   .can_wait = in.below(8) != 0};
    uint64_t until = 0;
    for (int tries = in.below(4); tries >= 0; --tries) {
      if (sci_access(adapter(), &a, &until) == SCI_DONE) return;
      FUZZ_CHECK(a.can_wait && until > a.ns && until <= a.ns + 1'100'000'000, "until %llu",
                 static_cast<unsigned long long>(until));
      if (in.below(4)) bench.now = a.ns = until;
    }
  }
};

}  // namespace
}  // namespace perfboard::sci

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<sci::OnSci>();
}
