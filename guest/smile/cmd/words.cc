// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/words.h"

#include <algorithm>

#include "guest/common/ranges.h"
#include "hw/core/number.h"

namespace perfboard::smile {
namespace {

struct Word {
  const char* name;
  uint32_t bits;
};
constexpr uint32_t kTypes = SMILE_TYPES, kKinds = SMR_FILTER_REQUEST | SMR_FILTER_RESPONSE,
                   kDirections = SMR_FILTER_INBOUND | SMR_FILTER_OUTBOUND;
constexpr uint32_t kGroups[] = {kTypes, kKinds, kDirections};
constexpr Word kFilterWords[] = {
    {"read", SMR_FILTER_READ},
    {"write", SMR_FILTER_WRITE},
    {"lock", SMR_FILTER_LOCK},
    {"unlock", SMR_FILTER_UNLOCK},
    {"request", SMR_FILTER_REQUEST},
    {"response", SMR_FILTER_RESPONSE},
    {"inbound", SMR_FILTER_INBOUND},
    {"outbound", SMR_FILTER_OUTBOUND},
    {"sent", SMR_FILTER_REQUEST | SMR_FILTER_OUTBOUND},
    {"received", SMR_FILTER_REQUEST | SMR_FILTER_INBOUND},
    {"all", 0},
};

uint64_t number(const std::string& what, const std::string& text) {
  uint64_t value = 0;
  if (!parse_number(text, value)) throw Misuse(fmt::format("{}: {}: not a number", what, text));
  return value;
}

void parse_range(const std::string& text, const std::string& range, Watch& w) {
  const size_t at = range.find_first_of("-+");
  if (at == std::string::npos) throw Misuse(fmt::format("{}: RANGE is FIRST-LAST or FIRST+BYTES", text));
  w.offset = parse_bytes(text, range.substr(0, at));
  const uint64_t second = parse_bytes(text, range.substr(at + 1));
  if (range[at] == '-' && second < w.offset) throw Misuse(fmt::format("{}: ends before it begins", text));
  w.bytes = range[at] == '+' ? second : second - w.offset + 1;
  if (!w.bytes || w.bytes > UINT64_MAX - w.offset) throw Misuse(fmt::format("{}: holds nothing", text));
}

uint32_t resolve_event(const std::vector<Watch>& watches, const std::string& name) {
  if (name.empty()) return SMILE_NO_EVENT;
  if (name == "timer") return SMR_TIMER_EVENT;
  for (size_t i = 0; i < watches.size(); ++i)
    if (watches[i].name == name) return static_cast<uint32_t>(SMILE_EVENT_OF(i));
  return parse_global(name);
}

}  // namespace

uint64_t parse_bytes(const std::string& what, const std::string& text) {
  uint64_t factor = 1;
  std::string digits = text;
  if (digits.ends_with('K')) factor = 1 << 10;
  if (digits.ends_with('M')) factor = 1 << 20;
  if (factor > 1) digits.pop_back();
  const uint64_t value = number(what, digits);
  if (value > UINT64_MAX / factor) throw Misuse(fmt::format("{}: {}: too large", what, text));
  return value * factor;
}

uint32_t parse_filter(const std::string& text) {
  uint32_t filter = 0;
  for (const std::string& part : split(text, '+')) {
    const auto* word = std::find_if(std::begin(kFilterWords), std::end(kFilterWords),
                                    [&](const Word& w) { return part == w.name; });
    if (word == std::end(kFilterWords)) {
      std::string all;
      for (const Word& w : kFilterWords) all += fmt::format(" {}", w.name);
      throw Misuse(fmt::format("filter {}: known are{}, with + between them", part, all));
    }
    filter |= word->bits;
  }
  for (uint32_t group : kGroups)
    if (!(filter & group)) filter |= group;
  return filter;
}

std::string filter_text(uint32_t filter) {
  std::string text;
  for (const Word& w : kFilterWords) {
    const bool one_bit = w.bits && !(w.bits & (w.bits - 1));
    if (one_bit && filter & w.bits) text += fmt::format("{}{}", text.empty() ? "" : "+", w.name);
  }
  return text.empty() ? "nothing" : text;
}

uint32_t parse_global(const std::string& text) {
  const std::string digits = text.starts_with("global") ? text.substr(6) : text;
  uint32_t n = 0;
  if (!parse_integer(digits, 10, n) || n < 1 || n > 15)
    throw Misuse(fmt::format(
        "event {}: legal are global1 to global15, and for start= and stop= timer and names", text));
  return SMR_GLOBAL_EVENT + n;
}

Watch parse_watch(const std::string& text) {
  Watch w;
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw Misuse(fmt::format("{}: expected NAME=RANGE", text));
  w.name = text.substr(0, equals);
  const std::vector<std::string> parts = split(text.substr(equals + 1), ',');
  parse_range(text, parts[0], w);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].starts_with("filter="))
      w.filter = parse_filter(parts[i].substr(7));
    else if (parts[i].starts_with("start="))
      w.start = parts[i].substr(6);
    else if (parts[i].starts_with("stop="))
      w.stop = parts[i].substr(5);
    else
      throw Misuse(fmt::format("{}: {}: known are filter=, start= and stop=", text, parts[i]));
  }
  return w;
}

std::vector<smile_watch> resolve(const std::vector<Watch>& watches) {
  std::vector<smile_watch> resolved;
  for (const Watch& w : watches) {
    for (const Watch& other : watches)
      if (&other != &w && other.name == w.name)
        throw Misuse(fmt::format("{}: the name stands there twice", w.name));
    smile_watch r{};
    r.name = w.name.c_str();
    r.offset = w.offset;
    r.bytes = w.bytes;
    r.filter = w.filter;
    r.start = resolve_event(watches, w.start);
    r.stop = resolve_event(watches, w.stop);
    resolved.push_back(r);
  }
  return resolved;
}

}  // namespace perfboard::smile
