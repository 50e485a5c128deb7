// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_sorter.h"

#include <algorithm>

namespace perfboard::mk {

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
