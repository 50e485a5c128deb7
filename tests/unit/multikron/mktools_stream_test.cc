// SPDX-License-Identifier: GPL-2.0-or-later
// The reader of network streams: every header bit, byte order, every kind of damage, time. Any bytes at all:
// fuzz-mkstream.
#include "guest/multikron/host/mk_stream.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

std::vector<Item> read_all(const std::string& bytes, bool long_gaps = false) {
  const Folder folder;
  StreamReader reader(folder.write("stream", bytes), long_gaps);
  std::vector<Item> items;
  for (Item item; reader.next(item);) items.push_back(item);
  return items;
}

// Good samples by their user data, resets as R and r, faults by their letter.
std::string story(const std::string& bytes) {
  std::string text;
  for (const Item& item : read_all(bytes)) {
    if (item.kind == ItemKind::kSample) text += std::to_string(item.sample.data);
    if (item.kind == ItemKind::kReset) text += item.event == MK_EVENT_HARDWARE_RESET ? 'R' : 'r';
    if (item.kind == ItemKind::kFault) text += "ICPBETLSNMUO"[static_cast<unsigned>(item.fault)];
  }
  return text;
}

// Samples 1, 2 (resource) and 3 after a hardware reset: words 1-16, 17-96, 97-112.
StreamText three() {
  StreamText s;
  s.hardware_reset();
  s.sample({.stamp = 10, .data = 1});
  s.sample({.stamp = 20, .data = 2, .counters = {7}});
  s.sample({.stamp = 30, .data = 3});
  return s;
}

TEST(MkStream, EveryBitOfEveryField) {
  const auto decoded = [](const SampleSpec& spec) {
    return read_all(StreamText().sample(spec).bytes).at(0).sample;
  };
  for (unsigned cpu = 0; cpu < 8; cpu++)
    for (unsigned flags = 0; flags < 8; flags++)
      for (const bool resource : {false, true}) {
        SampleSpec spec{.cpu = cpu, .flags = flags};
        if (resource) spec.counters = {1};
        const Sample s = decoded(spec);
        EXPECT_EQ(s.header, cpu << 5 | (resource ? 3 : 2) << 3 | flags);
        EXPECT_EQ(s.cpu(), cpu);
        EXPECT_EQ(s.resource(), resource);
        EXPECT_EQ(s.fifo_overrun(), (flags & 4) != 0);
        EXPECT_EQ(s.resource_overrun(), (flags & 2) != 0);
        EXPECT_EQ(s.read_error(), (flags & 1) != 0);
      }
  for (unsigned bit = 0; bit < 40; bit++) EXPECT_EQ(decoded({.stamp = 1ull << bit}).stamp, 1ull << bit);
  for (unsigned bit = 0; bit < 32; bit++) EXPECT_EQ(decoded({.source = 1u << bit}).source, 1u << bit);
  for (unsigned bit = 0; bit < 48; bit++) EXPECT_EQ(decoded({.data = 1ull << bit}).data, 1ull << bit);
  for (unsigned n = 0; n < 16; n++)
    for (unsigned bit = 0; bit < 32; bit++) {
      SampleSpec spec{.counters = std::vector<uint32_t>(16)};
      spec.counters[n] = 1u << bit;
      const Sample s = decoded(spec);
      for (unsigned i = 0; i < 16; i++) EXPECT_EQ(s.counter[i], spec.counters[i]);
    }
}

TEST(MkStream, BytesOnTheWire) {
  // Header first, each field's high byte first: the words by hand, parity too.
  StreamText s;
  const uint8_t bytes[16] = {0xB4, 0x01, 0x23, 0x45, 0x67, 0x89, 0xDE, 0xAD,
                             0xBE, 0xEF, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5};
  const unsigned parity[16] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1};
  for (unsigned i = 0; i < 16; i++) s.word(bytes[i] | parity[i] << 8 | (i == 15 ? 0x200 : 0));
  const std::vector<Item> items = read_all(s.bytes);
  ASSERT_EQ(items.size(), 1u);
  const Sample& got = items[0].sample;
  EXPECT_EQ(got.cpu(), 5u);
  EXPECT_FALSE(got.resource());
  EXPECT_TRUE(got.fifo_overrun());
  EXPECT_EQ(got.stamp, 0x0123456789u);
  EXPECT_EQ(got.source, 0xDEADBEEFu);
  EXPECT_EQ(got.data, 0xA0A1A2A3A4A5u);
}

