// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is wrong with streams, as a tool says it.
//
//   Problems problems(tool);
//   problems.add(reader, item);        // each fault
//   problems.end(reader);              // each stream
//   problems.finish();                 // when all output is written
#pragma once

#include <map>
#include <string>

#include "guest/common/tool.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

// The first faults of each stream one by one, and how many there are in all.
class Problems {
 public:
  explicit Problems(Tool& tool) : tool_(tool) {}
  void add(const StreamReader& reader, const Item& item);
  // The stream was read to its end. Complains of one without a sample.
  void end(const StreamReader& reader);
  // FileError if there was an error.
  void finish() const;

 private:
  static constexpr uint64_t kShown = 10;
  struct File {
    uint64_t errors = 0, lines = 0;
  };
  Tool& tool_;
  std::map<std::string, File> files_;
};

}  // namespace perfboard::mk
