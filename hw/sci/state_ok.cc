// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SciState is one that the adapters can be in.
#include "hw/model/state_check.h"
#include "hw/sci/fabric.h"
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

#define STATE_LIST "hw/sci/state.def"
#include "hw/model/state_legal.h"

// Of a load that the processor makes, as long as it is used.
void access_ok(StateCheck& check, bool used, uint8_t bytes, uint32_t offset, const char* rule) {
  check.that(used ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : bytes == 0, "bytes", bytes, rule);
  check.that(!used || !bytes || offset % bytes == 0, "offset", offset, "legal are multiples of bytes");
}
constexpr const char* kBytesOfWaiting = "legal are 1, 2, 4 and 8 of what waits";

// can: something can be held.
void held_ok(StateCheck& check, const SciAdapter* a, const SciHeld (&held)[SCI_HELD], bool can) {
  bool used = can;
  for (int i = 0; i < SCI_HELD; ++i) {
    const SciHeld& h = held[i];
    const StateCheck::Part part(check, "held", i);
    used &= h.waits != SCI_HELD_NONE;
    access_ok(check, used, h.bytes, h.offset, kBytesOfWaiting);
    members_ok(check, h, a->config, used);
    check.in("what", h.what, h.waits == SCI_HELD_LOCKED ? SCI_LOCK : SCI_READ, SCI_LOCK);
    check.in("until", h.until, h.since, check.latest());
  }
}

// can: something can be on its way.
void flight_ok(StateCheck& check, const SciAdapter* a, const SciFlight& f, uint64_t made, bool can) {
  const bool used = f.left && can;
  members_ok(check, f, a->config, used);
  if (!used) return;
  const unsigned passes = static_cast<Fate>(f.fate) == Fate::kLost ? 1u : is_answered(f.what) ? 4u : 2u;
  const bool alone = a->config.cluster;  // another node's machine has the others
  check.in("left", f.left, 0, alone ? 1 : passes);
  check.in("end", f.end, alone ? 1 : passes, alone ? SCI_PASSES : passes);
  check.that(f.from != f.to, "to", f.to, "what is at home is no transaction");
  check.in("line", f.line, 0, f.what == SCI_WRITE ? 1 : 0);
  check.that(!f.line || f.offset % SCI_LINE_BYTES == 0, "offset", f.offset, "legal are beginnings of lines");
  check.in("number", f.number, 0, made ? made - 1 : 0);
  for (unsigned i = 0; i < SCI_PASSES; ++i) {
    const auto index = static_cast<int>(i);
    const bool any = alone ? i + 1 == f.end : i < passes;
    check.in("at", f.at[i], any && i && !alone ? f.at[i - 1] : 0, any ? check.latest() : 0, index);
    check.that(f.at[i] % kBlink == 0, "at", f.at[i], "legal are edges of the B-Link's clock", index);
  }
}

void buffers_ok(StateCheck& check, const SciAdapter* a, const SciBuffer (&buffers)[SCI_MAX_BUFFERS],
                bool can) {
  const uint32_t n = can ? a->config.wc_buffers : 0;
  bool used = true;
  for (uint32_t i = 0; i < SCI_MAX_BUFFERS; ++i) {
    const auto& [bytes, line] = buffers[i];
    const StateCheck::Part part(check, "buffer", static_cast<int>(i));
    used &= i < n && bytes != 0;
    check.that(used || bytes == 0, "bytes", bytes, "legal is 0 behind the last used buffer");
    check.that(bytes != UINT64_MAX, "bytes", bytes, "a full buffer has left");
    members_ok(check, buffers[i], a->config, used);
    for (uint32_t k = 0; used && k < i; ++k)
      check.that(buffers[k].line != line, "line", line, "an older buffer has this line");
  }
}

void asked_ok(StateCheck& check, const SciAdapter* a, const SciAsked& q, uint64_t made) {
  const StateCheck::Part part(check, "asked");
  const bool used = q.waits != SCI_ASKED_NOT;
  access_ok(check, used, q.bytes, q.offset, kBytesOfWaiting);
  members_ok(check, q, a->config, used);
  check.that(q.what == SCI_READ || q.what == SCI_LOCK, "what", q.what, "legal are a read and a lock");
  check.in("number", q.number, 0, used && made ? made - 1 : 0);
  check.in("until", q.until, q.since, check.latest());
}

