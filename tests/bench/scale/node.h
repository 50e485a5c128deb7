// SPDX-License-Identifier: GPL-2.0-or-later
//
// Node - a node of a network without QEMU: a board, and a program that uses it. Nothing of the machine around
// it but time. A board's folder of tests/bench has one, and the Network that makes them.
//
// Patterns, of what the programs do:
//   neighbour   each has to do with the next node
//   random      with any other one
//   one         all with node 0, so seldom that it can keep up
//   none        nothing is sent; the program computes, and might send
//   idle        the processor is halted between 250 timer interrupts a second
// In all but `idle` a program may do something at any time, as far as the node can promise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "hw/cluster/cluster.h"
#include "tests/bench/machine.h"
#include "tests/bench/scale/row.h"

namespace perfboard::scale {

enum class Pattern { kNeighbour, kRandom, kOne, kNone, kIdle };

inline constexpr uint64_t kBegin = bench::Machine().now;  // ns: nodes are in step from then on
inline constexpr uint64_t kTick = 4'000'000;              // ns, of `idle`

// A program's random numbers: the same on every host.
class Random {
 public:
  explicit Random(uint32_t node) : seed_(node * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t below(uint64_t end) {
    seed_ = seed_ * 6364136223846793005 + 1442695040888963407;
    return (seed_ >> 33) % end;
  }
  // With whom a node has to do next.
  uint32_t whom(Pattern pattern, uint32_t node, uint32_t nodes) {
    if (pattern == Pattern::kOne) return 0;
    return (node + 1 + static_cast<uint32_t>(pattern == Pattern::kRandom ? below(nodes - 1) : 0)) % nodes;
  }

 private:
  uint64_t seed_;
};

class Node : public bench::Machine {
 public:
  // gap: ns between what the program does, on an average
  Node(Pattern pattern, uint32_t node, uint32_t nodes, uint64_t gap)
      : pattern_(pattern), node_(node), nodes_(nodes), gap_(gap), random_(node) {
    hash = node;
    if (pattern == Pattern::kIdle)
      own_ = kBegin + random_.below(kTick);
    else if (pattern != Pattern::kNone && (pattern != Pattern::kOne || node))
      own_ = kBegin + random_.below(gap);
  }
  virtual ~Node() = default;

  // The program does nothing before own(), whatever it is.
  virtual bool halted() const { return pattern_ == Pattern::kIdle; }
  uint64_t own() const { return own_; }  // when the program does something next
  void act() {                           // it does, at that time
    events++;
    mix(hash, now);
    if (pattern_ == Pattern::kIdle)
      own_ += kTick;
    else
      use();
  }
  virtual void take(const ClusterMessage& message) = 0;  // at its time
  // As PbClusterPort has them (hw/qemu/core/links/cluster.h).
  virtual void promise(uint64_t next, uint64_t* promise, uint64_t* answers) = 0;
  virtual uint64_t answers_after() const = 0;

  // Time comes to ns, and the board does what is due.
  void pass(uint64_t ns) {
    while (armed <= ns) {
      now = std::max(now, armed);
      armed = PB_NEVER;
      timer();
    }
    now = std::max(now, ns);
  }

  uint64_t hash = 0;    // of all that has arrived, and of what the program has done
  uint64_t events = 0;  // so many: what programs do, and messages

 protected:
  virtual void timer() = 0;
  virtual void use() = 0;  // the program uses the board, and says in own_ when it does so again
  uint64_t gap() { return gap_ / 2 + random_.below(gap_); }
  uint32_t whom() { return random_.whom(pattern_, node_, nodes_); }

  const Pattern pattern_;
  const uint32_t node_, nodes_;
  const uint64_t gap_;
  Random random_;
  uint64_t own_ = PB_NEVER;
};

struct Network {
  const char* name;
  uint32_t most_nodes;
  std::unique_ptr<Node> (*make)(Pattern pattern, uint32_t node, uint32_t nodes, Cluster* cluster);
  // All in one thread, whose turn it is being the earliest's: without promises, cluster or limits. NULL: it
  // has no such. Adds to the row.
  void (*in_one_queue)(Pattern pattern, uint64_t end, Meter& meter, Row& row);
};
extern const Network kNetwork;  // the program's

// Ends the program, with a line.
[[noreturn]] void fail(const std::string& why);

// The row that is to be filled in, as the command line has it.
Row row_of(const Options& options, Pattern& pattern);

}  // namespace perfboard::scale
