// SPDX-License-Identifier: GPL-2.0-or-later
//
// A processor's access to the window: what it becomes, and whether it waits.
#include <algorithm>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

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

void log_stranger(SciAdapter* a, uint32_t vcpu) {
  if (!a->derived.strange_vcpu)
    log_mistake(a, mistake("strange-vcpu"),
                "vCPU %u accesses the window and is no node (0 to %u): its accesses stay local", vcpu,
                a->config.nodes - 1);
  a->derived.strange_vcpu = true;
}

// --- latency=on: a piece that may have to wait -----------------------------------------------------------

// When the processor has its data, or gives up.
uint64_t answered_at(uint64_t now, const Sent& sent) {
  if (sent.fate == Fate::kLost) return now + kTimeout;
  return sent.times.ends + (sent.fate == Fate::kLate ? kLateBy : 0);
}

// What the node keeps of accesses that are to be made again, or of a locked load whose store is to come: the
// oldest first.
SciHeld* find_held(SciNode& n, unsigned what, const SciAccess& access) {
  SciHeld* const end = std::end(n.held);
  SciHeld* const h = std::find_if(n.held, end, [&](const SciHeld& x) {
    return !x.waits || (x.what == what && x.bytes == access.bytes && x.offset == access.offset);
  });
  return h != end && h->waits ? h : nullptr;
}

void drop_held(SciNode& n, SciHeld* h) {
  std::move(h + 1, std::end(n.held), h);
  *std::prev(std::end(n.held)) = {};
}

// The oldest one is forgotten if there are too many: if it is made again, that is a new access.
void keep_held(SciNode& n, const SciAccess& access, uint8_t waits, uint64_t until) {
  if (std::prev(std::end(n.held))->waits) drop_held(n, n.held);
  SciHeld* const h =
      std::find_if(std::begin(n.held), std::end(n.held), [](const SciHeld& x) { return !x.waits; });
  *h = {.waits = waits,
        .what = static_cast<uint8_t>(what_of(access)),
        .bytes = static_cast<uint8_t>(access.bytes),
        .offset = static_cast<uint32_t>(access.offset),
        .since = access.ns,
        .until = until};
}

// A locked load stays until its store comes: the instruction may be begun again in between, if that faults.
sci_result made_again(SciNode& n, const SciAccess& access, SciHeld* h, uint64_t* until) {
  if (h->waits == SCI_HELD_LOCKED) return SCI_DONE;
  if (access.can_wait && access.ns < h->until) {
    *until = h->until;
    return SCI_WAIT;
  }
  n.count[kWait] += h->until - h->since;
  if (h->what == SCI_LOCK)
    h->waits = SCI_HELD_LOCKED;
  else
    drop_held(n, h);
  return SCI_DONE;
}

sci_result load(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  const Transaction t = transaction(a, access, access.offset, access.bytes);
  SciNode& n = a->state.node[t.from];
  const bool queued = all_outstanding(n, access.ns);
  if (queued) tell_effect(a, effect("all-outstanding"), t.from);
  const uint64_t answered = answered_at(access.ns, send(a, t, access.ns, queued ? next_end(n) : access.ns));
  if (access.can_wait && answered > access.ns) {
    keep_held(n, access, SCI_HELD_WAITS, answered);
    *until = answered;
    return SCI_WAIT;
  }
  if (t.what == SCI_LOCK) keep_held(n, access, SCI_HELD_LOCKED, access.ns);
  return SCI_DONE;
}

// While 64 are outstanding it does not even begin.
sci_result store(SciAdapter* a, const SciAccess& access, uint64_t* until) {
  SciNode& n = a->state.node[access.vcpu];
  if (!access.locked && all_outstanding(n, access.ns)) {
    tell_effect(a, effect("all-outstanding"), access.vcpu);
    if (access.can_wait) {
      *until = next_end(n);
      keep_held(n, access, SCI_HELD_WAITS, *until);
      return SCI_WAIT;
    }
  }
  post(a, transaction(a, access, access.offset, access.bytes), access.ns);
  return SCI_DONE;
}

// Whether all is done with it: it has been made before, as a load whose transaction has begun, or it still
// waits.
bool is_known(SciAdapter* a, const SciAccess& access, uint64_t* until, sci_result* result) {
  SciNode& n = a->state.node[access.vcpu];
  tell_due(a, access.ns);
  if (access.store && access.locked) {
    if (SciHeld* const lock = find_held(n, SCI_LOCK, access)) drop_held(n, lock);
    return false;
  }
  SciHeld* const h = find_held(n, what_of(access), access);
  if (!h) return false;
  *result = made_again(n, access, h, until);
  return !access.store || *result == SCI_WAIT;
}

}  // namespace

sci_what what_of(const SciAccess& a) {
  if (a.locked) return a.store ? SCI_UNLOCK : SCI_LOCK;
  return a.store ? SCI_WRITE : SCI_READ;
}

void post(SciAdapter* a, const Transaction& t, uint64_t ns) {
  SciNode& n = a->state.node[t.from];
  const bool queued = a->config.latency && t.what != SCI_UNLOCK && all_outstanding(n, ns);
  const uint64_t begin = queued ? next_end(n) : ns;
  const uint64_t ends = a->config.cluster ? leave(a, t, ns, begin).ends : send(a, t, ns, begin).times.ends;
  if (a->config.latency) put_outstanding(n, ends);
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

sci_result sci_access(SciAdapter* a, const SciAccess* access, uint64_t* until) {
  if (a->config.cluster) return access_of_node(a, *access, until);
  if (!a->state.enabled) return SCI_DONE;
  if (!is_node(a, access->vcpu)) {
    log_stranger(a, access->vcpu);
    return SCI_DONE;
  }
  const auto node = static_cast<uint8_t>(access->vcpu);
  sci_result result;
  if (a->config.latency && is_known(a, *access, until, &result)) return result;
  if (access->store && access->write_combining && !access->locked && a->config.wc_buffers) {
    each_piece(access->offset, access->bytes, true,
               [&](uint64_t offset, uint32_t bytes) { combine(a, node, access->ns, offset, bytes); });
    return SCI_DONE;
  }
  if (a->derived.filled) drain(a, node, access->ns);
  if (home_of(a, access->offset) == node) return SCI_DONE;
  if (a->config.latency) return (access->store ? store : load)(a, *access, until);
  each_piece(access->offset, access->bytes, access->store, [&](uint64_t offset, uint32_t bytes) {
    send(a, transaction(a, *access, offset, bytes), access->ns, access->ns);
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
