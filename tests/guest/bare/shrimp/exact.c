// SPDX-License-Identifier: GPL-2.0-or-later
// exact - every way a processor stores, counted as the Pentium's bus shows it.
//
// The bus has lanes of eight bytes: an access that lies in one aligned lane is one cycle, one
// that crosses into the next lane is two. A cycle's whole words that lie together are one packet
// of one or two words; a word of which only some bytes are written is a packet of its own, with
// its byte enables. So, without combining, and written {offset, words, enables}:
//
//   movl to 0        {0,1,F}                      movl to 4       {4,1,F}
//   movl to 1        {0,1,E} {4,1,1}              one cycle, bytes 1..4
//   movl to 6        {4,1,C} {8,1,3}              two cycles
//   movq to 0        {0,2,F}                      movq to 4       {4,1,F} {8,1,F}, two cycles
//   movq to 3        {0,1,8} {4,1,F} {8,1,7}      two cycles: bytes 3..7, bytes 8..10
//   movups to 0      {0,2,F} {8,2,F}              two cycles
//
// The stores themselves run with nothing but registers beside them; the expected packets of each
// are written in its table line by hand. Word count, trace and SNI are compared for every case.
#include "../rt/boards.h"

typedef uint8_t page_t[PAGE] __attribute__((aligned(4096)));
static page_t source[4], arrived[4];  // source[i] -> arrived[i]; 0 and 2 are the mapped ones of a pair
static page_t plain[4];               // not mapped
static uint8_t image[4][PAGE];        // what arrived[] must hold: copied from source when settled

struct packet {
  uint32_t address;  // offset in the page, page number in 15..12
  uint32_t words, be;
};
struct list {
  const struct packet *p;
  uint32_t n;
};

static struct counts before;
static void begin(void) {
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
}

static bool same_memory(void) {
  for (unsigned p = 0; p < 4; p++)
    for (uint32_t i = 0; i < PAGE; i++)
      if (arrived[p][i] != image[p][i]) {
        say("# page %u byte %03x: %02x, should be %02x\n", p, i, arrived[p][i], image[p][i]);
        return false;
      }
  return true;
}

// Bytes that a packet may change at the receiver: those that it enabled.
static void expect_bytes(const struct packet *p) {
  unsigned page = p->address >> 12;
  uint32_t at = p->address & 0xFFF;
  for (uint32_t i = 0; i < p->words * 4; i++)
    if (p->words > 1 || p->be >> i & 1) image[page][at + i] = source[page][at + i];
}

// Counts, addresses, sizes, enables and memory after a case, in one line.
static void check(const char *name, struct list expected) {
  const struct packet *p = expected.p;
  uint32_t packets = expected.n;
  struct counts c;
  uint32_t words = 0;
  settle();
  counts_since(&c, &before);
  for (uint32_t i = 0; i < packets; i++) {
    words += p[i].words;
    expect_bytes(&p[i]);
  }
  bool good = c.txp == packets && c.txw == words && c.auw == words && c.rxp == packets && c.rxw == words &&
              c.wcdr == words && c.tecr == packets && c.ticr == packets && c.ovf == 0 && c.rxd == 0;
  for (uint32_t i = 0; good && i < packets; i++) {
    struct record r = recorded(i);
    uint32_t to = (uint32_t)arrived[p[i].address >> 12] + (p[i].address & 0xFFF);
    good = r.address == to && r.size == p[i].words && (r.size > 1 || r.be == p[i].be);
  }
  good &= same_memory();
  ok(good, "%s: %u packets, %u words", name, packets, words);
  if (good) return;
  say("# sent %llu/%llu, snooped words %llu, delivered %llu/%llu, WCDR %u, TECR %u, TICR %u, lost %llu, "
      "dropped %llu\n",
      c.txp, c.txw, c.auw, c.rxp, c.rxw, c.wcdr, c.tecr, c.ticr, c.ovf, c.rxd);
  for (uint32_t i = 0; i < packets || i < c.tecr; i++) {
    if (i < packets) say("# expected %04x, %u words, enables %x", p[i].address, p[i].words, p[i].be);
    if (i < c.tecr) {
      struct record r = recorded(i);
      say("%s seen %08x, %u words, enables %x", i < packets ? ";" : "#", r.address, r.size, r.be);
    }
    say("\n");
    if (i == 20) break;
  }
  for (unsigned pg = 0; pg < 4; pg++)
    for (uint32_t i = 0; i < PAGE; i++) image[pg][i] = arrived[pg][i];
}

// A word of page 0 set beforehand, its packet not counted.
static void prepare(uint32_t base, uint32_t at, uint32_t value) {
  *(volatile uint32_t *)(base + at) = value;
  settle();
  *(uint32_t *)&image[0][at] = value;
}

#define P(...)                                         \
  ((struct list){(const struct packet[]){__VA_ARGS__}, \
                 sizeof((struct packet[]){__VA_ARGS__}) / sizeof(struct packet)})
#define NONE ((struct list){NULL, 0})
#define CASE(name, packets, ...)   \
  do {                             \
    begin();                       \
    __asm__ volatile(__VA_ARGS__); \
    check(name, packets);          \
  } while (0)
#define MEM "memory", "cc"

static const uint8_t pattern[64] __attribute__((aligned(64))) = {
    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xF0, 0x0F,
    0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87, 0x98, 0xA9, 0xBA, 0xCB, 0xDC, 0xED, 0xFE, 0x01, 0x10};

