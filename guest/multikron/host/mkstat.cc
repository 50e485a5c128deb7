// SPDX-License-Identifier: GPL-2.0-or-later
// mkstat - time in states, points, counter rates and histograms from MULTIKRON streams.
#include <cmath>

#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_picture.h"
#include "guest/multikron/host/mk_tables.h"

namespace {

using namespace perfboard;
using namespace perfboard::mk;

void print_visit(const Options& options, Output& out, const std::string& node, const Visit& v) {
  const auto field = [&](auto number) {
    out.number(number);
    out.put(',');
  };
  const auto time = [&](int64_t ticks) {
    options.put_us(out, ticks);
    out.put(',');
  };
  out.write(node);
  out.put(',');
  field(v.cpu);
  field(v.source);
  field(v.state);
  out.write(options.names.of(v.state).text);
  out.put(',');
  field(v.argument);
  field(v.depth);
  time(v.start);
  time(v.end);
  time(static_cast<int64_t>(v.self()));
  out.write(v.exited ? "1," : "0,");
  out.write(v.lost ? "1," : "0,");
  out.number(v.run);
  out.put('\n');
}

void print_interval(const Options& options, Output& out, const std::string& node, const Interval& i) {
  out.print("{},{},{},{},{},{},", node, i.cpu < 0 ? "all" : fmt::to_string(i.cpu), i.counter,
            options.names.counter(i.counter), options.us(i.start), options.us(i.end));
  if (i.reset())
    out.write(",");
  else if (i.ticks() == 0)
    out.print("{},", i.to - i.from);
  else
    out.print("{},{:.15g}", i.to - i.from, i.rate(options.hz));
  out.print(",{:d},{:d},{:d},{}\n", i.stuck(), i.reset(), i.lost, i.run);
}

// "log2" is 0, "linear:US" the width in ticks.
uint64_t bin_width(const Options& options, const std::string& text) {
  if (text == "log2") return 0;
  double us = 0;
  if (text.starts_with("linear:") && is_number(text.substr(7))) us = std::stod(text.substr(7));
  const double ticks = us * static_cast<double>(options.hz) / 1e6;
  if (!(ticks >= 1 && ticks < 1e15))
    throw UsageError("--bins", show_word(text) + ": expected log2, or linear:US with US at least a tick");
  return static_cast<uint64_t>(std::llround(ticks));
}

}  // namespace

PERFBOARD_TOOL(mkstat) {
  Tool tool(
      "mkstat",
      "Time in states from entry and exit events, counts of points, rates of resource counters, from the\n"
      "streams of one or several nodes. User data is mklib.h's: kind (1 enter, 2 exit, 3 point, 4 value),\n"
      "16 bits of id, 24 of argument. Times: all visits count, 'total' leaves out visits within a visit of\n"
      "the same state, 'own' (self) visits of any state within. A visit or interval with lost samples may "
      "be\n"
      "several.",
      false);
  Options options(tool, Options::kSeveral);
  std::string table, by = "both", state, bins = "log2";
  bool per_cpu = false;
  size_t columns = 4000;
  tool.args
      .option("--csv", table,
              "one table as CSV: states, points, visits (each visit, when it ends), counters\n"
              "(each interval between resource samples), histogram, picture (what mkplot draws)")
      .one_of({"states", "points", "visits", "counters", "histogram", "picture"});
  tool.args
      .option("--by", by,
              "events nest within a CPU's process (both), a process on any CPU (source: if processes\n"
              "migrate), or a CPU (cpu)")
      .one_of({"both", "source", "cpu"})
      .show_default();
  tool.args.flag("--per-cpu", per_cpu, "counter intervals between resource samples of the same CPU");
  tool.args.option("--histogram", state, "how long the visits of a state (name or number) take: a bar chart");
  tool.args.option("--bins", bins, "bins of the histogram: log2, or linear:US").show_default();
  tool.args
      .option("--columns", columns, "columns of time of the picture, at most; it has more than half as many")
      .range(size_t{2}, size_t{1} << 20)
      .show_default();
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    Histogram histogram(bin_width(options, bins));
    Tables::Sinks sinks;
    if (table == "visits") {
      out.write("node,cpu,source,state,name,argument,depth,start_us,end_us,self_us,exited,with_loss,run\n");
      sinks.visit = [&](const std::string& node, const Visit& v) { print_visit(options, out, node, v); };
    }
    if (table == "counters") {
      out.write("node,cpu,counter,name,start_us,end_us,delta,per_second,stuck,reset,with_loss,run\n");
      sinks.interval = [&](const std::string& node, const Interval& i) {
        print_interval(options, out, node, i);
      };
    }
    Picture picture(columns, !options.selects_run());
    if (table == "picture") {
      sinks.entered = [&](const Visit& v) { picture.entered(v); };
      sinks.visit = [&](const std::string&, const Visit& v) { picture.left(v); };
      sinks.interval = [&](const std::string&, const Interval& i) { picture.interval(i); };
    }
    Tables tables(options,
                  by == "cpu"      ? By::kCpu
                  : by == "source" ? By::kSource
                                   : By::kCpuAndSource,
                  per_cpu && table != "picture", sinks);
    if (!state.empty()) {
      if (!options.names.id_of(state, tables.histogram_state))
        throw UsageError("--histogram", show_word(state) + ": neither a name of --names nor a number");
      tables.histogram = &histogram;
    } else if (table == "histogram") {
      throw UsageError("--csv", "a histogram needs --histogram STATE");
    }
    Problems problems(tool);
    for (const Stream& stream : options.streams()) {
      StreamReader reader(stream.file, options.long_gaps, stream.only);
      reader.before_wait([&] { out.show(); });
      tables.begin(stream.node);
      picture.begin(stream.node);
      for (Item item; reader.next(item);) {
        if (item.kind == ItemKind::kFault) problems.add(reader, item);
        tables.add(item);
      }
      tables.end();
      problems.end(reader);
    }
    if (table == "states") tables.states_csv(out);
    if (table == "points") tables.points_csv(out);
    if (table == "picture") picture.csv(options, out);
    if (table == "histogram") histogram.csv(options, out);
    if (table.empty()) {
      if (tables.histogram)
        histogram.chart(options, out, "state " + options.names.of(tables.histogram_state).text);
      else
        tables.report(out);
    }
    out.close();
    options.finish();
    if (tables.histogram && tables.histogram->empty())
      tool.complain("--histogram " + state + ": no visits of this state");
    problems.finish();
  });
}
