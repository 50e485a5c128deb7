// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the MULTIKRON model costs by itself, with no QEMU: samples/s, each from the store that triggers it
// to the elements that its network hands over.
//
//   trace          64-bit stores to a trace sample's address, as far apart as the network takes them
//   trace_discarded   the same with the filter closed: instrumentation that nobody looks at
//   trace_overrun     the same with the FIFO full
//   resource       resource samples, all sixteen counters counting
//   external_fifo  trace samples through an external FIFO that holds them up
#include "hw/multikron/multikron.h"

#include <benchmark/benchmark.h>

#include <memory>

#include "tests/bench/machine.h"

namespace {

constexpr uint64_t kTraceNs = 640, kResourceNs = 3200;  // 16 and 80 network clocks of 40 ns
constexpr uint32_t kCsr = 8 * 1, kFilter = 8 * 4, kMuxSel = 8 * 8, kEnable = 8 * 11, kTrace = 8 * 96,
                   kResource = 8 * 112;

struct Bench : perfboard::bench::Machine {
  explicit Bench(enum mk_free free = MK_FREE_ALWAYS) {
    const MkConfig config = {
        .node_hz = 50'000'000,
        .timestamp_hz = 10'000'000,
        .fifo_depth = 8,
        .free = free,
        .free_bytes = 64,
        .drain_hz = 20'000'000,
        .lines = 1,
        .opaque = this,
        .network = [](void* o, const uint16_t* w, size_t n) { self(o).words += n, self(o).last = w[n - 1]; },
        .watch = [](void*, uint16_t) {},
        .release_at = [](void*, uint64_t) {},
    };
    const PbHost machine = host();
    mk_init(chip.get(), &config, &machine);
    write(MK_WINDOW_8, kCsr, 1);
    write(MK_WINDOW_8, kFilter, 0xffff);
    write(MK_WINDOW_8, kMuxSel, 0x0000'ff0f'0000'f00f);
    write(MK_WINDOW_8, kEnable, 0xffff);
  }
  static Bench& self(void* o) { return *static_cast<Bench*>(o); }
  void write(enum mk_window window, uint32_t offset, uint64_t value) {
    const MkAccess a = {window, offset, 8, 0, true};
    mk_write(chip.get(), &a, value);
  }
  void pass(uint64_t ns) {
    now += ns;
    if (now < armed) return;
    armed = PB_NEVER;
    mk_timer(chip.get());
  }
  void run(benchmark::State& state, uint32_t offset, uint64_t ns) {
    uint64_t n = 0;
    for (auto _ : state) {
      write(MK_WINDOW_SAMPLE, offset, ++n);
      pass(ns);
    }
    mk_catch_up(chip.get());
    state.SetItemsProcessed(state.iterations());
    state.counters["elements_per_sample"] = static_cast<double>(words) / static_cast<double>(n);
  }

  std::unique_ptr<MultiKron> chip = std::make_unique<MultiKron>();
  uint64_t words = 0;
  uint16_t last = 0;
};

void trace(benchmark::State& state) { Bench().run(state, kTrace, kTraceNs); }
void trace_discarded(benchmark::State& state) {
  Bench b;
  b.write(MK_WINDOW_8, kFilter, 0);
  b.run(state, kTrace, kTraceNs);
}
void trace_overrun(benchmark::State& state) { Bench().run(state, kTrace, 20); }
void resource(benchmark::State& state) { Bench().run(state, kResource, kResourceNs); }
void external_fifo(benchmark::State& state) { Bench(MK_FREE_FIFO).run(state, kTrace, 800); }

BENCHMARK(trace);
BENCHMARK(trace_discarded);
BENCHMARK(trace_overrun);
BENCHMARK(resource);
BENCHMARK(external_fifo);

}  // namespace

BENCHMARK_MAIN();
