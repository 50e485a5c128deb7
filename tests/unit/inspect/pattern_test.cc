// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/pattern.h"

#include <gtest/gtest.h>

#include "hw/inspect/parts.h"
#include "hw/inspect/text.h"
#include "hw/model/manual.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/inspect/small_board.h"

namespace perfboard::inspect {
namespace {

const Who kWho{"small", "2", &kSmallView};

Pattern pattern(std::string_view text) {
  std::string why;
  const auto p = parse_pattern(text, why);
  EXPECT_TRUE(p) << text << ": " << why;
  return p.value_or(Pattern{});
}

// Why it is none.
std::string wrong(std::string_view text) {
  std::string why;
  const auto p = parse_pattern(text, why);
  if (p && pattern_known(*p, kWho, why)) return "";
  return why;
}

struct Made {
  unsigned window;
  uint64_t offset;
  uint32_t bytes;  // 0: no access
  bool write;
  uint64_t value;
};

// Calls use() with the access.
template <typename Use>
auto with_access(const Made& made, std::span<const Event> events, Use use,
                 const BoardView& view = kSmallView) {
  Access a;
  a.window = made.window;
  a.offset = made.offset;
  a.bytes = made.bytes;
  a.write = made.write;
  a.value = made.value;
  a.events = events;
  Parts parts;
  split_access(&view, nullptr, a, parts);
  put_value(a, false, parts);
  a.parts = parts.all();
  return use(a);
}

const Event kRaised{What::kIrq, 0, 0, 1, {}}, kPopped{What::kEffect, 0, 0, 0x3f, {}},
    kDone{What::kEffect, 0, 1, 0, {}}, kTooLate{What::kMistake, 0, 1, 0, {}},
    kResetEvent{What::kReset, 0, 0, 0, {}}, kDropped{What::kInjected, 0, 0, 3, {}};

// Of both implementations: this one, and scripts/workbench/pattern.py.
const struct Case {
  std::string_view pattern;
  bool fits;
  Made access;
  std::vector<Event> events = {};
} kCases[] = {
    // A write, if nothing else is said.
    {"CTRL", true, {1, 0, 4, true, 0}},
    {"CTRL", false, {1, 0, 4, false, 0}},
    {"read CTRL", true, {1, 0, 4, false, 0}},
    {"read CTRL", false, {1, 0, 4, true, 0}},
    {"any CTRL", true, {1, 0, 4, true, 0}},
    {" any   CTRL ", true, {0, 0x10, 1, false, 0}},
    {"STAT", false, {1, 0, 4, true, 0}},
    {"CTRL.EN=1", true, {1, 0, 4, true, 0x301}},
    {"CTRL.EN=1", false, {1, 0, 4, true, 0x300}},
    {"CTRL.MODE = 0x3", true, {1, 0, 4, true, 0x300}},
    {"CTRL.MODE>1", true, {1, 0, 4, true, 0x200}},
    {"CTRL.MODE>2", false, {1, 0, 4, true, 0x200}},
    {"CTRL.MODE<3", true, {1, 0, 4, true, 0x200}},
    {"CTRL.MODE<2", false, {1, 0, 4, true, 0x200}},
    {"CTRL.MODE!=3", true, {1, 0, 4, true, 0x200}},
    {"CTRL.MODE!=2", false, {1, 0, 4, true, 0x200}},
    {"CTRL=0x200", true, {1, 0, 4, true, 0x200}},
    {"*.EN=1", true, {1, 0, 4, true, 1}},
    {"*.EN=1", false, {1, 4, 4, true, 1}},  // STAT has none
    // A narrow access has the fields that it touches.
    {"CTRL.EN", false, {1, 1, 1, true, 3}},  // EN is in the lowest byte
    {"CTRL.MODE=3", true, {1, 1, 1, true, 3}},
    {"CTRL=3", true, {1, 1, 1, true, 3}},  // the bytes that are touched
    {"DATA", true, {1, 0x10, 4, true, 0}},
    {"DATA[2]", true, {1, 0x10, 4, true, 0}},
    {"DATA[1]", false, {1, 0x10, 4, true, 0}},
    {"small:CTRL", true, {1, 0, 4, true, 0}},
    {"small@2:CTRL", true, {1, 0, 4, true, 0}},
    {"small@3:CTRL", false, {1, 0, 4, true, 0}},
    {"large:CTRL", false, {1, 0, 4, true, 0}},
    {"small/1:CTRL", true, {1, 0x40, 4, true, 0}},
    {"small/1:CTRL", false, {1, 0, 4, true, 0}},
    {"small@2/1:any *", true, {1, 0x40, 4, true, 0}},
    {"C*", true, {1, 0, 4, true, 0}},
    {"*T*L", true, {1, 0, 4, true, 0}},
    {"CTRL*", true, {1, 0, 4, true, 0}},
    {"*CTRLX", false, {1, 0, 4, true, 0}},
    {"C*", false, {1, 4, 4, true, 0}},
    {"CTRL.*=3", true, {1, 0, 4, true, 0x300}},  // one of its fields
    {"CTRL.*=2", false, {1, 0, 4, true, 0x300}},
    {"effect p*", true, {}, {kPopped}},
    {"effect p*", false, {}, {kDone}},
    {"none", true, {1, 0x80, 4, true, 0}},
    {"none", true, {1, 0x80, 4, false, 0}},
    {"none", false, {1, 0, 4, true, 0}},
    {"any *", false, {1, 0x80, 4, true, 0}},
    // Any part of an access may fit.
    {"CTRL.EN=1", true, {1, 0, 8, true, 0x1}},
    {"STAT.TC=1", true, {1, 0, 8, true, uint64_t{1} << 32}},
    // Events; an access fits by what it causes.
    {"irq", true, {}, {kRaised}},
    {"irq=1", true, {}, {kRaised}},
    {"irq=0", false, {}, {kRaised}},
    {"effect popped", true, {}, {kPopped}},
    {"effect popped=0x3f", true, {}, {kPopped}},
    {"effect done", false, {}, {kPopped}},
    {"effect", true, {}, {kPopped}},
    {"mistake late", true, {}, {kTooLate}},
    {"mistake empty", false, {}, {kTooLate}},
    {"mistake", false, {}, {kPopped}},
    {"reset", true, {}, {kResetEvent}},
    {"injected inject-drop=3", true, {}, {kDropped}},
    {"small@2:irq=1", true, {}, {kRaised}},
    {"small@3:irq=1", false, {}, {kRaised}},
    {"mistake late", true, {1, 0, 4, true, 0}, {kPopped, kTooLate}},
    {"mistake empty", false, {1, 0, 4, true, 0}, {kPopped, kTooLate}},
};

TEST(Pattern, FitsOrDoesNot) {
  for (const Case& c : kCases) {
    const Pattern p = pattern(c.pattern);
    const bool found =
        c.access.bytes ? with_access(c.access, c.events, [&](const Access& a) { return matches(p, kWho, a); })
                       : matches(p, kWho, c.events.front());
    EXPECT_EQ(found, c.fits) << c.pattern;
  }
}

TEST(Parts, WhatFillsAnAccessIsInNone) {
  BoardView view = kSmallView;
  view.place_asked = [](const void*, unsigned window, uint64_t offset, const AccessRequest& asked) {
    Place p = small_place(nullptr, window, offset);
    if (asked.bytes == 8 && offset >= 0x24) p = {.filler = true};
    return p;
  };
  const auto look = [](const Access& a) {
    ASSERT_EQ(a.parts.size(), 1u);
    EXPECT_EQ(a.parts[0].data, 1u);
    EXPECT_FALSE(matches(pattern("none"), kWho, a));
    EXPECT_TRUE(matches(pattern("KICK.GO=1"), kWho, a));
  };
  with_access({1, 0x20, 8, true, 0x1234'5678'0000'0001}, {}, look, view);
}

// What is wrong with a pattern; nothing: it may be.
constexpr std::pair<std::string_view, std::string_view> kWrong[] = {
    {"FOO", "'FOO': there is no such register; legal are CTRL, STAT, DATA, KICK"},
    {"CTRL.FOO", "'FOO': CTRL has no such field; legal are MODE, EN"},
    {"*.FOO", "'FOO': no register has such a field"},
    {"mistake foo", "'foo': there is no such mistake; legal are empty, late"},
    {"effect foo", "'foo': there is no such effect; legal are popped, done"},
    {"injected foo", "'foo': there is no such property; legal are inject-drop"},
    {"mistake l*e", ""},
    {"mistake f*", "'f*': there is no such mistake; legal are empty, late"},
    {"X*", "'X*': there is no such register; legal are CTRL, STAT, DATA, KICK"},
    {"C*.WORD", "'WORD': no register has such a field"},
    {"*.WORD", ""},
    {"DATA[3]", ""},
    {"DATA[4]", "'DATA[4]': legal are 0 to 3"},
    {"any CTRL[0]", "'CTRL[0]': CTRL is no array"},
    {"*[4]", "'*[4]': legal are 0 to 3"},
    {"CTRL=x", "'CTRL=x': a number must stand behind =, !=, < or >"},
    {"CTRL!2", "'CTRL!2': legal are =, !=, < and >"},
    {"CTRL=", "'CTRL=': a number must stand behind =, !=, < or >"},
    {"DATA[x]", "'DATA[x]': a register's number stands in brackets, as in SOURCE[3]"},
    {"CTRL.", "'CTRL.': behind '.' a field's name must stand"},
    {"@2:CTRL", "'@2:CTRL': in front of ':' a board's name must stand"},
    {"small@:CTRL", "'small@:CTRL': behind '@' a board's slot or address must stand"},
    {"small/x:CTRL", "'small/x:CTRL': behind '/' a number must stand"},
    {"reset=1", "'reset=1': it has no value"},
    {"large:FOO", ""},  // of another board nothing can be said
};
constexpr std::string_view kNone[] = {"", "  ", "write", "read write CTRL", "CTRL STAT"};

TEST(Pattern, WhatIsWrongIsSaidInOneLine) {
  for (const auto& [text, why] : kWrong) EXPECT_EQ(wrong(text), why);
  for (std::string_view none : kNone)
    EXPECT_NE(wrong(none).find("it is [BOARD[@UNIT]:][read|write|any] REG"), std::string::npos)
        << none << wrong(none);
}

// A line for each case: the pattern, and a log's line. - is to come back if the pattern may not be, else
// whether it fits.
TEST(Pattern, ThePythonCommandsSayTheSame) {
  std::string cases, wanted;
  const auto add = [&](std::string_view pattern, const std::string& line, bool fits) {
    cases += std::string(pattern) + "\t" + line + "\n";
    wanted += wrong(pattern).empty() ? fits ? "1" : "0" : "-";
  };
  for (const Case& c : kCases)
    add(c.pattern,
        c.access.bytes ? with_access(c.access, c.events, [&](const Access& a) { return json_of(kWho, a); })
                       : json_of(kWho, c.events.front()),
        c.fits);
  for (const auto& [text, why] : kWrong) add(text, json_of(kWho, kResetEvent), false);
  for (std::string_view none : kNone) add(none, json_of(kWho, kResetEvent), false);
  const Folder folder;
  folder.write("small.names.json", manual_names(kSmallView));
  const std::string command = "PERFBOARD_BOARDS=" + folder.write("boards", "small\n") + " python3 " +
                              getenv("PERFBOARD_ROOT") + "/tests/unit/inspect/pattern_check.py <" +
                              folder.write("cases", cases) + " >" + folder.file("said");
  EXPECT_EQ(system(command.c_str()), 0);
  EXPECT_EQ(Folder::read(folder.file("said")), wanted);
}

TEST(Filter, KeepsWhatFitsAndLeavesOut) {
  std::string why;
  const auto keeps = [&](std::string_view filter, unsigned offset, bool write) {
    const auto f = parse_filter(filter, kWho, why);
    EXPECT_TRUE(f) << why;
    return with_access({1, offset, 4, write, 0}, {}, [&](const Access& a) { return f && f->keeps(kWho, a); });
  };
  EXPECT_TRUE(keeps("", 0, true));
  EXPECT_TRUE(keeps("CTRL;any STAT", 4, false));
  EXPECT_FALSE(keeps("CTRL;any STAT", 0, false));
  EXPECT_FALSE(keeps("!read STAT", 4, false));
  EXPECT_TRUE(keeps("!read STAT", 4, true));
  EXPECT_FALSE(keeps("any *; !any STAT ;", 4, true));
  EXPECT_TRUE(keeps("any *; !any STAT ;", 0, true));
  EXPECT_FALSE(parse_filter("CTRL;FOO", kWho, why));
  EXPECT_EQ(why.substr(0, 5), "'FOO'");
}

}  // namespace
}  // namespace perfboard::inspect
