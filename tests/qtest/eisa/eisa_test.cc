// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EISA bus: IDs, what it decodes, what it leaves alone, and how it refuses a wrong command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "hw/eisa/eisa_id.h"
#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

MachineOptions two_boards() { return {.devices = {"surfboard,slot=2", "surfboard,slot=11"}}; }

TEST(Eisa, IdOfEachSlotByteByByte) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2", "surfboard,slot=11"}});
  const struct {
    unsigned slot;
    uint32_t id;
  } boards[] = {{0, EISA_SYSTEM_BOARD_ID}, {1, kSniId}, {2, kSurfId}, {11, kSurfId}};
  for (const auto& b : boards) {
    const auto port = static_cast<uint16_t>(b.slot * 0x1000 + 0xc80);
    EXPECT_EQ(m.in32(port), b.id) << "slot " << b.slot;
    EXPECT_EQ(m.in16(port), b.id & 0xffff) << "slot " << b.slot;
    EXPECT_EQ(m.in16(static_cast<uint16_t>(port + 2)), b.id >> 16) << "slot " << b.slot;
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(m.in8(static_cast<uint16_t>(port + i)), b.id >> (8 * i) & 0xff)
          << "slot " << b.slot << " byte " << i;
  }
  // The letters of the paper's machine, as any program takes them apart.
  EXPECT_EQ((m.in8(0x2c80) >> 2 & 31) + 0x40, 'P');
  EXPECT_EQ(m.in8(0x2c80) >> 7, 0) << "bit 7 would say: empty slot";
}

TEST(Eisa, IdIgnoresWrites) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2"}});
  for (unsigned slot : {0u, 1u, 2u}) {
    const auto port = static_cast<uint16_t>(slot * 0x1000 + 0xc80);
    const uint32_t id = m.in32(port);
    for (uint16_t i = 0; i < 4; ++i) {
      m.out8(static_cast<uint16_t>(port + i), 0xff);
      m.out8(static_cast<uint16_t>(port + i), 0x80 + i);
    }
    m.out16(port, 0);
    m.out32(port, 0xffffffff);
    EXPECT_EQ(m.in32(port), id) << "slot " << slot;
  }
  EXPECT_EQ(m.in32(0x2c84), 0u) << "the writes to EPIR reached EBCR";
  EXPECT_EQ(m.in32(0x1c84), 0u) << "the writes to EPIR reached SBCR";
}

TEST(Eisa, EmptySlotsReadOnes) {
  Machine m(two_boards());
  for (unsigned slot : {1u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u})
    for (uint16_t offset : {0x000, 0x400, 0x800, 0xc00, 0xc80, 0xc84, 0xcfc}) {
      const auto port = static_cast<uint16_t>(slot * 0x1000 + offset);
      m.out32(port, 0);
      EXPECT_EQ(m.in8(port), 0xff) << std::hex << port;
      EXPECT_EQ(m.in16(port), 0xffff) << std::hex << port;
      EXPECT_EQ(m.in32(port), 0xffffffff) << std::hex << port;
    }
}

// What a slot does not use of its own ranges reads as the idle bus does.
TEST(Eisa, UnusedOffsetsOfABoardReadOnes) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2"}});
  for (unsigned slot : {1u, 2u})
    for (unsigned range : {0x000u, 0x400u, 0x800u, 0xc00u})
      for (unsigned i = 0; i < 0x100; i += 4) {
        const unsigned offset = range + i;
        if (offset == 0xc80 || offset == 0xc84) continue;
        const auto port = static_cast<uint16_t>(slot * 0x1000 + offset);
        m.out32(port, 0);
        EXPECT_EQ(m.in32(port), 0xffffffff) << std::hex << port;
        EXPECT_EQ(m.in8(port), 0xff) << std::hex << port;
      }
  EXPECT_EQ(m.in32(0x2c84), 0u);
  EXPECT_EQ(m.in32(0x1c84), 0u);
}

TEST(Eisa, DecodesOnlyTheSlotsRanges) {
  Machine m(two_boards());
  const std::string map = m.hmp("info mtree");
  for (const char* slot : {"2", "b"}) {
    for (const char* range : {"0", "4", "8", "c"}) {
      const std::string line =
          std::string("000000000000") + slot + range + "00-000000000000" + slot + range + "ff";
      EXPECT_NE(map.find(line), map.npos) << "slot I/O " << line;
    }
  }
  // The ID shows in the range of its own only: in no alias of it (A.5: zC80 and zC84).
  for (unsigned offset = 0x080; offset < 0x1000; offset += 0x100)
    if (offset != 0xc80) {
      EXPECT_NE(m.in32(static_cast<uint16_t>(0x2000 + offset)), kSurfId) << std::hex << offset;
    }
  // Between the ranges lies the machine's own I/O: a write goes to nobody and changes nothing.
  for (unsigned offset : {0x100u, 0x184u, 0x384u, 0x584u, 0x984u, 0xd84u, 0xf84u}) {
    m.out32(static_cast<uint16_t>(0x2000 + offset), 0xffffffff);
    EXPECT_EQ(m.in32(0x2c84), 0u) << std::hex << offset;
  }
}

