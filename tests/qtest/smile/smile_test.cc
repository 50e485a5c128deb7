// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE monitor's card in a stock QEMU, with no guest: PCI, windows, interrupt, reconfiguration,
// snapshots, properties, random accesses.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "tests/qtest/smile/rig.h"
#include "tests/unit/smile/vcd_reader.h"

namespace perfboard::qtest {
namespace {

TEST(SmilePci, IdentityAndBars) {
  Rig r;
  EXPECT_EQ(r.id(), 0x4000133eu);
  EXPECT_EQ(r.m.pci_read32(r.device, kClass) >> 8, 0x118000u);
  EXPECT_EQ(r.m.pci_read32(r.device, kLine) >> 8 & 0xff, 1u) << "INTA#";
  r.m.pci_write32(r.device, kBar0, 0xffffffff);
  r.m.pci_write32(r.device, kBar1, 0xffffffff);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar0), 0xff000000u) << "16 MB of memory";
  EXPECT_EQ(r.m.pci_read32(r.device, kBar1), 0xffffff01u) << "256 bytes of I/O";
}

TEST(SmileWindows, OneBridgeBehindTwoBars) {
  Rig r;
  r.m.out32(static_cast<uint16_t>(kIoAt + SMR_MBOX(3)), 0x12345678);
  EXPECT_EQ(r.get(SMR_MBOX(3)), 0x12345678u);
  r.put(SMR_MBOX(7), 0x9abcdef0);
  EXPECT_EQ(r.m.in32(static_cast<uint16_t>(kIoAt + SMR_MBOX(7))), 0x9abcdef0u);
  EXPECT_EQ(r.m.in16(static_cast<uint16_t>(kIoAt + SMR_MBOX(7) + 1)), 0xbcdeu) << "across two 16-bit words";
  EXPECT_EQ(r.m.in8(static_cast<uint16_t>(kIoAt + SMR_MBOX(7) + 3)), 0x9au);
  EXPECT_EQ(r.get(SMR_PCI_ID), kIdentity);
}

// Each access of each width is what its bytes are.
TEST(SmileWindows, WidthsAndPlaces) {
  Rig r;
  for (uint32_t i = 0; i < 4; ++i) r.put(SMR_MBOX(i), 0x03020100 + 0x04040404 * i);
  for (const unsigned size : {1u, 2u, 4u, 8u})
    for (uint32_t offset = 0; offset + size <= 16; ++offset) {
      uint64_t want = 0;
      for (unsigned i = 0; i < size; ++i) want |= uint64_t{offset + i} << 8 * i;
      EXPECT_EQ(r.m.read(r.at + SMR_MBOX(0) + offset, size), want) << size << " at " << offset;
    }
  std::vector<uint8_t> bytes(16, 0);
  for (uint32_t i = 0; i < 4; ++i) r.put(SMR_MBOX(i), 0);
  uint64_t value = 0x1122334455667788;
  for (const unsigned size : {8u, 4u, 2u, 1u})
    for (uint32_t offset = 0; offset + size <= 16; offset += 3, value = value * 31 + 7) {
      r.m.write(r.at + SMR_MBOX(0) + offset, size == 8 ? value : value & ((uint64_t{1} << 8 * size) - 1),
                size);
      for (unsigned i = 0; i < size; ++i) bytes[offset + i] = static_cast<uint8_t>(value >> 8 * i);
      EXPECT_EQ(r.m.read_bytes(r.at + SMR_MBOX(0), 16), bytes) << size << " at " << offset;
    }
}

TEST(SmileWindows, MemoriesAreMemory) {
  Rig r;
  const struct {
    uint32_t at, bytes;
  } memories[] = {{SMR_RING, 4 * SMR_RING_WORDS},
                  {SMR_SPARE, SMR_SPARE_BYTES},
                  {SMR_SLOT(0), SMR_SLOT_BYTES},
                  {SMR_SLOT(1), SMR_SLOT_BYTES}};
  for (const auto& mem : memories) {
    r.m.write64(r.at + mem.at, 0x1122334455667788);
    r.m.write8(r.at + mem.at + mem.bytes - 1, 0x5a);
    r.m.write16(r.at + mem.at + 9, 0xbeef);
  }
  for (const auto& mem : memories) {
    EXPECT_EQ(r.m.read64(r.at + mem.at), 0x1122334455667788u);
    EXPECT_EQ(r.m.read8(r.at + mem.at + mem.bytes - 1), 0x5au);
    EXPECT_EQ(r.m.read32(r.at + mem.at + 8) >> 8 & 0xffff, 0xbeefu);
  }
  EXPECT_EQ(r.get(SMR_SLOT(1) + SMR_SLOT_BYTES), 0xffffffffu) << "behind the cache nobody answers";
  EXPECT_NE(r.m.log().find("smile-hwm "), std::string::npos) << r.m.log();
}

