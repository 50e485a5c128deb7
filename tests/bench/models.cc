// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the models cost by themselves, with no QEMU: items/s and ns for each of
//
//   surf_packet       a packet into the SurfBoard, up to its record (trace, histogram, word count)
//   sni_bus_write     a store to a mapped page, into packets and out of the loopback fabric
//   sni_bus_read      a load that reached the bus
//   cache_load        a load in the CPU's caches: the line in level 1, in level 2, nowhere
//
// scripts/bench runs it (--benchmark_format=json).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "hw/memory/cache.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"
#include "hw/surfboard/model.h"
#include "hw/surfboard/registers.h"
#include "hw/surfboard/surfboard.h"
#include "tests/bench/machine.h"

namespace {

using perfboard::bench::Machine;

// --- SurfBoard -------------------------------------------------------------

namespace surf = perfboard::surf;

constexpr uint32_t kMemory = 4u << 20;
constexpr uint64_t kPacketPeriod = 1080;  // the shortest that the board takes

class Surf {
 public:
  Surf() : trace_(kMemory), hist_(kMemory) {
    const SurfConfig config = {
        .trace_bytes = kMemory,
        .hist_bytes = kMemory,
        .trace = trace_.data(),
        .hist = hist_.data(),
        .product_id = EISA_SURFBOARD_ID,
        .opaque = this,
        .wrote = [](void*, surf_memory, uint32_t, uint32_t) {},
        .watch_memory = [](void*, bool) {},
        .remap = [](void*) {},
        .ext_drive = [](void*, bool) {},
    };
    const PbHost host = machine_.host();
    surf_init(&board_, &config, &host);
    surf_io_write(&board_, 0xc84, 0x00010401, 4);
  }
  void enable(uint32_t bits) {
    surf_reg_write(&board_, perfboard::at(surf::kRegisters, "HTCR").offset, bits, 4);
  }
  uint32_t words() { return surf_reg_read(&board_, perfboard::at(surf::kRegisters, "WCDR").offset, 4); }
  void packet() {
    machine_.now += kPacketPeriod;
    const ShrimpPacket p = {
        .start_ns = machine_.now,
        .end_ns = machine_.now + 180,
        .sender = 1,
        .color = 0x10,
        .interrupt = false,
        .eod = true,
        .byte_enables = 0xf,
        .words = 1,
        .address = static_cast<uint32_t>(machine_.now) & 0x07fffffc,
        .timestamp = machine_.now / 100,
        .first_word = 0,
    };
    machine_.now = p.end_ns;
    surf_packet(&board_, &p);
    if (machine_.armed <= machine_.now + kPacketPeriod) {
      machine_.now = std::max(machine_.now, machine_.armed);
      machine_.armed = PB_NEVER;
      surf_timer(&board_);
    }
  }

 private:
  Machine machine_;
  SurfBoard board_;
  std::vector<uint8_t> trace_, hist_;
};

void surf_packet_counted(benchmark::State& state, const char* what) {
  auto s = std::make_unique<Surf>();
  uint32_t bits = surf::bits("HTCR.WEN");
  if (*what == 't') bits |= surf::bits("HTCR.TEN");
  s->enable(bits);
  int64_t packets = 0;
  for (auto _ : state) {
    s->packet();
    ++packets;
  }
  // All but the few in the pipeline must have been counted, or nothing was measured.
  const uint32_t lost = static_cast<uint32_t>(packets) - s->words();
  if (lost > 4) state.SkipWithError("packets were lost");
  state.SetItemsProcessed(packets);
}
BENCHMARK_CAPTURE(surf_packet_counted, words, "words");
BENCHMARK_CAPTURE(surf_packet_counted, trace, "trace");

// --- SNI -------------------------------------------------------------------

namespace sni = perfboard::sni;

class Sni {
 public:
  explicit Sni(bool combine)
      : board_(std::make_unique<SniBoard>()), delivery_(std::make_unique<SniDelivery>()) {
    const SniConfig config = {
        .node = 0,
        .nodes = 4,
        .mesh_width = 2,
        .fifo_words = 4096,
        .acquire_ns = perfboard::sni::kAcquire,
        .product_id = EISA_SNI_ID,
        .fabric = nullptr,
        .opaque = this,
        .remap = [](void*) {},
        .observe = [](void*, uint32_t, uint32_t) {},
        .global_reset = [](void*) {},
    };
    const PbHost host = machine_.host();
    sni_init(board_.get(), &config, &host);
    sni_power_on(board_.get());
    sni_io_write(board_.get(), 0xc84, 0xc0000401, 4);
    sni_reg_write(board_.get(), 0, 3, 4);  // EN, AUE; no timestamps
    sni_reg_write(board_.get(), sni::kOutTable + 4, combine | 4 << 1,
                  4);  // page 0, to the next node's page 1
    sni_reg_write(board_.get(), sni::kOutTable, 1u << 31 | 1 << 16 | 1, 4);
    sni_reg_write(board_.get(), sni::kInTable + 4, 1, 4);
  }
  SniBoard* board() { return board_.get(); }
  uint64_t now() const { return machine_.now; }
  uint64_t delivered() const { return delivered_; }
  uint64_t counter(sni::CounterIndex c) const { return board_->state.counter[c]; }
  // Virtual time passes, and the machine does what has come due.
  void pass(uint64_t ns) {
    machine_.now += ns;
    if (machine_.armed > machine_.now) return;
    machine_.armed = PB_NEVER;
    sni_timer(board_.get());
    while (sni_pop_delivery(board_.get(), machine_.now, delivery_.get())) {
      sni_delivered(board_.get(), delivery_.get(), true);
      ++delivered_;
    }
  }

