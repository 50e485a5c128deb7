// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers and page tables: which is where, what it holds, and what reading and writing it do besides.
#include <algorithm>

#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"

namespace perfboard::sni {
namespace {

uint32_t epir(const SniBoard* b, const Part&) { return b->config.product_id; }
uint32_t ssr(const SniBoard* b, const Part&) {
  const SniState& s = b->state;
  return s.open | (s.fifo_count >= b->config.fifo_words) << 1 | above_high_water(s) << 2 |
         (s.fifo_count <= s.flwm) << 3 | (s.fifo_count == 0) << 4 | s.du_busy << 5 |
         (s.granted != s.popped) << 6;
}
uint32_t sisr(const SniBoard* b, const Part&) { return b->state.sisr | uint32_t{b->state.irq} << 31; }
uint32_t node(const SniBoard* b, const Part&) {
  return uint32_t{b->config.node} << 16 | coordinate(b->config, b->config.node);
}
uint32_t mesh(const SniBoard* b, const Part&) {
  const SniConfig& c = b->config;
  return uint32_t{c.nodes} << 16 | uint32_t(c.nodes + c.mesh_width - 1) / c.mesh_width << 8 | c.mesh_width;
}
uint32_t fsize(const SniBoard* b, const Part&) { return b->config.fifo_words; }
uint32_t clkl(const SniBoard* b, const Part& p) { return uint32_t(sni_clock(b, p.now)); }

// A counter's value, or a term's sum.
uint64_t wide(const SniState& s, const Register* r) {
  if (among(kCounterRegisters, r)) return s.counter[(r->offset - kCounters) / 8];
  return s.latency[(r->offset - kTerms) / 16].sum;
}

// 64 bits, half by half: reading the low half latches the high one.
uint32_t half(const SniBoard* b, const Part& p) {
  const uint64_t value = wide(b->state, p.place.reg);
  if (p.place.index == 0) return uint32_t(value);
  return b->state.latch_offset == p.place.reg->offset ? b->state.latch : uint32_t(value >> 32);
}

uint32_t term(const SniBoard* b, const Part& p) {
  const SniLatency& l = b->state.latency[(p.place.reg->offset - kTerms) / 16];
  return p.place.index < 2 ? half(b, p) : p.place.index == 2 ? l.min : l.max;
}

uint32_t word_of(const Part& p) { return p.place.reg == &kTableEntries[1]; }
uint32_t outgoing(const SniBoard* b, const Part& p) { return b->state.out_table[p.place.index][word_of(p)]; }
uint32_t incoming(const SniBoard* b, const Part& p) {
  return b->state.in_table[p.place.index] | p.place.reg->reset();  // COLOR01
}

uint32_t clkl_read(SniBoard* b, const Part& p) {
  const uint64_t clock = sni_clock(b, p.now);
  b->state.clkh = uint32_t(clock >> 32);
  return uint32_t(clock);
}

uint32_t half_read(SniBoard* b, const Part& p) {
  SniState& s = b->state;
  const uint32_t low = p.place.reg->offset;
  if (p.place.index == 0) {
    s.latch_offset = low;
    s.latch = uint32_t(wide(s, p.place.reg) >> 32);
  } else if (p.place.index == 1 && s.latch_offset != low) {
    log_mistake(b, mistake("high-word-first"), "read of register 0x%05x: its low word was not read before",
                low + 4);
  }
  return half(b, p);
}

uint32_t term_read(SniBoard* b, const Part& p) { return p.place.index < 2 ? half_read(b, p) : term(b, p); }

// SBCR or SCR changed what the board does.
void mode_changed(SniBoard& b, bool was_active, bool was_snooping) {
  SniState& s = b.state;
  refresh_snooping(b);
  if (was_snooping && !s.snooping) close_packet(b, ENDF, s.now);
  if (!was_active && active(s)) s.link_free = std::max(s.link_free, s.now);
  s.next_event = 0;
  if (was_snooping != bool(s.snooping) && b.config.observe) b.config.observe(b.config.opaque, 0, SNI_PAGES);
}

void sbcr_written(SniBoard* b, const Part& p, uint32_t value) {
  SniState& s = b->state;
  const bool was_active = active(s), was_snooping = s.snooping;
  if (s.irq && (p.old ^ value) & 0x700) {
    s.irq = 0;  // the old line goes down before IRLEV names another
    b->host.set_irq(b->host.opaque, false);
  }
  s.sbcr = value;
  mode_changed(*b, was_active, was_snooping);
  if (p.old != value && b->config.remap) b->config.remap(b->config.opaque);
}

void scr_written(SniBoard* board, const Part& p, uint32_t value) {
  SniBoard& b = *board;
  SniState& s = b.state;
  const bool was_active = active(s), was_snooping = s.snooping;
  s.scr = value & p.place.reg->mask(Access::rw);
  mode_changed(b, was_active, was_snooping);
  if (value & bit::kFlush) close_packet(b, ENDF, s.now);
  if (value & bit::kGrst) global_reset(b, s.now);
  if (value & bit::kCrst) {
    for (uint64_t& c : s.counter) c = 0;
    for (SniLatency& l : s.latency) l = {0, UINT32_MAX, 0};
    s.latch_offset = 0;
    tell_effect(&b, effect("counters-cleared"));
  }
}

void sisr_written(SniBoard* b, const Part& p, uint32_t value) {
  b->state.sisr = value & p.place.reg->mask(Access::w1c);
}

void sier_written(SniBoard* b, const Part&, uint32_t value) {
  if (value && kIrqOfLevel[b->state.sbcr >> 8 & 7] == 0)
    log_mistake(b, mistake("no-line"), "SIER: an interrupt enabled while SBCR.IRLEV names no line");
}

void fhwm_written(SniBoard* b, const Part& p, uint32_t) {
  watch_high_water(*b, b->state.fifo_count >= p.old);
}
void flwm_written(SniBoard* b, const Part&, uint32_t) { watch_low_water(*b); }
void ctor_written(SniBoard* b, const Part& p, uint32_t) {
  if (timeout_at(b->state) < p.now) close_packet(*b, ENDT, p.now);
}
void udcr_written(SniBoard* b, const Part& p, uint32_t value) {
  if ((p.old ^ value) & ~bit::kHold && b->config.remap) b->config.remap(b->config.opaque);
}
void duwc_written(SniBoard* b, const Part& p, uint32_t) { start_deliberate(*b, p.now); }

void outgoing_written(SniBoard* board, const Part& p, uint32_t fresh) {
  SniBoard& b = *board;
  SniState& s = b.state;
  const uint32_t page = uint32_t(p.place.index), word = word_of(p);
  if (fresh == p.old) return;
  if (word == 0 && fresh & bit::kAu && !node_exists(b, fresh >> 16 & 0xfff))
    log_mistake(&b, mistake("no-such-node"), "OPT0: page %u is mapped to %03x, where no node is", page,
                fresh >> 16 & 0xfff);
  if (word == 1 && (fresh >> 1 & 7) > 4)
    log_mistake(&b, mistake("reserved-boundary"), "OPT1: page %u: BOUND %u acts as 4", page, fresh >> 1 & 7);
  const SniWants wanted = sni_wants(&b);
  const bool au = s.out_table[page][0] & bit::kAu, comb = s.out_table[page][1] & bit::kComb;
  if (s.open && (s.open_next - 4) >> 12 == page) close_packet(b, ENDF, s.now);
  if (s.ud_to >> 12 == page) s.ud_bytes = 0;  // a half-made pair is of the entry that it found
  s.out_table[page][word] = fresh;
  const bool au_now = s.out_table[page][0] & bit::kAu, comb_now = s.out_table[page][1] & bit::kComb;
  if (au != au_now) tell_effect(&b, au_now ? effect("page-mapped") : effect("page-unmapped"), page);
  s.mapped_pages += au_now - au;
  s.combining_pages += (au_now && comb_now) - (au && comb);
  if ((au != au_now || wanted != sni_wants(&b)) && b.config.observe)
    b.config.observe(b.config.opaque, page, 1);
}

void incoming_written(SniBoard* b, const Part& p, uint32_t value) {
  b->state.in_table[p.place.index] = value & p.place.reg->mask(Access::rw);
}

constexpr Row kIoRows[] = {{"EPIR", epir}, {"SBCR", shown<&SniState::sbcr>, nullptr, sbcr_written}};
constexpr Row kRows[] = {
    {"SCR", shown<&SniState::scr>, nullptr, scr_written},
    {"SSR", ssr},
    {"SISR", sisr, nullptr, sisr_written},
    {"SIER", kept<&SniState::sier>, nullptr, sier_written},
    {"NODE", node},
    {"MESH", mesh},
    {"FSIZE", fsize},
    {"FCNT", kept<&SniState::fifo_count>},
    {"FHWM", kept<&SniState::fhwm>, nullptr, fhwm_written},
    {"FLWM", kept<&SniState::flwm>, nullptr, flwm_written},
    {"CTOR", kept<&SniState::ctor>, nullptr, ctor_written},
    {"CLKL", clkl, clkl_read},
    {"CLKH", kept<&SniState::clkh>},
    {"RXPG", kept<&SniState::rxpg>},
    {"RXEP", kept<&SniState::rxep>},
    {"DUSA", kept<&SniState::dusa>},
    {"DUDA", kept<&SniState::duda>},
    {"DUDN", kept<&SniState::dudn>},
    {"DUWC", kept<&SniState::duwc>, nullptr, duwc_written},
    {"UDCR", kept<&SniState::udcr>, nullptr, udcr_written},
};
constexpr Row kCounterRows[] = {{"TXP..BWR", half, half_read}};
constexpr Row kTermRows[] = {{"COMB..TOTAL", term, term_read}};
constexpr Row kEntryRows[] = {
    {"OPT0..OPT1", outgoing, nullptr, outgoing_written},
    {"IPT", incoming, nullptr, incoming_written},
    {"IPC", shown<&SniState::in_counts>},
};

Place entry(const Register& reg, uint32_t index, uint32_t byte) {
  return {.reg = &reg, .index = static_cast<int>(index), .byte = byte};
}

}  // namespace

constexpr Behaviours<Row> kBehaviours[5] = {
    behaviours<kIoRegisters, kIoRows>,           behaviours<kRegisters, kRows>,
    behaviours<kCounterRegisters, kCounterRows>, behaviours<kTermRegisters, kTermRows>,
    behaviours<kTableEntries, kEntryRows>,
};

Place place_at(unsigned window, uint64_t offset) {
  const auto word = static_cast<uint32_t>(offset & ~uint64_t{3});
  const uint32_t byte = offset & 3;
  if (window == kSlotWindow && offset < kSlotBytes) return {.reg = find(kIoRegisters, word), .byte = byte};
  if (window != kRegisterWindow || offset >= kWindowBytes) return {.byte = byte};
  if (word >= kCounters && word < kCountersEnd) {
    const Register* const r = find(kCounterRegisters, word & ~7u);
    return r ? entry(*r, word >> 2 & 1, byte) : Place{.byte = byte};
  }
  if (word >= kTerms && word < kTermsEnd)
    return entry(kTermRegisters[(word - kTerms) / 16], word >> 2 & 3, byte);
  if (word >= kOutTable && word < kInTable)
    return entry(kTableEntries[word >> 2 & 1], (word - kOutTable) / 8, byte);
  if (word >= kInTable && word < kInCounts) return entry(kTableEntries[2], (word - kInTable) / 4, byte);
  if (word >= kInCounts && word < kInCountsEnd) return entry(kTableEntries[3], (word - kInCounts) / 4, byte);
  return {.reg = find(kRegisters, word), .byte = byte};
}

}  // namespace perfboard::sni