// --- moves, aligned and not ---------------------------------------------------------
static void moves(uint32_t b) {
  CASE("movl to 0", P({0, 1, 0xF}), "movl %1, (%0)" ::"r"(b), "r"(0xA1B2C3D4) : MEM);
  CASE("movl to 1", P({0, 1, 0xE}, {4, 1, 0x1}), "movl %1, 1(%0)" ::"r"(b), "r"(0x11121314) : MEM);
  CASE("movl to 2", P({0, 1, 0xC}, {4, 1, 0x3}), "movl %1, 2(%0)" ::"r"(b), "r"(0x21222324) : MEM);
  CASE("movl to 3", P({0, 1, 0x8}, {4, 1, 0x7}), "movl %1, 3(%0)" ::"r"(b), "r"(0x31323334) : MEM);
  CASE("movl to 5", P({4, 1, 0xE}, {8, 1, 0x1}), "movl %1, 5(%0)" ::"r"(b), "r"(0x51525354) : MEM);
  CASE("movl to 6", P({4, 1, 0xC}, {8, 1, 0x3}), "movl %1, 6(%0)" ::"r"(b), "r"(0x61626364) : MEM);
  CASE("movw to 0", P({0x10, 1, 0x3}), "movw %1, 0x10(%0)" ::"r"(b), "r"((uint16_t)0x7172) : MEM);
  CASE("movw to 1", P({0x10, 1, 0x6}), "movw %1, 0x11(%0)" ::"r"(b), "r"((uint16_t)0x7374) : MEM);
  CASE("movw to 2", P({0x10, 1, 0xC}), "movw %1, 0x12(%0)" ::"r"(b), "r"((uint16_t)0x7576) : MEM);
  CASE("movw to 3", P({0x10, 1, 0x8}, {0x14, 1, 0x1}), "movw %1, 0x13(%0)" ::"r"(b), "r"((uint16_t)0x7778)
       : MEM);
  CASE("movw to 7", P({0x14, 1, 0x8}, {0x18, 1, 0x1}), "movw %1, 0x17(%0)" ::"r"(b), "r"((uint16_t)0x797A)
       : MEM);
  for (uint32_t i = 0; i < 4; i++) {
    begin();
    __asm__ volatile("movb %1, 0x20(%0)" ::"r"(b + i), "q"((uint8_t)(0x81 + i)) : "memory");
    check("movb", P({0x20, 1, 1u << i}));
  }
  CASE("four movb in one word", P({0x24, 1, 1}, {0x24, 1, 2}, {0x24, 1, 4}, {0x24, 1, 8}),
       "movb $1, 0x24(%0)\n\tmovb $2, 0x25(%0)\n\tmovb $3, 0x26(%0)\n\tmovb $4, 0x27(%0)" ::"r"(b)
       : MEM);
  CASE("last word of the page", P({0xFFC, 1, 0xF}), "movl %1, 0xFFC(%0)" ::"r"(b), "r"(0xFEDCBA98) : MEM);
  CASE("sete", P({0x28, 1, 0x2}), "sete 0x29(%0)" ::"r"(b) : MEM);
  CASE("movnti", P({0x2C, 1, 0xF}), "movnti %1, 0x2C(%0)" ::"r"(b), "r"(0x5EED5EED) : MEM);
}

