// SPDX-License-Identifier: GPL-2.0-or-later
// rxtVlat - receive time against latency in CSV format (B.2.2).
#include <optional>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"

PERFBOARD_TOOL(rxtVlat) {
  using namespace perfboard;
  Tool tool("rxtVlat",
            "Read a trace file from standard input and produce comma-separated receive time and\n"
            "latency. Input lines are truncated to 80 characters. The receive time is relative to that\n"
            "of the first entry, as in the figures of the paper.",
            false);
  const TimeUnit unit(tool.args);
  bool absolute = false;
  tool.args.flag("--absolute", absolute, "receive times as the board's clock had them");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    in.truncate(80);
    std::optional<uint64_t> first;
    for (TraceEntry e; read(in, e);) {
      const uint64_t now = e.receive_time();
      if (!first) first = absolute ? 0 : now;
      // Entries of a file that was put together from several may lie before the first.
      const bool before = now < *first;
      if (before) out.put('-');
      unit.put_time(out, before ? *first - now : now - *first);
      out.put(',');
      unit.put_latency(out, e.latency());
      out.put('\n');
    }
  });
}
