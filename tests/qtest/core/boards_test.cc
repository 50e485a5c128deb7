// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is asked of every board. Its errors on purpose as its view and its manual page list them are those
// that its device has; each example of a page is a scenario that a machine takes; resets end none, and
// snapshots have all. What each does is the model's (tests/unit/BOARD/inject_test.cc), and how it is asked
// for is one code for all boards. A snapshot goes only into a board with the same properties.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "hw/model/view.h"
#include "hw/multikron/view.h"
#include "hw/power2/view.h"
#include "hw/sci/view.h"
#include "hw/shrimp/view.h"
#include "hw/smile/view.h"
#include "hw/surfboard/view.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

struct Board {
  const char* name;
  const BoardView& (*view)();
  std::vector<std::string> devices;  // the first one is it
  std::string saved;                 // properties that a snapshot of it is made with, and others
  std::vector<std::string> others;
};
void PrintTo(const Board& b, std::ostream* out) { *out << b.name; }

class EveryBoard : public testing::TestWithParam<Board> {
 protected:
  static MachineOptions options(std::string scenario = {}) {
    MachineOptions o = {
        .devices = GetParam().devices, .args = {"-smp", "2"}, .scenario = std::move(scenario)};
    o.devices[0] += ",id=it";
    std::ranges::rotate(o.devices, o.devices.begin() + 1);  // a monitor stands behind its adapter
    return o;
  }
};

// The device's inject-*, each with its type.
std::map<std::string, std::string> of_the_device(Machine& m) {
  std::map<std::string, std::string> found;
  const Json answer = m.qmp("qom-list", {{"path", "/machine/peripheral/it"}});
  for (const auto& p : answer["return"].GetArray())
    if (std::string_view(p["name"].GetString()).starts_with("inject-"))
      found[p["name"].GetString()] = p["type"].GetString();
  return found;
}

TEST_P(EveryBoard, HasTheInjectionsThatItsViewLists) {
  Machine m(options());
  std::set<std::string> has, listed;
  for (const auto& [name, type] : of_the_device(m)) has.insert(name);
  for (const Injection& i : GetParam().view().injections) listed.insert(std::string(i.name));
  EXPECT_EQ(has, listed);
}

// What a row lists is what the device takes, and nothing else: both sides of each range.
TEST_P(EveryBoard, TakesTheInjectionsThatItsViewLists) {
  Machine m(options());
  const auto types = of_the_device(m);
  for (const Injection& i : GetParam().view().injections) {
    const std::string property(i.name);
    const InjectionValues& v = i.values;
    if (property == "inject-gone") continue;
    if (v.words == kOffOn) {
      EXPECT_EQ(types.at(property), "bool");
      for (const char* const word : {"true", "false"}) EXPECT_EQ(m.set("it", property, word), "") << property;
      EXPECT_NE(m.set("it", property, "1"), "") << property;
    } else if (v.words) {
      EXPECT_EQ(types.at(property), "str");
      for (const char* const* word = v.words; *word; ++word)
        EXPECT_EQ(m.set("it", property, fmt::format("\"{}\"", *word)), "") << property;
      EXPECT_NE(m.set("it", property, "\"nonsense\""), "") << property;
    } else {
      EXPECT_EQ(types.at(property), "uint64");
      if (v.most < INT64_MAX) {  // as far as JSON's integers go
        EXPECT_EQ(m.set("it", property, std::to_string(v.most)), "") << property;
        EXPECT_TRUE(has(m.set("it", property, std::to_string(v.most + 1)), fmt::format("0 to {}", v.most)))
            << property;
      }
      EXPECT_EQ(m.set("it", property, "0"), "") << property;
    }
  }
}

