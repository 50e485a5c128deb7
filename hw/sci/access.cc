// SPDX-License-Identifier: GPL-2.0-or-later
//
// A processor's access to the window: what it becomes, and whether it waits.
#include <algorithm>

#include "hw/sci/model.h"
#include "hw/sci/pieces.h"

namespace perfboard::sci {
namespace {

sci_what what_of(const SciAccess& a) {
  if (a.locked) return a.store ? SCI_UNLOCK : SCI_LOCK;
  return a.store ? SCI_WRITE : SCI_READ;
}

Transaction transaction(const SciAdapter* a, const SciAccess& access, uint64_t offset, uint32_t bytes) {
  const uint8_t* const data =
      access.data ? access.data + (offset - access.offset) : a->config.memory + offset;
  return {offset,
          what_of(access),
          static_cast<uint8_t>(access.vcpu),
          home_of(a, offset),
          enables_of(offset, bytes),
          false,
          data};
}

bool is_node_or_logged(SciAdapter* a, uint32_t vcpu) {
  if (is_node(a, vcpu)) return true;
  if (!a->derived.strange_vcpu)
    log_mistake(a, kStrangeVcpu,
                "vCPU %u accesses the window and is no node (0 to %u): its accesses stay local", vcpu,
                a->config.nodes - 1);
  a->derived.strange_vcpu = true;
  return false;
}

// --- latency=on: a piece that may have to wait -----------------------------------------------------------

// When the processor has its data, or gives up.
uint64_t answered_at(const SciAccess& access, const Schedule& s, Fate fate) {
  if (fate == Fate::kLost) return access.ns + kTimeout;
  return s.ends + (fate == Fate::kLate ? kLateBy : 0);
}

SciHeld planned(const Transaction& t, const SciAccess& access, const Schedule& s, uint64_t until, Fate fate) {
  SciHeld h = {.waits = 1,
               .what = static_cast<uint8_t>(t.what),
               .bytes = static_cast<uint8_t>(access.bytes),
               .to = t.to,
               .offset = static_cast<uint32_t>(access.offset),
               .since = access.ns,
               .until = until,
               .ends = s.ends,
               .fate = static_cast<uint8_t>(fate)};
  std::copy(std::begin(s.at), std::end(s.at), h.at);
  return h;
}

bool is_held(const SciHeld& h, const SciAccess& access) {
  return h.waits && h.what == what_of(access) && h.bytes == access.bytes && h.offset == access.offset;
}

void forget_lock(SciNode& n) {
  for (SciHeld& h : n.lock) h = {};
}

// A locked load's pieces, ascending. If it begins anew, its store has faulted, and what there is of it goes.
void keep_lock(SciNode& n, const SciHeld& h) {
  SciHeld* const end =
      std::find_if(std::begin(n.lock), std::end(n.lock), [](const SciHeld& x) { return !x.waits; });
  const bool goes_on = end != n.lock && end != std::end(n.lock) && end[-1].offset + end[-1].bytes == h.offset;
  if (goes_on) {
    *end = h;
  } else {
    forget_lock(n);
    n.lock[0] = h;
  }
}

// The store has come, so the load was not in vain.
void tell_lock(SciAdapter* a, uint8_t node, uint64_t now) {
  SciNode& n = a->state.node[node];
  for (const SciHeld& h : n.lock)
    if (h.waits)
      emit(
          a,
          {h.offset, SCI_LOCK, node, h.to, enables_of(h.offset, h.bytes), false, a->config.memory + h.offset},
          now, h.at, static_cast<Fate>(h.fate));
  forget_lock(n);
}

void finish(SciAdapter* a, const SciAccess& access, const SciHeld& h) {
  const auto node = static_cast<uint8_t>(access.vcpu);
  SciNode& n = a->state.node[node];
  if (h.what == SCI_LOCK) return keep_lock(n, h);
  if (!is_answered(h.what)) put_outstanding(n, h.ends);
  Transaction t = transaction(a, access, access.offset, access.bytes);
  t.to = h.to;
  emit(a, t, access.ns, h.at, static_cast<Fate>(h.fate));
}

sci_result made_again(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  SciNode& n = a->state.node[access.vcpu];
  const SciHeld h = n.held;
  if (access.can_wait && access.ns < h.until) {
    *until = h.until;
    return SCI_WAIT;
  }
  n.held = {};
  n.count[kWait] += h.until - h.since;
  finish(a, access, h);
  return SCI_DONE;
}

sci_result with_latency(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  const Transaction t = transaction(a, access, access.offset, access.bytes);
  SciNode& n = a->state.node[t.from];
  const bool queued = t.what != SCI_UNLOCK && all_outstanding(n, access.ns);
  if (queued) tell_effect(a, kAllOutstanding, t.from);
  const uint64_t begin = queued ? next_end(n) : access.ns;
  const Schedule s = schedule(a, t, access.ns, begin);
  const Fate fate = next_fate(a);
  const SciHeld h = planned(t, access, s, is_answered(t.what) ? answered_at(access, s, fate) : begin, fate);
  if (access.can_wait && h.until > access.ns) {
    *until = h.until;
    n.held = h;
    return SCI_WAIT;
  }
  finish(a, access, h);
  return SCI_DONE;
}

}  // namespace

void post(SciAdapter* a, const Transaction& t, uint64_t ns) {
  const Fate fate = next_fate(a);
  if (!a->config.latency) return emit(a, t, ns, schedule(a, t, ns, ns).at, fate);
  SciNode& n = a->state.node[t.from];
  const Schedule s = schedule(a, t, ns, all_outstanding(n, ns) ? next_end(n) : ns);
  put_outstanding(n, s.ends);
  emit(a, t, ns, s.at, fate);
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

sci_result sci_access(SciAdapter* a, const SciAccess* access, uint64_t* until) {
  if (!a->state.enabled || !is_node_or_logged(a, access->vcpu)) return SCI_DONE;
  const auto node = static_cast<uint8_t>(access->vcpu);
  SciNode& n = a->state.node[node];
  if (is_held(n.held, *access)) return made_again(a, *access, until);
  if (a->config.latency) {
    n.held = {};
    if (!access->locked) forget_lock(n);
    if (access->locked && access->store) tell_lock(a, node, access->ns);
  }
  if (access->store && access->write_combining && !access->locked && a->config.wc_buffers) {
    each_piece(access->offset, access->bytes, true,
               [&](uint64_t offset, uint32_t bytes) { combine(a, node, access->ns, offset, bytes); });
    return SCI_DONE;
  }
  drain(a, node, access->ns);
  if (home_of(a, access->offset) == node) return SCI_DONE;
  if (a->config.latency) return with_latency(a, *access, until);
  each_piece(access->offset, access->bytes, access->store, [&](uint64_t offset, uint32_t bytes) {
    const Transaction t = transaction(a, *access, offset, bytes);
    emit(a, t, access->ns, schedule(a, t, access->ns, access->ns).at, next_fate(a));
  });
  return SCI_DONE;
}

void sci_drain(SciAdapter* a, uint64_t ns, uint32_t vcpu) {
  if (is_node(a, vcpu)) drain(a, static_cast<uint8_t>(vcpu), ns);
}

bool sci_holds(const SciAdapter* a) { return a->derived.filled != 0; }

// Most accesses are to pages at home, and many processors make them at once: nobody holds a lock here.
bool sci_stays(const SciAdapter* a, const SciAccess* access) {
  const auto present = [](const auto& member) { return __atomic_load_n(&member, __ATOMIC_RELAXED); };
  return access->vcpu < a->config.nodes &&
         present(a->state.home[access->offset / SCI_PAGE_BYTES]) == access->vcpu &&
         !present(a->derived.filled) && !(access->store && access->write_combining);
}
