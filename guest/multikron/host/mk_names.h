// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that a user gives to states, points, values and counters.
//
//   Names names; names.load("run.names");
//   names.of(0x12).text    "fft", or "18" without a name
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace perfboard::mk {

struct Name {
  explicit Name(std::string name);
  std::string text, json, column;  // as it is, as json_text() (mk_json.h), filled up to 16 columns
};

class Names {
 public:
  // A file of lines "id name" for states, points and values, and "cN name" for resource counter N; '#' begins
  // a comment.
  void load(const std::string& file);
  const Name& of(uint16_t id) const;                        // its name, or the number
  std::string counter(unsigned index) const;                // its name, or "counter N"
  bool id_of(const std::string& text, uint16_t& id) const;  // a name or a number

 private:
  std::map<unsigned, std::string> ids_, counters_;
  // What of() has given, by id.
  mutable std::vector<std::unique_ptr<const Name>> given_ = std::vector<std::unique_ptr<const Name>>(0x10000);
};

}  // namespace perfboard::mk
