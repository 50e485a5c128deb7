/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sci.h - a small driver for smile-sci, and for the test card that shows its B-Links (tests/example/blink).
 *
 *   sci_find()                   finds and enables both; bail()s without an adapter
 *   sci, sci_put, sci_home       registers; pages' homes
 *   WINDOW(page, offset)         a virtual address, as paging off has it
 *   blink_clear, blink_packet    what has passed
 *   expect(...)                  what must have passed, transaction by transaction, and nothing else
 */
#ifndef PERFBOARD_BARE_SCI_H
#define PERFBOARD_BARE_SCI_H

#ifdef __powerpc64__
#include "../rt/ppc/rt.h"
#else
#include "../rt/rt.h"
#endif
#include "guest/sci/regs.h"
#include "hw/sci/packet.h"

extern struct sci_card {
  uintptr_t regs, window, blink; /* physical addresses; blink 0: the test card is not there */
  uint32_t nodes, pages;
} sci_card;

void sci_find(void);
uint32_t pci_find(uint32_t id, uint32_t nth); /* the device number; 32: there is none */
uintptr_t pci_memory(uint32_t device, unsigned bar); /* enables memory and bus mastering */

static inline uint32_t sci(uint32_t offset) { return mmio32(sci_card.regs + offset); }
static inline void sci_put(uint32_t offset, uint32_t v) { mmio32_put(sci_card.regs + offset, v); }
static inline uint64_t sci_count(uint32_t node, uint32_t which) {
  uint32_t low = sci(SCIR_STATS(node) + which);
  return low | (uint64_t)sci(SCIR_STATS(node) + which + 4) << 32;
}
static inline void sci_home(uint32_t page, uint32_t n, uint32_t home) {
  while (n--) sci_put(SCIR_ATT(page++), home);
}
#define WINDOW(page, offset) (sci_card.window + 4096u * (page) + (offset))

#ifndef __powerpc64__
enum { PAT_MSR = 0x277 };
static inline void wrmsr(uint32_t msr, uint32_t low, uint32_t high) { __asm__ volatile("wrmsr" ::"c"(msr), "a"(low), "d"(high) : "memory"); }
static inline void rep_stosl(uint32_t at, uint32_t n, uint32_t v) { __asm__ volatile("cld\n\trep stosl" : "+D"(at), "+c"(n) : "a"(v) : "memory"); }
static inline void rep_movsl(uint32_t to, uint32_t from, uint32_t n) { __asm__ volatile("cld\n\trep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory"); }
#endif

struct packet {
  uint64_t ns, bd1, bd2;
  uint32_t node, words;
};
void blink_clear(void);
uint32_t blink_count(void);
struct packet blink_packet(uint32_t i);
uint64_t blink_hash(uint32_t node);

/* A transaction: `from` accesses a page of `to`. whole: 64 bytes. */
struct transaction {
  uint8_t what, from, to, enables;
  uint32_t offset; /* in the window */
  bool whole;
};
/* Since blink_clear(): exactly these, each with all its packets in order; forgets them. */
bool expect(const struct transaction *list, unsigned n, const char *what);
/* The same, of a list with commas between. T(): of node 0 with node 1, at AT(). */
#define AT(page, offset) ((page) * 4096u + (offset))
#define T(what, at, enables) {what, 0, 1, enables, at, false}
#define LIST(...) ((const struct transaction[]){__VA_ARGS__})
#define EXPECT(what, ...) expect(LIST(__VA_ARGS__), sizeof LIST(__VA_ARGS__) / sizeof(struct transaction), what)

#endif
