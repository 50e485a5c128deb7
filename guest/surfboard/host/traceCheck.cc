// SPDX-License-Identifier: GPL-2.0-or-later
// traceCheck - a brief report on a trace file (B.2.2).
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"

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
