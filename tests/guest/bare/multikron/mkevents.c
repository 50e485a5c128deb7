// SPDX-License-Identifier: GPL-2.0-or-later
// mkevents - MULTIKRON's external inputs connected to event sources: each way a processor executes, loads,
// stores, branches, faults and misses, counted exactly. The counts of each case are written beside it by hand.
//
// A case's code runs between a store to ENABLE and one to DISABLE. What the same frame counts around no
// code at all is subtracted.
//
// With -DPOWER2 the counters are those of the POWER2 performance monitor, and the stores are to MMCR; the MULTIKRON card is then a device
// to access. What has been read is said ("# read"): multikron_run compares it with a second plugin's counts (tests/guest/oracle).
#include "../rt/mk.h"
#ifdef POWER2
#include "../power2/p2.h"
#endif

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // counts that are left out are 0

// The inputs, as tests/guest/bare/meson.build connects them.
enum { INSNS, LOADS, STORES, BRANCHES, EXCEPTIONS, INTERRUPTS, DCACHE, TLB, PAGES, WORD, LOADS_0, FETCHES, SOURCES };
static const char *const names[SOURCES] = {"instructions", "loads", "stores", "branches", "exceptions", "interrupts",
                                           "dcache-misses", "tlb-misses", "pages", "one word", "loads:0", "icache-misses"};
#define RANGE 0x02000000u  // pages: its first 8 KB; word: RANGE + 0x800..0x803
enum { PAGE = 4096 };

static struct mk mk;
static bool free_running;
static uint32_t frame_counts[SOURCES];

struct counts {
  uint32_t insns, loads, stores, branches, exceptions;
};
static uint32_t seen[SOURCES];

#ifdef POWER2
// FXU's group 8, ICU's 0, SCU's 9: as program() finds them.
#define ON "$0x809, (%%ebx)"
#define OFF "$0x80000809, (%%ebx)"
enum { MMCR = 0x809 };
static uint32_t control;  // what EBX is in the frame
enum { COUNTED = INTERRUPTS + 1 };
static unsigned counter[COUNTED];

static void find_counters(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  const uint32_t mmcr = p2_of_accesses(counter);
  if (mmcr != MMCR) bail(RT_NO_BOARD, "MMCR would be %x", mmcr);
  control = p2.little + P2R_OWN + P2R_MMCR;
}
static void read_counts(void) {
  for (unsigned i = 0; i < COUNTED; i++) {
    seen[i] = own_get(P2R_COUNTER(counter[i]));
    say("# read %u %u\n", 100 + counter[i], seen[i]);
    own_put(P2R_COUNTER(counter[i]), 0);
  }
  seen[LOADS_0] = seen[LOADS];
}
#else
#define ON "$0xffff, (%%ebx)"
#define OFF "$0xffff, 8(%%ebx)"  // DISABLE is the next address, 8 bytes on
static uint32_t control;
static void find_counters(void) {
  mk_start_external(&mk);
  mk_put(&mk, MKR_RRESET, 0xffff);
  control = mk.eight + 8 * MKR_ENABLE;
}
static void read_counts(void) {
  for (unsigned i = 0; i < SOURCES; i++) seen[i] = (uint32_t)mk_get64(&mk, MKR_COUNTER(i));
  mk_put(&mk, MKR_RRESET, 0xffff);
}
#endif

// The jump begins a block.
#define FRAME(...)                                                               \
  "movl " ON "\n\tjmp 77f\n77:\n\t" __VA_ARGS__ "\n\tmovl " OFF "\n\t"           \
  :"+a"(a), "+c"(c), "+d"(d), "+S"(s), "+D"(t)                                   \
  :"b"(control)                                                                  \
  :"memory", "cc"
#define RUN(...)                     \
  do {                               \
    __asm__ volatile(FRAME(__VA_ARGS__)); \
    read_counts();                   \
    (void)a, (void)c, (void)d, (void)s, (void)t; \
  } while (0)
#define REGISTERS(S, T) uint32_t a = 0, c = 0, d = 0, s = (uint32_t)(S), t = (uint32_t)(T)

static bool same(const char *name, unsigned source, uint32_t expected) {
  const uint32_t n = seen[source] - frame_counts[source];
  if (n == expected) return true;
  say("# %s: %s: expected %d, seen %d\n", name, names[source], (int)expected, (int)n);
  return false;
}

