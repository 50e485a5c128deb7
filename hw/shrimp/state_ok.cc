// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SniState is one that the board can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include <algorithm>

#include "hw/core/state_check.h"
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

class Check : public StateCheck {
 public:
  Check(const SniBoard& b, const SniState& s, char* why, uint32_t size)
      : StateCheck(why, size), b_(b), s_(s), latest_(b.host.now(b.host.opaque) + kSoonNs) {}

  void time(const char* member, uint64_t t, int index = -1) { in(member, t, 0, latest_, index); }

  // A packet's header: what packs and unpacks to itself, stays in its page, and writes some byte.
  void header(const char* member, uint64_t word, int index = -1) {
    const Header h = Header::of(word);
    const bool one = h.words == 1;
    that(h.pack() == word && raw_words(word) == h.words && (h.address & 0xfff) + 4 * h.words <= 4096 &&
             (one ? h.byte_enables != 0 : h.byte_enables == 15),
         member, word, "this is no packet's header", index);
  }

  void registers() {
    bits("sbcr", s_.sbcr, writable(kIoRegisters, "SBCR"));
    bits("scr", s_.scr, writable(kRegisters, "SCR"));
    bits("sisr", s_.sisr, writable(kRegisters, "SISR"));
    bits("sier", s_.sier, writable(kRegisters, "SIER"));
    bits("fhwm", s_.fhwm, writable(kRegisters, "FHWM"));
    bits("flwm", s_.flwm, writable(kRegisters, "FLWM"));
    bits("ctor", s_.ctor, writable(kRegisters, "CTOR"));
    bits("dusa", s_.dusa, writable(kRegisters, "DUSA"));
    bits("duda", s_.duda, writable(kRegisters, "DUDA"));
    bits("dudn", s_.dudn, writable(kRegisters, "DUDN"));
    bits("duwc", s_.duwc, writable(kRegisters, "DUWC"));
    bits("udcr", s_.udcr, writable(kRegisters, "UDCR"));
    bits("rxpg", s_.rxpg, readable("RXPG"));
    bits("rxep", s_.rxep, readable("RXEP"));
    bits("clkh", s_.clkh, readable("CLKH"));
    const uint32_t at = s_.latch_offset;
    that(at == 0 || (at >= kCounters && at < kCountersEnd && at % 8 == 0) ||
             (at >= kTerms && at < kTermsEnd && at % 16 == 0),
         "latch_offset", at, "legal are 0 and the offset of a counter's low word");
    in("now", s_.now, 0, latest_);
    in("clock_base", s_.clock_base, 0, latest_);
    in("clock_start", s_.clock_start, 0, kClockMask);
    is("counter", s_.counter[kNoCounter], 0, kNoCounter);
    for (int i = 0; i < SNI_TERMS; i++) {
      const SniLatency& l = s_.latency[i];
      part("latency", i);
      that(l.min <= l.max || (l.min == UINT32_MAX && l.max == 0), "min", l.min,
           "legal is at most the maximum");
    }
    for (int i = 0; i < SNI_PAGES; i++) {
      part("out_table", i);
      bits("opt0", s_.out_table[i][0], kTableEntries[0].mask(Access::rw));
      bits("opt1", s_.out_table[i][1], kTableEntries[1].mask(Access::rw));
    }
    part(nullptr);
    for (int i = 0; i < SNI_PAGES; i++)
      bits("in_table", s_.in_table[i], kTableEntries[2].mask(Access::rw), i);
  }

