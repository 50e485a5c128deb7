// SPDX-License-Identifier: GPL-2.0-or-later
//
// The board as log, coverage and patterns see it is the board: each register is at its place and does what
// its table says, a peek is what a read would give, and each row of the lists of mistakes and effects can be
// met.
#include "hw/model/view.h"

#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "tests/unit/boards/board.h"

namespace perfboard::boards {
namespace {

struct Found {
  unsigned window;
  uint64_t offset;
  Place place;
};

// Every word at which a register is.
std::vector<Found> all_places(const BoardView& view, OnBench& bench) {
  std::vector<Found> all;
  for (unsigned window = 0; window < view.windows.size(); ++window)
    for (uint64_t offset = 0; offset < view.windows[window].bytes; offset += 4) {
      const Place place = view.place(bench.model(), window, offset);
      if (place.reg) all.push_back({window, offset, place});
    }
  return all;
}

std::set<int> numbers(uint32_t n) {
  std::set<int> all;
  for (uint32_t i = 0; i < n; ++i) all.insert(static_cast<int>(i));
  return n ? all : std::set<int>{-1};
}

TEST_P(EveryBoard, NamesWhatIsThere) { EXPECT_EQ(view_error(view), ""); }

TEST_P(EveryBoard, EveryRegisterHasItsPlace) {
  for (unsigned variant = 0; variant < board.variants; ++variant) {
    const auto bench = board.make(variant);
    std::map<const Register*, std::map<int, std::set<int>>> found;
    for (const auto& [window, offset, first] : all_places(view, *bench)) {
      found[first.reg][first.unit].insert(first.index);
      for (unsigned i = 0; i < 4; ++i) {
        const Place place = view.place(bench->model(), window, offset + i);
        EXPECT_EQ(place.byte, view.windows[window].big ? 3 - i : i) << first.reg->name;
        EXPECT_TRUE(place.reg == first.reg && place.index == first.index && place.unit == first.unit)
            << first.reg->name;
      }
    }
    size_t registers = 0;
    for (const std::span<const Register> table : view.tables)
      for (const Register& r : table) {
        ++registers;
        std::map<int, std::set<int>> wanted;
        for (const int unit : numbers(bench->units(r))) wanted[unit] = numbers(bench->entries(r));
        EXPECT_TRUE(found[&r] == wanted) << r.name;
        EXPECT_LE(bench->entries(r), entries_of(view, r)) << r.name;
      }
    EXPECT_EQ(found.size(), registers) << "registers of no table";
    for (unsigned window = 0; window < view.windows.size(); ++window)
      EXPECT_FALSE(view.place(bench->model(), window, view.windows[window].bytes).reg)
          << view.windows[window].name;
    EXPECT_FALSE(view.place(bench->model(), static_cast<unsigned>(view.windows.size()), 0).reg);
    EXPECT_FALSE(view.peek(bench->model(), 0, Place{}));
  }
}

// Of an array the first ones and the last.
std::vector<Found> some_places(const BoardView& view, OnBench& bench) {
  std::map<std::pair<const Register*, int>, unsigned> seen;
  std::vector<Found> some;
  for (const Found& f : all_places(view, bench)) {
    const bool last = f.place.index + 1 == static_cast<int>(bench.entries(*f.place.reg));
    if (++seen[{f.place.reg, f.place.unit}] <= 4 || last) some.push_back(f);
  }
  return some;
}

bool only_written(const Register& r) {
  return std::all_of(r.fields.begin(), r.fields.end(), [](const Field& f) { return f.access == Access::wo; });
}

TEST_P(EveryBoard, PeekIsWhatAReadGivesAndChangesNothing) {
  std::set<std::string_view> readable, compared;
  for (unsigned variant = 0; variant < board.variants; ++variant) {
    const auto bench = board.make(variant);
    std::mt19937 random(11 + variant);
    const std::vector<Found> places = some_places(view, *bench);
    std::vector<uint8_t> before = image_of(*bench);  // megabytes: not a new one in each round
    for (int round = 0; round < 4000; ++round) {
      bench->act(random);
      const auto& [window, offset, place] = places[random() % places.size()];
      std::memcpy(before.data(), bench->state().data(), before.size());
      const size_t effects = bench->rig().effects.size();
      const std::optional<uint32_t> peeked = view.peek(bench->model(), bench->rig().now, place);
      ASSERT_EQ(std::memcmp(before.data(), bench->state().data(), before.size()), 0)
          << place.reg->name << " is changed";
      ASSERT_EQ(bench->rig().effects.size(), effects) << place.reg->name;
      EXPECT_TRUE(peeked || !place.reg->readable()) << place.reg->name;
      EXPECT_FALSE(peeked && only_written(*place.reg)) << place.reg->name;
      if (!peeked) continue;
      readable.insert(place.reg->name);
      const std::optional<uint32_t> read = bench->read(window, offset);
      if (!read) continue;
      compared.insert(place.reg->name);
      ASSERT_EQ(*peeked & place.reg->readable(), *read)
          << place.reg->name << " " << place.index << ", round " << round;
    }
  }
  EXPECT_EQ(compared, readable);
}

bool named(const std::vector<std::string_view>& list, const Register& r) {
  return std::find(list.begin(), list.end(), r.name) != list.end();
}
bool acts(const Board& board, const Register& r, bool written) {
  return named(board.registers->acting, r) || (written && named(board.registers->writes_act, r));
}
// Of registers that do what their table says, when they are read or also when they are written: of each unit
// the first two and the last.
std::vector<Found> plain_places(const Board& board, OnBench& bench, bool written) {
  std::map<std::pair<const Register*, int>, unsigned> seen;
  std::vector<Found> plain;
  for (const Found& f : all_places(board.view, bench)) {
    const Register& r = *f.place.reg;
    if (acts(board, r, written)) continue;
    const bool last = f.place.index >= 0 && f.place.index + 1 == static_cast<int>(bench.entries(r));
    if ((++seen[{&r, f.place.unit}] <= 2 || last) && bench.read(f.window, f.offset)) plain.push_back(f);
  }
  return plain;
}

TEST_P(EveryBoard, RegistersAreAtFirstAsTheirTableSays) {
  for (unsigned variant = 0; board.registers && variant < board.variants; ++variant) {
    const auto bench = board.make(variant);
    bench->power_up();
    const std::vector<Found> places = plain_places(board, *bench, false);
    ASSERT_FALSE(places.empty());
    for (const auto& [window, offset, place] : places) {
      if (named(board.registers->configured, *place.reg)) continue;
      EXPECT_EQ(bench->read(window, offset), place.reg->reset()) << place.reg->name << " " << variant;
    }
  }
}

// Each bit, each width and lane; none is another register as well, and at all its places it is the same.
TEST_P(EveryBoard, RegistersKeepWhatTheirTableSays) {
  for (unsigned variant = 0; board.registers && variant < board.variants; ++variant) {
    const auto bench = board.make(variant);
    bench->power_up();
    const std::vector<Found> places = plain_places(board, *bench, true);
    ASSERT_FALSE(places.empty());
    for (const auto& [window, offset, place] : places) {
      const Register& r = *place.reg;
      const uint32_t before = bench->read(window, offset).value(), rw = r.mask(Access::rw),
                     fixed = before & ~rw;
      for (const unsigned bytes : {1u, 2u, 4u})
        for (unsigned lane = 0; lane < 4; lane += bytes) {
          const uint32_t all = UINT32_MAX >> (32 - 8 * bytes), touched = all << 8 * lane;
          bench->write_lanes(window, offset, 0, 4);
          EXPECT_EQ(bench->read(window, offset), fixed) << r.name;
          bench->write_lanes(window, offset + lane, all, bytes);
          const uint32_t now = bench->read(window, offset).value();
          EXPECT_EQ(now, fixed | (bytes < r.min_write_bytes ? 0 : rw & touched)) << r.name << " " << bytes;
          if (const auto read = bench->read_lanes(window, offset + lane, bytes)) {
            EXPECT_EQ(*read, (now & touched) >> 8 * lane) << r.name;
          }
        }
      for (unsigned bit = 0; bit < 32; ++bit) {
        bench->write_lanes(window, offset, 1u << bit, 4);
        EXPECT_EQ(bench->read(window, offset), fixed | (rw & 1u << bit)) << r.name << " bit " << bit;
      }
      bench->write_lanes(window, offset, before, 4);
      EXPECT_EQ(bench->read(window, offset), before) << r.name;
    }
    const auto pattern = [](const Place& p) {
      const size_t name = std::hash<std::string_view>()(p.reg->name);
      return static_cast<uint32_t>(name + 0x9e3779b1u * static_cast<uint32_t>(p.index + 64 * p.unit));
    };
    std::set<std::tuple<const Register*, int, int>> written;
    for (const auto& [window, offset, place] : places)
      if (written.insert({place.reg, place.index, place.unit}).second)
        bench->write_lanes(window, offset, pattern(place), 4);
    for (const auto& [window, offset, place] : places) {
      const uint32_t other = bench->read(window, offset).value() ^ pattern(place);
      EXPECT_EQ(other & place.reg->mask(Access::rw), 0u) << place.reg->name << " " << place.index;
    }
  }
}

// The first register is at the lower address: in a big-endian window that is the upper half.
TEST_P(EveryBoard, SixtyFourBitsAreTwoRegisters) {
  for (unsigned variant = 0; board.registers && board.registers->wide && variant < board.variants;
       ++variant) {
    const auto bench = board.make(variant);
    bench->power_up();
    unsigned pairs = 0;
    for (const auto& [window, offset, place] : plain_places(board, *bench, true)) {
      const AccessRequest asked = {.first = offset, .bytes = 8, .vcpu = 0};
      const Place second = place_of(view, bench->model(), window, offset + 4, asked);
      if (offset % 8 || (second.reg ? acts(board, *second.reg, true) : !second.filler)) continue;
      ++pairs;
      const unsigned up = view.windows[window].big ? 0 : 32;  // where the second one is
      const uint64_t rw = uint64_t{place.reg->mask(Access::rw)} << (32 - up) |
                          uint64_t{second.reg ? second.reg->mask(Access::rw) : 0} << up;
      const uint64_t before = bench->read_lanes(window, offset, 8).value();
      for (const uint64_t value : {uint64_t{0x0123'4567'89ab'cdef}, UINT64_MAX, uint64_t{0}}) {
        const uint64_t fresh = (before & ~rw) | (value & rw);
        bench->write_lanes(window, offset, value, 8);
        EXPECT_EQ(bench->read_lanes(window, offset, 8), fresh) << place.reg->name;
        EXPECT_EQ(bench->read(window, offset), static_cast<uint32_t>(fresh >> (32 - up))) << place.reg->name;
      }
      bench->write_lanes(window, offset, before, 8);
    }
    EXPECT_GT(pairs, 0u);
  }
}

TEST_P(EveryBoard, WhereNoRegisterIsNothingHappens) {
  for (unsigned variant = 0; board.registers && board.registers->wide && variant < board.variants;
       ++variant) {
    const auto bench = board.make(variant);
    bench->power_up();
    plain_places(board, *bench, false);  // it has been accessed
    const std::vector<uint8_t> before = image_of(*bench);
    const auto changed = [&] {
      return std::memcmp(before.data(), bench->state().data(), before.size()) != 0;
    };
    Rig& rig = bench->rig();
    for (unsigned window = 0; window < view.windows.size(); ++window)
      for (uint64_t offset = 0; offset < view.windows[window].bytes; offset += 4) {
        if (place_of(view, bench->model(), window, offset, {.first = offset, .bytes = 4, .vcpu = 0}).reg)
          continue;
        const std::optional<uint64_t> read = bench->read_lanes(window, offset, 4);
        if (board.registers->idle) {
          ASSERT_EQ(read, board.registers->idle) << window << " " << offset;
        }
        rig.mistakes.clear();
        bench->write_lanes(window, offset, UINT32_MAX, 4);
        ASSERT_EQ(rig.mistakes.size(), 1u) << window << " " << offset;
        rig.log.clear();
        if (offset % 4096 == 0) {
          ASSERT_FALSE(changed()) << window << " " << offset;
        }
      }
    EXPECT_FALSE(changed());
  }
}

std::set<unsigned> made(const Board& board, const Way& way) {
  const auto bench = board.make(way.variant);
  bench->rig().mistakes.clear();
  bench->rig().log.clear();
  way.go(*bench);
  EXPECT_EQ(bench->rig().log.empty(), bench->rig().mistakes.empty());
  return {bench->rig().mistakes.begin(), bench->rig().mistakes.end()};
}

TEST_P(EveryBoard, EveryMistakeCanBeMade) {
  std::set<unsigned> all;
  for (const Way& way : board.mistakes) {
    EXPECT_EQ(made(board, way), std::set<unsigned>{way.number})
        << view.mistakes[way.number].name << " " << way.what;
    all.insert(way.number);
  }
  for (unsigned i = 0; i < view.mistakes.size(); ++i)
    EXPECT_TRUE(all.contains(i)) << "nobody makes " << view.mistakes[i].name;
}

TEST_P(EveryBoard, WhatTheManualAllowsIsNoMistake) {
  for (const Way& way : board.allowed) EXPECT_EQ(made(board, way), std::set<unsigned>{}) << way.what;
}

TEST_P(EveryBoard, EveryEffectIsToldOf) {
  std::set<unsigned> told;
  for (const Way& way : board.effects) {
    const auto bench = board.make(way.variant);
    for (const auto& [number, value] : bench->rig().effects) told.insert(number);  // while it was made
    bench->rig().on_effect = [&](unsigned number, uint64_t) { told.insert(number); };
    way.go(*bench);
  }
  for (unsigned i = 0; i < view.effects.size(); ++i)
    EXPECT_TRUE(told.contains(i)) << "nobody has seen " << view.effects[i].name;
}

}  // namespace
}  // namespace perfboard::boards
