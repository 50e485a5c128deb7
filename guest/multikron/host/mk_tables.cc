// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/multikron/host/mk_tables.h"

#include <algorithm>
#include <bit>

#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

void StateTracker::add(const Sample& s) {
  last_ = s.time;
  const Event event(s.data);
  if (event.kind != Kind::kEnter && event.kind != Kind::kExit) return;
  const uint64_t source = by_ == By::kCpu ? 0 : s.source;
  const uint64_t cpu = by_ == By::kSource ? 0 : s.cpu();
  Stack& stack = stacks_[source << 8 | cpu];
  const auto same = [&](const Open& open) { return open.visit.state == event.id; };
  if (event.kind == Kind::kEnter) {
    if (stack.size() == kDepth) {
      Open& outermost = stack.front();
      outermost.visit.end = s.time;
      outermost.visit.lost = true;
      listener_.left(outermost.visit);
      stack.erase(stack.begin());
    }
    Visit visit;
    visit.state = event.id;
    visit.cpu = static_cast<uint8_t>(s.cpu());
    visit.source = s.source;
    visit.argument = event.argument;
    visit.run = s.run;
    visit.start = visit.end = s.time;
    visit.depth = static_cast<unsigned>(stack.size());
    visit.recursive = std::any_of(stack.begin(), stack.end(), same);
    stack.push_back({visit, losses_});
    listener_.entered(visit);
    return;
  }
  if (std::none_of(stack.begin(), stack.end(), same)) return listener_.stray_exit(s);
  while (!same(stack.back())) leave(stack, s.time, false);
  leave(stack, s.time, true);
}

void StateTracker::leave(Stack& stack, int64_t time, bool exited) {
  Open open = stack.back();
  stack.pop_back();
  open.visit.end = time;
  open.visit.exited = exited;
  open.visit.lost = open.losses != losses_;
  // The outer visit's own time leaves out its inner visits. Nobody knows how long a visit without an exit
  // was: of that one only the visits within it, which have exits, are left out.
  if (!stack.empty()) stack.back().visit.inner += exited ? open.visit.total() : open.visit.inner;
  listener_.left(open.visit);
}

void StateTracker::give_up() {
  for (auto& [key, stack] : stacks_)
    while (!stack.empty()) leave(stack, last_, false);
}

void CounterIntervals::add(const Sample& s) {
  if (!s.resource()) return;
  const int cpu = per_cpu_ ? static_cast<int>(s.cpu()) : -1;
  const auto found = last_.find(cpu);
  if (found != last_.end()) {
    Interval interval;
    interval.cpu = cpu;
    interval.run = s.run;
    interval.start = found->second.sample.time;
    interval.end = s.time;
    interval.lost = found->second.losses != losses_;
    for (unsigned i = 0; i < 16; i++) {
      interval.counter = i;
      interval.from = found->second.sample.counter[i];
      interval.to = s.counter[i];
      if (interval.from || interval.to) sink_(interval);
    }
  }
  last_[cpu] = {s, losses_};
}

// Bin 0 is [0, 1), bin n is [2^(n-1), 2^n) ticks.
uint64_t Histogram::log2_bin(uint64_t ticks) { return static_cast<uint64_t>(std::bit_width(ticks)); }

uint64_t Histogram::low(uint64_t bin) const {
  if (width_) return bin > INT64_MAX / width_ ? INT64_MAX : bin * width_;
  return bin == 0 ? 0 : bin > 63 ? INT64_MAX : uint64_t{1} << (bin - 1);
}

void Histogram::csv(const Options& options, Output& out) const {
  out.write("from_us,to_us,count\n");
  for (const auto& [bin, count] : bins_)
    out.print("{},{},{}\n", options.us(static_cast<int64_t>(low(bin))),
              options.us(static_cast<int64_t>(low(bin + 1))), count);
}

void Histogram::chart(const Options& options, Output& out, const std::string& title) const {
  uint64_t most = 1, all = 0, next = 0;
  for (const auto& [bin, count] : bins_) {
    most = std::max(most, count);
    all += count;
  }
  out.print("{}: {} visits\n{:>14} {:>14} {:>10}\n", title, all, "from us", "to us", "visits");
  for (const auto& [bin, count] : bins_) {
    if (bin != next && bin != bins_.begin()->first) out.write("           ...\n");
    next = bin + 1;
    const auto width = static_cast<size_t>(static_cast<double>(count) * 50 / static_cast<double>(most) + 0.5);
    out.print("{:>14} {:>14} {:>10} {}\n", options.us(static_cast<int64_t>(low(bin))),
              options.us(static_cast<int64_t>(low(bin + 1))), count,
              std::string(std::max<size_t>(width, 1), '#'));
  }
}