static void check(const char *name, struct counts e) {
  bool good = same(name, INSNS, e.insns);
  good &= same(name, LOADS, e.loads);
  good &= same(name, STORES, e.stores);
  good &= same(name, BRANCHES, e.branches);
  good &= same(name, EXCEPTIONS, e.exceptions);
  good &= same(name, LOADS_0, e.loads);
  ok(good, "%s: %u instructions, %u loads, %u stores, %u branches, %u exceptions", name, e.insns, e.loads, e.stores,
     e.branches, e.exceptions);
}

static uint32_t memory[4 * PAGE / 4] __attribute__((aligned(4096)));

// CASE(name, {counts}, code): esi and edi point into memory, 256 bytes apart; ecx and edx are 0.
#define CASE(name, expected, ...) CASE_AT(memory, memory + 64, name, expected, __VA_ARGS__)
#define CASE_AT(S, T, name, expected, ...)     \
  do {                                         \
    REGISTERS(S, T);                           \
    RUN(__VA_ARGS__);                          \
    check(name, (struct counts)EXPAND expected); \
  } while (0)
#define EXPAND(...) {__VA_ARGS__}

// --- plain code -----------------------------------------------------------------------
static void plain(void) {
  CASE("five that do nothing", (5), "nop\n\tnop\n\tmovl %%eax, %%eax\n\tleal 1(%%edx), %%edx\n\tnop");
  CASE("a load, a store", (2, 1, 1), "movl (%%esi), %%eax\n\tmovl %%eax, (%%edi)");
  CASE("read and write", (1, 1, 1), "addl $1, (%%esi)");
  CASE("locked", (3, 3, 3), "lock incl (%%esi)\n\txchgl %%eax, (%%esi)\n\tlock cmpxchgl %%ecx, (%%edi)");
  CASE("a compare-and-exchange that fails", (2, 1, 1), "movl $99, %%eax\n\tcmpxchgl %%ecx, (%%edi)");
  CASE("unaligned", (2, 1, 1), "movl 3(%%esi), %%eax\n\tmovl %%eax, 6(%%edi)");
  CASE("across a page", (2, 1, 1), "movl 4094(%%esi), %%eax\n\tmovl %%eax, 8189(%%esi)");
  CASE("push, pop", (2, 1, 1), "pushl %%eax\n\tpopl %%eax");
  CASE("push from memory, pop to memory", (2, 2, 2), "pushl (%%esi)\n\tpopl (%%edi)");
  CASE("pusha, popa", (2, 7, 8), "pushal\n\tpopal");  // popa leaves out ESP
  CASE("a loop", (201, 0, 0, 100), "movl $100, %%ecx\n1:\tdecl %%ecx\n\tjnz 1b");
  CASE("loop", (11, 0, 0, 10), "movl $10, %%ecx\n1:\tloop 1b");
  CASE("jecxz", (2, 0, 0, 2), "jecxz 1f\n1:\tjecxz 2f\n2:");
  CASE("call, return", (3, 1, 1, 3), "call 1f\n\tjmp 2f\n1:\tret\n2:");
  CASE("call through memory", (5, 2, 2, 3), "movl $1f, (%%esi)\n\tcall *(%%esi)\n\tjmp 2f\n1:\tnop\n\tret\n2:");
  // Nothing has faulted: an observer that looks at the stack is not to take these for a fault.
  CASE("a jump above what a fault pushes", (5, 0, 3, 1),
       "pushl $2\n\tpushl $8\n\tpushl $1f\n1:\tjmp 2f\n\tnop\n2:\taddl $12, %%esp");
  CASE("a jump to a register's address above half of it", (6, 0, 3, 1),
       "movl $2f, %%eax\n\tpushl $0\n\tpushl $8\n\tpushl $1f\n1:\tjmp *%%eax\n\tnop\n2:\taddl $12, %%esp");
  CASE("not taken", (3, 0, 0, 2), "cmpl %%eax, %%eax\n\tjne 1f\n\tjb 1f\n1:");
  CASE("SSE, x87", (4, 2, 2), "movups (%%esi), %%xmm0\n\tmovups %%xmm0, (%%edi)\n\tflds (%%esi)\n\tfstps (%%edi)");
}

