// SPDX-License-Identifier: GPL-2.0-or-later
// exact - every way a processor stores, counted as the Pentium's bus shows it.
//
// The bus has lanes of eight bytes: an access that lies in one aligned lane is one cycle, one
// that crosses into the next lane is two. A cycle's whole words that lie together are one packet
// of one or two words; a word of which only some bytes are written is a packet of its own, with
// its byte enables.
//
// The stores themselves run with nothing but registers beside them; the expected packets of each
// are written in its row by hand. Word count, trace and SNI are compared for every case.
//
// A MULTIKRON, if there is one, counts meanwhile.
#include "../rt/boards.h"
#include "../rt/mk.h"

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

#define WORD(at) {at, 1, 0xF}
#define TWO(at) {at, 2, 0xF}
#define PART(at, be) {at, 1, be}
#define P(...)                                         \
  ((struct list){(const struct packet[]){__VA_ARGS__}, \
                 sizeof((struct packet[]){__VA_ARGS__}) / sizeof(struct packet)})
#define NONE ((struct list){NULL, 0})

// n packets of so many bytes, 1 or 4, one after the other.
static struct list run(uint32_t at, uint32_t n, uint32_t bytes) {
  static struct packet p[16];
  for (uint32_t i = 0; i < n; i++, at += bytes) p[i] = (struct packet){at & ~3u, 1, bytes == 4 ? 0xF : 1u << at % 4};
  return (struct list){p, n};
}

// The code runs with these registers, and with `b`, the page's address, in %ebx. %eax is another value in each case where none is given.
static struct regs {
  uint32_t a, c, d, si, di;
} after;
static uint32_t value = 0xA1B2C3D4;
#define CASE(name, packets, code, ...)                                                    \
  do {                                                                                    \
    struct regs r = {__VA_ARGS__};                                                        \
    if (!r.a) r.a = value += 0x9E3779B9;                                                  \
    begin();                                                                              \
    __asm__ volatile(code                                                                 \
                     : "+a"(r.a), "+c"(r.c), "+d"(r.d), "+S"(r.si), "+D"(r.di)            \
                     : "b"(b)                                                             \
                     : "memory", "cc");                                                   \
    after = r;                                                                            \
    check(name, packets);                                                                 \
  } while (0)

static const uint8_t pattern[64] __attribute__((aligned(64))) = {
    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xF0, 0x0F,
    0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87, 0x98, 0xA9, 0xBA, 0xCB, 0xDC, 0xED, 0xFE, 0x01, 0x10};
#define PATTERN .si = (uint32_t)pattern

// --- moves, aligned and not ---------------------------------------------------------
static void moves(uint32_t b) {
  CASE("movl to 0", P(WORD(0)), "movl %%eax, (%%ebx)");
  CASE("movl to 1", P(PART(0, 0xE), PART(4, 0x1)), "movl %%eax, 1(%%ebx)");
  CASE("movl to 6", P(PART(4, 0xC), PART(8, 0x3)), "movl %%eax, 6(%%ebx)");
  CASE("movw to 3", P(PART(0x10, 0x8), PART(0x14, 0x1)), "movw %%ax, 0x13(%%ebx)");
  for (uint32_t i = 0; i < 4; i++) CASE("movb", P(PART(0x20, 1u << i)), "movb %%al, 0x20(%%ebx, %%ecx)", .c = i);
  CASE("four movb in one word", P(PART(0x24, 1), PART(0x24, 2), PART(0x24, 4), PART(0x24, 8)),
       "movb $1, 0x24(%%ebx)\n\tmovb $2, 0x25(%%ebx)\n\tmovb $3, 0x26(%%ebx)\n\tmovb $4, 0x27(%%ebx)");
  CASE("last word of the page", P(WORD(0xFFC)), "movl %%eax, 0xFFC(%%ebx)");
  CASE("sete", P(PART(0x28, 0x2)), "sete 0x29(%%ebx)");
  CASE("movnti", P(WORD(0x2C)), "movnti %%eax, 0x2C(%%ebx)");
}

