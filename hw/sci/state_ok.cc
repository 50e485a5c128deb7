// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SciState is one that the adapters can be in.
#include "hw/core/state_check.h"
#include "hw/sci/lines.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

// soon: the latest legal time; 0: nothing can be held.
void held_ok(StateCheck& check, const SciAdapter* a, const SciHeld (&held)[SCI_HELD], uint64_t soon) {
  bool used = soon;
  for (int i = 0; i < SCI_HELD; ++i) {
    const auto& [waits, what, bytes, offset, since, until] = held[i];
    used &= waits != SCI_HELD_NONE;
    check.in("waits", waits, SCI_HELD_NONE, used ? SCI_HELD_LOCKED : SCI_HELD_NONE, i);
    check.in("what", what, waits == SCI_HELD_LOCKED ? SCI_LOCK : SCI_READ, used ? SCI_LOCK : SCI_READ, i);
    check.that(used ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : bytes == 0, "bytes", bytes,
               "legal are 1, 2, 4 and 8 of what waits", i);
    check.in("offset", offset, 0, used ? a->config.size - 1 : 0, i);
    check.that(!used || !bytes || offset % bytes == 0, "offset", offset, "legal are multiples of bytes", i);
    check.in("since", since, 0, used ? soon : 0, i);
    check.in("until", until, since, used ? soon : 0, i);
  }
}

bool is_unused(const SciFlight& f) {
  uint64_t any =
      f.left | f.end | f.what | f.from | f.to | f.enables | f.line | f.trans | f.fate | f.offset | f.number;
  for (const uint64_t at : f.at) any |= at;
  for (const uint64_t data : f.data) any |= data;
  return !any;
}

