// SPDX-License-Identifier: GPL-2.0-or-later
//
// Operands of POWER instructions: by hand, from the Power ISA's descriptions, and against capstone where that
// knows an instruction.
#include <capstone/capstone.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "plugins/isa/isa.h"
#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/ppc/insn.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

constexpr uint64_t kPpcAddress = 0xc000000000001000;

ModelInsn operands_of(uint32_t word, uint32_t suffix = 0, uint32_t mode = PB_PPC_PREFIXES) {
  uint8_t code[8];
  for (unsigned i = 0; i < 8; ++i)
    code[i] = static_cast<uint8_t>((i < 4 ? word : suffix) >>
                                   (mode & PB_PPC_LITTLE_ENDIAN ? i % 4 * 8 : 24 - i % 4 * 8));
  const Isa* const ppc = isa_named("ppc");
  const ModelInsn insn = ppc->model(code, sizeof code, mode, kPpcAddress);
  const Insn decoded = ppc->decode(code, sizeof code, mode);
  EXPECT_EQ(insn.op, decoded.op) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.bytes, decoded.bytes) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.branch, decoded.branch) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.address, kPpcAddress);
  EXPECT_EQ(insn.opcode, word);
  return insn;
}

struct PpcRow {
  uint32_t word, suffix;
  const char *text, *operands;  // describe_insn.h
};

