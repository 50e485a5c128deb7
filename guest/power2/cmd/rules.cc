// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/rules.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "guest/common/input.h"
#include "guest/common/ranges.h"

namespace perfboard::p2 {
namespace {

// Where the text behind an expression begins: a colon that belongs to no ?, or the end.
size_t end_of_expression(std::string_view text) {
  unsigned choices = 0;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '?') choices++;
    if (text[i] == ':' && choices-- == 0) return i;
  }
  return text.size();
}

const Rule* find(const std::vector<Rule>& rules, std::string_view name) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

bool has(const std::vector<Rule>& rules, std::string_view name) { return find(rules, name) != nullptr; }

Rule parse_rule(std::string_view line) {
  const bool hidden = line.starts_with("let ");
  if (hidden) line = trim(line.substr(4));
  const size_t equals = line.find('=');
  if (equals == line.npos) throw Misuse("expected NAME [UNIT] = EXPRESSION : TEXT");
  std::string_view name = trim(line.substr(0, equals)), unit;
  if (const size_t bracket = name.find('['); bracket != name.npos) {
    if (!name.ends_with(']')) throw Misuse("the unit has no ]");
    unit = trim(name.substr(bracket + 1, name.size() - bracket - 2));
    name = trim(name.substr(0, bracket));
  }
  if (!is_name(name) || name.find('.') != name.npos)
    throw Misuse(fmt::format("{}: a name has letters, digits and _", show_word(name)));
  const std::string_view right = line.substr(equals + 1);
  const size_t end = end_of_expression(right);
  const std::string source(trim(right.substr(0, end)));
  return {std::string(name),
          std::string(unit),
          std::string(trim(right.substr(std::min(end + 1, right.size())))),
          !hidden,
          source,
          Expression(source)};
}

}  // namespace

RuleSet parse_rules(const std::string& name, std::string_view text) {
  RuleSet set;
  set.name = name;
  bool second = false;
  for (unsigned number = 1; !text.empty(); number++) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t comment = line.find('#');
    if (comment == 0 && set.title.empty() && set.first.empty()) set.title = trim(line.substr(1));
    line = trim(line.substr(0, comment));
    if (line.empty()) continue;
    try {
      if (line == "second") {
        if (second) throw Misuse("there are two stages");
        second = true;
        continue;
      }
      Rule rule = parse_rule(line);
      if (has(set.first, rule.name) || has(set.second, rule.name))
        throw Misuse(fmt::format("{}: a rule of that name stands above", rule.name));
      (second ? set.second : set.first).push_back(std::move(rule));
    } catch (const Misuse& e) {
      throw Misuse(fmt::format("{}:{}: {}", name, number, e.what()));
    }
  }
  if (set.first.empty() && set.second.empty()) throw Misuse(fmt::format("{}: no rules in it", name));
  return set;
}

std::vector<std::string> RuleSet::heads() const {
  std::vector<std::string> found;
  for (const std::vector<Rule>* rules : {&first, &second})
    for (const Rule& rule : *rules)
      if (rule.shown) found.push_back(rule.unit.empty() ? rule.name : rule.name + "[" + rule.unit + "]");
  return found;
}

std::vector<std::string> RuleSet::events() const {
  std::vector<std::string> found;
  for (const std::vector<Rule>* rules : {&first, &second})
    for (const Rule& rule : *rules)
      for (const std::string& word : rule.expression.names()) {
        const std::string event = word.substr(0, word.find('.'));
        if (has(first, event) || !p2_find_event(event.c_str())) continue;
        if (std::find(found.begin(), found.end(), event) == found.end()) found.push_back(event);
      }
  return found;
}

std::vector<std::string> ready_rules() {
  std::vector<std::string> names;
  for (const ReadyRules* r = kReadyRules; r->name; r++) names.emplace_back(r->name);
  return names;
}

RuleSet load_rules(const std::string& name) {
  for (const ReadyRules* r = kReadyRules; r->name; r++)
    if (name == r->name) return parse_rules(name, r->text);
  std::string text;
  try {
    Input in(name);
    for (std::string_view line; in.line(line);) text.append(line).push_back('\n');
  } catch (const FileError& e) {
    if (name.find_first_of("/.") != name.npos || name == "-") throw Failure(e.what());
    throw Misuse(fmt::format("--rules {}: no such file, and the ready sets are {}", name,
                             fmt::join(ready_rules(), " ")));
  }
  return parse_rules(name, text);
}

