// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/counting.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "guest/common/ranges.h"

namespace perfboard::p2 {
namespace {

double counted(const p2_counts* before, const p2_counts& after, size_t set, int counter) {
  return static_cast<double>(after.set[set].counter[counter] -
                             (before ? before->set[set].counter[counter] : 0));
}

}  // namespace

Turns::Turns(const std::vector<p2_set>& sets) : sets_(sets), each_(sets.size()) {
  const size_t copies = each_ > 1 ? std::min(kMostCopies, P2_MOST_SETS / each_) : 1;
  for (size_t copy = 1; copy < copies; copy++) sets_.insert(sets_.end(), sets.begin(), sets.end());
}

double Turns::spread(const p2_session& session, const p2_counts* before, const p2_counts& after,
                     const std::string& event) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  p2_value all;
  if (p2_value_of(&session, before, &after, event.c_str(), &all)) return kUnknown;
  if (all.cycles == all.all_cycles) return 0;
  const double rate = static_cast<double>(all.raw) / static_cast<double>(all.cycles);
  double squares = 0;
  size_t copies = 0;
  for (size_t first = 0; first < sets_.size(); first += each_) {
    double raw = 0, cycles = 0;
    for (size_t set = first; set < first + each_; set++) {
      const int counter = p2_counter_of(sets_[set].mmcr, event.c_str());
      if (counter < 0) continue;
      raw += counted(before, after, set, counter);
      cycles += counted(before, after, set, P2_CYCLES);
    }
    if (cycles == 0) continue;
    copies++;
    squares += (raw - rate * cycles) * (raw - rate * cycles);
  }
  if (copies < kLeastCopies) return kUnknown;
  if (all.raw == 0) return 0;
  const auto n = static_cast<double>(copies);
  return std::sqrt(squares * n / (n - 1)) / static_cast<double>(all.raw);
}

std::vector<double> time_a_loop() {
  const auto once = [](unsigned rounds) {
    const double from = now();
    while (rounds--) __asm__ volatile("");
    return now() - from;
  };
  // Long enough for a host to be felt, too short for many ticks of the guest.
  unsigned rounds = 64;
  while (once(rounds) < 200e-6) rounds *= 2;
  std::vector<double> took(32);
  for (double& one : took) one = once(rounds);
  return took;
}

bool by_host_clock(std::vector<double> took) {
  std::sort(took.begin(), took.end());
  const size_t quarter = took.size() / 4;  // ticks
  return took[took.size() - 1 - quarter] - took[quarter] > 5e-9;
}

