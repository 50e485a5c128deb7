// SPDX-License-Identifier: GPL-2.0-or-later
// traceMerge - several nodes' trace files in the order of time, for a table or a timeline.
//
// INFERRED: the paper names no program for what 3.3 says: "a global timestamp allows system wide traces to be
// interleaved and correlated".
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <queue>

#include "guest/common/json.h"
#include "guest/common/ranges.h"
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/host/time_unit.h"
#include "guest/surfboard/host/trace_file.h"

namespace {

using namespace perfboard;

constexpr unsigned kNodes = 64;  // sender IDs have 6 bits

struct Node {
  Node(unsigned number, const std::string& file) : id(number), in(file) {}
  unsigned id;
  Input in;
  TraceEntry entry;
};

// All nodes' entries by receive time, at equal times by node, of a node as its file has them. Only the next
// entry of each file is held, so no file may go back in time.
class Merge {
 public:
  Merge(const std::vector<NodeFile>& files, Output& out) {
    std::map<unsigned, std::string> in_order;
    for (const NodeFile& f : files) {
      uint64_t id = 0;
      if (!decimal_or_hex(f.node, id) || id >= kNodes)
        throw UsageError("files", show_word(f.node) + ": expected a node ID of 0-63");
      if (!in_order.emplace(id, f.file).second)  // 3 and 0x3
        throw UsageError("files", fmt::format("'{}': two files of this node", id));
    }
    for (const auto& [id, file] : in_order) {
      nodes_.push_back(std::make_unique<Node>(id, file));
      nodes_.back()->in.before_wait([&] { out.show(); });
    }
  }

  // The node whose entry comes next, or null. A file is read on when the entry before has been dealt with:
  // from a pipe the next one may take its time.
  const Node* next() {
    if (!begun_)
      for (size_t i = 0; i < nodes_.size(); i++) read_on(i);
    else if (!queue_.empty())
      read_on(pop());
    begun_ = true;
    return queue_.empty() ? nullptr : nodes_[queue_.top().second].get();
  }

  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }

  void finish(Tool& tool) const {
    for (const auto& node : nodes_)
      if (node->in.records() == 0) tool.complain(fmt::format("{}: nothing in it", node->in.name()));
  }

 private:
  size_t pop() {
    const size_t index = queue_.top().second;
    queue_.pop();
    return index;
  }
  void read_on(size_t index) {
    Node& node = *nodes_[index];
    const uint64_t before = node.entry.receive_time();  // 0 before the first
    if (!read(node.in, node.entry)) return;
    const uint64_t now = node.entry.receive_time();
    if (now < before) node.in.fail("receive time goes back; traceCheck tells how often");
    queue_.emplace(now, index);
  }

  std::vector<std::unique_ptr<Node>> nodes_;  // by ID
  using Key = std::pair<uint64_t, size_t>;    // receive time, index in nodes_
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;
  bool begun_ = false;
};

bool is_flagged(const TraceEntry& e) { return e.overflow() || e.underflow(); }

void write_table(Merge& merge, const TimeUnit& unit, bool absolute, Tool& tool, Output& out) {
  std::optional<uint64_t> first;
  uint64_t flagged = 0;
  while (const Node* node = merge.next()) {
    const TraceEntry& e = node->entry;
    if (!first) first = absolute ? 0 : e.receive_time();
    flagged += is_flagged(e);
    unit.put_time(out, e.receive_time() - *first);
    out.put(',');
    out.number(node->id);
    out.put(',');
    out.number(e.sender());
    out.put(',');
    unit.put_latency(out, e.latency());
    out.put(',');
    out.number(e.size());
    out.put(',');
    out.number(e.page());
    out.put('\n');
  }
  if (flagged)
    tool.note(fmt::format("{} entries with a latency overflow or underflow have the latency they were given",
                          flagged));
}

// The trace event format of Chrome and Perfetto. A process for each node, with a thread of what it sent and
// one of what it received, and an arrow for each packet from one to the other. A packet's ends are slices as
// long as a clock tick, since an arrow has to begin and end in a slice. Such slices are in the same tick, or
// do not overlap, as a thread's must not.
class Timeline {
 public:
  Timeline(const Merge& merge, const TimeUnit& unit, Output& out) : unit_(unit), json_(out) {
    json_.begin_timeline();
    for (const auto& node : merge.nodes()) process(node->id, fmt::format("node {}", node->id));
  }

