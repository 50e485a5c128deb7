// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/text.h"

#include <cstdarg>
#include <cstdio>

#include "hw/inspect/parts.h"

namespace perfboard::inspect {
namespace {

constexpr uint64_t kSecond = 1000000000;

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  char text[200];
  va_list words;
  va_start(words, format);
  std::vsnprintf(text, sizeof text, format, words);
  va_end(words);
  return text;
}

std::string seconds(uint64_t ns, int width) {
  return print("%*llu.%09llu", width, static_cast<unsigned long long>(ns / kSecond),
               static_cast<unsigned long long>(ns % kSecond));
}

std::string columns(uint64_t ns, const std::string& cpu, const std::string& pc, const Who& who, bool named) {
  std::string board(who.board);
  if (named) board += "@" + std::string(who.unit);
  return print("%s %-6s %-16s %-12s ", seconds(ns, 5).c_str(), cpu.c_str(), pc.c_str(), board.c_str());
}

std::string meaning(const InjectionValues& of, uint64_t value) {
  if (of.words) return value <= of.most ? of.words[value] : "";
  if (of.stands == Stands::kBitOf)
    return std::string(of.prefix) + std::to_string(value / 32) + " bit " + std::to_string(value % 32);
  std::string set;
  for (unsigned bit = 0; of.stands == Stands::kSet && bit < 64; ++bit) {
    if (!(value >> bit & 1)) continue;
    if (!set.empty()) set += ' ';
    set += std::string(of.prefix) + std::to_string(bit);
  }
  return set;
}

// A field's value: small ones are counts, switches and codes; large ones addresses and masks.
std::string value_text(uint64_t value) {
  return print(value < 10 ? "%llu" : "0x%llx", static_cast<unsigned long long>(value));
}

// With what it stands for, if that is something else.
std::string named_value(const Who& who, const Event& e) {
  const std::string means = meaning_of(who.view, e);
  return means.empty() ? value_text(e.value) : means + " (" + value_text(e.value) + ")";
}

std::string hex(uint64_t value, unsigned bytes) {
  return print("%0*llx", static_cast<int>(2 * bytes), static_cast<unsigned long long>(value));
}

std::string event_text(const Who& who, const Event& e) {
  const std::string name(name_of(who.view, e));
  switch (e.what) {
    case What::kEffect: {
      const std::string text = name.empty() ? print("effect %u", e.number) : name;
      return e.value || !meaning_of(who.view, e).empty() ? text + " " + named_value(who, e) : text;
    }
    case What::kMistake: {
      if (name.empty()) return "MISTAKE: " + std::string(e.line);
      // What the paper leaves open has a reason in place of a page, which the manual tells.
      const std::string_view source = who.view->mistakes[e.number].source;
      return "MISTAKE " + name + " (" + std::string(source.substr(0, source.find(':'))) +
             "): " + std::string(e.line);
    }
    case What::kIrq:
      return print("irq %u", static_cast<unsigned>(e.value));
    case What::kReset:
      return "reset";
    case What::kInjected:
      return (name.empty() ? print("injection %u", e.number) : name) + " " + named_value(who, e);
  }
  return {};
}

unsigned bytes_of(const Part& p) { return static_cast<unsigned>(__builtin_popcount(p.lanes)) / 8; }

// offset: of the part, in the window.
std::string part_text(const Who& who, const Access& a, const Part& p, uint64_t offset) {
  const unsigned low = p.lanes ? __builtin_ctz(p.lanes) : 0;
  std::string text;
  if (!p.place.reg) {
    const bool known = who.view && a.window < who.view->windows.size();
    text = (known ? std::string(who.view->windows[a.window].name) : print("window %u", a.window)) +
           print("+0x%llx", static_cast<unsigned long long>(offset));
  } else {
    text = (p.place.unit >= 0 ? print("%d:", p.place.unit) : std::string()) + register_name(p.place);
    if (low) text += print("+%u", low / 8);
  }
  text += (a.write ? " <- " : " -> ") + hex(p.data >> low, bytes_of(p));
  if (!p.place.reg) return text + (who.view ? " (nothing answers)" : "");
  for (const FieldSeen& f : fields_of(p, a.write)) {
    text += " " + std::string(f.field->name) + (f.cleared ? " cleared" : "=" + value_text(f.value));
  }
  return text;
}

}  // namespace

std::string meaning_of(const BoardView* view, const Event& e) {
  if (name_of(view, e).empty()) return {};
  if (e.what == What::kInjected) return meaning(view->injections[e.number].values, e.value);
  const bool injection = e.what == What::kEffect && view->effects[e.number].injection;
  return injection && e.value < view->injections.size() ? std::string(view->injections[e.value].name) : "";
}

std::string text_of(const Who& who, bool named, const Access& a) {
  std::string line = columns(a.ns, a.vcpu >= 0 ? print("cpu%d", a.vcpu) : "-",
                             a.pc ? print("%llx", static_cast<unsigned long long>(*a.pc)) : "-", who, named);
  uint64_t offset = a.offset;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (i) line += ", ";
    line += part_text(who, a, a.parts[i], offset);
    offset += bytes_of(a.parts[i]);
  }
  for (const Event& e : a.events) line += "; " + event_text(who, e);
  return line;
}

std::string text_of(const Who& who, bool named, const Event& event) {
  return columns(event.ns, "*", "-", who, named) + event_text(who, event);
}

std::string text_of(const Run& run) {
  if (run.times == 1) return {};
  const std::string turn = run.turns > 1 ? print(" (%u of %u in turn)", run.turn, run.turns) : "";
  return print("; %llu times to ", static_cast<unsigned long long>(run.times)) + seconds(run.until, 0) + turn;
}

std::string text_of_left_out(const Told& told, uint64_t most) {
  return print("# %llu accesses and events are left out here, from ",
               static_cast<unsigned long long>(told.times)) +
         seconds(told.from, 0) + " to " + seconds(told.until, 0) +
         print(": log-size=%llu\n", static_cast<unsigned long long>(most));
}

std::string text_of_end(uint64_t most) {
  return print("# the log ends here: log-size=%llu", static_cast<unsigned long long>(most));
}

}  // namespace perfboard::inspect