// --- read-modify-write ----------------------------------------------------------------
static void modify(uint32_t b) {
  const volatile uint32_t *const word = (const volatile uint32_t *)b;
  CASE("addl to memory", P(WORD(0x40)), "addl $5, 0x40(%%ebx)");
  CASE("lock incl", P(WORD(0x40)), "lock incl 0x40(%%ebx)");
  CASE("notl", P(WORD(0x40)), "notl 0x40(%%ebx)");
  CASE("orb", P(PART(0x40, 0x4)), "orb $0x55, 0x42(%%ebx)");
  CASE("lock btsl", P(WORD(0x44)), "lock btsl $7, 0x44(%%ebx)");
  CASE("lock btsl of a set bit", P(WORD(0x44)), "lock btsl $7, 0x44(%%ebx)");
  CASE("btl only reads", NONE, "btl $7, 0x44(%%ebx)");
  CASE("cmpl only reads", NONE, "cmpl $7, 0x44(%%ebx)");
  CASE("xchgl", P(WORD(0x48)), "xchgl %%eax, 0x48(%%ebx)");
  CASE("xchgw", P(PART(0x48, 0xC)), "xchgw %%ax, 0x4A(%%ebx)");
  CASE("lock xaddl", P(WORD(0x48)), "lock xaddl %%eax, 0x48(%%ebx)", .a = 3);
  CASE("xaddl", P(WORD(0x48)), "xaddl %%eax, 0x48(%%ebx)", .a = 4);
  // The processor gives cmpxchg a write cycle in any case: with the new value or the old one.
#define EXCHANGES(lock, first, then)                                                                                             \
  CASE(lock "cmpxchgl, success", P(WORD(0x48)), lock "cmpxchgl %%ecx, 0x48(%%ebx)", .a = first, .c = then);                       \
  is(word[0x48 / 4], then, "it exchanged");                                                                                      \
  CASE(lock "cmpxchgl, failure", P(WORD(0x48)), lock "cmpxchgl %%ecx, 0x48(%%ebx)", .a = 1, .c = 88);                             \
  is(word[0x48 / 4], then, "it did not exchange")
  EXCHANGES("", word[0x48 / 4], 77);
  EXCHANGES("lock ", 77, 99);
  CASE("cmpxchgb, failure", P(PART(0x4C, 0x8)), "cmpxchgb %%cl, 0x4F(%%ebx)", .a = 0xEE, .c = 1);
  prepare(b, 0x50, 1);
  prepare(b, 0x54, 0);
  CASE("cmpxchg8b, success", P(TWO(0x50)), "cmpxchg8b 0x50(%%ebx)", .a = 1, .c = 0x0DEFACED);
  CASE("cmpxchg8b, failure", P(TWO(0x50)), "cmpxchg8b 0x50(%%ebx)", .a = 1, .c = 4);
  CASE("lock cmpxchg8b, success", P(TWO(0x50)), "lock cmpxchg8b 0x50(%%ebx)", .a = b, .d = 0x0DEFACED, .c = 6);
  is(*(volatile uint64_t *)(b + 0x50), 6ull << 32 | b, "it exchanged");
  CASE("lock cmpxchg8b, failure", P(TWO(0x50)), "lock cmpxchg8b 0x50(%%ebx)", .a = 1, .c = 8);
  CASE("lock addl across lanes", P(PART(0x58, 0x8), PART(0x5C, 0x7)), "lock addl $9, 0x5B(%%ebx)");
}

// --- string operations ------------------------------------------------------------------
static void strings(uint32_t b) {
  CASE("rep stosl, 16", run(0x100, 16, 4), "rep stosl", .di = b + 0x100, .c = 16);
  CASE("rep stosb, 7", run(0x140, 7, 1), "rep stosb", .di = b + 0x140, .c = 7);
  CASE("rep movsl, 8", run(0x160, 8, 4), "rep movsl", .di = b + 0x160, .c = 8, PATTERN);
  CASE("rep movsl, 3, to offset 2", P(PART(0x180, 0xC), PART(0x184, 0x3), PART(0x184, 0xC), PART(0x188, 0x3), PART(0x188, 0xC), PART(0x18C, 0x3)),
       "rep movsl", .di = b + 0x182, .c = 3, PATTERN);
  CASE("rep movsb, 5", run(0x1A1, 5, 1), "rep movsb", .di = b + 0x1A1, .c = 5, PATTERN);
  CASE("rep movsl downwards, 4", P(WORD(0x1CC), WORD(0x1C8), WORD(0x1C4), WORD(0x1C0)), "std\n\trep movsl\n\tcld", .di = b + 0x1CC, .c = 4,
       .si = (uint32_t)pattern + 12);
  // Mapped to mapped: only the stores count.
  CASE("rep movsl from a mapped page, 4", run(0x1E0, 4, 4), "rep movsl", .di = b + 0x1E0, .c = 4, .si = b + 0x160);
  CASE("rep stosl, none", NONE, "rep stosl", .di = b + 0x1F0);
  CASE("scas only reads", NONE, "repe scasl", .di = b + 0x160, .c = 8, .a = 1);
  // insl stores too: two words that a port gives (the SNI's and the system board's ID).
  CASE("rep insl, 2", run(0x1F0, 2, 4), "rep insl", .di = b + 0x1F0, .c = 2, .d = 0x0C80);
}

