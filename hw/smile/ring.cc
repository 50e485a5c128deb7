// SPDX-License-Identifier: GPL-2.0-or-later
//
// SWAP_OUT: records, the ring and its three pointers, the swap queue, losses, and when to interrupt (Sec.
// V.A).
//
// Records stay in order: ring, then queue, then those that were lost, of which one loss record tells as soon
// as there is room. So between calls: records are in the queue only if the ring has no room for one, and
// losses are untold only if the queue has none either.
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kRecordBytes = 8;
constexpr uint32_t kIef = bits("MCR.IEF"), kIed = bits("MCR.IED");

uint8_t* queue_place(const SmileHwm* m, uint32_t behind_head) {
  const uint64_t at = uint64_t{m->state.target.queue_head} + behind_head;
  return m->config.swap_queue + kRecordBytes * (at % m->config.queue);
}

// False: it has no room.
bool to_queue(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  if (t.queue_count == m->config.queue || m->state.inject.queue) return false;
  uint8_t* const to = queue_place(m, t.queue_count++);
  store_le32(to, word0);
  store_le32(to + 4, word1);
  tell_effect(m, effect("record-queued"), t.queue_count);
  return true;
}

void increase(uint32_t& count) { count += count != UINT32_MAX; }

}  // namespace

bool ring_full(const SmileTarget& t) { return free_words(t) == 0 || t.queue_count || t.lost_untold; }

void latch_interrupt(SmileHwm* m) {
  const SmileTarget& t = m->state.target;
  if (!(t.mcr & (kIef | kIed)) || m->state.card.interrupt) return;
  if (!((t.mcr & kIef) && ring_full(t)) && !((t.mcr & kIed) && t.done)) return;
  m->state.card.interrupt = 1;
  tell_effect(m, effect("latch-set"));
  m->attention = true;
}

void keep_record(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  if (to_queue(m, word0, word1)) return;
  increase(t.lost);
  increase(t.lost_untold);
  t.lost_flag = 1;
  tell_effect(m, effect("record-lost"), t.lost);
}

void set_read_pointer(SmileHwm* m, uint32_t rdp) {
  SmileTarget& t = m->state.target;
  t.rdp = static_cast<uint16_t>(rdp);
  const uint32_t waited = t.queue_count;
  for (; t.queue_count && ring_has_room(m->state); --t.queue_count) {
    const uint8_t* const from = queue_place(m, 0);
    to_ring(m, load_le32(from), load_le32(from + 4));
    t.queue_head = (t.queue_head + 1) % m->config.queue;
  }
  if (waited != t.queue_count) tell_effect(m, effect("queue-moved"), waited - t.queue_count);
  const uint32_t loss = record_word(Kind::kLoss, Why::kReplaced, 0);
  if (t.lost_untold && ring_has_room(m->state))
    to_ring(m, loss, t.lost_untold);
  else if (!t.lost_untold || !to_queue(m, loss, t.lost_untold))
    return;
  t.lost_untold = 0;
}

}  // namespace perfboard::smile
