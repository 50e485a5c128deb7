// SPDX-License-Identifier: GPL-2.0-or-later
//
// PCI boards that are plugged in and unplugged while the machine is there (hw/qemu/core/board/board_type.h),
// or are gone on purpose. The guest, here the test, ejects a board without a word to anybody, by the port of
// ACPI; QEMU's event says when nothing holds the board any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "guest/power2/regs.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kSlot = 5, kBar0 = 0x10;
constexpr uint32_t kBarAt = 0xe0000000, kNobody = UINT32_MAX;

struct PciBoard {
  const char* device;
  const char* args;
  uint32_t reg = 0;  // one that each access reaches
  std::vector<const char*> wrong = {};
};
void PrintTo(const PciBoard& b, std::ostream* out) { *out << b.device; }

class Plug : public testing::TestWithParam<PciBoard> {
 protected:
  std::string board(const std::string& more = "", unsigned slot = kSlot) const {
    return std::string(GetParam().device) + ",id=b,addr=" + std::to_string(slot) + GetParam().args + more;
  }
  void place(unsigned slot = kSlot) { m.pci_place(slot, {kBarAt}, 3); }
  std::vector<uint32_t> registers() {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < 16; ++i) all.push_back(m.read32(kBarAt + 4 * i));
    return all;
  }
  std::string path(const char* name) const { return scratch.path(name); }

  Scratch scratch;
  Machine m{{.devices = {"pci-testdev"}, .args = {"-smp", "2"}}};
};

TEST_P(Plug, ComesWhileTheMachineRunsAndGoesWithoutAWord) {
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
  ASSERT_EQ(m.plug(board()), "");
  EXPECT_NE(m.pci_read32(kSlot, 0), kNobody);
  place();
  const std::vector<uint32_t> fresh = registers();
  m.step(1'000'000);
  m.write32(kBarAt + 4, 0xffffffff);
  m.eject(kSlot);
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
  EXPECT_EQ(registers(), std::vector<uint32_t>(16, kNobody)) << "the EISA bridge's bus is idle there";
  m.step(1'000'000);
  ASSERT_EQ(m.plug(board()), "") << "again, with the same id";
  place();
  EXPECT_EQ(registers(), fresh) << "as after power-on";
  m.step(1'000'000);
  EXPECT_EQ(m.quit(), 0);
}

TEST_P(Plug, TheMonitorAsksTheGuest) {
  ASSERT_EQ(m.plug(board()), "");
  m.qmp("device_del", {{"id", "b"}});
  EXPECT_EQ(m.in32(0xae04), 1u << kSlot) << "slots whose board is to go";
  EXPECT_NE(m.pci_read32(kSlot, 0), kNobody) << "not before the guest says so";
  m.eject(kSlot);
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
}

