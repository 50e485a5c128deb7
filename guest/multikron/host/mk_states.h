// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes visits of states from the enter and exit events of one node. Visits nest within a thread of control:
// a CPU and a source together, or a source wherever it runs, or a CPU whatever it runs.
//
// An exit ends the innermost visit of its state. Visits that began within that visit and are still open have
// lost their exits. An exit without a visit is a stray. At a reset, and at the end, open visits are given up:
// their length is not known.
#pragma once

#include <map>
#include <vector>

#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

enum class By { kCpuAndSource, kSource, kCpu };

struct Visit {
  uint16_t state = 0;
  uint8_t cpu = 0;  // of the enter event, as the following
  uint32_t source = 0, argument = 0;
  int64_t start = 0, end = 0;  // end: of the exit, or when the visit was given up
  uint64_t inner = 0;          // ticks spent in visits within this one
  uint32_t run = 0;
  unsigned depth = 0;      // how many visits are around this one
  bool recursive = false;  // one of them is of the same state
  bool exited = false;     // false: given up
  bool lost = false;       // samples were lost between start and end

  uint64_t total() const { return static_cast<uint64_t>(end) - static_cast<uint64_t>(start); }
  // Samples come in the order of time. Only a damaged Timestamp makes the inner visits longer than the visit.
  uint64_t self() const { return total() > inner ? total() - inner : 0; }
};

class StateListener {
 public:
  virtual ~StateListener() = default;
  virtual void entered(const Visit&) {}
  virtual void left(const Visit&) {}
  virtual void stray_exit(const Sample&) {}
};

class StateTracker {
 public:
  // With more visits within each other than this, the outermost is given up.
  static constexpr size_t kDepth = 1000;

  StateTracker(StateListener& listener, By by) : listener_(listener), by_(by) {}
  void add(const Sample& sample);  // of any kind
  void lost() { losses_++; }       // samples are missing here
  void give_up();                  // ends all open visits: at a reset, a step back of time, the end

 private:
  struct Open {
    Visit visit;
    uint64_t losses;
  };
  using Stack = std::vector<Open>;
  void leave(Stack& stack, int64_t time, bool exited);

  StateListener& listener_;
  By by_;
  std::map<uint64_t, Stack> stacks_;
  uint64_t losses_ = 0;
  int64_t last_ = 0;
};

}  // namespace perfboard::mk
