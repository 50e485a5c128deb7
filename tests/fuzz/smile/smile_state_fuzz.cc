// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a SMiLE monitor: see state_bench.h.
#include <algorithm>
#include <iterator>
#include <vector>

#include "hw/smile/smile.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/state_bench.h"

namespace perfboard::fuzz {
namespace {

class Rig : public Machine {
 public:
  using State = SmileState;
  static constexpr size_t kTarget = offsetof(SmileState, target);
  static constexpr Place kPlaces[] = {
      {0, sizeof(SmileCard)},
      {offsetof(SmileState, daughter), sizeof(SmileDaughter)},
      {kTarget, offsetof(SmileTarget, transaction)},
      {kTarget + offsetof(SmileTarget, used), sizeof(SmileTarget) - offsetof(SmileTarget, used)},
      {kTarget + offsetof(SmileTarget, active), sizeof(SmileTarget) - offsetof(SmileTarget, active)}};

  explicit Rig(Input& source) : in(source), hwm_(std::make_unique<SmileHwm>()) {
    now_ = 2'000'000'003;
    const uint32_t queue = in.flip() ? in.below(4) : in.below(3000);
    queue_.resize(8 * queue);
    SmileConfig config = {
        .entries = 4 + in.below(in.flip() ? 61 : 4),
        .queue = queue,
        .node = 3,
        .initial = in.flip() ? SMILE_STATIC : SMILE_DYNAMIC,
        .cclk = SMILE_DEFAULT_CCLK,
        .ring = ring_,
        .swap_queue = queue ? queue_.data() : nullptr,
        .opaque = this,
    };
    // Behind what inputs of before the daughter board say.
    config.two = in.below(4) == 3;
    config.daughter = static_cast<enum smile_design>(in.below(3));
    if (config.two) {
      config.initial = SMILE_TARGET;
      memory_.resize(SMILE_DAUGHTER_BYTES);
      config.daughter_memory = memory_.data();
      config.xchecker_rate = SMILE_MAX_XCHECKER_RATE;
    }
    char why[200];
    FUZZ_CHECK(smile_config_ok(&config, why, sizeof why), "%s", why);
    smile_init(hwm_.get(), &config, &host());
    write(0x100010, 0xff);
    write(0x100000, 1);
  }

  SmileState& state() { return hwm_->state; }
  bool ok(const SmileState& s, char* why) { return smile_state_ok(hwm_.get(), &s, why, PB_WHY_BYTES); }
  bool load(const SmileState& s, char* why) { return smile_load(hwm_.get(), &s, why, PB_WHY_BYTES); }
  void check_line() {
    const SmileTarget& t = state().target;
    const bool full = ((t.rdp - t.wrp - 1) & 4095) == 0 || t.queue_count || t.lost_untold;
    const bool wanted = ((t.mcr & 8) && full) || ((t.mcr & 16) && t.done);
    FUZZ_CHECK(!wanted || state().card.interrupt, "the condition holds, and no interrupt: MCR %x", t.mcr);
  }
  void check_reset() {
    const SmileTarget& t = state().target;
    const SmileConfig& c = hwm_->config;
    const int design = !c.two ? c.initial : c.daughter ? c.daughter : SMILE_TARGET;
    FUZZ_CHECK(t.design == design && !t.mcr && t.wrp == 4095 && t.rdp == 4095 && !t.queue_count && !t.used,
               "refused, and not reset: design %u, MCR %x", t.design, t.mcr);
  }

  void operate() {
    switch (in.below(16)) {
      default:
        for (uint32_t n = 1 + in.below(16); n; --n) packet();
        break;
      case 6:
        write(0x100000 + 4 * in.below(0x280), in.value());
        break;
      case 7:
        write(0x100000, in.u8() | 1);
        break;
      case 8:
        write(0x100014, in.u16());
        break;
      case 9:
        pass(in.u16());
        break;
      case 10:
        pass(in.u32());
        break;
      case 11:
        program();
        break;
      case 12:
        any_access();
        break;
      case 13:
        write(in.flip() ? 0x800004 : 0x800014, in.below(4));
        break;
      case 14:
        if (in.below(8) == 0) smile_reset(hwm_.get());
        smile_set_cable(hwm_.get(), in.flip());
        break;
      case 15:
        smile_pre_save(hwm_.get());
        if (hwm_->config.two) cable();
        break;
    }
  }

