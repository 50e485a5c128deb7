// SPDX-License-Identifier: GPL-2.0-or-later
//
// Times in the ring against a reference that was written from the manual page: lines as sets of taken
// symbols, ringlets as lists of stations that a packet walks along.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hw/sci/fabric.h"
#include "tests/fuzz/input.h"

namespace perfboard::fuzz {
namespace {

using namespace perfboard::sci;

// A line as the manual page has it. Symbol n is the time from 5 n ns on.
class Line {
 public:
  uint64_t take(uint64_t now, uint64_t ns, unsigned symbols, unsigned step) {
    const uint64_t first = std::max(first_, now / 320 * 64), end = first + 4096;
    // What was behind the calendar is in it now: all of it up to the queue's end.
    for (uint64_t s = std::max(first_ + 4096, first); s < end && s < queue_; ++s) taken_.insert(s);
    taken_.erase(taken_.begin(), taken_.lower_bound(first));
    first_ = first;
    uint64_t t = std::max((ns + 4) / 5, first);
    while (t % step != 0) ++t;
    for (; t + symbols <= end; t += step)
      if (free(t, symbols)) {
        for (unsigned i = 0; i < symbols; ++i) taken_.insert(t + i);
        return 5 * t;
      }
    t = std::max({t, end, queue_});
    while (t % step != 0) ++t;
    uint64_t last = now / 5 + 200'000;
    while (last % step != 0) ++last;
    t = std::min(t, last);
    queue_ = t + symbols;
    return 5 * t;
  }

 private:
  bool free(uint64_t t, unsigned symbols) const {
    const auto next = taken_.lower_bound(t);
    return next == taken_.end() || *next >= t + symbols;
  }
  std::set<uint64_t> taken_;
  uint64_t first_ = 0, queue_ = 0;
};

// Stations by name: "0" to "31", and switches "s0.3", that of ringlet 3 of level 0.
class Network {
 public:
  Network(unsigned nodes, unsigned ringlet) {
    std::vector<std::string> members;
    for (unsigned n = 0; n < nodes; ++n) members.push_back(std::to_string(n));
    for (unsigned level = 0, fan = ringlet;; ++level, fan = 8) {
      std::vector<std::string> switches;
      for (size_t at = 0; at < members.size(); at += fan) {
        std::vector<std::string> r(members.begin() + static_cast<long>(at),
                                   members.begin() + static_cast<long>(std::min(members.size(), at + fan)));
        if (members.size() > fan) {
          switches.push_back("s" + std::to_string(level) + '.' + std::to_string(switches.size()));
          r.push_back(switches.back());
        }
        ringlets_.push_back(r);
      }
      if (switches.empty()) return;
      members = switches;
    }
  }

  Passage pass(uint64_t now, unsigned from, unsigned to, unsigned symbols, uint64_t ns) {
    const std::vector<size_t> way = find(std::to_string(from), std::to_string(to));
    std::string at = std::to_string(from);
    Passage p{};
    for (size_t i = 0; i < way.size(); ++i) {
      const bool last = i + 1 == way.size();
      const std::string next = last ? std::to_string(to) : common(way[i], way[i + 1]);
      p.arrived = walk(now, way[i], at, next, symbols, ns);
      p.echoed = walk(now, way[i], next, at, 4, p.arrived);
      ns = p.arrived + 300;
      at = next;
    }
    return p;
  }

 private:
  bool in(size_t r, const std::string& s) const {
    return std::find(ringlets_[r].begin(), ringlets_[r].end(), s) != ringlets_[r].end();
  }
  std::string common(size_t a, size_t b) const {
    for (const std::string& s : ringlets_[a])
      if (in(b, s)) return s;
    return {};
  }
  // The ringlets on the way: the network is a tree.
  std::vector<size_t> find(const std::string& from, const std::string& to) const {
    for (size_t r = 0; r < ringlets_.size(); ++r)
      if (in(r, from))
        if (const auto way = search(r, to, ringlets_.size()); !way.empty()) return way;
    return {};
  }
  std::vector<size_t> search(size_t r, const std::string& to, size_t came_from) const {
    if (in(r, to)) return {r};
    for (size_t next = 0; next < ringlets_.size(); ++next) {
      if (next == r || next == came_from || common(r, next).empty()) continue;
      if (auto way = search(next, to, r); !way.empty()) {
        way.insert(way.begin(), r);
        return way;
      }
    }
    return {};
  }
  uint64_t walk(uint64_t now, size_t r, std::string at, const std::string& to, unsigned symbols,
                uint64_t ns) {
    const auto& ring = ringlets_[r];
    while (at != to) {
      const size_t i = static_cast<size_t>(std::find(ring.begin(), ring.end(), at) - ring.begin());
      ns = lines_[{r, i}].take(now, ns, symbols + 1, 1) + 70;
      at = ring[(i + 1) % ring.size()];
    }
    return ns + 5 * symbols;
  }

  std::vector<std::vector<std::string>> ringlets_;
  std::map<std::pair<size_t, size_t>, Line> lines_;
};

class Bench {
 public:
  explicit Bench(Input& source)
      : in(source),
        nodes_(2 + in.below(31)),
        ringlet_(2 + in.below(7)),
        ring_(nodes_, ringlet_),
        network_(nodes_, ringlet_),
        line_(SCI_LINES) {}

  void step() {
    const auto add = in.below(16);
    now_ += add == 0 ? in.u16() : add < 8 ? in.u8() : 0;
    if (add == 1) now_ -= std::min<uint64_t>(now_, in.below(100));
    in.flip() ? one_line() : passage();
  }

 private:
  // Of lines that have to do with each other in no way.
  void one_line() {
    const unsigned symbols = 1 + in.below(41), step = in.flip() ? 1 : 4;
    uint64_t ns = now_ + (in.flip() ? in.u8() : in.u16());
    if (in.below(64) == 0) ns += in.u32() % 2'000'000;
    const uint64_t got = take_line(alone_, now_, ns, symbols, step),
                   want = reference_.take(now_, ns, symbols, step);
    FUZZ_CHECK(got == want, "at %llu from %llu: %llu instead of %llu", ull(now_), ull(ns), ull(got),
               ull(want));
  }
  void passage() {
    const unsigned from = in.below(nodes_), to = in.below(nodes_),
                   symbols = in.flip()   ? 8
                             : in.flip() ? 16
                                         : 40;
    const uint64_t ns = now_ + 5 * in.below(1000);
    if (from == to) return;
    const Passage got = ring_.pass(
        [&](uint32_t link, uint64_t t, uint64_t n) {
          FUZZ_CHECK(link < SCI_LINKS, "link %u", link);
          return take_line(line_[link], now_, t, n);
        },
        from, to, symbols, ns);
    const Passage want = network_.pass(now_, from, to, symbols, ns);
    FUZZ_CHECK(got.arrived == want.arrived && got.echoed == want.echoed,
               "%u to %u: %llu, %llu instead of %llu, %llu", from, to, ull(got.arrived), ull(got.echoed),
               ull(want.arrived), ull(want.echoed));
  }
  static unsigned long long ull(uint64_t v) { return v; }

  Input& in;
  const unsigned nodes_, ringlet_;
  const Topology ring_;
  Network network_;
  std::vector<SciLine> line_;
  SciLine alone_{};
  Line reference_;
  uint64_t now_ = 0;
};

}  // namespace
}  // namespace perfboard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return perfboard::fuzz::run_bench<perfboard::fuzz::Bench>(data, size);
}
