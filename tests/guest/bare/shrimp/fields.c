// SPDX-License-Identifier: GPL-2.0-or-later
// fields - what the SurfBoard takes from a packet under each setting of its shift register (A.6,
// ACDR): sender layouts, category, latency window; trace modes; the external connector.
#include "../rt/boards.h"

static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t usual;  // the shift register as boards_start() left it

static void send(uint32_t n, uint32_t value) {
  for (uint32_t i = 0; i < n; i++) {
    ((volatile uint32_t *)source)[i] = value;
    spin(200);
  }
  settle();
}

static void start(uint32_t ttcr) {
  settle();
  surf_begin(0, ttcr);
  surf_put(SURF_HTCR, SURF_HTCR_TEN | SURF_HTCR_WEN);
}

static void senders(void) {
  uint32_t width = SNI_GET(MESH_WIDTH, sni(SNI_MESH)), from = (boards.node + boards.nodes - 1) % boards.nodes;
  uint32_t x = from % width, y = from / width;
  for (uint32_t id = 0; id < 5; id++) {
    unsigned xbits = 5 - id, ybits = 1 + id;  // 32x2, 16x4, 8x8, 4x16, 2x32
    acdr_put((usual & ~SURF_ACDR_SENDID_MASK) | SURF_PUT(ACDR_SENDID, id));
    start(0);
    send(1, 0);
    is(recorded(0).sender, (y & ((1u << ybits) - 1)) << xbits | (x & ((1u << xbits) - 1)),
       "SENDID %u, node at X %u, Y %u", id, x, y);
  }
  acdr_put(usual);
}

static void categories(void) {
  for (uint32_t cat = 0; cat < 16; cat += 5) {
    start(0);
    surf_put(SURF_PCLR, cat);
    send(1, 0xF0000000);
    is(recorded(0).category, cat, "local category");
  }
  acdr_put(usual | SURF_ACDR_CATMUX);
  start(0);
  surf_put(SURF_PCLR, 3);
  send(1, 0xB0000001);
  is(recorded(0).category, 0xB, "remote category: the top bits of the first word");
  acdr_put(usual);
}

static void windows(void) {
  static const struct {
    uint32_t s, n;
  } windows[] = {{0, 12}, {1, 12}, {0, 1}, {2, 6}, {2, 1}, {3, 2}, {0, 3}, {20, 12}, {0, 4}};
  // A packet held open for 20 us or so: about 250 units of 100 ns.
  for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++) {
    uint32_t full = 0, shift = 2 * windows[i].s, bits = 2 * windows[i].n;
    au_map(source, arrived, AU_COMB | AU_BOUND(4));
    acdr_put(usual);
    for (unsigned round = 0; round < 2; round++) {
      if (round)
        acdr_put((usual & ~(SURF_ACDR_LAT_S_MASK | SURF_ACDR_LAT_N_MASK)) |
                 SURF_PUT(ACDR_LAT_S, windows[i].s) | SURF_PUT(ACDR_LAT_N, windows[i].n));
      start(0);
      // The same phase of all clocks, so that both rounds see the same latency to a tick or two.
      __asm__ volatile(
          "movl %0, (%0)\n\tmovl $300, %%eax\n1:\tdecl %%eax\n\tjnz 1b\n\tmovl $0x17, (%1)" ::"r"(source),
          "r"(boards.sni_regs + SNI_SCR)
          : "memory", "eax");
      settle();
      if (!round) full = recorded(0).latency;
    }
    struct record r = recorded(0);
    bool over = full >> shift >> bits;
    uint32_t low = over ? 0xFFFFFF : (full - 2) >> shift & ((1u << bits) - 1);
    uint32_t high = over ? 0xFFFFFF : (full + 2) >> shift & ((1u << bits) - 1);
    ok(r.latency >= low && r.latency <= high && r.over == over && !r.under,
       "LAT_S %u, LAT_N %u: latency %u in full, %x in the window, V %u", windows[i].s, windows[i].n, full,
       r.latency, r.over);
    is(!!(surf(SURF_ISCR) & SURF_ISCR_LV), over, "ISCR.LV");
  }
  acdr_put(usual);
  au_map(source, arrived, AU_PLAIN);
}