// --- the stack on a mapped page -----------------------------------------------------------
#define ON_STACK(at, code) "movl %%esp, %%esi\n\tleal " at "(%%ebx), %%esp\n\t" code "\n\tmovl %%esi, %%esp"
static void stack(uint32_t b) {
  CASE("pushl twice", P(WORD(0x2FC), WORD(0x2F8)), ON_STACK("0x300", "pushl %%ebx\n\tpushl $-2"));
  CASE("pushw", P(PART(0x2FC, 0xC)), ON_STACK("0x300", "pushw $0x1234"));
  CASE("call and ret", P(WORD(0x2FC)), ON_STACK("0x300", "call 2f\n\tjmp 3f\n2:\tret\n3:"));
  CASE("pushal: eight words", P(WORD(0x33C), WORD(0x338), WORD(0x334), WORD(0x330), WORD(0x32C), WORD(0x328), WORD(0x324), WORD(0x320)),
       ON_STACK("0x340", "pushal"));
  CASE("pushfl and popl to memory", P(WORD(0x34C), WORD(0x350)), ON_STACK("0x350", "pushfl\n\tpopl 0x350(%%ebx)"));
  CASE("enter $8, $0", P(WORD(0x35C)), "movl %%ebp, %%edx\n\t" ON_STACK("0x360", "enter $8, $0\n\tmovl %%edx, %%ebp"));
}

