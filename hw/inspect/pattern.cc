// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/pattern.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "hw/model/number.h"

namespace perfboard::inspect {
namespace {

using Kind = Pattern::Kind;
using Op = Pattern::Op;
using Relation = Pattern::Relation;

constexpr std::string_view kBlank = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

// The first word, and what is behind it.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text = trimmed(text.substr(word.size()));
  return word;
}

bool complain(std::string& why, std::string_view text, std::string_view what) {
  why = "'" + std::string(text) + "': " + std::string(what);
  return false;
}

// A name in which * stands for any characters.
bool fits_name(std::string_view pattern, std::string_view name) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0, n = 0, star = kNone, taken = 0;  // by the last star, up to there
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', std::min(p, pattern.size())) == kNone;
}

bool is_name(std::string_view text, bool with_stars = false) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (c == '*' && with_stars);
  });
}

bool parse_relation(std::string_view& left, Pattern& p, std::string_view whole, std::string& why) {
  const size_t at = left.find_first_of("=!<>");
  if (at == std::string_view::npos) return true;
  std::string_view right = left.substr(at);
  const bool two = right.starts_with("!=");
  if (right[0] == '!' && !two) return complain(why, whole, "legal are =, !=, < and >");
  p.relation = two               ? Relation::kUnequal
               : right[0] == '=' ? Relation::kEqual
               : right[0] == '<' ? Relation::kLess
                                 : Relation::kGreater;
  right = trimmed(right.substr(two ? 2 : 1));
  if (!parse_number(right, p.value)) return complain(why, whole, "a number must stand behind =, !=, < or >");
  left = trimmed(left.substr(0, at));
  return true;
}

bool parse_board(std::string_view& text, Pattern& p, std::string_view whole, std::string& why) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return true;
  std::string_view board = trimmed(text.substr(0, colon));
  text = trimmed(text.substr(colon + 1));
  if (const size_t slash = board.find('/'); slash != std::string_view::npos) {
    uint16_t part;
    if (!parse_integer(board.substr(slash + 1), 10, part)) {
      return complain(why, whole, "behind '/' a number must stand");
    }
    p.part = part;
    board = board.substr(0, slash);
  }
  if (const size_t at = board.find('@'); at != std::string_view::npos) {
    p.unit = board.substr(at + 1);
    board = board.substr(0, at);
    if (p.unit.empty()) return complain(why, whole, "behind '@' a board's slot or address must stand");
  }
  if (!is_name(board)) return complain(why, whole, "in front of ':' a board's name must stand");
  p.board = board;
  return true;
}

constexpr struct {
  std::string_view word;
  Kind kind;
  bool named;
  std::optional<What> what;  // nothing: it is no event
} kWords[] = {{"irq", Kind::kIrq, false, What::kIrq},
              {"reset", Kind::kReset, false, What::kReset},
              {"none", Kind::kNone, false, {}},
              {"mistake", Kind::kMistake, true, What::kMistake},
              {"effect", Kind::kEffect, true, What::kEffect},
              {"injected", Kind::kInjected, true, What::kInjected}};

// "irq", "mistake NAME", ... False: the text is an access.
bool parse_event(std::string_view text, Pattern& p) {
  const std::string_view word = take_word(text);
  for (const auto& w : kWords) {
    if (w.word == word && (text.empty() || (w.named && is_name(text, true)))) {
      p.kind = w.kind;
      p.name = text;
      return true;
    }
  }
  return false;
}

bool parse_register(std::string_view text, Pattern& p, std::string_view whole, std::string& why) {
  if (const size_t dot = text.find('.'); dot != std::string_view::npos) {
    p.field = text.substr(dot + 1);
    text = text.substr(0, dot);
    if (!is_name(p.field, true)) return complain(why, whole, "behind '.' a field's name must stand");
  }
  if (const size_t bracket = text.find('['); bracket != std::string_view::npos) {
    uint32_t index;
    if (text.back() != ']' || !parse_number(text.substr(bracket + 1, text.size() - bracket - 2), index) ||
        index > INT32_MAX) {
      return complain(why, whole, "a register's number stands in brackets, as in SOURCE[3]");
    }
    p.index = static_cast<int>(index);
    text = text.substr(0, bracket);
  }
  if (!is_name(text, true)) {
    return complain(why, whole,
                    "it is [BOARD[@UNIT]:][read|write|any] REG[[INDEX]][.FIELD][=VALUE], or irq, mistake, "
                    "effect, injected, reset or none");
  }
  p.name = text;
  return true;
}

bool parse(std::string_view whole, Pattern& p, std::string& why) {
  std::string_view text = trimmed(whole);
  if (!parse_board(text, p, whole, why) || !parse_relation(text, p, whole, why)) return false;
  if (parse_event(text, p)) {
    if (p.relation != Relation::kNothing && (p.kind == Kind::kReset || p.kind == Kind::kNone)) {
      return complain(why, whole, "it has no value");
    }
    return true;
  }
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  if (word == "read" || word == "write" || word == "any") {
    p.op = word == "read" ? Op::kRead : word == "write" ? Op::kWrite : Op::kAny;
    text = rest;
  }
  return parse_register(text, p, whole, why);
}

// --- what a board has ----------------------------------------------------------------------------

bool is_of(const Pattern& p, const Who& who) {
  return (p.board.empty() || p.board == who.board) && (p.unit.empty() || p.unit == who.unit);
}

template <typename Rows, typename NameOf>
std::string names_of(const Rows& rows, NameOf name) {
  std::string all;
  for (const auto& row : rows) all += (all.empty() ? "" : ", ") + std::string(std::invoke(name, row));
  return all.empty() ? "none" : all;
}

