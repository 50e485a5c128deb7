// SPDX-License-Identifier: GPL-2.0-or-later
//
// EventSet - the totals of some events by vCPU and context, of raw counts that may fall (event_total.h).
//
//   EventSet set(counts, vcpus);          counts(place, vcpu): what has been counted in each context so far
//   set.add(spec, place);
//   set.watch(true);
//   uint64_t n = set.total(0, kAllVcpus, kAllContexts);   the first event's; never less than an earlier answer
//   set.rebase(0);                        but after this, when nobody holds to those of vCPU 0; whether one will be
//
// Each vCPU and context has a total of its own, so that what is taken back there is missing there.
#ifndef PERFBOARD_PLUGINS_EVENT_SET_H
#define PERFBOARD_PLUGINS_EVENT_SET_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugins/event_total.h"
#include "plugins/events_text.h"

struct PbModel;

namespace perfboard {

// Where an event is counted: by its kind, in a range of addresses, by a model.
struct EventPlace {
  EventKind kind;
  int range = 0;
  PbModel* model = nullptr;
};

// The counts of one event by context.
using ContextCounts = std::array<uint64_t, kContexts>;

inline constexpr int kAllVcpus = -1;

class EventSet {
 public:
  using Counts = ContextCounts (*)(const EventPlace& place, unsigned vcpu);

  EventSet(Counts counts, unsigned vcpus) : counts_(counts), vcpus_(vcpus) {}

  void add(const EventSpec& spec, const EventPlace& place) {
    events_.push_back({spec, place, decltype(Event::totals)(spec.vcpu < 0 ? vcpus_ : 1)});
  }
  size_t size() const { return events_.size(); }
  const EventPlace& place(size_t event) const { return events_[event].place; }

  bool watched() const { return watched_; }
  void watch(bool on) {
    if (on == watched_) return;
    watched_ = on;
    for (Event& event : events_) {
      for (unsigned v = 0; v < event.totals.size(); ++v) {
        const ContextCounts raw = counts_(event.place, event.first_vcpu() + v);
        for (unsigned c = 0; c < kContexts; ++c)
          on ? event.totals[v][c].begin(raw[c]) : event.totals[v][c].end(raw[c]);
      }
    }
  }

  bool rebase(int vcpu) {
    bool fell = false;
    for (Event& event : events_) {
      for (unsigned v = 0; v < event.totals.size(); ++v) {
        const unsigned of = event.first_vcpu() + v;
        if (vcpu != kAllVcpus && static_cast<unsigned>(vcpu) != of) continue;
        const ContextCounts raw = !watched_ ? ContextCounts{} : counts_(event.place, of);
        for (unsigned c = 0; c < kContexts; ++c) fell |= event.totals[v][c].rebase(raw[c]);
      }
    }
    return fell;
  }

  // Of that vCPU and of these contexts, as far as the event itself is of them.
  uint64_t total(size_t which, int vcpu, unsigned contexts) {
    Event& event = events_[which];
    uint64_t sum = 0;
    for (unsigned v = 0; v < event.totals.size(); ++v) {
      const unsigned of = event.first_vcpu() + v;
      if (vcpu != kAllVcpus && static_cast<unsigned>(vcpu) != of) continue;
      const ContextCounts raw = counts_(event.place, of);
      for (unsigned c = 0; c < kContexts; ++c)
        if (contexts & event.spec.contexts & 1u << c) sum += event.totals[v][c].at(raw[c]);
    }
    return sum;
  }

 private:
  struct Event {
    EventSpec spec;
    EventPlace place;
    std::vector<std::array<EventTotal, kContexts>> totals;  // of the vCPUs from first_vcpu() on

    unsigned first_vcpu() const { return spec.vcpu < 0 ? 0 : static_cast<unsigned>(spec.vcpu); }
  };

  Counts counts_;
  unsigned vcpus_;
  bool watched_ = false;
  std::vector<Event> events_;
};

}  // namespace perfboard
#endif
