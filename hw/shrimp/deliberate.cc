// SPDX-License-Identifier: GPL-2.0-or-later
//
// The deliberate update engine: one transfer of up to a page from memory to a node.
//
// The engine has its own way to the arbiter, beside the outgoing FIFO. A packet leaves while its words
// are still being read. So a packet's latency does not grow with its size (paper 4.4.1, Fig. 162).
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {

void start_deliberate(SniBoard& b, uint64_t now) {
  SniState& s = b.state;
  const uint32_t words = s.duwc;
  const auto refuse = [&](unsigned row, const char* why) {
    log_mistake(&b, row, "DUWC: %u words: %s", words, why);
    raise(b, bit::kDue);
  };
  if (s.du_busy) return refuse(mistake("update-busy"), "while a transfer runs");
  if (!active(s)) return refuse(mistake("update-disabled"), "with SCR.EN 0");
  if (words == 0 || words > SHRIMP_MAX_WORDS) return refuse(mistake("update-length"), "legal: 1 to 1024");
  if ((s.duda & 0xfff) + 4 * words > 4096)
    return refuse(mistake("update-crosses-page"),
                  "the transfer crosses the end of its destination page (DUDA)");
  const Update u = {s.dusa, uint16_t(s.dudn & 0xfff), s.duda, key_of(s.dudn), words};
  if (!begin_update(b, now, u)) return refuse(mistake("update-no-source"), "no memory at DUSA");
  s.du_user = 0;
}

bool begin_update(SniBoard& b, uint64_t now, const Update& u) {
  SniState& s = b.state;
  if (!b.host.dma_read(b.host.opaque, u.source, s.du_data, 4 * u.words)) return false;
  if (!node_exists(b, u.to))
    log_mistake(&b, mistake("no-such-node"), "DUDN, OPT0: a deliberate update to %03x, where no node is",
                u.to);
  tell_effect(&b, effect("update-started"), u.words);
  // All words have been read at once. Software cannot see that: it must not change them before DUD.
  const bool stamped = s.scr & bit::kTse;
  const uint64_t granted = acquire(b, now + kDuSetup);
  s.du_busy = 1;
  s.du_words = u.words;
  s.du_header = Header{u.words, 15, stamped, true, u.to, u.address, u.key}.pack();
  s.du_first = granted + kEisaWord;
  s.du_last = granted + eisa_time(u.source, u.words);
  s.du_timestamp = stamped ? sni_clock(&b, s.du_first) : 0;
  s.next_event = 0;
  return true;
}

}  // namespace perfboard::sni
