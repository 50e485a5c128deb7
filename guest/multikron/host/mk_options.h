// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the MULTIKRON tools have in common on their command lines: streams and their nodes, clock, names,
// selection.
//
//   Options options(tool, Options::kSeveral);      // adds the options to tool.args
//   tool.run(argc, argv, [&](Output& out) {
//     options.check();                             // what needs more than one option, and the names file
//     for (const Stream& s : options.streams()) ... if (options.selects(sample)) ...
//     out.close(); options.finish();
//   });
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "guest/common/json.h"
#include "guest/common/tool.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

// Names that a user gives to states, points, values and counters.
//
//   Names names; names.load("run.names");
//   names.of(0x12).text    "fft", or "18" without a name

struct Name {
  explicit Name(std::string name);
  std::string text, json, column;  // as it is, as json_text(), filled up to 16 columns
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

// A file with the streams of several nodes (hw/multikron/stream.h: MK_STREAM_NODE), as a stream for each
// node.
//
//   for (const Stream& s : of_nodes(node_files(...))) StreamReader reader(s.file, long_gaps, s.only);

struct Stream : NodeFile {
  int only = kNoNodes;  // for StreamReader
};

// A file of several nodes becomes that many streams, whose labels are the nodes' numbers: N, or LABEL.N if
// the file was given a label of its own. Pipes are not looked at, as they can be read once. UsageError: a
// node twice.
std::vector<Stream> of_nodes(const std::vector<NodeFile>& files);

class Options {
 public:
  enum Files { kOne, kSeveral };
  Options(Tool& tool, Files files);

  void check();
  const std::vector<Stream>& streams() const { return streams_; }
  bool selects(const Sample& s) { return selection_.empty() || selection_.has(s); }
  bool selects_run() const { return !run_.empty(); }  // --run was given
  // Complains if --cpu and the like left nothing.
  void finish() const { selection_.finish(tool_, "samples"); }
  // A timestamp as microseconds with three decimals, or as seconds with nine at the right of 18 columns. Cut
  // off, not rounded.
  void put_us(Output& out, int64_t ticks) const;
  void put_seconds(Output& out, int64_t ticks) const;
  std::string us(int64_t ticks) const;
  double us_of(double ticks) const { return ticks * 1e6 / static_cast<double>(hz); }

  uint64_t hz = 10000000;
  bool long_gaps = false;
  Names names;

 private:
  // Into 32 bytes; they return the end.
  char* us_text(char* to, int64_t ticks) const;
  char* seconds_text(char* to, int64_t ticks) const;

  Tool& tool_;
  Files files_;
  std::vector<std::string> words_;
  std::vector<Stream> streams_;
  std::string node_ = "0", names_file_, cpu_, type_, source_, time_, run_;
  Selection<Sample> selection_;
};

// JSON with samples' times:
//
//   SampleJson json(out);
//   json.ticks("time_us", options, sample.time);       // microseconds with three decimals

// For JSON, with its quotes. UTF-8 stays. A byte that is no UTF-8 becomes the character of its number.
std::string json_text(std::string_view text);

class SampleJson : public Json {
 public:
  using Json::Json;
  void ticks(Plain name, const Options& options, int64_t value) {
    number_by(name, [&](Output& out) { options.put_us(out, value); });
  }
};

// What is wrong with streams, as a tool says it.
//
//   Problems problems(tool);
//   problems.add(reader, item);        // each fault
//   problems.end(reader);              // each stream
//   problems.finish();                 // when all output is written

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

// Samples and resets as lines of text, CSV or JSON: mkdump, mkcollect and mkmerge.

enum class Format { kText, kCsv, kJson };

class Writer {
 public:
  Writer(const Options& options, Output& out, Format format);  // CSV: writes the header line
  void sample(const std::string& node, const Sample& sample);
  void reset(const std::string& node, const Item& item);

 private:
  void text(const std::string& node, const Sample& s);
  void csv(const std::string& node, const Sample& s);
  void json(const std::string& node, const Sample& s);

  const Options& options_;
  Output& out_;
  SampleJson json_;
  const Format format_;
};

}  // namespace perfboard::mk
