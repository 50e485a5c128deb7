/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hotplug.h - processors that go, as ../hotplug.h has it for the PC: on pseries a monitor asks (eject_run, which reads what the program says), and
 * the guest lets go by its platform's services (PAPR, "set-indicator"). None comes back: QEMU 10.0 ends then (hw/qemu/GUEST.md).
 */
#ifndef PERFBOARD_BARE_PPC_HOTPLUG_H
#define PERFBOARD_BARE_PPC_HOTPLUG_H

#include "rt.h"

enum {
  RTAS_IS_STOPPED = 0x2005, RTAS_SET_INDICATOR = 0x201a,
  HOTPLUG_ISOLATION = 9001,  /* 0: isolated */
  HOTPLUG_ALLOCATION = 9003, /* 0: unusable */
  HOTPLUG_CORE = 0x10000000, /* and its number: its connector */
};

static inline void hotplug_begin(void) {}

static inline bool hotplug_is_there(uint32_t processor) { return !rt_service(RTAS_IS_STOPPED, 1, 2, &processor, NULL); }

static inline void hotplug_eject(uint32_t processor) {
  say("# eject %u\n", processor);
  while (hotplug_is_there(processor)) {
    rt_service(RTAS_SET_INDICATOR, 3, 1, (const uint32_t[]){HOTPLUG_ISOLATION, HOTPLUG_CORE + processor, 0}, NULL);
    rt_service(RTAS_SET_INDICATOR, 3, 1, (const uint32_t[]){HOTPLUG_ALLOCATION, HOTPLUG_CORE + processor, 0}, NULL);
  }
  ok(true, "processor %u went", processor);
}

#endif
