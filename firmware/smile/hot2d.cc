// SPDX-License-Identifier: GPL-2.0-or-later
//
// hot2d - prints what is in a configuration image for the SMiLE monitor's card, as a description.
#include <fmt/format.h>

#include <cstdio>

#include "firmware/smile/hot.h"
#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"

using namespace perfboard;

namespace {

void complain(const std::string& text) { fputs(text.c_str(), stderr); }

std::vector<uint8_t> read_bytes(const std::string& file) {
  ByteInput in(file);
  std::vector<uint8_t> bytes;
  uint8_t block[4096];
  while (const size_t got = in.read(block, sizeof block)) bytes.insert(bytes.end(), block, block + got);
  return bytes;
}

}  // namespace

PERFBOARD_TOOL(hot2d) {
  Arguments args("hot2d", "Prints what is in a configuration image for the SMiLE monitor's FPGA.");
  std::string input = "-";
  args.option("image", input, "the image, or what was read out of a flash; - or none is standard input");
  args.footer(
      "Exit status: 0 described, 1 the image is damaged (the message names the bit, counted from 0) or\n"
      "a file cannot be read or written, 2 a wrong command line.");
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  try {
    const std::vector<uint8_t> bytes = read_bytes(input);
    const smile::Image image = hot::disassemble(bytes);
    const xc4000::Device& fpga = hot::device_of(image);
    Output out("-");
    out.print("# {}: {} frames of {} bits, {} bits in all, length count {}\n", fpga.name, fpga.frames,
              fpga.frame_bits, fpga.stream_bits(), fpga.length_count());
    if (!smile::image_fits(image)) out.print("# for no FPGA of this card: its PCI core is another one\n");
    out.write(hot::describe(image));
    out.close();
    return 0;
  } catch (const xc4000::StreamError& e) {
    complain(fmt::format("{}: {}\n", input, e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("hot2d: {}\n", e.what()));
  }
  return 1;
}
