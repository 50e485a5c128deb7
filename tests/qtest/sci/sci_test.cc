// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters in a stock QEMU: registers, BARs that move, and a vCPU's accesses to the window. The vCPU is
// in real mode, so the window is put below 1 MB.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hw/sci/registers.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

using namespace perfboard::sci;

constexpr uint32_t kId1234 = 0x5c101234, kBar0At = 0xe0000000, kLowWindow = 0xa0000;
constexpr unsigned kCommand = 4, kBar0 = 0x10, kBar2 = 0x18, kMemory = 2;

// stores and loads that the vCPU makes, of 4 bytes each, from kLowWindow on; then it halts.
std::vector<uint8_t> accesses(uint16_t stores, uint16_t loads) {
  const auto low = [](uint16_t v) { return static_cast<uint8_t>(v); };
  const auto high = [](uint16_t v) { return static_cast<uint8_t>(v >> 8); };
  return {
      0xfc, 0xb8,        0x00,         0xa0, 0x8e, 0xc0, 0x8e, 0xd8,  // cld; es = ds = 0xa000
      0x31, 0xff,        0x31,         0xf6,                          // di = si = 0
      0xb9, low(stores), high(stores), 0xf3, 0x66, 0xab,              // rep stosd
      0xb9, low(loads),  high(loads),  0xf3, 0x66, 0xad,              // rep lodsd
      0xf4, 0xeb,        0xfd,                                        // hlt; jmp to it
  };
}

struct Incoming {};

struct Rig {
  Rig(Incoming, const std::string& properties)
      : m(options({.args = {"-incoming", "defer"}}, properties)), device(m.pci_device(kId1234)) {}
  explicit Rig(MachineOptions o = {}, const std::string& properties = ",size=64K")
      : m(options(std::move(o), properties)), device(m.pci_device(kId1234)) {
    place();
  }
  void place() {
    m.pci_write32(device, kBar0, kBar0At);
    window_at(kLowWindow);
    m.pci_write16(device, kCommand, kMemory);
  }
  // Page 0's home is this node, and transactions begin.
  void start(uint32_t home = 2) {
    put(kAtt, home);
    put(kCtrl, 1);
  }
  static MachineOptions options(MachineOptions o, const std::string& properties) {
    o.devices.push_back("smile-sci,id=sci" + properties);
    o.args.insert(o.args.end(), {"-smp", "4"});
    return o;
  }
  void window_at(uint64_t at) {
    m.pci_write32(device, kBar2, static_cast<uint32_t>(at));
    m.pci_write32(device, kBar2 + 4, static_cast<uint32_t>(at >> 32));
  }
  uint32_t get(uint32_t offset) { return m.read32(kBar0At + offset); }
  void put(uint32_t offset, uint32_t v) { m.write32(kBar0At + offset, v); }
  uint64_t count(unsigned node, Count which) {
    return m.read64(kBar0At + kStatisticsBase + kStatisticsStep * node + 8 * which);
  }

  Machine m;
  unsigned device;
};

TEST(Sci, Registers) {
  Rig r;
  EXPECT_EQ(r.m.pci_read32(r.device, 8) >> 8, 0x028000u);
  EXPECT_EQ(r.get(kId), kIdValue);
  EXPECT_EQ(r.get(kNodes), 4u) << "one for each vCPU";
  EXPECT_EQ(r.get(kPages), 16u);
  EXPECT_EQ(r.get(kNode), UINT32_MAX) << "qtest is no node";
  r.put(kAtt, 3);
  EXPECT_EQ(r.get(kAtt), 3u);
  r.m.write32(kLowWindow + 0xfffc, 0x12345678);
  EXPECT_EQ(r.m.read32(kLowWindow + 0xfffc), 0x12345678u);
}

