// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is the adapters' own when they are unplugged: the processor that they hold, those whose accesses they
// observe, the window's memory, their monitors. What is every board's: tests/qtest/core/plug_test.cc.
#include <gtest/gtest.h>

#include "guest/smile/regs.h"
#include "hw/sci/registers.h"
#include "plugins/taps.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

using namespace perfboard::sci;

constexpr unsigned kSlot = 5, kMonitorSlot = 6;
constexpr uint32_t kRegistersAt = 0xd0000000, kMonitorAt = 0xe0000000, kWindowAt = 0xa0000,
                   kNobody = UINT32_MAX;
constexpr uint32_t kResult = 0x2000, kEnded = 0x2004;

// The vCPU loads from the window, shows what it got, and halts.
const std::vector<uint8_t> kLoads = {
    0xb8, 0x00, 0xa0, 0x8e, 0xd8,  // ds = 0xa000
    0x66, 0xa1, 0x00, 0x00,        // mov eax, [0]
    0x31, 0xdb, 0x8e, 0xdb,        // ds = 0
    0x66, 0xa3, 0x00, 0x20,        // mov [kResult], eax
    0xc6, 0x06, 0x04, 0x20, 0x01,  // mov byte [kEnded], 1
    0xf4, 0xeb, 0xfd,              // hlt; jmp to it
};

struct Adapters {
  explicit Adapters(std::vector<std::string> devices = {}) : m(options(std::move(devices))) {}
  static MachineOptions options(std::vector<std::string> devices) {
    if (devices.empty()) devices = {"pci-testdev"};
    return {.devices = std::move(devices), .args = {"-smp", "4"}, .program = kLoads};
  }
  std::string plug(const std::string& properties = "", const std::string& id = "sci", unsigned slot = kSlot) {
    return m.plug("smile-sci,id=" + id + ",addr=" + std::to_string(slot) + properties);
  }
  // Every page's home is node 2, so each access of the vCPU makes packets.
  void place(unsigned pages = 16) {
    m.pci_place(kSlot, {kRegistersAt, 0, kWindowAt});
    for (uint32_t page = 0; page < pages; ++page) put(kAtt + 4 * page, 2);
    put(kCtrl, 1);
  }
  uint32_t get(uint32_t offset) { return m.read32(kRegistersAt + offset); }
  void put(uint32_t offset, uint32_t v) { m.write32(kRegistersAt + offset, v); }
  uint64_t count(unsigned node, Count which) {
    return m.read64(kRegistersAt + kStatisticsBase + kStatisticsStep * node + 8 * which);
  }
  // The vCPU begins its program again; nothing else was placed before.
  void again() {
    m.write8(kEnded, 0);
    m.qmp("system_reset");
  }

  Machine m;
};

