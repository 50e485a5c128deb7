// SPDX-License-Identifier: GPL-2.0-or-later
// pieces - what becomes of each kind of access to the window: packet by packet, on both B-Links. One processor works, node 0; pages 1
// to 4 are at home on node 1, page 5 on node 0 again. Needs the test card (tests/example/blink).
//
// Expected, by hand: an access is its pieces, each the largest power of two of bytes, 8 at most, that divides its address and
// what is left; a piece is a transaction. A string instruction's accesses are one after the other; what reads and
// writes reads first. With latency=on two things are as QEMU makes them, and not as the processor does: PUSHA, and INS.
#include "sci.h"

enum { R = SCI_READ, W = SCI_WRITE, L = SCI_LOCK, U = SCI_UNLOCK };

static uint8_t plain[4096] __attribute__((aligned(4096)));
static uint32_t p1, p2, p5;
static bool latency;

#define ASM(code, ...) __asm__ volatile(code ::__VA_ARGS__ : "eax", "ecx", "edx", "ebx", "memory", "cc")
#define DO(what, code, ...)        \
  do {                             \
    ASM(code, "r"(p1));            \
    EXPECT(what, __VA_ARGS__);     \
  } while (0)

static void sizes(void) {
  DO("stores, aligned", "movb %%al, (%0)\n\tmovb %%al, 7(%0)\n\tmovw %%ax, 6(%0)\n\tmovl %%eax, 8(%0)\n\tmovl %%eax, 12(%0)",
     T(W, AT(1, 0), 0x01), T(W, AT(1, 7), 0x80), T(W, AT(1, 6), 0xc0), T(W, AT(1, 8), 0x0f), T(W, AT(1, 12), 0xf0));
  DO("loads, aligned", "movb 5(%0), %%al\n\tmovw 2(%0), %%ax\n\tmovl 4092(%0), %%eax", T(R, AT(1, 5), 0x20), T(R, AT(1, 2), 0x0c), T(R, AT(1, 4092), 0xf0));
  DO("8 bytes", "movq (%0), %%mm0\n\tmovq %%mm0, 16(%0)\n\tfildll 24(%0)\n\tfistpll 32(%0)", T(R, AT(1, 0), 0xff), T(W, AT(1, 16), 0xff),
     T(R, AT(1, 24), 0xff), T(W, AT(1, 32), 0xff));
  DO("16 bytes", "movdqu 48(%0), %%xmm0\n\tmovdqu %%xmm0, 64(%0)\n\tmovaps 16(%0), %%xmm0\n\tmovaps %%xmm0, (%0)", T(R, AT(1, 48), 0xff),
     T(R, AT(1, 56), 0xff), T(W, AT(1, 64), 0xff), T(W, AT(1, 72), 0xff), T(R, AT(1, 16), 0xff), T(R, AT(1, 24), 0xff),
     T(W, AT(1, 0), 0xff), T(W, AT(1, 8), 0xff));
  DO("misaligned", "movl %%eax, 1(%0)\n\tmovw 7(%0), %%ax", T(W, AT(1, 1), 0x02), T(W, AT(1, 2), 0x04), T(W, AT(1, 3), 0x08), T(W, AT(1, 4), 0x10),
     T(R, AT(1, 7), 0x80), T(R, AT(1, 8), 0x01));
}

static void pages(void) {
  DO("across pages", "movl %%eax, 4094(%0)\n\tmovl 4095(%0), %%eax", T(W, AT(1, 4094), 0xc0), T(W, AT(2, 0), 0x03),
     T(R, AT(1, 4095), 0x80), T(R, AT(2, 0), 0x01), T(R, AT(2, 1), 0x02), T(R, AT(2, 2), 0x04));
  ASM("movl %%eax, 4094(%0)\n\tmovl 4094(%0), %%eax", "r"(p5 - 4096));
  EXPECT("across pages, the second one stays inside the node", T(W, AT(4, 4094), 0xc0), T(R, AT(4, 4094), 0xc0));
  ASM("movl %%eax, (%0)\n\tmovl 8(%0), %%eax\n\tlock incl 4(%0)", "r"(p5));
  ASM("movl (%0), %%eax\n\tmovl %%eax, 4(%0)\n\tlock incl 8(%0)", "r"(plain));
  expect(NULL, 0, "home, and memory outside the window");
}

