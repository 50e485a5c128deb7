// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: a machine is saved, another one continues from the file. What registers, memories, lines
// and properties say must be the same, and so must be what comes of packets that were on their way.
#include <gtest/gtest.h>

#include <map>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kSource = 0x8000, kPage = 0x20, kTarget = kPage << SNI_PAGE_SHIFT;
constexpr uint32_t kFullBin = 0xffffff;  // that an unconfigured HAS names

MachineOptions boards(bool incoming = false) {
  MachineOptions options{.devices = {"shrimp-sni,slot=1,id=sni", "surfboard,slot=2,id=a,wire=w,trace-size=4M",
                                     "surfboard,slot=3,id=b,wire=w,hist-size=4M"}};
  if (incoming) options.args = {"-incoming", "defer"};
  return options;
}

struct Rig {
  explicit Rig(MachineOptions options) : m(std::move(options)), sni(m, 1), a(m, 2), b(m, 3) {
    b.base = 0xc0010000;
    b.memory = 0xd8000000;
  }
  void enable() {
    m.level_triggered(1 << 5 | 1 << 9 | 1 << 10);
    sni.enable(SURF_IRLEV_IRQ9);
    a.enable(SURF_IRLEV_IRQ10);
    b.enable(SURF_IRLEV_IRQ5, b.base, b.memory);
  }
  // Everything that can be read without changing it ...
  std::map<std::string, uint64_t> look() {
    std::map<std::string, uint64_t> seen;
    for (const char* id : {"a", "b"}) {
      for (const char* p : {"leds", "receive-time"}) seen[std::string(id) + "." + p] = m.get(id, p);
      for (const char* p : {"ext-pull", "ext-wire", "ext-output"})
        seen[std::string(id) + "." + p] = m.flag(id, p);
    }
    for (unsigned slot : {0u, 1u, 2u, 3u})
      for (unsigned offset : {0xc80u, 0xc84u})
        seen["port " + std::to_string(slot * 0x1000 + offset)] =
            m.in32(static_cast<uint16_t>(slot * 0x1000 + offset));
    for (Surf* s : {&a, &b})
      for (uint32_t offset = 0; offset < SURF_REG_BYTES; offset += 4) {
        if (offset == SURF_HFDR || offset == SURF_HFCR) continue;
        seen["slot " + std::to_string(s->slot) + " register " + std::to_string(offset)] = s->read(offset);
      }
    for (uint32_t offset = 0; offset < 0x260; offset += 4)
      seen["sni " + std::to_string(offset)] = sni.read(offset);
    for (uint32_t page = 0; page < 64; ++page) {
      seen["opt0 " + std::to_string(page)] = sni.read(SNI_OPT(page));
      seen["opt1 " + std::to_string(page)] = sni.read(SNI_OPT(page) + 4);
      seen["ipt " + std::to_string(page)] = sni.read(SNI_IPT(page));
    }
    seen["irr"] = m.irr();
    return seen;
  }
  // ... and what reading uses up.
  std::map<std::string, uint64_t> drain() {
    std::map<std::string, uint64_t> seen;
    for (Surf* s : {&a, &b}) {
      const std::string slot = "slot " + std::to_string(s->slot);
      seen[slot + " shift"] = s->recirculate();
      for (int i = 0; i < 4; ++i) seen[slot + " offset " + std::to_string(i)] = s->read(SURF_HFCR);
      for (int i = 0; s->read(SURF_ISCR) & SURF_ISCR_FNE && i < 4096; ++i)
        seen[slot + " fifo " + std::to_string(i)] = s->read(SURF_HFDR);
    }
    return seen;
  }
  std::vector<uint8_t> memories() {
    std::vector<uint8_t> all;
    for (Surf* s : {&a, &b})
      for (uint32_t at : {s->trace_at(0), s->bin_at(kFullBin) - 0xfc}) {
        const std::vector<uint8_t> part = m.read_bytes(at, at == s->trace_at(0) ? 0x400 : 0x100);
        all.insert(all.end(), part.begin(), part.end());
      }
    const std::vector<uint8_t> page = m.read_bytes(kTarget, 4096);
    all.insert(all.end(), page.begin(), page.end());
    return all;
  }

  Machine m;
  Sni sni;
  Surf a, b;
};

void set_up(Rig& r) {
  r.enable();
  if (r.m.stepped()) r.sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_TSE | SNI_SCR_GRST);
  r.m.set("b", "receive-time", "1000000000000");
  for (uint32_t page = 0; page < 64; ++page) {
    r.sni.write(SNI_OPT(page), page * 0x01010101u & 0x7fffffff);
    r.sni.write(SNI_OPT(page) + 4, page & 0x1f);
    r.sni.accept(page, page << 1);
  }
  r.sni.accept(kPage, SNI_IPT_VALID | SNI_IPT_INT | 5 << SNI_IPT_COLOR_SHIFT);
  r.sni.write(SNI_SIER, SNI_SIER_RXI | SNI_SIER_DUE);
  r.sni.write(SNI_FHWM, 333);
  r.sni.write(SNI_FLWM, 22);
  r.sni.write(SNI_CTOR, 444);
  for (Surf* s : {&r.a, &r.b}) {
    s->shift_in(kPlainShift | SURF_PUT(ACDR_RDBK_F, 9u + s->slot) | (s == &r.b ? SURF_ACDR_CATMUX : 0));
    s->write(SURF_TTCR, SURF_PUT(TTCR_MODE, uint32_t{SURF_MODE_MIDDLE}) | SURF_TTCR_MBV);
    s->write(SURF_ECDR, SURF_ECDR_DATA);
    s->write(SURF_PCLR, SURF_PCLR_LED | s->slot);
    s->write(SURF_WCDR, 1000 * s->slot);
    s->write(SURF_TICR, 7 * s->slot);
    s->write(SURF_TPIR, 0x3fff00 | s->slot);
    s->write(SURF_HTCR, SURF_HTCR_WEN | SURF_HTCR_HEN | SURF_HTCR_TEN);
    for (uint32_t i = 0; i < 9; ++i) s->write(SURF_HFDR, 0x100 | (s->slot * 16 + i));
    s->read(SURF_HFDR);
    for (uint32_t byte : {0x21, 0x03, 0x45, 0x06}) s->write(SURF_HFCR, byte + s->slot);
    s->read(SURF_HFCR);
    s->write(SURF_IEMR, SURF_IEMR_BV | SURF_IEMR_EXT | SURF_IEMR_FAF);
  }
  r.m.write32(r.a.bin_at(kFullBin), 0xfffffffd);
  r.m.write32(r.b.bin_at(kFullBin), 17);
  for (uint32_t i = 0; i < 1024; ++i) r.m.write32(kSource + 4 * i, (i + 1) * 0x9e3779b9u);
}

