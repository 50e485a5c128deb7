// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events.h"

#include <glib.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/cpu_hooks.h"
#include "plugins/event_total.h"
#include "plugins/events_count.h"
#include "plugins/events_text.h"

using namespace perfboard;

// One event: its totals by vCPU and context. An instruction that is taken back is so in the total of its own
// context.
struct Event {
  EventSpec spec;
  int range;
  std::vector<std::array<EventTotal, kContexts>> totals;  // of the vCPUs first_vcpu() and on

  unsigned first_vcpu() const { return spec.vcpu < 0 ? 0 : static_cast<unsigned>(spec.vcpu); }
};

struct PbEvents {
  std::vector<Event> events;
  bool watched = false;
};

struct PbEventSource {
  PbEvents all;
};

namespace {

unsigned g_watchers[kEventKinds];
void* g_models;
size_t g_model_bytes;

char* reason(const std::string& text) { return g_strdup(text.c_str()); }

static_assert(PB_USER == 1 << context_index(false, false) && PB_KERNEL == 1 << context_index(true, false) &&
              PB_USER_MARKED == 1 << context_index(false, true) &&
              PB_KERNEL_MARKED == 1 << context_index(true, true) && PB_ANY_CONTEXT == kAllContexts);

bool uses_models(EventKind kind) { return kind == EventKind::kDcacheMisses || kind == EventKind::kTlbMisses; }

void watchers_changed() {
  uint32_t kinds = 0;
  for (unsigned k = 0; k < kEventKinds; ++k) kinds |= (g_watchers[k] != 0) << k;
  events_want(kinds);
}

// The event of that name; nothing, and one line in wrong.
std::optional<Event> event_of(const char* name, unsigned vcpus, std::string& wrong) {
  const auto spec = parse_event(name, vcpus, wrong);
  if (!spec) return std::nullopt;
  const int range = spec->kind == EventKind::kPages ? events_range(spec->low, spec->high) : 0;
  if (range < 0) {
    wrong = "more than " + std::to_string(kMostRanges) + " ranges of addresses";
    return std::nullopt;
  }
  if (uses_models(spec->kind) && !g_models) {
    g_model_bytes = events_model_bytes(vcpus);
    g_models = std::calloc(1, g_model_bytes);  // for as long as the process lives
    events_use_models(g_models, vcpus);
  }
  return Event{*spec, range, decltype(Event::totals)(spec->vcpu < 0 ? vcpus : 1)};
}

bool open_events(PbEvents& to, const char* const* names, unsigned n, unsigned vcpus, char** why) {
  std::string wrong;
  // First the names: what is wrong with them is the user's.
  for (unsigned i = 0; i < n; ++i) {
    if (!parse_event(names[i], vcpus, wrong)) {
      *why = reason(wrong);
      return false;
    }
  }
  if (!events_prepare()) {
    *why = reason("event sources know x86 and POWER processors, and this machine has others");
    return false;
  }
  for (unsigned i = 0; i < n; ++i) {
    auto event = event_of(names[i], vcpus, wrong);
    if (!event) {
      *why = reason(wrong);
      return false;
    }
    to.events.push_back(std::move(*event));
  }
  return true;
}

void watch(PbEvents& all, bool on) {
  if (all.watched == on) return;
  all.watched = on;
  for (Event& event : all.events) {
    for (unsigned v = 0; v < event.totals.size(); ++v) {
      const ContextCounts raw = events_count(event.spec.kind, event.range, event.first_vcpu() + v);
      for (unsigned c = 0; c < kContexts; ++c)
        on ? event.totals[v][c].begin(raw[c]) : event.totals[v][c].end(raw[c]);
    }
    g_watchers[static_cast<unsigned>(event.spec.kind)] += on ? 1u : -1u;
  }
  watchers_changed();
}

uint64_t total(Event& event, int vcpu, unsigned contexts) {
  uint64_t sum = 0;
  for (unsigned v = 0; v < event.totals.size(); ++v) {
    const unsigned of = event.first_vcpu() + v;
    if (vcpu != PB_ALL_VCPUS && static_cast<unsigned>(vcpu) != of) continue;
    const ContextCounts raw = events_count(event.spec.kind, event.range, of);
    for (unsigned c = 0; c < kContexts; ++c)
      if (contexts & event.spec.contexts & 1u << c) sum += event.totals[v][c].at(raw[c]);
  }
  return sum;
}

}  // namespace

PbEvents* pb_events_open(const char* const* names, unsigned n, unsigned vcpus, char** why) {
  PbEvents all;
  return open_events(all, names, n, vcpus, why) ? new PbEvents(std::move(all)) : nullptr;
}

void pb_events_close(PbEvents* events) {
  watch(*events, false);
  delete events;
}

void pb_events_watch(PbEvents* events, bool on) { watch(*events, on); }

void pb_events_read(PbEvents* events, int vcpu, unsigned contexts, uint64_t* totals) {
  for (Event& event : events->events) *totals++ = total(event, vcpu, contexts);
}

PbEventSource* pb_event_source(const char* text, unsigned vcpus, char** why) {
  PbEventSource source;
  return open_events(source.all, &text, 1, vcpus, why) ? new PbEventSource(std::move(source)) : nullptr;
}

void pb_event_watch(PbEventSource* source, bool on) { watch(source->all, on); }

uint64_t pb_event_total(PbEventSource* source) {
  return total(source->all.events[0], PB_ALL_VCPUS, PB_ANY_CONTEXT);
}

void pb_event_mark(unsigned vcpu, bool marked, bool storing) {
  if (events_prepare()) events_mark(vcpu, marked, storing);
}

char** pb_event_names(void) {
  char** names = g_new0(char*, kEventKinds + 1);
  for (unsigned k = 0; k < kEventKinds; ++k) names[k] = reason(event_name(static_cast<EventKind>(k)));
  return names;
}

void pb_event_retried(unsigned vcpu) { pb_cpu_again(vcpu); }

void pb_event_models_reset(void) {
  if (g_models) events_reset_models();
}

bool pb_event_models_ok(const void* image, char* why, size_t why_size) {
  return events_models_ok(image, why, why_size);
}

void pb_event_models_load(const void* image) { std::memcpy(g_models, image, g_model_bytes); }

void* pb_event_models(size_t* bytes) {
  *bytes = g_model_bytes;
  return g_models;
}
