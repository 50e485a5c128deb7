// SPDX-License-Identifier: GPL-2.0-or-later
//
// Damaged snapshots of any board. A board's file says how it is made and makes any legal operation:
//
//   class OnX : public boards::On<StateBench, XBench, ...> {
//     void set_up() override;          if a board does nothing without: also behind a refusal
//     void operate() override;         one operation: an access, traffic, time, a reset
//     void check_outside() override;   the interrupt line, and what else stands outside, is what the state says
//     void same_wires(StateBench&) override;   as another board has: no reset changes them
//     std::span<const Place> places() override;   most damage goes there
//   };
//   std::unique_ptr<StateBench> fuzz::make_board() { return std::make_unique<OnX>(); }
//
// What must hold: every state that operations lead to is legal, so no good snapshot is refused. A damaged
// one is refused, and leaves a board as a new one is after a reset; or it is taken, and then every state that
// operations lead to is legal again, under sanitizers and with timers that end.
#pragma once

#include <memory>
#include <span>

#include "tests/fuzz/input.h"
#include "tests/unit/boards/on.h"

namespace perfboard::fuzz {

// A part of a state: long arrays would otherwise get all the damage.
struct Place {
  size_t at, bytes;
};

namespace running {
inline Input in{nullptr, 0};
}

class StateBench : public boards::OnBase {
 public:
  virtual void set_up() {}
  virtual void same_wires(StateBench&) {}
  virtual void operate() = 0;
  virtual void check_outside() {}
  virtual std::span<const Place> places() = 0;
};
std::unique_ptr<StateBench> make_board();  // of a configuration that the input chooses

}  // namespace perfboard::fuzz
