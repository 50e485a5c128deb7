// SPDX-License-Identifier: GPL-2.0-or-later
//
// Random accesses, of every size, aligned or not, to everything that the boards answer, with time
// passing and packets on their way. The machine must live, answer, and name what it complains about.
//
// PERFBOARD_POKES=N multiplies the number of accesses.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hw/shrimp/registers.h"
#include "hw/surfboard/registers.h"
#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

// Every line of -d guest_errors says which board and which register, or which address of the idle bus.
void expect_lines_name_a_register(const std::string& log) {
  std::set<std::string> names;
  for (const Register& r : surf::kRegisters) names.insert(std::string(r.name));
  for (const Register& r : sni::kRegisters) names.insert(std::string(r.name));
  for (const Register& r : sni::kProxyRegisters) names.insert(std::string(r.name));
  for (const Register& r : sni::kTableEntries) names.insert(std::string(r.name));
  const auto named = [&](const std::string& line) {
    if (line.starts_with("EISA: no board ")) return line.find(" at memory 0x") != line.npos;
    if (!line.starts_with("EISA slot ")) return false;
    for (const std::string& n : names)
      if (line.find(n) != line.npos) return true;
    return line.find("register") != line.npos && line.find("0x") != line.npos;
  };
  int complaints = 0;
  for (const std::string& line : lines_of(log)) {
    // QEMU's own about its own devices.
    if (line.find("EISA") == line.npos && line.find("surfboard") == line.npos &&
        line.find("sni") == line.npos)
      continue;
    if (++complaints; !named(line)) ADD_FAILURE() << line;
  }
  EXPECT_GT(complaints, 0);
}

class Poker {
 public:
  Poker(Machine& machine, uint32_t seed) : m(machine), random(seed) {}

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); }
  // All bits, few bits, many bits, and the borders in between.
  uint64_t value() {
    switch (below(5)) {
      case 0:
        return 0;
      case 1:
        return ~uint64_t{0};
      case 2:
        return uint64_t{1} << below(64);
      default:
        return random();
    }
  }
  void memory(uint64_t at) {
    const unsigned size = 1u << below(4);
    if (below(2))
      m.write(at, value(), size);
    else
      m.read(at, size);
  }
  void port(uint16_t at) {
    const bool write = below(2);
    const auto v = static_cast<uint32_t>(value());
    switch (below(3)) {
      case 0:
        return write ? m.out8(at, v & 0xff) : void(m.in8(at));
      case 1:
        return write ? m.out16(at, v & 0xffff) : void(m.in16(at));
      default:
        return write ? m.out32(at, v) : void(m.in32(at));
    }
  }
  Machine& m;
  std::mt19937_64 random;
};

MachineOptions boards() {
  return {.devices = {"shrimp-sni,slot=1,id=sni", "surfboard,slot=2,id=a,wire=w,trace-size=4M",
                      "surfboard,slot=3,id=b,wire=w,hist-size=0"}};
}

struct Boards {
  explicit Boards(Machine& m) : sni(m, 1), a(m, 2), b(m, 3) { enable(); }
  void enable() {
    sni.enable(SURF_IRLEV_IRQ9);
    a.enable(SURF_IRLEV_IRQ10);
    b.enable(SURF_IRLEV_IRQ5, 0xc0010000, 0xd8000000);
  }
  Sni sni;
  Surf a, b;
};

