// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the SMiLE monitor's model costs by itself, with no QEMU: transactions/s, each a read request and its
// response as packets on the B-Link, which are two events.
//
//   dynamic_hits      few regions, all of them in the range table                         Arg: entries
//   dynamic_misses    each event is a swap: no region comes again before it was replaced
//   dynamic_random    regions at random among 64 K pages
//   dynamic_masked    no event passes the mask
//   static_counted    each event is counted by a static counter, behind 31 other pages and 15 other events
//   static_elsewhere  no event is on a page of the page table
//
// The host drains the ring whenever it is half full; that is in the figures.
#include "hw/smile/smile.h"

#include <benchmark/benchmark.h>

#include <memory>

#include "tests/bench/machine.h"

namespace {

constexpr uint32_t kTarget = 0x100000, kMcr = 0x00, kMaxr = 0x0c, kMask = 0x10, kRdp = 0x14, kWrp = 0x18,
                   kLost = 0x20, kPackets = 0x28, kPage = 0x200, kEvent = 0x300, kCounter = 0x400;
constexpr uint32_t kValid = 1u << 31;

struct Bench : perfboard::bench::Machine {
  explicit Bench(uint32_t entries, enum smile_design design) {
    const SmileConfig config = {
        .entries = entries,
        .initial = design,
        .cclk = SMILE_DEFAULT_CCLK,
        .ring = ring,
    };
    const PbHost machine = host();
    smile_init(hwm.get(), &config, &machine);
    set(kMask, 0xff);
    set(kMcr, 1);
  }
  void set(uint32_t offset, uint32_t value) { smile_write(hwm.get(), kTarget + offset, 4, value); }
  uint32_t get(uint32_t offset) { return smile_read(hwm.get(), kTarget + offset, 4); }

  void transaction(uint32_t page) {
    const uint64_t trans = (n & 63) << 48;
    request.known = response.known = request.ns = response.ns = now += 400;
    request.bd1 = 1 | uint64_t{2} << 32 | trans;
    request.bd2 = uint64_t{page} << 12 | (n & 0x3ff) << 2;
    response.bd1 = 2 | uint64_t{SCI_READ | SCI_COMMAND_RESPONSE} << 16 | uint64_t{1} << 32 | trans;
    smile_packet(hwm.get(), &request);
    smile_packet(hwm.get(), &response);
    if (++n % 512 == 0) set(kRdp, get(kWrp));
  }
  void run(benchmark::State& state, auto page_of) {
    for (auto _ : state) transaction(page_of(n));
    if (get(kPackets) != static_cast<uint32_t>(2 * n) || get(kLost))
      state.SkipWithError("packets or records were lost");
    state.SetItemsProcessed(state.iterations());
  }

  std::unique_ptr<SmileHwm> hwm = std::make_unique<SmileHwm>();
  uint8_t ring[16384] = {};
  SciPacket request = {.words = 2}, response = {.words = 3};
  uint64_t n = 0;
};

// Two entries a page: one of the requests, one of the responses.
void dynamic_hits(benchmark::State& state) {
  const auto entries = static_cast<uint32_t>(state.range(0));
  Bench b(entries, SMILE_DYNAMIC);
  b.set(kMaxr, 1023);
  b.run(state, [=](uint64_t n) { return static_cast<uint32_t>(2 * (n % (entries / 2))); });
}
void dynamic_misses(benchmark::State& state) {
  Bench b(static_cast<uint32_t>(state.range(0)), SMILE_DYNAMIC);
  b.run(state, [](uint64_t n) { return static_cast<uint32_t>(n & 0xffff); });
}
void dynamic_random(benchmark::State& state) {
  Bench b(static_cast<uint32_t>(state.range(0)), SMILE_DYNAMIC);
  b.set(kMaxr, 1023);
  b.run(state, [x = uint64_t{88172645463325252}](uint64_t) mutable {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return static_cast<uint32_t>(x >> 48);
  });
}
void dynamic_masked(benchmark::State& state) {
  Bench b(16, SMILE_DYNAMIC);
  b.set(kMask, 0);
  b.run(state, [](uint64_t n) { return static_cast<uint32_t>(n & 0xffff); });
}

void static_pages(benchmark::State& state, uint32_t page) {
  Bench b(16, SMILE_STATIC);
  for (uint32_t i = 0; i < 32; ++i) b.set(kPage + 4 * i, kValid | 2 << 20 | i);
  for (uint32_t i = 0; i < 16; ++i) {
    b.set(kEvent + 8 * i, kValid | 0xff00 | (16 + i));
    b.set(kEvent + 8 * i + 4, 1023 << 16);
    b.set(kCounter + 16 * i + 8, kValid | i);
    b.set(kCounter + 16 * i + 12, kValid);
  }
  b.run(state, [=](uint64_t) { return page; });
}
void static_counted(benchmark::State& state) { static_pages(state, 31); }
void static_elsewhere(benchmark::State& state) { static_pages(state, 99); }

BENCHMARK(dynamic_hits)->Arg(16)->Arg(4)->Arg(8)->Arg(32)->Arg(64);
BENCHMARK(dynamic_misses)->Arg(16)->Arg(4)->Arg(8)->Arg(32)->Arg(64);
BENCHMARK(dynamic_random)->Arg(16)->Arg(4)->Arg(8)->Arg(32)->Arg(64);
BENCHMARK(dynamic_masked);
BENCHMARK(static_counted);
BENCHMARK(static_elsewhere);

}  // namespace

BENCHMARK_MAIN();
