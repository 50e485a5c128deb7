// SPDX-License-Identifier: GPL-2.0-or-later
#include "hwm.h"

#include "../sci/sci.h"

bool hwm_find(unsigned i, struct hwm *m) {
  const uint32_t device = pci_find(SMR_DEVICE << 16 | SMR_VENDOR, i);
  if (device == 32) return false;
  m->base = pci_memory(device, SMR_BAR);
  m->node = SMR_GET(CABLE_NODE, hwm(m, SMR_CABLE));
  return true;
}

void hwm_dynamic(const struct hwm *m, uint32_t mask) {
  hwm_put(m, SMR_MCR, 0);
  hwm_put(m, SMR_MCR, SMR_MCR_RESET);
  hwm_put(m, SMR_NODE, m->node);
  hwm_put(m, SMR_MAXR, 0);
  hwm_put(m, SMR_MASK, mask);
  hwm_put(m, SMR_MCR, SMR_MCR_RUN);
}

static uint32_t next_word(const struct hwm *m) {
  const uint32_t at = (hwm(m, SMR_RDP) + 1) & SMR_RING_MASK, word = hwm(m, SMR_RING + 4 * at);
  hwm_put(m, SMR_RDP, at);
  return word;
}

unsigned hwm_drain(const struct hwm *m, void (*take)(const struct hwm *m, const struct hwm_record *r)) {
  unsigned n = 0;
  for (; hwm(m, SMR_WRP) != hwm(m, SMR_RDP); n++) {
    const uint32_t first = next_word(m), second = next_word(m), address = SMR_GET(RECORD_ADDRESS, first);
    struct hwm_record r = {
        .kind = SMR_GET(RECORD_KIND, first),
        .source = SMR_GET(RECORD_SOURCE, second),
        .destination = SMR_GET(RECORD_DESTINATION, second),
        .page = address / SMR_PAGE_WORDS,
        .word = address % SMR_PAGE_WORDS,
        .entry = SMR_GET(RECORD_ENTRY, second),
        .count = SMR_GET(RECORD_COUNT, second) + (first & SMR_RECORD_OVF ? SMR_OVERFLOW_VALUE : 0),
    };
    if (r.kind == SMR_RECORD_LOSS) r.count = second;
    take(m, &r);
  }
  return n;
}

unsigned hwm_swap(const struct hwm *m, void (*take)(const struct hwm *m, const struct hwm_record *r)) {
  unsigned n = 0;
  hwm_put(m, SMR_MSR, SMR_MSR_DONE);
  hwm_put(m, SMR_MCR, hwm(m, SMR_MCR) | SMR_MCR_SWAP);
  while (!(hwm(m, SMR_MSR) & SMR_MSR_DONE)) n += hwm_drain(m, take);
  return n + hwm_drain(m, take);
}
