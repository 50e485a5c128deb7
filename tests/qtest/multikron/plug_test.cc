// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is a MULTIKRON card's own when it is unplugged: its network, its wires, the processor that it holds,
// the reset line of all chips. What is every board's: tests/qtest/core/plug_test.cc.
#include <poll.h>

#include "tests/qtest/multikron/card.h"

namespace perfboard::qtest {
namespace {

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

// The vCPU takes samples until the chip delays it (multikron_test.cc). When the card goes, the access meets
// nobody.
TEST(MultikronPlug, AProcessorThatItHoldsGoesOn) {
  Machine m(
      {.devices = {"multikron,id=mk,test-mode=on,addr=5"},
       .program = {0xb8, 0x00, 0xb0, 0x8e, 0xd8,                          // ds = 0xb000: BAR 2
                   0xb9, 0x10, 0x00,                                      // mov cx, 16
                   0x66, 0xc7, 0x06, 0x00, 0x03, 0x78, 0x56, 0x34, 0x12,  // mov dword [8 * 96], 0x12345678
                   0xe2, 0xf5,                                            // loop
                   0x66, 0x8b, 0x1e, 0x80, 0x00,                          // mov ebx, [8 * 16]
                   0x31, 0xc0, 0x8e, 0xd8,                                // ds = 0
                   0x66, 0x89, 0x1e, 0x00, 0x20,                          // mov [0x2000], ebx
                   0xc6, 0x06, 0x04, 0x20, 0x01,                          // mov byte [0x2004], 1
                   0xf4, 0xeb, 0xfd}});
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

}  // namespace
}  // namespace perfboard::qtest
