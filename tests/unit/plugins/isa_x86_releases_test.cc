// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is made of x86's instructions is the same with Debian 12's capstone, 4, and Debian 13's, 5: counts do
// not depend on the release that built the object. Each digest is of 16 opcodes with all kinds of operands.
// Where one of the two does not know an instruction, or takes bytes that are none for one, its opcode is left
// out here; the usual forms of it are in the other tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "plugins/isa/isa.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

using Code = std::vector<uint8_t>;

// Map << 8 | opcode.
constexpr unsigned kLeftOut[] = {
    0x063, 0x0dc, 0x0dd, 0x0de, 0x0df,  // movsxd; twins of x87's
    0x101, 0x10d, 0x112, 0x116, 0x11a, 0x11b, 0x11c, 0x11e,
    0x11f, 0x152, 0x153, 0x177,                              // pkru, prefetch, hints
    0x138, 0x13a, 0x178, 0x179, 0x1ae, 0x1c3, 0x1c7, 0x1ff,  // other maps, vmread, ud0
    0x2cf, 0x2f5, 0x2f6, 0x2f8, 0x2f9, 0x3ce, 0x3cf,         // gfni, shadow stacks, movdir
};
constexpr unsigned kLeftOutOfVex[] = {
    0x141, 0x142, 0x145, 0x146, 0x147, 0x14a, 0x14b, 0x290, 0x291,
    0x292, 0x293, 0x2cf,                                            // masks, gathers without index
    0x2dc, 0x2dd, 0x2de, 0x2df, 0x344, 0x348, 0x349, 0x3ce, 0x3cf,  // vaes, vpclmulqdq, XOP
};

class Digest {
 public:
  void add(const Code& code, uint32_t mode) {
    const Isa& isa = *isa_named("x86");
    const Insn i = isa.decode(code.data(), code.size(), mode);
    const Floats f = isa.floats(code.data(), code.size(), mode, 0);
    text(describe(isa.model(code.data(), code.size(), mode, 0)));
    for (const unsigned n : {unsigned(i.op), unsigned(i.bytes), unsigned(i.branch), unsigned(i.quiet),
                             unsigned(i.several), unsigned(i.iterates), unsigned(i.translations),
                             unsigned(f.format), unsigned(f.lanes), unsigned(f.has_memory)})
      text(std::to_string(n) + ",");
  }
  uint32_t value() const { return static_cast<uint32_t>(hash_ >> 32 ^ hash_); }

 private:
  void text(const std::string& s) {
    for (const char c : s) hash_ = (hash_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  uint64_t hash_ = 0xcbf29ce484222325;
};

// Memory by one register, without displacement; registers; all of them for x87.
std::vector<uint8_t> operands(bool all) {
  std::vector<uint8_t> bytes;
  for (unsigned middle = 0; middle < 64; middle += 8) {
    bytes.push_back(static_cast<uint8_t>(middle | 3));
    for (unsigned last = all ? 0 : 1; last < (all ? 8 : 2); ++last)
      bytes.push_back(static_cast<uint8_t>(0xc0 | middle | last));
  }
  return bytes;
}

void add_opcode(Digest& digest, uint32_t mode, unsigned map, unsigned opcode) {
  constexpr uint8_t kPrefixes[] = {0, 0x66, 0xf3, 0xf2, 0x48};
  const bool x87 = map == 0 && opcode >= 0xd8 && opcode <= 0xdf;
  for (const uint8_t prefix : kPrefixes) {
    if (prefix == 0x48 && mode != 64) continue;
    for (const uint8_t modrm : operands(x87)) {
      Code code;
      if (prefix) code.push_back(prefix);
      if (map) code.push_back(0x0f);
      if (map > 1) code.push_back(map == 2 ? 0x38 : 0x3a);
      code.insert(code.end(), {static_cast<uint8_t>(opcode), modrm, 5, 0, 0, 0, 0, 0, 0, 0});
      digest.add(code, mode);
    }
  }
}

void add_vex_opcode(Digest& digest, unsigned map, unsigned opcode) {
  for (unsigned how = 0; how < 8; ++how)  // 256 bits, prefix
    for (const uint8_t modrm : operands(false))
      digest.add({0xc4, static_cast<uint8_t>(0xe0 | map), static_cast<uint8_t>(0x70 | how),
                  static_cast<uint8_t>(opcode), modrm, 0x30, 0, 0, 0, 0, 0},
                 64);
}

template <size_t kSize>
bool is_in(const unsigned (&list)[kSize], unsigned opcode) {
  return std::find(std::begin(list), std::end(list), opcode) != std::end(list);
}

// What needs no comparison: prefixes, and 0F.
bool is_no_opcode(uint32_t mode, unsigned opcode) {
  const bool prefix = opcode == 0x26 || opcode == 0x2e || opcode == 0x36 || opcode == 0x3e ||
                      (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 || opcode == 0xf2 ||
                      opcode == 0xf3;
  return prefix || opcode == 0x0f || (mode == 64 && opcode >> 4 == 4);
}

struct Expected {
  uint32_t mode;  // 0: VEX, 64-bit code
  unsigned map;
  uint32_t digest[16];  // of opcodes 00 to 0F, 10 to 1F, ...
};

const Expected kExpected[] = {
#include "tests/unit/plugins/isa_x86_releases.inc"
};

TEST(IsaX86Releases, OneCapstoneSaysWhatTheOtherDoes) {
  std::string now;
  bool same = true;
  for (const Expected& e : kExpected) {
    now += "    {" + std::to_string(e.mode) + ", " + std::to_string(e.map) + ", {";
    for (unsigned row = 0; row < 16; ++row) {
      Digest digest;
      for (unsigned opcode = 16 * row; opcode < 16 * row + 16; ++opcode) {
        const unsigned whole = e.map << 8 | opcode;
        if (e.mode == 0 ? is_in(kLeftOutOfVex, whole)
                        : is_in(kLeftOut, whole) || (e.map == 0 && is_no_opcode(e.mode, opcode)))
          continue;
        if (e.mode == 0)
          add_vex_opcode(digest, e.map, opcode);
        else
          add_opcode(digest, e.mode, e.map, opcode);
      }
      EXPECT_EQ(digest.value(), e.digest[row])
          << (e.mode ? e.mode : 64) << "-bit code" << (e.mode ? "" : ", VEX") << ", map " << e.map
          << ", opcodes from " << std::hex << 16 * row;
      same &= digest.value() == e.digest[row];
      char text[40];
      snprintf(text, sizeof text, "%s0x%08x",
               row == 0  ? ""
               : row % 8 ? ", "
                         : ",\n             ",
               digest.value());
      now += text;
    }
    now += "}},\n";
  }
  EXPECT_TRUE(same) << "what is made of them now (isa_x86_releases.inc), if that is right, and with both:\n"
                    << now;
}

}  // namespace
}  // namespace perfboard
