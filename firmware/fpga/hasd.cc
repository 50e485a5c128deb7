// SPDX-License-Identifier: GPL-2.0-or-later
//
// hasd - disassemble a bitstream of the HAS, or say what is wrong with it.
#include <CLI/CLI.hpp>
#include <iostream>

#include "firmware/fpga/bitstream.h"
#include "firmware/fpga/tool.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Print the description that a bitstream holds; a damaged one is refused with the place\n"
      "of the damage, where the part would pull INIT* low or never be DONE.",
      "hasd");
  std::string input = "-", output = "-";
  app.add_option("bitstream", input, "bitstream; - is standard input")->type_name("FILE.bit");
  app.add_option("-o,--output", output, "description; - is standard output")->type_name("FILE.has");
  CLI11_PARSE(app, argc, argv);
  try {
    using namespace perfboard::has;
    const std::string bytes = read_all(input);
    write_all(output, describe(disassemble({bytes.begin(), bytes.end()})));
  } catch (const std::exception& e) {
    std::cerr << "hasd: " << input << ": " << e.what() << '\n';
    return 1;
  }
  return 0;
}
