// SPDX-License-Identifier: GPL-2.0-or-later
//
// A SurfBoard on a bench: a fake machine around it, short names for its registers, packets on demand.
//
//   SurfBench bench;              // enabled, IRQ 10, 4 MB SIMMs; empty trace memory: SurfBench({.trace = 0})
//   bench.put("HTCR.TEN");
//   bench.send({.words = 3});     // one packet now, 64-bit words 60 ns apart; returns when it is done
//   bench.entry(0).word[1]        // what the trace memory holds
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "hw/fpga/xc4000.h"
#include "hw/model/bytes.h"
#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"
#include "hw/surfboard/registers.h"
#include "hw/surfboard/surfboard.h"
#include "tests/unit/model/blank_memory.h"
#include "tests/unit/model/rig.h"
#include "tests/unit/surfboard/has_fixture.h"

namespace perfboard::surf {

inline constexpr uint32_t kMiB = 1u << 20;
inline constexpr uint64_t kAfterEnd = kStage2Ns + kStage3Ns;  // end of data to visible

// ACDR with a latency window of all 24 bits from bit 0, and TSIZE.
constexpr uint32_t shift_value(uint32_t tsize, uint32_t lat_n = 12, uint32_t lat_s = 0, uint32_t sendid = 0,
                               uint32_t catmux = 0) {
  return sendid << 25 | catmux << 23 | lat_s << 15 | lat_n << 11 | tsize << 6;
}

// "ISCR.TC": a name that no table has does not compile.
struct Bit {
  constexpr Bit() = default;
  consteval Bit(std::string_view dotted)
      : offset(at(kRegisters, dotted.substr(0, dotted.find('.'))).offset), mask(bits(dotted)) {}
  consteval Bit(const char* dotted) : Bit(std::string_view(dotted)) {}
  uint32_t offset = 0, mask = 0;
};

class SurfBench : public Rig {
 public:
  struct Sizes {
    uint32_t trace = 4 * kMiB;
    uint32_t hist = 4 * kMiB;
    BlankMemory* lent = nullptr;  // two that are used, with what is in them, instead of new ones
  };
  struct Entry {
    std::array<uint32_t, 4> word;
  };

  SurfBench() : SurfBench(Sizes{}) {}
  explicit SurfBench(Sizes sizes)
      : own_{BlankMemory(sizes.lent ? 0 : sizes.trace), BlankMemory(sizes.lent ? 0 : sizes.hist)},
        trace_memory(sizes.lent ? sizes.lent[0] : own_[0]),
        hist_memory(sizes.lent ? sizes.lent[1] : own_[1]) {
    const SurfConfig config = {
        .trace_bytes = sizes.trace,
        .hist_bytes = sizes.hist,
        .trace = sizes.trace ? trace_memory.data() : nullptr,
        .hist = sizes.hist ? hist_memory.data() : nullptr,
        .product_id = SURF_PRODUCT_ID,
        .opaque = this,
        .wrote =
            [](void* o, enum surf_memory which, uint32_t at, uint32_t bytes) {
              SurfBench& b = self(o);
              const SurfConfig& c = b.board.config;
              EXPECT_LE(at + uint64_t{bytes}, which == SURF_MEM_HIST ? c.hist_bytes : c.trace_bytes);
              b.stored += bytes;
            },
        .watch_memory = [](void* o, bool on) { self(o).watched = on; },
        .remap = [](void* o) { ++self(o).remaps; },
        .ext_drive = [](void* o, bool low) { self(o).drive(low); },
    };
    surf_init(&board, &config, &host());
    enable();
  }
  SurfBench(const SurfBench&) = delete;

  void enable(uint32_t irlev = 4) { io_write(0xC84, 0x00010001 | irlev << 8, 4); }
  void disable() { io_write(0xC84, state().ebcr & ~1u, 4); }
  uint32_t io_read(uint32_t offset, uint32_t size) { return surf_io_read(&board, offset, size); }
  void io_write(uint32_t offset, uint32_t value, uint32_t size) {
    surf_io_write(&board, offset, value, size);
  }
  uint32_t read_at(uint32_t offset, uint32_t size) { return surf_reg_read(&board, offset, size); }
  void write_at(uint32_t offset, uint32_t value, uint32_t size) {
    surf_reg_write(&board, offset, value, size);
  }
  uint32_t read(std::string_view name) { return read_at(at(kRegisters, name).offset, 4); }
  void write(std::string_view name, uint32_t value) { write_at(at(kRegisters, name).offset, value, 4); }
  // Ones to these bits of one register, zeros to its others.
  void put(Bit bit, Bit second = {}, Bit third = {}) {
    write_at(bit.offset, bit.mask | second.mask | third.mask, 4);
  }
  bool is(Bit bit) { return read_at(bit.offset, 4) & bit.mask; }