TEST_P(Plug, OneOfTheCommandLineGoesToo) {
  Machine other({.devices = {board()}, .args = {"-smp", "2"}});
  other.step(1'000);
  other.eject(kSlot);
  other.step(1'000);
  other.qmp("system_reset");
  other.step(1'000'000);
  EXPECT_EQ(other.plug(board()), "");
  other.step(1'000);
  EXPECT_EQ(other.quit(), 0);
}

TEST_P(Plug, WhatIsRefusedLeavesNothing) {
  std::vector<const char*> all = {",log=/", ",log-filter=nonsense!", ",coverage=/",
                                  ",inject-irq=loud,nothing=1", ",break=nonsense"};
  all.insert(all.end(), GetParam().wrong.begin(), GetParam().wrong.end());
  for (const char* wrong : all) {
    for (int i = 0; i < 10; ++i) EXPECT_NE(m.plug(board(wrong)), "") << wrong;
    m.step(1'000);
    ASSERT_EQ(m.plug(board()), "") << wrong;
    EXPECT_NE(m.plug(board()), "") << "the id is taken";
    m.eject(kSlot);
  }
  EXPECT_EQ(m.quit(), 0);
}

TEST_P(Plug, LogAndCoverageAreWholeWhenItGoes) {
  const std::string looked = ",log=" + path("log") + ",coverage=" + path("cover");
  ASSERT_EQ(m.plug(board(looked)), "");
  place();
  registers();
  m.eject(kSlot);
  const std::vector<std::string> first = file_lines(path("log"));
  EXPECT_GE(first.size(), 2u);
  const std::string once = contents(path("cover"));
  EXPECT_TRUE(has(once, "\"count\": 1") || has(once, "\"count\":1")) << once.substr(0, 300);

  ASSERT_EQ(m.plug(board(looked)), "");
  place();
  registers();
  m.eject(kSlot);
  const std::vector<std::string> both = file_lines(path("log"));
  ASSERT_EQ(both.size(), 2 * first.size()) << "the second one's lines stand behind the first one's";
  EXPECT_TRUE(std::equal(first.begin(), first.end(), both.begin()));
  EXPECT_NE(contents(path("cover")), once) << "counts are added";

  std::ofstream(path("log")) << "somebody else's\n";
  ASSERT_EQ(m.plug(board(looked)), "");
  m.eject(kSlot);
  EXPECT_FALSE(has(contents(path("log")), "somebody else's"))
      << "a file that was changed begins anew, as at a start";
}

TEST_P(Plug, LookersGoWithIt) {
  ASSERT_EQ(m.plug(board(",recent=16")), "");
  EXPECT_EQ(m.set("b", "break", R"("any *")"), "");
  place();
  registers();
  EXPECT_TRUE(has(m.text("b", "registers"), "recent"));
  m.eject(kSlot);
  ASSERT_EQ(m.plug(board()), "");
  place();
  m.step(1'000);
  EXPECT_TRUE(has(m.text("b", "registers"), R"("recent":[])"));
}

TEST_P(Plug, ErrorsOnPurposeComeWithItAndGo) {
  ASSERT_EQ(m.plug(board(",inject-gone=on")), "");
  EXPECT_TRUE(m.flag("b", "inject-gone"));
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
  m.eject(kSlot);
  ASSERT_EQ(m.plug(board()), "");
  EXPECT_NE(m.pci_read32(kSlot, 0), kNobody);
}

TEST_P(Plug, OneThatIsGoneIsNotOnItsBusAndComesBackAsItWas) {
  ASSERT_EQ(m.plug(board()), "");
  const uint32_t id = m.pci_read32(kSlot, 0);
  place();
  const std::vector<uint32_t> was = registers();
  m.step(1'000);
  const std::vector<uint32_t> later = registers();

  EXPECT_EQ(m.set("b", "inject-gone", "true"), "");
  EXPECT_TRUE(m.flag("b", "inject-gone"));
  m.step(1'000);
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
  m.pci_write32(kSlot, kBar0, 0);
  EXPECT_EQ(registers(), std::vector<uint32_t>(16, kNobody));
  for (uint32_t i = 0; i < 16; ++i) m.write32(kBarAt + 4 * i, 0);
  EXPECT_EQ(m.read8(kBarAt + 3), 0xff);
  EXPECT_EQ(m.read64(kBarAt), UINT64_MAX);

  EXPECT_EQ(m.set("b", "inject-gone", "false"), "");
  m.step(1'000);
  EXPECT_EQ(m.pci_read32(kSlot, 0), id);
  EXPECT_EQ(m.pci_read32(kSlot, kBar0) & ~0xfu, kBarAt) << "what was written meanwhile went nowhere";
  const std::vector<uint32_t> now = registers();
  for (size_t i = 0; i < now.size(); ++i) {
    if (was[i] == later[i]) {
      EXPECT_EQ(now[i], was[i]) << i;
    } else {
      EXPECT_GT(now[i], later[i]) << i << ": a clock, which has gone on";
    }
  }
  EXPECT_EQ(m.set("b", "inject-gone", "true"), "");
  m.eject(kSlot);
  m.step(1'000);
}

TEST_P(Plug, AScenarioFindsTheOneThatIsThere) {
  Machine other(
      {.devices = {board()},
       .args = {"-smp", "2"},
       .scenario = "100us b inject-gone on\n200us b inject-gone on\nafter b any *\n+100us b inject-gone on\n",
       .unreached = true});
  other.eject(kSlot);
  other.step(150'000);
  ASSERT_EQ(other.plug(board()), "");
  EXPECT_FALSE(other.flag("b", "inject-gone")) << "its time came while nobody was there";
  other.step(100'000);
  EXPECT_TRUE(other.flag("b", "inject-gone"));
  EXPECT_EQ(other.set("b", "inject-gone", "false"), "");
  other.pci_place(kSlot, {kBarAt}, 3);
  other.read32(kBarAt + GetParam().reg);
  other.step(50'000);
  EXPECT_FALSE(other.flag("b", "inject-gone"));
  other.step(100'000);
  EXPECT_TRUE(other.flag("b", "inject-gone")) << "the access was awaited of the new one";
  EXPECT_EQ(other.quit(), 0);
  const std::string left = contents(other.scratch("unreached"));
  EXPECT_TRUE(has(left, ":1: '100us b inject-gone on': not done: the device had been unplugged at its time"))
      << left;
  EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 1) << left;
}

TEST_P(Plug, AHundredLeaveNothingBehind) {
  const std::string looked =
      board(",log=" + path("log") + ",log-size=64K,coverage=" + path("cover") + ",recent=64");
  const auto round = [&] {
    ASSERT_EQ(m.plug(looked), "");
    place();
    registers();
    m.set("b", "inject-gone", "true");
    m.step(1'000);
    m.eject(kSlot);
  };
  for (int i = 0; i < 20; ++i) round();
  // QEMU's own memory comes in leaps, and on a busy host it goes late: what a board left behind would be seen
  // in each stretch.
  int64_t least = INT64_MAX;
  for (int stretch = 0; stretch < 4 || (stretch < 20 && least >= 25 * 4096); ++stretch) {
    const auto before = static_cast<int64_t>(m.resident_bytes());
    for (int i = 0; i < 25; ++i) round();
    least = std::min(least, static_cast<int64_t>(m.resident_bytes()) - before);
  }
  EXPECT_LT(least, 25 * 4096);
  EXPECT_EQ(m.quit(), 0);
}

TEST_P(Plug, ASnapshotIsOfTheBoardsThatAreThere) {
  ASSERT_EQ(m.plug(board()), "");
  place();
  m.step(1'000);
  m.eject(kSlot);
  m.save(m.scratch("without"));
  Machine without({.devices = {"pci-testdev"}, .args = {"-smp", "2", "-incoming", "defer"}});
  without.load(m.scratch("without"));
  without.step(1'000);
  EXPECT_TRUE(without.answers());
}

// A recording takes no qtest either.
TEST_P(Plug, ARecordingHasTheBoardsItBeginsWith) {
  std::ofstream(path("commands")) << "device_add " << board("", kSlot + 1) << "\ndevice_del first\nquit\n";
  const std::string first = std::string(GetParam().device) + ",id=first,addr=5" + GetParam().args;
  for (const bool there : {true, false}) {
    std::vector<std::string> words = {
        qemu_path(),
        "-nodefaults",
        "-display",
        "none",
        "-S",
        "-plugin",
        plugin_path(),
        "-icount",
        "shift=0,rr=record,rrfile=" + path("recording"),
        "-mon",
        "chardev=monitor",
        "-chardev",
        "file,id=monitor,path=" + path("answer") + ",input-path=" + path("commands")};
    if (there) words.insert(words.end(), {"-device", first});
    Process qemu(words, path("output"));
    EXPECT_EQ(qemu.wait(600'000), 0) << qemu.output();
    const std::string said = contents(path("answer")), refusal = "does not support hotplugging";
    EXPECT_TRUE(has(said, "Device '" + std::string(GetParam().device) + "' " + refusal)) << said;
    EXPECT_EQ(has(said, "Device 'first' " + refusal) || said.find(refusal) != said.rfind(refusal), there)
        << said;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Plug,
                         testing::Values(PciBoard{"multikron", ""}, PciBoard{"smile-sci", ""},
                                         PciBoard{"smile-hwm", ""},
                                         PciBoard{"power2-pm",
                                                  "",
                                                  P2R_CARD,
                                                  {",node=none", ",dcache=3K", ",itlb=3", ",clock=1",
                                                   ",opcodes=/", ",opcodes=/nowhere/at/all", ",profile=/",
                                                   ",profile=/dev/null,profile-kernel=/dev/null"}}),
                         [](const auto& board) {
                           std::string name = board.param.device;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace perfboard::qtest
