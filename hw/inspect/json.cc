// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/json.h"

#include <cstdio>
#include <utility>

#include "hw/inspect/parts.h"

namespace perfboard::inspect {
namespace {

constexpr uint64_t kMostExact = uint64_t{1} << 53;

// An object as it grows.
class Object {
 public:
  Object& member(std::string_view name, std::string_view json) {
    text_ += text_.size() > 1 ? ",\"" : "\"";
    text_ += name;
    text_ += "\":";
    text_ += json;
    return *this;
  }
  Object& number(std::string_view name, uint64_t value) { return member(name, json_number(value)); }
  Object& text(std::string_view name, std::string_view value) { return member(name, json_text(value)); }
  std::string done() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

// An array as it grows.
class Array {
 public:
  void add(std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json;
  }
  bool empty() const { return text_.size() == 1; }
  std::string done() && { return std::move(text_) + "]"; }

 private:
  std::string text_ = "[";
};

template <typename Rows, typename NameOf>
std::string name_of(const Rows& rows, uint32_t number, NameOf name) {
  return number < rows.size() ? std::string(name(rows[number])) : std::to_string(number);
}

std::string named(std::string_view name, uint64_t value) {
  return std::move(Object().text("name", name).number("value", value)).done();
}

// What has happened: effects, the last level of the interrupt line, mistakes.
void add_events(Object& o, const Who& who, std::span<const Event> events) {
  const BoardView none{}, &view = who.view ? *who.view : none;
  Array effects, mistakes, injected;
  std::optional<uint64_t> irq;
  bool reset = false;
  for (const Event& e : events) {
    switch (e.what) {
      case What::kEffect:
        effects.add(named(name_of(view.effects, e.number, [](const Effect& x) { return x.name; }), e.value));
        break;
      case What::kMistake: {
        Object m;
        m.text("name", name_of(view.mistakes, e.number, [](const Mistake& x) { return x.name; }));
        m.text("line", e.line);
        if (e.number < view.mistakes.size()) m.text("source", view.mistakes[e.number].source);
        mistakes.add(std::move(m).done());
        break;
      }
      case What::kIrq:
        irq = e.value;
        break;
      case What::kReset:
        reset = true;
        break;
      case What::kInjected:
        injected.add(named(name_of(view.injections, e.number, [](const Injection& i) { return i.property; }),
                           e.value));
        break;
    }
  }
  if (!effects.empty()) o.member("effects", std::move(effects).done());
  if (irq) o.number("irq", *irq);
  if (!mistakes.empty()) o.member("mistakes", std::move(mistakes).done());
  if (!injected.empty()) o.member("injected", std::move(injected).done());
  if (reset) o.member("reset", "true");
}

void add_place(Object& o, const Place& place) {
  o.text("reg", place.reg->name);
  if (place.index >= 0) o.number("index", place.index);
  if (place.unit >= 0) o.number("part", place.unit);
}

void add_part(Object& o, const Part& part, bool write) {
  if (!part.place.reg) return;
  add_place(o, part.place);
  if (part.before) o.number("before", *part.before);
  if (part.after) o.number("after", *part.after);
  Object fields, changed;
  for (const Field& f : part.place.reg->fields) {
    if (f.mask() & part.lanes) fields.number(f.name, f.get(part.data));
    if (write && part.before && part.after && f.get(*part.before) != f.get(*part.after))
      changed.number(f.name, f.get(*part.after));
  }
  o.member("fields", std::move(fields).done());
  if (write) o.member("changed", std::move(changed).done());
}

Object begin(const Who& who, std::optional<uint64_t> number, uint64_t ns, std::string_view op) {
  Object o;
  if (number) o.number("n", *number);
  o.number("ns", ns).text("board", who.board).text("unit", who.unit).text("op", op);
  return o;
}

void add_run(Object& o, const Run& run) {
  if (run.times == 1) return;
  o.number("times", run.times).number("until", run.until);
  if (run.turns > 1) o.number("turn", run.turn).number("turns", run.turns);
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_number(uint64_t value) {
  if (value <= kMostExact) return std::to_string(value);
  char text[24];
  std::snprintf(text, sizeof text, "\"0x%llx\"", static_cast<unsigned long long>(value));
  return text;
}

std::string json_of(const Who& who, const Access& a, std::optional<uint64_t> number, const Run& run) {
  Object o = begin(who, number, a.ns, a.write ? "write" : "read");
  if (a.vcpu >= 0) o.number("cpu", a.vcpu);
  if (a.pc) o.number("pc", *a.pc);
  if (who.view && a.window < who.view->windows.size()) {
    o.text("window", who.view->windows[a.window].name);
  } else {
    o.number("window", a.window);
  }
  o.number("offset", a.offset).number("bytes", a.bytes).number("value", a.value);
  if (a.parts.size() == 1) {
    add_part(o, a.parts[0], a.write);
  } else {
    Array parts;
    for (const Part& p : a.parts) {
      Object part;
      part.number("lanes", p.lanes).number("data", p.data);
      add_part(part, p, a.write);
      parts.add(std::move(part).done());
    }
    o.member("parts", std::move(parts).done());
  }
  add_events(o, who, a.events);
  add_run(o, run);
  return std::move(o).done();
}

std::string json_of(const Who& who, const Event& event, std::optional<uint64_t> number, const Run& run) {
  Object o = begin(who, number, event.ns, "event");
  add_events(o, who, {&event, 1});
  add_run(o, run);
  return std::move(o).done();
}

std::string json_of_left_out(const Told& told, uint64_t most) {
  Object o;
  o.number("ns", told.from).text("op", "left-out").number("times", told.times).number("until", told.until);
  return std::move(o.number("log-size", most)).done() + "\n";
}

std::string json_of_end(uint64_t most, uint64_t number) {
  return std::move(Object().number("n", number).text("op", "end").number("log-size", most)).done();
}

std::string json_register(const Place& place, uint32_t value) {
  Object o, fields;
  add_place(o, place);
  o.number("value", value);
  for (const Field& f : place.reg->fields) fields.number(f.name, f.get(value));
  return std::move(o.member("fields", std::move(fields).done())).done();
}

}  // namespace perfboard::inspect