static void strings(void) {
  CASE("movs, stos, lods, scas, cmps once each", (5, 5, 2), "movsl\n\tstosl\n\tlodsl\n\tscasl\n\tcmpsl");
  // As QEMU counts: each iteration, and one that finds ECX zero.
  CASE("rep stosl, 8", (1 + 8 + 1, 0, 8), "movl $8, %%ecx\n\trep stosl");
  CASE("rep movsb, 5", (1 + 5 + 1, 5, 5), "movl $5, %%ecx\n\trep movsb");
  CASE("rep lodsl, 0", (1 + 1), "movl $0, %%ecx\n\trep lodsl");
  CASE("repe cmpsb, 6", (2 + 6 + 1, 12), "movl %%esi, %%edi\n\tmovl $6, %%ecx\n\trepe cmpsb");
  CASE("rep movsl across pages", (2 + 8 + 1, 8, 8), "movl $8, %%ecx\n\tleal 4086(%%esi), %%edi\n\trep movsl");
  CASE("insb", (2, 0, 1), "movl $0x61, %%edx\n\tinsb");
  CASE("rep insb, 4", (2 + 4 + 1, 0, 4), "movl $0x61, %%edx\n\tmovl $4, %%ecx\n\trep insb");
  CASE("rep outsb, 3", (2 + 3 + 1, 3), "movl $0x80, %%edx\n\tmovl $3, %%ecx\n\trep outsb");
  // Free-running: where QEMU comes back to the instruction, and where the condition ends it (plugins/README.md).
  const uint32_t more = free_running;
  CASE("rep lodsb, 70,000", (1 + 70000 + 1 + more, 70000), "movl $70000, %%ecx\n\trep lodsb");
  CASE("rep lodsb, 140,000", (1 + 140000 + 1 + 2 * more, 140000), "movl $140000, %%ecx\n\trep lodsb");
#define SCAS(n) "movl $" #n ", %%ecx\n\tmovb $1, 1(%%edi)\n\tmovb $90, %%al\n\tmovb %%al, (%%edi)\n\trepe scasb"
  CASE("repe scasb, ended by its condition after 2 of 9", (4 + 2 + more, 2, 2), SCAS(9));
  CASE("repe scasb, ended by its condition after 2 of 2", (4 + 2 + more, 2, 2), SCAS(2));
  CASE("repe scasb, 1", (4 + 1 + 1, 1, 2), SCAS(1));
}

// --- devices: QEMU makes such an instruction twice when it stands in the middle of a block --------
static void devices(void) {
  // ebx + 40: a source address register, or a counter that nobody reads: it takes whatever is written.
  CASE("a device's register read among others", (3, 1), "nop\n\tmovl 40(%%ebx), %%eax\n\tnop");
  CASE("written", (3, 0, 1), "nop\n\tmovl %%eax, 40(%%ebx)\n\tnop");
  CASE("read and written", (3, 1, 1), "nop\n\taddl $1, 40(%%ebx)\n\tnop");
  CASE("copied from memory", (4, 1, 1), "nop\n\tleal 40(%%ebx), %%edi\n\tmovsl\n\tnop");
  CASE("copied to memory", (4, 1, 1), "nop\n\tleal 40(%%ebx), %%esi\n\tmovsl\n\tnop");
  CASE_AT(memory, mk.four + MKR_AT4(MKR_SOURCE(0)), "four copied, repeated", (1 + 4 + 1, 4, 4), "movl $4, %%ecx\n\trep movsl");
  CASE("pushed", (3, 2, 1), "nop\n\tpushl 40(%%ebx)\n\tpopl %%eax");
  CASE("popped", (3, 1, 2), "nop\n\tpushl %%eax\n\tpopl 40(%%ebx)");
  CASE("a port", (3), "nop\n\tinb $0x61, %%al\n\tnop");
}

// The card holds the processor, which makes its instruction again.
static unsigned delayed(void) {
  const uint32_t trace = mk.four + 4 * MKR_SAMPLE_TRACE(0);
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_SOURCE(0), 1);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  mk_put(&mk, MKR_WAIT, 0);
  CASE_AT(memory, trace, "40 delayed stores", (1 + 120, 0, 40, 40), "movl $40, %%ecx\n1:\tmovl %%ecx, (%%edi)\n\tdecl %%ecx\n\tjnz 1b");
  CASE_AT(memory, trace, "16 delayed copies, repeated", (1 + 16 + 1, 16, 16), "movl $16, %%ecx\n\trep movsl");
  CASE_AT(memory, trace, "20 times popped and copied", (1 + 120, 60, 60, 20),
          "movl $20, %%ecx\n1:\tpushl (%%esi)\n\tpopl (%%edi)\n\tmovsl\n\tsubl $4, %%edi\n\tsubl $4, %%esi\n\tloop 1b");
  ok(free_running || mk_get(&mk, MKR_WAIT) > 1000, "they waited %u cycles", mk_get(&mk, MKR_WAIT));
  mk_put(&mk, MKR_CSR, MKR_CSR_SEOFF);
  return 40 + 16 + 40;
}

