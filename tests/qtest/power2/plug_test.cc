// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is the POWER2 monitor's own when it is unplugged: there is one, its caches and TLBs, its counts, the
// mark, its file of opcodes. What is every board's: tests/qtest/core/plug_test.cc.
#include <fstream>

#include "tests/qtest/power2/rig.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kSlot = 5, kOther = 6;

// An NMI has the processor make so many turns of a loop; else it is halted.
constexpr uint64_t kNmiVector = 8, kTurnsAt = 0x700;
std::vector<uint8_t> turns_and_back(uint32_t turns) {
  std::vector<uint8_t> code = turning(turns);
  code.resize(code.size() - 3);  // without HLT and what follows it
  code.push_back(0xcf);          // iret
  return code;
}

std::string board(const std::string& more = "", unsigned slot = kSlot) {
  return "power2-pm,id=pm,addr=" + std::to_string(slot) + more;
}

struct Hot : Windows {
  explicit Hot(MachineOptions o) : Windows(machine), machine(std::move(o)) {}
  std::string plug(const std::string& more = "") {
    const std::string said = m.plug(board(more));
    if (said.empty()) place(kSlot);
    return said;
  }

 private:
  Machine machine;
};

MachineOptions in(std::vector<std::string> args) {
  return {.devices = {"pci-testdev"}, .args = std::move(args)};
}

