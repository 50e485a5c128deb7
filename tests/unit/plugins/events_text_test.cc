// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/events_text.h"

#include <gtest/gtest.h>

namespace perfboard {
namespace {

std::string wrong(std::string_view text, unsigned vcpus = 4) {
  std::string why;
  EXPECT_FALSE(parse_event(text, vcpus, why)) << text;
  EXPECT_EQ(why.find('\n'), std::string::npos);
  return why;
}

EventSpec right(std::string_view text, unsigned vcpus = 4) {
  std::string why;
  const auto spec = parse_event(text, vcpus, why);
  EXPECT_TRUE(spec) << text << ": " << why;
  EXPECT_EQ(why, "");
  return spec.value_or(EventSpec{});
}

TEST(EventsText, KnowsEveryName) {
  const struct {
    const char* name;
    EventKind kind;
  } all[] = {{"instructions", EventKind::kInstructions},
             {"loads", EventKind::kLoads},
             {"stores", EventKind::kStores},
             {"branches", EventKind::kBranches},
             {"exceptions", EventKind::kExceptions},
             {"interrupts", EventKind::kInterrupts},
             {"dcache-misses", EventKind::kDcacheMisses},
             {"tlb-misses", EventKind::kTlbMisses},
             {"dcache-load-misses", EventKind::kDcacheLoadMisses},
             {"dcache-store-misses", EventKind::kDcacheStoreMisses},
             {"castouts", EventKind::kCastouts},
             {"itlb-misses", EventKind::kItlbMisses},
             {"io-loads", EventKind::kIoLoads},
             {"io-stores", EventKind::kIoStores},
             {"dma-reads", EventKind::kDmaReads},
             {"dma-writes", EventKind::kDmaWrites}};
  for (const auto& a : all) {
    EXPECT_EQ(right(a.name).kind, a.kind);
    EXPECT_EQ(right(a.name).vcpu, -1);
    EXPECT_EQ(right(std::string(a.name) + ":3").kind, a.kind);
    EXPECT_EQ(right(std::string(a.name) + ":3").vcpu, 3);
  }
}

TEST(EventsText, Ranges) {
  EventSpec s = right("pages:0x100000-0x1fffff");
  EXPECT_EQ(s.kind, EventKind::kPages);
  EXPECT_EQ(s.low, 0x100000u);
  EXPECT_EQ(s.high, 0x1fffffu);
  EXPECT_EQ(s.vcpu, -1);
  s = right("pages:4096-0XFFFFFFFFFFFFFFFF:0");
  EXPECT_EQ(s.low, 4096u);
  EXPECT_EQ(s.high, UINT64_MAX);
  EXPECT_EQ(s.vcpu, 0);
  EXPECT_EQ(right("pages:0-0").high, 0u);
}

TEST(EventsText, SaysWhatIsWrongAndWhatIsLegal) {
  for (const char* text : {"", "load", "loads ", "Loads", ":0", "wire:x", "pagess:0-1"})
    EXPECT_NE(
        wrong(text).find(
            "legal are instructions, loads, stores, branches, exceptions, interrupts, "
            "dcache-misses, icache-misses, tlb-misses, dcache-load-misses, dcache-store-misses, castouts, "
            "itlb-misses, io-loads, io-stores, dma-reads, dma-writes, pages:LOW-HIGH, each with an optional "
            ":VCPU"),
        std::string::npos);
  for (const char* text : {"loads:", "loads:4", "loads:-1", "loads:x", "loads:0x", "loads:1:2", "loads: 1",
                           "pages:0-1:4", "pages:0-1:", "loads:18446744073709551616"})
    EXPECT_NE(wrong(text).find("legal are 0..3"), std::string::npos) << text;
  for (const char* text : {"pages", "pages:", "pages:5", "pages:2-1", "pages:0x-0x1", "pages:1-", "pages:-1",
                           "pages:0-1-2", "pages:0-18446744073709551616", "pages:zero-one"})
    EXPECT_NE(wrong(text).find("LOW-HIGH"), std::string::npos) << text;
  EXPECT_NE(wrong("loads:1", 1).find("'1' is no vCPU of this machine; legal are 0..0"), std::string::npos);
}

TEST(EventsText, Contexts) {
  const struct {
    const char* words;
    unsigned contexts;
  } all[] = {{"", kAllContexts},         {":user", 0b0101},
             {":kernel", 0b1010},        {":unmarked", 0b0011},
             {":marked", 0b1100},        {":user:marked", 0b0100},
             {":marked:user", 0b0100},   {":kernel:unmarked", 0b0010},
             {":kernel:marked", 0b1000}, {":user:unmarked", 0b0001},
             {":user:user", 0b0101}};
  for (const auto& a : all) {
    for (const char* event : {"loads", "pages:0x1000-0x1fff"}) {
      const EventSpec everywhere = right(std::string(event) + a.words);
      EXPECT_EQ(everywhere.contexts, a.contexts) << event << a.words;
      EXPECT_EQ(everywhere.vcpu, -1);
      const EventSpec one = right(std::string(event) + a.words + ":2");
      EXPECT_EQ(one.contexts, a.contexts) << event << a.words;
      EXPECT_EQ(one.vcpu, 2);
    }
  }
  EXPECT_EQ(context_index(false, false), 0u);
  EXPECT_EQ(context_index(true, false), 1u);
  EXPECT_EQ(context_index(false, true), 2u);
  EXPECT_EQ(context_index(true, true), 3u);
}

TEST(EventsText, ContextsThatAreWrong) {
  for (const char* text : {"loads:users", "loads:0:user", "loads:user:", "loads:user:4", "loads:User"})
    EXPECT_NE(wrong(text).find("legal are 0..3, or a context: user, kernel, marked, unmarked"),
              std::string::npos)
        << text;
  for (const char* text : {"loads:user:kernel", "loads:marked:unmarked", "loads:user:marked:kernel:0"})
    EXPECT_NE(wrong(text).find("leaves no context"), std::string::npos) << text;
}

}  // namespace
}  // namespace perfboard
