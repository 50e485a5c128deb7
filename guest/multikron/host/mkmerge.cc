// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of several nodes in the order of time: mkcollect live, mkmerge of streams that have ended.
#include <algorithm>
#include <map>

#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_merge.h"
#include "guest/multikron/host/mk_options.h"

namespace {

using namespace perfboard;
using namespace perfboard::mk;

struct FormatOptions {
  explicit FormatOptions(Tool& tool) {
    Argument json_option = tool.args.flag("--json", json, "a JSON object in each line");
    tool.args.flag("--text", text, "lines as mkdump's").excludes(json_option);
  }
  Format chosen() const { return json ? Format::kJson : text ? Format::kText : Format::kCsv; }

  bool json = false, text = false;
};

struct Total {
  uint64_t samples = 0, resource = 0, overruns = 0, resets = 0;
  int64_t first = INT64_MAX, last = INT64_MIN;

  void add(const Sample& s) {
    samples++;
    resource += s.resource();
    overruns += s.overrun();
    first = std::min(first, s.time);
    last = std::max(last, s.time);
  }
};

}  // namespace

PERFBOARD_TOOL(mkcollect) {
  Tool tool(
      "mkcollect",
      "Read the stream of all nodes of a cluster (multikron's collect=) while they run, and write their\n"
      "samples in the order of time, equal times by node, as CSV with a node column. At the end a line for\n"
      "each node tells what came of it, on standard error. A sample is held until one that is later by\n"
      "more than --window has come.",
      false);
  Options options(tool, Options::kOne);
  FormatOptions format(tool);
  uint64_t window = 1000;
  tool.args.option("--window", window, "microseconds that a sample may wait in its chip for those before it")
      .range(uint64_t{0}, uint64_t{1000000000})
      .show_default();
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    const Stream& stream = options.streams().front();
    StreamReader reader(stream.file, options.long_gaps, stream.only);
    reader.before_wait([&] { out.show(); });
    Problems problems(tool);
    Writer writer(options, out, format.chosen());
    Sorter sorter(static_cast<int64_t>(window * options.hz / 1000000),
                  [&](int node, const Sample& s) { writer.sample(fmt::to_string(node), s); });
    std::map<int, Total> totals;
    for (Item item; reader.next(item);) {
      if (item.kind == ItemKind::kFault) {
        problems.add(reader, item);
        continue;
      }
      Total& total = totals[item.node];
      if (item.kind == ItemKind::kReset) {
        total.resets++;
        continue;
      }
      total.add(item.sample);
      if (item.node >= 0 && options.selects(item.sample)) sorter.add(item.node, item.sample);
    }
    sorter.finish();
    out.close();
    for (const auto& [node, t] : totals) {
      if (node < 0) continue;
      tool.note(fmt::format(
          "node {}: {} samples, {} with counters, {} with overrun flags, {} resets{}", node, t.samples,
          t.resource, t.overruns, t.resets,
          t.samples ? fmt::format("; {} to {} us", options.us(t.first), options.us(t.last)) : std::string()));
    }
    problems.end(reader);
    options.finish();
    if (totals[-1].samples)
      tool.complain(fmt::format("{}: {} samples without a node left out; mkdump reads a stream of one node",
                                reader.name(), totals[-1].samples));
    if (sorter.late())
      tool.complain(fmt::format("{}: {} samples came too late for --window {}: they are not in their order",
                                reader.name(), sorter.late(), window));
    problems.finish();
  });
}

PERFBOARD_TOOL(mkmerge) {
  Tool tool(
      "mkmerge",
      "Merge the streams of several nodes by time, equal times in the order of the streams, to CSV with a "
      "node\n"
      "column. Timestamps count from the last hardware reset that all streams have; they are followed "
      "across\n"
      "the wrap of their 40 bits, as long as a node has a sample in every half epoch (15 h at 10 MHz).\n"
      "The output is text only: a network stream has no place for a node's number or for an epoch. The last\n"
      "common reset is known when every stream has ended, so nothing is printed before that.",
      false);
  Options options(tool, Options::kSeveral);
  FormatOptions format(tool);
  bool all_runs = false;
  tool.args.flag("--all-runs", all_runs, "also what comes before the last common hardware reset");
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    Merge merge(options.streams(), options.long_gaps, all_runs);
    Problems problems(tool);
    Writer writer(options, out, format.chosen());
    size_t stream = 0;
    for (Item item; merge.next(item, stream);) {
      const std::string& node = options.streams()[stream].node;
      if (item.kind == ItemKind::kFault)
        problems.add(merge.reader(stream), item);
      else if (item.kind == ItemKind::kReset)
        writer.reset(node, item);
      else if (options.selects(item.sample))
        writer.sample(node, item.sample);
    }
    out.close();
    merge.finish(tool, problems);
    options.finish();
    problems.finish();
  });
}
