// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots that released versions have made (tests/qtest/releases): a later version loads each, with the
// same values in all registers, or QEMU refuses it and names the board whose part is another.
//
//   PERFBOARD_RELEASE=NAME build/tests/qtest/qtest-releases       makes NAME.snapshot.xz and NAME.registers;
//   tests/qtest/README.md says when
//
// A pair is never made anew once its version is out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCommand = 4, kBar0 = 0x10, kBars = 6, kMemory = 2;
constexpr uint32_t kPciWindows = 0xe0000000;

// The boards of a small machine: each one's id, device and properties, in the order in which they are plugged
// in. This is what the snapshots were made with: a board that comes to be in hw/boards later is in those of
// later versions.
const struct {
  std::string id, device, properties;
} kBoards[] = {
    {"sni", "shrimp-sni", "slot=1"}, {"surf", "surfboard", "slot=2,trace-size=4M,hist-size=0"},
    {"mk", "multikron", "addr=5"},   {"sci", "smile-sci", "addr=6"},
    {"hwm", "smile-hwm", "addr=7"},  {"pm", "power2-pm", "addr=8"},
};

MachineOptions small(bool incoming) {
  // The machine by its version: that of a later QEMU must take it, too.
  MachineOptions options{.args = {"-machine", "pc-i440fx-10.0", "-m", "2"}};
  for (const auto& [id, device, properties] : kBoards)
    options.devices.push_back(device + ",id=" + id + "," + properties);
  if (incoming) options.args.insert(options.args.end(), {"-incoming", "defer"});
  return options;
}

// Values in as many registers as a driver that knows nothing reaches: random words in all windows.
void write_all(Machine& m) {
  std::mt19937 random(1);
  const auto fill = [&](uint64_t at, uint32_t bytes) {
    for (uint32_t offset = 0; offset < bytes; offset += 4)
      m.write32(at + offset, static_cast<uint32_t>(random()));
  };
  Sni(m, 1).enable(SURF_IRLEV_IRQ9);
  Surf(m, 2).enable(SURF_IRLEV_IRQ10);
  fill(Sni::kRegisters, 0x100);
  fill(Surf::kRegisters, SURF_REG_BYTES);
  fill(Surf::kMemory + SURF_MEM_TRACE_OFFSET, 0x100);
  uint32_t at = kPciWindows;
  for (unsigned device = 5; device <= 8; ++device) {
    std::map<uint32_t, uint32_t> windows;
    for (unsigned bar = 0; bar < kBars; ++bar) {
      m.pci_write32(device, kBar0 + 4 * bar, 0xffffffff);
      const uint32_t bytes = ~(m.pci_read32(device, kBar0 + 4 * bar) & ~0xfu) + 1;
      if (!bytes) continue;
      at = (at + bytes - 1) & ~(bytes - 1);
      m.pci_write32(device, kBar0 + 4 * bar, at);
      windows[at] = bytes;
      at += bytes;
    }
    m.pci_write16(device, kCommand, kMemory);
    for (const auto& [start, bytes] : windows) fill(start, std::min(bytes, 0x200u));
  }
}

// A line for each: board, register, value.
std::string registers(Machine& m) {
  std::string all;
  for (const auto& [id, device, properties] : kBoards) {
    Json board;
    board.Parse(m.text(id, "registers").c_str());
    all += fmt::format("{} interrupt {}\n", id, board["irq"].GetUint());
    for (const auto& r : board["registers"].GetArray()) {
      std::string name = r["reg"].GetString();
      for (const char* which : {"index", "part"})
        if (r.HasMember(which)) name += fmt::format("[{}]", r[which].GetUint());
      all += fmt::format("{} {} {:#x}\n", id, name, r["value"].GetUint64());
    }
  }
  return all;
}

void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

const char* to_be_made() {
  const char* name = std::getenv("PERFBOARD_RELEASE");
  return name && *name ? name : nullptr;
}

fs::path releases() { return fs::path(std::getenv("PERFBOARD_ROOT")) / "tests/qtest/releases"; }

TEST(Releases, AreLoadedOrRefusedByName) {
  if (to_be_made()) GTEST_SKIP() << "one is being made";
  bool own = false;
  for (const auto& file : fs::directory_iterator(releases())) {
    if (file.path().extension() != ".registers") continue;
    const std::string name = fs::path(file.path()).replace_extension();
    SCOPED_TRACE(name);
    Machine m(small(true));
    run("xz -dc " + name + ".snapshot.xz >" + m.scratch("snapshot"));
    try {
      m.load(m.scratch("snapshot"));
    } catch (const std::exception&) {
      bool named = false;
      for (const auto& board : kBoards) named |= has(m.output(), board.device + "'");
      EXPECT_TRUE(named) << m.output();
      continue;
    }
    own |= fs::path(name).filename() == std::getenv("PERFBOARD_VERSION");
    EXPECT_EQ(registers(m), contents(file.path()));
  }
  EXPECT_TRUE(own) << "not even this version's own: " << std::getenv("PERFBOARD_VERSION");
}

TEST(Releases, Made) {
  const char* name = to_be_made();
  if (!name) GTEST_SKIP() << "nobody has asked for one";
  Machine m(small(false));
  write_all(m);
  m.save(m.scratch("snapshot"));
  const std::string to = releases() / name;
  run("xz -9c " + m.scratch("snapshot") + " >" + to + ".snapshot.xz");
  std::ofstream(to + ".registers") << registers(m);
}

}  // namespace
}  // namespace perfboard::qtest
