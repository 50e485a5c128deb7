// SPDX-License-Identifier: GPL-2.0-or-later
// latHist - packet latency histogram in CSV format from a trace file (B.2.2).
#include <map>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(latHist) {
  using namespace perfboard;
  Tool tool("latHist", "Packet latency histogram in CSV format from a trace file: latency,count.");
  const TimeUnit unit(tool.args);
  uint32_t width = 1;
  bool skip = false;
  tool.args.option("-w,--width", width, "latency units in a bin; a bin goes by its lowest latency")
      .range(1u, 1u << 24)
      .show_default();
  tool.args.flag("--skip-flagged", skip, "leave out entries with a latency overflow or underflow");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    std::map<uint32_t, uint64_t> bins;
    uint64_t flagged = 0;
    for (TraceEntry e; read(in, e);) {
      const bool flag = e.overflow() || e.underflow();
      flagged += flag;
      if (!(flag && skip)) bins[e.latency() / width * width]++;
    }
    for (const auto& [latency, count] : bins) {
      unit.put_latency(out, latency);
      out.print(",{}\n", count);
    }
    if (flagged)
      tool.note(fmt::format("{} entries with a latency overflow or underflow {}", flagged,
                            skip ? "left out" : "counted at the latency they were given"));
    if (skip && flagged && bins.empty()) tool.complain("--skip-flagged: no other entries");
  });
}