void compare(const std::map<std::string, uint64_t>& want, const std::map<std::string, uint64_t>& got) {
  EXPECT_EQ(want.size(), got.size());
  for (const auto& [name, value] : want) {
    const auto found = got.find(name);
    if (found == got.end())
      ADD_FAILURE() << name << " is missing";
    else
      EXPECT_EQ(found->second, value) << name;
  }
}

TEST(Snapshot, AllThatCanBeReadIsThere) {
  Rig before(boards());
  before.m.step(12'345);
  set_up(before);
  for (uint32_t i = 0; i < 5; ++i) {
    before.sni.deliberate(kSource, kTarget + 64 * i, i + 1);
    before.m.step(20'000);
  }
  before.sni.deliberate(kSource, kTarget + 0x1000, 1);  // to a page that is not valid: RXEP
  before.m.step(20'000);
  EXPECT_EQ(before.a.read(SURF_ISCR) & SURF_ISCR_BV, SURF_ISCR_BV) << "something to remember";
  EXPECT_NE(before.m.irr(), 0);
  ASSERT_EQ(before.m.set("b", "ext-pull", "true"), "");
  const auto seen = before.look();
  before.m.save(before.m.scratch("state"));

  Rig after(boards(true));
  after.m.load(before.m.scratch("state"));
  compare(seen, after.look());
  EXPECT_EQ(after.memories(), before.memories());
  compare(before.drain(), after.drain());

  // It goes on as a board does.
  after.m.set("b", "ext-pull", "false");
  after.a.write(SURF_ISCR, SURF_ISCR_W1C);
  after.b.write(SURF_ISCR, SURF_ISCR_W1C);
  after.sni.write(SNI_SISR, 0xff);
  EXPECT_EQ(after.m.irr() & (1 << 5 | 1 << 9 | 1 << 10), 0);
  EXPECT_TRUE(after.m.flag("a", "ext-wire"));
}

TEST(Snapshot, OfADisabledBoardWithContents) {
  Rig before(boards());
  set_up(before);
  before.a.ebcr(Surf::ebcr_for(SURF_IRLEV_IRQ10) & ~SURF_EBCR_ENABLE);
  before.m.save(before.m.scratch("state"));
  Rig after(boards(true));
  after.m.load(before.m.scratch("state"));
  EXPECT_EQ(after.a.read(SURF_HTCR), 0xffffffffu);
  before.a.enable(SURF_IRLEV_IRQ10);
  after.a.enable(SURF_IRLEV_IRQ10);
  compare(before.look(), after.look());
  compare(before.drain(), after.drain());
}

// Saved at every stage of a packet's way: in the engine, in the backplane, on the bus, in the pipeline.
// PCLR.CAT changes at that moment: a packet that has begun keeps the old category. b's pipeline is
// reset at that moment: it must not take the rest of a packet for one.
class InFlight : public testing::TestWithParam<unsigned> {};

TEST_P(InFlight, ContinuesToTheSameEnd) {
  Rig through(boards()), saved(boards());
  for (Rig* r : {&through, &saved}) {
    r->m.step(12'345);
    set_up(*r);
    r->sni.deliberate(kSource, kTarget, 3);
    r->m.step(3'000);
    r->sni.deliberate(kSource, kTarget + 0x100, 700);
    if (GetParam()) r->m.step(GetParam());
    for (Surf* s : {&r->a, &r->b}) s->write(SURF_PCLR, 10 + s->slot);
    const uint32_t htcr = r->b.read(SURF_HTCR);
    r->b.write(SURF_HTCR, htcr | SURF_HTCR_PRS);
    r->b.write(SURF_HTCR, htcr);
  }
  through.look();
  const auto then = saved.look();
  saved.m.save(saved.m.scratch("state"));
  Rig loaded(boards(true));
  loaded.m.load(saved.m.scratch("state"));
  compare(then, loaded.look());
  for (Rig* r : {&through, &loaded}) {
    r->m.step(300'000);
    EXPECT_EQ(r->a.read(SURF_WCDR), 2000u + 703);
  }
  compare(through.look(), loaded.look());
  EXPECT_EQ(loaded.memories(), through.memories());
  compare(through.drain(), loaded.drain());
}

INSTANTIATE_TEST_SUITE_P(Stages, InFlight, testing::Values(0u, 2'900u, 4'000u, 6'000u, 9'000u, 100'000u),
                         [](const auto& test) { return "After" + std::to_string(test.param) + "ns"; });

}  // namespace
}  // namespace perfboard::qtest
