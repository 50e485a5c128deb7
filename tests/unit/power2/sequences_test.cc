// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page's programming sequences, each with a small operating system that does as it says: processes
// run by turns, call the kernel and are interrupted, and what is counted is compared with what each of them
// did.
#include <cstddef>
#include <random>

#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

// What a process did: by itself, and the kernel for it in system calls.
struct Work {
  uint64_t own = 0, calls = 0;
};
struct Process {
  bool marked = false;
  Work work;
  uint32_t saved[22] = {}, mmcr = 0;
};

// Switches are by an interrupt, which clears the mark (POWER), and the kernel's own work behind it is
// nobody's.
class System {
 public:
  explicit System(size_t n, uint32_t seed = 1) : processes(n), random_(seed) { b.kernel(); }
  // These processes are marked, and all have run while MMCR was this.
  System(size_t n, const std::vector<size_t>& marked, uint32_t mmcr) : System(n) {
    for (size_t i : marked) processes[i].marked = true;
    b.mode(mmcr);
    run_slices(60);
  }

  void run_slices(int n) {
    for (int i = 0; i < n; ++i) slice(random_() % processes.size());
  }
  void slice(size_t i) {
    Process& p = processes[i];
    if (before) before(*this, i);
    b.context(false, p.marked);  // rfid
    for (int step = 0; step < 5; ++step) {
      work(p.work.own);
      b.kernel();  // sc: the mark stays
      work(p.work.calls);
      b.user();
    }
    b.context(true, false);  // the clock's interrupt
    work(kernel);
    if (after) after(*this, i);
    work(kernel);
  }
  void work(uint64_t& whose) {
    const uint32_t n = 1 + random_() % 1000;
    b.happens(P2S_insns, n);
    whose += n;
  }
  uint32_t instructions() { return b.count(kInstructions); }

  Bench b;
  std::vector<Process> processes;
  uint64_t kernel = 0;
  void (*before)(System&, size_t) = nullptr;  // right before process i is resumed
  void (*after)(System&, size_t) = nullptr;   // it was stopped

 private:
  std::mt19937 random_;
};

TEST(P2Sequences, WhoIsCounted) {
  using Some = std::vector<size_t>;
  const struct {
    const char* what;
    size_t processes;
    Some marked;
    uint32_t mmcr;
    Some counted;
    bool calls, kernel;  // theirs; and what is nobody's
  } rows[] = {
      {"one process with its system calls", 4, {2}, mmcr::kDmr, {2}, true, false},
      {"one process's own instructions", 4, {2}, mmcr::kDmr | mmcr::kDp, {2}, false, false},
      {"a set of processes", 5, {0, 3, 4}, mmcr::kDmr, {0, 3, 4}, true, false},
      {"all but the one that manages the monitor", 3, {1}, mmcr::kDms, {0, 2}, true, true},
      {"the operating system alone", 3, {0, 1, 2}, mmcr::kDms, {}, false, true},
  };
  for (const auto& row : rows) {
    System s(row.processes, row.marked, row.mmcr);
    uint64_t sum = row.kernel ? s.kernel : 0;
    for (size_t i : row.counted) sum += s.processes[i].work.own + (row.calls ? s.processes[i].work.calls : 0);
    ASSERT_GT(sum, 0u) << row.what;
    EXPECT_EQ(s.instructions(), sum) << row.what;
  }
}

// Two registers as one access has them.
uint64_t two(uint32_t first, uint32_t second, bool big) {
  return big ? uint64_t{first} << 32 | second : uint64_t{second} << 32 | first;
}

