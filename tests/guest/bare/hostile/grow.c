// SPDX-License-Identifier: GPL-2.0-or-later
// grow - what a guest can repeat for ever must not make QEMU grow. Options: what, and "many", which does 20 times as much (grow_run).
//
//   temps   blocks of 250 stores that change themselves: TCG's temporaries run out
//   ways    32,768 small blocks in random order: POWER2's pipeline enters each with many states
//   blocks  blocks of 480 instructions that change themselves, counted by POWER2's monitor
//   numbers blocks of 478 floating-point instructions that change themselves, while it counts special numbers
//   codes   many INVLPGs of which no two are equal, while a MULTIKRON counts misses of the TLB
//
// What is counted meanwhile is known exactly.
#include "../power2/p2.h"
#include "../rt/mk.h"
#include "../sci/sci.h"

enum { MANY = 20 };
static uint8_t code[32768 * 64] __attribute__((aligned(4096)));
static uint32_t data[1024];

static uint32_t times(uint32_t few) { return rt_option("many") ? MANY * few : few; }

static unsigned put(unsigned at, const void *bytes, unsigned n) {
  for (unsigned i = 0; i < n; i++) code[at + i] = ((const uint8_t *)bytes)[i];
  return at + n;
}

static void run_code(uint32_t to) { __asm__ volatile("call *%%eax" : "+a"(to) : "b"(data) : "ecx", "edx", "esi", "memory", "cc"); }

// movl %eax, 4 * i(%ebx), and so on.
static void temps(void) {
  enum { STORES = 250 };
  const uint32_t n = times(300);
  unsigned end = put(0, "\xb8\x00\x00\x00\x00", 5);
  for (uint32_t i = 0; i < STORES; i++) {
    const uint32_t offset = 4 * i;
    end = put(end, "\x89\x83", 2);
    end = put(end, &offset, 4);
  }
  put(end, "\xc3", 1);
  for (uint32_t i = 1; i <= n; i++) {
    put(1, &i, 4);
    run_code((uint32_t)code);
    if (data[0] != i || data[STORES - 1] != i) return (void)ok(false, "stores of block %u", i);
  }
  ok(true, "%u blocks of %u stores", n, STORES);
}

static struct p2_event instructions;
static void count(void) {
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  instructions = p2_event("instructions");
  own_put(P2R_MMCR, instructions.mmcr);
}

// imull, addl, load, store, fadd, fmul, fdiv, fsqrt
static const uint8_t menu[8][3] = {{0x0f, 0xaf, 0xd2}, {0x01, 0xd2, 0}, {0x8b, 0x16, 0}, {0x89, 0x16, 0}, {0xd8, 0xc0, 0}, {0xd8, 0xc8, 0}, {0xd8, 0xf0, 0}, {0xd9, 0xfa, 0}};

// Three of the menu, and then on to a block that chance names: 12 instructions each. ECX: how many more; EBX: chance; EDI: code; ESI: data.
enum { WAYS = 32768, WAY_BYTES = 64, WAY = 12 };
static const uint8_t way_on[] = {0x69, 0xdb, 0x6d, 0x4e, 0xc6, 0x41,        // imull $0x41c64e6d, %ebx, %ebx
                                 0x81, 0xc3, 0x39, 0x30, 0x00, 0x00,        // addl $12345, %ebx
                                 0x89, 0xd8, 0xc1, 0xe8, 0x08,              // movl %ebx, %eax; shrl $8, %eax
                                 0x25, 0xc0, 0xff, 0x1f, 0x00,              // andl $0x1fffc0, %eax
                                 0x01, 0xf8, 0x49, 0x74, 0x02, 0xff, 0xe0,  // addl %edi, %eax; decl %ecx; jz 1f; jmp *%eax
                                 0xc3};                                     // 1: ret
static __attribute__((noinline)) void call_ways(uint32_t n) {
  uint32_t chance = 0x2545f491, to = (uint32_t)code;
  __asm__ volatile("fninit\n\tfld1\n\tcall *%2" : "+c"(n), "+b"(chance), "+a"(to) : "D"(code), "S"(data) : "edx", "memory", "cc");
}

static __attribute__((noinline)) uint32_t instructions_of(void (*calls)(uint32_t n), uint32_t n) {
  const uint32_t before = p2_count(instructions);
  calls(n);
  return p2_count(instructions) - before;
}

