// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/dma.h"

#include <atomic>

#include "plugins/events_state.h"
#include "plugins/machine.h"

namespace perfboard {
namespace {

unsigned g_users;

struct Moved {
  std::atomic<uint64_t> by_context[kContexts];
};
Moved g_moved[2][PB_MAX_VCPUS];  // [write]

// INFERRED: a device moves memory for no processor in particular, so each counts it in the context that it is
// in.
void moved(bool write) {
  for (unsigned i = 0; i < g_layer.cpu_count; ++i) {
    PbCpuState s;
    if (!pb_machine.cpu_state(g_layer.cpus[i].view.cpu, &s)) continue;
    const unsigned context = context_index(s.privileged, g_events.cpus[i].marks.marked());
    g_moved[write][i].by_context[context].fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

void dma_open() {
  static bool opened;
  if (!opened) pb_machine.bus_open(moved);
  opened = true;
}

void dma_use(bool on) {
  const bool was = g_users != 0;
  g_users += on ? 1u : -1u;
  if (was != (g_users != 0)) pb_machine.bus_watch(on);
}

uint64_t dma_count(unsigned vcpu, unsigned context, bool write) {
  return g_moved[write][vcpu].by_context[context].load(std::memory_order_relaxed);
}

}  // namespace perfboard
