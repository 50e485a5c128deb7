// SPDX-License-Identifier: GPL-2.0-or-later
//
// A row of scripts/bench --scale: what a network of many nodes did, and what it took of the host.
//
//   Options o = options(argc, argv, "nodes=4 us=1000");      NAME=VALUE of the command line, over these
//   Meter meter;                                             before the first board is there
//   meter.start();  ... run ...  meter.stop();
//   print({...});                                            the line that the script reads
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace perfboard::scale {

// Ends the program, with a line, at a word that is none of the default's.
class Options {
 public:
  Options(int argc, char** argv, const std::string& defaults);
  const std::string& text(const std::string& name) const { return values_.at(name); }
  uint32_t number(const std::string& name, uint32_t low, uint32_t high) const;

 private:
  void take(const std::string& word, bool is_default);
  std::map<std::string, std::string> values_;
};

struct Row {
  std::string network, pattern;
  uint32_t nodes, hosts, threads;  // threads=0: all events are in one queue, and nobody promises
  uint64_t us;                     // of virtual time
  uint64_t events = 0, promises = 0;
  uint64_t ns = 0, cpu_ns = 0;               // of the host; of all its processors
  uint64_t own_bytes = 0, shared_bytes = 0;  // of memory
  uint64_t hash = 0;                         // of all that arrived
};
void print(const Row& row);

class Meter {
 public:
  Meter();
  void start();
  void stop(Row& row);  // adds what the process took

 private:
  uint64_t began_ns_ = 0, began_cpu_ns_ = 0, own_, shared_;
};

// A number that values in their order make.
inline void mix(uint64_t& hash, uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15 + (hash >> 29); }

}  // namespace perfboard::scale
