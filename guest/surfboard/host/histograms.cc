// SPDX-License-Identifier: GPL-2.0-or-later
// Histograms of traces, and what is made of histograms (B.2.2).
#include <map>
#include <numeric>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"
#include "hw/model/number.h"

// sizeHist - packet size histogram in CSV format from a trace file (B.2.2).
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

// latHist - packet latency histogram in CSV format from a trace file (B.2.2).
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

// pageHist - page address histogram in CSV format from a trace file (B.2.2).
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

// makeHist - a histogram file from a trace file (B.2.2).
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

// histfold - fold a histogram file under a mask (B.2.2).
PERFBOARD_TOOL(histfold) {
  using namespace perfboard;
  Tool tool("histfold",
            "Fold a (multidimensional) histogram file: add up the counts of all bins whose addresses\n"
            "are the same under a mask. The addresses keep their bits in place, others become 0.");
  tool.same_format = true;
  std::string mask_text;
  tool.args.option("-m,--mask", mask_text, "address bits to keep, hex").required().type("HEX");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    uint64_t mask;
    if (!parse_hex_number(mask_text, mask) || mask > 0xFFFFFF)
      throw UsageError("--mask", show_word(mask_text) + ": expected up to 6 hexadecimal digits");
    std::map<uint32_t, uint64_t> sums;
    for (HistogramBin bin; read(in, bin);) {
      uint64_t& sum = sums[bin.address & static_cast<uint32_t>(mask)];
      sum += bin.count;
      if (sum > UINT32_MAX)
        in.fail(fmt::format("the sum at {:06X} needs more than 32 bits", bin.address & mask));
    }
    for (const auto& [address, sum] : sums) write(out, HistogramBin{address, static_cast<uint32_t>(sum)});
  });
}

// hist3dcsv - a multidimensional histogram in CSV format from a histogram file (B.2.2).
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
