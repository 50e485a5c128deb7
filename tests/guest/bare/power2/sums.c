// SPDX-License-Identifier: GPL-2.0-or-later
// sums - every event of every group, of one marked piece of code that is run again for each group: an event is the same wherever
// it is counted, and what the manual page calls a sum is the sum of its parts. The data cache is so small that each line is missed.
#include "p2.h"

enum { EVENTS = 256, LINES = 128, IN_CACHE = 16 }; /* lines of 64 bytes: all of a processor's memory; and 1 KB */

#ifdef __powerpc64__
PIECE(piece_mix,
      "li 8, 128\n\tmtctr 8\n\tmr 9, 7\n"
      "1:\tlwz 10, 0(9)\n\tadd 8, 8, 10\n\tmullw 8, 8, 6\n\tstw 8, 4(9)\n\tlfd 1, 8(9)\n\tfmadd 2, 1, 3, 2\n\tfadd 4, 2, 1\n\tfmul 4, 4, 3\n"
      "\tstfd 4, 16(9)\n\tcmpw 8, 10\n\tbne 2f\n\tnop\n2:\taddi 9, 9, 64\n\tbdnz 1b\n"
      "\tdivw 8, 8, 6\n\tmfxer 8\n\tfdiv 5, 1, 3\n\tfsqrt 6, 1\n\tfcmpu 0, 5, 6\n\tfrsp 5, 5\n\tfmr 6, 5\n\tcror 0, 1, 2\n\tbeq 3f\n\tdcbf 0, 7\n3:\tisync");
#else
PIECE(piece_mix,
      "movl $128, %ebp\n\tmovl %esi, %edi\n"
      "1:\tmovl (%edi), %eax\n\taddl %ecx, %eax\n\timull %ecx, %eax\n\tmovl %eax, 4(%edi)\n\taddl %eax, 32(%edi)\n"
      "\tfldl 8(%edi)\n\tfld %st(0)\n\tfadd %st(1), %st\n\tfmulp\n\tfstpl 16(%edi)\n\tcmpl %eax, %ecx\n\tjne 2f\n\tnop\n"
      "2:\taddl $64, %edi\n\tdecl %ebp\n\tjnz 1b\n"
      "\txorl %edx, %edx\n\tdivl %ecx\n\tfldz\n\tfld1\n\tfdivrp\n\tfsqrt\n\tfstp %st(0)\n\tcall 3f\n\tjmp 4f\n3:\tret\n4:\tnop");
#endif

static struct {
  const char *name;
  uint32_t value;
} counted[EVENTS];
static unsigned n;

// Where it is, or is to be.
static unsigned place(const char *name) {
  unsigned i = 0;
  while (i < n && !p2_equal(counted[i].name, name)) i++;
  return i;
}

static uint32_t of(const char *name) {
  const unsigned i = place(name);
  if (i == n) bail(RT_NO_BOARD, "there is no event %s", name);
  return counted[i].value;
}

static unsigned different;
static void note(const char *name, uint32_t value, uint32_t mmcr) {
  const unsigned i = place(name);
  if (i == n) {
    if (n == EVENTS) bail(RT_NO_BOARD, "more events than fit");
    counted[n].name = name;
    counted[n++].value = value;
  } else if (counted[i].value != value) {
    say("# %s: %u, and with MMCR %08x %u\n", name, counted[i].value, mmcr, value);
    different++;
  }
}

static void run_group(unsigned unit, unsigned group) {
  const uint32_t mmcr = (unit == P2_ROW_SGA ? P2_MMCR_SGA : group << (12 - 4 * unit)) | P2_MMCR_DP | P2_MMCR_DMR;
  uint32_t before[P2_COUNTERS];

  own_put(P2R_MMCR, mmcr);
  for (unsigned i = 0; i < 2; i++) run_in(USER_MARKED, piece_mix, 7);
  for (unsigned i = 0; i < P2_COUNTERS; i++) before[i] = own_get(P2R_COUNTER(i));
  run_in(USER_MARKED, piece_mix, 7);
  for (unsigned i = 0; i < p2_row_count; i++) {
    const bool here = p2_rows[i].unit == unit && p2_rows[i].group == group;
    const unsigned counter = unit < P2_ROW_SGA && here ? P2_UNIT_COUNTERS * unit + p2_rows[i].counter : p2_rows[i].counter;
    if (here || p2_rows[i].unit == P2_ROW_DEDICATED) note(p2_rows[i].name, own_get(P2R_COUNTER(counter)) - before[counter], mmcr);
  }
}

#define MOST_PARTS 20
static void sum(const char *whole, const char *const *parts) {
  uint32_t all = 0;
  for (unsigned i = 0; i < MOST_PARTS && parts[i]; i++) all += of(parts[i]);
  is(of(whole), all, "%s is the sum of its parts", whole);
}
#define SUM(whole, ...) sum(whole, (const char *const[MOST_PARTS]){__VA_ARGS__})

static void sums(void) {
  SUM("instructions", "fx_arith", "fx_compare", "fx_mul", "fx_div", "fx_special", "storage_instructions", "cache_ops", "fp_arith", "fp_compare",
      "fp_convert", "fp_move", "vector", "branches", "condition_ops", "system_calls", "traps", "syncs", "system");
  SUM("machine_cycles", "dispatch_0", "dispatch_1", "dispatch_2", "dispatch_3", "dispatch_4");
  SUM("scu_requests", "dcache_mis", "dcache_castouts", "icache_mis", "tlb_mis", "io_requests");
  SUM("cycles", "machine_cycles", "scu_latency");
  is(of("dcache_held"), of("dcache_mis") * p2_get(P2R_CARD + P2R_CARD_DCACHE_PENALTY), "what misses of the data cache cost");
  is(of("special_delay"), 4 * of("special_numbers"), "what special numbers cost");
}

// Counts that follow from the piece: each round has a line of its own, which a load misses and a store changes.
static void by_hand(void) {
  is(of("dcache_load_mis"), LINES, "each line is missed once");
  // The last ones stay in the cache, until others take their places: in this piece's next run, or the kernel before that.
  const uint32_t castouts = of("dcache_castouts");
  ok(castouts <= LINES && castouts >= LINES - IN_CACHE, "and written back once: %u by the piece itself", castouts);
  is(of("fp_div"), 1, "one division");
  is(of("fp_sqrt"), 1, "one square root");
  is(of("fx_div"), 1, "one integer division");
  is(of("fx_mul"), LINES, "one multiply in each round");
  is(of("fp_load"), LINES, "one floating-point load");
  is(of("fp_store"), LINES, "one floating-point store");
#ifdef __powerpc64__
  is(of("br_count"), LINES, "one BDNZ");
  is(of("fp_fma"), LINES, "one multiply-add");
  is(of("loads"), 2 * LINES, "two loads");
  is(of("stores"), 2 * LINES, "two stores");
#else
  is(of("fx_load_store"), LINES, "one addition in memory");
#endif
  is(of("io_requests"), 0, "the program's own accesses reach no device");
  is(of("errors"), 0, "nobody has injected an error");
}

int program(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  down_prepare(0);
  for (unsigned unit = 0; unit < P2_UNITS; unit++)
    for (unsigned group = 0; group < P2_GROUPS; group++) run_group(unit, group);
  run_group(P2_ROW_SGA, 0);
  own_put(P2R_MMCR, P2_MMCR_DIS);
  is(different, 0, "%u events: each counts the same in all its groups", n);
  sums();
  by_hand();
  return done_testing();
}