  void shift_in(uint32_t value) {
    for (int i = 0; i < 28; ++i) write("ACDR", value >> i & 1);
  }
  // Reads the shift register and leaves it as it was.
  uint32_t recirculate() {
    uint32_t value = 0;
    for (int i = 0; i < 28; ++i) {
      const uint32_t bit = read("ACDR");
      value |= bit << i;
      write("ACDR", bit);
    }
    return value;
  }
  // The HAS, as if configured: address bit k follows input first + k, for `count` bits.
  void select(uint32_t first, uint32_t count) {
    has_prog(&state().has, true);
    has_prog(&state().has, false);
    for (uint32_t k = 0; k < count; ++k) state().has.pip[k] = uint64_t{1} << (first + k);
    state().has.startup = xc4000::kFinishedClock;
  }
  // A packet's bin is its size.
  void select_size(uint32_t tsize = 0) {
    shift_in(shift_value(tsize));
    select(HAS_SIZE_SHIFT, 10);
  }

  // Lets virtual time pass; the timer fires on the way, on time.
  void pass(uint64_t ns) { pass_until(now + ns); }
  void pass_until(uint64_t t) {
    Rig::pass_until(t, [this] { surf_timer(&board); });
  }
  struct Packet {
    uint16_t words = 1;
    uint16_t sender = 0;
    uint8_t color = 0;
    uint32_t address = 0;
    uint64_t timestamp = 0;
    uint32_t first_word = 0;
    bool interrupt = false;
    bool eod = true;
    uint8_t byte_enables = 0xf;
    uint64_t length_ns = 180;
  };
  ShrimpPacket make(const Packet& p, uint64_t start) const {
    return {
        .start_ns = start,
        .end_ns = start + p.length_ns,
        .sender = p.sender,
        .color = p.color,
        .interrupt = p.interrupt,
        .eod = p.eod,
        .byte_enables = p.byte_enables,
        .words = p.words,
        .address = p.address,
        .timestamp = p.timestamp,
        .first_word = p.first_word,
    };
  }
  // Hands over a packet that starts at `start`, at its end, as the SNI does.
  void deliver(const Packet& p, uint64_t start) {
    const ShrimpPacket packet = make(p, start);
    pass_until(std::max(now, packet.end_ns));
    surf_packet(&board, &packet);
  }
  void send(const Packet& p) {
    deliver(p, now);
    pass(kAfterEnd + 500);
  }
  void send() { send(Packet{}); }

  // The guest's accesses to the memories, announced if they must be.
  void touch_memory() {
    if (watched) surf_memory_access(&board);
  }
  Entry entry(uint32_t index) {
    touch_memory();
    Entry e;
    for (int i = 0; i < 4; ++i) e.word[i] = load_le32(&trace_memory[index * 16 + i * 4]);
    return e;
  }
  uint32_t bin(uint32_t index) {
    touch_memory();
    return load_le32(&hist_memory[index * 4]);
  }
  void set_bin(uint32_t index, uint32_t count) {
    touch_memory();
    store_le32(&hist_memory[index * 4], count);
  }
  SurfState& state() { return board.state; }

  // The wire: others that pull it low, and this board.
  void pull(bool low) {
    others_low = low;
    tell_level();
  }

  SurfBoard board;

 private:
  BlankMemory own_[2];

 public:
  BlankMemory &trace_memory, &hist_memory;
  uint64_t stored = 0;
  int remaps = 0;
  int drives = 0;
  bool watched = true;  // accesses to the memories must be announced
  bool driven_low = false;
  bool others_low = false;
  bool wired_back = true;  // the board sees what it drives

 private:
  static SurfBench& self(void* opaque) { return *static_cast<SurfBench*>(opaque); }
  void drive(bool low) {
    ++drives;
    driven_low = low;
    if (wired_back) tell_level();
  }
  void tell_level() { surf_ext_input(&board, !(others_low || (wired_back && driven_low))); }
};

// The selector gets its bitstream as a driver sends it.
inline void configure(SurfBench& b, const has::Bits& stream) {
  b.write("FCCR", 1);
  b.write("FCCR", 0);
  for (const bool bit : stream) b.write("FCDR", bit);
}
inline has::Bits good_stream() { return has::stream({}); }
inline has::Bits bad_stream() {
  has::Bits bits = good_stream();
  bits[has::kFrame0 + 3].flip();
  return bits;
}

}  // namespace perfboard::surf
