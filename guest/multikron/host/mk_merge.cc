// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_merge.h"

#include <fmt/format.h>

#include <algorithm>

namespace perfboard::mk {

Merge::Merge(const std::vector<Stream>& streams, bool long_gaps, bool all_runs) {
  std::vector<uint32_t> resets;
  for (const Stream& stream : streams) {
    Node node;
    node.reader = std::make_unique<StreamReader>(stream.file, long_gaps, stream.only);
    node.reader->make_seekable();
    resets.push_back(0);
    for (Item item; node.reader->next(item);)
      if (item.kind == ItemKind::kReset) resets.back() = item.run;
    node.reader->rewind();
    nodes_.push_back(std::move(node));
  }
  const uint32_t common = *std::min_element(resets.begin(), resets.end());
  for (size_t i = 0; i < nodes_.size(); i++) {
    // A file with fewer resets than another was begun later. What it has before its first reset belongs to
    // the run of the other that the same reset ended.
    nodes_[i].skip = all_runs ? resets[i] - common : resets[i];
    advance(i);
  }
}

void Merge::advance(size_t index) {
  Node& node = nodes_[index];
  while (node.reader->next(node.item)) {
    Item& item = node.item;
    const bool sample = item.kind == ItemKind::kSample;
    const uint32_t run = sample ? item.sample.run : item.run;
    if (run < node.skip && item.kind != ItemKind::kFault) {
      node.left_out += sample;
      continue;
    }
    const uint32_t shared = run < node.skip ? 0 : run - node.skip;
    item.run = item.sample.run = shared;
    if (sample)
      node.time = item.sample.time;
    else if (item.kind == ItemKind::kReset && item.event == MK_EVENT_HARDWARE_RESET)
      node.time = 0;
    queue_.push({shared, run < node.skip ? 0 : node.time, index});
    return;
  }
}

bool Merge::next(Item& item, size_t& stream) {
  if (queue_.empty()) return false;
  stream = queue_.top().node;
  queue_.pop();
  item = nodes_[stream].item;
  advance(stream);
  return true;
}

void Merge::finish(Tool& tool, Problems& problems) const {
  for (const Node& node : nodes_) {
    problems.end(*node.reader);
    if (node.left_out == 0) continue;
    const std::string text =
        fmt::format("{}: {} samples before the last common hardware reset left out{}", node.reader->name(),
                    node.left_out, node.left_out < node.reader->samples() ? "" : ", and no other samples");
    if (node.left_out < node.reader->samples())
      tool.note(text);
    else
      tool.complain(text);
  }
}

void Sorter::add(int node, const Sample& sample) {
  Run& run = runs_[sample.run];
  late_ += sample.time < run.given;
  run.held.push({sample, node, number_++});
  run.latest = std::max(run.latest, sample.time);
  while (!run.held.empty() && run.held.top().sample.time + window_ < run.latest) give(run);
}

void Sorter::finish() {
  for (auto& [number, run] : runs_)
    while (!run.held.empty()) give(run);
}

void Sorter::give(Run& run) {
  const Held& first = run.held.top();
  run.given = std::max(run.given, first.sample.time);
  sink_(first.node, first.sample);
  run.held.pop();
}

}  // namespace perfboard::mk
