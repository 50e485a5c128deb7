// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasc - compiles a description of the histogram address to a bitstream for the HAS. hasd - prints the
// description that a bitstream was compiled from.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

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

// Whether there is anything besides comments and blanks.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.substr(0, line.find('#')).find_first_not_of(" \t\r") != line.npos) return true;
  }
  return false;
}

// Header lines with words, then lines of 0 and 1: as guest/surfboard/cmd/bitstream.h reads it.
std::string as_rbt(const std::vector<uint8_t>& bytes) {
  std::string text =
      fmt::format("Xilinx ASCII Bitstream\nDesign: HAS\nPart: 4003\nBits: {}\n", bytes.size() * 8);
  for (size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{:08b}{}", bytes[i], i % 8 == 7 || i + 1 == bytes.size() ? "\n" : "");
  return text;
}

std::vector<uint8_t> read_input(const std::string& file) {
  if (file != "-") return prompt::read_bitstream(file);
  const std::string bytes = read_all(file);
  return prompt::parse_bitstream(file, {bytes.begin(), bytes.end()});
}

}  // namespace

PERFBOARD_TOOL(hasc) {
  Arguments args("hasc",
                 "Compiles a description of the histogram address to a bitstream for surf's FPGA command.");
  std::string input = "-", output = "-";
  bool rbt = false;
  args.version("hasc (Perfboard) " PERFBOARD_VERSION);
  args.option("description", input, "the description; - or none is standard input");
  args.option("-o,--output", output, "the bitstream; - or none is standard output");
  args.flag("--rbt", rbt, "write text, lines of 0 and 1, not bytes");
  args.footer(
      "One assignment in a line, for instance:  address[21:12] = size[9:0]   # a comment\n"
      "Variables: size (10 bits) category (4) color (6) sender (6) latency (24); constants 0 and 1.\n"
      "Exit status: 0 compiled, 1 an error in the description or a file, or no assignment, 2 a wrong "
      "command\n"
      "line. With any of these, a bitstream that is there stays as it was.");
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  if (is_same_file(input, output)) {
    complain(fmt::format("hasc: --output: {} is the description: it would be lost\n", output));
    return 2;
  }
  try {
    const std::string description = read_all(input);
    const std::vector<uint8_t> bytes = has::assemble(has::parse_description(description, input));
    if (!has_content(description))
      throw FileError(fmt::format("{}: no assignment (for all packets in one bin: address[0] = 0)", input));
    Output out(output);
    out.write(rbt ? as_rbt(bytes) : std::string(bytes.begin(), bytes.end()));
    out.close();
    return 0;
  } catch (const has::DescriptionError& e) {
    complain(fmt::format("{}\n", e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("hasc: {}\n", e.what()));
  }
  return 1;
}

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
