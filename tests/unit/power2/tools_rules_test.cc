// SPDX-License-Identifier: GPL-2.0-or-later
//
// Expressions, rules, and what a Reducer makes of rows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "guest/power2/cmd/rules.h"
#include "tests/unit/power2/tools_records.h"

namespace perfboard::p2 {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double value(const std::string& text, const std::map<std::string, double>& names = {}) {
  const Expression e(text);
  std::vector<double> values;
  for (const std::string& name : e.names()) values.push_back(names.at(name));
  return e.value(values);
}

TEST(Power2Expression, Operators) {
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("2 ^ -1"), 0.5);
  EXPECT_EQ(value("7 % 4"), 3);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("1e3 + .5"), 1000.5);
  EXPECT_EQ(value("- -3"), 3);
  EXPECT_EQ(
      value("2 < 3") + value("2 >= 3") + value("3 == 3") + value("3 != 3") + value("3 <= 3") + value("2 > 3"),
      3);
  EXPECT_EQ(value("1 ? 2 : 3"), 2);
  EXPECT_EQ(value("0 ? 2 : 1 > 2 ? 4 : 5"), 5);
  EXPECT_EQ(value("a.sd / a", {{"a.sd", 1}, {"a", 4}}), 0.25);
  EXPECT_EQ(value("a*a-a", {{"a", 3}}), 6);
}

TEST(Power2Expression, Functions) {
  EXPECT_EQ(value("min(3, 1, 2)"), 1);
  EXPECT_EQ(value("max(3, 1, 4)"), 4);
  EXPECT_EQ(value("abs(-2) + sqrt(9) + log2(8) + log(exp(1))"), 9);
  EXPECT_EQ(value("floor(1.5) + ceil(1.5) + round(2.5)"), 6);
}

TEST(Power2Expression, WhatIsNotKnown) {
  for (const char* text : {"1 / 0", "1 % 0", "sqrt(-1)", "log(0)", "x + 1", "min(1, x)", "max(x, 1)",
                           "x ? 1 : 2", "-x", "1e308 * 10"})
    EXPECT_TRUE(std::isnan(value(text, {{"x", kNone}}))) << text;
  EXPECT_EQ(value("known(x)", {{"x", kNone}}), 0);
  EXPECT_EQ(value("known(x)", {{"x", 0}}), 1);
  EXPECT_EQ(value("first(x, 1 / 0, 7, 8)", {{"x", kNone}}), 7);
  EXPECT_EQ(value("known(x) ? x : 5", {{"x", kNone}}), 5);
  EXPECT_EQ(value("0 * x == 0 ? 1 : 2", {{"x", 3}}), 1);
}

TEST(Power2Expression, Refusals) {
  const auto why = [](const char* text) { return refusal([&] { Expression{text}; }); };
  EXPECT_EQ(why("1 + "), "1 + : at 5: a number, a name or ( was expected");
  EXPECT_EQ(why("(1"), "(1: at 3: ')' was expected");
  EXPECT_EQ(why("1 2"), "1 2: at 3: an operator was expected");
  EXPECT_TRUE(why("sin(1)").starts_with("sin(1): at 1: sin: no such function"));
  EXPECT_EQ(why("abs(1, 2)"), "abs(1, 2): at 1: abs takes one operand");
  for (const char* text :
       {"", "()", "1 ? 2", "a b", "1 +* 2", "min()", "inf +", "1 < 2 < 3", ")", "$", "a,b"})
    EXPECT_THROW(Expression{text}, Misuse) << text;
  EXPECT_EQ(Expression("nan").names(), std::vector<std::string>{"nan"});
  EXPECT_THROW(Expression(std::string(1000, '(') + "1" + std::string(1000, ')')), Misuse);
  EXPECT_THROW(Expression(std::string(100000, '-') + "1"), Misuse);
}

TEST(Power2Rules, Parsed) {
  const char text[] =
      "# a title # and more\n\n"
      "let half = cycles / 2\n"
      "cpi [cycles] = half > 1 ? half : 1 : of each: instruction   # a comment\n"
      "second\r\n"
      "  twice=2*cpi\n";
  const RuleSet set = parse_rules("x", text);
  EXPECT_EQ(set.title, "a title # and more");
  ASSERT_EQ(set.first.size(), 2u);
  EXPECT_FALSE(set.first[0].shown);
  EXPECT_TRUE(set.first[1].shown);
  EXPECT_EQ(set.first[1].unit, "cycles");
  EXPECT_EQ(set.first[1].source, "half > 1 ? half : 1");
  EXPECT_EQ(set.first[1].text, "of each: instruction");
  ASSERT_EQ(set.second.size(), 1u);
  EXPECT_EQ(set.second[0].name, "twice");
  EXPECT_EQ(set.events(), std::vector<std::string>{"cycles"});
}

