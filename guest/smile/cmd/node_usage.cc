// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/node_usage.h"

#include <algorithm>
#include <cmath>

namespace perfboard::smile {
namespace {

constexpr double kIntervals = 16;  // a mean is of about so many

}  // namespace

void NodeUsage::learn(unsigned hidden, unsigned fade) {
  for (unsigned node = 0; node < kNodes; ++node) {
    Use& use = use_[node];
    if (node == hidden) {
      use.accesses *= std::exp2(-1.0 / fade);
    } else {
      const double kept = std::min(use.intervals, kIntervals - 1);
      use.accesses = use.mean() * kept + static_cast<double>(now_[node]);
      use.intervals = kept + 1;
    }
  }
  now_.fill(0);
}

unsigned NodeUsage::most() const {
  const auto* best = std::max_element(use_.begin(), use_.end(),
                                      [](const Use& a, const Use& b) { return a.mean() < b.mean(); });
  return static_cast<unsigned>(best - use_.begin());
}

}  // namespace perfboard::smile
