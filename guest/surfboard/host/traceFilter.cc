// SPDX-License-Identifier: GPL-2.0-or-later
// traceFilter - keep the entries of a trace file that lie in given ranges (B.2.2).
#include "guest/common/ranges.h"
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(traceFilter) {
  using namespace perfboard;
  Tool tool("traceFilter",
            "Filter a trace file on ranges of sender ID, latency, size and address page; an entry must\n"
            "be in all that are given. A range is LO-HI, LO-, -HI or one number, ends included.");
  tool.same_format = true;
  const TimeUnit unit(tool.args);
  std::string sender, latency, size, page;
  bool invert = false;
  tool.args.option("-s,--sender", sender, "sender ID, 0-63 (hex after 0x)").type("RANGE");
  tool.args.option("-l,--latency", latency, "latency, in the unit that --ticks chooses").type("RANGE");
  tool.args.option("-w,--size", size, "payload words, 1-1024").type("RANGE");
  tool.args.option("-p,--page", page, "address page, hex: the address without its last three digits")
      .type("RANGE");
  tool.args.flag("-v,--invert", invert, "keep the other entries instead");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    Selection<TraceEntry> selection;
    const auto range = [&](const char* option, const std::string& text, const NumberParser& number,
                           auto value_of) {
      if (text.empty()) return;
      const Range wanted = parse_range(option, text, number);
      selection.add(option, text, [=](const TraceEntry& e) { return wanted.has(value_of(e)); });
    };
    range("--sender", sender, decimal_or_hex, [](const TraceEntry& e) { return e.sender(); });
    range("--size", size, decimal_or_hex, [](const TraceEntry& e) { return e.size(); });
    range("--page", page, hexadecimal, [](const TraceEntry& e) { return e.page(); });
    range(
        "--latency", latency, [&](const std::string& t, uint64_t& v) { return unit.parse(t, v); },
        [&](const TraceEntry& e) { return unit.latency_ticks(e.latency()); });
    for (TraceEntry e; read(in, e);)
      if (selection.has(e) != invert) write(out, e);
    if (!invert)
      selection.finish(tool, "entries");
    else if (selection.seen() > 0 && selection.matched() == selection.seen())
      tool.complain(fmt::format("--invert: all {} entries are in the ranges", selection.seen()));
  });
}
