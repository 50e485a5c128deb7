/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * rt_internal.h - what the runtime's files share: the loader's tables (Multiboot 0.6.96, 3.3).
 */
#ifndef PERFBOARD_BARE_RT_INTERNAL_H
#define PERFBOARD_BARE_RT_INTERNAL_H

#include "rt.h"

struct multiboot {
  uint32_t flags, mem_lower, mem_upper, boot_device, cmdline;
  uint32_t mods_count, mods_addr, syms[4];
  uint32_t mmap_length, mmap_addr;
};
struct multiboot_module {
  uint32_t start, end, string, reserved;
};
struct multiboot_mmap {
  uint32_t size; /* of what follows */
  uint64_t base, length;
  uint32_t type;
} __attribute__((packed));

void rt_machine(const struct multiboot *mb);
void rt_main(uint32_t magic, const struct multiboot *mb);
void rt_trap(struct frame *f);

#endif
