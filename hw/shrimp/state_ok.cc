// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SniState is one that the board can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include <algorithm>

#include "hw/model/state_check.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

constexpr uint32_t kLargest = Header{SHRIMP_MAX_WORDS, 15, true, false, 0, 0}.fifo_words();
constexpr uint64_t kRam = uint64_t{SNI_PAGES} << 12;

constexpr uint32_t writable(std::span<const Register> table, std::string_view name) {
  return at(table, name).mask(Access::rw) | at(table, name).mask(Access::w1c);
}
constexpr uint32_t readable(std::string_view name) { return at(kRegisters, name).mask(Access::ro); }

// The unclamped number of words: Header::of() clamps it.
uint32_t raw_words(uint64_t header) { return uint32_t(header & 0x7ff); }

#define STATE_LIST "hw/shrimp/state.def"
#include "hw/model/state_legal.h"

class Check : public StateCheck {
 public:
  Check(const SniBoard& b, const SniState& s, char* why, uint32_t size)
      : StateCheck(why, size, b.host.now(b.host.opaque)), b_(b), s_(s) {
    members_ok(*this, s, b.config);
  }

  // A packet's header: what packs and unpacks to itself, stays in its page, and writes some byte.
  void header(const char* member, uint64_t word, int index = -1) {
    const Header h = Header::of(word);
    const bool one = h.words == 1;
    that(h.pack() == word && raw_words(word) == h.words && (h.address & 0xfff) + 4 * h.words <= 4096 &&
             (one ? h.byte_enables != 0 : h.byte_enables == 15),
         member, word, "this is no packet's header", index);
  }

  void registers() {
    const uint32_t at = s_.latch_offset;
    that(at == 0 || (at >= kCounters && at < kCountersEnd && at % 8 == 0) ||
             (at >= kTerms && at < kTermsEnd && at % 16 == 0),
         "latch_offset", at, "legal are 0 and the offset of a counter's low word");
    is("counter", s_.counter[kNoCounter], 0, kNoCounter);
    for (int i = 0; i < SNI_TERMS; i++) {
      const SniLatency& l = s_.latency[i];
      const Part part(*this, "latency", i);
      that(l.min <= l.max || (l.min == UINT32_MAX && l.max == 0), "min", l.min,
           "legal is at most the maximum");
    }
    for (int i = 0; i < SNI_PAGES; i++) {
      const Part part(*this, "out_table", i);
      bits("opt0", s_.out_table[i][0], kTableEntries[0].mask(Access::rw));
      bits("opt1", s_.out_table[i][1], kTableEntries[1].mask(Access::rw));
    }
  }

  // The packets in the ring, one behind another from its head on, are what it counts.
  void fifo() {
    const uint32_t size = b_.config.fifo_words;
    in("fifo_packets", s_.fifo_packets, 0, s_.fifo_count / 2);
    in("open_words", s_.open_words, s_.open, SHRIMP_MAX_WORDS);
    if (!ok()) return;
    uint32_t at = s_.fifo_head, words = 0;
    for (uint32_t i = 0; i < s_.fifo_packets && ok(); i++) {
      const uint32_t second = (at + 1) % size;
      const Header h = Header::of(s_.fifo[at]);
      header("fifo", s_.fifo[at], int(at));
      that(!h.deliberate, "fifo", s_.fifo[at], "a deliberate update is never in the FIFO", int(at));
      if (h.stamped) in("fifo", s_.fifo[second], 0, kClockMask, int(second));
      time("fifo_time", s_.fifo_time[second], int(second));
      in("fifo_time", s_.fifo_time[at], 0, s_.fifo_time[second], int(at));
      words += h.fifo_words();
      that(words <= s_.fifo_count, "fifo_packets", s_.fifo_packets, "they are more words than fifo_count");
      at = (at + h.fifo_words()) % size;
    }
    if (!ok()) return;
    if (s_.open) words += open_packet(at);
    is("fifo_count", s_.fifo_count, words);
  }

  void link() {
    that(s_.sending_words == 0 || (s_.sending_words >= 2 && s_.sending_words <= kLargest), "sending_words",
         s_.sending_words, "legal are 0 and the words of a packet");
    if (!ok() || !s_.sending) return;
    in("link_free", s_.link_free, s_.sent_at, latest());  // the next packet leaves behind this one
    if (s_.sending == 1) {
      in("fifo_packets", s_.fifo_packets, 1, s_.fifo_count / 2);
      is("sending_words", s_.sending_words, Header::of(s_.fifo[s_.fifo_head]).fifo_words());
    } else {
      is("du_busy", s_.du_busy, 1);
      is("sending_words", s_.sending_words, 0);
    }
  }

  void deliberate() {
    bits("ud_bytes", s_.ud_bytes, 0x1ffc);
    in("du_words", s_.du_words, s_.du_busy, SHRIMP_MAX_WORDS);
    in("du_first", s_.du_first, 0, s_.du_last);
    if (!ok() || !s_.du_busy) return;
    const Header h = Header::of(s_.du_header);
    header("du_header", s_.du_header);
    that(h.deliberate && h.byte_enables == 15 && h.words == s_.du_words, "du_header", s_.du_header,
         "this is not the header of du_words words");
  }