// --- exceptions: handlers of a known length ---------------------------------------------------------
// An IRET reads three words of the stack and CS's descriptor in two halves.
enum { IRET_LOADS = 3 + 2 };
static uint32_t *fix_at;  // the page table's entry, and what the handler makes of it
static uint32_t fix_value;
extern uint8_t h_return[], h_skip2[], h_skip2_error[], h_map[], h_leave[], h_tick[];
__asm__(
    ".text\n"
    "h_return: iret\n"
    "h_skip2: addl $2, (%esp)\n\tiret\n"
    "h_skip2_error: addl $4, %esp\n\taddl $2, (%esp)\n\tiret\n"
    "h_map: pushl %eax\n\tpushl %edx\n\tmovl fix_at, %eax\n\tmovl fix_value, %edx\n\tmovl %edx, (%eax)\n\t"
    "popl %edx\n\tpopl %eax\n\taddl $4, %esp\n\tiret\n"
    "h_tick: pushl %eax\n\tincl ticks\n\tmovb $0x20, %al\n\toutb %al, $0x20\n\tpopl %eax\n\tiret\n");
enum { MAP_INSNS = 9, MAP_LOADS = 4 + IRET_LOADS, MAP_STORES = 3 };
volatile uint32_t ticks __asm__("ticks");
static void keep(void) { __asm__ volatile("" ::"m"(fix_at), "m"(fix_value)); }

static void exceptions(void) {
  rt_gate(3, h_return);
  rt_gate(0x2f, h_return);
  rt_gate(6, h_skip2);
  rt_gate(0, h_skip2);
  rt_gate(11, h_skip2_error);
  rt_gate(13, h_skip2_error);
  CASE("int3", (2, IRET_LOADS, 0, 1, 1), "int3");
  CASE("int n", (2, IRET_LOADS, 0, 1, 1), "int $0x2f");
  CASE("ud2, skipped", (3, 1 + IRET_LOADS, 1, 1, 1), "ud2\n\tnop");
  CASE("a division by zero, skipped", (4, 1 + IRET_LOADS, 1, 1, 1), "nop\n\tdivl %%ecx\n\tnop");
  CASE("a privileged port range", (2), "inb $0x61, %%al\n\tnop");
  // Vector 60 is beyond the table: #GP instead of the interrupt.
  CASE("int n that faults, skipped", (4, 1 + IRET_LOADS, 1, 1, 1), "int $60\n\tnop");
  // A selector outside the table: a branch that does not come about.
  CASE("a far jump that faults, skipped", (6, 3 + IRET_LOADS, 3, 1, 1),
       "movl $0, (%%esi)\n\tmovl $0x1230, 4(%%esi)\n\tljmpl *(%%esi)\n\tnop");
}

static uint32_t *pte(uint32_t virtual_address) {
  uint32_t cr3;
  __asm__ volatile("movl %%cr3, %0" : "=r"(cr3));
  const uint32_t directory = ((uint32_t *)cr3)[virtual_address >> 22];
  return (uint32_t *)(directory & ~0xfffu) + (virtual_address >> 12 & 1023);
}

#define W RT_WINDOW
static void absent(uint32_t at, const void *page, unsigned rights) {
  rt_map(at, (uint32_t)page, rights);
  fix_at = pte(at);
  fix_value = (uint32_t)page | RT_WRITE;
}
// FAULT(name, {counts without the handler}, code): page W + 0x1000 is absent; esi points to it, edi to memory.
#define FAULT(name, expected, ...) FAULT_AT(RT_ABSENT, name, expected, __VA_ARGS__)
#define FAULT_AT(rights, name, expected, ...)                        \
  do {                                                               \
    absent(W + PAGE, memory + PAGE / 4, rights);                     \
    REGISTERS(W + PAGE, memory + 64);                                \
    RUN(__VA_ARGS__);                                                \
    struct counts e = EXPAND expected;                               \
    e.insns += MAP_INSNS, e.loads += MAP_LOADS, e.stores += MAP_STORES; \
    e.branches++, e.exceptions++;                                    \
    check(name ", restarted after a page fault", e);                 \
  } while (0)

