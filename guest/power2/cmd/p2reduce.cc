// SPDX-License-Identifier: GPL-2.0-or-later
// p2reduce - rows of counts reduced to what rules say, with statistics, in two stages.
#include <algorithm>
#include <cmath>
#include <map>

#include "guest/common/ranges.h"
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/rules.h"

namespace perfboard::p2 {
namespace {

struct Words {
  std::vector<std::string> rules, by_lists, where;
  bool csv = false, rows = false;
};

// Rows with the same words in the columns of --by.
using Groups = std::map<std::string, Reducer>;

std::vector<size_t> places_of(const std::vector<std::string>& columns,
                              const std::vector<std::string>& names) {
  std::vector<size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) throw Misuse(fmt::format("--by {}: no such column", name));
    places.push_back(static_cast<size_t>(found - columns.begin()));
  }
  return places;
}

// "cpu 0, command sh"; for CSV "0,sh".
std::string key_of(const SampleReader& in, const std::vector<size_t>& by) {
  std::string key;
  for (size_t at : by) {
    if (!key.empty()) key += ',';
    key += in.words()[at];
  }
  return key;
}

void show_table(Output& out, const Reducer& r, const std::string& title) {
  const RuleSet& rules = r.rules();
  size_t width = 12;
  for (const std::vector<Rule>* stage : {&rules.first, &rules.second})
    for (const Rule& rule : *stage)
      if (rule.shown)
        width = std::max(width, rule.name.size() + (rule.unit.empty() ? 0 : rule.unit.size() + 3));
  const auto name = [](const Rule& rule) {
    return rule.unit.empty() ? rule.name : fmt::format("{} [{}]", rule.name, rule.unit);
  };
  const auto text = [](const Rule& rule, size_t blanks) {
    return rule.text.empty() ? "" : std::string(blanks, ' ') + rule.text;
  };
  if (!title.empty()) out.print("{}\n", title);
  out.print("{:<{}} {:>13} {:>13} {:>13} {:>13} {:>7}\n", "", width, "mean", "sd", "min", "max", "n");
  for (size_t i = 0; i < rules.first.size(); i++) {
    const Rule& rule = rules.first[i];
    const Statistics& s = r.first()[i];
    if (!rule.shown) continue;
    out.print("{:<{}} {:>13} {:>13} {:>13} {:>13} {:>7}{}\n", name(rule), width, number_text(r.mean(i)),
              number_text(s.sd()), number_text(s.min()), number_text(s.max()), s.n(), text(rule, 2));
  }
  const std::vector<double> second = r.second();
  for (size_t i = 0; i < second.size(); i++)
    if (const Rule& rule = rules.second[i]; rule.shown)
      out.print("{:<{}} {:>13}{}\n", name(rule), width, number_text(second[i]), text(rule, 52));
}

void show_csv(Output& out, const Reducer& r, const std::string& key) {
  const auto value = [&](double x) {
    out.put(',');
    put_count(out, x);
  };
  const auto begin = [&](const Rule& rule, unsigned stage) {
    if (!key.empty()) out.print("{},", key);
    out.print("{},{},{}", rule.name, csv_word(rule.unit), stage);
  };
  for (size_t i = 0; i < r.first().size(); i++) {
    const Statistics& s = r.first()[i];
    if (!r.rules().first[i].shown) continue;
    begin(r.rules().first[i], 1);
    for (double x : {r.mean(i), s.sd(), s.min(), s.max()}) value(x);
    out.print(",{}\n", s.n());
  }
  const std::vector<double> second = r.second();
  for (size_t i = 0; i < second.size(); i++) {
    if (!r.rules().second[i].shown) continue;
    begin(r.rules().second[i], 2);
    value(second[i]);
    out.write(",,,,\n");
  }
}

// Each row with what the first stage made of it behind what it was.
void show_row(Output& out, const SampleReader& in, const Reducer& r) {
  for (size_t i = 0; i < in.words().size(); i++) out.print("{}{}", i ? "," : "", in.words()[i]);
  for (size_t i = 0; i < r.row().size(); i++) {
    if (!r.rules().first[i].shown) continue;
    out.put(',');
    put_count(out, r.row()[i]);
  }
  out.put('\n');
}

void reduce(const Words& w, Tool& tool, Input& in, Output& out) {
  const RuleSet rules = load_all_rules(w.rules);
  std::vector<std::string> by;
  for (const std::string& list : w.by_lists)
    for (std::string& column : split(list, ',')) by.push_back(std::move(column));
  SampleReader reader(in);
  if (!reader.head()) return tool.complain(fmt::format("{}: nothing in it", in.name()));
  const std::vector<size_t> places = places_of(reader.columns(), by);
  Groups groups;
  std::vector<std::string> order;
  uint64_t count = 0;
  if (w.rows) {
    put_fact_line(out, reader.facts());
    for (size_t i = 0; i < reader.columns().size(); i++) out.print("{}{}", i ? "," : "", reader.columns()[i]);
    for (const Rule& rule : rules.first)
      if (rule.shown) out.print(",{}", rule.name);
    out.put('\n');
  }
  while (reader.next()) {
    count++;
    const std::string key = key_of(reader, places);
    auto group = groups.find(key);
    if (group == groups.end()) {
      group = groups.try_emplace(key, rules, reader.columns(), reader.facts()).first;
      order.push_back(key);
    }
    group->second.add(reader.numbers());
    if (w.rows) show_row(out, reader, group->second);
  }
  if (!count) return tool.complain(fmt::format("{}: no rows in it", in.name()));
  uint64_t values = 0;
  for (const auto& [key, r] : groups)
    for (const Statistics& s : r.first()) values += s.n();
  if (!values && !rules.first.empty())
    tool.complain(
        fmt::format("{}: none of {} rows has all that a rule of {} needs", in.name(), count, rules.name));
  if (w.rows) return;
  if (w.csv) {
    for (const std::string& column : by) out.print("{},", column);
    out.write("rule,unit,stage,mean,sd,min,max,n\n");
    for (const std::string& key : order) show_csv(out, groups.at(key), key);
    return;
  }
  if (!rules.title.empty()) out.print("{}: {} ({} rows)\n\n", rules.name, rules.title, count);
  for (const std::string& key : order) {
    show_table(out, groups.at(key), key);
    if (key != order.back()) out.put('\n');
  }
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2reduce) {
  using namespace perfboard;
  using namespace perfboard::p2;
  Words w;
  std::string input = "-";
  Tool tool(
      "p2reduce",
      "Reduces rows of counts (p2run, p2stat, p2trace: --csv) by rules, in two stages, with statistics.",
      false);
  tool.args.option("file", input, "read this instead of standard input").type("FILE");
  tool.args
      .option("-r,--rules", w.rules,
              "a file of rules, or a ready set (p2event --rules lists them); several are one")
      .type("RULES")
      .each()
      .required();
  tool.args
      .option("--by", w.by_lists,
              "statistics of their own for each value of these columns, such as pid,command")
      .type("COLUMNS")
      .each();
  tool.args.flag("--csv", w.csv, "comma-separated values");
  tool.args.flag("--rows", w.rows, "instead of statistics each row, with what the first stage made of it");
  return tool.run(argc, argv, [&](Output& out) {
    tool.keep_input(input);
    Input in(input);
    if (w.rows && w.csv) throw Misuse("--rows is comma-separated values already: not with --csv");
    reduce(w, tool, in, out);
  });
}
