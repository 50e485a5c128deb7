// SPDX-License-Identifier: GPL-2.0-or-later
//
// The three stages in virtual time (A.1): README.md, Pipeline. Stage 1 samples a packet from its first word
// to its end of data; it is slow enough that no more than one ever waits in Stage 2.
#include <algorithm>
#include <cassert>

#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint64_t kCarry = uint64_t{1} << 44;
// Words of a packet that are not payload: header and timestamp, 64 bits each.
constexpr uint32_t kHeaderWords = 4;
constexpr uint32_t kSizeMask = 0x3ff;

// PCLR.CAT as it was at time t. Stage 1 samples it with the first word. So the packets in the pipeline,
// three at most, keep the category from before a change of PCLR (p. 57).
uint8_t category_at(const SurfState& s, uint64_t t) {
  constexpr const Field& cat = field("PCLR.CAT");
  uint8_t category = static_cast<uint8_t>(cat.get(s.pclr));
  for (int i = 0; i < SURF_CATEGORY_HISTORY && t < s.category_until_ns[i]; ++i)
    category = s.category_before[i];
  return category;
}

SurfPipePacket sample(const SurfState& s, const ShrimpPacket& p) {
  return {
      .start_ns = p.start_ns,
      .stage2_ns = 0,
      .stage3_ns = 0,
      .done_ns = 0,
      .receive_time = receive_ticks(s, p.start_ns) & kTimeMask,
      .timestamp = p.timestamp & kTimeMask,
      .address = p.address,
      .sender = static_cast<uint16_t>(p.sender & 0xfff),
      .words = static_cast<uint16_t>(p.words & kSizeMask),
      .color = p.color,
      .interrupt = p.interrupt,
      .byte_enables = p.byte_enables,
      .category = category_at(s, p.start_ns),
      .remote_category = static_cast<uint8_t>(p.first_word >> 28),
      // "When a packet arrives" (p. 56). INFERRED: that is the moment of its receive time.
      .ext_input = ext_input_at(s, p.start_ns),
  };
}

void finish(SurfBoard* b, const SurfPipePacket& p) {
  SurfState& s = b->state;
  const Record r = make_record(p, s.acdr);
  tell_effect(b, effect("packet"), r.size);
  if (r.latency.over) {
    s.iscr |= bits("ISCR.LV");
    tell_effect(b, effect("latency-overflow"));
  }
  if (r.latency.under) {
    s.iscr |= bits("ISCR.LU");
    tell_effect(b, effect("latency-underflow"), p.timestamp - p.receive_time);
  }
  if (s.htcr & bits("HTCR.WEN")) {
    // INFERRED: a packet has at least one word, so a size of 0 counts as 1024.
    const uint32_t before = s.wcdr;
    s.wcdr += r.size ? r.size : 1024;
    if (s.wcdr < before) {
      s.iscr |= bits("ISCR.WCV");
      tell_effect(b, effect("words-wrapped"));
    }
  }
  Qualifiers q = {.ext_input = p.ext_input != 0, .bin_overflow = false};
  if (s.htcr & bits("HTCR.HEN")) q.bin_overflow = histogram_count(b, has_address(&s.has, has_inputs(r)));
  if (s.htcr & bits("HTCR.TEN")) trace_packet(b, r, q);
}

void pop_front(SurfBoard* b) {
  SurfState& s = b->state;
  const SurfPipePacket p = s.pipe[0];
  --s.pipe_count;
  std::copy(s.pipe + 1, s.pipe + 1 + s.pipe_count, s.pipe);
  finish(b, p);
}

// Stage 1 has seen the end of data.
void hand_over(SurfBoard* b, SurfPipePacket p, uint64_t end_ns) {
  SurfState& s = b->state;
  // More packets than stages: the caller is ahead of the present. The oldest packet is done early.
  if (s.pipe_count == SURF_PIPE_PACKETS) pop_front(b);
  p.stage2_ns = std::max(p.start_ns, end_ns);
  p.stage3_ns = std::max(p.stage2_ns + kStage2Ns, s.stage3_free_ns);
  p.done_ns = p.stage3_ns + kStage3Ns;
  s.stage3_free_ns = p.done_ns;
  s.stage1_free_ns = std::max(p.start_ns + kMinPeriodNs, p.stage2_ns + kMinGapNs);
  s.led_stage1_until_ns = p.stage2_ns + kLedFlashNs;
  s.led_stage2_until_ns = p.stage3_ns + kLedFlashNs;
  s.pipe[s.pipe_count++] = p;
}

}  // namespace

uint64_t receive_ticks(const SurfState& s, uint64_t t) {
  const int64_t elapsed = static_cast<int64_t>(t) - s.clock_base_ns;
  constexpr int64_t tick = kTickNs;
  // t is before clock_base_ns if a global reset came while the packet was under way: then this is the
  // time until the reset, negative and rounded down; the caller cuts it to 44 bits.
  return static_cast<uint64_t>(elapsed >= 0 ? elapsed / tick : -((tick - 1 - elapsed) / tick));
}

void category_changed(SurfState& s, uint64_t now, uint32_t before) {
  constexpr const Field& cat = field("PCLR.CAT");
  if (cat.get(before) == cat.get(s.pclr)) return;
  std::copy_backward(s.category_until_ns, s.category_until_ns + SURF_CATEGORY_HISTORY - 1,
                     s.category_until_ns + SURF_CATEGORY_HISTORY);
  std::copy_backward(s.category_before, s.category_before + SURF_CATEGORY_HISTORY - 1,
                     s.category_before + SURF_CATEGORY_HISTORY);
  // A snapshot's last change may be a moment ahead (state_ok.cc).
  s.category_until_ns[0] = std::max(now, s.category_until_ns[1]);
  s.category_before[0] = static_cast<uint8_t>(cat.get(before));
}

// README.md, "No end of data" and "Pipeline reset".
void pipeline_accept(SurfBoard* b, ShrimpPacket p) {
  SurfState& s = b->state;
  assert(p.words >= 1 && p.words <= SHRIMP_MAX_WORDS);
  if (!enabled(s) || s.htcr & bits("HTCR.PRS")) return;
  if (!inject_packet(b, p)) return;
  if (s.open_valid) {
    s.open.words = static_cast<uint16_t>((s.open.words + kHeaderWords + p.words) & kSizeMask);
    tell_effect(b, effect("packet-joined"), s.open.words);
    if (!p.eod) return;
    s.open_valid = 0;
    hand_over(b, s.open, p.end_ns);
    return;
  }
  // It was under way when the pipeline was released.
  if (p.start_ns < s.ready_ns) return;
  if (p.start_ns < s.stage1_free_ns) {
    s.iscr |= bits("ISCR.PV");
    tell_effect(b, effect("packet-dropped"));
    return;
  }
  if (!p.eod) {
    s.open = sample(s, p);
    s.open_valid = 1;
    return;
  }
  hand_over(b, sample(s, p), p.end_ns);
}

void pipeline_reset(SurfState& s) {
  s.pipe_count = 0;
  s.open_valid = 0;
  s.stage1_free_ns = 0;
  s.stage3_free_ns = 0;
}

void advance(SurfBoard* b, uint64_t now) {
  SurfState& s = b->state;
  while (s.pipe_count && s.pipe[0].done_ns <= now) pop_front(b);
  if (static_cast<int64_t>(now) < s.clock_base_ns || receive_ticks(s, now) < kCarry) return;
  if (!(s.iscr & bits("ISCR.RTV"))) tell_effect(b, effect("receive-time-wrapped"));
  s.iscr |= bits("ISCR.RTV");
}

}  // namespace perfboard::surf
