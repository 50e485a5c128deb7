// SPDX-License-Identifier: GPL-2.0-or-later
// mkstat --csv picture: what a picture shows, in an amount that does not grow with the stream.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

using Row = std::vector<std::string>;  // kind, node, cpu, id, name, start, end, value, depth, mark
enum { kKind, kNode, kCpu, kId, kName, kStart, kEnd, kValue, kDepth, kMark };

std::vector<Row> rows(const std::string& csv, const std::string& kind) {
  std::vector<Row> all;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    Row row;
    std::istringstream words(line + ",.");
    for (std::string word; std::getline(words, word, ',');) row.push_back(word);
    row.pop_back();
    EXPECT_EQ(row.size(), 10u) << line;
    if (row.at(kKind) == kind) all.push_back(row);
  }
  return all;
}

std::string picture(const std::string& options, const StreamText& s) {
  const Result r = run("mkstat --csv picture " + options, s.bytes);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.out;
}

int64_t ns(const std::string& us) { return std::llround(std::stod(us) * 1000); }

void visit(StreamText& s, uint64_t start, uint64_t end, uint16_t state) {
  s.sample({.stamp = start, .data = kEnterData(state)}).sample({.stamp = end, .data = kExitData(state)});
}

// State 1 with state 2 in it, again and again: 5 ticks each of their own in 13.
StreamText nested(uint64_t rounds) {
  StreamText s;
  for (uint64_t i = 0; i < rounds; i++) {
    const uint64_t t = 1000 + 13 * i;
    s.sample({.stamp = t, .data = kEnterData(1)});
    visit(s, t + 3, t + 8, 2);
    s.sample({.stamp = t + 10, .data = kExitData(1)});
  }
  return s;
}

TEST(MkPicture, FewVisitsComeOneByOne) {
  StreamText s = StreamText().hardware_reset();
  s += events("10 enter 1 cpu 3, 20 enter 2 cpu 3 lost, 30 exit 2 cpu 3, 50 exit 1 cpu 3, 60 enter 4 cpu 3",
              0);
  EXPECT_EQ(picture("", s),
            "kind,node,cpu,id,name,start_us,end_us,value,depth,mark\n"
            "node,0,,1,,1.000,5.000,1,,1\n"
            "state,0,,1,1,1.000,1.000,,0,\n"
            "state,0,,2,2,2.000,2.000,,1,\n"
            "visit,0,3,2,2,2.000,3.000,,1,0\n"
            "visit,0,3,1,1,1.000,5.000,,0,1\n");
}