TEST(SmileWindows, TheFlashIsReadOnlyAndHoldsTheInitialDesign) {
  for (const auto& [name, design] : {std::pair{"dynamic", 2u}, {"static", 1u}, {"none", 0u}}) {
    Rig r(std::string(",initial=") + name);
    const std::vector<uint8_t> bytes = r.m.read_bytes(r.at + SMR_FLASH, 179233);
    EXPECT_EQ(hot::disassemble(bytes).design, design);
    r.put(SMR_FLASH, 0);
    EXPECT_EQ(r.m.read_bytes(r.at + SMR_FLASH, 4), std::vector<uint8_t>(bytes.begin(), bytes.begin() + 4));
    EXPECT_EQ(r.m.read8(r.at + SMR_FLASH + SMR_FLASH_BYTES - 1), 0xffu) << "erased";
    EXPECT_EQ(r.get(SMR_CCM_DESIGN), design);
  }
}

TEST(SmileInterrupt, FromTheConditionToTheLineAndBack) {
  Rig r;
  EXPECT_FALSE(r.irq());
  r.interrupt();
  EXPECT_TRUE(r.irq());
  r.put(SMR_MSR, SMR_MSR_DONE);
  EXPECT_TRUE(r.irq()) << "latched";
  r.put(SMR_CCM_CLEAR, 0);
  EXPECT_FALSE(r.irq());
}

TEST(SmileReconfiguration, TheCardLeavesTheBusAndComesBackReset) {
  Rig r;
  r.interrupt();
  EXPECT_TRUE(r.irq());
  r.m.write32(r.at + SMR_SPARE, 0xcafe);
  r.slot(0, design_image(1));
  r.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(0));
  EXPECT_FALSE(r.irq());
  EXPECT_EQ(r.id(), 0xffffffffu);
  r.m.pci_write32(r.device, kBar0, r.at);
  r.m.pci_write16(r.device, kCommand, kIo | kMemory);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar0), 0xffffffffu);
  const uint32_t nobody = r.m.read32(0xd0000000);
  EXPECT_EQ(r.get(SMR_CCM_STATUS), nobody);
  EXPECT_EQ(r.m.read32(r.at + SMR_SPARE), nobody);
  EXPECT_EQ(r.m.in32(static_cast<uint16_t>(kIoAt + SMR_PCI_ID)), 0xffffffffu);
  r.m.step(kLoadNs - 1'000'000);
  EXPECT_EQ(r.id(), 0xffffffffu);
  r.m.step(1'100'000);
  EXPECT_EQ(r.id(), kIdentity);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar0), 0u)
      << "the PCI core was reset: what was written meanwhile is lost";
  EXPECT_EQ(r.m.pci_read32(r.device, kBar1), 1u);
  EXPECT_EQ(r.m.pci_read32(r.device, kCommand) & 0xffff, 0u);
  EXPECT_EQ(r.m.pci_read32(r.device, kLine) & 0xff, 0u);
  EXPECT_EQ(r.get(SMR_CCM_STATUS), nobody) << "and it has no address yet";
  r.place();
  EXPECT_EQ(r.get(SMR_CCM_STATUS), SMR_CCM_STATUS_DONE | 1u << SMR_CCM_STATUS_SOURCE_SHIFT);
  EXPECT_EQ(r.m.read32(r.at + SMR_SPARE), 0xcafeu) << "memories keep";
  EXPECT_FALSE(r.irq());
  r.put(SMR_INTCSR, SMR_INTCSR_PCI | SMR_INTCSR_LOCAL);
  EXPECT_TRUE(r.irq()) << "the CCM's latch has kept it";
  r.put(SMR_CCM_CLEAR, 0);
  EXPECT_FALSE(r.irq());
}