  void receiver() {
    const uint32_t done = s_.done - s_.popped, granted = s_.granted - s_.done,
                   coming = s_.arrived - s_.granted;
    in("done", done, 0, SNI_FLIGHTS);
    in("granted", granted, 0, 1);
    in("arrived", coming, 0, SNI_FLIGHTS);
    in("arrived", s_.arrived - s_.popped, 0, SNI_FLIGHTS);
    if (is_loopback(b_.config)) is("credits_used", s_.credits_used, granted + coming);
    in("last_end", s_.last_end, 0, s_.last_landed);
    in("last_start", s_.last_start, 0, s_.last_end);
    that((b_.config.contention || s_.grant_late % kBclk == 0) && (s_.grant_late == 0 || (coming && !granted)),
         "grant_late", s_.grant_late,
         "legal are 0 and, while a packet waits for the bus, a clock edge of it");
    const uint64_t least = b_.config.contention ? 0 : s_.cpu_until - std::min(s_.cpu_until, 3 * kCpuBus);
    in("cpu_from", s_.cpu_from, least, s_.cpu_until);
    for (uint32_t i = s_.popped; ok() && i != s_.arrived; i++) flight(i);
  }

  void stands() {
    const uint64_t latest_stand = b_.config.contention ? latest() : 0;
    in("stands_until", s_.stands_until, 0, latest_stand);
    in("access_at", s_.access_at, 0, latest_stand);
    in("cycle_at", s_.cycle_at, 0, s_.cycles ? s_.stands_until : 0);  // if it has passed, it comes now
    for (uint32_t i = 0; ok() && i < s_.cycles; i++) {
      const SniCycle& c = s_.cycle[i];
      const Part part(*this, "cycle", int(i));
      members_ok(*this, c, b_.config);
      in("bytes", c.bytes, c.seen, c.seen ? SNI_CYCLE_BYTES : 4096);
      that(c.addr >> 52 == 0 && (c.addr & 0xfff) + c.bytes <= 4096, "addr", c.addr,
           "the cycle crosses a page");
    }
  }

  void backplane() {
    const Part mesh(*this, "mesh");
    for (uint32_t i = 0; ok() && i < s_.mesh.own; i++) {
      const SniWorm& worm = s_.mesh.sent[i];
      const Part part(*this, "sent", int(i));
      members_ok(*this, worm, b_.config);
      is("from", worm.from, coordinate(b_.config, b_.config.node));
      that(node_exists(b_, worm.to) && worm.to >> 12 == 0, "to", worm.to, "no node has this coordinate");
    }
  }

 private:
  // In the FIFO words; it is the last packet, at the ring's place `at`.
  uint32_t open_packet(uint32_t at) {
    const Header h = Header::of(s_.fifo[at]);
    is("open_at", s_.open_at, at);
    header("fifo", s_.fifo[at], int(at));
    that(h.words == 1 && h.byte_enables == 15 && !h.deliberate, "fifo", s_.fifo[at],
         "this is not the header of an open packet", int(at));
    in("fifo_time", s_.fifo_time[at], 0, s_.open_last, int(at));
    that(s_.open_next % 4 == 0 && s_.open_next <= kRam && s_.open_next >= 4ull * s_.open_words, "open_next",
         s_.open_next, "no word's address follows so many words");
    that(active(s_) && (s_.scr & bit::kAue), "open", s_.open, "legal is 0 while nothing is snooped");
    if (!ok()) return 0;
    // Its page's entry has not changed since it was opened: that would have closed it.
    const uint64_t first = s_.open_next - 4ull * s_.open_words;
    const uint32_t to = s_.out_table[first >> 12][0], how = s_.out_table[first >> 12][1];
    const uint64_t bytes = boundary_bytes(how);
    that((to & bit::kAu) && (how & bit::kComb), "open", s_.open, "its page does not combine");
    is("open_timed", s_.open_timed, (how & bit::kToe) != 0);
    is("open_limit", s_.open_limit, (first & ~(bytes - 1)) + bytes);
    in("open_next", s_.open_next, first + 4, s_.open_limit - 4);
    that(h.to == (to >> 16 & 0xfff) && h.key == key_of(how) &&
             h.address == ((to & 0x7fff) << 12 | (first & 0xffc)),
         "fifo", s_.fifo[at], "the open packet goes elsewhere than its page", int(at));
    if (h.stamped) in("fifo", s_.fifo[(at + 1) % b_.config.fifo_words], 0, kClockMask, int(at));
    return 1 + h.stamped + (s_.open_words + 1) / 2;
  }

  // A packet on its way; what the receiver works out is there once the bus is granted.
  void flight(uint32_t number) {
    const int i = int(number % SNI_FLIGHTS);
    const SniFlight& f = s_.flight[i];
    const Part part(*this, "flight", i);
    members_ok(*this, f, b_.config);
    header("header", f.header);
    in("first", f.first, 0, f.close);
    in("close", f.close, 0, f.ready);
    in("ready", f.ready, 0, f.leave);
    in("arrive", f.arrive, f.leave + kSend, latest());
    in("tail", f.tail, f.leave, latest());
    that(node_at(b_.config, f.sender) < b_.config.nodes && f.sender >> 12 == 0, "sender", f.sender,
         "no node has this coordinate");
    if (number - s_.popped >= s_.granted - s_.popped) return;
    in("start", f.start, f.arrive + kReceive + kSStart, f.end);
    in("end", f.end, f.start, f.landed);
    in("landed", f.landed, f.end, number - s_.popped < s_.done - s_.popped ? s_.now : latest());
    bits("entry", f.entry, kTableEntries[2].mask(Access::rw));
  }

  const SniBoard& b_;
  const SniState& s_;
};

}  // namespace
}  // namespace perfboard::sni

using namespace perfboard::sni;

bool sni_state_ok(const SniBoard* b, const SniState* image, char* why, uint32_t why_size) {
  Check check(*b, *image, why, why_size);
  if (!check.ok()) return false;
  check.registers();
  check.fifo();
  check.deliberate();
  check.link();
  check.receiver();
  check.stands();
  check.backplane();
  return check.ok();
}