// --- what the processor stores itself -------------------------------------------------------
// Handlers that add as little as they can.
extern const uint8_t h_return[], h_skip[], h_skip_error[], h_tick[], h_untrap[], h_task[];
uint32_t early_ticks;  // of a host that was busy: free-running, it may give the processor to others between two instructions
__asm__(
    ".text\n"
    "h_return: iret\n"
    "h_skip: addl $2, (%esp)\n\tiret\n"
    "h_skip_error: addl $4, %esp\n\taddl $2, (%esp)\n\tiret\n"
    // A tick that found the processor elsewhere than in hlt would never wake it: the timer runs again.
    "h_tick: pushl %eax\n\tmovb $0x20, %al\n\toutb %al, $0x20\n\tmovl 4(%esp), %eax\n\tcmpb $0xF4, -1(%eax)\n\tje 1f\n\t"
    "incl early_ticks\n\tmovb $0xFF, %al\n\toutb %al, $0x40\n\tmovb $0x0F, %al\n\toutb %al, $0x40\n"
    "1: popl %eax\n\tiret\n"
    "h_untrap: andb $0xFE, 9(%esp)\n\tiret\n"
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
// One interrupt from now on; one that waits already goes to h_tick, which starts the timer anew.
static void start_timer(void) {
  outb(0x43, 0x30);
  outb(0x40, 0xFF);
  outb(0x40, 0x0F);
  __asm__ volatile("sti\n\tnop\n\tcli" ::: "memory");
  early_ticks = 0;
}

// A frame from 0xB80 downwards: flags, CS, EIP.
#define FRAME WORD(0xB7C), WORD(0xB78), WORD(0xB74)
// What came first, a tick for each early one, and what came then.
static struct list with_early_ticks(struct list first, struct list tick, struct list then) {
  static struct packet p[64];
  struct list all = {p, 0};
  for (uint32_t part = 0; part < 2 + early_ticks; part++) {
    const struct list *const of = part == 0 ? &first : part <= early_ticks ? &tick : &then;
    for (uint32_t i = 0; i < of->n && all.n < 64; i++) p[all.n++] = of->p[i];
  }
  return all;
}
static void frames(uint32_t b) {
  enum { DEBUG = 1, BREAKPOINT = 3, OPCODE = 6, PROTECTION = 13, TICK = 32, SOFTWARE = 47 };
  const uint64_t was[] = {gate(BREAKPOINT, interrupt_gate(h_return)), gate(OPCODE, interrupt_gate(h_skip)),
                          gate(PROTECTION, interrupt_gate(h_skip_error)), gate(TICK, interrupt_gate(h_tick)),
                          gate(SOFTWARE, interrupt_gate(h_return))};
  CASE("int3", P(FRAME), ON_STACK("0xB80", "int3"));
  CASE("int n", P(FRAME), ON_STACK("0xB80", "int $47"));
  CASE("ud2, skipped", P(FRAME, WORD(0xB74)), ON_STACK("0xB80", "ud2"));
  CASE("int n beyond the table: #GP, skipped", P(FRAME, WORD(0xB70), WORD(0xB74)), ON_STACK("0xB80", "int $60"));
  rt_irq(0, false, no_handler);
  start_timer();
  CASE("a timer interrupt", P(FRAME, WORD(0xB70)), ON_STACK("0xB80", "sti\n\thlt\n\tcli"));
  // QEMU makes the trap's frame past the boards (plugins/taps.h); its handler clears TF there.
  const uint64_t debug = gate(DEBUG, interrupt_gate(h_untrap));
  start_timer();
  CASE("a single-step trap behind hlt", with_early_ticks(P(WORD(0xB7C), WORD(0xB7C)), P(FRAME, WORD(0xB70)), P(PART(0xB7C, 0x2), FRAME, WORD(0xB70))),
       ON_STACK("0xB80", "pushfl\n\torl $0x300, (%%esp)\n\tpopfl\n\thlt\n\tcli"));
  gate(DEBUG, debug);
  rt_irq(0, false, NULL);
  gate(BREAKPOINT, was[0]), gate(OPCODE, was[1]), gate(PROTECTION, was[2]), gate(TICK, was[3]), gate(SOFTWARE, was[4]);
}

// A task's state, 104 bytes, in the order in which QEMU stores it; the segments are halves of words.
#define STATE WORD(0xC20), WORD(0xC24), WORD(0xC28), WORD(0xC2C), WORD(0xC30), WORD(0xC34), WORD(0xC38), WORD(0xC3C), WORD(0xC40), WORD(0xC44), \
    PART(0xC48, 0x3), PART(0xC4C, 0x3), PART(0xC50, 0x3), PART(0xC54, 0x3), PART(0xC58, 0x3), PART(0xC5C, 0x3)
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
  CASE("the accessed bit of a segment", P(WORD(AT_GDT + UNUSED + 4)), "movl $0x18, %%eax\n\tmovl %%eax, %%gs\n\tmovl %%ds, %%eax\n\tmovl %%eax, %%gs");
  CASE("the busy bit of a task", P(WORD(AT_GDT + OUR_TASK + 4)), "ltr %%ax", .a = OUR_TASK);
  const uint64_t was = gate(SOFTWARE, 0x850000000000u | (uint64_t)TASK << 16);
  // There and back: the other task's descriptor becomes busy, and is free again.
  CASE("a task gate", P(STATE, WORD(AT_GDT + TASK + 4), WORD(AT_GDT + TASK + 4)), "int $47\n\tclts");
  CASE("a call of a task", P(STATE, WORD(AT_GDT + TASK + 4), WORD(AT_GDT + TASK + 4)), "lcall $0x28, $0\n\tclts");
  gate(SOFTWARE, was);
  __asm__ volatile("lgdt %0" ::"m"(old));
}

