// SPDX-License-Identifier: GPL-2.0-or-later
//
// latency=on: transactions on their way. A transaction's times are known when it is made, and each of its
// packets is told when its time has come: of all nodes', the earliest first. What lies ahead is state.
//
// Nothing that is made later can come earlier: a request is on a B-Link REQUEST after its access. Two things
// can bring a packet forward: there are more than SCI_FLIGHTS transactions, or somebody wants to know now
// (sci_tell_all). Then a packet that is made later may find its time taken. It passes behind those that have
// been told, and what follows from it as much later.
#include <algorithm>
#include <bit>

#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

unsigned passes_of(const SciFlight& f) {
  if (static_cast<Fate>(f.fate) == Fate::kLost) return 1;
  return is_answered(f.what) ? 4 : 2;
}
constexpr bool is_at_home(unsigned pass) { return pass == 1 || pass == 2; }
unsigned next_pass(const SciFlight& f) { return f.end - f.left; }

// --- the next packet of all --------------------------------------------------------------------------------

// A heap, the earliest first.
bool later(const SciNext& a, const SciNext& b) { return a.ns != b.ns ? a.ns > b.ns : a.number > b.number; }

void put_next(SciDerived& d, const SciFlight& f, uint32_t place) {
  d.next[d.flights++] = {f.at[next_pass(f)], f.number, place};
  std::push_heap(d.next, d.next + d.flights, later);
}

// The transaction whose packet is next, taken out of the heap.
uint32_t take_next(SciDerived& d) {
  std::pop_heap(d.next, d.next + d.flights, later);
  return d.next[--d.flights].place;
}

// --- a packet passes
// ----------------------------------------------------------------------------------------

// Requests carry what a store stores, responses what the memory holds now.
void fill(const SciAdapter* a, const SciFlight& f, bool response, SciPacket& p) {
  if (response && !a->config.cluster)
    fill_payload(p.payload, {f.offset, static_cast<sci_what>(f.what), f.from, f.to, f.enables, false,
                             a->config.memory + f.offset});
  else
    std::copy(std::begin(f.data), std::end(f.data), p.payload);
}

// It finds its time taken: it comes at `ns`, and what follows as much later.
void put_off(SciFlight& f, unsigned pass, uint64_t ns) {
  const uint64_t by = ns - f.at[pass];
  for (unsigned i = pass; i < f.end; ++i) f.at[i] += by;
}

void pass(SciAdapter* a, SciFlight& f, uint64_t now) {
  const unsigned i = next_pass(f);
  const bool response = i >= 2, at_home = is_at_home(i);
  const uint8_t node = at_home ? f.to : f.from;
  SciNode& n = a->state.node[node];
  if (f.at[i] < n.blink_ns) put_off(f, i, n.blink_ns);
  n.blink_ns = f.at[i];
  --f.left;
  if (!is_wanted(a, node)) return;
  const unsigned command = f.what | (f.line ? SCI_COMMAND_64 : 0u) | (response ? SCI_COMMAND_RESPONSE : 0u);
  const unsigned trans = i && static_cast<Fate>(f.fate) == Fate::kDamaged ? damaged(f.trans) : f.trans;
  SciPacket p;
  p.ns = f.at[i];
  p.known = now;
  p.bd1 = response ? first_word(f.to, f.from, command, trans) : first_word(f.from, f.to, command, trans);
  p.bd2 = second_word(f.offset, f.enables);
  p.words = words_of(response              ? Size::k16
                     : is_answered(f.what) ? Size::kPlain
                     : f.line              ? Size::k64
                                           : Size::k16);
  p.node = node;
  if (a->derived.payload) fill(a, f, response, p);
  a->config.packet(a->config.opaque, &p);
}

void tell_next(SciAdapter* a, uint64_t now) {
  SciDerived& d = a->derived;
  const uint32_t place = take_next(d);
  SciFlight& f = a->state.flight[place];
  pass(a, f, now);
  if (f.left) return put_next(d, f, place);
  f = {};
  d.unused[d.unused_places++] = static_cast<uint16_t>(place);
}

// --- trans_IDs
// ------------------------------------------------------------------------------------------------

// When a transaction is on a B-Link, and by which trans_ID: from its request on, to its response if there is
// one.
struct Stay {
  uint64_t from, to;
  unsigned trans;
  bool any;
};
Stay stay_of(const SciFlight& f, unsigned node) {
  const Fate fate = static_cast<Fate>(f.fate);
  const bool waits = is_answered(f.what) && fate != Fate::kLost;
  if (node == f.from) return {f.at[0], f.at[waits ? 3 : 0], f.trans, true};
  const bool comes = node == f.to && fate != Fate::kLost;
  return {f.at[1], f.at[waits ? 2 : 1], fate == Fate::kDamaged ? damaged(f.trans) : f.trans, comes};
}

