// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fold - a log's last lines, so that accesses which come again and again become one line with a count: an
// interrupt that nobody takes back is read a million times.
//
//   fold.put(line, sink)      sink(line): goes into the log now
//   fold.show(sink)           all that is held back, which stays
//   fold.give(sink)           the same, and it is written then
//   fold.end(sink)            the same, and nothing is known any more of what came
//
// Up to kMostTurns lines may take turns (read the status, write the wrong bit, read the status ...). When
// they have come kTimes times in the same order, each is held with its count until something else comes. Then
// each goes into the log, once. Its count is of all that it stands for: the sum of the counts of a log is the
// number of accesses and events that there were.
//
// live: lines go into the log as they come, and the count is of those that came behind them.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <utility>

#include "hw/inspect/owned_access.h"

namespace perfboard::inspect {

// How often a line came. times: 1: it has no more to say than itself.
struct Run {
  uint64_t times = 1;
  uint64_t until = 0;            // ns of the last one
  unsigned turn = 1, turns = 1;  // which of so many that take turns
};

// Source: whose line it is.
template <typename Source>
class Fold {
 public:
  static constexpr size_t kMostTurns = 8, kTimes = 4;

  struct Line {
    const Source* source;
    OwnedAccess told;
    Run run;  // times: those that are not written yet
  };

  explicit Fold(bool live = false) : live_(live) {}

  template <typename Sink>
  void put(const Source* source, OwnedAccess told, Sink&& sink) {
    Line line{source, std::move(told), {}};
    line.run.until = line.told.ns();
    if (folding_ && same(lines_[next_], line)) {
      add(lines_[next_], line);
      next_ = (next_ + 1) % lines_.size();
      return;
    }
    if (folding_) end(sink);
    lines_.push_back(std::move(line));
    if (live_) write(lines_.back(), sink);
    for (size_t turns = 1; turns <= kMostTurns; ++turns) {
      const bool again = lines_.size() > turns && same(lines_[lines_.size() - 1 - turns], lines_.back());
      same_[turns] = again ? same_[turns] + 1 : 0;
    }
    for (size_t turns = 1; turns <= kMostTurns; ++turns) {
      if (same_[turns] == (kTimes - 1) * turns) return begin(turns, sink);
    }
    if (lines_.size() > kTimes * kMostTurns) pop(sink);
  }

  template <typename Sink>
  void show(Sink&& sink) const {
    for (const Line& line : lines_) {
      if (line.run.times) sink(line);
    }
  }

  template <typename Sink>
  void give(Sink&& sink) {
    for (Line& line : lines_) write(line, sink);
  }

  template <typename Sink>
  void end(Sink&& sink) {
    give(sink);
    lines_.clear();
    same_ = {};
    folding_ = false;
  }

 private:
  static bool same(const Line& a, const Line& b) { return a.source == b.source && a.told.same_as(b.told); }

  // b is as a, and later.
  static void add(Line& a, const Line& b) {
    if (!a.run.times) a.told.set_ns(b.told.ns());
    a.run.times += b.run.times;
    a.run.until = b.run.until;
  }

  template <typename Sink>
  void write(Line& line, Sink& sink) {
    if (line.run.times) sink(std::as_const(line));
    line.run.times = 0;
  }

  template <typename Sink>
  void pop(Sink& sink) {
    write(lines_.front(), sink);
    lines_.pop_front();
  }

  // The last ones are kTimes times the same `turns` lines.
  template <typename Sink>
  void begin(size_t turns, Sink& sink) {
    while (lines_.size() > kTimes * turns) pop(sink);
    while (lines_.size() > turns) {  // from behind: the last one into that of the turn before
      Run& before = lines_[lines_.size() - 1 - turns].run;
      before.times += lines_.back().run.times;
      before.until = lines_.back().run.until;
      lines_.pop_back();
    }
    for (size_t i = 0; i < turns; ++i) {
      lines_[i].run.turn = static_cast<unsigned>(i + 1);
      lines_[i].run.turns = static_cast<unsigned>(turns);
    }
    folding_ = true;
    next_ = 0;
  }

  bool live_;
  std::deque<Line> lines_;                     // folding: those that take turns; else the last ones
  std::array<size_t, kMostTurns + 1> same_{};  // so many of the last lines are as those `turns` before
  bool folding_ = false;
  size_t next_ = 0;
};

}  // namespace perfboard::inspect
