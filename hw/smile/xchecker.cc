// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cable's commands, in virtual time (daughter.h).
#include <algorithm>

#include "hw/smile/daughter.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

enum Work : uint8_t { kIdle, kCommand };  // behind them: kCommand + a design

uint32_t answer_bytes(const SmileDaughter& d) { return d.command[0] == kXcheckerRead ? kXcheckerBlock : 1; }

void work(SmileHwm* m, uint8_t what, uint64_t bytes) {
  m->state.daughter.work = what;
  m->state.daughter.ready = m->host.now(m->host.opaque) + xchecker_ns(m, bytes);
}

uint8_t status(const SmileDaughter& d) {
  return static_cast<uint8_t>(kXcheckerBase | (daughter_error(d) ? 0 : kXcheckerInit) |
                              (daughter_done(d) ? kXcheckerDone : 0));
}

void read_back(SmileHwm* m) {
  const uint8_t* const command = m->state.daughter.command;
  const uint32_t first = kXcheckerBlock * (uint32_t{command[1]} << 8 | command[2]);
  for (uint32_t i = 0; i < kXcheckerBlock; ++i) m->answer[i] = daughter_byte(m, first + i);
}

void do_command(SmileHwm* m) {
  SmileDaughter& d = m->state.daughter;
  m->answer_bytes = answer_bytes(d);
  switch (d.command[0]) {
    case kXcheckerProg:
      daughter_clear(m);
      break;
    case kXcheckerData:
      daughter_clock(m, d.command + 2, d.command[1] + 1u);
      break;
    case kXcheckerRead:
      return read_back(m);
    case kXcheckerStatus:
      break;
    default:
      m->answer[0] = kXcheckerUnknown;
      return;
  }
  m->answer[0] = status(d);
}

}  // namespace

uint32_t xchecker_command_bytes(const SmileDaughter& d) {
  if (d.have == 0) return 1;
  switch (d.command[0]) {
    case kXcheckerData:
      return d.have < 2 ? 2 : 2u + d.command[1] + 1;
    case kXcheckerRead:
      return 3;
    default:
      return 1;
  }
}

uint64_t xchecker_ns(const SmileHwm* m, uint64_t bytes) {
  const uint64_t rate = m->config.xchecker_rate ? m->config.xchecker_rate : SMILE_DEFAULT_XCHECKER_RATE;
  return (bytes * kXcheckerByteBits * kSecond + rate - 1) / rate;
}

void xchecker_timer(SmileHwm* m, uint64_t now) {
  SmileDaughter& d = m->state.daughter;
  if (!d.work || now < d.ready) return;
  const uint8_t what = d.work;
  d.work = kIdle;
  d.ready = PB_NEVER;
  if (what == kCommand)
    do_command(m);
  else
    daughter_load(m, static_cast<enum smile_design>(what - kCommand));
  d.have = 0;
}

void xchecker_stop(SmileHwm* m) {
  SmileDaughter& d = m->state.daughter;
  if (d.work <= kCommand) return;
  d.work = kIdle;
  d.ready = PB_NEVER;
}

void xchecker_begin(SmileHwm* m, enum smile_design design) {
  SmileDaughter& d = m->state.daughter;
  if (!m->config.two) return;
  d.have = d.work = kIdle;  // also a command: the cable is somebody else's now
  d.ready = PB_NEVER;
  daughter_clear(m);
  const uint64_t bytes =
      m->config.streams_bytes[design] ? m->config.streams_bytes[design] : SMILE_DAUGHTER_BYTES;
  if (design) work(m, static_cast<uint8_t>(uint8_t{kCommand} + static_cast<uint8_t>(design)), bytes);
}

}  // namespace perfboard::smile

using namespace perfboard::smile;

uint32_t smile_xchecker_takes(const SmileHwm* m) {
  const SmileDaughter& d = m->state.daughter;
  return m->config.two && !d.work ? xchecker_command_bytes(d) - d.have : 0;
}

void smile_xchecker(SmileHwm* m, const uint8_t* bytes, uint32_t count) {
  SmileDaughter& d = m->state.daughter;
  run_timer(m, m->host.now(m->host.opaque));
  for (uint32_t i = 0; i < count && smile_xchecker_takes(m); ++i) {
    d.command[d.have++] = bytes[i];
    if (d.have == xchecker_command_bytes(d)) work(m, kCommand, d.have + answer_bytes(d));
  }
  settle(m);
}

uint32_t smile_xchecker_answer(SmileHwm* m, uint8_t* to) {
  const uint32_t count = m->answer_bytes;
  std::copy(m->answer, m->answer + count, to);
  m->answer_bytes = 0;
  return count;
}

void smile_xchecker_hangup(SmileHwm* m) {
  if (!m->state.daughter.work) m->state.daughter.have = 0;
}