// --- wide stores ----------------------------------------------------------------------------
static void wide(uint32_t b) {
  CASE("movups, aligned", P(TWO(0x400), TWO(0x408)), "movups (%%esi), %%xmm0\n\tmovups %%xmm0, 0x400(%%ebx)", PATTERN);
  CASE("movups to 4", P(WORD(0x424), TWO(0x428), WORD(0x430)), "movups %%xmm0, 0x424(%%ebx)");
  CASE("movups to 2", P(PART(0x440, 0xC), WORD(0x444), TWO(0x448), PART(0x450, 0x3)), "movups %%xmm0, 0x442(%%ebx)");
  CASE("movlps", P(TWO(0x480)), "movlps %%xmm0, 0x480(%%ebx)");
  CASE("movhps to 4", P(WORD(0x48C), WORD(0x490)), "movhps %%xmm0, 0x48C(%%ebx)");
  CASE("movss", P(WORD(0x498)), "movss %%xmm0, 0x498(%%ebx)");
  CASE("fstps", P(WORD(0x4A0)), "fld1\n\tfstps 0x4A0(%%ebx)");
  CASE("fstpl", P(TWO(0x4A8)), "fld1\n\tfstpl 0x4A8(%%ebx)");
  CASE("fstpl to 3", P(PART(0x4C0, 0x8), WORD(0x4C4), PART(0x4C8, 0x7)), "fldpi\n\tfstpl 0x4C3(%%ebx)");
  // 80 bits: the significand's eight bytes, then the exponent's two.
  CASE("fstpt", P(TWO(0x4D0), PART(0x4D8, 0x3)), "fldpi\n\tfstpt 0x4D0(%%ebx)");
  CASE("fistps, 16 bits", P(PART(0x4E0, 0xC)), "fldpi\n\tfistps 0x4E2(%%ebx)");
  CASE("fistpll", P(TWO(0x4E8)), "fldpi\n\tfistpll 0x4E8(%%ebx)");
  CASE("movq of MMX", P(TWO(0x4F0)), "movq (%%esi), %%mm0\n\tmovq %%mm0, 0x4F0(%%ebx)\n\temms", PATTERN);
}

// --- two pages ------------------------------------------------------------------------------
// Window pages: w0 -> source 0, w1 -> source 2, w2 -> plain 0, w3 -> source 1, w4 absent.
// source[0] and source[2] are not neighbours in memory: the second part belongs to another page.
static const uint32_t w = RT_WINDOW;
static void crossing(uint32_t b) {
  CASE("movl across two mapped pages", P(PART(0x0FFC, 0xC), PART(0x2000, 0x3)), "movl %%eax, 0xFFE(%%ebx)");
  CASE("movw across two mapped pages", P(PART(0x0FFC, 0x8), PART(0x2000, 0x1)), "movw %%ax, 0xFFF(%%ebx)");
  CASE("fstpl across two mapped pages", P(WORD(0x0FFC), WORD(0x2000)), "fldpi\n\tfstpl 0xFFC(%%ebx)");
  CASE("movups across, 5 and 11 bytes", P(PART(0x0FF8, 0x8), WORD(0x0FFC), TWO(0x2000), PART(0x2008, 0x7)), "movups %%xmm0, 0xFFB(%%ebx)");
  CASE("mapped, then not", P(PART(0x2FFC, 0xE)), "movl %%eax, 0x1FFD(%%ebx)");
  CASE("not, then mapped", P(PART(0x1000, 0x7)), "movl %%eax, 0x2FFF(%%ebx)");
  CASE("lock addl across two mapped pages", P(PART(0x0FFC, 0xE), PART(0x2000, 0x1)), "lock addl $0x01010101, 0xFFD(%%ebx)");
  const uint64_t was = gate(3, interrupt_gate(h_return));
  CASE("int3 across two mapped pages",
       P(PART(0x2000, 0xC), PART(0x2004, 0x3), PART(0x0FFC, 0xC), PART(0x2000, 0x3), PART(0x0FF8, 0xC), PART(0x0FFC, 0x3)), ON_STACK("0x1006", "int3"));
  gate(3, was);
  CASE("rep stosl across two mapped pages", P(WORD(0x0FF8), WORD(0x0FFC), WORD(0x2000), WORD(0x2004)), "rep stosl", .di = b + 0xFF8, .c = 4);
  CASE("rep stosw up to the end of a mapped page", P(PART(0x2FF8, 0xC), PART(0x2FFC, 0x3), PART(0x2FFC, 0xC)), "rep stosw", .di = b + 0x1FFA, .c = 3);
}

