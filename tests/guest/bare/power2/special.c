// SPDX-License-Identifier: GPL-2.0-or-later
// special - floating-point instructions with special numbers as operands (which these are, and of which instructions: isa_floats_test.cc). The counts
// of each piece are written beside it by hand; all of them in each context, and an instruction that is restarted counts once.
#include "p2.h"

static const uint64_t doubles[] = {0x3ff0000000000000, 0x000fffffffffffff, 0x7ff0000000000000, 0xfff8000000000001,
                                   0x8000000000000000, 0x37a0000000000000};  // 1, denormal, infinite, NaN, -0, 2^-133: denormal as a single
static const uint32_t singles[] = {0x3f800000, 0x3f800000, 0x3f800000, 0x80000001,   // at 64: the last is denormal
                                   0x3f800000, 0x40000000, 0x7f7fffff, 0x00800000};  // at 80: none is special

PIECE(nothing, "");
static struct p2_event special;

#ifdef __powerpc64__
#define ONES "lfd 1, 0(7)\n\t"
#define ALL ONES "lfd 2, 8(7)\n\tlfd 3, 16(7)\n\tlfd 4, 24(7)\n\tlfd 5, 32(7)\n\tlfd 6, 40(7)\n\t"
#define VECTORS "addi 8, 7, 64\n\tlvx 1, 0, 8\n\taddi 8, 7, 80\n\tlvx 2, 0, 8\n\t"
PIECE(p_normal, ONES "fadd 0, 1, 1\n\tfmul 0, 1, 1\n\tfsqrt 0, 1");
PIECE(p_denormal, ALL "fadd 0, 1, 2\n\tfsub 0, 2, 1");
PIECE(p_moves, ALL "fmr 0, 2\n\tfneg 0, 3\n\tfabs 0, 4\n\tfsel 0, 2, 3, 4\n\tfcfid 0, 2\n\tstfd 2, 0(7)\n\tlfd 0, 8(7)");
PIECE(p_single, ALL "fadds 0, 1, 6\n\tfadd 0, 1, 6");
PIECE(p_vector, VECTORS "vaddfp 0, 1, 2\n\tvaddfp 0, 2, 2\n\tvadduwm 0, 1, 1");
static const uint8_t *const together = p_vector;
enum { IN_VECTOR = 1 };
// Without MSR(FP) it faults; the handler sets it.
__asm__("\t.text\nspecial_fp: mfsrr1 30\n\tori 30, 30, 0x2000\n\tmtsrr1 30\n\tmfsprg 30, 3\n\tmtctr 30\n\tmfsprg 30, 2\n\tmfsprg 31, 1\n\trfid\n");
void special_fp(void);
PIECE(p_restarted, ALL "mfmsr 8\n\tli 9, 0x2000\n\tandc 8, 8, 9\n\tmtmsrd 8\n\tfadd 0, 1, 2");
static void prepare(void) { rt_on(V_FP, special_fp); }
#else
#define ALL "movsd (%esi), %xmm1\n\tmovsd 8(%esi), %xmm2\n\tmovsd 16(%esi), %xmm3\n\tmovsd 24(%esi), %xmm4\n\tmovsd 32(%esi), %xmm5\n\tmovaps %xmm1, %xmm0\n\t"
PIECE(p_normal, ALL "addsd %xmm1, %xmm0\n\tmulsd (%esi), %xmm0\n\tsqrtsd %xmm1, %xmm0");
PIECE(p_denormal, ALL "addsd %xmm2, %xmm0\n\tsubsd 8(%esi), %xmm1");
PIECE(p_moves, ALL "movaps %xmm2, %xmm0\n\txorps %xmm3, %xmm0\n\tandps %xmm4, %xmm0\n\tcvtsi2sd %eax, %xmm0\n\tmovsd %xmm2, (%esi)");
PIECE(p_single, "movss 76(%esi), %xmm0\n\tmovaps %xmm0, %xmm1\n\taddss 64(%esi), %xmm0\n\tmulss 64(%esi), %xmm5");
PIECE(p_vector, "movaps 64(%esi), %xmm1\n\tmovaps 80(%esi), %xmm2\n\tmovaps %xmm2, %xmm0\n\taddps %xmm1, %xmm0\n\tmovaps %xmm2, %xmm0\n\taddps %xmm2, %xmm0\n\tpaddd %xmm1, %xmm1");
// The load converts, the sum has an operand in memory; the moves are none; the store converts.
PIECE(p_x87, "fninit\n\tfldl 8(%esi)\n\tfldl (%esi)\n\tfaddl 16(%esi)\n\tfstp %st(0)\n\tfld1\n\tfaddp\n\tfchs\n\tfstp %st(0)\n\tfldz\n\tfstp %st(0)");
static const uint8_t *const together = p_x87;
enum { IN_VECTOR = 2 };  // of p_x87
// With CR0.TS it faults; the handler clears that.
__asm__(".text\nspecial_nm: clts\n\tiret\n");
extern const uint8_t special_nm[];
PIECE(p_restarted, ALL "movl %cr0, %eax\n\torl $8, %eax\n\tmovl %eax, %cr0\n\taddsd 8(%esi), %xmm0");
static void prepare(void) { down_gate(7, special_nm, 0x8E); }
#endif

static uint32_t counted(uint32_t mmcr, unsigned context, const void *piece) {
  own_put(P2R_MMCR, special.mmcr | mmcr);
  for (unsigned i = 0; i < sizeof doubles / sizeof doubles[0]; i++) ((uint64_t *)down_memory[0])[i] = doubles[i];
  for (unsigned i = 0; i < sizeof singles / sizeof singles[0]; i++) ((uint32_t *)(down_memory[0] + 64))[i] = singles[i];
  return p2_measure(special, context, piece, 1);
}

int program(void) {
  static const struct {
    const uint8_t *piece;
    uint32_t n;
    const char *name;
  } cases[] = {
      {nothing, 0, "nothing"},
      {p_normal, 0, "normal numbers"},
      {p_denormal, 2, "denormal"},
      {p_moves, 0, "moves, signs, from integers"},
      {p_single, 1, "single precision"},
      {p_vector, 1, "vectors"},
  };
  if (!p2_find()) bail(RT_NO_BOARD, "no power2-pm");
  special = p2_event("special_numbers");
  down_prepare(0);
  prepare();
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (unsigned c = 0; c < CONTEXTS; c++) is(counted(0, c, cases[i].piece), cases[i].n, "%s: %s", contexts[c], cases[i].name);
  is(counted(0, KERNEL, together), IN_VECTOR, "the architecture's own");
  is(counted(0, KERNEL, p_restarted), 1, "faults, is restarted: once");
  for (unsigned c = 0; c < CONTEXTS; c++) {
    is(counted(P2_MMCR_DMR, c, p_denormal), c == USER_MARKED || c == KERNEL_MARKED ? 2 : 0, "marked alone: %s", contexts[c]);
    is(counted(P2_MMCR_DP, c, p_denormal), c == USER || c == USER_MARKED ? 2 : 0, "not privileged alone: %s", contexts[c]);
  }
  is(counted(P2_MMCR_DIS, KERNEL, p_denormal), 0, "DIS");
  return done_testing();
}
