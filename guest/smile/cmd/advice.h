// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which pages have a better home. A monitor sees what crosses the network: accesses of nodes that are not the
// page's home at that time. So what the home itself does with the page is not known, unless the page had
// another home meanwhile. What is known of it counts against a move.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "guest/common/input.h"
#include "guest/smile/regs.h"

namespace perfboard::smile {

constexpr unsigned kNodes = SMR_RECORD_SOURCE_MASK / (1u << SMR_RECORD_SOURCE_SHIFT) + 1;

struct PageTraffic {
  std::array<uint64_t, kNodes> by_source{}, by_home{};
};
using Traffic = std::map<uint64_t, PageTraffic>;

// Adds lines page,source,destination,count; other columns may stand beside them, in any order. FileError says
// what is wrong.
void read_traffic(Input& in, Traffic& traffic);

struct Advice {
  uint64_t page;
  unsigned home, better;
  uint64_t remote;  // accesses of other nodes than the home
  uint64_t gain;    // of these, how many fewer there would be
};
struct AdviceOptions {
  uint64_t least = 1;   // gain
  double percent = 50;  // of the remote accesses that are the better home's, at least
};
// homes: of all pages, as they are now; empty: a page's home is where most accesses went. Largest gain first.
std::vector<Advice> advise(const Traffic& traffic, const std::vector<uint8_t>& homes,
                           const AdviceOptions& options);

struct Move {
  uint64_t page;
  unsigned better;
};
// Lines page,better, out of what `smile advise` wrote.
std::vector<Move> read_moves(Input& in);

}  // namespace perfboard::smile
