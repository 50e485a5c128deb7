// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files of hasc and hasd: "-" is standard input or output.
#pragma once

#include <string>

namespace perfboard::has {

std::string read_all(const std::string& path);  // std::runtime_error names the file
void write_all(const std::string& path, const std::string& contents);

}  // namespace perfboard::has
