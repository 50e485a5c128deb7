// SPDX-License-Identifier: GPL-2.0-or-later
// hist3dcsv - a multidimensional histogram in CSV format from a histogram file (B.2.2).
#include <numeric>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(hist3dcsv) {
  using namespace perfboard;
  Tool tool("hist3dcsv",
            "Multidimensional histogram in CSV format from a histogram file. The bin address is cut\n"
            "into fields of the given widths, the last at its low end: field,...,field,count. The\n"
            "default is makeHist's: 10 bits of size and 12 bits of latency.");
  std::vector<unsigned> widths = {10, 12};
  tool.args.option("-b,--bits", widths, "widths of the fields, uppermost first")
      .type("LIST")
      .range(1u, 24u)
      .show_default();
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    const unsigned bits = std::accumulate(widths.begin(), widths.end(), 0u);
    if (bits > 24) throw UsageError("--bits", fmt::format("{} bits: a bin address has 24", bits));
    for (HistogramBin bin; read(in, bin);) {
      if (bin.address >> bits)
        in.fail(fmt::format("bin address {:06X} has more than the {} bits of the fields", bin.address, bits));
      unsigned shift = bits;
      for (unsigned width : widths) {
        shift -= width;
        out.number(bin.address >> shift & ((1u << width) - 1));
        out.put(',');
      }
      out.number(bin.count);
      out.put('\n');
    }
  });
}
