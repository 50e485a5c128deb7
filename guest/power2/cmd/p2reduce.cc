// SPDX-License-Identifier: GPL-2.0-or-later
// p2reduce - rows of counts reduced to what rules say, with statistics, in two stages.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "guest/common/ranges.h"
#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/rules.h"

namespace perfboard::p2 {
namespace {

struct Words {
  std::vector<std::string> rules, by_lists;
  std::string input = "-", before;
  bool csv = false, rows = false;
};

// The words of the columns of --by.
using Key = std::vector<std::string>;

struct Reduced {
  std::string file;
  uint64_t rows = 0;
  std::map<Key, Reducer> groups;
  std::vector<Key> order;
};

// What --by names. "process" is no column of the rows: it is by pids, which get names when all rows are seen.
class By {
 public:
  By(const std::vector<std::string>& names, const std::vector<std::string>& columns) {
    const auto place = [&](const std::string& name) {
      return static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
    };
    pid_ = place("pid"), command_ = place("command");
    for (const std::string& name : names) {
      const size_t at = place(name), none = columns.size();
      const bool process = at == none && name == "process" && pid_ != none && command_ != none;
      if (at == none && !process) throw Misuse(fmt::format("--by {}: no such column", name));
      places_.push_back(process ? pid_ : at);
      process_.push_back(process);
      processes_ |= process;
    }
  }
  Key key(const std::vector<std::string_view>& words) {
    Key key;
    for (size_t at : places_) key.emplace_back(words[at]);
    if (processes_) {
      const auto [last, fresh] = last_.try_emplace(std::string(words[pid_]), words[command_]);
      if (fresh) pids_.push_back(last->first);
      if (!words[command_].empty()) last->second = words[command_];
    }
    return key;
  }
  // A process is called what it was last: between fork and exec it has its parent's name. The second one of a
  // name is "name 2".
  void name(Reduced& reduced) const {
    std::map<std::string, std::string> names;
    std::map<std::string, unsigned> seen;
    for (const std::string& pid : pids_) {
      const std::string& last = last_.at(pid);
      const unsigned n = ++seen[last];
      names[pid] = n == 1 ? last : fmt::format("{} {}", last, n);
    }
    std::map<Key, Reducer> groups;
    for (Key& key : reduced.order) {
      auto group = reduced.groups.extract(key);
      for (size_t i = 0; i < key.size(); i++)
        if (process_[i]) key[i] = names.at(key[i]);
      group.key() = key;
      groups.insert(std::move(group));
    }
    reduced.groups = std::move(groups);
  }

