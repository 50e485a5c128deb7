// SPDX-License-Identifier: GPL-2.0-or-later
// toggle - windows come, move and go while other processors access devices: by ENABLE and the bases of the EISA boards, and by a PCI
// board's command register. The instruction behind the one that writes meets the windows as written; so does another processor once it
// has seen in a register what was written. An access that waits for all other processors (kvmvapic's) ends while they show windows.
// Needs a smile-sci and three processors, or one more than "others=N" says. With "free" among its words it runs longer.
#include "../rt/boards.h"
#include "guest/sci/regs.h"

enum { LAPIC_ID = 0xFEE00020, IOAPIC = 0xFEC00000, HPET = 0xFED00000, IN_TRACE = 0x5AC35AC3, IN_TPIR = 0x1234 };
enum { PCI_ID = 0, PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_MEMORY = 2, CFC = 0xCFC, VAPIC = 0x7E };
static const uint32_t kNobody = 0xFFFFFFFF;

static struct place {
  uint32_t sni, regs, memory;
} place[2];
static uint16_t sni_port, surf_port;
static uint32_t sci_device, sci_regs, fifo, rounds;

// --- the other processors -------------------------------------------------------------
static void atomic_read(uint32_t address) {
  uint32_t nothing = 0;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(nothing), "+m"(*(volatile uint32_t *)address));
}

// Windows appear and vanish between the other devices, by address.
static void devices(void) {
  static const uint32_t all[] = {LAPIC_ID, HPET, IOAPIC, LAPIC_ID, HPET};
  for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) (void)mmio32(all[i]);
  for (unsigned i = 0; i < 2; i++) {
    (void)mmio32(place[i].sni + SNI_FSIZE);
    (void)mmio32(place[i].regs + SURF_TPIR);
    (void)mmio32(place[i].memory);
    mmio32_put(place[i].memory + 0x100, i);
    // QEMU does an atomic one on a device's registers alone, and looks the device up there.
    for (unsigned j = 0; j < 8; j++) atomic_read(place[i].regs + SURF_TPIR);
  }
}

static volatile enum { SHOW, STORM, WATCH_SNI, WATCH_PCI, MODES } mode;
static volatile uint32_t seen, wrong;

// Looks at a register of configuration until it changes, and then at once at what is in the window.
static void watch(uint16_t port, uint32_t bit, uint32_t window, uint32_t expected) {
  static uint32_t before[MODES] = {0xFF, 0xFF, 0xFF, 0xFF};
  const uint32_t now = inl(port) & bit;
  if (now == before[mode]) return;
  if (mmio32(window) != (now ? expected : kNobody)) wrong++;
  before[mode] = now;
  seen++;
}

static void other(unsigned processor) {
  for (;;) {
    if (mode == WATCH_SNI && processor == 1) watch(sni_port, SNI_SBCR_ENABLE, place[0].sni + SNI_FSIZE, fifo);
    else if (mode == WATCH_PCI && processor == 1) watch(CFC, PCI_MEMORY, sci_regs + SCIR_ID, SCIR_ID_VALUE);
    else if (mode == SHOW) outl(sni_port, SNI_SBCR_ENABLE ^ inl(sni_port));
    else devices();
  }
}

// --- this one ---------------------------------------------------------------------------
static uint32_t sni_at(const struct place *p) { return p->sni | SNI_PUT(SBCR_IRLEV, SURF_IRLEV_IRQ10); }
static uint32_t surf_at(const struct place *p) {
  return (p->regs & SURF_EBCR_RBASE_MASK) | (p->memory >> 16 & SURF_EBCR_MBASE_MASK) | SURF_PUT(EBCR_IRLEV, SURF_IRLEV_IRQ5);
}

static void storm(void) {
  uint32_t bad[6] = {0};
  for (uint32_t i = 0; i < rounds; i++) {
    const struct place *p = &place[i & 1], *q = &place[~i & 1];
    outl(sni_port, sni_at(p) | SNI_SBCR_ENABLE);
    bad[0] += mmio32(p->sni + SNI_FSIZE) != fifo;
    bad[1] += mmio32(q->sni + SNI_FSIZE) != kNobody;
    outl(surf_port, surf_at(p) | SURF_EBCR_ENABLE);
    bad[2] += mmio32(p->memory) != IN_TRACE || mmio32(p->regs + SURF_TPIR) != IN_TPIR;
    bad[3] += mmio32(q->memory) != kNobody || mmio32(q->regs + SURF_TPIR) != kNobody;
    outl(sni_port, sni_at(p));
    bad[4] += mmio32(p->sni + SNI_FSIZE) != kNobody;
    outl(surf_port, surf_at(p));
    bad[5] += mmio32(p->memory) != kNobody || mmio32(p->regs + SURF_TPIR) != kNobody;
  }
  is(bad[0], 0, "%u times: the SNI answers where it was enabled", rounds);
  is(bad[1], 0, "and not where it was before");
  is(bad[2], 0, "the SurfBoard answers where it was enabled");
  is(bad[3], 0, "and not where it was before");
  is(bad[4], 0, "an SNI that was disabled does not answer");
  is(bad[5], 0, "nor does such a SurfBoard");
}