template <typename Rows, typename NameOf>
bool row_known(const Pattern& p, const Rows& rows, std::string_view what, NameOf name, std::string& why) {
  for (const auto& row : rows) {
    if (p.name.empty() || fits_name(p.name, std::invoke(name, row))) return true;
  }
  return complain(why, p.name,
                  "there is no such " + std::string(what) + "; legal are " + names_of(rows, name));
}

bool has_field(const Register& reg, std::string_view name) {
  return std::any_of(reg.fields.begin(), reg.fields.end(),
                     [&](const Field& f) { return fits_name(name, f.name); });
}

bool register_known(const Pattern& p, const BoardView& view, std::string& why) {
  const Register* found = nullptr;  // with the field, if one has it
  bool with_field = false;
  uint32_t most = 0;  // entries
  std::string all;
  for (const auto& table : view.tables) {
    for (const Register& reg : table) {
      all += (all.empty() ? "" : ", ") + std::string(reg.name);
      if (!fits_name(p.name, reg.name)) continue;
      const bool has = p.field.empty() || has_field(reg, p.field);
      if (!found || has) found = &reg;
      with_field |= has;
      if (has) most = std::max(most, entries_of(view, reg));
    }
  }
  const bool several = p.name.find('*') != std::string::npos;
  if (p.name != "*" && !found) return complain(why, p.name, "there is no such register; legal are " + all);
  if (found && !with_field && several) return complain(why, p.field, "no register has such a field");
  if (found && !with_field) {
    return complain(why, p.field,
                    p.name + " has no such field; legal are " + names_of(found->fields, &Field::name));
  }
  if (p.index < 0 || static_cast<uint32_t>(p.index) < most) return true;
  return complain(why, p.name + "[" + std::to_string(p.index) + "]",
                  most ? "legal are 0 to " + std::to_string(most - 1) : p.name + " is no array");
}

// --- what fits -----------------------------------------------------------------------------------

bool relation_holds(const Pattern& p, uint64_t value) {
  switch (p.relation) {
    case Relation::kNothing:
      return true;
    case Relation::kEqual:
      return value == p.value;
    case Relation::kUnequal:
      return value != p.value;
    case Relation::kLess:
      return value < p.value;
    case Relation::kGreater:
      return value > p.value;
  }
  return false;
}

bool fits_part(const Pattern& p, const Part& part) {
  const Place& place = part.place;
  if (p.kind == Kind::kNone) return !place.reg;
  if (!place.reg || (p.part >= 0 && p.part != place.unit) || (p.index >= 0 && p.index != place.index))
    return false;
  if (!fits_name(p.name, place.reg->name)) return false;
  if (p.field.empty()) return relation_holds(p, part.data >> (part.lanes ? __builtin_ctz(part.lanes) : 0));
  for (const Field& f : place.reg->fields) {
    if (fits_name(p.field, f.name) && (f.mask() & part.lanes) && relation_holds(p, f.get(part.data)))
      return true;
  }
  return false;
}

}  // namespace

std::optional<Pattern> parse_pattern(std::string_view text, std::string& why) {
  Pattern p;
  if (parse(text, p, why)) return p;
  return std::nullopt;
}

bool pattern_known(const Pattern& p, const Who& who, std::string& why) {
  if (!who.view || !is_of(p, who)) return true;
  switch (p.kind) {
    case Kind::kAccess:
      return register_known(p, *who.view, why);
    case Kind::kMistake:
      return row_known(p, who.view->mistakes, "mistake", &Mistake::name, why);
    case Kind::kEffect:
      return row_known(p, who.view->effects, "effect", &Effect::name, why);
    case Kind::kInjected:
      return row_known(p, who.view->injections, "property", &Injection::name, why);
    default:
      return true;
  }
}

bool matches_alone(const Pattern& p, const Who& who, const Access& access) {
  if (!is_of(p, who) || (p.kind != Kind::kAccess && p.kind != Kind::kNone)) return false;
  if (p.kind == Kind::kAccess && p.op != Op::kAny && (p.op == Op::kWrite) != access.write) return false;
  return std::any_of(access.parts.begin(), access.parts.end(),
                     [&](const Part& part) { return fits_part(p, part); });
}

bool matches(const Pattern& p, const Who& who, const Access& access) {
  return matches_alone(p, who, access) || std::any_of(access.events.begin(), access.events.end(),
                                                      [&](const Event& e) { return matches(p, who, e); });
}

bool matches(const Pattern& p, const Who& who, const Event& e) {
  const bool of_kind = std::any_of(std::begin(kWords), std::end(kWords),
                                   [&](const auto& w) { return w.kind == p.kind && w.what == e.what; });
  if (!is_of(p, who) || !of_kind) return false;
  if (e.what != What::kMistake && !relation_holds(p, e.value)) return false;
  const std::string_view name = name_of(who.view, e);
  return p.name.empty() || (!name.empty() && fits_name(p.name, name));
}

std::optional<Filter> parse_filter(std::string_view text, const Who& who, std::string& why) {
  Filter filter;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view one = trimmed(text.substr(0, end));
    text = text.substr(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const bool out = one[0] == '!';
    const auto pattern = parse_pattern(out ? one.substr(1) : one, why);
    if (!pattern || !pattern_known(*pattern, who, why)) return std::nullopt;
    (out ? filter.leave_out : filter.keep).push_back(*pattern);
  }
  return filter;
}

}  // namespace perfboard::inspect
