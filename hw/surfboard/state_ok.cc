// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SurfState is one that the board can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include "hw/core/state_check.h"
#include "hw/fpga/load.h"
#include "hw/surfboard/has_switches.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t writable(std::string_view name) { return at(kRegisters, name).mask(rw); }

class Check : public StateCheck {
 public:
  Check(const SurfBoard& b, char* why, uint32_t size)
      : StateCheck(why, size), latest_(b.host.now(b.host.opaque) + kSoonNs) {}

  void time(const char* member, uint64_t t, int index = -1) { in(member, t, 0, latest_, index); }

  void has(const HasState& h) {
    const auto& [pip, count, length, frame, bit, crc, phase, prog, error, startup, shift, dout] = h;
    any(crc);
    part("has");
    constexpr uint64_t kSwitchBits = (uint64_t{1} << has::kSwitches) - 1;
    for (int k = 0; k < HAS_OUTPUTS; ++k) bits("pip", pip[k], kSwitchBits, k);
    constexpr uint32_t kMostCount = (1u << xc4000::kLengthBits) - 1;
    in("count", count, 0, kMostCount);
    in("length", length, 0, kMostCount);
    in("phase", phase, 0, xc4000::kStartup);
    if (!ok()) return;  // such a phase has no limits
    const auto limits = xc4000::load_limits<has::kDevice>(phase);
    in("frame", frame, limits.first_frame, limits.last_frame);
    in("bit", bit, 0, limits.most_bits);
    flag("prog", prog);
    // PROG keeps the memory cleared; a frame's error stops the part where it is.
    if (prog) is("phase", phase, xc4000::kSeekPreamble);
    in("error", error, 0, phase == xc4000::kFrameData || phase == xc4000::kWrite);
    in("startup", startup, 0, phase == xc4000::kStartup ? xc4000::kFinishedClock : 0);
    in("shift", shift, 0, 0xf);
    flag("dout", dout);
    part(nullptr);
  }

  void fifo(const SurfFifo& f, bool held) {
    const auto& [slot, head, count, empty_offset, full_offset, pointer] = f;
    part("fifo");
    for (int i = 0; i < SURF_FIFO_SLOTS; ++i) in("slot", slot[i], 0, 0x1ff, i);
    in("head", head, 0, SURF_FIFO_SLOTS - 1);
    in("count", count, 0, held ? 0 : SURF_FIFO_SLOTS);
    in("empty_offset", empty_offset, 0, 0xfff);
    in("full_offset", full_offset, 0, 0xfff);
    in("pointer", pointer, 0, 3);
    part(nullptr);
  }

  // What is left of a packet that has gone has legal bits still, but its times mean nothing.
  enum class Where { kGone, kStage1, kLater };
  void packet(const SurfPipePacket& p, Where where) {
    const auto& [start_ns, stage2_ns, stage3_ns, done_ns, receive_time, timestamp, address, sender, words,
                 color, interrupt, byte_enables, category, remote_category, ext_input] = p;
    in("receive_time", receive_time, 0, kTimeMask);
    in("timestamp", timestamp, 0, kTimeMask);
    bits("address", address, 0x07fffffc);
    in("sender", sender, 0, 0xfff);
    in("words", words, 0, 0x3ff);
    in("color", color, 0, 0x3f);
    flag("interrupt", interrupt);
    in("byte_enables", byte_enables, 0, 0xf);
    in("category", category, 0, 0xf);
    in("remote_category", remote_category, 0, 0xf);
    flag("ext_input", ext_input);
    if (where != Where::kGone) time("start_ns", start_ns);
    if (where != Where::kLater) return;
    time("done_ns", done_ns);
    in("stage3_ns", stage3_ns, 0, done_ns);
    in("stage2_ns", stage2_ns, start_ns, stage3_ns);
  }

  void pipeline(const SurfState& s) {
    const bool runs = enabled(s) && !(s.htcr & surf::bits("HTCR.PRS"));
    in("pipe_count", s.pipe_count, 0, runs ? SURF_PIPE_PACKETS : 0);
    in("open_valid", s.open_valid, 0, runs);
    for (int i = 0; ok() && i < SURF_PIPE_PACKETS; ++i) {
      part("pipe", i);
      packet(s.pipe[i], i < s.pipe_count ? Where::kLater : Where::kGone);
      if (i > 0 && i < s.pipe_count) in("done_ns", s.pipe[i].done_ns, s.pipe[i - 1].done_ns, latest_);
    }
    part("open");
    packet(s.open, s.open_valid ? Where::kStage1 : Where::kGone);
    part(nullptr);
  }