TEST(Power2Rules, EventsAreWhatTheMonitorHas) {
  // A rule's name hides an event's; of the second stage .mean and the like are no part of the name.
  const RuleSet set =
      parse_rules("x", "flops = loads * clock_hz\ny = flops + fxu0\nsecond\nz = branches.sum / y.sd\n");
  EXPECT_EQ(set.events(), (std::vector<std::string>{"loads", "fxu0", "branches"}));
}

TEST(Power2Rules, Refusals) {
  const auto why = [](const char* text) { return refusal([&] { parse_rules("f", text); }); };
  EXPECT_EQ(why("a = 1\n\nb = (1\n"), "f:3: (1: at 3: ')' was expected");
  EXPECT_EQ(why("a 1\n"), "f:1: expected NAME [UNIT] = EXPRESSION : TEXT");
  EXPECT_EQ(why("1a = 1\n"), "f:1: '1a': a name has letters, digits and _");
  EXPECT_EQ(why("a.b = 1\n"), "f:1: 'a.b': a name has letters, digits and _");
  EXPECT_EQ(why("a [x = 1\n"), "f:1: the unit has no ]");
  EXPECT_EQ(why("a = 1\nsecond\na = 2\n"), "f:3: a: a rule of that name stands above");
  EXPECT_EQ(why("second\nsecond\n"), "f:2: there are two stages");
  EXPECT_EQ(why("# nothing\n"), "f: no rules in it");
}

TEST(Power2Statistics, OfKnownNumbers) {
  Statistics s;
  EXPECT_TRUE(std::isnan(s.mean()));
  s.add(5);
  EXPECT_TRUE(std::isnan(s.sd()));
  for (double x : {2.0, 4.0, 4.0, 4.0, 5.0, 7.0, 9.0, kNone}) s.add(x);
  EXPECT_EQ(s.n(), 8u);
  EXPECT_EQ(s.sum(), 40);
  EXPECT_DOUBLE_EQ(s.mean(), 5);
  EXPECT_DOUBLE_EQ(s.sd(), std::sqrt(32.0 / 7));
  EXPECT_EQ(s.min(), 2);
  EXPECT_EQ(s.max(), 9);
  // Far from 0 as well.
  Statistics far;
  for (double x : {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}) far.add(x);
  EXPECT_DOUBLE_EQ(far.sd(), std::sqrt(30));
}

TEST(Power2Reducer, TwoStages) {
  const char text[] =
      "cpi = cycles / instructions\n"
      "misses = 1000 * dcache_mis / instructions\n"
      "second\n"
      "held = misses / 1000 * dcache_penalty / cpi\n"
      "ratio = cycles.sum / instructions.sum\n"
      "spread = cpi.max - cpi.min + cpi.n\n"
      "again = 2 * spread\n";
  const RuleSet set = parse_rules("x", text);
  Reducer r(set, {"time", "cycles", "instructions", "dcache_mis"}, {{"dcache_penalty", 10}});
  // Counted under different values of MMCR: no row has all.
  r.add(std::vector<double>{1, 200, 100, kNone});
  EXPECT_EQ(r.row()[0], 2);
  EXPECT_TRUE(std::isnan(r.row()[1]));
  r.add(std::vector<double>{2, 400, 100, kNone});
  r.add(std::vector<double>{3, kNone, 50, 3});
  EXPECT_EQ(r.first()[0].n(), 2u);
  EXPECT_EQ(r.first()[0].mean(), 3);
  EXPECT_EQ(r.first()[1].mean(), 60);
  const std::vector<double> second = r.second();
  EXPECT_DOUBLE_EQ(second[0], 0.06 * 10 / 3);
  EXPECT_EQ(second[1], 600.0 / 250);
  EXPECT_EQ(second[2], 4);
  EXPECT_EQ(second[3], 8);
}

