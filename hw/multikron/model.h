// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the MULTIKRON model, as they see each other.
//
// An entry point (multikron.h) does three things. advance() brings the chip to the present: all elements
// whose time has come leave. Then comes the work, all of it at that one moment. settle() tells the shim what
// followed: when a delayed access may go on, and when the timer is to come.
#pragma once

#include <optional>

#include "hw/model/log.h"
#include "hw/multikron/multikron.h"
#include "hw/multikron/registers.h"
#include "hw/multikron/stream.h"
#include "hw/multikron/view.h"

namespace perfboard::mk {

inline constexpr uint64_t kNever = UINT64_MAX;
inline constexpr uint64_t kSecond = 1'000'000'000;  // ns
inline constexpr uint64_t kTimestampMask = (uint64_t{1} << 56) - 1;
// CSR: above each of these bits, which set, stands the bit that clears (Table 2).
inline constexpr uint32_t kCsrSets = at(kRegisters, "CSR").mask(rw);
constexpr uint64_t kept_bits(unsigned address) {
  return uint64_t{kRegisters[address + 1].mask(rw)} << 32 | kRegisters[address].mask(rw);
}

// counters.cc: one moment, in every unit
struct Moment {
  uint64_t ns;
  uint64_t cycle;  // of the node clock since the hardware reset
  uint64_t tick;   // of the timestamp clock
};
Moment moment(const MultiKron* m);                                         // now
Moment moment_since(const MultiKron* m, uint64_t reset_ns, uint64_t now);  // with a reset at that time
inline Moment moment_at(const MultiKron* m, uint64_t now) { return moment_since(m, m->state.reset_ns, now); }
uint64_t ns_of_cycle(const MultiKron* m, uint64_t cycle);  // the first ns of it; kNever stays kNever
uint64_t timestamp(const MkState& s, const Moment& t);     // 56 bits
void set_timestamp(MkState& s, const Moment& t, uint64_t value);

// multikron.cc
void software_reset(MultiKron* m, const Moment& t);

// access.cc
struct Target {
  unsigned address;   // of the chip; kAddresses and more: nothing is there
  uint8_t byte;       // of its 64 bits
  bool card = false;  // none, but the card's information
};
// Of the byte at `offset`, which is part of an access of so many bytes that begins at `first`. Nobody else
// decodes an offset.
Target target_of(unsigned window, uint64_t offset, uint64_t first, uint32_t bytes);
uint32_t card_word(const MultiKron* m, const Register* reg);  // reg: one of kCard, or none
// All 64 bits of an address, whoever looks; no side effects. Nothing: it holds nothing.
std::optional<uint64_t> value_at(const MultiKron* m, const Moment& t, unsigned address);

// counters.cc
enum class Input : uint8_t { kSlow, kExternal, kSoftware, kNode };  // Table 4
Input input_of(const MkState& s, unsigned counter);
// brings the counters up to t; call it before what they count changes
void count(MultiKron* m, const Moment& t);
// As it is at t if it counts a clock; one of external events is as of count().
uint32_t counter_at(const MkState& s, unsigned counter, const Moment& t);
void add(MultiKron* m, unsigned counter, uint64_t n);  // sticks at its maximum
void copy_to_shadow(MkState& s);
void update_watch(MultiKron* m);  // call it after what they count has changed
// These counters have been cleared: what they have shown counts for nothing.
void rebase(MultiKron* m, uint16_t counters);

// samples.cc
// level: of the filter
mk_result trigger(MultiKron* m, const Moment& t, const MkAccess& a, bool resource, unsigned level,
                  uint64_t data);
void load_fifo(MultiKron* m, const Moment& t, const MkSample& sample);
bool fifo_full(const MultiKron* m);

// output.cc: the network
// sends the elements whose edge has come; ends delays that are over
void advance(MultiKron* m, const Moment& t);
inline Moment present(MultiKron* m) {
  const Moment t = moment(m);
  advance(m, t);
  return t;
}
void advance_free(MultiKron* m, const Moment& t, bool high);  // the pin changes
void restart_output(MultiKron* m, const Moment& t);           // nothing leaves before the next edge
// when the FIFO's first `samples` will have left; kNever
uint64_t done_cycle(const MultiKron* m, unsigned samples);
bool output_moves(const MultiKron* m);  // more will leave if time goes by
void push_event(MultiKron* m, uint16_t event);
void hand_over(MultiKron* m);
void hand_over_whole(MultiKron* m, uint64_t ns);  // a sample or event has ended: if somebody asks

// waits.cc: RDY
mk_result delay(MultiKron* m, const Moment& t, bool slot, bool shadow);
void tally(MultiKron* m, const Moment& t);  // adds waited cycles up to t; ends a delay whose release has come
void settle(MultiKron* m, const Moment& t);

// test_mode.cc (appendix C)
void execute_test(MultiKron* m, const Moment& t);
uint32_t fifo_output(const MkState& s);
inline bool test_bit(const MkState& s, const Field& f) {
  return s.test_mode && (s.test >> 32 & f.mask()) != 0;
}
MkSample test_sample(const MkState& s);
// Whether an access can be delayed for ever: the output is off, so that a full FIFO stays full, and an access
// may wait.
bool can_hold_for_ever(const MkState& s);
void warn_of_hold(MultiKron* m, bool could_before);  // one line when that begins

}  // namespace perfboard::mk