static void faults(void) {
  rt_gate(14, h_map);
  rt_map(W, (uint32_t)memory, RT_WRITE);
  FAULT("a load", (3, 1), "nop\n\tmovl (%%esi), %%eax\n\tnop");
  FAULT("a store", (3, 0, 1), "nop\n\tmovl %%eax, (%%esi)\n\tnop");
  FAULT("read and write", (1, 1, 1), "addl $1, (%%esi)");
  FAULT("locked", (1, 1, 1), "lock addl $1, (%%esi)");
  // May be read: the store alone faults. A load is made again; a locked instruction's two accesses are one.
  FAULT_AT(RT_READ, "a store to a read-only page", (1, 0, 1), "movl %%eax, (%%esi)");
  FAULT_AT(RT_READ, "read and write, the store", (1, 2, 1), "addl $1, (%%esi)");
  FAULT_AT(RT_READ, "locked, the store", (1, 1, 1), "lock addl $1, (%%esi)");
  FAULT_AT(RT_READ, "an exchange, the store", (1, 1, 1), "xchgl %%eax, (%%esi)");
  FAULT_AT(RT_READ, "locked, of eight bytes, the store", (1, 1, 1), "lock cmpxchg8b (%%esi)");
  FAULT_AT(RT_READ, "locked, across lines, the store", (1, 1, 1), "lock addl $1, 62(%%esi)");
  FAULT("a load across two pages", (1, 1), "movl -2(%%esi), %%eax");
  FAULT("a store across two pages", (1, 0, 1), "movl %%eax, -2(%%esi)");
  FAULT("second of three loads", (3, 3), "movl (%%edi), %%eax\n\tmovl (%%esi), %%eax\n\tmovl (%%edi), %%eax");
  absent(W + PAGE, memory + PAGE / 4, RT_ABSENT);
  CASE_AT(W + PAGE, memory, "a call through memory, restarted", (5 + MAP_INSNS, 2 + MAP_LOADS, 2 + MAP_STORES, 3 + 1, 1),
          "movl $1f, %%eax\n\tmovl %%eax, 4096(%%edi)\n\tcall *(%%esi)\n\tjmp 2f\n1:\tret\n2:");
#ifndef POWER2
  FAULT("bytes of one store across two pages", (3, 0, 1),
        "leal -8(%%esi), %%edi\n\tpcmpeqb %%xmm1, %%xmm1\n\tmaskmovdqu %%xmm1, %%xmm0");
#endif
  FAULT("rep stosl, after 3 of 8", (2 + 8 + 1, 0, 8), "leal -12(%%esi), %%edi\n\tmovl $8, %%ecx\n\trep stosl");
  // The load is made again after the fault: it is a load.
  FAULT("a copy whose store faults", (3, 2, 1), "xchgl %%esi, %%edi\n\tmovsl\n\tnop");
  // The page of the code itself.
  absent(W + PAGE, memory + PAGE / 4, RT_ABSENT);
  memory[PAGE / 4] = 0x9090c390;  // nop; ret
  CASE_AT(W + PAGE, memory, "the code's own page", (4 + MAP_INSNS, 1 + MAP_LOADS, 1 + MAP_STORES, 2 + 1, 1), "call *%%esi\n\tnop");
}

// A block that stores into itself: QEMU gives the instruction up and makes it again.
static void self_modifying(void) {
  // addl $0, 16(%edi): 83 47 10 00; movl $0, %eax: b8 ..; ret
  static const uint8_t code[] = {0x83, 0x47, 0x05, 0x00, 0xb8, 1, 0, 0, 0, 0xc3};
  uint8_t *to = (uint8_t *)memory;
  for (unsigned i = 0; i < sizeof code; i++) to[i] = code[i];
  for (unsigned round = 0; round < 3; round++) CASE_AT(memory, memory, "a block that changes itself", (4, 2, 2, 2), "call *%%edi");
}

// --- interrupts ------------------------------------------------------------------------------------
static void unused(void) {}
static void interrupts(void) {
  enum { PIT = 1193 };
  outb(0x43, 0x34);
  outb(0x40, PIT & 255);
  outb(0x40, PIT >> 8);
  rt_irq(0, false, unused);
  rt_gate(32, h_tick);
  ticks = 0;
  REGISTERS(memory, memory);
  RUN("sti\n1:\tcmpl $20, ticks\n\tjb 1b\n\tcli");
  // At least 20: one more may come between the last comparison and CLI.
  ok(ticks >= 20, "%u timer interrupts, as their handler counted", ticks);
  is(seen[INTERRUPTS] - frame_counts[INTERRUPTS], ticks, "timer interrupts");
  same("interrupts are no exceptions", EXCEPTIONS, 0);
  const uint32_t stores = seen[STORES] - frame_counts[STORES];
  is(stores, 2 * ticks, "stores of the handler: EAX and the count");
  rt_irq(0, false, NULL);
}

