// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON's errors on purpose in a stock QEMU: by a property and by a scenario, as the registers and the
// network's reader see them.
#include <algorithm>

#include "tests/qtest/multikron/card.h"

namespace perfboard::qtest {
namespace {

bool odd(uint16_t element) { return __builtin_popcount(element & 0x1ff) % 2; }

TEST(MultikronInject, ANetworkThatStopsFillsTheFifo) {
  Networked n("");
  Card card(*n.m);
  card.start();
  EXPECT_EQ(n.m->set("mk0", "inject-net-stop", "true"), "");
  EXPECT_TRUE(n.m->flag("mk0", "inject-net-stop"));
  for (int i = 0; i < 10; ++i) card.sample(MKR_SAMPLE_TRACE(0), i);
  n.m->step(5'000'000);
  EXPECT_TRUE(only_elements(words_of(n.file(0))).empty());
  EXPECT_EQ(card.get(MKR_CSR) & (MKR_CSR_FFULL | MKR_CSR_FOV), MKR_CSR_FFULL | MKR_CSR_FOV);
  EXPECT_EQ(card.get(MKR_OVERRUN), 2u);
  EXPECT_EQ(n.m->set("mk0", "inject-net-stop", "false"), "");
  n.m->step(5'000'000);
  EXPECT_EQ(only_elements(words_of(n.file(0))).size(), 8u * 16);
}

TEST(MultikronInject, SamplesAreLostAndDamaged) {
  Networked n("");
  Card card(*n.m);
  card.start();
  const auto sample = [&](uint64_t data) {
    card.sample(MKR_SAMPLE_TRACE(0), data);
    n.m->step(2'000'000);
  };
  EXPECT_EQ(n.m->set("mk0", "inject-overrun", "1"), "");
  sample(1);
  EXPECT_EQ(card.get(MKR_OVERRUN), 1u);
  EXPECT_NE(card.get(MKR_CSR) & MKR_CSR_FOV, 0u);
  EXPECT_EQ(n.m->get("mk0", "inject-overrun"), 0u) << "it is over";
  EXPECT_EQ(n.m->set("mk0", "inject-damage", "1"), "");
  sample(2);
  EXPECT_EQ(n.m->set("mk0", "inject-no-end", "1"), "");
  sample(3);
  sample(4);
  const std::vector<uint16_t> words = only_elements(words_of(n.file(0)));
  ASSERT_EQ(words.size(), 3u * 16);
  EXPECT_EQ(std::ranges::count_if(words, [](uint16_t w) { return !odd(w); }), 1);
  EXPECT_FALSE(odd(words[10])) << "in the user data of the first";
  EXPECT_EQ(words[15] & MK_STREAM_END, MK_STREAM_END);
  EXPECT_EQ(words[31] & MK_STREAM_END, 0);
  EXPECT_EQ(words[47] & MK_STREAM_END, MK_STREAM_END);
}

TEST(MultikronInject, CountersAreFullAndWrong) {
  Machine m({.devices = {"multikron,id=mk"}});
  Card card(m);
  card.put64(MKR_MUXSEL, 0x0000ffff00000000);
  card.put(MKR_ENABLE, 0xffff);
  EXPECT_EQ(m.set("mk", "inject-flip", "103"), "");
  EXPECT_EQ(card.get64(MKR_COUNTER(3)), 1u << 7);
  EXPECT_EQ(m.set("mk", "inject-saturate", "32769"), "");
  EXPECT_EQ(card.get64(MKR_COUNTER(0)), 0xffffffffu);
  EXPECT_EQ(card.get64(MKR_COUNTER(15)), 0xffffffffu);
  EXPECT_EQ(card.get64(MKR_COUNTER(1)), 0u);
}

TEST(MultikronInject, WhatIsNotLegalIsRefused) {
  Machine m({.devices = {"multikron,id=mk"}});
  EXPECT_NE(m.set("mk", "inject-flip", "512").find("0 to 511"), std::string::npos);
  EXPECT_NE(m.set("mk", "inject-saturate", "65536").find("0 to 65535"), std::string::npos);
  EXPECT_NE(m.set("mk", "inject-irq", "\"pulse\""), "") << "it has no interrupt line";
}

TEST(MultikronInject, FromTheCommandLineAndThroughASnapshot) {
  const std::vector<std::string> devices = {"multikron,id=mk,inject-overrun=3,inject-net-stop=on"};
  Machine m({.devices = devices});
  Card card(m);
  card.start();
  for (int i = 0; i < 4; ++i) card.sample(MKR_SAMPLE_TRACE(0), i);
  EXPECT_EQ(card.get(MKR_OVERRUN), 3u) << "the first reset has not ended it";
  EXPECT_EQ(m.set("mk", "inject-damage", "7"), "");
  m.save(m.scratch("state"));
  Machine after({.devices = {"multikron,id=mk"}, .args = {"-incoming", "defer"}});
  after.load(m.scratch("state"));
  EXPECT_TRUE(after.flag("mk", "inject-net-stop"));
  EXPECT_EQ(after.get("mk", "inject-damage"), 7u);
  EXPECT_EQ(after.get("mk", "inject-overrun"), 0u);
}

TEST(MultikronInject, ByAScenario) {
  Machine m({.devices = {"multikron,id=mk"},
             .scenario = "2ms multikron inject-overrun 2\n"
                         "4ms mk inject-saturate 0x8  # its name\n"});
  Card card(m);
  card.start();
  card.sample(MKR_SAMPLE_TRACE(0), 0);
  EXPECT_EQ(card.get(MKR_OVERRUN), 0u);
  m.step(3'000'000);
  card.sample(MKR_SAMPLE_TRACE(0), 0);
  EXPECT_EQ(card.get(MKR_OVERRUN), 1u);
  EXPECT_EQ(card.get64(MKR_COUNTER(3)), 0u);
  m.step(2'000'000);
  EXPECT_EQ(card.get64(MKR_COUNTER(3)), 0xffffffffu);
}

}  // namespace
}  // namespace perfboard::qtest