// A user's half of the window, page tables that lead anywhere, messages under way.
TEST(Poke, SniProxies) {
  constexpr uint32_t kProxies = 0xa0000000, kPages = SNI_PROXY_BYTES >> SNI_PAGE_SHIFT;
  Machine m(boards());
  Boards all(m);
  Poker p(m, 9);
  all.sni.write(SNI_UDCR, kProxies | SNI_UDCR_ENABLE);
  int begun = 0;
  for (int i = 0; i < pokes(3'000); ++i) {
    const uint32_t page = p.below(4) ? p.below(16) : p.below(kPages);
    all.sni.write(SNI_OPT(page), SNI_OPT0_DU | static_cast<uint32_t>(p.value()));
    all.sni.write(SNI_OPT(page) + 4, (1 + p.below(2)) << SNI_OPT1_CONTEXT_SHIFT);
    const uint32_t to = kProxies + (page << SNI_PAGE_SHIFT);
    m.write32(to, 4 * p.below(1200));
    begun += (m.read32(to) & SNI_PROXY_INITIATED) != 0;
    p.memory(kProxies + p.below(SNI_PROXY_BYTES));
    if (i % 10 == 0) m.step(p.below(500'000));
  }
  EXPECT_GT(begun, 100);
  EXPECT_TRUE(m.answers()) << m.output();
  EXPECT_EQ(m.in32(0x1c80), kSniId);
  expect_lines_name_a_register(m.log());
}

// Slot I/O, which moves and switches off the boards as it goes; what they answer elsewhere must follow.
TEST(Poke, SlotIo) {
  Machine m(boards());
  Boards all(m);
  Poker p(m, 3);
  for (int i = 0; i < pokes(3'000); ++i) {
    const uint32_t range = p.below(4) * 0x400, slot = p.below(5);
    const uint32_t offset = p.below(2) ? 0xc80 + p.below(8) : range + p.below(0x100);
    p.port(static_cast<uint16_t>(slot * 0x1000 + offset));
    if (i % 100 == 0) m.read32(m.in32(0x2c84) & SURF_EBCR_RBASE_MASK);
  }
  EXPECT_TRUE(m.answers()) << m.output();
  EXPECT_EQ(m.in32(0x0c80) & 0xff, 0x42u);
  EXPECT_EQ(m.in32(0x2c80), kSurfId);
  all.enable();
  EXPECT_EQ(all.sni.read(SNI_FSIZE), 4096u);
  all.a.write(SURF_WCDR, 5);
  EXPECT_EQ(all.a.read(SURF_WCDR), 5u);
}

// A window put over another, over RAM, over the firmware, at the top: EBCR and SBCR take any base.
TEST(Poke, WindowsAnywhere) {
  Machine m(boards());
  Boards all(m);
  Poker p(m, 4);
  m.write32(0x100000, 0x12344321);
  for (int i = 0; i < pokes(300); ++i) {
    m.out32(0x2c84, static_cast<uint32_t>(p.random()) | SURF_EBCR_ENABLE);
    m.out32(0x3c84, static_cast<uint32_t>(p.random()) | SURF_EBCR_ENABLE);
    m.out32(0x1c84, static_cast<uint32_t>(p.random()) | SNI_SBCR_ENABLE);
    for (uint16_t port : {0x2c84, 0x3c84}) p.memory((m.in32(port) & 0xffff0000u) + p.below(0x10000));
    p.memory((m.in32(0x1c84) & 0xfff00000u) + p.below(0x60000));
  }
  m.out32(0x2c84, 0x00000001);  // over the RAM's start
  m.out32(0x1c84, 0x00100001);
  EXPECT_EQ(m.read32(0x100000), 0x12344321u) << "RAM wins over a board";
  EXPECT_TRUE(m.answers()) << m.output();
  all.enable();
  EXPECT_EQ(all.a.read(SURF_FCCR) >> 8 & 0xf, uint32_t{SURF_PD_1M});
}

// All of it together, with page tables and memories, while time passes and deliberate updates run, whatever
// they are set to.
TEST(Poke, EverythingAtOnce) {
  Machine m(boards());
  Boards all(m);
  Poker p(m, 6);
  for (uint32_t page = 0; page < 64; ++page) all.sni.accept(page + 0x40, 3);
  for (int i = 0; i < pokes(10'000); ++i) switch (p.below(16)) {
      case 0:
        p.port(static_cast<uint16_t>((1 + p.below(3)) * 0x1000 + 0xc80 + p.below(8)));
        all.enable();
        break;
      case 1:
        m.step(p.below(20'000));
        break;
      case 2:
        all.sni.write(SNI_SCR, SNI_SCR_EN | p.below(64));
        all.sni.deliberate(p.below(0x100000), 0x40000 + p.below(0x40000), 1 + p.below(1024), p.below(5));
        break;
      case 3:
        m.set(p.below(2) ? "a" : "b", "ext-pull", p.below(2) ? "true" : "false");
        break;
      case 4:
        m.set("a", "receive-time", std::to_string(p.random() >> p.below(64)));
        break;
      case 5:
        m.get("a", "leds");
        break;
      case 6:
      case 7:
        p.memory(Sni::kRegisters + p.below(0x260));
        break;
      case 8:
        p.memory(Sni::kRegisters + 0x3fff0 + p.below(0x60020));
        break;
      case 9:
        p.memory(Sni::kRegisters + p.below(SNI_WINDOW));
        break;
      case 10:
      case 11:
        p.memory((p.below(2) ? all.a : all.b).trace_at(0) + p.below(SURF_MEM_WINDOW));
        break;
      default:
        p.memory((p.below(2) ? all.a : all.b).base + p.below(SURF_REG_WINDOW));
    }
  ASSERT_TRUE(m.answers()) << m.output();
  m.qmp("system_reset");
  ASSERT_TRUE(m.answers()) << m.output();
  all.enable();
  EXPECT_EQ(all.a.read(SURF_IEMR), 0u);
  expect_lines_name_a_register(m.log());
  EXPECT_EQ(m.output(), "") << "nothing on stderr";
}

}  // namespace
}  // namespace perfboard::qtest
