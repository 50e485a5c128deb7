// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SciState is one that the adapters can be in.
#include "hw/core/state_check.h"
#include "hw/sci/lines.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

// soon: the latest legal time; 0: nothing can be held.
void held_ok(StateCheck& check, const SciAdapter* a, const SciHeld& h, uint32_t node, uint64_t soon) {
  const auto& [waits, what, bytes, to, offset, since, until, at, ends, fate] = h;
  const uint32_t nodes = a->config.nodes;
  const bool can = waits && node < nodes && soon;
  check.in("waits", waits, 0, node < nodes && soon ? 1 : 0);
  check.in("what", what, 0, can ? SCI_LOCK : 0);
  check.that(can ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : bytes == 0, "bytes", bytes,
             "legal are 1, 2, 4 and 8 of what waits");
  check.in("to", to, 0, can ? nodes - 1 : 0);
  check.that(!can || to != node, "to", to, "what is at home does not wait");
  check.in("offset", offset, 0, can ? a->config.size - 1 : 0);
  check.that(!can || !bytes || offset % bytes == 0, "offset", offset, "legal are multiples of bytes");
  check.in("since", since, 0, can ? soon : 0);
  check.in("until", until, since, can ? soon : 0);
  for (int i = 0; i < SCI_PASSES; ++i) {
    check.in("at", at[i], 0, can ? soon : 0, i);
    check.that(at[i] % kBlink == 0, "at", at[i], "legal are edges of the B-Link's clock", i);
  }
  check.in("ends", ends, 0, can ? soon : 0);
  check.in("fate", fate, 0, can ? static_cast<unsigned>(Fate::kDamaged) : 0);
}

void buffers_ok(StateCheck& check, const SciAdapter* a, const SciBuffer (&buffers)[SCI_MAX_BUFFERS],
                bool can) {
  const uint32_t n = can ? a->config.wc_buffers : 0;
  bool used = true;
  for (uint32_t i = 0; i < SCI_MAX_BUFFERS; ++i) {
    const auto& [bytes, line] = buffers[i];
    const auto index = static_cast<int>(i);
    used &= i < n && bytes != 0;
    check.that(used || bytes == 0, "bytes", bytes, "legal is 0 behind the last used buffer", index);
    check.that(bytes != UINT64_MAX, "bytes", bytes, "a full buffer has left", index);
    check.in("line", line, 0, used ? a->config.size / SCI_LINE_BYTES - 1 : 0, index);
    for (uint32_t k = 0; used && k < i; ++k)
      check.that(buffers[k].line != line, "line", line, "an older buffer has this line", index);
  }
}

void line_ok(StateCheck& check, const SciLine& l, uint64_t soon) {
  const auto& [first, tail, busy] = l;
  check.in("first", first, 0, soon ? (soon - kSoonNs + kLongestQueue) / kSymbol / 64 : 0);
  check.in("tail", tail, 0, soon / kSymbol);
  for (int i = 0; i < SCI_CALENDAR / 64; ++i) check.in("busy", busy[i], 0, soon ? UINT64_MAX : 0, i);
}

}  // namespace
}  // namespace perfboard::sci

using namespace perfboard::sci;

bool sci_state_ok(const SciAdapter* a, const SciState* image, char* why, uint32_t why_size) {
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [enabled, home, node, line, latch, latched, inject] = *image;
  const uint32_t nodes = a->config.nodes, links = Topology(nodes, a->config.ringlet).links();
  const bool latency = a->config.latency;
  const uint64_t soon = a->host.now(a->host.opaque) + perfboard::kSoonNs;
  perfboard::StateCheck check(why, why_size);
  check.any(latch, line);
  check.flag("enabled", enabled);
  for (uint32_t i = 0; i < SCI_MAX_PAGES; ++i)
    check.in("home", home[i], 0, i < pages(a->config) ? nodes - 1 : 0, static_cast<int>(i));
  for (uint32_t i = 0; i < SCI_MAX_NODES; ++i) {
    const auto& [count, blink_ns, trans, ends, held, lock, buffer] = node[i];
    const auto index = static_cast<int>(i);
    check.part("node", index);
    check.any(count);
    check.is("count", count[kOutstanding], 0, kOutstanding);
    check.in("blink_ns", blink_ns, 0, i < nodes ? soon : 0);
    check.that(blink_ns % kBlink == 0, "blink_ns", blink_ns, "legal are edges of the B-Link's clock");
    check.in("trans", trans, 0, i < nodes ? kTransIds - 1 : 0);
    for (int k = 0; k < SCI_OUTSTANDING; ++k)
      check.in("ends", ends[k], 0, latency && i < nodes ? soon : 0, k);
    check.part("held", index);
    held_ok(check, a, held, i, latency && enabled ? soon : 0);
    check.part("lock", index);
    bool any = true;
    for (const SciHeld& h : lock) {
      held_ok(check, a, h, i, latency && enabled ? soon : 0);
      any &= h.waits;
      check.that(any || !h.waits, "waits", h.waits, "legal is 0 behind the last piece");
      check.that(!h.waits || h.what == SCI_LOCK, "what", h.what, "legal is a lock");
    }
    check.part("buffer", index);
    buffers_ok(check, a, buffer, i < nodes && enabled);
  }
  check.part(nullptr);
  for (uint32_t i = 0; i < SCI_LINES; ++i) {
    const bool there = latency && (i < links || (i >= SCI_LINKS && i < SCI_LINKS + nodes));
    check.part("line", static_cast<int>(i));
    line_ok(check, image->line[i], there ? soon : 0);
  }
  check.part(nullptr);
  for (uint32_t i = 0; i < SCI_READERS; ++i) {
    const auto index = static_cast<int>(i);
    check.in("latched", latched[i], 0, kStatisticsBase + kStatisticsStep * nodes, index);
    check.that(latched[i] == 0 || (latched[i] > kStatisticsBase && latched[i] % 8 == 1), "latched",
               latched[i], "legal are 0 and the offset of a lower half, + 1", index);
  }
  const auto& [drop, late, damage, stop] = inject;
  check.part("inject");
  check.any(drop, late, damage);
  check.flag("stop", stop);
  return check.ok();
}
