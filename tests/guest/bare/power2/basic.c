// SPDX-License-Identifier: GPL-2.0-or-later
// basic - the own window, both byte orders, and what counters count of odd instructions: pieces of code whose counts are written beside them by hand
// (of plain ones: sums.c); IMR, a trap that is taken back, and what it costs to save and restore a monitor.
#include "p2.h"

PIECE(nothing, "");

// --- its windows -------------------------------------------------------------------------------
static uint32_t big_get(uint32_t offset) {
#ifdef __BIG_ENDIAN__
  return *(volatile uint32_t *)(p2.big + offset);
#else
  return __builtin_bswap32(mmio32(p2.big + offset));
#endif
}

static void windows(void) {
  own_put(P2R_IMR, 0x12345678);
  is(p2_get(P2R_OF(0) + P2R_IMR), 0x12345678, "its own window is the first processor's");
  is(big_get(P2R_OF(0) + P2R_IMR), 0x12345678, "and so big-endian");
  is(big_get(P2R_OWN + P2R_IMR), 0x12345678, "its own, too");
  own_put(P2R_IMR, 0);
}

// --- counts -----------------------------------------------------------------------------------------------
#define MOST 5
struct of_case {
  const char *event;
  uint32_t n;
};

static uint32_t counted(struct p2_event e, const void *piece) {
  own_put(P2R_MMCR, e.mmcr);
  return p2_measure(e, KERNEL, piece, 3);
}

static void count(const char *name, const void *piece, const struct of_case *cases) {
  for (unsigned i = 0; i < MOST && cases[i].event; i++) {
    const struct p2_event e = p2_event(cases[i].event);
    const uint32_t frame = counted(e, nothing);
    is(counted(e, piece) - frame, cases[i].n, "%s: %s", name, e.name);
  }
}

#define COUNT(name, text, ...)                                 \
  do {                                                         \
    const void *piece;                                         \
    PIECE_HERE(piece, text);                                   \
    count(name, piece, (const struct of_case[MOST]){__VA_ARGS__}); \
  } while (0)

#ifdef __powerpc64__
#define PIECE_HERE(piece, text) RT_CODE(piece, text "\n\tsc")
static void pieces(void) {
  // The manual page's "What some instructions count".
  COUNT("dcbz", "dcbz 0, 7", {"cache_ops", 1}, {"fx_store", 0}, {"storage_instructions", 0}, {"stores", 16}, {"instructions", 1});
  COUNT("a trap that does not trap", "li 8, 0\n\ttweqi 8, 1", {"traps", 1}, {"exceptions", 0}, {"instructions", 2});
  rt_on(V_PROGRAM, rt_skip);
  COUNT("a trap that traps", "trap", {"traps", 0}, {"system_calls", 0}, {"exceptions", 1}, {"interrupts", 0});
}
// addi, of whatever registers; an add is another.
enum { IMR_PATTERN = 0x38000000 };
#define MATCHING "addi 8, 8, 1\n\tadd 8, 8, 9\n\tli 9, 1\n\taddi 8, 9, -1"
#else
#define PIECE_HERE(piece, text) \
  __asm__(".pushsection .text.pieces, \"ax\"\n\t.balign 64\n88:\n\t" text "\n\tret\n\t.popsection\n\tmovl $88b, %0" : "=r"(piece))
__asm__(".text\nbasic_back: iret\n");
extern const uint8_t basic_back[];
static void pieces(void) {
  COUNT("five that do nothing", "nop\n\tnop\n\tnop\n\tnop\n\tnop", {"instructions", 5}, {"fxu_instructions", 5});
  // The manual page's "What some instructions count".
  COUNT("five iterations", "movl %%esi, %%edi\n\tmovl $5, %%ecx\n\trep stosl", {"instructions", 2 + 5 + 1}, {"fx_store", 5 + 1}, {"stores", 5});
  COUNT("no iteration", "movl %%esi, %%edi\n\txorl %%ecx, %%ecx\n\trep stosl", {"instructions", 2 + 1}, {"fx_store", 1}, {"stores", 0});
  COUNT("IN and OUT", "inb $0x80, %%al\n\toutb %%al, $0x80", {"system", 2}, {"io_loads", 0}, {"io_stores", 0}, {"accesses", 0}, {"instructions", 2});
  down_gate(3, basic_back, 0x8E);
  down_gate(0x81, basic_back, 0x8E);
  COUNT("INT3", "int3", {"traps", 1}, {"system_calls", 0}, {"exceptions", 1}, {"br_return", 1}, {"instructions", 2});
  COUNT("INT", "int $0x81", {"traps", 0}, {"system_calls", 1}, {"exceptions", 1}, {"br_return", 1}, {"instructions", 2});
}
enum { IMR_PATTERN = 0x40 }; /* INC EAX */
#define MATCHING "incl %eax\n\timull %ecx, %eax\n\tincl %eax\n\tincl %eax"
#endif

PIECE(matching, MATCHING);

static void imr(void) {
  const struct p2_event e = p2_event("imr");
  own_put(P2R_IMR, IMR_PATTERN);
  const uint32_t frame = counted(e, nothing);
  is(counted(e, matching) - frame, 3, "IMR: instructions that match");
  own_put(P2R_IMR, 0);
}

