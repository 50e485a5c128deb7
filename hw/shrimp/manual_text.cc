// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "hw/model/manual.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/timing.h"
#include "hw/shrimp/view.h"

namespace perfboard::sni {
namespace {

constexpr ManualPart kManual[] = {
    {"EISA slot registers (slot I/O, offset in the slot's 0xz000)", kIoRegisters},
    {"Registers (offset from BASE)", kRegisters},
    {"Page tables (offset of entry 0)", kTableEntries},
    {"Proxy window (128 MB at UDCR.BASE: a word for each word of memory)", kProxyRegisters},
};

}  // namespace

std::string manual_text() {
  std::string out = manual_tables(kManual);
  out += "### Counters (64 bits, read only, low word first)\n\n| Offset | Name | Counts |\n|---|---|---|\n";
  for (const Counter& c : kCounterTable)
    out += fmt::format("| 0x{:03X} | {} | {} |\n", kCounters + 8 * c.index, c.name, c.text);
  out += "\n### Latency terms (of delivered packets, ns; SUM 64 bits at +0, MIN at +8, MAX at +0xC)\n\n";
  out += "| Offset | Name | From, to |\n|---|---|---|\n";
  for (uint32_t i = 0; i < std::size(kTermTable); i++)
    out += fmt::format("| 0x{:03X} | {} | {} |\n", kTerms + 16 * i, kTermTable[i].name, kTermTable[i].text);
  out += "\n### Timing constants\n\n| Name | Value | Unit | What | Source |\n|---|---|---|---|---|\n";
  for (const Timing& t : kTimings)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", t.name, t.value, t.unit, t.text, t.source);
  return out + '\n';
}

}  // namespace perfboard::sni
