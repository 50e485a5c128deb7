// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program that a tool runs: there, but not begun, until its counters are.
//
//   Program program(words);
//   monitor.begin({.flags = P2_ON_EXEC, .pid = program.pid()}, sets);
//   program.go();
//   const Ending ending = program.wait();
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "guest/common/program.h"

namespace perfboard::p2 {

struct Ending {
  int status = 0;                            // 128 + n: by signal n; 126, 127: it did not start
  double elapsed = 0, user = 0, system = 0;  // seconds
};

class Program {
 public:
  explicit Program(const std::vector<std::string>& words);
  ~Program();  // one that was not let go is ended
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return child_; }
  void go();
  Ending wait();
  int descriptor() const { return ended_; }  // readable when it has ended

 private:
  pid_t child_;
  int gate_ = -1, ended_ = -1;
  double begun_ = 0;
};

double now();  // seconds, CLOCK_MONOTONIC

}  // namespace perfboard::p2
