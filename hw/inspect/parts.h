// SPDX-License-Identifier: GPL-2.0-or-later
//
// An access taken apart: which bits of which registers it touches.
//
//   Parts parts;
//   split_access(view, model, access, parts);           an access of 1 to 8 bytes
//   put_value(access, big, parts);                      when the value is known
//   access.parts = parts.all();
//   for (const FieldSeen& f : fields_of(part, access.write)) ...
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/access.h"

namespace perfboard::inspect {

struct Parts {
  std::array<Part, 8> part;  // an access has 8 bytes at most
  unsigned count = 0;
  // Of each byte of the access, lowest offset first: its part, and which byte of it.
  std::array<uint8_t, 8> of{}, lane{};
  static constexpr uint8_t kNone = 0xff;  // of: in no part

  std::span<const Part> all() const { return {part.data(), count}; }
  std::span<Part> all() { return {part.data(), count}; }
};

// Parts with place and lanes, in the order of the access's bytes. Bytes that are no register's are a part
// without one; those that only fill the access of a register (Place::filler) are in no part. view: null: no
// register is known.
void split_access(const BoardView* view, const void* model, const Access& access, Parts& parts);

// The access's value, as on the bus, into the parts' data. big: the highest byte is at the lowest offset.
void put_value(const Access& access, bool big, Parts& parts);

// "TTCR", "SOURCE[3]".
std::string register_name(const Place& place);

// What an access says of a field.
struct FieldSeen {
  const Field* field;
  uint32_t value;  // written, or read, or what the register holds now
  bool cleared;    // a 1 was written to a bit that this clears, and it was set
};

// Of a write: fields whose content has changed; if the register does not say what it holds, fields that data
// was written to. Of a read: fields that are not 0.
std::vector<FieldSeen> fields_of(const Part& part, bool write);

}  // namespace perfboard::inspect
