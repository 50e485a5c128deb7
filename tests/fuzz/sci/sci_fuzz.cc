// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of all kinds, in both modes, against a reference that was written from the manual page: which
// packets, in which order. latency=off: those of an access together. latency=on: each at its time, a
// transaction's own in order, a node's requests in the order in which they were made, a response no sooner
// than HOME behind its request, and never two transactions that a table indexed by trans_ID would mix up.
// Besides: times on a B-Link never go back, and statistics are what has been made.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "tests/fuzz/input.h"
#include "tests/unit/model/rig.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::sci;

// A packet, field by field.
struct Seen {
  unsigned blink, source, dest, what, response, wide, trans, page, word, enables, words;
  bool operator==(const Seen&) const = default;
};

class Reference {
 public:
  Reference(unsigned nodes, unsigned pages, unsigned buffers)
      : home(pages), nodes_(nodes), buffers_(buffers) {}

  // Whether transactions have begun.
  bool access(unsigned node, unsigned at, unsigned bytes, bool store, bool locked, bool combining) {
    if (!enabled || node >= nodes_) return false;
    if (store && locked) forget(node, at, bytes, true);
    if (store && combining && !locked && buffers_ > 0) {
      for (unsigned i = 0; i < bytes; ++i) byte(node, at + i);
      return false;
    }
    drain(node);
    const unsigned to = home[at / 4096];
    if (to == node) return false;
    const unsigned what = (locked ? 2 : 0) + (store ? 1 : 0);
    for (auto [from, n] : pieces(at, bytes, store)) {
      unsigned enables = 0;
      for (unsigned i = 0; i < n; ++i) enables |= 1u << (from + i) % 8;
      transaction(node, to, what, from, enables, false);
    }
    return true;
  }
  // latency=on: loads that have begun, and are still to be made again; and locked loads whose stores are to
  // come.
  bool keeps(unsigned node, unsigned at, unsigned bytes, bool locked) const {
    return std::find(kept_[node].begin(), kept_[node].end(), Kept{at, bytes, locked}) != kept_[node].end();
  }
  void keep(unsigned node, unsigned at, unsigned bytes, bool locked) {
    crowd(node);
    kept_[node].push_back({at, bytes, locked});
  }
  void forget(unsigned node, unsigned at, unsigned bytes, bool locked) {
    std::erase(kept_[node], Kept{at, bytes, locked});
  }
  // One more has no room.
  void crowd(unsigned node) {
    if (kept_[node].size() == 16) kept_[node].pop_front();
  }
  void stop() {
    for (unsigned n = 0; n < nodes_; ++n) drain(n);
    kept_ = {};
  }
  void drain(unsigned node) {
    while (!lines_[node].empty()) {
      const auto [line, mask] = lines_[node].front();
      lines_[node].pop_front();
      leave(node, line, mask);
    }
  }
  bool holds() const {
    return std::any_of(lines_.begin(), lines_.end(), [](const auto& l) { return !l.empty(); });
  }
  void clear_statistics() { sent = {}, received = {}, packets = {}; }

  bool enabled = false;
  std::vector<unsigned> home;
  std::vector<Seen> seen;
  std::array<std::array<uint64_t, 4>, 32> sent{};
  std::array<uint64_t, 32> received{}, packets{};

 private:
  struct Kept {
    unsigned at, bytes;
    bool locked;
    bool operator==(const Kept&) const = default;
  };
  // The rule of pieces, by trying sizes.
  static std::vector<std::pair<unsigned, unsigned>> pieces(unsigned at, unsigned bytes, bool store) {
    if (bytes > 8) {
      const unsigned first = store ? 8 : bytes - 8;
      auto a = pieces(at, first, store);
      const auto b = pieces(at + first, bytes - first, store);
      a.insert(a.end(), b.begin(), b.end());
      return a;
    }
    std::vector<std::pair<unsigned, unsigned>> out;
    while (bytes > 0) {
      unsigned n = 8;
      while (at % n != 0 || bytes % n != 0) n /= 2;
      out.emplace_back(at, n);
      at += n, bytes -= n;
    }
    return out;
  }
  void byte(unsigned node, unsigned at) {
    auto& lines = lines_[node];
    auto l = std::find_if(lines.begin(), lines.end(), [&](const auto& x) { return x.first == at / 64; });
    if (l == lines.end()) {
      if (lines.size() == buffers_) {
        const auto oldest = lines.front();
        lines.pop_front();
        leave(node, oldest.first, oldest.second);
      }
      lines.emplace_back(at / 64, 0);
      l = std::prev(lines.end());
    }
    l->second |= uint64_t{1} << at % 64;
    if (l->second == UINT64_MAX) {
      const auto full = *l;
      lines.erase(l);
      leave(node, full.first, full.second);
    }
  }
  void leave(unsigned node, unsigned line, uint64_t mask) {
    const unsigned to = home[line / 64];
    if (to == node) return;
    if (mask == UINT64_MAX) return transaction(node, to, 1, line * 64, 0xff, true);
    for (unsigned i = 0; i < 8; ++i)
      if (const unsigned enables = mask >> 8 * i & 0xff)
        transaction(node, to, 1, line * 64 + 8 * i, enables, false);
  }
  void transaction(unsigned from, unsigned to, unsigned what, unsigned at, unsigned enables, bool wide) {
    const unsigned trans = trans_[from]++ % 64;
    const bool answered = what == 0 || what == 2;
    const auto packet = [&](unsigned blink, unsigned s, unsigned d, bool response, unsigned words) {
      seen.push_back({blink, s, d, what, response, wide, trans, at / 4096, at % 4096 / 4, enables, words});
      ++packets[blink];
    };
    const unsigned words = answered ? 2 : wide ? 10 : 3;
    ++sent[from][what];
    ++received[to];
    packet(from, from, to, false, words);
    packet(to, from, to, false, words);
    if (!answered) return;
    packet(to, to, from, true, 3);
    packet(from, to, from, true, 3);
  }

