// SPDX-License-Identifier: GPL-2.0-or-later
// makeHist - a histogram file from a trace file (B.2.2).
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(makeHist) {
  using namespace perfboard;
  Tool tool("makeHist",
            "Convert a trace file to a histogram file. A bin address is the 10-bit packet size (0 for\n"
            "1024 words) followed by the low 12 bits of the latency.");
  return tool.run(argc, argv, [](Input& in, Output& out) {
    std::vector<uint32_t> bins(1u << 22);
    for (TraceEntry e; read(in, e);) {
      uint32_t& bin = bins[e.raw_size() << 12 | (e.latency() & 0xFFF)];
      if (++bin == 0) in.fail("more than 32 bits of packets in one bin");
    }
    for (uint32_t address = 0; address < bins.size(); address++)
      if (bins[address]) write(out, HistogramBin{address, bins[address]});
  });
}