static void read_and_write(void) {
  DO("arithmetic in memory", "incl 4(%0)\n\taddb $3, (%0)\n\tnotl 8(%0)\n\tcmpl $0, 12(%0)", T(R, AT(1, 4), 0xf0), T(W, AT(1, 4), 0xf0),
     T(R, AT(1, 0), 0x01), T(W, AT(1, 0), 0x01), T(R, AT(1, 8), 0x0f), T(W, AT(1, 8), 0x0f), T(R, AT(1, 12), 0xf0));
  DO("cmpxchg, xadd, not locked", "cmpxchgl %%ecx, (%0)\n\txaddl %%eax, 4(%0)", T(R, AT(1, 0), 0x0f), T(W, AT(1, 0), 0x0f), T(R, AT(1, 4), 0xf0),
     T(W, AT(1, 4), 0xf0));
  DO("push from, pop to", "pushl (%0)\n\tpopl 8(%0)", T(R, AT(1, 0), 0x0f), T(W, AT(1, 8), 0x0f));
  DO("the stack there", "movl %%esp, %%eax\n\tleal 64(%0), %%esp\n\tpushl %%eax\n\tpopl %%ecx\n\tmovl %%eax, %%esp", T(W, AT(1, 60), 0xf0),
     T(R, AT(1, 60), 0xf0));
  ASM("movl %%esp, %%eax\n\tleal 64(%0), %%esp\n\tpushal\n\tmovl %%eax, %%esp", "r"(p1));
  if (latency)
    EXPECT("pushal, as QEMU stores", T(W, AT(1, 32), 0x0f), T(W, AT(1, 36), 0xf0), T(W, AT(1, 40), 0x0f), T(W, AT(1, 44), 0xf0),
           T(W, AT(1, 48), 0x0f), T(W, AT(1, 52), 0xf0), T(W, AT(1, 56), 0x0f), T(W, AT(1, 60), 0xf0));
  else
    EXPECT("pushal", T(W, AT(1, 60), 0xf0), T(W, AT(1, 56), 0x0f), T(W, AT(1, 52), 0xf0), T(W, AT(1, 48), 0x0f),
         T(W, AT(1, 44), 0xf0), T(W, AT(1, 40), 0x0f), T(W, AT(1, 36), 0xf0), T(W, AT(1, 32), 0x0f));
}

static void strings(void) {
#define STRING(code, si, di, n)                                                                                                      \
  __asm__ volatile("cld\n\t" code : "=&S"((uint32_t){0}), "=&D"((uint32_t){0}), "=&c"((uint32_t){0}) : "0"(si), "1"(di), "2"(n)       \
                   : "eax", "memory", "cc")
  STRING("rep movsl", plain, p1 + 4, 3);
  EXPECT("rep movsl to it", T(W, AT(1, 4), 0xf0), T(W, AT(1, 8), 0x0f), T(W, AT(1, 12), 0xf0));
  STRING("rep movsb", p1 + 7, plain, 2);
  EXPECT("rep movsb from it", T(R, AT(1, 7), 0x80), T(R, AT(1, 8), 0x01));
  STRING("rep movsw", p1, p2, 2);
  EXPECT("rep movsw within it", T(R, AT(1, 0), 0x03), T(W, AT(2, 0), 0x03), T(R, AT(1, 2), 0x0c), T(W, AT(2, 2), 0x0c));
  STRING("rep stosl", 0, p1 + 4090, 2);
  EXPECT("rep stosl across a page", T(W, AT(1, 4090), 0x0c), T(W, AT(1, 4092), 0x30), T(W, AT(1, 4094), 0xc0), T(W, AT(2, 0), 0x03));
  STRING("lodsl\n\tscasl\n\tcmpsl", p1, p2, 0);
  // QEMU makes CMPS' second operand first; the processor's manual leaves it open.
  EXPECT("lodsl, scasl, cmpsl", T(R, AT(1, 0), 0x0f), T(R, AT(2, 0), 0x0f), T(R, AT(2, 4), 0xf0), T(R, AT(1, 4), 0xf0));
  __asm__ volatile("cld\n\tinsl" : "=&D"((uint32_t){0}) : "d"(0xCF8), "0"(p1) : "memory");
  if (latency)
    EXPECT("insl, as QEMU stores", T(W, AT(1, 0), 0x0f), T(W, AT(1, 0), 0x0f));
  else
    EXPECT("insl", T(W, AT(1, 0), 0x0f));
}

