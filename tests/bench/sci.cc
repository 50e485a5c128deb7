// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the adapters' model costs by itself, with no QEMU: items/s and ns for each of
//
//   sci_load      a load of another node's page, latency=off: request and response on two B-Links, to nobody
//   sci_store     a store to it: a request on two B-Links
//   sci_home      a load of a page at home
//   sci_chain     a load with a monitor on each of the two B-Links
//   sci_waits     a load, latency=on: the first try, and the one that is done
#include "hw/sci/sci.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "hw/sci/registers.h"
#include "hw/smile/registers.h"
#include "hw/smile/smile.h"
#include "tests/bench/machine.h"

namespace {

using namespace perfboard;

struct Bench : bench::Machine {
  explicit Bench(bool latency, bool monitors = false) : memory(16 * SCI_PAGE_BYTES), with_monitors(monitors) {
    const PbHost machine = host();
    const SciConfig config = {
        .nodes = 4,
        .size = memory.size(),
        .latency = latency,
        .ringlet = 8,
        .wc_buffers = 4,
        .opaque = this,
        .packet = [](void* o, const SciPacket* p) { static_cast<Bench*>(o)->packet(*p); },
        .memory = memory.data()};
    sci_init(adapter.get(), &config, &machine);
    for (uint32_t page = 0; page < 16; ++page)
      sci_register_write(adapter.get(), sci::kAtt + 4 * page, page % 4, 4, 0);
    sci_register_write(adapter.get(), sci::kCtrl, 1, 4, 0);
    for (uint32_t n = 0; monitors && n < 4; ++n) {
      ring[n].resize(4 * SMILE_RING_WORDS);
      monitor[n] = std::make_unique<SmileHwm>();
      const SmileConfig m = {.entries = 16, .node = n, .initial = SMILE_DYNAMIC, .ring = ring[n].data()};
      smile_init(monitor[n].get(), &m, &machine);
      smile_set_cable(monitor[n].get(), true);
      const auto write = [&](std::string_view name, uint32_t v) {
        smile_write(monitor[n].get(), SMILE_TARGET_BASE + at(smile::kRegisters, name).offset, 4, v);
      };
      write("NODE", n);
      write("MAXR", 1023);
      write("MASK", 0xff);
      write("MCR", 1);
    }
  }
  void packet(const SciPacket& p) {
    if (with_monitors)
      smile_packet(monitor[p.node].get(), &p);
    else
      sum += p.bd1;
  }
  void make() {
    uint64_t until = 0;
    access.ns = now += 40;
    if (sci_access(adapter.get(), &access, &until) == SCI_WAIT) {
      access.ns = now = until;
      sci_access(adapter.get(), &access, &until);
    }
  }

  uint64_t sum = 0;  // of what passed, so that nothing is left out
  std::vector<uint8_t> memory;
  bool with_monitors;
  std::unique_ptr<SciAdapter> adapter = std::make_unique<SciAdapter>();
  std::vector<uint8_t> ring[4];
  std::unique_ptr<SmileHwm> monitor[4];
  SciAccess access = {.offset = SCI_PAGE_BYTES, .bytes = 4, .can_wait = true};
};

void run(benchmark::State& state, Bench& b) {
  for (auto _ : state) {
    b.make();
    b.access.offset = (b.access.offset & ~0xfffu) | ((b.access.offset + 4) & 0xfff);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}

void sci_load(benchmark::State& state) {
  Bench b(false);
  run(state, b);
}
void sci_store(benchmark::State& state) {
  Bench b(false);
  b.access.store = true;
  run(state, b);
}
void sci_home(benchmark::State& state) {
  Bench b(false);
  b.access.offset = 0;
  run(state, b);
}
void sci_chain(benchmark::State& state) {
  Bench b(false, true);
  run(state, b);
}
void sci_waits(benchmark::State& state) {
  Bench b(true);
  run(state, b);
}
BENCHMARK(sci_load);
BENCHMARK(sci_store);
BENCHMARK(sci_home);
BENCHMARK(sci_chain);
BENCHMARK(sci_waits);

}  // namespace

BENCHMARK_MAIN();
