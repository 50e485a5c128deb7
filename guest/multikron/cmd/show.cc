// SPDX-License-Identifier: GPL-2.0-or-later
// The registers as text, by the paper's names; as CSV, "name,value" in sysfs's names.
#include <cstdio>

#include "guest/multikron/cmd/card.h"

namespace perfboard::mk {
namespace {

using fmt::print;

std::string hz(uint32_t value) {
  if (value % 1000000 == 0) return fmt::format("{} MHz", value / 1000000);
  if (value % 1000 == 0) return fmt::format("{} kHz", value / 1000);
  return fmt::format("{} Hz", value);
}

// CSV: a number, or nothing if the chip did not tell it.
std::string counter_csv(uint64_t value) { return value & MKR_COUNTER_ERROR ? "" : std::to_string(value); }

std::string counter_text(uint64_t value) {
  if (value & MKR_COUNTER_ERROR) return "busy";  // Table 3A
  if (value == 0xffffffff) return "4294967295 (full)";
  return std::to_string(value);
}

std::string lines_text(const mk_info& info) {
  std::string text;
  for (unsigned line = 0; line < info.lines; ++line)
    text += fmt::format("{}{} CPU {}", line ? ", " : "", line, info.cpu[line]);
  return text;
}

void status_csv(const Card& card) {
  const mk_info& info = card.info();
  print("name,value\n");
  print("node_hz,{}\ntimestamp_hz,{}\nfifo_depth,{}\nlines,{}\n", info.node_hz, info.timestamp_hz,
        info.fifo_depth, info.lines);
  print("csr,0x{:08x}\ntimestamp,{}\nfilter,0x{:04x}\n", card.get(MKR_CSR), card.get(MKR_TIMESTAMP),
        card.get(MKR_FILTER));
  print("wait_count,{}\noverrun_count,{}\n", card.get(MKR_WAIT), card.get(MKR_OVERRUN));
  print("mux_sel,0x{:016x}\nenable,0x{:04x}\n", card.get(MKR_MUXSEL), card.get(MKR_ENABLE));
  for (unsigned line = 0; line < MKR_SOURCES; ++line)
    print("source{},0x{:08x}\n", line, card.get(MKR_SOURCE(line)));
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    print("counter{},{}\n", i, counter_csv(card.get(MKR_COUNTER(i))));
}

}  // namespace

void show_time(const Card& card, bool csv) {
  const uint64_t ticks = card.get(MKR_TIMESTAMP);
  const double seconds = static_cast<double>(ticks) / card.info().timestamp_hz;
  if (csv)
    print("timestamp,seconds\n{},{:.7f}\n", ticks, seconds);
  else
    print("Timestamp        {} ({:.7f} s since hardware reset)\n", ticks, seconds);
}

void show_sources(const Card& card, bool csv) {
  const mk_info& info = card.info();
  if (csv) print("line,cpu,source\n");
  for (unsigned line = 0; line < MKR_SOURCES; ++line) {
    const auto source = static_cast<uint32_t>(card.get(MKR_SOURCE(line)));
    const bool wired = line < info.lines;
    const std::string cpu = wired ? std::to_string(info.cpu[line]) : "";
    if (csv)
      print("{},{},0x{:08x}\n", line, cpu, source);
    else if (wired || source)
      print("Source Address {} {:08X}  node {}, process {}{}\n", line, source, MKR_GET(SOURCE_NODE, source),
            MKR_GET(SOURCE_PROCESS, source), wired ? "" : "; this CPU ID line is not connected");
  }
}

void show_counters(const Card& card, uint16_t set, bool csv) {
  const uint64_t mux = card.get(MKR_MUXSEL), enabled = card.get(MKR_ENABLE);
  print("{}", csv ? "counter,input,enabled,value\n" : "Counter  input  enabled  value\n");
  for (unsigned i = 0; i < MKR_COUNTERS; ++i) {
    if (!(set >> i & 1)) continue;
    const char* input = input_name(MKR_MUX_GET(i, mux));
    const bool on = enabled >> i & 1;
    const uint64_t value = card.get(MKR_COUNTER(i));
    if (csv)
      print("{},{},{},{}\n", i, input, int{on}, counter_csv(value));
    else
      print("{:>7}  {:<5}  {:<7}  {}\n", i, input, on ? "yes" : "no", counter_text(value));
  }
}

void show_status(const Card& card, bool csv) {
  if (csv) return status_csv(card);
  const mk_info& info = card.info();
  const auto csr = static_cast<uint32_t>(card.get(MKR_CSR));
  const auto filter = static_cast<uint16_t>(card.get(MKR_FILTER));
  const uint64_t waits = card.get(MKR_WAIT);
  print("multikron{}: node clock {}, Timestamp clock {}, FIFO of {} samples, node {}\n", info.index,
        hz(info.node_hz), hz(info.timestamp_hz), info.fifo_depth, info.node);
  print("CPU ID lines     {}\n", lines_text(info));
  print("CSR              {:08X}  {}\n", csr, csr_text(csr));
  print(
      "                 FIFO full {}, FIFO overrun {}, shadow registers full {}, shadow register overrun {}, "
      "129th bit {}\n",
      int{(csr & MKR_CSR_FFULL) != 0}, int{(csr & MKR_CSR_FOV) != 0}, int{(csr & MKR_CSR_SHFULL) != 0},
      int{(csr & MKR_CSR_SHOV) != 0}, int{(csr & MKR_CSR_BIT128) != 0});
  show_time(card, false);
  print("Filter           {:04X}  levels {}\n", filter, set_text(filter));
  print("Wait Counter     {} node clocks ({:.3f} us)\n", waits,
        static_cast<double>(waits) * 1e6 / info.node_hz);
  print("Overrun Counter  {} samples\n", card.get(MKR_OVERRUN));
  show_sources(card, false);
  print("MUX SEL          {:016X}\n", card.get(MKR_MUXSEL));
  print("Enable           {:04X}\n", card.get(MKR_ENABLE));
  show_counters(card, 0xffff, false);
}

}  // namespace perfboard::mk
