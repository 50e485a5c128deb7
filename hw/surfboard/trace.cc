// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace subsystem: TTCR.MODE and QUAL, HTCR.TEN and TRG, TICR, TECR, TPIR (3.5, A.6, A.7). What each mode
// records and counts, and why: README.md, Trace.
//
// TC is set when TEN is 1 and its cause is there after a packet or after a write to TECR, TTCR or HTCR.
// INFERRED: a write to ACDR does not set it. While the configuration is shifted, TSIZE has all values
// in turn, and TECR would look full to one of them.
#include "hw/model/bytes.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kTecrMax = field("TECR.DATA").mask();

enum Mode { kBeginning, kMiddle, kEnd };

Mode mode(const SurfState& s) {
  constexpr const Field& f = field("TTCR.MODE");
  const uint32_t m = f.get(s.ttcr);
  return m == 0 ? kBeginning : m == 1 ? kMiddle : kEnd;
}

bool qualifies(const SurfState& s, Qualifiers q) {
  constexpr const Field& f = field("TTCR.QUAL");
  const uint32_t qual = f.get(s.ttcr);
  if (qual == 0) return true;
  return (qual & 1 && q.ext_input) || (qual & 2 && q.bin_overflow);
}

void store(SurfBoard* b, uint32_t index, const Record& r) {
  const uint32_t bytes = surf_memory_bytes(b, SURF_MEM_TRACE);
  if (bytes == 0) return;
  const uint32_t offset = index * kEntryBytes & (bytes - 1);
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
    case kMiddle:
      return s.tecr >= trace_entries(s);
    default:
      return s.htcr & bits("HTCR.TRG");
  }
}

void trace_latch_complete(SurfBoard* b) {
  SurfState& s = b->state;
  if (!(s.htcr & bits("HTCR.TEN")) || !trace_complete(s) || s.iscr & bits("ISCR.TC")) return;
  s.iscr |= bits("ISCR.TC");
  tell_effect(b, effect("trace-complete"), s.tecr);
}

void trace_set_triggered(SurfState& s, bool trace_was_enabled) {
  s.htcr |= bits("HTCR.TRG");
  if (trace_was_enabled) s.iscr |= bits("ISCR.TP");
}

void trace_packet(SurfBoard* b, const Record& r, Qualifiers q) {
  SurfState& s = b->state;
  const Mode m = mode(s);
  const uint32_t mask = trace_entries(s) - 1;
  const uint32_t index = s.ticr & mask;
  const bool complete = trace_complete(s);
  if (!(s.htcr & bits("HTCR.TRG")) && qualifies(s, q)) {
    trace_set_triggered(s, true);
    s.tpir = index;
    tell_effect(b, effect("triggered"), index);
  }
  const bool triggered = s.htcr & bits("HTCR.TRG");
  if (complete || (m == kBeginning && !triggered)) return;
  store(b, index, r);
  tell_effect(b, effect("packet-recorded"), index);
  s.ticr = (s.ticr & ~mask) | ((index + 1) & mask);
  const uint32_t most = m == kMiddle && !triggered ? trace_entries(s) / 2 : kTecrMax;
  if (s.tecr < most) ++s.tecr;
  trace_latch_complete(b);
}

}  // namespace perfboard::surf