// A run that is counted in slices has the ratios of one that is counted whole, with every ready set.
TEST(Power2Reducer, RatiosAreOfSums) {
  const Facts facts = {{"clock_hz", 1e6},
                       {"dcache_line", 128},
                       {"dcache_penalty", 10},
                       {"tlb_penalty", 36},
                       {"icache_penalty", 12}};
  for (const std::string& name : ready_rules()) {
    const RuleSet set = load_rules(name);
    std::vector<std::string> columns;
    std::set<std::string> known;
    for (const auto& [fact, value] : facts) known.insert(fact);
    for (const auto* rules : {&set.first, &set.second})
      for (const Rule& rule : *rules) {
        for (const std::string& word : rule.expression.names())
          if (const std::string event = word.substr(0, word.find('.')); known.insert(event).second)
            columns.push_back(event);
        known.insert(rule.name);
      }
    Reducer parts(set, columns, facts), whole(set, columns, facts);
    std::vector<double> sums(columns.size());
    for (size_t slice = 1; slice <= 5; ++slice) {
      std::vector<double> row;
      for (size_t i = 0; i < columns.size(); ++i)
        sums[i] += row.emplace_back(slice == 3 ? i % 2 : 1 + (i * 37 + slice * 11) % 101);
      parts.add(row);
    }
    whole.add(sums);
    for (size_t i = 0; i < set.first.size(); ++i) {
      if (!set.first[i].shown) continue;
      EXPECT_NEAR(parts.mean(i), whole.row()[i], 1e-9 * std::fabs(whole.row()[i]))
          << name << ": " << set.first[i].name;
    }
    for (size_t i = 0; i < set.second.size(); ++i) {
      const double expected = whole.second()[i];
      if (std::isnan(expected)) continue;  // a spread, of one row
      EXPECT_NEAR(parts.second()[i], expected, 1e-9 * std::fabs(expected)) << set.second[i].name;
    }
  }
}

// What is no ratio has the mean of the rows. A row with nothing to divide by has no value, but its part.
TEST(Power2Reducer, RowsWithoutAValue) {
  const char text[] =
      "let kilo = instructions / 1000\n"
      "misses = dcache_mis / kilo\n"
      "each = cycles\n"
      "second\ntwice = 2 * misses\n";
  const RuleSet set = parse_rules("x", text);
  Reducer r(set, {"cycles", "instructions", "dcache_mis"}, {});
  const std::vector<double> rows[] = {{900, 1000, 1}, {50, 0, 3}, {100, 10, 2}, {30, kNone, 7}};
  for (const auto& row : rows) r.add(row);
  EXPECT_EQ(r.first()[1].n(), 2u);
  EXPECT_DOUBLE_EQ(r.mean(1), 1000. * 6 / 1010);
  EXPECT_DOUBLE_EQ(r.second()[0], 2000. * 6 / 1010);
  EXPECT_EQ(r.mean(2), 1080. / 4);
  EXPECT_TRUE(std::isnan(Reducer(set, {"cycles"}, {}).mean(2)));
}

TEST(Power2Reducer, Names) {
  const auto why = [](const char* text, const std::vector<std::string>& columns) {
    const RuleSet set = parse_rules("f", text);
    return refusal([&] { Reducer(set, columns, {{"clock_hz", 5}}); });
  };
  EXPECT_EQ(why("a = b\nb = 1\n", {}),
            "f: rule a needs b, which is no event, no column, no fact and no rule above it");
  EXPECT_EQ(why("a = own + clock_hz + flops + seconds\n", {"own"}), "accepted");
  EXPECT_EQ(why("a = 1\nsecond\nb = a.median\n", {}),
            "f: rule b: a.median: legal are .mean .sd .min .max .sum .n");
  EXPECT_EQ(why("a = 1\nsecond\nb = c.sd\n", {}),
            "f: rule b needs c.sd, which is no event, no column, no fact and no rule above it");
}

// What is not in the file is not known, and the rest goes on.
TEST(Power2Reducer, MissingEvents) {
  const RuleSet set = parse_rules("x", "a = flops / cycles\nb = 2 * cycles\n");
  Reducer r(set, {"cycles"}, {});
  r.add(std::vector<double>{4});
  EXPECT_EQ(r.first()[0].n(), 0u);
  EXPECT_EQ(r.first()[1].mean(), 8);
}

}  // namespace
}  // namespace perfboard::p2
