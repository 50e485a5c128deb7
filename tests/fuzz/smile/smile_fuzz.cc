// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SMiLE monitor against the reference (reference.h): registers, ring, interrupt, after each step. And at
// the end: events that passed the mask = records + losses + what is still in the table.
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "hw/smile/smile.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/smile/reference.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kTarget = 0x100000;
constexpr uint32_t kMsr = 0x04, kRdp = 0x14, kWrp = 0x18;
constexpr uint32_t kOthers = 0x48,
                   kEnd = 0xa20;  // registers that only change when they are written, or entries of tables
constexpr uint32_t kNobody = 0xffffffff;

class Bench : public Rig {
 public:
  explicit Bench(Input& source)
      : in(source),
        entries_(4 + in.below(in.flip() ? 61 : 5)),
        limit_(in.below(4) ? in.below(8) : in.below(4000)),
        queue_(8 * limit_ + 1),
        reference_(entries_, limit_),
        hwm_(std::make_unique<SmileHwm>()) {
    const SmileConfig config = {
        .entries = entries_,
        .queue = limit_,
        .node = 5,
        .initial = SMILE_DYNAMIC,
        .cclk = SMILE_DEFAULT_CCLK,
        .ring = ring_,
        .swap_queue = queue_.data(),
        .opaque = this,
        .wave =
            [](void*, const SciPacket*, const SmileWave* w) {
              FUZZ_CHECK(w->last <= SMILE_SWAP_ALL && w->records <= 64, "last %u, %u records", w->last,
                         w->records);
            },
    };
    char why[200];
    FUZZ_CHECK(smile_config_ok(&config, why, sizeof why), "%s", why);
    smile_init(hwm_.get(), &config, &host());
    load(in.flip() ? SMILE_STATIC : SMILE_DYNAMIC);
  }

