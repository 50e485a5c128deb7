// SPDX-License-Identifier: GPL-2.0-or-later
#include "sci.h"

#ifndef __powerpc64__
enum { PCI_ID = 0, PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_MEMORY = 2, PCI_MASTER = 4 };
#endif
enum { BLINK = 0x5c1f1234 };
enum { COUNT = 0x00, CLEAR = 0x04, SELECT = 0x08, NS = 0x10, BD1 = 0x18, BD2 = 0x20, NODE = 0x28, WORDS = 0x2c, HASH = 0x30 };

struct sci_card sci_card;

#ifdef __powerpc64__
uint32_t pci_find(uint32_t id, uint32_t nth) { return rt_pci_find(id, nth); }
uintptr_t pci_memory(uint32_t device, unsigned bar) { return rt_pci_memory(device, bar); }
#else
uint32_t pci_find(uint32_t id, uint32_t nth) {
  for (uint32_t device = 0; device < 32; device++)
    if (pci_config(0, device, 0, PCI_ID) == id && nth-- == 0) return device;
  return 32;
}

uintptr_t pci_memory(uint32_t device, unsigned bar) {
  uint32_t low = pci_config(0, device, 0, PCI_BAR0 + 4 * bar);
  if ((low & 6) == 4 && pci_config(0, device, 0, PCI_BAR0 + 4 * bar + 4))
    bail(RT_NO_BOARD, "device %u: base address register %u is above 4 GB", device, bar);
  pci_config_put(0, device, 0, PCI_COMMAND, (pci_config(0, device, 0, PCI_COMMAND) & 0xFFFF) | PCI_MEMORY | PCI_MASTER);
  return low & ~15u;
}
#endif

void sci_find(void) {
  uint32_t device = pci_find(SCIR_DEVICE << 16 | SCIR_VENDOR, 0), blink = pci_find(BLINK, 0);
  if (device == 32) bail(RT_NO_BOARD, "no smile-sci");
  sci_card.regs = pci_memory(device, SCIR_BAR);
  sci_card.window = pci_memory(device, SCIR_BAR_WINDOW);
  sci_card.blink = blink == 32 ? 0 : pci_memory(blink, 0);
  if (sci(SCIR_ID) != SCIR_ID_VALUE) bail(RT_NO_BOARD, "ID is %08x", sci(SCIR_ID));
  sci_card.nodes = sci(SCIR_NODES);
  sci_card.pages = sci(SCIR_PAGES);
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE);
}

// --- B-Links ------------------------------------------------------------------------
static uint64_t blink64(uint32_t offset) {
  return mmio32(sci_card.blink + offset) | (uint64_t)mmio32(sci_card.blink + offset + 4) << 32;
}
void blink_clear(void) { mmio32_put(sci_card.blink + CLEAR, 0); }
uint32_t blink_count(void) { return mmio32(sci_card.blink + COUNT); }

struct packet blink_packet(uint32_t i) {
  mmio32_put(sci_card.blink + SELECT, i);
  return (struct packet){blink64(NS), blink64(BD1), blink64(BD2), mmio32(sci_card.blink + NODE), mmio32(sci_card.blink + WORDS)};
}

uint64_t blink_hash(uint32_t node) {
  mmio32_put(sci_card.blink + SELECT, node);
  return blink64(HASH);
}

static const char *const names[] = {"read", "write", "lock", "unlock"};
static uint8_t next_trans[SCI_MAX_NODES];
static uint64_t last_ns[SCI_MAX_NODES];

static void show(const struct packet *p) {
  say("#   B-Link %u: %s%s%s of %u to %u, trans %u, page %u, offset %03x, enables %02x, %u words, at %lu ns\n", p->node,
      names[p->bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_WHAT],
      p->bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_RESPONSE ? " response" : "",
      p->bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_64 ? " of 64 bytes" : "", (uint32_t)p->bd1 & 0xFFFF,
      (uint32_t)(p->bd1 >> SCI_BD1_DEST_SHIFT) & 0xFFFF, (uint32_t)(p->bd1 >> SCI_BD1_TRANS_SHIFT),
      (uint32_t)p->bd2 >> SCI_BD2_PAGE_SHIFT, (uint32_t)p->bd2 & 0xFFF, (uint32_t)(p->bd2 >> SCI_BD2_ENABLES_SHIFT), p->words,
      (unsigned long)p->ns);
}

