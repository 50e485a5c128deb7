// SPDX-License-Identifier: GPL-2.0-or-later
// sizeHist - packet size histogram in CSV format from a trace file (B.2.2).
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(sizeHist) {
  using namespace perfboard;
  Tool tool("sizeHist",
            "Packet size histogram in CSV format from a trace file: payload words,count. The 10-bit\n"
            "size of a trace entry is 0 for a packet of 1024 words.");
  return tool.run(argc, argv, [](Input& in, Output& out) {
    std::vector<uint64_t> counts(1025);
    for (TraceEntry e; read(in, e);) counts[e.size()]++;
    for (size_t size = 1; size < counts.size(); size++)
      if (counts[size]) out.print("{},{}\n", size, counts[size]);
  });
}
