// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_picture.h"

#include <algorithm>
#include <tuple>

namespace perfboard::mk {
namespace {

uint64_t distance(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

// Columns are in order, so what is joined lies side by side, and what is inserted goes to the end.
template <typename Columns>
void halve(Columns& columns, auto join) {
  Columns wide;
  for (const auto& [column, value] : columns) {
    const size_t before = wide.size();
    const auto at = wide.try_emplace(wide.end(), column >> 1, value);
    if (wide.size() == before) join(at->second, value);
  }
  columns = std::move(wide);
}

}  // namespace

void Picture::begin(const std::string& node) {
  nodes_.emplace_back();
  nodes_.back().name = node;
}

// What ended in this run: if a later one than what is there, it takes the place of that.
Picture::Node& Picture::node_in_run(uint32_t run) {
  Node& node = nodes_.back();
  if (only_last_run_ && run > node.run) {
    for (Cpu& cpu : node.cpus) cpu.cells.clear();
    node.curves.clear();
    node.states.clear();
    node.visits.clear();
    node.exited = node.open = 0;
    node.any = false;
  }
  node.run = std::max(node.run, run);
  return node;
}

void Picture::extend(Node& node, int64_t start, int64_t end) {
  node.first = node.any ? std::min(node.first, start) : start;
  node.last = node.any ? std::max(node.last, end) : end;
  node.any = true;
}

// The time from the CPU's last event to this one is the innermost visit's. Until that ends, it is not known
// whether it will have an exit.
void Picture::spend(Cpu& cpu, int64_t until) {
  if (!cpu.open.empty() && until > cpu.now) {
    auto& spent = cpu.open.back().spent;
    while (distance(cpu.now, until) / width() > most_) widen();
    for (int64_t time = cpu.now; time < until;) {
      const uint64_t rest = width() - (static_cast<uint64_t>(time) & (width() - 1));
      const uint64_t step = std::min(rest, distance(time, until));
      const Column column = time >> shift_;
      if (spent.empty() || spent.back().first != column)
        spent.emplace_back(column, step);
      else
        spent.back().second += step;
      time += static_cast<int64_t>(step);
    }
    while (spent.size() > most_) widen();
  }
  cpu.now = until;
}

void Picture::entered(const Visit& visit) {
  Cpu& cpu = nodes_.back().cpus[visit.cpu];
  spend(cpu, visit.start);
  cpu.open.push_back({visit, {}});
}

void Picture::left(const Visit& visit) {
  Cpu& cpu = nodes_.back().cpus[visit.cpu];
  spend(cpu, visit.end);
  const auto found = std::find_if(cpu.open.rbegin(), cpu.open.rend(), [&](const Open& open) {
    const Visit& v = open.visit;
    return std::tie(v.state, v.source, v.start, v.depth) ==
           std::tie(visit.state, visit.source, visit.start, visit.depth);
  });
  if (found == cpu.open.rend()) return;
  const auto at = std::prev(found.base());
  const std::vector<std::pair<Column, uint64_t>> spent = std::move(at->spent);
  const auto outer = at == cpu.open.begin() ? cpu.open.end() : std::prev(at);
  Node& node = node_in_run(visit.run);
  if (!visit.exited) {
    // Nobody knows when it ended: its time is that of the visit around it, if there is one.
    node.open++;
    if (outer != cpu.open.end()) {
      outer->spent.insert(outer->spent.end(), spent.begin(), spent.end());
      std::sort(outer->spent.begin(), outer->spent.end());
    }
    cpu.open.erase(at);
    return;
  }
  cpu.open.erase(at);
  for (const auto& [column, ticks] : spent) {
    Cell& cell = cpu.cells[column];
    cell.ticks[visit.state] += ticks;
    cell.lost = cell.lost || visit.lost;
  }
  while (cpu.cells.size() > most_) widen();
  const std::pair key(visit.depth, visit.start);
  const auto [state, fresh] = node.states.emplace(visit.state, key);
  if (!fresh) state->second = std::min(state->second, key);
  if (node.exited++ < kMostVisits) node.visits.push_back(visit);
  extend(node, visit.start, visit.end);
}

void Picture::interval(const Interval& i) {
  if (i.reset() || i.ticks() == 0) return;
  Node& node = node_in_run(i.run);
  Curve& curve = node.curves[i.counter];
  const double rate = i.rate();
  add(curve, {i.start, rate}, curve.begun && i.start > curve.end);
  add(curve, {i.end, rate}, false);
  curve.begun = true;
  curve.end = i.end;
  while (curve.bins.size() > most_) widen();
  extend(node, i.start, i.end);
}

void Picture::add(Curve& curve, const Point& point, bool gap) {
  const auto [at, fresh] = curve.bins.try_emplace(point.time >> shift_, Bin{point, point, point, point, gap});
  if (fresh) return;
  Bin& bin = at->second;
  if (point.rate < bin.least.rate) bin.least = point;
  if (point.rate > bin.most.rate) bin.most = point;
  bin.last = point;
}

void Picture::widen() {
  shift_++;
  for (Node& node : nodes_) {
    for (Cpu& cpu : node.cpus) {
      halve(cpu.cells, [](Cell& wide, const Cell& cell) {
        for (const auto& [state, ticks] : cell.ticks) wide.ticks[state] += ticks;
        wide.lost = wide.lost || cell.lost;
      });
      for (Open& open : cpu.open) {
        std::vector<std::pair<Column, uint64_t>> spent;
        for (const auto& [column, ticks] : open.spent) {
          if (spent.empty() || spent.back().first != column >> 1)
            spent.emplace_back(column >> 1, ticks);
          else
            spent.back().second += ticks;
        }
        open.spent = std::move(spent);
      }
    }
    for (auto& [counter, curve] : node.curves)
      halve(curve.bins, [](Bin& wide, const Bin& bin) {
        if (bin.least.rate < wide.least.rate) wide.least = bin.least;
        if (bin.most.rate > wide.most.rate) wide.most = bin.most;
        wide.last = bin.last;
      });
  }
}

void Picture::csv(const Options& options, Output& out) const {
  out.write("kind,node,cpu,id,name,start_us,end_us,value,depth,mark\n");
  const auto row = [&](std::string_view kind, const Node& node, int cpu, unsigned id, std::string_view name,
                       int64_t start, int64_t end) {
    out.print("{},{},{},{},{},", kind, node.name, cpu < 0 ? "" : fmt::to_string(cpu), id, name);
    options.put_us(out, start);
    out.put(',');
    options.put_us(out, end);
    out.put(',');
  };
  std::vector<std::tuple<unsigned, int64_t, uint16_t, const Node*>> states;
  uint64_t visits = 0;
  for (const Node& node : nodes_) {
    visits += node.exited;
    if (!node.any && node.open == 0) continue;
    row("node", node, -1, node.run, "", node.first, node.last);
    out.print("{},,{:d}\n", node.open, node.any);
    for (const auto& [state, key] : node.states) states.emplace_back(key.first, key.second, state, &node);
  }
  std::sort(states.begin(), states.end());
  for (const auto& [depth, start, state, node] : states) {
    row("state", *node, -1, state, options.names.of(state).text, start, start);
    out.print(",{},\n", depth);
  }
  for (const Node& node : nodes_) {
    for (unsigned c = 0; c < node.cpus.size(); c++) {
      if (visits <= kMostVisits) break;
      for (const auto& [column, cell] : node.cpus[c].cells)
        for (const auto& [state, ticks] : cell.ticks) {
          const int64_t start = column * static_cast<int64_t>(width());
          row("share", node, static_cast<int>(c), state, options.names.of(state).text, start,
              start + static_cast<int64_t>(width()));
          options.put_us(out, static_cast<int64_t>(ticks));
          out.print(",,{:d}\n", cell.lost);
        }
    }
    for (const Visit& v : node.visits) {
      if (visits > kMostVisits) break;
      row("visit", node, v.cpu, v.state, options.names.of(v.state).text, v.start, v.end);
      out.print(",{},{:d}\n", v.depth, v.lost);
    }
    for (const auto& [counter, curve] : node.curves)
      for (const auto& [column, bin] : curve.bins) {
        const bool least_first = bin.least.time <= bin.most.time;
        const Point points[] = {bin.first, least_first ? bin.least : bin.most,
                                least_first ? bin.most : bin.least, bin.last};
        for (size_t i = 0; i < 4; i++) {
          if (i > 0 && points[i].time == points[i - 1].time && points[i].rate == points[i - 1].rate) continue;
          row("rate", node, -1, counter, options.names.counter(counter), points[i].time, points[i].time);
          out.number(points[i].rate * static_cast<double>(options.hz), 15);
          out.print(",,{:d}\n", i == 0 && bin.gap);
        }
      }
  }
}

}  // namespace perfboard::mk
