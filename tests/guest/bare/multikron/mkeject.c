// SPDX-License-Identifier: GPL-2.0-or-later
// mkeject - the guest ejects processors through ACPI's ports, while it counts and while it does not, and the monitor plugs others
// in (eject_run). Counters never fall, and count each store once, of those that went, too.
#include "../rt/hotplug.h"
#include "../rt/mk.h"

enum { STORES, STORES_1, MISSES, FETCHES, SOURCES };
enum { FIRST = 4, PROCESSORS = 5, WORK = 3000, PAGE = 0x02000000 };

static struct mk mk;
static volatile uint32_t go, finished[PROCESSORS];
static uint32_t turn, wanted, wanted_1, last[SOURCES];

static inline __attribute__((always_inline)) void work(uint32_t *to) {
  uint32_t stores = WORK;
  __asm__ volatile("1: movl %1, (%0)\n\tdecl %1\n\tjnz 1b" : "+r"(to), "+r"(stores) : : "memory", "cc");
}

static void other(unsigned processor) {
  uint32_t round = finished[processor];
  rt_wait_now();
  for (;;) {
    while (go == round) __asm__ volatile("pause");
    round = go;
    work((uint32_t *)PAGE + processor);
    finished[processor] = round;
  }
}

static void counts(bool on) { mk_put(&mk, on ? MKR_ENABLE : MKR_DISABLE, 0xffff); }

static uint32_t count_of(unsigned source) { return (uint32_t)mk_get64(&mk, MKR_COUNTER(source)); }

// Nothing else stores between the two that switch. ejected: while it counts.
static void count(const char *when, unsigned ejected) {
  unsigned there = 0;
  for (unsigned i = 1; i < PROCESSORS; i++) there |= (unsigned)hotplug_is_there(i) << (i - 1);
  const uint32_t next = ++turn;
  counts(true);
  go = next;
  work((uint32_t *)PAGE);
  for (unsigned i = 1; i < PROCESSORS; i++)
    while (there >> (i - 1) & 1 && finished[i] != next) __asm__ volatile("pause");
  if (ejected) __asm__ volatile("outl %0, %1" ::"a"(ejected), "d"((uint16_t)(hotplug_ports + HOTPLUG_SELECT)) : "memory");
  if (ejected) __asm__ volatile("outb %0, %1" ::"a"((uint8_t)HOTPLUG_EJECT), "d"((uint16_t)(hotplug_ports + HOTPLUG_FLAGS)) : "memory");
  counts(false);
  wanted += 1 + WORK + (unsigned)__builtin_popcount(there) * (WORK + 1);  // go, and finished
  wanted_1 += there & 1 ? WORK + 1 : 0;
  is(count_of(STORES), wanted, "%s: stores of all", when);
  is(count_of(STORES_1), wanted_1, "%s: stores of processor 1, whichever it was", when);
  for (unsigned i = 0; i < SOURCES; i++) {
    const uint32_t n = count_of(i);
    ok(n >= last[i], "%s: counter %u does not fall", when, i);
    last[i] = n;
  }
  if (ejected) ok(!hotplug_is_there(ejected), "processor %u went while it was counted", ejected);
}

// While what the switch of the counters asks of all processors has yet to be done by the one that goes.
static void eject(unsigned processor) {
  hotplug_select(processor);
  counts(true);
  hotplug_go();
  counts(false);
  ok(!hotplug_is_there(processor), "processor %u went", processor);
}

static void plug(unsigned processor) {
  finished[processor] = go;  // it is to wait for the next round
  hotplug_plug(processor, other);
  rt_all_wait();
}

// QEMU 10.0 runs as many vCPUs, one after the other, as maxcpus= says, and no more.
static void come_again(void) {
  plug(1);
  count("another one", 0);
  count("it goes", 1);
  plug(3);
  count("the third comes", 0);
  plug(1);
  count("the first, too", 0);
  count("and one goes", 1);
  plug(4);  // under a number that none has had
  count("one with a new number", 0);
  count("it goes, too", 4);
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  hotplug_begin();
  if (!rt_others(FIRST - 1, other)) bail(RT_NO_BOARD, "four processors are wanted (-smp 4)");
  rt_all_wait();
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  count("four", 0);
  count("one goes", 1);
  count("three", 0);
  eject(2);
  count("two", 0);
  eject(3);
  count("one", 0);
  if (rt_option("plug")) come_again();
  say("# stream trace 0 resource 0\n");
  return done_testing();
}
