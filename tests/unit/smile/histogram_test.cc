// SPDX-License-Identifier: GPL-2.0-or-later
//
// smilelib's histograms, against a std::map.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "guest/smile/lib/smilelib.h"

namespace {

using Key = std::tuple<uint64_t, unsigned, unsigned>;

struct Free {
  void operator()(smile_histogram* h) const { smile_histogram_free(h); }
};
using Owned = std::unique_ptr<smile_histogram, Free>;

smile_record range_record(uint32_t address, unsigned source, unsigned destination, uint32_t count, bool ovf,
                          uint32_t why) {
  return {SMR_PUT(RECORD_KIND, SMR_RECORD_RANGE) | (ovf ? SMR_RECORD_OVF : 0) | SMR_PUT(RECORD_WHY, why) |
              address,
          SMR_PUT(RECORD_COUNT, count) | SMR_PUT(RECORD_SOURCE, source) |
              SMR_PUT(RECORD_DESTINATION, destination) | SMR_PUT(RECORD_ENTRY, 63u)};
}

std::vector<smile_cell> cells_of(const smile_histogram* h, bool hottest = false) {
  size_t n;
  smile_cell* const cells = hottest ? smile_histogram_hottest(h, &n) : smile_histogram_cells(h, &n);
  std::vector<smile_cell> copy(cells, cells + n);
  std::free(cells);
  return copy;
}

std::string text_of(const smile_histogram* h, const sci* adapter) {
  char* text = nullptr;
  size_t bytes = 0;
  FILE* const memory = open_memstream(&text, &bytes);
  EXPECT_EQ(smile_histogram_write(h, memory, adapter), 0);
  std::fclose(memory);
  std::string copy(text, bytes);
  std::free(text);
  return copy;
}

TEST(SmileHistogram, IsAMapOfWhatTheRecordsSay) {
  for (unsigned unit : {1u, 16u, 1024u, 4096u}) {
    const Owned h(smile_histogram_new(unit));
    std::map<Key, uint64_t> wanted;
    std::mt19937 random(unit);
    uint64_t total = 0, why_count[4] = {};
    for (int i = 0; i < 20000; ++i) {
      const uint32_t address = random() & SMR_RANGE_ADDRESS_MASK & (i % 3 ? 0xfffu : ~0u),
                     count = random() & 0xffff;
      const unsigned source = random() % 32, destination = random() % 32, why = random() % 3;
      const bool ovf = i % 7 == 0;
      const smile_record r = range_record(address, source, destination, ovf ? 0 : count, ovf, why);
      ASSERT_EQ(smile_histogram_add(h.get(), &r, 1), 0);
      const uint64_t value = ovf ? 65536 : count;
      if (value) wanted[{address / unit, source, destination}] += value;
      total += value;
      ++why_count[why];
    }
    EXPECT_EQ(smile_histogram_total(h.get()), total);
    EXPECT_EQ(smile_histogram_unit_words(h.get()), unit);
    for (unsigned why = 0; why < 5; ++why)
      EXPECT_EQ(smile_histogram_records(h.get(), why), why < 4 ? why_count[why] : 0);
    const std::vector<smile_cell> cells = cells_of(h.get());
    ASSERT_EQ(cells.size(), wanted.size());
    auto next = wanted.begin();
    for (const smile_cell& c : cells) {
      EXPECT_EQ((Key{c.unit, c.source, c.destination}), next->first);
      EXPECT_EQ(c.count, next->second);
      EXPECT_EQ(smile_histogram_get(h.get(), c.unit, c.source, c.destination), c.count);
      ++next;
    }
    std::vector<smile_cell> hottest = cells_of(h.get(), true);
    ASSERT_EQ(hottest.size(), wanted.size());
    EXPECT_TRUE(std::is_sorted(hottest.begin(), hottest.end(), [](const smile_cell& a, const smile_cell& b) {
      return std::tuple(b.count, Key{a.unit, a.source, a.destination}) <
             std::tuple(a.count, Key{b.unit, b.source, b.destination});
    }));
  }
}

TEST(SmileHistogram, CountsBeyond32Bits) {
  const Owned h(smile_histogram_new(SMR_PAGE_WORDS));
  const smile_record r = range_record(5000, 3, 4, 0, true, SMR_RECORD_OVERFLOW);
  for (int i = 0; i < 70000; ++i) ASSERT_EQ(smile_histogram_add(h.get(), &r, 1), 0);
  EXPECT_EQ(smile_histogram_get(h.get(), 4, 3, 4), 70000ull << 16);
}

TEST(SmileHistogram, StaticCountersAreLeftOutAndLossesAddUp) {
  const Owned h(smile_histogram_new(SMR_PAGE_WORDS));
  const smile_record records[] = {
      {SMR_PUT(RECORD_KIND, SMR_RECORD_COUNTER) | 3, 77},
      {SMR_PUT(RECORD_KIND, SMR_RECORD_LOSS), 0x12345678},
      {SMR_PUT(RECORD_KIND, SMR_RECORD_LOSS), 0xf0000000},
  };
  ASSERT_EQ(smile_histogram_add(h.get(), records, 3), 0);
  EXPECT_EQ(smile_histogram_total(h.get()), 0u);
  EXPECT_EQ(smile_histogram_lost(h.get()), 0x102345678ull);
  errno = 5;
  EXPECT_TRUE(cells_of(h.get()).empty());
  EXPECT_EQ(errno, 0);
}

TEST(SmileHistogram, ClearForgetsAll) {
  const Owned h(smile_histogram_new(1));
  for (uint32_t i = 0; i < 1000; ++i) {
    const smile_record r = range_record(i, 1, 2, 1, false, SMR_RECORD_DEMAND);
    ASSERT_EQ(smile_histogram_add(h.get(), &r, 1), 0);
  }
  smile_histogram_clear(h.get());
  EXPECT_EQ(smile_histogram_total(h.get()) + smile_histogram_records(h.get(), SMR_RECORD_DEMAND), 0u);
  const smile_cell cell{999, 1, 2, 6};
  ASSERT_EQ(smile_histogram_add_cell(h.get(), &cell), 0);
  EXPECT_EQ(smile_histogram_get(h.get(), 999, 1, 2), 6u);
  EXPECT_EQ(smile_histogram_get(h.get(), 998, 1, 2), 0u);
}

TEST(SmileHistogram, UnitsArePowersOfTwo) {
  for (unsigned unit : {0u, 3u, 1023u, 1u << 26}) {
    errno = 0;
    EXPECT_EQ(smile_histogram_new(unit), nullptr) << unit;
    EXPECT_EQ(errno, EINVAL);
  }
  smile_histogram_free(nullptr);
}

TEST(SmileHistogram, WritesCsv) {
  const Owned h(smile_histogram_new(16));
  const smile_record records[] = {
      range_record(1024 + 16, 2, 1, 7, false, SMR_RECORD_REPLACED),
      range_record(1024 + 31, 2, 1, 1, false, SMR_RECORD_DEMAND),
      range_record(3, 0, 3, 0, true, SMR_RECORD_OVERFLOW),
  };
  ASSERT_EQ(smile_histogram_add(h.get(), records, 3), 0);
  sci adapter{};
  adapter.info.nodes = 4;
  adapter.info.pages = 64;
  EXPECT_EQ(text_of(h.get(), &adapter),
            "# unit 64 bytes\n# nodes 4 pages 64\n# records replaced 1 overflow 1 demand 1 lost 0\n"
            "offset,page,source,destination,count\n0,0,0,3,65536\n4160,1,2,1,8\n");
  smile_histogram_clear(h.get());
  EXPECT_EQ(text_of(h.get(), nullptr),
            "# unit 64 bytes\n# records replaced 0 overflow 0 demand 0 lost "
            "0\noffset,page,source,destination,count\n");
}

}  // namespace
