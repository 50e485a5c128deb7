// SPDX-License-Identifier: GPL-2.0-or-later
// mk - the MULTIKRON from the command line: state, settings, samples, and running programs traced.
// Exit code 0; 1 if the card or the system refuses; 2 for a wrong command line. `mk trace`: the program's.
#include <cstdio>
#include <vector>

#include "guest/common/arguments.h"
#include "guest/common/program.h"
#include "guest/common/tool_main.h"
#include "guest/multikron/cmd/card.h"

namespace perfboard::mk {

// The registers as text, by the paper's names; as CSV, "name,value" in sysfs's names.

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
    const std::string_view input = input_name(MKR_MUX_GET(i, mux));
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

namespace {

// What the command line says, whatever the command.
struct Words {
  std::string device = MK_DEVICE;
  bool csv = false, resource = false, only_me = false;
  unsigned counts = 0;
  std::string set, number, line, value, input, level, data, source;
  std::vector<std::string> csr, command;
};

[[noreturn]] void run_traced(const Words& w) {
  {
    Card card(w.device);
    const uint32_t flags = (w.only_me ? 0 : MK_TRACE_CHILDREN) | (w.source.empty() ? 0 : MK_TRACE_SOURCE);
    const uint64_t source = w.source.empty() ? 0 : legal_number(w.source, UINT32_MAX);
    if (mk_trace_me(flags, static_cast<uint32_t>(source)) < 0) throw system_failure("trace");
  }
  become("mk: ", w.command);
}

void csr(Card& card, const Words& w) {
  uint32_t commands = 0;
  for (const std::string& word : w.csr) commands |= parse_csr(word);
  if (!w.csr.empty()) return card.set(MKR_CSR, commands, "csr");
  const auto value = static_cast<uint32_t>(card.get(MKR_CSR));
  if (w.csv)
    fmt::print("csr\n0x{:08x}\n", value);
  else
    fmt::print("CSR {:08X}  {}\n", value, csr_text(value));
}

void filter(Card& card, const Words& w) {
  if (!w.set.empty()) return card.set(MKR_FILTER, parse_set(w.set), "filter");
  const auto value = static_cast<uint16_t>(card.get(MKR_FILTER));
  if (w.csv)
    fmt::print("filter\n0x{:04x}\n", value);
  else
    fmt::print("Filter {:04X}  levels {}\n", value, set_text(value));
}

void counter(Card& card, const Words& w) {
  const uint16_t set = w.set.empty() ? 0xffff : parse_set(w.set);
  if (!w.counts) return show_counters(card, set, w.csv);
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    for (unsigned n = 0; set >> i & 1 && n < w.counts; ++n)
      if (MK_COUNT(i)) throw system_failure("counter");
}

void mux(Card& card, const Words& w) {
  const uint16_t set = parse_set(w.set);
  const unsigned input = parse_input(w.input);
  uint64_t value = card.get(MKR_MUXSEL);
  for (unsigned i = 0; i < MKR_COUNTERS; ++i)
    if (set >> i & 1) value = (value & ~MKR_MUX_FIELD(i)) | MKR_MUX_PUT(i, input);
  card.set(MKR_MUXSEL, value, "mux");
}

void clear(Card& card, const Words& w) {
  if (w.set == "waits")
    card.set(MKR_WAIT, 0, "clear waits");
  else if (w.set == "overruns")
    card.set(MKR_OVERRUN, 0, "clear overruns");
  else
    card.set(MKR_RRESET, parse_set(w.set), "clear");
}

void source(Card& card, const Words& w) {
  if (w.line.empty()) return show_sources(card, w.csv);
  const auto line = static_cast<unsigned>(legal_number(w.line, MKR_SOURCES - 1));
  if (!w.value.empty()) return card.set(MKR_SOURCE(line), legal_number(w.value, UINT32_MAX), "source");
  fmt::print("0x{:08x}\n", card.get(MKR_SOURCE(line)));
}

void sample(Card&, const Words& w) {
  const auto level = static_cast<unsigned>(legal_number(w.level, MKR_LEVELS - 1));
  const uint64_t data = legal_number(w.data, MKR_SAMPLE_DATA_MASK);
  if (w.resource)
    MK_RESOURCE(level, data);
  else
    MK_TRACE(level, data);
}

// `mk [options] trace [options] [--] COMMAND...`: the command's words are none of ours, whatever they look
// like. Where they begin, or argc.
int command_begins(int argc, char** argv) {
  bool trace = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-d" || word == "--device" || word == "--source") {
      ++i;
    } else if (!word.starts_with("-")) {
      if (trace) return i;
      if (word != "trace") return argc;
      trace = true;
    } else if (trace && word == "--") {
      return i;
    }
  }
  return argc;
}