TEST(MkStream, OneFlippedBitAnywhereCostsAtMostTwoSamples) {
  const std::string good = three().bytes;
  for (size_t word = 1; word < 113; word++)
    for (unsigned bit = 0; bit < 16; bit++) {
      const std::string told = story(three().flip(word, 1u << bit).bytes);
      size_t samples = 0;
      for (char c : told) samples += c >= '1' && c <= '3';
      EXPECT_NE(told, "R123") << word << " " << bit;
      EXPECT_GE(samples, 1u) << word << " " << bit << " " << told;
      if (bit != 9) {
        EXPECT_EQ(samples, 2u) << word << " " << bit << " " << told;  // the end flags still stand
      }
      if (bit < 9) {
        EXPECT_EQ(told.find('P'), word < 17 ? 1u : word < 97 ? 2u : 3u) << told;
      }
    }
  EXPECT_EQ(three().flip(5, 1).flip(5, 1).bytes, good);
}

TEST(MkStream, ParityErrorIsNamed) {
  const std::vector<Item> items = read_all(three().flip(20, MK_STREAM_PARITY).bytes);
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[2].fault, Fault::kParity);
  EXPECT_EQ(items[2].byte, 40u);
  EXPECT_EQ(describe(items[2]), "element 0x0000: even parity");
  EXPECT_EQ(story(three().flip(20, 1).flip(21, 1).flip(22, 1).bytes), "R1P3");  // once for a sample
}

TEST(MkStream, Framing) {
  EXPECT_EQ(story(three().flip(16, MK_STREAM_END).bytes), "RL3");  // 1 and 2 are one
  EXPECT_EQ(story(three().flip(96, MK_STREAM_END).bytes), "R1L");
  EXPECT_EQ(story(three().erase(5).bytes), "RL23");
  EXPECT_EQ(story(three().erase(1, 15).bytes), "RT23");
  EXPECT_EQ(story(three().insert(5, mk_stream_element(0, 0)).bytes), "RL23");
  EXPECT_EQ(story(three().insert(50, mk_stream_element(0, 0)).bytes), "R1L3");
  EXPECT_EQ(story(three().insert(17, mk_stream_element(0, 1)).bytes), "R1T23");
  EXPECT_EQ(story(three().flip(30, MK_STREAM_END).bytes), "R1LT3");  // the rest as it looks
  for (const unsigned type : {0u, 1u})
    EXPECT_EQ(story(StreamText(three())
                        .raw([&] {
                          auto b = StreamText::encode({.stamp = 40, .data = 4});
                          b[0] = static_cast<uint8_t>(type << 3);
                          return b;
                        }())
                        .sample({.stamp = 50, .data = 5})
                        .bytes),
              "R123T5");
  // The other type's length.
  auto resource = StreamText::encode({.stamp = 40, .data = 4, .counters = {1}});
  resource[0] = MK_TYPE_TRACE << 3;
  EXPECT_EQ(story(StreamText(three()).raw(resource).sample({.stamp = 50, .data = 5}).bytes), "R123L5");
  auto trace = StreamText::encode({.stamp = 40, .data = 4});
  trace[0] = MK_TYPE_RESOURCE << 3;
  const auto items = read_all(StreamText(three()).raw(trace).bytes);
  EXPECT_EQ(describe(items.back()), "header 0x18: end flag at element 16, expected at 80");
  EXPECT_EQ(describe(read_all(three().flip(16, MK_STREAM_END).bytes)[1]),
            "header 0x10: no end flag at element 16");
}

