// SPDX-License-Identifier: GPL-2.0-or-later
// waits - nodes in step with contention=on, in a ring: each processor waits for its node's bus as long as by hand.
//
// In a round each node stores the time to the next one's page, and a while later asks for its bus, when that has what the node before has sent. By
// hand (hw/shrimp/README.md, Time and Contention):
//
//   780 + 480 + BACK + 1680     behind the other's store the board asks for the bus; BACK is 1000 + 40 a hop + 3 * 40, and the cable
//   the next edge of BCLK (120 ns), + 360     the board has it: G
//   + 60 + 120 + 120                          the word is in memory; the next edge is at G + 360
//   G + 720                                   the processor has it, if it has asked meanwhile
//
// What asks is in turn a store, a read of a register of the board, which takes 600 ns itself, and PUSHA: of its eight stores the first one waits, and the
// others are in the processor's turn. Behind that come stores and reads that the bus is too slow for: a node that is saved then has most likely a processor that
// stands still. Needs node N's column to be N.
#include "../rt/boards.h"

enum { BACK = 1000 + 3 * 40, HOP = 40, CABLES = 20000, BCLK = 120, ACQUIRE = 360, RETURN = 720, REGISTER = 600, INSN = 16 };
enum { STEPS = 90, ROUND_NS = 100056, STEP_NS = 20, BEFORE_NS = 500, PUSHED = 8, BUSY = 1200, SAVED = 12 };
enum { STORE, READ, PUSH, KINDS };

