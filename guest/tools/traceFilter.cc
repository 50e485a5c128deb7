// SPDX-License-Identifier: GPL-2.0-or-later
// traceFilter - keep the entries of a trace file that lie in given ranges (B.2.2).
#include "guest/tools/tool.h"

int main(int argc, char** argv) {
  using namespace perfboard;
  Tool tool("traceFilter",
            "Filter a trace file on ranges of sender ID, latency, size and address page; an entry must\n"
            "be in all that are given. A range is LO-HI, LO-, -HI or one number, ends included.");
  const TimeUnit unit(tool.app);
  std::string sender, latency, size, page;
  bool invert = false;
  tool.app.add_option("-s,--sender", sender, "sender ID, 0-63 (hex after 0x)")->type_name("RANGE");
  tool.app.add_option("-l,--latency", latency, "latency, in the unit that --ticks chooses")
      ->type_name("RANGE");
  tool.app.add_option("-w,--size", size, "payload words, 1-1024")->type_name("RANGE");
  tool.app.add_option("-p,--page", page, "address page, hex: the address without its last three digits")
      ->type_name("RANGE");
  tool.app.add_flag("-v,--invert", invert, "keep the other entries instead");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    const auto range = [](const char* option, const std::string& text, const NumberParser& number) {
      return text.empty() ? Range{} : parse_range(option, text, number);
    };
    const Range senders = range("--sender", sender, parse_number);
    const Range sizes = range("--size", size, parse_number);
    const Range pages = range("--page", page, parse_hex_number);
    const Range latencies =
        range("--latency", latency, [&](const std::string& t, uint64_t& v) { return unit.parse(t, v); });
    for (TraceEntry e; read(in, e);) {
      const bool inside = senders.has(e.sender()) && sizes.has(e.size()) && pages.has(e.page()) &&
                          latencies.has(unit.latency_ticks(e.latency()));
      if (inside != invert) out.put(e);
    }
  });
}
