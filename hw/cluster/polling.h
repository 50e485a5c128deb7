// SPDX-License-Identifier: GPL-2.0-or-later
//
// Polling - whether a node that waits polls before it sleeps. On a host with nothing else to do that is
// several times faster; where other programs want the processors it takes them from the very node that is
// waited for. So both are tried, again and again, and the faster one is used.
//
//   if (polling.pays() && ...) return;     polls for a while: what it waits for has come
//   polling.look(host_ns(), steps);        it has not come at once: may end a window
//
// Nodes wait for each other, so what one does shows in the speed of all. Therefore all of them try the same
// at the same time, without a word: windows are parts of the host's clock. Results do not depend on it.
#pragma once

#include <cstdint>

namespace perfboard::cluster {

class Polling {
 public:
  static constexpr uint64_t kWindowNs = 4'000'000;  // some turns of the host's scheduler
  static constexpr uint64_t kPeriod = 64;           // windows; the first polls, the second sleeps

  bool pays() const { return pays_; }

  // steps: how many the node has made so far. A window whose end nobody saw counts as long as it took.
  void look(uint64_t now, uint64_t steps) {
    const uint64_t window = now / kWindowNs;
    if (window == window_) return;
    if (const uint64_t way = window_ % kPeriod; way < 2 && now > began_) {
      const double rate = static_cast<double>(steps - steps_then_) / static_cast<double>(now - began_);
      rates_[way] = rates_[way] > 0 ? (3 * rates_[way] + rate) / 4 : rate;
    }
    window_ = window;
    began_ = now;
    steps_then_ = steps;
    pays_ = window % kPeriod == 0 || (window % kPeriod != 1 && rates_[0] >= rates_[1]);
  }

 private:
  uint64_t window_ = kPeriod - 1, began_ = 0, steps_then_ = 0;
  double rates_[2] = {};  // steps a ns while all poll, while all sleep: of the last windows
  bool pays_ = true;
};

}  // namespace perfboard::cluster
