// SPDX-License-Identifier: GPL-2.0-or-later
//
// Other machines: an access of this machine's processor. At home it is made at once; in another node's memory
// a store is posted, and a load waits until the response is there.
//
// The processor waits in the middle of its access, and makes it again when told. So there is one at a time. A
// response that does not come within kPatience never does: its home has left the cluster, or was reset.
// INFERRED: the processor gets ones then, as from a PCI bus on which nobody answers.
#include <algorithm>
#include <cstring>

#include "hw/sci/model.h"
#include "hw/sci/timing.h"

namespace perfboard::sci {
namespace {

// Other nodes' locks may each last for TIMEOUT, and so may those that they wait for.
constexpr uint64_t kPatience = 100 * kTimeout;

uint8_t own(const SciAdapter* a) { return static_cast<uint8_t>(a->config.node); }

uint8_t enables(const SciAccess& access) { return enables_of(access.offset, access.bytes); }

uint64_t stored(const SciAccess& access) {
  uint64_t data = 0;
  for (uint32_t i = 0; i < access.bytes; ++i) data |= uint64_t{access.data[i]} << 8 * (access.offset % 8 + i);
  return data;
}

sci_result loaded(const SciAccess& access, uint64_t data) {
  for (uint32_t i = 0; i < access.bytes; ++i)
    access.loaded[i] = static_cast<uint8_t>(data >> 8 * (access.offset % 8 + i));
  return SCI_DONE;
}

// --- what is waited for ---

SciAsked& ask(SciAdapter* a, const SciAccess& access, uint8_t home) {
  SciAsked& q = a->state.cluster.asked;
  q = {.waits = SCI_ASKED_WAITS,
       .what = static_cast<uint8_t>(what_of(access)),
       .bytes = static_cast<uint8_t>(access.bytes),
       .home = home,
       .offset = static_cast<uint32_t>(access.offset),
       .number = 0,
       .since = access.ns,
       .least = access.ns,
       .until = access.ns + kPatience + 2 * uint64_t{a->config.cable_ns} * a->config.nodes,
       .data = UINT64_MAX};
  return q;
}

bool is_asked(const SciAsked& q, const SciAccess& access) {
  return q.waits && q.what == what_of(access) && q.bytes == access.bytes && q.offset == access.offset;
}

sci_result wait(uint64_t ns, uint64_t* until) {
  *until = ns;
  return SCI_WAIT;
}

// An instruction may load more than once. If it is given up while one waits, it is begun again, and the loads
// that it has made are not.
SciDone* find_done(SciCluster& c, const SciAccess& access) {
  SciDone* const end = std::end(c.done);
  SciDone* const d = std::find_if(c.done, end, [&](const SciDone& x) {
    return !x.bytes || (x.bytes == access.bytes && x.offset == access.offset && x.locked == access.locked);
  });
  return d == end || !d->bytes ? nullptr : d;
}

sci_result remember(SciAdapter* a, const SciAccess& access, uint64_t data) {
  SciCluster& c = a->state.cluster;
  SciDone* const d =
      std::find_if(std::begin(c.done), std::end(c.done), [](const SciDone& x) { return !x.bytes; });
  if (d != std::end(c.done))
    *d = {.bytes = static_cast<uint8_t>(access.bytes),
          .locked = access.locked,
          .offset = static_cast<uint32_t>(access.offset),
          .data = data};
  c.done_ns = access.ns;
  return loaded(access, data);
}

// Time until then counts as waiting.
sci_result finish(SciAdapter* a, const SciAccess& access) {
  const SciAsked q = a->state.cluster.asked;
  a->state.cluster.asked = {};
  a->state.node[own(a)].count[kWait] += q.until - q.since;
  if (q.waits == SCI_ASKED_ANSWERED && q.what == SCI_LOCK) open_lock(a, q.home, q.offset, access.ns);
  return remember(a, access, q.data);
}

// --- at home ---

sci_result at_home(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  SciFlight f = {};
  f.what = static_cast<uint8_t>(what_of(access));
  f.from = f.to = own(a);
  f.enables = enables(access);
  f.offset = static_cast<uint32_t>(access.offset);
  switch (f.what) {
    case SCI_WRITE:
      store_at_home(a, access.offset, f.enables, stored(access));
      return SCI_DONE;
    case SCI_UNLOCK:
      f.data[0] = stored(access);
      unlock_at_home(a, {f, close_lock(a, own(a), access.offset)}, access.ns);
      return SCI_DONE;
    case SCI_LOCK:
      f.number = a->state.made++;
      if (!lock_at_home(a, f)) {
        SciAsked& q = ask(a, access, own(a));
        q.number = f.number;
        return wait(q.until, until);
      }
      open_lock(a, own(a), access.offset, access.ns);
      break;
    default:
      break;
  }
  return remember(a, access, load_at_home(a, access.offset, f.enables));
}

// --- elsewhere ---

// Until fewer than 64 are outstanding.
bool must_wait(SciAdapter* a, uint64_t ns, uint64_t* until) {
  SciNode& n = a->state.node[own(a)];
  if (!all_outstanding(n, ns)) return false;
  *until = next_end(n);
  n.count[kWait] += *until - ns;
  tell_effect(a, effect("all-outstanding"), own(a));
  return true;
}

Transaction transaction(const SciAdapter* a, const SciAccess& access, const uint8_t* data) {
  return {access.offset, what_of(access), own(a), home_of(a, access.offset), enables(access), false, data};
}

sci_result load_elsewhere(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  const Transaction t = transaction(a, access, a->config.memory);
  const Leaves leaves = leave(a, t, access.ns, access.ns);
  SciAsked& q = ask(a, access, t.to);
  q.number = leaves.number;
  if (leaves.lost)
    q.until = q.least = access.ns + kTimeout;
  else
    q.least = leaves.arrives + least_answer(a->config);
  return wait(q.until, until);
}

// What another node's memory has got is kept here, too: a write-combining buffer takes it from there when it
// leaves.
sci_result store_elsewhere(SciAdapter* a, const SciAccess& access) {
  const Transaction t = transaction(a, access, access.data);
  if (!access.locked) {
    post(a, t, access.ns);
    return SCI_DONE;
  }
  const bool last = close_lock(a, t.to, access.offset);
  const Leaves leaves = leave(a, t, access.ns, access.ns, last);
  put_outstanding(a->state.node[t.from], leaves.ends);
  if (last && leaves.lost) open_lock(a, t.to, access.offset, access.ns);  // the home is still locked
  return SCI_DONE;
}

sci_result combines(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  if (must_wait(a, access.ns, until)) return SCI_WAIT;
  store_at_home(a, access.offset, enables(access), stored(access));
  combine(a, own(a), access.ns, access.offset, access.bytes);
  return SCI_DONE;
}

}  // namespace

void answered(SciAdapter* a, const SciFlight& response, uint64_t now, uint64_t until) {
  SciAsked& q = a->state.cluster.asked;
  const uint8_t home = response.from == own(a) ? response.to : response.from;
  if (q.waits != SCI_ASKED_WAITS || q.number != response.number || q.what != response.what ||
      q.home != home) {
    if (response.what == SCI_LOCK) release(a, home, now);  // nobody waits for it any more
    return;
  }
  q.waits = SCI_ASKED_ANSWERED;
  q.least = q.until = until;
  q.data = response.data[0];
  a->config.moved(a->config.opaque, until);
}

sci_result access_of_node(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  SciCluster& c = a->state.cluster;
  SciAsked& q = c.asked;
  release_overdue(a, access.ns);
  tell_due(a, access.ns);
  if (is_asked(q, access)) return access.ns < q.until ? wait(q.until, until) : finish(a, access);
  if (q.waits) {
    if (const SciDone* const d = access.store ? nullptr : find_done(c, access))
      return loaded(access, d->data);
    if (access.ns < q.least) return wait(q.least, until);  // so it was promised (remote.cc)
    q = {};                                                // it is never made again
  }
  if (access.ns != c.done_ns) std::fill(std::begin(c.done), std::end(c.done), SciDone{});
  if (!a->state.enabled) {
    if (access.store) store_at_home(a, access.offset, enables(access), stored(access));
    return access.store ? SCI_DONE : loaded(access, load_at_home(a, access.offset, enables(access)));
  }
  if (access.store && access.write_combining && !access.locked && a->config.wc_buffers)
    return combines(a, access, until);
  if (a->derived.filled) drain(a, own(a), access.ns);
  if (home_of(a, access.offset) == own(a)) return at_home(a, access, until);
  if (!(access.store && access.locked) && must_wait(a, access.ns, until)) return SCI_WAIT;
  return access.store ? store_elsewhere(a, access) : load_elsewhere(a, access, until);
}

}  // namespace perfboard::sci
