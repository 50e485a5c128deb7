// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitors of a card alone: accesses of any kind by several processors, events in changing contexts,
// errors, resets, snapshots into monitors of another process.
//
// Every register reads what a reference says that counts event by event; what is no register is idle and
// makes one line; counting begins with the first access to a register; what is watched is what is counted,
// and what is not watched is not looked at.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "hw/power2/events.h"
#include "hw/power2/power2.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

using perfboard::p2::Cost;
using perfboard::p2::Event;
using perfboard::p2::event_of;
using perfboard::p2::Term;

constexpr uint32_t kCard = 0x800, kWindows = 0x1000, kWindowBytes = 0x100, kBar = 0x20000;
constexpr uint32_t kMmcrBits = 0xfc00ffff;
constexpr unsigned kErrors = 21;

// One processor and what its monitor is to hold.
struct Processor {
  bool power = true, privileged = true, marked = false;  // the machine's
  uint64_t total[4][P2_SOURCES] = {};
  uint64_t sources[P2_SOURCE_WORDS] = {};
  bool counts = false;
  uint32_t match = 0;
  bool told_mark = false;
  // The reference.
  bool awake = false;
  uint32_t mmcr = 0, imr = 0, spe = 0, mark = 0;
  uint32_t counter[22] = {};

  bool is_marked() const { return power ? marked : mark != 0; }
  unsigned context() const { return (privileged ? 1 : 0) + (is_marked() ? 2 : 0); }
  bool counts_now() const {
    return awake && !(mmcr & 0x80000000) && !(mmcr & (privileged ? 0x40000000 : 0x20000000)) &&
           !(mmcr & (is_marked() ? 0x10000000 : 0x08000000));
  }
  bool watched(unsigned s) const { return sources[s / 64] >> s % 64 & 1; }
  // What nobody watches may be anything.
  void totals(unsigned contexts, uint64_t* out) const {
    FUZZ_CHECK(counts && contexts, "totals while nothing counts");
    for (unsigned s = 0; s < P2_SOURCES; ++s) {
      out[s] = 0;
      for (unsigned i = 0; i < 4; ++i) out[s] += contexts >> i & 1 ? total[i][s] : 0;
      if (!watched(s)) out[s] = ++noise * 0x9e3779b97f4a7c15;
    }
  }
  mutable uint64_t noise = 0;

  void forget() {
    mmcr = imr = spe = mark = 0, awake = false, std::fill(std::begin(counter), std::end(counter), 0);
  }
};

class Bench : public Rig {
 public:
  explicit Bench(Input& source)
      : in(source), n_(1 + in.below(4)), processors_(n_), monitors_(std::make_unique<P2Monitor[]>(n_)) {
    p2_config_default(&config_, static_cast<P2Node>(in.below(3)));
    config_.power = in.flip();
    config_.own_mark = !config_.power;
    config_.stalls = in.flip();
    config_.penalty = {in.below(100), in.below(100), in.below(100)};
    config_.totals = [](void* p, unsigned contexts, uint64_t* totals) { self(p).totals(contexts, totals); };
    config_.watch = [](void* p, const uint64_t* sources, bool counts) {
      std::memcpy(self(p).sources, sources, sizeof self(p).sources);
      self(p).counts = counts;
    };
    config_.mark = [](void* p, bool marked) {
      FUZZ_CHECK(!self(p).power, "the mark is the MSR's");
      self(p).told_mark = marked;
    };
    config_.match = [](void* p, uint32_t imr) { self(p).match = imr; };
    config_.context = [](void* p, bool* privileged, bool* marked) {
      *privileged = self(p).privileged;
      *marked = self(p).power ? self(p).marked : self(p).told_mark;
    };
    char why[200];
    FUZZ_CHECK(p2_config_ok(&config_, why, sizeof why), "%s", why);
    for (unsigned i = 0; i < n_; ++i) {
      processors_[i].power = config_.power;
      init(i);
    }
  }

