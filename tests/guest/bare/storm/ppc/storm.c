// SPDX-License-Identifier: GPL-2.0-or-later
// As ../storm.c, on POWER: a guest that does whatever it can to the boards and to what watches it, from every processor, at random. Options by -name:
//
//   seed:N steps:N cpus:N     as there
//   no-touch, no-move...      what it lets alone (all_steps)
//   tame                      it does not execute just anything
//
// An exception ends a step, in whatever context. Processors stop themselves, and others start them anew.
#include "rt.h"
#include "tests/guest/bare/storm/ours.h"
#include "tests/guest/bare/storm/chance.h"

enum {
  CPUS = 8,
  CARDS = 8,
  BARS = 6,
  PAGE = 4096,
  SLOT = 8,  // bytes of code that is changed as a whole
  MSR_PMM = 4,
  PIDR = 48,
  H_RTAS = 0xf000,
  RTAS_STOP_SELF = 0x2007,
  NOP = 0x60000000,
  BLR = 0x4e800020,
};
#define BUS 0x200000000000ul  // where bus address 0 is in the map of memory
#define PLACES 0x80000000u    // of windows, on the bus
#define MINE (64ul << 20)     // below it lies what the program needs
#define RAM (256ul << 20)

static struct card {
  uint32_t device, bars[BARS], sizes[BARS];
} cards[CARDS];
static unsigned card_count;
static uint32_t seed, steps, owner;
static volatile uint32_t at_config;
static uint32_t code[CPUS][PAGE / 4] __attribute__((aligned(PAGE)));
static uint64_t data[CPUS + 1][PAGE / 8] __attribute__((aligned(PAGE)));  // which anybody may write; the last one for what goes beyond
uint8_t storm_stacks[CPUS][8192] __attribute__((aligned(16)));
static struct cpu {
  uint64_t chance;
  void *back[5];
  bool steps;  // an exception goes back
  uint32_t done, traps;
} cpus[CPUS];

static uint32_t any(struct cpu *c) { return chance_any(&c->chance); }
static uint32_t below(struct cpu *c, uint32_t n) { return chance_below(&c->chance, n); }
static uint32_t value(struct cpu *c) { return chance_value(&c->chance); }
static unsigned number_of(const struct cpu *c) { return (unsigned)(c - cpus); }

// --- exceptions: on a stack of the processor's own, and back out of the step --------
__asm__(
    "\t.text\nstorm_trap:\n"
    "\tmr 3, 31\n\tmfsrr0 4\n"
    "\tmfspr 30, 1023\n\tandi. 30, 30, 7\n\taddi 30, 30, 1\n\tsldi 30, 30, 13\n"
    "\tlis 1, storm_stacks@ha\n\taddi 1, 1, storm_stacks@l\n\tadd 1, 1, 30\n\tli 0, 0\n\tstdu 0, -64(1)\n"
    "\tlis 2, .TOC.@ha\n\taddi 2, 2, .TOC.@l\n"
    "\tmfmsr 5\n\toris 5, 5, 0x280\n\tori 5, 5, 0x2002\n\tmtmsrd 5\n"
    "\tbl storm_trapped\n\ttrap\n");
void storm_trap(void);
static struct cpu *self(void) {
  uint64_t v;
  __asm__ volatile("mfspr %0, 1023" : "=r"(v));
  return &cpus[v & (CPUS - 1)];
}
void storm_trapped(uint64_t vector, uint64_t at);
void storm_trapped(uint64_t vector, uint64_t at) {
  struct cpu *const c = self();
  if (!c->steps) bail(RT_TRAP, "exception 0x%lx at 0x%lx", vector, at);
  c->traps++;
  __builtin_longjmp(c->back, 1);
}

// --- what there is to touch ---------------------------------------------------------
static void find_cards(void) {
  uint32_t next = PLACES;
  for (uint32_t d = 0; d < 32 && card_count < CARDS; d++) {
    const uint32_t id = rt_config(d, 0);
    if (!ours(id)) continue;
    struct card *const k = &cards[card_count++];
    k->device = d;
    for (unsigned b = 0; b < BARS; b++) {
      rt_config_put(d, 0x10 + 4 * b, 0xFFFFFFFF);
      const uint32_t mask = rt_config(d, 0x10 + 4 * b), size = mask & 1 || !mask ? 0 : ~(mask & ~15u) + 1;
      if (!size) continue;
      next = (next + size - 1) & ~(size - 1);
      k->bars[b] = next, k->sizes[b] = size;
      rt_config_put(d, 0x10 + 4 * b, next);
      if ((mask & 7) == 4) rt_config_put(d, 0x10 + 4 * ++b, 0);
      next += size;
    }
    rt_config_put(d, 4, 7);
  }
}