// --- read-modify-write ----------------------------------------------------------------
static void modify(uint32_t b) {
  CASE("addl to memory", P({0x40, 1, 0xF}), "addl $5, 0x40(%0)" ::"r"(b) : MEM);
  CASE("lock incl", P({0x40, 1, 0xF}), "lock incl 0x40(%0)" ::"r"(b) : MEM);
  CASE("notl", P({0x40, 1, 0xF}), "notl 0x40(%0)" ::"r"(b) : MEM);
  CASE("orb", P({0x40, 1, 0x4}), "orb $0x55, 0x42(%0)" ::"r"(b) : MEM);
  CASE("lock btsl", P({0x44, 1, 0xF}), "lock btsl $7, 0x44(%0)" ::"r"(b) : MEM);
  CASE("lock btsl of a set bit", P({0x44, 1, 0xF}), "lock btsl $7, 0x44(%0)" ::"r"(b) : MEM);
  CASE("btl only reads", NONE, "btl $7, 0x44(%0)" ::"r"(b) : MEM);
  CASE("cmpl only reads", NONE, "cmpl $7, 0x44(%0)" ::"r"(b) : MEM);
  CASE("xchgl", P({0x48, 1, 0xF}), "xchgl %%eax, 0x48(%0)" ::"r"(b), "a"(0x99887766) : MEM);
  CASE("xchgw", P({0x48, 1, 0xC}), "xchgw %%ax, 0x4A(%0)" ::"r"(b), "a"(0x1234) : MEM);
  CASE("lock xaddl", P({0x48, 1, 0xF}), "lock xaddl %%eax, 0x48(%0)" ::"r"(b), "a"(3) : MEM);
  CASE("xaddl", P({0x48, 1, 0xF}), "xaddl %%eax, 0x48(%0)" ::"r"(b), "a"(4) : MEM);
  // The processor gives cmpxchg a write cycle in any case: with the new value or the old one.
  uint32_t old = *(volatile uint32_t *)(b + 0x48);
  CASE("cmpxchgl, success", P({0x48, 1, 0xF}), "cmpxchgl %1, 0x48(%0)" ::"r"(b), "r"(77), "a"(old) : MEM);
  is(*(volatile uint32_t *)(b + 0x48), 77, "it exchanged");
  CASE("cmpxchgl, failure", P({0x48, 1, 0xF}), "cmpxchgl %1, 0x48(%0)" ::"r"(b), "r"(88), "a"(1) : MEM);
  is(*(volatile uint32_t *)(b + 0x48), 77, "it did not exchange");
  CASE("lock cmpxchgl, success", P({0x48, 1, 0xF}), "lock cmpxchgl %1, 0x48(%0)" ::"r"(b), "r"(99), "a"(77)
       : MEM);
  is(*(volatile uint32_t *)(b + 0x48), 99, "it exchanged");
  CASE("lock cmpxchgl, failure", P({0x48, 1, 0xF}), "lock cmpxchgl %1, 0x48(%0)" ::"r"(b), "r"(11), "a"(1)
       : MEM);
  is(*(volatile uint32_t *)(b + 0x48), 99, "it did not exchange");
  CASE("cmpxchgb, failure", P({0x4C, 1, 0x8}), "cmpxchgb %%cl, 0x4F(%0)" ::"r"(b), "c"(1), "a"(0xEE) : MEM);
  prepare(b, 0x50, 0);
  prepare(b, 0x54, 0);
  uint32_t a = 0, d = 0;
  begin();
  __asm__ volatile("cmpxchg8b 0x50(%4)" : "+a"(a), "+d"(d) : "b"(0x0BADF00D), "c"(0x0DEFACED), "r"(b) : MEM);
  check("cmpxchg8b, success", P({0x50, 2, 0xF}));
  begin();
  a = 1;
  __asm__ volatile("cmpxchg8b 0x50(%4)" : "+a"(a), "+d"(d) : "b"(3), "c"(4), "r"(b) : MEM);
  check("cmpxchg8b, failure", P({0x50, 2, 0xF}));
  begin();
  __asm__ volatile("lock cmpxchg8b 0x50(%4)" : "+a"(a), "+d"(d) : "b"(5), "c"(6), "r"(b) : MEM);
  check("lock cmpxchg8b, success", P({0x50, 2, 0xF}));
  is(*(volatile uint64_t *)(b + 0x50), 0x600000005, "it exchanged");
  begin();
  __asm__ volatile("lock cmpxchg8b 0x50(%4)" : "+a"(a), "+d"(d) : "b"(7), "c"(8), "r"(b) : MEM);
  check("lock cmpxchg8b, failure", P({0x50, 2, 0xF}));
  CASE("lock addl across lanes", P({0x58, 1, 0x8}, {0x5C, 1, 0x7}), "lock addl $9, 0x5B(%0)" ::"r"(b) : MEM);
}

// --- string operations ------------------------------------------------------------------
static void strings(uint32_t b) {
  uint32_t to, from, n;
  struct packet p[64];
  begin();
  to = b + 0x100, n = 16;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x57056705) : "memory");
  for (uint32_t i = 0; i < 16; i++) p[i] = (struct packet){0x100 + 4 * i, 1, 0xF};
  check("rep stosl, 16", (struct list){p, 16});
  begin();
  to = b + 0x140, n = 7;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0x5B) : "memory");
  for (uint32_t i = 0; i < 7; i++) p[i] = (struct packet){0x140 + (i & ~3u), 1, 1u << i % 4};
  check("rep stosb, 7", (struct list){p, 7});
  begin();
  to = b + 0x160, from = (uint32_t)pattern, n = 8;
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  for (uint32_t i = 0; i < 8; i++) p[i] = (struct packet){0x160 + 4 * i, 1, 0xF};
  check("rep movsl, 8", (struct list){p, 8});
  begin();
  to = b + 0x182, from = (uint32_t)pattern, n = 3;
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsl, 3, to offset 2", P({0x180, 1, 0xC}, {0x184, 1, 0x3}, {0x184, 1, 0xC}, {0x188, 1, 0x3},
                                       {0x188, 1, 0xC}, {0x18C, 1, 0x3}));
  begin();
  to = b + 0x1A1, from = (uint32_t)pattern, n = 5;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  for (uint32_t i = 0; i < 5; i++) p[i] = (struct packet){0x1A0 + ((i + 1) & ~3u), 1, 1u << (i + 1) % 4};
  check("rep movsb, 5", (struct list){p, 5});
  begin();
  to = b + 0x1CC, from = (uint32_t)pattern + 12, n = 4;
  __asm__ volatile("std\n\trep movsl\n\tcld" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsl downwards, 4", P({0x1CC, 1, 0xF}, {0x1C8, 1, 0xF}, {0x1C4, 1, 0xF}, {0x1C0, 1, 0xF}));
  begin();
  to = b + 0x1E0, from = b + 0x160, n = 4;  // mapped to mapped: only the stores count
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsl from a mapped page, 4",
        P({0x1E0, 1, 0xF}, {0x1E4, 1, 0xF}, {0x1E8, 1, 0xF}, {0x1EC, 1, 0xF}));
  begin();
  to = b + 0x1F0, n = 0;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(1) : "memory");
  check("rep stosl, none", NONE);
  begin();
  from = b + 0x160, n = 8;
  __asm__ volatile("repe scasl" : "+D"(from), "+c"(n) : "a"(1) : MEM);
  check("scas only reads", NONE);
  // insl stores too: two words that a port gives (the SNI's and the system board's ID).
  begin();
  to = b + 0x1F0, n = 2;
  __asm__ volatile("rep insl" : "+D"(to), "+c"(n) : "d"(0x0C80) : "memory");
  check("rep insl, 2", P({0x1F0, 1, 0xF}, {0x1F4, 1, 0xF}));
}

