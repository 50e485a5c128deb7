// SPDX-License-Identifier: GPL-2.0-or-later
// wc - write-combining: what of a processor waits in its buffers, and what makes it leave them; and the window is found where it has moved to.
// Node 0 works; pages 1 to 15 are at home on node 1, page 0 on node 0. Needs the test card, and 4 buffers of 64 bytes.
#include "sci.h"

enum { R = SCI_READ, W = SCI_WRITE, L = SCI_LOCK, U = SCI_UNLOCK };
#define WHOLE(at) {W, 0, 1, 0xff, at, true}

// IA32_PAT: as after reset, but entry 1 (PWT), and entries 4 and 6 (PAT; PAT and PCD), are write-combining.
static const uint32_t kPat[2] = {0x00070106, 0x00010401};
#define WC (RT_WINDOW + 0x0000)   /* page 1, write-combining */
#define UC (RT_WINDOW + 0x2000)   /* page 3, uncached */
#define HOME (RT_WINDOW + 0x3000) /* page 0, uncached */
#define AGAIN (RT_WINDOW + 0x5000)

static inline void put(uint32_t at, uint32_t v) { *(volatile uint32_t *)at = v; }
static inline uint32_t get(uint32_t at) { return *(volatile uint32_t *)at; }

static uint8_t plain[4096] __attribute__((aligned(4096)));

// Nothing has passed: looks without an instruction that drains.
static bool quiet(void) { return blink_count() == 0; }

// --- buffers --------------------------------------------------------------------------
static void buffers(void) {
  rep_stosl(WC + 128, 32, 7);
  EXPECT("rep stosl: whole lines leave at once", WHOLE(AT(1, 128)), WHOLE(AT(1, 192)));
  for (unsigned i = 0; i < 4; i++) __asm__ volatile("movdqu %%xmm0, (%0)" ::"r"(WC + 64 * 60 + 16 * i) : "memory");
  EXPECT("16 bytes at a time", WHOLE(AT(1, 64 * 60)));
  __asm__ volatile("movl %%eax, 4094(%0)" ::"r"(WC) : "memory");  // two pages
  const bool held = quiet();
  __asm__ volatile("sfence" ::: "memory");
  ok(held, "a part of a line waits");
  EXPECT("two pages", T(W, AT(1, 4088), 0xc0), T(W, AT(2, 0), 0x03));
  __asm__ volatile("sfence" ::: "memory");
  expect(NULL, 0, "empty buffers");
  put(WC, 0);
  sci_home(1, 1, 0);  // a register, which drains: with the home of before
  sci_home(1, 1, 1);
  EXPECT("before a register of the adapter is written", T(W, AT(1, 0), 0x0f));
}

