// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/smile/vcd.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace perfboard::smile {
namespace {

constexpr uint64_t kClock = SCI_BLINK_CLOCK_NS, kHalf = kClock / 2;
constexpr uint64_t kLead = 2 * kClock, kTail = 3 * kClock;  // of b_clk, around a packet
constexpr uint64_t kNever = UINT64_MAX;
constexpr uint32_t kLongestLine = 200;

enum Signal : uint8_t {
  kBClk,
  kBFrame,
  kBlinkData,
  kDecodeState,
  kTransId,
  kCommand,
  kSourceId,
  kDestId,
  kPageNumber,
  kPageOffset,
  kOrphan,
  kClash,
  kFrlState,
  kEntry,
  kRecords,
  kSignals
};
static_assert(kSignals == SMILE_VCD_SIGNALS);

struct Declaration {
  const char* scope;
  const char* name;
  unsigned bits;
};
constexpr Declaration kDeclarations[kSignals] = {
    {"b_link", "b_clk", 1},         {"b_link", "bframe", 1},    {"b_link", "blink_data", 64},
    {"decoder", "decode_state", 2}, {"decoder", "trans_id", 6}, {"decoder", "command", 7},
    {"decoder", "source_id", 5},    {"decoder", "dest_id", 5},  {"decoder", "page_number", 16},
    {"decoder", "page_offset", 10}, {"decoder", "orphan", 1},   {"decoder", "clash", 1},
    {"frl", "frl_state", 3},        {"frl", "entry", 6},        {"frl", "records", 16},
};
constexpr SmileVcdValue kUnknown = {0, 'x'}, kUndriven = {0, 'z'};

uint64_t rounded_up(uint64_t ns) { return (ns + kClock - 1) / kClock * kClock; }

char name_of(unsigned signal) { return static_cast<char>('!' + signal); }

// The text is whole lines. What does not fit is left out, and a comment takes its place.
void hand_over(SmileVcd* v) {
  if (v->used && !v->done) {
    const uint64_t most = v->config.most;
    v->full = most && v->written + v->used + kLongestLine > most;
    if (v->full)
      v->used = static_cast<uint32_t>(std::snprintf(
          v->text, kLongestLine, "$comment the waveforms end here: vcd-size=%" PRIu64 " $end\n", most));
    v->done = !v->config.write(v->config.opaque, v->text, v->used) || v->full;
    v->written += v->used;
  }
  v->used = 0;
}

__attribute__((format(printf, 2, 3))) void print(SmileVcd* v, const char* format, ...) {
  if (v->used + kLongestLine > SMILE_VCD_TEXT) hand_over(v);
  va_list args;
  va_start(args, format);
  v->used += static_cast<uint32_t>(std::vsnprintf(v->text + v->used, kLongestLine, format, args));
  va_end(args);
}

// A vector without its leading zeros, as VCD has it.
void print_value(SmileVcd* v, unsigned signal) {
  const SmileVcdValue& value = v->now[signal];
  const unsigned bits = kDeclarations[signal].bits;
  char digits[65] = {value.other ? value.other : '0', 0};
  if (!value.other && value.bits) {
    int n = 0;
    for (int i = 63 - __builtin_clzll(value.bits); i >= 0; --i)
      digits[n++] = static_cast<char>('0' + (value.bits >> i & 1));
    digits[n] = 0;
  }
  print(v, bits == 1 ? "%s%c\n" : "b%s %c\n", digits, name_of(signal));
}

void declare(SmileVcd* v) {
  print(v, "$version Perfboard smile-hwm, node %u $end\n$timescale 1ns $end\n$scope module sci_hwm $end\n",
        v->config.node);
  const char* scope = "";
  for (unsigned i = 0; i < kSignals; ++i) {
    const Declaration& d = kDeclarations[i];
    if (std::strcmp(scope, d.scope) != 0)
      print(v, "%s$scope module %s $end\n", *scope ? "$upscope $end\n" : "", d.scope);
    scope = d.scope;
    if (d.bits == 1)
      print(v, "$var wire 1 %c %s $end\n", name_of(i), d.name);
    else
      print(v, "$var wire %u %c %s [%u:0] $end\n", d.bits, name_of(i), d.name, d.bits - 1);
  }
  print(v, "$upscope $end\n$upscope $end\n$enddefinitions $end\n");
}

void begin_window(SmileVcd* v) {
  if (v->begun) return;
  v->begun = true;
  v->stamp = v->config.start;
  print(v, "#%" PRIu64 "\n$dumpvars\n", v->stamp);
  for (unsigned i = 0; i < kSignals; ++i) print_value(v, i);
  print(v, "$end\n");
}

void end_window(SmileVcd* v) {
  begin_window(v);
  print(v, "#%" PRIu64 "\n", v->config.stop);
  hand_over(v);
  v->done = true;
}

void change(SmileVcd* v, uint64_t ns, unsigned signal, SmileVcdValue value) {
  SmileVcdValue& now = v->now[signal];
  if (v->done || (now.bits == value.bits && now.other == value.other)) return;
  if (ns >= v->config.stop) return end_window(v);
  if (ns >= v->config.start) begin_window(v);
  now = value;
  if (!v->begun) return;
  if (ns != v->stamp) print(v, "#%" PRIu64 "\n", ns);
  v->stamp = ns;
  print_value(v, signal);
}

bool clock_shown(const SmileVcd* v) { return v->clock_at != v->clock_end; }

// All changes before that time, in order.
void write_until(SmileVcd* v, uint64_t end) {
  uint32_t taken = 0;
  while (!v->done) {
    const uint64_t next = taken < v->pendings ? v->pending[taken].ns : kNever;
    const uint64_t edge = clock_shown(v) ? v->clock_at : kNever;
    if (std::min(next, edge) >= end) break;
    if (edge <= next) {
      change(v, edge, kBClk, {edge % kClock == 0, 0});
      v->clock_at += kHalf;
      if (!clock_shown(v)) change(v, v->clock_at, kBClk, kUnknown);
    } else {
      const SmileVcdChange& c = v->pending[taken++];
      change(v, c.ns, c.signal, c.value);
    }
  }
  std::move(v->pending + taken, v->pending + v->pendings, v->pending);
  v->pendings -= taken;
  v->reached = std::max(v->reached, end == kNever ? v->stamp : end);
}

void plan(SmileVcd* v, uint64_t ns, Signal signal, SmileVcdValue value) {
  if (v->pendings == SMILE_VCD_PENDING) write_until(v, v->pending[SMILE_VCD_PENDING / 2].ns + 1);
  const SmileVcdChange c = {std::max(ns, v->reached), value, signal};
  SmileVcdChange* const end = v->pending + v->pendings;
  SmileVcdChange* const at = std::upper_bound(
      v->pending, end, c, [](const SmileVcdChange& a, const SmileVcdChange& b) { return a.ns < b.ns; });
  std::move_backward(at, end, end + 1);
  *at = c;
  ++v->pendings;
}
void plan(SmileVcd* v, uint64_t ns, Signal signal, uint64_t bits) {
  plan(v, ns, signal, SmileVcdValue{bits, 0});
}

void show_clock(SmileVcd* v, uint64_t from, uint64_t until) {
  if (!clock_shown(v)) v->clock_at = v->clock_end = std::max(from, rounded_up(v->reached));
  v->clock_end = std::max(v->clock_end, until);
}

void plan_bus(SmileVcd* v, const SciPacket& p, uint64_t ns) {
  const uint64_t first = ns - std::min(ns, kHalf);
  plan(v, first, kBFrame, uint64_t{0});
  plan(v, first + kClock, kBFrame, uint64_t{1});
  const uint32_t words = std::min<uint32_t>(p.words, 2 + std::size(p.payload));
  for (uint32_t i = 0; i < words; ++i)
    plan(v, first + i * kClock, kBlinkData, i == 0 ? p.bd1 : i == 1 ? p.bd2 : p.payload[i - 2]);
  plan(v, first + words * kClock, kBlinkData, kUndriven);
}

void plan_decoder(SmileVcd* v, const SmileWave& w) {
  const uint64_t bd1 = w.ns, bd2 = w.ns + kClock, idle = bd2 + kClock;
  plan(v, bd1, kDecodeState, uint64_t{SMILE_DECODE_BD1});
  plan(v, bd2, kDecodeState, uint64_t{SMILE_DECODE_BD2});
  plan(v, idle, kDecodeState, uint64_t{SMILE_DECODE_IDLE});
  if (!w.decoded) return;
  plan(v, bd1, kTransId, uint64_t{w.trans});
  plan(v, bd1, kCommand, uint64_t{w.command});
  plan(v, bd1, kSourceId, uint64_t{w.source});
  plan(v, bd1, kDestId, uint64_t{w.destination});
  plan(v, bd2, kPageNumber, w.orphan ? kUnknown : SmileVcdValue{w.page, 0});
  plan(v, bd2, kPageOffset, w.orphan ? kUnknown : SmileVcdValue{w.offset, 0});
  plan(v, bd2, kOrphan, uint64_t{w.orphan});
  plan(v, bd2, kClash, uint64_t{w.clash});
  plan(v, idle, kOrphan, uint64_t{0});
  plan(v, idle, kClash, uint64_t{0});
}

// From `at` on, when the F.R.L. is free. Returns when it is back in Idle.
uint64_t plan_frl(SmileVcd* v, uint64_t at, const SmileWave& w) {
  const uint64_t swapped = w.records * SMILE_CLOCKS_PER_RECORD * kClock;
  if (w.last != SMILE_SWAP_ALL) {
    plan(v, at, kFrlState, uint64_t{SMILE_FORWARD});
    at += kClock;
  }
  if (w.last == SMILE_BUSY || w.last == SMILE_SWAP) {
    plan(v, at, kFrlState, uint64_t{SMILE_BUSY});
    plan(v, at, kEntry, w.entry == SMILE_NO_ENTRY ? kUnknown : SmileVcdValue{w.entry, 0});
    at += kClock;
  }
  if (w.last >= SMILE_SWAP) {
    plan(v, at, kFrlState, uint64_t{w.last});
    plan(v, at, kRecords, uint64_t{w.records});
    at += swapped;
  }
  plan(v, at, kFrlState, uint64_t{SMILE_IDLE});
  plan(v, at, kRecords, uint64_t{0});
  v->frl_free = at;
  return at;
}

}  // namespace
}  // namespace perfboard::smile

