// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasc - compiles a description of the histogram address to a bitstream for the HAS.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "firmware/fpga/bitstream.h"
#include "guest/tools/trace_file.h"

using namespace perfboard;

namespace {

std::string read_text(const std::string& file) {
  const bool standard = file == "-";
  FILE* f = standard ? stdin : fopen(file.c_str(), "rbe");
  if (!f) throw FileError(fmt::format("{}: {}", file, strerror(errno)));
  std::string text;
  char block[4096];
  while (const size_t got = fread(block, 1, sizeof block, f)) text.append(block, got);
  const int error = ferror(f) ? errno : 0;
  if (!standard) fclose(f);
  if (error) throw FileError(fmt::format("{}: {}", file, strerror(error)));
  return text;
}

// Header lines with words, then lines of 0 and 1: as guest/surf/bitstream.h reads it.
std::string as_rbt(const std::vector<uint8_t>& bytes) {
  std::string text =
      fmt::format("Xilinx ASCII Bitstream\nDesign: HAS\nPart: 4003\nBits: {}\n", bytes.size() * 8);
  for (size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{:08b}{}", bytes[i], i % 8 == 7 || i + 1 == bytes.size() ? "\n" : "");
  return text;
}

void write_bytes(const std::string& file, const void* bytes, size_t size) {
  const bool standard = file == "-";
  FILE* f = standard ? stdout : fopen(file.c_str(), "wbe");
  if (!f) throw FileError(fmt::format("{}: {}", file, strerror(errno)));
  bool good = fwrite(bytes, 1, size, f) == size;
  good = (standard ? fflush(f) : fclose(f)) == 0 && good;
  if (!good) throw FileError(fmt::format("{}: {}", file, strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles a description of the histogram address to a bitstream for surf's FPGA command.",
               "hasc");
  std::string input = "-", output = "-";
  bool rbt = false;
  app.add_option("description", input, "the description; - or none is standard input");
  app.add_option("-o,--output", output, "the bitstream; - or none is standard output");
  app.add_flag("--rbt", rbt, "write text, lines of 0 and 1, not bytes");
  app.footer(
      "One assignment in a line, for instance:  address[21:12] = size[9:0]   # a comment\n"
      "Variables: size (10 bits) category (4) color (6) sender (6) latency (24); constants 0 and 1.\n"
      "Exit status: 0 compiled, 1 an error in the description or a file, 2 a wrong command line.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) ? 2 : 0;
  }
  try {
    const std::vector<uint8_t> bytes = has::assemble(has::parse_description(read_text(input), input));
    const std::string text = rbt ? as_rbt(bytes) : std::string(bytes.begin(), bytes.end());
    write_bytes(output, text.data(), text.size());
    return 0;
  } catch (const has::DescriptionError& e) {
    fmt::print(stderr, "{}\n", e.what());
  } catch (const FileError& e) {
    fmt::print(stderr, "hasc: {}\n", e.what());
  }
  return 1;
}