// --- what is owed ---------------------------------------------------------------------------------------------
#ifdef __powerpc64__
static void owed(void) {}  // a trap there reads no memory
#else
// BOUND through the counter of traps and the next one reads them while it is under way, finds no bounds between which 0 is, and is taken
// back. The handler skips it, and writes first. Nothing else is a trap.
__asm__(
    ".text\n"
    "basic_write: pushl %eax\n"
    "  movl written, %eax\n"
    "  movl %eax, (%ebx)\n"
    "  popl %eax\n"
    "  addl $2, (%esp)\n"
    "  iret\n");
extern const uint8_t basic_write[];
uint32_t written __asm__("written");

// One that does not trap.
static void trap_once(void) {
  static const int32_t bounds[] = {0, 1};
  __asm__ volatile("boundl %0, %1" ::"r"(1), "m"(bounds));
}

static void owed(void) {
  const struct p2_event traps = p2_event("traps");
  down_gate(5, basic_write, 0x8E);
  own_put(P2R_MMCR, traps.mmcr);
  own_put(P2R_COUNTER(traps.counter), 1);
  written = traps.mmcr | P2_MMCR_DIS;
  __asm__ volatile("boundl %%eax, (%%esi)"
                   ::"a"(0), "S"(p2.little + P2R_OWN + P2R_COUNTER(traps.counter)), "b"(p2.little + P2R_OWN + P2R_MMCR) : "memory");
  is(p2_count(traps), 1 + 1, "one that read the counter and was taken back: the counter stands still, stopped");
  own_put(P2R_MMCR, traps.mmcr);
  trap_once();
  is(p2_count(traps), 1 + 1, "and started again: each that completed, once");
  trap_once();
  is(p2_count(traps), 1 + 2, "and then all");
}
#endif

// --- what saving and restoring cost --------------------------------------------------------------------------
static uint32_t saved[24] __attribute__((aligned(64)));

#ifdef __powerpc64__
#ifdef __LITTLE_ENDIAN__
#define STEPS(x) x(0) x(8) x(16) x(24) x(32) x(40) x(48) x(56) x(64) x(72) x(80) x(88)
#define SAVE(at) "ld 9, " #at "(%0)\n\tstd 9, " #at "(%1)\n\t"
#define RESTORE(at) "ld 9, " #at "(%1)\n\tstd 9, " #at "(%0)\n\t"
#define MOVE(steps, window) __asm__ volatile(STEPS(steps)::"b"(p2.little + (window)), "b"(saved) : "r9", "memory")
static void save(uint32_t window) { MOVE(SAVE, window); }
static void restore(uint32_t window) { MOVE(RESTORE, window); }
#else
// As the paper has it, by load and store multiple. POWER2's registers have 32 bits; of these 64 the compiler saves all.
#define OTHERS "r9", "r10", "r11", "r12", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", \
  "r27", "r28", "r29", "r30", "r31", "memory"
static void __attribute__((noinline)) move(uintptr_t from, uintptr_t to) {
  register uintptr_t r3 __asm__("r3") = from;
  register uintptr_t r4 __asm__("r4") = to;
  __asm__ volatile("lmw 9, 0(%0)\n\tstmw 9, 0(%1)" ::"b"(r3), "b"(r4) : OTHERS);
}
static void save(uint32_t window) { move(p2.big + window, (uintptr_t)saved); }
static void restore(uint32_t window) { move((uintptr_t)saved, p2.big + window); }
#endif
#else
static void save(uint32_t window) {
#pragma GCC unroll 23
  for (unsigned i = 0; i < 23; i++) saved[i] = p2_get(window + 4 * i);
}
static void restore(uint32_t window) {
#pragma GCC unroll 23
  for (unsigned i = 0; i < 23; i++) p2_put(window + 4 * i, saved[i]);
}
#endif

static void cost(void) {
  const struct p2_event e = p2_event("instructions");
  own_put(P2R_MMCR, e.mmcr);
  uint32_t before = p2_count(e);
  const uint32_t frame = p2_count(e) - before;
  before = p2_count(e);
  save(P2R_OWN);
  const uint32_t to_save = p2_count(e) - before - frame;
  // Restored is another processor's: this one's own counter is to go on.
  before = p2_count(e);
  restore(P2R_OF(1));
  const uint32_t to_restore = p2_count(e) - before - frame;
  ok(to_save + to_restore <= 150, "MMCR and 22 counters: saved by %u instructions, restored by %u", to_save, to_restore);
  bool same = true;
  p2_put(P2R_OF(1) + P2R_MMCR, P2_MMCR_DIS);
  for (unsigned i = 0; i < P2_COUNTERS; i++) p2_put(P2R_OF(1) + P2R_COUNTER(i), 0x1000000 * i);
  save(P2R_OF(1));
  for (unsigned i = 0; i < P2_COUNTERS; i++) p2_put(P2R_OF(1) + P2R_COUNTER(i), 0);
  restore(P2R_OF(1));
  for (unsigned i = 0; i < P2_COUNTERS; i++) same &= p2_get(P2R_OF(1) + P2R_COUNTER(i)) == 0x1000000 * i;
  ok(same, "what is restored was saved");
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  down_prepare(0);
  windows();
  pieces();
  imr();
  owed();
  cost();
  return done_testing();
}
