// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/tool.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "guest/common/ranges.h"

namespace perfboard {
namespace {

bool to_double(std::string_view field, double& value) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size() && !field.empty();
}

}  // namespace

Tool::Tool(const std::string& name, const std::string& description, bool input_file)
    : args(name, description), name_(name) {
  args.version(name + " (Perfboard) " PERFBOARD_VERSION);
  args.option("-o,--output", output_,
              "write here instead of standard output; a file is there when it is whole")
      .type("FILE");
  if (input_file) args.option("file", input_, "read this instead of standard input").type("FILE");
  args.footer(
      "Exit code: 0; 1 if a file cannot be read or written, or something in it is wrong, or there is "
      "nothing\n"
      "to show: an empty input, or options that select none of it; 2 for a wrong option.");
}

int Tool::run(int argc, char** argv, const std::function<void(Input&, Output&)>& work) {
  return finish(argc, argv, [&] {
    if (!same_format || output_ == "-") keep_input(input_);
    Input in(input_);
    Output out(output_);
    in.before_wait([&] { out.show(); });
    try {
      work(in, out);
    } catch (...) {
      out.give_up();
      throw;
    }
    out.close();
    if (in.records() == 0) complain(fmt::format("{}: nothing in it", in.name()));
  });
}

int Tool::run(int argc, char** argv, const std::function<void(Output&)>& work) {
  return finish(argc, argv, [&] {
    Output out(output_);
    try {
      work(out);
    } catch (...) {
      out.give_up();
      throw;
    }
    out.close();
  });
}

int Tool::finish(int argc, char** argv, const std::function<void()>& work) {
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  try {
    work();
    return complained_ ? 1 : 0;
  } catch (const UsageError& e) {
    note(e.what());
    return 2;
  } catch (const std::runtime_error& e) {
    note(e.what());
    return 1;
  }
}

// Not fmt::print: that throws if standard error is closed.
void Tool::note(std::string_view text) const {
  std::fputs(fmt::format("{}: {}\n", name_, safe(text)).c_str(), stderr);
}

void Tool::complain(std::string_view text) {
  note(text);
  complained_ = true;
}

void Tool::keep_input(const std::string& file) const {
  if (is_same_file(file, output_))
    throw UsageError("--output", fmt::format("{} is an input: it would be lost", output_));
}

bool read_csv(Input& in, std::vector<std::string_view>& fields) {
  std::string_view text;
  if (!in.content(text)) return false;
  split_fields(text, fields);
  return true;
}

bool is_number(std::string_view field) {
  double value;
  return to_double(field, value);
}

double csv_number(const Input& in, std::string_view field) {
  double value;
  if (!to_double(field, value)) in.fail(fmt::format("{}: expected a number", show_word(field)));
  return value;
}

bool is_node_label(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

std::vector<NodeFile> node_files(const Tool& tool, std::vector<std::string> words, const std::string& first) {
  if (words.empty()) words = {"-"};
  std::vector<NodeFile> files;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    NodeFile next{files.empty() ? first : fmt::to_string(files.size()), word};
    if (equals != word.npos && is_node_label(std::string_view(word).substr(0, equals)))
      next = {word.substr(0, equals), word.substr(equals + 1)};
    for (const NodeFile& other : files) {
      if (other.node == next.node)
        throw UsageError("files", show_word(next.node) + ": two files of this node");
      if (other.file == "-" && next.file == "-") throw UsageError("files", "standard input can be read once");
    }
    tool.keep_input(next.file);
    files.push_back(next);
  }
  return files;
}

}  // namespace perfboard