// The first mapped page of all, from the one before it, whose bytes stay.
static void from_below(uint32_t b) {
  CASE("not, then the lowest mapped page", P(PART(0x0000, 0x3)), "movl %%eax, (%%ebx)", .a = *(const volatile uint16_t *)b | 0xA7A80000);
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

// A page that the handler maps, or a block that it leaves: what stands behind is not counted.
#define FAULT(name, packets, code, ...)         \
  do {                                          \
    CASE(name, packets, code, ##__VA_ARGS__);   \
    is(faults, 1, name ": faults");             \
  } while (0)
#define ABSENT(name, packets, code, ...)        \
  do {                                          \
    absent(b, source[3]);                       \
    FAULT(name, packets, code, ##__VA_ARGS__);  \
  } while (0)
#define LEFT "movl $1f, (%%esi)\n\t"
#define LEAVES .si = (uint32_t)&skip_to, .di = w

static void faulting(uint32_t b) {
  rt_on_trap(14, on_fault);
  ABSENT("movl restarted after a page fault", P(WORD(0x3010)), "movl %%eax, 0x10(%%ebx)");
  ABSENT("lock xaddl restarted", P(WORD(0x3020)), "lock xaddl %%eax, 0x20(%%ebx)", .a = 5);
  ABSENT("cmpxchg8b restarted", P(TWO(0x3010)), "cmpxchg8b 0x10(%%ebx)", .a = value, .c = 2);
  ABSENT("three stores, the second restarted", P(WORD(0x0600), WORD(0x3030), WORD(0x0604)),
         "movl %%eax, 0x600(%%edi)\n\tmovl %%eax, 0x30(%%ebx)\n\tmovl %%eax, 0x604(%%edi)", .di = w);
  // Read-only page: the same instruction reads, then may not write.
  rt_map(b, (uint32_t)source[3], RT_READ);
  map_to = (uint32_t)source[3], faults = 0;
  FAULT("addl to a read-only page restarted", P(WORD(0x3034)), "addl $1, 0x34(%%ebx)");
  // Window page 4 follows page 3 (source 1): a store across both, the second absent.
  ABSENT("movl across, the second page absent, restarted", P(PART(0x1FFC, 0xC), PART(0x3000, 0x3)), "movl %%eax, -2(%%ebx)");
  ABSENT("movups across, the second page absent, restarted", P(TWO(0x1FF8), TWO(0x3000)), "movups %%xmm0, -8(%%ebx)");
  rt_map(w + 0x3000, 0, RT_ABSENT);
  rt_map(b, (uint32_t)source[3], RT_WRITE);
  map_to = (uint32_t)source[1], skip_to = 0, faults = 0;
  FAULT("movl across, the first page absent, restarted", P(PART(0x1FFC, 0x8), PART(0x3000, 0x7)), "movl %%eax, -1(%%ebx)");

  ABSENT("five stores, left at the third", P(WORD(0x0610), WORD(0x0614)),
         LEFT "movl %%eax, 0x610(%%edi)\n\tmovl %%eax, 0x614(%%edi)\n\tmovl %%eax, 0x40(%%ebx)\n\t"
         "movl %%eax, 0x618(%%edi)\n\tmovl %%eax, 0x61C(%%edi)\n1:", LEAVES);
  ABSENT("two stores, left by a load between them", P(WORD(0x0620)),
         LEFT "movl %%eax, 0x620(%%edi)\n\tmovl 0x44(%%ebx), %%ecx\n\tmovl %%eax, 0x624(%%edi)\n1:", LEAVES);
  rt_on_trap(0, on_fault);
  ABSENT("two stores, left by a division between them", P(WORD(0x0630)),
         LEFT "movl %%eax, 0x630(%%edi)\n\tdivl %%ecx\n\tmovl %%eax, 0x634(%%edi)\n1:", LEAVES, .c = 0);

  // String instructions interrupted in the middle, then continued.
  ABSENT("rep stosl, 8, a fault after 3",
         P(WORD(0x1FF4), WORD(0x1FF8), WORD(0x1FFC), WORD(0x3000), WORD(0x3004), WORD(0x3008), WORD(0x300C), WORD(0x3010)), "rep stosl", .di = b - 12, .c = 8);
  ABSENT("rep movsb, 5, a fault after 2", P(PART(0x1FFC, 4), PART(0x1FFC, 8), PART(0x3000, 1), PART(0x3000, 2), PART(0x3000, 4)), "rep movsb",
         .di = b - 2, .c = 5, PATTERN);
  ABSENT("rep movsl, 2, the first across into the absent page", P(PART(0x1FFC, 0xC), PART(0x3000, 0x3), PART(0x3000, 0xC), PART(0x3004, 0x3)), "rep movsl",
         .di = b - 2, .c = 2, PATTERN);
  // The source becomes absent: after two words read from the page before it.
  for (uint32_t i = 0; i < 8; i++)
    ((volatile uint32_t *)plain[1])[1022 + i] = 0x81818100 + i;  // into plain[2]
  rt_map(w + 0x5000, (uint32_t)plain[1], RT_WRITE);
  rt_map(w + 0x6000, 0, RT_ABSENT);
  map_to = (uint32_t)plain[2], skip_to = 0, faults = 0;
  FAULT("rep movsl, 4, the source absent after 2", run(0x700, 4, 4), "rep movsl", .di = w + 0x700, .c = 4, .si = w + 0x5FF8);
}

// --- code beside data -------------------------------------------------------------------------
static void self_modifying(uint32_t b) {
  // In a mapped page: movl $1, %eax; ret. Writing the code is two stores, patching it one.
  CASE("code stored into a mapped page", P(WORD(0x0800), WORD(0x0804)), "movl $0x000001B8, 0x800(%%ebx)\n\tmovl $0x9090C300, 0x804(%%ebx)");
  for (uint32_t round = 0; round < 4; round++) {
    CASE("patched and called", P(PART(0x0800, 0x2)), "movb %%cl, 1(%%edi)\n\tcall *%%edi", .c = 0x21 + round, .di = b + 0x800);
    is(after.a, 0x21 + round, "the new code ran");
  }
  // A block that stores into itself: QEMU abandons the translation in mid-block and starts the
  // store again; on the bus it is one store. movb $imm, 7(%edi); movl $0, %eax; ret, at 0x900:
  //   C6 47 05 5A | B8 00 00 00 00 | C3     byte 5 is the constant's first
  static const uint8_t block[] = {0xC6, 0x47, 0x05, 0x5A, 0xB8, 0, 0, 0, 0, 0xC3, 0x90, 0x90};
  for (uint32_t i = 0; i < sizeof block; i++) source[0][0x900 + i] = block[i];
  settle();
  for (uint32_t i = 0; i < sizeof block; i++) image[0][0x900 + i] = block[i];
  for (uint32_t round = 0; round < 3; round++) {
    CASE("a block that stores into itself", P(PART(0x0904, 0x2)), "call *%%edi", .di = b + 0x900);
    is(after.a, 0x5A, "and sees it");
  }
  // A store to a mapped page that code lies in, from code elsewhere, 16 times.
  CASE("16 stores into a page that holds code", run(0x0A00, 16, 4), "1:\tmovl %%ecx, (%%edi)\n\taddl $4, %%edi\n\tloop 1b", .di = b + 0xA00, .c = 16);
}

static void anywhere(uint32_t b) {
  moves(b);
  modify(b);
  strings(b);
  frames(b);
  tasks(b);
  wide(b);
}

int program(void) {
  struct mk mk;
  boards_start();
  if (mk_find(0, &mk)) {
    mk_start_external(&mk);
    mk_put(&mk, MKR_ENABLE, 0xffff);
  }
  for (unsigned i = 0; i < 4; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], AU_PLAIN);
  }
  anywhere((uint32_t)source[0]);
  stack((uint32_t)source[0]);
  from_below((uint32_t)source[0] - 2);
  rt_paging();
  rt_map(w, (uint32_t)source[0], RT_WRITE);
  rt_map(w + 0x1000, (uint32_t)source[2], RT_WRITE);
  rt_map(w + 0x2000, (uint32_t)plain[0], RT_WRITE);
  rt_map(w + 0x3000, (uint32_t)source[1], RT_WRITE);
  say("# paging on: the same through virtual addresses\n");
  anywhere(w);
  crossing(w);
  faulting(w + 0x4000);
  self_modifying(w);
  return done_testing();
}
