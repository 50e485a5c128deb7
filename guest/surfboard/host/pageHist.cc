// SPDX-License-Identifier: GPL-2.0-or-later
// pageHist - page address histogram in CSV format from a trace file (B.2.2).
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(pageHist) {
  using namespace perfboard;
  Tool tool("pageHist",
            "Page address histogram in CSV format from a trace file: page,count. A page is the packet\n"
            "address divided by 4096, in decimal.");
  bool hex = false;
  tool.args.flag("-x,--hex", hex, "pages in hexadecimal");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    std::vector<uint64_t> counts(1u << 15);  // address bits 26..12
    for (TraceEntry e; read(in, e);) counts[e.page()]++;
    for (size_t page = 0; page < counts.size(); page++) {
      if (!counts[page]) continue;
      if (hex)
        out.print("{:X},{}\n", page, counts[page]);
      else
        out.print("{},{}\n", page, counts[page]);
    }
  });
}