// --- the stack on a mapped page -----------------------------------------------------------
static void stack(uint32_t b) {
  uint32_t save;
#define ON_STACK(at, code) "movl %%esp, %0\n\tleal " at "(%1), %%esp\n\t" code "\n\tmovl %0, %%esp"
  CASE("pushl twice", P({0x2FC, 1, 0xF}, {0x2F8, 1, 0xF}), ON_STACK("0x300", "pushl %1\n\tpushl $-2")
       : "=&r"(save)
       : "r"(b)
       : MEM);
  CASE("pushw", P({0x2FC, 1, 0xC}), ON_STACK("0x300", "pushw $0x1234") : "=&r"(save) : "r"(b) : MEM);
  CASE("call and ret", P({0x2FC, 1, 0xF}), ON_STACK("0x300", "call 2f\n\tjmp 3f\n2:\tret\n3:")
       : "=&r"(save)
       : "r"(b)
       : MEM);
  CASE("pushal: eight words",
       P({0x33C, 1, 0xF}, {0x338, 1, 0xF}, {0x334, 1, 0xF}, {0x330, 1, 0xF}, {0x32C, 1, 0xF}, {0x328, 1, 0xF},
         {0x324, 1, 0xF}, {0x320, 1, 0xF}),
       ON_STACK("0x340", "pushal")
       : "=&r"(save)
       : "r"(b)
       : MEM);
  CASE("pushfl and popl to memory", P({0x34C, 1, 0xF}, {0x350, 1, 0xF}),
       ON_STACK("0x350", "pushfl\n\tpopl 0x350(%1)")
       : "=&r"(save)
       : "r"(b)
       : MEM);
  CASE("enter $8, $0", P({0x35C, 1, 0xF}),
       "movl %%ebp, %%edx\n\tmovl %%esp, %0\n\tleal 0x360(%1), %%esp\n\t"
       "enter $8, $0\n\tmovl %%edx, %%ebp\n\tmovl %0, %%esp"
       : "=&r"(save)
       : "r"(b)
       : MEM, "edx");
}

// --- what the processor stores itself -------------------------------------------------------
// Handlers that add as little as they can.
extern const uint8_t h_return[], h_skip[], h_skip_error[], h_tick[], h_task[];
__asm__(
    ".text\n"
    "h_return: iret\n"
    "h_skip: addl $2, (%esp)\n\tiret\n"
    "h_skip_error: addl $4, %esp\n\taddl $2, (%esp)\n\tiret\n"
    "h_tick: pushl %eax\n\tmovb $0x20, %al\n\toutb %al, $0x20\n\tpopl %eax\n\tiret\n"
    "h_task: iret\n\tjmp h_task\n");

struct table {
  uint16_t limit;
  uint32_t base;
} __attribute__((packed));

// Returns what it was.
static uint64_t gate(unsigned vector, uint64_t entry) {
  struct table idt;
  __asm__ volatile("sidt %0" : "=m"(idt));
  uint64_t *g = (uint64_t *)(idt.base + 8 * vector), was = *g;
  *g = entry;
  return was;
}
static uint64_t interrupt_gate(const uint8_t *handler) {
  return (uint64_t)((uint32_t)handler & 0xFFFF0000u) << 32 | 0x8E0000080000u | ((uint32_t)handler & 0xFFFF);
}
static void no_handler(void) {}

// A frame from 0xB80 downwards: flags, CS, EIP.
#define FRAME {0xB7C, 1, 0xF}, {0xB78, 1, 0xF}, {0xB74, 1, 0xF}
#define PUSHED(name, packets, code) CASE(name, packets, ON_STACK("0xB80", code) : "=&r"(save) : "r"(b) : MEM)
static void frames(uint32_t b) {
  enum { BREAKPOINT = 3, OPCODE = 6, PROTECTION = 13, TICK = 32, SOFTWARE = 47 };
  uint32_t save;
  const uint64_t was[] = {gate(BREAKPOINT, interrupt_gate(h_return)), gate(OPCODE, interrupt_gate(h_skip)),
                          gate(PROTECTION, interrupt_gate(h_skip_error)), gate(TICK, interrupt_gate(h_tick)),
                          gate(SOFTWARE, interrupt_gate(h_return))};
  PUSHED("int3", P(FRAME), "int3");
  PUSHED("int n", P(FRAME), "int $47");
  PUSHED("ud2, skipped", P(FRAME, {0xB74, 1, 0xF}), "ud2");
  PUSHED("int n beyond the table: #GP, skipped", P(FRAME, {0xB70, 1, 0xF}, {0xB74, 1, 0xF}), "int $60");
  rt_irq(0, false, no_handler);
  outb(0x43, 0x30);  // the timer's output rises once
  outb(0x40, 0xFF);
  outb(0x40, 0x0F);
  PUSHED("a timer interrupt", P(FRAME, {0xB70, 1, 0xF}), "sti\n\thlt\n\tcli");
  rt_irq(0, false, NULL);
  gate(BREAKPOINT, was[0]), gate(OPCODE, was[1]), gate(PROTECTION, was[2]), gate(TICK, was[3]), gate(SOFTWARE, was[4]);
}

