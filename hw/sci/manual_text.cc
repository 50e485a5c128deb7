// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <memory>

#include "hw/model/manual.h"
#include "hw/sci/model.h"
#include "hw/sci/view.h"

namespace perfboard::sci {
namespace {

constexpr ManualPart kManual[] = {
    {"Registers (offset in BAR 0)", kRegisters},
    {"Statistics of node n (offset from 0x1000 + 0x80 n; 64 bits each)", kStatistics},
    {"Address translation table (entry of page p at 0x40000 + 4 p)", kTable},
    {"Packets on a B-Link (bit numbers of upper halves are the word's, less 32)", kPacket, Resets::kNone},
};

// A piece's packets through an empty ring, when the access is at 0 ns.
Schedule alone(uint32_t nodes, uint32_t ringlet, uint8_t to, sci_what what) {
  const auto a = std::make_unique<SciAdapter>();
  const SciConfig config = {.nodes = nodes, .size = SCI_LEAST_SIZE, .latency = true, .ringlet = ringlet};
  const PbHost host = {};
  sci_init(a.get(), &config, &host);
  return schedule(a.get(), {0, what, 0, to, 0xff, false, nullptr}, 0, 0);
}

}  // namespace

std::string manual_text() {
  std::string out = manual_tables(kManual);
  out += "### Timing constants\n\n| Name | Value | Unit | What | Source |\n|---|---|---|---|---|\n";
  for (const Timing& t : kTimings)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", t.name, t.value, t.unit, t.text, t.source);
  out +=
      "\n### What follows from them (empty ring, access at 0 ns; ns)\n\n"
      "| Nodes, ringlet | From, to | Request out | Request in | Response out | Response in | Load waits | "
      "Store outstanding |\n"
      "|---|---|---|---|---|---|---|---|\n";
  struct Way {
    uint32_t nodes, ringlet;
    uint8_t to;
  };
  for (const Way& w : {Way{2, 8, 1}, {4, 8, 1}, {4, 8, 3}, {8, 8, 4}, {4, 2, 2}, {32, 8, 31}, {32, 2, 31}}) {
    const Schedule r = alone(w.nodes, w.ringlet, w.to, SCI_READ);
    out +=
        fmt::format("| {}, {} | 0, {} | {} | {} | {} | {} | {} | {} |\n", w.nodes, w.ringlet, w.to, r.at[0],
                    r.at[1], r.at[2], r.at[3], r.ends, alone(w.nodes, w.ringlet, w.to, SCI_WRITE).ends);
  }
  return out + '\n';
}

}  // namespace perfboard::sci