using namespace perfboard::smile;

void smile_vcd_init(SmileVcd* v, const SmileVcdConfig* config) {
  *v = {};
  v->config = *config;
  for (SmileVcdValue& value : v->now) value = kUnknown;
  v->now[kBFrame] = {1, 0};
  v->now[kBlinkData] = kUndriven;
  for (const Signal s : {kDecodeState, kFrlState, kOrphan, kClash, kRecords}) v->now[s] = {0, 0};
  declare(v);
}

void smile_vcd_wave(SmileVcd* v, const SciPacket* packet, const SmileWave* what) {
  if (v->done || what->ns < v->resume || what->ns > INT64_MAX) return;
  v->resume = 0;
  // What has been written cannot be changed any more.
  const uint64_t open = rounded_up(v->reached + kHalf);
  SmileWave w = *what;
  uint64_t frl = std::max({rounded_up(w.ns), v->frl_free, open}), from = frl, busy = frl;
  if (packet) {
    from = w.ns = std::max({w.ns, v->bus_free, open});
    frl = std::max(w.ns + SMILE_CLOCK_FORWARD * kClock, v->frl_free);
    busy = w.ns + packet->words * kClock;
    v->bus_free = busy + kClock;
  }
  from -= std::min(from, kLead);
  write_until(v, from);
  if (packet) {
    plan_bus(v, *packet, w.ns);
    plan_decoder(v, w);
  }
  if (w.last != SMILE_IDLE) busy = std::max(busy, plan_frl(v, frl, w));
  show_clock(v, from / kClock * kClock, rounded_up(busy) + kTail);
}

void smile_vcd_rewind(SmileVcd* v) {
  write_until(v, kNever);
  v->resume = v->reached;
  v->bus_free = v->frl_free = 0;
}

void smile_vcd_flush(SmileVcd* v) { hand_over(v); }

bool smile_vcd_rest(const SmileVcd* v, const SmileVcdConfig* to) {
  if (v->done) return true;
  SmileVcd rest = *v;
  rest.config.opaque = to->opaque;
  rest.config.write = to->write;
  write_until(&rest, kNever);
  if (rest.done) return true;  // the window ends on the way
  begin_window(&rest);
  hand_over(&rest);
  return !rest.done || rest.full;
}

void smile_vcd_end(SmileVcd* v) {
  write_until(v, kNever);
  if (v->done) return;
  begin_window(v);
  hand_over(v);
  v->done = true;
}
