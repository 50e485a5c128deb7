// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events.h"

#include <glib.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "hw/qemu/tcg/cpu_hooks.h"
#include "plugins/event_total.h"
#include "plugins/events_count.h"
#include "plugins/events_text.h"

using namespace perfboard;

struct PbEventSource {
  EventSpec spec;
  unsigned vcpus;  // of the machine
  int range;
  EventTotal total{};

  uint64_t raw() const {
    if (spec.vcpu >= 0) return events_count(spec.kind, range, static_cast<unsigned>(spec.vcpu));
    uint64_t sum = 0;
    for (unsigned i = 0; i < vcpus; ++i) sum += events_count(spec.kind, range, i);
    return sum;
  }
};

namespace {

unsigned g_watchers[kEventKinds];
void* g_models;
size_t g_model_bytes;

char* reason(const std::string& text) { return g_strdup(text.c_str()); }

bool uses_models(EventKind kind) { return kind == EventKind::kDcacheMisses || kind == EventKind::kTlbMisses; }

void watchers_changed() {
  uint32_t kinds = 0;
  for (unsigned k = 0; k < kEventKinds; ++k) kinds |= (g_watchers[k] != 0) << k;
  events_want(kinds);
}

}  // namespace

PbEventSource* pb_event_source(const char* text, unsigned vcpus, char** why) {
  std::string wrong;
  const auto spec = parse_event(text, vcpus, wrong);
  if (!spec) {
    *why = reason(wrong);
    return nullptr;
  }
  if (!events_prepare()) {
    *why = reason("event sources know x86 processors, and this machine has others");
    return nullptr;
  }
  const int range = spec->kind == EventKind::kPages ? events_range(spec->low, spec->high) : 0;
  if (range < 0) {
    *why = reason("more than " + std::to_string(kMostRanges) + " ranges of addresses");
    return nullptr;
  }
  if (uses_models(spec->kind) && !g_models) {
    g_model_bytes = events_model_bytes(vcpus);
    g_models = std::calloc(1, g_model_bytes);  // for as long as the process lives
    events_use_models(g_models, vcpus);
  }
  return new PbEventSource{*spec, vcpus, range};
}

char** pb_event_names(void) {
  char** names = g_new0(char*, kEventKinds + 1);
  for (unsigned k = 0; k < kEventKinds; ++k) names[k] = reason(event_name(static_cast<EventKind>(k)));
  return names;
}

void pb_event_watch(PbEventSource* source, bool on) {
  if (source->total.watched() == on) return;
  if (on)
    source->total.begin(source->raw());
  else
    source->total.end(source->raw());
  unsigned& watchers = g_watchers[static_cast<unsigned>(source->spec.kind)];
  watchers += on ? 1u : -1u;
  watchers_changed();
}

uint64_t pb_event_total(PbEventSource* source) { return source->total.at(source->raw()); }

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
