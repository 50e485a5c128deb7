// SPDX-License-Identifier: GPL-2.0-or-later
// A driver for one SNI and one SurfBoard. See boards.h; pages cited are those of TR-596-99.
#include "boards.h"

struct boards boards;

// --- EISA -------------------------------------------------------------------------
uint32_t eisa_id(unsigned slot) {
  uint16_t port = (uint16_t)(slot << 12 | SURF_EPIR);
  uint32_t id = 0;
  for (unsigned i = 0; i < 4; i++) id |= (uint32_t)inb((uint16_t)(port + i)) << 8 * i;
  return id;
}

void eisa_name(uint32_t id, char name[4]) {
  uint32_t letters = (id & 0xFF) << 8 | (id >> 8 & 0xFF);  // three times five bits, A = 1
  name[0] = (char)(0x40 + (letters >> 10 & 31));
  name[1] = (char)(0x40 + (letters >> 5 & 31));
  name[2] = (char)(0x40 + (letters & 31));
  name[3] = 0;
}

void boards_find(void) {
  for (unsigned slot = 1; slot <= EISA_SLOTS; slot++) {
    uint32_t id = eisa_id(slot);
    if (!boards.surf_slot && (id & SURF_PRODUCT_ID_MASK) == SURF_PRODUCT_ID) boards.surf_slot = slot;
    if (!boards.sni_slot && (id & SNI_PRODUCT_ID_MASK) == SNI_PRODUCT_ID) boards.sni_slot = slot;
  }
}

void boards_configure(unsigned surf_irlev, unsigned sni_irlev) {
  if (!boards.surf_mem) {
    boards.surf_mem = rt_free_window(SURF_MEM_WINDOW, SURF_MEM_WINDOW);
    boards.sni_regs = rt_free_window(SNI_WINDOW, SNI_WINDOW);
    boards.surf_regs = rt_free_window(SURF_REG_WINDOW, SURF_REG_WINDOW);
    if (!boards.surf_mem || !boards.sni_regs || !boards.surf_regs) bail(RT_NO_BOARD, "no free addresses");
  }
  if (boards.surf_slot)
    outl((uint16_t)(boards.surf_slot << 12 | SURF_EBCR),
         (boards.surf_regs & SURF_EBCR_RBASE_MASK) | (boards.surf_mem >> 16 & SURF_EBCR_MBASE_MASK) |
             SURF_PUT(EBCR_IRLEV, surf_irlev) | SURF_EBCR_ENABLE);
  outl((uint16_t)(boards.sni_slot << 12 | SNI_SBCR),
       boards.sni_regs | SNI_PUT(SBCR_IRLEV, sni_irlev) | SNI_SBCR_ENABLE);
}

// --- SurfBoard --------------------------------------------------------------------
uint32_t acdr_get(void) {
  uint32_t v = 0;
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) {  // a read and a write: one step around the ring
    uint32_t bit = surf(SURF_ACDR) & 1;
    v |= bit << i;
    surf_put(SURF_ACDR, bit);
  }
  return v;
}

void acdr_put(uint32_t value) {
  for (unsigned i = 0; i < SURF_ACDR_BITS; i++) surf_put(SURF_ACDR, value >> i & 1);
}

bool has_load(const uint8_t *bits, uint32_t bytes) {
  surf_put(SURF_FCCR, SURF_FCCR_PROG);
  wait_us(10);
  surf_put(SURF_FCCR, 0);
  for (unsigned i = 0; surf(SURF_FCCR) & SURF_FCCR_ERR; i++) {  // INIT* is low while the part clears itself
    if (i == RT_PATIENCE_US / 10) return false;
    wait_us(10);
  }
  for (uint32_t i = 0; i < bytes * 8; i++) surf_put(SURF_FCDR, bits[i / 8] >> (7 - i % 8) & 1);
  return (surf(SURF_FCCR) & (SURF_FCCR_DONE | SURF_FCCR_ERR)) == SURF_FCCR_DONE;
}