  void add(const Node& node) {
    const TraceEntry& e = node.entry;
    const uint64_t received = e.receive_time(), latency = unit_.latency_ticks(e.latency());
    process(e.sender(), fmt::format("node {}, no trace", e.sender()));
    // The clock has overflowed while the packet was under way.
    const bool early = latency > received, known = !is_flagged(e) && !early;
    flagged_ += is_flagged(e);
    early_ += early && !is_flagged(e);
    if (known) {
      slice(e.sender(), kSent, received - latency, fmt::format("to {}", node.id), node);
      arrow("s", e.sender(), kSent, received - latency);
    }
    slice(node.id, kReceived, received, fmt::format("from {}", e.sender()), node);
    if (known) arrow("f", node.id, kReceived, received);
    packets_++;
  }

  void finish(const Tool& tool) {
    json_.end_timeline([&] { json_.word("source", "SurfBoard"); });
    if (flagged_)
      tool.note(fmt::format(
          "{} entries with a latency overflow or underflow have no arrow: nobody knows when they were sent",
          flagged_));
    if (early_)
      tool.note(fmt::format("{} entries have no arrow: they were sent before the clock was 0", early_));
  }

 private:
  // Not from 0, as some viewers take process and thread 0 for others.
  enum Thread { kSent = 1, kReceived = 2 };
  static unsigned pid(unsigned id) { return id + 1; }

  // Nothing if it is there.
  void process(unsigned id, const std::string& text) {
    if (std::exchange(there_[id], true)) return;
    json_.name("process_name", pid(id), {}, text);
    json_.name("thread_name", pid(id), kSent, "sent");
    json_.name("thread_name", pid(id), kReceived, "received");
    json_.sort_index(pid(id), id);
  }

  void begin(Plain phase, unsigned id, Thread thread, uint64_t ticks) {
    json_.begin_event(phase, pid(id), thread);
    time("ts", ticks);
    json_.word("cat", "packet");
  }

  void time(Plain key, uint64_t ticks) {
    json_.number_by(key, [&](Output& out) { unit_.put_time(out, ticks); });
  }

  void slice(unsigned id, Thread thread, uint64_t ticks, const std::string& text, const Node& node) {
    const TraceEntry& e = node.entry;
    begin("X", id, thread, ticks);
    time("dur", 1);
    json_.field("name", std::string_view(text));
    json_.begin_args();
    json_.field("sender", e.sender());
    json_.field("receiver", node.id);
    json_.field("index", e.index);
    json_.field("size", e.size());
    json_.field("page", e.page());
    json_.field("category", e.category());
    json_.field("color", e.color());
    if (e.overflow())
      json_.word("latency_flag", "overflow");
    else if (e.underflow())
      json_.word("latency_flag", "underflow");
    else
      time("latency_us", unit_.latency_ticks(e.latency()));
    json_.end_args();
  }

  // Its two ends have the packet's number. It belongs to the slice that is open then, which has just been
  // written.
  void arrow(Plain phase, unsigned id, Thread thread, uint64_t ticks) {
    begin(phase, id, thread, ticks);
    json_.word("name", "packet");
    json_.field("id", packets_);
    json_.word("bp", "e");
    json_.EndObject();
  }

  const TimeUnit& unit_;
  Json json_;
  std::array<bool, kNodes> there_{};
  uint64_t packets_ = 0, flagged_ = 0, early_ = 0;
};

}  // namespace

PERFBOARD_TOOL(traceMerge) {
  Tool tool("traceMerge",
            "Merge the trace files of several nodes by receive time, equal times by node, to CSV: receive\n"
            "time,node,sender,latency,size,page. The nodes' clocks must have been reset together. A file\n"
            "whose receive times decrease is refused. NODE is the receiver's ID, 0-63, as the other nodes'\n"
            "traces have it for a sender; without it a node is its place among the files, from 0.",
            false);
  const TimeUnit unit(tool.args);
  std::vector<std::string> words;
  bool absolute = false, perfetto = false;
  tool.args.option("files", words, "trace files, - for standard input (default)").type("[NODE=]FILE");
  Argument absolute_option = tool.args.flag(
      "--absolute", absolute, "receive times as the boards' clocks had them, not from the first entry on");
  tool.args
      .flag("--perfetto", perfetto,
            "instead the JSON that ui.perfetto.dev and chrome://tracing read: tracks of what each node sent\n"
            "and received, an arrow for each packet; times as the boards' clocks had them")
      .excludes(absolute_option);
  return tool.run(argc, argv, [&](Output& out) {
    if (perfetto && unit.ticks()) throw UsageError("--ticks", "--perfetto has microseconds");
    Merge merge(node_files(tool, words), out);
    if (perfetto) {
      Timeline timeline(merge, unit, out);
      while (const Node* node = merge.next()) timeline.add(*node);
      timeline.finish(tool);
    } else {
      write_table(merge, unit, absolute, tool, out);
    }
    out.close();
    merge.finish(tool);
  });
}
