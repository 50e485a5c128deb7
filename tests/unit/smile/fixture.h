// SPDX-License-Identifier: GPL-2.0-or-later
//
// A SMiLE monitor on a bench: a fake machine around it, packets on its B-Link, the records that a host takes
// out of the ring. Numbers here are the paper's and the manual page's, not those of registers.h and packet.h.
//
//   Bench b;                                     16 entries, own node 0, dynamic part, runs, everything
//   passes b.send(read(1, 2, 0x123, 7));                node 1 reads word 7 of page 0x123 from node 2: the
//   request b.records()                                  what the host finds between RDP and WRP; sets RDP
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hw/smile/smile.h"
#include "tests/unit/model/rig.h"

namespace perfboard::smile {

namespace reg {
inline constexpr uint32_t kTarget = 0x100000, kMcr = 0x000, kMsr = 0x004, kNode = 0x008, kMaxr = 0x00c,
                          kMask = 0x010, kRdp = 0x014, kWrp = 0x018, kAux = 0x01c, kLostN = 0x020,
                          kQueue = 0x024, kPackets = 0x028, kOrphans = 0x02c, kClashes = 0x030, kCrst = 0x034,
                          kGevent = 0x038, kTimer = 0x03c, kOvf = 0x040, kCable = 0x044, kPage = 0x200,
                          kEvent = 0x300, kCounter = 0x400, kRange = 0x600;
}  // namespace reg

namespace mcr {
inline constexpr uint32_t kRun = 1, kReset = 2, kSwap = 4, kIef = 8, kIed = 16;
}
namespace msr {
inline constexpr uint32_t kFull = 1u << 12, kLost = 1u << 13, kDone = 1u << 14;
constexpr uint32_t state(uint32_t v) { return v >> 4 & 7; }
constexpr uint32_t decode(uint32_t v) { return v >> 8 & 3; }
}  // namespace msr
namespace mask {
inline constexpr uint32_t kRead = 1, kWrite = 2, kLock = 4, kUnlock = 8, kRequest = 16, kResponse = 32,
                          kInbound = 64, kOutbound = 128, kAll = 255;
}

inline constexpr uint32_t kValidBit = 1u << 31;
inline constexpr uint64_t kClock = 20;  // ns

// A packet before it is on the wire.
struct Packet {
  unsigned source, destination, command, trans;
  uint32_t page, word;
};
enum Type : unsigned { kReadType, kWriteType, kLockType, kUnlockType };
inline Packet request(unsigned type, unsigned from, unsigned to, uint32_t page, uint32_t word,
                      unsigned trans = 0) {
  return {from, to, type, trans, page, word};
}
inline Packet read(unsigned from, unsigned to, uint32_t page, uint32_t word, unsigned trans = 0) {
  return request(kReadType, from, to, page, word, trans);
}
inline Packet write(unsigned from, unsigned to, uint32_t page, uint32_t word, unsigned trans = 0) {
  return request(kWriteType, from, to, page, word, trans);
}
inline Packet response(unsigned type, unsigned from, unsigned to, unsigned trans) {
  return {from, to, type | 4, trans, 0, 0};
}
inline Packet answer(const Packet& p) { return {p.destination, p.source, p.command | 4, p.trans, 0, 0}; }

// Packets of each type and kind, from the own node to the next one and back, and the bits of a mask that let
// each pass: check(type, is_response, from, to, needed).
template <typename Check>
void each_kind(unsigned own, Check check) {
  for (unsigned type = 0; type < 4; ++type)
    for (const bool is_response : {false, true})
      for (const unsigned from : {own, own ^ 1})
        check(type, is_response, from, from ^ 1,
              1u << type | (is_response ? mask::kResponse : mask::kRequest) |
                  (from == own ? mask::kOutbound : mask::kInbound));
}

// Sec. III: blink_data(0-15), (16-22), (32-47), (48-53); (2-11), (12-27).
inline uint64_t bd1(const Packet& p) {
  return uint64_t{p.source} | uint64_t{p.command} << 16 | uint64_t{p.destination} << 32 |
         uint64_t{p.trans} << 48;
}
inline uint64_t bd2(const Packet& p) { return uint64_t{p.word} << 2 | uint64_t{p.page} << 12; }

struct Record {
  uint32_t word0, word1;
  unsigned kind() const { return word0 >> 29; }
  bool ovf() const { return word0 >> 28 & 1; }
  unsigned why() const { return word0 >> 26 & 3; }
  uint32_t address() const { return word0 & 0x3ffffff; }
  unsigned index() const { return word0 & 15; }
  uint32_t count() const { return word1 & 0xffff; }
  uint32_t value() const { return 65536 * ovf() + count(); }
  unsigned source() const { return word1 >> 16 & 31; }
  unsigned destination() const { return word1 >> 21 & 31; }
  unsigned entry() const { return word1 >> 26; }
  auto operator<=>(const Record&) const = default;
};
enum { kRangeKind = 1, kCounterKind = 2, kLossKind = 3 };
enum { kReplacedWhy, kOverflowWhy, kDemandWhy };

class Bench : public Rig {
 public:
  struct Options {
    uint32_t entries = 16, queue = 64, node = 0;
    enum smile_design design = SMILE_DYNAMIC;
    bool wave = true;
    bool two = false;            // with a daughter board, which holds the design
    uint32_t xchecker_rate = 0;  // and memory for what comes through its cable; 0: neither
  };
  Bench() : Bench(Options{}) {}
  explicit Bench(const Options& o)
      : queue_bytes(8 * o.queue),
        daughter_memory(o.two && o.xchecker_rate ? SMILE_DAUGHTER_BYTES : 0),
        hwm(std::make_unique<SmileHwm>()) {
    config = {
        .entries = o.entries,
        .queue = o.queue,
        .node = o.node,
        .initial = o.two ? SMILE_TARGET : o.design,
        .cclk = SMILE_DEFAULT_CCLK,
        .ring = ring,
        .swap_queue = o.queue ? queue_bytes.data() : nullptr,
        .opaque = this,
    };
    if (o.two) {
      config.two = true;
      config.daughter = o.design;
      config.daughter_memory = o.xchecker_rate ? daughter_memory.data() : nullptr;
      config.xchecker_rate = o.xchecker_rate;
    }
    if (o.wave)
      config.wave = [](void* p, const SciPacket* packet, const SmileWave* w) {
        EXPECT_EQ(packet == nullptr, w->last == SMILE_SWAP_ALL);
        self(p).waves.push_back(*w);
      };
    char why[200] = "";
    EXPECT_TRUE(smile_config_ok(&config, why, sizeof why)) << why;
    smile_init(hwm.get(), &config, &host());
    if (o.two) return;
    smile_set_design(hwm.get(), o.design);
    if (o.design == SMILE_DYNAMIC) set(reg::kMask, mask::kAll);
    if (o.design != SMILE_NONE) set(reg::kMcr, mcr::kRun);
  }
  Bench(const Bench&) = delete;

