// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hw/model/manual.h"

namespace perfboard {
namespace {

std::string code(std::string_view text) { return text.empty() ? "" : fmt::format("`{}`", cell(text)); }

std::string conditions(const BoardView& view) {
  std::string out =
      "## Interrupt conditions\n\n| Condition | Status | Enabled by | Taken back by | Meaning | Source |\n"
      "|---|---|---|---|---|---|\n";
  for (const Condition& c : view.conditions)
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.name, code(c.status),
                       c.enable.empty() ? "always" : code(c.enable), code(c.service), cell(c.text),
                       cell(c.source));
  return out + '\n';
}

// The first steps, of which all are repetitions.
size_t period(std::span<const std::string_view> steps) {
  for (size_t p = 1; p <= steps.size() / 2; ++p) {
    bool repeats = steps.size() % p == 0;
    for (size_t i = p; repeats && i < steps.size(); ++i) repeats = steps[i] == steps[i - p];
    if (repeats) return p;
  }
  return steps.size();
}

std::string sequences(const BoardView& view) {
  std::string out =
      "## Programming sequences\n\nSteps are patterns (`hw/inspect/README.md`), walked in this order; other "
      "accesses "
      "may stand between. `coverage=` says how far a driver came.\n\n";
  for (const Sequence& s : view.sequences) {
    out += fmt::format("- **{}** ({}): {}\n", s.name, s.source, s.text);
    const size_t once = period(s.steps);
    for (size_t i = 0; i < once; ++i) out += fmt::format("{}{}", i ? ", " : "  ", code(s.steps[i]));
    if (once < s.steps.size()) out += fmt::format(", {} times", s.steps.size() / once);
    out += '\n';
  }
  return out + '\n';
}

std::string mistakes(const BoardView& view) {
  std::string out =
      "## Mistakes\n\nWhat the board tells of under `-d guest_errors`, in its access log and in a driver's "
      "coverage.\n\n| Mistake | What is forbidden | Source |\n|---|---|---|\n";
  for (const Mistake& m : view.mistakes)
    out += fmt::format("| {} | {} | {} |\n", m.name, cell(m.text), cell(m.source));
  return out + '\n';
}

std::string effects(const BoardView& view) {
  std::string out =
      "## Side effects\n\nWhat the access log shows beside a register's new value.\n\n| Effect | Meaning "
      "|\n|---|---|\n";
  for (const Effect& e : view.effects) out += fmt::format("| {} | {} |\n", e.name, cell(e.text));
  return out + '\n';
}

std::string values_of(const InjectionValues& v) {
  if (v.words == kOffOn) return "on, off";
  if (!v.words) return v.most == UINT64_MAX ? std::string(v.what) : fmt::format("0 to {}{}", v.most, v.what);
  return fmt::format("{}", fmt::join(v.words, v.words + v.most + 1, ", "));
}

std::string injections(const BoardView& view) {
  std::string out =
      "## Errors on purpose\n\nProperties, settable on the command line, with `qom-set`, and by a scenario "
      "file "
      "(`-plugin perfboard.so,scenario=FILE`) at a virtual time. What is set is in a snapshot.\n\n"
      "| Property | Values | What happens | How a driver sees it |\n|---|---|---|---|\n";
  for (const Injection& i : view.injections)
    out += fmt::format("| {} | {} | {} | {} |\n", code(i.name), cell(values_of(i.values)), cell(i.text),
                       cell(i.reaches));
  out += "\nA scenario with each of them, `TIME DEVICE PROPERTY VALUE`:\n\n";
  for (const Injection& i : view.injections) out += fmt::format("    {}\n", i.example);
  return out + '\n';
}

// Names have no character that JSON would have to hide.
template <typename Rows, typename NameOf>
std::string name_list(const Rows& rows, NameOf name) {
  std::string out;
  for (const auto& row : rows) out += fmt::format("{}\"{}\"", out.empty() ? "" : ",", name(row));
  return "[" + out + "]";
}

}  // namespace

std::string manual_names(const BoardView& view) {
  const auto name = [](const auto& row) { return row.name; };
  std::string registers;
  for (const std::span<const Register> table : view.tables)
    for (const Register& r : table)
      registers +=
          fmt::format("{}\n{{\"name\":\"{}\",\"entries\":{},\"fields\":{}}}", registers.empty() ? "" : ",",
                      r.name, entries_of(view, r), name_list(r.fields, name));
  return fmt::format(
      "{{\"board\":\"{}\",\"registers\":[{}],\n\"mistakes\":{},\n\"effects\":{},\n\"injected\":{}}}\n",
      view.board, registers, name_list(view.mistakes, name), name_list(view.effects, name),
      name_list(view.injections, [](const Injection& i) { return i.name; }));
}

std::string manual_view(const BoardView& view) {
  std::string out;
  if (!view.conditions.empty()) out += conditions(view);
  if (!view.sequences.empty()) out += sequences(view);
  if (!view.mistakes.empty()) out += mistakes(view);
  if (!view.effects.empty()) out += effects(view);
  if (!view.injections.empty()) out += injections(view);
  return out;
}

}  // namespace perfboard
