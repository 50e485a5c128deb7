// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ring, pointers, swap queue, losses, interrupt.
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kFits = 2047;  // records: 4095 words, of which a record takes two

// Each packet but the first four is a record of kind range: region n comes n-th.
class Source {
 public:
  explicit Source(Bench& bench) : b(bench) {
    for (int i = 0; i < 4; ++i) b.send(write(1, 2, 0xffff, 16u * i));
  }
  void make(uint32_t records) {
    for (; records; --records, ++next_) b.send(write(next_ & 31, 2, next_ >> 5 & 0xffff, next_ >> 21));
  }

 private:
  Bench& b;
  uint32_t next_ = 0;
};
constexpr Bench::Options with_queue(uint32_t records) {
  return {.entries = 4, .queue = records, .wave = false};
}

// --- pointers -----------------------------------------------------------------------

TEST(SmilePointers, ARecordIsTwoWordsFromWordZeroOn) {
  Bench b(with_queue(0));
  Source(b).make(1);
  EXPECT_EQ(b.get(reg::kWrp), 1u);
  EXPECT_EQ(b.get(reg::kAux), 2u);
  EXPECT_EQ(b.get(reg::kRdp), 0xfffu);
  EXPECT_EQ(b.ring_word(0), 1u << 29 | 0xffffu << 10);
  EXPECT_EQ(b.ring_word(1), 2u << 21 | 1u << 16 | 1);
  EXPECT_EQ(b.ring_word(2), 0u);
}

// AUX is always WRP + 1, around the end, too.
TEST(SmilePointers, WrapAtTheEnd) {
  for (const uint32_t start : {0xffbu, 0xffcu, 0xffdu, 0xffeu, 0xfffu, 0u}) {
    Bench b(with_queue(0));
    Source source(b);
    b.target().wrp = b.target().rdp = static_cast<uint16_t>(start);
    for (uint32_t i = 1; i <= 3; ++i) {
      source.make(1);
      EXPECT_EQ(b.get(reg::kWrp), (start + 2 * i) & 0xfff);
      EXPECT_EQ(b.get(reg::kAux), (start + 2 * i + 1) & 0xfff);
    }
    const std::vector<Record> records = b.records();
    ASSERT_EQ(records.size(), 3u);
    for (const Record& r : records) EXPECT_TRUE(r.kind() == kRangeKind && r.count() == 1);
    EXPECT_EQ(b.get(reg::kRdp), b.get(reg::kWrp));
  }
}

// Full when AUX = RDP, wherever they meet.
TEST(SmilePointers, FullWhenAuxReachesRdp) {
  Bench b({.queue = 0, .wave = false});
  for (const uint32_t wrp : {0u, 1u, 2046u, 0xffeu, 0xfffu}) {
    b.target().wrp = static_cast<uint16_t>(wrp);
    for (uint32_t rdp = 0; rdp < 4096; ++rdp) {
      b.set(reg::kRdp, rdp);
      ASSERT_EQ(b.get(reg::kRdp), rdp);
      ASSERT_EQ((b.get(reg::kMsr) & msr::kFull) != 0, rdp == ((wrp + 1) & 0xfff)) << wrp << ' ' << rdp;
    }
  }
}

// --- the swap queue -----------------------------------------------------------------

TEST(SmileQueue, TakesWhatDoesNotFitAndMovesOnInOrder) {
  Bench b(with_queue(1000));
  Source source(b);
  source.make(kFits);
  EXPECT_EQ(b.get(reg::kWrp), 0xffdu);
  EXPECT_EQ(b.get(reg::kQueue), 0u);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull) << "a word is free";
  source.make(1);
  EXPECT_EQ(b.get(reg::kQueue), 1u);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kFull) << "a record waits";
  source.make(999);
  EXPECT_EQ(b.get(reg::kQueue), 1000u);
  EXPECT_EQ(b.get(reg::kLostN), 0u);
  b.set(reg::kRdp, 0);  // one word was read: a record has room
  EXPECT_EQ(b.get(reg::kQueue), 999u);
  EXPECT_EQ(b.get(reg::kWrp), 0xfffu);
  b.set(reg::kRdp, 10);
  EXPECT_EQ(b.get(reg::kQueue), 994u);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kFull);
}

// --- losses -------------------------------------------------------------------------

void expect_loss(uint32_t queue) {
  Bench b(with_queue(queue));
  Source source(b);
  source.make(kFits + queue);
  EXPECT_EQ(b.get(reg::kLostN), 0u);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kLost);
  source.make(5);
  EXPECT_EQ(b.get(reg::kLostN), 5u);
  EXPECT_EQ(b.get(reg::kQueue), queue);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kLost);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kFull) << "a loss is still to be told of";
  b.set(reg::kMsr, msr::kDone);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kLost);
  b.set(reg::kMsr, msr::kLost);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kLost);

  std::vector<Record> all = b.drain();
  source.make(3);
  for (const Record& r : b.drain()) all.push_back(r);
  ASSERT_EQ(all.size(), kFits + queue + 1 + 3);
  for (uint32_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].kind(), i == kFits + queue ? unsigned{kLossKind} : unsigned{kRangeKind}) << i;
  EXPECT_EQ(all[kFits + queue].word0, 3u << 29);
  EXPECT_EQ(all[kFits + queue].word1, 5u);
  EXPECT_EQ(b.get(reg::kLostN), 5u) << "since RESET";
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull);

  source.make(kFits + queue + 2);
  EXPECT_EQ(b.get(reg::kLostN), 7u);
  all = b.drain();
  EXPECT_EQ(all.back().kind(), unsigned{kLossKind});
  EXPECT_EQ(all.back().word1, 2u) << "those that were not told of";
}
TEST(SmileLoss, WithAQueue) { expect_loss(10); }
TEST(SmileLoss, WithoutAQueue) { expect_loss(0); }

