// SPDX-License-Identifier: GPL-2.0-or-later
//
// A reader of value change dumps, after the format's description and not after vcd.cc.
//
//   Vcd d = read_vcd(text);                         an error is an exception with the line's number
//   changes(d, "decoder.decode_state")              all of them: time, value as text
//   value_at(d, "decoder.decode_state", ns)
//   heads(d)                                        when each packet's first word is there
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace perfboard::smile {

struct VcdSignal {
  unsigned bits;
  std::vector<std::pair<uint64_t, std::string>> changes;  // without leading zeros
};
struct Vcd {
  std::string timescale;
  std::map<std::string, VcdSignal> signals;  // by scope.name, without the outermost scope
  std::vector<uint64_t> times;
};

inline const auto& changes(const Vcd& vcd, const char* name) { return vcd.signals.at(name).changes; }
inline std::string value_at(const Vcd& vcd, const char* name, uint64_t ns) {
  std::string value = "none";
  for (const auto& [at, v] : changes(vcd, name))
    if (at <= ns) value = v;
  return value;
}

inline std::vector<uint64_t> heads(const Vcd& vcd) {
  std::vector<uint64_t> times;
  for (const auto& [ns, state] : changes(vcd, "decoder.decode_state"))
    if (state == "1") times.push_back(ns);
  return times;
}

inline Vcd read_vcd(const std::string& text) {
  Vcd vcd;
  std::map<std::string, std::string> by_id;
  std::vector<std::string> scopes;
  std::istringstream in(text);
  std::string word;
  bool declared = false;
  uint64_t now = 0;
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error("VCD, at '" + word + "', time " + std::to_string(now) + ": " + why);
  };
  const auto until_end = [&] {
    std::vector<std::string> words;
    for (std::string w; in >> w && w != "$end";) words.push_back(w);
    return words;
  };
  const auto set = [&](const std::string& id, std::string value) {
    if (!by_id.count(id)) fail("no such signal");
    VcdSignal& s = vcd.signals.at(by_id[id]);
    value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
    if (value.size() > s.bits) fail("too wide");
    if (value.find_first_not_of("01xz") != value.npos) fail("no value");
    s.changes.emplace_back(now, value);
  };
  while (in >> word) {
    if (word == "$enddefinitions") {
      until_end();
      if (!scopes.empty()) fail("a scope is open");
      declared = true;
    } else if (word == "$timescale") {
      for (const std::string& w : until_end()) vcd.timescale += w;
    } else if (word == "$scope") {
      scopes.push_back(until_end().at(1));
    } else if (word == "$upscope") {
      until_end();
      if (scopes.empty()) fail("no scope is open");
      scopes.pop_back();
    } else if (word == "$var") {
      const std::vector<std::string> w = until_end();
      if (declared || scopes.size() != 2) fail("a variable has no place here");
      const std::string name = scopes[1] + "." + w.at(3);
      if (!by_id.emplace(w.at(2), name).second) fail("the identifier is taken");
      vcd.signals[name].bits = static_cast<unsigned>(std::stoul(w.at(1)));
    } else if (word == "$version" || word == "$comment" || word == "$date") {
      until_end();
    } else if (word == "$dumpvars" || word == "$end") {
      if (!declared) fail("before the declarations' end");
    } else if (word[0] == '#') {
      const uint64_t at = std::stoull(word.substr(1));
      if (!vcd.times.empty() && at <= now) fail("time does not go on");
      now = at;
      vcd.times.push_back(at);
    } else if (word[0] == 'b') {
      const std::string value = word.substr(1);
      in >> word;
      set(word, value);
    } else {
      set(word.substr(1), word.substr(0, 1));
    }
  }
  return vcd;
}

}  // namespace perfboard::smile
