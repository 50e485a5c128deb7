// SPDX-License-Identifier: GPL-2.0-or-later
// probe - are the boards where a driver of the time would look for them, and do they behave
// as EISA boards: product IDs, configuration, the disabled state (A.5, A.9.1).
#include "../rt/boards.h"

static void ids(void) {
  char name[4];
  uint32_t system = eisa_id(0);
  ok(!(system & 0x80), "slot 0 answers with the system board's ID %08x", system);
  eisa_name(system, name);
  bool letters = true;
  for (unsigned i = 0; i < 3; i++) letters &= name[i] >= 'A' && name[i] <= 'Z';
  ok(letters, "it is %s", name);
  for (unsigned slot = 1; slot <= EISA_SLOTS; slot++) {
    uint32_t id = eisa_id(slot);
    if (slot == boards.surf_slot || slot == boards.sni_slot) {
      eisa_name(id, name);
      ok(name[0] == 'P' && name[1] == 'R' && name[2] == 'U', "slot %u holds %s%03x revision %x", slot, name,
         (id >> 12 & 0xFF0) | id >> 28, id >> 24 & 15);
      continue;
    }
    is(id, 0xFFFFFFFF, "slot %u is empty", slot);
  }
}

static void read_only(unsigned slot) {
  uint16_t port = (uint16_t)(slot << 12 | SURF_EPIR);
  uint32_t before = eisa_id(slot);
  for (unsigned i = 0; i < 4; i++) outb((uint16_t)(port + i), (uint8_t)(0x80 + i));
  is(eisa_id(slot), before, "slot %u: byte writes to the ID are ignored", slot);
  outw(port, 0xFFFF);
  outl(port, 0);
  is(eisa_id(slot), before, "slot %u: wide writes too", slot);
  is(inl(port), before, "slot %u: a 32-bit read", slot);
  is(inw(port) | (uint32_t)inw((uint16_t)(port + 2)) << 16, before, "slot %u: two 16-bit reads", slot);
}

static void disabled(void) {
  uint16_t ebcr = (uint16_t)(boards.surf_slot << 12 | SURF_EBCR);
  uint16_t sbcr = (uint16_t)(boards.sni_slot << 12 | SNI_SBCR);
  is(inl(ebcr) & SURF_EBCR_ENABLE, 0, "the SurfBoard is disabled after power-on");
  is(inl(sbcr) & SNI_SBCR_ENABLE, 0, "the SNI is disabled after power-on");

  boards_configure(0, 0);
  say("# SurfBoard: registers %08x, memories %08x; SNI %08x\n", boards.surf_regs, boards.surf_mem,
      boards.sni_regs);
  uint32_t value = inl(ebcr);
  is(value & ~0xFEu, (boards.surf_regs & 0xFFFF0000u) | boards.surf_mem >> 16 | 1, "EBCR reads back");
  for (unsigned i = 0; i < 4; i++)
    is(inb((uint16_t)(ebcr + i)), value >> 8 * i & 0xFF, "EBCR's byte %u by itself", i);
  is(inl(sbcr), boards.sni_regs | 1, "SBCR reads back");

  is(surf(SURF_FCCR) & SURF_FCCR_PROG, SURF_FCCR_PROG, "FCCR.PROG is 1 after power-on");
  is(surf(SURF_HTCR), SURF_HTCR_FRS, "HTCR: only FRS is 1 after power-on");
  is(surf(SURF_IEMR), 0, "IEMR is 0 after power-on");
  surf_put(SURF_PCLR, 0x1A);
  is(surf(0x40 + SURF_PCLR), 0x1A, "the registers show again 64 bytes further");
  is(surf(0xFFC0 + SURF_PCLR), 0x1A, "and at the end of the 64 KB");
  surf_put(SURF_IEMR, 0x3FFF);
  surf_put(SURF_WCDR, 0x12345678);
  surf_put(SURF_TICR, 0x155);
  is(surf(SURF_IEMR), 0x3FFF, "IEMR holds 14 bits");
  hist()[3] = 0xCAFE0003;
  trace()[5] = 0xCAFE0005;
  is(hist()[3], 0xCAFE0003, "histogram memory");
  is(trace()[5], 0xCAFE0005, "trace memory");
  sni_put(SNI_CTOR, 0x123456);
  is(sni(SNI_CTOR), 0x123456, "SNI: CTOR holds 24 bits");
  is(sni(0x3000), 0xFFFFFFFF, "SNI: an offset that nothing has reads as an idle bus");

  outb(ebcr, (uint8_t)(value & 0xFE));
  outb(sbcr, 0);
  is(inl(ebcr), value & ~1u, "EBCR answers while disabled");
  is(surf(SURF_PCLR), 0xFFFFFFFF, "disabled: the registers do not answer");
  is(hist()[3], 0xFFFFFFFF, "disabled: nor the histogram memory");
  is(trace()[5], 0xFFFFFFFF, "disabled: nor the trace memory");
  is(sni(SNI_CTOR), 0xFFFFFFFF, "disabled: nor the SNI");
  surf_put(SURF_PCLR, 5);
  hist()[3] = 1;
  outb(ebcr, (uint8_t)(value | 1));
  outb(sbcr, 1);
  is(surf(SURF_IEMR), 0, "enabled again: IEMR was cleared");
  is(surf(SURF_PCLR), 0x1A, "PCLR was kept, and not written meanwhile");
  is(surf(SURF_WCDR), 0x12345678, "WCDR was kept");
  is(surf(SURF_TICR), 0x155 & 0xF, "TICR was kept: four bits with TSIZE 0");
  is(hist()[3], 0xCAFE0003, "histogram memory was kept");
  is(trace()[5], 0xCAFE0005, "trace memory was kept");
  is(sni(SNI_CTOR), 0x123456, "SNI: CTOR was kept");
}

