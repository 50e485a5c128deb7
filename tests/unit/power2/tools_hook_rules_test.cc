// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which hooks record, as users write it: p2trace record --when.
#include <gtest/gtest.h>

#include <tuple>

#include "guest/power2/cmd/hook_rules.h"

namespace perfboard::p2 {
namespace {

const std::vector<std::string> kEvents{"sched_switch", "sys_enter"};

p2_rule rule(const std::string& text) { return parse_hook_rule(text, kEvents); }

std::string refusal_of(const std::string& text) {
  try {
    rule(text);
  } catch (const Misuse& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Power2HookRules, EachTest) {
  EXPECT_EQ(rule("hook=7").flags, P2_RULE_HOOK);
  EXPECT_EQ(rule("hook=0x10").id, 16u);
  EXPECT_EQ(rule("event=sys_enter").flags, P2_RULE_EVENT);
  EXPECT_EQ(rule("event=sys_enter").id, 1u);
  EXPECT_EQ(rule("event=sched_switch").id, 0u);
  const p2_rule link = rule("link=0x1000-0x1fff");
  EXPECT_EQ(link.flags, P2_RULE_LINK);
  EXPECT_EQ(link.link_first, 0x1000u);
  EXPECT_EQ(link.link_last, 0x1fffu);
  const p2_rule state = rule("state=0x100/0xf00");
  EXPECT_EQ(std::tuple(state.state_value, state.state_mask), std::tuple(0x100u, 0xf00u));
  EXPECT_EQ(rule("state=3").state_mask, 0xffffffffu);
}

TEST(Power2HookRules, ArgumentsOfHooksHave64BitsOfEvents32) {
  EXPECT_EQ(rule("hook=1,arg0=3").value[0], 3u);
  EXPECT_EQ(rule("hook=1,arg0=3").mask[0], ~uint64_t{0});
  EXPECT_EQ(rule("hook=1,arg0=3").mask[1], 0u);
  EXPECT_EQ(rule("arg1=4,event=sys_enter").mask[1], 0xffffffffu);
  EXPECT_EQ(rule("arg1=4/0xffffffffffffffff,event=sys_enter").mask[1], ~uint64_t{0});
  EXPECT_EQ(rule("arg1=0x100000000").value[1], 0x100000000u);
  EXPECT_EQ(refusal_of("arg1=0x100000000,event=sys_enter"),
            "--when arg1=0x100000000,event=sys_enter: arg1: of an event: 32 bits, or VALUE/MASK");
}

TEST(Power2HookRules, Actions) {
  EXPECT_EQ(rule("hook=1").set_mask, 0u);
  const p2_rule r = rule("hook=1,state=2:silent,state=5/7");
  EXPECT_EQ(r.flags, P2_RULE_HOOK | P2_RULE_SILENT);
  EXPECT_EQ(std::tuple(r.state_value, r.set_value, r.set_mask), std::tuple(2u, 5u, 7u));
  EXPECT_EQ(rule(":silent").flags, P2_RULE_SILENT);
  EXPECT_EQ(rule("").flags, 0u);  // any hook
}

TEST(Power2HookRules, Refusals) {
  EXPECT_EQ(refusal_of("hook=65536"), "--when hook=65536: hook=65536: legal are numbers to 0xffff");
  EXPECT_EQ(refusal_of("event=sched_wakeup"),
            "--when event=sched_wakeup: event=sched_wakeup: the driver hooks sched_switch sys_enter "
            "(/sys/module/power2/parameters/hooks)");
  EXPECT_EQ(refusal_of("hook=1,event=sys_enter"),
            "--when hook=1,event=sys_enter: event=sys_enter: one hook or one event");
  EXPECT_EQ(refusal_of("arg0=2/1"), "--when arg0=2/1: arg0=2/1: bits that are not in the mask");
  EXPECT_EQ(refusal_of("link=5"),
            "--when link=5: link=5: legal is link=FIRST-LAST, addresses in the program");
  EXPECT_EQ(refusal_of("link=2-1"), "--when link=2-1: link=2-1: LAST is below FIRST");
  EXPECT_EQ(refusal_of("id=1"),
            "--when id=1: id=1: legal tests are hook=, event=, arg0=, arg1=, link=, state=");
  EXPECT_EQ(refusal_of("hook=1:quiet"),
            "--when hook=1:quiet: quiet: legal actions are silent and state=VALUE[/MASK]");
  for (const char* text : {"hook", "hook=", "hook=-1", "hook=1,", "state=0x100000000", "arg0=", "arg0=1/",
                           "hook=1:state", "hook=1:state=1/0"})
    EXPECT_THROW(rule(text), Misuse) << text;
  EXPECT_THROW(parse_hook_rules(std::vector<std::string>(P2_MOST_RULES + 1, "hook=1"), kEvents), Misuse);
  EXPECT_EQ(parse_hook_rules(std::vector<std::string>(P2_MOST_RULES, "hook=1"), kEvents).size(),
            size_t{P2_MOST_RULES});
  try {
    parse_hook_rule("event=x", {});
    ADD_FAILURE();
  } catch (const Misuse& e) {
    EXPECT_NE(std::string(e.what()).find("the driver hooks no event"), std::string::npos);
  }
}

}  // namespace
}  // namespace perfboard::p2
