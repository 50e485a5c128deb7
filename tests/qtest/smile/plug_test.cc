// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is the monitor card's own when it is unplugged: its cable, its waveforms' file, the cable of its
// daughter board, its memories, a load under way. What is every board's: tests/qtest/core/plug_test.cc. An
// adapter that goes while a monitor listens: tests/qtest/sci/plug_test.cc.
#include "tests/qtest/smile/rig.h"
#include "tests/unit/smile/vcd_reader.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kSlot = 5, kAdapterSlot = 4;
constexpr uint32_t kNobody = UINT32_MAX;

struct Cluster {
  explicit Cluster(const std::string& adapter = "smile-sci,id=sci,addr=4,size=64K")
      : m({.devices = {adapter}, .args = {"-smp", "4"}, .program = accesses(0, 2)}) {}
  std::string plug(const std::string& properties = "", const std::string& id = "hwm", unsigned slot = kSlot) {
    return m.plug("smile-hwm,id=" + id + ",addr=" + std::to_string(slot) + properties);
  }
  // The vCPU begins its program again, and node 0 makes four packets, with a monitor that has been reset.
  void run() {
    m.qmp("system_reset");
    place_adapter(m, 2);
    if (m.pci_read32(kSlot, 0) == kIdentity) {
      Smile s = card();
      s.put(SMR_MASK, 0xff);
      s.put(SMR_MCR, SMR_MCR_RUN);
    }
    m.step(100'000);
  }
  Smile card() {
    Smile s(m);
    s.place();
    return s;
  }

  Machine m;
};

TEST(SmilePlug, EitherGoesFirstAndBothComeAgain) {
  Cluster c;
  for (const bool adapter_first : {true, false, true}) {
    ASSERT_EQ(c.plug(",listens=sci"), "");
    c.run();
    EXPECT_EQ(c.card().get(SMR_PACKETS), 4u);
    c.m.eject(adapter_first ? kAdapterSlot : kSlot);
    c.m.step(10'000);
    c.m.eject(adapter_first ? kSlot : kAdapterSlot);
    EXPECT_NE(c.plug(",listens=sci"), "") << "there is no adapter";
    ASSERT_EQ(c.m.plug("smile-sci,id=sci,addr=4,size=64K"), "");
  }
  EXPECT_EQ(c.m.quit(), 0);
}

TEST(SmilePlug, OneThatDoesNotFitDoesNotCome) {
  Cluster c("smile-sci,id=sci,addr=4,size=64K,nodes=2");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(has(c.plug(",node=2"), "node=2: legal are 0 to 1"));
    EXPECT_TRUE(has(c.plug(",node=2,listens=sci"), "node=2: legal are 0 to 1"));
  }
  ASSERT_EQ(c.m.plug("smile-sci,id=other,addr=6,size=64K"), "");
  EXPECT_TRUE(has(c.plug(), "several smile-sci"));
  ASSERT_EQ(c.plug(",node=2,listens=other"), "");
  c.m.eject(kSlot);
  c.m.eject(6);
  ASSERT_EQ(c.plug(",node=1"), "");
  EXPECT_EQ(c.m.quit(), 0);
}

TEST(SmilePlug, ItsWaveformsAreWholeAndTheFileIsFree) {
  const Scratch scratch;
  const std::string file = scratch.path("a.vcd");
  Cluster c;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(c.plug(",vcd=" + file), "");
    EXPECT_TRUE(has(c.plug(",vcd=" + file, "another", 7), "another smile-hwm writes to this file"));
    c.run();
    c.m.eject(kSlot);
    EXPECT_EQ(heads(smile::read_vcd(contents(file))).size(), 4u);
    c.run();
  }
  EXPECT_EQ(c.m.quit(), 0);
}

TEST(SmilePlug, TheCableOfItsDaughterBoardIsFree) {
  const Scratch scratch;
  Machine m({.devices = {"pci-testdev"},
             .args = {"-chardev", "socket,id=cable,server=on,wait=off,path=" + scratch.path("cable")}});
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(m.plug("smile-hwm,id=a,addr=5,daughter=dynamic,xchecker=cable"), "");
    EXPECT_NE(m.plug("smile-hwm,id=b,addr=6,daughter=dynamic,xchecker=cable"), "") << "it is taken";
    m.step(1'000);
    m.eject(kSlot);
  }
  m.qmp("chardev-remove", {{"id", "cable"}});
  EXPECT_EQ(m.quit(), 0);
}

// Without a wait for the last one to be gone.
TEST(SmilePlug, ItsMemoriesAreAnothersAtOnce) {
  Cluster c;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(c.plug(i % 2 ? ",queue=0" : ",daughter=static", "hwm" + std::to_string(i)), "");
    EXPECT_EQ(c.card().get(SMR_CACHE), 0u);
    c.card().put(SMR_CACHE, 5);
    c.m.eject_at_once(kSlot);
  }
  EXPECT_EQ(c.m.quit(), 0);
}

TEST(SmilePlug, InTheMiddleOfALoad) {
  Cluster c;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(c.plug(), "");
    c.card().put(SMR_CCM_COMMAND, SMR_CCM_LOAD_FLASH);
    c.m.step(kLoadNs / 2);
    EXPECT_EQ(c.m.pci_read32(kSlot, 0), kNobody) << "it is away";
    c.m.eject(kSlot);
    c.m.step(kLoadNs);
    EXPECT_EQ(c.m.pci_read32(kSlot, 0), kNobody);
  }
}

TEST(SmilePlug, ItsInterruptIsOver) {
  Cluster c;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(c.plug(), "");
    Smile s = c.card();
    route_interrupts(c.m);
    s.interrupt();
    c.m.step(1'000'000);
    EXPECT_TRUE(c.m.irr() >> kIrq & 1);
    c.m.eject(kSlot);
    EXPECT_FALSE(c.m.irr() >> kIrq & 1);
  }
}

}  // namespace
}  // namespace perfboard::qtest