TEST(SmileLoss, TheCountSticks) {
  Bench b(with_queue(0));
  Source source(b);
  source.make(kFits + 1);
  b.target().lost = b.target().lost_untold = 0xfffffffe;
  source.make(3);
  EXPECT_EQ(b.get(reg::kLostN), 0xffffffffu);
  EXPECT_EQ(b.drain().back().word1, 0xffffffffu);
}

// --- the interrupt ------------------------------------------------------------------

TEST(SmileInterrupt, WhenTheRingIsFullIfEnabled) {
  for (const bool enabled : {false, true}) {
    Bench b(with_queue(10));
    b.set(reg::kMcr, mcr::kRun | (enabled ? mcr::kIef : 0));
    Source source(b);
    source.make(kFits);
    EXPECT_FALSE(b.interrupt());
    EXPECT_EQ(b.armed, PB_NEVER);
    const uint64_t when = b.now;
    source.make(1);
    EXPECT_EQ(b.interrupt(), enabled);
    // A packet comes without the big lock: the timer drives the line.
    EXPECT_EQ(b.armed, enabled ? when : PB_NEVER);
    if (!enabled) continue;
    const int arms = b.arms;
    source.make(1);
    EXPECT_EQ(b.arms, arms) << "once is enough";
    b.run_until(b.now);
    EXPECT_EQ(b.armed, PB_NEVER);
    b.clear_interrupt();
    b.get(reg::kMsr);
    EXPECT_TRUE(b.interrupt()) << "the condition still holds";
    b.drain();
    b.clear_interrupt();
    b.get(reg::kMsr);
    EXPECT_FALSE(b.interrupt());
    source.make(1);
    EXPECT_EQ(b.armed, PB_NEVER) << "nothing to drive";
  }
}

TEST(SmileInterrupt, WhenAuxIsRdp) {
  Bench b(with_queue(10));
  b.set(reg::kRdp, 0);
  b.set(reg::kMcr, mcr::kRun | mcr::kIed);
  EXPECT_FALSE(b.interrupt()) << "another reason";
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  EXPECT_TRUE(b.interrupt()) << "it is full already";
}

TEST(SmileInterrupt, WhenADemandIsDoneIfEnabled) {
  Bench b;
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  EXPECT_FALSE(b.interrupt());
  b.set(reg::kMsr, msr::kDone);
  b.set(reg::kMcr, mcr::kRun | mcr::kIed);
  EXPECT_FALSE(b.interrupt());
  b.set(reg::kMcr, mcr::kRun | mcr::kIed | mcr::kSwap);
  EXPECT_TRUE(b.interrupt());
  b.set(reg::kMsr, msr::kDone);
  b.clear_interrupt();
  b.get(reg::kMsr);
  EXPECT_FALSE(b.interrupt());
}

// Each way that a packet takes through the model asks for the timer.
TEST(SmileInterrupt, WithWaveformsAndFromTheStaticPart) {
  for (const bool fixed : {false, true}) {
    Bench b({.queue = 10, .design = fixed ? SMILE_STATIC : SMILE_DYNAMIC});
    b.set(reg::kMcr, mcr::kRun | mcr::kIef);
    b.target().wrp = 1;
    b.set(reg::kRdp, 3);  // a word is free
    if (fixed) {
      b.page(0, 2, 9);
      b.event(0, 0, mask::kAll, 0, 1023);
      b.counter(0, Bench::kNoEvent, Bench::kNoEvent, 0);
      b.activate(0, 0xffff);
    } else {
      b.send(write(1, 2, 9, 9));
      b.target().count[0] = 0xffff;
    }
    EXPECT_EQ(b.armed, PB_NEVER);
    const uint64_t when = b.now;
    b.send(write(1, 2, 9, 9));
    EXPECT_TRUE(b.interrupt());
    EXPECT_EQ(b.armed, when);
  }
}

TEST(SmileInterrupt, AnOverflowByTheTimerFillsTheRing) {
  Bench b({.queue = 10, .design = SMILE_STATIC});
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  b.target().wrp = 1;
  b.set(reg::kRdp, 3);  // a word is free
  b.counter(0, Bench::kNoEvent, Bench::kNoEvent, 16);
  b.activate(0, 0xffff);
  b.set(reg::kTimer, 10);
  const uint64_t due = b.now + 10 * kClock;
  EXPECT_EQ(b.armed, due);
  b.run_until(due - 1);
  EXPECT_FALSE(b.interrupt());
  b.run_until(due);
  EXPECT_TRUE(b.interrupt());
}

}  // namespace
}  // namespace perfboard::smile
