// SPDX-License-Identifier: GPL-2.0-or-later
// A guest that does whatever it can to the boards and to what watches it, from every processor, at random (scripts/soak --hostile).
// It proves nothing itself: it goes on until its processors have done so many steps each, or for ever. What counts is that QEMU lives.
//
//   seed=N    of the random order; processor i has one of its own from it
//   steps=N   for each processor; 0: for ever
//   cpus=N    with which it begins
//   no-touch, no-slot...   what it lets alone (all_steps)
//   no-atomic no atomic accesses
//   tame      it does not execute just anything, which soon would be the end of it
//
// It keeps its own program whole, or it would not live long: it stores nothing there by itself, and code that changes itself stays code that
// comes back. An exception ends a step. Under icount all of it is the same in each run.
#include "tests/guest/bare/rt/boards.h"
#include "tests/guest/bare/rt/hotplug.h"
#include "tests/guest/bare/rt/rt.h"
#include "tests/guest/bare/storm/chance.h"
#include "tests/guest/bare/storm/ours.h"

enum {
  CPUS = 8,
  CARDS = 16,
  BARS = 6,
  LOCAL_APIC = 0xFEE00000u,
  APIC_ID = LOCAL_APIC + 0x20,
  APIC_COMMAND = LOCAL_APIC + 0x300,
  SLOT = 8,  // bytes of code that is changed as a whole
  WILD = 0xA0000000u,
  MINE = 32u << 20,  // below it lies what the program needs
  START_PAGE = 0x8000u,  // where rt_others() has put the code with which a processor begins
};

static struct card {
  uint32_t device, command, bars[BARS], sizes[BARS], base[BARS];
} cards[CARDS];
static unsigned card_count;
static uint32_t seed, steps, directory, at_first;
static bool at_once;
static volatile uint32_t at_config, finished;
static uint8_t code[CPUS][PAGE] __attribute__((aligned(4096)));
static uint8_t behind[CPUS][PAGE] __attribute__((aligned(4096)));    // how an instruction that begins on the page before goes on
static uint8_t data[CPUS + 1][PAGE] __attribute__((aligned(4096)));  // which anybody may write; the last one for what goes beyond
static struct cpu {
  uint64_t chance;
  void *back[5];
  bool steps;  // an exception goes back
  uint32_t done, traps;
} cpus[CPUS];

static uint32_t any(struct cpu *c) { return chance_any(&c->chance); }
static uint32_t below(struct cpu *c, uint32_t n) { return chance_below(&c->chance, n); }
static uint32_t value(struct cpu *c) { return below(c, 6) ? chance_value(&c->chance) : (uint32_t)data[below(c, CPUS)] + below(c, PAGE); }

static bool on_trap(struct frame *f) {
  (void)f;
  struct cpu *const c = &cpus[mmio32(APIC_ID) >> 24 & (CPUS - 1)];
  if (!c->steps) return false;
  c->traps++;
  __builtin_longjmp(c->back, 1);
}

// --- what there is to touch ---------------------------------------------------------
static void find_cards(void) {
  for (uint32_t d = 0; d < 32 && card_count < CARDS; d++) {
    const uint32_t id = pci_config(0, d, 0, 0);
    if (!ours(id)) continue;
    struct card *const k = &cards[card_count++];
    k->device = d;
    k->command = pci_config(0, d, 0, 4) & 0xFFFF;
    for (unsigned b = 0; b < BARS; b++) {
      k->bars[b] = pci_config(0, d, 0, 0x10 + 4 * b);
      pci_config_put(0, d, 0, 0x10 + 4 * b, 0xFFFFFFFF);
      const uint32_t mask = pci_config(0, d, 0, 0x10 + 4 * b) & (k->bars[b] & 1 ? ~3u : ~15u);
      pci_config_put(0, d, 0, 0x10 + 4 * b, k->bars[b]);
      k->sizes[b] = mask ? (k->bars[b] & 1 ? (~mask + 1) & 0xFFFF : ~mask + 1) : 0;
    }
    pci_config_put(0, d, 0, 4, k->command | 7);
  }
}