namespace {

double to_number(std::string_view word) {
  double value;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool good = error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string csv_word(std::string_view text) {
  std::string word;
  for (char c : text) word += c > ' ' && c <= '~' && c != ',' && c != '"' && c != '#' ? c : '_';
  return word;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "-";
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  if (std::fabs(value) >= 1e5) return fmt::format("{:.1f}", value);
  return fmt::format("{:.6g}", value);
}

void put_fact_line(Output& out, const Facts& facts) {
  out.put('#');
  for (const auto& [name, value] : facts) out.print(" {}={}", name, value);
  out.put('\n');
}

void put_count(Output& out, double value) {
  if (!std::isnan(value)) out.number(value, 15);
}

std::vector<std::string> sample_columns(const std::vector<std::string>& events) {
  std::vector<std::string> columns{"time", "elapsed", "seconds", "cpu", "pid", "command", "running"};
  columns.insert(columns.end(), events.begin(), events.end());
  return columns;
}

SampleWriter::SampleWriter(Output& out, const Facts& facts, const std::vector<std::string>& events)
    : out_(out) {
  put_fact_line(out, facts);
  out.print("{}\n", fmt::join(sample_columns(events), ","));
}

void SampleWriter::put(const Sample& s) {
  out_.print("{:.9f},{:.9f},{:.9f},", s.time, s.elapsed, s.seconds);
  if (s.cpu >= 0) out_.number(s.cpu);
  out_.put(',');
  if (s.pid >= 0) out_.number(s.pid);
  out_.print(",{},", csv_word(s.command));
  out_.number(s.running, 6);
  for (double count : s.counts) {
    out_.put(',');
    put_count(out_, count);
  }
  out_.put('\n');
}

// A comment's words NAME=NUMBER are facts.
void SampleReader::note(std::string_view comment) {
  while (!(comment = trim(comment)).empty()) {
    const std::string_view word = comment.substr(0, comment.find_first_of(" \t"));
    comment.remove_prefix(word.size());
    const size_t equals = word.find('=');
    if (equals == word.npos) continue;
    const double value = to_number(word.substr(equals + 1));
    if (!std::isnan(value)) facts_.insert_or_assign(std::string(word.substr(0, equals)), value);
  }
}

bool SampleReader::line() {
  for (std::string_view text; in_.line(text);) {
    text = trim(text);
    if (text.starts_with('#')) note(text.substr(1));
    if (text.empty() || text.starts_with('#')) continue;
    text_ = text;
    split_fields(text_, words_);
    return true;
  }
  return false;
}

bool SampleReader::head() {
  if (!line()) return false;
  columns_.assign(words_.begin(), words_.end());
  for (size_t i = 0; i < columns_.size(); i++) {
    if (columns_[i].empty() || !std::isnan(to_number(columns_[i])))
      in_.fail(fmt::format("{}: a line of columns' names was expected", show_word(columns_[i])));
    for (size_t j = 0; j < i; j++)
      if (columns_[i] == columns_[j]) in_.fail(fmt::format("column {} stands there twice", columns_[i]));
  }
  return true;
}

bool SampleReader::next() {
  if (!line()) return false;
  if (words_.size() != columns_.size())
    in_.fail(fmt::format("{} fields; the line of names has {}", words_.size(), columns_.size()));
  numbers_.clear();
  for (std::string_view word : words_) numbers_.push_back(to_number(word));
  return true;
}

void Choice::declare(Arguments& args) {
  args.option("-e,--events", event_lists,
              "events, with commas between them; * and ? stand for others (p2event lists them)")
      .type("LIST")
      .each();
  args.option("-r,--rules", rule_names,
              fmt::format("what is to be known: a file of rules, or {}", fmt::join(ready_rules(), ", ")))
      .type("RULES")
      .each();
  args.option("-g,--groups", groups,
              "groups of the units, fxu=3,icu=0; or sga; or all: 0 to 15, one after another")
      .type("GROUPS");
  args.flag("--user", user, "count in problem state only");
  args.flag("--kernel", kernel, "count in privileged state only");
  args.option("--period", period, "with more events than fit at once: how long each set of groups is counted")
      .type("TIME")
      .show_default();
  args.option("-d,--device", device, "the monitor").show_default();
}

Plan make_plan(const Choice& choice, const char* usual) {
  Plan plan;
  if (choice.user && choice.kernel) throw Misuse("--user and --kernel: together they leave nothing");
  const uint32_t control =
      p2_control((choice.user ? P2_USER_ONLY : 0) | (choice.kernel ? P2_KERNEL_ONLY : 0));
  plan.period_ns = parse_time("--period", choice.period, 1000000, 10000000000);
  std::vector<std::string> rules = choice.rule_names;
  if (rules.empty() && choice.event_lists.empty() && choice.groups.empty()) rules.emplace_back(usual);
  if (!rules.empty()) plan.rules = load_all_rules(rules);
  plan.events = parse_events(choice.event_lists);
  for (const std::string& event : plan.rules.events())
    if (std::find(plan.events.begin(), plan.events.end(), event) == plan.events.end())
      plan.events.push_back(event);
  if (choice.groups.empty()) {
    if (plan.events.empty())
      throw Misuse(fmt::format("{}: these rules need no event of the monitor", plan.rules.name));
    plan.sets = choose_sets(plan.events, control);
    return plan;
  }
  if (!choice.event_lists.empty()) throw Misuse("--groups and --events: one of them");
  plan.sets = parse_groups(choice.groups, control);
  plan.events = events_of(plan.sets);
  return plan;
}

Sample sample_of(const Monitor& monitor, const std::vector<std::string>& events, const p2_counts* before,
                 const p2_counts& after) {
  Sample s;
  s.seconds = static_cast<double>(after.set[0].enabled_ns - (before ? before->set[0].enabled_ns : 0)) / 1e9;
  for (const std::string& event : events) {
    p2_value v;
    if (p2_value_of(&monitor.session(), before, &after, event.c_str(), &v)) {
      s.counts.push_back(kNone);
      s.running = 0;
      continue;
    }
    s.counts.push_back(v.count);
    if (v.cycles < v.all_cycles)
      s.running =
          std::min(s.running, 100 * static_cast<double>(v.cycles) / static_cast<double>(v.all_cycles));
  }
  return s;
}

std::vector<double> sample_values(const Sample& s) {
  std::vector<double> values{
      s.time, s.elapsed, s.seconds, s.cpu < 0 ? kNone : s.cpu, s.pid < 0 ? kNone : s.pid, kNone, s.running};
  values.insert(values.end(), s.counts.begin(), s.counts.end());
  return values;
}

int run_tool(const char* name, const std::function<int()>& work) {
  const auto failed = [name](int status, const char* text) {
    std::fputs(fmt::format("{}: {}\n", name, text).c_str(), stderr);
    return status;
  };
  hold_standard_descriptors();
  try {
    return work();
  } catch (const UsageError& e) {
    return failed(2, e.what());
  } catch (const std::runtime_error& e) {
    return failed(1, e.what());
  }
}

}  // namespace perfboard::p2
