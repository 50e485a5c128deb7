// SPDX-License-Identifier: GPL-2.0-or-later
//
// hot2c - compiles a description to a configuration image for the SMiLE monitor's card; hot2d - prints what
// is in an image, as a description.
#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "firmware/smile/hot.h"
#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"

using namespace perfboard;

namespace {

// Not fmt::print: that throws if standard error is closed.
void complain(const std::string& text) { fputs(text.c_str(), stderr); }

// The exit status.
int run(const char* tool, const std::string& input, const std::function<void(const std::string&)>& work) {
  try {
    work(read_all(input));
    return 0;
  } catch (const hot::DescriptionError& e) {
    complain(fmt::format("{}\n", e.what()));
  } catch (const xc4000::StreamError& e) {
    complain(fmt::format("{}: {}\n", input, e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("{}: {}\n", tool, e.what()));
  }
  return 1;
}

}  // namespace

PERFBOARD_TOOL(hot2c) {
  Arguments args("hot2c", "Compiles a description to a configuration image for the SMiLE monitor's FPGA.");
  std::string input = "-", output = "-";
  args.version("hot2c (Perfboard) " PERFBOARD_VERSION);
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
  return run("hot2c", input, [&](const std::string& text) {
    const std::vector<uint8_t> bytes = hot::assemble(hot::parse_description(text, input));
    Output out(output);
    out.write(std::string(bytes.begin(), bytes.end()));
    out.close();
  });
}

PERFBOARD_TOOL(hot2d) {
  Arguments args("hot2d", "Prints what is in a configuration image for the SMiLE monitor's FPGA.");
  std::string input = "-";
  args.version("hot2d (Perfboard) " PERFBOARD_VERSION);
  args.option("image", input, "the image, or what was read out of a flash; - or none is standard input");
  args.footer(
      "Exit status: 0 described, 1 the image is damaged (the message names the bit, counted from 0) or\n"
      "a file cannot be read or written, 2 a wrong command line.");
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  return run("hot2d", input, [](const std::string& bytes) {
    const smile::Image image = hot::disassemble({bytes.begin(), bytes.end()});
    const xc4000::Device& fpga = hot::device_of(image);
    Output out("-");
    out.print("# {}: {} frames of {} bits, {} bits in all, length count {}\n", fpga.name, fpga.frames,
              fpga.frame_bits, fpga.stream_bits(), fpga.length_count());
    if (!smile::image_fits(image)) out.print("# for no FPGA of this card: its PCI core is another one\n");
    out.write(hot::describe(image));
    out.close();
  });
}
