// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SurfState is one that the board can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include "hw/fpga/load.h"
#include "hw/model/state_check.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t writable(std::string_view name) { return at(kRegisters, name).mask(rw); }

#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/model/state_legal.h"
#define STATE_LIST "hw/surfboard/state.def"
#include "hw/model/state_legal.h"

class Check : public StateCheck {
 public:
  using StateCheck::StateCheck;

  void has(const HasState& h) {
    const Part part(*this, "has");
    const auto limits = xc4000::load_limits<has::kDevice>(h.phase);
    in("frame", h.frame, limits.first_frame, limits.last_frame);
    in("bit", h.bit, 0, limits.most_bits);
    // PROG keeps the memory cleared; a frame's error stops the part where it is.
    if (h.prog) is("phase", h.phase, xc4000::kSeekPreamble);
    in("error", h.error, 0, h.phase == xc4000::kFrameData || h.phase == xc4000::kWrite);
    in("startup", h.startup, 0, h.phase == xc4000::kStartup ? xc4000::kFinishedClock : 0);
  }

  // The times of a packet that has gone mean nothing.
  void pipeline(const SurfState& s) {
    const bool runs = enabled(s) && !(s.htcr & surf::bits("HTCR.PRS"));
    in("pipe_count", s.pipe_count, 0, runs ? SURF_PIPE_PACKETS : 0);
    in("open_valid", s.open_valid, 0, runs);
    uint64_t before = 0;
    for (int i = 0; ok() && i < s.pipe_count; ++i) {
      const Part part(*this, "pipe", i);
      const SurfPipePacket& p = s.pipe[i];
      time("start_ns", p.start_ns);
      in("done_ns", p.done_ns, before, latest());
      in("stage3_ns", p.stage3_ns, 0, p.done_ns);
      in("stage2_ns", p.stage2_ns, p.start_ns, p.stage3_ns);
      before = p.done_ns;
    }
    const Part part(*this, "open");
    if (s.open_valid) time("start_ns", s.open.start_ns);
  }

  void times(const SurfState& s) {
    uint64_t later = latest();
    for (int i = 0; i < SURF_CATEGORY_HISTORY; ++i) {
      in("category_until_ns", s.category_until_ns[i], 0, later, i);
      later = s.category_until_ns[i];
    }
    later = latest();
    for (int i = 0; i < SURF_EXT_HISTORY; ++i) {
      in("ext_changed_ns", s.ext_changed_ns[i], 0, later, i);
      later = s.ext_changed_ns[i];
    }
    // It was set to a time of 44 bits, or reset, at some moment until now.
    constexpr auto kLongest = static_cast<int64_t>((kTimeMask + 1) * kTickNs);
    that(s.clock_base_ns >= -kLongest && s.clock_base_ns <= static_cast<int64_t>(latest()), "clock_base_ns",
         static_cast<uint64_t>(s.clock_base_ns), "the receive clock did not begin then");
  }
};

}  // namespace
}  // namespace perfboard::surf

using namespace perfboard::surf;

bool surf_state_ok(const SurfBoard* b, const SurfState* image, char* why, uint32_t why_size) {
  const SurfState& s = *image;
  Check check(why, why_size, b->host.now(b->host.opaque));
  members_ok(check, s);
  if (!check.ok()) return false;
  check.bits("iemr", s.iemr, enabled(s) ? writable("IEMR") : 0);
  check.has(s.has);
  check.in("fifo.count", s.fifo.count, 0, s.htcr & bits("HTCR.FRS") ? 0 : SURF_FIFO_SLOTS);
  check.pipeline(s);
  check.times(s);
  return check.ok();
}