TEST(Eisa, TwoBoardsAreTwo) {
  Machine m(two_boards());
  Surf first(m, 2), second(m, 11);
  first.enable(SURF_IRLEV_IRQ10);
  second.enable(SURF_IRLEV_IRQ5, 0xc0010000, 0xd8000000);
  EXPECT_EQ(m.in32(0x2c84), Surf::ebcr_for(SURF_IRLEV_IRQ10));
  EXPECT_EQ(m.in32(0xbc84), Surf::ebcr_for(SURF_IRLEV_IRQ5, 0xc0010000, 0xd8000000));
  first.write(SURF_WCDR, 0x11111111);
  second.write(SURF_WCDR, 0x22222222);
  m.write32(first.trace_at(0), 1);
  m.write32(second.trace_at(0), 2);
  m.write32(first.bin_at(5), 3);
  m.write32(second.bin_at(5), 4);
  EXPECT_EQ(first.read(SURF_WCDR), 0x11111111u);
  EXPECT_EQ(second.read(SURF_WCDR), 0x22222222u);
  EXPECT_EQ(first.trace(0, 0), 1u);
  EXPECT_EQ(second.trace(0, 0), 2u);
  EXPECT_EQ(first.bin(5), 3u);
  EXPECT_EQ(second.bin(5), 4u);
}

TEST(Eisa, BridgeIsAPciDevice) {
  Machine m;
  bool found = false;
  for (unsigned device = 0; device < 32; ++device) {
    if (m.pci_read32(device, 0) != 0x04828086) continue;
    found = true;
    EXPECT_EQ(m.pci_read32(device, 8) >> 8, 0u) << "class: none (hw/qemu/README.md, facts of the EISA bus)";
  }
  EXPECT_TRUE(found);
}

TEST(Eisa, IdleMemoryReadsOnes) {
  Machine m({.devices = {"surfboard,slot=2"}});
  for (uint64_t a : {0xc0000000ull, 0xc8000000ull, 0xd0000000ull, 0x0ffffff0ull}) {
    m.write32(a, 0);
    EXPECT_EQ(m.read8(a), 0xff) << std::hex << a;
    EXPECT_EQ(m.read16(a), 0xffff) << std::hex << a;
    EXPECT_EQ(m.read32(a), 0xffffffff) << std::hex << a;
    EXPECT_EQ(m.read64(a), ~uint64_t{0}) << std::hex << a;
  }
  EXPECT_NE(m.log().find("no board answers at memory 0xc8000000"), std::string::npos) << m.log();
}

// --- command lines that are refused -----------------------------------------------

// A snapshot's length for them is a word of 32 bits.
TEST(EisaRefused, CachesThatAreTooLargeTogether) {
  expect_refused({"-smp", "1,maxcpus=255", "-device", "i82375", "-device",
                  "shrimp-sni,slot=1,l1d-size=16M,l2-size=16M,line-size=16"},
                 {"caches and TLBs of 255 vCPUs would take 42", "legal are up to 1073741824 together"});
}

struct Wrong {
  const char* name;
  std::vector<std::string> words;
  std::vector<std::string> said;  // what the one line names: option and value, legal values or range
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.name; }

// "1..11" or "1 to 11"
std::string range(uint64_t low, uint64_t high) {
  return std::to_string(low) + "(\\.\\.| to )" + std::to_string(high);
}

class EisaRefuses : public testing::TestWithParam<Wrong> {};

TEST_P(EisaRefuses, WithOneLine) {
  const Wrong& w = GetParam();
  const Refusal r = start_and_end(w.words);
  ASSERT_TRUE(r.status) << "it runs\n" << r.output;
  EXPECT_EQ(*r.status, 1) << r.output;
  EXPECT_EQ(std::count(r.output.begin(), r.output.end(), '\n'), 1) << r.output;
  // Behind QEMU's echo of the option: "qemu-system-x86_64: -device surfboard,slot=0: "
  const std::string message = r.output.substr(r.output.find(": ", r.output.find("-device")) + 2);
  for (const std::string& text : w.said)
    EXPECT_TRUE(std::regex_search(message, std::regex("\\b" + text + "\\b"))) << text << "\n" << message;
}

std::vector<std::string> devices(std::initializer_list<const char*> list) {
  std::vector<std::string> words = {"-device", "i82375"};
  for (const char* d : list) words.insert(words.end(), {"-device", d});
  return words;
}