enum { LOOKED_AT = 4096 };
static bool taken[LOOKED_AT], overlap;

// One that has not been taken yet must be this packet of the transaction, on this node's B-Link: with latency=off the next one. The first of
// `count` of which that holds, from `from` on; `count`: there is none.
static uint32_t find_packet(uint32_t from, uint32_t count, const struct transaction *t, uint32_t node, bool response, uint8_t trans) {
  const uint32_t source = response ? t->to : t->from, dest = response ? t->from : t->to;
  const uint32_t command = t->what | (response ? SCI_COMMAND_RESPONSE : 0) | (t->whole ? SCI_COMMAND_64 : 0);
  const bool data = t->what == SCI_WRITE || t->what == SCI_UNLOCK ? !response : response;
  for (uint32_t i = from; i < count; i++) {
    if (taken[i]) continue;
    const struct packet p = blink_packet(i);
    if (p.node == node && p.bd1 == (source | command << SCI_BD1_COMMAND_SHIFT | (uint64_t)dest << SCI_BD1_DEST_SHIFT | (uint64_t)trans << SCI_BD1_TRANS_SHIFT) &&
        p.bd2 == ((t->offset & ~3u) | (uint64_t)t->enables << SCI_BD2_ENABLES_SHIFT) && p.words == (data ? t->whole ? 10 : 3 : 2)) {
      taken[i] = true;
      return i;
    }
    if (!overlap) {
      show(&p);
      break;
    }
  }
  say("#   did not come, or too soon: on B-Link %u: %s%s of %u to %u, trans %u, page %u, offset %03x, enables %02x\n", node, names[t->what],
      response ? " response" : "", source, dest, trans, t->offset >> 12, t->offset & 0xFFC, t->enables);
  return count;
}

// All packets of a transaction, the first one from `from` on; where that is.
static uint32_t find_transaction(uint32_t from, uint32_t count, const struct transaction *t, uint8_t trans) {
  const uint32_t first = find_packet(from, count, t, t->from, false, trans);
  uint32_t i = first;
  if (i < count) i = find_packet(i, count, t, t->to, false, trans);
  if (t->what != SCI_READ && t->what != SCI_LOCK) return i < count ? first : count;
  if (i < count) i = find_packet(i, count, t, t->to, true, trans);
  if (i < count) i = find_packet(i, count, t, t->from, true, trans);
  return i < count ? first : count;
}

bool expect(const struct transaction *list, unsigned n, const char *what) {
  const uint32_t count = blink_count();
  uint32_t at = 0, i;
  bool good = count <= LOOKED_AT;
  overlap = sci(SCIR_STATUS) & SCIR_STATUS_LATENCY;
  for (i = 0; i < LOOKED_AT; i++) taken[i] = false;
  for (i = 0; i < count && good; i++) {
    const struct packet p = blink_packet(i);
    good = p.ns % SCI_BLINK_CLOCK_NS == 0 && p.ns >= last_ns[p.node % SCI_MAX_NODES];
    if (!good) show(&p), say("#   its time: not before %lu ns, on an edge\n", (unsigned long)last_ns[p.node % SCI_MAX_NODES]);
    last_ns[p.node % SCI_MAX_NODES] = p.ns;
  }
  // A node's requests leave in order.
  for (unsigned k = 0; k < n && good; k++) {
    at = find_transaction(at, count, &list[k], next_trans[list[k].from]++ % 64);
    good = at < count;
  }
  for (i = 0; i < count && good && taken[i];) i++;
  for (uint32_t more = 0; good && i < count; i++) {
    const struct packet p = blink_packet(i);
    if (more++ < 6) show(&p);
    if (i == count - 1) {
      say("#   %u packets more than expected\n", more);
      good = false;
      break;
    }
  }
  for (i = 0; !good && i < count; i++) {  // so that one failure is not the next one's, too
    const struct packet p = blink_packet(i);
    if (!(p.bd1 >> SCI_BD1_COMMAND_SHIFT & SCI_COMMAND_RESPONSE)) next_trans[p.bd1 % SCI_MAX_NODES] = (uint8_t)((p.bd1 >> SCI_BD1_TRANS_SHIFT) + 1);
  }
  blink_clear();
  return ok(good, "%s: %u transactions", what, n);
}
