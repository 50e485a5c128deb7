// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files of several nodes, as words [NODE=]FILE of a command line.
//
//   for (const NodeFile& f : node_files(tool, words)) ...    // UsageError: a node twice, standard input twice
//
// No word is standard input. A name with such a beginning, a=b, is given as ./a=b.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guest/common/tool.h"

namespace perfboard {

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