// Counters and MMCR are a process's state: twelve loads, one store of DIS, twelve stores at each switch.
TEST(P2Sequences, PrivateCounters) {
  for (bool big : {false, true}) {
    static bool order;
    order = big;
    System s(4, 7);
    for (size_t i = 0; i < s.processes.size(); ++i)
      s.processes[i].mmcr = mmcr::kDp | mmcr::icu(i % 2 ? 12 : 0);
    s.b.mode(mmcr::kDis);
    s.before = [](System& system, size_t i) {
      Process& p = system.processes[i];
      for (unsigned r = 2; r < 22; r += 2)
        system.b.store(reg::counter(r - 1), 8, two(p.saved[r - 1], p.saved[r], order), order);
      system.b.store(reg::counter(21), 8, two(p.saved[21], 0, order), order);
      system.b.store(reg::kMmcr, 8, two(p.mmcr, p.saved[0], order), order);
    };
    s.after = [](System& system, size_t i) {
      Process& p = system.processes[i];
      EXPECT_EQ(system.b.get(reg::kMmcr), p.mmcr);
      system.b.mode(mmcr::kDis);
      for (unsigned r = 0; r < 24; r += 2) {
        const uint64_t both = system.b.load(4 * r, 8, order);
        const uint32_t first = static_cast<uint32_t>(order ? both >> 32 : both),
                       second = static_cast<uint32_t>(order ? both : both >> 32);
        if (r) p.saved[r - 1] = first;
        if (r < 22) p.saved[r] = second;
      }
    };
    s.run_slices(80);
    for (const Process& p : s.processes) {
      EXPECT_GT(p.work.own, 0u);
      EXPECT_EQ(p.saved[kInstructions], p.work.own);
    }
    EXPECT_TRUE(s.b.log.empty());
  }
}

// Each entry of the log: process, MMCR, counts since the one before it.
TEST(P2Sequences, ALogOfAllProcesses) {
  static std::vector<std::pair<size_t, uint32_t>> log;
  log.clear();
  System s(3);
  s.after = [](System& system, size_t i) {
    log.emplace_back(i, system.instructions());
    system.b.set(reg::counter(kInstructions), 0);
  };
  s.run_slices(30);
  uint64_t by_process[3] = {}, wanted = s.kernel;
  for (const auto& [i, n] : log) by_process[i] += n;
  for (const Process& p : s.processes) wanted += p.work.own + p.work.calls;
  ASSERT_EQ(log.size(), 30u);
  EXPECT_EQ(by_process[0] + by_process[1] + by_process[2] + s.instructions(), wanted);
}

// A call at the entry enables, a trap at each exit disables.
TEST(P2Sequences, ASegmentOfCode) {
  Bench b;
  b.mode(mmcr::kDis);
  uint32_t inside = 0;
  for (uint32_t round = 1; round < 20; ++round) {
    b.user();
    b.happens(P2S_insns, 100 * round);
    b.kernel();
    b.mode(mmcr::kDp);
    b.happens(P2S_insns, 17);  // the way back to the program
    b.user();
    b.happens(P2S_insns, round);
    inside += round;
    b.kernel();
    b.happens(P2S_insns, 23);  // the trap, until it has written MMCR
    b.mode(mmcr::kDis | mmcr::kDp);
  }
  EXPECT_EQ(b.count(kInstructions), inside) << "the overhead is privileged, and DP leaves it out";
}

// Read often enough, 32 bits are as good as 64.
TEST(P2Sequences, RollOver) {
  Bench b({.stalls = false});
  uint64_t long_count = 0, cycles = 0;
  uint32_t last = 0;
  for (int tick = 0; tick < 50; ++tick) {
    b.happens(P2S_cycles, 0xe0000000 + tick);
    cycles += 0xe0000000 + tick;
    const uint32_t now = b.count(kCycleCounter);
    long_count += now - last;  // modulo 2^32
    last = now;
  }
  EXPECT_EQ(long_count, cycles);
  EXPECT_GT(cycles, uint64_t{40} << 32 >> 1);
}

// Groups 0 to 15 of all units, one after the other, in a steady state.
TEST(P2Sequences, AllGroupsInTime) {
  Bench b;
  uint32_t instructions = 0;
  for (uint32_t group = 0; group < 16; ++group) {
    b.mode(mmcr::kDis);
    for (unsigned i = 0; i < 22; ++i) b.set(reg::counter(i), 0);
    b.mode(group * 0x1111);
    b.happens(P2S_insns, 1000);
    b.happens(P2S_icache_misses, 10);
    if (group == 0 || group == 9) instructions += b.count(kInstructions);
    if (group == 7) {
      EXPECT_EQ(b.count(kIcu + 0), 10u) << "icache_mis";
    }
  }
  EXPECT_EQ(instructions, 2000u);
}

}  // namespace
}  // namespace perfboard::p2