 private:
  static Rig& self(void* o) { return *static_cast<Rig*>(o); }
  void write(uint32_t offset, uint32_t value) { smile_write(hwm_.get(), offset, 4, value); }
  // Commands of the daughter board's cable, whole and in pieces, and designs that somebody loads.
  void cable() {
    static constexpr uint8_t kCommands[] = {'P', 'D', 'R', 'S', 'D', 'D'};
    for (uint32_t n = in.below(8); n; --n) {
      uint8_t bytes[SMILE_XCHECKER_COMMAND];
      for (uint8_t& b : bytes) b = in.u8();
      if (in.below(8)) bytes[0] = kCommands[in.below(sizeof kCommands)];
      if (in.flip()) header(bytes);
      const uint32_t takes = smile_xchecker_takes(hwm_.get());
      FUZZ_CHECK(takes <= SMILE_XCHECKER_COMMAND, "it takes %u bytes", takes);
      smile_xchecker(hwm_.get(), bytes, in.flip() ? takes : in.below(sizeof bytes));
      if (in.flip()) pass(in.u16());
      const uint32_t answer = smile_xchecker_answer(hwm_.get(), bytes);
      FUZZ_CHECK(answer <= SMILE_XCHECKER_ANSWER, "it answers %u bytes", answer);
    }
    if (in.below(8) == 0) smile_xchecker_hangup(hwm_.get());
    if (in.below(8) == 0) smile_inject(hwm_.get(), SMILE_INJECT_DAUGHTER, in.below(3));
    if (in.below(16) == 0) smile_power_lost(hwm_.get());
  }
  // A part of a bitstream that gets into the frames.
  static void header(uint8_t* bytes) {
    static constexpr uint8_t kHeader[] = {'D', 255, 0xff, 0x21, 0xd5, 0xf7, 0x5f};
    std::copy(std::begin(kHeader), std::end(kHeader), bytes);
  }
  void program() {
    write(0x10003c, in.below(100));
    for (uint32_t k = 0; k < 3; ++k)
      write(0x100400 + 16 * in.below(16) + 4 * k, 1u << 31 | (in.flip() ? 16 : in.below(32)));
    write(0x10040c + 16 * in.below(16), 1u << 31 | in.u16());
    write(0x10000c, in.below(64));
  }
  void any_access() {
    static constexpr uint32_t kBases[] = {0, 0x100000, 0x800000, 0x300000};
    // Within one register, at any byte of it.
    const uint32_t size = 1u << in.below(3), byte = size == 4 ? 0 : in.below(5 - size);
    const uint32_t word = in.below(8) ? kBases[in.below(4)] + in.below(0x1000) : in.u32() & 0xffffff,
                   offset = (word & ~3u) + byte;
    if (in.flip())
      smile_write(hwm_.get(), offset, size, in.value());
    else
      smile_read(hwm_.get(), offset, size);
  }
  void packet() {
    const SciPacket p = {.ns = now_ + 20 * in.below(3),
                         .known = now_,
                         .bd1 = in.below(4) | uint64_t{in.below(16)} << 16 | uint64_t{in.below(4)} << 32 |
                                uint64_t{in.below(4)} << 48,
                         .bd2 = uint64_t{in.u16()} << 2,
                         .words = 2,
                         .node = 3};
    smile_packet(hwm_.get(), &p);
  }
  void pass(uint64_t ns) {
    Machine::pass(ns, 2'000'000, [this] {
      smile_timer(hwm_.get());
      FUZZ_CHECK(armed_ > now_, "the timer is to come at once, again and again");
    });
  }

  Input& in;
  std::vector<uint8_t> queue_, memory_;
  uint8_t ring_[4 * 4096] = {};
  std::unique_ptr<SmileHwm> hwm_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::StateBench<perfboard::fuzz::Rig>>(data, size);
}
