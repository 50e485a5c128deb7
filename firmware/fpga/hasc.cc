// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasc - compile a description of the histogram address into a bitstream for the HAS.
#include <CLI/CLI.hpp>
#include <iostream>

#include "firmware/fpga/bitstream.h"
#include "firmware/fpga/tool.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Compile a description (which bits of size, category, color, sender, latency form the\n"
      "24-bit histogram address) into a bitstream for the SurfBoard's FPGA (surf: FPGA <file>).",
      "hasc");
  std::string input = "-", output = "-";
  app.add_option("description", input, "description; - is standard input")->type_name("FILE.has");
  app.add_option("-o,--output", output, "bitstream; - is standard output")->type_name("FILE.bit");
  CLI11_PARSE(app, argc, argv);
  try {
    using namespace perfboard::has;
    const std::vector<uint8_t> bits =
        assemble(parse_description(read_all(input), input == "-" ? "standard input" : input));
    write_all(output, {bits.begin(), bits.end()});
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
  return 0;
}