#ifndef POWER2
// --- what helpers of QEMU's access: plugins/isa/x86/helped.def, a case for each row ---------------------
#define SAVED "movl $3, %%eax\n\txorl %%edx, %%edx\n\t"
#define FRAMED(x) "movl %%ebp, %%edx\n\tmovl %%esp, %%ecx\n\t" x "\n\tmovl %%ecx, %%esp\n\tmovl %%edx, %%ebp"
#define NO_ELEMENT "vpxor %%xmm1, %%xmm1, %%xmm1"
#define LOW_ELEMENTS "vpcmpeqd %%xmm1, %%xmm1, %%xmm1"
#define HIGH_ELEMENTS LOW_ELEMENTS "\n\tvperm2f128 $0x08, %%ymm1, %%ymm1, %%ymm1"
#define ALL_ELEMENTS "vpcmpeqd %%ymm1, %%ymm1, %%ymm1"
#define GATHERED "vpxor %%xmm3, %%xmm3, %%xmm3\n\t" LOW_ELEMENTS
#define GATE "movl $1f, %%eax\n\tmovzwl %%ax, %%ecx\n\torl $0x80000, %%ecx\n\tmovl %%ecx, descriptors + 56\n\tmovw $0x8c00, %%ax\n\tmovl %%eax, descriptors + 60"
#define BOUNDS "leal 4097(%%esi), %%eax\n\tmovl $0xd90, %%ecx\n\txorl %%edx, %%edx\n\twrmsr\n\tleal 1025(%%esi), %%eax\n\tmovl %%eax, 4096(%%esi)\n\txorl %%eax, %%eax\n\t.byte 0xf3, 0x0f, 0x1b, 0x00" /* BNDMK (%EAX), BND0 */

// Code, data, data that nobody has accessed, two tasks, an LDT, a call gate.
static uint64_t descriptors[] __asm__("descriptors") = {0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00cf92000000ffff, 0, 0, 0, 0};
static uint32_t tasks[2][26];
static void there_and_back(void) { __asm__ volatile("1: ljmp $0x20, $0\n\tjmp 1b"); }
static uint64_t system_descriptor(const void *base, uint64_t type, uint64_t last) {
  const uint64_t at = (uint32_t)base;
  return last | (at & 0xffffff) << 16 | type << 40 | (at >> 24) << 56;
}

static void helped(void) {
  const struct __attribute__((packed)) {
    uint16_t limit;
    uint32_t base;
  } gdt = {sizeof descriptors - 1, (uint32_t)descriptors};
  enum { EIP = 8, EFLAGS = 9, ESP = 14, ES = 18, CS = 19 };
  static uint32_t stack[64];
  for (unsigned i = 0; i < 2; i++) descriptors[4 + i] = system_descriptor(tasks[i], 0x89, sizeof tasks[i] - 1);
  descriptors[6] = system_descriptor(descriptors, 0x82, 7);
  for (unsigned i = ES; i < ES + 6; i++) tasks[1][i] = i == CS ? 8 : 16;
  tasks[1][EIP] = (uint32_t)there_and_back, tasks[1][EFLAGS] = 2, tasks[1][ESP] = (uint32_t)(stack + 64);
  __asm__ volatile("lgdt %0" ::"m"(gdt));
  // XSAVE, with all that it may save here but PKRU.
  __asm__ volatile("movl %%cr4, %%eax\n\torl $0x40000, %%eax\n\tmovl %%eax, %%cr4\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\tmovl $0x1f, %%eax\n\txsetbv" ::: "eax", "ecx", "edx");
#define PIECES(...)
#define ELSEWHERE(...)
#define HELPED(helper, name, tcg_loads, tcg_stores, loads, stores, before, code, why)                                      \
  do {                                                                                                                     \
    __asm__ volatile(before ::"S"(memory), "D"(memory + 64) : "eax", "ecx", "edx", "memory", "cc");                        \
    REGISTERS(memory, memory + 64);                                                                                        \
    RUN(code);                                                                                                             \
    const bool good = same(name, LOADS, loads) & same(name, STORES, stores);                                               \
    ok(good, "%s: %u loads, %u stores", name, loads, stores);                                                              \
  } while (0);
#include "plugins/isa/x86/helped.def"
}

