// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SurfBoard on the bus of a live machine: its windows, its memories, and errors on purpose of these; what
// QMP sees and does.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kMiB = 1u << 20;
constexpr uint64_t kLedFlashNs = 100'000'000;  // hw/surfboard/README.md

MachineOptions one_board(const char* more = "") {
  return {.devices = {std::string("surfboard,slot=2,id=surf") + more}};
}

TEST(SurfBoard, WindowsFollowEnableAndBase) {
  Machine m(one_board());
  Surf surf(m, 2);
  const uint32_t other_base = 0xe1230000, other_memory = 0xf0000000;
  EXPECT_EQ(m.read32(Surf::kRegisters + SURF_HTCR), 0xffffffffu);
  surf.enable();
  EXPECT_EQ(surf.read(SURF_HTCR), SURF_HTCR_FRS);
  surf.write(SURF_WCDR, 0x12345678);
  const uint32_t end = Surf::kRegisters + SURF_REG_WINDOW;
  EXPECT_EQ(m.read32(end - SURF_REG_BYTES + SURF_WCDR), 0x12345678u);
  EXPECT_EQ(m.read32(end + SURF_HTCR), 0xffffffffu) << "64 KB and no more";
  m.write32(surf.trace_at(3), 0xaabbccdd);
  m.write32(surf.bin_at(4), 0x55667788);

  surf.enable(SURF_IRLEV_DISABLED, other_base, other_memory);
  EXPECT_EQ(m.read32(Surf::kRegisters + SURF_WCDR), 0xffffffffu) << "the old window is gone";
  EXPECT_EQ(m.read32(Surf::kMemory + 3 * SURF_TRACE_BYTES), 0xffffffffu);
  EXPECT_EQ(surf.read(SURF_WCDR), 0x12345678u);
  EXPECT_EQ(surf.trace(3, 0), 0xaabbccddu);
  EXPECT_EQ(surf.bin(4), 0x55667788u);

  surf.ebcr(Surf::ebcr_for(0, other_base, other_memory) & ~SURF_EBCR_ENABLE);
  EXPECT_EQ(m.read32(other_base + SURF_WCDR), 0xffffffffu);
  EXPECT_EQ(surf.trace(3, 0), 0xffffffffu);
  EXPECT_EQ(m.in32(0x2c80), kSurfId) << "EPIR answers still";

  surf.enable();
  EXPECT_EQ(surf.read(SURF_WCDR), 0x12345678u) << "registers keep their contents (p. 50)";
  EXPECT_EQ(surf.trace(3, 0), 0xaabbccddu) << "so do the memories";
  EXPECT_EQ(surf.bin(4), 0x55667788u);
}

TEST(SurfBoard, MemoryAtEveryMbase) {
  Machine m(one_board());
  Surf surf(m, 2);
  surf.enable(0, 0xc0000000, 0xc8000000);
  m.write32(surf.trace_at(0), 0x600dcafe);
  for (uint32_t mbase = 2; mbase < 31; ++mbase) {  // 0 is the machine's RAM, 31 its firmware and APICs
    const uint32_t memory = mbase << 27;
    surf.enable(0, mbase == 24 ? 0xd8000000 : 0xc0000000, memory);
    EXPECT_EQ(surf.trace(0, 0), 0x600dcafeu) << mbase;
    EXPECT_EQ(m.read32(surf.base + SURF_HTCR), SURF_HTCR_FRS) << mbase;
  }
}