const std::string kSlots = range(1, 11);

INSTANTIATE_TEST_SUITE_P(
    CommandLine, EisaRefuses,
    testing::Values(
        Wrong{"RomAndAFile", {"-device", "i82375,rom=on,romfile=/dev/null"}, {"rom=on", "romfile"}},
        Wrong{"RomWithoutABar", {"-device", "i82375,rom=on,rombar=0"}, {"rom=on", "rombar=0"}},
        Wrong{"SlotZero", devices({"surfboard,slot=0"}), {"slot=0", kSlots}},
        Wrong{"SlotMissing", devices({"surfboard"}), {"slot=0", kSlots}},
        Wrong{"SlotTwelve", devices({"surfboard,slot=12"}), {"slot=12", kSlots}},
        Wrong{"SlotSixteen", devices({"shrimp-sni,slot=16"}), {"slot=16", kSlots}},
        Wrong{"SlotHuge", devices({"surfboard,slot=4294967295"}), {"slot=4294967295", kSlots}},
        Wrong{"SlotNegative", devices({"surfboard,slot=-1"}), {"slot"}},
        Wrong{"Clash", devices({"surfboard,slot=3", "surfboard,slot=3"}), {"slot=3", "surfboard", kSlots}},
        Wrong{"ClashOfKinds", devices({"shrimp-sni,slot=4", "surfboard,slot=4"}), {"slot=4", "shrimp-sni"}},
        Wrong{"NoBridge", {"-device", "surfboard,slot=2"}, {"EISA", "surfboard"}},
        Wrong{"TwoBridges", devices({"i82375"}), {"i82375", "EISA bus already"}},
        Wrong{"TwoSnis",
              devices({"shrimp-sni,slot=1,contention=on", "shrimp-sni,slot=2"}),
              {"contention=off", "legal are the same"}},
        Wrong{"LinksOfLoopback", devices({"shrimp-sni,slot=1,links=on"}), {"links=on", "fabric=cluster"}},
        Wrong{"LinksOfTooMany", devices({"shrimp-sni,slot=1,links=on,nodes=65"}), {"nodes=65", "at most 64"}},
        Wrong{"TraceSize",
              devices({"surfboard,slot=2,trace-size=5M"}),
              {"trace-size=5242880", "4M", "16M", "64M"}},
        Wrong{
            "TraceSizeOdd", devices({"surfboard,slot=2,trace-size=4194305"}), {"trace-size=4194305", "64M"}},
        Wrong{"HistSize",
              devices({"surfboard,slot=2,hist-size=128M"}),
              {"hist-size=134217728", "4M", "16M", "64M"}},
        Wrong{"HistSizeHuge",
              devices({"surfboard,slot=2,hist-size=8E"}),
              {"hist-size=9223372036854775808", "64M"}},
        Wrong{
            "NodesBeyond16Bits", devices({"shrimp-sni,slot=1,nodes=65540"}), {"nodes=65540", range(1, 4096)}},
        Wrong{"NodeBeyond16Bits", devices({"shrimp-sni,slot=1,node=65536"}), {"node=65536", range(0, 3)}},
        Wrong{"MeshTooHigh",
              devices({"shrimp-sni,slot=1,nodes=65,mesh-width=1"}),
              {"mesh-width=1", range(2, 64)}},
        Wrong{"LineSize", devices({"shrimp-sni,slot=1,line-size=24"}), {"line-size=24", range(16, 256)}},
        Wrong{"L1Size", devices({"shrimp-sni,slot=1,l1d-size=9K"}), {"l1d-size=9216", "powers of two"}},
        Wrong{"L1Ways", devices({"shrimp-sni,slot=1,l1d-ways=3"}), {"l1d-ways=3", "powers of two"}},
        Wrong{"L2Ways", devices({"shrimp-sni,slot=1,l2-ways=0"}), {"l2-ways=0", "powers of two"}},
        Wrong{"UnknownProperty", devices({"surfboard,slot=2,colour=red"}), {"surfboard\\.colour"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(EisaAccepts, TheEdgesOfEveryRange) {
  Machine m({.devices = {
                 "shrimp-sni,slot=1,nodes=4096,node=4095,mesh-width=64,fifo-words=65536,l1d-size=0,l2-size=0",
                 "surfboard,slot=11,trace-size=0,hist-size=64M"}});
  EXPECT_EQ(m.in32(0x1c80), kSniId);
  EXPECT_EQ(m.in32(0xbc80), kSurfId);
  Sni sni(m, 1);
  sni.enable();
  EXPECT_EQ(sni.read(SNI_FSIZE), 65536u);
  EXPECT_EQ(sni.read(SNI_NODE), 4095u << 16 | 0xfffu);
}

}  // namespace
}  // namespace perfboard::qtest