  // The packets in the ring, one behind another from its head on, are what it counts.
  void fifo() {
    const uint32_t size = b_.config.fifo_words;
    in("fifo_head", s_.fifo_head, 0, size - 1);
    in("fifo_count", s_.fifo_count, 0, size);
    in("fifo_packets", s_.fifo_packets, 0, s_.fifo_count / 2);
    flag("fifo_was_high", s_.fifo_was_high);
    flag("open", s_.open);
    flag("open_timed", s_.open_timed);
    in("open_at", s_.open_at, 0, size - 1);
    in("open_words", s_.open_words, s_.open, SHRIMP_MAX_WORDS);
    time("open_last", s_.open_last);
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
    in("sending", s_.sending, 0, 2);
    in("credits_used", s_.credits_used, 0, SNI_CREDITS);
    that(s_.sending_words == 0 || (s_.sending_words >= 2 && s_.sending_words <= kLargest), "sending_words",
         s_.sending_words, "legal are 0 and the words of a packet");
    time("sent_at", s_.sent_at);
    time("link_free", s_.link_free);
    time("credit_at", s_.credit_at);
    if (!ok() || !s_.sending) return;
    in("link_free", s_.link_free, s_.sent_at, latest_);  // the next packet leaves behind this one
    if (s_.sending == 1) {
      in("fifo_packets", s_.fifo_packets, 1, s_.fifo_count / 2);
      is("sending_words", s_.sending_words, Header::of(s_.fifo[s_.fifo_head]).fifo_words());
    } else {
      is("du_busy", s_.du_busy, 1);
      is("sending_words", s_.sending_words, 0);
    }
  }

  void deliberate() {
    flag("du_busy", s_.du_busy);
    flag("du_user", s_.du_user);
    bits("ud_to", s_.ud_to, kProxyBytes - 4);
    bits("ud_from", s_.ud_from, kProxyBytes - 4);
    in("ud_bytes", s_.ud_bytes, 0, 4096);
    bits("ud_bytes", s_.ud_bytes, 0x1ffc);
    in("du_words", s_.du_words, s_.du_busy, SHRIMP_MAX_WORDS);
    in("du_timestamp", s_.du_timestamp, 0, kClockMask);
    time("du_last", s_.du_last);
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
    flag("any_before", s_.any_before);
    time("last_landed", s_.last_landed);
    in("last_end", s_.last_end, 0, s_.last_landed);
    in("last_start", s_.last_start, 0, s_.last_end);
    time("grant_late", s_.grant_late);
    that((b_.config.contention || s_.grant_late % kBclk == 0) && (s_.grant_late == 0 || (coming && !granted)),
         "grant_late", s_.grant_late,
         "legal are 0 and, while a packet waits for the bus, a clock edge of it");
    time("cpu_until", s_.cpu_until);
    const uint64_t least = b_.config.contention ? 0 : s_.cpu_until - std::min(s_.cpu_until, 3 * kCpuBus);
    in("cpu_from", s_.cpu_from, least, s_.cpu_until);
    for (uint32_t i = s_.popped; ok() && i != s_.arrived; i++) flight(i);
    part(nullptr);
  }

  void stands() {
    const bool may = b_.config.contention;
    in("stands_until", s_.stands_until, 0, may ? latest_ : 0);
    in("access_at", s_.access_at, 0, may ? latest_ : 0);
    in("cycles", s_.cycles, 0, may ? SNI_CYCLES : 0);
    in("cycle_at", s_.cycle_at, 0, s_.cycles ? s_.stands_until : 0);  // if it has passed, it comes now
    for (uint32_t i = 0; ok() && i < s_.cycles; i++) {
      const auto& [addr, bytes, seen, spare, data] = s_.cycle[i];
      any(spare, data);
      part("cycle", int(i));
      flag("seen", seen);
      in("bytes", bytes, seen, seen ? SNI_CYCLE_BYTES : 4096);
      that(addr >> 52 == 0 && (addr & 0xfff) + bytes <= 4096, "addr", addr, "the cycle crosses a page");
    }
    part(nullptr);
  }