// --- ranges of addresses ------------------------------------------------------------------------------
static void in_range(const char *name, uint32_t pages, uint32_t word) {
  const bool good = same(name, PAGES, pages) & same(name, WORD, word);
  ok(good, "%s: %u in the pages, %u in the word", name, pages, word);
}
#define RANGE_CASE(name, at, pages, word, ...) \
  do {                                         \
    REGISTERS(at, memory);                     \
    RUN(__VA_ARGS__);                          \
    in_range(name, pages, word);               \
  } while (0)

static void ranges(uint32_t r, const char *how) {
  say("# %s\n", how);
  RANGE_CASE("loads and stores", r, 3, 0, "movl (%%esi), %%eax\n\tmovl %%eax, 4(%%esi)\n\tmovb %%al, 8191(%%esi)");
  RANGE_CASE("read and write", r, 2, 2, "incl 0x800(%%esi)");
  RANGE_CASE("across its two pages", r, 1, 0, "movl %%eax, 4094(%%esi)");
  RANGE_CASE("bytes of one store, around the word", r, 1, 1,
             "leal 0x7fa(%%esi), %%edi\n\tpcmpeqb %%xmm1, %%xmm1\n\tmaskmovdqu %%xmm1, %%xmm0");
  RANGE_CASE("words that are loaded as they were stored", r, 14, 2, "fnstenv 0x7f8(%%esi)\n\tfldenv 0x7f8(%%esi)");
  RANGE_CASE("rep movsl within it", r, 16, 2,
             "leal 0x7f8(%%esi), %%edi\n\tleal 0x7f8(%%esi), %%esi\n\t"
             "movl $8, %%ecx\n\trep movsl");
}

// --- the cache ----------------------------------------------------------------------------------------
static uint8_t big[16 * 1024] __attribute__((aligned(4096)));
#define PASS "leal 16384(%%esi), %%edx\n1:\tmovl (%%esi), %%eax\n\taddl $32, %%esi\n\tcmpl %%edx, %%esi\n\tjb 1b"
#define CACHE_CASE(name, misses, ...)                          \
  do {                                                         \
    REGISTERS(big, big);                                       \
    RUN(__VA_ARGS__);                                          \
    is(seen[DCACHE] - frame_counts[DCACHE], misses, "dcache: " name); \
  } while (0)

static void cache(void) {
  {
    REGISTERS(big, big);
    RUN(PASS);  // whatever it held: now the last 8 KB of these
  }
  CACHE_CASE("twice its size, in order", 512, PASS);
  CACHE_CASE("bytes of one store across two lines, both missing", 1,
             "leal 24(%%esi), %%edi\n\tpcmpeqb %%xmm1, %%xmm1\n\tmaskmovdqu %%xmm1, %%xmm0");
  CACHE_CASE("across two lines and pages, both missing", 1, "movl 4095(%%esi), %%eax\n\tmovl 4095(%%esi), %%eax");
  CACHE_CASE("read and write", 1, "incl 96(%%esi)\n\tincl 96(%%esi)");
  CACHE_CASE("devices are not cached", 0, "movl 40(%%ebx), %%eax\n\tmovl 40(%%ebx), %%eax");
}

// --- the instruction cache: code whose lines are known, a jump in each line to the next one -------------------
enum { LINE = 32, SETS = 128, MOST = 1024 };
static uint8_t code[2 * MOST * LINE] __attribute__((aligned(4096)));

// n lines from line `first` on; the last one returns.
static void write_code(unsigned first, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    uint8_t *at = code + (first + i) * LINE;
    if (i == n - 1) {
      at[0] = 0xc3;  // ret
    } else {
      at[0] = 0xe9;  // jmp
      *(uint32_t *)(at + 1) = LINE - 5;
    }
  }
}

// Misses while the code at that place runs once. First the same instructions call a line of their own, so that they are in the
// cache themselves.
static __attribute__((noinline)) uint32_t misses(const uint8_t *place) {
  const uint8_t *volatile called[] = {code, place};
  for (unsigned i = 0; i < 2; i++) {
    mk_put(&mk, MKR_RRESET, 0xffff);
    mk_put(&mk, MKR_ENABLE, 0xffff);
    ((void (*)(void))(uint32_t)called[i])();
    mk_put(&mk, MKR_DISABLE, 0xffff);
  }
  return (uint32_t)mk_get64(&mk, MKR_COUNTER(FETCHES));
}

