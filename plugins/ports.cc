// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ports.h"

#include "plugins/layer.h"

namespace perfboard {
namespace {

unsigned g_users = 0;  // big lock held

}  // namespace

uint32_t ports_features() { return g_users ? kPorts : 0; }

}  // namespace perfboard

using namespace perfboard;

void pb_ports_watch(bool on) {
  g_users += on ? 1u : -1u;
  if (g_users <= 1) layer_changed();
  for (unsigned i = 0; !g_users && i < g_layer.cpu_count; ++i) g_layer.cpus[i].port_known = false;
}

bool pb_port_pc(unsigned vcpu, uint64_t* pc) {
  if (vcpu >= g_layer.cpu_count || !g_layer.cpus[vcpu].port_known) return false;
  *pc = g_layer.cpus[vcpu].port_pc;
  return true;
}
