// SPDX-License-Identifier: GPL-2.0-or-later
//
// Test mode (appendix C): instructions of the TEST register. The chip's pin enables them.
#include <algorithm>

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

enum Group : uint32_t { kNone = 0, kErrorCounters = 1, kTimestampCounter = 2, kResourceCounters = 3 };

// Each bit of the data stands for four bits of a counter.
uint64_t widened(uint32_t data, unsigned bits) {
  uint64_t wide = 0;
  for (unsigned i = 0; i < bits; ++i)
    if (data >> i & 1) wide |= uint64_t{0xf} << 4 * i;
  return wide;
}

void set(MkState& s, const Moment& t, uint32_t group, uint32_t data) {
  switch (group) {
    case kErrorCounters:
      s.wait_count = s.overrun_count = static_cast<uint32_t>(widened(data, 8));
      break;
    case kTimestampCounter:
      set_timestamp(s, t, widened(data, 14));
      break;
    case kResourceCounters:
      std::fill(std::begin(s.counter), std::end(s.counter), data);
      break;
  }
}

void increment(MultiKron* m, const Moment& t, uint32_t group) {
  MkState& s = m->state;
  switch (group) {
    case kErrorCounters:
      ++s.wait_count;
      ++s.overrun_count;
      break;
    case kTimestampCounter:
      set_timestamp(s, t, timestamp(s, t) + 1);
      break;
    case kResourceCounters:
      for (unsigned i = 0; i < MK_COUNTERS; ++i) add(m, i, 1);
      break;
  }
}

void shift_out(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  if (s.sent)
    log_mistake(m, mistake("shift-cuts-off"),
                "TEST: shift-out of a sample that has sent %u elements: it is cut off", s.sent);
  if (s.count) {
    s.head = (s.head + 1) % MK_FIFO_MAX;
    --s.count;
    s.sent = 0;
    restart_output(m, t);
    hand_over_whole(m, t.ns);
  }
  if (s.shadow_busy) tell_effect(m, effect("shadow-freed"));
  s.shadow_busy = 0;
  tell_effect(m, effect("test-shifted"));
}

}  // namespace

MkSample test_sample(const MkState& s) {
  const uint64_t data = static_cast<uint32_t>(s.test);
  return {.high = data << 32 | data, .low = data << 32 | data, .resource = static_cast<uint8_t>(data & 1)};
}

void execute_test(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  const auto instruction = static_cast<uint32_t>(s.test >> 32), data = static_cast<uint32_t>(s.test);
  const uint32_t to_set = field("TEST_H.SET").get(instruction);
  uint32_t to_increment = field("TEST_H.INC").get(instruction);
  if (to_set && to_set == to_increment) {
    log_mistake(m, mistake("set-and-increment"), "TEST: SET and INC name the same counters (%u): set only",
                to_set);
    to_increment = kNone;
  }
  count(m, t);
  set(s, t, to_set, data);
  increment(m, t, to_increment);
  if (instruction & bits("TEST_H.SHIFT")) shift_out(m, t);
  if (instruction & bits("TEST_H.LOAD")) {
    if (fifo_full(m)) {
      log_mistake(m, mistake("load-full"), "TEST: LOAD into a full FIFO: discarded");
    } else {
      load_fifo(m, t, test_sample(s));
      tell_effect(m, effect("test-loaded"));
    }
  }
}

bool can_hold_for_ever(const MkState& s) {
  return test_bit(s, field("TEST_H.NETOFF")) && s.csr & (bits("CSR.WWAIT") | bits("CSR.RWAIT"));
}

void warn_of_hold(MultiKron* m, bool could_before) {
  if (could_before || !can_hold_for_ever(m->state)) return;
  log_mistake(
      m, mistake("can-hold"),
      "TEST.NETOFF with CSR.WWAIT or CSR.RWAIT: a processor whose access has to wait, and all that access "
      "the chip after it, are held until a hardware reset");
}

uint32_t fifo_output(const MkState& s) {
  if (s.count == 0) return 0;
  const MkSample& last = s.fifo[s.head];
  const uint32_t group = field("TEST_H.GROUP").get(static_cast<uint32_t>(s.test >> 32));
  const uint64_t half = group < 2 ? last.low : last.high;
  return static_cast<uint32_t>(half >> (group & 1 ? 32 : 0));
}

}  // namespace perfboard::mk
