// SPDX-License-Identifier: GPL-2.0-or-later
//
// The EISA configuration files against the boards: the INIT bits of every alternative are written
// to the model, which must then decode the resource that stands at the same place of its list.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/unit/shrimp/fixture.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard {
namespace {

struct Init {
  uint32_t port;                    // i of IOPORT(i)
  std::vector<uint32_t> bits;       // LOC, in its order
  std::vector<std::string> values;  // of each alternative: 0 and 1, in the order of LOC
};

struct Memory {
  uint64_t bytes;
  std::vector<uint32_t> addresses;  // of each alternative
  std::map<std::string, std::string> says;
};

// A LINK or FREE: alternative n of each list goes with alternative n of all others.
struct Group {
  std::string function, choice;
  bool link;
  std::vector<int> irqs;
  std::map<std::string, std::string> irq_says;
  std::vector<Memory> memories;
  std::vector<Init> inits;

  size_t alternatives() const { return inits.empty() ? 0 : inits[0].values.size(); }
  bool is_irq() const { return !irqs.empty(); }
};

struct File {
  std::vector<std::pair<std::string, std::string>> board;  // in their order
  std::map<uint32_t, uint32_t> ports;                      // i of IOPORT(i): offset in the slot
  std::vector<std::string> functions;
  std::vector<Group> groups;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

std::vector<std::string> alternatives_of(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, '|');) items.push_back(trimmed(item));
  return items;
}

std::string unquoted(const std::string& s) {
  EXPECT_TRUE(s.size() > 2 && s.front() == '"' && s.back() == '"') << s;
  return s.size() > 2 ? s.substr(1, s.size() - 2) : "";
}

// 0C0010000h: a hexadecimal number begins with a digit and ends with h.
uint32_t hex(const std::string& s) {
  EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(s.front())) && s.back() == 'h') << s;
  size_t used = 0;
  const unsigned long long value = std::stoull(s, &used, 16);
  EXPECT_EQ(used, s.size() - 1) << s;
  EXPECT_LE(value, 0xffffffffull);
  return static_cast<uint32_t>(value);
}

uint64_t bytes_of(const std::string& size) {
  return std::stoull(size) << (size.back() == 'K' ? 10 : size.back() == 'M' ? 20 : 0);
}

// IOPORT(1)
uint32_t port_number(const std::string& text) {
  EXPECT_EQ(text.substr(0, 7), "IOPORT(");
  EXPECT_EQ(text.back(), ')');
  return static_cast<uint32_t>(std::stoul(text.substr(7)));
}

// IOPORT(3) LOC(2 1 0) 010 | 011
Init read_init(const std::string& value) {
  Init init;
  const size_t loc = value.find(" LOC("), close = value.find(')', loc);
  EXPECT_NE(close, std::string::npos) << value;
  if (close == std::string::npos) return init;
  init.port = port_number(value.substr(0, loc));
  std::istringstream numbers(value.substr(loc + 5, close - loc - 5));
  for (uint32_t bit; numbers >> bit;) init.bits.push_back(bit);
  init.values = alternatives_of(value.substr(close + 1));
  return init;
}

const std::set<std::string> kBoardKeys = {"ID",     "NAME",     "MFR",     "CATEGORY", "SLOT",
                                          "LENGTH", "AMPERAGE", "SKIRT",   "READID",   "BUSMASTER",
                                          "SIZING", "IOCHECK",  "DISABLE", "COMMENTS", "HELP"};
const std::set<std::string> kMemoryKeys = {"WRITABLE", "MEMTYPE", "SIZE", "DECODE", "CACHE", "SHARE"};

