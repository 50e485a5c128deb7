// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlinkDecoder - the decoder of Sec. III as the paper has it: an entity with a clock, written after the
// paper's VHDL and field lists and not after packet.cc. The model does not run on it. Tests hold the two
// against each other, and it says what is on which wire in which clock.
//
//   BlinkDecoder d;
//   d.clock(bframe, blink_data);      a rising edge of b_clk; then the outputs are those of this clock
//   d.reset = true;                   asynchronous, as monitor_reset: at once, and for as long as it is set
//
// A word is on blink_data at the edge that enters the state of its name. bframe is 0 with a packet's first
// word only. The machine goes from BD2 to IDLE without a look at bframe, so after a packet of two words the
// bus must be idle for a clock.
#pragma once

#include <cstdint>

#include "hw/smile/smile.h"

namespace perfboard::smile {

struct BlinkDecoder {
  // Inputs.
  bool reset = false;
  bool monitor_reset = false;
  void clock(bool bframe, uint64_t blink_data);

  // Outputs; those of a packet are right while `valid` or `orphan`, in the clock of BD2.
  enum smile_decode_state decode_state = SMILE_DECODE_IDLE;
  bool valid = false;   // an event for the F.R.L.
  bool orphan = false;  // a response whose trans_ID is not in the table
  bool clash = false;   // with valid: the table held an address whose response was still to come
  bool response = false;
  uint8_t what = 0;  // enum sci_what
  uint8_t source_id = 0, dest_id = 0, trans_id = 0;
  uint16_t page_number = 0, page_offset = 0;

 private:
  void take_header(uint64_t blink_data);
  void take_address(uint64_t blink_data);

  // The 64x27 bit SRAM of Fig. 4.
  struct Row {
    uint16_t page_number = 0;
    uint16_t page_offset = 0;
    bool triggers_response = false;
  };
  Row sram_[SMILE_TRANSACTIONS];
  bool known_ = false;  // the command of the packet at hand
};

}  // namespace perfboard::smile
