// SPDX-License-Identifier: GPL-2.0-or-later
// mk2trace - MULTIKRON streams to the trace event format of Chrome and Perfetto.
#include <algorithm>

#include "guest/common/tool_main.h"
#include "guest/multikron/host/mk_merge.h"
#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_tables.h"

namespace {

using namespace perfboard;
using namespace perfboard::mk;

// The first processes of the trace are the nodes, which have the counters. Then comes a process for each
// source of each node, when the source first appears. The thread is CPU + 1, as some viewers take thread 0
// for another one (tracing-chrome issue 32).
class Trace {
 public:
  Trace(Options& options, Output& out, bool totals) : options_(options), json_(out), totals_(totals) {
    for (unsigned i = 0; i < 16; i++) {
      counter_names_.emplace_back(options.names.counter(i));
      rate_names_.emplace_back(options.names.counter(i) + " /s");
    }
    json_.begin_timeline();
    for (const Stream& stream : options.streams())
      nodes_.push_back(std::make_unique<Node>(*this, stream.node));
    for (auto& node : nodes_) node->pid = process("node " + node->name);
  }

  void add(const Item& item, size_t stream) {
    Node& node = *nodes_[stream];
    if (item.run != run_) next_run(item.run);
    if (item.kind == ItemKind::kReset) {
      give_up(node);
      instant(node.pid, 0, last_,
              json_text(item.event == MK_EVENT_HARDWARE_RESET ? "hardware reset" : "software reset"), "p");
      return;
    }
    if (item.kind == ItemKind::kFault && item.fault == Fault::kBackwards) {
      give_up(node);
      return;
    }
    const Sample& s = item.sample;
    const bool missing = item.kind == ItemKind::kSample ? s.overrun() : loses_samples(item.fault);
    if (missing) {
      node.tracker.lost();
      node.intervals.lost();
      instant(node.pid, 0, item.kind == ItemKind::kSample ? s.time + offset_ : last_,
              json_text(item.kind == ItemKind::kFault
                            ? item.fault == Fault::kCut ? "sample cut off" : "damage in the stream"
                        : s.fifo_overrun() ? "FIFO overrun before this"
                                           : "resource overrun before this"),
              "p");
    }
    if (item.kind != ItemKind::kSample || !options_.selects(s)) return;
    last_ = std::max(last_, s.time + offset_);
    node.tracker.add(s);
    node.intervals.add(s);
    if (totals_ && s.resource())
      for (unsigned i = 0; i < 16; i++)
        if (s.counter[i]) counter(node.pid, s.time + offset_, counter_names_[i], s.counter[i]);
    const Event event(s.data);
    if (event.kind == Kind::kPoint)
      instant(thread(node, s.source, s.cpu()), s.cpu() + 1, s.time + offset_,
              options_.names.of(event.id).json, "t", event.argument);
    if (event.kind == Kind::kValue)
      counter(thread(node, s.source, s.cpu()), s.time + offset_, options_.names.of(event.id), event.argument);
  }

  void finish() {
    for (auto& node : nodes_) give_up(*node);
    json_.end_timeline([&] {
      json_.field("timestamp_hz", fmt::to_string(options_.hz));
      json_.word("source", "MULTIKRON");
    });
  }

 private:
  struct Node : StateListener {
    Node(Trace& owner, std::string label)
        : trace(owner),
          name(std::move(label)),
          tracker(*this, By::kCpuAndSource),
          intervals(false, [this](const Interval& i) { trace.interval(*this, i); }) {}
    void entered(const Visit& v) override { trace.slice('B', *this, v, v.start); }
    void left(const Visit& v) override { trace.slice('E', *this, v, v.end); }
    void stray_exit(const Sample& s) override {
      trace.instant(trace.thread(*this, s.source, s.cpu()), s.cpu() + 1, s.time + trace.offset_,
                    json_text("exit without enter: " + trace.options_.names.of(Event(s.data).id).text), "t");
    }
    Trace& trace;
    std::string name;
    unsigned pid = 0;
    StateTracker tracker;
    CounterIntervals intervals;
    std::map<uint32_t, unsigned> processes;                 // by source
    std::map<std::pair<unsigned, unsigned>, bool> threads;  // named
  };

