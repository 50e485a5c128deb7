// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/opcodes.h"

#include <algorithm>

#include "guest/common/ranges.h"
#include "guest/power2/cmd/words.h"
#include "hw/core/number.h"

namespace perfboard::p2 {
namespace {

constexpr uint32_t d(uint32_t opcode) { return opcode << 26; }
constexpr uint32_t x(uint32_t opcode, uint32_t extended) { return opcode << 26 | extended << 1; }

// The words of Power ISA 2.07B, Book I, Appendix F, without operands.
constexpr Opcode kPower[] = {
    {"addi", d(14)},        {"addis", d(15)},      {"ld", d(58)},         {"std", d(62)},
    {"lwz", d(32)},         {"stw", d(36)},        {"lbz", d(34)},        {"stb", d(38)},
    {"lhz", d(40)},         {"sth", d(44)},        {"lha", d(42)},        {"lmw", d(46)},
    {"stmw", d(47)},        {"lfd", d(50)},        {"stfd", d(54)},       {"lfs", d(48)},
    {"stfs", d(52)},        {"b", d(18)},          {"bc", d(16)},         {"bclr", x(19, 16)},
    {"bcctr", x(19, 528)},  {"cmpi", d(11)},       {"cmpli", d(10)},      {"cmp", x(31, 0)},
    {"cmpl", x(31, 32)},    {"add", x(31, 266)},   {"subf", x(31, 40)},   {"neg", x(31, 104)},
    {"mulli", d(7)},        {"mullw", x(31, 235)}, {"mulld", x(31, 233)}, {"divw", x(31, 491)},
    {"divd", x(31, 489)},   {"ori", d(24)},        {"or", x(31, 444)},    {"and", x(31, 28)},
    {"andi.", d(28)},       {"xor", x(31, 316)},   {"rlwinm", d(21)},     {"rldicl", d(30)},
    {"slw", x(31, 24)},     {"srw", x(31, 536)},   {"srawi", x(31, 824)}, {"extsw", x(31, 986)},
    {"lwzx", x(31, 23)},    {"ldx", x(31, 21)},    {"stdx", x(31, 149)},  {"lbzx", x(31, 87)},
    {"lfdx", x(31, 599)},   {"stfdx", x(31, 727)}, {"fadd", x(63, 21)},   {"fsub", x(63, 20)},
    {"fmul", x(63, 25)},    {"fmadd", x(63, 29)},  {"fdiv", x(63, 18)},   {"fcmpu", x(63, 0)},
    {"fmr", x(63, 72)},     {"mfspr", x(31, 339)}, {"mtspr", x(31, 467)}, {"lwarx", x(31, 20)},
    {"stwcx.", x(31, 150)}, {"sync", x(31, 598)},  {"sc", d(17)},         {"rfid", x(19, 18)},
};
static_assert(std::size(kPower) <= P2_MOST_SETS);

// Map << 8 | opcode. A name with _s stores to memory or to the register of ModRM's r/m, one with _i has an
// immediate operand.
constexpr Opcode kX86[] = {
    {"mov", 0x8b},     {"mov_s", 0x89},     {"mov_i", 0xc7},    {"mov_s8", 0x88},   {"mov8", 0x8a},
    {"movzx8", 0x1b6}, {"movzx16", 0x1b7},  {"movsx8", 0x1be},  {"movsxd", 0x63},   {"lea", 0x8d},
    {"add", 0x03},     {"add_s", 0x01},     {"sub", 0x2b},      {"sub_s", 0x29},    {"cmp", 0x3b},
    {"cmp_s", 0x39},   {"test", 0x85},      {"test8", 0x84},    {"and_s", 0x21},    {"or_s", 0x09},
    {"xor_s", 0x31},   {"xor", 0x33},       {"arith_i8", 0x83}, {"arith_i", 0x81},  {"arith8_i", 0x80},
    {"shift_i", 0xc1}, {"shift_1", 0xd1},   {"shift_cl", 0xd3}, {"inc_dec", 0xff},  {"mul_div", 0xf7},
    {"imul", 0x1af},   {"push_rbp", 0x55},  {"push_rbx", 0x53}, {"pop_rbp", 0x5d},  {"pop_rbx", 0x5b},
    {"call", 0xe8},    {"ret", 0xc3},       {"jmp", 0xe9},      {"jmp8", 0xeb},     {"je8", 0x74},
    {"jne8", 0x75},    {"jb8", 0x72},       {"jae8", 0x73},     {"jbe8", 0x76},     {"ja8", 0x77},
    {"jl8", 0x7c},     {"jge8", 0x7d},      {"jle8", 0x7e},     {"jg8", 0x7f},      {"je", 0x184},
    {"jne", 0x185},    {"nop", 0x11f},      {"syscall", 0x105}, {"movups", 0x110},  {"movups_s", 0x111},
    {"movaps", 0x128}, {"movaps_s", 0x129}, {"adds", 0x158},    {"muls", 0x159},    {"subs", 0x15c},
    {"divs", 0x15e},   {"ucomis", 0x12e},   {"cvtsi2s", 0x12a}, {"cmpxchg", 0x1b1},
};
static_assert(std::size(kX86) <= P2_MOST_SETS);

}  // namespace

std::vector<Opcode> opcodes(bool power) {
  if (power) return {std::begin(kPower), std::end(kPower)};
  return {std::begin(kX86), std::end(kX86)};
}

std::vector<NamedOpcode> parse_opcodes(const std::string& option, const std::string& text, bool power) {
  const std::vector<Opcode> all = opcodes(power);
  std::vector<NamedOpcode> found;
  if (text == "all") {
    for (const Opcode& o : all) found.push_back({o.name, o.imr});
    return found;
  }
  for (const std::string& word : split(text, ',')) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Opcode& o) { return word == o.name; });
    uint32_t number = 0;
    if (known != all.end())
      found.push_back({word, known->imr});
    else if (parse_number(word, number) && number)
      found.push_back({word, number});
    else
      throw Misuse(fmt::format("{} {}: legal are numbers but 0, and names that `p2event --opcodes` lists",
                               option, word));
  }
  return found;
}

}  // namespace perfboard::p2