static struct card *card(struct cpu *c) { return card_count ? &cards[below(c, card_count)] : NULL; }

// An address on some board, or where one may come to lie, or memory that anybody may write.
static uint64_t address(struct cpu *c) {
  const uint32_t near = below(c, 2) ? below(c, 0x200) : any(c);
  const struct card *const k = card(c);
  const unsigned b = below(c, BARS);
  switch (below(c, 8)) {
    case 0: return BUS + PLACES + (below(c, 32) << 24) + (near & 0xFFFFF);
    case 1: return MINE + (uint64_t)near * 4096 % (RAM - 2 * MINE);
    case 2: return (uint64_t)data[below(c, CPUS)] + below(c, PAGE);
    default: return k && k->sizes[b] ? BUS + k->bars[b] + (near & (k->sizes[b] - 1)) : (uint64_t)data[number_of(c)] + (near & (PAGE - 1));
  }
}

// --- steps --------------------------------------------------------------------------
#define INDEXED(X) X("lbzx") X("lhzx") X("lwzx") X("ldx") X("lhbrx") X("lwbrx") X("ldbrx") X("stbx") X("sthx") X("stwx") X("stdx") X("sthbrx") X("stwbrx") X("stdbrx")
static void touch(struct cpu *c, uint64_t a) {
  uint64_t v = (uint64_t)value(c) << 32 | value(c);
  unsigned n = below(c, 22);
#define ONE(name) if (!n--) __asm__ volatile(name " %0, 0, %1" : "+r"(v) : "r"(a) : "memory");
  INDEXED(ONE)
  switch (n) {
    case 0: __asm__ volatile("1:\tlwarx %0, 0, %1\n\tstwcx. %0, 0, %1" : "=&r"(v) : "r"(a) : "memory", "cr0"); break;
    case 1: __asm__ volatile("1:\tldarx %0, 0, %1\n\tstdcx. %0, 0, %1" : "=&r"(v) : "r"(a) : "memory", "cr0"); break;
#ifndef __LITTLE_ENDIAN__
    case 2: __asm__ volatile("lswi 5, %0, 13" ::"b"(a) : "memory", "r5", "r6", "r7", "r8"); break;
    case 3: __asm__ volatile("stswi 5, %0, 9" ::"b"(a) : "memory"); break;
    case 4: __asm__ volatile("lmw 26, 0(%0)" ::"b"(a) : "memory", "r26", "r27", "r28", "r29", "r30", "r31"); break;
#endif
    case 5: __asm__ volatile(".machine push\n\t.machine power9\n\tlxvd2x 0, 0, %0\n\tstxvd2x 0, 0, %0\n\tlfdx 1, 0, %0\n\tstfdx 1, 0, %0\n\t.machine pop" ::"r"(a) : "memory"); break;
    case 6: __asm__ volatile("dcbz 0, %0\n\ticbi 0, %0\n\tdcbf 0, %0" ::"r"(a) : "memory"); break;
    case 7: __asm__ volatile(".machine push\n\t.machine power9\n\tldat %0, %1, 0\n\t.machine pop" : "=&r"(v) : "b"(a) : "memory", "r5", "r6"); break;
  }
}

static void step_touch(struct cpu *c) {
  const uint64_t a = address(c);
  for (uint32_t n = below(c, 16) + 1; n; n--) touch(c, below(c, 2) ? a : a + below(c, 64));
}

// One at a time: the words that the platform's services get are one table.
static void config(bool begin) {
  if (begin) {
    for (uint32_t n = 1 << 20; n && __atomic_exchange_n(&at_config, 1, __ATOMIC_ACQUIRE); n--) __asm__ volatile("or 1, 1, 1");
    owner = number_of(self());
  } else {
    __atomic_store_n(&at_config, 0, __ATOMIC_RELEASE);
  }
}

static void step_move(struct cpu *c) {
  struct card *const k = card(c);
  if (!k) return;
  const unsigned b = below(c, BARS);
  const uint32_t to = below(c, 2) ? k->bars[b] : PLACES + (below(c, 32) << 24);
  config(true);
  if (below(c, 2)) rt_config_put(k->device, 4, below(c, 8));
  if (k->sizes[b]) rt_config_put(k->device, 0x10 + 4 * b, to);
  if (!below(c, 8)) rt_config_put(k->device, below(c, 64) * 4, value(c));
  rt_config_put(k->device, 4, 7);
  if (below(c, 2) && k->sizes[b]) rt_config_put(k->device, 0x10 + 4 * b, k->bars[b]);
  config(false);
}