static struct card *card(struct cpu *c) { return card_count ? &cards[below(c, card_count)] : NULL; }

// An address on some board, or where one may come to lie, or anything.
static uint32_t address(struct cpu *c) {
  const uint32_t near = below(c, 2) ? below(c, 0x200) : any(c);
  switch (below(c, 8)) {
    case 0: return boards.surf_regs + (near & (SURF_REG_WINDOW - 1));
    case 1: return boards.sni_regs + (near & (SNI_WINDOW - 1));
    case 2: return boards.surf_mem + (near & (SURF_MEM_WINDOW - 1));
    case 3: return WILD + (below(c, 16) << 24) + (near & 0xFFFFF);
    default: {
      const struct card *const k = card(c);
      const unsigned b = below(c, 3);
      if (!k || k->bars[b] & 1 || !k->sizes[b]) return (uint32_t)data[below(c, CPUS)] + below(c, PAGE);
      return (k->bars[b] & ~15u) + (near & (k->sizes[b] - 1));
    }
  }
}

// --- steps --------------------------------------------------------------------------
static void touch(struct cpu *c, uint32_t a) {
  const uint32_t v = value(c);
  uint32_t got;
  // The last three are atomic.
  switch (below(c, at_once ? 14 : 11)) {
    case 0: __asm__ volatile("movb (%1), %b0" : "=q"(got) : "r"(a) : "memory"); break;
    case 1: __asm__ volatile("movw (%1), %w0" : "=r"(got) : "r"(a) : "memory"); break;
    case 2: __asm__ volatile("movl (%1), %0" : "=r"(got) : "r"(a) : "memory"); break;
    case 3: __asm__ volatile("movb %b0, (%1)" ::"q"(v), "r"(a) : "memory"); break;
    case 4: __asm__ volatile("movw %w0, (%1)" ::"r"(v), "r"(a) : "memory"); break;
    case 5: __asm__ volatile("movl %0, (%1)" ::"r"(v), "r"(a) : "memory"); break;
    case 11: __asm__ volatile("lock xaddl %0, (%1)" : "=r"(got) : "r"(a), "0"(v) : "memory"); break;
    case 12: __asm__ volatile("lock cmpxchg8b (%0)" ::"r"(a), "a"(v), "d"(v), "b"(v), "c"(v) : "memory"); break;
    case 13: __asm__ volatile("xchgb %b0, (%1)" : "=q"(got) : "r"(a), "0"(v) : "memory"); break;
    case 6: {
      uint32_t n = below(c, 64), to = a;
      __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(v) : "memory");
      break;
    }
    case 7: {
      uint32_t n = below(c, 64), from = a, to = address(c);
      __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n)::"memory");
      break;
    }
    case 8: __asm__ volatile("incl (%0)" ::"r"(a) : "memory"); break;
    case 9: __asm__ volatile("pushl (%0)\n\tpopl (%0)" ::"r"(a) : "memory"); break;
    case 10: {
      uint32_t n = below(c, 32), from = a;
      __asm__ volatile("rep lodsl" : "+S"(from), "+c"(n), "=a"(got)::"memory");
    }
  }
}

static void step_touch(struct cpu *c) {
  const uint32_t a = address(c);
  for (uint32_t n = below(c, 16) + 1; n; n--) touch(c, below(c, 2) ? a : a + below(c, 64));
}

static void ports(struct cpu *c, uint16_t port) {
  switch (below(c, 6)) {
    case 0: inb(port); break;
    case 1: inw(port); break;
    case 2: inl(port); break;
    case 3: outb(port, (uint8_t)value(c)); break;
    case 4: outw(port, (uint16_t)value(c)); break;
    default: outl(port, value(c));
  }
}

static void step_slot(struct cpu *c) {
  const uint32_t slot = below(c, 2) ? boards.surf_slot : below(c, 2) ? boards.sni_slot : below(c, 16);
  const uint32_t at = below(c, 16);
  if ((at & 12) == (SURF_EBCR & 12)) return;  // where its windows lie: step_enable
  ports(c, (uint16_t)(slot << 12 | 0xC80 | at));
}

