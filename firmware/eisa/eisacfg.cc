// SPDX-License-Identifier: GPL-2.0-or-later
//
// eisacfg - checks EISA configuration files, and says what the boards ask for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "firmware/eisa/cfg.h"
#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"

using namespace perfboard;
using namespace perfboard::eisa;

namespace {

// Not fmt::print: that throws if standard error is closed.
void complain(const std::string& text) { fputs(text.c_str(), stderr); }

std::string size_of(uint64_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{}M", bytes >> 20)
         : bytes % 1024 == 0    ? fmt::format("{}K", bytes >> 10)
                                : fmt::format("{}", bytes);
}

std::string resources(const CfgGroup& g) {
  std::string text;
  for (const CfgMemory& m : g.memories)
    text += fmt::format("{}{} of memory at {:08X}", text.empty() ? "" : ", and ", size_of(m.bytes),
                        fmt::join(m.addresses, " | "));
  if (!g.irqs.empty())
    text += fmt::format("{}IRQ {}, by level, may be shared", text.empty() ? "" : ", and ",
                        fmt::join(g.irqs, " | "));
  return text.empty() ? "nothing" : text;
}

std::string describe(const CfgFile& f) {
  std::string text = fmt::format("{}  {}\n", f.says("ID"), f.says("NAME"));
  const std::string* function = nullptr;
  for (const CfgGroup& g : f.groups) {
    const bool first = !function || *function != g.function;
    text += fmt::format("  {:<28} {}{}{}\n", first ? g.function : "", first ? "" : "or ",
                        g.disables ? "does without: " : "", resources(g));
    function = &g.function;
  }
  text += "  written, in this order      ";
  for (const auto& [n, offset] : f.ports) text += fmt::format(" n{:03X}", offset);
  return text + "\n";
}

// For rom/rom.c, which says what each member is.
std::string as_c(const std::vector<CfgFile>& files) {
  size_t memories = 1, ports = 1, functions = 1, choice = 0;
  std::string choices, boards;
  for (const CfgFile& f : files) {
    const size_t first = choice;
    ports = std::max(ports, f.ports.size());
    functions = std::max(functions, f.functions.size());
    for (const CfgGroup& g : f.groups) {
      memories = std::max(memories, g.memories.size());
      if (g.disables) continue;  // nobody is there to choose it
      const auto function =
          std::find(f.functions.begin(), f.functions.end(), g.function) - f.functions.begin();
      for (size_t n = 0; n < g.alternatives(); ++n, ++choice) {
        const CfgBytes value = cfg_value(f, g, n);
        std::string windows, bytes;
        for (const CfgMemory& m : g.memories)
          windows += fmt::format("{{ 0x{:x}, 0x{:x} }}, ", m.addresses[n], m.bytes);
        for (const auto& [number, offset] : f.ports)
          bytes += fmt::format("{}, ", value.count(offset) ? value.at(offset) : 0);
        choices += fmt::format(
            "  {{ .function = {}, .irq = {}, .memories = {}, .memory = {{ {}}}, .value = {{ {}}} }},\n",
            function, g.irqs.empty() ? 0 : g.irqs[n], g.memories.size(),
            windows.empty() ? "{ 0, 0 } " : windows, bytes);
      }
    }
    std::string offsets;
    for (const auto& [number, offset] : f.ports) offsets += fmt::format("0x{:x}, ", offset);
    boards += fmt::format(
        "  {{ .id = 0x{:08x}, .name = \"{}\", .functions = {}, .ports = {}, .port = {{ {}}}, .first = {}, "
        ".end = {} }},\n",
        f.product_id(), f.says("ID"), f.functions.size(), f.ports.size(), offsets, first, choice);
  }
  return fmt::format(
      "/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* Made by eisacfg --c. */\n#define MOST_FUNCTIONS "
      "{}\n#define MOST_MEMORIES {}\n#define MOST_PORTS {}\n#include "
      "\"firmware/eisa/rom/tables.h\"\n\nstatic const struct choice choices[] = {{\n{}}};\n\nstatic const "
      "struct board boards[] = {{\n{}}};\n",
      functions, memories, ports, choices, boards);
}

}  // namespace

PERFBOARD_TOOL(eisacfg) {
  Arguments args("eisacfg", "Checks EISA configuration files, and says what each board asks for.");
  std::vector<std::string> inputs;
  std::string output = "-";
  bool c = false;
  args.option("FILE", inputs, "such as '!PRU0010.CFG'; - is standard input").required();
  args.option("-o,--output", output, "not standard output");
  args.flag("--c", c, "as tables for the configuration ROM");
  args.footer(
      "Read are BOARD, IOPORT (SIZE = BYTE), FUNCTION, CHOICE, SUBCHOICE, LINK, FREE, MEMORY, IRQ and INIT. "
      "Of each list the n-th\n"
      "alternative goes with the n-th of the others.\n"
      "Exit status: 0 all is well, 1 an error in a file (file, line and what) or a file cannot be read or "
      "written, 2 a wrong command line.");
  args.version("eisacfg (Perfboard) " PERFBOARD_VERSION);
  hold_standard_descriptors();
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  try {
    std::vector<CfgFile> files;
    for (const std::string& input : inputs) {
      if (is_same_file(input, output)) {
        complain(fmt::format("eisacfg: --output: {} is a configuration file: it would be lost\n", output));
        return 2;
      }
      files.push_back(read_cfg(input, read_all(input)));
    }
    Output out(output);
    if (c)
      out.write(as_c(files));
    else
      for (const CfgFile& f : files) out.write(describe(f));
    out.close();
    return 0;
  } catch (const CfgError& e) {
    complain(fmt::format("{}\n", e.what()));
  } catch (const FileError& e) {
    complain(fmt::format("eisacfg: {}\n", e.what()));
  }
  return 1;
}
