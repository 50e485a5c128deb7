// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasd - prints the description that a bitstream for the HAS was compiled from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "firmware/fpga/bitstream.h"
#include "guest/surf/bitstream.h"
#include "guest/tools/trace_file.h"

using namespace perfboard;

namespace {

std::vector<uint8_t> read_input(const std::string& file) {
  if (file != "-") return prompt::read_bitstream(file);
  std::vector<uint8_t> bytes;
  for (int c; (c = getchar()) != EOF;) bytes.push_back(static_cast<uint8_t>(c));
  if (ferror(stdin)) throw FileError(fmt::format("-: {}", strerror(errno)));
  return prompt::parse_bitstream(file, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints the description that a bitstream for the SurfBoard's HAS was compiled from.", "hasd");
  std::string input = "-";
  app.add_option("bitstream", input, "bytes, .bit or .rbt; - or none is standard input");
  app.footer(
      "Exit status: 0 described, 1 the bitstream is damaged (the message names the bit, counted from 0) or\n"
      "a file cannot be read or written, 2 a wrong command line.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) ? 2 : 0;
  }
  try {
    const std::string text = has::describe(has::disassemble(read_input(input)));
    if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0)
      throw FileError(fmt::format("standard output: {}", strerror(errno)));
    return 0;
  } catch (const has::StreamError& e) {
    fmt::print(stderr, "{}: {}\n", input, e.what());
  } catch (const FileError& e) {
    fmt::print(stderr, "hasd: {}\n", e.what());
  }
  return 1;
}