TEST(SmileReconfiguration, DesignsAreExchanged) {
  Rig r;
  r.slot(1, design_image(2));
  for (int i = 0; i < 3; ++i) {
    r.load(0, design_image(1));
    EXPECT_EQ(r.get(SMR_MSR) & 3, 1u);
    EXPECT_EQ(r.get(SMR_MAXR), 0xffffffffu) << "a register of the dynamic part";
    r.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(1));
    r.m.step(kLoadNs);
    r.place();
    EXPECT_EQ(r.get(SMR_MSR) & 3, 2u);
    EXPECT_EQ(r.get(SMR_MAXR), 0u);
  }
}

TEST(SmileReconfiguration, CclkSaysHowLong) {
  Rig r(",cclk=100000000");
  r.slot(0, design_image(1));
  r.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(0));
  r.m.step(14'200'000);
  EXPECT_EQ(r.id(), 0xffffffffu);
  r.m.step(200'000);
  EXPECT_EQ(r.id(), kIdentity);
}

TEST(SmileReconfiguration, AMachineResetEndsIt) {
  Rig r;
  r.slot(0, design_image(1));
  r.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(0));
  EXPECT_EQ(r.id(), 0xffffffffu);
  r.m.qmp("system_reset");
  r.m.qmp("query-status");
  EXPECT_EQ(r.id(), kIdentity);
  r.place();
  EXPECT_EQ(r.get(SMR_CCM_DESIGN), 2u);
}

TEST(SmileCards, SeveralInOneMachineAreApart) {
  Machine m({.devices = {"smile-hwm,id=a,node=1,entries=4", "smile-hwm,id=b,node=2,entries=64,initial=static",
                         "smile-hwm,id=c,queue=0"}});
  Smile a(m, 0), b(m, 1), c(m, 2);
  for (Smile* s : {&a, &b, &c}) s->place();
  EXPECT_EQ(SMR_GET(MSR_ENTRIES, a.get(SMR_MSR)), 4u);
  EXPECT_EQ(SMR_GET(MSR_ENTRIES, b.get(SMR_MSR)), 64u);
  EXPECT_EQ(a.get(SMR_CABLE), 1u) << "no adapter: no cable is plugged in";
  EXPECT_EQ(b.get(SMR_CABLE), 2u);
  a.put(SMR_NODE, 9);
  a.load(0, design_image(1));
  EXPECT_EQ(b.get(SMR_CCM_STATUS), SMR_CCM_STATUS_DONE);
  EXPECT_EQ(c.get(SMR_NODE), 0u);
  EXPECT_EQ(c.get(SMR_CCM_DESIGN), 2u);
}

// --- with an adapter ---------------------------------------------------------------------------

