// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's trace as JSON. Two processes stand for what is none: the monitors with their curves, and the
// driver with a thread for each card. All others are those of the guest.
#include <algorithm>
#include <map>
#include <set>

#include "guest/common/json.h"
#include "guest/common/kernel_trace.h"
#include "guest/common/ranges.h"
#include "guest/smile/cmd/timeline.h"
#include "hw/model/number.h"

namespace perfboard::smile {
namespace {

// Linux has no process of these numbers: 0, and one behind the largest (PID_MAX_LIMIT).
constexpr int kMonitors = 0, kDriver = (1 << 22) + 1;
constexpr std::string_view kDriverPrefix = "smile_", kBegin = "_begin", kEnd = "_end";

class Timeline {
 public:
  explicit Timeline(Output& out) : json_(out) {
    json_.begin_timeline();
    json_.name("process_name", kMonitors, 0, "monitors: requests by readout");
    json_.name("process_name", kDriver, 0, "driver: smile.ko");
  }

  void add(const KernelLine& line) {
    if (!begun_) begin_ns_ = readout_ns_ = line.time_ns;
    begun_ = true;
    now_ns_ = line.time_ns;
    if (line.event == "tracing_mark_write")
      mark(line);
    else if (std::string_view(line.event).starts_with(kDriverPrefix))
      driver(line);
  }

  TimelineCounts finish() {
    for (const std::string& curve : curves_) value(curve, kMonitors, now_ns_, 0);
    json_.end_timeline();
    return counts_;
  }

 private:
  void begin(Plain phase, int pid, int tid, uint64_t ns, std::string_view text) {
    json_.begin_event(phase, pid, tid);
    json_.us("ts", ns - begin_ns_);
    if (!text.empty()) json_.field("name", text);
  }

  // B|PID|LAYER:NAME, E|PID, C|PID|NAME|VALUE; other lines are somebody else's.
  void mark(const KernelLine& line) {
    const std::vector<std::string> parts = split(line.text, '|');
    unsigned number = 0;
    if (parts.size() < 2 || !parse_integer(parts[1], 10, number)) return;
    const int pid = static_cast<int>(number);
    if (parts[0] == "B" && parts.size() == 3) {
      slice_begins(line, pid, parts[2]);
    } else if (parts[0] == "E" && parts.size() == 2) {
      begin("E", pid, line.pid, line.time_ns, "");
      json_.EndObject();
    } else if (uint64_t n = 0; parts[0] == "C" && parts.size() == 4 && parse_number(parts[3], n)) {
      // What a readout gives has been counted since the one before. A program may have curves, too.
      const bool of_monitors = parts[2].starts_with(kCurve);
      if (of_monitors) curves_.insert(parts[2]);
      value(parts[2], of_monitors ? kMonitors : pid, of_monitors ? before_ns_ : line.time_ns, n);
      ++(of_monitors ? counts_.hardware : counts_.program);
    }
  }

  void slice_begins(const KernelLine& line, int pid, const std::string& text) {
    const size_t colon = text.find(':');
    if (colon == text.npos) return;
    const std::string layer = text.substr(0, colon), what = text.substr(colon + 1);
    if (known_.insert(line.pid).second) {
      if (line.pid == pid) json_.name("process_name", pid, 0, line.command);
      json_.name("thread_name", pid, line.pid, line.command);
    }
    if (what == kReadout) {
      before_ns_ = readout_ns_;
      readout_ns_ = line.time_ns;
    }
    ++(layer == "library" ? counts_.library : counts_.program);
    begin("B", pid, line.pid, line.time_ns, what);
    json_.field("cat", std::string_view(layer));
    json_.EndObject();
  }

  void value(const std::string& curve, int pid, uint64_t ns, uint64_t n) {
    begin("C", pid, 0, ns, curve);
    json_.word("cat", pid == kMonitors ? Plain("hardware") : Plain("program"));
    json_.begin_args();
    json_.field("count", n);
    json_.end_args();
  }

  // "card=0 records=12": the card says whose thread, the rest are arguments.
  void driver(const KernelLine& line) {
    std::string_view what = std::string_view(line.event).substr(kDriverPrefix.size());
    const bool begins = what.ends_with(kBegin), ends = what.ends_with(kEnd);
    what.remove_suffix(begins ? kBegin.size() : ends ? kEnd.size() : 0);
    std::vector<std::pair<std::string, std::string>> arguments;
    unsigned card = 0;
    for (const std::string& word : split(line.text, ' ')) {
      const size_t equals = word.find('=');
      if (equals == word.npos) continue;
      if (word.substr(0, equals) == "card")
        parse_integer(word.substr(equals + 1), 10, card);
      else
        arguments.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    const int tid = static_cast<int>(card) + 1;
    if (cards_.insert(card).second) json_.name("thread_name", kDriver, tid, "smile" + std::to_string(card));
    begin(begins ? Plain("B") : ends ? Plain("E") : Plain("i"), kDriver, tid, line.time_ns, what);
    json_.word("cat", "driver");
    if (!begins && !ends) json_.word("s", "t");
    json_.begin_args();
    json_.field("thread", line.pid);
    for (const auto& [key, text] : arguments) {
      json_.String(key.c_str());
      json_.String(text.c_str());
    }
    json_.end_args();
    ++counts_.driver;
  }

  Json json_;
  bool begun_ = false;
  uint64_t begin_ns_ = 0, now_ns_ = 0, readout_ns_ = 0, before_ns_ = 0;
  std::set<std::string> curves_;
  std::set<int> known_;
  std::set<unsigned> cards_;
  TimelineCounts counts_;
};

}  // namespace

TimelineCounts timeline_json(Input& trace, Output& out) {
  Timeline timeline(out);
  KernelLine line;
  for (std::string_view text; trace.line(text);)
    if (parse_kernel_line(text, line)) timeline.add(line);
  return timeline.finish();
}

}  // namespace perfboard::smile