// Invalid forms raise an exception.
#define INVALIDATE(name, more) \
  __asm__ volatile(".machine push\n\t.machine power9\n\t" name " %0, %1" more "\n\t.machine pop" ::"r"(rb), "r"(0ul) : "memory")
static void drop(struct cpu *c) {
  const uint64_t at = below(c, 4) ? RT_WINDOW + below(c, 512) * PAGE : below(c, 2) ? 0xc000000000000000u + below(c, 512) * PAGE : any(c);
  const uint64_t rb = (at & ~0xffful) | (below(c, 4) ? 0 : any(c) & 0xfff);
  switch (below(c, 8)) {
    case 0: INVALIDATE("tlbie", ", 0, 1, 1"); break;
    case 1: INVALIDATE("tlbie", ", 2, 1, 1"); break;
    case 2: INVALIDATE("tlbie", ", 0, 0, 0"); break;
    case 3: INVALIDATE("tlbie", ", 0, 0, 1"); break;
    case 4: INVALIDATE("tlbiel", ", 0, 1, 1"); break;
    case 5: INVALIDATE("tlbiel", ", 2, 1, 1"); break;
    case 6: __asm__ volatile("mtspr %0, %1\n\tisync" ::"i"(PIDR), "r"((uint64_t)below(c, 3)) : "memory"); break;
    default: __asm__ volatile("slbia\n\tslbie %0" ::"r"(rb) : "memory");
  }
  if (below(c, 2)) __asm__ volatile("eieio\n\ttlbsync\n\tptesync" ::: "memory");
}

static void step_pages(struct cpu *c) {
  static const unsigned rights[] = {RT_ABSENT, RT_READ, RT_WRITE, RT_WRITE | 0x20, RT_WRITE | 0x30, RT_WRITE | 1};
  const uint64_t at = RT_WINDOW + below(c, 512) * PAGE;
  uint64_t to = below(c, 4) ? address(c) : (uint64_t)any(c) << 12 | below(c, 16);
  if (to < MINE && (to < (uint64_t)data || to >= (uint64_t)data[CPUS])) to += MINE;
  rt_map(at, to, rights[below(c, 6)]);
  for (uint32_t n = below(c, 4) + 1; n; n--) {
    touch(c, at + below(c, PAGE - 64));
    touch(c, at + PAGE - below(c, 8));
    drop(c);
  }
}

static void step_drop(struct cpu *c) {
  for (uint32_t n = below(c, 64) + 1; n; n--) drop(c);
}

// A word of code: an access to where r9 says, arithmetic, a store of such a word into some processor's code (r7, r10), caches dropped.
static uint32_t word(struct cpu *c) {
  static const uint32_t accesses[] = {0x88a90000, 0xa0a90000, 0x80a90000, 0xe8a90000, 0x98a90000, 0xb0a90000, 0x90a90000, 0xf8a90000};  // of r5
  switch (below(c, 6)) {
    case 0: return 0x91470000 | (below(c, PAGE / SLOT - 1) * SLOT);  // stw r10, (r7)
    case 1: return below(c, 2) ? 0x7c003fac : 0x4c00012c;          // icbi 0, r7; isync
    case 2: return 0x38c60001;                                     // addi r6, r6, 1
    case 3: return 0xfc21082a;                                     // fadd f1, f1, f1
    default: return accesses[below(c, 8)] | (below(c, 64) & ~7u);
  }
}

static void run(const void *at, uint64_t board, uint64_t other, uint64_t store) {
  register uint64_t r7 __asm__("r7") = other, r9 __asm__("r9") = board, r10 __asm__("r10") = store;
  __asm__ volatile("mtctr %3\n\tbctrl" : "+r"(r7), "+r"(r9), "+r"(r10) : "r"(at) : "memory", "lr", "ctr", "cr0", "r5", "r6", "r8", "r11", "r12");
}

// Every second word is one that nobody changes, and the last is a return.
static void step_code(struct cpu *c) {
  uint32_t *const mine = code[number_of(c)], n = below(c, 8) ? below(c, 24) + 2 : below(c, PAGE / 4 - 2) + 2;
  for (uint32_t i = 0; i < n; i++) mine[i] = word(c);
  mine[n | 1] = BLR;
  mine[n & ~1u] = NOP;
  if (below(c, 2)) __asm__ volatile("dcbst 0, %0\n\tsync\n\ticbi 0, %0\n\tisync" ::"r"(mine) : "memory");
  for (uint32_t i = below(c, 4) + 1; i; i--) run(mine, address(c) & ~7ul, (uint64_t)code[below(c, CPUS)], word(c));
}

