// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to the memory-mapped registers.
#include <algorithm>
#include <iterator>

#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kUnused = kRegisterBytes - 4;  // the only offset without a register
static_assert(std::size(kRegisters) == kUnused / 4);

void write_part(SurfBoard* b, Part p, uint32_t data) {
  const Register& reg = *p.place.reg;
  if (p.lanes.bytes < reg.min_write_bytes)
    return log_mistake(b, mistake("narrow-write"), "%s ignores %u-byte writes", reg.name.data(),
                       p.lanes.bytes);
  write_at(kBehaviours, b, b->state, p, data);
}

constexpr uint32_t all_ones(uint32_t bytes) { return bytes >= 4 ? 0xffffffffu : (1u << 8 * bytes) - 1; }

// The EISA bus splits an access that crosses a doubleword. Calls visit(part, shift) for each part; the
// part's lowest bit is bit `shift` of the access's value.
template <typename Visit>
void split(uint32_t offset, uint32_t size, uint64_t now, Visit visit) {
  for (uint32_t done = 0; done < size;) {
    const uint32_t at = (offset + done) % kWindowBytes;
    const Place place = place_at(kRegisterWindow, at);
    const uint32_t bytes = std::min(size - done, 4 - place.byte);
    visit(Part{place, Lanes::of(place.byte, bytes), now}, 8 * done);
    done += bytes;
  }
}

bool answers(SurfBoard* b, uint32_t offset, const char* what) {
  if (enabled(b->state)) return true;
  log_mistake(b, mistake("disabled"), "%s of register offset 0x%x while EBCR.ENABLE is 0", what, offset);
  return false;
}

bool known(const SurfBoard* b, const Part& p, const char* what) {
  if (p.place.reg) return true;
  log_mistake(b, mistake("unused-offset"), "%s of unused register offset 0x%x", what, kUnused);
  return false;
}

}  // namespace
}  // namespace perfboard::surf

using namespace perfboard::surf;

uint32_t surf_reg_read(SurfBoard* b, uint32_t offset, uint32_t size) {
  size = std::min(size, 4u);
  if (!answers(b, offset, "read")) return all_ones(size);
  const uint64_t now = present(b);
  flash_access(b->state, now);
  uint32_t value = 0;
  split(offset, size, now, [&](const Part& p, uint32_t shift) {
    value |= (known(b, p, "read") ? read_at(kBehaviours, b, b->state, p) : all_ones(p.lanes.bytes)) << shift;
  });
  settle(b, now);
  return value;
}

void surf_reg_write(SurfBoard* b, uint32_t offset, uint32_t value, uint32_t size) {
  size = std::min(size, 4u);
  if (!answers(b, offset, "write")) return;
  const uint64_t now = present(b);
  flash_access(b->state, now);
  split(offset, size, now, [&](const Part& p, uint32_t shift) {
    if (known(b, p, "write")) write_part(b, p, value >> shift & all_ones(p.lanes.bytes));
    settle(b, now);
  });
}
