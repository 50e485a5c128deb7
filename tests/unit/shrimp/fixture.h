// SPDX-License-Identifier: GPL-2.0-or-later
//
// An SNI on a bench: a fake machine that keeps its time, does its DMA and pops its deliveries.
//
//   SniBench bench;                  // node 1 of 4 in a 2-wide mesh, enabled, EN and AUE, IRQ 10
//   bench.map(3, {.page = 7});       // stores to page 3 go to the ring successor's page 7
//   bench.store32(0x3000, 42);       // now, one store
//   bench.run_for(10'000);           // virtual time passes as QEMU's would: from timer to timer
//   bench.packets                    // what the SurfBoard and memory got
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/shrimp/fabric.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"
#include "tests/unit/boards/on.h"
#include "tests/unit/model/blank_memory.h"
#include "tests/unit/model/rig.h"

namespace perfboard::sni {

// The 45-bit global clock, set as a snapshot that was taken then would set it: no test can wait 40 days.
inline void set_clock(SniBoard* b, uint64_t ticks) {
  b->state.clock_base = b->host.now(b->host.opaque);
  b->state.clock_start = ticks & kClockMask;
  sni_post_load(b);
}

constexpr uint64_t kDma = kSStart + 2 * kSCycle + kEisaWord;  // of one word: bus granted to its end

class SniBench : public Rig {
 public:
  struct Setup {
    uint16_t node = 1, nodes = 4, width = 2;
    uint32_t fifo_words = 4096;
    bool enable = true;
    const SniFabric* fabric = nullptr;  // loopback
    Cluster* cluster = nullptr;
    uint32_t cable = 0;
    uint32_t acquire = kAcquire;
    bool contention = false;
    SniBus* bus = nullptr;  // no other board is on it
    uint32_t slot = 0;
    bool links = false;
  };
  struct Map {
    uint32_t page = 0;
    bool comb = false;
    uint32_t bound = 4;
    bool timed = false;
    int node = -1;  // the ring successor
    bool valid = true;
    bool interrupt = false;
    uint32_t color = 0;
    uint32_t key = 0;
  };
  struct Packet {
    ShrimpPacket p;
    bool write;
    std::vector<uint32_t> payload;
    std::vector<uint64_t> terms;
    uint64_t popped;  // virtual time at which the machine got it
  };

  SniBench() : SniBench(Setup{}) {}
  explicit SniBench(Setup setup) : memory(16u << 20), board_(std::make_unique<SniBoard>()) {
    const SniConfig config = {
        .node = setup.node,
        .nodes = setup.nodes,
        .mesh_width = setup.width,
        .fifo_words = setup.fifo_words,
        .cable_ns = setup.cable,
        .acquire_ns = setup.acquire,
        .contention = setup.contention,
        .bus = setup.bus,
        .slot = setup.slot,
        .links = setup.links,
        .product_id = EISA_SNI_ID,
        .fabric = setup.fabric,
        .cluster = setup.cluster,
        .opaque = static_cast<Rig*>(this),
        .remap = [](void* o) { ++self(o).remaps; },
        .observe =
            [](void* o, uint32_t first, uint32_t n) {
              ++self(o).observes;
              self(o).observed = {first, n};
            },
        .global_reset = [](void* o) { ++self(o).global_resets; },
    };
    host().set_irq = [](void* o, bool level) {
      EXPECT_FALSE(self(o).in_callback) << "set_irq from sni_bus_*";
      self(o).irq = level;
    };
    host().dma_read = [](void* o, uint64_t at, void* data, uint32_t n) {
      EXPECT_FALSE(self(o).in_callback) << "DMA from sni_bus_*";
      if (at + n > self(o).memory.size()) return false;
      std::memcpy(data, &self(o).memory[at], n);
      return true;
    };
    host().dma_write = [](void*, uint64_t, const void*, uint32_t) -> bool {
      ADD_FAILURE() << "the model writes memory itself";
      return false;
    };
    now = 1'000'000'020;  // on no edge of any clock but half a BCLK
    char why[160];
    EXPECT_TRUE(sni_config_ok(&config, why, sizeof why)) << why;
    sni_init(board_.get(), &config, &host());
    sni_power_on(board_.get());
    if (!setup.enable) return;
    switch_on();
  }

  static SniBench& self(void* o) { return static_cast<SniBench&>(*static_cast<Rig*>(o)); }
  SniBoard* board() { return board_.get(); }
  SniState& state() { return board_->state; }
  void set_clock(uint64_t ticks) { sni::set_clock(board(), ticks); }

  void sbcr(uint32_t v, uint32_t bytes = 4) { sni_io_write(board(), 0xc84, v, bytes); }
  void switch_on() {
    sbcr(0xc0000000 | 4 << 8 | bit::kEnable);
    write("SCR", bit::kEn | bit::kAue | bit::kTse);
  }
  uint32_t get(uint32_t offset, uint32_t bytes = 4) { return sni_reg_read(board(), offset, bytes); }
  void put(uint32_t offset, uint32_t v, uint32_t bytes = 4) { sni_reg_write(board(), offset, v, bytes); }
  uint32_t read(std::string_view name) { return get(at(kRegisters, name).offset); }
  void write(std::string_view name, uint32_t v) { put(at(kRegisters, name).offset, v); }
  uint64_t get64(uint32_t offset) {
    const uint64_t low = get(offset);
    return low | uint64_t{get(offset + 4)} << 32;
  }
  uint32_t events() { return read("SISR") & 0xff; }
  uint64_t counter(CounterIndex c) { return get64(kCounters + 8 * c); }
  // The causes that packets were closed for, those not 0: "ENDN 1 ENDP 2".
  std::string causes() {
    std::string text;
    for (uint32_t c = ENDD; c <= ENDF; c++)
      if (const uint64_t n = counter(CounterIndex(c)))
        text += (text.empty() ? "" : " ") + std::string(counter_at(c)->name) + " " + std::to_string(n);
    return text;
  }
  uint64_t term_sum(TermIndex t) { return get64(kTerms + 16 * t); }

