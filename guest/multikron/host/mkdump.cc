// SPDX-License-Identifier: GPL-2.0-or-later
// mkdump - decode and check a stream of MULTIKRON's data collection network.
#include <map>

#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_options.h"

namespace {

using namespace perfboard;
using namespace perfboard::mk;

// What --check counts.
struct Totals {
  uint64_t samples = 0, trace = 0, fifo = 0, resource = 0, read = 0, hardware = 0, software = 0;
  uint64_t cpu[8] = {}, fault[kFaults] = {};
  std::map<int, uint64_t> node;

  void add(const Item& item) {
    switch (item.kind) {
      case ItemKind::kSample:
        samples++;
        trace += !item.sample.resource();
        fifo += item.sample.fifo_overrun();
        resource += item.sample.resource_overrun();
        read += item.sample.read_error();
        cpu[item.sample.cpu()]++;
        if (item.node >= 0) node[item.node]++;
        break;
      case ItemKind::kReset:
        (item.event == MK_EVENT_HARDWARE_RESET ? hardware : software)++;
        break;
      case ItemKind::kFault:
        fault[static_cast<unsigned>(item.fault)]++;
        break;
    }
  }
  uint64_t of(Fault f) const { return fault[static_cast<unsigned>(f)]; }
  uint64_t errors() const {
    uint64_t sum = read;
    for (unsigned f = 0; f < kFaults; f++)
      if (is_error(static_cast<Fault>(f))) sum += fault[f];
    return sum;
  }

  void print(Output& out, const std::string& name) const {
    out.print("{}: {}\n", name, errors() ? "BAD" : samples ? "good" : "EMPTY");
    const auto line = [&](std::string_view what, uint64_t n) { out.print("  {:<34}{:>12}\n", what, n); };
    line("samples", samples);
    line("  trace", trace);
    line("  resource", samples - trace);
    for (unsigned c = 0; c < 8; c++)
      if (cpu[c]) line(fmt::format("  of CPU {}", c), cpu[c]);
    for (const auto& [n, count] : node) line(fmt::format("  of node {}", n), count);
    line("FIFO overrun flags", fifo);
    line("resource overrun flags", resource);
    line("read error flags (an error)", read);
    line("hardware resets", hardware);
    line("software resets", software);
    line("samples cut off by resets", of(Fault::kCut));
    line("begins within a sample", of(Fault::kStartsInside));
    line("parity errors", of(Fault::kParity));
    line("framing: end flags", of(Fault::kLength));
    line("framing: sample types", of(Fault::kType));
    line("framing: words", of(Fault::kBits) + of(Fault::kEvent));
    if (of(Fault::kNodeInside)) line("framing: nodes", of(Fault::kNodeInside));
    line("Timestamp goes back", of(Fault::kBackwards));
    line("ends within a sample", of(Fault::kTruncated));
    line("ends within a word", of(Fault::kOddByte));
  }
};

// Of a stream of several nodes the one that it names.
std::string label_of(const Item& item, const Stream& stream) {
  return item.node < 0 ? stream.node : fmt::to_string(item.node);
}

}  // namespace

PERFBOARD_TOOL(mkdump) {
  Tool tool("mkdump",
            "Decode a stream of MULTIKRON's data collection network (hw/multikron/stream.h) to text. Damaged "
            "samples\n"
            "are named and left out, decoding goes on after the next end flag.",
            false);
  Options options(tool, Options::kOne);
  bool csv = false, json = false, check = false;
  Argument csv_option =
      tool.args.flag("--csv", csv, "comma-separated values with a header line; samples only");
  Argument json_option = tool.args.flag("--json", json, "a JSON object in each line").excludes(csv_option);
  tool.args
      .flag(
          "--check", check,
          "only a verdict and totals of the whole stream: good; BAD, if anything is wrong; EMPTY, if there "
          "is\n"
          "no sample (both: exit code 1). Overruns are no errors of the stream, nor are resets, or a stream\n"
          "that begins within a sample")
      .excludes(csv_option)
      .excludes(json_option);
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    const Stream& stream = options.streams().front();
    StreamReader reader(stream.file, options.long_gaps, stream.only);
    reader.before_wait([&] { out.show(); });
    Problems problems(tool);
    Item item;
    if (check) {
      Totals totals;
      while (reader.next(item)) {
        totals.add(item);
        if (item.kind == ItemKind::kFault) problems.add(reader, item);
      }
      totals.print(out, reader.name());
      out.close();
      problems.end(reader);
      problems.finish();
      if (totals.read) throw FileError(fmt::format("{}: {} read error flags", reader.name(), totals.read));
      return;
    }
    Writer writer(options, out, csv ? Format::kCsv : json ? Format::kJson : Format::kText);
    while (reader.next(item)) {
      if (item.kind == ItemKind::kFault)
        problems.add(reader, item);
      else if (item.kind == ItemKind::kReset)
        writer.reset(label_of(item, stream), item);
      else if (options.selects(item.sample))
        writer.sample(label_of(item, stream), item.sample);
    }
    out.close();
    problems.end(reader);
    options.finish();
    problems.finish();
  });
}
