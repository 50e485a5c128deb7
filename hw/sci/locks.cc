// SPDX-License-Identifier: GPL-2.0-or-later
//
// Other machines: the home's memory and who has locked it.
//
// A lock request locks the home as a whole, as PCI's LOCK# may hold all of a target: other nodes' lock
// requests, and the home's own, are answered when it is not locked any more, in the order in which they came.
// Loads and stores are never kept waiting. A store to a piece that is locked counts as the later one of the
// two: the unlock leaves its bytes alone. INFERRED: the paper has lock and unlock requests, and not what
// holds between them.
//
// Who locks does not wait for ever: a locked load whose store does not come (it faults, and its program ends;
// an error on purpose loses the unlock) is given up TIMEOUT later, by an unlock that stores nothing. It is
// the node that has locked who sees to it: were its machine to end, the cluster would.
#include <algorithm>
#include <bit>

#include "hw/sci/model.h"
#include "hw/sci/timing.h"

namespace perfboard::sci {
namespace {

uint8_t* aligned(const SciAdapter* a, uint64_t offset) { return a->config.memory + (offset & ~uint64_t{7}); }

template <typename Part, int kParts>
Part* end_of_used(Part (&parts)[kParts], uint8_t Part::* used) {
  return std::find_if(std::begin(parts), std::end(parts), [&](const Part& p) { return p.*used == 0; });
}

template <typename Part, int kParts>
void take_out(Part (&parts)[kParts], Part* p) {
  std::move(p + 1, std::end(parts), p);
  *std::prev(std::end(parts)) = {};
}

SciLocked* find_locked(SciCluster& c, uint64_t offset) {
  SciLocked* const end = end_of_used(c.locked, &SciLocked::enables);
  SciLocked* const l =
      std::find_if(c.locked, end, [&](const SciLocked& x) { return x.offset == (offset & ~uint64_t{7}); });
  return l == end ? nullptr : l;
}

SciOpen* find_open(SciCluster& c, uint8_t home, uint64_t offset) {
  SciOpen* const end = end_of_used(c.open, &SciOpen::home);
  SciOpen* const o =
      std::find_if(c.open, end, [&](const SciOpen& x) { return x.home == home + 1 && x.offset == offset; });
  return o == end ? nullptr : o;
}

constexpr uint32_t bit(uint8_t home) { return uint32_t{1} << home; }

void free_home(SciAdapter* a, uint8_t home) {
  SciCluster& c = a->state.cluster;
  c.open_homes &= ~bit(home);
  if (!c.open_homes) c.release_ns = 0;
  arm(a);
}

// Without a place for one more piece its bytes are not looked after: no instruction has so many.
void lock_piece(SciCluster& c, uint64_t offset, uint8_t enables) {
  SciLocked* l = find_locked(c, offset);
  if (!l) l = end_of_used(c.locked, &SciLocked::enables);
  if (l == std::end(c.locked)) return;
  l->offset = static_cast<uint32_t>(offset & ~uint64_t{7});
  l->enables |= enables;
  l->stored &= static_cast<uint8_t>(~enables);
}

// The next one has its turn: at `now` the home is not locked any more.
void next_turn(SciAdapter* a, uint64_t now) {
  SciCluster& c = a->state.cluster;
  c.locked_by = 0;
  for (SciLocked& l : c.locked) l = {};
  if (!c.waiting[0].node) return;
  const SciWaiting w = c.waiting[0];
  take_out(c.waiting, c.waiting);
  SciFlight request = {};
  request.what = SCI_LOCK;
  request.from = static_cast<uint8_t>(w.node - 1);
  request.to = static_cast<uint8_t>(a->config.node);
  request.enables = w.enables;
  request.trans = w.trans;
  request.offset = w.offset;
  request.number = w.number;
  lock_at_home(a, request);
  if (request.from != a->config.node) return answer(a, request, now, now + kHome);
  request.data[0] = load_at_home(a, w.offset, w.enables);
  answered(a, request, now, now);
}

}  // namespace

uint64_t load_at_home(const SciAdapter* a, uint64_t offset, uint8_t enables) {
  const uint8_t* const bytes = aligned(a, offset);
  uint64_t data = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (enables >> i & 1) data |= uint64_t{bytes[i]} << 8 * i;
  return data;
}

void store_at_home(SciAdapter* a, uint64_t offset, uint8_t enables, uint64_t data) {
  uint8_t* const bytes = aligned(a, offset);
  for (unsigned i = 0; i < 8; ++i)
    if (enables >> i & 1) bytes[i] = static_cast<uint8_t>(data >> 8 * i);
  if (SciLocked* const l = find_locked(a->state.cluster, offset)) l->stored |= enables & l->enables;
}

bool lock_at_home(SciAdapter* a, const SciFlight& r) {
  SciCluster& c = a->state.cluster;
  if (!c.locked_by || c.locked_by == r.from + 1) {
    c.locked_by = static_cast<uint8_t>(r.from + 1);
    lock_piece(c, r.offset, r.enables);
    return true;
  }
  SciWaiting* const w = end_of_used(c.waiting, &SciWaiting::node);
  if (w == std::end(c.waiting))
    return true;  // each node has one at a time: these are of nodes that have given up
  *w = {.node = static_cast<uint8_t>(r.from + 1),
        .enables = r.enables,
        .trans = r.trans,
        .offset = r.offset,
        .number = r.number};
  return false;
}

void unlock_at_home(SciAdapter* a, const Request& r, uint64_t now) {
  SciCluster& c = a->state.cluster;
  const SciFlight& f = r.flight;
  const bool locks = c.locked_by == f.from + 1;
  SciLocked* const l = locks ? find_locked(c, f.offset) : nullptr;
  const auto stored = static_cast<uint8_t>(l ? l->stored : 0);
  store_at_home(a, f.offset, f.enables & static_cast<uint8_t>(~stored), f.data[0]);
  if (locks && r.last) next_turn(a, now);
}

void open_lock(SciAdapter* a, uint8_t home, uint64_t offset, uint64_t now) {
  SciCluster& c = a->state.cluster;
  SciOpen* const o = end_of_used(c.open, &SciOpen::home);
  if (!find_open(c, home, offset) && o != std::end(c.open))  // as above
    *o = {.home = static_cast<uint8_t>(home + 1), .offset = static_cast<uint32_t>(offset)};
  c.open_homes |= bit(home);
  c.release_ns = now + kTimeout;
  arm(a);
}

bool close_lock(SciAdapter* a, uint8_t home, uint64_t offset) {
  SciCluster& c = a->state.cluster;
  SciOpen* const o = find_open(c, home, offset);
  if (!o) return false;
  take_out(c.open, o);
  const bool last = std::none_of(std::begin(c.open), std::end(c.open),
                                 [&](const SciOpen& x) { return x.home == home + 1; });
  if (last) free_home(a, home);
  return last;
}

void release(SciAdapter* a, uint8_t home, uint64_t now) {
  const auto own = static_cast<uint8_t>(a->config.node);
  SciCluster& c = a->state.cluster;
  std::fill(std::begin(c.done), std::end(c.done), SciDone{});  // others may store there now
  for (SciOpen* o = c.open; o != std::end(c.open);)
    if (o->home == home + 1)
      take_out(c.open, o);
    else
      ++o;
  free_home(a, home);
  if (home == own) {
    SciFlight f = {};
    f.from = f.to = own;
    return unlock_at_home(a, {f, true}, now);
  }
  const Leaves leaves = leave(a, {0, SCI_UNLOCK, own, home, 0, false, a->config.memory}, now, now, true);
  put_outstanding(a->state.node[own], leaves.ends);
  if (!leaves.lost) return;
  c.open_homes |= bit(home);  // it is still locked: once more, then
  c.release_ns = now + kTimeout;
  arm(a);
}

void release_overdue(SciAdapter* a, uint64_t now) {
  SciCluster& c = a->state.cluster;
  while (c.release_ns && c.release_ns <= now) {
    const uint64_t at = c.release_ns;
    for (uint32_t homes = c.open_homes; homes; homes &= homes - 1)
      release(a, static_cast<uint8_t>(std::countr_zero(homes)), at);
  }
}

void let_go(SciAdapter* a, uint64_t now) {
  SciCluster& c = a->state.cluster;
  for (uint32_t homes = c.open_homes; homes; homes &= homes - 1)
    release(a, static_cast<uint8_t>(std::countr_zero(homes)), now);
  while (c.locked_by) next_turn(a, now);
}

}  // namespace perfboard::sci
