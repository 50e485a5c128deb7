// SPDX-License-Identifier: GPL-2.0-or-later
//
// Segments of a program, by names of functions and by offsets.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "guest/power2/cmd/segment.h"
#include "guest/power2/cmd/words.h"
#include "tests/unit/power2/refusal.h"

namespace perfboard::p2 {
namespace {

constexpr uint32_t kNop = 0x60000000, kBlr = 0x4e800020, kBeqlr = 0x4d820020, kBctr = 0x4e800420,
                   kBl = 0x48000101;
constexpr uint32_t b(int32_t distance) { return 0x48000000 | (static_cast<uint32_t>(distance) & 0x03fffffc); }

TEST(Power2Segment, ExitsOfAPowerFunction) {
  using Exits = std::vector<uint64_t>;
  const auto exits = [](std::vector<uint32_t> words) { return power_exits(words, "f"); };
  EXPECT_EQ(exits({kNop, kBlr}), Exits{4});
  EXPECT_EQ(exits({kBlr, kNop, kBlr, kBl, kBctr}), (Exits{0, 8}));
  // Branches within are none; those in front of the function and behind it are.
  EXPECT_EQ(exits({kNop, b(-4), b(4), kBlr}), Exits{12});
  EXPECT_EQ(exits({b(-4), b(8), kNop, b(4)}), (Exits{0, 12}));
  EXPECT_EQ(refusal([&] { exits({kBeqlr, kBlr}); }),
            "--segment f: it has conditional returns; give the exits: FILE:ENTRY:EXIT...");
}

// An ELF file with one function "work" at address 0x10010 (offset 0x210), of three words.
struct File {
  static constexpr size_t kCode = 0x200, kNames = 0x300, kSymbols = 0x320, kSections = 0x380;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x500);
  Elf64_Sym symbol{};
  Elf64_Ehdr head{};

  File() {
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_machine = EM_PPC64;
    head.e_phoff = sizeof(head);
    head.e_phnum = 1;
    head.e_shoff = kSections;
    head.e_shnum = 2;
    symbol = {1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 3 << 5, 1, 0x10010, 16};
  }
  std::span<const uint8_t> made() {
    const auto put = [&](size_t at, const auto& what) { memcpy(bytes.data() + at, &what, sizeof(what)); };
    put(0, head);
    put(sizeof(head), Elf64_Phdr{PT_LOAD, PF_X, kCode, 0x10000, 0, 0x100, 0x100, 1});
    put(kNames, std::array<char, 10>{"\0work\0end"});
    put(kSymbols + sizeof(symbol), symbol);
    put(kSections, Elf64_Shdr{0, SHT_SYMTAB, 0, 0, kSymbols, 2 * sizeof(symbol), 1, 0, 0, 0});
    put(kSections + sizeof(Elf64_Shdr), Elf64_Shdr{0, SHT_STRTAB, 0, 0, kNames, 10, 0, 0, 0, 0});
    put(kCode + 0x10, std::array<uint32_t, 4>{kNop, kNop, kNop, kBlr});
    return bytes;
  }
};

TEST(Power2Segment, AFunctionOfAFile) {
  File file;
  const Segment s = find_function(file.made(), "x", "work");
  EXPECT_EQ(s.file, "x");
  EXPECT_EQ(s.entry, 0x218u);  // the local entry: two instructions on
  EXPECT_EQ(s.exits, std::vector<uint64_t>{0x21c});
  EXPECT_EQ(refusal([&] { find_function(file.made(), "x", "wor"); }),
            "--segment wor: x has no such function (is it stripped?)");
  EXPECT_EQ(refusal([&] { find_function(file.made(), "x", "end"); }),
            "--segment end: x has no such function (is it stripped?)");
  file.head.e_machine = EM_X86_64;
  EXPECT_EQ(refusal([&] { find_function(file.made(), "x", "work"); }),
            "--segment work: on this processor the exits must be given: FILE:ENTRY:EXIT...");
}

// Nothing that a file says is believed.
TEST(Power2Segment, DamagedFiles) {
  File file;
  const auto whole = file.made();
  for (size_t size = 0; size < whole.size(); size += 3) {
    const std::string said = refusal([&] { find_function(whole.first(size), "x", "work"); });
    EXPECT_TRUE(said != "accepted" || size >= File::kSections + 2 * sizeof(Elf64_Shdr)) << size;
  }
  file.symbol.st_value = 0x100f0;
  file.symbol.st_size = UINT64_MAX;
  EXPECT_NE(refusal([&] { find_function(file.made(), "x", "work"); }), "accepted");
  file.symbol.st_value = 0x20000;
  EXPECT_NE(refusal([&] { find_function(file.made(), "x", "work"); }), "accepted");
  file.head.e_shoff = UINT64_MAX - 8;
  EXPECT_NE(refusal([&] { find_function(file.made(), "x", "work"); }), "accepted");
}

TEST(Power2Segment, Offsets) {
  const Segment s = parse_segment("/bin/x:0x100:0x120:300", "y");
  EXPECT_EQ(s.file, "/bin/x");
  EXPECT_EQ(s.entry, 0x100u);
  EXPECT_EQ(s.exits, (std::vector<uint64_t>{0x120, 300}));
  for (const char* text :
       {":1:2", "x:1", "x:", "x:1:", "x:a:2", "x:1:-2", "x:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1"})
    EXPECT_THROW(parse_segment(text, "y"), Misuse) << text;
  EXPECT_EQ(refusal([] { parse_segment("f", "no-such-program"); }),
            "--segment f: no-such-program is not found");
}

}  // namespace
}  // namespace perfboard::p2
