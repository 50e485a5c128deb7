// SPDX-License-Identifier: GPL-2.0-or-later
// What the machine has: memory and modules from the loader, addresses that PCI devices took.
#include "rt.h"
#include "rt_internal.h"

enum { RANGES = 96 };
static struct range { uint32_t first, last; } busy[RANGES];
static unsigned ranges;
static const struct multiboot *boot;

static void take(uint64_t first, uint64_t bytes) {
  if (!bytes || first > 0xFFFFFFFFull) return;
  uint64_t last = first + bytes - 1;
  if (last > 0xFFFFFFFFull) last = 0xFFFFFFFFull;
  if (ranges == RANGES) bail(RT_NO_BOARD, "more than %u ranges of addresses in use", RANGES);
  busy[ranges++] = (struct range){(uint32_t)first, (uint32_t)last};
}

// A base address register's size is what it does not let one write; decoding is off meanwhile.
static void pci_function(uint32_t d, uint32_t f) {
  uint32_t type = pci_config(0, d, f, 0x0C) >> 16 & 0x7F;
  uint32_t bars = type == 0 ? 6 : type == 1 ? 2 : 0;
  uint32_t command = pci_config(0, d, f, 4);
  pci_config_put(0, d, f, 4, command & ~3u & 0xFFFF);
  for (uint32_t i = 0; i < bars; i++) {
    uint32_t reg = 0x10 + 4 * i, old = pci_config(0, d, f, reg);
    bool wide = !(old & 1) && (old >> 1 & 3) == 2;
    if (!(old & 1) && old & ~15u && !(wide && pci_config(0, d, f, reg + 4))) {
      pci_config_put(0, d, f, reg, 0xFFFFFFFF);
      uint32_t size = ~(pci_config(0, d, f, reg) & ~15u) + 1;
      pci_config_put(0, d, f, reg, old);
      take(old & ~15u, size);
    }
    i += wide;
  }
  pci_config_put(0, d, f, 4, command & 0xFFFF);
  if (type == 1) {  // a bridge: the two windows behind it
    uint32_t m = pci_config(0, d, f, 0x20), p = pci_config(0, d, f, 0x24);
    if ((m & 0xFFF0) << 16 <= (m | 0xFFFFF))
      take((m & 0xFFF0u) << 16, (m | 0xFFFFFu) - ((m & 0xFFF0u) << 16) + 1);
    if ((p & 0xFFF0) << 16 <= (p | 0xFFFFF))
      take((p & 0xFFF0u) << 16, (p | 0xFFFFFu) - ((p & 0xFFF0u) << 16) + 1);
  }
}

void rt_machine(const struct multiboot *mb) {
  boot = mb;
  take(0, 0x100000);
  take(0xFEC00000, 0x01400000);  // I/O APIC, local APIC, BIOS
  if (mb->flags & 1 << 6) {
    for (uint32_t at = mb->mmap_addr; at < mb->mmap_addr + mb->mmap_length;) {
      const struct multiboot_mmap *m = (const void *)at;
      take(m->base, m->length);
      at += m->size + 4;
    }
  } else {
    take(0x100000, (uint64_t)mb->mem_upper << 10);
  }
  for (uint32_t d = 0; d < 32; d++) {
    if ((pci_config(0, d, 0, 0) & 0xFFFF) == 0xFFFF) continue;
    uint32_t functions = pci_config(0, d, 0, 0x0C) & 0x800000 ? 8 : 1;
    for (uint32_t f = 0; f < functions; f++)
      if ((pci_config(0, d, f, 0) & 0xFFFF) != 0xFFFF) pci_function(d, f);
  }
}

uint32_t rt_free_window(uint32_t bytes, uint32_t alignment) {
  // From 2 GB up: no PC of the machines meant has memory there that the loader does not report.
  for (uint32_t base = (0x80000000u + alignment - 1) & ~(alignment - 1); base >= 0x80000000u;
       base += alignment) {
    uint32_t last = base + bytes - 1;
    if (last < base) break;
    bool free = true;
    for (unsigned i = 0; i < ranges && free; i++) free = last < busy[i].first || base > busy[i].last;
    if (!free) continue;
    take(base, bytes);
    return base;
  }
  return 0;
}

// --- modules ------------------------------------------------------------------
static bool contains(const char *text, const char *part) {
  for (; *text; text++) {
    const char *t = text, *p = part;
    while (*p && *t == *p) t++, p++;
    if (!*p) return true;
  }
  return false;
}

bool rt_option(const char *word) {
  return boot->flags & 1 << 2 && contains((const char *)boot->cmdline, word);
}

bool rt_number(const char *word, uint32_t *value) {
  for (const char *text = boot->flags & 1 << 2 ? (const char *)boot->cmdline : ""; *text; text++) {
    const char *t = text, *p = word;
    while (*p && *t == *p) t++, p++;
    if (*p) continue;
    for (*value = 0; *t >= '0' && *t <= '9'; t++) *value = 10 * *value + (uint32_t)(*t - '0');
    return true;
  }
  return false;
}

const char *rt_module_line(unsigned i) {
  const struct multiboot_module *m = (const void *)boot->mods_addr;
  return boot->flags & 1 << 3 && i < boot->mods_count ? (const char *)m[i].string : NULL;
}

const uint8_t *rt_module(const char *name, uint32_t *bytes) {
  const struct multiboot_module *m = (const void *)boot->mods_addr;
  for (unsigned i = 0; rt_module_line(i); i++) {
    if (!contains(rt_module_line(i), name)) continue;
    *bytes = m[i].end - m[i].start;
    return (const uint8_t *)m[i].start;
  }
  return NULL;
}

uint32_t rt_pci_find(uint32_t id, uint32_t nth) {
  for (uint32_t device = 0; device < 32; device++)
    if (pci_config(0, device, 0, 0) == id && nth-- == 0) return device;
  return 32;
}

uint32_t rt_pci_memory(uint32_t device, unsigned bar) {
  enum { COMMAND = 4, BAR0 = 0x10, MEMORY = 2 };
  pci_config_put(0, device, 0, COMMAND, pci_config(0, device, 0, COMMAND) | MEMORY);
  return pci_config(0, device, 0, BAR0 + 4 * bar) & ~15u;
}