void hist_clear(void) {
  uint32_t to = boards.surf_mem + SURF_MEM_HIST_OFFSET, words = boards.hist_bytes / 4;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(words) : "a"(0) : "memory");
}

// A memory shows again beyond the SIMM's end: the distance at which it does is its size (A.6, FCCR).
static uint32_t memory_size(uint32_t base) {
  static const uint32_t sizes[] = {4u << 20, 16u << 20};
  mmio32_put(base, 0x5A5A0001);
  if (mmio32(base) != 0x5A5A0001) return 0;
  for (unsigned i = 0; i < 2; i++) {
    mmio32_put(base + sizes[i], 0xA5A50002);
    if (mmio32(base) == 0xA5A50002) return sizes[i];
  }
  return 64u << 20;
}

void surf_begin(uint32_t htcr, uint32_t ttcr) {
  surf_put(SURF_IEMR, 0);
  surf_put(SURF_HTCR, SURF_HTCR_FRS);
  surf_put(SURF_HTCR, 0);
  surf_put(SURF_TTCR, ttcr);
  surf_put(SURF_TICR, 0);
  surf_put(SURF_TECR, 0);
  surf_put(SURF_TPIR, 0);
  surf_put(SURF_WCDR, 0);
  surf_put(SURF_PCLR, 0);
  surf_put(SURF_ISCR, SURF_ISCR_W1C);
  surf_put(SURF_HTCR, htcr);
}

// --- SNI --------------------------------------------------------------------------
uint64_t sni64(uint32_t offset) {
  uint64_t low = sni(offset);
  return low | (uint64_t)sni(offset + 4) << 32;
}

static uint32_t frame_of(const void *p) { return (uint32_t)p >> SNI_PAGE_SHIFT; }

void au_map(const void *local, const void *destination, uint32_t word1) {
  uint32_t entry = SNI_OPT(frame_of(local));
  sni_put(entry, 0);
  sni_put(entry + 4, word1);
  sni_put(entry, SNI_OPT0_AU | SNI_PUT(OPT0_DNODE, boards.next) | SNI_PUT(OPT0_DPAGE, frame_of(destination)));
}
void au_unmap(const void *local) { sni_put(SNI_OPT(frame_of(local)), 0); }
void au_export(const void *page, unsigned color, bool interrupt) {
  sni_put(SNI_IPT(frame_of(page)), SNI_IPT_VALID | (interrupt ? SNI_IPT_INT : 0) | SNI_PUT(IPT_COLOR, color));
}
void au_withdraw(const void *page) { sni_put(SNI_IPT(frame_of(page)), 0); }

uint32_t clock_100ns(void) { return sni(SNI_CLKL); }

void wait_us(uint32_t us) {
  for (uint32_t from = clock_100ns(); clock_100ns() - from < us * 10;)
    ;
}

void settle(void) {
  // Occupied words that do not change are an open packet's; the backplane's work is done when as
  // many packets arrived (or were dropped) as left.
  for (unsigned i = 0; i < RT_PATIENCE_US / 2; i++) {
    uint64_t sent = sni64(SNI_TXP), arrived = sni64(SNI_RXP) + sni64(SNI_RXD) + sni64(SNI_TXU);
    if (sni(SNI_SSR) & (SNI_SSR_EMPTY | SNI_SSR_OPEN) && sent == arrived) {
      wait_us(20);  // a packet alone in the FIFO of an open one, and the SurfBoard's three stages
      if (sni64(SNI_TXP) == sent) {
        surf(SURF_ISCR);  // its manual page: memory words may be late, but not after a register access
        return;
      }
    }
    wait_us(2);
  }
  bail(RT_FAIL, "packets do not arrive: sent %llu, delivered %llu, dropped %llu, SSR %x, FCNT %u",
       sni64(SNI_TXP), sni64(SNI_RXP), sni64(SNI_RXD), sni(SNI_SSR), sni(SNI_FCNT));
}

void boards_start(void) {
  if (!boards_start_sni()) bail(RT_NO_BOARD, "no SurfBoard in EISA slots 1 to %u", EISA_SLOTS);
}

