// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bounded - a log's file that never is longer than it may be. It keeps its first half, and what came last.
//
//   bounded.start(file, most, left_out)       file: regular, for reading and writing
//   bounded.append(text, {1, ns, ns})         whole lines
//   bounded.show(text)                        stands at the end until the next append()
//
// When it is full, what stands between its first half and its last quarter goes, and a line of left_out()
// takes its place: lines are in order at any time. Each byte is moved once at most. Answers are errno, or 0.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace perfboard::inspect {

// What lines stand for: so many accesses and events, and ns of the first and of the last.
struct Told {
  uint64_t times = 0, from = 0, until = 0;

  void add(const Told& more) {
    if (!more.times) return;
    if (!times) from = more.from;
    times += more.times;
    until = more.until;
  }
};

class Bounded {
 public:
  using LeftOut = std::string (*)(const Told& told, uint64_t most);

  void start(std::FILE* file, uint64_t most, LeftOut left_out) {
    file_ = file, most_ = most, left_out_ = left_out;
  }

  // The file has been closed, and is open again. False: it is not as it was left, and nothing has changed.
  bool go_on(std::FILE* file);

  int append(std::string_view text, const Told& told);
  int show(std::string_view text);

 private:
  int take_back();
  int make_room();
  int move(uint64_t from, uint64_t to, uint64_t bytes);

  std::FILE* file_ = nullptr;
  uint64_t most_ = 0;  // 0: no limit
  LeftOut left_out_ = nullptr;
  uint64_t end_ = 0;    // bytes
  bool shown_ = false;  // more stands behind them
  // head_: bytes that stay; 0: half of the file is not full. From tail_ to cut_ goes next, from cut_ on
  // stays.
  uint64_t head_ = 0, tail_ = 0, cut_ = 0;
  Told out_, next_, last_;  // what is out, and those two parts
};

}  // namespace perfboard::inspect
