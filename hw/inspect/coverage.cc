// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/coverage.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <type_traits>
#include <utility>

namespace perfboard::inspect {
namespace {

constexpr std::string_view kKindNames[] = {
    "read",     "written",  "value",  "set",       "cleared", "raised", "enabled",
    "serviced", "sequence", "effect", "injection", "mistake", "narrow", "nothing",
};

constexpr bool readable(::perfboard::Access access) {
  return access != ::perfboard::Access::wo && access != ::perfboard::Access::reserved;
}
constexpr bool writable(::perfboard::Access access) {
  using enum ::perfboard::Access;
  return access == rw || access == wo || access == wa;
}

// Bits that the paper keeps for later are no driver's business.
bool of_interest(const Field& field) {
  return field.access != ::perfboard::Access::reserved && field.name != "RESERVED";
}

// The register takes notice of it. Of an access with two registers a mistake does not say whose it is: then
// none does.
bool heeded(const BoardView& view, const Access& access, const Part& part) {
  const auto ignored = [&](const Event& e) {
    return e.what == What::kMistake && e.number < view.mistakes.size() && view.mistakes[e.number].ignored;
  };
  return !access.write || !part.place.reg ||
         (std::popcount(part.lanes) >= 8 * part.place.reg->min_write_bytes &&
          std::ranges::none_of(access.events, ignored));
}

std::string full_name(const Register& reg, const Field& field) {
  const auto same = [&](const Field& f) { return f.name == field.name; };
  std::string name = std::string(reg.name) + "." + std::string(field.name);
  if (std::ranges::count_if(reg.fields, same) > 1) {
    name += "[" + std::to_string(field.msb) + ":" + std::to_string(field.lsb) + "]";
  }
  return name;
}

}  // namespace

std::string_view kind_name(Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::optional<Kind> kind_of(std::string_view name) {
  const auto* found = std::ranges::find(kKindNames, name);
  if (found == std::end(kKindNames)) return std::nullopt;
  return static_cast<Kind>(found - std::begin(kKindNames));
}

std::unique_ptr<Coverage> Coverage::make(const BoardView& view, Look look, std::string& why) {
  std::unique_ptr<Coverage> c(new Coverage(view, look));
  for (const std::span<const Register> table : view.tables)
    for (const Register& reg : table)
      if (!c->registers_.contains(&reg)) c->add_fields(reg);
  if (!c->add_conditions(why) || !c->add_sequences(why)) return nullptr;
  c->effects_ = c->items_.size();
  for (const Effect& e : view.effects) c->add(Kind::kEffect, std::string(e.name), e.text, {});
  c->injections_ = c->items_.size();
  for (const Injection& i : view.injections) c->add(Kind::kInjection, std::string(i.name), i.text, i.reaches);
  c->mistakes_ = c->items_.size();
  for (const Mistake& m : view.mistakes) c->add(Kind::kMistake, std::string(m.name), m.text, m.source);
  c->nothing_ = c->items_.size();
  for (const WindowView& w : view.windows)
    c->add(Kind::kNothing, std::string(w.name), "an access where nothing answers", {});
  return c;
}

size_t Coverage::add(Kind kind, std::string name, std::string_view text, std::string_view source) {
  items_.push_back({kind, std::move(name), std::string(text), std::string(source), 0, {}});
  return items_.size() - 1;
}

void Coverage::add_fields(const Register& reg) {
  RegisterItems items{{}, kNone};
  for (const Field& f : reg.fields) {
    if (!of_interest(f)) continue;
    const std::string name = full_name(reg, f);
    FieldItems i{&f, kNone, kNone, kNone, kNone, kNone, {}};
    const bool w1c = f.access == ::perfboard::Access::w1c;
    if (readable(f.access)) i.read = add(Kind::kRead, name, f.text, f.source);
    if (writable(f.access)) i.written = add(Kind::kWritten, name, f.text, f.source);
    if (w1c) i.set = add(Kind::kSet, name, f.text, f.source);
    if (w1c) i.cleared = add(Kind::kCleared, name, f.text, f.source);
    for (const Values& v : view_.values) {
      if (v.field != name) continue;
      i.values = items_.size();
      i.legal = v.legal;
      for (uint32_t value : v.legal) add(Kind::kValue, name + "=" + std::to_string(value), f.text, f.source);
    }
    items.fields.push_back(i);
  }
  if (reg.min_write_bytes > 1 &&
      std::ranges::any_of(items.fields, [](auto& f) { return f.written != kNone || f.cleared != kNone; })) {
    items.narrow =
        add(Kind::kNarrow, std::string(reg.name),
            "a write of less than " + std::to_string(reg.min_write_bytes) + " bytes, which it ignores",
            reg.source);
  }
  registers_.emplace(&reg, std::move(items));
}

bool Coverage::find_bit(std::string_view dotted, Bit& bit, std::string& why) const {
  const size_t dot = dotted.find('.');
  const std::string_view reg_name = dotted.substr(0, dot);
  for (const std::span<const Register> table : view_.tables) {
    for (const Register& reg : table) {
      if (reg.name != reg_name) continue;
      bit.reg = &reg;
      if (dot == std::string_view::npos) bit.mask = ~0u;
      for (const Field& f : reg.fields)
        if (dot != std::string_view::npos && f.name == dotted.substr(dot + 1)) bit.mask = f.mask();
      if (bit.mask) return true;
    }
  }
  why = std::string(view_.board) + ": no register has " + std::string(dotted);
  return false;
}

bool Coverage::parse(std::string_view text, std::vector<Pattern>& patterns, std::string& why) const {
  const std::optional<Pattern> pattern = parse_pattern(text, why);
  if (!pattern || !pattern_known(*pattern, who_, why)) {
    why = std::string(view_.board) + ": " + why;
    return false;
  }
  patterns.push_back(*pattern);
  return true;
}

bool Coverage::add_conditions(std::string& why) {
  for (const Condition& c : view_.conditions) {
    ConditionItems items{{}, {}, {}, 0, 0, 0};
    if (!find_bit(c.status, items.status, why)) return false;
    if (!c.enable.empty() && !find_bit(c.enable, items.enable, why)) return false;
    if (!c.service.empty() && !parse(c.service, items.service, why)) return false;
    const std::string name(c.name);
    items.raised = add(Kind::kRaised, name, c.text, c.source);
    items.enabled = add(Kind::kEnabled, name, c.text, c.source);
    items.serviced = c.service.empty() ? kNone : add(Kind::kServiced, name, c.text, c.source);
    for (const Register* reg : {items.status.reg, items.enable.reg})
      if (reg && std::ranges::find(condition_registers_, reg) == condition_registers_.end())
        condition_registers_.push_back(reg);
    conditions_.push_back(std::move(items));
  }
  return true;
}

bool Coverage::add_sequences(std::string& why) {
  for (const Sequence& s : view_.sequences) {
    SequenceItems items{{}, {}, add(Kind::kSequence, std::string(s.name), s.text, s.source)};
    for (const std::string_view step : s.steps) {
      if (!parse(step, items.steps, why)) return false;
      items.given.push_back(given(items.steps.back()));
      items_[items.item].steps.push_back({std::string(step), 0});
    }
    if (!items.steps.empty()) sequences_.push_back(std::move(items));
  }
  return true;
}

const Register* Coverage::given(const Pattern& step) const {
  if (step.kind != Pattern::Kind::kAccess || step.op != Pattern::Op::kWrite ||
      step.relation != Pattern::Relation::kEqual)
    return nullptr;
  Bit bit;
  std::string why;
  const std::string name = step.field.empty() ? step.name : step.name + "." + step.field;
  if (!find_bit(name, bit, why)) return nullptr;  // '*' stands for several
  const Register& reg = *bit.reg;
  // Only rw fields hold what is written.
  const uint32_t mask = step.field.empty() ? reg.readable() : bit.mask;
  const uint64_t value = step.field.empty() ? step.value : step.value << std::countr_zero(mask);
  return mask && !(mask & ~reg.mask(::perfboard::Access::rw)) && (reg.reset() & mask) == value ? &reg
                                                                                               : nullptr;
}

const Coverage::RegisterItems* Coverage::items_of(const Register* reg) const {
  const auto found = registers_.find(reg);
  return found == registers_.end() ? nullptr : &found->second;
}

Coverage::Unit& Coverage::unit(int number) {
  Unit& u = units_[number];
  u.next.resize(sequences_.size());
  u.lines.resize(conditions_.size());
  return u;
}

void Coverage::count_part(const Access& access, const Part& part) {
  const RegisterItems* items = items_of(part.place.reg);
  if (!items) return;
  if (!heeded(view_, access, part)) {
    // What the board itself calls a mistake is counted as that, once.
    const auto told = [](const Event& e) { return e.what == What::kMistake; };
    if (std::ranges::none_of(access.events, told)) hit(items->narrow);
    return;
  }
  for (const FieldItems& f : items->fields) {
    const uint32_t mask = f.field->mask() & part.lanes;
    if (!mask) continue;
    hit(access.write ? f.written : f.read);
    if (!access.write && part.data & mask) hit(f.set);
    if (access.write && part.data & mask & part.before.value_or(~0u)) hit(f.cleared);
    const bool whole = mask == f.field->mask();
    if (f.values == kNone || access.write != (f.written != kNone) || (!whole && !part.after)) continue;
    const uint32_t value = f.field->get(whole ? part.data : *part.after);
    const auto legal = std::ranges::find(f.legal, value);
    if (legal != f.legal.end()) hit(f.values + static_cast<size_t>(legal - f.legal.begin()));
  }
}

void Coverage::count_event(const Event& event) {
  const auto of = [&](size_t first, size_t count) {
    if (event.number < count) hit(first + event.number);
  };
  switch (event.what) {
    case What::kEffect:
      of(effects_, view_.effects.size());
      break;
    case What::kMistake:
      of(mistakes_, view_.mistakes.size());
      break;
    case What::kInjected:
      if (event.value) of(injections_, view_.injections.size());
      break;
    case What::kIrq:
    case What::kReset:
      break;
  }
}

void Coverage::learn(Unit& u, const Register* reg, uint32_t value, uint32_t known) {
  for (size_t i = 0; i < conditions_.size(); i++) {
    const ConditionItems& c = conditions_[i];
    Unit::Line& line = u.lines[i];
    if (c.status.reg == reg && c.status.mask & known) {
      const bool raised = value & c.status.mask;
      if (raised && !line.raised) {
        hit(c.raised);
        if (!c.enable.reg) hit(c.enabled);
        line.waits = true;
      }
      line.raised = raised;
    }
    if (c.enable.reg == reg && c.enable.mask & known) {
      const bool enabled = value & c.enable.mask;
      if (enabled && !line.enabled) hit(c.enabled);
      line.enabled = enabled;
    }
  }
}

void Coverage::peek_conditions(Unit& u, int number, uint64_t now) {
  if (!look_.model || !view_.peek) return;
  for (const Register* reg : condition_registers_) {
    const auto value = view_.peek(look_.model, now, {reg, -1, 0, number});
    if (value) learn(u, reg, *value, ~0u);
  }
}

void Coverage::reset(Unit& u) {
  std::ranges::fill(u.next, 0);
  u.written.clear();
  std::ranges::fill(u.lines, Unit::Line{});
}

template <typename Happening>
void Coverage::walk(Unit& u, const Happening& happening) {
  const auto fits = [&](const Pattern& pattern) {
    if constexpr (std::is_same_v<Happening, Access>) {
      return matches_alone(pattern, who_, happening);  // its events come after it, each by itself
    } else {
      return matches(pattern, who_, happening);
    }
  };
  for (size_t i = 0; i < conditions_.size(); i++) {
    const ConditionItems& c = conditions_[i];
    if (!u.lines[i].waits || c.service.empty() || !fits(c.service[0])) continue;
    hit(c.serviced);
    u.lines[i].waits = false;
  }
  for (size_t i = 0; i < sequences_.size(); i++) {
    const SequenceItems& s = sequences_[i];
    const auto is_given = [&](size_t n) { return s.given[n] && !u.written.contains(s.given[n]); };
    size_t& next = u.next[i];
    size_t at = next;
    while (!fits(s.steps[at]) && at + 1 < s.steps.size() && is_given(at)) ++at;
    if (!fits(s.steps[at])) continue;
    for (; next <= at; ++next) ++items_[s.item].steps[next].count;
    if (next < s.steps.size()) continue;
    hit(s.item);
    next = 0;
  }
}

void Coverage::access(const Access& access) {
  const std::lock_guard guard(lock_);
  const auto known = std::ranges::find_if(access.parts, [](const Part& p) { return p.place.reg; });
  const int number = known == access.parts.end() ? -1 : known->place.unit;
  Unit& u = unit(number);
  for (const Part& p : access.parts) {
    if (!p.place.reg) continue;
    if (p.before) {
      learn(u, p.place.reg, *p.before, ~0u);
    } else if (!access.write) {
      learn(u, p.place.reg, p.data, p.lanes);
    }
    count_part(access, p);
  }
  if (known == access.parts.end() && access.window < view_.windows.size()) hit(nothing_ + access.window);
  const auto is_heeded = [&](const Part& p) { return heeded(view_, access, p); };
  if (std::ranges::all_of(access.parts, is_heeded)) {
    walk(u, access);
  } else {  // what a register has not heeded has not been done
    std::vector<Part> done;
    std::ranges::copy_if(access.parts, std::back_inserter(done), is_heeded);
    Access heard = access;
    heard.parts = done;
    walk(u, heard);
  }
  for (const Event& e : access.events) {
    count_event(e);
    if (e.what == What::kReset) reset(u);
    walk(u, e);
  }
  for (const Part& p : access.parts)
    if (p.place.reg && access.write && is_heeded(p)) u.written.insert(p.place.reg);
  for (const Part& p : access.parts)
    if (p.place.reg && p.after) learn(u, p.place.reg, *p.after, ~0u);
  // Somebody who tells of an event may hold the board's lock, and waits for ours.
  if (!look_.lock) peek_conditions(u, number, access.ns);
}

void Coverage::event(const Event& event) {
  const std::lock_guard guard(lock_);
  count_event(event);
  if (units_.empty()) unit(-1);
  for (auto& [number, u] : units_) {
    if (event.what == What::kReset) reset(u);
    walk(u, event);
  }
}

void Coverage::settle() {
  const uint64_t now = look_.now ? look_.now(look_.opaque) : 0;
  if (look_.lock) look_.lock(look_.opaque, true);
  {
    const std::lock_guard guard(lock_);
    if (units_.empty()) unit(-1);
    for (auto& [number, u] : units_) peek_conditions(u, number, now);
  }
  if (look_.lock) look_.lock(look_.opaque, false);
}

std::vector<Item> Coverage::items() const {
  const std::lock_guard guard(lock_);
  return items_;
}

}  // namespace perfboard::inspect