  void step() {
    Processor& cpu = processors_[in.below(n_)];
    const unsigned i = static_cast<unsigned>(&cpu - processors_.data());
    switch (in.below(16)) {
      default:
        event(cpu);
        break;
      case 5:
        cpu.privileged = in.flip();
        cpu.marked = in.flip();
        break;
      case 6:
      case 7:
        write(i, 0, in.flip() ? in.u16() : in.value());
        break;
      case 8:
        write(i, 4 + 4 * in.below(22), in.value());
        break;
      case 9:
        write(i, 0x5c + 4 * in.below(6), in.value());
        break;
      case 10:
      case 11:
        any_access();
        break;
      case 12:
        pair(i);
        break;
      case 13: {
        const uint32_t n = in.value();
        if (cpu.counts_now()) cpu.counter[kErrors] += n;
        p2_correctable_errors(&monitors_[i], n);
        break;
      }
      case 14:
        if (in.below(8) == 0) {
          p2_reset(&monitors_[i]);
          cpu.forget();
        }
        break;
      case 15:
        snapshot(i);
        break;
    }
    check(i);
  }
  void finish() {
    for (unsigned i = 0; i < n_; ++i)
      for (uint32_t r = 0; r < 0x70; r += 4) expect(i, r, p2_read(&monitors_[i], r));
  }

 private:
  static Processor& self(void* p) { return *static_cast<Processor*>(p); }

  void init(unsigned i) {
    config_.opaque = &processors_[i];
    host().now = nullptr;
    host().set_irq = nullptr;
    host().arm = nullptr;
    p2_init(&monitors_[i], &config_, &host());
  }

  // --- the reference
  void event(Processor& cpu) {
    const unsigned source = in.below(P2_SOURCES);
    const uint64_t n = in.below(8) ? in.u8() : in.u64();
    if (!cpu.watched(source)) return;
    cpu.total[cpu.context()][source] += n;
    if (!cpu.counts_now()) return;
    for (unsigned i = 0; i < 22; ++i) {
      const Event& e = event_of(cpu.mmcr, i);
      for (const Term& t : e.sum())
        if (t.source == source && (cpu.spe || !e.spe) && (config_.stalls || !t.stall))
          cpu.counter[i] += static_cast<uint32_t>(t.factor * price(t.cost) * n);
    }
  }
  uint64_t price(Cost cost) const {
    const P2Geometry& g = config_.geometry;
    switch (cost) {
      case Cost::kDcachePenalty:
        return config_.penalty.dcache;
      case Cost::kTlbPenalty:
        return config_.penalty.tlb;
      case Cost::kIcachePenalty:
        return config_.penalty.icache;
      case Cost::kDcacheBeats:
        return g.dcache_line / g.bus;
      case Cost::kIcacheBeats:
        return g.icache_line / g.bus;
      default:
        return 1;
    }
  }
  // The register's value; -1: none is there.
  int64_t reference(const Processor& cpu, uint32_t r) const {
    if (r >= 4 && r < 0x5c) return cpu.counter[r / 4 - 1];
    switch (r) {
      case 0:
        return cpu.mmcr;
      case 0x5c:
        return 0;
      case 0x60:
        return cpu.imr;
      case 0x64:
        return cpu.spe;
      case 0x68:
        return cpu.is_marked();
      case 0x6c:
        return (cpu.privileged ? 0 : 1) | (cpu.is_marked() ? 2 : 0) | (awake_or(cpu) ? 4 : 0);
      default:
        return -1;
    }
  }
  static bool awake_or(Processor cpu) {
    cpu.awake = true;  // STATE says what MMCR says
    return cpu.counts_now();
  }
  void expect(unsigned i, uint32_t r, uint32_t read) {
    const int64_t wanted = reference(processors_[i], r);
    FUZZ_CHECK(read == (wanted < 0 ? UINT32_MAX : static_cast<uint32_t>(wanted)),
               "register 0x%x of %u: %x, not %llx", r, i, read, static_cast<long long>(wanted));
  }
  void written(unsigned i, uint32_t r, uint32_t value) {
    Processor& cpu = processors_[i];
    if (r >= 4 && r < 0x5c) cpu.counter[r / 4 - 1] = value;
    if (r == 0) cpu.mmcr = value & kMmcrBits;
    if (r == 0x60) cpu.imr = value;
    if (r == 0x64) cpu.spe = value & 1;
    if (r == 0x68 && !cpu.power) cpu.mark = value & 1;
  }
  void wake_all(unsigned i) {
    if (processors_[i].awake) return;
    for (Processor& cpu : processors_) cpu.awake = true;
  }

