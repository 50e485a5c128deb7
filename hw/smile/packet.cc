// SPDX-License-Identifier: GPL-2.0-or-later
//
// A packet at a time: what the decoder of Fig. 3 does with BD1 and BD2, and what follows in the F.R.L.
// blink.h has the decoder as the paper has it, clock by clock.
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kKnownCommand = SCI_COMMAND_WHAT | SCI_COMMAND_RESPONSE | SCI_COMMAND_64;

struct Decoded {
  bool packet;  // one that the monitor knows
  bool event;   // it has an address
  bool clash;
};

// "The current monitor and card design is only intended for clusters with up to 32 nodes": of source and
// destination 5 bits are looked at (Sec. III).
Decoded decode(SmileTarget& t, const SciPacket& p, Event& e) {
  const auto command = static_cast<uint32_t>(p.bd1 >> SCI_BD1_COMMAND_SHIFT) & 0x7f;
  if (command & ~kKnownCommand) return {};  // an echo
  ++t.packets;
  const uint32_t source = p.bd1 & 31, destination = p.bd1 >> SCI_BD1_DEST_SHIFT & 31,
                 what = command & SCI_COMMAND_WHAT;
  uint32_t& row = t.transaction[p.bd1 >> SCI_BD1_TRANS_SHIFT & 63];
  e.pair = kValid | source | destination << 8;
  e.filter = 1u << what | (source == t.node ? bits("MASK.OUTBOUND") : bits("MASK.INBOUND"));
  if (command & SCI_COMMAND_RESPONSE) {
    const bool awaited = row & kAwaited;
    row &= ~kAwaited;
    t.orphans += !awaited;
    e.filter |= bits("MASK.RESPONSE");
    e.address = row;
    return {true, awaited, false};
  }
  const bool clash = row & kAwaited, answered = what == SCI_READ || what == SCI_LOCK;
  t.clashes += clash;
  e.filter |= bits("MASK.REQUEST");
  e.address = static_cast<uint32_t>(p.bd2 >> SCI_BD2_OFFSET_SHIFT) & kAddressBits;
  row = e.address | (answered ? kAwaited : 0);
  return {true, true, clash};
}

void tell_wave(const SmileHwm* m, const SciPacket& p, const Decoded& d, const Event& e, Outcome o) {
  SmileWave w = {.ns = p.ns, .last = o.last, .entry = o.entry, .records = o.records};
  if (d.packet) {
    w.decoded = 1;
    w.source = static_cast<uint8_t>(source_of(e.pair));
    w.destination = static_cast<uint8_t>(destination_of(e.pair));
    w.trans = p.bd1 >> SCI_BD1_TRANS_SHIFT & 63;
    w.command = p.bd1 >> SCI_BD1_COMMAND_SHIFT & 0x7f;
    w.orphan = !d.event;
    w.clash = d.clash;
  }
  if (d.event) {
    w.page = static_cast<uint16_t>(e.address >> SCI_BD2_OFFSET_BITS);
    w.offset = e.address & ((1u << SCI_BD2_OFFSET_BITS) - 1);
  }
  m->config.wave(m->config.opaque, &p, &w);
}

}  // namespace
}  // namespace perfboard::smile

using namespace perfboard::smile;

void smile_packet(SmileHwm* m, const SciPacket* packet) {
  SmileTarget& t = m->state.target;
  if (packet->node != m->config.node || !(t.mcr & kRun)) return;
  if (packet->ns >= t.timer_next) run_timer(m, packet->ns);
  Event e;
  Outcome o = {SMILE_IDLE, SMILE_NO_ENTRY, 0};
  const Decoded d = decode(t, *packet, e);
  if (d.event) o = t.design == SMILE_DYNAMIC ? dynamic_event(m, e) : static_event(m, e);
  t.frl_ns = packet->ns;
  t.frl_seen = 1;
  t.frl_last = o.last;
  t.frl_records = o.records;
  if (m->config.wave) tell_wave(m, *packet, d, e, o);
  // What the packet changed may have brought an overflow by the timer nearer.
  if (t.timer_next != PB_NEVER) arm_by(m, timer_deadline(t, m->wires));
  if (m->attention) arm_by(m, packet->ns);
}
