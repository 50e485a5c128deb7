// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/rules.h"

#include <fmt/ranges.h>

#include <algorithm>

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

}  // namespace perfboard::p2
