// SPDX-License-Identifier: GPL-2.0-or-later
//
// hot2c - compiles a description to a configuration image for the SMiLE monitor's card.
#include <fmt/format.h>

#include <cstdio>

#include "firmware/smile/hot.h"
#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"

using namespace perfboard;

namespace {

// Not fmt::print: that throws if standard error is closed.
void complain(const std::string& text) { fputs(text.c_str(), stderr); }

std::string read_text(const std::string& file) {
  ByteInput in(file);
  std::string text;
  char block[4096];
  while (const size_t got = in.read(block, sizeof block)) text.append(block, got);
  return text;
}

}  // namespace

PERFBOARD_TOOL(hot2c) {
  Arguments args("hot2c", "Compiles a description to a configuration image for the SMiLE monitor's FPGA.");
  std::string input = "-", output = "-";
  args.option("description", input, "the description; - or none is standard input");
  args.option("-o,--output", output, "the image; - or none is standard output");
  args.footer(
      "Four lines:  design none|static|dynamic|target   revision N   pci 133E:4000 class 118000   title "
      "TEXT\n"
      "Of the daughter board:  part XC4085XLA   in place of pci\n"
      "Exit status: 0 compiled, 1 an error in the description or a file, 2 a wrong command line. With any "
      "of\n"
      "these, an image that is there stays as it was.");
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  if (is_same_file(input, output)) {
    complain(fmt::format("hot2c: --output: {} is the description: it would be lost\n", output));
    return 2;
  }
  try {
    const std::vector<uint8_t> bytes = hot::assemble(hot::parse_description(read_text(input), input));
    Output out(output);
    out.write(std::string(bytes.begin(), bytes.end()));
    out.close();
    return 0;
  } catch (const hot::DescriptionError& e) {
    complain(fmt::format("{}\n", e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("hot2c: {}\n", e.what()));
  }
  return 1;
}
