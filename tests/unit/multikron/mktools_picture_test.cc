// SPDX-License-Identifier: GPL-2.0-or-later
// mkstat --csv picture: what a picture shows, in an amount that does not grow with the stream; mkplot,
// mk2trace.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
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
  return output_of("mkstat --csv picture " + options, s.bytes);
}

int64_t ns(const std::string& us) { return std::llround(std::stod(us) * 1000); }

// Of each state, what all columns show.
std::map<std::string, int64_t> shares(const std::string& csv) {
  std::map<std::string, int64_t> time;
  for (const Row& row : rows(csv, "share")) time[row[kName]] += ns(row[kValue]);
  return time;
}

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
    std::set<std::string> columns;
    for (const Row& row : rows(csv, "share")) {
      columns.insert(row[kStart]);
      EXPECT_LE(ns(row[kValue]), ns(row[kEnd]) - ns(row[kStart]));
    }
    EXPECT_EQ(shares(csv),
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
  auto time = shares(csv);
  EXPECT_EQ(time["7"], 3500);
  EXPECT_EQ(time.count("8"), 0u);
  EXPECT_EQ(time["9"], 500);
  EXPECT_EQ(rows(csv, "node").at(0)[kValue], "1");
}

TEST(MkPicture, ProcessesOfACpuTakeTurns) {
  // The visit that was entered last is what the CPU shows, whatever its process.
  StreamText s = nested(4000);
  s += events("100000 enter 7, 100010 enter 8 source 2, 100030 exit 7, 100060 exit 8 source 2");
  auto time = shares(picture("", s));
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

// --- mk2trace; Python's own JSON reader and a check of the nesting read what it writes -------------------

// What timeline_check.py makes of it.
std::string seen(const std::string& options, const std::string& stream, int code = 0) {
  const Folder folder;
  const std::string json = folder.file("trace.json");
  output_of("mk2trace -o " + json + " " + options, stream, code);
  return output_of("mkdump --help >/dev/null; python3 " + std::string(getenv("PERFBOARD_ROOT")) +
                   "/tests/unit/common/timeline_check.py <" + json);
}

TEST(Mk2Trace, SlicesPointsAndCounters) {
  StreamText s = StreamText().hardware_reset();
  s += events(
      "10 enter 1, 12 enter 1 cpu 3 counters 0 5, 15 enter 2, 20 point 3:4, 25 exit 2, 31 exit 1, 32 exit 1 "
      "cpu 3 "
      "counters 0 9, 40 value 4:77 cpu 1 source 8",
      7);
  const Folder folder;
  const std::string names = folder.write(
      "names",
      "1 a \\ b\n2 gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x99\x82 \xDF\xED\xA0\x80\n4 queue\nc1 loads\n");
  EXPECT_EQ(seen("--names " + names, s.bytes),
            "node 0: hardware reset at 0.000\n"
            "node 0 source 0x7, CPU 0: 3 at 2.000 argument 4\n"
            // UTF-8 stays; bytes that are none become the characters of their numbers.
            "node 0 source 0x7, CPU 0: gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x99\x82 "
            "\xC3\x9F\xC3\xAD\xC2\xA0\xC2\x80 1.500-2.500 depth 1 exited\n"
            "node 0 source 0x7, CPU 0: a \\ b 1.000-3.100 depth 0 exited\n"
            "node 0 source 0x7, CPU 3: a \\ b 1.200-3.200 depth 0 exited\n"
            "node 0: loads /s = 2e+06 from 1.200\n"
            "node 0 source 0x8: queue = 77 from 4.000\n");
  EXPECT_TRUE(says(seen("--totals", s.bytes), "node 0: counter 1 = 9 from 3.200\n"));
}

TEST(Mk2Trace, WhatHasNoPartnerIsClosed) {
  const StreamText s = events("10 enter 1, 20 enter 2, 30 exit 1 lost, 40 exit 1, 50 enter 3, 60 point 9", 0);
  EXPECT_EQ(seen("", s.bytes),
            "node 0: FIFO overrun before this at 3.000\n"
            "node 0 source 0x0, CPU 0: 2 2.000-3.000 depth 1 lost_samples\n"
            "node 0 source 0x0, CPU 0: 1 1.000-3.000 depth 0 exited lost_samples\n"
            "node 0 source 0x0, CPU 0: exit without enter: 1 at 4.000\n"
            "node 0 source 0x0, CPU 0: 9 at 6.000 argument 0\n"
            "node 0 source 0x0, CPU 0: 3 5.000-6.000 depth 0\n");
}

TEST(Mk2Trace, NodesAndRuns) {
  const Folder folder;
  StreamText a = StreamText().hardware_reset();
  a += events("10 enter 1, 90 point 1", 0);
  a.hardware_reset() += events("10 enter 2, 30 exit 2", 0);
  StreamText b = StreamText().hardware_reset().sample({.stamp = 20, .data = kPointData(5)});
  const std::string files = "a=" + folder.write("a", a.bytes) + " b=" + folder.write("b", b.bytes);
  EXPECT_EQ(seen(files, ""),
            "node a: hardware reset at 0.000\n"
            "node b: hardware reset at 0.000\n"
            "node b source 0x0, CPU 0: 5 at 2.000 argument 0\n"
            "node a source 0x0, CPU 0: 2 1.000-3.000 depth 0 exited\n");
  EXPECT_EQ(seen("--all-runs " + folder.file("a"), ""),
            "node 0: hardware reset at 0.000\n"
            "node 0 source 0x0, CPU 0: 1 at 9.000 argument 0\n"
            "node 0 source 0x0, CPU 0: 1 1.000-9.000 depth 0\n"
            "node 0: hardware reset at 9.000\n"
            "node 0 source 0x0, CPU 0: 2 10.000-12.000 depth 0 exited\n");
}

TEST(Mk2Trace, EmptyAndRandom) {
  EXPECT_EQ(seen("", "", 1), "");
  std::mt19937_64 random(3);
  for (unsigned round = 0; round < 10; round++) {
    StreamText s;
    uint64_t t = 0;
    for (unsigned i = 0; i < 400; i++) {
      t += random() % 5;
      if (random() % 50 == 0) s.software_reset();
      s.sample({.stamp = t,
                .cpu = static_cast<unsigned>(random() % 3),
                .source = static_cast<uint32_t>(random() % 2),
                .data = (random() % 6) << 40 | (random() % 4) << 24 | (random() % 9),
                .flags = random() % 20 ? 0u : 6u,
                .counters = std::vector<uint32_t>(random() % 5 ? 0 : 3, static_cast<uint32_t>(random()))});
    }
    const bool damage = round % 2;
    if (damage) s.flip(random() % (s.bytes.size() / 2), 0x100);
    EXPECT_NE(seen("", s.bytes, damage), "");
  }
}

}  // namespace
}  // namespace perfboard::mk
