// SPDX-License-Identifier: GPL-2.0-or-later
//
// EventTotal - how many events a source has counted while it was watched.
//
//   EventTotal t;
//   t.begin(raw);             it is watched from here on; raw is what the vCPUs have counted so far
//   uint64_t n = t.at(raw);   the total now, never less than an earlier answer
//   t.end(raw);               it stands still; at() then takes any raw
//   t.rebase(raw);            nobody holds to the answers so far any more: the next one may be less; whether it will be
//
// A raw count can fall: QEMU counts an instruction at its start, and one that does not come to its end is
// taken back (events_count.cc). Somebody may have looked in between. The total then stands still until later
// events have made up for the one that was taken back, so that each event is in the total once. An undercount
// that is left when the watch ends is kept for the next watch: who adds both up has each event once. Who
// begins from zero would miss an event for what nobody knows of any more: he calls rebase().
#ifndef PERFBOARD_PLUGINS_EVENT_TOTAL_H
#define PERFBOARD_PLUGINS_EVENT_TOTAL_H

#include <cstdint>

namespace perfboard {

class EventTotal {
 public:
  bool watched() const { return watched_; }
  void begin(uint64_t raw) {
    begin_ = raw;
    watched_ = true;
  }
  void end(uint64_t raw) {
    exact_ += since_begin(raw);
    watched_ = false;
  }
  uint64_t at(uint64_t raw) {
    const uint64_t exact = exact_ + (watched_ ? since_begin(raw) : 0);
    if (above(exact, told_)) told_ = exact;
    return told_;
  }
  bool rebase(uint64_t raw) {
    if (watched_) {
      end(raw);
      begin(raw);
    }
    const bool fell = above(told_, exact_);
    told_ = exact_;
    return fell;
  }

 private:
  // Whether a is more than b; both wrap.
  static bool above(uint64_t a, uint64_t b) { return static_cast<int64_t>(a - b) > 0; }
  // A raw count below the beginning: an instruction was under way when the watch began, and was taken back.
  // It is not this watch's.
  uint64_t since_begin(uint64_t raw) {
    if (above(begin_, raw)) begin_ = raw;
    return raw - begin_;
  }

  bool watched_ = false;
  uint64_t begin_ = 0;
  uint64_t exact_ = 0;  // of the watches before this one; less than told_ by the debt
  uint64_t told_ = 0;   // the last answer
};

}  // namespace perfboard
#endif
