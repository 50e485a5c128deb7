// SPDX-License-Identifier: GPL-2.0-or-later
//
// The MULTIKRON model alone: accesses of any kind through every window by eight processors, held when the
// chip holds them, edges, pins, time, the timer early and late, resets, snapshots, test mode.
//
// Every sample that was taken comes out once, in order, whole, with its data, source and time, unless a
// reset or a shift-out took it; every trigger that passes the filter is a sample, an overrun or a delay; the
// wait counter grows by the cycles that somebody was held; nothing leaves at more than the network's rate
// or ahead of time; resource counters never fall, and read in two halves are right or said to be wrong; a
// delay that was told ends when it was told.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "hw/multikron/multikron.h"
#include "hw/multikron/stream.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

constexpr uint32_t kCsr = 1, kTimestamp = 2, kFilter = 4, kWait = 5, kOverrun = 6, kTest = 14, kSource = 16,
                   kCounter = 32, kTrace = 96, kResource = 112;

struct Expected {
  uint64_t data, time;
  uint32_t source;
  unsigned line, flags;
  bool resource;
};

class Bench : public Rig {
 public:
  explicit Bench(Input& source) : in(source) {
    constexpr uint32_t kNode[] = {50'000'000, 33'333'333, 1'000'000'000, 1'000'003};
    config_ = {
        .node_hz = kNode[in.below(4)],
        .fifo_depth = 1 + in.below(in.flip() ? 8 : 64),
        .wait_states = in.below(4),
        .free = static_cast<enum mk_free>(in.below(3)),
        .free_bytes = 1 + in.below(200),
        .drain_hz = in.flip() ? in.below(4) * 5'000'000 : in.u32(),
        .lines = 8,
        .opaque = this,
        .network = [](void* o, const uint16_t* w, size_t n) { self(o).take(w, n); },
        .external = [](void* o, unsigned pin) { return self(o).total_[pin]; },
        .watch = [](void* o, uint16_t pins) { self(o).watched_ = pins; },
        .release_at = [](void* o, uint64_t ns) { self(o).release_ = ns; },
    };
    config_.timestamp_hz = 1 + in.below(65536) * (config_.node_hz / 3 / 65536);
    now = 1'000'003;
    host().set_irq = [](void*, bool) { FUZZ_CHECK(false, "the card has no interrupt"); };
    char why[200];
    FUZZ_CHECK(mk_config_ok(&config_, why, sizeof why), "%s", why);
    mk_init(chip_, &config_, &host());
    start();
  }

  void step() {
    switch (in.below(20)) {
      default:
        trigger();
        break;
      case 8:
      case 9:
        pass(in.u16());
        break;
      case 10:
        pass(in.below(4) ? in.u8() : in.u32());
        break;
      case 11:
        read_counter();
        break;
      case 12:
        any_access();
        break;
      case 13:
        mk_catch_up(chip_);
        break;
      case 14: {
        const uint32_t pin = in.below(16), n = in.u8();
        total_[pin] += watched_ >> pin & 1 ? n : 0;
        mk_external_edges(chip_, pin, in.u8());
        break;
      }
      case 15:
        mk_set_external_free(chip_, in.below(3) != 0);
        break;
      case 16:
        put(kCsr, 1 | (in.flip() ? 4 : 8) | (in.flip() ? 16 : 32) | (in.flip() ? 1u << 14 : 1u << 15));
        break;
      case 17:
        put(kSource + in.below(8), in.u32());
        break;
      case 18:
        rare();
        break;
      case 19:
        clocks();
        break;
    }
    check();
  }

  void finish() {
    if (test_) return;
    if (config_.free == MK_FREE_PIN) mk_set_external_free(chip_, true);
    if (config_.free == MK_FREE_FIFO && config_.drain_hz == 0) return;
    now += 6000ull * 1'000'000'000 /
           std::min(config_.node_hz / 2, config_.free == MK_FREE_FIFO ? config_.drain_hz : ~0u);
    now += 1'000'000;
    mk_catch_up(chip_);
    FUZZ_CHECK(expected_.empty() && at_ == 0, "%zu samples stay in the chip", expected_.size());
    FUZZ_CHECK(!chip_->state.waiting, "somebody waits for ever");
    check();
  }

 private:
  static Bench& self(void* o) { return *static_cast<Bench*>(o); }
  MkState& state() { return chip_->state; }
  uint64_t cycle_at(uint64_t ns) const {
    const auto since = static_cast<unsigned __int128>(ns - chip_->state.reset_ns);
    return static_cast<uint64_t>(since * config_.node_hz / 1'000'000'000);
  }
  uint64_t cycle() const { return cycle_at(now); }

  // --- accesses ---
  mk_result access(MkAccess a, bool write, uint64_t* value) {
    mk_catch_up(chip_);
    account();
    const bool waited = state().waiting;
    const mk_result r = write ? mk_write(chip_, &a, *value) : mk_read(chip_, &a, value);
    if (!write && r == MK_DONE)
      FUZZ_CHECK(a.size == 8 || *value >> 8 * a.size == 0, "%u bytes read %llx", a.size, ull(*value));
    FUZZ_CHECK(r == MK_DONE || a.can_wait, "who cannot wait was held");
    FUZZ_CHECK(r == MK_DONE || state().waiting, "held by nobody");
    account();
    if (r == MK_WAIT && !waited) wait_from_ = cycle();
    return r;
  }
  // As a monitor does, at once.
  void put(unsigned address, uint64_t value) {
    FUZZ_CHECK(access({MK_WINDOW_8, 8 * address, 8, 0, false}, true, &value) == MK_DONE, "address %u",
               address);
  }
  uint64_t get(unsigned address) {
    uint64_t value = 0;
    FUZZ_CHECK(access({MK_WINDOW_8, 8 * address, 8, 0, false}, false, &value) == MK_DONE, "address %u",
               address);
    return value;
  }
  // Tries until it is done or gives up, as a vCPU that an interrupt takes away does.
  void held(MkAccess a, bool write, uint64_t value, unsigned address) {
    for (int tries = 0;; ++tries) {
      mk_catch_up(chip_);
      const bool waited = state().waiting;
      const Before b = before(a, address);
      const mk_result r = access(a, write, &value);
      if (r == MK_DONE) {
        if (write && address >= kTrace) triggered(b, a, address, value);
        return;
      }
      if (!waited && write && address >= kTrace)
        FUZZ_CHECK(b.taken && b.lost() && state().csr & 4, "a write was delayed for nothing");
      if (release_ == PB_NEVER || in.below(8) == 0) return;
      FUZZ_CHECK(release_ > now && tries < 3, "told %llu at %llu", ull(release_), ull(now));
      if (in.below(4) == 0) {  // somebody tries early: it is held, too
        now += (release_ - now) / 2;
        mk_catch_up(chip_);
        FUZZ_CHECK(state().waiting, "free before the time that was told");
        uint64_t unused = 0;
        FUZZ_CHECK(access({MK_WINDOW_8, 8 * kFilter, 8, 1, true}, false, &unused) == MK_WAIT,
                   "the bus is not taken");
      }
      now = release_;
      mk_catch_up(chip_);
      FUZZ_CHECK(!state().waiting, "not free at the time that was told");
    }
  }

  struct Before {
    bool taken, full, shadow;  // it passes the filter; the FIFO is full; the shadow registers are, and needed
    bool lost() const { return full || shadow; }
    uint64_t time;
    uint32_t overruns;
  };
  Before before(const MkAccess& a, unsigned address) {
    const MkState& s = state();
    if (address < kTrace) return {};
    const bool passes = (s.csr & 1) && s.filter >> (address & 15) & 1;
    return {passes, s.count == config_.fifo_depth, address >= kResource && s.shadow_busy, get(kTimestamp),
            s.overrun_count};
  }
  void triggered(const Before& b, const MkAccess& a, unsigned address, uint64_t value) {
    const uint32_t overruns = state().overrun_count - b.overruns;
    FUZZ_CHECK(overruns == (b.taken && b.lost() && !test_ ? 1u : 0u), "%u overruns", overruns);
    if (!b.taken) return;
    if (b.lost()) {
      flags_ |= (b.full ? MK_HEADER_FIFO_OVERRUN : 0) | (b.shadow ? MK_HEADER_RSRC_OVERRUN : 0);
      return;
    }
    if (a.size == 4) value &= 0xffffffff;
    const unsigned line = a.line < 0 ? 0 : static_cast<unsigned>(a.line);
    if (!test_)
      expected_.push_back({value & 0xffff'ffff'ffff, b.time & 0xff'ffff'ffff, state().source[line], line,
                           flags_, address >= kResource});
    flags_ = 0;
  }
  void trigger() {
    const unsigned address = (in.below(4) ? kTrace : kResource) + in.below(16);
    const int line = static_cast<int>(in.below(9)) - 1;
    const auto window = static_cast<enum mk_window>(in.below(3));
    const bool wide = window == MK_WINDOW_4 ? address % 2 == 0 && in.flip() : in.flip();
    held({window, window == MK_WINDOW_4 ? 4 * address : 8 * address, wide ? 8u : 4u, line, in.below(4) != 0},
         true, in.u64(), address);
  }
  void read_counter() {
    if (in.flip()) return read_halves();
    held({MK_WINDOW_8, 8 * (kCounter + in.below(16)), 8, 0, in.flip()}, false, 0, 0);
  }
  // By 32 bits, and anything between the two.
  void read_halves() {
    const uint32_t counter = in.below(16), offset = 8 * (kCounter + counter);
    const int line = static_cast<int>(in.below(9)) - 1;
    uint64_t low = 0, upper = 0;
    access({MK_WINDOW_8, offset, 4, line, false}, false, &low);
    const bool right = !state().shadow_busy;
    FUZZ_CHECK(!right || low == state().counter[counter], "counter %u is %llx", counter, ull(low));
    if (in.flip()) pass(in.u16());
    if (in.flip()) trigger();
    access({MK_WINDOW_8, offset + 4, 4, line, false}, false, &upper);
    FUZZ_CHECK(upper == (right ? 0 : uint64_t{1} << 31), "upper half %llx", ull(upper));
  }

  // Anything but what would make the bench lose count.
  void any_access() {
    const auto window = static_cast<enum mk_window>(in.below(3));
    const uint32_t offset = in.u16() % MK_WINDOW_BYTES, size = 1u << in.below(4);
    const uint32_t address = window == MK_WINDOW_4 ? offset / 4 : offset / 8;
    const bool lost_count =
        size >= 4 && (address == 0 || address == kCsr || address == kWait || address == kOverrun ||
                      address == kTest || address == kTest + 1 || (address >= kTrace && address < 128));
    uint64_t value = in.value() | uint64_t{in.value()} << 32;
    access({window, offset, size, static_cast<int>(in.below(9)) - 1, in.flip()}, in.flip() && !lost_count,
           &value);
    if (address == 10) std::fill(std::begin(least_), std::end(least_), 0);
  }
  void clocks() {
    put(8, in.u64());
    put(in.flip() ? 11 : 12, in.u16());
    if (in.below(4) == 0) put(10, in.u16());
    for (unsigned i = 0; i < 16; ++i) least_[i] = state().counter[i];
  }

  // --- what seldom happens ---
  void rare() {
    switch (in.below(6)) {
      case 0:
        reset(in.flip());
        break;
      case 1:
        put(kFilter, in.u16());
        break;
      case 2:
        test_mode();
        break;
      case 3:
        put(kWait, in.u32());
        waits_ = 0;
        put(kOverrun, in.u32());
        break;
      default:
        snapshot();
    }
  }
  void reset(bool hardware) {
    mk_catch_up(chip_);
    account();
    wait_from_ = PB_NEVER;
    if (hardware)
      mk_hardware_reset(chip_);
    else
      put(0, in.u32());
    FUZZ_CHECK(event_ == (hardware ? MK_EVENT_HARDWARE_RESET : MK_EVENT_SOFTWARE_RESET), "event %u", event_);
    FUZZ_CHECK(release_ <= now || !state().waiting, "held through a reset");
    event_ = 0;
    start();
  }
  void start() {
    expected_.clear();
    at_ = 0;
    flags_ = 0;
    waits_ = 0;
    left_ = 0;
    std::fill(std::begin(least_), std::end(least_), 0);
    put(kCsr, 1 | (in.flip() ? 4 : 8) | (in.flip() ? 16 : 32));
    put(kFilter, 0xffff);
    put(8, in.u64());
    put(11, in.u16());
    for (unsigned i = 0; i < 8; ++i) put(kSource + i, in.u32());
  }
  // Instructions as they come; then a reset, since samples were made up and thrown away.
  void test_mode() {
    test_ = true;
    mk_set_test_mode(chip_, true);
    for (int i = in.below(16); i > 0; --i) {
      put(kTest, (uint64_t{in.u16()} << 32) | in.u32());
      if (in.flip()) trigger();
      if (in.flip()) pass(in.u16());
      if (in.below(4) == 0) snapshot();
      get(in.below(128));
      FUZZ_CHECK(state().count <= config_.fifo_depth && state().sent < 80, "%u %u", state().count,
                 state().sent);
    }
    mk_set_test_mode(chip_, false);
    reset(in.flip());
    test_ = false;
  }
  void snapshot() {
    mk_pre_save(chip_);
    const uint64_t release = release_;
    MultiKron* const fresh = chip_ == &chips_[0] ? &chips_[1] : &chips_[0];
    std::memset(static_cast<void*>(&fresh->state), 0x55, sizeof fresh->state);
    const uint64_t then = now;
    mk_init(fresh, &config_, &host());
    fresh->state = chip_->state;
    chip_ = fresh;
    armed = PB_NEVER;
    now = then;
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(mk_state_ok(chip_, &chip_->state, why, sizeof why), "%s", why);
    mk_post_load(chip_);
    FUZZ_CHECK(!state().waiting || release_ == release, "told %llu, then %llu", ull(release), ull(release_));
  }

  // --- time ---
  void pass(uint64_t ns) {
    const uint64_t until = now + ns;
    for (int turns = 0; armed <= until && turns < 3; ++turns) {  // a late timer does no harm
      now = std::max(now, armed);
      armed = PB_NEVER;
      mk_timer(chip_);
    }
    now = std::max(now, until);
  }

  // --- what comes out ---
  void take(const uint16_t* w, size_t n) {
    FUZZ_CHECK(n > 0, "nothing");
    for (size_t i = 0; i < n; ++i) word(w[i]);
  }
  void word(uint16_t w) {
    if (w & MK_STREAM_EVENT) {
      event_ = w & 0xff;
      expected_.clear();
      at_ = 0;
      return;
    }
    FUZZ_CHECK(w == mk_stream_element(static_cast<uint8_t>(w), w >> 9), "element %x", w);
    ++left_;
    if (test_) return;
    sample_[at_++] = static_cast<uint8_t>(w);
    FUZZ_CHECK(!expected_.empty(), "a sample that nobody took");
    const Expected& e = expected_.front();
    const bool last = at_ == (e.resource ? MK_RESOURCE_BYTES : MK_TRACE_BYTES);
    FUZZ_CHECK(last == (w >> 9 & 1), "end at %u", at_);
    if (!last) return;
    const auto field = [&](unsigned from, unsigned bytes) {
      uint64_t v = 0;
      for (unsigned i = from; i < from + bytes; ++i) v = v << 8 | sample_[i];
      return v;
    };
    FUZZ_CHECK(MK_HEADER_TYPE(sample_[0]) == (e.resource ? MK_TYPE_RESOURCE : MK_TYPE_TRACE), "header %x",
               sample_[0]);
    FUZZ_CHECK(MK_HEADER_CPU(sample_[0]) == e.line && (sample_[0] & 7) == e.flags, "header %x, flags %x",
               sample_[0], e.flags);
    FUZZ_CHECK(field(1, 5) == e.time, "time %llx, taken %llx", ull(field(1, 5)), ull(e.time));
    FUZZ_CHECK(field(6, 4) == e.source, "source %llx", ull(field(6, 4)));
    FUZZ_CHECK(field(10, 6) == e.data, "data %llx, written %llx", ull(field(10, 6)), ull(e.data));
    expected_.pop_front();
    at_ = 0;
  }

  static unsigned long long ull(uint64_t v) { return v; }

  void check() {
    mk_catch_up(chip_);
    const MkState& s = state();
    FUZZ_CHECK(s.count <= config_.fifo_depth && s.head < MK_FIFO_MAX && s.sent < 80, "%u %u %u", s.count,
               s.head, s.sent);
    FUZZ_CHECK(s.count == expected_.size() && s.sent == at_, "%u levels, %zu expected", s.count,
               expected_.size());
    FUZZ_CHECK(s.next_edge % 2 == 0, "edge %llu", ull(s.next_edge));
    FUZZ_CHECK(left_ <= cycle() / 2, "%llu elements by cycle %llu", ull(left_), ull(cycle()));
    if (config_.free == MK_FREE_FIFO)
      FUZZ_CHECK(s.external_count <= config_.free_bytes, "%u bytes in %u", s.external_count,
                 config_.free_bytes);
    FUZZ_CHECK(armed != PB_NEVER || s.count == 0 || !s.external_free || config_.drain_hz == 0,
               "nobody will hand over");
    for (unsigned i = 0; i < 16; ++i) {
      FUZZ_CHECK(s.counter[i] >= least_[i], "counter %u fell", i);
      least_[i] = s.counter[i];
    }
    account();
    FUZZ_CHECK(s.wait_count == waits_, "wait counter %u, %u cycles were waited", s.wait_count, waits_);
  }
  // Cycles that somebody was held since this was last called.
  void account() {
    if (wait_from_ == PB_NEVER) return;
    const MkState& s = state();
    const uint64_t until = s.waiting ? cycle() : test_ ? s.wait_cycle : cycle_at(release_);
    FUZZ_CHECK(until >= wait_from_, "held from %llu until %llu", ull(wait_from_), ull(until));
    if (!test_) waits_ += static_cast<uint32_t>(until - wait_from_);
    wait_from_ = s.waiting ? until : PB_NEVER;
  }

  Input& in;
  MkConfig config_;
  static inline MultiKron chips_[2];
  MultiKron* chip_ = &chips_[0];
  uint64_t release_ = 0, wait_from_ = PB_NEVER;
  uint64_t total_[16] = {}, left_ = 0;
  uint32_t least_[16] = {}, waits_ = 0;
  uint16_t watched_ = 0;
  unsigned event_ = 0, at_ = 0, flags_ = 0;
  uint8_t sample_[MK_RESOURCE_BYTES];
  std::deque<Expected> expected_;
  bool test_ = false;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