static void locked(void) {
  DO("lock", "lock incl (%0)\n\tlock addb $1, 5(%0)", T(L, AT(1, 0), 0x0f), T(U, AT(1, 0), 0x0f), T(L, AT(1, 5), 0x20), T(U, AT(1, 5), 0x20));
  DO("xchg", "xchgl %%eax, 4(%0)\n\txchgb %%al, (%0)\n\txchgl %%eax, %%ecx", T(L, AT(1, 4), 0xf0), T(U, AT(1, 4), 0xf0), T(L, AT(1, 0), 0x01),
     T(U, AT(1, 0), 0x01));
  DO("lock cmpxchg, equal and not", "movl $5, (%0)\n\tmovl $5, %%eax\n\tlock cmpxchgl %%ecx, (%0)\n\tlock cmpxchgl %%ecx, (%0)", T(W, AT(1, 0), 0x0f),
     T(L, AT(1, 0), 0x0f), T(U, AT(1, 0), 0x0f), T(L, AT(1, 0), 0x0f), T(U, AT(1, 0), 0x0f));
  DO("lock cmpxchg8b, xadd, bts", "lock cmpxchg8b 8(%0)\n\tlock xaddl %%eax, 4(%0)\n\tlock btsl $3, 4(%0)", T(L, AT(1, 8), 0xff), T(U, AT(1, 8), 0xff),
     T(L, AT(1, 4), 0xf0), T(U, AT(1, 4), 0xf0), T(L, AT(1, 4), 0xf0), T(U, AT(1, 4), 0xf0));
  DO("lock, misaligned", "lock incl 2(%0)", T(L, AT(1, 2), 0x0c), T(L, AT(1, 4), 0x30), T(U, AT(1, 2), 0x0c), T(U, AT(1, 4), 0x30));
  DO("xchg across pages", "xchgl %%eax, 4094(%0)", T(L, AT(1, 4094), 0xc0), T(L, AT(2, 0), 0x03), T(U, AT(1, 4094), 0xc0), T(U, AT(2, 0), 0x03));
}

// --- faults: what is begun again passes once ------------------------------------------
static unsigned mended;
static bool mend(struct frame *f) {
  (void)f;
  mended++;
  rt_map(cr2() & ~4095u, sci_card.window + 4096 * (1 + (cr2() >> 12 & 7)), RT_WRITE);
  return true;
}

static void faults(void) {
  const uint32_t at = RT_WINDOW, rights[] = {RT_ABSENT, RT_READ};
  rt_on_trap(14, mend);
  rt_paging();
  for (unsigned r = 0; r < 2; r++) {
    const char *const how = r ? "read-only" : "absent";
    say("# pages that are %s at first\n", how);
#define FRESH(what, n, code, ...)                                                                           \
  do {                                                                                                      \
    for (unsigned page = 0; page < 2; page++) rt_map(at + 4096 * page, WINDOW(1 + page, 0), rights[r]);     \
    mended = 0;                                                                                             \
    code;                                                                                                   \
    EXPECT(what, __VA_ARGS__);                                                                              \
    is(mended, n, "faults");                                                                                \
  } while (0)
    FRESH("a store", 1, ASM("movl %%eax, 4(%0)", "r"(at)), T(W, AT(1, 4), 0xf0));
    FRESH("a store across two", 2, ASM("movl %%eax, 4094(%0)", "r"(at)), T(W, AT(1, 4094), 0xc0), T(W, AT(2, 0), 0x03));
    FRESH("rep stosl", 2, STRING("rep stosl", 0, at + 4088, 3), T(W, AT(1, 4088), 0x0f), T(W, AT(1, 4092), 0xf0), T(W, AT(2, 0), 0x0f));
    FRESH("a locked instruction", 1, ASM("lock incl (%0)", "r"(at)), T(L, AT(1, 0), 0x0f), T(U, AT(1, 0), 0x0f));
    FRESH("a locked instruction across two", 2, ASM("xchgl %%eax, 4094(%0)", "r"(at)), T(L, AT(1, 4094), 0xc0), T(L, AT(2, 0), 0x03),
          T(U, AT(1, 4094), 0xc0), T(U, AT(2, 0), 0x03));
  }
}

int program(void) {
  sci_find();
  if (!sci_card.blink) bail(RT_NO_BOARD, "no test-blink");
  if (sci_card.nodes < 2) bail(RT_NO_BOARD, "one node only (-smp 2)");
  latency = sci(SCIR_STATUS) & SCIR_STATUS_LATENCY;
  p1 = WINDOW(1, 0), p2 = WINDOW(2, 0), p5 = WINDOW(5, 0);
  sci_home(0, sci_card.pages, 0);
  sci_home(1, 4, 1);
  blink_clear();
  sizes();
  pages();
  read_and_write();
  strings();
  locked();
  sci_put(SCIR_CTRL, 0);
  ASM("movl %%eax, (%0)\n\tmovl (%0), %%eax", "r"(p1));
  expect(NULL, 0, "switched off");
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE);
  faults();
  return done_testing();
}