  void map(uint32_t page) { map(page, Map{}); }
  void map(uint32_t page, Map m) {
    const uint32_t node = m.node < 0 ? (board_->config.node + 1u) % board_->config.nodes : uint32_t(m.node);
    const uint32_t where = coordinate(board_->config, node);
    put(kOutTable + 8 * page + 4, m.comb | m.bound << 1 | uint32_t{m.timed} << 4 | m.key << 16);
    put(kOutTable + 8 * page, 1u << 31 | where << 16 | m.page);
    put(kInTable + 4 * m.page, m.valid | m.interrupt << 1 | m.color << 4 | m.key << 16);
  }

  // A deliberate update; it begins with its number of words.
  void update(uint32_t from, uint32_t to, uint32_t words, uint32_t key = 0) {
    write("DUSA", from);
    write("DUDA", to);
    write("DUDN", key << 16 | coordinate(board_->config, 2));
    write("DUWC", words);
  }
  // Pages by deliberate updates, one behind another.
  void update_pages(int count) {
    write("SIER", bit::kDud);
    for (int i = 0; i < count; i++) {
      update(0x100000, 0x7000, 1024);
      while (!irq) run_until(armed);
      write("SISR", bit::kDud);
    }
    run_for(10'000'000);
  }

  void bus_write(uint64_t addr, const void* data, uint32_t bytes) {
    in_callback = true;
    sni_bus_write(board(), now, addr, static_cast<const uint8_t*>(data), bytes);
    in_callback = false;
  }
  void store32(uint64_t addr, uint32_t v) { bus_write(addr, &v, 4); }
  // A store, and what comes of it.
  void send(uint32_t v = 1, uint32_t page = 3, uint64_t ns = 50'000) {
    store32(page << 12, v);
    run_for(ns);
  }
  void bus_read(uint64_t addr) {
    in_callback = true;
    sni_bus_read(board(), now, addr);
    in_callback = false;
  }
  // When a store has the bus.
  uint64_t store_at(uint64_t asked, uint64_t addr) {
    in_callback = true;
    const uint64_t at = sni_store_at(board(), asked, addr, 4);
    in_callback = false;
    return at;
  }

  void pop() {
    auto d = std::make_unique<SniDelivery>();
    while (sni_pop_delivery(board(), now, d.get())) {
      bool ok = true;
      if (d->write) {
        const uint64_t at = d->packet.address + d->skip;
        ok = at + d->bytes <= memory.size();
        if (ok) std::memcpy(&memory[at], reinterpret_cast<const uint8_t*>(d->payload) + d->skip, d->bytes);
      }
      packets.push_back({d->packet,
                         d->write,
                         {d->payload, d->payload + d->packet.words},
                         {d->terms, d->terms + SNI_TERMS},
                         now});
      sni_delivered(board(), d.get(), ok);
    }
  }
  void run_until(uint64_t t) {
    pass_until(t, [this] {
      sni_timer(board());
      pop();
    });
  }
  void run_for(uint64_t ns) { run_until(now + ns); }

  std::vector<uint32_t> sizes() const {
    std::vector<uint32_t> words;
    for (const Packet& p : packets) words.push_back(p.p.words);
    return words;
  }
  // What is said of a state; "": it is legal here.
  std::string refusal(const SniState& s) {
    char why[PB_WHY_BYTES] = "";
    const bool ok = sni_state_ok(board(), &s, why, sizeof why);
    EXPECT_EQ(ok, why[0] == 0);
    return why;
  }
  void load(const SniState& s) {
    char why[PB_WHY_BYTES];
    EXPECT_TRUE(sni_load(board(), &s, why, sizeof why)) << why;
  }
  uint32_t memory32(uint64_t at) const {
    uint32_t v;
    std::memcpy(&v, &memory[at], 4);
    return v;
  }

  bool in_callback = false;
  std::pair<uint32_t, uint32_t> observed;  // pages, of the last call
  unsigned remaps = 0, observes = 0, global_resets = 0;
  std::vector<Packet> packets;
  BlankMemory memory;

 private:
  std::unique_ptr<SniBoard> board_;
};

// Content and times.
inline void expect_same(const std::vector<SniBench::Packet>& is,
                        const std::vector<SniBench::Packet>& wanted) {
  ASSERT_EQ(is.size(), wanted.size());
  for (size_t i = 0; i < is.size(); i++) {
    EXPECT_EQ(is[i].payload, wanted[i].payload) << i;
    EXPECT_EQ(is[i].p.start_ns, wanted[i].p.start_ns) << i;
    EXPECT_EQ(is[i].p.end_ns, wanted[i].p.end_ns) << i;
    EXPECT_EQ(is[i].terms, wanted[i].terms) << i;
  }
}

// Each damage to what its state is now is refused, and named.
inline void expect_refused(SniBench& b, std::span<const boards::DamageOf<SniState>> damages) {
  const auto s = std::make_unique<SniState>();
  for (const auto& d : damages) {
    *s = b.state();
    d.make(*s);
    const std::string why = b.refusal(*s);
    EXPECT_TRUE(why.starts_with(d.line)) << why << ", not " << d.line;
  }
}

}  // namespace perfboard::sni