static void step_io_bar(struct cpu *c) {
  const struct card *const k = card(c);
  const unsigned b = below(c, BARS);
  if (k && k->bars[b] & 1 && k->sizes[b]) ports(c, (uint16_t)((k->bars[b] & ~3u) + below(c, k->sizes[b])));
}

// ENABLE off and on, at the usual place or at another one.
static void step_enable(struct cpu *c) {
  if (below(c, 4)) {
    const uint16_t port = (uint16_t)(below(c, 2) ? boards.surf_slot << 12 | SURF_EBCR : boards.sni_slot << 12 | SNI_SBCR);
    const uint32_t was = inl(port);
    for (uint32_t n = below(c, 8) + 1; n; n--) {
      outl(port, was ^ (SURF_EBCR_ENABLE));
      outl(port, was);
    }
  } else if (below(c, 2)) {
    // Not over the program.
    outl((uint16_t)(boards.surf_slot << 12 | SURF_EBCR), WILD | (any(c) & 0x0FFFFFFF) | SURF_EBCR_ENABLE);
  } else {
    boards_configure(5, 10);
  }
}

// One at a time: else an address would be written into any device at all, and that would soon be the end of the machine. A processor that
// was ejected or started anew gives nothing back: so not for ever.
static void config(bool begin) {
  if (begin) {
    for (uint32_t n = 1 << 20; n && __atomic_exchange_n(&at_config, 1, __ATOMIC_ACQUIRE); n--) __asm__ volatile("pause");
  } else {
    __atomic_store_n(&at_config, 0, __ATOMIC_RELEASE);
  }
}

static void step_move(struct cpu *c) {
  struct card *const k = card(c);
  if (!k) return;
  const unsigned b = below(c, BARS);
  const uint32_t to = below(c, 2) ? k->bars[b] : (WILD + (below(c, 16) << 24)) | (k->bars[b] & 15);
  config(true);
  if (below(c, 2)) pci_config_put(0, k->device, 0, 4, below(c, 8));
  if (k->sizes[b] && !(k->bars[b] & 1)) pci_config_put(0, k->device, 0, 0x10 + 4 * b, to);
  if (!below(c, 8)) pci_config_put(0, k->device, 0, below(c, 64) * 4, value(c));
  pci_config_put(0, k->device, 0, 4, 7);
  if (below(c, 2)) pci_config_put(0, k->device, 0, 0x10 + 4 * b, k->bars[b]);
  config(false);
}

static void step_pages(struct cpu *c) {
  const uint32_t at = RT_WINDOW + below(c, 1024) * PAGE;
  uint32_t to = below(c, 4) ? address(c) : any(c);
  if (to < MINE && (to < (uint32_t)data || to >= (uint32_t)data[CPUS])) to += MINE;
  const unsigned rights = below(c, 4) | (below(c, 2) ? 0 : any(c) & (RT_PWT | RT_PCD | RT_PAT));
  rt_map(at, to, rights);
  touch(c, at + below(c, PAGE - 64));
  touch(c, at + PAGE - below(c, 8));
}

// A slot of code: an access to anywhere, one-byte instructions, or a store that changes the first byte of a slot of some processor's code.
// What it changes stays what it was or another access of the same length, or becomes a return.
static void write_slot(struct cpu *c, uint8_t *p) {
  static const uint8_t opcodes[] = {0xA1, 0xA3, 0xA0, 0xA2};  // mov between al or eax and an address
  const uint32_t slots = PAGE / SLOT, mine = (uint32_t)(p - code[0]) / SLOT % slots;
  uint32_t n = SLOT, a = address(c);
  if (mine % 4 == 3) {
    const uint32_t other = below(c, slots) & ~3u;  // a slot of accesses
    a = (uint32_t)code[below(c, CPUS)] + other * SLOT;
    *p++ = 0xC6, *p++ = 0x05, n -= 2;  // movb $, address
    for (unsigned i = 0; i < 4; i++, n--) *p++ = (uint8_t)(a >> 8 * i);
    *p++ = below(c, 8) ? opcodes[below(c, 4)] : 0xC3, n--;
  } else if (mine % 4 == 0 || below(c, 3)) {
    *p++ = opcodes[below(c, 4)], n--;
    for (unsigned i = 0; i < 4; i++, n--) *p++ = (uint8_t)(a >> 8 * i);
  }
  for (; n; n--) *p++ = 0x40 + (uint8_t)below(c, 3);  // inc eax, ecx, edx
}