static void fetches(void) {
  write_code(0, 1);
  misses(code);  // the first time counting begins with the block behind the one that begins it
  is(misses(code), 0, "a line that is there");
  // Lines that were not there yet; few enough that the caller's stay, since a set has two places.
  for (unsigned n = 2; n <= SETS; n *= 4) {
    uint32_t missed[2];
    write_code(MOST + n, n);
    for (unsigned i = 0; i < 2; i++) missed[i] = misses(code + (MOST + n) * LINE);
    is(missed[0], n, "%u lines for the first time", n);
    is(missed[1], 0, "%u lines again", n);
  }
  // An instruction that reaches into the next line is in both.
  for (unsigned across = 0; across < 2; across++) {
    uint8_t *const at = code + (MOST + 600 + 4 * across) * LINE - across;
    at[0] = 0x66, at[1] = 0x90, at[2] = 0xc3;  // nop, of two bytes; ret
    is(misses(at), 1 + across, "an instruction in %u lines", 1 + across);
  }
  mk_put(&mk, MKR_RRESET, 0xffff);
}

// --- the TLB ------------------------------------------------------------------------------------------
#define EMPTY "movl %%cr3, %%eax\n\tmovl %%eax, %%cr3\n\t"
#define TLB_CASE(name, misses, ...)                       \
  do {                                                    \
    REGISTERS(W, W);                                      \
    RUN(__VA_ARGS__);                                     \
    is(seen[TLB] - frame_counts[TLB], misses, "tlb: " name); \
  } while (0)

static void tlb(void) {
  for (unsigned i = 0; i < 48; i++) rt_map(W + i * PAGE, (uint32_t)memory + i % 4 * PAGE, RT_WRITE);
  TLB_CASE("48 pages into an empty one", 48, EMPTY "movl $48, %%ecx\n1:\tmovl (%%esi), %%eax\n\taddl $4096, %%esi\n\tloop 1b");
  TLB_CASE("INVLPG drops one", 2 + 1, EMPTY "movl 0x1000(%%esi), %%eax\n\tmovl 0x2000(%%esi), %%eax\n\t"
           "movl $0x1000, %%ecx\n\tinvlpg -0x3000(%%esi,%%ecx,4)\n\tmovl 0x2000(%%esi), %%eax\n\t"
           "movl 0x1000(%%esi), %%eax\n\tmovl 0x1000(%%esi), %%eax");
  TLB_CASE("across two pages, both missing", 1,
           EMPTY "movl 4094(%%esi), %%eax\n\tmovl (%%esi), %%eax\n\tmovl 4096(%%esi), %%eax");
  TLB_CASE("paging off and on", 1 + 1, EMPTY "movl (%%esi), %%eax\n\tmovl %%cr0, %%eax\n\tandl $0x7fffffff, %%eax\n\tmovl %%eax, %%cr0\n\t"
           "movl memory, %%edx\n\torl $0x80000000, %%eax\n\tmovl %%eax, %%cr0\n\tmovl (%%esi), %%eax");
}

#endif

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  free_running = rt_option("free");
  keep();
  find_counters();
  {
    REGISTERS(memory, memory);
#ifdef POWER2
    RUN("");  // from here on blocks carry the counts; the store that lets them count is counted itself
#endif
    RUN("");
    for (unsigned i = 0; i < SOURCES; i++) frame_counts[i] = seen[i];
  }
  say("# the frame: %u instructions, %u loads, %u stores, %u branches\n", seen[INSNS], seen[LOADS], seen[STORES], seen[BRANCHES]);
  ok(seen[INSNS] <= 3 && seen[LOADS] == 0 && seen[STORES] <= 1, "the frame alone");
#ifndef POWER2
  if (rt_option("helped")) {
    helped();
    say("# stream trace 0 resource 0\n");
    return done_testing();
  }
#endif
  plain();
  strings();
  devices();
  const unsigned traces = delayed();
  exceptions();
  self_modifying();
  interrupts();
#ifdef POWER2
  rt_paging();
  faults();
#else
  ranges(RANGE, "physical addresses");
  cache();
  fetches();
  rt_paging();
  faults();
  rt_map(W, RANGE, RT_WRITE);
  rt_map(W + PAGE, RANGE + PAGE, RT_WRITE);
  ranges(W, "through page tables");
  tlb();
#endif
  say("# stream trace %u resource 0\n", traces);
  return done_testing();
}