static void ways(void) {
  const uint32_t n = times(20000);
  count();
  for (unsigned i = 0; i < WAYS; i++) {
    unsigned at = WAY_BYTES * i;
    for (unsigned shift = 0; shift < 9; shift += 3) at = put(at, menu[(i * 2654435761u >> 20) >> shift & 7], menu[(i * 2654435761u >> 20) >> shift & 7][2] ? 3 : 2);
    put(at, way_on, sizeof way_on);
  }
  const uint32_t one = instructions_of(call_ways, 1);
  is(instructions_of(call_ways, n + 1) - one, n * WAY, "instructions of %u ways", n);
}

// A move, additions and a return, changed and called; the loop around them has as many instructions each time.
enum { BLOCK = 480 };
static void change_blocks(uint32_t n) {
  uint32_t at = (uint32_t)code;
  __asm__ volatile("1:\tmovl %1, 1(%0)\n\tcall *%0\n\tdecl %1\n\tjnz 1b" : "+D"(at), "+c"(n)::"eax", "memory", "cc");
}

static void put_block(const char *pair) {
  unsigned end = put(0, "\xb8\x00\x00\x00\x00", 5);
  for (unsigned i = 0; i < BLOCK - 2; i++) end = put(end, pair, 2);
  put(end, "\xc3", 1);
}

static void blocks(void) {
  enum { EACH = BLOCK + 4 };
  const uint32_t n = times(150);
  count();
  put_block("\x01\xc0");
  const uint32_t one = instructions_of(change_blocks, 1);
  is(instructions_of(change_blocks, n + 1) - one, n * EACH, "instructions of %u blocks", n);
}

// fadd %st, %st of an infinity.
static void numbers(void) {
  static const uint32_t infinity = 0x7f800000;
  const struct p2_event special = (count(), p2_event("special_numbers"));
  const uint32_t n = times(300);
  own_put(P2R_MMCR, special.mmcr);
  put_block("\xd8\xc0");
  __asm__ volatile("fninit\n\tflds %0" ::"m"(infinity));
  const uint32_t before = p2_count(special);
  change_blocks(n);
  is(p2_count(special) - before, n * (BLOCK - 2), "special numbers of %u blocks", n);
}

// invlpg i(%ebx); ret at one place after the other, EBX being i less than the address of a page; and a load of that page.
enum { CODE = 8 };
static void put_codes(uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    put(CODE * i, "\x0f\x01\xbb", 3);
    put(CODE * i + 3, &i, 4);
    put(CODE * i + 7, "\xc3", 1);
  }
}
static __attribute__((noinline)) void call_codes(uint32_t n) {
  uint32_t to = (uint32_t)code, page = (uint32_t)(data + 512);
  __asm__ volatile("1:\tcall *%0\n\tmovl (%3), %%edx\n\taddl $8, %0\n\tdecl %2\n\tdecl %1\n\tjnz 1b"
                   : "+a"(to), "+c"(n), "+b"(page) : "S"(page) : "edx", "memory", "cc");
}

static void codes(void) {
  enum { EACH = 8 };
  const uint32_t n = times(9000), calls[] = {1, 1, n + 1};  // the first time some of it is not counted yet
  uint64_t insns[3], misses[3];
  struct mk mk;
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON");
  mk_start_external(&mk);
  rt_paging();
  put_codes(n + 1);
  for (unsigned i = 0; i < 3; i++) {
    mk_put(&mk, MKR_RRESET, 3);
    mk_put(&mk, MKR_ENABLE, 3);
    call_codes(calls[i]);
    mk_put(&mk, MKR_DISABLE, 3);
    insns[i] = mk_get64(&mk, MKR_COUNTER(0)), misses[i] = mk_get64(&mk, MKR_COUNTER(1));
  }
  is((uint32_t)(insns[2] - insns[1]), n * EACH, "instructions around %u INVLPGs", n);
  is((uint32_t)(misses[2] - misses[1]), n, "misses of the page that they drop");
}

int program(void) {
  if (rt_option("codes")) codes();
  if (rt_option("numbers")) numbers();
  if (rt_option("temps")) sci_find(), temps();
  if (rt_option("ways")) ways();
  if (rt_option("blocks")) blocks();
  return done_testing();
}
