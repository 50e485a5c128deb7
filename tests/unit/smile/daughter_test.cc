// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card with a daughter board: its FPGA and the cable that loads it, in virtual time; what an exchange of
// designs leaves and what it resets; what no reset reaches; damaged streams and damaged snapshots.
#include "hw/smile/view.h"
#include "tests/unit/smile/card_fixture.h"

namespace perfboard::smile {
namespace {

// Pages' numbers: MSR's bits, PCI_Target's registers; the cable's commands and answers; the container of an
// XC4085XLA.
constexpr uint32_t kExchanged = 1u << 15, kMaxr = 0x10000c, kMask = 0x100010, kRdp = 0x100014,
                   kWrp = 0x100018, kPackets = 0x100028, kTimer = 0x10003c, kOvf = 0x100040,
                   kCable = 0x100044, kPage0 = 0x100200, kRange0 = 0x100600;
constexpr uint32_t kTargetDesign = 3, kNobody = 0xffffffff;
constexpr uint64_t kFrames = 2715, kFrameBits = 709, kHeader = 40;
constexpr size_t kStreamBytes = 240'624;
constexpr char kClear = 'B', kConfigured = 'C', kWrong = '@';

uint64_t byte_ns(uint64_t bytes, uint64_t rate = 115'200) {
  return (bytes * 10 * 1'000'000'000 + rate - 1) / rate;
}

std::vector<uint8_t> data(const std::vector<uint8_t>& bytes, size_t first, size_t count) {
  std::vector<uint8_t> command = {'D', static_cast<uint8_t>(count - 1)};
  command.insert(command.end(), bytes.begin() + static_cast<ptrdiff_t>(first),
                 bytes.begin() + static_cast<ptrdiff_t>(first + count));
  return command;
}
void give(Card& c, const std::vector<uint8_t>& bytes) {
  smile_xchecker(&*c.hwm, bytes.data(), static_cast<uint32_t>(bytes.size()));
}
std::string answer(Card& c) {
  uint8_t bytes[SMILE_XCHECKER_ANSWER];
  const uint32_t count = smile_xchecker_answer(&*c.hwm, bytes);
  return {bytes, bytes + count};
}
std::string ask(Card& c, const std::vector<uint8_t>& command) {
  give(c, command);
  c.run(byte_ns(600));
  return answer(c);
}
// The last status.
std::string load(Card& c, const std::vector<uint8_t>& bytes) {
  std::string status = ask(c, {'P'});
  for (size_t at = 0; at < bytes.size(); at += 256)
    status = ask(c, data(bytes, at, std::min<size_t>(256, bytes.size() - at)));
  return status;
}
unsigned design(Card& c) { return c.get(kTargetMsr) & 3; }
void packet(Card& c) {
  const SciPacket p = {.ns = c.now, .known = c.now, .words = 2};
  smile_packet(&*c.hwm, &p);
}

TEST(SmileDaughter, HoldsAtPowerOnWhatItIsTold) {
  for (const unsigned d : {0u, 1u, 2u}) {
    Card c(Daughter{d});
    EXPECT_FALSE(c.away());
    EXPECT_EQ(c.ccm(kDesign), kTargetDesign);
    EXPECT_EQ(c.get(kTargetMsr), d | 16u << 16);
    EXPECT_EQ(c.armed, PB_NEVER);
    EXPECT_EQ(ask(c, {'S'}), std::string(1, d ? kConfigured : kClear));
    EXPECT_EQ(c.get(kPage0) != kNobody, d == SMILE_STATIC);
    EXPECT_EQ(c.get(kTimer) != kNobody, d == SMILE_STATIC);
    EXPECT_EQ(c.get(kOvf) != kNobody, d == SMILE_STATIC);
    EXPECT_EQ(c.get(kRange0) != kNobody, d == SMILE_DYNAMIC);
    EXPECT_EQ(c.log.size(), d == SMILE_STATIC ? 1u : d == SMILE_DYNAMIC ? 3u : 4u);
  }
}

// Sec. V.A: node ID, Max_Range and transaction type are PCI_Target's.
TEST(SmileDaughter, PciTargetAnswersWithAnyDesignAndWithNone) {
  for (const unsigned d : {0u, 1u, 2u}) {
    Card c(Daughter{d});
    c.set(kTargetNode, 0xffffffff);
    c.set(kMaxr, 0xffffffff);
    c.set(kMask, 0xffffffff);
    c.set(kTargetMcr, 0x19);
    EXPECT_EQ(c.get(kTargetNode), 0x1fu);
    EXPECT_EQ(c.get(kMaxr), 0x3ffffffu);
    EXPECT_EQ(c.get(kMask), 0xffu);
    EXPECT_EQ(c.get(kTargetMcr), 0x19u);
    for (uint32_t offset = 0x100000; offset <= 0x100030; offset += 4)
      EXPECT_NE(c.get(offset), kNobody) << offset;
    EXPECT_NE(c.get(kCable), kNobody);
    EXPECT_TRUE(c.log.empty()) << c.log[0];
    EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  }
}

TEST(SmileDaughter, ACommandTakesItsBytesAtTheCablesRate) {
  for (const uint32_t rate : {9'600u, 115'200u, 100'000'000u}) {
    Card c(Daughter{SMILE_NONE, rate});
    const struct {
      std::vector<uint8_t> command;
      uint64_t answer;
    } commands[] = {{{'P'}, 1},         {{'S'}, 1}, {{'D', 0, 0xff}, 1}, {data(c.streams[1], 0, 256), 1},
                    {{'R', 0, 0}, 256}, {{'x'}, 1}};
    for (const auto& [command, bytes] : commands) {
      const uint64_t takes = byte_ns(command.size() + bytes, rate);
      EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 1u);
      give(c, command);
      EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 0u);
      EXPECT_EQ(c.armed, c.now + takes);
      c.run(takes - 1);
      EXPECT_EQ(answer(c), "");
      c.run(1);
      EXPECT_EQ(answer(c).size(), bytes) << command[0];
      EXPECT_EQ(c.refusal(c.hwm->state), "legal");
    }
  }
}

TEST(SmileDaughter, TakesWhatACommandLacks) {
  Card c(Daughter{SMILE_NONE});
  give(c, {'D'});
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 1u);
  give(c, {255});
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 256u);
  give(c, {1, 2, 3});
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 253u);
  smile_xchecker_hangup(&*c.hwm);
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 1u);
  give(c, {'R', 0});
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 1u);
  give(c, {0});
  smile_xchecker_hangup(&*c.hwm);
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 0u) << "what is under way is done";
  c.run(byte_ns(600));
  EXPECT_EQ(answer(c), std::string(256, '\xff'));
  EXPECT_EQ(ask(c, {'?'}), "?");
  Card one;
  EXPECT_EQ(smile_xchecker_takes(&*one.hwm), 0u) << "there is no daughter board";
}

