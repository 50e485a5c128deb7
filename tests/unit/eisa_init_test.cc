// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EISA configuration files: their INIT bits, alternative by alternative, written to the
// boards' configuration registers; the models must then decode what the alternative names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "hw/eisa/eisa_id.h"
#include "hw/shrimp/sni.h"
#include "hw/surfboard/surfboard.h"

namespace perfboard {
namespace {

// The n-th alternative of each resource, and what the n-th value of each INIT makes of the register.
struct Alternative {
  std::vector<std::string> resources;
  uint32_t value = 0, mask = 0;
};

struct File {
  std::map<std::string, std::string> board;
  std::vector<uint32_t> ports;            // IOPORT(1), ...: offset in the slot
  std::vector<Alternative> alternatives;  // of all LINK and FREE groups
  std::map<std::string, uint32_t> masks;  // the register bits that each FUNCTION sets
  size_t shared = 0, level = 0;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, '|');)
    parts.push_back(std::regex_replace(part, std::regex("^\\s+|\\s+$"), ""));
  return parts;
}

File read(const std::string& name) {
  const char* root = std::getenv("PERFBOARD_ROOT");
  EXPECT_NE(root, nullptr) << "set PERFBOARD_ROOT to the source tree";
  std::ifstream in(std::string(root ? root : ".") + "/firmware/eisa/" + name);
  EXPECT_TRUE(in) << name;
  const std::regex statement("\\s*([A-Z]+(?:\\(\\d\\))?)\\s*=\\s*(.*?)\\s*"), word("\\s*([A-Z]+)\\s*");
  const std::regex init("IOPORT\\((\\d)\\) LOC\\(([\\d ]+)\\) ([01 |]+)");
  File f;
  std::string function;
  size_t group = 0;  // first alternative of the present one
  bool board = false;
  const auto put = [&](size_t i) -> Alternative& {
    while (f.alternatives.size() <= group + i) f.alternatives.emplace_back();
    return f.alternatives[group + i];
  };
  for (std::string line; std::getline(in, line);) {
    std::smatch m, s;
    if (line.empty() || line[0] == ';') continue;
    if (std::regex_match(line, m, word)) {
      board = m[1] == "BOARD";
      if (m[1] == "LINK" || m[1] == "FREE") group = f.alternatives.size();
      continue;
    }
    if (!std::regex_match(line, m, statement)) {
      ADD_FAILURE() << name << ": " << line;
      continue;
    }
    const std::string key = m[1], value = m[2];
    if (key.starts_with("IOPORT")) {
      board = false;
      EXPECT_TRUE(value.starts_with("0ZC") && value.ends_with("h")) << value;
      f.ports.push_back(static_cast<uint32_t>(std::stoul(value.substr(2), nullptr, 16)));
      EXPECT_EQ(key, "IOPORT(" + std::to_string(f.ports.size()) + ")");
    } else if (board) {
      f.board[key] = value;
    } else if (key == "FUNCTION") {
      function = value;
    } else if (key == "ADDRESS" || key == "IRQ") {
      const std::vector<std::string> values = split(value);
      for (size_t i = 0; i < values.size(); ++i) put(i).resources.push_back(values[i]);
    } else if (key == "INIT") {
      if (!std::regex_match(value, s, init)) {
        ADD_FAILURE() << name << ": " << line;
        continue;
      }
      const uint32_t byte = f.ports.at(std::stoul(s[1]) - 1) - 0xC84;
      std::istringstream places(s[2]);
      std::vector<uint32_t> bits;
      for (uint32_t bit; places >> bit;) bits.push_back(8 * byte + bit);
      const std::vector<std::string> values = split(s[3]);
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i].size(), bits.size()) << line;
        for (size_t k = 0; k < bits.size() && k < values[i].size(); ++k) {
          put(i).mask |= 1u << bits[k];
          put(i).value |= static_cast<uint32_t>(values[i][k] == '1') << bits[k];
          f.masks[function] |= 1u << bits[k];
        }
      }
    } else if (key == "SHARE" && value == "YES") {
      ++f.shared;
    } else if (key == "TRIGGER" && value == "LEVEL") {
      ++f.level;
    }
  }
  return f;
}

uint32_t hex(const std::string& text) {
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(text[0])) && text.back() == 'h') << text;
  return static_cast<uint32_t>(std::stoull(text, nullptr, 16));
}

void expect_statements(const File& f, const std::string& id, uint32_t product_id) {
  for (const char* required : {"ID", "NAME", "MFR", "CATEGORY", "SLOT"})
    EXPECT_TRUE(f.board.count(required)) << required;
  ASSERT_EQ(f.board.at("ID"), '"' + id + '"') << "the file's name";
  EXPECT_EQ(f.board.at("SLOT"), "EISA");
  EXPECT_EQ(EISA_ID(id[0], id[1], id[2], std::stoul(id.substr(3, 3), nullptr, 16), std::stoul(id.substr(6))),
            product_id);
  EXPECT_EQ(f.ports, (std::vector<uint32_t>{0xC87, 0xC86, 0xC85, 0xC84})) << "ENABLE last";
  EXPECT_EQ(f.shared, 1u) << "the interrupt is shared, memory is not";
  EXPECT_EQ(f.level, 1u);
  uint32_t all = 0;
  for (const auto& [function, mask] : f.masks) {
    EXPECT_EQ(all & mask, 0u) << function << " sets another's bits";
    all |= mask;
  }
  EXPECT_EQ(all, 0xffffffffu) << "every bit is in an INIT";
}