// A task's state, 104 bytes, in the order in which QEMU stores it; the segments are halves of words.
#define STATE {0xC20, 1, 0xF}, {0xC24, 1, 0xF}, {0xC28, 1, 0xF}, {0xC2C, 1, 0xF}, {0xC30, 1, 0xF}, {0xC34, 1, 0xF}, \
    {0xC38, 1, 0xF}, {0xC3C, 1, 0xF}, {0xC40, 1, 0xF}, {0xC44, 1, 0xF}, {0xC48, 1, 0x3}, {0xC4C, 1, 0x3}, \
    {0xC50, 1, 0x3}, {0xC54, 1, 0x3}, {0xC58, 1, 0x3}, {0xC5C, 1, 0x3}
static void tasks(uint32_t b) {
  enum { SOFTWARE = 47, CODE = 0x08, DATA = 0x10, UNUSED = 0x18, OUR_TASK = 0x20, TASK = 0x28, AT_GDT = 0xD00, AT_TASK = 0xC00 };
  static uint32_t task[26], stack[16];
  struct table old, gdt = {0x2F, b + AT_GDT};
  uint32_t cr3;
  __asm__ volatile("sgdt %0" : "=m"(old));
  __asm__ volatile("movl %%cr3, %0" : "=r"(cr3));
  // The table, too, lies on the mapped page.
  const uint64_t *const flat = (const uint64_t *)old.base;
  const uint32_t ours = b + AT_TASK, theirs = (uint32_t)task;
  const uint64_t entries[6] = {0, flat[1], flat[2], flat[2] & ~(1ull << 40),
                               (uint64_t)(ours >> 24) << 56 | 0x890000000000u | (uint64_t)(ours & 0xFFFFFF) << 16 | 103,
                               (uint64_t)(theirs >> 24) << 56 | 0x890000000000u | (uint64_t)(theirs & 0xFFFFFF) << 16 | 103};
  for (unsigned i = 0; i < 12; i++) prepare(b, AT_GDT + 4 * i, ((const uint32_t *)entries)[i]);
  prepare(b, AT_TASK + 0x1C, cr3);
  task[7] = cr3, task[8] = (uint32_t)h_task, task[9] = 2, task[14] = (uint32_t)(stack + 16);
  for (unsigned i = 18; i < 24; i++) task[i] = i == 19 ? CODE : DATA;
  __asm__ volatile("lgdt %0" ::"m"(gdt));
  CASE("the accessed bit of a segment", P({AT_GDT + UNUSED + 4, 1, 0xF}),
       "movl $0x18, %%eax\n\tmovl %%eax, %%gs\n\tmovl %%ds, %%eax\n\tmovl %%eax, %%gs" ::: MEM, "eax");
  CASE("the busy bit of a task", P({AT_GDT + OUR_TASK + 4, 1, 0xF}), "ltr %w0" ::"r"(OUR_TASK) : MEM);
  const uint64_t was = gate(SOFTWARE, 0x850000000000u | (uint64_t)TASK << 16);
  // There and back: the other task's descriptor becomes busy, and is free again.
  CASE("a task gate", P(STATE, {AT_GDT + TASK + 4, 1, 0xF}, {AT_GDT + TASK + 4, 1, 0xF}), "int $47\n\tclts" ::: MEM);
  CASE("a call of a task", P(STATE, {AT_GDT + TASK + 4, 1, 0xF}, {AT_GDT + TASK + 4, 1, 0xF}), "lcall $0x28, $0\n\tclts" ::: MEM);
  gate(SOFTWARE, was);
  __asm__ volatile("lgdt %0" ::"m"(old));
}

