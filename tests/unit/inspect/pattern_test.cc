// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/pattern.h"

#include <gtest/gtest.h>

#include <iterator>

#include "hw/inspect/parts.h"
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

bool fits(std::string_view text, unsigned window, uint64_t offset, uint32_t bytes, bool write, uint64_t value,
          std::vector<Event> events = {}) {
  Access a;
  a.window = window;
  a.offset = offset;
  a.bytes = bytes;
  a.write = write;
  a.value = value;
  a.events = events;
  Parts parts;
  split_access(&kSmallView, nullptr, a, parts);
  put_value(a, false, parts);
  a.parts = parts.all();
  return matches(pattern(text), kWho, a);
}

bool fits(std::string_view text, const Event& event) { return matches(pattern(text), kWho, event); }

TEST(Pattern, AWriteIfNothingElseIsSaid) {
  EXPECT_TRUE(fits("CTRL", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("CTRL", 1, 0, 4, false, 0));
  EXPECT_TRUE(fits("read CTRL", 1, 0, 4, false, 0));
  EXPECT_FALSE(fits("read CTRL", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("any CTRL", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits(" any   CTRL ", 0, 0x10, 1, false, 0));
  EXPECT_FALSE(fits("STAT", 1, 0, 4, true, 0));
}

TEST(Pattern, FieldsAndValues) {
  EXPECT_TRUE(fits("CTRL.EN=1", 1, 0, 4, true, 0x301));
  EXPECT_FALSE(fits("CTRL.EN=1", 1, 0, 4, true, 0x300));
  EXPECT_TRUE(fits("CTRL.MODE = 0x3", 1, 0, 4, true, 0x300));
  EXPECT_TRUE(fits("CTRL.MODE>1", 1, 0, 4, true, 0x200));
  EXPECT_FALSE(fits("CTRL.MODE>2", 1, 0, 4, true, 0x200));
  EXPECT_TRUE(fits("CTRL.MODE<3", 1, 0, 4, true, 0x200));
  EXPECT_TRUE(fits("CTRL.MODE!=3", 1, 0, 4, true, 0x200));
  EXPECT_FALSE(fits("CTRL.MODE!=2", 1, 0, 4, true, 0x200));
  EXPECT_TRUE(fits("CTRL=0x200", 1, 0, 4, true, 0x200));
  EXPECT_TRUE(fits("*.EN=1", 1, 0, 4, true, 1));
  EXPECT_FALSE(fits("*.EN=1", 1, 4, 4, true, 1)) << "STAT has none";
}

TEST(Pattern, ANarrowAccessHasTheFieldsItTouches) {
  EXPECT_FALSE(fits("CTRL.EN", 1, 1, 1, true, 3)) << "EN is in the lowest byte";
  EXPECT_TRUE(fits("CTRL.MODE=3", 1, 1, 1, true, 3));
  EXPECT_TRUE(fits("CTRL=3", 1, 1, 1, true, 3)) << "the bytes that are touched";
}

TEST(Pattern, ArraysPartsAndBoards) {
  EXPECT_TRUE(fits("DATA", 1, 0x10, 4, true, 0));
  EXPECT_TRUE(fits("DATA[2]", 1, 0x10, 4, true, 0));
  EXPECT_FALSE(fits("DATA[1]", 1, 0x10, 4, true, 0));
  EXPECT_TRUE(fits("small:CTRL", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("small@2:CTRL", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("small@3:CTRL", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("large:CTRL", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("small/1:CTRL", 1, 0x40, 4, true, 0));
  EXPECT_FALSE(fits("small/1:CTRL", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("small@2/1:any *", 1, 0x40, 4, true, 0));
}

TEST(Pattern, StarsInNames) {
  EXPECT_TRUE(fits("C*", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("*T*L", 1, 0, 4, true, 0));
  EXPECT_TRUE(fits("CTRL*", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("*CTRLX", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("C*", 1, 4, 4, true, 0));
  EXPECT_TRUE(fits("CTRL.*=3", 1, 0, 4, true, 0x300)) << "one of its fields";
  EXPECT_FALSE(fits("CTRL.*=2", 1, 0, 4, true, 0x300));
  const Event popped{What::kEffect, 0, 0, 0x3f, {}}, done{What::kEffect, 0, 1, 0, {}};
  EXPECT_TRUE(fits("effect p*", popped));
  EXPECT_FALSE(fits("effect p*", done));
}

TEST(Pattern, WhereNothingAnswers) {
  EXPECT_TRUE(fits("none", 1, 0x80, 4, true, 0));
  EXPECT_TRUE(fits("none", 1, 0x80, 4, false, 0));
  EXPECT_FALSE(fits("none", 1, 0, 4, true, 0));
  EXPECT_FALSE(fits("any *", 1, 0x80, 4, true, 0));
}

TEST(Parts, WhatFillsAnAccessIsInNone) {
  BoardView view = kSmallView;
  view.place_asked = [](const void*, unsigned window, uint64_t offset, const AccessRequest& asked) {
    Place p = small_place(nullptr, window, offset);
    if (asked.bytes == 8 && offset >= 0x24) p = {.filler = true};
    return p;
  };
  Access a;
  a.window = 1;
  a.offset = 0x20;
  a.bytes = 8;
  a.write = true;
  a.value = 0x1234'5678'0000'0001;
  Parts parts;
  split_access(&view, nullptr, a, parts);
  put_value(a, false, parts);
  a.parts = parts.all();
  ASSERT_EQ(a.parts.size(), 1u);
  EXPECT_EQ(a.parts[0].data, 1u);
  EXPECT_FALSE(matches(pattern("none"), kWho, a));
  EXPECT_TRUE(matches(pattern("KICK.GO=1"), kWho, a));
}

TEST(Pattern, AnyPartOfAnAccessMayFit) {
  EXPECT_TRUE(fits("CTRL.EN=1", 1, 0, 8, true, 0x1));
  EXPECT_TRUE(fits("STAT.TC=1", 1, 0, 8, true, uint64_t{1} << 32));
}

TEST(Pattern, Events) {
  const Event irq{What::kIrq, 0, 0, 1, {}}, popped{What::kEffect, 0, 0, 0x3f, {}},
      mistake{What::kMistake, 0, 1, 0, {}};
  EXPECT_TRUE(fits("irq", irq));
  EXPECT_TRUE(fits("irq=1", irq));
  EXPECT_FALSE(fits("irq=0", irq));
  EXPECT_TRUE(fits("effect popped", popped));
  EXPECT_TRUE(fits("effect popped=0x3f", popped));
  EXPECT_FALSE(fits("effect done", popped));
  EXPECT_TRUE(fits("effect", popped));
  EXPECT_TRUE(fits("mistake late", mistake));
  EXPECT_FALSE(fits("mistake empty", mistake));
  EXPECT_FALSE(fits("mistake", popped));
  EXPECT_TRUE(fits("reset", Event{What::kReset, 0, 0, 0, {}}));
  EXPECT_TRUE(fits("injected inject-drop=3", Event{What::kInjected, 0, 0, 3, {}}));
  EXPECT_TRUE(fits("small@2:irq=1", irq));
  EXPECT_FALSE(fits("small@3:irq=1", irq));
  // An access fits by what it causes.
  EXPECT_TRUE(fits("mistake late", 1, 0, 4, true, 0, {popped, mistake}));
  EXPECT_FALSE(fits("mistake empty", 1, 0, 4, true, 0, {popped, mistake}));
}

TEST(Pattern, WhatIsWrongIsSaidInOneLine) {
  EXPECT_EQ(wrong("FOO"), "'FOO': there is no such register; legal are CTRL, STAT, DATA, KICK");
  EXPECT_EQ(wrong("CTRL.FOO"), "'FOO': CTRL has no such field; legal are MODE, EN");
  EXPECT_EQ(wrong("*.FOO"), "'FOO': no register has such a field");
  EXPECT_EQ(wrong("mistake foo"), "'foo': there is no such mistake; legal are empty, late");
  EXPECT_EQ(wrong("effect foo"), "'foo': there is no such effect; legal are popped, done");
  EXPECT_EQ(wrong("injected foo"), "'foo': there is no such property; legal are inject-drop");
  EXPECT_EQ(wrong("mistake l*e"), "");
  EXPECT_EQ(wrong("mistake f*"), "'f*': there is no such mistake; legal are empty, late");
  EXPECT_EQ(wrong("X*"), "'X*': there is no such register; legal are CTRL, STAT, DATA, KICK");
  EXPECT_EQ(wrong("C*.WORD"), "'WORD': no register has such a field");
  EXPECT_EQ(wrong("*.WORD"), "");
  EXPECT_EQ(wrong("DATA[3]"), "");
  EXPECT_EQ(wrong("DATA[4]"), "'DATA[4]': legal are 0 to 3");
  EXPECT_EQ(wrong("any CTRL[0]"), "'CTRL[0]': CTRL is no array");
  EXPECT_EQ(wrong("*[4]"), "'*[4]': legal are 0 to 3");
  EXPECT_EQ(wrong("CTRL=x"), "'CTRL=x': a number must stand behind =, !=, < or >");
  EXPECT_EQ(wrong("CTRL!2"), "'CTRL!2': legal are =, !=, < and >");
  EXPECT_EQ(wrong("CTRL="), "'CTRL=': a number must stand behind =, !=, < or >");
  EXPECT_EQ(wrong("DATA[x]"), "'DATA[x]': a register's number stands in brackets, as in SOURCE[3]");
  EXPECT_EQ(wrong("CTRL."), "'CTRL.': behind '.' a field's name must stand");
  EXPECT_EQ(wrong("@2:CTRL"), "'@2:CTRL': in front of ':' a board's name must stand");
  EXPECT_EQ(wrong("small@:CTRL"), "'small@:CTRL': behind '@' a board's slot or address must stand");
  EXPECT_EQ(wrong("small/x:CTRL"), "'small/x:CTRL': behind '/' a number must stand");
  EXPECT_EQ(wrong("reset=1"), "'reset=1': it has no value");
  for (const char* none : {"", "  ", "write", "read write CTRL", "CTRL STAT"})
    EXPECT_NE(wrong(none).find("it is [BOARD[@UNIT]:][read|write|any] REG"), std::string::npos)
        << none << wrong(none);
  EXPECT_EQ(wrong("large:FOO"), "") << "of another board nothing can be said";
}

// Whatever a user types, it is a pattern or a line that says why not.
TEST(Pattern, AnyTextIsReadToItsEnd) {
  static constexpr std::string_view pieces[] = {
      "small", "@",  "2", "/",   ":", "read",    " ", "CTRL", "*", ".", "EN",     "[",    "]",    "=",
      "!=",    "0x", "1", "irq", ";", "mistake", "<", ">",    "!", "-", "effect", "none", "\xff", ""};
  uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string text, why;
    for (uint32_t n = 0; n < 1 + i % 9u; ++n) {
      random = random * 1664525 + 1013904223;
      text += pieces[(random >> 16) % std::size(pieces)];
    }
    const auto p = parse_pattern(text, why);
    const bool known = p && pattern_known(*p, kWho, why);
    EXPECT_NE(known, !why.empty()) << text;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    parse_filter(text, kWho, why);
  }
}

TEST(Filter, KeepsWhatFitsAndLeavesOut) {
  std::string why;
  const auto keeps = [&](std::string_view filter, unsigned offset, bool write) {
    const auto f = parse_filter(filter, kWho, why);
    EXPECT_TRUE(f) << why;
    Access a;
    a.window = 1;
    a.offset = offset;
    a.bytes = 4;
    a.write = write;
    Parts parts;
    split_access(&kSmallView, nullptr, a, parts);
    a.parts = parts.all();
    return f && f->keeps(kWho, a);
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
