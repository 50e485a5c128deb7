// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/parts.h"

namespace perfboard::inspect {
namespace {

bool same_register(const Place& a, const Place& b) {
  return a.reg == b.reg && a.index == b.index && a.unit == b.unit;
}

uint32_t byte_lane(unsigned byte) { return 0xffu << (8 * byte); }

// The part of the access's byte i: one that there is, or a new one.
unsigned part_for(Parts& parts, const Place& place, unsigned byte) {
  for (unsigned n = 0; n < parts.count; ++n) {
    const Part& p = parts.part[n];
    if (same_register(p.place, place) && !(p.lanes & byte_lane(byte))) return n;
  }
  parts.part[parts.count] = {.place = place};
  return parts.count++;
}

}  // namespace

void split_access(const BoardView* view, const void* model, const Access& access, Parts& parts) {
  const AccessRequest asked{access.offset, access.bytes, access.vcpu};
  parts.count = 0;
  for (unsigned i = 0; i < access.bytes; ++i) {
    const Place place = view ? place_of(*view, model, access.window, access.offset + i, asked) : Place{};
    if (place.filler) {
      parts.of[i] = Parts::kNone;
      continue;
    }
    const unsigned byte = place.reg ? place.byte & 3 : (access.offset + i) & 3;
    const unsigned n = part_for(parts, place, byte);
    parts.part[n].lanes |= byte_lane(byte);
    parts.of[i] = static_cast<uint8_t>(n);
    parts.lane[i] = static_cast<uint8_t>(byte);
  }
}

void put_value(const Access& access, bool big, Parts& parts) {
  for (Part& p : parts.all()) p.data = 0;
  for (unsigned i = 0; i < access.bytes; ++i) {
    const unsigned from = big ? access.bytes - 1 - i : i;
    const uint32_t byte = access.value >> (8 * from) & 0xff;
    if (parts.of[i] == Parts::kNone) continue;
    parts.part[parts.of[i]].data |= byte << (8 * parts.lane[i]);
  }
}

std::string register_name(const Place& place) {
  std::string name(place.reg->name);
  if (place.index >= 0) name += "[" + std::to_string(place.index) + "]";
  return name;
}

std::vector<FieldSeen> fields_of(const Part& part, bool write) {
  std::vector<FieldSeen> seen;
  if (!part.place.reg) return seen;
  for (const Field& f : part.place.reg->fields) {
    const uint32_t data = f.get(part.data & part.lanes);
    if (!write) {
      if (data) seen.push_back({&f, data, false});
    } else if (part.before && part.after && f.get(*part.before) != f.get(*part.after)) {
      const bool cleared = f.access == perfboard::Access::w1c && f.get(*part.after) == 0;
      seen.push_back({&f, f.get(*part.after), cleared});
    } else if (data &&
               (f.access == perfboard::Access::wo || f.access == perfboard::Access::wa || !part.after) &&
               f.access != perfboard::Access::reserved) {
      seen.push_back({&f, data, false});
    }
  }
  return seen;
}

}  // namespace perfboard::inspect
