// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a SurfBoard: see state_bench.h.
#include <algorithm>

#include "guest/surfboard/regs.h"
#include "hw/fpga/load.h"
#include "tests/fuzz/state_bench.h"
#include "tests/fuzz/surfboard/surfboard_packet.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

using fuzz::running::in;
constexpr uint32_t kSimm = 4 * kMiB;
BlankMemory g_memory[] = {BlankMemory(kSimm), BlankMemory(kSimm)};  // for all inputs

class OnSurf : public boards::On<fuzz::StateBench, SurfBench, [](SurfBench& b) { return &b.board; },
                                 surf_state_ok, surf_load> {
 public:
  OnSurf()
      : On(SurfBench::Sizes{
            .trace = in.below(4) ? kSimm : 0, .hist = in.below(4) ? kSimm : 0, .lent = g_memory}) {}
  void reset() override { surf_power_on(&b()); }
  void same_wires(StateBench& other) override {
    const SurfState& s = static_cast<OnSurf&>(other).bench.state();
    bench.state().ext_high = s.ext_high;
    std::copy(std::begin(s.ext_changed_ns), std::end(s.ext_changed_ns), bench.state().ext_changed_ns);
    bench.state().clock_base_ns = s.clock_base_ns;
    bench.state().lines = s.lines;
  }
  void set_up() override {
    surf_io_write(&b(), SURF_EBCR, SURF_EBCR_ENABLE | in.below(8) << SURF_EBCR_IRLEV_SHIFT, 4);
    for (uint32_t i = 0; i < SURF_ACDR_BITS; ++i)
      surf_reg_write(&b(), SURF_ACDR, (12u << SURF_ACDR_LAT_N_SHIFT) >> i & 1, 4);
    surf_reg_write(&b(), SURF_IEMR, in.u16(), 4);
    surf_reg_write(&b(), SURF_HTCR, in.u8() & 7, 4);
  }
  std::span<const fuzz::Place> places() override {
    static constexpr fuzz::Place kPlaces[] = {
        {0, offsetof(SurfState, has)},
        {offsetof(SurfState, has.count), sizeof(HasState) - offsetof(HasState, count)},
        {offsetof(SurfState, fifo.head), sizeof(SurfFifo) - offsetof(SurfFifo, head)},
        {offsetof(SurfState, pipe), sizeof(SurfState) - offsetof(SurfState, pipe)},
    };
    return kPlaces;
  }
  void check_outside() override {
    const SurfState& s = bench.state();
    FUZZ_CHECK(bench.irq == bool(s.lines.irq) && (!bench.irq || surf_irq_number(&b()) >= 0),
               "line %d, lines.irq %u", bench.irq, s.lines.irq);
    FUZZ_CHECK(bench.driven_low == bool(s.lines.ext_low), "it pulls the wire: %d", bench.driven_low);
  }

  void operate() override {
    switch (in.below(12)) {
      case 0:
        surf_reg_write(&b(), in.below(4) ? in.below(16) * 4 : in.u16(), in.value(), 1u << in.below(3));
        break;
      case 1:
        surf_reg_read(&b(), in.below(4) ? in.below(16) * 4 : in.u16(), 1u << in.below(3));
        break;
      default:
        packet();
        break;
      case 6:
        pass(in.u16());
        break;
      case 7:
        pass(in.u32());
        break;
      case 8:
        surf_io_write(&b(), 0xc80 + in.below(8), in.value(), 1u << in.below(3));
        break;
      case 9:
        bench.pull(in.flip());
        break;
      case 10:
        bitstream();
        break;
      case 11:
        rare();
        break;
    }
  }

 private:
  SurfBoard& b() { return bench.board; }
  // The HAS, part of its stream's clocks; at times as if all but the last bits had come.
  void bitstream() {
    HasState& h = bench.state().has;
    surf_reg_write(&b(), SURF_FCCR, 0, 4);
    if (!h.prog && surf_enabled(&b()) && in.below(4) == 0) {
      h.phase = xc4000::kFrameData;
      h.frame = static_cast<uint16_t>(in.below(xc4000::kXc4003.frames));
      h.bit = static_cast<uint16_t>(in.below(xc4000::kXc4003.frame_bits));
      h.error = 0;
      h.startup = 0;
    }
    for (uint32_t n = in.u8(); n > 0; --n) surf_reg_write(&b(), SURF_FCDR, in.flip(), 4);
  }
  void rare() {
    switch (in.below(6)) {
      case 0:
        surf_bus_reset(&b());
        break;
      case 1:
        surf_power_on(&b());
        break;
      case 2:
        surf_global_reset(&b());
        break;
      case 3:
        surf_set_receive_time(&b(), in.u64() >> in.below(64));
        break;
      case 4:
        surf_leds(&b());
        if (bench.watched) surf_memory_access(&b());
        break;
      default:
        set_up();
    }
  }
  void packet() {
    const ShrimpPacket p = fuzz::random_packet(in, bench.now, last_start_);
    if (in.flip()) pass(std::max(bench.now, p.end_ns) - bench.now);
    surf_packet(&b(), &p);
  }
  void pass(uint64_t ns) {
    bench.Rig::pass_until(bench.now + ns, [this] { surf_timer(&b()); }, 100);
  }
  uint64_t last_start_ = 0;
};

}  // namespace
}  // namespace perfboard::surf

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<surf::OnSurf>();
}