// --- wide stores ----------------------------------------------------------------------------
static void wide(uint32_t b) {
  const uint8_t *q = pattern;
  CASE("movups, aligned", P({0x400, 2, 0xF}, {0x408, 2, 0xF}),
       "movups (%1), %%xmm0\n\tmovups %%xmm0, 0x400(%0)" ::"r"(b), "r"(q)
       : MEM);
  CASE("movups to 4", P({0x424, 1, 0xF}, {0x428, 2, 0xF}, {0x430, 1, 0xF}),
       "movups %%xmm0, 0x424(%0)" ::"r"(b)
       : MEM);
  CASE("movups to 2", P({0x440, 1, 0xC}, {0x444, 1, 0xF}, {0x448, 2, 0xF}, {0x450, 1, 0x3}),
       "movups %%xmm0, 0x442(%0)" ::"r"(b)
       : MEM);
  CASE("movntdq", P({0x460, 2, 0xF}, {0x468, 2, 0xF}), "movntdq %%xmm0, 0x460(%0)" ::"r"(b) : MEM);
  CASE("movaps", P({0x470, 2, 0xF}, {0x478, 2, 0xF}), "movaps %%xmm0, 0x470(%0)" ::"r"(b) : MEM);
  CASE("movlps", P({0x480, 2, 0xF}), "movlps %%xmm0, 0x480(%0)" ::"r"(b) : MEM);
  CASE("movhps to 4", P({0x48C, 1, 0xF}, {0x490, 1, 0xF}), "movhps %%xmm0, 0x48C(%0)" ::"r"(b) : MEM);
  CASE("movss", P({0x498, 1, 0xF}), "movss %%xmm0, 0x498(%0)" ::"r"(b) : MEM);
  CASE("fstps", P({0x4A0, 1, 0xF}), "fld1\n\tfstps 0x4A0(%0)" ::"r"(b) : MEM);
  CASE("fstpl", P({0x4A8, 2, 0xF}), "fld1\n\tfstpl 0x4A8(%0)" ::"r"(b) : MEM);
  CASE("fstpl to 4", P({0x4B4, 1, 0xF}, {0x4B8, 1, 0xF}), "fldpi\n\tfstpl 0x4B4(%0)" ::"r"(b) : MEM);
  CASE("fstpl to 3", P({0x4C0, 1, 0x8}, {0x4C4, 1, 0xF}, {0x4C8, 1, 0x7}), "fldpi\n\tfstpl 0x4C3(%0)" ::"r"(b)
       : MEM);
  // 80 bits: the significand's eight bytes, then the exponent's two.
  CASE("fstpt", P({0x4D0, 2, 0xF}, {0x4D8, 1, 0x3}), "fldpi\n\tfstpt 0x4D0(%0)" ::"r"(b) : MEM);
  CASE("fistps, 16 bits", P({0x4E0, 1, 0xC}), "fldpi\n\tfistps 0x4E2(%0)" ::"r"(b) : MEM);
  CASE("fistpll", P({0x4E8, 2, 0xF}), "fldpi\n\tfistpll 0x4E8(%0)" ::"r"(b) : MEM);
  CASE("movq of MMX", P({0x4F0, 2, 0xF}), "movq (%1), %%mm0\n\tmovq %%mm0, 0x4F0(%0)\n\temms" ::"r"(b), "r"(q)
       : MEM);
}

// --- two pages ------------------------------------------------------------------------------
// Window pages: w0 -> source 0, w1 -> source 2, w2 -> plain 0, w3 -> source 1, w4 absent.
// source[0] and source[2] are not neighbours in memory: the second part belongs to another page.
static const uint32_t w = RT_WINDOW;
static void crossing(void) {
  CASE("movl across two mapped pages", P({0x0FFC, 1, 0xC}, {0x2000, 1, 0x3}), "movl %1, 0xFFE(%0)" ::"r"(w),
       "r"(0xC1C2C3C4)
       : MEM);
  CASE("movw across two mapped pages", P({0x0FFC, 1, 0x8}, {0x2000, 1, 0x1}), "movw %1, 0xFFF(%0)" ::"r"(w),
       "r"((uint16_t)0xD1D2)
       : MEM);
  CASE("fstpl across two mapped pages", P({0x0FFC, 1, 0xF}, {0x2000, 1, 0xF}),
       "fldpi\n\tfstpl 0xFFC(%0)" ::"r"(w)
       : MEM);
  CASE("movups across, 5 and 11 bytes",
       P({0x0FF8, 1, 0x8}, {0x0FFC, 1, 0xF}, {0x2000, 2, 0xF}, {0x2008, 1, 0x7}),
       "movups %%xmm0, 0xFFB(%0)" ::"r"(w)
       : MEM);
  CASE("mapped, then not", P({0x2FFC, 1, 0xE}), "movl %1, 0x1FFD(%0)" ::"r"(w), "r"(0xE1E2E3E4) : MEM);
  CASE("not, then mapped", P({0x1000, 1, 0x7}), "movl %1, 0x2FFF(%0)" ::"r"(w), "r"(0xF1F2F3F4) : MEM);
  CASE("lock addl across two mapped pages", P({0x0FFC, 1, 0xE}, {0x2000, 1, 0x1}),
       "lock addl $0x01010101, 0xFFD(%0)" ::"r"(w)
       : MEM);
  uint32_t save;
  const uint64_t was = gate(3, interrupt_gate(h_return));
  CASE("int3 across two mapped pages",
       P({0x2000, 1, 0xC}, {0x2004, 1, 0x3}, {0x0FFC, 1, 0xC}, {0x2000, 1, 0x3}, {0x0FF8, 1, 0xC}, {0x0FFC, 1, 0x3}),
       ON_STACK("0x1006", "int3")
       : "=&r"(save)
       : "r"(w)
       : MEM);
  gate(3, was);
  uint32_t to = w + 0xFF8, n = 4;
  begin();
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x57570000) : "memory");
  check("rep stosl across two mapped pages",
        P({0x0FF8, 1, 0xF}, {0x0FFC, 1, 0xF}, {0x2000, 1, 0xF}, {0x2004, 1, 0xF}));
  begin();
  to = w + 0x1FFA, n = 3;
  __asm__ volatile("rep stosw" : "+D"(to), "+c"(n) : "a"(0x5353) : "memory");
  check("rep stosw up to the end of a mapped page", P({0x2FF8, 1, 0xC}, {0x2FFC, 1, 0x3}, {0x2FFC, 1, 0xC}));
}

// The first mapped page of all, from the one before it, whose bytes stay.
static void from_below(void) {
  const uint32_t low = (uint32_t)source[0] - 2;
  CASE("not, then the lowest mapped page", P({0x0000, 1, 0x3}),
       "movl %1, (%0)" ::"r"(low), "r"(*(const volatile uint16_t *)low | 0xA7A80000)
       : MEM);
}

