// SPDX-License-Identifier: GPL-2.0-or-later
//
// Operands of x86 instructions: by hand, from the processor's manual.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "plugins/isa/isa.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/isa/x86/opcode.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

using Code = std::vector<uint8_t>;

constexpr uint64_t kX86Address = 0xffffffff81000000;

const Isa& x86() { return *isa_named("x86"); }

ModelInsn operands_of(const Code& code, uint32_t mode) {
  const ModelInsn insn = x86().model(code.data(), code.size(), mode, kX86Address);
  const Insn decoded = x86().decode(code.data(), code.size(), mode);
  EXPECT_EQ(insn.op, decoded.op);
  EXPECT_EQ(insn.bytes, decoded.bytes);
  EXPECT_EQ(insn.branch, decoded.branch);
  EXPECT_EQ(insn.address, kX86Address);
  return insn;
}

struct X86Row {
  uint32_t mode;
  Code code;
  uint32_t opcode;
  const char *text, *operands;  // describe_insn.h: r0 is RAX; cr0 the flags; f0 ST0 or MM0; v0 XMM0
};

// clang-format off
const X86Row kX86Rows[] = {
    {64, {0x48, 0x01, 0xd8}, 0x001, "add rax,rbx", "r0 r3 > cr0 r0"},
    {64, {0x03, 0x04, 0x8b}, 0x003, "add eax,[rbx+rcx*4]", "[r3 r1] r0 > cr0 r0 | load"},
    {64, {0x01, 0x03}, 0x001, "add [rbx],eax", "[r3] r0 > cr0 | load store"},
    {64, {0x04, 0x05}, 0x004, "add al,5", "r0 > cr0 r0"},
    {64, {0x48, 0x11, 0xd8}, 0x011, "adc rax,rbx", "cr0 r0 r3 > cr0 r0"},
    {64, {0x48, 0x83, 0xe8, 0x01}, 0x083, "sub rax,1", "r0 > cr0 r0"},
    {64, {0x48, 0x39, 0xd8}, 0x039, "cmp rax,rbx", "r0 r3 > cr0"},
    {64, {0x39, 0x03}, 0x039, "cmp [rbx],eax", "[r3] r0 > cr0 | load"},
    {64, {0xa8, 0x01}, 0x0a8, "test al,1", "r0 > cr0"},
    {64, {0x85, 0x0b}, 0x085, "test [rbx],ecx", "[r3] r1 > cr0 | load"},
    {64, {0x85, 0xc9}, 0x085, "test ecx,ecx", "r1 > cr0"},
    {64, {0xf6, 0xc1, 0x01}, 0x0f6, "test cl,1", "r1 > cr0"},
    {64, {0x31, 0xc0}, 0x031, "xor eax,eax", "r0 > cr0 r0"},
    {64, {0xff, 0xc0}, 0x0ff, "inc eax", "r0 > cr0 r0"},
    {64, {0xff, 0x0b}, 0x0ff, "dec dword ptr [rbx]", "[r3] > cr0 | load store"},
    {64, {0x48, 0xf7, 0xd8}, 0x0f7, "neg rax", "r0 > cr0 r0"},
    {64, {0x48, 0xf7, 0xd0}, 0x0f7, "not rax", "r0 > r0"},
    {64, {0x48, 0x89, 0xd8}, 0x089, "mov rax,rbx", "r3 > r0"},
    {64, {0x48, 0x8b, 0x03}, 0x08b, "mov rax,[rbx]", "[r3] > r0 | load"},
    {64, {0x48, 0x89, 0x03}, 0x089, "mov [rbx],rax", "[r3] r0 > | store"},
    {64, {0x88, 0xd8}, 0x088, "mov al,bl", "r3 > r0"},
    {64, {0xb8, 0x05, 0x00, 0x00, 0x00}, 0x0b8, "mov eax,5", "> r0"},
    {64, {0x48, 0xb8, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, 0x0b8, "movabs rax,0x1122334455667788", "> r0"},
    {64, {0xa0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, 0x0a0, "movabs al,[0x1122334455667788]", "> r0 | load"},
    {64, {0x0f, 0xb6, 0xc3}, 0x1b6, "movzx eax,bl", "r3 > r0"},
    {64, {0x48, 0x0f, 0xbf, 0x03}, 0x1bf, "movsx rax,word ptr [rbx]", "[r3] > r0 | load"},
    {64, {0x48, 0x63, 0xc3}, 0x063, "movsxd rax,ebx", "r3 > r0"},
    {64, {0x48, 0x8d, 0x44, 0x4b, 0x08}, 0x08d, "lea rax,[rbx+rcx*2+8]", "r3 r1 > r0"},
    {64, {0x48, 0x8d, 0x05, 0x08, 0x00, 0x00, 0x00}, 0x08d, "lea rax,[rip+8]", "> r0"},
    {64, {0x48, 0x8b, 0x05, 0x08, 0x00, 0x00, 0x00}, 0x08b, "mov rax,[rip+8]", "> r0 | load"},
    {64, {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00}, 0x08b, "mov rax,fs:[0x28]", "> r0 | load"},
    {64, {0x48, 0x93}, 0x093, "xchg rax,rbx", "r0 r3 > r0 r3"},
    {64, {0x87, 0xc3}, 0x087, "xchg ebx,eax", "r0 r3 > r0 r3"},
    {64, {0x87, 0xd8}, 0x087, "xchg eax,ebx", "r0 r3 > r0 r3"},
    {64, {0x48, 0x87, 0x03}, 0x087, "xchg [rbx],rax", "[r3] r0 > r0 | load store"},
    {64, {0x48, 0x0f, 0xc1, 0x03}, 0x1c1, "xadd [rbx],rax", "[r3] r0 > r0 cr0 | load store"},
    {64, {0xf0, 0x48, 0x0f, 0xb1, 0x0b}, 0x1b1, "lock cmpxchg [rbx],rcx", "[r3] r0 r1 > r0 cr0 | load store"},
    {64, {0x48, 0x0f, 0xc7, 0x0b}, 0x1c7, "cmpxchg16b [rbx]", "[r3] r0 r1 r2 > r0 r2 cr0 | load store"},
    {64, {0x0f, 0xc8}, 0x1c8, "bswap eax", "r0 > r0"},
    {64, {0x66, 0x0f, 0xc9}, 0x1c9, "bswap cx", "r1 > r1"},
    {64, {0xd3, 0xe0}, 0x0d3, "shl eax,cl", "r1 r0 > cr0 r0"},
    {64, {0xc1, 0xe0, 0x03}, 0x0c1, "shl eax,3", "r0 > cr0 r0"},
    {64, {0xd1, 0x3b}, 0x0d1, "sar dword ptr [rbx],1", "[r3] > cr0 | load store"},
    {64, {0x48, 0x0f, 0xa5, 0xd8}, 0x1a5, "shld rax,rbx,cl", "r1 r0 r3 > cr0 r0"},
    {64, {0x48, 0x0f, 0xac, 0xd8, 0x05}, 0x1ac, "shrd rax,rbx,5", "r0 r3 > cr0 r0"},
    {64, {0xd1, 0xd0}, 0x0d1, "rcl eax,1", "r0 cr0 > cr0 r0"},
    {64, {0xd3, 0xc0}, 0x0d3, "rol eax,cl", "r1 r0 > cr0 r0"},
    {64, {0x0f, 0xa3, 0xd8}, 0x1a3, "bt eax,ebx", "r0 r3 > cr0"},
    {64, {0x0f, 0xab, 0x03}, 0x1ab, "bts dword ptr [rbx],eax", "[r3] r0 > cr0 | load store"},
    {64, {0x0f, 0xbc, 0xc3}, 0x1bc, "bsf eax,ebx", "r3 > cr0 r0"},
    {64, {0xf3, 0x0f, 0xb8, 0xc3}, 0x1b8, "popcnt eax,ebx", "r3 > cr0 r0"},
    {64, {0xf3, 0x0f, 0xbc, 0xc3}, 0x1bc, "tzcnt eax,ebx", "r3 > cr0 r0"},
    {64, {0xc4, 0xe2, 0x60, 0xf2, 0xc1}, 0x2f2, "andn eax,ebx,ecx", "r3 r1 > cr0 r0"},
    {64, {0xc4, 0xe2, 0xe3, 0xf6, 0xc1}, 0x2f6, "mulx rax,rbx,rcx", "r2 r1 > r0 r3"},
    {64, {0xc4, 0xe2, 0x71, 0xf7, 0xc3}, 0x2f7, "shlx eax,ebx,ecx", "r3 r1 > r0"},
    {64, {0x48, 0x0f, 0xaf, 0xc3}, 0x1af, "imul rax,rbx", "r0 r3 > cr0 r0"},
    {64, {0x48, 0x6b, 0xc3, 0x05}, 0x06b, "imul rax,rbx,5", "r3 > cr0 r0"},
    {64, {0x48, 0xf7, 0xeb}, 0x0f7, "imul rbx", "r0 r3 > r0 r2 cr0"},
    {64, {0x48, 0xf7, 0xe3}, 0x0f7, "mul rbx", "r0 r3 > r0 r2 cr0"},
    {64, {0x48, 0xf7, 0xf3}, 0x0f7, "div rbx", "r0 r2 r3 > r0 r2 cr0"},
    {64, {0xf7, 0x3b}, 0x0f7, "idiv dword ptr [rbx]", "[r3] r0 r2 > r0 r2 cr0 | load"},
    {64, {0x99}, 0x099, "cdq", "r0 > r0 r2"},
    {64, {0x48, 0x99}, 0x099, "cqo", "r0 > r0 r2"},
    {64, {0x48, 0x98}, 0x098, "cdqe", "r0 > r0"},
    {64, {0x66, 0x98}, 0x098, "cbw", "r0 > r0"},
    {64, {0x0f, 0x95, 0xc0}, 0x195, "setne al", "cr0 > r0"},
    {64, {0x0f, 0x94, 0x03}, 0x194, "sete [rbx]", "[r3] cr0 > | store"},
    {64, {0x48, 0x0f, 0x45, 0xc3}, 0x145, "cmovne rax,rbx", "cr0 r0 r3 > r0"},
    {64, {0x48, 0x0f, 0x45, 0x03}, 0x145, "cmovne rax,[rbx]", "[r3] cr0 r0 > r0 | load"},
    {64, {0x50}, 0x050, "push rax", "[r4] r0 > r4 | store update"},
    {64, {0x6a, 0x05}, 0x06a, "push 5", "[r4] > r4 | store update"},
    {64, {0xff, 0x33}, 0x0ff, "push [rbx]", "[r3 r4] > r4 | load store update"},
    {64, {0x58}, 0x058, "pop rax", "[r4] > r4 r0 | load update"},
    {64, {0x8f, 0x03}, 0x08f, "pop [rbx]", "[r3 r4] > r4 | load store update"},
    {64, {0x9c}, 0x09c, "pushfq", "[r4] cr0 > r4 | store update"},
    {64, {0x9d}, 0x09d, "popfq", "[r4] > r4 cr0 | load update"},
    {64, {0xc9}, 0x0c9, "leave", "[r5] r4 > r5 r4 | load"},
    {64, {0xc8, 0x10, 0x00, 0x00}, 0x0c8, "enter 16,0", "[r4] r5 > r4 r5 | store update"},
    {64, {0xe8, 0x0b, 0x00, 0x00, 0x00}, 0x0e8, "call .+16", "[r4] > r4 | store branch call"},
    {64, {0xff, 0xd0}, 0x0ff, "call rax", "[r4] r0 > r4 | store branch ?ctr call"},
    {64, {0xff, 0x13}, 0x0ff, "call [rbx]", "[r3 r4] > r4 | load store branch ?ctr call"},
    {64, {0xc3}, 0x0c3, "ret", "[r4] > r4 | load branch ?lr"},
    {64, {0xc2, 0x08, 0x00}, 0x0c2, "ret 8", "[r4] > r4 | load branch ?lr"},
    {64, {0x48, 0xcb}, 0x0cb, "retfq", "[r4] > r4 | 2 loads branch ?lr"},
    {64, {0x48, 0xcf}, 0x0cf, "iretq", "[r4] > r4 | 5 loads branch return serializes"},
    {64, {0xeb, 0x0e}, 0x0eb, "jmp .+16", "> | branch"},
    {64, {0xff, 0xe0}, 0x0ff, "jmp rax", "r0 > | branch ?ctr"},
    {64, {0xff, 0x24, 0xcb}, 0x0ff, "jmp [rbx+rcx*8]", "[r3 r1] > | load branch ?ctr"},
    {64, {0x75, 0x0e}, 0x075, "jne .+16", "cr0 > | branch conditional ?cr"},
    {64, {0xe3, 0x02}, 0x0e3, "jrcxz .+4", "r1 > | branch conditional ?cr"},
    {64, {0xe2, 0x02}, 0x0e2, "loop .+4", "r1 > r1 ctr | branch conditional ?ctr"},
    {64, {0xe0, 0x02}, 0x0e0, "loopne .+4", "r1 cr0 > r1 ctr | branch conditional ?cr ?ctr"},
    {64, {0xa4}, 0x0a4, "movsb", "[r7 r6] > r7 r6 | load store update"},
    {64, {0x48, 0xa5}, 0x0a5, "movsq", "[r7 r6] > r7 r6 | load store update"},
    {64, {0xf3, 0xa4}, 0x0a4, "rep movsb", "[r7 r6] r1 > r7 r6 r1 | load store update repeats"},
    {64, {0xf3, 0x48, 0xab}, 0x0ab, "rep stosq", "[r7] r0 r1 > r1 r7 | store update repeats"},
    {64, {0xaa}, 0x0aa, "stosb", "[r7] r0 > r7 | store update"},
    {64, {0xad}, 0x0ad, "lodsd", "[r6] > r0 r6 | load update"},
    {64, {0xae}, 0x0ae, "scasb", "[r7] r0 > r7 cr0 | load update"},
    {64, {0xf2, 0xae}, 0x0ae, "repne scasb", "[r7] r0 r1 > r7 cr0 r1 | load update repeats"},
    {64, {0xa6}, 0x0a6, "cmpsb", "[r6 r7] > r7 r6 cr0 | 2 loads update"},
    {64, {0xf3, 0xa6}, 0x0a6, "repe cmpsb", "[r6 r7] r1 > r7 r6 cr0 r1 | 2 loads update repeats"},
    {64, {0x6c}, 0x06c, "insb", "[r7] r2 > r7 | store update"},
    {64, {0x6e}, 0x06e, "outsb", "[r6] r2 > r6 | load update"},
    {64, {0xe4, 0x60}, 0x0e4, "in al,0x60", "> r0"},
    {64, {0xed}, 0x0ed, "in eax,dx", "r2 > r0"},
    {64, {0xe6, 0x60}, 0x0e6, "out 0x60,al", "r0 >"},
    {64, {0xef}, 0x0ef, "out dx,eax", "r2 r0 >"},
    {64, {0x90}, 0x090, "nop", ">"},
    {64, {0x0f, 0x1f, 0x00}, 0x11f, "nop dword ptr [rax]", ">"},
    {64, {0xf3, 0x90}, 0x090, "pause", ">"},
    {64, {0xf3, 0x0f, 0x1e, 0xfa}, 0x11e, "endbr64", ">"},
    {64, {0xf4}, 0x0f4, "hlt", ">"},
    {64, {0xfa}, 0x0fa, "cli", ">"},
    {64, {0xfb}, 0x0fb, "sti", ">"},
    {64, {0xfc}, 0x0fc, "cld", ">"},
    {64, {0xfd}, 0x0fd, "std", ">"},
    {64, {0xf8}, 0x0f8, "clc", "> cr0"},
    {64, {0x9f}, 0x09f, "lahf", "cr0 > r0"},
    {64, {0x9e}, 0x09e, "sahf", "r0 > cr0"},
    {64, {0xcd, 0x80}, 0x0cd, "int 0x80", "> | serializes"},
    {64, {0xcc}, 0x0cc, "int3", "> | serializes"},
    {64, {0x0f, 0x0b}, 0x10b, "ud2", ">"},
    {64, {0x0f, 0x05}, 0x105, "syscall", "> | serializes"},
    {64, {0x48, 0x0f, 0x07}, 0x107, "sysretq", "> | return serializes"},
    {64, {0x66, 0xe8, 0x00, 0x00, 0x00, 0x00}, 0x0e8, "data16 call .+6", "[r4] > r4 | store branch call"},
    {64, {0x66, 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00}, 0x184, "data16 je .+7", "cr0 > | branch conditional ?cr"},
    {64, {0x66, 0x0f, 0xae, 0x33}, 0x1ae, "clwb [rbx]", "[r3] >"},
    {64, {0xf3, 0x0f, 0xc7, 0xf9}, 0x1c7, "rdpid rcx", "> r1"},
    {64, {0xf3, 0x0f, 0x1e, 0xfa}, 0x11e, "endbr64", ">"},
    {64, {0x0f, 0x1c, 0x03}, 0x11c, "cldemote [rbx], a hint", ">"},
    {64, {0x0f, 0x34}, 0x134, "sysenter", "> | serializes"},
    {64, {0x0f, 0x01, 0xf8}, 0x101, "swapgs", ">"},
    {64, {0x0f, 0xa2}, 0x1a2, "cpuid", "r0 r1 > r0 r3 r1 r2 | serializes"},
    {64, {0x0f, 0x31}, 0x131, "rdtsc", "> r0 r2"},
    {64, {0x0f, 0x01, 0xf9}, 0x101, "rdtscp", "> r0 r1 r2"},
    {64, {0x0f, 0x32}, 0x132, "rdmsr", "r1 spr > r0 r2"},
    {64, {0x0f, 0x30}, 0x130, "wrmsr", "r0 r1 r2 > spr | serializes"},
    {64, {0x0f, 0x33}, 0x133, "rdpmc", "r1 > r0 r2"},
    {64, {0x48, 0x0f, 0xc7, 0xf0}, 0x1c7, "rdrand rax", "> cr0 r0"},
    {64, {0x0f, 0x20, 0xc0}, 0x120, "mov rax,cr0", "spr > r0"},
    {64, {0x0f, 0x22, 0xd8}, 0x122, "mov cr3,rax", "r0 > spr | serializes"},
    {64, {0x0f, 0x23, 0xf8}, 0x123, "mov dr7,rax", "r0 > spr | serializes"},
    {64, {0x8c, 0xd8}, 0x08c, "mov eax,ds", "> r0"},
    {64, {0x8e, 0xd8}, 0x08e, "mov ds,eax", "r0 >"},
    {64, {0x0f, 0x01, 0x13}, 0x101, "lgdt [rbx]", "[r3] > | 2 loads serializes"},
    {64, {0x0f, 0x01, 0x0b}, 0x101, "sidt [rbx]", "[r3] > | 2 stores"},
    {64, {0x0f, 0x00, 0xd8}, 0x100, "ltr ax", "r0 > | serializes"},
    {64, {0x0f, 0x01, 0x3b}, 0x101, "invlpg [rbx]", "[r3] > | serializes"},
    {64, {0x0f, 0x06}, 0x106, "clts", ">"},
    {64, {0x0f, 0x01, 0xd0}, 0x101, "xgetbv", "r1 > r2 r0"},
    {64, {0x0f, 0xae, 0x23}, 0x1ae, "xsave [rbx]", "[r3] r2 r0 > | stores?"},
    {64, {0x0f, 0xae, 0x2b}, 0x1ae, "xrstor [rbx]", "[r3] r2 r0 > | loads?"},
    {64, {0x0f, 0xae, 0x03}, 0x1ae, "fxsave [rbx]", "[r3] > | stores?"},
    {64, {0x0f, 0xae, 0xf0}, 0x1ae, "mfence", "> | serializes"},
    {64, {0x0f, 0xae, 0xe8}, 0x1ae, "lfence", "> | serializes"},
    {64, {0x0f, 0xae, 0xf8}, 0x1ae, "sfence", ">"},
    {64, {0x0f, 0xae, 0x3b}, 0x1ae, "clflush [rbx]", "[r3] >"},
    {64, {0x0f, 0x18, 0x0b}, 0x118, "prefetcht0 [rbx]", "[r3] >"},
    {64, {0x0f, 0x09}, 0x109, "wbinvd", "> | serializes"},
    {64, {0xd9, 0x03}, 0x0d9, "fld dword ptr [rbx]", "[r3] > f0 | load float"},
    {64, {0xd9, 0xc3}, 0x0d9, "fld st(3)", "f3 > f0"},
    {64, {0xd9, 0xe8}, 0x0d9, "fld1", "> f0"},
    {64, {0xd9, 0xee}, 0x0d9, "fldz", "> f0"},
    {64, {0xdb, 0x03}, 0x0db, "fild dword ptr [rbx]", "[r3] > f0 | load float"},
    {64, {0xdd, 0xd2}, 0x0dd, "fst st(2)", "f0 > f2"},
    {64, {0xdd, 0x1b}, 0x0dd, "fstp qword ptr [rbx]", "[r3] f0 > | store float"},
    {64, {0xdd, 0xd9}, 0x0dd, "fstp st(1)", "f0 > f1"},
    {64, {0xdb, 0x1b}, 0x0db, "fistp dword ptr [rbx]", "[r3] f0 > | store float"},
    {64, {0xd8, 0xc2}, 0x0d8, "fadd st,st(2)", "f0 f2 > f0 fpscr"},
    {64, {0xdc, 0xc2}, 0x0dc, "fadd st(2),st", "f0 f2 > f2 fpscr"},
    {64, {0xde, 0xc1}, 0x0de, "faddp", "f0 f1 > f1 fpscr"},
    {64, {0xd8, 0x03}, 0x0d8, "fadd dword ptr [rbx]", "[r3] f0 > f0 fpscr | load"},
    {64, {0xdc, 0x0b}, 0x0dc, "fmul qword ptr [rbx]", "[r3] f0 > f0 fpscr | load"},
    {64, {0xd8, 0xe1}, 0x0d8, "fsub st,st(1)", "f0 f1 > f0 fpscr"},
    {64, {0xde, 0xfb}, 0x0de, "fdivp st(3),st", "f0 f3 > f3 fpscr"},
    {64, {0xd8, 0xfa}, 0x0d8, "fdivr st,st(2)", "f0 f2 > f0 fpscr"},
    {64, {0xd9, 0xfa}, 0x0d9, "fsqrt", "f0 > f0 fpscr"},
    {64, {0xd9, 0xfe}, 0x0d9, "fsin", "f0 > f0"},
    {64, {0xd9, 0xe0}, 0x0d9, "fchs", "f0 > f0"},
    {64, {0xd9, 0xe1}, 0x0d9, "fabs", "f0 > f0"},
    {64, {0xd8, 0xd1}, 0x0d8, "fcom st(1)", "f0 f1 > fpscr"},
    {64, {0xd8, 0xd9}, 0x0d8, "fcomp st(1)", "f0 f1 > fpscr"},
    {64, {0xda, 0xe9}, 0x0da, "fucompp", "f0 f1 > fpscr"},
    {64, {0xdb, 0xe9}, 0x0db, "fucomi st,st(1)", "f0 f1 > cr0 fpscr"},
    {64, {0xdf, 0xf1}, 0x0df, "fcomip st,st(1)", "f0 f1 > cr0 fpscr"},
    {64, {0xd9, 0xc9}, 0x0d9, "fxch st(1)", "f0 f1 > f0 f1"},
    {64, {0xdf, 0xe0}, 0x0df, "fnstsw ax", "fpscr > r0"},
    {64, {0xd9, 0x3b}, 0x0d9, "fnstcw [rbx]", "[r3] fpscr > | store"},
    {64, {0xd9, 0x2b}, 0x0d9, "fldcw [rbx]", "[r3] > fpscr | load"},
    {64, {0xdb, 0xe3}, 0x0db, "fninit", "> fpscr"},
    {64, {0x0f, 0x77}, 0x177, "emms", ">"},
    {64, {0xda, 0xc2}, 0x0da, "fcmovb st,st(2)", "f0 f2 cr0 > f0"},
    {64, {0xd9, 0xfc}, 0x0d9, "frndint", "f0 > f0 fpscr"},
    {64, {0xd9, 0xf2}, 0x0d9, "fptan", "f0 > f0"},
    {64, {0xd9, 0xf8}, 0x0d9, "fprem", "f0 f1 > f0"},
    {64, {0xf3, 0x0f, 0x58, 0xc1}, 0x158, "addss xmm0,xmm1", "v0 v1 > v0 fpscr | single"},
    {64, {0xf2, 0x0f, 0x58, 0x03}, 0x158, "addsd xmm0,qword ptr [rbx]", "[r3] v0 > v0 fpscr | load"},
    {64, {0xf2, 0x45, 0x0f, 0x59, 0xc1}, 0x159, "mulsd xmm8,xmm9", "v8 v9 > v8 fpscr"},
    {64, {0xf3, 0x0f, 0x5e, 0xc1}, 0x15e, "divss xmm0,xmm1", "v0 v1 > v0 fpscr | single"},
    {64, {0xf2, 0x0f, 0x51, 0xc1}, 0x151, "sqrtsd xmm0,xmm1", "v1 > v0 fpscr"},
    {64, {0x0f, 0x58, 0xc1}, 0x158, "addps xmm0,xmm1", "v0 v1 > v0"},
    {64, {0x66, 0x0f, 0x58, 0x03}, 0x158, "addpd xmm0,[rbx]", "[r3] v0 > v0 | load float"},
    {64, {0xf3, 0x0f, 0x10, 0xc1}, 0x110, "movss xmm0,xmm1", "v0 v1 > v0"},
    {64, {0xf3, 0x0f, 0x10, 0x03}, 0x110, "movss xmm0,dword ptr [rbx]", "[r3] > v0 | load float"},
    {64, {0xf2, 0x0f, 0x11, 0x03}, 0x111, "movsd qword ptr [rbx],xmm0", "[r3] v0 > | store float"},
    {64, {0x0f, 0x28, 0xc1}, 0x128, "movaps xmm0,xmm1", "v1 > v0"},
    {64, {0x0f, 0x29, 0x03}, 0x129, "movaps [rbx],xmm0", "[r3] v0 > | store float"},
    {64, {0x0f, 0x10, 0x03}, 0x110, "movups xmm0,[rbx]", "[r3] > v0 | load float"},
    {64, {0x66, 0x0f, 0x6e, 0xc0}, 0x16e, "movd xmm0,eax", "r0 > v0"},
    {64, {0x66, 0x48, 0x0f, 0x7e, 0xc0}, 0x17e, "movq rax,xmm0", "v0 > r0"},
    {64, {0x0f, 0x16, 0x03}, 0x116, "movhps xmm0,[rbx]", "[r3] v0 > v0 | load float"},
    {64, {0x66, 0x0f, 0x13, 0x03}, 0x113, "movlpd [rbx],xmm0", "[r3] v0 > | store float"},
    {64, {0x0f, 0x50, 0xc0}, 0x150, "movmskps eax,xmm0", "v0 > r0"},
    {64, {0xf2, 0x0f, 0x2a, 0xc0}, 0x12a, "cvtsi2sd xmm0,eax", "r0 > v0 fpscr"},
    {64, {0xf2, 0x0f, 0x2c, 0xc0}, 0x12c, "cvttsd2si eax,xmm0", "v0 > r0 fpscr"},
    {64, {0xf3, 0x0f, 0x5a, 0xc1}, 0x15a, "cvtss2sd xmm0,xmm1", "v1 > v0 fpscr"},
    {64, {0x0f, 0x5b, 0xc1}, 0x15b, "cvtdq2ps xmm0,xmm1", "v1 > v0"},
    {64, {0x66, 0x0f, 0x2e, 0xc1}, 0x12e, "ucomisd xmm0,xmm1", "v0 v1 > cr0 fpscr"},
    {64, {0x0f, 0x2f, 0x03}, 0x12f, "comiss xmm0,dword ptr [rbx]", "[r3] v0 > cr0 fpscr | load single"},
    {64, {0xf2, 0x0f, 0xc2, 0xc1, 0x01}, 0x1c2, "cmpsd xmm0,xmm1,1", "v0 v1 > v0 fpscr"},
    {64, {0x0f, 0xc2, 0xc1, 0x01}, 0x1c2, "cmpltps xmm0,xmm1", "v0 v1 > v0"},
    {64, {0xf2, 0x0f, 0x5f, 0xc1}, 0x15f, "maxsd xmm0,xmm1", "v0 v1 > v0"},
    {64, {0xf3, 0x0f, 0x52, 0xc1}, 0x152, "rsqrtss xmm0,xmm1", "v1 > v0"},
    {64, {0x0f, 0xc6, 0xc1, 0x01}, 0x1c6, "shufps xmm0,xmm1,1", "v0 v1 > v0"},
    {64, {0x0f, 0x14, 0xc1}, 0x114, "unpcklps xmm0,xmm1", "v0 v1 > v0"},
    {64, {0x66, 0x0f, 0xef, 0xc0}, 0x1ef, "pxor xmm0,xmm0", "v0 > v0"},
    {64, {0x66, 0x0f, 0xfe, 0xc1}, 0x1fe, "paddd xmm0,xmm1", "v0 v1 > v0"},
    {64, {0x66, 0x0f, 0x70, 0xc1, 0x01}, 0x170, "pshufd xmm0,xmm1,1", "v1 > v0"},
    {64, {0x66, 0x0f, 0x74, 0x03}, 0x174, "pcmpeqb xmm0,[rbx]", "[r3] v0 > v0 | load float"},
    {64, {0x66, 0x0f, 0xd7, 0xc0}, 0x1d7, "pmovmskb eax,xmm0", "v0 > r0"},
    {64, {0x66, 0x0f, 0xc4, 0xc0, 0x01}, 0x1c4, "pinsrw xmm0,eax,1", "v0 r0 > v0"},
    {64, {0x66, 0x0f, 0xc5, 0xc0, 0x01}, 0x1c5, "pextrw eax,xmm0,1", "v0 > r0"},
    {64, {0x66, 0x0f, 0x38, 0x00, 0xc1}, 0x200, "pshufb xmm0,xmm1", "v0 v1 > v0"},
    {64, {0x66, 0x0f, 0x38, 0x17, 0xc1}, 0x217, "ptest xmm0,xmm1", "v0 v1 > cr0"},
    {64, {0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x03}, 0x30b, "roundsd xmm0,xmm1,3", "v0 v1 > v0 fpscr"},
    {64, {0x66, 0x0f, 0x38, 0x10, 0xc1}, 0x210, "pblendvb xmm0,xmm1", "v0 v1 > v0"},
    {64, {0xf2, 0x0f, 0x38, 0xf1, 0xc3}, 0x2f1, "crc32 eax,ebx", "r0 r3 > r0"},
    {64, {0x66, 0x0f, 0x38, 0xdc, 0xc1}, 0x2dc, "aesenc xmm0,xmm1", "v0 v1 > v0"},
    {64, {0x66, 0x0f, 0x3a, 0x63, 0xc1, 0x01}, 0x363, "pcmpistri xmm0,xmm1,1", "v0 v1 > r1 cr0"},
    {64, {0x66, 0x0f, 0x3a, 0x62, 0xc1, 0x01}, 0x362, "pcmpistrm xmm0,xmm1,1", "v0 v1 > v0 cr0"},
    {64, {0x66, 0x0f, 0x3a, 0x60, 0xc1, 0x01}, 0x360, "pcmpestrm xmm0,xmm1,1", "r0 r2 v0 v1 > v0 cr0"},
    {64, {0x0f, 0xfd, 0xc1}, 0x1fd, "paddw mm0,mm1", "f0 f1 > f0"},
    {64, {0x66, 0x0f, 0xe7, 0x03}, 0x1e7, "movntdq [rbx],xmm0", "[r3] v0 > | store float"},
    {64, {0x0f, 0xc3, 0x03}, 0x1c3, "movnti [rbx],eax", "[r3] r0 > | store"},
    {64, {0x66, 0x0f, 0xf7, 0xc1}, 0x1f7, "maskmovdqu xmm0,xmm1", "[r7] v0 v1 > | store float"},
    {64, {0x0f, 0xae, 0x13}, 0x1ae, "ldmxcsr [rbx]", "[r3] > fpscr | load"},
    {64, {0x0f, 0xae, 0x1b}, 0x1ae, "stmxcsr [rbx]", "[r3] fpscr > | store"},
    {64, {0xc5, 0xf3, 0x58, 0xc2}, 0x158, "vaddsd xmm0,xmm1,xmm2", "v1 v2 > v0 fpscr"},
    {64, {0xc5, 0xf5, 0x58, 0x03}, 0x158, "vaddpd ymm0,ymm1,[rbx]", "[r3] v1 > v0 | load float"},
    {64, {0xc5, 0xfc, 0x28, 0x03}, 0x128, "vmovaps ymm0,[rbx]", "[r3] > v0 | load float"},
    {64, {0xc5, 0xfc, 0x29, 0x03}, 0x129, "vmovaps [rbx],ymm0", "[r3] v0 > | store float"},
    {64, {0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, 0x2b9, "vfmadd231sd xmm0,xmm1,xmm2", "v0 v1 v2 > v0 fpscr"},
    {64, {0xc4, 0xe2, 0x75, 0xa8, 0xc2}, 0x2a8, "vfmadd213ps ymm0,ymm1,ymm2", "v0 v1 v2 > v0"},
    {64, {0xc4, 0xe2, 0x71, 0x9d, 0x03}, 0x29d, "vfnmadd132ss xmm0,xmm1,dword ptr [rbx]", "[r3] v0 v1 > v0 fpscr | load single"},
    {64, {0xc5, 0xf5, 0xfe, 0xc2}, 0x1fe, "vpaddd ymm0,ymm1,ymm2", "v1 v2 > v0"},
    {64, {0xc4, 0xe2, 0x7d, 0x58, 0xc1}, 0x258, "vpbroadcastd ymm0,xmm1", "v1 > v0"},
    {64, {0xc4, 0xe3, 0x75, 0x06, 0xc2, 0x01}, 0x306, "vperm2f128 ymm0,ymm1,ymm2,1", "v1 v2 > v0"},
    {64, {0xc5, 0xf8, 0x77}, 0x177, "vzeroupper", ">"},
    {64, {0xc4, 0xe2, 0x69, 0x92, 0x04, 0x8b}, 0x292, "vgatherdps xmm0,[rbx+xmm1*4],xmm2", "[r3 v1] v2 > v0 | load float"},
    {64, {0xc4, 0xe3, 0x71, 0x4a, 0xc2, 0x30}, 0x34a, "vblendvps xmm0,xmm1,xmm2,xmm3", "v1 v2 v3 > v0"},
    {64, {0xc5, 0xf3, 0x2a, 0xc0}, 0x12a, "vcvtsi2sd xmm0,xmm1,eax", "v1 r0 > v0 fpscr"},
    {64, {0xc5, 0xf2, 0x10, 0xc2}, 0x110, "vmovss xmm0,xmm1,xmm2", "v1 v2 > v0"},
    {64, {0xc5, 0xf3, 0x51, 0xc2}, 0x151, "vsqrtsd xmm0,xmm1,xmm2", "v1 v2 > v0 fpscr"},
    {64, {0x0f, 0x38, 0xf0, 0x03}, 0x2f0, "movbe eax,[rbx]", "[r3] > r0 | load"},
    {64, {0x66, 0x0f, 0x38, 0xf6, 0xc3}, 0x2f6, "adcx eax,ebx", "cr0 r0 r3 > cr0 r0"},
    {64, {0xd7}, 0x0d7, "xlatb", "[r3 r0] > r0 | load"},
    {32, {0x40}, 0x040, "inc eax", "r0 > cr0 r0"},
    {32, {0x1e}, 0x01e, "push ds", "[r4] > r4 | store update"},
    {32, {0x07}, 0x007, "pop es", "[r4] > r4 | load update"},
    {32, {0x60}, 0x060, "pushad", "[r4] r7 r6 r5 r3 r2 r1 r0 > r4 | 8 stores update"},
    {32, {0x61}, 0x061, "popad", "[r4] > r4 r7 r6 r5 r3 r2 | 8 loads update"},
    {32, {0x50}, 0x050, "push eax", "[r4] r0 > r4 | store update"},
    {32, {0xc4, 0x03}, 0x0c4, "les eax,[ebx]", "[r3] > r0 | load"},
    {32, {0x62, 0x03}, 0x062, "bound eax,[ebx]", "[r3] > r0 | 2 loads"},
    {32, {0x9a, 0x00, 0x10, 0x00, 0x00, 0x10, 0x00}, 0x09a, "call 0x10:0x1000", "[r4] > r4 | 2 stores branch call"},
    {32, {0xcf}, 0x0cf, "iretd", "[r4] > r4 | 3 loads branch return serializes"},
    {32, {0x0f, 0xc7, 0x0e}, 0x1c7, "cmpxchg8b [esi]", "[r6] r0 r3 r1 r2 > r0 r2 cr0 | load store"},
    {32, {0x8b, 0x44, 0x75, 0x00}, 0x08b, "mov eax,[ebp+esi*2]", "[r5 r6] > r0 | load"},
    {32, {0xce}, 0x0ce, "into", "cr0 > | serializes"},
    {32, {0xd4, 0x0a}, 0x0d4, "aam", "r0 > r0 cr0"},
    {32, {0x27}, 0x027, "daa", "cr0 r0 > r0 cr0"},
    {32, {0xe3, 0x02}, 0x0e3, "jecxz .+4", "r1 > | branch conditional ?cr"},
    {16, {0x8b, 0x00}, 0x08b, "mov ax,[bx+si]", "[r3 r6] > r0 | load"},
    {16, {0x89, 0x46, 0x00}, 0x089, "mov [bp],ax", "[r5] r0 > | store"},
    {16, {0x50}, 0x050, "push ax", "[r4] r0 > r4 | store update"},
    {16, {0xcb}, 0x0cb, "retf", "[r4] > r4 | 2 loads branch ?lr"},
    {16, {0xac}, 0x0ac, "lodsb", "[r6] > r0 r6 | load update"},
};
// clang-format on

TEST(IsaX86Operands, ByHand) {
  for (const X86Row& row : kX86Rows) {
    const ModelInsn insn = operands_of(row.code, row.mode);
    EXPECT_EQ(describe(insn), row.operands) << row.text;
    EXPECT_EQ(insn.opcode, row.opcode) << row.text;
    EXPECT_EQ(insn.bytes, row.code.size()) << row.text;
  }
}

// Prefixes that mean nothing, those of the size, and LOCK change no register.
TEST(IsaX86Operands, Prefixes) {
  for (const uint8_t prefix : {0x2e, 0x3e, 0x26, 0xf2, 0xf3, 0x66}) {
    const ModelInsn insn = operands_of({prefix, 0x48, 0x01, 0xd8}, 64);
    EXPECT_EQ(describe(insn), "r0 r3 > cr0 r0") << unsigned{prefix};
    EXPECT_EQ(insn.opcode, 0x01u);
    EXPECT_EQ(insn.bytes, 4);
  }
  EXPECT_EQ(describe(operands_of({0xf0, 0x01, 0x03}, 64)), "[r3] r0 > cr0 | load store")
      << "lock add [rbx],eax";
  EXPECT_EQ(describe(operands_of({0xf3, 0xc3}, 64)), "[r4] > r4 | load branch ?lr") << "rep ret";
  EXPECT_FALSE(operands_of({0xf3, 0xc3}, 64).repeats);
  EXPECT_TRUE(operands_of({0xf3, 0xa4}, 64 | PB_X86_SINGLE).repeats);
}

TEST(IsaX86Operands, HighHalvesAndNewRegisters) {
  EXPECT_EQ(describe(operands_of({0x88, 0xe7}, 64)), "r0 > r3") << "mov bh,ah";
  EXPECT_EQ(describe(operands_of({0x40, 0x88, 0xe7}, 64)), "r4 > r7") << "mov dil,spl";
  EXPECT_EQ(describe(operands_of({0x45, 0x88, 0xfc}, 64)), "r15 > r12") << "mov r12b,r15b";
  EXPECT_EQ(describe(operands_of({0x47, 0x8b, 0x3c, 0xc8}, 64)), "[r8 r9] > r15 | load")
      << "mov r15d,[r8+r9*8]";
  EXPECT_EQ(describe(operands_of({0xc4, 0x41, 0x7c, 0x28, 0xfe}, 64)), "v14 > v15") << "vmovaps ymm15,ymm14";
}

TEST(IsaX86Operands, OpcodesOfEveryMap) {
  const struct {
    Code code;
    unsigned bits, map, opcode, modrm;
  } all[] = {
      {{0x90}, 64, 0, 0x90, 0},
      {{0xf3, 0x48, 0x0f, 0xb8, 0xc3}, 64, 1, 0xb8, 0xc3},
      {{0x66, 0x0f, 0x38, 0xdc, 0xc1}, 64, 2, 0xdc, 0xc1},
      {{0x66, 0x0f, 0x3a, 0x0b, 0xc1, 3}, 64, 3, 0x0b, 0xc1},
      {{0xc5, 0xf8, 0x77}, 64, 1, 0x77, 0},
      {{0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, 64, 2, 0xb9, 0xc2},
      {{0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc1}, 64, 1, 0x28, 0xc1},
      {{0x8f, 0xe9, 0x78, 0x80, 0xc1}, 64, 9, 0x80, 0xc1},
      {{0x8f, 0x03}, 64, 0, 0x8f, 0x03},
      {{0xc5, 0x03}, 32, 0, 0xc5, 0x03},
      {{0xc4, 0x03}, 32, 0, 0xc4, 0x03},
      {{0x62, 0x03}, 32, 0, 0x62, 0x03},
      {{0xc5, 0xf8, 0x77}, 32, 1, 0x77, 0},
      {{0x40}, 32, 0, 0x40, 0},
      {{0x66}, 64, 0, 0, 0},
      {{}, 64, 0, 0, 0},
  };
  for (const auto& a : all) {
    const X86Opcode x = x86_opcode(a.code.data(), a.code.size(), a.bits);
    EXPECT_EQ(x.map, a.map) << unsigned(a.opcode);
    EXPECT_EQ(x.opcode, a.opcode) << unsigned(a.opcode);
    EXPECT_EQ(x.modrm, a.modrm) << unsigned(a.opcode);
  }
}

TEST(IsaX86Operands, WhatIsNoInstructionHasNone) {
  EXPECT_EQ(describe(operands_of({0x0f, 0x0a}, 64)), ">");
  EXPECT_EQ(describe(operands_of({0xf0}, 64)), ">");
  EXPECT_EQ(x86().model(nullptr, 0, 64, 0), ModelInsn{});
}

// No bytes name what is no register, or one twice; and one instruction says the same each time, whatever was
// between.
TEST(IsaX86Operands, AllBytesAreLegal) {
  uint32_t random = 0;
  unsigned known = 0;
  for (unsigned i = 0; i < 150000; ++i) {
    Code code(16);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
    if (i & 1) code[0] = 0x0f;
    const uint32_t mode = i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64;
    const ModelInsn insn = operands_of(code, mode);
    ASSERT_LE(insn.address_reads, insn.reads);
    std::set<unsigned> reads, writes;
    for (const uint8_t reg : insn.read_registers())
      ASSERT_TRUE(reg < kModelRegisters && reads.insert(reg).second);
    for (const uint8_t reg : insn.write_registers())
      ASSERT_TRUE(reg < kModelRegisters && writes.insert(reg).second);
    const bool load = insn.op == Op::kLoad || insn.op == Op::kFloatLoad || insn.op == Op::kVectorLoad;
    const bool store = insn.op == Op::kStore || insn.op == Op::kFloatStore || insn.op == Op::kVectorStore;
    ASSERT_TRUE(!load || insn.loads) << describe(insn);
    ASSERT_TRUE(!store || insn.stores) << describe(insn);
    operands_of({0x90}, mode);
    ASSERT_EQ(operands_of(code, mode), insn);
    known += insn.op != Op::kUnknown;
  }
  EXPECT_GT(known, 100000u);
}

}  // namespace
}  // namespace perfboard