int run(int argc, char** argv) {
  Words w;
  const int begin = command_begins(argc, argv);
  w.command.assign(argv + begin, argv + argc);
  if (!w.command.empty() && w.command[0] == "--") w.command.erase(w.command.begin());
  Arguments args("mk",
                 "The MULTIKRON performance instrumentation chip: settings, counters, samples.\n"
                 "A SET is 0,3-5 or a mask 0x39, or all, or none.");
  args.version("mk " PERFBOARD_VERSION);
  args.option("-d,--device", w.device, "the card").show_default();
  args.flag("--csv", w.csv, "what is shown as comma-separated values");

  using Work = void (*)(Card&, const Words&);
  const auto command = [&](const char* name, const char* what, Work work) -> Arguments& {
    return args.command(name, what, [&w, work] {
      Card card(w.device);
      work(card, w);
    });
  };
  command("status", "All registers", [](Card& c, const Words& o) { show_status(c, o.csv); });
  command("time", "The Timestamp", [](Card& c, const Words& o) { show_time(c, o.csv); });
  command("reset", "Software reset; the Timestamp goes on",
          [](Card& c, const Words&) { c.set(MKR_RESET, 0, "reset"); });
  command("csr", "Control and Status Register: show, or give commands", csr)
      .option(
          "COMMAND", w.csr,
          "sampling, no-sampling, wait, no-wait, read-wait, no-read-wait, slow-1us, slow-10us, or a number");
  command("filter", "Filter Register: the levels whose samples are taken", filter)
      .option("SET", w.set, "of levels");
  Arguments& counters = command("counter", "Resource counters: show, or count in software", counter);
  counters.option("SET", w.set, "of counters (all)");
  counters.option("--count", w.counts, "this many software counts in each");
  Arguments& inputs = command("mux", "MUX SEL Register: what counters count", mux);
  inputs.option("SET", w.set, "of counters").required();
  inputs.option("INPUT", w.input, input_words()).required();
  command("enable", "Let counters count",
          [](Card& c, const Words& o) { c.set(MKR_ENABLE, parse_set(o.set), "enable"); })
      .option("SET", w.set, "of counters")
      .required();
  command("disable", "Stop counters",
          [](Card& c, const Words& o) { c.set(MKR_DISABLE, parse_set(o.set), "disable"); })
      .option("SET", w.set, "of counters")
      .required();
  command("clear", "Counters, or the wait or overrun counter, to 0", clear)
      .option("SET", w.set, "of counters; or: waits, overruns")
      .required();
  Arguments& sources = command("source", "Source Address registers: show, or load one", source);
  sources.option("LINE", w.line, "CPU ID line");
  sources.option("VALUE", w.value, "node.process, 32 bits");
  Arguments& samples = command("sample", "Take a sample", sample);
  samples.flag("-r,--resource", w.resource, "with the resource counters");
  samples.option("FILTER", w.level, "level, 0 to 15").required();
  samples.option("DATA", w.data, "48 bits").required();

  Arguments& trace = args.command(
      "trace", "Run a program whose samples carry its source: mk trace [OPTIONS] [--] COMMAND...", [&w] {
        if (w.command.empty()) Arguments::missing("COMMAND");
        run_traced(w);
      });
  trace.option("--source", w.source,
               "the source, for its children too (node << 16 | process number of each)");
  trace.flag("--only-me", w.only_me, "children are not traced");

  try {
    if (const std::optional<int> status = args.parse(begin, argv)) return *status;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "mk: %s\n", e.what());
    return 2;
  } catch (const Failure& e) {
    std::fprintf(stderr, "mk: %s\n", e.what());
    return 1;
  }
  return std::fflush(stdout) ? 1 : 0;
}

}  // namespace
}  // namespace perfboard::mk

PERFBOARD_TOOL(mk) { return perfboard::mk::run(argc, argv); }