void cluster_ok(StateCheck& check, const SciAdapter* a, const SciCluster& c, uint64_t made) {
  const StateCheck::Part cluster(check, "cluster");
  const SciConfig& config = a->config;
  if (!config.cluster) return members_ok(check, c, config, false);
  asked_ok(check, a, c.asked, made);
  for (unsigned i = 0; i < SCI_MAX_NODES; ++i)
    check.in("sent_ns", c.sent_ns[i], 0, i < config.nodes ? check.latest() : 0, static_cast<int>(i));
  check.in("open_homes", c.open_homes, 0, (uint64_t{1} << config.nodes) - 1);
  check.that((c.release_ns != 0) == (c.open_homes != 0), "release_ns", c.release_ns,
             "legal is 0, if none is locked");
  bool done = true, locked = c.locked_by, opened = true, queued = c.locked_by;
  for (int i = 0; i < SCI_PIECES; ++i) {
    {
      const StateCheck::Part part(check, "done", i);
      done &= c.done[i].bytes != 0;
      access_ok(check, done, c.done[i].bytes, c.done[i].offset, "legal are 1, 2, 4 and 8 of a load");
      members_ok(check, c.done[i], config, done);
    }
    {
      const StateCheck::Part part(check, "locked", i);
      const auto& [enables, stored, offset] = c.locked[i];
      locked &= enables != 0;
      members_ok(check, c.locked[i], config, locked);
      check.that((stored & ~enables) == 0, "stored", stored, "legal are bytes that are locked");
      check.that(offset % 8 == 0, "offset", offset, "legal are multiples of 8");
    }
    const StateCheck::Part part(check, "open", i);
    opened &= c.open[i].home != 0;
    members_ok(check, c.open[i], config, opened);
  }
  for (unsigned i = 0; i < SCI_MAX_NODES; ++i) {
    const StateCheck::Part part(check, "waiting", static_cast<int>(i));
    queued &= c.waiting[i].node != 0;
    members_ok(check, c.waiting[i], config, queued);
  }
}

}  // namespace
}  // namespace perfboard::sci

using namespace perfboard::sci;
using perfboard::StateCheck;

bool sci_state_ok(const SciAdapter* a, const SciState* image, char* why, uint32_t why_size) {
  const SciState& s = *image;
  const uint32_t nodes = a->config.nodes, links = Topology(nodes, a->config.ringlet).links();
  const bool latency = a->config.latency;
  StateCheck check(why, why_size, a->host.now(a->host.opaque));
  const uint64_t soon = check.latest();
  members_ok(check, s, a->config);
  for (uint32_t i = 0; i < SCI_MAX_PAGES; ++i)
    check.in("home", s.home[i], 0, i < pages(a->config) ? nodes - 1 : 0, static_cast<int>(i));
  for (uint32_t i = 0; i < SCI_MAX_NODES; ++i) {
    const SciNode& node = s.node[i];
    const StateCheck::Part part(check, "node", static_cast<int>(i));
    const bool there = i < nodes;
    check.is("count", node.count[kOutstanding], 0, kOutstanding);
    check.in("blink_ns", node.blink_ns, 0, there ? soon : 0);
    check.that(node.blink_ns % kBlink == 0, "blink_ns", node.blink_ns,
               "legal are edges of the B-Link's clock");
    check.in("trans", node.trans, 0, there ? kTransIds / (a->config.cluster ? nodes : 1) - 1 : 0);
    check.member("ends", node.ends, perfboard::legal::up_to(latency && there ? soon : 0));
    check.in("out_ns", node.out_ns, 0, latency && there ? soon : 0);
    held_ok(check, a, node.held, latency && s.enabled && there);
    buffers_ok(check, a, node.buffer, there && s.enabled);
  }
  for (uint32_t i = 0; i < SCI_LINES; ++i) {
    const bool there = latency && (i < links || (i >= SCI_LINKS && i < SCI_LINKS + nodes));
    const StateCheck::Part part(check, "line", static_cast<int>(i));
    members_ok(check, s.line[i], a->config, there);
    const uint64_t now = soon - perfboard::kSoonNs;
    check.in("first", s.line[i].first, 0, there ? (now + kLongestQueue) / kSymbol / 64 : 0);
    check.in("tail", s.line[i].tail, 0, there ? soon / kSymbol : 0);
  }
  for (int i = 0; i < SCI_READERS; ++i)
    check.that(s.latched[i] == 0 || (s.latched[i] > kStatisticsBase && s.latched[i] % 8 == 1), "latched",
               s.latched[i], "legal are 0 and the offset of a lower half, + 1", i);
  check.in("made", s.made, 0, latency ? UINT64_MAX : 0);
  for (int i = 0; i < SCI_FLIGHTS; ++i) {
    const StateCheck::Part part(check, "flight", i);
    flight_ok(check, a, s.flight[i], s.made, latency);
  }
  cluster_ok(check, a, s.cluster, s.made);
  return check.ok();
}