// An odd number of slots: the return behind them is in no slot that anybody changes.
static void write_code(struct cpu *c, uint32_t from, uint32_t slots) {
  uint8_t *const mine = code[c - cpus];
  for (uint32_t i = 0; i < slots; i++) write_slot(c, mine + from + SLOT * i);
  mine[from + SLOT * slots] = 0xC3;
}

static void run(uint32_t at) { __asm__ volatile("pushal\n\tcall *%0\n\tpopal" ::"r"(at) : "memory", "cc"); }

static void step_code(struct cpu *c) {
  enum { ACROSS = PAGE - 64, LAST = PAGE - 2 };
  uint8_t *const mine = code[c - cpus];
  write_code(c, 0, (below(c, 8) ? below(c, 12) : below(c, 400)) | 1);
  run((uint32_t)mine);
  for (uint32_t n = below(c, 4); n; n--) {
    write_code(c, 0, below(c, 12) | 1);
    run((uint32_t)mine);
  }
  if (below(c, 2)) {  // across the end of a page, with the next one absent or not
    const uint32_t at = RT_WINDOW + (c - cpus) * 0x10000, a = address(c);
    uint8_t *const tail = behind[c - cpus];
    rt_map(at, (uint32_t)mine, RT_WRITE);
    rt_map(at + PAGE, (uint32_t)tail, below(c, 2) ? RT_ABSENT : RT_WRITE);
    write_code(c, ACROSS, 7);
    for (uint32_t i = ACROSS + 7 * SLOT; i < LAST; i++) mine[i] = 0x90;
    mine[LAST] = 0xA1;
    mine[LAST + 1] = (uint8_t)a;
    for (unsigned i = 0; i < 3; i++) tail[i] = (uint8_t)(a >> 8 * (i + 1));
    tail[3] = 0xC3;
    run(at + ACROSS + SLOT * below(c, 8));
  }
}

// Anything: it may do whatever the processor can, and seldom comes back.
static void step_wild(struct cpu *c) {
  uint8_t *const mine = code[c - cpus];
  if (below(c, 64)) return;
  for (uint32_t i = 0; i < 64; i++) mine[i] = (uint8_t)any(c);
  run((uint32_t)mine);
}

// Out of a board's memory or registers, where they keep what is written: a return stands there, and nothing else. Anything else would soon be
// LDS or LES, which QEMU's decoder does not survive there (hw/qemu/GUEST.md).
static void step_run_board(struct cpu *c) {
  enum { NOPS = 32, WORDS = NOPS / 4 + 1 };
  const uint32_t a = address(c) & ~63u;
  if (a < MINE) return;
  for (uint32_t i = 0; i < WORDS; i++) mmio32_put(a + 4 * i, i < WORDS - 1 ? 0x90909090 : 0xC3C3C3C3);
  for (uint32_t n = 0; n < 2; n++) {
    for (uint32_t i = 0; i < WORDS; i++) {
      if (mmio32(a + 4 * i) != (i < WORDS - 1 ? 0x90909090 : 0xC3C3C3C3)) return;
    }
  }
  run(a);
}

// As ACPI's tables would: the first processor stays, and none ejects itself (hw/qemu/GUEST.md).
static void step_eject(struct cpu *c) {
  const uint32_t who = 1 + below(c, CPUS - 1);
  if (below(c, 64) || c == &cpus[who]) return;
  hotplug_begin();
  hotplug_select(who);
  hotplug_go();
}

// Any card, whether somebody has asked for it or not.
static void step_cards(struct cpu *c) {
  const struct card *const k = card(c);
  if (k && !below(c, 64)) hotplug_eject_card(k->device);
}