  unsigned nodes_, buffers_;
  std::array<std::deque<Kept>, 32> kept_;
  std::array<std::deque<std::pair<unsigned, uint64_t>>, 32> lines_;
  std::array<unsigned, 32> trans_{};
};

class Bench : public Rig {
 public:
  explicit Bench(Input& source)
      : in(source),
        pages_(1u << in.below(5)),
        memory_(pages_ * SCI_PAGE_BYTES),
        config_{.nodes = 1 + in.below(in.flip() ? 32 : 4),
                .size = pages_ * SCI_PAGE_BYTES,
                .latency = in.flip(),
                .ringlet = 2 + in.below(7),
                .wc_buffers = in.below(17),
                .opaque = this,
                .packet = [](void* o, const SciPacket* p) { static_cast<Bench*>(o)->packet(*p); },
                .memory = memory_.data()},
        reference_(config_.nodes, pages_, config_.wc_buffers),
        adapter_(std::make_unique<SciAdapter>()) {
    now = 1'000'003;
    char why[200];
    FUZZ_CHECK(sci_config_ok(&config_, why, sizeof why), "%s", why);
    sci_init(adapter_.get(), &config_, &host());
    enable(true);
    for (unsigned p = 0; p < pages_; ++p) home(p);
  }

  void step() {
    now += in.below(8) ? in.below(200) : in.u16();
    if (armed <= now && in.flip()) timer();  // or it is late
    switch (in.below(24)) {
      case 0:
        home(in.below(pages_));
        break;
      case 1:
        enable(in.below(8) != 0);
        break;
      case 2:
        drain(in.below(33));
        break;
      case 3:
        if (in.below(8) == 0) {
          sci_register_write(adapter_.get(), kCtrl, 2 | reference_.enabled, 4, SCI_NO_VCPU);
          reference_.clear_statistics();
        }
        break;
      case 4:
        if (in.below(16) == 0) reset();
        break;
      case 5:
        locked_instruction();
        break;
      case 6:
        tell();
        break;
      default:
        any();
    }
    compare();
  }
  void finish() {
    now += 3'000'000;
    if (armed != PB_NEVER) timer();
    FUZZ_CHECK(armed == PB_NEVER, "%zu transactions never end", flying_.size());
    compare();
    if (config_.latency) collect();
    FUZZ_CHECK(flying_.empty(), "%zu transactions have not passed", flying_.size());
    for (unsigned n = 0; n < config_.nodes; ++n) {
      const auto count = [&](Count c) {
        return sci_register_read(adapter_.get(), kStatisticsBase + kStatisticsStep * n + 8 * c, 8,
                                 SCI_NO_VCPU);
      };
      for (unsigned w = 0; w < 4; ++w)
        FUZZ_CHECK(count(Count(w)) == reference_.sent[n][w], "node %u has sent other requests of kind %u", n,
                   w);
      FUZZ_CHECK(count(kReceived) == reference_.received[n], "node %u", n);
      FUZZ_CHECK(count(kPackets) == reference_.packets[n], "node %u", n);
      FUZZ_CHECK(count(kOutstanding) <= 64, "node %u", n);
    }
  }