  // --- registers ---
  uint32_t get(uint32_t offset) { return smile_read(hwm.get(), reg::kTarget + offset, 4); }
  void set(uint32_t offset, uint32_t value) { smile_write(hwm.get(), reg::kTarget + offset, 4, value); }
  uint32_t get_sized(uint32_t offset, uint32_t size) {
    return smile_read(hwm.get(), reg::kTarget + offset, size);
  }
  void set_sized(uint32_t offset, uint32_t size, uint32_t value) {
    smile_write(hwm.get(), reg::kTarget + offset, size, value);
  }

  // --- static part ---
  void page(unsigned i, unsigned node, uint32_t number, bool valid = true) {
    set(reg::kPage + 4 * i, number | node << 20 | (valid ? kValidBit : 0));
  }
  void event(unsigned i, unsigned page_index, uint32_t filter, uint32_t bottom, uint32_t top,
             bool valid = true) {
    set(reg::kEvent + 8 * i, page_index | filter << 8 | (valid ? kValidBit : 0));
    set(reg::kEvent + 8 * i + 4, bottom | top << 16);
  }
  static constexpr int kNoEvent = -1;
  void counter(unsigned i, int start, int stop, int count) {
    const int events[] = {start, stop, count};
    for (unsigned k = 0; k < 3; ++k)
      set(reg::kCounter + 16 * i + 4 * k, events[k] < 0 ? 0 : static_cast<uint32_t>(events[k]) | kValidBit);
  }
  void activate(unsigned i, uint32_t value = 0) { set(reg::kCounter + 16 * i + 12, value | kValidBit); }
  uint32_t value(unsigned i) { return get(reg::kCounter + 16 * i + 12) & 0xffff; }
  bool active(unsigned i) { return get(reg::kCounter + 16 * i + 12) >> 31; }
  void global(unsigned n) { set(reg::kGevent, n); }

