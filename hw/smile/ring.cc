// SPDX-License-Identifier: GPL-2.0-or-later
//
// SWAP_OUT: records, the ring and its three pointers, the swap queue, losses, and when to interrupt (Sec.
// V.A).
//
// Records stay in order: ring, then queue, then those that were lost, of which one loss record tells as soon
// as there is room. So between calls: records are in the queue only if the ring has no room for one, and
// losses are untold only if the queue has none either.
#include <algorithm>

#include "hw/core/bytes.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kPointer = SMILE_RING_WORDS - 1, kRecordWords = 2, kRecordBytes = 8;

bool ring_has_room(const SmileTarget& t) { return free_words(t) >= kRecordWords; }

void to_ring(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  const uint32_t first = (t.wrp + 1) & kPointer, second = (t.wrp + 2) & kPointer;
  store_le32(m->config.ring + 4 * first, word0);
  store_le32(m->config.ring + 4 * second, word1);
  t.wrp = static_cast<uint16_t>(second);
  if (!m->config.ring_written) return;
  if (first < second) {
    m->config.ring_written(m->config.opaque, first, kRecordWords);
  } else {
    m->config.ring_written(m->config.opaque, first, 1);
    m->config.ring_written(m->config.opaque, second, 1);
  }
}

uint8_t* queue_place(const SmileHwm* m, uint32_t behind_head) {
  const uint64_t at = uint64_t{m->state.target.queue_head} + behind_head;
  return m->config.swap_queue + kRecordBytes * (at % m->config.queue);
}

// False: neither ring nor queue has room.
bool place(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  if (t.queue_count == 0 && ring_has_room(t)) {
    to_ring(m, word0, word1);
    return true;
  }
  if (t.queue_count == m->config.queue) return false;
  uint8_t* const to = queue_place(m, t.queue_count++);
  store_le32(to, word0);
  store_le32(to + 4, word1);
  return true;
}

void increase(uint32_t& count) { count += count != UINT32_MAX; }

}  // namespace

uint32_t free_words(const SmileTarget& t) { return (uint32_t{t.rdp} - t.wrp - 1) & kPointer; }

bool ring_full(const SmileTarget& t) { return free_words(t) == 0 || t.queue_count || t.lost_untold; }

void latch_interrupt(SmileHwm* m) {
  const SmileTarget& t = m->state.target;
  const bool wanted = ((t.mcr & bits("MCR.IEF")) && ring_full(t)) || ((t.mcr & bits("MCR.IED")) && t.done);
  if (!wanted || m->state.card.interrupt) return;
  m->state.card.interrupt = 1;
  m->attention = true;
}

void store_record(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  if (t.lost_untold || !place(m, word0, word1)) {
    increase(t.lost);
    increase(t.lost_untold);
    t.lost_flag = 1;
  }
  latch_interrupt(m);
}

void set_read_pointer(SmileHwm* m, uint32_t rdp) {
  SmileTarget& t = m->state.target;
  t.rdp = static_cast<uint16_t>(rdp);
  for (; t.queue_count && ring_has_room(t); --t.queue_count) {
    const uint8_t* const from = queue_place(m, 0);
    to_ring(m, load_le32(from), load_le32(from + 4));
    t.queue_head = (t.queue_head + 1) % m->config.queue;
  }
  if (t.lost_untold && place(m, record_word(Kind::kLoss, Why::kReplaced, 0), t.lost_untold))
    t.lost_untold = 0;
}

}  // namespace perfboard::smile