RuleSet load_all_rules(const std::vector<std::string>& names) {
  RuleSet all;
  for (const std::string& name : names) {
    RuleSet set = load_rules(name);
    all.name += (all.name.empty() ? "" : "+") + set.name;
    all.title += (all.title.empty() ? "" : "; ") + set.title;
    for (auto [from, to] : {std::pair{&set.first, &all.first}, std::pair{&set.second, &all.second}})
      for (Rule& rule : *from) {
        if (const Rule* same = find(*to, rule.name); same && same->source == rule.source) continue;
        if (has(all.first, rule.name) || has(all.second, rule.name))
          throw Misuse(fmt::format("{}: another set has a rule {}, which is not the same", name, rule.name));
        to->push_back(std::move(rule));
      }
  }
  return all;
}

namespace {

// Words of a row that say whose it is; there may be files without them.
bool is_usual_column(const std::string& name) {
  static const char* const usual[] = {"time", "elapsed", "seconds", "running", "cpu",
                                      "pid",  "tgid",    "id",      "mmcr"};
  return std::find(std::begin(usual), std::end(usual), name) != std::end(usual);
}

bool may_be_missing(const std::string& name) { return is_usual_column(name) || p2_find_event(name.c_str()); }

size_t place(const std::vector<Rule>& rules, const std::string& name) {
  return static_cast<size_t>(
      std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; }) -
      rules.begin());
}

[[noreturn]] void no_such_name(const RuleSet& rules, const Rule& rule, const std::string& name) {
  throw Misuse(fmt::format("{}: rule {} needs {}, which is no event, no column, no fact and no rule above it",
                           rules.name, rule.name, name));
}

}  // namespace

// By Welford: no difference of large sums.
void Statistics::add(double x) {
  if (std::isnan(x)) return;
  min_ = n_ ? std::min(min_, x) : x;
  max_ = n_ ? std::max(max_, x) : x;
  n_++;
  sum_ += x;
  const double from = x - mean_;
  mean_ += from / static_cast<double>(n_);
  squares_ += from * (x - mean_);
}

double Statistics::mean() const { return n_ ? mean_ : kNone; }
double Statistics::sd() const { return n_ > 1 ? std::sqrt(squares_ / static_cast<double>(n_ - 1)) : kNone; }
double Statistics::min() const { return n_ ? min_ : kNone; }
double Statistics::max() const { return n_ ? max_ : kNone; }

Reducer::Reducer(const RuleSet& rules, const std::vector<std::string>& columns, const Facts& facts)
    : rules_(rules),
      columns_(columns),
      facts_(facts),
      row_(rules.first.size(), kNone),
      first_(rules.first.size()),
      needed_(rules.first.size()),
      of_columns_(columns.size()),
      column_wanted_(columns.size()) {
  for (size_t i = 0; i < rules.first.size(); i++) {
    std::vector<Source>& sources = first_sources_.emplace_back();
    for (const std::string& name : rules.first[i].expression.names()) {
      const Source s = sources.emplace_back(first_source(name, i));
      if (s.kind == Source::kRule) needed_[i].insert(needed_[s.index].begin(), needed_[s.index].end());
      if (s.kind == Source::kColumn) needed_[i][s.index];
    }
  }
  for (size_t i = 0; i < rules.second.size(); i++) {
    std::vector<Source>& sources = second_sources_.emplace_back();
    for (const std::string& name : rules.second[i].expression.names())
      sources.push_back(second_source(name, i));
  }
}

size_t Reducer::column(const std::string& name) const {
  return static_cast<size_t>(std::find(columns_.begin(), columns_.end(), name) - columns_.begin());
}

Reducer::Source Reducer::first_source(const std::string& name, size_t rule) {
  if (const size_t above = place(rules_.first, name); above < rule) return {Source::kRule, above};
  if (const size_t at = column(name); at < columns_.size()) return {Source::kColumn, at};
  if (const auto fact = facts_.find(name); fact != facts_.end()) return {Source::kFact, 0, fact->second};
  if (may_be_missing(name)) return {Source::kUnknown, 0};
  no_such_name(rules_, rules_.first[rule], name);
}

