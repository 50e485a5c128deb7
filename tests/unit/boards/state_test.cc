// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: one is taken as it was saved; a damaged one is refused, with the member, its value and what is
// legal, and leaves a board that was reset and works. Errors on purpose are in it, and no reset ends them.
// With sanitizers this also shows that nothing is touched outside of buffers.
#include <cstring>
#include <set>

#include "tests/unit/boards/board.h"

namespace perfboard::boards {
namespace {

using Image = std::vector<uint8_t>;

bool named(const std::vector<std::string_view>& list, const Member& member) {
  return std::find(list.begin(), list.end(), member.plain) != list.end();
}

// The first saved member in which two states differ, and its part of a list; "": they are alike.
std::string difference(const Members& members, const Image& a, const Image& b,
                       const std::vector<std::string_view>& but = {}) {
  if (a == b) return "";
  for (const Member& m : members)
    if (!named(but, m) && std::memcmp(&a[m.at], &b[m.at], m.bytes * m.count) != 0) return m.name;
  return "";
}

class Saved {
 public:
  Saved(const Board& board, unsigned variant, bool busy) : board_(board), bench_(board.make(variant)) {
    if (busy) bench_->make_busy();
    bench_->save();
    image_ = image_of(*bench_);
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(bench_->ok(image_.data(), why, sizeof why)) << why;
  }
  OnBench& bench() { return *bench_; }
  const Image& image() const { return image_; }

  // What is said of it; "": it is taken, and what is in the board then is legal.
  std::string load(const Image& image) {
    char why[PB_WHY_BYTES] = "", again[PB_WHY_BYTES] = "";
    const bool ok = bench_->ok(image.data(), why, sizeof why);
    EXPECT_EQ(bench_->load(image.data(), again, sizeof again), ok) << why;
    EXPECT_EQ(std::string(why), std::string(ok ? "" : again));
    EXPECT_EQ(ok, why[0] == 0);
    if (!ok) expect_reset();
    EXPECT_TRUE(bench_->ok(bench_->state().data(), again, sizeof again)) << "loaded: " << again;
    return why;
  }

 private:
  void expect_reset() {
    EXPECT_FALSE(bench_->rig().irq);
    EXPECT_EQ(bench_->rig().armed, PB_NEVER);
    const Image left = image_of(*bench_);
    bench_->reset();
    EXPECT_EQ(difference(board_.members, left, image_of(*bench_), board_.remade), "")
        << "refused, and not reset";
  }
  const Board& board_;
  std::unique_ptr<OnBench> bench_;
  Image image_;
};

TEST_P(EveryBoard, SnapshotIsTakenAsItWasSaved) {
  for (unsigned variant = 0; variant < board.variants; ++variant)
    for (const bool busy : {false, true}) {
      Saved first(board, variant, busy), second(board, variant, !busy);
      second.bench().rig().now = first.bench().rig().now;
      EXPECT_EQ(second.load(first.image()), "");
      second.bench().save();
      EXPECT_EQ(difference(board.members, image_of(second.bench()), first.image(), board.remade), "")
          << "variant " << variant;
    }
}

TEST_P(EveryBoard, DamagedSnapshotIsRefusedAndLeavesABoardThatWorks) {
  for (const auto& [line, variant, make] : board.damages) {
    Saved saved(board, variant, true);
    Image image = saved.image();
    make(image.data());
    const std::string why = saved.load(image);
    EXPECT_EQ(why.rfind(line, 0), 0u) << line << " is said to be: " << why;
    EXPECT_NE(why.find('='), why.npos) << why;
    saved.bench().lives_on();
    if (HasFailure()) ADD_FAILURE() << "the first row that is wrong: " << line;
    ASSERT_FALSE(HasFailure());
  }
}

// Each member of the list that the state is made of, at its bounds and beyond.
TEST_P(EveryBoard, EachMemberIsCheckedOrFree) {
  std::set<std::string> refused;
  for (unsigned variant = 0; variant < board.variants; ++variant)
    for (const bool busy : {false, true}) {
      Saved saved(board, variant, busy);
      Image image = saved.image();
      for (const Member& m : board.members) {
        bool loaded[2] = {};  // one that is taken, one that is refused: loading takes its time
        for (size_t index = 0; m.edge && index < m.count; index += std::max<size_t>(1, m.count - 1)) {
          uint8_t* const at = &image[m.at + index * m.bytes];
          uint64_t value = 0;
          std::memcpy(&value, at, m.bytes);
          for (const uint64_t damaged :
               {uint64_t{0}, UINT64_MAX, value + 1, value ^ uint64_t{1} << (8 * m.bytes - 1)}) {
            std::memcpy(at, &damaged, m.bytes);
            char why[PB_WHY_BYTES] = "";
            const bool ok = saved.bench().ok(image.data(), why, sizeof why);
            if (!loaded[ok]) saved.load(image);
            loaded[ok] = true;
            if (ok) continue;
            refused.insert(m.plain);
            EXPECT_FALSE(named(board.free, m)) << m.name << " is said to be free: " << why;
          }
          std::memcpy(at, &value, m.bytes);
        }
        if (HasFailure()) ADD_FAILURE() << "the first member that is wrong: " << m.name;
        ASSERT_FALSE(HasFailure());
      }
    }
  for (const Member& m : board.members) {
    if (m.any || refused.contains(m.plain) || named(board.free, m)) continue;
    const bool row = std::any_of(board.damages.begin(), board.damages.end(),
                                 [&](const Damage& d) { return d.line.starts_with(m.plain); });
    EXPECT_TRUE(row && named(board.by_rows, m)) << m.name << " is not checked";
  }
}

TEST_P(EveryBoard, ErrorsOnPurposeOutliveResetsAndSnapshots) {
  const auto own = [&](std::string_view property) {
    return property != "inject-gone" && property != "inject-irq";
  };
  for (unsigned number = 0; number < view.injections.size() && own(view.injections[number].name); ++number) {
    if (std::find(board.at_once.begin(), board.at_once.end(), number) != board.at_once.end()) continue;
    const std::string name(view.injections[number].name);
    const auto bench = board.make(0), other = board.make(0);
    const uint64_t value = std::min<uint64_t>(view.injections[number].values.most, 3);
    const auto left = [&](OnBench& b) { return view.injected(b.model(), number); };
    EXPECT_EQ(left(*bench), 0u) << name;
    view.inject(bench->model(), number, value);
    EXPECT_EQ(left(*bench), value) << name;
    bench->guest_reset();
    EXPECT_EQ(left(*bench), value) << name << ": a reset has ended it";
    bench->save();
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(other->load(bench->state().data(), why, sizeof why)) << why;
    EXPECT_EQ(left(*other), value) << name << " is in no snapshot";
    view.inject(bench->model(), number, 0);
    EXPECT_EQ(left(*bench), 0u) << name;
  }
}

}  // namespace
}  // namespace perfboard::boards
