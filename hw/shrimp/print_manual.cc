// SPDX-License-Identifier: GPL-2.0-or-later
//
// shrimp-manual [README.md]: prints the tables, or rewrites those of the file.
#include <cstdio>
#include <fstream>
#include <optional>

#include "hw/core/manual.h"
#include "hw/shrimp/manual_text.h"

int main(int argc, char** argv) {
  const std::string tables = perfboard::sni::manual_text();
  if (argc == 1) return std::fputs(tables.c_str(), stdout) < 0;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s [README.md]\n", argv[0]);
    return 2;
  }
  const std::optional<std::string> page =
      perfboard::manual_update(perfboard::read_text_file(argv[1]), tables);
  if (!page) {
    std::fprintf(stderr, "%s: cannot be read, or has no register markers\n", argv[1]);
    return 1;
  }
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out << *page;
  out.close();
  if (out) return 0;
  std::fprintf(stderr, "%s: cannot be written\n", argv[1]);
  return 1;
}