TEST(Power2Plug, AMachineHasOneAtATime) {
  Hot h(in({}));
  ASSERT_EQ(h.plug(), "");
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(has(h.m.plug("power2-pm,id=two,addr=6"), "the machine has one already"));
  EXPECT_EQ(h.card(P2R_CARD_MAGIC), P2_CARD_MAGIC) << "the first one lives on";
  h.put(P2R_MMCR, 0);
  h.m.step(10'000);
  h.m.eject(kSlot);
  ASSERT_EQ(h.m.plug("power2-pm,id=two,addr=6"), "");
  EXPECT_TRUE(has(h.plug(), "the machine has one already"));
  h.place(kOther);
  EXPECT_EQ(h.card(P2R_CARD_MAGIC), P2_CARD_MAGIC);
  h.m.eject(kOther);
  EXPECT_EQ(h.plug(), "");
  EXPECT_EQ(h.m.quit(), 0);
}

// More of them than there may be different ones at a time.
TEST(Power2Plug, EachHasCachesOfItsOwn) {
  Hot h(in({}));
  h.m.step(1'000);
  for (unsigned kib = 16; kib <= 2048; kib *= 2)
    for (const char* more : {"", ",dcache-ways=2,tlb-ways=4"}) {
      ASSERT_EQ(h.plug(",dcache=" + std::to_string(kib) + "K,icache=" + std::to_string(kib) +
                       "K,tlb=" + std::to_string(2 * kib) + more),
                "")
          << kib << more;
      EXPECT_EQ(h.card(P2R_CARD_DCACHE), kib << 10);
      const Counted misses = event("dcache_load_mis");
      h.put(P2R_MMCR, misses.mmcr);
      h.m.step(1'000);
      h.m.eject(kSlot);
    }
  EXPECT_EQ(h.m.quit(), 0);
}

// The processor has run without anybody's watching it, and does so between two of them. What one counts is
// what the first counts.
TEST(Power2Plug, OneThatComesCountsFromZeroAndExactly) {
  constexpr uint32_t kTurns = 1000;
  for (const char* more : {"", ",node=thin", ",stalls=off"}) {
    Hot h(in({"-cpu", "qemu64,-apic"}));
    h.m.write_bytes(kTurnsAt, turns_and_back(kTurns));
    h.m.write32(kNmiVector, kTurnsAt);
    const Counted instructions = event("fxu0_instructions");
    uint32_t counted = 0;
    const auto again = [&] {
      h.m.qmp("inject-nmi");
      h.m.step(1'000'000);
    };
    h.m.step(1'000'000);
    for (int round = 0; round < 4; ++round) {
      ASSERT_EQ(h.plug(more), "");
      EXPECT_EQ(h.get(P2R_COUNTER(instructions.counter)), 0u);
      h.put(P2R_MARK, round & 1);
      h.put(P2R_MMCR, instructions.mmcr | P2_MMCR_DIS);
      h.put(P2R_MMCR, instructions.mmcr);
      again();
      const uint32_t now = h.get(P2R_COUNTER(instructions.counter));
      h.m.eject(kSlot);
      again();
      if (round == 0) counted = now;
      EXPECT_GE(now, kTurns / 2);
      EXPECT_EQ(now, counted) << "round " << round << more;
    }
    ASSERT_EQ(h.plug(more), "");
    EXPECT_EQ(h.get(P2R_STATE) & P2_STATE_PM, 0u) << "the mark went with the card that set it";
  }
}

// Two cards with a file each, one behind the other. row: of the loop, which the first one sees alone. whole:
// what its file has.
void file_when_it_goes(const std::string& property, const std::string& row, std::string* whole) {
  Hot h({.devices = {"pci-testdev"}, .program = turning(1000)});
  const std::string one = h.m.scratch("one"), two = h.m.scratch("two");
  ASSERT_EQ(h.plug(property + one), "");
  h.m.step(1'000'000);
  h.m.eject(kSlot);
  *whole = contents(one);
  EXPECT_TRUE(has(*whole, row)) << *whole;
  h.m.step(1'000'000);
  ASSERT_EQ(h.plug(property + two), "");
  h.m.step(1'000'000);
  h.m.eject(kSlot);
  EXPECT_FALSE(has(contents(two), row)) << "what the first one's file has: " << contents(two);
  EXPECT_EQ(contents(one), *whole) << "nobody has written there";
  ASSERT_EQ(h.plug(), "");
  h.m.step(1'000'000);
  EXPECT_EQ(h.m.quit(), 0);
  EXPECT_EQ(contents(one), *whole);
}

TEST(Power2Plug, TheFileOfOpcodesIsWholeWhenItGoes) {
  std::string whole;
  file_when_it_goes(",opcodes=", ",1000", &whole);
  const size_t first_row = whole.find('\n') + 1;
  EXPECT_TRUE(has(whole.substr(0, whole.find('\n', first_row)), ",1000")) << whole;
}

TEST(Power2Plug, AProfileIsWholeWhenItGoes) {
  std::string whole;
  file_when_it_goes(",profile-calls=on,profile-misses=on,profile=", " 3 1000 ", &whole);
  EXPECT_TRUE(has(whole, " 3 1000 2001 ")) << whole;
}

// Its caches and TLBs are those of the snapshot, wherever in QEMU's tables they are.
TEST(Power2Plug, ASnapshotHasTheCardThatIsThere) {
  Hot h(in({}));
  ASSERT_EQ(h.plug(",node=thin"), "");
  h.m.eject(kSlot);
  ASSERT_EQ(h.plug(",node=thin2"), "");
  h.put(P2R_MMCR, event("dcache_load_mis").mmcr);
  h.put(P2R_COUNTER(3), 77);
  h.m.step(1'000);
  h.m.save(h.m.scratch("with"));
  MachineOptions o = in({"-incoming", "defer"});
  o.devices.push_back(board(",node=thin2"));
  Hot other(o);
  other.m.load(h.m.scratch("with"));
  EXPECT_EQ(other.get(P2R_COUNTER(3)), h.get(P2R_COUNTER(3)));
  other.m.step(1'000);
  EXPECT_TRUE(other.m.answers());
  other.m.eject(kSlot);
  EXPECT_EQ(other.plug(), "");
}

TEST(Power2Plug, ASnapshotHasNothingOfACardThatHasGone) {
  Hot h(in({}));
  ASSERT_EQ(h.plug(), "");
  h.put(P2R_MMCR, event("dcache_load_mis").mmcr);
  h.m.step(1'000);
  h.m.eject(kSlot);
  h.m.save(h.m.scratch("without"));
  Hot without(in({"-incoming", "defer"}));
  without.m.load(h.m.scratch("without"));
  ASSERT_EQ(without.plug(), "");
  without.m.step(1'000);
  EXPECT_TRUE(without.m.answers());
}

}  // namespace
}  // namespace perfboard::qtest