// --- what drains ------------------------------------------------------------------------
// One word waits; `code`; it has passed, before whatever `code` itself does.
#define DRAINS(what, code, ...)                                           \
  do {                                                                    \
    bool held;                                                            \
    put(WC, 0);                                                           \
    held = quiet();                                                       \
    code;                                                                 \
    EXPECT(what, T(W, AT(1, 0), 0x0f), ##__VA_ARGS__);                    \
    if (!held) ok(false, what ": it had not waited");                     \
  } while (0)
#define ASM(code, ...) __asm__ volatile(code ::__VA_ARGS__ : "eax", "ebx", "ecx", "edx", "memory", "cc")

// As DRAINS, and nothing has passed.
#define LEAVES(what, code)                                                \
  do {                                                                    \
    bool held;                                                            \
    put(WC, 0);                                                           \
    code;                                                                 \
    held = quiet();                                                       \
    __asm__ volatile("sfence" ::: "memory");                              \
    ok(held, what " leaves it where it is");                              \
    EXPECT(what, T(W, AT(1, 0), 0x0f));                                   \
  } while (0)

static volatile uint32_t word, at_handler, second_go, second_done;
static bool skip(struct frame *f) {  // behind INT3, or UD2
  at_handler = blink_count();
  f->eip += f->vector == 3 ? 0 : 2;
  return true;
}
static bool map_it(struct frame *f) {
  (void)f;
  at_handler = blink_count();
  rt_map(cr2(), (uint32_t)plain, RT_WRITE);
  return true;
}
static void tick(void) { at_handler = blink_count(); }

static void second(void) {
  for (uint32_t last = 0;; second_done = last) {
    while (second_go == last) __asm__ volatile("pause");
    last = second_go;
    __asm__ volatile("mfence\n\tlock incl %0\n\tcpuid" : "+m"(word)::"eax", "ebx", "ecx", "edx", "memory");
  }
}

static void drains(void) {
  static uint32_t cr3, dt[2], dr7;
  DRAINS("sfence", ASM("sfence"));
  DRAINS("mfence", ASM("mfence"));
  DRAINS("lock", ASM("lock incl %0", "m"(word)));
  DRAINS("xchg with memory", ASM("xchgl %%eax, %0", "m"(word)));
  DRAINS("cpuid", ASM("cpuid"));
  DRAINS("in", ASM("inb $0x80, %%al"));
  DRAINS("out", ASM("outb %%al, $0x80"));
  DRAINS("ins", __asm__ volatile("cld\n\tinsl" : "=D"((uint32_t){0}) : "0"(plain), "d"(0xCF8) : "memory"));
  DRAINS("outs", __asm__ volatile("cld\n\toutsb" : "=S"((uint32_t){0}) : "0"(plain), "d"(0x80) : "memory"));
  DRAINS("mov to cr3", ASM("movl %%cr3, %%eax\n\tmovl %%eax, %%cr3"));
  DRAINS("mov to cr0", ASM("movl %%cr0, %%eax\n\tmovl %%eax, %%cr0"));
  DRAINS("mov to dr", __asm__ volatile("movl %0, %%db7" ::"r"(dr7)));
  DRAINS("invlpg", ASM("invlpg (%0)", "r"(AGAIN)));
  DRAINS("wrmsr", wrmsr(PAT_MSR, kPat[0], kPat[1]));
  DRAINS("wbinvd", ASM("wbinvd"));
  DRAINS("invd", ASM("invd"));
  DRAINS("lidt", __asm__ volatile("sidt %0\n\tlidt %0" : "+m"(dt)));
  DRAINS("lgdt", __asm__ volatile("sgdt %0\n\tlgdt %0" : "+m"(dt)));
  DRAINS("iret", ASM("pushfl\n\tpushl %%cs\n\tpushl $1f\n\tiret\n1:", "r"(0)));
  rt_on_trap(3, skip);
  rt_on_trap(6, skip);
  rt_on_trap(14, map_it);
  at_handler = 0;
  DRAINS("int3", ASM("int3"));
  is(at_handler, 2, "before its handler");
  at_handler = 0;
  DRAINS("an instruction that is none", ASM("ud2"));
  is(at_handler, 2, "before its handler");
  at_handler = 0;
  rt_map(AGAIN, 0, RT_ABSENT);
  DRAINS("a page fault", put(AGAIN, 5));
  is(at_handler, 2, "before its handler");
  // The interval timer once, 1000 ticks of 838 ns from now.
  at_handler = 0;
  rt_irq(0, false, tick);
  outb(0x43, 0x30), outb(0x40, 1000 & 255), outb(0x40, 1000 >> 8);
  DRAINS("an interrupt", irq_on(); for (uint32_t i = 0; i < 400000000 && !at_handler; i++) __asm__ volatile("pause"); irq_off());
  is(at_handler, 2, "before its handler");
  DRAINS("an uncached store", put(UC, 1), T(W, AT(3, 0), 0x0f));
  DRAINS("an uncached load", get(UC + 4), T(R, AT(3, 4), 0xf0));
  DRAINS("an uncached store within the node", put(HOME, 1));
  DRAINS("an uncached load within the node", get(HOME));
  DRAINS("a load of a write-combining page", get(WC + 128), T(R, AT(1, 128), 0x0f));
  DRAINS("a load of what waits", get(WC), T(R, AT(1, 0), 0x0f));
  DRAINS("a locked instruction there", ASM("lock incl (%0)", "r"(WC + 8)), T(L, AT(1, 8), 0x0f), T(U, AT(1, 8), 0x0f));
  DRAINS("a store to a register of the adapter", sci_put(SCIR_ATT(9), 1));
  __asm__ volatile("movl %%cr3, %0" : "=r"(cr3));
  LEAVES("lfence", ASM("lfence"));
  LEAVES("plain memory", ASM("movl %%eax, %0\n\taddl $1, %0\n\tpushl %0\n\tpopl %%eax", "m"(word)));
  LEAVES("a string", rep_movsl((uint32_t)plain + 64, (uint32_t)plain, 4));
  LEAVES("rdtsc, pause, xchg of registers, movs from cr", ASM("rdtsc\n\tpause\n\txchgl %%eax, %%ecx\n\tmovl %%cr0, %%eax"));
  LEAVES("rdmsr", __asm__ volatile("rdmsr" ::"c"(PAT_MSR) : "eax", "edx"));
  LEAVES("a load of a register of the adapter", (void)sci(SCIR_NODES));
  LEAVES("another processor's fence", second_go++; while (second_done != second_go) __asm__ volatile("pause"));
}

// --- the window elsewhere -----------------------------------------------------------------
enum { COMMAND = 4, BAR2 = 0x18, BAR3 = 0x1c, MEMORY = 2, BYTES = 64 * 1024 };
static uint32_t device;
static void decode(bool on) {
  const uint32_t command = pci_config(0, device, 0, COMMAND) & 0xFFFF;
  pci_config_put(0, device, 0, COMMAND, on ? command | MEMORY : command & ~(uint32_t)MEMORY);
}
static void move(uint32_t to) {
  pci_config_put(0, device, 0, BAR2, to);
  pci_config_put(0, device, 0, BAR3, 0);
}
static void everywhere(uint32_t window, const char *where) {
  say("# %s\n", where);
  put(window + 4096, 1);
  get(window + BYTES - 4);
  EXPECT("a store and a load", T(W, AT(1, 0), 0x0f), T(R, BYTES - 4, 0xf0));
  rt_map(AGAIN, window + 2 * 4096, RT_WRITE | RT_PWT);
  put(AGAIN, 1);
  const bool held = quiet();
  __asm__ volatile("sfence" ::: "memory");
  ok(held, "a write-combining store waits");
  EXPECT("and leaves", T(W, AT(2, 0), 0x0f));
}
static void moved(void) {
  const uint32_t old = sci_card.window, fresh = rt_free_window(BYTES, BYTES);
  device = pci_find(SCIR_DEVICE << 16 | SCIR_VENDOR, 0);
  if (!fresh) bail(RT_NO_BOARD, "no room");
  for (unsigned round = 0; round < 2; round++) {
    move(fresh);
    everywhere(fresh, "elsewhere");
    decode(false);
    put(fresh + 4096, 1), put(old + 4096, 1);
    expect(NULL, 0, "it is nowhere");
    decode(true);
    put(old + 4096, 1);
    expect(NULL, 0, "nothing where it was");
    put(fresh + 4096, round);
    move(old);
    is(get(old + 4096), round, "memory keeps what was stored, wherever it is seen");
    EXPECT("each time it passes", T(W, AT(1, 0), 0x0f), T(R, AT(1, 0), 0x0f));
    everywhere(old, "back");
  }
}

int program(void) {
  sci_find();
  if (!sci_card.blink || sci_card.nodes < 2) bail(RT_NO_BOARD, "no test-blink, or one node only (-smp 2)");
  if (!rt_second(second)) bail(RT_NO_BOARD, "one processor only");
  sci_home(0, 1, 0);
  sci_home(1, 15, 1);
  wrmsr(PAT_MSR, kPat[0], kPat[1]);
  rt_paging();
  rt_map(WC, WINDOW(1, 0), RT_WRITE | RT_PWT);
  rt_map(WC + 4096, WINDOW(2, 0), RT_WRITE | RT_PWT);
  rt_map(UC, WINDOW(3, 0), RT_WRITE | RT_PCD | RT_PWT);
  rt_map(HOME, WINDOW(0, 0), RT_WRITE | RT_PCD | RT_PWT);
  rt_large(sci_card.window, 0);
  blink_clear();
  buffers();
  drains();
  moved();
  return done_testing();
}