// clang-format off
const PpcRow kPpcRows[] = {
    {0x38640001, 0, "addi 3,4,1", "r4 > r3"},
    {0x38600001, 0, "addi 3,0,1", "> r3"},
    {0x30640001, 0, "addic 3,4,1", "r4 > r3 xer"},
    {0x34640001, 0, "addic. 3,4,1", "r4 > r3 cr0 xer | record"},
    {0x20640001, 0, "subfic 3,4,1", "r4 > r3 xer"},
    {0x1c640001, 0, "mulli 3,4,1", "r4 > r3"},
    {0x2f830000, 0, "cmpwi 7,3,0", "r3 > cr7"},
    {0x7f032040, 0, "cmplw 6,3,4", "r3 r4 > cr6"},
    {0x60830001, 0, "ori 3,4,1", "r4 > r3"},
    {0x60000000, 0, "nop", ">"},
    {0x70830001, 0, "andi. 3,4,1", "r4 > r3 cr0 | record"},
    {0x5483103a, 0, "rlwinm 3,4,2,0,29", "r4 > r3"},
    {0x5483103b, 0, "rlwinm. 3,4,2,0,29", "r4 > r3 cr0 | record"},
    {0x5083103a, 0, "rlwimi 3,4,2,0,29", "r3 r4 > r3"},
    {0x5c83283a, 0, "rlwnm 3,4,5,0,29", "r5 r4 > r3"},
    {0x78831040, 0, "rldicl 3,4,2,1", "r4 > r3"},
    {0x7883104c, 0, "rldimi 3,4,2,1", "r3 r4 > r3"},
    {0x78832850, 0, "rldcl 3,4,5,1", "r5 r4 > r3"},
    {0x7c642a14, 0, "add 3,4,5", "r4 r5 > r3"},
    {0x7c642a15, 0, "add. 3,4,5", "r4 r5 > r3 cr0 | record"},
    {0x7c642e14, 0, "addo 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642e15, 0, "addo. 3,4,5", "r4 r5 > r3 cr0 xer | record"},
    {0x7c642814, 0, "addc 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642914, 0, "adde 3,4,5", "r4 r5 xer > r3 xer"},
    {0x7c640194, 0, "addze 3,4", "r4 xer > r3 xer"},
    {0x7c6400d0, 0, "neg 3,4", "r4 > r3"},
    {0x7c6429d6, 0, "mullw 3,4,5", "r4 r5 > r3"},
    {0x7c642813, 0, "mulhdu. 3,4,5", "r4 r5 > r3 cr0 | record"},
    {0x7c642fd2, 0, "divdo 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642e16, 0, "modsw 3,4,5", "r4 r5 > r3"},
    {0x7c832838, 0, "and 3,4,5", "r5 r4 > r3"},
    {0x7c830775, 0, "extsb. 3,4", "r4 > r3 cr0 | record"},
    {0x7c830074, 0, "cntlzd 3,4", "r4 > r3"},
    {0x7c8303f4, 0, "popcntd 3,4", "r4 > r3"},
    {0x7c832e30, 0, "sraw 3,4,5", "r5 r4 > r3 xer"},
    {0x7c832e74, 0, "sradi 3,4,5", "r4 > r3 xer"},
    {0x7c832bf8, 0, "cmpb 3,4,5", "r5 r4 > r3"},
    {0x7c642f9e, 0, "isel 3,4,5,30", "r4 r5 cr7 > r3"},
    {0x7c60289e, 0, "isel 3,0,5,2", "r5 cr0 > r3"},
    {0x7c780100, 0, "setb 3,6", "cr6 > r3"},
    {0x7c7e0300, 0, "setbc 3,30", "cr7 > r3"},
    {0x4c620004, 0, "addpcis 3,4", "> r3"},
    {0x7d800480, 0, "mcrxrx 3", "xer > cr3"},
    {0x106429b3, 0, "maddld 3,4,5,6", "r4 r5 r6 > r3"},
    {0x7c832088, 0, "td 4,3,4", "r3 r4 >"},
    {0x08830004, 0, "tdi 4,3,4", "r3 >"},
    {0x4fc51202, 0, "crand 30,5,2", "cr1 cr0 > cr7"},
    {0x4d980000, 0, "mcrf 3,6", "cr6 > cr3"},
    {0x7c600026, 0, "mfcr 3", "cr0 cr1 cr2 cr3 cr4 cr5 cr6 cr7 > r3"},
    {0x7c702026, 0, "mfocrf 3,2", "cr6 > r3"},
    {0x7c681120, 0, "mtcrf 0x81,3", "r3 > cr0 cr7"},
    {0x7c720120, 0, "mtocrf 0x20,3", "r3 > cr2"},
    {0x7c6102a6, 0, "mfxer 3", "xer > r3"},
    {0x7c6103a6, 0, "mtxer 3", "r3 > xer"},
    {0x7c6802a6, 0, "mflr 3", "lr > r3"},
    {0x7c6803a6, 0, "mtlr 3", "r3 > lr"},
    {0x7c6903a6, 0, "mtctr 3", "r3 > ctr"},
    {0x7c6902a6, 0, "mfctr 3", "ctr > r3"},
    {0x7c7a03a6, 0, "mtspr 26,3", "r3 > spr"},
    {0x7c6c42a6, 0, "mftb 3", "spr > r3"},
    {0x80640008, 0, "lwz 3,8(4)", "[r4] > r3 | load"},
    {0x80600008, 0, "lwz 3,8(0)", "> r3 | load"},
    {0x84640008, 0, "lwzu 3,8(4)", "[r4] > r3 r4 | load update"},
    {0x7c64282e, 0, "lwzx 3,4,5", "[r4 r5] > r3 | load"},
    {0x7c60282e, 0, "lwzx 3,0,5", "[r5] > r3 | load"},
    {0x7c64286a, 0, "ldux 3,4,5", "[r4 r5] > r3 r4 | load update"},
    {0xe8640008, 0, "ld 3,8(4)", "[r4] > r3 | load"},
    {0xe8640009, 0, "ldu 3,8(4)", "[r4] > r3 r4 | load update"},
    {0xe0860010, 0, "lq 4,16(6)", "[r6] > r4 r5 | load"},
    {0x7c642828, 0, "lwarx 3,4,5", "[r4 r5] > r3 | load"},
    {0x7c863a28, 0, "lqarx 4,6,7", "[r6 r7] > r4 r5 | load"},
    {0xbba40008, 0, "lmw 29,8(4)", "[r4] > r29 r30 r31 | 3 loads"},
    {0xbb240008, 0, "lmw 25,8(4)", "[r4] > r25 r26 r27 r28 r29 r30 | 7 loads"},
    {0x7fc44caa, 0, "lswi 30,4,9", "[r4] > r30 r31 r0 | 3 loads"},
    {0x7e8404aa, 0, "lswi 20,4,0", "[r4] > r20 r21 r22 r23 r24 r25 | 8 loads"},
    {0x7c642c2a, 0, "lswx 3,4,5", "[r4 r5] xer > r3 | loads?"},
    {0x90640008, 0, "stw 3,8(4)", "[r4] r3 > | store"},
    {0x9421fff0, 0, "stwu 1,-16(1)", "[r1] > r1 | store update"},
    {0x7c64292a, 0, "stdx 3,4,5", "[r4 r5] r3 > | store"},
    {0x7c64296a, 0, "stdux 3,4,5", "[r4 r5] r3 > r4 | store update"},
    {0xf8860012, 0, "stq 4,16(6)", "[r6] r4 r5 > | store"},
    {0x7c64292d, 0, "stwcx. 3,4,5", "[r4 r5] r3 > cr0 | store record"},
    {0xbfa40008, 0, "stmw 29,8(4)", "[r4] r29 r30 r31 > | 3 stores"},
    {0xbe840008, 0, "stmw 20,8(4)", "[r4] r20 r21 r22 r23 r24 r25 r26 > | 12 stores"},
    {0x7c642daa, 0, "stswi 3,4,5", "[r4] r3 > | 2 stores"},
    {0x7c642d2a, 0, "stswx 3,4,5", "[r4 r5] r3 xer > | stores?"},
    {0x7c042fec, 0, "dcbz 4,5", "[r4 r5] >"},
    {0x7c64048c, 0, "lwat 3,4,0", "[r4] > r3 | load store"},
    {0x7c64848c, 0, "lwat 3,4,16", "[r4] r5 > r3 | load store"},
    {0x7c64c48c, 0, "lwat 3,4,24", "[r4] > r3 | load store"},
    {0x7c6405cc, 0, "stdat 3,4,0", "[r4] r3 > | load store"},
    {0xc8240008, 0, "lfd 1,8(4)", "[r4] > f1 | load float"},
    {0xcc240008, 0, "lfdu 1,8(4)", "[r4] > r4 f1 | load float update"},
    {0x7c242c2e, 0, "lfsx 1,4,5", "[r4 r5] > f1 | load float"},
    {0x7c242eae, 0, "lfiwax 1,4,5", "[r4 r5] > f1 | load float"},
    {0xe4440008, 0, "lfdp 2,8(4)", "[r4] > f2 f3 | load float"},
    {0xd8240008, 0, "stfd 1,8(4)", "[r4] f1 > | store float"},
    {0xd4240008, 0, "stfsu 1,8(4)", "[r4] f1 > r4 | store float update"},
    {0x7c242dee, 0, "stfdux 1,4,5", "[r4 r5] f1 > r4 | store float update"},
    {0x7c242fae, 0, "stfiwx 1,4,5", "[r4 r5] f1 > | store float"},
    {0x7c442f2e, 0, "stfdpx 2,4,5", "[r4 r5] f2 f3 > | store float"},
    {0x7c242c99, 0, "lxsdx 33,4,5", "[r4 r5] > v1 | load float"},
    {0x7c242d99, 0, "stxsdx 33,4,5", "[r4 r5] v1 > | store float"},
    {0xe424000a, 0, "lxsd 1,8(4)", "[r4] > v1 | load float"},
    {0xf424000b, 0, "stxssp 1,8(4)", "[r4] v1 > | store float"},
    {0xfc22182a, 0, "fadd 1,2,3", "f2 f3 > f1 fpscr"},
    {0xfc22182b, 0, "fadd. 1,2,3", "f2 f3 > f1 cr1 fpscr | record"},
    {0xec22182a, 0, "fadds 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc2200f2, 0, "fmul 1,2,3", "f2 f3 > f1 fpscr"},
    {0xec2200f2, 0, "fmuls 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc2220fa, 0, "fmadd 1,2,3,4", "f2 f4 f3 > f1 fpscr"},
    {0xec2220fc, 0, "fnmsubs 1,2,3,4", "f2 f4 f3 > f1 fpscr | single"},
    {0xec221824, 0, "fdivs 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc20102c, 0, "fsqrt 1,2", "f2 > f1 fpscr"},
    {0xfc201030, 0, "fre 1,2", "f2 > f1"},
    {0xec201034, 0, "frsqrtes 1,2", "f2 > f1 | single"},
    {0xfc2220ee, 0, "fsel 1,2,3,4", "f2 f4 f3 > f1"},
    {0xfc201090, 0, "fmr 1,2", "f2 > f1"},
    {0xfc221810, 0, "fcpsgn 1,2,3", "f2 f3 > f1"},
    {0xfc821800, 0, "fcmpu 1,2,3", "f2 f3 > cr1 fpscr"},
    {0xfc801140, 0, "ftsqrt 1,2", "f2 > cr1 fpscr"},
    {0xfc201018, 0, "frsp 1,2", "f2 > f1 fpscr"},
    {0xfc20165e, 0, "fctidz 1,2", "f2 > f1 fpscr"},
    {0xec20169c, 0, "fcfids 1,2", "f2 > f1 fpscr | single"},
    {0xfc20048e, 0, "mffs 1", "fpscr > f1"},
    {0xfc36148e, 0, "mffscrn 1,2", "f2 fpscr > f1 fpscr"},
    {0xfdfe0d8e, 0, "mtfsf 255,1", "f1 > fpscr"},
    {0xfc60004c, 0, "mtfsb1 3", "> fpscr"},
    {0xfc880080, 0, "mcrfs 1,2", "fpscr > cr1 fpscr"},
    {0xec221804, 0, "dadd 1,2,3", "f2 f3 > f1 fpscr"},
    {0xfc443004, 0, "daddq 2,4,6", "f4 f5 f6 f7 > f2 f3 fpscr"},
    {0xfc402a04, 0, "dctqpq 2,5", "f5 > f2 f3 fpscr"},
    {0xfc2022c4, 0, "dxexq 1,4", "f4 f5 > f1"},
    {0xfc843504, 0, "dcmpuq 1,4,6", "f4 f5 f6 f7 > cr1 fpscr"},
    {0xf0221906, 0, "xsadddp 1,34,35", "v2 v3 > f1 fpscr"},
    {0xf0221803, 0, "xsaddsp 33,2,35", "f2 v3 > v1 fpscr | single"},
    {0xf0221908, 0, "xsmaddadp 1,2,3", "f2 f3 f1 > f1 fpscr"},
    {0xf0221808, 0, "xsmaddasp 1,2,3", "f2 f3 f1 > f1 fpscr | single"},
    {0xf020102c, 0, "xssqrtsp 1,2", "f2 > f1 fpscr | single"},
    {0xf1011118, 0, "xscmpudp 2,1,2", "f1 f2 > cr2 fpscr"},
    {0xf0201560, 0, "xscvdpsxds 1,2", "f2 > f1 fpscr"},
    {0xf1030da8, 0, "xststdcdp 2,1,3", "f1 > cr2"},
    {0xfc221808, 0, "xsaddqp 1,2,3", "v2 v3 > v1 fpscr"},
    {0xfc221b08, 0, "xsmaddqp 1,2,3", "v2 v3 v1 > v1 fpscr"},
    {0x7c430067, 0, "mfvsrd 3,34", "v2 > r3"},
    {0x7c430167, 0, "mtvsrd 34,3", "r3 > v2"},
    {0x7c442b67, 0, "mtvsrdd 34,4,5", "r4 r5 > v2"},
    {0xf022193e, 0, "xxsel 1,34,35,36", "v2 v3 v4 > f1"},
    {0xf0221950, 0, "xxpermdi 1,2,3,1", "f2 f3 > f1"},
    {0xf02218d0, 0, "xxperm 1,2,3", "f2 f3 f1 > f1"},
    {0xf0221b07, 0, "xvadddp 33,34,35", "v2 v3 > v1"},
    {0xf0221b0f, 0, "xvmaddadp 33,34,35", "v2 v3 v1 > v1"},
    {0xf0221b18, 0, "xvcmpeqdp 1,2,3", "f2 f3 > f1"},
    {0xf0221f18, 0, "xvcmpeqdp. 1,2,3", "f2 f3 > f1 cr6"},
    {0xf0821be8, 0, "xvtdivdp 1,2,3", "f2 f3 > cr1"},
    {0xf020132f, 0, "xvsqrtdp 33,34", "v2 > v1"},
    {0xf0202ad1, 0, "xxspltib 33,5", "> v1"},
    {0xf02412d7, 0, "xxinsertw 33,34,4", "v2 v1 > v1"},
    {0xf0242f2d, 0, "xsiexpdp 33,4,5", "r4 r5 > v1"},
    {0xf060156e, 0, "xsxexpdp 3,34", "v2 > r3"},
    {0xf02317a8, 0, "xvtstdcdp 1,2,3", "f2 > f1"},
    {0x10221800, 0, "vaddubm 1,2,3", "v2 v3 > v1"},
    {0x10221806, 0, "vcmpequb 1,2,3", "v2 v3 > v1"},
    {0x10221c06, 0, "vcmpequb. 1,2,3", "v2 v3 > v1 cr6"},
    {0x1022192a, 0, "vsel 1,2,3,4", "v2 v3 v4 > v1"},
    {0x1022192c, 0, "vsldoi 1,2,3,4", "v2 v3 > v1"},
    {0x1021128c, 0, "vspltw 1,2,1", "v2 > v1"},
    {0x1025038c, 0, "vspltisw 1,5", "> v1"},
    {0x1023130d, 0, "vinsertb 1,2,3", "v2 v1 > v1"},
    {0x10642e0d, 0, "vextublx 3,4,5", "r4 v5 > r3"},
    {0x1023120d, 0, "vextractub 1,2,3", "v2 > v1"},
    {0x10221885, 0, "vrlwmi 1,2,3", "v2 v3 v1 > v1"},
    {0x10602602, 0, "vclzlsbb 3,4", "v4 > r3"},
    {0x10261602, 0, "vnegw 1,2", "v2 > v1"},
    {0x102821cf, 0, "vinsd 1,4,8", "r4 v1 > v1"},
    {0x1022191e, 0, "vextddvlx 1,2,3,4", "r4 v2 v3 > v1"},
    {0x10221c01, 0, "bcdadd. 1,2,3,0", "v2 v3 > v1 cr6"},
    {0x10302642, 0, "mtvsrbm 1,4", "r4 > v1"},
    {0x10792642, 0, "vcntmbb 3,4,1", "v4 > r3"},
    {0x10200604, 0, "mfvscr 1", "> v1"},
    {0x7c24280c, 0, "lvsl 1,4,5", "r4 r5 > v1"},
    {0x7c2428ce, 0, "lvx 1,4,5", "[r4 r5] > v1 | load float"},
    {0x7c2029ce, 0, "stvx 1,0,5", "[r5] v1 > | store float"},
    {0xf4240019, 0, "lxv 33,16(4)", "[r4] > v1 | load float"},
    {0xf424001d, 0, "stxv 33,16(4)", "[r4] v1 > | store float"},
    {0x7c242a19, 0, "lxvx 33,4,5", "[r4 r5] > v1 | load float"},
    {0x7c242a1b, 0, "lxvl 33,4,5", "[r4] r5 > v1 | load float"},
    {0x7c242b1b, 0, "stxvl 33,4,5", "[r4] r5 v1 > | store float"},
    {0x18640010, 0, "lxvp 34,16(4)", "[r4] > v2 v3 | load float"},
    {0x7c642b9a, 0, "stxvpx 34,4,5", "[r4 r5] v2 v3 > | store float"},
    {0xec8a61d8, 0, "xvf64ger 1,10,12", "f10 f11 f12 > f4 f5 f6 f7"},
    {0xec8a61d0, 0, "xvf64gerpp 1,10,12", "f10 f11 f12 f4 f5 f6 f7 > f4 f5 f6 f7"},
    {0xec8a62d0, 0, "xvf32gernp 1,10,12", "f10 f12 f4 f5 f6 f7 > f4 f5 f6 f7"},
    {0x7d010162, 0, "xxmtacc 2", "f8 f9 f10 f11 > f8 f9 f10 f11"},
    {0x7d030162, 0, "xxsetaccz 2", "> f8 f9 f10 f11"},
    {0x48000010, 0, "b .+16", "> | branch"},
    {0x48000011, 0, "bl .+16", "> lr | branch call"},
    {0x419e0010, 0, "bc 12,30,.+16", "cr7 > | branch conditional ?cr"},
    {0x42000010, 0, "bc 16,0,.+16", "ctr > ctr | branch conditional ?ctr"},
    {0x401e0010, 0, "bc 0,30,.+16", "cr7 ctr > ctr | branch conditional ?cr ?ctr"},
    {0x429f0005, 0, "bcl 20,31,.+4", "> lr | branch call"},
    {0x4e800020, 0, "blr", "lr > | branch ?lr"},
    {0x4e800021, 0, "blrl", "lr > lr | branch ?lr call"},
    {0x4d820020, 0, "bclr 12,2", "cr0 lr > | branch conditional ?cr ?lr"},
    {0x4e000020, 0, "bdnzlr", "ctr lr > ctr | branch conditional ?lr ?ctr"},
    {0x4e800420, 0, "bctr", "ctr > | branch ?ctr"},
    {0x4e800421, 0, "bctrl", "ctr > lr | branch ?ctr call"},
    {0x4d820420, 0, "bcctr 12,2", "cr0 ctr > | branch conditional ?cr ?ctr"},
    {0x4e800460, 0, "bctar 20,0", "spr > | branch"},
    {0x4c000024, 0, "rfid", "> | branch return serializes"},
    {0x4c000224, 0, "hrfid", "> | branch return serializes"},
    {0x4c0000a4, 0, "rfscv", "> | branch return serializes"},
    {0x44000002, 0, "sc", "> | serializes"},
    {0x44000001, 0, "scv 0", "> | serializes"},
    {0x4c00012c, 0, "isync", "> | serializes"},
    {0x7c0004ac, 0, "sync", "> | serializes"},
    {0x7c2004ac, 0, "lwsync", ">"},
    {0x7c4004ac, 0, "ptesync", "> | serializes"},
    {0x7c0006ac, 0, "eieio", ">"},
    {0x7c600164, 0, "mtmsrd 3", "r3 > | serializes"},
    {0x7c610164, 0, "mtmsrd 3,1", "r3 >"},
    {0x7c6000a6, 0, "mfmsr 3", "> r3"},
    {0x7c0428ac, 0, "dcbf 4,5", "[r4 r5] >"},
    {0x7c002fac, 0, "icbi 0,5", "[r5] >"},
    {0x7c801a64, 0, "tlbie 3,4,0,0,0", "r3 r4 >"},
    {0x7c602324, 0, "slbmte 3,4", "r4 r3 >"},
    {0x7c00051d, 0, "tbegin. 0", "> cr0 | record"},
    {0x06000001, 0x386486a0, "paddi 3,4,100000", "r4 > r3"},
    {0x06100001, 0x386086a0, "paddi 3,0,100000,1", "> r3"},
    {0x06000000, 0x80640008, "plwz 3,8(4)", "[r4] > r3 | load"},
    {0x04000000, 0xe4640008, "pld 3,8(4)", "[r4] > r3 | load"},
    {0x04000000, 0xe0860010, "plq 4,16(6)", "[r6] > r4 r5 | load"},
    {0x04000000, 0xf4640008, "pstd 3,8(4)", "[r4] r3 > | store"},
    {0x04000000, 0xf0860010, "pstq 4,16(6)", "[r6] r4 r5 > | store"},
    {0x06000000, 0xc8240008, "plfd 1,8(4)", "[r4] > f1 | load float"},
    {0x04000000, 0xa8240008, "plxsd 1,8(4)", "[r4] > v1 | load float"},
    {0x04000000, 0xcc240008, "plxv 33,8(4)", "[r4] > v1 | load float"},
    {0x04000000, 0xdc240008, "pstxv 33,8(4)", "[r4] v1 > | store float"},
    {0x04000000, 0xe8640008, "plxvp 34,8(4)", "[r4] > v2 v3 | load float"},
    {0x05000000, 0x80270005, "xxspltiw 33,5", "> v1"},
    {0x05000000, 0x80210005, "xxsplti32dx 33,0,5", "v1 > v1"},
    {0x05000000, 0x8422190f, "xxblendvb 33,34,35,36", "v2 v3 v4 > v1"},
    {0x05000001, 0x8822190f, "xxpermx 33,34,35,36,1", "v2 v3 v4 > v1"},
    {0x07900011, 0xec8a60d8, "pmxvf32ger 1,10,12,1,1", "f10 f12 > f4 f5 f6 f7"},
    {0x07000000, 0x00000000, "pnop", ">"},
};
// clang-format on

TEST(IsaPpcOperands, ByHand) {
  for (const PpcRow& row : kPpcRows) {
    EXPECT_EQ(describe(operands_of(row.word, row.suffix)), row.operands) << row.text;
    EXPECT_EQ(operands_of(row.word, row.suffix, PB_PPC_PREFIXES | PB_PPC_LITTLE_ENDIAN),
              operands_of(row.word, row.suffix))
        << row.text;
  }
}

TEST(IsaPpcOperands, WhatIsNoInstructionHasNone) {
  for (const uint32_t word : {0u, 0x7c601cdcu, 0x04000000u, 0x14000000u, 0x7c0003ffu}) {
    const ModelInsn insn = operands_of(word);
    EXPECT_EQ(insn.op, Op::kUnknown) << std::hex << word;
    EXPECT_EQ(describe(insn), ">") << std::hex << word;
  }
  const uint8_t cut[3] = {0x7c, 0x64, 0x2a};
  EXPECT_EQ(isa_named("ppc")->model(cut, sizeof cut, 0, 0), ModelInsn{});
}

// No pattern of bits names what is no register, or more of them than fit, or one twice.
TEST(IsaPpcOperands, EveryWordIsLegal) {
  uint32_t word = 0;
  for (unsigned i = 0; i < 300000; ++i) {
    word = word * 1664525 + 1013904223;
    const ModelInsn insn =
        i & 1 ? ppc_operands(word) : ppc_prefixed_operands(word >> 6 | 1u << 26, word * 2654435761u);
    ASSERT_LE(insn.reads, ModelInsn::kMostReads);
    ASSERT_LE(insn.writes, ModelInsn::kMostWrites);
    ASSERT_LE(insn.address_reads, insn.reads);
    std::set<unsigned> reads, writes;
    for (const uint8_t reg : insn.read_registers())
      ASSERT_TRUE(reg < kModelRegisters && reads.insert(reg).second);
    for (const uint8_t reg : insn.write_registers())
      ASSERT_TRUE(reg < kModelRegisters && writes.insert(reg).second);
  }
}

// Registers that capstone names, as kModelRegisters numbers them; -1: of another kind.
int general_or_float(unsigned reg) {
  if (reg >= PPC_REG_R0 && reg <= PPC_REG_R31) return kGeneral0 + static_cast<int>(reg - PPC_REG_R0);
  if (reg >= PPC_REG_F0 && reg <= PPC_REG_F31) return kFloat0 + static_cast<int>(reg - PPC_REG_F0);
  if (reg >= PPC_REG_V0 && reg <= PPC_REG_V31) return kFloat0 + 32 + static_cast<int>(reg - PPC_REG_V0);
  if (reg >= PPC_REG_VS0 && reg <= PPC_REG_VS63) return kFloat0 + static_cast<int>(reg - PPC_REG_VS0);
  return -1;
}

// Its bits of the condition register look like general registers; TLB instructions of embedded processors
// have no operands here.
bool is_other(std::string_view name) {
  for (const std::string_view begins : {"qv", "ev", "cr", "isel", "tlbs", "tlbre", "tlbwe"})
    if (name.substr(0, begins.size()) == begins) return true;
  return false;
}

TEST(IsaPpcOperands, RegistersAreThoseOfCapstone) {
  if (CS_API_MAJOR != 4)
    GTEST_SKIP() << "written for capstone 4, which names registers as the assembler does";
  csh handle;
  ASSERT_EQ(cs_open(CS_ARCH_PPC, static_cast<cs_mode>(CS_MODE_64 | CS_MODE_BIG_ENDIAN), &handle), CS_ERR_OK);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn* insn = cs_malloc(handle);
  unsigned known = 0;
  for (unsigned primary = 0; primary < 64; ++primary)
    for (unsigned low = 0; low < 2048; ++low) {
      const uint32_t word = primary << 26 | 7 << 21 | 12 << 16 | 17 << 11 | low;
      const uint8_t bytes[4] = {uint8_t(word >> 24), uint8_t(word >> 16), uint8_t(word >> 8), uint8_t(word)};
      const uint8_t* at = bytes;
      size_t size = 4;
      uint64_t address = 0;
      if (ppc_op(word) == Op::kUnknown || !cs_disasm_iter(handle, &at, &size, &address, insn)) continue;
      const std::string_view name = insn->mnemonic;
      const ModelInsn m = ppc_operands(word);
      if (is_other(name) || m.loads > 1 || m.stores > 1) continue;  // of a multiple it names the first
      std::set<int> theirs, ours;
      const cs_ppc& detail = insn->detail->ppc;
      for (unsigned i = 0; i < detail.op_count; ++i) {
        const cs_ppc_op& op = detail.operands[i];
        if (op.type == PPC_OP_REG) theirs.insert(general_or_float(op.reg));
        if (op.type == PPC_OP_MEM) theirs.insert(general_or_float(op.mem.base));
      }
      theirs.erase(-1);
      for (const uint8_t reg : m.read_registers())
        if (reg < kCondition0) ours.insert(reg);
      for (const uint8_t reg : m.write_registers())
        if (reg < kCondition0) ours.insert(reg);
      EXPECT_EQ(theirs, ours) << name << " " << insn->op_str << std::hex << " " << word << ": "
                              << describe(m);
      ++known;
    }
  EXPECT_GT(known, 5000u);
  cs_free(insn, 1);
  cs_close(&handle);
}

}  // namespace
}  // namespace perfboard
