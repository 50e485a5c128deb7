// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tools have in common: options, files, errors, exit codes.
//
//   PERFBOARD_TOOL(sizeHist) {
//     Tool tool("sizeHist", "Packet size histogram in CSV format from a trace file.");
//     tool.args.option(...);
//     return tool.run(argc, argv, [&](Input& in, Output& out) { ... });
//   }
//
// Exit code 0; 1 if a file could not be read or written, has a malformed line, or if there was nothing to
// show (complain()); 2 for a wrong option.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"

namespace perfboard {

class Tool {
 public:
  Tool(const std::string& name, const std::string& description, bool input_file = true);
  // For a tool with one input of lines. No line that is not blank is a complaint.
  int run(int argc, char** argv, const std::function<void(Input&, Output&)>& work);
  // For a tool that opens its inputs itself.
  int run(int argc, char** argv, const std::function<void(Output&)>& work);
  // A line on standard error that is not an error.
  void note(std::string_view text) const;
  // The same, and the exit code will be 1. The output is written all the same.
  void complain(std::string_view text);
  // Ends the tool (exit code 2) if the output would take the place of this input.
  void keep_input(const std::string& file) const;

  Arguments args;
  // Input and output have the same format: -o may name the input, to replace it.
  bool same_format = false;

 private:
  int finish(int argc, char** argv, const std::function<void()>& work);
  std::string name_;
  std::string input_ = "-", output_ = "-";
  bool complained_ = false;
};

// Options that select records: which are taken, and which option matched none.
//
//   Selection<Entry> selection;
//   selection.add("--sender", "1-3", [=](const Entry& e) { return ...; });
//   if (selection.has(entry)) ...
//   selection.finish(tool, "records");
template <typename Record>
class Selection {
 public:
  void add(const std::string& option, const std::string& value, std::function<bool(const Record&)> test) {
    choices_.push_back({option, value, std::move(test), 0});
  }
  bool has(const Record& record) {
    bool all = true;
    for (Choice& choice : choices_) {
      const bool in = choice.test(record);
      choice.matched += in;
      all = all && in;
    }
    seen_++;
    matched_ += all;
    return all;
  }
  // A complaint if there were records and none was taken. Of each option that matched none by itself, or of
  // all, if each matched some.
  void finish(Tool& tool, std::string_view what) const {
    if (seen_ == 0 || matched_ > 0 || choices_.empty()) return;
    bool single = false;
    std::string all;
    for (const Choice& choice : choices_) {
      const std::string text = choice.option + " " + choice.value;
      all += (all.empty() ? "" : " ") + text;
      if (choice.matched > 0) continue;
      tool.complain(fmt::format("{}: none of {} {}", text, seen_, what));
      single = true;
    }
    if (!single) tool.complain(fmt::format("{}: none of {} {} is in all", all, seen_, what));
  }
  uint64_t seen() const { return seen_; }
  uint64_t matched() const { return matched_; }
  bool empty() const { return choices_.empty(); }

 private:
  struct Choice {
    std::string option, value;
    std::function<bool(const Record&)> test;
    uint64_t matched;
  };
  std::vector<Choice> choices_;
  uint64_t seen_ = 0, matched_ = 0;
};

// A file of comma-separated values, line by line; comments and blank lines are left out.
bool read_csv(Input& in, std::vector<std::string_view>& fields);
double csv_number(const Input& in, std::string_view field);
bool is_number(std::string_view field);
// As few digits as give the value back, at most 15.
inline void put_csv(Output& out, double value) { out.number(value, 15); }

// The files of several nodes, as words [NODE=]FILE of a command line.
//
//   for (const NodeFile& f : node_files(tool, words)) ...    // UsageError: a node twice, standard input twice
//
// No word is standard input. A name with such a beginning, a=b, is given as ./a=b.

struct NodeFile {
  std::string node;  // letters, digits, and _ - . only: it needs no quoting anywhere
  std::string file;
};

bool is_node_label(std::string_view text);
// A node that is not named is its place among the words; `first` is that of place 0. No file can be the
// tool's output.
std::vector<NodeFile> node_files(const Tool& tool, std::vector<std::string> words,
                                 const std::string& first = "0");

}  // namespace perfboard