 private:
  void packet(const SciPacket& p) {
    FUZZ_CHECK(p.ns % 20 == 0 && p.node < config_.nodes, "%llu", static_cast<unsigned long long>(p.ns));
    FUZZ_CHECK(p.ns >= blink_ns_[p.node], "time on B-Link %u goes back", p.node);
    FUZZ_CHECK(p.ns <= now + 2'000'000, "%llu ns ahead", static_cast<unsigned long long>(p.ns - now));
    FUZZ_CHECK(p.known == now, "known is not now");
    blink_ns_[p.node] = p.ns;
    const auto bits = [](uint64_t word, unsigned from, unsigned to) {
      return static_cast<unsigned>(word >> from & ((uint64_t{1} << (to - from + 1)) - 1));
    };
    FUZZ_CHECK(!bits(p.bd1, 20, 31) && !bits(p.bd1, 54, 63) && !bits(p.bd2, 0, 1) && !bits(p.bd2, 28, 31) &&
                   !bits(p.bd2, 40, 63),
               "bits that are 0: %llx %llx", static_cast<unsigned long long>(p.bd1),
               static_cast<unsigned long long>(p.bd2));
    const Seen seen = {p.node,
                       bits(p.bd1, 0, 15),
                       bits(p.bd1, 32, 47),
                       bits(p.bd1, 16, 17),
                       bits(p.bd1, 18, 18),
                       bits(p.bd1, 19, 19),
                       bits(p.bd1, 48, 53),
                       bits(p.bd2, 12, 27),
                       bits(p.bd2, 2, 11),
                       bits(p.bd2, 32, 39),
                       p.words};
    if (config_.latency)
      in_time(p, seen);
    else
      seen_.push_back(seen);
  }

