// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/node_files.h"

#include <algorithm>

namespace perfboard {

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
