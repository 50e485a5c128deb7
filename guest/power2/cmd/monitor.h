// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the POWER2 tools work on: a session with the monitor, as p2lib opens it, with a destructor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "guest/common/failure.h"
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

const char* node_name(unsigned node);

}  // namespace perfboard::p2
