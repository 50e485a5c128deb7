// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/smile/blink.h"

namespace perfboard::smile {
namespace {

// blink_data(low-high), as the paper writes it.
uint64_t cut(uint64_t blink_data, unsigned low, unsigned high) {
  return blink_data >> low & ((uint64_t{1} << (high - low + 1)) - 1);
}

}  // namespace

void BlinkDecoder::clock(bool bframe, uint64_t blink_data) {
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

void BlinkDecoder::take_header(uint64_t blink_data) {
  const uint64_t command = cut(blink_data, 16, 22);
  trans_id = static_cast<uint8_t>(cut(blink_data, 48, 53));
  dest_id = static_cast<uint8_t>(cut(blink_data, 32, 36));
  source_id = static_cast<uint8_t>(cut(blink_data, 0, 4));
  what = static_cast<uint8_t>(cut(command, 0, 1));
  response = cut(command, 2, 2);
  known_ = cut(command, 4, 6) == 0;
}

void BlinkDecoder::take_address(uint64_t blink_data) {
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