  // --- accesses
  void write(unsigned i, uint32_t r, uint32_t value) {
    const P2Access a = {kWindows + kWindowBytes * i + r, 4, in.flip(), -1};
    wake_all(i);
    p2_card_store(&card(), &a, value);
    written(i, r, value);
  }
  // Two registers at once.
  void pair(unsigned i) {
    const uint32_t r = 8 * in.below(14);
    const bool big = in.flip();
    const P2Access a = {in.flip() ? r : kWindows + kWindowBytes * i + r, 8, big, static_cast<int>(i)};
    wake_all(i);
    if (in.flip()) {
      const uint64_t value = p2_card_load(&card(), &a);
      expect(i, r, static_cast<uint32_t>(big ? value >> 32 : value));
      expect(i, r + 4, static_cast<uint32_t>(big ? value : value >> 32));
    } else {
      const uint64_t value = in.u64();
      p2_card_store(&card(), &a, value);
      written(i, r, static_cast<uint32_t>(big ? value >> 32 : value));
      written(i, r + 4, static_cast<uint32_t>(big ? value : value >> 32));
    }
  }
  void any_access() {
    const P2Access a = {in.below(4) ? in.u16() : in.u32(), in.below(4) ? 4u : in.u8() % 17u, in.flip(),
                        static_cast<int>(in.below(n_ + 2)) - 1};
    const bool whole = (a.size == 4 || a.size == 8) && a.offset % a.size == 0 && a.offset < kBar;
    const bool of_card = whole && a.offset >= kCard && a.offset < kWindows;
    int64_t who = -1;
    if (whole && !of_card)
      who = a.offset < kCard ? (a.offset < kWindowBytes ? a.processor : -1)
                             : (a.offset - kWindows) / kWindowBytes;
    const bool there = who >= 0 && who < n_;
    const size_t lines = log.size();
    if (of_card) wake_all(0);
    if (there) wake_all(static_cast<unsigned>(who));
    if (in.flip()) {
      const uint64_t value = p2_card_load(&card(), &a);
      if (there && a.size == 4)
        expect(static_cast<unsigned>(who), a.offset % kWindowBytes, static_cast<uint32_t>(value));
      if (!there && !of_card)
        FUZZ_CHECK(value == UINT64_MAX, "nothing reads %llx", static_cast<unsigned long long>(value));
    } else {
      const uint64_t value = in.u64();
      p2_card_store(&card(), &a, value);
      if (there && a.size == 4)
        written(static_cast<unsigned>(who), a.offset % kWindowBytes, static_cast<uint32_t>(value));
      if (there && a.size == 8)
        for (unsigned half = 0; half < 2; ++half)
          written(static_cast<unsigned>(who), (a.offset + 4 * half) % kWindowBytes,
                  static_cast<uint32_t>((half == 0) == a.big ? value >> 32 : value));
    }
    if (!there && !of_card) FUZZ_CHECK(log.size() == lines + 1, "%zu lines", log.size() - lines);
    for (unsigned i = 0; i < n_; ++i) check(i);
  }

  void snapshot(unsigned i) {
    Processor& cpu = processors_[i];
    p2_pre_save(&monitors_[i]);
    if (in.flip()) return;
    const P2State image = monitors_[i].state;
    for (auto& context : cpu.total)
      for (uint64_t& n : context) n += in.flip() ? in.u8() : 0;  // another process
    std::memset(cpu.sources, 0, sizeof cpu.sources);
    cpu.counts = false;
    init(i);
    char why[PB_WHY_BYTES] = "";
    FUZZ_CHECK(p2_load(&monitors_[i], &image, why, sizeof why), "%s", why);
  }

  P2Card& card() {
    card_ = {monitors_.get(), n_};
    return card_;
  }
  void check(unsigned i) {
    const Processor& cpu = processors_[i];
    P2Monitor& m = monitors_[i];
    FUZZ_CHECK(m.state.awake == cpu.awake, "monitor %u: awake %u", i, m.state.awake);
    uint64_t wanted[P2_SOURCE_WORDS] = {};
    const bool may = cpu.awake && !(cpu.mmcr >> 31) && (cpu.mmcr >> 29 & 3) != 3 && (cpu.mmcr >> 27 & 3) != 3;
    for (unsigned c = 0; may && c < 22; ++c) p2::add_sources(event_of(cpu.mmcr, c), config_, wanted);
    FUZZ_CHECK(cpu.counts == may && std::memcmp(cpu.sources, wanted, sizeof wanted) == 0,
               "what is watched, MMCR %x", cpu.mmcr);
    FUZZ_CHECK(cpu.match == cpu.imr && (cpu.power || cpu.told_mark == (cpu.mark != 0)), "IMR %x, MARK %u",
               cpu.match, cpu.mark);
    const uint32_t r = 4 * in.below(28);
    expect(i, r, p2_read(&m, r));
  }

  Input& in;
  unsigned n_;
  std::vector<Processor> processors_;
  std::unique_ptr<P2Monitor[]> monitors_;
  P2Card card_;
  P2Config config_;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