static volatile uint32_t send[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static volatile uint32_t got[WORDS_OF_PAGE] __attribute__((aligned(4096)));
enum { BARRIER, BEGIN, FIRST, SECOND, PUSHED_TO = 64 };  // words of these pages
static uint32_t barriers;

static void barrier(void) {
  for (uint32_t n = 1; n < boards.nodes; n++) {
    send[BARRIER] = ++barriers;
    while ((int32_t)(got[BARRIER] - barriers) < 0) continue;
  }
}

static void sleep_until(uint64_t ns) {
  while (now_ns() < ns) continue;
}

// The first node's word, which goes around: when all of them begin.
static uint64_t agree(void) {
  const uint32_t in_us = (uint32_t)(now_ns() / 1000) + 1000;
  if (boards.node == 0) send[BEGIN] = in_us;
  while (!got[BEGIN]) continue;
  if (boards.node != 0) send[BEGIN] = got[BEGIN];
  return got[BEGIN] * UINT64_C(1000);
}

// All registers are pushed, and none is changed.
#define TIMED(what)                                                                                                    \
  "rdtsc\n\tmovl %%eax, (%[first])\n"                                                                                  \
  "1:\tdecl %[n]\n\tjnz 1b\n\t"                                                                                        \
  "movl %%esp, %%ebp\n\tmovl %[stack], %%esp\n\t"                                                                      \
  "rdtsc\n\tmovl %%eax, %%ecx\n\t" what "\n\trdtsc\n\t"                                                                \
  "movl %%ebp, %%esp\n\tsubl %%ecx, %%eax"
#define TIME(what)                                                                                                     \
  __asm__ volatile("pushl %%ebp\n\t" TIMED(what) "\n\tpopl %%ebp"                                                      \
                   : "=&a"(took), "=&c"(asked), [n] "+b"(n)                                                            \
                   : [first] "S"(&send[FIRST]), [second] "D"(to), [stack] "m"(stack)                                   \
                   : "edx", "memory", "cc")

// Time is told to the next node; n loops later this node asks for its bus. When that was, and how long it took behind an instruction's time.
struct asked {
  uint64_t at;
  uint32_t waited;
};
static __attribute__((noinline)) struct asked ask(uint32_t kind, uint32_t n) {
  static const volatile uint32_t *stack = &send[PUSHED_TO];
  const uint32_t to = kind == READ ? boards.sni_regs + SNI_FCNT : (uint32_t)&send[SECOND];
  uint32_t took, asked;
  if (kind == STORE)
    TIME("movl %%eax, (%[second])");
  else if (kind == READ)
    TIME("movl (%[second]), %%eax");
  else
    TIME("pusha");
  const uint64_t now = now_ns();
  return (struct asked){now - ((uint32_t)now - asked) + 2 * INSN, took - 3 * INSN};
}

// Of what was asked for then, with a word that the node before has sent at that time. What has not come when an instruction begins asks behind it.
static uint32_t by_hand(uint32_t kind, uint64_t asked, uint64_t sent, uint32_t way) {
  const uint64_t board = sent + way, back = (board + BCLK - 1) / BCLK * BCLK + ACQUIRE + RETURN;
  const uint32_t itself = kind == READ ? REGISTER : 0;
  return itself + (asked - INSN >= board && asked < back ? (uint32_t)(back - asked) : 0);
}

int program(void) {
  static const char *const names[KINDS] = {"a store", "a read of a register", "PUSHA"};
  uint32_t wrong[KINDS] = {0}, most[KINDS] = {0};
  uint64_t waited = 0;
  rt_paging();
  boards_start_sni();
  au_export((const void *)got, 0, false);
  au_map((const void *)send, (const void *)got, AU_PLAIN);
  barrier();
  const uint64_t begin = agree();
  barrier();
  const uint32_t before = (boards.node + boards.nodes - 1) % boards.nodes, hops = before > boards.node ? before - boards.node : boards.node - before;
  const uint32_t back = sni(SNI_LAT_BACK + SNI_LAT_MIN);
  is((back - BACK - HOP * hops) % CABLES, 0, "BACK, but for the cable");
  const uint32_t way = 780 + 480 + back + 1680;
  for (uint32_t i = 0; i < STEPS * KINDS; i++) {
    const uint32_t kind = i % KINDS;
    const uint64_t round = begin + (uint64_t)i * ROUND_NS;
    sleep_until(round);
    const struct asked a = ask(kind, (way - BEFORE_NS + i / KINDS * STEP_NS) / (2 * INSN));
    sleep_until(round + ROUND_NS * 9 / 10);
    const uint64_t now = now_ns(), sent = now - ((uint32_t)now - got[FIRST]) + INSN;
    const uint32_t expected = by_hand(kind, a.at, sent, way);
    if (a.waited != expected && !wrong[kind]++)
      say("# %s, %d ns behind the board: %u ns, by hand %u\n", names[kind], (int)(a.at - sent - way), a.waited, expected);
    if (a.waited > most[kind]) most[kind] = a.waited;
    waited += a.waited;
  }
  const uint64_t busy = now_ns();
  for (uint32_t i = 0; i < BUSY; i++) {  // the FIFO has room for them
    send[SECOND] = i;
    if (i % 2) sni(SNI_FCNT);
  }
  const uint64_t busy_ns = now_ns() - busy;
  barrier();
  barrier();  // so all have had all, and whoever ends now leaves no packet of another without its credit
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    is(wrong[kind], 0, "%s waits as long as by hand", names[kind]);
    ok(most[kind] > RETURN, "and did wait: %u ns at most", most[kind]);
  }
  ok(busy_ns > BUSY * UINT64_C(400), "the processor stands still most of the time: %llu ns", busy_ns);
  is(sni64(SNI_OVFC), 0, "and none is lost");
  const uint64_t words = barriers + 1 + STEPS * (KINDS + 1 + PUSHED) + BUSY;
  is(sni64(SNI_TXP), words, "packets have gone");
  is(sni64(SNI_RXP), words, "and come");
  say("# node %u of %u: waited %llu ns, %llu ns busy, packets %llu ns on the way, from %llu to %llu ns\n", boards.node, boards.nodes, waited, busy_ns,
      sni64(SNI_LAT_TOTAL), busy - SAVED * UINT64_C(50000), now_ns());
  return done_testing();
}
