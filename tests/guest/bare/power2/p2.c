// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/events.h"
#include "p2.h"

enum { UNITS_SGA = 4, UNITS_DEDICATED = 5 };  // in P2_EVENT's second column, behind the four units

struct p2 p2;

static const struct {
  const char *name;
  uint8_t unit, group, counter;
} events[] = {
#define ROW(name, unit, group, counter, text) {#name, unit, group, counter},
    P2_EVENTS(ROW)
#undef ROW
};

static bool equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// In the first group that has it.
struct p2_event p2_event(const char *name) {
  for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++) {
    if (!equal(events[i].name, name)) continue;
    const unsigned unit = events[i].unit, group = events[i].group, counter = events[i].counter;
    if (unit == UNITS_SGA) return (struct p2_event){name, P2_MMCR_SGA, counter};
    if (unit == UNITS_DEDICATED) return (struct p2_event){name, 0, counter};
    return (struct p2_event){name, group << (12 - 4 * unit), P2_UNIT_COUNTERS * unit + counter};
  }
  bail(RT_NO_BOARD, "there is no event %s", name);
}

struct p2_event p2_event_of(const char *name, unsigned first, unsigned group) {
  for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++) {
    const unsigned unit = events[i].unit;
    if (unit < P2_UNITS && unit * P2_UNIT_COUNTERS == first && events[i].group == group && equal(events[i].name, name))
      return (struct p2_event){name, group << (12 - 4 * unit), first + events[i].counter};
  }
  bail(RT_NO_BOARD, "group %u of the unit at counter %u has no event %s", group, first, name);
}

bool p2_find(void) {
#ifdef __powerpc64__
  const uint32_t device = rt_pci_find(P2_PCI_DEVICE << 16 | P2_PCI_VENDOR, 0);
  if (device == 32) return false;
  p2.little = rt_pci_memory(device, 0);
  p2.big = rt_pci_memory(device, 2);
  return true;
#else
  enum { PCI_ID = 0x00, PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_BAR2 = 0x18, PCI_MEMORY = 2 };
  for (uint32_t device = 0; device < 32; device++) {
    if (pci_config(0, device, 0, PCI_ID) != (P2_PCI_DEVICE << 16 | P2_PCI_VENDOR)) continue;
    p2.little = pci_config(0, device, 0, PCI_BAR0) & ~15u;
    p2.big = pci_config(0, device, 0, PCI_BAR2) & ~15u;
    pci_config_put(0, device, 0, PCI_COMMAND, pci_config(0, device, 0, PCI_COMMAND) | PCI_MEMORY);
    return true;
  }
  return false;
#endif
}

uint32_t p2_measure(struct p2_event e, unsigned context, const void *piece, uint32_t n) {
  const uint32_t before = p2_count(e);
  run_in(context, piece, n);
  return p2_count(e) - before;
}

// --- the other processors ---
#ifdef __powerpc64__
static void (*others_main)(unsigned processor);
static void others_begin(void) { others_main(down_self()); }
void p2_others(void (*main)(unsigned processor)) {
  others_main = main;
  for (unsigned i = 1; i < PROCESSORS; i++) rt_start(i, others_begin);
}
#else
void p2_others(void (*main)(unsigned processor)) {
  if (!rt_others(PROCESSORS - 1, main)) bail(RT_NO_BOARD, "there are not %u processors", PROCESSORS);
}
#endif