TEST(SmileCable, EachMonitorHearsItsNode) {
  Machine m({.devices = {"smile-sci,id=sci,size=64K", "smile-hwm,id=a,node=0", "smile-hwm,id=b,node=2",
                         "smile-hwm,id=c,node=1", "smile-hwm,id=d,node=2,entries=4"},
             .args = {"-smp", "4"},
             .program = accesses(10, 3)});
  std::vector<Smile> cards;
  for (unsigned i = 0; i < 4; ++i) {
    Smile& s = cards.emplace_back(m, i);
    s.place();
    EXPECT_EQ(s.get(SMR_CABLE) >> 31, 1u);
    s.put(SMR_MASK, 0xff);
    s.put(SMR_MCR, SMR_MCR_RUN);
  }
  place_adapter(m, 2);
  m.step(200'000);
  EXPECT_EQ(cards[0].get(SMR_PACKETS), 16u) << "10 writes, 3 reads and their responses";
  EXPECT_EQ(cards[1].get(SMR_PACKETS), 16u);
  EXPECT_EQ(cards[2].get(SMR_PACKETS), 0u);
  EXPECT_EQ(cards[3].get(SMR_PACKETS), 16u);
  EXPECT_EQ(cards[1].get(SMR_ORPHANS), 0u);
}

// --- waveforms ---------------------------------------------------------------------------------

// A vCPU that loads `loads` words of a page whose home is node 2, and the monitor of node 0.
struct Waves {
  explicit Waves(const std::string& properties, uint8_t loads = 3, const std::string& adapter = "")
      : m({.devices = {"smile-sci,id=sci,size=64K" + adapter, "smile-hwm,id=a,node=0" + properties},
           .args = {"-smp", "4"},
           .program = accesses(0, loads)}),
        card(m) {
    card.place();
    card.put(SMR_MASK, 0xff);
    card.put(SMR_MCR, SMR_MCR_RUN);
    place_adapter(m, 2);
    m.step(200'000);
  }
  Machine m;
  Smile card;
};

TEST(SmileWaves, AReadAndItsResponseShowFig3) {
  const Scratch scratch;
  const std::string file = scratch.path("a.vcd");
  Waves w(",vcd=" + file, 2);
  EXPECT_EQ(w.card.get(SMR_PACKETS), 4u);
  w.m.qmp("stop");
  const std::string stopped = contents(file);
  EXPECT_EQ(heads(smile::read_vcd(stopped)).size(), 4u)
      << "the file of a machine that stands still has all packets";
  w.m.qmp("cont");
  w.m.qmp("stop");
  EXPECT_EQ(contents(file), stopped);
  w.m.quit();
  const smile::Vcd d = smile::read_vcd(contents(file));
  std::string states;
  for (const auto& [ns, state] : changes(d, "decoder.decode_state")) states += state + " ";
  EXPECT_EQ(states, "0 1 10 0 1 10 0 1 10 0 1 10 0 ") << "IDLE BD1 BD2 IDLE for each packet";
  EXPECT_EQ(changes(d, "decoder.page_number").back().second, "101");
  EXPECT_EQ(changes(d, "decoder.page_offset").back().second, "1001010") << "the second word";
}

// latency=on: the response comes when ring and home have taken their time. PERFBOARD_KEEP_VCD=FILE keeps the
// dump: the manual page's picture is drawn from it (guest/smile/host/smwave).
TEST(SmileWaves, WithLatencyTheResponseComesLater) {
  const Scratch scratch;
  const char* const keep = std::getenv("PERFBOARD_KEEP_VCD");
  const std::string file = keep ? keep : scratch.path("a.vcd");
  Waves w(",vcd=" + file, 1, ",latency=on");
  EXPECT_EQ(w.card.get(SMR_PACKETS), 2u);
  w.m.quit();
  const std::vector<uint64_t> at = heads(smile::read_vcd(contents(file)));
  ASSERT_EQ(at.size(), 2u);
  EXPECT_GT(at[1] - at[0], 1500u);
  EXPECT_LT(at[1] - at[0], 10'000u);
}

TEST(SmileWaves, OnlyTheWindow) {
  const Scratch scratch;
  const std::string file = scratch.path("a.vcd");
  Waves w(",vcd-start=1000000000,vcd-stop=1000001000,vcd=" + file);
  EXPECT_EQ(w.card.get(SMR_PACKETS), 6u);
  w.m.quit();
  const smile::Vcd d = smile::read_vcd(contents(file));
  EXPECT_EQ(d.times, (std::vector<uint64_t>{1'000'000'000}));
}

TEST(SmileWaves, AFullDiskCostsOneLineAndNothingElse) {
  Waves w(",vcd=/dev/full", 100);
  EXPECT_EQ(w.card.get(SMR_PACKETS), 200u);
  EXPECT_TRUE(w.m.answers());
  w.m.step(1'000'000);
  EXPECT_EQ(w.m.quit(), 0);
  const std::string said = w.m.output();
  const size_t line = said.find("vcd=/dev/full: No space left on device: the waveforms end here");
  EXPECT_NE(line, said.npos) << said;
  EXPECT_EQ(said.find("vcd=", line + 10), said.npos) << said;
}

// --- snapshots ------------------------------------------------------------------------------

void same_after(Rig& before, const std::string& properties, const std::function<void(Rig&)>& look) {
  look(before);
  before.m.save(before.m.scratch("state"));
  Rig after = Rig::incoming(properties);
  after.m.load(before.m.scratch("state"));
  look(after);
}

TEST(SmileSnapshot, RegistersMemoriesAndInterrupt) {
  Rig r;
  r.put(SMR_MBOX(5), 0x55);
  r.put(SMR_NODE, 7);
  r.put(SMR_MAXR, 0x123);
  r.m.write32(r.at + SMR_RING + 40, 0xfeed);
  r.m.write32(r.at + SMR_SPARE + 40, 0xbeef);
  r.interrupt();
  same_after(r, "", [](Rig& x) {
    EXPECT_EQ(x.get(SMR_MBOX(5)), 0x55u);
    EXPECT_EQ(x.get(SMR_NODE), 7u);
    EXPECT_EQ(x.get(SMR_MAXR), 0x123u);
    EXPECT_EQ(x.m.read32(x.at + SMR_RING + 40), 0xfeedu);
    EXPECT_EQ(x.m.read32(x.at + SMR_SPARE + 40), 0xbeefu);
    EXPECT_TRUE(x.irq());
    EXPECT_EQ(x.get(SMR_CCM_INTERRUPT), 0u);
  });
}

TEST(SmileSnapshot, InTheMiddleOfALoad) {
  Rig r;
  r.slot(0, design_image(1));
  r.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(0));
  r.m.step(kLoadNs / 2);
  r.m.save(r.m.scratch("state"));
  Rig after = Rig::incoming();
  after.m.load(r.m.scratch("state"));
  EXPECT_EQ(after.id(), 0xffffffffu);
  after.m.step(kLoadNs / 2 - 1'000'000);
  EXPECT_EQ(after.id(), 0xffffffffu);
  after.m.step(1'200'000);
  EXPECT_EQ(after.id(), kIdentity);
  after.place();
  EXPECT_EQ(after.get(SMR_CCM_DESIGN), 1u);
  EXPECT_EQ(after.m.read32(after.at + SMR_SLOT(0)) & 0xff, 0xffu) << "the image is in the cache";
  after.put(SMR_CCM_COMMAND, SMR_CCM_LOAD_FLASH);
  after.m.step(kLoadNs);
  after.place();
  EXPECT_EQ(after.get(SMR_CCM_DESIGN), 2u);
}

// 4000 loads of as many words, of which a table of 4 entries keeps 4: the ring is full, and the queue holds
// the rest.
MachineOptions hot(uint16_t loads) {
  return {.devices = {"smile-sci,id=sci,size=64K", "smile-hwm,entries=4"},
          .args = {"-smp", "4"},
          .program = accesses(0, loads)};
}

// Takes all records out of ring and queue; the sum of their counts.
uint64_t drain(Smile& card) {
  uint64_t sum = 0;
  uint32_t rdp = card.get(SMR_RDP);
  for (uint32_t wrp; (wrp = card.get(SMR_WRP)) != rdp; card.put(SMR_RDP, rdp))
    for (; rdp != wrp; rdp = (rdp + 2) & SMR_RING_MASK)
      sum += card.get(SMR_RING + 4 * ((rdp + 2) & SMR_RING_MASK)) & 0xffff;
  return sum;
}

TEST(SmileSnapshot, RingAndQueueGoWithIt) {
  Machine m(hot(4000));
  Smile card(m);
  card.place();
  card.put(SMR_MASK, SMR_FILTER_READ | SMR_FILTER_REQUEST | SMR_FILTER_INBOUND | SMR_FILTER_OUTBOUND);
  card.put(SMR_MCR, SMR_MCR_RUN | SMR_MCR_IEF);
  place_adapter(m, 2);
  m.step(1'000'000);
  EXPECT_EQ(card.get(SMR_PACKETS), 8000u);
  EXPECT_EQ(card.get(SMR_QUEUE), 4000u - 4 - 2047);
  EXPECT_NE(card.get(SMR_MSR) & SMR_MSR_FULL, 0u);
  m.save(m.scratch("state"));
  MachineOptions waiting = hot(4000);
  waiting.args.insert(waiting.args.end(), {"-incoming", "defer"});
  Machine other(waiting);
  Smile after(other);
  other.load(m.scratch("state"));
  EXPECT_EQ(after.get(SMR_QUEUE), 4000u - 4 - 2047);
  EXPECT_EQ(after.get(SMR_CCM_INTERRUPT), 0u);
  after.put(SMR_MCR, SMR_MCR_RUN | SMR_MCR_SWAP);
  EXPECT_EQ(drain(after), 4000u);
  EXPECT_EQ(after.get(SMR_LOSTN), 0u);
  EXPECT_EQ(after.get(SMR_QUEUE), 0u);
}

// --- properties -----------------------------------------------------------------------------

TEST(SmileProperties, BadOnesAreNamed) {
  const Scratch scratch;
  const std::string junk = scratch.path("junk"), big = scratch.path("big"), good = scratch.path("good");
  std::ofstream(junk) << "no image";
  std::ofstream(big) << std::string(SMR_FLASH_BYTES + 1, 'x');
  write_file(good, design_image(1));
  const Wrong cases = {
      {"initial=both", {"initial=both", "dynamic, static and none"}},
      {"flash=" + scratch.path("missing"), {"flash=", "missing", "No such file"}},
      {"flash=/", {"flash=/", "Is a directory"}},
      {"flash=/dev/zero", {"flash=/dev/zero", "more than"}},
      {"flash=" + junk, {"flash=", "junk", "no configuration"}},
      {"flash=" + big, {"flash=", "big", "more than the flash's 2097152 bytes"}},
      {"flash=" + good + ",initial=static", {"initial=static", "flash="}},
      {"vcd=" + scratch.path("no/a.vcd"), {"vcd=", "no/a.vcd", "No such file"}},
      {"vcd-start=5", {"vcd-start=5", "vcd=FILE"}},
      {"vcd-stop=5", {"vcd-stop=5", "vcd=FILE"}},
      {"vcd-size=64K", {"vcd-size=65536", "vcd=FILE"}},
      {"vcd-size=5,vcd=" + scratch.path("a.vcd"), {"vcd-size=5", "64K to 1024T, or 0"}},
      {"vcd-start=7,vcd-stop=7,vcd=" + scratch.path("a.vcd"), {"vcd-stop=7", "above vcd-start=7"}},
      {"listens=nobody", {"listens", "nobody"}},
  };
  expect_refused({"-chardev", "null,id=n"}, "smile-hwm", cases);
  const std::string file = "smile-hwm,vcd=" + scratch.path("one.vcd");
  expect_refused({"-device", file, "-device", file}, {"another smile-hwm writes to this file"});
  expect_refused({"-device", "smile-hwm,node=1", "-device", "smile-sci,size=64K"},
                 {"node=1: legal are 0 to 0"});
  Rig r(",flash=" + good);
  EXPECT_EQ(r.get(SMR_CCM_DESIGN), 1u);
}

// --- anything ---------------------------------------------------------------------------------

TEST(SmileRandom, AccessesAnywhereHarmNobody) {
  Rig r(",cclk=100000000,queue=8");
  r.slot(0, design_image(1));
  r.slot(1, design_image(2));
  std::mt19937 random(7);
  constexpr uint32_t kBases[] = {0, 0x100000, 0x100000, 0x100200, 0x200000, 0x800000, 0x800000};
  for (int i = 0; i < 20'000; ++i) {
    const unsigned size = 1u << random() % 4;
    uint32_t offset = random() % SMR_BAR_BYTES;
    if (random() % 4) offset = kBases[random() % std::size(kBases)] + random() % 0x700;
    offset = std::min(offset, SMR_BAR_BYTES - size);
    if (random() % 2)
      r.m.read(r.at + offset, size);
    else
      r.m.write(r.at + offset, random() % 3 ? random() % 8 : random() | uint64_t{random()} << 32, size);
    if (random() % 64 == 0) r.m.pci_write16(r.device, kCommand, static_cast<uint16_t>(random() % 8));
    if (i % 500 == 0) {
      r.m.step(35'000'000);
      r.place();
    }
  }
  r.m.step(35'000'000);
  EXPECT_TRUE(r.m.answers());
  r.place();
  EXPECT_EQ(r.id(), kIdentity);
  EXPECT_EQ(r.get(SMR_PCI_ID), kIdentity);
  same_after(r, ",cclk=100000000,queue=8", [](Rig& x) { EXPECT_EQ(x.get(SMR_PCI_ID), kIdentity); });
}

}  // namespace
}  // namespace perfboard::qtest
