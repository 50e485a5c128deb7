// SPDX-License-Identifier: GPL-2.0-or-later
//
// Access - one access of a board's windows in the paper's words, and what else happens at a board.
//
//   class Log : public Listener { void access(const Access&) override; void event(const Event&) override; };
//
// An Access is complete: registers by name, the bits written or read, what the registers held before and
// after, and the events that the access caused. Events that no access caused (traffic, a timer) come alone.
// Who listens: log, coverage, patterns to stop at, the last accesses for `perfboard monitor`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hw/model/view.h"

namespace perfboard::inspect {

// The part of an access that lies in one register.
struct Part {
  Place place;
  uint32_t lanes = 0;                     // bits of the register that the access touches
  uint32_t data = 0;                      // written, or read, in their place in the register
  std::optional<uint32_t> before, after;  // all bits; nothing: the board does not say

  bool operator==(const Part&) const = default;
};

enum class What : uint8_t {
  kEffect,    // number: of BoardView::effects
  kMistake,   // number: of BoardView::mistakes
  kIrq,       // value: the interrupt line's new level
  kReset,     // the bus resets the board
  kInjected,  // number: of BoardView::injections; value as set
};

struct Event {
  What what = What::kEffect;
  uint64_t ns = 0;  // virtual time
  uint32_t number = 0;
  uint64_t value = 0;
  std::string_view line;  // a mistake's, as -d guest_errors shows it; valid while the listener is called
};

// Of an effect, a mistake or an error on purpose, as the board's list has it; empty: it is in none.
inline std::string_view name_of(const BoardView* view, const Event& e) {
  const auto in = [&](const auto& rows) {
    return e.number < rows.size() ? std::string_view(rows[e.number].name) : std::string_view();
  };
  if (view && e.what == What::kEffect) return in(view->effects);
  if (view && e.what == What::kMistake) return in(view->mistakes);
  return view && e.what == What::kInjected ? in(view->injections) : std::string_view();
}

// What the value of an error on purpose stands for: "stuck-high", "RC0 RC15", "RC3 bit 7". Empty: itself.
std::string meaning_of(const BoardView* view, const Event& e);

struct Access {
  uint64_t ns = 0;             // virtual time at which it began
  int vcpu = -1;               // -1: no processor makes it (a debugger, qtest, DMA)
  std::optional<uint64_t> pc;  // of the instruction, guest-virtual
  unsigned window = 0;         // of BoardView::windows
  uint64_t offset = 0;         // bytes in the window
  uint32_t bytes = 0;          // 1, 2, 4 or 8
  bool write = false;
  uint64_t value = 0;             // as on the bus
  std::span<const Part> parts;    // one or two; where nothing answers place.reg is null
  std::span<const Event> events;  // that it caused, in order
};

class Listener {
 public:
  virtual void access(const Access& access) = 0;
  virtual void event(const Event& event) = 0;  // caused by no access

 protected:
  ~Listener() = default;
};

}  // namespace perfboard::inspect