TEST(SmileDaughter, AnExchangeLeavesTheCardOnTheBus) {
  Card c(Daughter{SMILE_DYNAMIC});
  c.set(kMbox0, 7);
  c.set(kIntcsr, 0x900);
  c.set(kTargetNode, 5);
  c.set(kMaxr, 9);
  c.set(kMask, 0xff);
  c.set(kTargetMcr, kMcrRun | kMcrIed);
  packet(c);
  c.set(kTargetMcr, kMcrRun | kMcrIed | kMcrSwap);
  EXPECT_TRUE(c.irq);
  EXPECT_EQ(c.get(kPackets), 1u);
  const uint32_t wrp = c.get(kWrp);
  EXPECT_EQ(wrp, 1u) << "a record";
  EXPECT_EQ(ask(c, {'P'}), std::string(1, kClear));
  EXPECT_EQ(design(c), 0u);
  EXPECT_EQ(c.get(kTargetMsr) & kExchanged, kExchanged);
  c.set(kTargetMsr, kExchanged);
  EXPECT_EQ(c.get(kTargetMsr) & kExchanged, 0u);
  EXPECT_EQ(c.get(kTargetMsr) & kMsrDone, kMsrDone) << "another bit";
  packet(c);
  EXPECT_EQ(c.get(kPackets), 0u) << "nobody hears the B-Link";
  EXPECT_EQ(load(c, c.streams[SMILE_STATIC]), std::string(1, kConfigured));
  EXPECT_FALSE(c.away());
  EXPECT_EQ(design(c), 1u);
  EXPECT_EQ(c.get(kTargetMsr) & kExchanged, kExchanged);
  EXPECT_EQ(c.get(kMbox0), 7u);
  EXPECT_TRUE(c.irq);
  EXPECT_EQ(c.get(kTargetNode), 5u);
  EXPECT_EQ(c.get(kMaxr), 9u);
  EXPECT_EQ(c.get(kMask), 0xffu);
  EXPECT_EQ(c.get(kTargetMcr), kMcrRun | kMcrIed);
  EXPECT_EQ(c.get(kWrp), wrp);
  EXPECT_EQ(c.get(kRdp), 0xfffu);
  packet(c);
  EXPECT_EQ(c.get(kPackets), 1u) << "RUN is still there";
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  EXPECT_TRUE(c.log.empty());
}