// --- page faults ------------------------------------------------------------------------------
static unsigned faults;
static uint32_t map_to, skip_to;  // what the handler does: map the page, or leave the block
static bool on_fault(struct frame *f) {
  faults++;
  if (faults > 8) return false;
  if (skip_to)
    f->eip = skip_to;
  else
    rt_map(cr2() & ~0xFFFu, map_to, RT_WRITE);
  return true;
}
static void absent(uint32_t at, const void *page) {
  rt_map(at, 0, RT_ABSENT);
  map_to = (uint32_t)page, skip_to = 0, faults = 0;
}

static void faulting(void) {
  const uint32_t a = w + 0x4000;
  rt_on_trap(14, on_fault);
#define FAULT_CASE(name, n, packets, ...) \
  do {                                    \
    CASE(name, packets, __VA_ARGS__);     \
    is(faults, n, name ": page faults");  \
  } while (0)
  absent(a, source[3]);
  FAULT_CASE("movl restarted after a page fault", 1, P({0x3010, 1, 0xF}), "movl %1, 0x10(%0)" ::"r"(a),
             "r"(0x01020304)
             : MEM);
  absent(a, source[3]);
  FAULT_CASE("lock xaddl restarted", 1, P({0x3020, 1, 0xF}), "lock xaddl %%eax, 0x20(%0)" ::"r"(a), "a"(5)
             : MEM);
  absent(a, source[3]);
  FAULT_CASE("cmpxchg8b restarted", 1, P({0x3028, 2, 0xF}), "cmpxchg8b 0x28(%0)" ::"r"(a), "a"(0), "d"(0),
             "b"(1), "c"(2)
             : MEM);
  absent(a, source[3]);
  FAULT_CASE("three stores, the second restarted", 1, P({0x0600, 1, 0xF}, {0x3030, 1, 0xF}, {0x0604, 1, 0xF}),
             "movl %2, 0x600(%1)\n\tmovl %2, 0x30(%0)\n\tmovl %2, 0x604(%1)" ::"r"(a), "r"(w), "r"(0x33333333)
             : MEM);
  // Read-only page: the same instruction reads, then may not write.
  rt_map(a, (uint32_t)source[3], RT_READ);
  map_to = (uint32_t)source[3], faults = 0;
  FAULT_CASE("addl to a read-only page restarted", 1, P({0x3034, 1, 0xF}), "addl $1, 0x34(%0)" ::"r"(a)
             : MEM);
  // Window page 4 follows page 3 (source 1): a store across both, the second absent.
  absent(a, source[3]);
  FAULT_CASE("movl across, the second page absent, restarted", 1, P({0x1FFC, 1, 0xC}, {0x3000, 1, 0x3}),
             "movl %1, -2(%0)" ::"r"(a), "r"(0x56575859)
             : MEM);
  absent(a, source[3]);
  FAULT_CASE("movups across, the second page absent, restarted", 1, P({0x1FF8, 2, 0xF}, {0x3000, 2, 0xF}),
             "movups %%xmm0, -8(%0)" ::"r"(a)
             : MEM);
  rt_map(w + 0x3000, 0, RT_ABSENT);
  rt_map(a, (uint32_t)source[3], RT_WRITE);
  map_to = (uint32_t)source[1], skip_to = 0, faults = 0;
  FAULT_CASE("movl across, the first page absent, restarted", 1, P({0x1FFC, 1, 0x8}, {0x3000, 1, 0x7}),
             "movl %1, -1(%0)" ::"r"(a), "r"(0x66676869)
             : MEM);

  // Blocks that a fault leaves early: what stands after it must not count.
  absent(a, source[3]);
  begin();
  __asm__ volatile(
      "movl $1f, %0\n\t"
      "movl %2, 0x610(%1)\n\tmovl %2, 0x614(%1)\n\t"
      "movl %2, 0x40(%3)\n\t"
      "movl %2, 0x618(%1)\n\tmovl %2, 0x61C(%1)\n"
      "1:"
      : "=m"(skip_to)
      : "r"(w), "r"(0x61616161), "r"(a)
      : MEM);
  check("five stores, left at the third", P({0x0610, 1, 0xF}, {0x0614, 1, 0xF}));
  is(faults, 1, "by one fault");
  absent(a, source[3]);
  begin();
  __asm__ volatile(
      "movl $1f, %0\n\t"
      "movl %1, %%edi\n\tmovl %1, 0x620(%1)\n\tmovl 0x44(%2), %%edi\n\tmovl %1, 0x624(%1)\n"
      "1:"
      : "=m"(skip_to)
      : "r"(w), "r"(a)
      : MEM, "edi");
  check("two stores, left by a load between them", P({0x0620, 1, 0xF}));
  is(faults, 1, "by one fault");
  absent(a, source[3]);
  rt_on_trap(0, on_fault);
  begin();
  __asm__ volatile(
      "movl $1f, %0\n\t"
      "xorl %%edx, %%edx\n\txorl %%edi, %%edi\n\t"
      "movl %1, 0x630(%1)\n\tdivl %%edi\n\tmovl %1, 0x634(%1)\n"
      "1:"
      : "=m"(skip_to)
      : "r"(w)
      : MEM, "eax", "edx", "edi");
  check("two stores, left by a division between them", P({0x0630, 1, 0xF}));
  is(faults, 1, "by one exception");

  // String instructions interrupted in the middle, then continued.
  absent(a, source[3]);
  uint32_t to = a - 12, n = 8;
  begin();
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x71717171) : "memory");
  check("rep stosl, 8, a fault after 3",
        P({0x1FF4, 1, 0xF}, {0x1FF8, 1, 0xF}, {0x1FFC, 1, 0xF}, {0x3000, 1, 0xF}, {0x3004, 1, 0xF},
          {0x3008, 1, 0xF}, {0x300C, 1, 0xF}, {0x3010, 1, 0xF}));
  is(faults, 1, "one fault");
  // The source becomes absent: after two words read from the page before it.
  for (uint32_t i = 0; i < 8; i++)
    ((volatile uint32_t *)plain[1])[1022 + i] = 0x81818100 + i;  // into plain[2]
  rt_map(w + 0x5000, (uint32_t)plain[1], RT_WRITE);
  rt_map(w + 0x6000, 0, RT_ABSENT);
  map_to = (uint32_t)plain[2], skip_to = 0, faults = 0;
  uint32_t from = w + 0x5FF8;
  to = w + 0x700, n = 4;
  begin();
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsl, 4, the source absent after 2",
        P({0x0700, 1, 0xF}, {0x0704, 1, 0xF}, {0x0708, 1, 0xF}, {0x070C, 1, 0xF}));
  is(faults, 1, "one fault");
  absent(a, source[3]);
  from = (uint32_t)pattern, to = a - 2, n = 5;
  begin();
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsb, 5, a fault after 2",
        P({0x1FFC, 1, 4}, {0x1FFC, 1, 8}, {0x3000, 1, 1}, {0x3000, 1, 2}, {0x3000, 1, 4}));
  is(faults, 1, "one fault");
  absent(a, source[3]);
  from = (uint32_t)pattern, to = a - 2, n = 2;
  begin();
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  check("rep movsl, 2, the first across into the absent page",
        P({0x1FFC, 1, 0xC}, {0x3000, 1, 0x3}, {0x3000, 1, 0xC}, {0x3004, 1, 0x3}));
  is(faults, 1, "one fault");
}