  void step() {
    switch (in.below(16)) {
      default:
        for (unsigned n = 1 + in.below(8); n; --n) packet();
        break;
      case 8:
        pass(in.below(2000));
        break;
      case 9:
        write_any(any_register(), in.value());
        break;
      case 10:
        drain(in.below(3000));
        break;
      case 11:
        write(0x00, (in.u8() & 0x1f) | (in.below(4) ? 1 : 0));
        break;
      case 12:
        program();
        break;
      case 13:
        narrow_write();
        break;
      case 14:
        if (in.below(8) == 0) load(static_cast<enum smile_design>(in.below(3)));
        break;
      case 15:
        if (in.below(64) == 0) pass(66'000 * period());
        raise();
        break;
    }
    ++steps_;
    compare();
  }

  void finish() {
    if (!dynamic_ || unknown_) return compare_all();
    write(0x00, 5);
    while (get(kRdp) != get(kWrp)) drain(4096);
    compare_all();
    if (!unknown_)
      FUZZ_CHECK(counted_ == reference_.accepted() - accepted_before_, "%llu counted",
                 (unsigned long long)counted_);
  }

 private:
  static Bench& self(void* o) { return *static_cast<Bench*>(o); }

  uint32_t get(uint32_t offset) { return smile_read(hwm_.get(), kTarget + offset, 4); }
  // An entry of the range table is close to its overflow, where packets alone would not take it.
  void raise() {
    constexpr uint16_t kClose = 0xfffd;
    const uint32_t entry = steps_ % entries_, by = reference_.raise(entry, kClose);
    if (by) hwm_->state.target.count[entry] = kClose;
    accepted_before_ -= by;
  }
  uint64_t period() {
    return std::min<uint64_t>(hwm_->state.target.timer ? hwm_->state.target.timer : 1, 10);
  }

  void load(enum smile_design design) {
    smile_set_design(hwm_.get(), design);
    reference_.load(static_cast<Reference::Design>(design));
    forget();
    dynamic_ = design == SMILE_DYNAMIC;
    if (design == SMILE_NONE) return;
    write(0x10, 0xff);
    program();
    write(0x00, 1);
  }
  void forget() {
    counted_ = 0;
    unknown_ = false;
    accepted_before_ = reference_.accepted();
  }
  void write(uint32_t offset, uint32_t value) {
    const bool reset = offset == 0 && (value & 2);
    reference_.time(now);
    reference_.write(offset, value);
    smile_write(hwm_.get(), kTarget + offset, 4, value);
    if (reset) forget();
    check_latch();
  }
  // A read pointer that is set anywhere makes records come again, or not at all.
  void write_any(uint32_t offset, uint32_t value) {
    write(offset, value);
    if (offset == kRdp) unknown_ = true;
  }
  void narrow_write() {
    const uint32_t size = 1 + in.flip(),
                   offset = (in.flip() ? any_register() : in.below(0x1000)) / size * size;
    smile_write(hwm_.get(), kTarget + offset, size, in.u16());
  }
  uint32_t any_register() {
    static constexpr uint32_t kSome[] = {0x00, 0x04, 0x08, 0x0c, 0x10, 0x14, 0x34, 0x38, 0x3c};
    switch (in.below(6)) {
      case 0:
        return 4 * in.below(0x400);
      case 1:
        return 0x200 + 4 * in.below(32);
      case 2:
        return 0x300 + 4 * in.below(32);
      case 3:
        return 0x400 + 4 * in.below(64);
      default:
        return kSome[in.below(std::size(kSome))];
    }
  }
  // Settings with which something happens.
  void program() {
    if (dynamic_) {
      write(0x0c, in.below(4) ? in.below(40) : in.value());
      write(0x10, in.below(4) ? 0xff : in.u8());
      return;
    }
    const unsigned i = in.below(16);
    write(0x200 + 4 * i, 1u << 31 | in.below(4) << 20 | in.below(4));
    const uint32_t bottom = in.below(40), top = bottom + in.below(40);
    write(0x300 + 8 * i, 1u << 31 | (in.below(4) ? 0xff : in.u8()) << 8 | in.below(16));
    write(0x304 + 8 * i, bottom | top << 16);
    for (const uint32_t k : {0u, 4u, 8u})
      write(0x400 + 16 * in.below(16) + k, in.below(8) ? 1u << 31 | (in.flip() ? 16 : in.below(32)) : 0);
    write(0x40c + 16 * in.below(16), 1u << 31 | (in.flip() ? 0xfff0 + in.below(16) : in.u16()));
    write(0x38, in.below(16));
    write(0x3c, in.below(4) ? in.below(10) : 0);
  }

  void packet() {
    const uint32_t how = in.u8();
    uint64_t bd1 = in.below(4) | uint64_t{in.below(4)} << 32 | uint64_t{in.below(8)} << 48;
    bd1 |= uint64_t{how % 16} << 16;
    uint64_t bd2 = uint64_t{in.below(256)} << 2 | uint64_t{in.below(4)} << 12;
    if (how >= 240) {
      bd1 = in.u64();
      bd2 = in.u64();
    }
    now += 20 * in.below(4);
    const SciPacket p = {.ns = now, .known = now, .bd1 = bd1, .bd2 = bd2, .words = 2, .node = 5};
    reference_.time(now);
    reference_.packet(bd1, bd2);
    smile_packet(hwm_.get(), &p);
    FUZZ_CHECK(!reference_.condition() || hwm_->state.card.interrupt, "no interrupt after a packet");
    if (armed <= now) pass(0);
  }
  void pass(uint64_t clocks) {
    const uint64_t until = now + 20 * clocks;
    for (int turns = 0; armed <= until; ++turns) {
      FUZZ_CHECK(turns < 100'000, "the timer is to come again and again");
      now = std::max(now, armed);
      armed = PB_NEVER;
      reference_.time(now);
      smile_timer(hwm_.get());
      check_latch();
    }
    now = until;
    reference_.time(now);
  }
  void check_latch() {
    FUZZ_CHECK(!reference_.condition() || hwm_->state.card.interrupt,
               "the condition holds, and no interrupt");
    if (in.below(8) == 0) hwm_->state.card.interrupt = 0;
    get(kMsr);
    FUZZ_CHECK(!reference_.condition() || hwm_->state.card.interrupt, "cleared, and not latched again");
  }

  uint32_t ring_word(uint32_t at) const {
    const uint8_t* p = ring_ + 4 * at;
    return p[0] | p[1] << 8 | p[2] << 16 | uint32_t{p[3]} << 24;
  }
  void drain(uint32_t words) {
    if (get(kRdp) == 0xffffffff) return;
    const uint32_t rdp = get(kRdp), wrp = get(kWrp);
    words = std::min(words, (wrp - rdp) & 4095) & ~1u;
    for (uint32_t i = 1; i <= words; i += 2)
      take(ring_word((rdp + i) & 4095), ring_word((rdp + i + 1) & 4095));
    write(kRdp, (rdp + words) & 4095);
  }
  void take(uint32_t word0, uint32_t word1) {
    if (word0 >> 29 == 1) counted_ += (word1 & 0xffff) + (word0 & 1u << 28 ? 65536 : 0);
    if (word0 >> 29 == 3) unknown_ = true;  // a loss is of records: of how many events is not known
  }

  // The registers that change by themselves, and a few of the others: each has its turn. All of them after
  // each step would be most of the time.
  void compare() {
    reference_.time(now);
    for (uint32_t offset = 0; offset < kOthers; offset += 4) compare_register(offset);
    for (uint32_t n = 0; n < 8; ++n) {
      const uint32_t turn = 8 * steps_ + n;
      compare_register(kOthers + 4 * (turn % ((kEnd - kOthers) / 4)));
      compare_ring(turn % 4096);
    }
    compare_status();
  }
  void compare_all() {
    compare();
    for (uint32_t offset = kOthers; offset < kEnd; offset += 4)
      if (reference_.read(offset) != kNobody) compare_register(offset);
    for (uint32_t i = 0; i < 4096; ++i) compare_ring(i);
  }
  void compare_register(uint32_t offset) {
    if (offset == kMsr || offset == 0x44) return;
    const uint32_t got = get(offset), wanted = reference_.read(offset);
    FUZZ_CHECK(got == wanted, "offset %x: %x, reference %x", offset, got, wanted);
  }
  void compare_status() {
    const uint32_t got = get(kMsr);
    if (got == kNobody) return;
    FUZZ_CHECK((got & 0x7003) == reference_.status(), "MSR %x, reference %x", got, reference_.status());
    FUZZ_CHECK(got >> 16 == entries_, "MSR %x", got);
  }
  void compare_ring(uint32_t i) {
    FUZZ_CHECK(ring_word(i) == reference_.ring(i), "ring word %u: %x, reference %x", i, ring_word(i),
               reference_.ring(i));
  }

  Input& in;
  const uint32_t entries_, limit_;
  std::vector<uint8_t> queue_;
  uint8_t ring_[4 * 4096] = {};
  Reference reference_;
  std::unique_ptr<SmileHwm> hwm_;
  bool dynamic_ = true, unknown_ = false;
  uint64_t counted_ = 0, accepted_before_ = 0;
  uint32_t steps_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
