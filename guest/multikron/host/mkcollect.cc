// SPDX-License-Identifier: GPL-2.0-or-later
// mkcollect - the samples of all nodes, live, in the order of time.
#include <algorithm>
#include <map>

#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_format.h"
#include "guest/multikron/host/mk_problems.h"
#include "guest/multikron/host/mk_sorter.h"

namespace {

using namespace perfboard;
using namespace perfboard::mk;

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
  bool json = false, text = false;
  uint64_t window = 1000;
  Argument json_option = tool.args.flag("--json", json, "a JSON object in each line");
  tool.args.flag("--text", text, "lines as mkdump's").excludes(json_option);
  tool.args.option("--window", window, "microseconds that a sample may wait in its chip for those before it")
      .range(uint64_t{0}, uint64_t{1000000000})
      .show_default();
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    const Stream& stream = options.streams().front();
    StreamReader reader(stream.file, options.long_gaps, stream.only);
    reader.before_wait([&] { out.show(); });
    Problems problems(tool);
    Writer writer(options, out, json ? Format::kJson : text ? Format::kText : Format::kCsv);
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
