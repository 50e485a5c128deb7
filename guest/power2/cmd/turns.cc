// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfboard::p2 {
namespace {

double counted(const p2_counts* before, const p2_counts& after, size_t set, int counter) {
  return static_cast<double>(after.set[set].counter[counter] -
                             (before ? before->set[set].counter[counter] : 0));
}

}  // namespace

Turns::Turns(const std::vector<p2_set>& sets) : sets_(sets), each_(sets.size()) {
  const size_t copies = each_ > 1 ? std::min(kMostCopies, P2_MOST_SETS / each_) : 1;
  for (size_t copy = 1; copy < copies; copy++) sets_.insert(sets_.end(), sets.begin(), sets.end());
}

double Turns::spread(const p2_session& session, const p2_counts* before, const p2_counts& after,
                     const std::string& event) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  p2_value all;
  if (p2_value_of(&session, before, &after, event.c_str(), &all)) return kUnknown;
  if (all.cycles == all.all_cycles) return 0;
  const double rate = static_cast<double>(all.raw) / static_cast<double>(all.cycles);
  double squares = 0;
  size_t copies = 0;
  for (size_t first = 0; first < sets_.size(); first += each_) {
    double raw = 0, cycles = 0;
    for (size_t set = first; set < first + each_; set++) {
      const int counter = p2_counter_of(sets_[set].mmcr, event.c_str());
      if (counter < 0) continue;
      raw += counted(before, after, set, counter);
      cycles += counted(before, after, set, P2_CYCLES);
    }
    if (cycles == 0) continue;
    copies++;
    squares += (raw - rate * cycles) * (raw - rate * cycles);
  }
  if (copies < kLeastCopies) return kUnknown;
  if (all.raw == 0) return 0;
  const auto n = static_cast<double>(copies);
  return std::sqrt(squares * n / (n - 1)) / static_cast<double>(all.raw);
}

}  // namespace perfboard::p2