TEST(MkStream, WordsOfNoKind) {
  for (unsigned bit = 10; bit < 15; bit++) EXPECT_EQ(story(three().flip(3, 1u << bit).bytes), "RB23");
  EXPECT_EQ(story(StreamText().hardware_reset().event(4).sample({.data = 1}).bytes), "RE1");
  EXPECT_EQ(story(StreamText().hardware_reset().event(0).sample({.data = 1}).bytes), "RE1");
  EXPECT_EQ(story(three().insert(5, MK_STREAM_EVENT | 9).bytes), "RB23");
  EXPECT_EQ(story(three().insert(5, MK_STREAM_EVENT | MK_STREAM_END | 1).bytes).substr(0, 2), "RB");
}

TEST(MkStream, Truncated) {
  const std::string whole = three().bytes;
  for (size_t bytes = 0; bytes <= whole.size(); bytes++) {
    const std::string told = story(whole.substr(0, bytes));
    const size_t words = bytes / 2;
    std::string expected = std::string(words > 0 ? "R" : "") + (words >= 17 ? "1" : "") +
                           (words >= 97 ? "2" : "") + (words >= 113 ? "3" : "");
    if (words > 1 && words != 17 && words != 97 && words != 113) expected += 'U';
    if (bytes % 2) expected += 'O';
    EXPECT_EQ(told, expected) << bytes;
  }
  EXPECT_EQ(describe(read_all(whole.substr(0, 12)).back()), "the stream ends after 5 elements of a sample");
  EXPECT_EQ(describe(read_all(whole + "\x12").back()), "byte 0x12: half a word at the end");
}

TEST(MkStream, ABeginWithinASampleIsNoError) {
  for (size_t cut = 1; cut < 80; cut++) {
    // All data 0xFF: what is left never looks like a sample of 16 elements, whose header 0xFF is not.
    SampleSpec spec{.stamp = kEpoch - 1,
                    .cpu = 7,
                    .source = ~0u,
                    .data = 0xFFFFFFFFFFFF,
                    .flags = 7,
                    .counters = std::vector<uint32_t>(16, ~0u)};
    const StreamText late = StreamText().sample(spec).erase(0, cut).sample({.stamp = 5, .data = 1});
    const std::vector<Item> items = read_all(late.bytes);
    ASSERT_EQ(items.size(), 2u) << cut;
    EXPECT_EQ(items[0].fault, Fault::kStartsInside);
    EXPECT_EQ(items[0].elements, 80 - cut);
    EXPECT_FALSE(is_error(items[0].fault));
    EXPECT_EQ(items[1].sample.data, 1u);
  }
  // Once only, and not with a parity error in it.
  EXPECT_EQ(story(StreamText(three()).erase(0, 5).flip(0, 1).bytes), "P23");
  EXPECT_EQ(story(three().erase(0, 100).erase(5, 7).bytes), "I");
  EXPECT_EQ(story(std::string(2 * 200, '\1')), "P");
}

TEST(MkStream, ResetsEndSamples) {
  for (size_t at = 2; at <= 112; at++) {
    if (at == 17 || at == 97) continue;
    const std::string told = story(three().insert(at, MK_STREAM_EVENT | MK_EVENT_SOFTWARE_RESET).bytes);
    EXPECT_TRUE(says(told, "Cr")) << told;
  }
  EXPECT_EQ(story(three().software_reset().sample({.stamp = 40, .data = 4}).bytes), "R123r4");
  const auto items =
      read_all(StreamText().sample({.stamp = 9}).erase(4, 12).hardware_reset().sample({.stamp = 1}).bytes);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(describe(items[0]), "a reset cut a sample off after 4 elements");
  EXPECT_EQ(items[1].run, 1u);
  EXPECT_EQ(items[2].sample.run, 1u);
}