TEST(MkPicture, SharesOfManyVisitsAddUp) {
  for (const uint64_t rounds : {4000u, 16000u}) {
    const std::string csv = picture("--columns 100", nested(rounds));
    EXPECT_TRUE(rows(csv, "visit").empty());
    std::map<std::string, int64_t> time;
    std::set<std::string> columns;
    for (const Row& row : rows(csv, "share")) {
      time[row[kName]] += ns(row[kValue]);
      columns.insert(row[kStart]);
      EXPECT_LE(ns(row[kValue]), ns(row[kEnd]) - ns(row[kStart]));
    }
    EXPECT_EQ(time,
              (std::map<std::string, int64_t>{{"1", 500 * int64_t(rounds)}, {"2", 500 * int64_t(rounds)}}));
    EXPECT_LE(columns.size(), 100u);
    EXPECT_GT(columns.size(), 49u);
    const Row node = rows(csv, "node").at(0);
    EXPECT_EQ(ns(node[kStart]), 100'000);
    EXPECT_EQ(ns(node[kEnd]), 100'000 + 1300 * (int64_t(rounds) - 1) + 1000);
  }
}

TEST(MkPicture, TimeWithoutAnExitIsThatOfTheVisitAround) {
  StreamText s = nested(4000);
  s += events("100000 enter 7, 100010 enter 8, 100020 enter 9, 100025 exit 9, 100040 exit 7", 0);
  const std::string csv = picture("", s);
  std::map<std::string, int64_t> time;
  for (const Row& row : rows(csv, "share")) time[row[kName]] += ns(row[kValue]);
  EXPECT_EQ(time["7"], 3500);
  EXPECT_EQ(time.count("8"), 0u);
  EXPECT_EQ(time["9"], 500);
  EXPECT_EQ(rows(csv, "node").at(0)[kValue], "1");
}

TEST(MkPicture, ProcessesOfACpuTakeTurns) {
  // The visit that was entered last is what the CPU shows, whatever its process.
  StreamText s = nested(4000);
  s += events("100000 enter 7, 100010 enter 8 source 2, 100030 exit 7, 100060 exit 8 source 2");
  std::map<std::string, int64_t> time;
  for (const Row& row : rows(picture("", s), "share")) time[row[kName]] += ns(row[kValue]);
  EXPECT_EQ(time["7"], 1000);
  EXPECT_EQ(time["8"], 5000);
}

TEST(MkPicture, PeaksOfRatesStay) {
  StreamText s;
  uint32_t count = 1;
  for (uint32_t i = 0; i < 5000; i++) {
    s.sample({.stamp = 10 * i, .counters = {count}});
    count += i == 3210 ? 1000 : i == 1234 ? 0 : 10;
  }
  const auto rates = rows(picture("--columns 50", s), "rate");
  EXPECT_LE(rates.size(), 200u);
  double least = 1e99, most = 0, last = -1;
  for (const Row& row : rates) {
    least = std::min(least, std::stod(row[kValue]));
    most = std::max(most, std::stod(row[kValue]));
    EXPECT_GE(std::stod(row[kStart]), last);
    last = std::stod(row[kStart]);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, 1e9);
  EXPECT_EQ(last, 4999.0);
}

TEST(MkPicture, AGapIsMarked) {
  StreamText s;
  const uint32_t counts[] = {1, 2, 0, 3};  // reset between the second and third
  for (uint32_t i = 0; i < 4; i++) s.sample({.stamp = 10 * i, .counters = {counts[i]}});
  EXPECT_EQ(picture("", s),
            "kind,node,cpu,id,name,start_us,end_us,value,depth,mark\n"
            "node,0,,0,,0.000,3.000,0,,1\n"
            "rate,0,,0,counter 0,0.000,0.000,1000000,,0\n"
            "rate,0,,0,counter 0,1.000,1.000,1000000,,0\n"
            "rate,0,,0,counter 0,2.000,2.000,3000000,,1\n"
            "rate,0,,0,counter 0,3.000,3.000,3000000,,0\n");
}

TEST(MkPicture, OnlyTheLastRunUnlessOneIsChosen) {
  StreamText s = StreamText().hardware_reset();
  visit(s, 10, 20, 1);
  s.hardware_reset();
  visit(s, 30, 40, 2);
  s.hardware_reset();  // nothing follows it
  const auto states = [&](const std::string& options) {
    std::string names;
    for (const Row& row : rows(picture(options, s), "visit")) names += row[kName] + " ";
    return names;
  };
  EXPECT_EQ(states(""), "2 ");
  EXPECT_EQ(states("--run 1"), "1 ");
  EXPECT_EQ(states("--run 1-2"), "1 2 ");
}

TEST(MkPicture, LongTimesTakeNoLonger) {
  // A visit of a whole epoch, another after it, and a counter that waits as long.
  StreamText s;
  for (uint64_t e = 0; e < 4; e++) {
    s.sample({.stamp = 5, .data = kEnterData(1), .counters = {uint32_t(e)}});
    s.sample({.stamp = (1ull << 40) - 5, .data = kExitData(1), .counters = {uint32_t(e) + 1}});
  }
  const std::string csv = picture("--long-gaps --columns 2", s);
  EXPECT_EQ(rows(csv, "visit").size(), 4u);
  EXPECT_LE(rows(csv, "rate").size(), 8u);
}

// --- mkplot draws; how it looks is for the eye ---------------------------------------------------

Result plot(const std::string& options) {
  const std::string tools = getenv("PERFBOARD_TOOLS");
  return run("mkdump --version >/dev/null; " + std::string(getenv("PERFBOARD_ROOT")) +
             "/guest/multikron/host/mkplot --tools " + tools + " " + options);
}

// Four CPUs with nested visits, and counters; several runs of the chip.
std::string stream(unsigned rounds) {
  StreamText s = StreamText().hardware_reset();
  s.sample({.stamp = 99999, .data = kEnterData(1)}).hardware_reset();
  for (unsigned i = 0; i < rounds; i++) {
    const unsigned cpu = i % 4;
    const uint64_t t = 100 * (i / 4) + 7 * cpu;
    s.sample({.stamp = t, .cpu = cpu, .data = kEnterData(1)})
        .sample({.stamp = t + 1, .cpu = cpu, .data = kEnterData(2)});
    s.sample({.stamp = t + 3, .cpu = cpu, .data = kExitData(2)})
        .sample({.stamp = t + 5, .cpu = cpu, .data = kExitData(1)});
    s.sample({.stamp = t + 6, .flags = i % 100 ? 0u : 6u, .counters = {i * 10, i * i}});
  }
  return s.bytes;
}

TEST(MkPlot, BoxesAndColumns) {
  if (system("command -v gnuplot >/dev/null")) GTEST_SKIP() << "no gnuplot";
  const Folder folder;
  for (const unsigned rounds : {40u, 8000u}) {
    const std::string file = folder.write("s", stream(rounds)), png = folder.file("a.png");
    const Result r = plot(file + " -o " + png);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(png_size(png), std::make_pair(1200u, 760u));
  }
  const std::string one = folder.write("one", stream(4)), png = folder.file("b.png");
  EXPECT_EQ(plot("'a=" + one + "' 'b=" + one + "' --width 800 --counters 1 --log -o " + png).code, 0);
  EXPECT_EQ(png_size(png), std::make_pair(800u, 980u));
  // Either half alone.
  const Result states = plot(one + " --counters 9 -o " + png);
  EXPECT_EQ(states.code, 1);
  EXPECT_EQ(states.err, "mkplot: --counters 9: no rates of these counters\n");
  EXPECT_EQ(png_size(png), std::make_pair(1200u, 430u));
  const std::string counters = folder.write(
      "c", StreamText().sample({.stamp = 1, .counters = {1}}).sample({.stamp = 9, .counters = {5}}).bytes);
  EXPECT_EQ(plot(counters + " -o " + png).code, 0);
  EXPECT_EQ(png_size(png), std::make_pair(1200u, 390u));
}

TEST(MkPlot, ThePictureComesWhenItIsDrawn) {
  if (system("command -v gnuplot >/dev/null")) GTEST_SKIP() << "no gnuplot";
  const Folder folder;
  const std::string s = folder.write("s", stream(4)), out = folder.write("out", "precious\n");
  const std::string names = folder.write("names", "1 one\n");
  for (const std::string& input : {folder.file("none"), folder.write("empty", ""), folder.path.string()}) {
    EXPECT_EQ(plot(input + " -o " + out).code, 1) << input;
    EXPECT_EQ(Folder::read(out), "precious\n") << input;
  }
  EXPECT_EQ(plot("n=" + s + " -o " + s).code, 2);
  EXPECT_EQ(Folder::read(s), stream(4));
  EXPECT_EQ(plot("--names " + names + " " + s + " -o " + names).code, 2);
  EXPECT_EQ(Folder::read(names), "1 one\n");
  const Result standard = plot("- -o - <" + s);
  EXPECT_EQ(standard.code, 0) << standard.err;
  EXPECT_EQ(standard.out.substr(0, 4), "\x89PNG");
  EXPECT_EQ(plot(s + " -o " + out).code, 0);
  EXPECT_EQ(Folder::read(out), standard.out);
  EXPECT_EQ(folder.list(), "empty names out s");
}

TEST(MkPlot, Refusals) {
  const Folder folder;
  EXPECT_EQ(plot("--help").code, 0);
  EXPECT_EQ(plot("").code, 2);
  EXPECT_EQ(plot("s --nonsense").code, 2);
  EXPECT_EQ(plot(folder.write("s", "") + " --cpu x").code, 2);
  EXPECT_EQ(plot(folder.file("s") + " --tools " + folder.path.string()).code, 2);
  if (system("command -v gnuplot >/dev/null")) GTEST_SKIP() << "no gnuplot";
  const Result empty = plot(folder.file("s"));
  EXPECT_EQ(empty.code, 1);
  EXPECT_EQ(
      empty.err,
      "mkstat: " + folder.file("s") +
          ": the stream is empty\nmkplot: the streams hold neither visits of states nor counter rates\n");
}

}  // namespace
}  // namespace perfboard::mk
