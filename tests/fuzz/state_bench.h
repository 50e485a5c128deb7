// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots. A rig is a board with a machine around it that makes any legal operation:
//
//   struct Rig {
//     using State = XState;
//     explicit Rig(Input&);
//     void operate();                             one operation: an access, traffic, time, a reset
//     State& state();
//     bool ok(const State&, char* why);           x_state_ok()
//     bool load(const State&, char* why);         x_load()
//     void check_line();                          the interrupt line is what the state says
//     void check_reset();                         the board is as after power-on
//     static constexpr Place kPlaces[] = {{offsetof(...), bytes}};   most damage goes there
//   };
//
// What must hold: every state that operations lead to is legal, so no good snapshot is refused. A damaged
// one is refused, and leaves a board that was reset; or it is taken, and then every state that operations
// lead to is legal again, under sanitizers and with timers that end.
#pragma once

#include <cstring>
#include <memory>
#include <span>

#include "hw/core/host.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {

// A part of a state: long arrays would otherwise get all the damage.
struct Place {
  size_t at, bytes;
};

// One member or so, changed as a bad disk or a bad hand would.
template <typename State>
void damage(Input& in, State& state, std::span<const Place> places) {
  uint8_t* const bytes = reinterpret_cast<uint8_t*>(&state);
  const size_t width = size_t{1} << in.below(4);
  const Place place =
      in.below(8) ? places[in.below(static_cast<uint32_t>(places.size()))] : Place{0, sizeof state};
  const size_t at = place.at + in.u32() % (place.bytes / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, bytes + at, width);
  switch (in.below(8)) {
    case 0:
      value ^= uint64_t{1} << in.below(static_cast<uint32_t>(8 * width));
      break;
    case 1:
      value += 1;
      break;
    case 2:
      value -= 1;
      break;
    case 3:
      value = in.u8();
      break;
    case 4:
      value = ~uint64_t{0};
      break;
    case 5:
      value = 0;
      break;
    case 6:
      std::memcpy(&value, bytes + place.at + in.u32() % (place.bytes / 8) * 8, width);  // another member's
      break;
    default:
      value = in.u64();
  }
  std::memcpy(bytes + at, &value, width);
}

template <typename Rig>
class StateBench {
 public:
  explicit StateBench(Input& source)
      : in(source), rig_(source), image_(std::make_unique<typename Rig::State>()) {}

  void step() {
    if (in.below(16))
      rig_.operate();
    else
      reload();
    if (++steps_ % 8 == 0) expect_legal();
  }
  void finish() {
    expect_legal();
    reload();
    expect_legal();
  }

 private:
  void expect_legal() {
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(rig_.ok(rig_.state(), why), "operations led to %s", why);
    rig_.check_line();
  }
  void reload() {
    char why[PB_WHY_BYTES] = "";
    expect_legal();
    std::memcpy(static_cast<void*>(image_.get()), &rig_.state(), sizeof *image_);
    for (uint32_t n = in.below(4); n > 0; --n) damage(in, *image_, Rig::kPlaces);
    const bool ok = rig_.ok(*image_, why);
    FUZZ_CHECK(ok == (why[0] == 0) && !std::strchr(why, '\n') && std::strlen(why) < sizeof why - 1, "'%s'",
               why);
    FUZZ_CHECK(rig_.load(*image_, why) == ok, "loading and the check differ: %s", why);
    if (!ok) rig_.check_reset();
    expect_legal();
  }

  Input& in;
  Rig rig_;
  std::unique_ptr<typename Rig::State> image_;
  uint32_t steps_ = 0;
};

}  // namespace perfboard::fuzz
