// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of a SMiLE monitor: see state_bench.h.
#include <algorithm>
#include <iterator>

#include "hw/smile/view.h"
#include "tests/fuzz/state_bench.h"
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

using fuzz::running::in;

Bench::Options options() {
  Bench::Options o = {.wave = false, .xchecker_rate = SMILE_MAX_XCHECKER_RATE};
  o.queue = in.flip() ? in.below(4) : in.below(3000);
  o.entries = 4 + in.below(in.flip() ? 61 : 4);
  o.node = 3;
  o.design = in.flip() ? SMILE_STATIC : SMILE_DYNAMIC;
  o.two = in.below(4) == 3;
  const auto daughter = static_cast<enum smile_design>(in.below(3));
  if (o.two) o.design = daughter;
  return o;
}

class OnSmile : public boards::On<fuzz::StateBench, Bench, [](Bench& b) { return b.hwm.get(); },
                                  smile_state_ok, smile_load> {
 public:
  OnSmile() : On(options()) {
    write(0x100010, 0xff);
    write(0x100000, 1);
  }
  void reset() override { smile_reset(hwm()); }
  std::span<const fuzz::Place> places() override {
    static constexpr size_t kTarget = offsetof(SmileState, target);
    static constexpr fuzz::Place kPlaces[] = {
        {0, sizeof(SmileCard)},
        {offsetof(SmileState, daughter), sizeof(SmileDaughter)},
        {kTarget, offsetof(SmileTarget, transaction)},
        {kTarget + offsetof(SmileTarget, used), sizeof(SmileTarget) - offsetof(SmileTarget, used)},
        {kTarget + offsetof(SmileTarget, active), sizeof(SmileTarget) - offsetof(SmileTarget, active)}};
    return kPlaces;
  }
  void check_outside() override {
    const SmileTarget& t = hwm()->state.target;
    const bool full = ((t.rdp - t.wrp - 1) & 4095) == 0 || t.queue_count || t.lost_untold;
    const bool wanted = ((t.mcr & 8) && full) || ((t.mcr & 16) && t.done);
    FUZZ_CHECK(!wanted || hwm()->state.card.interrupt, "the condition holds, and no interrupt: MCR %x",
               t.mcr);
  }

  void operate() override {
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
        if (in.below(8) == 0) smile_reset(hwm());
        smile_set_cable(hwm(), in.flip());
        break;
      case 15:
        smile_pre_save(hwm());
        if (hwm()->config.two) cable();
        break;
    }
  }

 private:
  SmileHwm* hwm() { return bench.hwm.get(); }
  void write(uint32_t offset, uint32_t value) { smile_write(hwm(), offset, 4, value); }
  // Commands of the daughter board's cable, whole and in pieces, and designs that somebody loads.
  void cable() {
    static constexpr uint8_t kCommands[] = {'P', 'D', 'R', 'S', 'D', 'D'};
    for (uint32_t n = in.below(8); n; --n) {
      uint8_t bytes[SMILE_XCHECKER_COMMAND];
      for (uint8_t& b : bytes) b = in.u8();
      if (in.below(8)) bytes[0] = kCommands[in.below(sizeof kCommands)];
      if (in.flip()) header(bytes);
      const uint32_t takes = smile_xchecker_takes(hwm());
      FUZZ_CHECK(takes <= SMILE_XCHECKER_COMMAND, "it takes %u bytes", takes);
      smile_xchecker(hwm(), bytes, in.flip() ? takes : in.below(sizeof bytes));
      if (in.flip()) pass(in.u16());
      const uint32_t answer = smile_xchecker_answer(hwm(), bytes);
      FUZZ_CHECK(answer <= SMILE_XCHECKER_ANSWER, "it answers %u bytes", answer);
    }
    if (in.below(8) == 0) smile_xchecker_hangup(hwm());
    if (in.below(8) == 0) smile_inject(hwm(), injection("inject-daughter"), in.below(3));
    if (in.below(16) == 0) smile_power_lost(hwm());
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
      smile_write(hwm(), offset, size, in.value());
    else
      smile_read(hwm(), offset, size);
  }
  void packet() {
    const SciPacket p = {.ns = bench.now + 20 * in.below(3),
                         .known = bench.now,
                         .bd1 = in.below(4) | uint64_t{in.below(16)} << 16 | uint64_t{in.below(4)} << 32 |
                                uint64_t{in.below(4)} << 48,
                         .bd2 = uint64_t{in.u16()} << 2,
                         .words = 2,
                         .node = 3};
    smile_packet(hwm(), &p);
  }
  void pass(uint64_t ns) {
    bench.pass_until(
        bench.now + ns,
        [this] {
          smile_timer(hwm());
          FUZZ_CHECK(bench.armed > bench.now, "the timer is to come at once, again and again");
        },
        2'000'000);
  }
};

}  // namespace
}  // namespace perfboard::smile

std::unique_ptr<perfboard::fuzz::StateBench> perfboard::fuzz::make_board() {
  return std::make_unique<smile::OnSmile>();
}