Reducer::Source Reducer::second_source(const std::string& word, size_t rule) {
  static constexpr std::pair<const char*, double (*)(const Statistics&)> kinds[] = {
      {"mean", nullptr},
      {"sd", [](const Statistics& x) { return x.sd(); }},
      {"min", [](const Statistics& x) { return x.min(); }},
      {"max", [](const Statistics& x) { return x.max(); }},
      {"sum", [](const Statistics& x) { return x.n() ? x.sum() : kNone; }},
      {"n", [](const Statistics& x) { return static_cast<double>(x.n()); }}};
  if (const size_t above = place(rules_.second, word); above < rule) return {Source::kRule, above};
  const size_t dot = word.find('.');
  const std::string name = word.substr(0, dot), which = dot == word.npos ? "mean" : word.substr(dot + 1);
  const auto* kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return which == k.first; });
  if (kind == std::end(kinds))
    throw Misuse(fmt::format("{}: rule {}: {}: legal are .mean .sd .min .max .sum .n", rules_.name,
                             rules_.second[rule].name, word));
  if (const size_t at = place(rules_.first, name); at < rules_.first.size())
    return {Source::kStatistic, at, 0, kind->second};
  if (const size_t at = column(name); at < columns_.size()) {
    column_wanted_[at] = true;
    return {Source::kStatistic, rules_.first.size() + at, 0, kind->second};
  }
  if (const auto fact = facts_.find(word); fact != facts_.end()) return {Source::kFact, 0, fact->second};
  if (may_be_missing(name)) return {Source::kUnknown, 0};
  no_such_name(rules_, rules_.second[rule], word);
}

void Reducer::first_stage(std::span<const double> row, std::vector<double>& results) const {
  std::vector<double> values;
  for (size_t i = 0; i < rules_.first.size(); i++) {
    values.clear();
    for (const Source& s : first_sources_[i])
      values.push_back(s.kind == Source::kRule     ? results[s.index]
                       : s.kind == Source::kColumn ? row[s.index]
                       : s.kind == Source::kFact   ? s.fact
                                                   : kNone);
    results[i] = rules_.first[i].expression.value(values);
  }
}

void Reducer::add(std::span<const double> row) {
  first_stage(row, row_);
  for (size_t i = 0; i < rules_.first.size(); i++) {
    const auto lacks = [&](const auto& column) { return std::isnan(row[column.first]); };
    first_[i].add(row_[i]);
    if (std::isnan(row_[i]) && std::any_of(needed_[i].begin(), needed_[i].end(), lacks)) continue;
    for (auto& [at, statistics] : needed_[i]) statistics.add(row[at]);
  }
  for (size_t i = 0; i < columns_.size(); i++)
    if (column_wanted_[i]) of_columns_[i].add(row[i]);
}

double Reducer::mean(size_t rule) const {
  std::vector<double> means(columns_.size(), kNone), values(rules_.first.size());
  if (needed_[rule].empty()) return first_[rule].mean();
  for (const auto& [at, statistics] : needed_[rule]) means[at] = statistics.mean();
  first_stage(means, values);
  return values[rule];
}

std::vector<double> Reducer::second() const {
  std::vector<double> results, values;
  const auto statistic = [&](const Source& s) {
    const bool of_rule = s.index < first_.size();
    const Statistics& x = of_rule ? first_[s.index] : of_columns_[s.index - first_.size()];
    return s.of ? s.of(x) : of_rule ? mean(s.index) : x.mean();
  };
  for (size_t i = 0; i < rules_.second.size(); i++) {
    values.clear();
    for (const Source& s : second_sources_[i])
      values.push_back(s.kind == Source::kRule        ? results[s.index]
                       : s.kind == Source::kFact      ? s.fact
                       : s.kind == Source::kStatistic ? statistic(s)
                                                      : kNone);
    results.push_back(rules_.second[i].expression.value(values));
  }
  return results;
}

std::vector<double> Reducer::shown() const {
  std::vector<double> values;
  const auto add = [&](const std::vector<Rule>& rules, const std::vector<double>& results) {
    for (size_t i = 0; i < rules.size(); i++)
      if (rules[i].shown) values.push_back(results[i]);
  };
  add(rules_.first, row_);
  add(rules_.second, second());
  return values;
}

}  // namespace perfboard::p2