// The paper's table; JEDEC gives 64 MB the code of 4 MB, so that the size must be found (p. 52).
static bool simm_fits(uint32_t presence, uint32_t bytes) {
  switch (presence) {
    case SURF_PD_1M:
      return bytes == 4u << 20 || bytes == 64u << 20;
    case SURF_PD_4M:
      return bytes == 16u << 20;
    case SURF_PD_EMPTY:
      return bytes == 0;
    default:
      return false;
  }
}

static void initialise(void) {
  boards_start();
  uint32_t fccr = surf(SURF_FCCR);
  ok(simm_fits(SURF_GET(FCCR_TSPD, fccr), boards.trace_bytes), "trace memory: %u MB, presence detect %x",
     boards.trace_bytes >> 20, SURF_GET(FCCR_TSPD, fccr));
  ok(simm_fits(SURF_GET(FCCR_HSPD, fccr), boards.hist_bytes), "histogram memory: %u MB, presence detect %x",
     boards.hist_bytes >> 20, SURF_GET(FCCR_HSPD, fccr));
  acdr_put(0x2006080);
  is(acdr_get(), 0x2006080, "ACDR: 28 bits in, 28 bits around");
  is(acdr_get(), 0x2006080, "ACDR: around once more");
  is(SNI_GET(NODE_NUMBER, sni(SNI_NODE)), 1, "this is node 1");
  is(boards.nodes, 4, "of 4");
  ok(sni(SNI_FSIZE) >= 16, "outgoing FIFO of %u words", sni(SNI_FSIZE));
  is(sni(SNI_FCNT), 0, "which is empty");
  is(sni(SNI_FHWM), sni(SNI_FSIZE) / 8 * 7, "high-water mark at 7/8");
  is(sni(SNI_FLWM), sni(SNI_FSIZE) / 8, "low-water mark at 1/8");
  uint32_t from = clock_100ns();
  wait_us(100);
  uint32_t took = clock_100ns() - from;
  ok(took >= 1000 && took < 1100, "the global clock advances: %u in 100 us", took);
}

int program(void) {
  boards_find();
  if (!boards.surf_slot || !boards.sni_slot) {
    for (unsigned slot = 0; slot <= EISA_SLOTS; slot++) say("# slot %u: %08x\n", slot, eisa_id(slot));
    bail(RT_NO_BOARD, "no %s in EISA slots 1 to %u", boards.sni_slot ? "SurfBoard" : "SNI", EISA_SLOTS);
  }
  ids();
  read_only(boards.surf_slot);
  read_only(boards.sni_slot);
  disabled();
  initialise();
  return done_testing();
}
