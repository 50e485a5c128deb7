// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the MULTIKRON tools have in common: streams and their nodes, clock, names, selection, complaints.
//
//   Options options(tool, Options::kSeveral);      // adds the options to tool.app
//   tool.run(argc, argv, [&](Input&, Output& out) {
//     options.check();                             // what needs more than one option, and the names file
//     for (const Stream& s : options.streams()) ...
//     problems.add(reader, item); ... out.close(); problems.finish();
//   });
#pragma once

#include <map>
#include <string>
#include <vector>

#include "guest/mktools/mk_stream.h"
#include "guest/tools/tool.h"

namespace perfboard::mk {

struct Stream {
  std::string node;  // letters, digits, and _ - . only: it needs no quoting anywhere
  std::string file;
};

// A file of lines "id name" for states, points and values, and "cN name" for resource counter N; '#' begins a
// comment.
class Names {
 public:
  void load(const std::string& file);
  std::string of(unsigned id) const;                        // its name, or the number
  std::string counter(unsigned index) const;                // its name, or "counter N"
  bool id_of(const std::string& text, uint16_t& id) const;  // a name or a number

 private:
  std::map<unsigned, std::string> ids_, counters_;
};

// A list of ranges and numbers, "0,2-3"; empty: everything.
class List {
 public:
  void parse(const std::string& option, const std::string& text, const NumberParser& number = parse_number);
  bool has(uint64_t value) const;

 private:
  std::vector<Range> ranges_;
};

class Options {
 public:
  enum Files { kOne, kSeveral };
  Options(Tool& tool, Files files);

  void check();
  const std::vector<Stream>& streams() const { return streams_; }
  bool selects(const Sample& s) const;
  // A timestamp as microseconds with three decimals, as seconds with nine.
  std::string us(int64_t ticks) const { return decimal(ticks, 1000000, 3); }
  std::string seconds(int64_t ticks) const { return decimal(ticks, 1, 9); }
  double us_of(double ticks) const { return ticks * 1e6 / static_cast<double>(hz); }

  uint64_t hz = 10000000;
  bool long_gaps = false;
  Names names;

 private:
  std::string decimal(int64_t ticks, uint64_t per_second, unsigned digits) const;

  Files files_;
  std::vector<std::string> words_;
  std::vector<Stream> streams_;
  std::string node_ = "0", names_file_, cpu_, type_, source_, time_, run_;
  List cpus_, sources_, runs_;
  Range times_;
};

// Says what is wrong with a stream: the first few one by one, all in numbers.
class Problems {
 public:
  explicit Problems(const Tool& tool) : tool_(tool) {}
  void add(const StreamReader& reader, const Item& item);
  // FileError if there was an error.
  void finish() const;

 private:
  static constexpr uint64_t kShown = 10;
  struct File {
    uint64_t errors = 0, lines = 0;
  };
  const Tool& tool_;
  std::map<std::string, File> files_;
};

// For JSON, with its quotes. UTF-8 stays; bytes that are none become the characters of their numbers.
std::string json_text(std::string_view text);

}  // namespace perfboard::mk
