// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/words.h"

#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "guest/common/ranges.h"
#include "hw/core/number.h"

namespace perfboard::p2 {
namespace {

void add_once(std::vector<std::string>& to, const std::string& name) {
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

// Letters to change, insert or take out.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    size_t corner = row[0]++;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[b.size()];
}

[[noreturn]] void no_such_event(const std::string& name) {
  std::vector<std::string> like;
  for (size_t e = 0; e < p2_event_count && like.size() < 8; e++) {
    const std::string known = p2_events[e].name;
    if (known.find(name) != known.npos || distance(known, name) <= 2) add_once(like, known);
  }
  throw Misuse(fmt::format("{}: no such event{}; `p2event` lists them", name,
                           like.empty() ? "" : fmt::format(" (like it: {})", fmt::join(like, " "))));
}

unsigned parse_group(const std::string& text) {
  unsigned group = 0;
  if (!parse_integer(text, 10, group) || group >= P2_GROUPS)
    throw Misuse(fmt::format("--groups: {}: legal are groups 0 to {}", text, P2_GROUPS - 1));
  return group;
}

}  // namespace

std::vector<std::string> parse_events(const std::vector<std::string>& lists) {
  std::vector<std::string> events;
  for (const std::string& list : lists)
    for (const std::string& name : split(list, ',')) {
      if (name.find_first_of("*?[") == name.npos) {
        if (!p2_find_event(name.c_str())) no_such_event(name);
        add_once(events, name);
        continue;
      }
      const size_t before = events.size();
      bool some = false;
      for (size_t e = 0; e < p2_event_count; e++)
        if (fnmatch(name.c_str(), p2_events[e].name, 0) == 0) {
          add_once(events, p2_events[e].name);
          some = true;
        }
      if (!some && events.size() == before) throw Misuse(fmt::format("{}: fits no event", name));
    }
  return events;
}

std::vector<p2_set> choose_sets(const std::vector<std::string>& events, uint32_t control) {
  std::vector<const char*> names;
  for (const std::string& event : events) names.push_back(event.c_str());
  std::vector<p2_set> sets(P2_MOST_SETS);
  size_t wrong = 0;
  const size_t count = p2_choose(names.data(), names.size(), control, sets.data(), sets.size(), &wrong);
  if (!count && wrong < events.size()) no_such_event(events[wrong]);
  if (!count)
    throw Misuse(fmt::format("{} events need more than {} sets of groups", events.size(), P2_MOST_SETS));
  sets.resize(count);
  return sets;
}

std::vector<p2_set> parse_groups(const std::string& text, uint32_t control) {
  if (text == "sga") return {{control | P2_MMCR_SGA, 0}};
  std::vector<p2_set> sets;
  if (text == "all") {
    for (unsigned g = 0; g < P2_GROUPS; g++)
      sets.push_back({control | P2_MMCR_FPU(g) | P2_MMCR_FXU(g) | P2_MMCR_ICU(g) | P2_MMCR_SCU(g), 0});
    return sets;
  }
  uint32_t mmcr = control;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string unit = part.substr(0, equals);
    const auto* known = std::find(p2_unit_names, p2_unit_names + P2_UNITS, unit);
    if (equals == part.npos || known == p2_unit_names + P2_UNITS)
      throw Misuse(
          fmt::format("--groups: {}: legal are all, sga, or UNIT=GROUP with UNIT fpu, fxu, icu, scu", part));
    const unsigned shift = 12 - 4 * static_cast<unsigned>(known - p2_unit_names);
    mmcr = (mmcr & ~(15u << shift)) | parse_group(part.substr(equals + 1)) << shift;
  }
  return {{mmcr, 0}};
}

std::vector<std::string> events_of(const std::vector<p2_set>& sets) {
  std::vector<std::string> events;
  for (const p2_set& set : sets)
    for (unsigned i = 0; i < P2_COUNTERS; i++)
      if (const p2_event* event = p2_event_at(set.mmcr, i)) add_once(events, event->name);
  return events;
}

uint64_t parse_time(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  static constexpr std::pair<const char*, double> units[] = {
      {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}, {"", 1e9}};
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string unit = text.substr(end);
  const auto* u =
      std::find_if(std::begin(units), std::end(units), [&](const auto& x) { return unit == x.first; });
  double number = 0;
  if (end && u != std::end(units)) {
    char* last = nullptr;
    const std::string digits = text.substr(0, end);
    number = std::strtod(digits.c_str(), &last) * u->second;
    if (*last == 0 && number >= static_cast<double>(least) && number <= static_cast<double>(most))
      return static_cast<uint64_t>(std::llround(number));
  }
  throw Misuse(fmt::format("{} {}: legal are {} to {}, with s, ms, us or ns behind the number", option, text,
                           time_text(least), time_text(most)));
}

std::string time_text(uint64_t ns) {
  if (ns % 1000000000 == 0) return fmt::format("{}s", ns / 1000000000);
  if (ns % 1000000 == 0) return fmt::format("{}ms", ns / 1000000);
  if (ns % 1000 == 0) return fmt::format("{}us", ns / 1000);
  return fmt::format("{}ns", ns);
}

uint32_t parse_register(const std::string& option, const std::string& text, uint32_t illegal) {
  const bool hex = text.starts_with("0x");
  uint32_t value = 0;
  if (!parse_integer(std::string_view(text).substr(hex ? 2 : 0), hex ? 16 : 10, value) || value & illegal)
    throw Misuse(fmt::format("{} {}: legal are numbers to 0x{:08x}{}", option, text, ~uint32_t{0},
                             illegal ? fmt::format(" without bits of 0x{:08x}", illegal) : ""));
  return value;
}

std::string counter_text(unsigned counter) {
  if (counter == P2_CYCLES) return "cycles";
  if (counter == P2_ERRORS) return "errors";
  return fmt::format("{}{}", p2_unit_names[counter / P2_UNIT_COUNTERS], counter % P2_UNIT_COUNTERS);
}

std::string mmcr_text(uint32_t mmcr) {
  static constexpr std::pair<uint32_t, const char*> bits[] = {{P2_MMCR_DIS, "DIS "}, {P2_MMCR_DP, "DP "},
                                                              {P2_MMCR_DU, "DU "},   {P2_MMCR_DMS, "DMS "},
                                                              {P2_MMCR_DMR, "DMR "}, {P2_MMCR_SGA, "SGA "}};
  std::string text;
  for (const auto& [bit, name] : bits)
    if (mmcr & bit) text += name;
  return text + fmt::format("fpu={} fxu={} icu={} scu={}", mmcr >> 12 & 15, mmcr >> 8 & 15, mmcr >> 4 & 15,
                            mmcr & 15);
}

}  // namespace perfboard::p2