// The three modes in the memory for testing: 16 packets (TSIZE 00).
static void modes(void) {
  acdr_put((usual & ~SURF_ACDR_TSIZE_MASK) | SURF_PUT(ACDR_TSIZE, SURF_TSIZE_256B));
  static const struct {
    uint32_t mode, before, after, tecr, ticr, tpir, full;
    const char *name;
  } cases[] = {
      // 20 packets that do not qualify, the trigger, then more.
      {SURF_MODE_BEGIN, 20, 30, 16, 0, 0, 1, "beginning: 16 from the trigger on, index back at 0"},
      {SURF_MODE_BEGIN, 20, 7, 8, 8, 0, 0, "beginning: trigger and 7, not complete"},
      {SURF_MODE_MIDDLE, 20, 30, 16, 12, 4, 1, "middle: 8 before the trigger at 20 mod 16, 8 from it on"},
      {SURF_MODE_MIDDLE, 3, 5, 9, 9, 3, 0, "middle: 3, trigger and 5, not complete"},
      {SURF_MODE_MIDDLE, 3, 30, 16, 0, 3, 1, "middle: 3 before the trigger, until the memory is full"},
      {SURF_MODE_END, 20, 30, 21, 5, 4, 1, "end: all up to the trigger"},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    start(SURF_TTCR_MEOD | SURF_PUT(TTCR_MODE, cases[i].mode) | SURF_PUT(TTCR_QUAL, SURF_QUAL_EXT));
    surf_put(SURF_ECDR, 0);
    send(cases[i].before, 1);
    is(surf(SURF_ISCR) & (SURF_ISCR_TP | SURF_ISCR_TC | SURF_ISCR_EXT), 0,
       "before the trigger: no TP, TC, EXT");
    surf_put(SURF_ECDR, 1);
    send(1, 2);
    surf_put(SURF_ECDR, 0);
    send(cases[i].after, 3);
    is(surf(SURF_TECR), cases[i].tecr, "%s: TECR", cases[i].name);
    is(surf(SURF_TICR), cases[i].ticr, "TICR");
    is(surf(SURF_TPIR), cases[i].tpir, "TPIR");
    is(surf(SURF_ISCR) & (SURF_ISCR_TP | SURF_ISCR_TC | SURF_ISCR_EXT),
       SURF_ISCR_TP | SURF_ISCR_EXT | (cases[i].full ? SURF_ISCR_TC : 0), "TP, EXT, and TC if complete");
    is(surf(SURF_WCDR), cases[i].before + 1 + cases[i].after, "word count goes its own way");
    surf_put(SURF_HTCR, 0);
  }
  acdr_put(usual);
}

// A board sees its own output, because it is one wire: low is TRUE both ways.
static void connector(void) {
  surf_put(SURF_HTCR, 0);
  surf_put(SURF_TTCR, SURF_TTCR_MEOD);
  surf_put(SURF_ECDR, 0);
  surf_put(SURF_ISCR, SURF_ISCR_EXT);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, 0, "wire high: no EXT");
  surf_put(SURF_ECDR, 1);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT, "driven low: EXT");
  surf_put(SURF_ISCR, SURF_ISCR_EXT);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, 0, "cleared while the wire stays low: it was the transition");
  surf_put(SURF_TTCR, SURF_TTCR_MEOD | SURF_TTCR_EIP);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, 0, "EIP inverts it to FALSE: no EXT");
  surf_put(SURF_TTCR, SURF_TTCR_MEOD);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT, "and back: FALSE to TRUE, EXT");
  surf_put(SURF_ECDR, 0);
  surf_put(SURF_ISCR, SURF_ISCR_EXT);
  surf_put(SURF_TTCR, SURF_TTCR_MEOD | SURF_TTCR_EOP);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT, "EOP: FALSE drives the wire low, EXT");
  surf_put(SURF_TTCR, 0);
  surf_put(SURF_ISCR, SURF_ISCR_EXT);
  surf_put(SURF_ECDR, 1);
  is(surf(SURF_ISCR) & SURF_ISCR_EXT, 0, "MEOD 0 masks the data");
  surf_put(SURF_ECDR, 0);
}

// Narrow accesses: WCDR, TICR and TECR ignore narrow writes; every register may be read by bytes.
static void narrow(void) {
  surf_put(SURF_HTCR, 0);
  static const struct {
    uint32_t offset, value;
    const char *name;
  } wide[] = {
      {SURF_WCDR, 0x12345678, "WCDR"}, {SURF_TICR, 0x00012345, "TICR"}, {SURF_TECR, 0x00054321, "TECR"}};
  for (unsigned i = 0; i < 3; i++) {
    volatile uint8_t *at = (volatile uint8_t *)(boards.surf_regs + wide[i].offset);
    surf_put(wide[i].offset, wide[i].value);
    at[0] = 0xFF;
    at[2] = 0xFF;
    *(volatile uint16_t *)at = 0xFFFF;
    *(volatile uint16_t *)(at + 2) = 0;
    is(surf(wide[i].offset), wide[i].value, "%s ignores 8- and 16-bit writes", wide[i].name);
    is((uint32_t)(at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24), wide[i].value, "%s read by bytes",
       wide[i].name);
    surf_put(wide[i].offset, 0);
  }
  volatile uint8_t *iemr = (volatile uint8_t *)(boards.surf_regs + SURF_IEMR);
  surf_put(SURF_IEMR, 0);
  iemr[1] = 0xFF;
  is(surf(SURF_IEMR), 0x3F00, "IEMR: its second byte alone");
  surf_put(SURF_IEMR, 0);
}

int program(void) {
  boards_start();
  usual = acdr_get();
  au_export(arrived, 2, false);
  au_map(source, arrived, AU_PLAIN);
  senders();
  categories();
  windows();
  modes();
  connector();
  narrow();
  return done_testing();
}