class SciPlug : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Latency, SciPlug, testing::Values("on", "off"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(SciPlug, TheProcessorMeetsTheOneThatIsThere) {
  const std::string properties = std::string(",size=64K,latency=") + GetParam();
  Adapters a;
  for (int i = 0; i < 3; ++i) {
    a.again();
    ASSERT_EQ(a.plug(properties), "");
    a.place();
    a.m.write32(kWindowAt, 0x12345678);
    a.m.step(100'000);
    EXPECT_EQ(a.m.read32(kResult), 0x12345678u);
    EXPECT_EQ(a.count(0, kReads), 1u);
    EXPECT_EQ(a.count(0, kPackets), 2u);
    a.m.eject(kSlot);
    a.again();
    a.m.step(100'000);
    EXPECT_EQ(a.m.read8(kEnded), 1u);
    EXPECT_EQ(a.m.read32(kResult), kNobody);
  }
  EXPECT_EQ(a.m.quit(), 0);
}

TEST(SciPlug, AProcessorThatTheyHoldGoesOn) {
  Adapters a;
  ASSERT_EQ(a.plug(",size=64K,latency=on"), "");
  a.place();
  a.m.step(1'000);
  ASSERT_EQ(a.count(0, kOutstanding), 1u);
  ASSERT_EQ(a.m.read8(kEnded), 0u);
  a.m.eject(kSlot);
  a.m.step(1'000);
  EXPECT_EQ(a.m.read8(kEnded), 1u) << "before the response would have come";
  EXPECT_EQ(a.m.read32(kResult), kNobody);
}

// Without a wait for the last one to be gone.
TEST(SciPlug, TheWindowsMemoryIsAnothersAtOnce) {
  Adapters a;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(a.plug(",size=64K", "sci" + std::to_string(i)), "");
    a.place();
    EXPECT_EQ(a.m.read32(kWindowAt), 0u);
    a.m.write32(kWindowAt, 5);
    a.m.eject_at_once(kSlot);
  }
  EXPECT_EQ(a.m.quit(), 0);
}

TEST(SciPlug, AnotherTimeTheyHaveAnotherSizeAndOtherNodes) {
  Adapters a;
  const struct {
    const char* properties;
    uint32_t nodes, pages;
  } cases[] = {
      {",size=64K", 4, 16}, {",size=4K,nodes=3,latency=on", 3, 1}, {",size=1M,nodes=4,wc-buffers=0", 4, 256}};
  for (const auto& c : cases) {
    ASSERT_EQ(a.plug(c.properties), "");
    a.place(c.pages);
    EXPECT_EQ(a.get(kNodes), c.nodes);
    EXPECT_EQ(a.get(kPages), c.pages);
    a.m.eject(kSlot);
  }
  EXPECT_TRUE(has(a.plug(",nodes=5"), "nodes=5"));
}

TEST(SciPlug, ThoseThatObserveHaveALimitAndTheirPlacesAreFreeAgain) {
  Adapters a({"pci-bridge,id=bridge,chassis_nr=1,addr=4"});
  const auto add = [&](unsigned i) {
    return a.m.plug("smile-sci,id=s" + std::to_string(i) + ",bus=bridge,size=4K");
  };
  for (unsigned i = 1; i < PB_MOST_TAPS; ++i) ASSERT_EQ(add(i), "");
  ASSERT_EQ(a.plug(), "");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(has(add(31), "31 boards"));
  for (int i = 0; i < 5; ++i) {
    a.m.eject(kSlot);
    ASSERT_EQ(a.plug(), "");
    EXPECT_TRUE(has(add(31), "31 boards"));
  }
}

// --- with a monitor ------------------------------------------------------------------------------

struct Monitored : Adapters {
  explicit Monitored(const std::string& properties, std::vector<std::string> more = {})
      : Adapters(with(properties, std::move(more))) {}
  static std::vector<std::string> with(const std::string& properties, std::vector<std::string> more) {
    more.push_back("smile-hwm,id=hwm,addr=" + std::to_string(kMonitorSlot) + properties);
    return more;
  }
  void place_monitor() {
    m.pci_place(kMonitorSlot, {kMonitorAt});
    m.write32(kMonitorAt + SMR_MASK, 0xff);
    m.write32(kMonitorAt + SMR_MCR, SMR_MCR_RUN);
  }
  bool plugged() { return m.read32(kMonitorAt + SMR_CABLE) & SMR_CABLE_PLUGGED; }
  uint32_t packets() { return m.read32(kMonitorAt + SMR_PACKETS); }
  // The vCPU makes one load, with a monitor that has been reset.
  uint32_t heard() {
    again();
    place_monitor();
    place();
    m.step(100'000);
    EXPECT_EQ(m.read8(kEnded), 1u);
    return packets();
  }
};

TEST(SciPlug, AMonitorHearsNothingMoreAndThenTheNextOne) {
  Monitored a(",listens=sci,node=0", {"smile-sci,id=sci,size=64K,addr=5"});
  EXPECT_EQ(a.heard(), 2u);
  for (int i = 0; i < 3; ++i) {
    a.m.eject(kSlot);
    EXPECT_FALSE(a.plugged());
    a.m.step(100'000);
    EXPECT_EQ(a.packets(), 2u) << "the monitor stays as it is";
    EXPECT_TRUE(a.m.answers());
    ASSERT_EQ(a.plug(",size=64K,latency=on", "other"), "") << "the cable is for the one with the id";
    EXPECT_FALSE(a.plugged());
    EXPECT_EQ(a.heard(), 0u);
    a.m.eject(kSlot);
    ASSERT_EQ(a.plug(",size=64K"), "");
    EXPECT_TRUE(a.plugged());
    EXPECT_EQ(a.heard(), 2u);
  }
}

TEST(SciPlug, AMonitorWithoutAnIdHearsAnyThatComes) {
  Monitored a(",node=2");
  a.place_monitor();
  EXPECT_FALSE(a.plugged());
  ASSERT_EQ(a.plug(",size=64K", "one"), "");
  EXPECT_TRUE(a.plugged());
  EXPECT_EQ(a.heard(), 2u);
  ASSERT_EQ(a.plug(",size=64K", "two", 7), "") << "it has one";
  a.m.eject(kSlot);
  EXPECT_FALSE(a.plugged()) << "nobody plugs the cable into the other one";
  ASSERT_EQ(a.plug(",size=64K", "three"), "");
  EXPECT_EQ(a.heard(), 2u);
}

TEST(SciPlug, AdaptersWithoutTheMonitorsNodeDoNotCome) {
  Monitored a(",node=3");
  a.place_monitor();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(has(a.plug(",nodes=2"), "smile-hwm: node=3: legal are 0 to 1"));
  EXPECT_FALSE(a.plugged());
  ASSERT_EQ(a.plug(",size=64K"), "");
  EXPECT_TRUE(a.plugged());
  EXPECT_TRUE(a.m.answers());
}

TEST(SciPlug, WaveformsHavePayloadsOfTheNextOneToo) {
  Scratch scratch;
  const std::string file = scratch.path("a.vcd");
  Monitored a(",node=0,vcd=" + file);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(a.plug(",size=64K"), "");
    a.again();
    a.place_monitor();
    a.place();
    a.m.write32(kWindowAt, 0x12345678);
    a.m.step(100'000);
    EXPECT_EQ(a.packets(), 2u);
    a.m.eject(kSlot);
  }
  EXPECT_EQ(a.m.quit(), 0);
  const std::string text = contents(file);
  size_t found = 0;
  for (size_t at = 0; (at = text.find("10010001101000101011001111000", at)) != text.npos; ++at) ++found;
  EXPECT_GE(found, 2u);
}

}  // namespace
}  // namespace perfboard::qtest