  // --- B-Link ---
  void send(const Packet& p) { put(bd1(p), bd2(p)); }
  void put(uint64_t word1, uint64_t word2) {
    tell(now, word1, word2);
    now += 10 * kClock;
  }
  // latency=off: it is told now, and BD1 lies ahead.
  void send_ahead(const Packet& p, uint64_t ns) { tell(ns, bd1(p), bd2(p)); }
  void tell(uint64_t ns, uint64_t word1, uint64_t word2) {
    const SciPacket packet = {.ns = ns,
                              .known = now,
                              .bd1 = word1,
                              .bd2 = word2,
                              .words = 2,
                              .node = static_cast<uint8_t>(config.node)};
    smile_packet(hwm.get(), &packet);
  }
  void run_until(uint64_t ns) {
    pass_until(ns, [this] { smile_timer(hwm.get()); });
  }

  // --- the host ---
  std::vector<Record> records() {
    std::vector<Record> all;
    uint32_t rdp = get(reg::kRdp);
    const uint32_t wrp = get(reg::kWrp);
    while (rdp != wrp) {
      const uint32_t first = (rdp + 1) & 0xfff, second = (rdp + 2) & 0xfff;
      EXPECT_NE(first, wrp) << "half a record";
      all.push_back({ring_word(first), ring_word(second)});
      rdp = second;
    }
    set(reg::kRdp, rdp);
    return all;
  }
  // Until nothing is left, in the queue either.
  std::vector<Record> drain() {
    std::vector<Record> all;
    for (std::vector<Record> more = records(); !more.empty(); more = records())
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  uint32_t ring_word(uint32_t at) const {
    const uint8_t* p = ring + 4 * at;
    return p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
  }
  bool interrupt() const { return hwm->state.card.interrupt; }
  void clear_interrupt() { hwm->state.card.interrupt = 0; }
  SmileTarget& target() { return hwm->state.target; }

  std::vector<uint8_t> queue_bytes, daughter_memory;
  std::unique_ptr<SmileHwm> hwm;
  SmileConfig config;
  uint8_t ring[4 * 4096] = {};
  std::vector<SmileWave> waves;

 private:
  static Bench& self(void* p) { return *static_cast<Bench*>(p); }
};

// A range table's entry as the host reads it.
struct Entry {
  bool valid;
  unsigned source, destination;
  uint32_t address, count;
  bool used;
};
inline Entry entry(Bench& b, unsigned i) {
  const uint32_t pair = b.get(reg::kRange + 16 * i);
  return {.valid = pair >> 31 != 0,
          .source = pair & 31,
          .destination = pair >> 8 & 31,
          .address = b.get(reg::kRange + 16 * i + 4),
          .count = b.get(reg::kRange + 16 * i + 8),
          .used = b.get(reg::kRange + 16 * i + 12) == 1};
}

// All that a monitor of 8 entries and a queue of 100 records has is in use: table, ring, queue, losses, a
// transaction under way; or the static part's tables.
inline void make_busy(Bench& b) {
  if (b.target().design == SMILE_DYNAMIC) {
    b.set(reg::kNode, 3);
    b.set(reg::kMaxr, 5);
    b.set(reg::kMcr, mcr::kRun | mcr::kIef);
    for (unsigned i = 0; i < 2047 + 100 + 8 + 3; ++i) b.send(write(i & 31, 2, i, 0, 9));
    b.send(read(3, 4, 5, 6, 7));
  } else {
    b.set(reg::kTimer, 100);
    b.page(1, 2, 3);
    b.event(4, 1, mask::kAll, 5, 6);
    b.counter(7, 4, 17, 16);
    b.activate(7, 0xff00);
    b.counter(8, Bench::kNoEvent, Bench::kNoEvent, 16);
    b.activate(8, 5);
  }
}

}  // namespace perfboard::smile
