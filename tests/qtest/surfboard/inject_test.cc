// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose of SurfBoard and SNI on a live machine: each reaches the registers and the interrupt line
// that the manual names; a scenario does it at a virtual time; snapshots hold it. Those that every board has
// are in core/inject_test.cc.
#include <gtest/gtest.h>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kSource = 0x8000;
constexpr uint32_t kPage = 0x20, kTarget = kPage << SNI_PAGE_SHIFT;
constexpr uint32_t kMiB = 1u << 20;
constexpr uint32_t kCollect = SURF_HTCR_WEN | SURF_HTCR_HEN | SURF_HTCR_TEN;
constexpr uint16_t kSniLine = 1 << 9, kSurfLine = 1 << 10;

// A node that sends to itself, under its SurfBoard; both may interrupt.
struct Node {
  explicit Node(MachineOptions options = {}) : m(with_boards(std::move(options))), sni(m, 1), surf(m, 2) {
    m.level_triggered(kSniLine | kSurfLine);
    sni.enable(SURF_IRLEV_IRQ9);
    sni.accept(kPage, SNI_IPT_VALID);
    sni.write(SNI_SIER, 0xff & ~SNI_SIER_DUD);
    surf.enable(SURF_IRLEV_IRQ10);
    surf.shift_in(kPlainShift);
    surf.write(SURF_HTCR, kCollect);
  }
  static MachineOptions with_boards(MachineOptions options) {
    options.devices = {"shrimp-sni,slot=1,nodes=4,id=sni",
                       "surfboard,slot=2,id=surf,trace-size=16M,hist-size=16M"};
    return options;
  }
  // One packet; its words are in memory, or lost, when this returns.
  void send(uint32_t words = 1) {
    sni.deliberate(kSource, kTarget, words);
    m.step(30'000);
    sni.write(SNI_SISR, SNI_SISR_DUD);
  }
  void inject(const char* id, const char* property, const std::string& json) {
    EXPECT_EQ(m.set(id, property, json), "") << property;
  }
  // Only this condition, with the board's interrupt.
  void expect_surf(uint32_t condition) {
    surf.write(SURF_IEMR, condition);
    EXPECT_EQ(surf.read(SURF_ISCR) & 0x3f80, condition);
    EXPECT_NE(m.irr() & kSurfLine, 0);
    surf.write(SURF_IEMR, 0);
    EXPECT_EQ(m.irr() & kSurfLine, 0);
  }

  Machine m;
  Sni sni;
  Surf surf;
};

// ---- SurfBoard -----------------------------------------------------------------------------

TEST(SurfInjected, DroppedPacketsAreInMemoryButNotInTheTrace) {
  Node n;
  n.inject("surf", "inject-drop", "2");
  for (int i = 0; i < 3; ++i) n.send(4);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 3u);
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 4u);
  EXPECT_EQ(n.m.get("surf", "inject-drop"), 0u);
}

TEST(SurfInjected, LatePacketsOverflowTheWindow) {
  Node n;
  n.surf.write(SURF_HTCR, 0);
  n.surf.shift_in(SURF_PUT(ACDR_LAT_N, 4u) | SURF_PUT(ACDR_TSIZE, uint32_t{SURF_TSIZE_16MB}));  // 25.5 us
  n.surf.write(SURF_HTCR, kCollect);
  n.send();
  EXPECT_EQ(n.surf.read(SURF_ISCR) & SURF_ISCR_LV, 0u);
  n.inject("surf", "inject-late", "30000");
  n.send();
  n.expect_surf(SURF_ISCR_LV);
  EXPECT_EQ(n.surf.trace(1, 0) & 0x3ffffff, 0x2ffffffu) << "V, and all ones";
}

TEST(SurfInjected, DamagedPacketsUnderflow) {
  Node n;
  n.inject("surf", "inject-damage", "1");
  n.send();
  n.expect_surf(SURF_ISCR_LU);
  EXPECT_EQ(n.surf.trace(0, 0) & 0x3ffffff, 0x1000000u) << "U, and 0";
}

TEST(SurfInjected, SkewedClocksUnderflow) {
  Node n;
  n.inject("surf", "inject-skew", "1000000");
  n.send();
  n.expect_surf(SURF_ISCR_LU);
}

TEST(SurfInjected, WithoutEndOfDataTwoPacketsAreOne) {
  Node n;
  n.inject("surf", "inject-no-eod", "1");
  n.send(3);
  EXPECT_EQ(n.surf.read(SURF_TECR), 0u);
  n.send(5);
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 12u) << "the second one's header and timestamp count, too";
  n.inject("surf", "inject-no-eod", "1");
  n.send(3);
  n.surf.write(SURF_HTCR, kCollect | SURF_HTCR_PRS);
  n.surf.write(SURF_HTCR, kCollect);
  n.send(5);
  EXPECT_EQ(n.surf.read(SURF_WCDR), 17u) << "PRS drops the one without an end";
}

