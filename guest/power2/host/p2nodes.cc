// SPDX-License-Identifier: GPL-2.0-or-later
// p2nodes - several nodes' rows of counts as one report.
#include <algorithm>
#include <cmath>
#include <memory>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/rules.h"

namespace perfboard::p2 {
namespace {

const std::vector<std::string> kFront = sample_columns({});
const size_t kUsual = kFront.size();

struct Words {
  std::vector<std::string> files, rules;
  bool csv = false, rates = false;
};

// What a node's rows are in all. A count that a row lacks is not known.
struct Column {
  std::string name;
  Facts facts;
  uint64_t rows = 0;
  double elapsed = 0, seconds = 0, running = 100;
  std::vector<double> counts;
  double last_time = kNone;

  // Rows that ended together (a row for each processor) are of the same time.
  void add(const std::vector<double>& row) {
    rows++;
    if (row[0] != last_time) elapsed += row[1];
    last_time = row[0];
    seconds += row[2];
    running = std::min(running, row[6]);
    for (size_t i = 0; i < counts.size(); i++) counts[i] += row[kUsual + i];
  }
  // As a row again, for rules.
  std::vector<double> row() const {
    std::vector<double> all = {elapsed, elapsed, seconds, kNone, kNone, kNone, running};
    all.insert(all.end(), counts.begin(), counts.end());
    return all;
  }
};

// What all nodes have alike; the others are not known.
Facts common(const std::vector<Column>& nodes) {
  Facts facts = nodes.front().facts;
  for (auto& [name, value] : facts)
    for (const Column& n : nodes)
      if (const auto other = n.facts.find(name); other == n.facts.end() || other->second != value)
        value = kNone;
  return facts;
}

Facts known(Facts facts) {
  std::erase_if(facts, [](const auto& fact) { return std::isnan(fact.second); });
  return facts;
}

Column sum(const std::vector<Column>& nodes) {
  Column all = {
      .name = "all", .facts = common(nodes), .counts = std::vector<double>(nodes.front().counts.size())};
  for (const Column& n : nodes) {
    all.rows += n.rows;
    all.elapsed = std::max(all.elapsed, n.elapsed);
    all.seconds += n.seconds;
    all.running = std::min(all.running, n.running);
    for (size_t i = 0; i < n.counts.size(); i++) all.counts[i] += n.counts[i];
  }
  return all;
}

// Opens a node's file; each row goes to `take`.
class NodeRows {
 public:
  explicit NodeRows(const NodeFile& file) : input_(file.file), rows_(input_) {
    if (!rows_.head()) throw FileError(input_.name() + ": nothing in it");
    if (rows_.columns().size() <= kUsual ||
        !std::equal(kFront.begin(), kFront.end(), rows_.columns().begin()))
      input_.fail("rows of counts as p2run --csv writes them were expected");
  }
  void same_as(const NodeRows& first) const {
    if (rows_.columns() != first.rows_.columns())
      input_.fail(fmt::format("the counts are not those of {}", first.input_.name()));
  }
  SampleReader& rows() { return rows_; }
  const std::string& name() const { return input_.name(); }

 private:
  Input input_;
  SampleReader rows_;
};

class Report {
 public:
  Report(Output& out, const std::vector<Column>& columns) : out_(out), columns_(columns) {}
  void line(const std::string& what, auto text_of, const std::string& text = {}) {
    out_.print("{:<28}", what);
    for (const Column& c : columns_) out_.print(" {:>15}", text_of(c));
    out_.print("{}{}\n", text.empty() ? "" : "  ", text);
  }

