// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "plugins/event_set.h"

namespace perfboard {
namespace {

// What two vCPUs have counted of each kind, by context; ranges count apart.
struct Key {
  EventKind kind;
  int range;
  unsigned vcpu;
  auto operator<=>(const Key&) const = default;
};
std::map<Key, ContextCounts> g_raw;
ContextCounts raw(const EventPlace& place, unsigned vcpu) { return g_raw[{place.kind, place.range, vcpu}]; }

constexpr unsigned kUser = 0, kKernel = 1, kUserMarked = 2, kKernelMarked = 3;

class EventSetTest : public testing::Test {
 protected:
  void SetUp() override { g_raw.clear(); }
  static uint64_t& count(unsigned vcpu, unsigned context, EventKind kind = EventKind::kLoads, int range = 0) {
    return g_raw[{kind, range, vcpu}][context];
  }
  static EventSpec loads(unsigned contexts = kAllContexts, int vcpu = -1) {
    return {EventKind::kLoads, contexts, vcpu};
  }
  EventSet set{raw, 2};
};

TEST_F(EventSetTest, SumsOverVcpusAndContexts) {
  set.add(loads(), {EventKind::kLoads});
  count(0, kUser) = 1000;
  set.watch(true);
  uint64_t n = 1;
  for (unsigned vcpu : {0u, 1u})
    for (unsigned context = 0; context < kContexts; ++context, n *= 10) count(vcpu, context) += n;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 11111111u);
  EXPECT_EQ(set.total(0, 0, kAllContexts), 1111u);
  EXPECT_EQ(set.total(0, 1, kAllContexts), 11110000u);
  const uint64_t both[kContexts] = {10001, 100010, 1000100, 10001000};
  for (unsigned context = 0; context < kContexts; ++context)
    EXPECT_EQ(set.total(0, kAllVcpus, 1u << context), both[context]);
  EXPECT_EQ(set.total(0, 0, 1u << kUser | 1u << kKernelMarked), 1001u);
  EXPECT_EQ(set.total(0, 0, 0), 0u);
  EXPECT_EQ(set.total(0, 7, kAllContexts), 0u) << "no such vCPU";
}

TEST_F(EventSetTest, AnEventOfSomeContextsAndOneVcpu) {
  set.add(loads(1u << kUser | 1u << kUserMarked, 1), {EventKind::kLoads});
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  for (unsigned vcpu : {0u, 1u})
    for (unsigned context = 0; context < kContexts; ++context)
      count(vcpu, context) += 1 + context + 10 * vcpu;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 11u + 13u);
  EXPECT_EQ(set.total(0, 1, 1u << kUserMarked | 1u << kKernel), 13u);
  EXPECT_EQ(set.total(0, 0, kAllContexts), 0u);
  EXPECT_EQ(set.total(1, 0, kAllContexts), 10u);
}

TEST_F(EventSetTest, StandsStillWhileItIsNotWatched) {
  set.add(loads(), {EventKind::kLoads});
  count(0, kKernel) += 5;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 0u);
  set.watch(true);
  set.watch(true);
  count(0, kKernel) += 3;
  set.watch(false);
  count(0, kKernel) += 100;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 3u);
  set.watch(true);
  count(0, kKernel) += 1;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 4u);
}

// What is taken back in one context is not made up for by events in another.
TEST_F(EventSetTest, NoTotalOfAContextFalls) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  count(0, kUser) = 7;
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kUser), 7u);
  count(0, kUser) = 6;
  count(0, kKernel) = 4;
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kUser), 7u);
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kKernel), 4u);
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 11u);
  count(1, kUser) = 1;
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kUser), 8u) << "the other vCPU's";
  count(0, kUser) = 7;
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kUser), 8u) << "made up for";
  count(0, kUser) = 8;
  EXPECT_EQ(set.total(0, kAllVcpus, 1u << kUser), 9u);
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 13u);
}

// All that it has told of, of each vCPU and context.
TEST_F(EventSetTest, ForgetsWhatItOwes) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  count(0, kUser) = count(1, kKernel) = 7;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 14u);
  count(0, kUser) = count(1, kKernel) = 6;
  EXPECT_TRUE(set.rebase(kAllVcpus));
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 12u);
  count(0, kUser) = 7;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 13u);
  count(0, kUser) = 6;
  set.watch(false);
  count(0, kUser) = 1000;
  EXPECT_TRUE(set.rebase(kAllVcpus));
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 12u);
  set.watch(true);
  count(0, kUser) = 1001;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 13u);
}

TEST_F(EventSetTest, ForgetsWhatIsOwedByOneVcpu) {
  set.add(loads(), {EventKind::kLoads});
  set.watch(true);
  EXPECT_FALSE(set.rebase(kAllVcpus));
  count(0, kUser) = count(1, kKernel) = 7;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 14u);
  count(0, kUser) = count(1, kKernel) = 6;
  EXPECT_TRUE(set.rebase(1));
  EXPECT_FALSE(set.rebase(1));
  EXPECT_EQ(set.total(0, 0, kAllContexts), 7u);
  EXPECT_EQ(set.total(0, 1, kAllContexts), 6u);
}

TEST_F(EventSetTest, RangesCountApart) {
  set.add({EventKind::kPages, kAllContexts, -1, 0, 9}, {EventKind::kPages, 0});
  set.add({EventKind::kPages, kAllContexts, 0, 10, 19}, {EventKind::kPages, 1});
  set.watch(true);
  count(0, kUser, EventKind::kPages, 0) = 2;
  count(0, kUser, EventKind::kPages, 1) = 5;
  EXPECT_EQ(set.total(0, kAllVcpus, kAllContexts), 2u);
  EXPECT_EQ(set.total(1, kAllVcpus, kAllContexts), 5u);
  EXPECT_EQ(set.place(1).kind, EventKind::kPages);
  EXPECT_EQ(set.size(), 2u);
}

}  // namespace
}  // namespace perfboard
