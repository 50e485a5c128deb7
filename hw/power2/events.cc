// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/power2/events.h"

#include <iterator>

namespace perfboard::p2 {
namespace {

// --- the notation of events.def

struct Sum {
  Term term[Event::kMostTerms] = {};
  unsigned terms = 0;
  bool spe = false;
};

consteval Sum operator+(Sum a, const Sum& b) {
  for (unsigned i = 0; i < b.terms; ++i) {
    if (a.terms == Event::kMostTerms) no_such_name();
    a.term[a.terms++] = b.term[i];
  }
  return a;
}
consteval Sum operator*(int factor, Sum a) {
  for (Term& t : a.term) t.factor = static_cast<int8_t>(t.factor * factor);
  return a;
}
consteval Sum operator*(Sum a, Cost cost) {
  for (Term& t : a.term) t.cost = cost;
  return a;
}
consteval Sum stall(Sum a) {
  for (Term& t : a.term) t.stall = true;
  return a;
}
consteval Sum while_spe(Sum a) {
  a.spe = true;
  return a;
}
consteval Sum source(P2Source s) {
  Sum a;
  a.term[a.terms++].source = static_cast<uint8_t>(s);
  return a;
}

// The names that events.def may use.
namespace notation {
constexpr Cost dcache_penalty = Cost::kDcachePenalty, tlb_penalty = Cost::kTlbPenalty,
               icache_penalty = Cost::kIcachePenalty, dcache_beats = Cost::kDcacheBeats,
               icache_beats = Cost::kIcacheBeats;
constexpr Sum none;
#define STAT(name, text) constexpr Sum name = source(P2S_##name);
#define SOURCE STAT
#include "hw/power2/stats.def"
}  // namespace notation

struct Named {
  std::string_view name, text;
};
constexpr Named kSources[] = {
#define STAT(name, text) {#name, text},
#define SOURCE STAT
#include "hw/power2/stats.def"
};
static_assert(std::size(kSources) == P2_SOURCES);

consteval Event make(std::string_view name, const Sum& sum, std::string_view text) {
  Event e{.name = name, .text = text, .terms = sum.terms, .spe = sum.spe};
  for (unsigned i = 0; i < sum.terms; ++i) e.term[i] = sum.term[i];
  return e;
}

using namespace notation;
constexpr Event kAll[] = {
#define SAME(name) make(#name, notation::name, kSources[P2S_##name].text),
#define EVENT(name, sum, text) make(#name, sum, text),
#include "hw/power2/events.def"
#undef SAME
#undef EVENT
};

enum Id : uint16_t {
#define SAME(name) kId_##name,
#define EVENT(name, sum, text) kId_##name,
#include "hw/power2/events.def"
#undef SAME
#undef EVENT
};

consteval bool names_differ() {
  for (size_t i = 0; i < std::size(kAll); ++i)
    for (size_t j = 0; j < i; ++j)
      if (kAll[i].name == kAll[j].name) return false;
  return true;
}
static_assert(names_differ());

// groups.def lists the units and their groups in order.
struct Line {
  std::string_view unit;
  unsigned number;
};
constexpr Line kLines[] = {
#define GROUP(unit, number, title, ...) {#unit, number},
#define ALL(...)
#include "hw/power2/groups.def"
#undef GROUP
#undef ALL
};
consteval bool all_in_order() {
  for (size_t i = 0; i < std::size(kLines); ++i)
    if (kLines[i].unit != kUnitNames[i / kGroups] || kLines[i].number != i % kGroups) return false;
  return std::size(kLines) == kUnits * kGroups;
}
static_assert(all_in_order());

uint64_t price(Cost cost, const P2Config& c) {
  switch (cost) {
    case Cost::kOne:
      return 1;
    case Cost::kDcachePenalty:
      return c.penalty.dcache;
    case Cost::kTlbPenalty:
      return c.penalty.tlb;
    case Cost::kIcachePenalty:
      return c.penalty.icache;
    case Cost::kDcacheBeats:
      return (c.geometry.dcache_line + c.geometry.bus - 1) / c.geometry.bus;
    case Cost::kIcacheBeats:
      return (c.geometry.icache_line + c.geometry.bus - 1) / c.geometry.bus;
  }
  return 1;
}

}  // namespace

constinit const std::span<const Event> kEvents = kAll;
constinit const uint16_t kCyclesEvent = kId_cycles, kErrorsEvent = kId_errors;
constinit const Group kUnitGroups[kUnits * kGroups] = {
#define GROUP(unit, number, title, a, b, c, d, e) {title, {kId_##a, kId_##b, kId_##c, kId_##d, kId_##e}},
#define ALL(...)
#include "hw/power2/groups.def"
#undef GROUP
#undef ALL
};
#define GROUP(...)
#define ALL(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)                         \
  constinit const uint16_t kScuGetsAll[kScuCounters] = {                                        \
      kId_##a, kId_##b, kId_##c, kId_##d, kId_##e, kId_##f, kId_##g, kId_##h, kId_##i, kId_##j, \
      kId_##k, kId_##l, kId_##m, kId_##n, kId_##o, kId_##p, kId_##q, kId_##r, kId_##s, kId_##t};
#include "hw/power2/groups.def"
#undef GROUP
#undef ALL

const Event& event_of(uint32_t mmcr, unsigned counter) {
  constexpr Field kSelectors[] = {field("MMCR.FPU"), field("MMCR.FXU"), field("MMCR.ICU"), field("MMCR.SCU")};
  if (counter == kCycles) return kAll[kCyclesEvent];
  if (counter == kErrors) return kAll[kErrorsEvent];
  if (mmcr & bits("MMCR.SGA")) return kAll[kScuGetsAll[counter]];
  const unsigned unit = counter / kUnitCounters;
  return kAll[group(unit, kSelectors[unit].get(mmcr)).event[counter % kUnitCounters]];
}

uint64_t value_of(const Event& e, const P2Config& config, const uint64_t* totals) {
  uint64_t sum = 0;
  for (const Term& t : e.sum())
    if (config.stalls || !t.stall)
      sum += static_cast<uint64_t>(int64_t{t.factor}) * price(t.cost, config) * totals[t.source];
  return sum;
}

void add_sources(const Event& e, const P2Config& config, uint64_t* sources) {
  for (const Term& t : e.sum())
    if (config.stalls || !t.stall) sources[t.source / 64] |= uint64_t{1} << t.source % 64;
}

std::string_view source_name(unsigned source) { return kSources[source].name; }
std::string_view source_text(unsigned source) { return kSources[source].text; }

}  // namespace perfboard::p2
