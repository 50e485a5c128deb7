// SPDX-License-Identifier: GPL-2.0-or-later
//
// The MULTIKRON card in a stock QEMU, with no guest: PCI, windows, pins, network, properties, random
// accesses. Accesses through qtest come from no processor: no CPU ID line is active, and nothing can be held.
// Where a processor is to be held it has a few instructions of its own.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <random>

#include "guest/multikron/regs.h"
#include "hw/multikron/registers.h"
#include "hw/multikron/stream.h"
#include "tests/qtest/multikron/card.h"

namespace perfboard::qtest {
namespace {

TEST(MultikronPci, IdentityAndWindows) {
  Machine m({.devices = {"multikron"}});
  Card card(m);
  EXPECT_EQ(m.pci_read32(card.device, kClass) >> 16, 0x1101u) << "performance counters";
  for (uint32_t bar : kBars) {
    m.pci_write32(card.device, kBar0 + 4 * bar, 0xffffffff);
    EXPECT_EQ(m.pci_read32(card.device, kBar0 + 4 * bar), ~(MKR_BAR_BYTES - 1)) << bar;
  }
}

TEST(MultikronPci, CardInformation) {
  Machine m({.devices = {"multikron,node-clock=40000000,timestamp-clock=8000000,fifo-depth=5,cpus=2:0-1"},
             .args = {"-smp", "3"}});
  Card card(m);
  const auto word = [&](uint32_t offset) { return m.read32(kEightAt + offset); };
  EXPECT_EQ(word(MKR_CARD_MAGIC), MKR_CARD_MAGIC_VALUE);
  EXPECT_EQ(word(MKR_CARD_VERSION), 1u);
  EXPECT_EQ(word(MKR_CARD_NODE_HZ), 40000000u);
  EXPECT_EQ(word(MKR_CARD_TIMESTAMP_HZ), 8000000u);
  EXPECT_EQ(word(MKR_CARD_FIFO_DEPTH), 5u);
  EXPECT_EQ(word(MKR_CARD_LINES), 3u);
  EXPECT_EQ(word(MKR_CARD_CPU(0)), 2u);
  EXPECT_EQ(word(MKR_CARD_CPU(1)), 0u);
  EXPECT_EQ(word(MKR_CARD_CPU(2)), 1u);
  EXPECT_EQ(word(MKR_CARD_CPU(3)), MKR_CARD_NO_CPU);
}

TEST(MultikronWindows, OneChipBehindThree) {
  Machine m({.devices = {"multikron,wait-states=2"}});
  Card card(m);
  m.write64(kFourAt + MKR_AT4(MKR_MUXSEL), 0x12345678'9abcdef0);
  EXPECT_EQ(card.get64(MKR_MUXSEL), 0x00005678'0000def0u) << "only the bits of 16 counters";
  m.write32(kFourAt + MKR_AT4(MKR_SOURCE(3)), 0x00050007);
  EXPECT_EQ(card.get64(MKR_SOURCE(3)), 0x00050007u);
  EXPECT_EQ(MKR_GET(CSR_WS, card.get(MKR_CSR)), 2u);
  EXPECT_EQ(m.read64(kSampleAt + MKR_AT8(MKR_MUXSEL)), 0u) << "no registers in the sample page";
  m.write32(kSampleAt + MKR_AT8(MKR_RESET), 0);
  EXPECT_EQ(card.get(MKR_SOURCE(3)), 0x00050007u) << "nor a reset";
  EXPECT_TRUE(has(m.log(), "not assigned")) << m.log();
}

TEST(MultikronNetwork, ASampleArrivesElementByElement) {
  Networked n("");
  Card card(*n.m);
  card.put(MKR_SOURCE(0), 0xcafe0042);
  card.start();
  const uint64_t stamp = card.get64(MKR_TIMESTAMP);
  card.sample(MKR_SAMPLE_TRACE(9), 0xffff'1234'5678'9abc);
  n.m->step(5'000'000);
  std::vector<uint16_t> wanted;
  const auto field = [&](uint64_t value, unsigned bytes) {
    while (bytes--) wanted.push_back(mk_stream_element(static_cast<uint8_t>(value >> 8 * bytes), 0));
  };
  field(MK_TYPE_TRACE << 3, 1);
  field(stamp, 5);
  field(0xcafe0042, 4);
  field(0x1234'5678'9abc, 6);
  wanted.back() |= MK_STREAM_END;
  EXPECT_EQ(only_elements(words_of(n.file(0))), wanted);
  EXPECT_EQ(words_of(n.file(0)).front(), MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET) << "the machine's start";
}

TEST(MultikronNetwork, TheFreePinHoldsItBack) {
  Networked n(",free=pin");
  Card card(*n.m);
  card.start();
  EXPECT_EQ(n.m->set("mk0", "external-free", "false"), "");
  card.sample(MKR_SAMPLE_TRACE(0), 0);
  n.m->step(5'000'000);
  EXPECT_EQ(only_elements(words_of(n.file(0))).size(), 0u);
  EXPECT_EQ(n.m->set("mk0", "external-free", "true"), "");
  n.m->step(5'000'000);
  EXPECT_EQ(only_elements(words_of(n.file(0))).size(), 16u);
}

TEST(MultikronNetwork, TheFreePinIsDrivenOnlyIfTheCardHasIt) {
  Machine m({.devices = {"multikron,id=mk"}});
  EXPECT_TRUE(has(m.set("mk", "external-free", "false"), "free=pin"));
}

TEST(MultikronPins, TestModeOpensTheTestRegister) {
  Machine m({.devices = {"multikron,id=mk"}});
  Card card(m);
  EXPECT_EQ(m.set("mk", "test-mode", "true"), "");
  card.put64(MKR_TEST, MKR_PUT(TEST_SET, uint64_t{MKR_TEST_RESOURCE}) | 0x1234);
  EXPECT_EQ(card.get64(MKR_COUNTER(0)), 0x1234u);
  EXPECT_EQ(m.set("mk", "test-mode", "false"), "");
  EXPECT_EQ(card.get64(MKR_TEST), 0u);
}

// --- a setting that holds the processor for ever: the guest's business alone ------------------

// The vCPU takes 16 samples, and then does something else. Real mode reaches the windows below 1 MB.
std::vector<uint8_t> stores_and_then(const std::vector<uint8_t>& then) {
  std::vector<uint8_t> program = {0xb8, 0x00, 0xb0,  // mov ax, 0xb000: BAR 2
                                  0x8e, 0xd8,        // mov ds, ax
                                  0xb9, 0x10, 0x00,  // mov cx, 16
                                  0x66, 0xc7, 0x06, 0x00, 0x03,
                                  0x78, 0x56, 0x34, 0x12,  // mov dword [8 * 96], ...
                                  0xe2, 0xf5};             // loop
  program.insert(program.end(), then.begin(), then.end());
  program.insert(program.end(), {0xf4, 0xeb, 0xfd});  // hlt
  return program;
}

// It writes to a source address register then. The network is off and the FIFO has 8 levels, so the ninth
// store is delayed, and nothing in the chip ends that.
class Held : public testing::Test {
 protected:
  static constexpr uint32_t kAt = 0xa0000, kMark = 0x600d;

  Held() { begin(MKR_CSR_WWAIT); }
  void begin(uint32_t csr) {
    card = std::make_unique<Card>(m, 0, kAt);
    card->put64(MKR_TEST, MKR_TEST_NETOFF);
    card->start(csr);
  }
  bool delayed() { return m.flag("mk", "delayed"); }
  bool at_its_end() { return card->get(MKR_SOURCE(0)) == kMark; }

  Machine m{{.devices = {"multikron,id=mk,test-mode=on"},
             .program = stores_and_then(
                 {0x66, 0xc7, 0x06, 0x80, 0x00, 0x0d, 0x60, 0x00, 0x00})}};  // mov dword [8 * 16], kMark
  std::unique_ptr<Card> card;
};

TEST_F(Held, TheMonitorAnswersAndTheLogSaysWhy) {
  EXPECT_TRUE(has(m.log(), "TEST.NETOFF with CSR.WWAIT")) << m.log();
  m.step(100'000);
  EXPECT_TRUE(delayed());
  EXPECT_TRUE(has(m.log(), "RDY is delayed until a hardware reset: TEST.NETOFF is 1")) << m.log();
  m.step(1'000'000'000);  // time goes by, and stop and cont, without it
  EXPECT_TRUE(delayed());
  EXPECT_FALSE(at_its_end());
  EXPECT_EQ(card->get(MKR_OVERRUN), 0u);
  EXPECT_TRUE(m.answers());
}

TEST_F(Held, TheMachineCanBeReset) {
  m.step(100'000);
  ASSERT_TRUE(delayed());
  m.qmp("system_reset");
  for (int i = 0; i < 60'000 && delayed(); ++i) poll(nullptr, 0, 10);  // the main loop does it
  EXPECT_FALSE(delayed());
  begin(0);  // the vCPU makes its program again
  m.step(100'000);
  EXPECT_TRUE(at_its_end());
  EXPECT_EQ(card->get(MKR_OVERRUN), 0u) << "no counter counts in test mode";
  EXPECT_NE(card->get(MKR_CSR) & MKR_CSR_FOV, 0u);
}

TEST_F(Held, ItGoesThroughASnapshot) {
  m.step(100'000);
  ASSERT_TRUE(delayed());
  m.save(m.scratch("state"));
  Machine after({.devices = {"multikron,id=mk,test-mode=on"}, .args = {"-incoming", "defer"}});
  after.load(m.scratch("state"));
  after.step(100'000);
  EXPECT_TRUE(after.flag("mk", "delayed"));
  EXPECT_EQ(after.set("mk", "test-mode", "false"), "");
  after.step(100'000);
  EXPECT_FALSE(after.flag("mk", "delayed"));
}

TEST_F(Held, QemuCanBeEnded) {
  m.step(100'000);
  ASSERT_TRUE(delayed());
  m.qmp("cont");
  EXPECT_EQ(m.quit(), 0);
}

TEST(MultikronPins, EdgesFromOutside) {
  Machine m({.devices = {"multikron,id=mk"}});
  Card card(m);
  card.put64(MKR_MUXSEL, MKR_MUX_PUT(5, MKR_MUX_EXTERNAL));
  card.put(MKR_ENABLE, 1 << 5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(m.set("mk", "pin5", "true"), "");
    EXPECT_EQ(m.set("mk", "pin5", "true"), "") << "no new edge";
    EXPECT_EQ(m.set("mk", "pin5", "false"), "");
  }
  EXPECT_EQ(card.get64(MKR_COUNTER(5)), 3u);
}

TEST(MultikronPins, ASurfBoardsWireIsAnInput) {
  Machine m({.devices = {"surfboard,slot=2,id=surf,wire=w", "multikron,id=mk,ext3=wire:w"}});
  Card card(m);
  card.put64(MKR_MUXSEL, MKR_MUX_PUT(3, MKR_MUX_EXTERNAL));
  card.put(MKR_ENABLE, 1 << 3);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(m.set("surf", "ext-pull", "true"), "");
    EXPECT_EQ(m.set("surf", "ext-pull", "false"), "");
  }
  EXPECT_EQ(card.get64(MKR_COUNTER(3)), 4u);
}

TEST(MultikronReset, OnePinForAllChips) {
  Networked n("", 2);
  Card a(*n.m, 0), b(*n.m, 1);
  n.m->step(3'000'000);
  EXPECT_EQ(a.get64(MKR_TIMESTAMP), b.get64(MKR_TIMESTAMP));
  EXPECT_GE(a.get64(MKR_TIMESTAMP), 30'000u);
  a.put(MKR_FILTER, 5);
  b.put(MKR_FILTER, 6);
  b.put(MKR_RESET, 0);
  EXPECT_EQ(a.get(MKR_FILTER), 5u) << "a software reset is the chip's own";
  EXPECT_EQ(b.get(MKR_FILTER), 0u);
  EXPECT_EQ(a.get64(MKR_TIMESTAMP), b.get64(MKR_TIMESTAMP)) << "and leaves the timestamp";
  EXPECT_EQ(n.m->set("mk1", "reset", "true"), "");
  EXPECT_EQ(a.get(MKR_FILTER), 0u);
  EXPECT_EQ(a.get64(MKR_TIMESTAMP), 0u);
  EXPECT_EQ(b.get64(MKR_TIMESTAMP), 0u);
  n.m->step(1'000'000);
  EXPECT_EQ(a.get64(MKR_TIMESTAMP), b.get64(MKR_TIMESTAMP));
  EXPECT_EQ(words_of(n.file(0)), (std::vector<uint16_t>{0x8002, 0x8002})) << "start and pulse, once each";
  EXPECT_EQ(words_of(n.file(1)), (std::vector<uint16_t>{0x8002, 0x8001, 0x8002}));
}

TEST(MultikronProperties, BadOnesAreNamed) {
  const Wrong cases = {
      {"node-clock=10", {"node-clock=10", "1000", "1000000000"}},
      {"timestamp-clock=16666667", {"timestamp-clock=16666667", "16666666"}},
      {"free=maybe", {"free=maybe", "always, fifo and pin"}},
      {"free-rate=5G", {"free-rate=5368709120", "4294967295"}},
      {"free-size=5G,free-rate=6G", {"free-size=5368709120", "4294967295"}},
      {"buffer-limit=2G", {"buffer-limit=2147483648", "1073741824"}},
      {"chardev-size=5", {"chardev-size=5", "64K to 1024T, or 0"}},
      {"cpus=1", {"cpus=1", "no vCPU 1", "0..0"}},
      {"cpus=0:0", {"cpus=0:0", "twice"}},
      {"cpus=x", {"cpus=x", "0-3:6"}},
      {"cpus=0:", {"cpus=0:", "0-3:6"}},
      {"cpus=0::0", {"cpus=0::0", "0-3:6"}},
      {"cpus=0-", {"cpus=0-", "0-3:6"}},
      {"cpus=-1", {"cpus=-1", "0-3:6"}},
      {"cpus=99999", {"cpus=99999", "0-3:6"}},
      {"cpus=", {"cpus="}},
      {"ext4=nonsense", {"ext4=nonsense", "loads", "wire:NAME"}},
      {"ext4=wire:", {"ext4=wire:"}},
      {"ext16=loads", {"ext16"}},
  };
  expect_refused({}, "multikron", cases);
  expect_refused({"-smp", "4"}, "multikron", {{"cpus=2-1", {"cpus=2-1"}}, {"cpus=0:2-3", {"vCPU 1"}}});
  expect_refused({"-smp", "9"}, "multikron",
                 {{"cpus=0-8", {"cpus=0-8", "8 CPU ID lines"}}, {"cpus=0-7", {"vCPU 8"}}});
}

TEST(MultikronProperties, ASecondChipWithNobodyLeftToServe) {
  expect_refused({"-device", "multikron", "-device", "multikron"}, {"cpus="});
}

// --- what is this card's own when it is unplugged; every board's: tests/qtest/core/plug_test.cc --------

constexpr unsigned kSlot = 5;
constexpr uint32_t kNobody = UINT32_MAX;

size_t samples(const std::string& file) {
  size_t ends = 0;
  for (uint16_t word : only_elements(words_of(file))) ends += (word & MK_STREAM_END) != 0;
  return ends;
}

TEST(MultikronPlug, WhatItHasSentIsHandedOverAndTheNetworkTakesAnother) {
  Scratch scratch;
  const std::string file = scratch.path("net");
  Machine m({.devices = {"pci-testdev"}, .args = {"-chardev", "file,id=net,path=" + file}});
  for (size_t cards = 1; cards <= 3; ++cards) {
    ASSERT_EQ(m.plug("multikron,id=mk,addr=5,chardev=net"), "");
    Card card(m);
    card.start();
    card.sample(MKR_SAMPLE_TRACE(1), cards);
    m.step(100'000);
    m.eject(kSlot);
    EXPECT_EQ(samples(file), cards);
  }
}

TEST(MultikronPlug, AFileThatIsFullEnds) {
  Scratch scratch;
  const std::string file = scratch.path("net");
  Machine m({.devices = {"pci-testdev"}, .args = {"-chardev", "file,id=net,path=" + file}});
  ASSERT_EQ(m.plug("multikron,id=mk,addr=5,chardev=net,chardev-size=64K"), "");
  Card card(m);
  card.start();
  for (size_t n = 0; n < 4000; ++n) {
    card.sample(MKR_SAMPLE_TRACE(1), n);
    m.step(10'000);
  }
  m.eject(kSlot);
  const size_t bytes = words_of(file).size() * 2;
  EXPECT_LE(bytes, 1u << 16);
  EXPECT_GT(bytes, (1u << 16) - 4096);
  EXPECT_TRUE(has(m.output(), "chardev=net: chardev-size=65536: the samples end here")) << m.output();
  EXPECT_TRUE(has(m.output(), "bytes of the network are lost: its file was full")) << m.output();
}

TEST(MultikronPlug, AMachineThatWaitsForItsReaderGoesOn) {
  Scratch scratch;
  Machine m({.devices = {"pci-testdev"},
             .args = {"-chardev", "socket,id=net,server=on,wait=off,path=" + scratch.path("socket")}});
  ASSERT_EQ(m.plug("multikron,id=mk,addr=5,chardev=net,buffer-limit=8"), "");
  Card card(m);
  card.start();
  for (int i = 0; i < 4; ++i) card.sample(MKR_SAMPLE_TRACE(1), 1);
  m.qmp("cont");
  const auto status = [&] { return text_of(m.qmp("query-status")); };
  const auto comes_to = [&](const char* part) {
    for (int i = 0; i < 60'000 && !has(status(), part); ++i) poll(nullptr, 0, 10);
    return has(status(), part);
  };
  ASSERT_TRUE(comes_to("io-error"));
  m.eject(kSlot);
  EXPECT_TRUE(comes_to("\"running\":true")) << status();
  EXPECT_TRUE(has(m.output(), "bytes of the network are lost")) << m.output();
}

TEST(MultikronPlug, ItsWiresAreFree) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2,id=surf,wire=w"}});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(m.plug("multikron,id=mk,addr=5,ext0=wire:w,ext1=wire:own,ext2=instructions"), "");
    EXPECT_EQ(m.set("surf", "ext-pull", "true"), "");
    m.eject(kSlot);
    EXPECT_EQ(m.set("surf", "ext-pull", "false"), "");
    m.step(1'000);
  }
}

TEST(MultikronPlug, OneThatComesResetsNoOther) {
  Machine m({.devices = {"multikron,id=one,addr=4"}});
  ASSERT_EQ(m.plug("multikron,id=two,addr=5,cpus=0"), "");
  Card one(m);
  one.put(MKR_SOURCE(0), 0x1234);
  m.eject(kSlot);
  EXPECT_EQ(one.get(MKR_SOURCE(0)), 0x1234u);
  ASSERT_EQ(m.plug("multikron,id=two,addr=5,cpus=0"), "");
  EXPECT_EQ(one.get(MKR_SOURCE(0)), 0x1234u);
  EXPECT_EQ(m.set("two", "reset", "true"), "");
  EXPECT_EQ(one.get(MKR_SOURCE(0)), 0u) << "the reset line is everybody's";
}

TEST(MultikronPlug, OneThatComesTakesThePlaceOfOneThatWent) {
  Machine m({.devices = {"multikron,id=one,addr=5", "multikron,id=two,addr=6"}, .args = {"-smp", "16"}});
  EXPECT_EQ(m.text("two", "cpus"), "8-15");
  m.eject(kSlot);
  ASSERT_EQ(m.plug("multikron,id=three,addr=5"), "");
  EXPECT_EQ(m.text("three", "cpus"), "0-7");
  EXPECT_TRUE(has(m.plug("multikron,id=four,addr=7"), "serve all 16 vCPUs"));
}

// When the card goes, the access that it delays meets nobody.
TEST(MultikronPlug, AProcessorThatItHoldsGoesOn) {
  Machine m({.devices = {"multikron,id=mk,test-mode=on,addr=5"},
             .program = stores_and_then({
                 0x66, 0x8b, 0x1e, 0x80, 0x00,  // mov ebx, [8 * 16]
                 0x31, 0xc0, 0x8e, 0xd8,        // ds = 0
                 0x66, 0x89, 0x1e, 0x00, 0x20,  // mov [0x2000], ebx
                 0xc6, 0x06, 0x04, 0x20, 0x01,  // mov byte [0x2004], 1
             })});
  Card card(m, 0, 0xa0000);
  card.put64(MKR_TEST, MKR_TEST_NETOFF);
  card.start(MKR_CSR_WWAIT);
  m.step(100'000);
  ASSERT_TRUE(m.flag("mk", "delayed"));
  ASSERT_EQ(m.read8(0x2004), 0u);
  m.eject(kSlot);
  m.step(100'000);
  EXPECT_EQ(m.read8(0x2004), 1u) << "the processor is at its end";
  EXPECT_EQ(m.pci_read32(kSlot, 0), kNobody);
}

TEST(MultikronPoke, RandomAccessesOfEverySize) {
  Networked n(",test-mode=on,ext0=loads,ext1=tlb-misses,free=fifo,free-size=64,free-rate=1000000");
  Card card(*n.m);
  std::mt19937_64 random(20261121);
  for (int i = 0, rounds = pokes(20'000); i < rounds; ++i) {
    const uint32_t window = (const uint32_t[]){kFourAt, kEightAt, kSampleAt}[random() % 3];
    const auto size = 1u << random() % 4;
    const uint32_t limit = random() % 4 ? 0x440 : MKR_BAR_BYTES;
    const uint64_t at = window + random() % (limit - size);
    if (random() % 2)
      n.m->read(at, size);
    else
      n.m->write(at, random() % 3 ? random() : random() % 4, size);
    if (random() % 512 == 0) n.m->step(random() % 100'000);
    if (random() % 1024 == 0) n.m->set("mk0", "test-mode", random() % 2 ? "true" : "false");
  }
  EXPECT_TRUE(n.m->answers());
  int complaints = 0;
  for (const std::string& line : lines_of(n.m->log())) {
    if (!line.starts_with("multikron ")) continue;
    ++complaints;
    bool named = line.find("address ") != line.npos || line.find("offset 0x") != line.npos;
    for (const Register& r : mk::kRegisters) named |= line.find(r.name) != line.npos;
    if (!named) ADD_FAILURE() << line;
  }
  EXPECT_GT(complaints, 100);
}

}  // namespace
}  // namespace perfboard::qtest
