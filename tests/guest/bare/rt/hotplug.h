/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hotplug.h - processors that come and go, through QEMU's ports of ACPI (docs/specs/acpi_cpu_hotplug.rst). One that is plugged in comes from
 * eject_run, which reads what the program says.
 *
 *   hotplug_begin()                  first; with "q35" among the program's words the ports are that machine's
 *   hotplug_is_there(processor)
 *   hotplug_eject(processor)         and a test line
 *   hotplug_select(), hotplug_go()   the two halves of it
 *   hotplug_plug(processor, main)    waits until it is there. Then it begins there, and a test line says so
 *   hotplug_eject_card(device)       of the machine pc's first PCI bus (docs/specs/acpi_pci_hotplug.rst)
 */
#ifndef PERFBOARD_BARE_HOTPLUG_H
#define PERFBOARD_BARE_HOTPLUG_H

#include "rt.h"

enum { HOTPLUG_PIIX4 = 0xaf00, HOTPLUG_ICH9 = 0x0cd8, HOTPLUG_SELECT = 0, HOTPLUG_FLAGS = 4, HOTPLUG_IS_THERE = 1, HOTPLUG_EJECT = 8 };
enum { HOTPLUG_EJECT_CARD = 0xae08, HOTPLUG_BUS = 0xae10 };
static uint16_t hotplug_ports;

static inline void hotplug_select(unsigned processor) { outl(hotplug_ports + HOTPLUG_SELECT, processor); }
static inline void hotplug_go(void) { outb(hotplug_ports + HOTPLUG_FLAGS, HOTPLUG_EJECT); }

static inline void hotplug_begin(void) {
  hotplug_ports = rt_option("q35") ? HOTPLUG_ICH9 : HOTPLUG_PIIX4;
  hotplug_select(0);  // from the bitmap of older machines to these ports
}

static inline bool hotplug_is_there(unsigned processor) {
  hotplug_select(processor);
  return inb(hotplug_ports + HOTPLUG_FLAGS) & HOTPLUG_IS_THERE;
}

static inline void hotplug_eject(unsigned processor) {
  hotplug_select(processor);
  hotplug_go();
  ok(!hotplug_is_there(processor), "processor %u went", processor);
}

static inline void hotplug_plug(unsigned processor, void (*main)(unsigned processor)) {
  say("# plug %u\n", processor);
  while (!hotplug_is_there(processor)) __asm__ volatile("pause");
  ok(rt_other(processor, main), "another processor %u begins", processor);
}

static inline void hotplug_eject_card(unsigned device) {
  outl(HOTPLUG_BUS, 0);
  outl(HOTPLUG_EJECT_CARD, 1u << device);
}

#endif