Tables::Tables(Options& options, By by, bool per_cpu, Sinks sinks)
    : options_(options), by_(by), per_cpu_(per_cpu), sinks_(std::move(sinks)) {}

void Tables::begin(const std::string& node) {
  nodes_.push_back({node});
  tracker_.emplace(static_cast<StateListener&>(*this), by_);
  intervals_.emplace(per_cpu_, [this](const Interval& i) { interval(i); });
  timed_ = false;
}

void Tables::add(const Item& item) {
  Node& node = nodes_.back();
  const Sample& s = item.sample;
  const bool missing = item.kind == ItemKind::kSample  ? s.overrun()
                       : item.kind == ItemKind::kFault ? loses_samples(item.fault)
                                                       : false;
  if (missing) {
    tracker_->lost();
    intervals_->lost();
  }
  switch (item.kind) {
    case ItemKind::kFault:
      node.faults += is_error(item.fault);
      if (item.fault == Fault::kBackwards) {  // no time can be measured across a step back
        tracker_->give_up();
        intervals_->restart();
      }
      return;
    case ItemKind::kReset:  // the chip lost what was in its FIFO, and its counters are 0
      tracker_->give_up();
      intervals_->restart();
      if (item.event == MK_EVENT_HARDWARE_RESET) close_run();
      return;
    case ItemKind::kSample:
      break;
  }
  node.overruns += s.overrun();
  if (!options_.selects(s)) return;
  node.samples++;
  if (!timed_) first_ = last_ = s.time;
  timed_ = true;
  last_ = std::max(last_, s.time);
  tracker_->add(s);
  intervals_->add(s);
  const Event event(s.data);
  if (event.kind != Kind::kPoint && event.kind != Kind::kValue) return;
  Point& point = points_[{nodes_.size() - 1, s.cpu(), s.source, event.id, event.kind}];
  point.count++;
  point.sum += event.argument;
  point.least = std::min(point.least, event.argument);
  point.most = std::max(point.most, event.argument);
  point.last = event.argument;
}

void Tables::close_run() {
  if (timed_) nodes_.back().span += static_cast<uint64_t>(last_) - static_cast<uint64_t>(first_);
  timed_ = false;
}

void Tables::end() {
  tracker_->give_up();
  close_run();
}

void Tables::entered(const Visit& visit) {
  if (sinks_.entered) sinks_.entered(visit);
}

void Tables::left(const Visit& visit) {
  State& state = states_[{nodes_.size() - 1, visit.cpu, visit.source, visit.state, Kind::kEnter}];
  if (visit.exited) {
    const uint64_t total = visit.total();
    state.count++;
    state.least = std::min(state.least, total);
    state.most = std::max(state.most, total);
    state.sum += total;
    if (!visit.recursive) state.outermost += total;
    state.self += visit.self();
    state.lost += visit.lost;
    if (histogram && visit.state == histogram_state) histogram->add(total);
  } else {
    state.open++;
  }
  if (sinks_.visit) sinks_.visit(nodes_.back().name, visit);
}

void Tables::stray_exit(const Sample& s) {
  states_[{nodes_.size() - 1, s.cpu(), s.source, Event(s.data).id, Kind::kEnter}].stray++;
}

void Tables::interval(const Interval& i) {
  Counter& counter = counters_[{nodes_.size() - 1, i.cpu, i.counter}];
  counter.resets += i.reset();
  counter.stuck += i.stuck();
  counter.lost += i.lost;
  if (!i.reset()) {
    counter.sum += i.to - i.from;
    counter.ticks += static_cast<double>(i.ticks());
    if (i.ticks()) {
      const double rate = i.rate();
      counter.least = counter.intervals ? std::min(counter.least, rate) : rate;
      counter.most = std::max(counter.most, rate);
      counter.intervals++;
    }
  }
  if (sinks_.interval) sinks_.interval(nodes_.back().name, i);
}

double Tables::share(const Key& key, const State& state) const {
  const uint64_t span = nodes_[key.node].span;
  return span > 0 ? static_cast<double>(state.self) / static_cast<double>(span) * 100 : 0;
}

// Sums, least and most are exact; a mean is rounded.
std::string Tables::us(uint64_t ticks) const { return options_.us(static_cast<int64_t>(ticks)); }

double Tables::mean_us(const State& state) const {
  return options_.us_of(static_cast<double>(state.sum) / static_cast<double>(state.count));
}

