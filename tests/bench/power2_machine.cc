// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the machine model of power2-pm costs by itself, with no QEMU: instructions/s of machine_run(), which
// plugins/blocks.h calls for each new pair of block and pipeline.
//
//   p2_block/N          blocks of N instructions, integer code as compilers write it, each from the pipeline
//   that the one before it left p2_body/daxpy       a loop's body of loads, multiply-adds and stores
//   p2_body/roots       dependent square roots: the longest waits
//   p2_settling/daxpy   from an empty pipeline until the pipelines behind the body repeat (after `runs` of
//   it)
//
// scripts/bench runs it (--benchmark_format=json).
#include <benchmark/benchmark.h>

#include <cstring>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "hw/power2/machine.h"

namespace {

using perfboard::ModelInsn;
using perfboard::Op;
using namespace perfboard;
using namespace perfboard::p2;
using Program = std::vector<ModelInsn>;

ModelInsn insn(Op op, std::initializer_list<unsigned> address, std::initializer_list<unsigned> data,
               std::initializer_list<unsigned> write) {
  ModelInsn i;
  i.op = op;
  i.bytes = 4;
  for (unsigned r : address) i.read[i.reads++] = static_cast<uint8_t>(r);
  i.address_reads = i.reads;
  for (unsigned r : data) i.read[i.reads++] = static_cast<uint8_t>(r);
  for (unsigned r : write) i.write[i.writes++] = static_cast<uint8_t>(r);
  i.loads = op == Op::kLoad || op == Op::kFloatLoad;
  i.stores = op == Op::kStore || op == Op::kFloatStore;
  i.branch = i.conditional = op == Op::kBranch;
  return i;
}

// A load, arithmetic on it, a store; in the end a compare and its branch.
Program integer_block(size_t n) {
  Program p;
  for (unsigned k = 0; p.size() + 2 < n; ++k) {
    const unsigned r = 3 + k % 16;
    switch (k % 4) {
      case 0:
        p.push_back(insn(Op::kLoad, {1}, {}, {r}));
        break;
      case 3:
        p.push_back(insn(Op::kStore, {1}, {r - 1}, {}));
        break;
      default:
        p.push_back(insn(Op::kInteger, {}, {r - 1, 20}, {r}));
        break;
    }
  }
  p.push_back(insn(Op::kInteger, {}, {3, 4}, {kCondition0}));
  p.push_back(insn(Op::kBranch, {}, {kCondition0}, {}));
  return p;
}

Program daxpy() {
  Program p;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned x = kFloat0 + 4 * k, y = x + 1, z = x + 2;
    p.push_back(insn(Op::kFloatLoad, {3}, {}, {x}));
    p.push_back(insn(Op::kFloatLoad, {4}, {}, {y}));
    p.push_back(insn(Op::kFloatMultiplyAdd, {}, {x, kFloat0 + 31, y}, {z}));
    p.push_back(insn(Op::kFloatStore, {4}, {z}, {}));
  }
  p.push_back(insn(Op::kInteger, {}, {3}, {3}));
  p.push_back(insn(Op::kInteger, {}, {4}, {4}));
  p.push_back(insn(Op::kBranch, {}, {kCount}, {kCount}));
  return p;
}

Program roots() { return Program(16, insn(Op::kFloatRoot, {}, {kFloat0}, {kFloat0})); }

void p2_body(benchmark::State& bench, const Program& program) {
  MachineState state{};
  uint32_t counts[kStats];
  uint64_t insns = 0;
  for (auto _ : bench) {
    machine_run(program.data(), program.size(), &state, counts);
    insns += counts[kStat_insns];
  }
  bench.SetItemsProcessed(static_cast<int64_t>(insns));
}

void p2_block(benchmark::State& bench) { p2_body(bench, integer_block(static_cast<size_t>(bench.range(0)))); }
BENCHMARK(p2_block)->Arg(4)->Arg(64);
BENCHMARK_CAPTURE(p2_body, daxpy, daxpy());
BENCHMARK_CAPTURE(p2_body, roots, roots());

void p2_settling(benchmark::State& bench, const Program& program) {
  size_t runs = 0;
  for (auto _ : bench) {
    std::set<std::string> seen;
    MachineState state{};
    uint32_t counts[kStats];
    while (seen.insert(std::string(reinterpret_cast<const char*>(&state), sizeof state)).second)
      machine_run(program.data(), program.size(), &state, counts);
    runs = seen.size();
  }
  bench.counters["runs"] = static_cast<double>(runs);
}
BENCHMARK_CAPTURE(p2_settling, daxpy, daxpy());

}  // namespace

BENCHMARK_MAIN();