const std::set<int> kLevels = {5, 9, 10, 12, 14, 15};  // A.5

TEST(EisaInit, SurfBoardDecodesWhatEachAlternativeNames) {
  const File f = read("!PRU0010.CFG");
  expect_statements(f, "PRU0010", EISA_SURFBOARD_ID);
  std::set<int> levels;
  size_t registers = 0, memories = 0, enables = 0;
  for (const Alternative& a : f.alternatives) {
    SurfBoard board{};
    board.state.ebcr = a.value;
    if (a.mask == 0x00000700 && a.resources.empty()) {
      EXPECT_EQ(a.value, 0u) << "no interrupt";
    } else if (a.mask == 0x00000700) {
      board.state.ebcr |= 1;
      levels.insert(std::stoi(a.resources.at(0)));
      EXPECT_EQ(surf_irq_number(&board), std::stoi(a.resources.at(0)));
    } else if (a.mask == 0xffff0000) {
      ++registers;
      EXPECT_EQ(surf_window_registers(&board), hex(a.resources.at(0)));
    } else if (a.mask == 0x0000f800) {
      ++memories;
      ASSERT_EQ(a.resources.size(), 2u) << "trace and histogram";
      EXPECT_EQ(surf_window_memory(&board), hex(a.resources[0]));
      EXPECT_EQ(surf_window_memory(&board) + 0x04000000, hex(a.resources[1]));
    } else {
      ++enables;
      EXPECT_EQ(a.mask, 0x000000ffu);
      EXPECT_TRUE(surf_enabled(&board));
      EXPECT_EQ(a.value, 1u);
    }
  }
  EXPECT_EQ(levels, kLevels);
  EXPECT_EQ(registers, 8u);
  EXPECT_EQ(memories, 5u);
  EXPECT_EQ(enables, 1u);
}

TEST(EisaInit, SniDecodesWhatEachAlternativeNames) {
  const File f = read("!PRU0020.CFG");
  expect_statements(f, "PRU0020", EISA_SNI_ID);
  EXPECT_TRUE(f.board.count("BUSMASTER")) << "it writes packets to memory";
  std::set<int> levels;
  size_t windows = 0, enables = 0;
  for (const Alternative& a : f.alternatives) {
    const auto board = std::make_unique<SniBoard>();
    board->state.sbcr = a.value;
    if (a.mask == 0x0000ff00 && a.resources.empty()) {
      EXPECT_EQ(a.value, 0u) << "no interrupt";
    } else if (a.mask == 0x0000ff00) {
      board->state.sbcr |= 1;
      levels.insert(std::stoi(a.resources.at(0)));
      EXPECT_EQ(sni_irq_number(board.get()), std::stoi(a.resources.at(0)));
      EXPECT_EQ(a.value & ~0x700u, 0u) << "unused bits";
    } else if (a.mask == 0xffff0000) {
      ++windows;
      EXPECT_EQ(sni_window(board.get()), hex(a.resources.at(0)));
      EXPECT_EQ(a.value & 0xfffff, 0u) << "aligned to 1 MB";
    } else {
      ++enables;
      EXPECT_EQ(a.mask, 0x000000ffu);
      EXPECT_TRUE(sni_enabled(board.get()));
      EXPECT_EQ(a.value, 1u);
    }
  }
  EXPECT_EQ(levels, kLevels);
  EXPECT_EQ(windows, 8u);
  EXPECT_EQ(enables, 1u);
}

// A SurfBoard and an SNI find room beside each other, whichever alternatives they get.
TEST(EisaInit, WindowsOfTheTwoBoardsDoNotOverlap) {
  std::vector<std::pair<uint64_t, uint64_t>> surf, sni;
  for (const Alternative& a : read("!PRU0010.CFG").alternatives) {
    if (a.mask == 0xffff0000) surf.emplace_back(hex(a.resources.at(0)), 64u << 10);
    if (a.mask == 0x0000f800) surf.emplace_back(hex(a.resources.at(0)), 128u << 20);
  }
  for (const Alternative& a : read("!PRU0020.CFG").alternatives)
    if (a.mask == 0xffff0000) sni.emplace_back(hex(a.resources.at(0)), 1u << 20);
  for (const auto& [at, size] : surf)
    for (const auto& [other, other_size] : sni)
      EXPECT_TRUE(at + size <= other || other + other_size <= at) << std::hex << at << ' ' << other;
}

}  // namespace
}  // namespace perfboard
