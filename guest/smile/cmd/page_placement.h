// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pages are to be while a program runs: what smile adapt decides, interval by interval.
//
//   PagePlacement placement(options);
//   placement.counted(cell);                          what crossed the network since the last time
//   for (const Move& m : placement.moves(homes)) ...  homes: as they were meanwhile
//
// A monitor does not see what a page's home does with it (node_usage.h). A page that moves shows what its old
// home does with it, and moves back if that was more.
//
// Hysteresis: a page stays where it is unless another node uses it more by `margin`, and for `rest` intervals
// after a move. What is known of the home fades to a half in `fade` intervals: when its use has ended, the
// page can leave at last.
#pragma once

#include <map>
#include <vector>

#include "guest/smile/cmd/node_usage.h"

namespace perfboard::smile {

struct PlacementOptions {
  uint64_t least = 1;  // accesses in an interval that a move must save
  double margin = 25;  // percent
  unsigned rest = 2, fade = 256;
};

class PagePlacement {
 public:
  explicit PagePlacement(const PlacementOptions& options) : options_(options) {}
  void counted(uint64_t page, unsigned source, uint64_t count);
  // The interval is over. Pages beyond `homes` are left out.
  std::vector<Move> moves(const std::vector<uint8_t>& homes);

 private:
  struct Page {
    NodeUsage use;
    unsigned rest = 0;
  };

  PlacementOptions options_;
  std::map<uint64_t, Page> pages_;
};

}  // namespace perfboard::smile
