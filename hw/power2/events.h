// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events: what the counters count. The paper names kinds of events and no encodings; groups and definitions
// are ours.
//
//   const Event& e = event_of(mmcr, 7);       what counter 7 counts while MMCR is this
//   e.name, e.text                            "fxu_pairs"; one line for the manual
//   value_of(e, config, totals)               the sum: factor x cost x total, term by term
//   add_sources(e, config, set)               the sources that the sum needs, added to a set of them
//
//   group(unit, n)                            title and 5 events of FPU, FXU, ICU or SCU, as indexes of kEvents
//   kScuGetsAll                               the 20 of MMCR(SGA)
//
// A name stands for one definition, in however many groups. events.def has the definitions, groups.def the
// groups.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/power2/power2.h"
#include "hw/power2/registers.h"

namespace perfboard::p2 {

// What an event costs each time, by the configuration.
enum class Cost : uint8_t {
  kOne,
  kDcachePenalty,
  kTlbPenalty,
  kIcachePenalty,
  kDcacheBeats,  // cycles that the memory bus takes for a line
  kIcacheBeats,
};

struct Term {
  uint8_t source = 0;  // P2Source
  int8_t factor = 1;
  Cost cost = Cost::kOne;
  bool stall = false;  // left out if config.stalls is off
};

struct Event {
  static constexpr unsigned kMostTerms = 10;

  std::string_view name, text;
  Term term[kMostTerms] = {};
  unsigned terms = 0;
  bool spe = false;  // counts while SPE is 1

  std::span<const Term> sum() const { return {term, terms}; }
};

struct Group {
  std::string_view title;
  uint16_t event[kUnitCounters];  // indexes of kEvents
};

inline constexpr std::string_view kUnitNames[] = {"FPU", "FXU", "ICU", "SCU"};
// What the literature on the SP2 calls them.
inline constexpr std::string_view kAliases[][2] = {
    {"fxu0", "fxu0_instructions"}, {"fxu1", "fxu1_instructions"}, {"fpu0", "fpu0_instructions"},
    {"fpu1", "fpu1_instructions"}, {"icu", "icu_instructions"},
};
inline constexpr unsigned kScuCounters = kUnits * kUnitCounters;

extern const std::span<const Event> kEvents;
extern const Group kUnitGroups[kUnits * kGroups];
extern const uint16_t kScuGetsAll[kScuCounters];
extern const uint16_t kCyclesEvent, kErrorsEvent;

inline const Group& group(unsigned unit, unsigned number) { return kUnitGroups[unit * kGroups + number]; }
const Event& event_of(uint32_t mmcr, unsigned counter);
uint64_t value_of(const Event& e, const P2Config& config, const uint64_t* totals);
void add_sources(const Event& e, const P2Config& config, uint64_t* sources);
std::string_view source_name(unsigned source);
std::string_view source_text(unsigned source);

}  // namespace perfboard::p2
