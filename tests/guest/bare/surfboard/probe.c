// SPDX-License-Identifier: GPL-2.0-or-later
// probe - are the boards where a driver of the time would look for them, and do they begin disabled and answer where they are put (A.5, A.9.1).
//
// With "reset" the machine is reset first, with packets in flight: the boards are disabled again, nothing of the old life arrives, DRAM has kept
// its contents, and all works as before. The two lives tell themselves apart by a byte of the clock's battery-backed memory.
// With "slots" it only says what firmware has left behind in each EISA slot, the ID and the control register at nC84, and the machine's ELCR.
#include "../rt/boards.h"

enum { CMOS = 0x70, MARK_AT = 0x5E, MARK = 0xA7, KEPT = 0x600DDA7A, CATEGORY = 0x15, AT = 0x1000, SENT = 10 };
static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static uint8_t cmos_get(void) {
  outb(CMOS, MARK_AT);
  return inb(CMOS + 1);
}
static void cmos_put(uint8_t v) {
  outb(CMOS, MARK_AT);
  outb(CMOS + 1, v);
}

static void first_life(void) {
  boards_start();
  au_export(arrived, 1, true);
  au_map(source, arrived, AU_PLAIN);
  sni_put(SNI_SIER, SNI_SISR_CONDITIONS);
  surf_begin(SURF_HTCR_TEN | SURF_HTCR_WEN, 0);
  surf_put(SURF_PCLR, CATEGORY);
  surf_put(SURF_IEMR, SURF_IEMR_TP);
  trace()[AT] = KEPT;
  uint32_t n = 500, *to = source;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x11111111) : "memory");
  uint32_t occupied = sni(SNI_FCNT), pending = surf(SURF_ISCR) >> 31;
  say("# first life: %u words in the FIFO, PEND %u; reset\n", occupied, pending);
  cmos_put(MARK);
  outb(0xCF9, 0x02);
  outb(0xCF9, 0x06);
  for (;;) __asm__ volatile("hlt");
}

static void second_life(void) {
  is(trace()[AT], KEPT, "trace memory kept its contents");
  is(surf(SURF_PCLR), CATEGORY, "PCLR was kept");
  is(sni(SNI_FCNT), 0, "the FIFO is empty");
  is(sni(SNI_SIER) | sni(SNI_SCR), SNI_SCR_TSE, "SIER is 0, SCR has only TSE");
  is(sni(SNI_OPT((uint32_t)source >> 12)), 0, "the page tables are empty");
  for (unsigned i = 0; i < 3; i++) wait_us(1000);
  uint32_t late = 0;
  for (uint32_t i = 0; i < WORDS_OF_PAGE; i++) late += arrived[i] != 0;
  is(late, 0, "no packet of the first life arrives in the second");
}

static void ids(void) {
  char name[4];
  for (unsigned slot = 0; slot <= EISA_SLOTS; slot++) {
    const uint32_t id = eisa_id(slot);
    eisa_name(id, name);
    if (slot == 0)
      ok(!(id & 0x80), "slot 0 answers with the system board's ID %08x, %s", id, name);
    else if (slot == boards.surf_slot || slot == boards.sni_slot)
      ok(name[0] == 'P' && name[1] == 'R' && name[2] == 'U', "slot %u holds %s%03x revision %x", slot, name,
         (id >> 12 & 0xFF0) | id >> 28, id >> 24 & 15);
    else
      is(id, 0xFFFFFFFF, "slot %u is empty", slot);
  }
}

static void disabled(bool again) {
  is(inl((uint16_t)(boards.surf_slot << 12 | SURF_EBCR)) & SURF_EBCR_ENABLE, 0, "the SurfBoard is disabled");
  is(inl((uint16_t)(boards.sni_slot << 12 | SNI_SBCR)) & SNI_SBCR_ENABLE, 0, "the SNI is disabled");
  if (!again) return;
  outb(0x20, 0x0A);
  is(inb(0x20) >> SURF_IRQ & 1, 0, "the SurfBoard's interrupt line is down");
  outb(0xA0, 0x0A);
  is(inb(0xA0) >> (SNI_IRQ - 8) & 1, 0, "and the SNI's");
}

static void answers(void) {
  say("# SurfBoard: registers %08x, memories %08x; SNI %08x\n", boards.surf_regs, boards.surf_mem, boards.sni_regs);
  is(surf(SURF_IEMR), 0, "IEMR is 0");
  hist()[3] = 0xCAFE0003;
  trace()[5] = 0xCAFE0005;
  is(hist()[3], 0xCAFE0003, "histogram memory");
  is(trace()[5], 0xCAFE0005, "trace memory");
}

static void works(void) {
  struct counts before, c;
  boards_start();
  is(boards.node, 1, "this is node 1");
  is(boards.nodes, 4, "of 4");
  au_export(arrived, 1, false);
  au_map(source, arrived, AU_PLAIN);
  surf_begin(SURF_HTCR_TEN | SURF_HTCR_WEN, 0);
  counts_read(&before);
  for (uint32_t i = 0; i < SENT; i++) ((volatile uint32_t *)source)[i] = 0x22222222;
  settle();
  counts_since(&c, &before);
  is(c.txp, SENT, "ten packets sent");
  is(c.rxp, SENT, "delivered");
  is(c.wcdr, SENT, "word count");
  is(c.tecr, SENT, "traced");
  is(arrived[SENT - 1], 0x22222222, "payload arrived");
}

static int slots(void) {
  for (unsigned slot = 1; slot < 16; slot++) {
    const uint16_t base = (uint16_t)(slot << 12);
    const uint32_t id = inl(base + 0xC80);
    if (!(id & 0x80)) say("slot %u: %08x %08x\n", slot, id, inl(base + 0xC84));
  }
  say("elcr: %04x\n", (uint32_t)(inb(0x4D0) | inb(0x4D1) << 8));
  return RT_PASS;
}

int program(void) {
  if (rt_option("slots")) return slots();
  boards_find();
  if (!boards.surf_slot || !boards.sni_slot) {
    for (unsigned slot = 0; slot <= EISA_SLOTS; slot++) say("# slot %u: %08x\n", slot, eisa_id(slot));
    bail(RT_NO_BOARD, "no %s in EISA slots 1 to %u", boards.sni_slot ? "SurfBoard" : "SNI", EISA_SLOTS);
  }
  const bool again = cmos_get() == MARK;
  if (rt_option("reset") && !again) first_life();
  cmos_put(0);
  ids();
  disabled(again);
  boards_configure(SURF_IRLEV_IRQ5, SURF_IRLEV_IRQ10);
  if (again) second_life();
  answers();
  works();
  return done_testing();
}