  // Each run's times begin at 0: a run is put behind the end of the run before.
  void next_run(uint32_t run) {
    for (auto& node : nodes_) give_up(*node);
    run_ = run;
    offset_ = last_;
  }

  void give_up(Node& node) {
    node.tracker.give_up();
    node.intervals.restart();
  }

  unsigned process(const std::string& name) {
    const unsigned pid = ++pids_;
    json_.name("process_name", pid, {}, name);
    json_.sort_index(pid, pid);
    return pid;
  }

  unsigned thread(Node& node, uint32_t source, unsigned cpu) {
    unsigned& pid = node.processes[source];
    if (!pid) pid = process(fmt::format("node {} source {:#x}", node.name, source));
    if (!std::exchange(node.threads[{pid, cpu}], true))
      json_.name("thread_name", pid, cpu + 1, fmt::format("CPU {}", cpu));
    return pid;
  }

  void slice(char phase, Node& node, const Visit& v, int64_t time) {
    const unsigned pid = thread(node, v.source, v.cpu);
    json_.begin_event(phase == 'B' ? Plain("B") : Plain("E"), pid, v.cpu + 1u);
    json_.ticks("ts", options_, time + offset_);
    json_.json("name", options_.names.of(v.state).json);
    if (phase == 'B') {
      json_.word("cat", "state");
      json_.begin_args();
      json_.field("state", v.state);
      json_.field("argument", v.argument);
    } else {
      json_.begin_args();
      json_.field("exited", v.exited);
      json_.field("lost_samples", v.lost);
    }
    json_.end_args();
  }

  // The name is JSON.
  void instant(unsigned pid, unsigned tid, int64_t time, std::string_view name, Plain scope,
               std::optional<uint32_t> argument = {}) {
    json_.begin_event("i", pid, tid);
    json_.ticks("ts", options_, time);
    json_.json("name", name);
    json_.word("s", scope);
    if (argument) {
      json_.begin_args();
      json_.field("argument", *argument);
      json_.EndObject();
    }
    json_.EndObject();
  }

  void counter(unsigned pid, int64_t time, const Name& name, auto value) {
    json_.begin_event("C", pid);
    json_.ticks("ts", options_, time);
    json_.json("name", name.json);
    json_.begin_args();
    json_.field("value", value);
    json_.end_args();
  }

  // A viewer shows a counter's value until the next value comes. So the rate of an interval stands at the
  // interval's start.
  void interval(Node& node, const Interval& i) {
    if (totals_ || i.reset() || !i.ticks()) return;
    counter(node.pid, i.start + offset_, rate_names_[i.counter], i.rate(options_.hz));
  }

  Options& options_;
  SampleJson json_;
  bool totals_;
  std::vector<Name> counter_names_, rate_names_;
  std::vector<std::unique_ptr<Node>> nodes_;
  unsigned pids_ = 0;
  uint32_t run_ = 0;
  int64_t offset_ = 0, last_ = 0;
};

}  // namespace

PERFBOARD_TOOL(mk2trace) {
  Tool tool(
      "mk2trace",
      "MULTIKRON streams to the JSON trace event format, for ui.perfetto.dev or chrome://tracing: a process "
      "for\n"
      "each source and node, a thread for each CPU, a slice for each visit of a state, instants for points,\n"
      "resets and losses, counters from resource samples (a second) and from value events. Shown is what\n"
      "follows the last common hardware reset, so nothing is written before the streams have ended.",
      false);
  Options options(tool, Options::kSeveral);
  bool all_runs = false, totals = false;
  tool.args.flag("--all-runs", all_runs, "also the runs before the last hardware reset, one after the other");
  tool.args.flag("--totals", totals, "resource counters as they stand instead of per second");
  return tool.run(argc, argv, [&](Output& out) {
    options.check();
    Merge merge(options.streams(), options.long_gaps, all_runs);
    Problems problems(tool);
    Trace trace(options, out, totals);
    size_t stream = 0;
    for (Item item; merge.next(item, stream);) {
      if (item.kind == ItemKind::kFault) problems.add(merge.reader(stream), item);
      trace.add(item, stream);
    }
    trace.finish();
    out.close();
    merge.finish(tool, problems);
    options.finish();
    problems.finish();
  });
}
