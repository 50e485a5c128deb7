// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events.h"

#include <glib.h>

#include <string>
#include <utility>

#include "plugins/event_set.h"
#include "plugins/events_count.h"
#include "plugins/events_text.h"
#include "plugins/machine.h"
#include "plugins/ranges.h"

using namespace perfboard;

struct PbEvents {
  EventSet set;
};

namespace {

unsigned g_watchers[kEventKinds];

char* reason(const std::string& text) { return g_strdup(text.c_str()); }

static_assert(PB_USER == 1 << context_index(false, false) && PB_KERNEL == 1 << context_index(true, false) &&
              PB_USER_MARKED == 1 << context_index(false, true) &&
              PB_KERNEL_MARKED == 1 << context_index(true, true) && PB_ANY_CONTEXT == kAllContexts &&
              PB_ALL_VCPUS == kAllVcpus);

void watchers_changed() {
  uint32_t kinds = 0;
  for (unsigned k = 0; k < kEventKinds; ++k) kinds |= (g_watchers[k] != 0) << k;
  events_want(kinds);
}

// The model that an event is counted by, opened for it; nullptr in `model`: by none. False, and one line in
// wrong.
bool model_of(EventKind kind, const PbEventModels& given, PbModel*& model, std::string& wrong) {
  constexpr CacheGeometry kCache = {8192, 2, 0, 1, 32};
  constexpr TlbGeometry kTlb = TLB_GEOMETRY_PENTIUM;
  char why[160];
  switch (kind) {
    case EventKind::kDcacheMisses:
    case EventKind::kDcacheLoadMisses:
    case EventKind::kDcacheStoreMisses:
    case EventKind::kCastouts:
      model = given.dcache ? pb_model_hold(given.dcache) : pb_model_caches(&kCache, why, sizeof why);
      break;
    case EventKind::kIcacheMisses:
      model = given.icache ? pb_model_hold(given.icache) : pb_model_fetches(&kCache, why, sizeof why);
      break;
    case EventKind::kTlbMisses:
      model = given.tlb ? pb_model_hold(given.tlb) : pb_model_tlb(&kTlb, why, sizeof why);
      break;
    case EventKind::kItlbMisses:
      model = given.itlb ? pb_model_hold(given.itlb) : pb_model_fetch_tlb(&kTlb, why, sizeof why);
      break;
    default:
      model = nullptr;
      return true;
  }
  if (!model) wrong = why;
  return model != nullptr;
}

void close_models(const EventSet& set) {
  for (size_t i = 0; i < set.size(); ++i)
    if (set.place(i).model) pb_model_close(set.place(i).model);
}

// Adds the events of these names; false, and one line in wrong: not all.
bool add_events(EventSet& set, const char* const* names, unsigned n, unsigned vcpus,
                const PbEventModels& models, std::string& wrong) {
  for (unsigned i = 0; i < n; ++i) {
    const auto spec = parse_event(names[i], vcpus, wrong);
    if (!spec) return false;
    if (!events_prepare()) {
      wrong = "event sources know x86 and 64-bit POWER server processors, and this machine has others";
      return false;
    }
    EventPlace place = {spec->kind};
    if (!model_of(spec->kind, models, place.model, wrong)) return false;
    if (spec->kind == EventKind::kDmaReads || spec->kind == EventKind::kDmaWrites) dma_open();
    if (spec->kind == EventKind::kPages) place.range = range_open(spec->low, spec->high);
    if (place.range < 0) {
      wrong = "more than " + std::to_string(kMostRanges) + " ranges of addresses";
      return false;
    }
    set.add(*spec, place);
  }
  return true;
}

void watch(EventSet& set, bool on) {
  if (set.watched() == on) return;
  set.watch(on);
  for (size_t i = 0; i < set.size(); ++i) {
    const EventPlace& place = set.place(i);
    g_watchers[static_cast<unsigned>(place.kind)] += on ? 1u : -1u;
    if (place.model) pb_model_use(place.model, on);
    switch (place.kind) {
      case EventKind::kPages:
        range_use(place.range, on);
        break;
      case EventKind::kIoLoads:
      case EventKind::kIoStores:
        io_use(on);
        break;
      case EventKind::kDmaReads:
      case EventKind::kDmaWrites:
        dma_use(on);
        break;
      default:
        break;
    }
  }
  watchers_changed();
}

}  // namespace

PbEvents* pb_events_open(const char* const* names, unsigned n, unsigned vcpus, const PbEventModels* models,
                         char** why) {
  std::string wrong;
  EventSet set(events_count, vcpus);
  if (add_events(set, names, n, vcpus, models ? *models : PbEventModels{}, wrong))
    return new PbEvents{std::move(set)};
  close_models(set);
  *why = reason(wrong);
  return nullptr;
}

void pb_events_close(PbEvents* events) {
  watch(events->set, false);
  close_models(events->set);
  delete events;
}

void pb_events_watch(PbEvents* events, bool on) { watch(events->set, on); }

void pb_events_read(PbEvents* events, int vcpu, unsigned contexts, uint64_t* totals) {
  for (size_t i = 0; i < events->set.size(); ++i) totals[i] = events->set.total(i, vcpu, contexts);
}

bool pb_events_rebase(PbEvents* events, int vcpu) { return events->set.rebase(vcpu); }

PbEventSource* pb_event_source(const char* text, unsigned vcpus, char** why) {
  return pb_events_open(&text, 1, vcpus, nullptr, why);
}

void pb_event_close(PbEventSource* source) { pb_events_close(source); }

void pb_event_watch(PbEventSource* source, bool on) { pb_events_watch(source, on); }

uint64_t pb_event_total(PbEventSource* source) { return source->set.total(0, kAllVcpus, kAllContexts); }

void pb_event_rebase(PbEventSource* source) { pb_events_rebase(source, kAllVcpus); }

void pb_event_mark(unsigned vcpu, bool marked, bool storing) {
  if (events_prepare()) events_mark(vcpu, marked, storing);
}

char** pb_event_names(void) {
  char** names = g_new0(char*, kEventKinds + 1);
  for (unsigned k = 0; k < kEventKinds; ++k) names[k] = reason(event_name(static_cast<EventKind>(k)));
  return names;
}
