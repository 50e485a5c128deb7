/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * boards.h - a small driver for one SNI and one SurfBoard, as the programs need it.
 *
 *   boards_find          slots by their product IDs (0: not there), without touching anything else
 *   boards_start         both configured in free addresses, enabled, quiet, counters at 0
 *   surf, surf_put, sni, sni_put, sni64     registers
 *   au_map, au_export    an entry of the outgoing and of the incoming page table
 *   settle               until everything sent has arrived (one packet may stay open)
 *   recorded             the trace record i, taken apart
 */
#ifndef PERFBOARD_BARE_BOARDS_H
#define PERFBOARD_BARE_BOARDS_H

#include "guest/shrimp/regs.h"
#include "guest/surfboard/regs.h"
#include "rt.h"

#define PAGE 4096u
#define WORDS_OF_PAGE (PAGE / 4)

extern struct boards {
  unsigned surf_slot, sni_slot;           /* 0: none */
  uint32_t surf_regs, surf_mem, sni_regs; /* physical addresses, after boards_start() */
  uint32_t trace_bytes, hist_bytes;       /* sizes found, 0 without a SIMM */
  uint32_t node, nodes, next;             /* next: coordinate of the ring successor */
} boards;

enum { EISA_SLOTS = 11, SURF_IRQ = 5, SNI_IRQ = 10 };

uint32_t eisa_id(unsigned slot); /* the four bytes at nC80, as a little-endian word */
void eisa_name(uint32_t id, char name[4]);
void boards_find(void);
void boards_configure(unsigned surf_irlev, unsigned sni_irlev); /* addresses, levels, ENABLE */
void boards_start(void);                                        /* bail()s without boards */
bool boards_start_sni(void);                                    /* bail()s without an SNI; whether there is a SurfBoard, too */

static inline uint32_t surf(uint32_t offset) { return mmio32(boards.surf_regs + offset); }
static inline void surf_put(uint32_t offset, uint32_t v) { mmio32_put(boards.surf_regs + offset, v); }
static inline uint32_t sni(uint32_t offset) { return mmio32(boards.sni_regs + offset); }
static inline void sni_put(uint32_t offset, uint32_t v) { mmio32_put(boards.sni_regs + offset, v); }
uint64_t sni64(uint32_t offset);
static inline volatile uint32_t *hist(void) {
  return (volatile uint32_t *)(boards.surf_mem + SURF_MEM_HIST_OFFSET);
}
static inline volatile uint32_t *trace(void) { return (volatile uint32_t *)boards.surf_mem; }

uint32_t acdr_get(void);
void acdr_put(uint32_t value);
bool has_load(const uint8_t *bits, uint32_t bytes); /* DONE and no ERR */
void hist_clear(void);

/* Everything off and at zero; then word count, histogram (if a HAS is loaded) and trace on. */
void surf_begin(uint32_t htcr, uint32_t ttcr);

enum { AU_PLAIN = 0, AU_COMB = SNI_OPT1_COMB, AU_TIMEOUT = SNI_OPT1_TOE };
#define AU_BOUND(log) SNI_PUT(OPT1_BOUND, log) /* 256 << log bytes */
void au_map(const void *local, const void *destination, uint32_t word1);
void au_unmap(const void *local);
void au_export(const void *page, unsigned color, bool interrupt);
void au_withdraw(const void *page);

uint32_t clock_100ns(void);
void wait_us(uint32_t us);
/* The limit of a loop that waits for something: it ends a hang. Without icount a shorter one would fail on a slow host. */
#define RT_PATIENCE_US 600000000u
void settle(void);

struct counts {
  uint64_t txp, txw, rxp, rxw, rxd, ovf, aus, auw;
  uint64_t end[7]; /* ENDD, ENDR, ENDN, ENDB, ENDT, ENDP, ENDF */
  uint32_t wcdr, tecr, ticr;
};
enum { ENDD, ENDR, ENDN, ENDB, ENDT, ENDP, ENDF };
void counts_read(struct counts *c);
void counts_since(struct counts *c, const struct counts *before); /* c = now - before */

struct record {
  uint32_t sender, latency, category, size, color, address, be, present;
  bool over, under, interrupt;
  uint64_t time;
};
struct record recorded(uint32_t i);

#endif