// The node's next number that no transaction has on one of both B-Links meanwhile, if one of the two is
// answered: who listens there knows a transaction by its trans_ID alone (Fig. 4).
uint8_t trans_for(const SciAdapter* a, const SciFlight& f) {
  uint64_t used = 0;
  for (uint32_t i = 0; i < a->derived.flights; ++i) {
    const SciFlight& other = a->state.flight[a->derived.next[i].place];
    if (!is_answered(f.what) && !is_answered(other.what)) continue;
    for (const unsigned node : {f.from, f.to}) {
      const Stay ours = stay_of(f, node), its = stay_of(other, node);
      if (ours.any && its.any && ours.from <= its.to && its.from <= ours.to) used |= uint64_t{1} << its.trans;
    }
  }
  const int first = a->state.node[f.from].trans;
  const unsigned skip =
      used == UINT64_MAX ? 0 : static_cast<unsigned>(std::countr_one(std::rotr(used, first)));
  return static_cast<uint8_t>((static_cast<unsigned>(first) + skip) % kTransIds);
}

void put_flight(SciAdapter* a, const SciFlight& f, uint64_t now) {
  SciDerived& d = a->derived;
  while (!d.unused_places) tell_next(a, now);
  const uint32_t place = d.unused[--d.unused_places];
  a->state.flight[place] = f;
  put_next(d, f, place);
  arm(a);
}

}  // namespace

void arm(SciAdapter* a) {
  uint64_t wanted = a->derived.flights ? a->derived.next[0].ns : PB_NEVER;
  if (a->state.cluster.release_ns) wanted = std::min(wanted, a->state.cluster.release_ns);
  if (wanted == a->derived.armed) return;
  a->derived.armed = wanted;
  a->host.arm(a->host.opaque, wanted);
}

SciFlight flight_of(const Transaction& t, Fate fate) {
  return {.what = static_cast<uint8_t>(t.what),
          .from = t.from,
          .to = t.to,
          .enables = t.line ? uint8_t{0xff} : t.enables,
          .line = t.line,
          .fate = static_cast<uint8_t>(fate),
          .offset = static_cast<uint32_t>(t.offset)};
}

void fly(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate) {
  SciNode& from = a->state.node[t.from];
  SciFlight f = flight_of(t, fate);
  f.number = a->state.made++;
  f.left = f.end = static_cast<uint8_t>(passes_of(f));
  for (unsigned i = 0; i < f.left; ++i)
    f.at[i] = i ? std::max(at[i] + (fate == Fate::kLate ? kLateBy : 0), f.at[i - 1]) : at[i];
  for (unsigned i = 0; i < f.left; ++i) {
    const uint64_t told = a->state.node[is_at_home(i) ? f.to : f.from].blink_ns;
    if (f.at[i] < told) put_off(f, i, told);
  }
  f.trans = trans_for(a, f);
  if (a->derived.payload && !is_answered(t.what)) fill_payload(f.data, t);
  from.trans = static_cast<uint8_t>((f.trans + 1) % kTransIds);
  from.out_ns = f.at[0];
  put_flight(a, f, now);
}

void fly_part(SciAdapter* a, SciFlight f, unsigned pass, uint64_t now) {
  f.number = a->state.made++;
  f.left = 1;
  f.end = static_cast<uint8_t>(pass + 1);
  put_flight(a, f, now);
}

void tell_due(SciAdapter* a, uint64_t now) {
  if (!a->derived.flights || a->derived.next[0].ns > now) return;
  while (a->derived.flights && a->derived.next[0].ns <= now) tell_next(a, now);
  arm(a);
}

void find_flights(SciAdapter* a) {
  SciDerived& d = a->derived;
  d.flights = d.unused_places = 0;
  for (uint32_t i = SCI_FLIGHTS; i-- > 0;) {
    if (a->state.flight[i].left)
      put_next(d, a->state.flight[i], i);
    else
      d.unused[d.unused_places++] = static_cast<uint16_t>(i);
  }
  arm(a);
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

void sci_tell_due(SciAdapter* a) {
  if (a->derived.flights) tell_due(a, a->host.now(a->host.opaque));
}

void sci_tell_all(SciAdapter* a) {
  if (!a->derived.flights) return;
  const uint64_t now = a->host.now(a->host.opaque);
  while (a->derived.flights) tell_next(a, now);
  arm(a);
}

void sci_timer(SciAdapter* a) {
  const uint64_t now = a->host.now(a->host.opaque);
  a->derived.armed = PB_NEVER;
  if (a->config.cluster) release_overdue(a, now);
  tell_due(a, now);
  arm(a);
}