std::vector<int64_t> times(const StreamText& s, bool long_gaps = false) {
  std::vector<int64_t> out;
  for (const Item& item : read_all(s.bytes, long_gaps))
    if (item.kind == ItemKind::kSample) out.push_back(item.sample.time);
  return out;
}

TEST(MkStream, TimeAcrossTheWrap) {
  StreamText s;
  const auto at = [&](uint64_t time) { s.sample({.stamp = time % kEpoch}); };
  const std::vector<int64_t> wanted = {kEpoch - 1, kEpoch, kEpoch + kEpoch / 2 - 1, 2 * kEpoch - 2,
                                       2 * kEpoch + 5};
  for (int64_t t : wanted) at(static_cast<uint64_t>(t));
  EXPECT_EQ(times(s), wanted);
  EXPECT_EQ(read_all(s.bytes).size(), wanted.size());  // no fault
}

TEST(MkStream, HalfAnEpochIsTheLimit) {
  const auto pair = [](uint64_t a, uint64_t b) {
    return StreamText().sample({.stamp = a}).sample({.stamp = b});
  };
  EXPECT_EQ(times(pair(0, kEpoch / 2 - 1)), (std::vector<int64_t>{0, kEpoch / 2 - 1}));
  EXPECT_EQ(times(pair(kEpoch / 2, 0)), (std::vector<int64_t>{kEpoch / 2, 0}));  // back by just half of it
  EXPECT_EQ(times(pair(kEpoch / 2 + 1, 0)), (std::vector<int64_t>{kEpoch / 2 + 1, kEpoch}));
  EXPECT_EQ(times(pair(100, 99)), (std::vector<int64_t>{100, 99}));
  EXPECT_EQ(times(pair(0, kEpoch - 1)), (std::vector<int64_t>{0, -1}));
  const auto items = read_all(pair(100, 93).bytes);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[1].fault, Fault::kBackwards);
  EXPECT_EQ(items[1].byte, 32u);
  EXPECT_EQ(describe(items[1]), "the Timestamp goes back by 7 ticks");
  EXPECT_EQ(times(pair(100, 99), true), (std::vector<int64_t>{100, kEpoch + 99}));
  EXPECT_EQ(read_all(pair(100, 99).bytes, true).size(), 2u);
}

TEST(MkStream, OnlyTheHardwareResetSetsTimeBack) {
  StreamText hard =
      StreamText().sample({.stamp = kEpoch - 1}).sample({.stamp = 5}).hardware_reset().sample({.stamp = 3});
  EXPECT_EQ(times(hard), (std::vector<int64_t>{kEpoch - 1, kEpoch + 5, 3}));
  StreamText soft =
      StreamText().sample({.stamp = kEpoch - 1}).sample({.stamp = 5}).software_reset().sample({.stamp = 7});
  EXPECT_EQ(times(soft), (std::vector<int64_t>{kEpoch - 1, kEpoch + 5, kEpoch + 7}));
  // After a hardware reset the first sample may come as late as an epoch.
  EXPECT_EQ(times(StreamText().hardware_reset().sample({.stamp = kEpoch - 9})),
            (std::vector<int64_t>{kEpoch - 9}));
}

TEST(MkStream, BlockBoundaries) {
  // Samples of both kinds over several of the reader's blocks, shifted by every parity of the block's size.
  for (unsigned shift = 0; shift < 3; shift++) {
    StreamText s;
    for (unsigned i = 0; i < shift; i++) s.software_reset();
    constexpr uint64_t kCount = 30000;
    for (uint64_t i = 0; i < kCount; i++)
      s.sample({.stamp = i, .data = i, .counters = std::vector<uint32_t>(i % 7 ? 0 : 1)});
    uint64_t next = 0;
    for (const Item& item : read_all(s.bytes))
      if (item.kind != ItemKind::kReset) {
        ASSERT_EQ(item.kind, ItemKind::kSample);
        ASSERT_EQ(item.sample.data, next++);
      }
    EXPECT_EQ(next, kCount);
  }
}

}  // namespace
}  // namespace perfboard::mk
