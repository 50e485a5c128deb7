// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surfboard/has.h"

#include "hw/fpga/load.h"

namespace xc = perfboard::xc4000;

namespace {

using perfboard::has::kDevice;
using perfboard::has::kSwitches;
using perfboard::has::kVcc;

constexpr uint32_t kAllHigh = (1u << HAS_OUTPUTS) - 1;

// DOUT repeats DIN one clock later, for a next device in the chain. While frames come it is high, because a
// start bit would start that device.
bool dout_level(const HasState* h, bool previous) {
  switch (h->phase) {
    case xc::kSeekPreamble:
    case xc::kLength:
      return previous;
    case xc::kFill:
      return h->bit == 0 ? previous : true;
    case xc::kFrameData:
      return true;
    default:
      // INFERRED: the design leaves the pin unused, so it is pulled up once outputs are active.
      return xc::load_active(h) || previous;
  }
}

void clear_memory(HasState* h) {
  const uint8_t prog = h->prog;
  *h = HasState{};
  h->prog = prog;
  xc::load_clear(h);
  h->dout = 1;
}

}  // namespace

void has_power_on(HasState* h) {
  h->prog = 1;
  clear_memory(h);
}

// INFERRED: the real part clears its memory for some hundred microseconds after PROG* rises, and holds INIT*
// low until then. Here the memory is clear at once, so INIT* rises together with PROG*.
void has_prog(HasState* h, bool prog) {
  h->prog = prog;
  if (prog) clear_memory(h);
}

void has_clock(HasState* h, bool din) {
  if (h->prog || xc::load_stands(h)) return;
  h->dout = dout_level(h, h->shift & 1);
  xc::load_clock<kDevice>(h, din, [h](uint32_t frame, uint32_t i, bool bit) {
    if (frame < HAS_OUTPUTS && i < kSwitches) h->pip[frame] |= uint64_t{bit} << i;
  });
}

bool has_done(const HasState* h) { return xc::load_done(h); }
bool has_error(const HasState* h) { return h->prog || h->error; }
bool has_hdc(const HasState* h) { return !xc::load_active(h); }
bool has_read_data(const HasState* h) { return h->dout; }

uint32_t has_address(const HasState* h, uint64_t input50) {
  if (!xc::load_active(h)) return kAllHigh;
  const uint64_t levels = input50 | uint64_t{1} << kVcc;  // no switch is above that one
  uint32_t address = 0;
  for (uint32_t k = 0; k < HAS_OUTPUTS; ++k) {
    const uint64_t closed = h->pip[k];
    address |= uint32_t{closed != 0 && (closed & ~levels) == 0} << k;
  }
  return address;
}