  void injected(const SurfInjected& i) {
    const auto& [drop, damage, no_end, overrun, fifo_overflow, late_ns, skew_ticks, selector, trace_simm,
                 hist_simm] = i;
    any(drop, damage, no_end, overrun, fifo_overflow, late_ns, skew_ticks);
    part("injected");
    in("selector", selector, 0, SURF_SELECTOR_INIT_LOW);
    in("trace_simm", trace_simm, 0, SURF_SIMM_HALF);
    in("hist_simm", hist_simm, 0, SURF_SIMM_HALF);
    part(nullptr);
  }

  void times(const SurfState& s) {
    time("ready_ns", s.ready_ns);
    time("stage1_free_ns", s.stage1_free_ns);
    time("stage3_free_ns", s.stage3_free_ns);
    time("led_reset_until_ns", s.led_reset_until_ns);
    time("led_access_until_ns", s.led_access_until_ns);
    time("led_stage1_until_ns", s.led_stage1_until_ns);
    time("led_stage2_until_ns", s.led_stage2_until_ns);
    uint64_t later = latest_;
    for (int i = 0; i < SURF_CATEGORY_HISTORY; ++i) {
      in("category_until_ns", s.category_until_ns[i], 0, later, i);
      in("category_before", s.category_before[i], 0, 0xf, i);
      later = s.category_until_ns[i];
    }
    later = latest_;
    for (int i = 0; i < SURF_EXT_HISTORY; ++i) {
      in("ext_changed_ns", s.ext_changed_ns[i], 0, later, i);
      later = s.ext_changed_ns[i];
    }
    // It was set to a time of 44 bits, or reset, at some moment until now.
    constexpr auto kLongest = static_cast<int64_t>((kTimeMask + 1) * kTickNs);
    that(s.clock_base_ns >= -kLongest && s.clock_base_ns <= static_cast<int64_t>(latest_), "clock_base_ns",
         static_cast<uint64_t>(s.clock_base_ns), "the receive clock did not begin then");
  }

 private:
  const uint64_t latest_;
};

}  // namespace
}  // namespace perfboard::surf

using namespace perfboard::surf;

bool surf_state_ok(const SurfBoard* b, const SurfState* image, char* why, uint32_t why_size) {
  const SurfState& s = *image;
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [ebcr, acdr, ttcr, ecdr, pclr, iscr, iemr, htcr, wcdr, ticr, tecr, tpir, has, fifo, pipe, open,
               pipe_count, open_valid, ready_ns, stage1_free_ns, stage3_free_ns, category_until_ns,
               category_before, clock_base_ns, ext_high, ext_changed_ns, led_reset_until_ns,
               led_access_until_ns, led_stage1_until_ns, led_stage2_until_ns, injected, lines] = s;
  constexpr const perfboard::Register& latched = at(kRegisters, "ISCR");
  Check check(*b, why, why_size);
  check.any(wcdr, lines);  // lines: surf_post_load() works it out again
  check.bits("ebcr", ebcr, kSlotRegisters[1].mask(rw));
  check.bits("acdr", acdr, kShiftRegister[0].mask(rw));
  check.bits("ttcr", ttcr, writable("TTCR"));
  check.bits("ecdr", ecdr, writable("ECDR"));
  check.bits("pclr", pclr, writable("PCLR"));
  check.bits("iscr", iscr, latched.mask(w1c) | bits("ISCR.RTV"));
  check.bits("iemr", iemr, enabled(s) ? writable("IEMR") : 0);
  check.bits("htcr", htcr, writable("HTCR"));
  check.bits("ticr", ticr, writable("TICR"));
  check.bits("tecr", tecr, writable("TECR"));
  check.bits("tpir", tpir, writable("TPIR"));
  check.flag("ext_high", ext_high);
  check.has(has);
  check.fifo(fifo, htcr & bits("HTCR.FRS"));
  check.pipeline(s);
  check.times(s);
  check.injected(injected);
  return check.ok();
}
