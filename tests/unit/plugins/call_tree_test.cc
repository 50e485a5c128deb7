// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/call_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace perfboard {
namespace {

using Counts = CallTree::Counts;
constexpr uint64_t kTask = 0x1000, kOther = 0x2000;

class CallTreeTest : public testing::TestWithParam<bool> {
 protected:
  CallTreeTest() {
    t.works_for(0, kTask, 1, {});
    t.works_for(1, kOther, 2, {});
  }
  // The stack pointer of a return that belongs to a call with this one.
  static uint64_t back(uint64_t sp) { return GetParam() ? sp : sp - 8; }
  static CallTree::Where user(uint64_t address) { return {address, 1, false}; }
  static CallTree::Where kernel(uint64_t address) { return {address, 0, true}; }
  void end(Counts counts) {
    t.end([&](unsigned vcpu) { return vcpu ? Counts{} : counts; });
  }
  // {"u1/10/20": "calls instructions"}: kinds with the program, functions by their first call or return.
  std::map<std::string, std::string> ways() const {
    std::map<std::string, std::string> found;
    std::vector<std::string> name(t.nodes().size());
    for (size_t i = 1; i < name.size(); ++i) {
      const CallTree::Node& n = t.nodes()[i];
      const std::string own = n.kind == CallTree::kFunction ? std::to_string(n.where.address)
                              : n.parent                    ? std::string(1, n.kind)
                                         : std::string(1, n.kind) + std::to_string(n.program);
      name[i] = n.parent ? name[n.parent] + "/" + own : own;
      found[name[i]] = std::to_string(n.calls) + " " + std::to_string(n.insns);
    }
    return found;
  }
  using Ways = std::map<std::string, std::string>;