TEST(SurfInjected, AnOverrunIsAPipelineOverflow) {
  Node n;
  n.inject("surf", "inject-overrun", "1");
  n.send();
  n.expect_surf(SURF_ISCR_PV);
  EXPECT_EQ(n.surf.read(SURF_TECR), 0u);
}

TEST(SurfInjected, TheReceiveClockWrapsInTime) {
  Node n;
  n.surf.write(SURF_IEMR, SURF_IEMR_RTV);
  n.inject("surf", "inject-clock-wrap", "50000");
  n.m.step(40'000);
  EXPECT_EQ(n.m.irr() & kSurfLine, 0);
  n.m.step(20'000);
  n.expect_surf(SURF_ISCR_RTV);
  n.sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_TSE | SNI_SCR_GRST);
  EXPECT_EQ(n.surf.read(SURF_ISCR) & SURF_ISCR_RTV, 0u) << "a global reset ends it (p. 57)";
}

TEST(SurfInjected, ABinsAddressFindsTheFifoFull) {
  Node n;
  n.surf.write(SURF_IEMR, 0);
  n.m.write32(n.surf.bin_at(0xffffff & (4 * kMiB - 1)), 0xffffffff);  // the selector is not configured
  n.inject("surf", "inject-fifo-overflow", "1");
  n.send();
  EXPECT_EQ(n.surf.read(SURF_ISCR) & (SURF_ISCR_BV | SURF_ISCR_FNE), SURF_ISCR_BV);
  n.surf.write(SURF_ISCR, SURF_ISCR_BV);
  n.expect_surf(SURF_ISCR_FV);
}

TEST(SurfInjected, TheSelectorFails) {
  Node n;
  n.inject("surf", "inject-selector", "\"init-low\"");
  EXPECT_NE(n.surf.read(SURF_FCCR) & SURF_FCCR_ERR, 0u);
  n.surf.write(SURF_FCCR, SURF_FCCR_PROG);
  n.surf.write(SURF_FCCR, 0);
  EXPECT_NE(n.surf.read(SURF_FCCR) & SURF_FCCR_ERR, 0u) << "INIT* does not rise";
  n.inject("surf", "inject-selector", "\"good\"");
  EXPECT_EQ(n.surf.read(SURF_FCCR) & SURF_FCCR_ERR, 0u);
}

TEST(SurfInjected, AnAbsentSimmAnswersNothing) {
  Node n;
  n.m.write32(n.surf.trace_at(1), 0x12345678);
  n.inject("surf", "inject-trace-simm", "\"absent\"");
  EXPECT_EQ(SURF_GET(FCCR_TSPD, n.surf.read(SURF_FCCR)), uint32_t{SURF_PD_EMPTY});
  EXPECT_EQ(n.surf.trace(1, 0), 0xffffffffu);
  n.m.write32(n.surf.trace_at(1), 0);
  n.inject("surf", "inject-trace-simm", "\"whole\"");
  EXPECT_EQ(n.surf.trace(1, 0), 0x12345678u) << "what it held is there";
}

TEST(SurfInjected, AHalfSizedSimmRepeats) {
  Node n;
  n.surf.write(SURF_HTCR, 0);
  n.inject("surf", "inject-trace-simm", "\"half\"");
  n.m.write32(n.surf.memory + 8, 0x11111111);
  n.m.write32(n.surf.memory + 8 * kMiB + 8, 0x22222222);
  EXPECT_EQ(n.m.read32(n.surf.memory + 8), 0x22222222u);
  EXPECT_EQ(n.m.read32(n.surf.memory + 16 * kMiB + 8), 0x22222222u);
  EXPECT_EQ(SURF_GET(FCCR_TSPD, n.surf.read(SURF_FCCR)), uint32_t{SURF_PD_4M})
      << "presence detect does not tell";
}

// ---- SNI ------------------------------------------------------------------------------------

TEST(SniInjected, TheBackplaneLosesPackets) {
  Node n;
  n.inject("sni", "inject-drop", "1");
  n.send();
  n.send();
  EXPECT_EQ(n.sni.counter(SNI_TXP), 2u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 1u);
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
}

TEST(SniInjected, LatePacketsAreLongerInTheBackplane) {
  Node n;
  n.send();
  n.inject("sni", "inject-late", "20000");
  n.send();
  n.m.step(30'000);
  EXPECT_EQ(n.surf.read(SURF_TECR), 2u);
  EXPECT_NEAR(n.surf.trace(1, 0) & 0xffffff, (n.surf.trace(0, 0) & 0xffffff) + 200, 2);
  EXPECT_EQ(n.m.set("sni", "inject-late", "100000001"), "inject-late=100000001: legal are 0 to 100000000");
}

TEST(SniInjected, DamagedPacketsAreNotWritten) {
  Node n;
  n.m.write32(kSource, 77);
  n.inject("sni", "inject-damage", "1");
  n.send();
  EXPECT_EQ(n.m.read32(kTarget), 0u);
  EXPECT_EQ(n.sni.read(SNI_SISR) & SNI_SISR_RXE, SNI_SISR_RXE);
  EXPECT_NE(n.m.irr() & kSniLine, 0);
  EXPECT_EQ(n.sni.counter(SNI_RXD), 1u);
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u) << "the SurfBoard has seen it";
}

TEST(SniInjected, AStoppedNetworkHoldsPackets) {
  Node n;
  n.inject("sni", "inject-network-stop", "true");
  n.send();
  EXPECT_NE(n.sni.read(SNI_SSR) & SNI_SSR_DUB, 0u);
  EXPECT_EQ(n.sni.counter(SNI_TXP), 0u);
  n.inject("sni", "inject-network-stop", "false");
  n.m.step(30'000);
  EXPECT_EQ(n.sni.read(SNI_SSR) & SNI_SSR_DUB, 0u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 1u);
}

// The vCPU's own stores, as the tap sees them.
TEST(SniInjected, StoresFindTheFifoFull) {
  Node n({.program = stores(0x5000, 8)});
  n.sni.write(SNI_OPT(5) + 4, 0);
  n.sni.write(SNI_OPT(5), SNI_OPT0_AU | 1u << SNI_OPT0_DNODE_SHIFT | kPage);
  n.sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE);
  n.inject("sni", "inject-fifo-overflow", "3");
  n.m.step(200'000);
  EXPECT_EQ(n.sni.counter(SNI_OVFC), 3u);
  EXPECT_EQ(n.sni.counter(SNI_RXP), 5u);
  EXPECT_EQ(n.sni.read(SNI_SISR) & SNI_SISR_OVF, SNI_SISR_OVF);
  EXPECT_NE(n.m.irr() & kSniLine, 0);
}

TEST(SniInjected, TheClockWrapsInTime) {
  Node n;
  n.inject("sni", "inject-clock-wrap", "50000");
  n.m.step(60'000);
  EXPECT_EQ(n.sni.read(SNI_SISR) & SNI_SISR_CKV, SNI_SISR_CKV);
  EXPECT_NE(n.m.irr() & kSniLine, 0);
}

// ---- how it is asked for -------------------------------------------------------------------

TEST(Injected, AScenarioDoesItInTime) {
  Node n({.scenario = "400us surfboard inject-drop 1\n800us shrimp inject-damage 1\n"});
  n.send();
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
  n.m.step(400'000);
  n.send();
  EXPECT_EQ(n.surf.read(SURF_TECR), 1u);
  EXPECT_EQ(n.sni.counter(SNI_RXD), 0u);
  n.m.step(400'000);
  n.send();
  EXPECT_EQ(n.surf.read(SURF_TECR), 2u);
  EXPECT_EQ(n.sni.counter(SNI_RXD), 1u);
}

TEST(Injected, ASnapshotHoldsThem) {
  Node n;
  const std::string file = n.m.scratch("snapshot");
  n.inject("surf", "inject-skew", "12345");
  n.inject("surf", "inject-hist-simm", "\"half\"");
  n.inject("sni", "inject-network-stop", "true");
  n.m.save(file);
  Machine other(Node::with_boards({.args = {"-incoming", "defer"}}));
  other.load(file);
  EXPECT_EQ(other.get("surf", "inject-skew"), 12345u);
  EXPECT_TRUE(other.flag("sni", "inject-network-stop"));
  Surf surf(other, 2);
  other.write32(surf.bin_at(3), 5);
  EXPECT_EQ(other.read32(surf.bin_at(3) + 8 * kMiB), 5u) << "half of the SIMM";
}

TEST(Injected, TheLogNamesThem) {
  MachineOptions options = Node::with_boards({});
  options.devices[1] += ",log=/dev/stderr";
  Machine m(options);
  Surf surf(m, 2);
  surf.enable();
  EXPECT_EQ(m.set("surf", "inject-drop", "3"), "");
  surf.read(SURF_HFDR);
  EXPECT_EQ(m.quit(), 0);
  EXPECT_NE(m.output().find("inject-drop"), std::string::npos) << m.output();
  EXPECT_NE(m.output().find("MISTAKE fifo-held (p. 59)"), std::string::npos) << m.output();
}

}  // namespace
}  // namespace perfboard::qtest
