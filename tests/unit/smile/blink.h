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
  // blink_data(low-high), as the paper writes it.
  static uint64_t cut(uint64_t blink_data, unsigned low, unsigned high) {
    return blink_data >> low & ((uint64_t{1} << (high - low + 1)) - 1);
  }

  // The 64x27 bit SRAM of Fig. 4.
  struct Row {
    uint16_t page_number = 0;
    uint16_t page_offset = 0;
    bool triggers_response = false;
  };
  Row sram_[SMILE_TRANSACTIONS];
  bool known_ = false;  // the command of the packet at hand
};

inline void BlinkDecoder::clock(bool bframe, uint64_t blink_data) {
  valid = orphan = clash = false;
  if (reset || monitor_reset) {
    decode_state = SMILE_DECODE_IDLE;
    for (Row& row : sram_) row.triggers_response = false;
    return;
  }
  switch (decode_state) {
    case SMILE_DECODE_IDLE:
      if (bframe) return;
      decode_state = SMILE_DECODE_BD1;
      return take_header(blink_data);
    case SMILE_DECODE_BD1:
      decode_state = SMILE_DECODE_BD2;
      return take_address(blink_data);
    default:
      decode_state = SMILE_DECODE_IDLE;
  }
}

inline void BlinkDecoder::take_header(uint64_t blink_data) {
  const uint64_t command = cut(blink_data, 16, 22);
  trans_id = static_cast<uint8_t>(cut(blink_data, 48, 53));
  dest_id = static_cast<uint8_t>(cut(blink_data, 32, 36));
  source_id = static_cast<uint8_t>(cut(blink_data, 0, 4));
  what = static_cast<uint8_t>(cut(command, 0, 1));
  response = cut(command, 2, 2);
  known_ = cut(command, 4, 6) == 0;
}

inline void BlinkDecoder::take_address(uint64_t blink_data) {
  if (!known_) return;
  Row& row = sram_[trans_id];
  if (response) {
    valid = row.triggers_response;
    orphan = !valid;
  } else {
    valid = true;
    clash = row.triggers_response;
    row.page_number = static_cast<uint16_t>(cut(blink_data, 12, 27));
    row.page_offset = static_cast<uint16_t>(cut(blink_data, 2, 11));
  }
  row.triggers_response = !response && (what == SCI_READ || what == SCI_LOCK);
  page_number = row.page_number;
  page_offset = row.page_offset;
}

}  // namespace perfboard::smile
