// SPDX-License-Identifier: GPL-2.0-or-later
// mkmerge - several nodes' MULTIKRON streams in the order of time.
#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_format.h"
#include "guest/multikron/host/mk_merge.h"
#include "guest/multikron/host/mk_problems.h"

PERFBOARD_TOOL(mkmerge) {
  using namespace perfboard;
  using namespace perfboard::mk;
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
  bool json = false, text = false, all_runs = false;
  Argument json_option = tool.args.flag("--json", json, "a JSON object in each line");
  tool.args.flag("--text", text, "lines as mkdump's").excludes(json_option);
  tool.args.flag("--all-runs", all_runs, "also what comes before the last common hardware reset");
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    Merge merge(options.streams(), options.long_gaps, all_runs);
    Problems problems(tool);
    Writer writer(options, out, json ? Format::kJson : text ? Format::kText : Format::kCsv);
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
