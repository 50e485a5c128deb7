// SPDX-License-Identifier: GPL-2.0-or-later
// told - one processor drops pages from all TLBs (tlbie, with no tlbsync behind it) for as long as the other is in one long hypervisor call and
// takes none of them. Event source "tlb-misses" stays exact, and QEMU keeps its size (grow_run; MANY: a call 20 times as long).
#include "tests/guest/bare/rt/ppc/rt.h"

enum { PAGE = 4096, H_LOGICAL_MEMOP = 0xf001, H_BYTES = 0, H_COPY = 0 };
enum { MOST_BYTES = 20 << 20 };
#ifdef MANY
enum { BYTES = MOST_BYTES };
#else
enum { BYTES = MOST_BYTES / 20 };
#endif
#define W RT_WINDOW
#define FROM 0x4000000ul  // 64 MB; nobody else is there
#define TO 0x8000000ul
// Outside of quadrant 0: for these QEMU does not wait until the others have dropped them.
#define ELSEWHERE 0xc000000000000000ul

static struct mk mk;
static uint8_t memory[PAGE] __attribute__((aligned(PAGE)));
enum { ENOUGH = 5000 };
static volatile bool ready, called;
static volatile uint64_t dropped, status, misses;

static uint64_t look(unsigned processor) {
  mk_get64(&mk, MKR_COUNTER(processor));  // the counter's own page is at hand then
  const uint64_t before = mk_get64(&mk, MKR_COUNTER(processor));
  (void)*(volatile uint32_t *)W;
  return mk_get64(&mk, MKR_COUNTER(processor)) - before;
}

// QEMU copies byte by byte, and does nothing else for this processor meanwhile.
static uint64_t copy(void) {
  register uint64_t number __asm__("r3") = H_LOGICAL_MEMOP, to __asm__("r4") = TO, from __asm__("r5") = FROM, size __asm__("r6") = H_BYTES,
                           count __asm__("r7") = BYTES, operation __asm__("r8") = H_COPY;
  __asm__ volatile("sc 1" : "+r"(number), "+r"(to), "+r"(from), "+r"(size), "+r"(count), "+r"(operation)::"r0", "r9", "r10", "r11", "r12", "ctr", "xer",
                   "cr0", "cr1", "cr5", "cr6", "cr7", "memory");
  return number;
}

static void second(void) {
  rt_translate(true);
  look(1);
  ready = true;
  while (!dropped)
    ;
  // On a busy host the other may come to nothing during one call.
  do status |= copy();
  while (dropped < ENOUGH);
  misses = look(1);
  __asm__ volatile("sync" ::: "memory");
  called = true;
  for (;;)
    ;
}

// Radix, a page of a process: R and PRS 1, RIC and IS 0.
static void drop(uint64_t address) {
  __asm__ volatile(".machine push\n\t.machine power9\n\ttlbie %0, %1, 0, 1, 1\n\t.machine pop" ::"r"(address), "r"(0ul) : "memory");
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  mk_put(&mk, MKR_ENABLE, 0xffff);
  rt_map(W, (uintptr_t)memory, RT_WRITE);
  for (uint64_t at = 0; at < MOST_BYTES; at += PAGE) *(volatile uint8_t *)(FROM + at) = *(volatile uint8_t *)(TO + at) = 1;  // QEMU has it then
  rt_start(1, second);
  rt_translate(true);
  look(0);
  while (!ready)
    ;
  for (drop(W); !called; dropped++) drop(ELSEWHERE + PAGE * (dropped & 0xffff));
  is(status, 0, "the call's status");
  is(misses, 1, "behind the call: the second's misses");
  is(look(0), 1, "the first's");
  say("# %u pages dropped\n", (unsigned)dropped);
  return done_testing();
}
