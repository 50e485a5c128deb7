// SPDX-License-Identifier: GPL-2.0-or-later
//
// Event source names: "loads:0", "stores:user:marked", "pages:0x100000-0x1fffff" (events.h) to what they
// mean.
#ifndef PERFBOARD_PLUGINS_EVENTS_TEXT_H
#define PERFBOARD_PLUGINS_EVENTS_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfboard {

enum class EventKind : unsigned {
  kInstructions,
  kLoads,
  kStores,
  kBranches,
  kExceptions,
  kInterrupts,
  kDcacheMisses,
  kIcacheMisses,
  kTlbMisses,
  kDcacheLoadMisses,
  kDcacheStoreMisses,
  kCastouts,
  kItlbMisses,
  kIoLoads,
  kIoStores,
  kDmaReads,
  kDmaWrites,
  kPages,  // last: one count for each range
};
inline constexpr unsigned kEventKinds = static_cast<unsigned>(EventKind::kPages) + 1;

// Contexts, by number and in sets as events.h has them (PB_USER ...).
constexpr unsigned context_index(bool privileged, bool marked) { return 2u * marked + privileged; }
inline constexpr unsigned kContexts = 4, kAllContexts = 15;

struct EventSpec {
  EventKind kind;
  unsigned contexts = kAllContexts;
  int vcpu = -1;               // -1: all
  uint64_t low = 0, high = 0;  // pages: first and last address
};

std::string event_name(EventKind kind);  // "loads", "pages:LOW-HIGH"

// Nothing, and one line in why: what is wrong and what is legal.
std::optional<EventSpec> parse_event(std::string_view text, unsigned vcpus, std::string& why);

}  // namespace perfboard
#endif
