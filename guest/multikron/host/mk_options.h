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

#include <string>
#include <vector>

#include "guest/common/tool.h"
#include "guest/multikron/host/mk_names.h"
#include "guest/multikron/host/mk_nodes.h"

namespace perfboard::mk {

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

}  // namespace perfboard::mk