File read_file(const std::string& name) {
  File f;
  const char* root = std::getenv("PERFBOARD_ROOT");
  EXPECT_NE(root, nullptr) << "set PERFBOARD_ROOT to the source tree";
  std::ifstream in(std::string(root ? root : ".") + "/firmware/" + name);
  EXPECT_TRUE(in) << name;
  enum { kNothing, kBoard, kPort, kFunction, kChoice, kIrq, kMemory } block = kNothing;
  std::string choice;
  for (std::string line; std::getline(in, line);) {
    line = trimmed(line);
    if (line.empty() || line[0] == ';') continue;
    SCOPED_TRACE(line);
    const size_t equals = line.find('=');
    const std::string key = trimmed(line.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : trimmed(line.substr(equals + 1));
    if (key == "BOARD") {
      EXPECT_EQ(block, kNothing) << "the board's block comes first";
      block = kBoard;
    } else if (key.substr(0, 7) == "IOPORT(") {
      EXPECT_TRUE(block == kBoard || block == kPort);
      block = kPort;
      EXPECT_EQ(value.substr(0, 2), "0Z") << "a port of the board's slot";
      f.ports[port_number(key)] = static_cast<uint32_t>(std::stoul(value.substr(2), nullptr, 16));
    } else if (key == "FUNCTION") {
      block = kFunction;
      f.functions.push_back(unquoted(value));
    } else if (key == "CHOICE") {
      block = kChoice;
      choice = unquoted(value);
    } else if (key == "SUBCHOICE") {
      block = kChoice;
    } else if (key == "LINK" || key == "FREE") {
      f.groups.push_back({f.functions.back(), choice, key == "LINK", {}, {}, {}, {}});
      block = kChoice;
    } else if (block == kBoard) {
      EXPECT_TRUE(kBoardKeys.count(key));
      f.board.emplace_back(key, value);
    } else if (block == kPort) {
      EXPECT_EQ(line, "SIZE = BYTE");
    } else if (key == "IRQ") {
      block = kIrq;
      for (const std::string& irq : alternatives_of(value)) f.groups.back().irqs.push_back(std::stoi(irq));
    } else if (key == "MEMORY") {
      block = kMemory;
      f.groups.back().memories.push_back({bytes_of(value), {}, {}});
    } else if (key == "INIT") {
      f.groups.back().inits.push_back(read_init(value));
    } else if (block == kMemory && key == "ADDRESS") {
      for (const std::string& a : alternatives_of(value))
        f.groups.back().memories.back().addresses.push_back(hex(a));
    } else if (block == kMemory) {
      EXPECT_TRUE(kMemoryKeys.count(key));
      f.groups.back().memories.back().says[key] = value;
    } else if (block == kIrq) {
      f.groups.back().irq_says[key] = value;
    } else {
      EXPECT_TRUE((std::set<std::string>{"TYPE", "HELP", "SHOW", "DISABLE"}.count(key)));
    }
  }
  return f;
}

// The bits of the register, from its bytes nC84..nC87, that the group sets.
uint32_t mask_of(const File& f, const Group& g) {
  uint32_t mask = 0;
  for (const Init& init : g.inits)
    for (const uint32_t bit : init.bits) mask |= 1u << (8 * (f.ports.at(init.port) - 0xC84) + bit);
  return mask;
}

uint32_t value_of(const File& f, const Group& g, size_t alternative) {
  uint32_t value = 0;
  for (const Init& init : g.inits)
    for (size_t i = 0; i < init.bits.size(); ++i)
      if (init.values[alternative][i] == '1')
        value |= 1u << (8 * (f.ports.at(init.port) - 0xC84) + init.bits[i]);
  return value;
}

void expect_board(const File& f, const std::string& id, uint32_t product_id) {
  ASSERT_GE(f.board.size(), 4u);
  const char* required[] = {"ID", "NAME", "MFR", "CATEGORY"};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(f.board[i].first, required[i]) << "required statements come first";
  const std::string says = unquoted(f.board[0].second);
  ASSERT_EQ(says, id) << "the file's name is the ID";
  EXPECT_EQ(unquoted(f.board[3].second).size(), 3u) << "a category has three letters";
  EXPECT_EQ(EISA_ID(says[0], says[1], says[2], std::stoul(says.substr(3, 3), nullptr, 16),
                    std::stoul(says.substr(6), nullptr, 16)),
            product_id);
}

void expect_memories(const Group& g) {
  ASSERT_TRUE(g.link);
  for (size_t i = 0; i < g.memories.size(); ++i) {
    const Memory& m = g.memories[i];
    ASSERT_EQ(m.addresses.size(), g.alternatives());
    EXPECT_LE(m.bytes, 64u << 20) << "a block of EISA's tables";
    EXPECT_EQ(m.says.size(), kMemoryKeys.size());
    EXPECT_EQ(m.says.at("DECODE"), "32");
    EXPECT_EQ(m.says.at("SIZE"), "DWORD");
    EXPECT_EQ(m.says.at("WRITABLE"), "YES");
    EXPECT_EQ(m.says.at("CACHE"), "NO");
    for (size_t n = 0; n < m.addresses.size(); ++n) {
      EXPECT_EQ(m.addresses[n] % m.bytes, 0u);
      if (i > 0) {
        EXPECT_EQ(m.addresses[n], g.memories[i - 1].addresses[n] + g.memories[i - 1].bytes);
      }
    }
  }
}

void expect_groups(const File& f, const Register& reg) {
  std::set<uint32_t> ports;
  for (const auto& [number, offset] : f.ports) ports.insert(offset);
  EXPECT_EQ(ports, (std::set<uint32_t>{0xC84, 0xC85, 0xC86, 0xC87}));
  EXPECT_EQ(f.ports.rbegin()->second, 0xC84u) << "ENABLE is written last";

  std::map<std::string, uint32_t> function_mask;
  for (const Group& g : f.groups) {
    SCOPED_TRACE(g.function + ": " + g.choice);
    ASSERT_FALSE(g.inits.empty());
    for (const Init& init : g.inits) {
      ASSERT_TRUE(f.ports.count(init.port));
      ASSERT_FALSE(init.bits.empty());
      EXPECT_LT(init.bits.front(), 8u);
      EXPECT_TRUE(std::is_sorted(init.bits.rbegin(), init.bits.rend()));
      ASSERT_EQ(init.values.size(), g.alternatives());
      for (const std::string& v : init.values) {
        ASSERT_EQ(v.size(), init.bits.size());
        EXPECT_EQ(v.find_first_not_of("01"), std::string::npos) << v;
      }
    }
    EXPECT_EQ(function_mask.emplace(g.function, mask_of(f, g)).first->second, mask_of(f, g))
        << "whatever is chosen of a function, it sets the same bits";
    if (g.is_irq()) {
      EXPECT_EQ(g.irqs.size(), g.alternatives());
      EXPECT_EQ(g.irq_says.at("SHARE"), "YES");
      EXPECT_EQ(g.irq_says.at("TRIGGER"), "LEVEL");
    }
    if (!g.memories.empty()) expect_memories(g);
  }
  EXPECT_EQ(function_mask.size(), f.functions.size()) << "every function sets something";
  uint32_t all = 0;
  for (const auto& [function, mask] : function_mask) {
    EXPECT_EQ(all & mask, 0u) << function << " sets what another does";
    all |= mask;
  }
  EXPECT_EQ(all & reg.mask(Access::rw), reg.mask(Access::rw)) << "every field is set by some function";
}

// Each alternative in turn, with the first ones of the other functions.
template <typename Check>
void each_alternative(const File& f, Check check) {
  for (const Group& g : f.groups)
    for (size_t n = 0; n < g.alternatives(); ++n) {
      SCOPED_TRACE(g.function + ": " + g.choice + ": alternative " + std::to_string(n));
      uint32_t value = value_of(f, g, n);
      std::set<std::string> given = {g.function};
      for (const Group& other : f.groups)
        if (given.insert(other.function).second) value |= value_of(f, other, 0);
      check(g, n, value);
    }
}

std::set<int> irqs_of(const File& f) {
  std::set<int> irqs;
  for (const Group& g : f.groups) irqs.insert(g.irqs.begin(), g.irqs.end());
  return irqs;
}

// As the machine's firmware does it: byte by byte, in the order of the IOPORT blocks.
template <typename Write>
void write_ports(const File& f, uint32_t value, Write write) {
  for (const auto& [number, offset] : f.ports) write(offset, value >> (8 * (offset - 0xC84)) & 0xff);
}

const std::set<int> kLevels = {5, 9, 10, 12, 14, 15};  // A.5

TEST(EisaCfg, SurfBoard) {
  const File f = read_file("surfboard/!PRU0010.CFG");
  expect_board(f, "PRU0010", EISA_SURFBOARD_ID);
  expect_groups(f, at(surf::kSlotRegisters, "EBCR"));
  EXPECT_EQ(irqs_of(f), kLevels);

  surf::SurfBench bench;
  EXPECT_EQ(bench.io_read(0xC80, 4), EISA_SURFBOARD_ID);
  int windows = 0, memories = 0, interrupts = 0, none = 0;
  each_alternative(f, [&](const Group& g, size_t n, uint32_t value) {
    bench.disable();
    write_ports(f, value, [&](uint32_t offset, uint32_t byte) { bench.io_write(offset, byte, 1); });
    EXPECT_EQ(bench.io_read(0xC84, 4), value) << "nothing is written to unused bits";
    EXPECT_TRUE(surf_enabled(&bench.board));
    if (g.is_irq()) {
      EXPECT_EQ(surf_irq_number(&bench.board), g.irqs[n]);
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
  const File f = read_file("shrimp/!PRU0020.CFG");
  expect_board(f, "PRU0020", EISA_SNI_ID);
  expect_groups(f, at(sni::kIoRegisters, "SBCR"));
  EXPECT_EQ(irqs_of(f), kLevels);
  EXPECT_EQ(
      std::count_if(f.board.begin(), f.board.end(), [](const auto& s) { return s.first == "BUSMASTER"; }), 1)
      << "it writes packets to memory";

  sni::SniBench bench;
  EXPECT_EQ(sni_io_read(bench.board(), 0xC80, 4), EISA_SNI_ID);
  int windows = 0, interrupts = 0, none = 0;
  each_alternative(f, [&](const Group& g, size_t n, uint32_t value) {
    sni_io_write(bench.board(), 0xC84, 0, 4);
    write_ports(f, value,
                [&](uint32_t offset, uint32_t byte) { sni_io_write(bench.board(), offset, byte, 1); });
    EXPECT_EQ(sni_io_read(bench.board(), 0xC84, 4), value) << "nothing is written to unused bits";
    EXPECT_TRUE(sni_enabled(bench.board()));
    if (g.is_irq()) {
      EXPECT_EQ(sni_irq_number(bench.board()), g.irqs[n]);
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
    for (const Group& g : read_file(name).groups)
      for (const Memory& m : g.memories)
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