// Anything: it may do whatever the processor can, and seldom comes back.
static void step_wild(struct cpu *c) {
  uint32_t *const mine = code[number_of(c)];
  if (below(c, 64)) return;
  for (uint32_t i = 0; i < 64; i++) mine[i] = any(c);
  mine[64] = BLR;
  run(mine, address(c), (uint64_t)data, NOP);
}

// Out of a board's memory or registers, where they keep what is written.
static void step_run_board(struct cpu *c) {
  enum { WORDS = 9 };
  volatile uint32_t *const at = (volatile uint32_t *)(address(c) & ~63ul);
  if ((uint64_t)at < MINE) return;
  for (uint32_t i = 0; i < WORDS; i++) at[i] = i < WORDS - 1 ? NOP : BLR;
  for (uint32_t i = 0; i < WORDS; i++)
    if (at[i] != (i < WORDS - 1 ? NOP : BLR)) return;
  run((const void *)at, (uint64_t)data, (uint64_t)data, NOP);
}

static void step_mark(struct cpu *c) {
  const uint64_t msr = mfmsr();
  mtmsrd(below(c, 2) ? msr | MSR_PMM : msr & ~(uint64_t)MSR_PMM);
}

// Traps of all kinds, and the decrementer.
static void step_trap(struct cpu *c) {
  switch (below(c, 5)) {
    case 0: __asm__ volatile("trap"); break;
    case 1: __asm__ volatile("sc" ::: "r0", "r3", "memory"); break;
    case 2: __asm__ volatile(".long 0"); break;
    case 3: mtmsrd(mfmsr() & ~(uint64_t)MSR_FP); __asm__ volatile("fadd 1, 1, 1"); break;
    default:
      __asm__ volatile("mtdec %0" ::"r"(1ul));
      mtmsrd(mfmsr() | MSR_EE);
      spin(1000);
      mtmsrd(mfmsr() & ~(uint64_t)MSR_EE);
  }
}

// The first one stays.
static void step_stop(struct cpu *c) {
  static uint32_t words[CPUS][4] __attribute__((aligned(64)));
  if (c == cpus || below(c, 16)) return;
  uint32_t *const w = words[number_of(c)];  // rt_service() has one table for all
  w[0] = rt_big(RTAS_STOP_SELF), w[1] = 0, w[2] = rt_big(1);
  c->steps = false;
  rt_call(H_RTAS, (uintptr_t)w, 0, 0, 0);
}

// Any, stopped or not.
static void step_start(struct cpu *c) {
  const uint32_t who = 1 + below(c, CPUS - 1);
  if (below(c, 8)) return;
  config(true);
  (void)rt_start_again(who);
  config(false);
}

static const struct step all_steps[] = {
    {"no-touch", 8, step_touch}, {"no-move", 2, step_move},      {"no-pages", 4, step_pages}, {"no-drop", 2, step_drop},   {"no-code", 4, step_code},
    {"tame", 1, step_wild},      {"no-run", 2, step_run_board}, {"no-mark", 2, step_mark},   {"no-trap", 1, step_trap},   {"no-stop", 1, step_stop},
    {"no-start", 1, step_start},
};

static __attribute__((noinline)) void one_step(struct cpu *c) {
  const unsigned i = steps_next(&c->chance);
  if (!__builtin_setjmp(c->back)) {
    c->steps = true;
    all_steps[i].take(c);
  } else if (at_config && owner == number_of(c)) {
    config(false);
  }
  __asm__ volatile("mtspr %0, %1\n\tisync" ::"i"(PIDR), "r"(0ul) : "memory");
  mtmsrd(mfmsr() | MSR_DR | MSR_FP | MSR_VEC | MSR_VSX);
}

static void work(void) {
  struct cpu *const c = self();
  c->steps = false;
  chance_seed(&c->chance, seed + c->done, number_of(c));
  rt_translate(true);
  for (; !steps || c->done < steps; c->done++) {
    one_step(c);
    if (c == cpus && !(c->done & 63)) say("beat %u traps %u\n", c->done, c->traps);
  }
  c->steps = false;
}

static volatile bool begun;
static void other(void) {
  while (!begun)
    ;
  work();
  for (;;)
    ;
}

int program(void) {
  const uint32_t n = number("cpus", 1);
  seed = number("seed", 1);
  steps = number("steps", 100000);
  steps_begin(all_steps, sizeof all_steps / sizeof *all_steps);
  find_cards();
  for (unsigned v = 0; v < 0x1000; v += 0x20) rt_on(v, storm_trap);
  say("storm: seed %u, %u cards, %u processors\n", seed, card_count, n);
  for (uint32_t i = 1; i < n; i++) rt_start(i, other);
  begun = true;
  work();
  return 0;
}