  // --- latency=on ---
  struct Flying {
    std::vector<Seen> left;  // packets, the next one first
    uint64_t made, before;   // when; ns of the packet before
    unsigned trans;
  };
  // What the reference has made since.
  void collect() {
    if (flying_.empty()) {
      crowded_ = false;
      std::fill(std::begin(awaited_), std::end(awaited_), 0);
    }
    for (const Seen& s : reference_.seen) {
      if (s.blink == s.source && !s.response) flying_.push_back({{}, now, 0, 64});
      flying_.back().left.push_back(s);
    }
    reference_.seen.clear();
  }
  void in_time(const SciPacket& p, const Seen& seen) {
    collect();
    const bool first = seen.blink == seen.source && !seen.response;
    const bool crowded = flying_.size() > 60;
    const auto f = std::find_if(flying_.begin(), flying_.end(), [&](const Flying& x) {
      return first ? x.trans == 64 && x.left[0].source == seen.source
                   : x.trans == seen.trans && is_next(x, seen);
    });
    FUZZ_CHECK(f != flying_.end(), "B-Link %u: a packet that nobody has made", seen.blink);
    if (first) f->trans = seen.trans;
    FUZZ_CHECK(is_next(*f, seen), "B-Link %u: another packet, or in another order", seen.blink);
    FUZZ_CHECK(early_ || crowded || p.ns <= now, "before its time");
    FUZZ_CHECK(
        p.ns >=
            f->before + (seen.response && seen.blink == seen.source && p.ns < f->made + 900'000 ? 1240 : 0),
        "too soon");
    if (first)
      FUZZ_CHECK(p.ns >= f->made + 700, "%llu ns too soon",
                 static_cast<unsigned long long>(f->made + 700 - p.ns));
    uint64_t& row = awaited_[seen.blink];
    const uint64_t bit = uint64_t{1} << seen.trans;
    if (seen.response) {
      FUZZ_CHECK(row & bit || crowded_, "an orphan");
      row &= ~bit;
    } else {
      crowded_ |= crowded;
      FUZZ_CHECK(!(row & bit) || crowded_, "a clash");
      row = (row & ~bit) | (seen.what == 0 || seen.what == 2 ? bit : 0);
    }
    f->before = p.ns;
    f->left.erase(f->left.begin());
    if (f->left.empty()) flying_.erase(f);
  }
  static bool is_next(const Flying& f, Seen seen) {
    seen.trans = f.left[0].trans;
    return seen == f.left[0];
  }
  void timer() {
    armed = PB_NEVER;
    sci_timer(adapter_.get());
  }
  void tell() {
    early_ = in.below(4) == 0;
    (early_ ? sci_tell_all : sci_tell_due)(adapter_.get());
    early_ = false;
    if (config_.latency && in.flip()) collect();
  }

  void compare() {
    if (config_.latency) collect();
    FUZZ_CHECK(seen_ == reference_.seen, "%zu packets, and %zu expected", seen_.size(),
               reference_.seen.size());
    FUZZ_CHECK(sci_holds(adapter_.get()) == reference_.holds(), "buffers");
    seen_.clear();
    reference_.seen.clear();
  }
  void home(unsigned page) {
    const unsigned node = in.below(config_.nodes + 1);  // one may be none
    sci_register_write(adapter_.get(), kAtt + 4 * page, node, 4, SCI_NO_VCPU);
    if ((node & 31) < config_.nodes) reference_.home[page] = node & 31;
  }
  void enable(bool on) {
    if (!on) reference_.stop();
    reference_.enabled = on;
    sci_register_write(adapter_.get(), kCtrl, on, 4, SCI_NO_VCPU);
  }
  void drain(unsigned node) {
    if (node < config_.nodes) reference_.drain(node);
    if (in.flip())
      sci_drain(adapter_.get(), now, node);
    else
      sci_register_write(adapter_.get(), kId, 0, 4, node);
  }
  void reset() {
    sci_reset(adapter_.get());
    flying_.clear();
    crowded_ = false;
    std::fill(std::begin(awaited_), std::end(awaited_), 0);
    reference_ = Reference(config_.nodes, pages_, config_.wc_buffers);
    std::fill(std::begin(blink_ns_), std::end(blink_ns_), 0);
    enable(true);
    for (unsigned p = 0; p < pages_; ++p) home(p);
  }
  // As QEMU makes it: with latency=on piece by piece, again until it is done; and some that are interrupted,
  // and made again later or never. The reference comes first: packets may pass on the way.
  void make(SciAccess a, bool whole = true) {
    const bool again = a.can_wait, remembers = config_.latency && !a.store;
    const auto at = static_cast<unsigned>(a.offset);
    const bool known = remembers && a.vcpu < config_.nodes && reference_.keeps(a.vcpu, at, a.bytes, a.locked);
    const bool begun = !known && reference_.access(a.vcpu, at, a.bytes, a.store, a.locked, a.write_combining);
    if (config_.latency) collect();
    uint64_t until = 0;
    bool waited = false, done = false;
    a.ns = now;
    while (!(done = sci_access(adapter_.get(), &a, &until) == SCI_DONE)) {
      FUZZ_CHECK(config_.latency && again && until > a.ns, "nobody is to wait here");
      FUZZ_CHECK(until <= now + 2'000'000, "%llu ns", static_cast<unsigned long long>(until - now));
      if (a.store && !waited) reference_.crowd(a.vcpu);
      waited = true;
      if (!whole) break;
      if (in.below(4) == 0) until -= 1 + in.below(8);  // too early
      now = a.ns = std::max(now + 1, until + in.below(8));
      if (in.below(8) == 0) a.can_wait = false;
    }
    if (!remembers) return;
    FUZZ_CHECK(known || begun || !waited, "it waits for nothing");
    if (begun && (waited || a.locked)) reference_.keep(a.vcpu, at, a.bytes, a.locked);
    if (done && !a.locked && (known || begun)) reference_.forget(a.vcpu, at, a.bytes, false);
  }
  SciAccess access(unsigned at, unsigned bytes, bool store) {
    return {.offset = at,
            .bytes = bytes,
            .vcpu = in.below(8) ? in.below(config_.nodes) : in.below(40),
            .store = store};
  }
  unsigned place(unsigned bytes) {
    unsigned at = in.u16() % (pages_ * SCI_PAGE_BYTES);
    if (in.flip()) at = at & ~63u & ~0xe00u;  // a few lines
    if (in.flip()) at += in.below(64);
    at %= pages_ * SCI_PAGE_BYTES;
    return std::min(at, (at | 4095) + 1 - bytes);
  }
  void any() {
    const unsigned bytes = in.flip() ? 1u << in.below(4) : 1 + in.below(16), at = place(bytes);
    SciAccess a = access(at, bytes, in.flip());
    a.write_combining = in.flip();
    a.can_wait = in.flip();
    if (!config_.latency) return make(a);
    // One piece; what the reference makes of it is one piece, too.
    a.bytes = 1u << in.below(4);
    a.offset &= ~uint64_t{a.bytes - 1};
    a.can_wait = in.below(4) != 0;
    make(a, a.store || in.below(8) != 0);
  }
  // Load, perhaps a store that faults and the load again, store; a wide one in two pieces.
  void locked_instruction() {
    const unsigned bytes = 1u << in.below(4), at = place(bytes) & ~(bytes - 1);
    SciAccess a = access(at, bytes, false);
    a.locked = true;
    a.can_wait = in.flip();
    a.write_combining = in.flip();
    for (unsigned faults = config_.latency ? in.below(3) : 0; faults > 0; --faults) make(a, in.flip());
    make(a);
    a.store = true;
    make(a);
  }

  Input& in;
  const unsigned pages_;
  std::vector<uint8_t> memory_;
  const SciConfig config_;
  Reference reference_;
  std::unique_ptr<SciAdapter> adapter_;
  std::vector<Seen> seen_;
  std::deque<Flying> flying_;
  bool early_ = false,
       crowded_ = false;  // packets come before their time; there have been more than the trans_IDs are for
  uint64_t blink_ns_[32] = {}, awaited_[32] = {};
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