 private:
  Machine machine_;
  std::unique_ptr<SniBoard> board_;
  std::unique_ptr<SniDelivery> delivery_;
  uint64_t delivered_ = 0;
};

void sni_bus_write_word(benchmark::State& state, bool combine) {
  Sni s(combine);
  // Slow enough for the receiver's bus: no store is lost.
  const uint64_t period = combine ? 250 : 2000;
  uint64_t stores = 0;
  for (auto _ : state) {
    const auto value = static_cast<uint32_t>(stores);
    sni_bus_write(s.board(), s.now(), 4 * stores & 0xffc, reinterpret_cast<const uint8_t*>(&value), 4);
    ++stores;
    s.pass(period);
  }
  if (s.counter(sni::AUW) != stores) state.SkipWithError("stores were lost");
  state.SetItemsProcessed(static_cast<int64_t>(stores));
  state.counters["packets"] = static_cast<double>(s.delivered());
}
BENCHMARK_CAPTURE(sni_bus_write_word, combining, true);
BENCHMARK_CAPTURE(sni_bus_write_word, not_combining, false);

void sni_bus_read_idle(benchmark::State& state) {
  Sni s(true);
  uint64_t reads = 0;
  for (auto _ : state) {
    sni_bus_read(s.board(), s.now(), 0x100000);
    ++reads;
    s.pass(10);
  }
  if (s.counter(sni::BRD) != reads) state.SkipWithError("reads were lost");
  state.SetItemsProcessed(static_cast<int64_t>(reads));
}
BENCHMARK(sni_bus_read_idle);

// --- caches ----------------------------------------------------------------

struct Caches {
  CacheGeometry geometry = CACHE_GEOMETRY_PENTIUM;
  std::vector<uint64_t> memory;
  CacheNode node;

  Caches() : memory((cache_state_bytes(&geometry) + 7) / 8) {
    cache_attach(&node, &geometry, memory.data());
    cache_reset(&node);
  }
};

// Loads that walk `span` bytes, line by line, over and over: 4 KB stay in level 1, 128 KB in
// level 2, 4 MB in neither.
void cache_load_span(benchmark::State& state, CacheResult expected) {
  Caches c;
  const auto span = static_cast<uint64_t>(state.range(0));
  for (uint64_t a = 0; a < span; a += 32) cache_load(&c.node, a, 4);
  uint64_t at = 0, as_expected = 0, loads = 0;
  for (auto _ : state) {
    as_expected += cache_load(&c.node, at, 4) == expected;
    at = (at + 32) & (span - 1);
    ++loads;
  }
  if (as_expected != loads) state.SkipWithError("another level answered");
  state.SetItemsProcessed(static_cast<int64_t>(loads));
}
BENCHMARK_CAPTURE(cache_load_span, level_1, CACHE_L1)->Arg(4 << 10);
BENCHMARK_CAPTURE(cache_load_span, level_2, CACHE_L2)->Arg(128 << 10);
BENCHMARK_CAPTURE(cache_load_span, bus, CACHE_BUS)->Arg(4 << 20);

}  // namespace

BENCHMARK_MAIN();
