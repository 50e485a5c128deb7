// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write on the POWER2 tools' command lines.
#include <gtest/gtest.h>

#include <functional>

#include "guest/power2/cmd/opcodes.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

using Names = std::vector<std::string>;

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Misuse& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Power2Words, Events) {
  EXPECT_EQ(parse_events({"cycles,flops", "cycles"}), (Names{"cycles", "flops"}));
  EXPECT_EQ(parse_events({"fp*"}), Names{"fp_add"});
  EXPECT_EQ(parse_events({"*mis,c?cles"}), (Names{"dcache_mis", "cycles"}));
  EXPECT_EQ(parse_events({"fxu0"}), Names{"fxu0"});
  EXPECT_EQ(parse_events({}), Names{});
  EXPECT_EQ(refusal([] { parse_events({"cicles"}); }),
            "cicles: no such event (like it: cycles); `p2event` lists them");
  EXPECT_EQ(refusal([] { parse_events({"cycles,"}); }).substr(0, 16), ": no such event ");
  EXPECT_EQ(refusal([] { parse_events({"zz*"}); }), "zz*: fits no event");
}

TEST(Power2Words, Groups) {
  const auto values = [](const std::string& text) {
    std::vector<uint32_t> found;
    for (const p2_set& set : parse_groups(text, P2_MMCR_DP)) found.push_back(set.mmcr & ~P2_MMCR_DP);
    return found;
  };
  EXPECT_EQ(values("fpu=1,fxu=13,icu=8,scu=15"), std::vector<uint32_t>{0x1d8f});
  EXPECT_EQ(values("icu=8"), std::vector<uint32_t>{0x0080});
  EXPECT_EQ(values("sga"), std::vector<uint32_t>{P2_MMCR_SGA});
  const std::vector<uint32_t> all = values("all");
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all[3], 0x3333u);
  for (const char* text : {"", "fpu", "fpu=16", "fpu=-1", "fpu=", "mmu=1", "fpu=1,", "sga=1", "fpu=0x1"})
    EXPECT_THROW(parse_groups(text, 0), Misuse) << text;
  EXPECT_EQ(events_of(parse_groups("fxu=13,icu=8", 0)),
            (Names{"flops", "imr", "instructions", "interrupts", "cycles", "errors"}));
}

TEST(Power2Words, Times) {
  EXPECT_EQ(parse_time("x", "1", 1, 1ull << 40), 1000000000u);
  EXPECT_EQ(parse_time("x", "0.25s", 1, 1ull << 40), 250000000u);
  EXPECT_EQ(parse_time("x", "10ms", 1, 1ull << 40), 10000000u);
  EXPECT_EQ(parse_time("x", "2.5us", 1, 1ull << 40), 2500u);
  for (const char* text : {"", "ms", "-1", "1m", "1 s", "1e3", "nan", "1.2.3", "0x10"})
    EXPECT_THROW(parse_time("x", text, 1, 1ull << 40), Misuse) << text;
  EXPECT_EQ(refusal([] { parse_time("--tick", "1us", 1000000, 10000000000); }),
            "--tick 1us: legal are 1ms to 10s, with s, ms, us or ns behind the number");
}

TEST(Power2Words, Opcodes) {
  const auto one = [](const std::string& text, bool power) {
    return parse_opcodes("--imr", text, power)[0].imr;
  };
  // Power ISA 2.07B: add RT,RA,RB is 31 with extended opcode 266; fmadd 63 with 29; ld 58.
  EXPECT_EQ(one("add", true), 0x7c000214u);
  EXPECT_EQ(one("fmadd", true), 0xfc00003au);
  EXPECT_EQ(one("ld", true), 0xe8000000u);
  EXPECT_EQ(one("ret", false), 0xc3u);
  EXPECT_EQ(one("0x10f", false), 0x10fu);
  EXPECT_EQ(parse_opcodes("--opcodes", "add,12,ld", true).size(), 3u);
  for (const bool power : {true, false}) {
    const auto all = parse_opcodes("--opcodes", "all", power);
    EXPECT_LE(all.size(), size_t{P2_MOST_SETS});
    for (size_t i = 0; i < all.size(); i++)
      for (size_t j = 0; j < i; j++) {
        EXPECT_NE(all[i].imr, all[j].imr) << all[i].name;
        EXPECT_NE(all[i].name, all[j].name);
      }
  }
  for (const char* text : {"", "0", "ret", "add,", "-1", "0x100000000"})
    EXPECT_THROW(parse_opcodes("--imr", text, true), Misuse) << text;
}

TEST(Power2Words, Registers) {
  EXPECT_EQ(parse_register("--mmcr", "0xf8001d8f", P2_MMCR_RESERVED), 0xf8001d8fu);
  EXPECT_EQ(parse_register("--mmcr", "15", 0), 15u);
  EXPECT_EQ(refusal([] { parse_register("--mmcr", "0x10000", P2_MMCR_RESERVED); }),
            "--mmcr 0x10000: legal are numbers to 0xffffffff without bits of 0x03ff0000");
  for (const char* text : {"", "0x", "-1", "0x100000000", "1d8f"})
    EXPECT_THROW(parse_register("--mmcr", text, 0), Misuse) << text;
}

TEST(Power2Words, Counters) {
  EXPECT_EQ(counter_text(P2_FPU0), "fpu0");
  EXPECT_EQ(counter_text(P2_SCU0 + 4), "scu4");
  EXPECT_EQ(counter_text(P2_CYCLES), "cycles");
  EXPECT_EQ(counter_text(P2_ERRORS), "errors");
}

TEST(Power2Words, MmcrInWords) {
  EXPECT_EQ(mmcr_text(0x1d82), "fpu=1 fxu=13 icu=8 scu=2");
  EXPECT_EQ(mmcr_text(0xf8000000), "DIS DP DU DMS DMR fpu=0 fxu=0 icu=0 scu=0");
}

}  // namespace
}  // namespace perfboard::p2
