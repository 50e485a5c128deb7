// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasd - prints the description that a bitstream for the HAS was compiled from.
#include <fmt/format.h>

#include <cstdio>

#include "firmware/surfboard/bitstream.h"
#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/cmd/bitstream.h"

using namespace perfboard;

namespace {

// Not fmt::print: that throws if standard error is closed.
void complain(const std::string& text) { fputs(text.c_str(), stderr); }

std::vector<uint8_t> read_input(const std::string& file) {
  if (file != "-") return prompt::read_bitstream(file);
  const std::string bytes = read_all(file);
  return prompt::parse_bitstream(file, {bytes.begin(), bytes.end()});
}

}  // namespace

PERFBOARD_TOOL(hasd) {
  Arguments args("hasd",
                 "Prints the description that a bitstream for the SurfBoard's HAS was compiled from.");
  std::string input = "-";
  args.version("hasd (Perfboard) " PERFBOARD_VERSION);
  args.option("bitstream", input, "bytes, .bit or .rbt; - or none is standard input");
  args.footer(
      "Exit status: 0 described, 1 the bitstream is damaged (the message names the bit, counted from 0) or\n"
      "a file cannot be read or written, 2 a wrong command line.");
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  try {
    const std::string text = has::describe(has::disassemble(read_input(input)));
    Output out("-");
    out.write(text);
    out.close();
    return 0;
  } catch (const has::StreamError& e) {
    complain(fmt::format("{}: {}\n", input, e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("hasd: {}\n", e.what()));
  }
  return 1;
}
