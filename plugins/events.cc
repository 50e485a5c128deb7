// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events.h"

#include <glib.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "plugins/cpu_hooks.h"
#include "plugins/event_set.h"
#include "plugins/events_count.h"
#include "plugins/events_text.h"

using namespace perfboard;

struct PbEvents {
  EventSet set;
};

struct PbEventSource {
  EventSet set;
};

namespace {

unsigned g_watchers[kEventKinds];
void* g_models;
size_t g_model_bytes;

char* reason(const std::string& text) { return g_strdup(text.c_str()); }

static_assert(PB_USER == 1 << context_index(false, false) && PB_KERNEL == 1 << context_index(true, false) &&
              PB_USER_MARKED == 1 << context_index(false, true) &&
              PB_KERNEL_MARKED == 1 << context_index(true, true) && PB_ANY_CONTEXT == kAllContexts &&
              PB_ALL_VCPUS == kAllVcpus);

bool uses_models(EventKind kind) { return kind == EventKind::kDcacheMisses || kind == EventKind::kTlbMisses; }

void watchers_changed() {
  uint32_t kinds = 0;
  for (unsigned k = 0; k < kEventKinds; ++k) kinds |= (g_watchers[k] != 0) << k;
  events_want(kinds);
}

void prepare_models(unsigned vcpus) {
  if (g_models) return;
  g_model_bytes = events_model_bytes(vcpus);
  g_models = std::calloc(1, g_model_bytes);  // for as long as the process lives
  events_use_models(g_models, vcpus);
}

// The events of these names; nothing, and one line in wrong.
std::optional<EventSet> open_events(const char* const* names, unsigned n, unsigned vcpus,
                                    std::string& wrong) {
  EventSet set(events_count, vcpus);
  for (unsigned i = 0; i < n; ++i) {
    const auto spec = parse_event(names[i], vcpus, wrong);
    if (!spec) return std::nullopt;
    if (!events_prepare()) {
      wrong = "event sources know x86 and POWER processors, and this machine has others";
      return std::nullopt;
    }
    const int range = spec->kind == EventKind::kPages ? events_range(spec->low, spec->high) : 0;
    if (range < 0) {
      wrong = "more than " + std::to_string(kMostRanges) + " ranges of addresses";
      return std::nullopt;
    }
    if (uses_models(spec->kind)) prepare_models(vcpus);
    set.add(*spec, range);
  }
  return set;
}

void watch(EventSet& set, bool on) {
  if (set.watched() == on) return;
  set.watch(on);
  for (size_t i = 0; i < set.size(); ++i) g_watchers[static_cast<unsigned>(set.kind(i))] += on ? 1u : -1u;
  watchers_changed();
}

// To hand out as T, which holds the set.
template <typename T>
T* opened(const char* const* names, unsigned n, unsigned vcpus, char** why) {
  std::string wrong;
  auto set = open_events(names, n, vcpus, wrong);
  if (set) return new T{std::move(*set)};
  *why = reason(wrong);
  return nullptr;
}

}  // namespace

PbEvents* pb_events_open(const char* const* names, unsigned n, unsigned vcpus, char** why) {
  return opened<PbEvents>(names, n, vcpus, why);
}

void pb_events_close(PbEvents* events) {
  watch(events->set, false);
  delete events;
}

void pb_events_watch(PbEvents* events, bool on) { watch(events->set, on); }

void pb_events_read(PbEvents* events, int vcpu, unsigned contexts, uint64_t* totals) {
  for (size_t i = 0; i < events->set.size(); ++i) totals[i] = events->set.total(i, vcpu, contexts);
}

PbEventSource* pb_event_source(const char* text, unsigned vcpus, char** why) {
  return opened<PbEventSource>(&text, 1, vcpus, why);
}

void pb_event_watch(PbEventSource* source, bool on) { watch(source->set, on); }

uint64_t pb_event_total(PbEventSource* source) { return source->set.total(0, kAllVcpus, kAllContexts); }

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