// What the command line asks for outlives a reset, and a machine that was asked for nothing has it from a
// snapshot.
TEST_P(EveryBoard, InjectionsOutliveAResetAndAreInASnapshot) {
  const auto all = [](Machine& m) {
    std::map<std::string, std::string> values;
    for (const auto& [name, type] : of_the_device(m))
      values[name] =
          text_of(m.qmp("qom-get", {{"path", "/machine/peripheral/it"}, {"property", name}})["return"]);
    return values;
  };
  Machine none(options());
  MachineOptions o = options();
  for (const Injection& i : GetParam().view().injections)
    if (i.name != "inject-gone")
      o.devices.back() += fmt::format(
          ",{}={}", i.name,
          i.values.words ? i.values.words[1] : std::to_string(std::min<uint64_t>(i.values.most, 3)));
  Machine m(o);
  const auto asked = all(m);
  EXPECT_NE(asked, all(none));
  m.qmp("system_reset");
  m.qmp("query-status");
  EXPECT_EQ(all(m), asked);
  m.save(m.scratch("state"));
  o = options();
  o.args.insert(o.args.end(), {"-incoming", "defer"});
  Machine other(o);
  other.load(m.scratch("state"));
  EXPECT_EQ(all(other), asked);
}

TEST_P(EveryBoard, ExamplesOfInjectionsAreAScenario) {
  std::string scenario;
  for (const Injection& i : GetParam().view().injections) scenario += std::string(i.example) + '\n';
  Machine m(options(scenario));
  m.step(20'000'000);  // later than any
  EXPECT_TRUE(m.answers());
  EXPECT_TRUE(m.flag("it", "inject-gone"));
}

TEST_P(EveryBoard, OneWithOtherPropertiesRefusesItsSnapshot) {
  const auto& [name, view, devices, saved, others] = GetParam();
  const auto with = [&device = devices[0]](const std::string& properties) {
    return MachineOptions{.devices = {device + properties}, .args = {"-smp", "4"}};
  };
  Machine before(with(saved));
  before.save(before.scratch("state"));
  std::vector<std::string> all = others;
  all.push_back(saved);
  for (const std::string& properties : all) {
    MachineOptions o = with(properties);
    o.args.insert(o.args.end(), {"-incoming", "defer"});
    Machine after(o);
    bool taken = true;
    try {
      after.load(before.scratch("state"));
    } catch (const std::runtime_error&) {
      taken = false;
    }
    EXPECT_EQ(taken, properties == saved) << properties;
  }
}

const Board kBoards[] = {
    {"surfboard",
     surf::surf_view,
     {"surfboard,slot=2", "shrimp-sni,slot=1"},
     "",
     {",trace-size=4M", ",hist-size=64M"}},
    {"shrimp",
     sni::sni_view,
     {"shrimp-sni,slot=1"},
     "",
     {",node=1", ",nodes=5", ",mesh-width=2", ",fifo-words=4097", ",l1d-size=16K", ",l1d-ways=4",
      ",l2-size=512K", ",l2-ways=2", ",line-size=64"}},
    {"multikron", mk::mk_view, {"multikron,addr=5"}, ",free=pin", {""}},
    {"sci",
     sci::sci_view,
     {"smile-sci,addr=5"},
     ",size=64K",
     {",size=64K,nodes=3", ",size=32K", ",size=64K,latency=on", ",size=64K,ringlet=2",
      ",size=64K,wc-buffers=3"}},
    {"smile",
     smile::smile_view,
     {"smile-hwm,addr=6", "smile-sci,addr=5"},
     "",
     {",entries=32", ",queue=4", ",node=1", ",daughter=none"}},
    {"power2",
     p2::p2_view,
     {"power2-pm,addr=5"},
     "",
     {",node=thin", ",clock=50000000", ",dcache-penalty=3", ",tlb-penalty=3", ",icache-penalty=3",
      ",stalls=off", ",itlb=64"}},
};
INSTANTIATE_TEST_SUITE_P(Boards, EveryBoard, testing::ValuesIn(kBoards),
                         [](const auto& board) { return std::string(board.param.name); });

}  // namespace
}  // namespace perfboard::qtest