 private:
  size_t pid_, command_;
  std::vector<size_t> places_;
  std::vector<bool> process_;  // which of them
  bool processes_ = false;
  std::map<std::string, std::string> last_;  // by pid
  std::vector<std::string> pids_;            // as they came
};

std::string joined(const Key& key) { return fmt::format("{}", fmt::join(key, ",")); }

// How wide a table's first column is.
size_t name_width(const RuleSet& rules) {
  size_t width = 12;
  for (const std::vector<Rule>* stage : {&rules.first, &rules.second})
    for (const Rule& rule : *stage)
      if (rule.shown)
        width = std::max(width, rule.name.size() + (rule.unit.empty() ? 0 : rule.unit.size() + 3));
  return width;
}

std::string with_unit(const Rule& rule) {
  return rule.unit.empty() ? rule.name : fmt::format("{} [{}]", rule.name, rule.unit);
}

void show_table(Output& out, const Reducer& r, const std::string& title) {
  const RuleSet& rules = r.rules();
  const size_t width = name_width(rules);
  const auto text = [](const Rule& rule, size_t blanks) {
    return rule.text.empty() ? "" : std::string(blanks, ' ') + rule.text;
  };
  if (!title.empty()) out.print("{}\n", title);
  out.print("{:<{}} {:>13} {:>13} {:>13} {:>13} {:>7}\n", "", width, "mean", "sd", "min", "max", "n");
  for (size_t i = 0; i < rules.first.size(); i++) {
    const Rule& rule = rules.first[i];
    const Statistics& s = r.first()[i];
    if (!rule.shown) continue;
    out.print("{:<{}} {:>13} {:>13} {:>13} {:>13} {:>7}{}\n", with_unit(rule), width, number_text(r.mean(i)),
              number_text(s.sd()), number_text(s.min()), number_text(s.max()), s.n(), text(rule, 2));
  }
  const std::vector<double> second = r.second();
  for (size_t i = 0; i < second.size(); i++)
    if (const Rule& rule = rules.second[i]; rule.shown)
      out.print("{:<{}} {:>13}{}\n", with_unit(rule), width, number_text(second[i]), text(rule, 52));
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

// A rule's value before and after.
struct Change {
  double before = kNone, after = kNone, spread = kNone;  // spread: standard error of what lies between them
  double difference() const { return after - before; }
  // Three times its spread is no accident of a few rows.
  const char* verdict() const {
    if (difference() == 0) return "same";
    if (std::isnan(difference()) || std::isnan(spread)) return "-";
    return std::fabs(difference()) > 3 * spread ? "differs" : "same";
  }
};

double error_of_mean(const Statistics& s) { return s.sd() / std::sqrt(static_cast<double>(s.n())); }

// work(rule, stage, change) for each rule that is shown. Null: there it is not.
template <typename Work>
void each_change(const RuleSet& rules, const Reducer* before, const Reducer* after, Work work) {
  for (size_t i = 0; i < rules.first.size(); i++) {
    if (!rules.first[i].shown) continue;
    Change c{before ? before->mean(i) : kNone, after ? after->mean(i) : kNone};
    if (before && after)
      c.spread = std::hypot(error_of_mean(before->first()[i]), error_of_mean(after->first()[i]));
    work(rules.first[i], 1, c);
  }
  const std::vector<double> none(rules.second.size(), kNone), was = before ? before->second() : none,
                                                              is = after ? after->second() : none;
  for (size_t i = 0; i < rules.second.size(); i++)
    if (rules.second[i].shown) work(rules.second[i], 2, Change{was[i], is[i]});
}

void show_changes(Output& out, const Words& w, const RuleSet& rules, const std::vector<std::string>& by,
                  const Reduced& before, const Reduced& after) {
  if (w.csv)
    out.print("{}rule,unit,stage,before,after,difference,spread,verdict\n",
              by.empty() ? "" : joined(by) + ",");
  else
    out.print("{}: {} rows before ({}), {} after ({})\n", rules.name, before.rows, before.file, after.rows,
              after.file);
  std::vector<Key> keys = before.order;
  for (const Key& key : after.order)
    if (!before.groups.contains(key)) keys.push_back(key);
  const size_t width = name_width(rules);
  for (const Key& key : keys) {
    const auto was = before.groups.find(key), is = after.groups.find(key);
    if (!w.csv)
      out.print("\n{}{:<{}} {:>13} {:>13} {:>13} {:>13}\n", key.empty() ? "" : joined(key) + "\n", "", width,
                "before", "after", "difference", "spread");
    each_change(rules, was == before.groups.end() ? nullptr : &was->second,
                is == after.groups.end() ? nullptr : &is->second,
                [&](const Rule& rule, unsigned stage, const Change& c) {
                  if (!w.csv) {
                    out.print(
                        "{:<{}} {:>13} {:>13} {:>13} {:>13}  {}\n", with_unit(rule), width,
                        number_text(c.before), number_text(c.after), number_text(c.difference()),
                        number_text(c.spread),
                        rule.text.empty() ? c.verdict() : fmt::format("{:<7}  {}", c.verdict(), rule.text));
                    return;
                  }
                  out.print("{}{},{},{}", key.empty() ? "" : joined(key) + ",", rule.name,
                            csv_word(rule.unit), stage);
                  for (double x : {c.before, c.after, c.difference(), c.spread}) {
                    out.put(',');
                    put_count(out, x);
                  }
                  out.print(",{}\n", c.verdict());
                });
  }
}

// Nothing: there was nothing to reduce, which has been said. rows: where each row goes; may be null.
std::optional<Reduced> reduce(const RuleSet& rules, const std::vector<std::string>& by, Tool& tool,
                              const std::string& file, Output* rows) {
  Input in(file);
  SampleReader reader(in);
  const auto nothing = [&](const char* what) {
    tool.complain(fmt::format("{}: {} in it", in.name(), what));
    return std::nullopt;
  };
  if (!reader.head()) return nothing("nothing");
  By keys(by, reader.columns());
  if (rows) {
    put_fact_line(*rows, reader.facts());
    rows->print("{}", fmt::join(reader.columns(), ","));
    for (const Rule& rule : rules.first)
      if (rule.shown) rows->print(",{}", rule.name);
    rows->put('\n');
  }
  Reduced reduced{in.name()};
  while (reader.next()) {
    reduced.rows++;
    const Key key = keys.key(reader.words());
    auto group = reduced.groups.find(key);
    if (group == reduced.groups.end()) {
      group = reduced.groups.try_emplace(key, rules, reader.columns(), reader.facts()).first;
      reduced.order.push_back(key);
    }
    group->second.add(reader.numbers());
    if (rows) show_row(*rows, reader, group->second);
  }
  if (!reduced.rows) return nothing("no rows");
  uint64_t values = 0;
  for (const auto& [key, r] : reduced.groups)
    for (const Statistics& s : r.first()) values += s.n();
  if (!values && !rules.first.empty())
    tool.complain(fmt::format("{}: none of {} rows has all that a rule of {} needs", in.name(), reduced.rows,
                              rules.name));
  keys.name(reduced);
  return reduced;
}

void show_all(const Words& w, Tool& tool, Output& out) {
  const RuleSet rules = load_all_rules(w.rules);
  std::vector<std::string> by;
  for (const std::string& list : w.by_lists)
    for (std::string& column : split(list, ',')) by.push_back(std::move(column));
  std::optional<Reduced> before;
  if (!w.before.empty()) {
    before = reduce(rules, by, tool, w.before, nullptr);
    if (!before) return;
  }
  const std::optional<Reduced> reduced = reduce(rules, by, tool, w.input, w.rows ? &out : nullptr);
  if (!reduced || w.rows) return;
  if (before) return show_changes(out, w, rules, by, *before, *reduced);
  if (w.csv) {
    out.print("{}rule,unit,stage,mean,sd,min,max,n\n", by.empty() ? "" : joined(by) + ",");
    for (const Key& key : reduced->order) show_csv(out, reduced->groups.at(key), joined(key));
    return;
  }
  if (!rules.title.empty()) out.print("{}: {} ({} rows)\n\n", rules.name, rules.title, reduced->rows);
  for (const Key& key : reduced->order) {
    show_table(out, reduced->groups.at(key), joined(key));
    if (key != reduced->order.back()) out.put('\n');
  }
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2reduce) {
  using namespace perfboard;
  using namespace perfboard::p2;
  Words w;
  Tool tool(
      "p2reduce",
      "Reduces rows of counts (p2run, p2stat, p2trace: --csv) by rules, in two stages, with statistics.",
      false);
  tool.args.option("file", w.input, "read this instead of standard input").type("FILE");
  tool.args
      .option("-r,--rules", w.rules,
              "a file of rules, or a ready set (p2event --rules lists them); several are one")
      .type("RULES")
      .each()
      .required();
  tool.args
      .option("--by", w.by_lists,
              "statistics of their own for each value of these columns, such as pid,command; process: for "
              "each pid, "
              "by its command's name")
      .type("COLUMNS")
      .each();
  tool.args
      .option("--diff", w.before,
              "what FILE has is compared with this file's: difference, its spread, and whether it differs by "
              "more than three times that")
      .type("BEFORE");
  tool.args.flag("--csv", w.csv, "comma-separated values");
  tool.args.flag("--rows", w.rows, "instead of statistics each row, with what the first stage made of it");
  return tool.run(argc, argv, [&](Output& out) {
    if (w.rows && w.csv) throw Misuse("--rows is comma-separated values already: not with --csv");
    if (w.rows && !w.before.empty()) throw Misuse("--rows: of one file; not with --diff");
    if (w.before == "-" && w.input == "-") throw Misuse("--diff: standard input can be one of the two files");
    for (const std::string& file : {w.input, w.before})
      if (!file.empty()) tool.keep_input(file);
    show_all(w, tool, out);
  });
}
