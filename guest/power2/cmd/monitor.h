// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the POWER2 tools work on: a session with the monitor, as p2lib opens it, with a destructor.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "guest/common/failure.h"
#include "guest/common/program.h"
#include "guest/power2/lib/p2lib.h"

namespace perfboard::p2 {

// What is known of the machine besides counts: names that rules may use.
using Facts = std::map<std::string, double, std::less<>>;

Facts facts_of(const p2_info& info);

class Monitor {
 public:
  explicit Monitor(const std::string& device);
  ~Monitor();  // says what is missing in the counts, if a monitor did not answer
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void begin(p2_open how, const std::vector<p2_set>& sets);
  // What p2set has left, to leave it again or to end it. False: nothing.
  bool take(bool keep);
  void enable();
  void disable();
  void reset();
  p2_counts counts(int cpu = -1) const;
  const p2_session& session() const { return session_; }
  const p2_info& info() const { return session_.info; }
  std::vector<p2_set> sets() const { return {session_.set, session_.set + session_.sets}; }
  Facts facts() const { return facts_of(info()); }

 private:
  p2_session session_;
  mutable uint64_t unanswered_ = 0;
};

// A program that a tool runs: there, but not begun, until its counters are.
//
//   Program program(words);
//   monitor.begin({.flags = P2_ON_EXEC, .pid = program.pid()}, sets);
//   program.go();
//   const Ending ending = program.wait();

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