  CallTree t{2, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Isas, CallTreeTest, testing::Bool(),
                         [](const auto& isa) { return isa.param ? "Power" : "X86"; });

TEST_P(CallTreeTest, WhatPassesUntilAReturnIsTheFunctions) {
  t.call(0, user(10), 1000, {10, 0});
  t.call(0, user(20), 900, {25, 0});
  t.ret(0, user(30), back(900), {65, 0});
  t.call(0, user(21), 900, {70, 0});
  t.ret(0, user(30), back(900), {80, 0});
  t.ret(0, user(22), back(1000), {90, 0});
  end({100, 0});
  EXPECT_EQ(ways(),
            (Ways{{"u1", "1 100"}, {"u1/10", "1 100"}, {"u1/10/20", "1 80"}, {"u1/10/20/30", "2 50"}}));
}

TEST_P(CallTreeTest, WhatNeverReturnsGoesWithItsCaller) {
  t.call(0, user(10), 1000, {10, 0});
  t.call(0, user(20), 900, {20, 0});
  t.call(0, user(30), 800, {30, 0});  // and jumps back to 10's function
  t.call(0, user(11), 1000, {50, 0});
  t.ret(0, user(40), back(1000), {60, 0});
  end({70, 0});
  const Ways found = ways();
  EXPECT_EQ(found.at("u1/10"), "1 70");
  EXPECT_EQ(found.at("u1/10/20"), "1 40");
  EXPECT_EQ(found.at("u1/10/20/30"), "1 30");
  EXPECT_EQ(found.at("u1/10/40"), "1 10");
}

TEST_P(CallTreeTest, AReturnThatNobodyWaitsForIsNone) {
  t.ret(0, user(10), 500, {10, 0});
  t.call(0, user(11), 1000, {20, 0});
  t.ret(0, user(20), 500, {30, 0});  // a jump by way of the stack
  t.ret(0, user(21), back(1000), {40, 0});
  end({50, 0});
  EXPECT_EQ(ways(), (Ways{{"u1", "1 50"}, {"u1/10", "1 50"}, {"u1/10/20", "1 20"}}));
}

TEST_P(CallTreeTest, TheKernelsWorkHasAStackOfItsOwn) {
  t.call(0, user(10), 1000, {10, 0});
  t.call(0, kernel(100), 1u << 20, {10, 5});  // a system call
  t.ret(0, kernel(110), back(1u << 20), {10, 25});
  t.leaves(0, 1u << 20, {10, 30}, true);
  t.enters(0, CallTree::kInterrupt, user(15), (1u << 20) - 40, {12, 30});
  t.call(0, kernel(120), (1u << 20) - 100, {12, 33});
  t.ret(0, kernel(130), back((1u << 20) - 100), {12, 43});
  t.leaves(0, (1u << 20) - 40, {12, 50}, true);
  t.ret(0, user(16), back(1000), {20, 50});
  end({30, 50});
  EXPECT_EQ(ways(), (Ways{{"u1", "1 30"},
                          {"u1/10", "1 30"},
                          {"u1/10/16", "1 10"},
                          {"k1", "1 30"},
                          {"k1/110", "1 20"},
                          {"i1", "1 20"},
                          {"i1/130", "1 10"}}));
}

TEST_P(CallTreeTest, AnInterruptOfTheKernelIsApartFromWhatItInterrupts) {
  const uint64_t top = 1u << 20, other = 1u << 24;  // interrupts have another stack
  t.call(0, kernel(100), top, {0, 10});
  t.enters(0, CallTree::kInterrupt, kernel(105), top - 200, {0, 20});
  t.call(0, kernel(120), other, {0, 23});
  t.call(0, kernel(125), other - 50, {0, 25});
  t.ret(0, kernel(130), back(other - 50), {0, 35});
  t.ret(0, kernel(126), back(other), {0, 38});
  t.leaves(0, top - 200, {0, 40}, false);
  t.ret(0, kernel(106), back(top), {0, 60});
  end({0, 70});
  EXPECT_EQ(ways(), (Ways{{"k1", "1 70"},
                          {"k1/105", "1 50"},
                          {"k1/105/i", "1 20"},
                          {"k1/105/i/125", "1 15"},
                          {"k1/105/i/125/130", "1 10"}}));
}

TEST_P(CallTreeTest, ATaskTakesItsStackAlongToAnotherProcessor) {
  t.call(0, user(10), 1000, {10, 0});
  t.works_for(0, kOther, 2, {30, 0});
  t.call(0, user(50), 5000, {35, 0});
  t.works_for(0, 0x3000, 3, {50, 0});
  t.works_for(1, kTask, 1, {500, 0});
  t.ret(1, user(20), back(1000), {507, 0});
  t.end([](unsigned vcpu) { return vcpu ? Counts{520, 0} : Counts{60, 0}; });
  const Ways found = ways();
  EXPECT_EQ(found.at("u1"), "1 50");
  EXPECT_EQ(found.at("u1/10/20"), "1 27");
  EXPECT_EQ(found.at("u2"), "1 520");  // it ran at first where the other one is now
  EXPECT_EQ(found.at("u3"), "1 10");
}

TEST_P(CallTreeTest, AnotherProgramOfATaskBeginsAnew) {
  t.call(0, user(10), 1000, {10, 0});
  t.works_for(0, kTask, 7, {30, 0});
  t.call(0, user(11), 1000, {35, 0});
  end({40, 0});
  EXPECT_EQ(ways().at("u1/10"), "1 30");
  EXPECT_EQ(ways().at("u7"), "1 10");
  EXPECT_EQ(ways().at("u7/11"), "1 10");
}

TEST_P(CallTreeTest, WhatHasNoRoomIsItsCallers) {
  uint64_t sp = 1u << 30, n = 0;
  for (size_t i = 0; i < 3 * CallTree::kMostDeep; ++i) t.call(0, user(10 + i), sp -= 64, {++n, 0});
  for (uint64_t i = 0; t.nodes().size() < CallTree::kMostNodes; ++i) {
    t.call(0, user(10), 1u << 30, {++n, 0});
    t.ret(0, user(1u << 20 | i), back(1u << 30), {++n, 0});
  }
  t.call(0, user(10), 1u << 30, {++n, 0});
  t.ret(0, user(7), back(1u << 30), {++n, 0});
  EXPECT_TRUE(t.full());
  end({n, 0});
  EXPECT_EQ(t.nodes().size(), CallTree::kMostNodes);
  uint64_t sum = 0;
  std::vector<uint64_t> own(t.nodes().size());
  for (size_t i = 1; i < own.size(); ++i) {
    own[i] += t.nodes()[i].insns;
    own[t.nodes()[i].parent] -= t.nodes()[i].insns;
  }
  for (size_t i = 1; i < own.size(); ++i) sum += own[i];
  EXPECT_EQ(sum, n);
}

}  // namespace
}  // namespace perfboard