void Tables::states_csv(Output& out) const {
  out.write(
      "node,cpu,source,state,name,count,total_us,self_us,mean_us,min_us,max_us,share_percent,with_loss,no_"
      "exit,no_enter\n");
  for (const auto& [key, s] : states_) {
    out.print("{},{},{},{},{},{},{},{},", nodes_[key.node].name, key.cpu, key.source, key.id,
              options_.names.of(key.id).text, s.count, us(s.outermost), us(s.self));
    if (s.count)
      out.print("{:.3f},{},{}", mean_us(s), us(s.least), us(s.most));
    else
      out.write(",,");
    out.print(",{:.4f},{},{},{}\n", share(key, s), s.lost, s.open, s.stray);
  }
}

void Tables::points_csv(Output& out) const {
  out.write("node,cpu,source,kind,id,name,count,last,min,max,mean\n");
  for (const auto& [key, p] : points_)
    out.print("{},{},{},{},{},{},{},{},{},{},{:.15g}\n", nodes_[key.node].name, key.cpu, key.source,
              key.kind == Kind::kPoint ? "point" : "value", key.id, options_.names.of(key.id).text, p.count,
              p.last, p.least, p.most, static_cast<double>(p.sum) / static_cast<double>(p.count));
}

void Tables::report(Output& out) const {
  for (const Node& node : nodes_)
    out.print("node {}: {} samples in {} us; {} with overrun flags{}\n", node.name, node.samples,
              us(node.span), node.overruns,
              node.faults ? fmt::format("; {} errors in the stream", node.faults) : "");
  if (!states_.empty()) {
    out.print(
        "\nStates (us; share: own time of the stream's)\n{:<6} {:>3} {:>8} {:<16} {:>8} {:>14} {:>14} {:>11} "
        "{:>11} {:>11} {:>7}\n",
        "node", "cpu", "source", "state", "visits", "total", "own", "mean", "min", "max", "share");
    for (const auto& [key, s] : states_) {
      out.print("{:<6} {:>3} {:08x} {:<16} {:>8} {:>14} {:>14} ", nodes_[key.node].name, key.cpu, key.source,
                options_.names.of(key.id).text, s.count, us(s.outermost), us(s.self));
      if (s.count)
        out.print("{:>11.3f} {:>11} {:>11}", mean_us(s), us(s.least), us(s.most));
      else
        out.print("{:>11} {:>11} {:>11}", "-", "-", "-");
      out.print(" {:>6.2f}%", share(key, s));
      if (s.lost) out.print("  {} with lost samples", s.lost);
      if (s.open) out.print("  {} without exit", s.open);
      if (s.stray) out.print("  {} exits without enter", s.stray);
      out.write("\n");
    }
  }
  if (!points_.empty()) {
    out.print("\nPoints and values\n{:<6} {:>3} {:>8} {:<5} {:<16} {:>8} {:>10} {:>10} {:>10}\n", "node",
              "cpu", "source", "kind", "name", "count", "last", "min", "max");
    for (const auto& [key, p] : points_)
      out.print("{:<6} {:>3} {:08x} {:<5} {:<16} {:>8} {:>10} {:>10} {:>10}\n", nodes_[key.node].name,
                key.cpu, key.source, key.kind == Kind::kPoint ? "point" : "value",
                options_.names.of(key.id).text, p.count, p.last, p.least, p.most);
  }
  if (!counters_.empty()) {
    out.print("\nResource counters (a second)\n{:<6} {:>3} {:<16} {:>9} {:>14} {:>14} {:>14} {:>14}\n",
              "node", "cpu", "counter", "intervals", "count", "mean", "min", "max");
    const double hz = static_cast<double>(options_.hz);
    for (const auto& [key, c] : counters_) {
      const auto& [node, cpu, index] = key;
      out.print("{:<6} {:>3} {:<16} {:>9} {:>14} {:>14.1f} {:>14.1f} {:>14.1f}", nodes_[node].name,
                cpu < 0 ? "all" : fmt::to_string(cpu), options_.names.counter(index), c.intervals, c.sum,
                c.ticks > 0 ? static_cast<double>(c.sum) / c.ticks * hz : 0, c.least * hz, c.most * hz);
      if (c.stuck) out.print("  stuck in {}", c.stuck);
      if (c.resets) out.print("  reset in {}", c.resets);
      if (c.lost) out.print("  lost samples in {}", c.lost);
      out.write("\n");
    }
  }
}

}  // namespace perfboard::mk