TEST(Sci, AGuestsAccessesBecomePackets) {
  Rig r({.program = accesses(10, 3)});
  r.start();
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
  EXPECT_EQ(r.count(2, kReceived), 13u);
  EXPECT_EQ(r.count(0, kPackets), 16u);
  EXPECT_EQ(r.count(2, kPackets), 16u);
}

TEST(Sci, AWindowThatHasMovedIsFollowed) {
  Rig r({.program = accesses(10, 3)});
  r.start();
  r.window_at(0xd0000000);
  r.window_at(UINT64_C(0x4'0000'0000));
  r.m.pci_write16(r.device, kCommand, 0);
  r.window_at(kLowWindow);
  r.m.pci_write16(r.device, kCommand, kMemory);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
}

TEST(Sci, NoPacketFromWhereTheWindowWas) {
  Rig r({.program = accesses(10, 3)});
  r.start();
  r.window_at(0xd0000000);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kPackets), 0u);
}

TEST(Sci, WithLatencyTheSameAccessesBecomeTheSamePackets) {
  Rig r({.program = accesses(10, 3)}, ",size=64K,latency=on");
  EXPECT_EQ(r.get(kStatus), 1u);
  r.start();
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
  EXPECT_EQ(r.count(0, kPackets), 16u);
  EXPECT_EQ(r.count(2, kPackets), 16u);
  EXPECT_EQ(r.count(0, kOutstanding), 0u);
  const uint64_t each = r.count(0, kWait) / 3;
  EXPECT_GT(each, 3'000u);
  EXPECT_LT(each, 5'000u);
}

TEST(Sci, AResetLeavesTheMemoryAndNothingElse) {
  Rig r;
  r.start();
  r.m.write32(kLowWindow + 8, 0x12345678);
  r.m.qmp("system_reset");
  r.place();
  EXPECT_EQ(r.get(kAtt), 0u);
  EXPECT_EQ(r.get(kCtrl), 0u);
  EXPECT_EQ(r.m.read32(kLowWindow + 8), 0x12345678u);
}

TEST(Sci, AResetLetsAHeldProcessorGo) {
  Rig r({.program = accesses(0x10, 20)}, ",size=64K,latency=on");
  r.start();
  r.m.step(10'000);
  EXPECT_EQ(r.count(0, kOutstanding), 1u);
  r.m.qmp("system_reset");
  r.m.step(100'000);
  r.place();
  EXPECT_EQ(r.count(0, kOutstanding), 0u);
  EXPECT_EQ(r.count(0, kPackets), 0u);
  EXPECT_TRUE(r.m.answers());
}

// The rig's is the first one; the other one has no place.
TEST(Sci, TwoOfThemInOneMachine) {
  Rig r({.devices = {"smile-sci,nodes=2,size=4K"}, .program = accesses(10, 3)});
  EXPECT_EQ(r.get(kNodes), 2u);
  EXPECT_EQ(r.get(kPages), 1u);
  r.start(1);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(1, kReceived), 13u);
}

TEST(Sci, QtestsAccessesAreNobodys) {
  Rig r;
  r.start();
  r.m.write32(kLowWindow, 5);
  r.m.read32(kLowWindow);
  for (unsigned node = 0; node < 4; ++node) EXPECT_EQ(r.count(node, kPackets), 0u) << node;
}

// --- snapshots ------------------------------------------------------------------------------------------

Rig incoming(const std::string& properties) { return Rig(Incoming{}, properties); }

// All that its registers say.
std::vector<uint64_t> look(Rig& r) {
  std::vector<uint64_t> seen{r.get(kCtrl), r.get(kStatus)};
  for (uint32_t page = 0; page < 16; ++page) seen.push_back(r.get(kAtt + 4 * page));
  for (unsigned node = 0; node < 4; ++node)
    for (unsigned i = 0; i < SCI_COUNTS; ++i) seen.push_back(r.count(node, Count(i)));
  return seen;
}

class SciSnapshot : public testing::TestWithParam<uint64_t> {};
// In the middle of the program, whose accesses take about 5 + 20 * 3.6 us.
INSTANTIATE_TEST_SUITE_P(At, SciSnapshot, testing::Values(10'000, 10'900, 20'000, 33'333, 50'000),
                         [](const auto& p) { return std::to_string(p.param) + "ns"; });

TEST_P(SciSnapshot, TransactionsOutstandingComeToTheSameEnd) {
  constexpr const char* kProperties = ",size=64K,latency=on";
  const auto start = [&] {
    auto r = std::make_unique<Rig>(MachineOptions{.program = accesses(100, 20)}, kProperties);
    for (uint32_t page = 0; page < 16; ++page) r->put(kAtt + 4 * page, 1 + page % 3);
    r->put(kCtrl, 1);
    return r;
  };
  const auto whole = start();
  whole->m.step(GetParam());
  whole->m.step(300'000);
  const auto before = start();
  before->m.step(GetParam());
  EXPECT_GT(before->count(0, kOutstanding), 0u);
  EXPECT_LT(before->count(0, kReads), 20u);
  before->m.save(before->m.scratch("state"));
  Rig after = incoming(kProperties);
  after.m.load(before->m.scratch("state"));
  EXPECT_EQ(look(after), look(*before));
  after.m.step(300'000);
  EXPECT_EQ(after.count(0, kReads), 20u);
  EXPECT_EQ(after.count(0, kWrites), 100u);
  EXPECT_EQ(after.count(0, kOutstanding), 0u);
  EXPECT_EQ(look(after), look(*whole)) << "also the times that it waited";
}

// --- properties -----------------------------------------------------------------------------------------

TEST(SciProperties, BadOnesAreNamed) {
  const Wrong cases = {
      {"nodes=5", {"smile-sci: nodes=5: a node is a vCPU (-smp), so legal are 1 to 4"}},
      {"nodes=33", {"smile-sci: nodes=33: legal are 1 to 32"}},
      {"size=6K", {"smile-sci: size=6144: legal are powers of two from 4096 to 268435456 bytes"}},
      {"size=512M", {"smile-sci: size=536870912: legal are powers of two"}},
      {"latency=maybe", {"latency"}},
  };
  expect_refused({"-smp", "4"}, "smile-sci", cases);
}

// --- anything -------------------------------------------------------------------------------------------

class SciPoke : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Latency, SciPoke, testing::Values("on", "off"),
                         [](const auto& p) { return p.param; });

TEST_P(SciPoke, RandomAccessesOfEverySize) {
  Rig r({.program = accesses(100, 100)}, std::string(",size=64K,latency=") + GetParam());
  std::mt19937_64 random(20261121);
  for (int i = 0, rounds = pokes(10'000); i < rounds; ++i) {
    const unsigned size = 1u << random() % 4;
    const bool window = random() % 8 == 0;
    const uint64_t limit = window ? 0x10000 : random() % 2 ? 0x1400 : SCI_REGISTER_BYTES;
    const uint64_t at = (window ? kLowWindow : kBar0At) + random() % (limit - size);
    if (random() % 2)
      r.m.read(at, size);
    else
      r.m.write(at, random() % 3 ? random() : random() % 4, size);
    if (random() % 512 == 0) r.m.step(random() % 100'000);
    if (random() % 1024 == 0) r.window_at(random() % 2 ? kLowWindow : 0xd0000000);
  }
  EXPECT_TRUE(r.m.answers());
  int complaints = 0;
  for (const std::string& line : lines_of(r.m.log())) {
    if (!line.starts_with("smile-sci ")) continue;
    ++complaints;
    if (line.find("offset 0x") == line.npos && line.find("ATT[") == line.npos &&
        line.find("vCPU ") == line.npos)
      ADD_FAILURE() << line;
  }
  EXPECT_GT(complaints, 100);
}

}  // namespace
}  // namespace perfboard::qtest
