// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace subsystem: TTCR.MODE and QUAL, HTCR.TEN and TRG, TICR, TECR, TPIR (3.5, A.6, A.7).
//
// A qualifying packet while TRG is 0 is the trigger packet: it sets TRG and ISCR.TP and leaves its
// index in TPIR. What is recorded, and what TECR counts:
//
//   MODE 00  from the trigger packet on, until TECR is the buffer's size
//   MODE 01  always, until TECR is half the buffer's size; TECR counts from the trigger packet on
//   MODE 10  always, up to and with the trigger packet; TECR counts every packet
//
// INFERRED: in MODE 01 the trigger packet is the first of the half that TECR counts, so a full buffer
// holds as many packets before it as from it on; what lies before the trigger shows in the presence
// bits. In MODE 10 TECR stays at its largest value. MODE 11 (reserved) acts as MODE 10.
// TC is set when TEN is 1 and the underlying condition holds after a packet or a write to TECR, TTCR or
// HTCR. INFERRED: not after one to ACDR, which passes through every TSIZE as it is shifted: TECR would
// look full to one of them.
#include "hw/core/bytes.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kEntryBytes = 16;
constexpr uint32_t kTecrMax = field("TECR.DATA").mask();

enum Mode { kBeginning, kMiddle, kEnd };

Mode mode(const SurfState& s) {
  constexpr const Field& f = field("TTCR.MODE");
  const uint32_t m = f.get(s.ttcr);
  return m == 0 ? kBeginning : m == 1 ? kMiddle : kEnd;
}

bool qualifies(const SurfState& s, bool bin_overflowed) {
  constexpr const Field& f = field("TTCR.QUAL");
  const uint32_t qual = f.get(s.ttcr);
  if (qual == 0) return true;
  // INFERRED: the input counts as it is when the packet comes to Stage 3's end, where it is recorded.
  return (qual & 1 && ext_input(s)) || (qual & 2 && bin_overflowed);
}

void store(SurfBoard* b, uint32_t index, const Record& r) {
  if (b->config.trace_bytes == 0) return;
  const uint32_t offset = index * kEntryBytes & (b->config.trace_bytes - 1);
  uint8_t* entry = b->config.trace + offset;
  for (uint32_t word : trace_words(r)) {
    store_le32(entry, word);
    entry += 4;
  }
  b->config.wrote(b->config.opaque, SURF_MEM_TRACE, offset, kEntryBytes);
}

}  // namespace

uint32_t trace_entries(const SurfState& s) {
  constexpr const Field& f = field("SHIFT.TSIZE");
  const uint32_t tsize = f.get(s.acdr);
  return tsize == 0 ? 16u : 1u << (16 + 2 * tsize);
}

bool trace_complete(const SurfState& s) {
  switch (mode(s)) {
    case kBeginning:
      return s.tecr >= trace_entries(s);
    case kMiddle:
      return s.tecr >= trace_entries(s) / 2;
    default:
      return s.htcr & bits("HTCR.TRG");
  }
}

void trace_latch_complete(SurfState& s) {
  if (s.htcr & bits("HTCR.TEN") && trace_complete(s)) s.iscr |= bits("ISCR.TC");
}

void trace_set_triggered(SurfState& s, bool trace_was_enabled) {
  s.htcr |= bits("HTCR.TRG");
  if (trace_was_enabled) s.iscr |= bits("ISCR.TP");
}

void trace_packet(SurfBoard* b, const Record& r, bool bin_overflowed) {
  SurfState& s = b->state;
  const Mode m = mode(s);
  const uint32_t mask = trace_entries(s) - 1;
  const uint32_t index = s.ticr & mask;
  const bool complete = trace_complete(s);
  if (!(s.htcr & bits("HTCR.TRG")) && qualifies(s, bin_overflowed)) {
    trace_set_triggered(s, true);
    s.tpir = index;
  }
  const bool triggered = s.htcr & bits("HTCR.TRG");
  if (complete || (m == kBeginning && !triggered)) return;
  store(b, index, r);
  s.ticr = (s.ticr & ~mask) | ((index + 1) & mask);
  if ((m == kEnd || triggered) && s.tecr < kTecrMax) ++s.tecr;
  trace_latch_complete(s);
}

}  // namespace perfboard::surf
