// SPDX-License-Identifier: GPL-2.0-or-later
// The machine: hypervisor calls, page tables, PCI, power, a second processor.
#include "rt.h"

enum {
  H_SET_MODE = 0x31c, H_REGISTER_PROC_TBL = 0x37c, H_RTAS = 0xf000,
  MODE_LE = 4,
  PROC_TBL_RADIX = 0x1d,  // register, radix, the guest may use TLBIE
  RTAS_POWER_OFF = 0x2003, RTAS_START_CPU = 0x2006, RTAS_READ_CONFIG = 0x2016, RTAS_WRITE_CONFIG = 0x2017,
};

uint64_t rt_call(unsigned number, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  register uint64_t r3 __asm__("r3") = number;
  register uint64_t r4 __asm__("r4") = a;
  register uint64_t r5 __asm__("r5") = b;
  register uint64_t r6 __asm__("r6") = c;
  register uint64_t r7 __asm__("r7") = d;
  __asm__ volatile("sc 1" : "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7)::"r0", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
  return r3;
}

static uint64_t big64(uint64_t v) {
#ifdef __LITTLE_ENDIAN__
  return __builtin_bswap64(v);
#else
  return v;
#endif
}

// The platform's services: token, numbers of arguments and results, then both; big-endian.
static uint32_t rtas[16] __attribute__((aligned(64)));
uint32_t rt_service(uint32_t token, unsigned inputs, unsigned outputs, const uint32_t *arguments, uint32_t *second) {
  rtas[0] = rt_big(token), rtas[1] = rt_big(inputs), rtas[2] = rt_big(outputs);
  for (unsigned i = 0; i < inputs; i++) rtas[3 + i] = rt_big(arguments[i]);
  rt_call(H_RTAS, (uintptr_t)rtas, 0, 0, 0);
  if (second) *second = rt_big(((volatile uint32_t *)rtas)[4 + inputs]);
  return rt_big(((volatile uint32_t *)rtas)[3 + inputs]);
}

void rt_exit(int status) {
  say("# status %d\n", status);
  rt_service(RTAS_POWER_OFF, 2, 1, (const uint32_t[]){0, 0}, NULL);
  for (;;)
    ;
}

// --- page tables ------------------------------------------------------------------
// Radix, four levels of 13, 9, 9, 9 bits. Everything lies where it is, in leaves of 1 GB, but for the window.
enum { LEAF_RIGHTS = 0x187 };  // referenced, changed, readable, writable, executable
#define VALID (1ull << 63)
#define LEAF (1ull << 62)
static uint64_t processes[512] __attribute__((aligned(4096)));  // the process table
static uint64_t level0[8192] __attribute__((aligned(65536)));
static uint64_t low[512] __attribute__((aligned(4096))), pci[512] __attribute__((aligned(4096)));
static uint64_t window2[512] __attribute__((aligned(4096))), window3[512] __attribute__((aligned(4096)));

static uint64_t *entry_of(uint64_t effective) { return &window3[effective >> 12 & 511]; }
static uint64_t entry(uint64_t real, unsigned rights) {
  return rights ? big64(VALID | LEAF | 0x180 | (real & ~0xffful) | rights) : 0;
}

void rt_map(uint64_t effective, uint64_t real, unsigned rights) {
  *entry_of(effective) = entry(real, rights);
  // Whatever processors remember of all pages of this partition: RIC 2, PRS 1, IS 3, radix.
  __asm__ volatile("ptesync\n\t.machine push\n\t.machine power9\n\ttlbie %0, %1, 2, 1, 1\n\t.machine pop\n\teieio\n\ttlbsync\n\tptesync\n\tisync"
                   ::"r"(0xc00ul), "r"(0ul) : "memory");
}

void rt_prepare(uint64_t effective, uint64_t real, unsigned rights) {
  rt_map(effective, 0, RT_ABSENT);
  *(volatile uint64_t *)RT_FIX_AT = (uintptr_t)entry_of(effective);
  *(volatile uint64_t *)RT_FIX_ENTRY = entry(real, rights);
}

static void tables(void) {
  level0[0] = big64(VALID | (uintptr_t)low | 9);
  level0[0x200000000000ull >> 39] = big64(VALID | (uintptr_t)pci | 9);
  low[0] = big64(VALID | LEAF | LEAF_RIGHTS);
  low[RT_WINDOW >> 30] = big64(VALID | (uintptr_t)window2 | 9);
  window2[0] = big64(VALID | (uintptr_t)window3 | 9);
  for (unsigned i = 0; i < 4; i++) pci[i] = big64(VALID | LEAF | LEAF_RIGHTS | 0x20 | 0x200000000000ull | (uint64_t)i << 30);
  // 52 bits of effective address: 21 above 31, in two fields.
  processes[0] = big64(2ull << 61 | 5 << 5 | (uintptr_t)level0 | 13);
  if (rt_call(H_REGISTER_PROC_TBL, PROC_TBL_RADIX, (uintptr_t)processes, 0, 0))
    bail(RT_NO_BOARD, "the process table is refused");
}

void rt_translate(bool on) {
  const uint64_t msr = mfmsr();
  mtmsrd(on ? msr | MSR_DR : msr & ~(uint64_t)MSR_DR);
}

// --- PCI ---------------------------------------------------------------------------
enum { BUID_HIGH = 0x08000000, BUID_LOW = 0x20000000, PCI_ID = 0, PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_MEMORY = 2 };
#define WINDOW_REAL 0x200080000000ull  // where bus address 0x80000000 is
#define WINDOW_BUS 0x80000000u

uint32_t rt_config(uint32_t device, uint32_t offset) {
  uint32_t v = 0xffffffff;
  return rt_service(RTAS_READ_CONFIG, 4, 2, (const uint32_t[]){device << 11 | offset, BUID_HIGH, BUID_LOW, 4}, &v) ? 0xffffffff : v;
}
void rt_config_put(uint32_t device, uint32_t offset, uint32_t v) {
  rt_service(RTAS_WRITE_CONFIG, 5, 1, (const uint32_t[]){device << 11 | offset, BUID_HIGH, BUID_LOW, 4, v}, NULL);
}

static uint64_t place(uint32_t device, unsigned bar) {
  static uint32_t next = WINDOW_BUS;
  const bool wide = (rt_config(device, PCI_BAR0 + 4 * bar) & 7) == 4;
  rt_config_put(device, PCI_BAR0 + 4 * bar, 0xffffffff);
  const uint32_t size = ~(rt_config(device, PCI_BAR0 + 4 * bar) & ~15u) + 1;
  next = (next + size - 1) & ~(size - 1);
  rt_config_put(device, PCI_BAR0 + 4 * bar, next);
  if (wide) rt_config_put(device, PCI_BAR0 + 4 * bar + 4, 0);
  next += size;
  return WINDOW_REAL + (next - size - WINDOW_BUS);
}

uint32_t rt_pci_find(uint32_t id, uint32_t nth) {
  for (uint32_t device = 0; device < 32; device++)
    if (rt_config(device, PCI_ID) == id && nth-- == 0) return device;
  return 32;
}

uint64_t rt_pci_memory(uint32_t device, unsigned bar) {
  const uint64_t at = place(device, bar);
  rt_config_put(device, PCI_COMMAND, rt_config(device, PCI_COMMAND) | PCI_MEMORY);
  return at;
}

// --- other processors --------------------------------------------------------------
static void (*volatile second_function)(void);
void rt_second(void);
void rt_second_main(void);
void rt_second_main(void) { second_function(); }

bool rt_start_again(uint32_t processor) {
  return !rt_service(RTAS_START_CPU, 3, 1, (const uint32_t[]){processor, (uint32_t)(uintptr_t)rt_second, processor - 1}, NULL);
}

void rt_start(uint32_t processor, void (*function)(void)) {
  second_function = function;
  __asm__ volatile("sync" ::: "memory");
  if (!rt_start_again(processor))
    bail(RT_NO_BOARD, "processor %u does not start", processor);
}

// What is behind the word, or NULL.
static const char *starts(const char *text, const char *word) {
  while (*word)
    if (*text++ != *word++) return NULL;
  return text;
}

// --- words -------------------------------------------------------------------------
// The device tree's "ibm,partition-name". A flattened tree: words of a kind, begin 1, end 2, property 3 with length and name, nothing 4.
static const char *words = "";
static void find_words(const uint32_t *tree) {
  enum { MAGIC = 0xd00dfeed, BEGIN = 1, PROPERTY = 3, LAST = 9 };
  if (rt_big(tree[0]) != MAGIC) return;
  const char *const names = (const char *)tree + rt_big(tree[3]);
  for (const uint32_t *at = tree + rt_big(tree[2]) / 4; rt_big(*at) != LAST;) {
    const uint32_t kind = rt_big(*at++);
    if (kind == BEGIN) {
      const char *c = (const char *)at;
      while (*c) c++;
      at += (c - (const char *)at) / 4 + 1;
    } else if (kind == PROPERTY) {
      if (starts(names + rt_big(at[1]), "ibm,partition-name")) words = (const char *)(at + 2);
      at += 2 + (rt_big(at[0]) + 3) / 4;
    }
  }
}

bool rt_number(const char *word, uint32_t *v) {
  for (const char *at = words; *at; at++) {
    const char *const end = at == words || at[-1] == ' ' ? starts(at, word) : NULL;
    if (!end || (*end && *end != ' ' && *end != ':')) continue;
    if (!v) return true;
    if (*end != ':') return false;
    *v = 0;
    for (const char *c = end + 1; *c >= '0' && *c <= '9'; c++) *v = 10 * *v + (uint32_t)(*c - '0');
    return true;
  }
  return false;
}

void rt_main(const uint32_t *tree);
void rt_main(const uint32_t *tree) {
  find_words(tree);
  for (unsigned v = 0; v < 0x1000; v += 0x20) rt_on(v, rt_unexpected);
#ifdef __LITTLE_ENDIAN__
  rt_call(H_SET_MODE, 1, MODE_LE, 0, 0);
#endif
  tables();
  rt_exit(program());
}
