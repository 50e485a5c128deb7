// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/lan/lan.h"

#include <algorithm>
#include <cstring>

#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"

namespace perfboard::lan {
namespace {

// IEEE 802.3, in bytes' times: preamble and delimiter, check sequence, gap.
constexpr uint64_t kPreamble = 8, kCheck = 4, kGap = 12;

// INFERRED: no slower than the other ways between nodes let them step, and no more under way than a ring
// holds.
constexpr uint32_t kMostRate = 1000, kLeastLatency = 5000, kMostLatency = 100'000;

constexpr uint64_t time_of(const LanConfig& c, uint64_t bytes) {
  return (bytes * 8000 + c.rate - 1) / c.rate;
}
constexpr uint64_t on_wire(const LanConfig& c, uint64_t bytes) {
  return time_of(c, kPreamble + bytes + kCheck);
}
constexpr uint64_t gap(const LanConfig& c) { return time_of(c, kGap); }
// A message comes so long after the switch could begin to send its frame. That is alike for all frames: they
// come in the order in which they leave the switch.
constexpr uint64_t least(const LanConfig& c) { return on_wire(c, LAN_LEAST_BYTES); }

// A node's messages to another one lie in a ring until that one looks. It looks before it goes beyond what it
// was promised, and the sender goes no further than a promise behind that: two least ways in all, which a
// link may fill, behind a full queue. In the ring the shortest frame takes 96 bytes, on the link 84. What
// else nodes send has the rest.
constexpr uint64_t under_way(uint64_t rate, uint64_t latency_ns) {
  constexpr uint64_t kFrame = kPreamble + LAN_MOST_BYTES + kCheck + kGap;
  return (LAN_QUEUED + 1) * kFrame +
         2 * (2 * (kPreamble + LAN_LEAST_BYTES + kCheck) + rate * latency_ns / 8000 + 1);
}
static_assert(under_way(kMostRate, kMostLatency) * 96 / 84 <= cluster::kRingBytes * 3 / 4);

// Addresses of the nodes' adapters; the number of the node is behind, in two bytes, the high one first.
constexpr uint8_t kOurs[] = {0x52, 0x54, 0x00, 0x50};

// The switch knows where these are. All others it looks for everywhere.
bool goes_to(const uint8_t* frame, uint32_t node, uint32_t nodes) {
  const uint32_t at = uint32_t{frame[4]} << 8 | frame[5];
  const bool known = std::memcmp(frame, kOurs, sizeof kOurs) == 0 && at < nodes;
  return !known || at == node;
}

}  // namespace
}  // namespace perfboard::lan

using namespace perfboard::lan;

bool lan_config_ok(const LanConfig* c, char* why, uint32_t size) {
  return perfboard::in_range("rate", c->rate, 1, kMostRate, why, size) &&
         perfboard::in_range("latency", c->latency_ns, kLeastLatency, kMostLatency, why, size);
}

void lan_init(Lan* l, const LanConfig* config) {
  l->config = *config;
  l->state = {};
}

LanSent lan_send(Lan* l, uint64_t now, const uint8_t* frame, uint32_t bytes) {
  const LanConfig& c = l->config;
  LanState& s = l->state;
  if (bytes > LAN_MOST_BYTES) return s.dropped_long++, LAN_TOO_LONG;
  if (now < c.join) return s.dropped_not_joined++, LAN_NOT_JOINED;
  if (s.uplink_free > now + LAN_QUEUED * (on_wire(c, LAN_MOST_BYTES) + gap(c)))
    return s.dropped_uplink++, LAN_NO_ROOM;
  ClusterMessage m = {};
  m.kind = LAN_CLUSTER_KIND;
  m.bytes = std::max<uint32_t>(bytes, LAN_LEAST_BYTES);
  std::copy_n(frame, bytes, m.data);
  const uint64_t left = std::max(now, s.uplink_free) + on_wire(c, m.bytes);
  m.at = left + c.latency_ns + least(c);
  s.uplink_free = left + gap(c);
  s.sent_frames++;
  s.sent_bytes += m.bytes;
  for (m.to = 0; m.to < c.nodes; m.to++)
    if (m.to != c.node && goes_to(m.data, m.to, c.nodes)) c.send(c.opaque, &m);
  return LAN_SENT;
}

bool lan_take(Lan* l, const ClusterMessage* m) {
  const LanConfig& c = l->config;
  LanState& s = l->state;
  if (m->asks || m->answers || m->bytes < LAN_LEAST_BYTES || m->bytes > LAN_MOST_BYTES) return false;
  if (s.held == LAN_HELD) return s.dropped_downlink++, true;
  LanFrame& f = s.frame[(s.first + s.held++) % LAN_HELD];
  f.due = std::max(m->at, s.downlink_free + least(c)) + on_wire(c, m->bytes) - least(c);
  f.bytes = m->bytes;
  std::memcpy(f.data, m->data, m->bytes);
  s.downlink_free = f.due + gap(c);
  return true;
}

uint64_t lan_due(const Lan* l) { return l->state.held ? l->state.frame[l->state.first].due : PB_NEVER; }

uint32_t lan_next(Lan* l, uint64_t now, uint8_t* frame) {
  LanState& s = l->state;
  if (lan_due(l) > now) return 0;
  const LanFrame& f = s.frame[s.first];
  std::memcpy(frame, f.data, f.bytes);
  s.first = (s.first + 1) % LAN_HELD;
  s.held--;
  s.received_frames++;
  s.received_bytes += f.bytes;
  return f.bytes;
}

uint64_t lan_promise(const Lan* l, uint64_t next) {
  const LanConfig& c = l->config;
  const uint64_t way = 2 * least(c) + c.latency_ns;
  next = std::max(next, l->state.uplink_free);
  return next > PB_NEVER - way ? PB_NEVER : next + way;
}

namespace perfboard::lan {
#define STATE_LIST "hw/lan/state.def"
#include "hw/model/state_legal.h"
}  // namespace perfboard::lan

using namespace perfboard::lan;

bool lan_state_ok(const LanState* image, uint64_t now, char* why, uint32_t why_size) {
  perfboard::StateCheck check(why, why_size, now);
  members_ok(check, *image);
  uint64_t before = 0;
  for (uint32_t n = 0; n < image->held && check.ok(); n++) {
    const int at = static_cast<int>((image->first + n) % LAN_HELD);
    const LanFrame& frame = image->frame[at];
    const perfboard::StateCheck::Part part(check, "frame", at);
    members_ok(check, frame);
    check.in("due", frame.due, before, image->downlink_free);
    before = frame.due;
  }
  return check.ok();
}
