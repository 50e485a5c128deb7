// SPDX-License-Identifier: GPL-2.0-or-later
//
// A packet at a time: what the decoder of Fig. 3 does with BD1 and BD2, and what follows in the F.R.L.
// tests/unit/smile/blink.h has the decoder as the paper has it, clock by clock.
#include <algorithm>

#include "hw/smile/dynamic.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kUnknownCommand = 0x7f & ~(SCI_COMMAND_WHAT | SCI_COMMAND_RESPONSE | SCI_COMMAND_64);

enum class Decoded : uint8_t {
  kNothing,
  kOrphan,
  kEvent,
  kClash
};  // from kOrphan on a packet that the monitor knows
inline bool is_odd(Decoded d) { return d == Decoded::kOrphan || d == Decoded::kClash; }
constexpr bool is_event(Decoded d) { return d >= Decoded::kEvent; }

// "The current monitor and card design is only intended for clusters with up to 32 nodes": of source and
// destination 5 bits are looked at (Sec. III).
inline Decoded decode(SmileTarget& t, uint64_t bd1, uint64_t bd2, Event& e) {
  const auto command = static_cast<uint32_t>(bd1 >> SCI_BD1_COMMAND_SHIFT);
  if (command & kUnknownCommand) return Decoded::kNothing;  // an echo
  ++t.packets;
  const uint32_t source = bd1 & 31, destination = bd1 >> SCI_BD1_DEST_SHIFT & 31,
                 what = command & SCI_COMMAND_WHAT;
  uint32_t& row = t.transaction[bd1 >> SCI_BD1_TRANS_SHIFT & 63];
  const uint32_t awaited = row / kAwaited;
  e.pair = kValid | source | destination << 8;
  e.filter = 1u << what | (source == t.node ? bits("MASK.OUTBOUND") : bits("MASK.INBOUND"));
  if (command & SCI_COMMAND_RESPONSE) {
    e.address = row &= ~kAwaited;
    e.filter |= bits("MASK.RESPONSE");
    if (awaited) return Decoded::kEvent;
    ++t.orphans;
    return Decoded::kOrphan;
  }
  e.address = static_cast<uint32_t>(bd2 >> SCI_BD2_OFFSET_SHIFT) & kAddressBits;
  e.filter |= bits("MASK.REQUEST");
  row = e.address | (what == SCI_READ || what == SCI_LOCK ? kAwaited : 0);
  t.clashes += awaited;
  return awaited ? Decoded::kClash : Decoded::kEvent;
}

[[gnu::noinline]] void tell_odd(const SmileHwm* m, const SciPacket& p, Decoded d) {
  tell_effect(m, d == Decoded::kOrphan ? effect("orphan") : effect("clash"),
              p.bd1 >> SCI_BD1_TRANS_SHIFT & 63);
}

void tell_wave(const SmileHwm* m, const SciPacket& p, Decoded d, const Event& e, Outcome o) {
  SmileWave w = {.ns = p.ns, .last = o.last, .entry = o.entry, .records = o.records};
  if (d != Decoded::kNothing) {
    w.decoded = 1;
    w.source = static_cast<uint8_t>(source_of(e.pair));
    w.destination = static_cast<uint8_t>(destination_of(e.pair));
    w.trans = p.bd1 >> SCI_BD1_TRANS_SHIFT & 63;
    w.command = p.bd1 >> SCI_BD1_COMMAND_SHIFT & 0x7f;
    w.orphan = d == Decoded::kOrphan;
    w.clash = d == Decoded::kClash;
  }
  if (is_event(d)) {
    w.page = static_cast<uint16_t>(e.address >> SCI_BD2_OFFSET_BITS);
    w.offset = e.address & ((1u << SCI_BD2_OFFSET_BITS) - 1);
  }
  m->config.wave(m->config.opaque, &p, &w);
}

}  // namespace
}  // namespace perfboard::smile

using namespace perfboard::smile;

namespace {

// With everything that a packet may bring about. Not inline, so that smile_packet() needs few registers.
[[gnu::noinline]] void any_packet(SmileHwm* m, SciPacket packet) {
  SmileTarget& t = m->state.target;
  if (t.design == SMILE_TARGET) return;  // the B-Link interface is on the daughter board, too
  if (hears_badly(m) && !heard(m, packet)) return;
  // What lies ahead of the present has not happened: the timer's events up to it come later.
  if (const uint64_t ns = std::min(packet.ns, packet.known); ns >= t.timer_next) run_timer(m, ns);
  Event e;
  Outcome o = {SMILE_IDLE, SMILE_NO_ENTRY, 0};
  const Decoded d = decode(t, packet.bd1, packet.bd2, e);
  if (is_odd(d)) tell_odd(m, packet, d);
  if (is_event(d)) o = t.design == SMILE_DYNAMIC ? dynamic_event(m, e) : static_event(m, e);
  remember(t, packet.ns, o);
  if (m->config.wave) tell_wave(m, packet, d, e, o);
  // What the packet changed may have brought an overflow by the timer nearer.
  if (t.timer_next != PB_NEVER) arm_by(m, timer_deadline(m->state, m->wires));
  if (m->attention) arm_by(m, packet.ns);
}

}  // namespace

// any_packet(), as far as it is about the dynamic part, which has no timer.
void smile_packet(SmileHwm* m, const SciPacket* packet) {
  SmileTarget& t = m->state.target;
  if (packet->node != m->config.node || !(t.mcr & kRun)) return;
  if (t.design != SMILE_DYNAMIC || m->config.wave || hears_badly(m)) return any_packet(m, *packet);
  Event e;
  const Decoded d = decode(t, packet->bd1, packet->bd2, e);
  if (is_odd(d)) tell_odd(m, *packet, d);
  remember(t, packet->ns, is_event(d) ? dynamic_event(m, e) : Outcome{SMILE_IDLE, SMILE_NO_ENTRY, 0});
  if (m->attention) arm_by(m, packet->ns);
}