// soon: 0: nothing can be on its way.
void flight_ok(StateCheck& check, const SciAdapter* a, const SciFlight& f, uint64_t made, uint64_t soon) {
  const auto& [left, end, what, from, to, enables, line, trans, fate, offset, number, at, data] = f;
  const bool used = left && soon;
  const unsigned passes = static_cast<Fate>(fate) == Fate::kLost ? 1u : is_answered(what) ? 4u : 2u;
  const unsigned last = used ? a->config.nodes - 1 : 0;
  const bool alone = used && a->config.cluster;  // another node's machine has the others
  check.in("left", left, 0, !soon ? 0 : a->config.cluster ? 1 : passes);
  check.in("end", end, used ? (alone ? 1 : passes) : 0, used ? (alone ? SCI_PASSES : passes) : 0);
  check.in("what", what, 0, used ? SCI_UNLOCK : 0);
  check.in("from", from, 0, last);
  check.in("to", to, 0, last);
  check.that(!used || from != to, "to", to, "what is at home is no transaction");
  check.in("enables", enables, 0, used ? UINT8_MAX : 0);
  check.in("line", line, 0, used && what == SCI_WRITE ? 1 : 0);
  check.in("trans", trans, 0, used ? kTransIds - 1 : 0);
  check.in("fate", fate, 0, used ? static_cast<unsigned>(Fate::kDamaged) : 0);
  check.in("offset", offset, 0, used ? a->config.size - 1 : 0);
  check.that(!line || offset % SCI_LINE_BYTES == 0, "offset", offset, "legal are beginnings of lines");
  check.in("number", number, 0, used && made ? made - 1 : 0);
  for (unsigned i = 0; i < SCI_PASSES; ++i) {
    const bool any = used && (alone ? i + 1 == end : i < passes);
    check.in("at", at[i], any && i && !alone ? at[i - 1] : 0, any ? soon : 0, static_cast<int>(i));
    check.that(at[i] % kBlink == 0, "at", at[i], "legal are edges of the B-Link's clock",
               static_cast<int>(i));
  }
  for (int i = 0; i < SCI_LINE_BYTES / 8; ++i) check.in("data", data[i], 0, used ? UINT64_MAX : 0, i);
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

// In the adapters of one machine all is 0. soon: as above.
void asked_ok(StateCheck& check, const SciAdapter* a, const SciAsked& q, uint64_t made, uint64_t soon) {
  const auto& [waits, what, bytes, home, offset, number, since, least, until, data] = q;
  const bool used = waits != SCI_ASKED_NOT && soon;
  const uint64_t latest = used ? soon : 0;
  check.part("cluster.asked");
  check.in("waits", waits, SCI_ASKED_NOT, soon ? SCI_ASKED_ANSWERED : SCI_ASKED_NOT);
  check.that(what == SCI_READ || (what == SCI_LOCK && used), "what", what, "legal are a read and a lock");
  check.that(used ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : bytes == 0, "bytes", bytes,
             "legal are 1, 2, 4 and 8 of what waits");
  check.in("home", home, 0, used ? a->config.nodes - 1 : 0);
  check.in("offset", offset, 0, used ? a->config.size - 1 : 0);
  check.that(!used || !bytes || offset % bytes == 0, "offset", offset, "legal are multiples of bytes");
  check.in("number", number, 0, used && made ? made - 1 : 0);
  check.in("since", since, 0, latest);
  check.in("least", least, 0, latest);
  check.in("until", until, since, latest);
  check.in("data", data, 0, used ? UINT64_MAX : 0);
}

void cluster_ok(StateCheck& check, const SciAdapter* a, const SciCluster& c, uint64_t made, uint64_t soon) {
  const auto& [sent_ns, asked, done, done_ns, locked_by, locked, waiting, open, open_homes, release_ns] = c;
  const uint64_t nodes = soon ? a->config.nodes : 0, last = soon ? a->config.size - 1 : 0;
  asked_ok(check, a, asked, made, soon);
  check.part("cluster");
  for (unsigned i = 0; i < SCI_MAX_NODES; ++i)
    check.in("sent_ns", sent_ns[i], 0, i < nodes ? soon : 0, static_cast<int>(i));
  check.in("done_ns", done_ns, 0, soon);
  check.in("locked_by", locked_by, 0, nodes);
  check.in("release_ns", release_ns, 0, soon);
  check.in("open_homes", open_homes, 0, (uint64_t{1} << nodes) - 1);
  check.that((release_ns != 0) == (open_homes != 0), "release_ns", release_ns,
             "legal is 0, if none is locked");
  bool used = locked_by, opened = soon, queued = locked_by, made_before = soon;
  for (int i = 0; i < SCI_PIECES; ++i) {
    const auto& [bytes, lock, from, data] = done[i];
    check.part("cluster.done", i);
    made_before &= bytes != 0;
    check.that(made_before ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : bytes == 0, "bytes",
               bytes, "legal are 1, 2, 4 and 8 of a load");
    check.in("locked", lock, 0, made_before);
    check.in("offset", from, 0, made_before ? last : 0);
    check.that(!bytes || from % bytes == 0, "offset", from, "legal are multiples of bytes");
    check.in("data", data, 0, made_before ? UINT64_MAX : 0);
    const auto& [enables, stored, piece] = locked[i];
    check.part("cluster.locked", i);
    used &= enables != 0;
    check.in("enables", enables, 0, used ? UINT8_MAX : 0);
    check.that((stored & ~enables) == 0, "stored", stored, "legal are bytes that are locked");
    check.in("offset", piece, 0, used ? last : 0);
    check.that(piece % 8 == 0, "offset", piece, "legal are multiples of 8");
    const auto& [home, load] = open[i];
    check.part("cluster.open", i);
    opened &= home != 0;
    check.in("home", home, 0, opened ? nodes : 0);
    check.in("offset", load, 0, opened ? last : 0);
  }
  for (unsigned i = 0; i < SCI_MAX_NODES; ++i) {
    const auto& [who, enables, trans, piece, number] = waiting[i];
    check.part("cluster.waiting", static_cast<int>(i));
    queued &= who != 0;
    check.in("node", who, 0, queued ? nodes : 0);
    check.in("enables", enables, 0, queued ? UINT8_MAX : 0);
    check.in("trans", trans, 0, queued ? kTransIds - 1 : 0);
    check.in("offset", piece, 0, queued ? last : 0);
    check.in("number", number, 0, queued ? UINT64_MAX : 0);
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
  const auto& [enabled, home, node, line, latch, latched, made, flight, inject, cluster] = *image;
  const uint32_t nodes = a->config.nodes, links = Topology(nodes, a->config.ringlet).links();
  const bool latency = a->config.latency;
  const uint64_t soon = a->host.now(a->host.opaque) + perfboard::kSoonNs;
  perfboard::StateCheck check(why, why_size);
  check.any(latch, line);
  check.flag("enabled", enabled);
  for (uint32_t i = 0; i < SCI_MAX_PAGES; ++i)
    check.in("home", home[i], 0, i < pages(a->config) ? nodes - 1 : 0, static_cast<int>(i));
  for (uint32_t i = 0; i < SCI_MAX_NODES; ++i) {
    const auto& [count, blink_ns, trans, ends, out_ns, held, buffer] = node[i];
    const auto index = static_cast<int>(i);
    check.part("node", index);
    check.any(count);
    check.is("count", count[kOutstanding], 0, kOutstanding);
    check.in("blink_ns", blink_ns, 0, i < nodes ? soon : 0);
    check.that(blink_ns % kBlink == 0, "blink_ns", blink_ns, "legal are edges of the B-Link's clock");
    check.in("trans", trans, 0, i < nodes ? kTransIds / (a->config.cluster ? nodes : 1) - 1 : 0);
    for (int k = 0; k < SCI_OUTSTANDING; ++k)
      check.in("ends", ends[k], 0, latency && i < nodes ? soon : 0, k);
    check.in("out_ns", out_ns, 0, latency && i < nodes ? soon : 0);
    check.part("held", index);
    held_ok(check, a, held, latency && enabled && i < nodes ? soon : 0);
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
  check.in("made", made, 0, latency ? UINT64_MAX : 0);
  for (uint32_t i = 0; i < SCI_FLIGHTS; ++i) {
    if (is_unused(flight[i])) continue;
    check.part("flight", static_cast<int>(i));
    flight_ok(check, a, flight[i], made, latency ? soon : 0);
  }
  check.part(nullptr);
  const auto& [drop, late, damage, stop] = inject;
  check.part("inject");
  check.any(drop, late, damage);
  check.flag("stop", stop);
  cluster_ok(check, a, cluster, made, a->config.cluster ? soon : 0);
  return check.ok();
}
