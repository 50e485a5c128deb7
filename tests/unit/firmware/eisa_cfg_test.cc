// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EISA configuration files against the boards: the INIT bits of every alternative are written
// to the model, which must then decode the resource that stands at the same place of its list.
#include <map>
#include <set>

#include "firmware/eisa/cfg.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/shrimp/fixture.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard {
namespace {

using namespace eisa;

const std::set<std::string> kMemoryKeys = {"WRITABLE", "MEMTYPE", "SIZE", "DECODE", "CACHE", "SHARE"};

CfgFile read_file(const std::string& name) { return read_cfg(name, source("firmware/" + name)); }

// The register at nC84, of its bytes.
uint32_t word_of(const CfgBytes& bytes) {
  uint32_t word = 0;
  for (const auto& [offset, byte] : bytes) word |= uint32_t{byte} << (8 * (offset - 0xC84));
  return word;
}

void expect_board(const CfgFile& f, const std::string& id, uint32_t product_id) {
  EXPECT_EQ(f.says("ID"), id) << "the file's name is the ID";
  EXPECT_EQ(f.product_id(), product_id);
}

void expect_memories(const CfgGroup& g) {
  ASSERT_TRUE(g.link);
  for (size_t i = 0; i < g.memories.size(); ++i) {
    const CfgMemory& m = g.memories[i];
    EXPECT_EQ(m.says.size(), kMemoryKeys.size());
    EXPECT_EQ(m.says.at("DECODE"), "32");
    EXPECT_EQ(m.says.at("SIZE"), "DWORD");
    EXPECT_EQ(m.says.at("WRITABLE"), "YES");
    EXPECT_EQ(m.says.at("CACHE"), "NO");
    for (size_t n = 0; n < m.addresses.size(); ++n) {
      if (i > 0) {
        EXPECT_EQ(m.addresses[n], g.memories[i - 1].addresses[n] + g.memories[i - 1].bytes);
      }
    }
  }
}

void expect_groups(const CfgFile& f, const Register& reg) {
  std::set<uint32_t> ports;
  for (const auto& [number, offset] : f.ports) ports.insert(offset);
  EXPECT_EQ(ports, (std::set<uint32_t>{0xC84, 0xC85, 0xC86, 0xC87}));
  EXPECT_EQ(f.ports.rbegin()->second, 0xC84u) << "ENABLE is written last";

  uint32_t all = 0;
  for (const CfgGroup& g : f.groups) {
    SCOPED_TRACE(g.function + ": " + g.choice);
    all |= word_of(cfg_mask(f, g));
    if (!g.irqs.empty()) {
      EXPECT_EQ(g.irq_says.at("SHARE"), "YES");
      EXPECT_EQ(g.irq_says.at("TRIGGER"), "LEVEL");
    }
    if (!g.memories.empty()) expect_memories(g);
  }
  EXPECT_EQ(all & reg.mask(Access::rw), reg.mask(Access::rw)) << "every field is set by some function";
}

// Each alternative in turn, with the first ones of the other functions.
template <typename Check>
void each_alternative(const CfgFile& f, Check check) {
  for (const CfgGroup& g : f.groups)
    for (size_t n = 0; n < g.alternatives(); ++n) {
      SCOPED_TRACE(g.function + ": " + g.choice + ": alternative " + std::to_string(n));
      uint32_t value = word_of(cfg_value(f, g, n));
      std::set<std::string> given = {g.function};
      for (const CfgGroup& other : f.groups)
        if (given.insert(other.function).second) value |= word_of(cfg_value(f, other, 0));
      check(g, n, value);
    }
}

std::set<uint32_t> irqs_of(const CfgFile& f) {
  std::set<uint32_t> irqs;
  for (const CfgGroup& g : f.groups) irqs.insert(g.irqs.begin(), g.irqs.end());
  return irqs;
}

// As the machine's firmware does it: byte by byte, in the order of the IOPORT blocks.
template <typename Write>
void write_ports(const CfgFile& f, uint32_t value, Write write) {
  for (const auto& [number, offset] : f.ports) write(offset, value >> (8 * (offset - 0xC84)) & 0xff);
}

const std::set<uint32_t> kLevels = {5, 9, 10, 12, 14, 15};  // A.5

TEST(EisaCfg, SurfBoard) {
  const CfgFile f = read_file("surfboard/!PRU0010.CFG");
  expect_board(f, "PRU0010", EISA_SURFBOARD_ID);
  expect_groups(f, at(surf::kSlotRegisters, "EBCR"));
  EXPECT_EQ(irqs_of(f), kLevels);

  surf::SurfBench bench;
  EXPECT_EQ(bench.io_read(0xC80, 4), EISA_SURFBOARD_ID);
  int windows = 0, memories = 0, interrupts = 0, none = 0;
  each_alternative(f, [&](const CfgGroup& g, size_t n, uint32_t value) {
    bench.disable();
    write_ports(f, value, [&](uint32_t offset, uint32_t byte) { bench.io_write(offset, byte, 1); });
    EXPECT_EQ(bench.io_read(0xC84, 4), value) << "nothing is written to unused bits";
    EXPECT_TRUE(surf_enabled(&bench.board));
    if (!g.irqs.empty()) {
      EXPECT_EQ(surf_irq_number(&bench.board), static_cast<int>(g.irqs[n]));
      ++interrupts;
    } else if (g.function == "Interrupt") {
      EXPECT_EQ(surf_irq_number(&bench.board), -1);
      ++none;
    } else if (g.memories.size() == 1) {
      EXPECT_EQ(g.memories[0].bytes, 64u << 10);
      EXPECT_EQ(surf_window_registers(&bench.board), g.memories[0].addresses[n]);
      ++windows;
    } else if (g.memories.size() == 2) {
      EXPECT_EQ(g.memories[0].bytes + g.memories[1].bytes, 128u << 20);
      EXPECT_EQ(surf_window_memory(&bench.board), g.memories[0].addresses[n]);
      ++memories;
    }
  });
  EXPECT_EQ(interrupts, 6);
  EXPECT_EQ(none, 1);
  EXPECT_GE(windows, 4) << "four boards fit";
  EXPECT_GE(memories, 4);
}

TEST(EisaCfg, Sni) {
  const CfgFile f = read_file("shrimp/!PRU0020.CFG");
  expect_board(f, "PRU0020", EISA_SNI_ID);
  expect_groups(f, at(sni::kIoRegisters, "SBCR"));
  EXPECT_EQ(irqs_of(f), kLevels);
  EXPECT_NE(f.says("BUSMASTER"), "") << "it writes packets to memory";

  sni::SniBench bench;
  EXPECT_EQ(sni_io_read(bench.board(), 0xC80, 4), EISA_SNI_ID);
  int windows = 0, interrupts = 0, none = 0;
  each_alternative(f, [&](const CfgGroup& g, size_t n, uint32_t value) {
    sni_io_write(bench.board(), 0xC84, 0, 4);
    write_ports(f, value,
                [&](uint32_t offset, uint32_t byte) { sni_io_write(bench.board(), offset, byte, 1); });
    EXPECT_EQ(sni_io_read(bench.board(), 0xC84, 4), value) << "nothing is written to unused bits";
    EXPECT_TRUE(sni_enabled(bench.board()));
    if (!g.irqs.empty()) {
      EXPECT_EQ(sni_irq_number(bench.board()), static_cast<int>(g.irqs[n]));
      ++interrupts;
    } else if (g.function == "Interrupt") {
      EXPECT_EQ(sni_irq_number(bench.board()), -1);
      ++none;
    } else if (!g.memories.empty()) {
      EXPECT_EQ(g.memories.size(), 1u);
      EXPECT_EQ(g.memories[0].bytes, 1u << 20);
      EXPECT_EQ(sni_window(bench.board()), g.memories[0].addresses[n]);
      ++windows;
    }
  });
  EXPECT_EQ(interrupts, 6);
  EXPECT_EQ(none, 1);
  EXPECT_GE(windows, 4);
}

// The utility must find a place for each window without moving another board's.
TEST(EisaCfg, WindowsDoNotOverlap) {
  std::map<uint64_t, uint64_t> windows;  // first, end
  size_t count = 0;
  for (const char* name : {"surfboard/!PRU0010.CFG", "shrimp/!PRU0020.CFG"})
    for (const CfgGroup& g : read_file(name).groups)
      for (const CfgMemory& m : g.memories)
        for (const uint32_t first : m.addresses) {
          windows[first] = first + m.bytes;
          ++count;
        }
  EXPECT_EQ(windows.size(), count);
  uint64_t end = 0;
  for (const auto& [first, after] : windows) {
    EXPECT_GE(first, end) << std::hex << first;
    end = after;
  }
}

}  // namespace
}  // namespace perfboard
