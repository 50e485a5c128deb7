// SPDX-License-Identifier: GPL-2.0-or-later
//
// What mkstat adds up over a node's stream: visits of states, points and values, counter intervals, a
// histogram.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

// Makes visits of states from the enter and exit events of one node. Visits nest within a thread of control:
// a CPU and a source together, or a source wherever it runs, or a CPU whatever it runs.
//
// An exit ends the innermost visit of its state. Visits that began within that visit and are still open have
// lost their exits. An exit without a visit is a stray. At a reset, and at the end, open visits are given up:
// their length is not known.

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

constexpr uint32_t kCounterMax = 0xffffffff;  // where a resource counter sticks

// What one counter did between two resource samples.
struct Interval {
  unsigned counter = 0;
  int cpu = -1;  // -1: samples of all CPUs
  uint32_t run = 0;
  int64_t start = 0, end = 0;
  uint32_t from = 0, to = 0;
  bool lost = false;                                // samples were lost between the two
  bool stuck() const { return to == kCounterMax; }  // the difference is a lower bound
  // INFERRED: a counter that fell was reset, and the difference is not known.
  bool reset() const { return to < from; }
  uint64_t ticks() const { return static_cast<uint64_t>(end) - static_cast<uint64_t>(start); }
  // A tick, or a second. Of one with ticks that is no reset.
  double rate(uint64_t hz = 1) const {
    return static_cast<double>(to - from) * static_cast<double>(hz) / static_cast<double>(ticks());
  }
};

class CounterIntervals {
 public:
  CounterIntervals(bool per_cpu, std::function<void(const Interval&)> sink)
      : per_cpu_(per_cpu), sink_(std::move(sink)) {}
  void add(const Sample& sample);
  void lost() { losses_++; }
  void restart() { last_.clear(); }  // a reset of the chip, or a step back of time

 private:
  struct Last {
    Sample sample;
    uint64_t losses;
  };
  bool per_cpu_;
  std::function<void(const Interval&)> sink_;
  std::map<int, Last> last_;
  uint64_t losses_ = 0;
};

// Durations of one state's visits, in bins of [low, high).
class Histogram {
 public:
  explicit Histogram(uint64_t width) : width_(width) {}  // ticks; 0: powers of two
  void add(uint64_t ticks) { bins_[width_ ? ticks / width_ : log2_bin(ticks)]++; }
  bool empty() const { return bins_.empty(); }
  void csv(const Options& options, Output& out) const;
  void chart(const Options& options, Output& out, const std::string& title) const;

 private:
  static uint64_t log2_bin(uint64_t ticks);
  uint64_t low(uint64_t bin) const;
  std::map<uint64_t, uint64_t> bins_;
  uint64_t width_;
};

class Tables : private StateListener {
 public:
  struct Sinks {  // each may be empty
    std::function<void(const Visit&)> entered;
    std::function<void(const std::string& node, const Visit&)> visit;
    std::function<void(const std::string& node, const Interval&)> interval;
  };
  Tables(Options& options, By by, bool per_cpu, Sinks sinks);

  void begin(const std::string& node);
  void add(const Item& item);
  void end();

  void states_csv(Output& out) const;
  void points_csv(Output& out) const;
  void report(Output& out) const;
  Histogram* histogram = nullptr;  // of the state below
  uint16_t histogram_state = 0;

 private:
  struct Key {
    size_t node;
    uint32_t cpu, source;
    uint16_t id;
    Kind kind;
    auto operator<=>(const Key&) const = default;
  };
  struct State {
    uint64_t count = 0, least = UINT64_MAX, most = 0, lost = 0, open = 0, stray = 0;
    uint64_t sum = 0, outermost = 0, self = 0;  // ticks
  };
  struct Point {
    uint64_t count = 0, sum = 0;
    uint32_t least = UINT32_MAX, most = 0, last = 0;
  };
  struct Counter {
    uint64_t intervals = 0, sum = 0, stuck = 0, resets = 0, lost = 0;
    double ticks = 0, least = 0, most = 0;  // least, most: rates a tick
  };
  struct Node {
    std::string name;
    uint64_t samples = 0, overruns = 0, faults = 0;
    uint64_t span = 0;  // ticks from the first to the last sample, over all runs
  };

  void entered(const Visit& visit) override;
  void left(const Visit& visit) override;
  void stray_exit(const Sample& sample) override;
  void interval(const Interval& interval);
  void close_run();
  std::string us(uint64_t ticks) const;
  double mean_us(const State& state) const;
  double share(const Key& key, const State& state) const;

  Options& options_;
  By by_;
  bool per_cpu_;
  Sinks sinks_;
  std::vector<Node> nodes_;
  std::map<Key, State> states_;
  std::map<Key, Point> points_;
  std::map<std::tuple<size_t, int, unsigned>, Counter> counters_;
  std::optional<StateTracker> tracker_;
  std::optional<CounterIntervals> intervals_;
  bool timed_ = false;
  int64_t first_ = 0, last_ = 0;
};

}  // namespace perfboard::mk
