// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "hw/model/view.h"

namespace perfboard {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool plain(std::string_view name) { return !name.empty() && name.find_first_not_of(kPlain) == name.npos; }

// Cites a page of the paper, says where else it stands, or why it is inferred.
bool cited(std::string_view source) { return !source.empty() && source != "INFERRED:"; }

template <typename Row, typename Name>
std::string twice(std::span<const Row> rows, std::string_view what, Name name) {
  std::set<std::string_view> seen;
  for (const Row& row : rows)
    if (!seen.insert(name(row)).second) return fmt::format("{} {} is there twice", what, name(row));
  return "";
}

std::string condition_error(const BoardView& view, const Condition& c) {
  if (!find_field(view, c.status)) return fmt::format("condition {}: no field {}", c.name, c.status);
  if (!c.enable.empty() && !find_field(view, c.enable))
    return fmt::format("condition {}: no field {}", c.name, c.enable);
  if (c.name.empty() || c.text.empty() || !cited(c.source) || c.service.empty())
    return fmt::format("condition {}: a text, a source or its service is missing", c.name);
  return "";
}

std::string sequence_error(const Sequence& s) {
  if (!plain(s.name)) return fmt::format("sequence '{}': the name is not plain", s.name);
  if (s.steps.empty() || std::ranges::any_of(s.steps, [](std::string_view step) { return step.empty(); }))
    return fmt::format("sequence {}: a step is missing", s.name);
  if (s.text.empty() || !cited(s.source)) return fmt::format("sequence {}: no text or no source", s.name);
  return "";
}

// Nothing but one value is legal, or nothing is said of it.
bool empty(const InjectionValues& v) {
  return !v.most || (!v.words && v.most == UINT64_MAX && v.what.empty());
}

std::string injection_error(const Injection& i) {
  if (!plain(i.name) || !i.name.starts_with("inject-"))
    return fmt::format("injection '{}': the name does not begin with inject-", i.name);
  if (empty(i.values) || i.help.empty() || i.text.empty() || i.reaches.empty())
    return fmt::format("injection {}: a text is missing", i.name);
  if (i.example.find(fmt::format(" {} ", i.name)) == i.example.npos)
    return fmt::format("injection {}: its example is of another", i.name);
  if (i.member.bytes > 1 ? i.member.bytes != 4 : i.member.bytes == 1 && i.values.most > UINT8_MAX)
    return fmt::format("injection {}: a member of {} bytes does not hold it", i.name, i.member.bytes);
  return "";
}

std::string values_error(const BoardView& view, const Values& v) {
  const Field* f = find_field(view, v.field);
  if (!f) return fmt::format("values: no field {}", v.field);
  if (v.legal.empty()) return fmt::format("values of {}: none", v.field);
  for (const uint32_t value : v.legal)
    if (f->get(f->set(0, value)) != value)
      return fmt::format("values of {}: {} does not fit", v.field, value);
  return "";
}

}  // namespace

const Field* find_field(const BoardView& view, std::string_view dotted) {
  const size_t dot = dotted.find('.');
  if (dot == dotted.npos) return nullptr;
  for (const auto& table : view.tables)
    for (const Register& r : table)
      if (r.name == dotted.substr(0, dot))
        for (const Field& f : r.fields)
          if (f.name == dotted.substr(dot + 1)) return &f;
  return nullptr;
}

std::string view_error(const BoardView& view) {
  std::string why;
  const auto first = [&](std::string error) {
    if (why.empty()) why = std::move(error);
  };
  if (view.board.empty()) first("the board has no name");
  if (view.windows.empty() || view.tables.empty()) first("no window, or no table");
  if (!view.place || !view.peek) first("place or peek is missing");
  first(twice(view.conditions, "condition", [](const Condition& c) { return c.name; }));
  first(twice(view.sequences, "sequence", [](const Sequence& s) { return s.name; }));
  first(twice(view.mistakes, "mistake", [](const Mistake& m) { return m.name; }));
  first(twice(view.effects, "effect", [](const Effect& e) { return e.name; }));
  first(twice(view.injections, "injection", [](const Injection& i) { return i.name; }));
  first(twice(view.values, "field", [](const Values& v) { return v.field; }));
  for (const WindowView& w : view.windows)
    if (w.name.empty() || w.bytes == 0 || w.text.empty()) first(fmt::format("window {}: incomplete", w.name));
  for (const Condition& c : view.conditions) first(condition_error(view, c));
  for (const Sequence& s : view.sequences) first(sequence_error(s));
  for (const Mistake& m : view.mistakes)
    if (!plain(m.name) || m.text.empty() || !cited(m.source))
      first(fmt::format("mistake {}: incomplete", m.name));
  for (const Effect& e : view.effects)
    if (!plain(e.name) || e.text.empty()) first(fmt::format("effect {}: incomplete", e.name));
  for (const Injection& i : view.injections) first(injection_error(i));
  for (const Values& v : view.values) first(values_error(view, v));
  return why;
}

}  // namespace perfboard