// Each width reaches its lanes, in the slot and in the window.
TEST(SurfBoard, NarrowAccesses) {
  Machine m(one_board());
  Surf surf(m, 2);
  m.out8(0x2c87, 0xe1);
  m.out16(0x2c84, 0x0400);
  EXPECT_EQ(m.in32(0x2c84), 0xe1000400u);
  EXPECT_EQ(m.in16(0x2c86), 0xe100);
  EXPECT_EQ(m.in8(0x2c85), 0x04);
  surf.enable();
  const uint32_t base = Surf::kRegisters;
  m.write8(base + SURF_TTCR + 1, 0xff);
  m.write16(base + SURF_TTCR, 0x0180);
  EXPECT_EQ(surf.read(SURF_TTCR), 0x180u);
  m.write8(base + SURF_TTCR, 0x7f);
  EXPECT_EQ(surf.read(SURF_TTCR), 0x17fu);
  m.write16(base + SURF_WCDR, 9);
  EXPECT_NE(m.log().find("WCDR"), std::string::npos) << "a write that is ignored (p. 60)\n" << m.log();
  surf.write(SURF_WCDR, 0x01020304);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(m.read8(base + SURF_WCDR + i), 4 - i);
  EXPECT_EQ(m.read16(base + SURF_WCDR + 2), 0x0102);
  EXPECT_EQ(m.read64(base + SURF_HTCR), 0x01020304'00000010u) << "the bus splits wider accesses";
  m.write64(base + SURF_WCDR - 4, 0xdeadbeef'00000010u);
  EXPECT_EQ(surf.read(SURF_WCDR), 0xdeadbeefu);
}

TEST(SurfBoard, EisaResetDisablesIt) {
  Machine m(one_board());
  Surf surf(m, 2);
  surf.enable(SURF_IRLEV_IRQ10);
  surf.write(SURF_IEMR, SURF_ISCR_EXT);
  surf.write(SURF_WCDR, 77);
  m.write32(surf.bin_at(1), 78);
  m.qmp("system_reset");
  m.qmp("query-status");  // the reset is carried out by the main loop
  EXPECT_EQ(m.in32(0x2c84), Surf::ebcr_for(SURF_IRLEV_IRQ10) & ~SURF_EBCR_ENABLE);
  EXPECT_EQ(m.read32(Surf::kRegisters + SURF_WCDR), 0xffffffffu);
  surf.enable();
  EXPECT_EQ(surf.read(SURF_IEMR), 0u) << "A.9.1";
  EXPECT_EQ(surf.read(SURF_WCDR), 77u);
  EXPECT_EQ(surf.bin(1), 78u);
}

// --- memories ---------------------------------------------------------------------

struct Simm {
  const char* property;
  uint32_t bytes;
  uint32_t presence;
};

class SurfMemory : public testing::TestWithParam<Simm> {};

// As software sizes them (A.9.1): a number of its own at each possible end, then look.
TEST_P(SurfMemory, AliasesBeyondItsEnd) {
  const Simm& simm = GetParam();
  Machine m(one_board((std::string(",trace-size=") + simm.property + ",hist-size=" + simm.property).c_str()));
  Surf surf(m, 2);
  surf.enable();
  EXPECT_EQ(surf.read(SURF_FCCR) >> 8 & 0xf, simm.presence);
  EXPECT_EQ(surf.read(SURF_FCCR) >> 4 & 0xf, simm.presence);
  for (uint32_t start : {surf.trace_at(0), surf.bin_at(0)}) {
    for (uint32_t at : {48 * kMiB, 32 * kMiB, 16 * kMiB, 8 * kMiB, 4 * kMiB, 0u})
      m.write32(start + at, at + 1);
    for (uint32_t at : {0u, 4 * kMiB, 8 * kMiB, 16 * kMiB, 32 * kMiB, 48 * kMiB})
      EXPECT_EQ(m.read32(start + at), at % simm.bytes + 1) << std::hex << start + at;
    m.write32(start + SURF_MEM_SPAN - 4, 0xe0f);
    EXPECT_EQ(m.read32(start + simm.bytes - 4), 0xe0fu);
    m.write8(start + 5, 0xab);
    m.write16(start + 6, 0xcdef);
    EXPECT_EQ(m.read64(start), 0xcdefab00'00000001u) << "bytes, words and doublewords";
  }
  EXPECT_EQ(m.read32(surf.trace_at(0)), 1u) << "two memories, not one";
}

INSTANTIATE_TEST_SUITE_P(Sizes, SurfMemory,
                         testing::Values(Simm{"4M", 4 * kMiB, SURF_PD_1M}, Simm{"16M", 16 * kMiB, SURF_PD_4M},
                                         Simm{"64M", 64 * kMiB, SURF_PD_1M}),
                         [](const auto& test) { return std::string("Of") + test.param.property; });

// The packet of a machine that nobody disturbs: done after `steps` steps, as WCDR says.
struct CountedPacket {
  CountedPacket() : sni(m, 1), surf(m, 2) {
    sni.enable();
    surf.enable();
    surf.write(SURF_HTCR, SURF_HTCR_HEN | SURF_HTCR_WEN);  // the selector is not configured: bin 0xFFFFFF
    m.write32(surf.bin_at(kBin), 0xffffffff);
    sni.accept(0x10, SNI_IPT_VALID);
    sni.deliberate(0x8000, 0x10000, 1);
  }
  static constexpr uint32_t kBin = 0xffffff & (4 * kMiB / 4 - 1);
  Machine m{{.devices = {"shrimp-sni,slot=1", "surfboard,slot=2,id=surf,hist-size=4M"}}};
  Sni sni;
  Surf surf;
};

unsigned steps_until_counted() {
  CountedPacket c;
  unsigned steps = 0;
  while (c.surf.read(SURF_WCDR) == 0 && steps < 100) {
    c.m.step(100);
    ++steps;
  }
  return steps;
}

TEST(SurfMemories, AnAccessWhileHenIs1ComesBehindThePacketsThatAreDone) {
  const unsigned steps = steps_until_counted();
  ASSERT_LT(steps, 100u);
  for (const bool store : {false, true}) {
    CountedPacket c;
    for (unsigned i = 0; i < steps; ++i) c.m.step(100);
    if (store) c.m.write32(c.surf.bin_at(c.kBin), 0xfffffff0);
    EXPECT_EQ(c.surf.bin(c.kBin), store ? 0xfffffff0u : 0u);
    EXPECT_EQ(c.surf.read(SURF_ISCR) & SURF_ISCR_BV, uint32_t{SURF_ISCR_BV});
  }
}

// Collecting or not, and also where the memory has become plain RAM after the first access.
TEST(SurfMemories, AccessesLightLed6) {
  Machine m(one_board());
  Surf surf(m, 2);
  surf.enable();
  for (uint32_t htcr : {0u, uint32_t{SURF_HTCR_HEN}, uint32_t{SURF_HTCR_TEN}, 0u}) {
    surf.write(SURF_HTCR, htcr);
    for (uint32_t at : {surf.trace_at(5), surf.bin_at(5), surf.bin_at(0) + SURF_MEM_SPAN - 4})
      for (bool store : {false, true}) {
        m.step(kLedFlashNs);
        ASSERT_FALSE(m.flag("surf", "led6"));
        const uint32_t value = m.read32(at) + 1;
        EXPECT_TRUE(m.flag("surf", "led6")) << std::hex << at;
        m.step(kLedFlashNs);
        ASSERT_FALSE(m.flag("surf", "led6"));
        if (store) m.write32(at, value);
        EXPECT_EQ(m.flag("surf", "led6"), store) << std::hex << at;
        m.read32(at);
        EXPECT_EQ(m.read32(at), store ? value : value - 1);
      }
  }
}

TEST(SurfSocket, EmptyReadsOnes) {
  Machine m(one_board(",trace-size=0,hist-size=0"));
  Surf surf(m, 2);
  surf.enable();
  EXPECT_EQ(surf.read(SURF_FCCR) >> 4, 0xffu) << "presence detect F: empty";
  for (uint32_t start : {surf.trace_at(0), surf.bin_at(0)})
    for (uint32_t at : {0u, 4 * kMiB, SURF_MEM_SPAN - 8}) {
      m.write32(start + at, 0);
      EXPECT_EQ(m.read8(start + at), 0xff);
      EXPECT_EQ(m.read16(start + at), 0xffff);
      EXPECT_EQ(m.read32(start + at), 0xffffffffu);
      EXPECT_EQ(m.read64(start + at), ~uint64_t{0});
    }
}

TEST(SurfSocket, OneEmptyOneFull) {
  Machine m(one_board(",trace-size=0,hist-size=64M"));
  Surf surf(m, 2);
  surf.enable();
  m.write32(surf.bin_at(0), 42);
  EXPECT_EQ(surf.bin(0), 42u);
  EXPECT_EQ(surf.trace(0, 0), 0xffffffffu);
  EXPECT_EQ(surf.read(SURF_FCCR) >> 8 & 0xf, uint32_t{SURF_PD_EMPTY});
}

// --- errors on purpose: what each does, the models' unit tests show ------------------

TEST(SurfInjected, DroppedPacketsAreInMemoryButNotInTheTrace) {
  Machine m({.devices = {"shrimp-sni,slot=1,nodes=4", "surfboard,slot=2,id=surf"}});
  Sni sni(m, 1);
  Surf surf(m, 2);
  sni.enable();
  sni.accept(0x20, SNI_IPT_VALID);
  surf.enable();
  surf.shift_in(kPlainShift);
  surf.write(SURF_HTCR, SURF_HTCR_WEN | SURF_HTCR_TEN);
  EXPECT_EQ(m.set("surf", "inject-drop", "2"), "");
  for (int i = 0; i < 3; ++i) {
    sni.deliberate(0x8000, 0x20 << SNI_PAGE_SHIFT, 4);
    m.step(30'000);
    sni.write(SNI_SISR, SNI_SISR_DUD);
  }
  EXPECT_EQ(sni.counter(SNI_RXP), 3u);
  EXPECT_EQ(surf.read(SURF_TECR), 1u);
  EXPECT_EQ(surf.read(SURF_WCDR), 4u);
  EXPECT_EQ(m.get("surf", "inject-drop"), 0u);
}

TEST(SurfInjected, SimmsThatAreAbsentOrHalf) {
  Machine m(one_board(",trace-size=16M"));
  Surf surf(m, 2);
  surf.enable();
  m.write32(surf.trace_at(1), 0x12345678);
  EXPECT_EQ(m.set("surf", "inject-trace-simm", "\"absent\""), "");
  EXPECT_EQ(SURF_GET(FCCR_TSPD, surf.read(SURF_FCCR)), uint32_t{SURF_PD_EMPTY});
  EXPECT_EQ(surf.trace(1, 0), 0xffffffffu);
  m.write32(surf.trace_at(1), 0);
  EXPECT_EQ(m.set("surf", "inject-trace-simm", "\"whole\""), "");
  EXPECT_EQ(surf.trace(1, 0), 0x12345678u) << "what it held is there";

  EXPECT_EQ(m.set("surf", "inject-trace-simm", "\"half\""), "");
  m.write32(surf.memory + 8, 0x11111111);
  m.write32(surf.memory + 8 * kMiB + 8, 0x22222222);
  EXPECT_EQ(m.read32(surf.memory + 8), 0x22222222u);
  EXPECT_EQ(m.read32(surf.memory + 16 * kMiB + 8), 0x22222222u);
  EXPECT_EQ(SURF_GET(FCCR_TSPD, surf.read(SURF_FCCR)), uint32_t{SURF_PD_4M})
      << "presence detect does not tell";
}

// --- LEDs (A.3), the receive clock, the external connector, and the wire that boards share by name ---

MachineOptions two_boards(const char* first, const char* second) {
  return {.devices = {std::string("surfboard,slot=2,id=a") + first,
                      std::string("surfboard,slot=3,id=b") + second}};
}

struct Pair {
  explicit Pair(Machine& m) : a(m, 2), b(m, 3) {
    a.enable(SURF_IRLEV_IRQ10);
    b.enable(SURF_IRLEV_IRQ5, 0xc0010000, 0xd8000000);
  }
  Surf a, b;
};

TEST(Leds, EachAsAPropertyAndAllAsOne) {
  Machine m(one_board());
  Surf surf(m, 2);
  const auto led = [&](int n) {
    const bool one = m.flag("surf", "led" + std::to_string(n));
    EXPECT_EQ(one, (m.get("surf", "leds") >> (n - 1) & 1) != 0) << n;
    return one;
  };
  EXPECT_TRUE(led(2)) << "power-on was a reset";
  m.step(kLedFlashNs);
  for (int n = 1; n <= 10; ++n) EXPECT_FALSE(led(n)) << n;
  surf.enable(SURF_IRLEV_IRQ10);
  EXPECT_TRUE(led(6)) << "EISA access";
  m.step(kLedFlashNs);
  EXPECT_FALSE(led(6)) << "a flash, not for ever";
  const std::pair<int, std::function<void()>> causes[] = {
      {1, [&] { m.set("surf", "ext-pull", "true"); }},
      {3, [&] { surf.write(SURF_HTCR, SURF_HTCR_TRG); }},
      {5, [&] { surf.write(SURF_HTCR, SURF_HTCR_TRG | SURF_HTCR_TEN); }},
      {4, [&] { surf.write(SURF_HFDR, 1); }},
      {7, [&] { surf.write(SURF_IEMR, SURF_IEMR_FNE); }},
      {10, [&] { surf.write(SURF_PCLR, SURF_PCLR_LED); }}};
  for (const auto& [n, cause] : causes) {
    EXPECT_FALSE(led(n)) << n;
    cause();
    EXPECT_TRUE(led(n)) << n;
  }
  m.qmp("system_reset");
  m.qmp("query-status");
  EXPECT_TRUE(led(2)) << "any reset";
}

TEST(Leds, CannotBeSet) {
  Machine m(one_board());
  EXPECT_NE(m.set("surf", "leds", "1"), "");
  EXPECT_NE(m.set("surf", "led10", "true"), "");
  EXPECT_NE(m.set("surf", "ext-output", "true"), "");
  EXPECT_NE(m.set("surf", "ext-wire", "false"), "");
}

TEST(ReceiveTime, IsSettableInItsRange) {
  Machine m(one_board());
  const uint64_t top = (uint64_t{1} << 44) - 1;
  for (uint64_t t : {uint64_t{0}, uint64_t{1}, uint64_t{123456789012}, top}) {
    EXPECT_EQ(m.set("surf", "receive-time", std::to_string(t)), "");
    EXPECT_EQ(m.get("surf", "receive-time"), t);
  }
  const std::string over = m.set("surf", "receive-time", std::to_string(top + 1));
  EXPECT_TRUE(has(over, "receive-time=17592186044416")) << over;
  EXPECT_TRUE(has(over, "0..2^44-1")) << over;
  EXPECT_NE(m.set("surf", "receive-time", "-1"), "");
  EXPECT_NE(m.set("surf", "receive-time", "\"soon\""), "");
  EXPECT_EQ(m.get("surf", "receive-time"), top) << "a refused value changes nothing";
}

// --- the external connector ----------------------------------------------------------

TEST(External, PulledFromOutside) {
  Machine m(one_board());
  Surf surf(m, 2);
  surf.enable();
  EXPECT_TRUE(m.flag("surf", "ext-wire")) << "pulled up";
  EXPECT_FALSE(m.flag("surf", "ext-pull"));
  EXPECT_EQ(m.set("surf", "ext-pull", "true"), "");
  EXPECT_FALSE(m.flag("surf", "ext-wire"));
  EXPECT_TRUE(m.flag("surf", "ext-pull"));
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "it is not the board that pulls";
  EXPECT_EQ(surf.read(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT);
  EXPECT_EQ(m.set("surf", "ext-pull", "false"), "");
  EXPECT_TRUE(m.flag("surf", "ext-wire"));
  EXPECT_NE(m.set("surf", "ext-pull", "2"), "");
  EXPECT_NE(m.set("surf", "ext-pull", "\"low\""), "");
}

TEST(External, BoardDrivesItsWire) {
  Machine m(one_board());
  Surf surf(m, 2);
  surf.enable();
  surf.write(SURF_ECDR, SURF_ECDR_DATA);
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "masked";
  surf.write(SURF_TTCR, SURF_TTCR_MEOD);
  EXPECT_TRUE(m.flag("surf", "ext-output"));
  EXPECT_FALSE(m.flag("surf", "ext-wire"));
  surf.ebcr(0);
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "a disabled board floats";
  EXPECT_TRUE(m.flag("surf", "ext-wire"));
}

TEST(Wire, WithoutANameOrWithAnotherTheyAreOtherWires) {
  for (const auto& [first, second] : {std::pair("", ""), std::pair(",wire=left", ",wire=right")}) {
    Machine m(two_boards(first, second));
    Pair p(m);
    EXPECT_EQ(m.set("a", "ext-pull", "true"), "");
    EXPECT_FALSE(m.flag("a", "ext-wire"));
    EXPECT_TRUE(m.flag("b", "ext-wire"));
    EXPECT_EQ(p.b.read(SURF_ISCR) & SURF_ISCR_EXT, 0u);
  }
}

TEST(Wire, IsOpenCollector) {
  Machine m(two_boards(",wire=all", ",wire=all"));
  Pair p(m);
  p.a.write(SURF_TTCR, SURF_TTCR_MEOD);
  p.b.write(SURF_TTCR, SURF_TTCR_MEOD);
  p.a.write(SURF_ECDR, 1);
  EXPECT_FALSE(m.flag("b", "ext-wire"));
  EXPECT_FALSE(m.flag("b", "ext-output"));
  EXPECT_EQ(p.b.read(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT);
  p.b.write(SURF_ECDR, 1);
  p.a.write(SURF_ECDR, 0);
  EXPECT_FALSE(m.flag("a", "ext-wire")) << "b pulls still";
  p.b.write(SURF_ECDR, 0);
  EXPECT_TRUE(m.flag("a", "ext-wire"));
  EXPECT_EQ(m.set("b", "ext-pull", "true"), "");
  EXPECT_FALSE(m.flag("a", "ext-wire")) << "whoever holds b's end of the cable pulls a's, too";
}

}  // namespace
}  // namespace perfboard::qtest
