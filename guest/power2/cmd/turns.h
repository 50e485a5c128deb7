// SPDX-License-Identifier: GPL-2.0-or-later
//
// What counts that were taken in turns are worth. Sets are given to the driver again and again, as copies:
// turns go to one copy after the other, so each is a sample of its own of the same program, and how far their
// rates lie apart says how good the estimate is.
//
//   const Turns turns(sets);                       turns.sets() for the driver
//   turns.spread(session, before, after, "loads")  of p2_value_of()'s count
#pragma once

#include <string>
#include <vector>

#include "guest/power2/lib/p2lib.h"

namespace perfboard::p2 {

// Counts that may be this far off, as a part of themselves, are no use.
inline constexpr double kMostSpread = 0.1;

class Turns {
 public:
  // One set, or more than half of what the driver takes: no copies.
  explicit Turns(const std::vector<p2_set>& sets);
  const std::vector<p2_set>& sets() const { return sets_; }

  // The standard error of the event's count, as a part of it: of the ratio of its counts to the cycles in
  // which they were counted, among the copies. 0: it was counted all the time. Infinite: not known, as fewer
  // than kLeastCopies had a turn. before may be null.
  double spread(const p2_session& session, const p2_counts* before, const p2_counts& after,
                const std::string& event) const;

 private:
  static constexpr size_t kMostCopies = 8, kLeastCopies = 4;
  std::vector<p2_set> sets_;
  size_t each_;
};

}  // namespace perfboard::p2