 private:
  Output& out_;
  const std::vector<Column>& columns_;
};

void show(const Words& w, Output& out, const std::vector<std::string>& names,
          const std::vector<Column>& columns) {
  Report report(out, columns);
  report.line("", [](const Column& c) { return c.name; });
  report.line("elapsed [s]", [](const Column& c) { return fmt::format("{:.6f}", c.elapsed); });
  report.line("counted [s]", [](const Column& c) { return fmt::format("{:.6f}", c.seconds); });
  if (columns.back().running < 100)
    report.line("counted, of the cycles [%]",
                [](const Column& c) { return fmt::format("{:.1f}", c.running); });
  for (size_t i = kUsual; i < names.size(); i++)
    report.line(names[i] + (w.rates ? " [/s]" : ""), [&](const Column& c) {
      const double count = c.counts[i - kUsual] / (w.rates ? c.elapsed : 1);
      return number_text(std::round(count));
    });
  if (columns.back().running < 100) out.write("\nCounted in turns: estimates.\n");
  if (w.rules.empty()) return;
  const RuleSet rules = load_all_rules(w.rules);
  std::vector<Reducer> reducers;
  for (const Column& c : columns) {
    reducers.emplace_back(rules, names, c.facts).add(c.row());
  }
  out.put('\n');
  const auto lines = [&](const std::vector<Rule>& stage, auto value_of) {
    for (size_t i = 0; i < stage.size(); i++) {
      if (!stage[i].shown) continue;
      const std::string unit = stage[i].unit.empty() ? "" : fmt::format(" [{}]", stage[i].unit);
      size_t at = 0;
      report.line(
          stage[i].name + unit, [&](const Column&) { return number_text(value_of(reducers[at++], i)); },
          stage[i].text);
    }
  };
  lines(rules.first, [](const Reducer& r, size_t i) { return r.row()[i]; });
  lines(rules.second, [](const Reducer& r, size_t i) { return r.second()[i]; });
}

void report(const Words& w, Tool& tool, Output& out) {
  std::vector<Column> nodes;
  std::vector<std::unique_ptr<NodeRows>> all;
  const std::vector<NodeFile> files = node_files(tool, w.files);
  for (const NodeFile& file : files) {
    all.push_back(std::make_unique<NodeRows>(file));
    all.back()->same_as(*all.front());
    nodes.push_back({.name = "node " + file.node,
                     .facts = all.back()->rows().facts(),
                     .counts = std::vector<double>(all.front()->rows().columns().size() - kUsual)});
  }
  const std::vector<std::string>& names = all.front()->rows().columns();
  if (w.csv) {
    put_fact_line(out, known(common(nodes)));
    out.write("node");
    for (const std::string& name : names) out.print(",{}", name);
    out.put('\n');
  }
  for (size_t n = 0; n < nodes.size(); n++) {
    SampleReader& rows = all[n]->rows();
    while (rows.next()) {
      nodes[n].add(rows.numbers());
      if (!w.csv) continue;
      out.write(files[n].node);
      for (std::string_view word : rows.words()) out.print(",{}", word);
      out.put('\n');
    }
    if (!nodes[n].rows) tool.complain(fmt::format("{}: no rows in it", all[n]->name()));
  }
  if (w.csv) return;
  nodes.push_back(sum(nodes));
  show(w, out, names, nodes);
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2nodes) {
  using namespace perfboard;
  using namespace perfboard::p2;
  Words w;
  Tool tool(
      "p2nodes",
      "One report of several nodes' counts (p2run, p2stat, p2read: --csv): a column for each node, and for\n"
      "all: sums, of the time that took longest. Several rows of a node are added up first.",
      false);
  tool.args
      .option("files", w.files,
              "a node's rows, - for standard input (default); a node is its place among them if not named")
      .type("[NODE=]FILE...");
  tool.args
      .option("-r,--rules", w.rules,
              "besides, what rules make of each column's sums: a file, or a ready set (p2event --rules)")
      .type("RULES")
      .each();
  tool.args.flag("--rates", w.rates, "counts a second of the time elapsed");
  tool.args.flag("--csv", w.csv, "instead all rows, with a column for the node in front: p2reduce --by node");
  return tool.run(argc, argv, [&](Output& out) {
    if (w.csv && (w.rates || !w.rules.empty()))
      throw Misuse("--csv writes the rows as they are: not with --rates or --rules");
    report(w, tool, out);
  });
}