TEST(SmileDaughter, ALoadedPartTakesNothingMoreUntilProg) {
  Card c(Daughter{SMILE_DYNAMIC});
  c.set(kTargetMsr, kExchanged);
  for (size_t at = 0; at < 512; at += 256)
    EXPECT_EQ(ask(c, data(c.streams[1], at, 256)), std::string(1, kConfigured));
  EXPECT_EQ(design(c), 2u);
  EXPECT_EQ(c.get(kTargetMsr) & kExchanged, 0u);
}

TEST(SmileDaughter, DamageIsFoundWhereItIs) {
  for (const size_t bit : {41u, 45u, 5'000u, 1'000'000u, 1'924'970u}) {
    Card c(Daughter{SMILE_DYNAMIC});
    std::vector<uint8_t> image = c.streams[SMILE_STATIC];
    flip(image, bit);
    EXPECT_EQ(load(c, image), std::string(1, kWrong)) << bit;
    EXPECT_EQ(design(c), 0u);
    EXPECT_EQ(c.refusal(c.hwm->state), "legal");
    EXPECT_EQ(ask(c, {'R', 0, 0}), std::string(256, '\xff'));
    EXPECT_EQ(ask(c, {'P'}), std::string(1, kClear));
  }
}

TEST(SmileDaughter, StreamsOfOtherPartsAndOtherDesigns) {
  Card c(Daughter{SMILE_NONE});
  EXPECT_NE(load(c, design_image(SMILE_STATIC)), std::string(1, kConfigured)) << "an XC4062XLA's";
  EXPECT_EQ(design(c), 0u);
  std::vector<uint8_t> part = c.streams[1];
  part.resize(part.size() - 2);
  EXPECT_EQ(load(c, part), std::string(1, kClear)) << "the last bits are missing";
  EXPECT_EQ(ask(c, data(c.streams[1], kStreamBytes - 2, 2)), std::string(1, kConfigured));
  EXPECT_EQ(design(c), 1u);
  for (const unsigned other : {0u, 3u, 200u}) {
    EXPECT_EQ(load(c, daughter_image(other)), std::string(1, kConfigured)) << "for the part it is a design";
    EXPECT_EQ(design(c), 0u) << "for the card it is none";
    EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  }
}

TEST(SmileDaughter, ReadsBackWhatWasLoaded) {
  Card c(Daughter{SMILE_NONE});
  ASSERT_EQ(c.streams[1].size(), kStreamBytes);
  EXPECT_EQ(ask(c, {'R', 0, 0}), std::string(256, '\xff')) << "not configured";
  load(c, c.streams[SMILE_STATIC]);
  std::string back;
  for (unsigned block = 0; block < 940; ++block)
    back += ask(c, {'R', static_cast<uint8_t>(block >> 8), static_cast<uint8_t>(block)});
  for (size_t i = 0; i < kFrames * kFrameBits; ++i)
    ASSERT_EQ(back[i / 8] >> (7 - i % 8) & 1, c.streams[1][(kHeader + i) / 8] >> (7 - (kHeader + i) % 8) & 1)
        << i;
  EXPECT_EQ(back.substr(SMILE_DAUGHTER_BYTES), std::string(940 * 256 - SMILE_DAUGHTER_BYTES, '\xff'));
  EXPECT_EQ(ask(c, {'R', 0xff, 0xff}), std::string(256, '\xff'));
}

TEST(SmileDaughter, NoResetReachesIt) {
  Card c(Daughter{SMILE_DYNAMIC});
  load(c, c.streams[SMILE_STATIC]);
  c.set(kPage0, 5);
  smile_reset(&*c.hwm);
  EXPECT_EQ(design(c), 1u);
  EXPECT_EQ(c.get(kPage0), 0u) << "its registers are reset, its configuration is not";
  EXPECT_EQ(c.get(kTargetMsr) & kExchanged, 0u);
  c.set(kControl, 1u << 30);
  EXPECT_EQ(c.get(kTargetMsr), kNobody) << "the local side is held";
  EXPECT_EQ(load(c, c.streams[SMILE_DYNAMIC]), std::string(1, kConfigured));
  EXPECT_EQ(c.get(kTargetMsr), kNobody);
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  c.set(kControl, 0);
  EXPECT_EQ(design(c), 2u);
  give(c, {'D', 3, 1, 2, 3});
  smile_reset(&*c.hwm);
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 1u) << "the cable's command is where it was";
  smile_power_lost(&*c.hwm);
  EXPECT_EQ(design(c), 0u) << "and power takes it all";
  EXPECT_EQ(c.get(kTargetMcr), 0u);
  EXPECT_EQ(c.ccm(kDesign), kTargetDesign) << "the flash has the card's";
  give(c, {4});
  smile_power_lost(&*c.hwm);
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  c.run(byte_ns(600));
  EXPECT_EQ(answer(c), std::string(1, kClear)) << "the cable has power of its own";
  smile_inject(&*c.hwm, injection("inject-daughter"), SMILE_STATIC);
  smile_power_lost(&*c.hwm);
  c.run(byte_ns(kStreamBytes));
  EXPECT_EQ(design(c), 0u);
  EXPECT_EQ(c.armed, PB_NEVER);
}