  void backplane() {
    for (int i = 0; i < SNI_MESH_ROUTERS; i++) {
      part("mesh", i);
      for (const uint64_t t : s_.mesh.free[i]) time("free", t);
    }
    part("mesh");
    in("own", s_.mesh.own, 0, b_.config.links ? SNI_CREDITS : 0);
    any(s_.mesh.spare);
    for (uint32_t i = 0; ok() && i < s_.mesh.own; i++) {
      const auto& [first, length, from, to, spare] = s_.mesh.sent[i];
      any(spare);
      part("sent", int(i));
      time("first", first);
      in("length", length, 0, kSoonNs);
      is("from", from, coordinate(b_.config, b_.config.node));
      that(node_exists(b_, to) && to >> 12 == 0, "to", to, "no node has this coordinate");
    }
    part(nullptr);
  }

  void injected(const SniInjected& i) {
    const auto& [drop, damage, late_ns, fifo_overflow, network_stop, spare] = i;
    any(drop, damage, fifo_overflow, spare);
    part("injected");
    in("late_ns", late_ns, 0, SNI_INJECT_LATE_MOST);
    flag("network_stop", network_stop);
    part(nullptr);
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
    part("flight", i);
    const auto& [head, timestamp, first, close, ready, leave, arrive, tail, start, end, landed, sender, entry,
                 spare, payload] = f;
    any(spare, payload);
    header("header", head);
    in("timestamp", timestamp, 0, kClockMask);
    in("first", first, 0, close);
    in("close", close, 0, ready);
    in("ready", ready, 0, leave);
    in("leave", leave, 0, latest_);
    in("arrive", arrive, leave + kSend, latest_);
    in("tail", tail, leave, latest_);
    that(node_at(b_.config, sender) < b_.config.nodes && sender >> 12 == 0, "sender", sender,
         "no node has this coordinate");
    if (number - s_.popped >= s_.granted - s_.popped) return any(start, end, landed, entry);
    in("start", start, arrive + kReceive + kSStart, end);
    in("end", end, start, landed);
    in("landed", landed, end, number - s_.popped < s_.done - s_.popped ? s_.now : latest_);
    bits("entry", entry, kTableEntries[2].mask(Access::rw));
  }

  const SniBoard& b_;
  const SniState& s_;
  const uint64_t latest_;
};

}  // namespace
}  // namespace perfboard::sni

using namespace perfboard::sni;

bool sni_state_ok(const SniBoard* b, const SniState* image, char* why, uint32_t why_size) {
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [sbcr, scr, sisr, sier, fhwm, flwm, ctor, dusa, duda, dudn, duwc, udcr, rxpg, rxep, clkh, latch,
               latch_offset, now, clock_base, clock_start, counter, latency, fifo_head, fifo_count,
               fifo_packets, fifo_was_high, open, open_timed, spare0, open_at, open_words, open_next,
               open_limit, open_last, sending, credits_used, irq, spare1, sending_words, sent_at, link_free,
               credit_at, du_busy, du_user, spare2, du_words, du_header, du_timestamp, du_first, du_last,
               ud_to, ud_bytes, ud_from, spare5, popped, done, granted, arrived, any_before, spare4,
               last_start, last_end, last_landed, grant_late, cpu_from, cpu_until, stands_until, access_at,
               cycle_at, cycles, spare6, injected, next_event, armed, mapped_pages, combining_pages, snooping,
               spare3, out_table, in_table, in_counts, fifo, fifo_time, du_data, cycle, flight, mesh] =
      *image;
  Check check(*b, *image, why, why_size);
  // Any value is legal: nothing follows from these but what software reads.
  check.any(latch, counter, in_counts, du_data);
  // Any value is legal: sni_post_load() works these out again.
  check.any(irq, next_event, armed, mapped_pages, combining_pages, snooping);
  check.any(spare0, spare1, spare2, spare3, spare4, spare5, spare6);
  // The rest, in the order of the struct's parts.
  check.registers();
  check.fifo();
  check.deliberate();
  check.link();
  check.receiver();
  check.stands();
  check.injected(injected);
  check.backplane();
  return check.ok();
}
