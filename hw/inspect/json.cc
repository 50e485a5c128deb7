// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "hw/inspect/json_writer.h"
#include "hw/inspect/text.h"

namespace perfboard::inspect {
namespace {

// An array of those of one kind, unless there is none.
void put_events(JsonWriter& json, std::string_view name, std::span<const Event> events, What what, auto put) {
  bool any = false;
  for (const Event& e : events) {
    if (e.what != what) continue;
    if (!std::exchange(any, true)) json.key(name).StartArray();
    json.StartObject();
    put(e);
    json.EndObject();
  }
  if (any) json.EndArray();
}

// What has happened: effects, the last level of the interrupt line, mistakes.
void put_events(JsonWriter& json, const Who& who, std::span<const Event> events) {
  const auto named = [&](const Event& e) {
    const std::string_view name = name_of(who.view, e);
    return name.empty() ? std::to_string(e.number) : std::string(name);
  };
  std::optional<uint64_t> irq;
  bool reset = false;
  for (const Event& e : events) {
    if (e.what == What::kIrq) irq = e.value;
    if (e.what == What::kReset) reset = true;
  }
  const auto put_value = [&](const Event& e) {
    json.text("name", named(e)).number("value", e.value);
    if (const std::string means = meaning_of(who.view, e); !means.empty()) json.text("means", means);
  };
  put_events(json, "effects", events, What::kEffect, put_value);
  if (irq) json.number("irq", *irq);
  put_events(json, "mistakes", events, What::kMistake, [&](const Event& e) {
    json.text("name", named(e)).text("line", e.line);
    if (!name_of(who.view, e).empty()) json.text("source", who.view->mistakes[e.number].source);
  });
  put_events(json, "injected", events, What::kInjected, put_value);
  if (reset) json.key("reset").Bool(true);
}

void put_place(JsonWriter& json, const Place& place) {
  json.text("reg", place.reg->name);
  if (place.index >= 0) json.number("index", static_cast<uint64_t>(place.index));
  if (place.unit >= 0) json.number("part", static_cast<uint64_t>(place.unit));
}

// An object of the fields that are chosen.
void put_fields(JsonWriter& json, std::string_view name, const Register& reg, uint32_t value, auto chosen) {
  json.key(name).StartObject();
  for (const Field& f : reg.fields)
    if (chosen(f)) json.number(f.name, f.get(value));
  json.EndObject();
}

void put_part(JsonWriter& json, const Part& part, bool write) {
  if (!part.place.reg) return;
  put_place(json, part.place);
  if (part.before) json.number("before", *part.before);
  if (part.after) json.number("after", *part.after);
  const Register& reg = *part.place.reg;
  put_fields(json, "fields", reg, part.data, [&](const Field& f) { return f.mask() & part.lanes; });
  if (!write) return;
  put_fields(json, "changed", reg, part.after.value_or(0), [&](const Field& f) {
    return part.before && part.after && f.get(*part.before) != f.get(*part.after);
  });
}

void begin(JsonWriter& json, const Who& who, std::optional<uint64_t> number, uint64_t ns,
           std::string_view op) {
  json.StartObject();
  if (number) json.number("n", *number);
  json.number("ns", ns).text("board", who.board).text("unit", who.unit).text("op", op);
}

void put_run(JsonWriter& json, const Run& run) {
  if (run.times == 1) return;
  json.number("times", run.times).number("until", run.until);
  if (run.turns > 1) json.number("turn", run.turn).number("turns", run.turns);
}

}  // namespace

std::string json_of(const Who& who, const Access& a, std::optional<uint64_t> number, const Run& run) {
  JsonWriter json;
  begin(json, who, number, a.ns, a.write ? "write" : "read");
  if (a.vcpu >= 0) json.number("cpu", static_cast<uint64_t>(a.vcpu));
  if (a.pc) json.number("pc", *a.pc);
  if (who.view && a.window < who.view->windows.size()) {
    json.text("window", who.view->windows[a.window].name);
  } else {
    json.number("window", a.window);
  }
  json.number("offset", a.offset).number("bytes", a.bytes).number("value", a.value);
  if (a.parts.size() == 1) {
    put_part(json, a.parts[0], a.write);
  } else {
    json.key("parts").StartArray();
    for (const Part& p : a.parts) {
      json.StartObject();
      json.number("lanes", p.lanes).number("data", p.data);
      put_part(json, p, a.write);
      json.EndObject();
    }
    json.EndArray();
  }
  put_events(json, who, a.events);
  put_run(json, run);
  json.EndObject();
  return json.done();
}

std::string json_of(const Who& who, const Event& event, std::optional<uint64_t> number, const Run& run) {
  JsonWriter json;
  begin(json, who, number, event.ns, "event");
  put_events(json, who, {&event, 1});
  put_run(json, run);
  json.EndObject();
  return json.done();
}

std::string json_of_left_out(const Told& told, uint64_t most) {
  JsonWriter json;
  json.StartObject();
  json.number("ns", told.from).text("op", "left-out").number("times", told.times).number("until", told.until);
  json.number("log-size", most).EndObject();
  return json.done() + "\n";
}

std::string json_of_end(uint64_t most, uint64_t number) {
  JsonWriter json;
  json.StartObject();
  json.number("n", number).text("op", "end").number("log-size", most).EndObject();
  return json.done();
}

std::string json_register(const Place& place, uint32_t value) {
  JsonWriter json;
  json.StartObject();
  put_place(json, place);
  json.number("value", value);
  put_fields(json, "fields", *place.reg, value, [](const Field&) { return true; });
  json.EndObject();
  return json.done();
}

}  // namespace perfboard::inspect
