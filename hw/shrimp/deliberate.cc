// SPDX-License-Identifier: GPL-2.0-or-later
//
// The deliberate update engine: one transfer of up to a page from memory to a node.
//
// The engine has its own way to the arbiter, beside the outgoing FIFO. A packet leaves while its words
// are still being read. So a packet's latency does not grow with its size (paper 4.4.1, Fig. 162).
//
// User programs have it by the proxy window: README.md, User-level deliberate update.
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

using namespace perfboard;
using namespace perfboard::sni;

namespace {

constexpr Field kContext = at(kTableEntries, "OPT1").field("CONTEXT");
constexpr uint32_t kBase = at(kRegisters, "UDCR").field("BASE").mask();

uint32_t context(const SniState& s, uint32_t proxy) { return kContext.get(s.out_table[proxy >> 12][1]); }

// What the engine does just now; a load of a word whose transfer it is finds MATCH.
uint32_t engine(const SniState& s, uint32_t proxy) {
  const bool match = s.du_busy && s.du_user && s.ud_from == proxy;
  return (s.du_busy ? bit::kTransferring : 0) | (match ? bit::kMatch : 0);
}

uint32_t refuse(SniBoard& b, uint32_t proxy, const char* why) {
  log_mistake(&b, mistake("user-refused"), "PROXY at %07x: load: %s", proxy, why);
  return bit::kRefused | engine(b.state, proxy);
}

bool inside(uint32_t proxy, uint32_t bytes) { return (proxy & 0xfff) + bytes <= 4096; }

uint32_t load(SniBoard& b, uint32_t from) {
  SniState& s = b.state;
  const uint32_t mine = context(s, from), to = s.ud_to, bytes = s.ud_bytes;
  if (mine == 0) return refuse(b, from, "the page's entry has no context");
  if (bytes == 0 || context(s, to) != mine) return bit::kInvalid | engine(s, from);
  if (s.du_busy || (s.udcr & bit::kHold)) return bit::kTransferring | engine(s, from);
  s.ud_bytes = 0;
  const uint32_t* const entry = s.out_table[to >> 12];
  if (!active(s)) return refuse(b, from, "with SCR.EN 0");
  if (!(entry[0] & bit::kDu)) return refuse(b, from, "the destination's entry has no DU");
  if (!inside(to, bytes) || !inside(from, bytes))
    return refuse(b, from, "a message crosses the end of a page");
  const Update u = {.source = from,
                    .to = uint16_t(entry[0] >> 16 & 0xfff),
                    .address = (entry[0] & 0x7fff) << 12 | (to & 0xffc),
                    .key = key_of(entry[1]),
                    .words = bytes / 4};
  if (!begin_update(b, s.now, u)) return refuse(b, from, "no memory is there");
  s.du_user = 1;
  s.ud_from = from;
  return bit::kInitiated | engine(s, from);
}

// A half that is none leaves none.
void store(SniState& s, uint32_t to, uint32_t bytes) {
  s.ud_to = to;
  s.ud_bytes = bytes % 4 == 0 && bytes <= 4096 ? bytes : 0;
}

bool whole_word(SniBoard& b, uint64_t offset, uint32_t size) {
  if (size == 4 && offset % 4 == 0 && offset < kProxyBytes) return true;
  log_mistake(&b, mistake("user-refused"), "PROXY at %07llx: access of %u bytes: legal are aligned words",
              static_cast<unsigned long long>(offset), size);
  return false;
}

}  // namespace

bool sni_proxy_enabled(const SniBoard* b) { return sni_enabled(b) && (b->state.udcr & bit::kEnable); }
uint32_t sni_proxy_window(const SniBoard* b) { return b->state.udcr & kBase; }

uint32_t sni_proxy_read(SniBoard* b, uint64_t offset, uint32_t size) {
  enter(*b);
  const uint32_t status = whole_word(*b, offset, size) ? load(*b, uint32_t(offset)) : bit::kRefused;
  leave(*b);
  return status;
}

void sni_proxy_write(SniBoard* b, uint64_t offset, uint32_t value, uint32_t size) {
  enter(*b);
  const bool legal = whole_word(*b, offset, size);
  store(b->state, legal ? uint32_t(offset) : 0, legal ? value : 0);
  leave(*b);
}