static void lockstep(unsigned how, uint16_t port, uint32_t off, uint32_t on, const char *what) {
  outl(port, off);
  seen = 0;
  mode = how;
  while (!seen) __asm__ volatile("pause");
  wrong = seen = 0;
  for (uint32_t i = 1; i <= rounds; i++) {
    outl(port, i & 1 ? on : off);
    while (seen != i) __asm__ volatile("pause");
  }
  is(wrong, 0, "%u changes of %s: who has seen one in the register sees it in the window", rounds, what);
}

// By one instruction, which with "free" writes the register more often than a block has instructions. What it wrote last holds behind it.
static void several(void) {
  enum { MOST = 600 };
  static uint32_t words[MOST];
  const uint32_t most = rounds < MOST ? rounds : MOST;
  uint32_t bad = 0;
  for (uint32_t i = 0; i < most; i++) words[i] = sni_at(&place[i & 1]) | (i % 3 ? SNI_SBCR_ENABLE : 0);
  for (uint32_t n = most; n > most - 3; n--) {
    const struct place *p = &place[~n & 1], *q = &place[n & 1];
    uint32_t left = n, from = (uint32_t)words;
    __asm__ volatile("rep outsl" : "+c"(left), "+S"(from) : "d"(sni_port) : "memory");
    bad += mmio32(p->sni + SNI_FSIZE) != ((n - 1) % 3 ? fifo : kNobody);
    bad += mmio32(q->sni + SNI_FSIZE) != kNobody;
  }
  is(bad, 0, "%u changes by one instruction: the last one holds", most);
}

// None of the others may do an atomic access to a device meanwhile: that is QEMU's own end.
static void waits(void) {
  for (uint32_t i = 0; i < rounds; i++) outw(VAPIC, 32);  // its option ROM has begun: each processor is to do something, and this one waits for it
  ok(true, "%u accesses that wait for the others have ended", rounds);
}

static void find_sci(void) {
  for (uint32_t d = 1; d < 32 && !sci_device; d++)
    if (pci_config(0, d, 0, PCI_ID) == (SCIR_DEVICE << 16 | SCIR_VENDOR)) sci_device = d;
  if (!sci_device) bail(RT_NO_BOARD, "no smile-sci");
  sci_regs = pci_config(0, sci_device, 0, PCI_BAR0) & ~15u;
}

int program(void) {
  rounds = rt_option("free") ? 600 : 40;
  find_sci();
  boards_start();
  place[0] = (struct place){boards.sni_regs, boards.surf_regs, boards.surf_mem};
  place[1] = (struct place){rt_free_window(SNI_WINDOW, SNI_WINDOW), rt_free_window(SURF_REG_WINDOW, SURF_REG_WINDOW),
                            rt_free_window(SURF_MEM_WINDOW, SURF_MEM_WINDOW)};
  if (!place[1].sni || !place[1].regs || !place[1].memory) bail(RT_NO_BOARD, "no free addresses");
  sni_port = (uint16_t)(boards.sni_slot << 12 | SNI_SBCR);
  surf_port = (uint16_t)(boards.surf_slot << 12 | SURF_EBCR);
  fifo = sni(SNI_FSIZE);
  surf_put(SURF_TPIR, IN_TPIR);
  *trace() = IN_TRACE;
  uint32_t others = 2;
  rt_number("others=", &others);
  if (!rt_others(others, other)) bail(RT_NO_BOARD, "not %u processors", others + 1);
  waits();
  (void)pci_config(0, sci_device, 0, PCI_COMMAND);  // from now on CFC is the command register
  lockstep(WATCH_PCI, CFC, 0, PCI_MEMORY, "smile-sci's command register");
  mode = STORM;
  storm();
  several();
  lockstep(WATCH_SNI, sni_port, sni_at(&place[0]), sni_at(&place[0]) | SNI_SBCR_ENABLE, "the SNI's ENABLE");
  return done_testing();
}
