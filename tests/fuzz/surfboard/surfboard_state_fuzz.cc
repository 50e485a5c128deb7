// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a SurfBoard: see state_bench.h.
#include <algorithm>
#include <vector>

#include "guest/surfboard/regs.h"
#include "hw/fpga/load.h"
#include "hw/surfboard/surfboard.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/state_bench.h"
#include "tests/fuzz/surfboard/surfboard_packet.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kMemory = 4u << 20;

class Rig : public Machine {
 public:
  using State = SurfState;
  static constexpr Place kPlaces[] = {
      {0, offsetof(SurfState, has)},
      {offsetof(SurfState, has.count), sizeof(HasState) - offsetof(HasState, count)},
      {offsetof(SurfState, fifo.head), sizeof(SurfFifo) - offsetof(SurfFifo, head)},
      {offsetof(SurfState, pipe), sizeof(SurfState) - offsetof(SurfState, pipe)},
  };

  explicit Rig(Input& source) : in(source), board_(std::make_unique<SurfBoard>()) {
    bytes_[0] = in.below(4) ? kMemory : 0;
    bytes_[1] = in.below(4) ? kMemory : 0;
    const SurfConfig config = {
        .trace_bytes = bytes_[0],
        .hist_bytes = bytes_[1],
        .trace = bytes_[0] ? memory_[0].data() : nullptr,
        .hist = bytes_[1] ? memory_[1].data() : nullptr,
        .product_id = SURF_PRODUCT_ID,
        .opaque = this,
        .wrote =
            [](void* o, surf_memory which, uint32_t at, uint32_t n) {
              const uint32_t size = self(o).bytes_[which == SURF_MEM_HIST];
              FUZZ_CHECK(at < size && n <= size - at, "%u bytes at %u of %u", n, at, size);
            },
        .watch_memory = [](void* o, bool on) { self(o).watched_ = on; },
        .remap = [](void*) {},
        .ext_drive = [](void* o, bool low) { self(o).drive(low); },
    };
    surf_init(&b(), &config, &host());
    set_up();
  }

  SurfState& state() { return board_->state; }
  bool ok(const SurfState& s, char* why) { return surf_state_ok(&b(), &s, why, PB_WHY_BYTES); }
  bool load(const SurfState& s, char* why) { return surf_load(&b(), &s, why, PB_WHY_BYTES); }
  void check_line() {
    const SurfState& s = state();
    FUZZ_CHECK(irq_ == bool(s.lines.irq) && (!irq_ || surf_irq_number(&b()) >= 0), "line %d, lines.irq %u",
               irq_, s.lines.irq);
  }
  void check_reset() {
    const SurfState& s = state();
    FUZZ_CHECK(!surf_enabled(&b()) && s.iscr == 0 && s.htcr == SURF_HTCR_FRS && s.pipe_count == 0 &&
                   s.fifo.count == 0 && s.has.prog == 1 && s.acdr == 0 && s.ttcr == 0,
               "refused, and not reset: EBCR %x", s.ebcr);
    FUZZ_CHECK(!irq_ && armed_ == PB_NEVER && !driven_low_, "refused: line %d, armed %llu, pulls the wire %d",
               irq_, static_cast<unsigned long long>(armed_), driven_low_);
    set_up();
  }

  void operate() {
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
        others_low_ = in.flip();
        tell_level();
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
  SurfBoard& b() { return *board_; }
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }

  void set_up() {
    surf_io_write(&b(), SURF_EBCR, SURF_EBCR_ENABLE | in.below(8) << SURF_EBCR_IRLEV_SHIFT, 4);
    for (uint32_t i = 0; i < SURF_ACDR_BITS; ++i)
      surf_reg_write(&b(), SURF_ACDR, (12u << SURF_ACDR_LAT_N_SHIFT) >> i & 1, 4);
    surf_reg_write(&b(), SURF_IEMR, in.u16(), 4);
    surf_reg_write(&b(), SURF_HTCR, in.u8() & 7, 4);
  }
  // The HAS, part of its stream's clocks; at times as if all but the last bits had come.
  void bitstream() {
    HasState& h = state().has;
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
        if (watched_) surf_memory_access(&b());
        break;
      default:
        set_up();
    }
  }
  void packet() {
    const ShrimpPacket p = random_packet(in, now_, last_start_);
    if (in.flip()) pass(std::max(now_, p.end_ns) - now_);
    surf_packet(&b(), &p);
  }
  void pass(uint64_t ns) {
    Machine::pass(ns, 100, [this] { surf_timer(&b()); });
  }
  void drive(bool low) {
    driven_low_ = low;
    tell_level();
  }
  void tell_level() { surf_ext_input(&b(), !(others_low_ || driven_low_)); }

  static inline std::vector<uint8_t> memory_[2] = {std::vector<uint8_t>(kMemory),
                                                   std::vector<uint8_t>(kMemory)};
  Input& in;
  std::unique_ptr<SurfBoard> board_;
  uint32_t bytes_[2];
  uint64_t last_start_ = 0;
  bool watched_ = true, driven_low_ = false, others_low_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