// Starts one anew, whatever it is at, or one that was plugged in; which never comes back to what it did.
static void step_start(struct cpu *c) {
  const uint32_t who = 1 + below(c, CPUS - 1);
  if (at_first < 2 || below(c, 64) || c == &cpus[who]) return;
  mmio32_put(APIC_COMMAND + 0x10, who << 24);
  mmio32_put(APIC_COMMAND, 0x00004500);  // INIT
  spin(10000);
  mmio32_put(APIC_COMMAND, 0x00004600 | START_PAGE >> 12);  // STARTUP
}

// What waits may come now, to the first processor. A line that stays would come again and again: who hears it masks it.
#define HEARD(irq) static void heard_##irq(void) { rt_irq(irq, true, NULL); }
HEARD(5)
HEARD(9)
HEARD(10)
HEARD(11)
static void step_irq(struct cpu *c) {
  if (c != cpus) return;
  switch (below(c, 4)) {
    case 0: rt_irq(5, true, heard_5); break;
    case 1: rt_irq(9, true, heard_9); break;
    case 2: rt_irq(10, true, heard_10); break;
    default: rt_irq(11, true, heard_11);
  }
  __asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
}

static void step_apic(struct cpu *c) {
  if (below(c, 16)) {
    inb(0x80);
  } else {
    __asm__ volatile("wbinvd");
  }
}

static const struct step all_steps[] = {
    {"no-touch", 8, step_touch}, {"no-slot", 3, step_slot},   {"no-ports", 3, step_io_bar},   {"no-enable", 2, step_enable}, {"no-move", 2, step_move},
    {"no-pages", 4, step_pages}, {"no-code", 4, step_code},   {"no-run", 2, step_run_board}, {"no-eject", 1, step_eject},   {"no-apic", 1, step_apic},
    {"no-start", 1, step_start}, {"no-irq", 1, step_irq}, {"no-cards", 1, step_cards}, {"tame", 1, step_wild},
};

static __attribute__((noinline)) void one_step(struct cpu *c) {
  const unsigned i = steps_next(&c->chance);
  if (!__builtin_setjmp(c->back)) {
    c->steps = true;
    all_steps[i].take(c);
  } else {
    __atomic_store_n(&at_config, 0, __ATOMIC_RELEASE);
  }
}

static void work(unsigned processor) {
  struct cpu *const c = &cpus[processor];
  __asm__ volatile(
      "movl %%cr4, %%eax\n\torl $0x10, %%eax\n\tmovl %%eax, %%cr4\n\t"
      "movl %0, %%cr3\n\t"
      "movl %%cr0, %%eax\n\torl $0x80010000, %%eax\n\tmovl %%eax, %%cr0" ::"r"(directory)
      : "eax", "memory");
  c->steps = false;
  chance_seed(&c->chance, seed + c->done, processor);
  for (; !steps || c->done < steps; c->done++) {
    one_step(c);
    if (processor == 0 && !(c->done & 63)) say("beat %u traps %u\n", c->done, c->traps);
  }
  c->steps = false;
  __atomic_add_fetch(&finished, 1, __ATOMIC_RELEASE);
}

int program(void) {
  const uint32_t n = at_first = number("cpus=", 1);
  seed = number("seed=", 1);
  steps = number("steps=", 100000);
  steps_begin(all_steps, sizeof all_steps / sizeof *all_steps);
  at_once = !rt_option("no-atomic");
  boards_find();
  find_cards();
  if (boards.surf_slot && boards.sni_slot) boards_configure(5, 10);
  rt_paging();
  __asm__ volatile("movl %%cr3, %0" : "=r"(directory));
  for (unsigned v = 0; v < 20; v++) rt_on_trap(v, on_trap);
  say("storm: seed %u, %u cards, slots %u and %u, %u processors\n", seed, card_count, boards.surf_slot, boards.sni_slot, n);
  if (n > 1 && !rt_others(n - 1, work)) bail(RT_NO_BOARD, "not %u processors", n);
  work(0);
  return 0;
}
