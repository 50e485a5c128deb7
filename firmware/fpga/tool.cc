// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/fpga/tool.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace perfboard::has {

std::string read_all(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::string& path, const std::string& contents) {
  if (path == "-") {
    std::cout << contents << std::flush;
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << contents << std::flush;
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace perfboard::has
