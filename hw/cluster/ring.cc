// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hw/cluster/segment.h"

namespace perfboard::cluster {
namespace {

// What stands in front of a message's data, and then up to 7 bytes that mean nothing.
struct Record {
  uint32_t sum, bytes;
  uint64_t number, at;
  uint32_t kind;
  uint32_t flags;  // 1: asks, 2: answers
};
static_assert(sizeof(Record) == ring_room(0));

// Of all but the sum itself.
uint32_t sum_of(const Record& r, const uint8_t* data) {
  const uint8_t* const at = reinterpret_cast<const uint8_t*>(&r);
  return add_to_sum(add_to_sum(kSumOfNothing, at + sizeof r.sum, sizeof r - sizeof r.sum), data, r.bytes);
}

// The reader has not come to `begin` yet: it is less than a ring away.
uint64_t begin_of(const Ring& ring, uint64_t read) {
  const uint64_t begin = ring.begin.load(std::memory_order_relaxed);
  return begin - read < kRingBytes ? begin : read;
}

// A ring that is empty begins anew.
constexpr uint64_t next_at(uint64_t written, uint64_t read) {
  return read == written ? (written + kRingBytes - 1) / kRingBytes * kRingBytes : written;
}

// Either way round the ring's end.
void copy_in(Ring& ring, uint64_t at, const void* from, size_t n) {
  const size_t first = std::min<size_t>(n, kRingBytes - at % kRingBytes);
  std::memcpy(ring.bytes + at % kRingBytes, from, first);
  std::memcpy(ring.bytes, static_cast<const uint8_t*>(from) + first, n - first);
}
void copy_out(const Ring& ring, uint64_t at, void* to, size_t n) {
  const size_t first = std::min<size_t>(n, kRingBytes - at % kRingBytes);
  std::memcpy(to, ring.bytes + at % kRingBytes, first);
  std::memcpy(static_cast<uint8_t*>(to) + first, ring.bytes, n - first);
}

// Up to the ring's byte n.
bool reserve_up_to(const Segment& segment, uint32_t from, uint32_t to, uint64_t n, uint32_t& reserved) {
  const uint64_t end = std::min((n + kPage - 1) / kPage * kPage, sizeof(Ring));
  if (end <= reserved) return true;
  const uint64_t at = rings_at(segment.nodes) + ring_number(segment.nodes, from, to) * sizeof(Ring);
  if (!reserve(segment.fd, at + reserved, end - reserved)) return false;
  reserved = static_cast<uint32_t>(end);
  return true;
}

constexpr uint64_t end_of(uint64_t at, uint64_t n) { return offsetof(Ring, bytes) + at % kRingBytes + n; }

// have(n): there is memory up to the ring's byte n.
template <typename F>
Taken take_if(Ring& ring, uint64_t number, ClusterMessage& m, F&& have) {
  uint64_t read = ring.read.load(std::memory_order_relaxed);
  const uint64_t written = ring.written.load(std::memory_order_acquire);
  if (written == read) return Taken::kNone;
  read = begin_of(ring, read);
  const uint64_t there = written - read;
  Record r;
  if (there > kRingBytes || there < sizeof r) return Taken::kDamaged;
  if (!have(end_of(read, sizeof r))) return Taken::kNoMemory;
  copy_out(ring, read, &r, sizeof r);
  if (r.bytes > kMostBytes || ring_room(r.bytes) > there || r.number != number || r.flags > 2)
    return Taken::kDamaged;
  if (!have(end_of(read, ring_room(r.bytes)))) return Taken::kNoMemory;
  copy_out(ring, read + sizeof r, m.data, r.bytes);
  if (r.sum != sum_of(r, m.data)) return Taken::kDamaged;
  m.at = r.at;
  m.kind = r.kind;
  m.bytes = r.bytes;
  m.asks = r.flags & 1;
  m.answers = r.flags & 2;
  ring.read.store(read + ring_room(r.bytes), std::memory_order_release);
  return Taken::kOne;
}

}  // namespace

bool reserve(const Segment& segment, uint32_t from, uint32_t to, uint32_t bytes, uint32_t& reserved) {
  if (reserved == sizeof(Ring)) return true;
  if (!reserved && !reserve_up_to(segment, from, to, 1, reserved)) return false;
  const Ring& ring = segment.ring(from, to);
  const uint64_t written = ring.written.load(std::memory_order_relaxed);
  const uint64_t first = next_at(written, ring.read.load(std::memory_order_relaxed));
  return reserve_up_to(segment, from, to, end_of(first, ring_room(bytes)), reserved);
}

bool put(Ring& ring, uint64_t number, const ClusterMessage& m) {
  if (m.bytes > kMostBytes) return false;
  const uint64_t before = ring.written.load(std::memory_order_relaxed);
  const uint64_t read = ring.read.load(std::memory_order_acquire);
  const uint64_t written = next_at(before, read);
  if (written != before) ring.begin.store(written, std::memory_order_relaxed);
  const uint64_t used = written - begin_of(ring, read);
  if (used > kRingBytes || ring_room(m.bytes) > kRingBytes - used) return false;
  Record r = {.sum = 0,
              .bytes = m.bytes,
              .number = number,
              .at = m.at,
              .kind = m.kind,
              .flags = uint32_t{m.asks} | uint32_t{m.answers} << 1};
  r.sum = sum_of(r, m.data);
  copy_in(ring, written, &r, sizeof r);
  copy_in(ring, written + sizeof r, m.data, m.bytes);
  ring.written.store(written + ring_room(m.bytes), std::memory_order_release);
  return true;
}

bool post(const Segment& segment, uint32_t from, uint32_t to, uint64_t number, const ClusterMessage& m) {
  if (!put(segment.ring(from, to), number, m)) return false;
  put_into_set(segment.node(to).inbox, from);
  return true;
}

Taken take(Ring& ring, uint64_t number, ClusterMessage& m) {
  return take_if(ring, number, m, [](uint64_t) { return true; });
}

Taken take(const Segment& segment, uint32_t from, uint32_t to, uint64_t number, uint32_t& reserved,
           ClusterMessage& m) {
  const auto have = [&](uint64_t n) { return reserve_up_to(segment, from, to, n, reserved); };
  return have(1) ? take_if(segment.ring(from, to), number, m, have) : Taken::kNoMemory;
}

bool has_room(const Ring& ring, uint32_t bytes) {
  const uint64_t written = ring.written.load(std::memory_order_relaxed);
  const uint64_t read = ring.read.load(std::memory_order_acquire);
  const uint64_t used = read == written ? 0 : written - begin_of(ring, read);
  return used <= kRingBytes / 2 && ring_room(bytes) <= kRingBytes / 2 - used;
}

}  // namespace perfboard::cluster
