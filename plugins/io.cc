// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/io.h"

#include "plugins/machine.h"

namespace perfboard {
namespace {

std::atomic<unsigned> g_users{0};

}  // namespace

bool io_used() { return g_users.load(std::memory_order_relaxed) != 0; }

// A device's page has a flag in its TLB entry, so each such access takes the slow path.
uint32_t io_features() { return io_used() ? kMarkedStores | kMarkedLoads : 0; }

void io_use(bool on) {
  const bool was = io_used();
  g_users.fetch_add(on ? 1u : -1u, std::memory_order_relaxed);
  if (io_used() == was) return;
  layer_changed();
  if (on) pb_machine.filter_changed();
}

uint64_t io_count(unsigned vcpu, bool privileged, bool store) {
  const Vcpu& cpu = g_layer.cpus[vcpu];
  return (store ? cpu.io_stores : cpu.io_loads)[privileged].load(std::memory_order_relaxed);
}

}  // namespace perfboard