bool boards_start_sni(void) {
  boards_find();
  if (!boards.sni_slot) bail(RT_NO_BOARD, "no SNI in EISA slots 1 to %u", EISA_SLOTS);
  boards_configure(SURF_IRLEV_IRQ5, SURF_IRLEV_IRQ10);
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_CRST);
  sni_put(SNI_SISR, SNI_SISR_CONDITIONS);
  uint32_t mesh = sni(SNI_MESH), width = SNI_GET(MESH_WIDTH, mesh);
  boards.nodes = SNI_GET(MESH_NODES, mesh);
  boards.node = SNI_GET(NODE_NUMBER, sni(SNI_NODE));
  if (!width || !boards.nodes) bail(RT_NO_BOARD, "MESH is %08x", mesh);
  uint32_t next = (boards.node + 1) % boards.nodes;
  boards.next = SNI_PUT(COORD_X, next % width) | SNI_PUT(COORD_Y, next / width);
  if (!boards.surf_slot) return false;
  boards.trace_bytes = memory_size(boards.surf_mem + SURF_MEM_TRACE_OFFSET);
  boards.hist_bytes = memory_size(boards.surf_mem + SURF_MEM_HIST_OFFSET);
  uint32_t tsize = boards.trace_bytes == 4u << 20    ? SURF_TSIZE_4MB
                   : boards.trace_bytes == 16u << 20 ? SURF_TSIZE_16MB
                                                     : SURF_TSIZE_64MB;
  acdr_put(SURF_PUT(ACDR_SENDID, SURF_SENDID_8X8) | SURF_PUT(ACDR_LAT_N, 12) | SURF_PUT(ACDR_TSIZE, tsize));
  surf_begin(0, 0);
  return true;
}

// --- counts and records -----------------------------------------------------------
void counts_read(struct counts *c) {
  c->txp = sni64(SNI_TXP);
  c->txw = sni64(SNI_TXW);
  c->rxp = sni64(SNI_RXP);
  c->rxw = sni64(SNI_RXW);
  c->rxd = sni64(SNI_RXD);
  c->ovf = sni64(SNI_OVFC);
  c->aus = sni64(SNI_AUS);
  c->auw = sni64(SNI_AUW);
  for (uint32_t i = 0; i < 7; i++) c->end[i] = sni64(SNI_ENDD + 8 * i);
  c->wcdr = surf(SURF_WCDR);
  c->tecr = surf(SURF_TECR);
  c->ticr = surf(SURF_TICR);
}

void counts_since(struct counts *c, const struct counts *b) {
  struct counts n;
  counts_read(&n);
  *c = (struct counts){n.txp - b->txp,   n.txw - b->txw,   n.rxp - b->rxp,
                       n.rxw - b->rxw,   n.rxd - b->rxd,   n.ovf - b->ovf,
                       n.aus - b->aus,   n.auw - b->auw,   {0},
                       n.wcdr - b->wcdr, n.tecr - b->tecr, n.ticr - b->ticr};
  for (uint32_t i = 0; i < 7; i++) c->end[i] = n.end[i] - b->end[i];
}

struct record recorded(uint32_t i) {
  volatile uint32_t *t = trace() + 4 * i;
  uint32_t w0 = t[0], w1 = t[1], w2 = t[2], w3 = t[3];
  return (struct record){.sender = SURF_GET(TRACE0_SENDER, w0),
                         .latency = SURF_GET(TRACE0_LATENCY, w0),
                         .category = SURF_GET(TRACE1_CATEGORY, w1),
                         .size = SURF_GET(TRACE1_SIZE, w1),
                         .color = SURF_GET(TRACE1_COLOR, w1),
                         .address = SURF_GET(TRACE3_ADDRESS, w3) << 2,
                         .be = SURF_GET(TRACE3_BE, w3),
                         .present = SURF_GET(TRACE3_P, w3),
                         .over = w0 & SURF_TRACE0_V,
                         .under = w0 & SURF_TRACE0_U,
                         .interrupt = w3 >> 31,
                         .time = (uint64_t)SURF_GET(TRACE1_RTIME, w1) << 32 | w2};
}
