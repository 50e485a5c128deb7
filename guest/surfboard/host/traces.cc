// SPDX-License-Identifier: GPL-2.0-or-later
// Traces entry by entry (B.2.2).
#include <optional>

#include "guest/common/ranges.h"
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"

// rxtVlat - receive time against latency in CSV format (B.2.2).
PERFBOARD_TOOL(rxtVlat) {
  using namespace perfboard;
  Tool tool("rxtVlat",
            "Read a trace file from standard input and produce comma-separated receive time and\n"
            "latency. Input lines are truncated to 80 characters. The receive time is relative to that\n"
            "of the first entry, as in the figures of the paper.",
            false);
  const TimeUnit unit(tool.args);
  bool absolute = false;
  tool.args.flag("--absolute", absolute, "receive times as the board's clock had them");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    in.truncate(80);
    std::optional<uint64_t> first;
    for (TraceEntry e; read(in, e);) {
      const uint64_t now = e.receive_time();
      if (!first) first = absolute ? 0 : now;
      // Entries of a file that was put together from several may lie before the first.
      const bool before = now < *first;
      if (before) out.put('-');
      unit.put_time(out, before ? *first - now : now - *first);
      out.put(',');
      unit.put_latency(out, e.latency());
      out.put('\n');
    }
  });
}

// traceCheck - a brief report on a trace file (B.2.2).
PERFBOARD_TOOL(traceCheck) {
  using namespace perfboard;
  Tool tool("traceCheck",
            "Analyze a trace file: number of records, how often the receive time decreases,\n"
            "latency flags, and a histogram by sender ID.");
  return tool.run(argc, argv, [](Input& in, Output& out) {
    uint64_t records = 0, decreases = 0, overflows = 0, underflows = 0, senders[64] = {};
    uint64_t last = 0;
    for (TraceEntry e; read(in, e); records++) {
      if (records > 0 && e.receive_time() < last) decreases++;
      last = e.receive_time();
      overflows += e.overflow();
      underflows += e.underflow();
      senders[e.sender()]++;
    }
    out.print("Records:                {}\n", records);
    out.print("Receive time decreases: {}\n", decreases);
    out.print("Latency overflows:      {}\n", overflows);
    out.print("Latency underflows:     {}\n", underflows);
    out.print("Records by sender ID:\n");
    for (unsigned id = 0; id < 64; id++)
      if (senders[id]) out.print("  {:02X} {}\n", id, senders[id]);
  });
}

// traceFilter - keep the entries of a trace file that lie in given ranges (B.2.2).
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
