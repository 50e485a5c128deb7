// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the adapters' model, as they see each other.
#pragma once

#include <bit>
#include <cstdint>

#include "hw/model/log.h"
#include "hw/sci/fabric.h"
#include "hw/sci/registers.h"
#include "hw/sci/sci.h"
#include "hw/sci/view.h"

// The pieces of an access: each is one transaction.
//
// A piece has the largest power of two of bytes, 8 at most, that divides both its address and the bytes that
// are left. An access of more than 8 bytes is two, one of which has 8: the last one of a load, the first one
// of a store. INFERRED: these are the accesses that QEMU makes if the window is an I/O region (latency=on),
// so both modes count the same.

namespace perfboard::sci {

inline constexpr uint32_t kMostPiece = 8;

// f(offset, bytes) of each piece, ascending.
template <typename F>
void each_piece(uint64_t offset, uint32_t bytes, bool store, F&& f) {
  const uint32_t half = bytes <= kMostPiece ? bytes : store ? kMostPiece : bytes - kMostPiece;
  for (uint32_t done = 0, n; done < bytes; done += n, offset += n) {
    const uint32_t left = (done < half ? half : bytes) - done;
    n = 1u << std::countr_zero(static_cast<uint32_t>(offset) | left | kMostPiece);
    f(offset, n);
  }
}

constexpr uint8_t enables_of(uint64_t offset, uint32_t bytes) {
  return static_cast<uint8_t>(((1u << bytes) - 1) << (offset % 8));
}

inline constexpr unsigned kTransIds = 1u << SCI_BD1_TRANS_BITS;

inline uint32_t pages(const SciConfig& c) { return static_cast<uint32_t>(c.size / SCI_PAGE_BYTES); }
inline bool is_node(const SciAdapter* a, uint32_t vcpu) { return vcpu < a->config.nodes; }
inline uint8_t home_of(const SciAdapter* a, uint64_t offset) {
  return a->state.home[offset / SCI_PAGE_BYTES];
}
constexpr bool is_answered(unsigned what) { return what == SCI_READ || what == SCI_LOCK; }

// transactions.cc: one request and what follows from it
struct Transaction {
  uint64_t offset;  // in the window: of a piece, or of a line
  sci_what what;
  uint8_t from, to;
  uint8_t enables;      // of the aligned 8 bytes that hold the offset
  bool line;            // all of a line of SCI_LINE_BYTES
  const uint8_t* data;  // from the offset on
};
// The request's.
constexpr Size size_of(const Transaction& t) {
  return is_answered(t.what) ? Size::kPlain : t.line ? Size::k64 : Size::k16;
}
inline bool is_wanted(const SciAdapter* a, uint8_t node) { return a->derived.wanted >> node & 1; }

// sci.cc: errors on purpose, of a whole transaction
enum class Fate : uint8_t { kPasses, kLost, kLate, kDamaged };
Fate next_fate(SciAdapter* a);  // of one that is made now; what is counted is counted down

// transactions.cc: what it counts where it is sent, and what of it is told there
void count_sent(SciAdapter* a, const Transaction& t, Fate fate);

void fill_payload(uint64_t (&payload)[SCI_LINE_BYTES / 8], const Transaction& t);

constexpr uint64_t first_word(unsigned source, unsigned dest, unsigned command, unsigned trans) {
  return uint64_t{source} << SCI_BD1_SOURCE_SHIFT | uint64_t{command} << SCI_BD1_COMMAND_SHIFT |
         uint64_t{dest} << SCI_BD1_DEST_SHIFT | uint64_t{trans} << SCI_BD1_TRANS_SHIFT;
}
// Page and word of the window's offset are its bits, as they are BD2's.
constexpr uint64_t second_word(uint64_t offset, uint8_t enables) {
  return (offset & ~uint64_t{3}) | uint64_t{enables} << SCI_BD2_ENABLES_SHIFT;
}
static_assert(SCI_BD2_OFFSET_SHIFT == 2 && SCI_BD2_PAGE_SHIFT == 12 && SCI_MOST_SIZE == uint64_t{1} << 28);
constexpr unsigned damaged(unsigned trans) {
  return trans ^ kTransIds / 2;
}  // INFERRED: which bit of the trans_ID

// flights.cc: latency=on, packets that are still to come
SciFlight flight_of(const Transaction& t, Fate fate);  // no number, trans_ID, times and payload yet
void fly(SciAdapter* a, const Transaction& t, uint64_t now, const uint64_t (&at)[SCI_PASSES], Fate fate);
// Other machines: one packet of it, on this node's B-Link at f.at[pass].
void fly_part(SciAdapter* a, SciFlight f, unsigned pass, uint64_t now);
void tell_due(SciAdapter* a, uint64_t now);  // packets whose time has come pass
void arm(SciAdapter* a);
void find_flights(SciAdapter* a);  // the state has been replaced

// schedule.cc: when its packets are on the B-Links, if the request leaves at `begin`, now or later.
struct Schedule {
  uint64_t at[SCI_PASSES];
  // the response is in the processor; or the echo is back, and the request on the home's B-Link
  uint64_t ends;
};
// takes lines (latency=on)
Schedule schedule(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin);
void work_out_empty_ring(SciAdapter* a);
// The parts of a schedule: the first edge at or after ns, and then the first time at which the node's B-Link
// takes so many words.
uint64_t edge(uint64_t ns);
uint64_t take_blink(SciAdapter* a, uint8_t node, uint64_t now, uint64_t ns, uint64_t words);

// transactions.cc: it is made now, and leaves at `begin`, now or later.
struct Sent {
  Schedule times;
  Fate fate;
};
Sent send(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin);

// Other machines. A request as its home has it.
struct Request {
  SciFlight flight;  // what, from, to, enables, line, trans, offset, number, data
  bool last;         // unlock: the home is not locked any more
};
// remote.cc: messages
struct Leaves {
  uint64_t arrives, ends;  // at the home; not outstanding any more
  uint64_t number;
  bool lost;
};
// It leaves at `begin` or later. last: of an unlock.
Leaves leave(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin, bool last = false);
void answer(SciAdapter* a, const SciFlight& request, uint64_t now, uint64_t begin);  // its response goes out
uint64_t least_answer(const SciConfig& c);
// away.cc: an access of this machine's processor
sci_result access_of_node(SciAdapter* a, const SciAccess& access, uint64_t* until);
void answered(SciAdapter* a, const SciFlight& response, uint64_t now, uint64_t until);
// locks.cc: this node's memory, for whoever accesses it; what it has locked itself, there and elsewhere
uint64_t load_at_home(const SciAdapter* a, uint64_t offset, uint8_t enables);  // of the aligned 8 bytes
void store_at_home(SciAdapter* a, uint64_t offset, uint8_t enables, uint64_t data);
bool lock_at_home(SciAdapter* a, const SciFlight& request);  // false: it waits
void unlock_at_home(SciAdapter* a, const Request& request, uint64_t now);
void open_lock(SciAdapter* a, uint8_t home, uint64_t offset, uint64_t now);
bool close_lock(SciAdapter* a, uint8_t home, uint64_t offset);  // true: it was the home's last one
void release_overdue(SciAdapter* a, uint64_t now);
void release(SciAdapter* a, uint8_t home, uint64_t now);
void let_go(SciAdapter* a, uint64_t now);

// schedule.cc: latency=on, which requests of a node are on their way
bool all_outstanding(const SciNode& n, uint64_t ns);
uint64_t next_end(const SciNode& n);              // the first of the 64
void put_outstanding(SciNode& n, uint64_t ends);  // in its place
uint32_t outstanding(const SciNode& n, uint64_t ns);

// registers.cc: without side effects
// What is at this offset of BAR 0: of a node's statistics, `unit` is the node; of the table, `index` is the
// page.
Place place_at(const SciConfig& c, uint64_t offset);
uint32_t peek_at(const SciAdapter* a, const Place& place, uint64_t now);  // whoever looks; place.reg is there

// access.cc
sci_what what_of(const SciAccess& a);
// A request that nobody waits for; it queues up while 64 are outstanding.
void post(SciAdapter* a, const Transaction& t, uint64_t ns);

// buffers.cc: write-combining
void combine(SciAdapter* a, uint8_t node, uint64_t ns, uint64_t offset, uint32_t bytes);
void drain(SciAdapter* a, uint8_t node, uint64_t ns);
uint32_t filled(const SciState& s);

}  // namespace perfboard::sci