TEST(SmileDaughter, TheCcmLoadsTheCardsFpgaOnly) {
  Card c(Daughter{SMILE_STATIC});
  const uint64_t takes = (kLoadClocks * 1'000'000'000 + 9'999'999) / 10'000'000;
  c.slot(0, design_image(SMILE_TARGET));
  c.slot(1, design_image(SMILE_DYNAMIC));
  c.set(kTargetNode, 3);
  c.ccm(kCommand, 1);
  EXPECT_TRUE(c.away());
  ask(c, {'S'});
  EXPECT_EQ(load(c, c.streams[SMILE_DYNAMIC]), std::string(1, kConfigured)) << "begun meanwhile";
  c.run(takes);
  EXPECT_FALSE(c.away());
  EXPECT_EQ(c.ccm(kStatus), 2u | 1u << 4);
  EXPECT_EQ(c.ccm(kDesign), kTargetDesign);
  EXPECT_EQ(design(c), 2u);
  EXPECT_EQ(c.get(kTargetNode), 0u);
  c.ccm(kCommand, 2);
  c.run(2 * takes);
  EXPECT_EQ(c.ccm(kStatus), 4u) << "a design with the F.R.L. in it is not for this card";
  EXPECT_EQ(c.ccm(kDesign), kTargetDesign);
  c.slot(0, design_image(SMILE_NONE));
  c.ccm(kCommand, 1);
  c.run(takes);
  EXPECT_EQ(c.ccm(kDesign), 0u);
  EXPECT_EQ(c.get(kTargetMsr), kNobody) << "there is no PCI_Target";
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  Card one;
  one.slot(0, design_image(SMILE_TARGET));
  one.ccm(kCommand, 1);
  one.run(2 * takes);
  EXPECT_EQ(one.ccm(kStatus), 4u) << "nor is PCI_Target alone for the other";
}

TEST(SmileDaughter, ASwapWithoutADesignIsDoneAndHasNoRecords) {
  Card c(Daughter{SMILE_NONE});
  c.set(kIntcsr, 0x900);
  c.demand();
  EXPECT_TRUE(c.irq);
  EXPECT_EQ(c.get(kTargetMsr) & kMsrDone, kMsrDone);
  EXPECT_EQ(c.get(kWrp), 0xfffu);
  c.set(kTargetMcr, 2);
  EXPECT_EQ(c.get(kTargetMsr), 16u << 16);
}

TEST(SmileDaughter, SomebodyAtTheCableLoadsAWholeDesign) {
  Card c(Daughter{SMILE_DYNAMIC});
  smile_inject(&*c.hwm, injection("inject-daughter"), SMILE_STATIC);
  EXPECT_EQ(smile_injected(&*c.hwm, injection("inject-daughter")), 0u);
  EXPECT_EQ(design(c), 0u);
  EXPECT_EQ(smile_xchecker_takes(&*c.hwm), 0u);
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  c.run(byte_ns(kStreamBytes) - 1);
  EXPECT_EQ(design(c), 0u);
  c.run(1);
  EXPECT_EQ(design(c), 1u);
  EXPECT_EQ(smile_injected(&*c.hwm, injection("inject-daughter")), 1u);
  EXPECT_EQ(ask(c, {'S'}), std::string(1, kConfigured));
  smile_inject(&*c.hwm, injection("inject-daughter"), SMILE_DYNAMIC);
  smile_inject(&*c.hwm, injection("inject-daughter"), SMILE_NONE);
  c.run(byte_ns(kStreamBytes));
  EXPECT_EQ(design(c), 0u) << "cleared for good";
  Card one;
  smile_inject(&*one.hwm, injection("inject-daughter"), SMILE_STATIC);
  one.run(byte_ns(kStreamBytes));
  EXPECT_EQ(design(one), 2u) << "there is none";
  EXPECT_EQ(one.refusal(one.hwm->state), "legal");
}

TEST(SmileDaughter, ASnapshotInTheMiddleOfALoadGoesOn) {
  Card a(Daughter{SMILE_NONE}), b(Daughter{SMILE_NONE});
  const std::vector<uint8_t>& image = a.streams[SMILE_DYNAMIC];
  load(a, {image.begin(), image.begin() + 256 * 500});
  give(a, data(image, 256 * 500, 256));
  b.now = a.now;
  b.memory = a.memory;
  b.hwm->config.daughter_memory = b.memory.data();
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(smile_load(&*b.hwm, &a.hwm->state, why, sizeof why)) << why;
  EXPECT_EQ(b.armed, a.armed);
  b.run(byte_ns(600));
  EXPECT_EQ(answer(b), std::string(1, kClear));
  std::string status;
  for (size_t at = 256 * 501; at < image.size(); at += 256)
    status = ask(b, data(image, at, std::min<size_t>(256, image.size() - at)));
  EXPECT_EQ(status, std::string(1, kConfigured));
  EXPECT_EQ(design(b), 2u);
}

TEST(SmileDaughter, StateThatItCannotBeInIsRefused) {
  Card c(Daughter{SMILE_DYNAMIC});
  static constexpr boards::DamageOf<SmileState> kDamages[] = {
      SET(daughter.count, 1u << 24),
      SET(daughter.length, 1u << 24),
      SET(daughter.phase, 7),
      SET(daughter.frame, 2714),
      {"daughter.frame=", [](SmileState& s) { s.daughter.phase = 3; }},
      {"daughter.bit=",
       [](SmileState& s) { s.daughter.phase = 3, s.daughter.frame = 2714, s.daughter.bit = 709; }},
      SET(daughter.error, 1),
      SET(daughter.startup, 5),
      {"daughter.startup=", [](SmileState& s) { s.daughter.phase = 5; }},
      SET(daughter.shift, 16),
      SET(daughter.loaded, 3),
      {"daughter.loaded=", [](SmileState& s) { s.daughter.startup = 1; }},
      SET(daughter.work, 4),
      SET(daughter.have, 259),
      {"daughter.have=", [](SmileState& s) { s.daughter.work = 1; }},
      SET(daughter.ready, 5),
      {"daughter.ready=", [](SmileState& s) { s.daughter.work = 2; }},
      SET(card.loaded, 1),
      {"target.design=", [](SmileState& s) { s.daughter.loaded = 1; }},
      SET(target.design, 4),
      SET(target.exchanged, 2),
  };
  c.expect_refused(kDamages);
  const SmileState good = c.hwm->state;
  SmileState bad = good;
  bad.daughter.have = 1;
  bad.daughter.command[0] = 'P';
  EXPECT_EQ(c.refusal(bad), "daughter.have=1: legal are 0 to 0") << "a whole command that nobody does";
  bad.daughter.command[0] = 'D';
  EXPECT_EQ(c.refusal(bad), "legal");
  bad.daughter.have = 6;
  bad.daughter.command[1] = 3;
  EXPECT_EQ(c.refusal(bad), "daughter.have=6: legal are 0 to 5");
  load(c, c.streams[SMILE_STATIC]);
  char why[PB_WHY_BYTES] = "";
  EXPECT_FALSE(smile_load(&*c.hwm, &bad, why, sizeof why));
  EXPECT_EQ(design(c), 2u) << "as at power-on";
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  Card one;
  for (void (*const damage)(SmileState&) :
       {+[](SmileState& s) { s.daughter.work = 2; }, +[](SmileState& s) { s.daughter.have = 1; },
        +[](SmileState& s) { s.daughter.phase = 1; }, +[](SmileState& s) { s.target.exchanged = 1; },
        +[](SmileState& s) { s.card.loaded = s.target.design = 3; }}) {
    SmileState other = one.hwm->state;
    damage(other);
    EXPECT_NE(one.refusal(other), "legal") << "a card without a daughter board";
  }
}

}  // namespace
}  // namespace perfboard::smile