// --- code beside data -------------------------------------------------------------------------
static void self_modifying(void) {
  // In a mapped page: movl $1, %eax; ret. Writing the code is two stores, patching it one.
  volatile uint8_t *code = (volatile uint8_t *)(w + 0x800);
  uint32_t got;
  begin();
  *(volatile uint32_t *)code = 0x000001B8;
  *(volatile uint32_t *)(code + 4) = 0x9090C300;
  check("code stored into a mapped page", P({0x0800, 1, 0xF}, {0x0804, 1, 0xF}));
  for (uint32_t round = 0; round < 4; round++) {
    uint8_t want = (uint8_t)(0x21 + round);
    begin();
    __asm__ volatile("movb %b2, 1(%1)\n\tcall *%1" : "=a"(got) : "r"(code), "q"((uint32_t)want) : "memory");
    check("patched and called", P({0x0800, 1, 0x2}));
    is(got, want, "the new code ran");
  }
  // A block that stores into itself: QEMU abandons the translation in mid-block and starts the
  // store again; on the bus it is one store. movb $imm, 7(%edi); movl $0, %eax; ret, at 0x900:
  //   C6 47 05 5A | B8 00 00 00 00 | C3     byte 5 is the constant's first
  static const uint8_t block[] = {0xC6, 0x47, 0x05, 0x5A, 0xB8, 0, 0, 0, 0, 0xC3, 0x90, 0x90};
  for (uint32_t i = 0; i < sizeof block; i++) source[0][0x900 + i] = block[i];
  settle();
  for (uint32_t i = 0; i < sizeof block; i++) image[0][0x900 + i] = block[i];
  for (uint32_t round = 0; round < 3; round++) {
    begin();
    __asm__ volatile("call *%1" : "=a"(got) : "D"(w + 0x900) : "memory");
    check("a block that stores into itself", P({0x0904, 1, 0x2}));
    is(got, 0x5A, "and sees it");
  }
  // A store to a mapped page that code lies in, from code elsewhere, 16 times.
  uint32_t to = w + 0xA00;
  begin();
  __asm__ volatile("movl $16, %%ecx\n1:\tmovl %%ecx, (%0)\n\taddl $4, %0\n\tloop 1b"
                   : "+r"(to)::"ecx", "memory");
  struct packet p[16];
  for (uint32_t i = 0; i < 16; i++) p[i] = (struct packet){0x0A00 + 4 * i, 1, 0xF};
  check("16 stores into a page that holds code", (struct list){p, 16});
}

int program(void) {
  boards_start();
  for (unsigned i = 0; i < 4; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], AU_PLAIN);
  }
  uint32_t b = (uint32_t)source[0];
  moves(b);
  modify(b);
  strings(b);
  stack(b);
  frames(b);
  tasks(b);
  wide(b);
  from_below();
  rt_paging();
  rt_map(w, (uint32_t)source[0], RT_WRITE);
  rt_map(w + 0x1000, (uint32_t)source[2], RT_WRITE);
  rt_map(w + 0x2000, (uint32_t)plain[0], RT_WRITE);
  rt_map(w + 0x3000, (uint32_t)source[1], RT_WRITE);
  say("# paging on: the same through virtual addresses\n");
  moves(w);
  modify(w);
  strings(w);
  frames(w);
  tasks(w);
  wide(w);
  crossing();
  faulting();
  self_modifying();
  return done_testing();
}
