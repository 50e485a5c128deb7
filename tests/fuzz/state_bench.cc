// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/state_bench.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace perfboard::fuzz {
namespace {

using running::in;
using Image = std::vector<uint8_t>;

// One member or so, changed as a bad disk or a bad hand would.
void damage(Image& image, std::span<const Place> places) {
  const size_t width = size_t{1} << in.below(4);
  const Place place =
      in.below(8) ? places[in.below(static_cast<uint32_t>(places.size()))] : Place{0, image.size()};
  const size_t at = place.at + in.u32() % (place.bytes / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, &image[at], width);
  switch (in.below(8)) {
    case 0:
      value ^= uint64_t{1} << in.below(static_cast<uint32_t>(8 * width));
      break;
    case 1:
      value += 1;
      break;
    case 2:
      value -= 1;
      break;
    case 3:
      value = in.u8();
      break;
    case 4:
      value = ~uint64_t{0};
      break;
    case 5:
      value = 0;
      break;
    case 6:
      std::memcpy(&value, &image[place.at + in.u32() % (place.bytes / 8) * 8], width);  // another member's
      break;
    default:
      value = in.u64();
  }
  std::memcpy(&image[at], &value, width);
}

class Snapshots {
 public:
  Snapshots() : begin_(in), board_(make_board()) { board_->set_up(); }
  void step() {
    if (in.below(16))
      board_->operate();
    else
      reload();
    if (++steps_ % 8 == 0) expect_legal();
  }
  void finish() {
    expect_legal();
    reload();
    expect_legal();
  }

 private:
  void expect_legal() {
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(board_->ok(board_->state().data(), why, sizeof why), "operations led to %s", why);
    board_->check_outside();
  }
  void reload() {
    char why[PB_WHY_BYTES] = "";
    expect_legal();
    Image image = boards::image_of(*board_);
    for (uint32_t n = in.below(4); n > 0; --n) damage(image, board_->places());
    const bool ok = board_->ok(image.data(), why, sizeof why);
    FUZZ_CHECK(ok == (why[0] == 0) && !std::strchr(why, '\n') && std::strlen(why) < sizeof why - 1, "'%s'",
               why);
    FUZZ_CHECK(board_->load(image.data(), why, sizeof why) == ok, "loading and the check differ: %s", why);
    if (!ok) expect_new();
    expect_legal();
  }
  // Another board of this configuration, which has never been anything but reset.
  void expect_new() {
    if (!new_) {
      const Input here = std::exchange(in, begin_);
      new_ = make_board();
      in = here;
    }
    new_->rig().now = board_->rig().now;
    new_->reset();
    new_->same_wires(*board_);
    const std::span<uint8_t> is = board_->state(), wanted = new_->state();
    const bool comparable = board_->clear_padding() && new_->clear_padding();
    FUZZ_CHECK(!comparable || std::memcmp(is.data(), wanted.data(), is.size()) == 0,
               "refused, and not reset: byte %td of the state",
               std::mismatch(is.begin(), is.end(), wanted.begin()).first - is.begin());
    FUZZ_CHECK(board_->rig().irq == new_->rig().irq && board_->rig().armed == new_->rig().armed,
               "refused: line %d, armed %llu", board_->rig().irq,
               static_cast<unsigned long long>(board_->rig().armed));
    board_->set_up();
  }

  const Input begin_;
  std::unique_ptr<StateBench> board_, new_;
  uint32_t steps_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace perfboard::fuzz;
  running::in = {data, size};
  Snapshots snapshots;
  for (; !running::in.empty(); ++operations) snapshots.step();
  snapshots.finish();
  return 0;
}
