// SPDX-License-Identifier: GPL-2.0-or-later
// What all MULTIKRON tools do with their files: pipes that stay open, empty streams, selections that match
// nothing. tools_output_test.cc has what they share with the trace tools.
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

const char* const kTools[] = {"mkdump", "mkmerge", "mkstat", "mk2trace"};

std::string small() {
  return (StreamText().hardware_reset() += events("10 enter 1 cpu 1, 30 exit 1 cpu 1", 7)).bytes;
}

TEST(MkOutput, AnInputIsNotLost) {
  const Folder folder;
  const std::string s = folder.write("s", small()), t = folder.write("t", small());
  const std::string names = folder.write("names", "1 one\n");
  for (const std::string& arguments :
       {"mkcollect " + s + " -o " + s, "mkstat n=" + s + " -o " + s, "mk2trace - -o " + s + " <" + s,
        "mkdump --names " + names + " " + s + " -o " + names, "mkmerge " + s + " " + t + " -o " + t,
        "mkdump " + s + " >>" + s}) {
    const Result r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_TRUE(says(r.err, " is an input: it would be lost\n")) << r.err;
    for (const std::string& file : {s, t}) EXPECT_EQ(Folder::read(file), small());
    EXPECT_EQ(Folder::read(names), "1 one\n");
  }
}

TEST(MkOutput, WhatIsGoodOfADamagedStreamIsWritten) {
  const Folder folder;
  const std::string out = folder.write("out", "old\n");
  EXPECT_EQ(run("mkdump -o " + out + " --csv", small() + "x").code, 1);
  EXPECT_TRUE(says(Folder::read(out), "\n0,1,3.000,30,1,trace,7,"));
}

// Each sample comes as soon as it is there, in whatever pieces.
TEST(MkOutput, APipeIsFollowed) {
  for (const size_t piece : {1, 7, 32, 1000}) {
    Running dump("mkdump");
    StreamText s;
    std::string lines;
    for (unsigned i = 0; i < 3; i++) {
      StreamText one;
      one.sample({.stamp = i, .data = i});
      for (size_t at = 0; at < one.bytes.size(); at += piece) dump.write(one.bytes.substr(at, piece));
      s += one;
      const std::string all = run("mkdump", s.bytes).out;
      const std::string line = all.substr(lines.size());
      EXPECT_EQ(dump.read(line.size()), line);
      lines = all;
    }
    EXPECT_EQ(dump.end(), 0);
  }
  Running visits("mkstat --csv visits");
  const std::string header =
      "node,cpu,source,state,name,argument,depth,start_us,end_us,self_us,exited,with_loss,run\n";
  EXPECT_EQ(visits.read(header.size()), header);
  visits.write(small());
  const std::string row = "0,1,7,1,1,0,0,1.000,3.000,2.000,1,0,1\n";
  EXPECT_EQ(visits.read(row.size()), row);
  EXPECT_EQ(visits.end(), 0);
}

TEST(MkOutput, AnEmptyStreamIsSaid) {
  for (const std::string tool : kTools) {
    const Result empty = run(tool, "");
    EXPECT_EQ(empty.code, 1) << tool;
    EXPECT_EQ(empty.err, tool + ": <stdin>: the stream is empty\n");
    const Result resets = run(tool, StreamText().hardware_reset().bytes);
    EXPECT_EQ(resets.code, 1) << tool;
    EXPECT_EQ(resets.err, tool + ": <stdin>: no samples in the stream\n");
  }
  for (const std::string& stream : {std::string(), StreamText().hardware_reset().bytes}) {
    const Result r = run("mkdump --check", stream);
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.out.find("<stdin>: EMPTY\n"), 0u) << r.out;
  }
  // One of several.
  const Folder folder;
  const Result r = run("mkmerge " + folder.write("s", small()) + " " + folder.write("e", ""));
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(says(r.err, "/e: the stream is empty\n")) << r.err;
}

TEST(MkOutput, ASelectionThatMatchesNothingIsSaid) {
  const struct {
    const char *options, *complaint;
  } kCases[] = {
      {"--cpu 2-7", "--cpu 2-7: none of 2 samples"},
      {"--source 0x70", "--source 0x70: none of 2 samples"},
      {"--type resource", "--type resource: none of 2 samples"},
      {"--time 5-6", "--time 5-6: none of 2 samples"},
      {"--run 5", "--run 5: none of 2 samples"},
      {"--cpu 1 --run 9", "--run 9: none of 2 samples"},
  };
  for (const std::string tool : kTools)
    for (const auto& c : kCases) {
      const Result r = run(tool + " " + c.options, small());
      EXPECT_EQ(r.code, 1) << tool << c.options;
      EXPECT_EQ(r.err, tool + ": " + c.complaint + "\n");
      EXPECT_EQ(run(tool + " --cpu 1 --source 7 --time 1-3", small()).code, 0);
    }
  StreamText s;
  s.sample({.stamp = 1, .cpu = 1, .source = 5}).sample({.stamp = 2, .cpu = 2, .source = 6});
  EXPECT_EQ(run("mkdump --cpu 1 --source 6", s.bytes).err,
            "mkdump: --cpu 1 --source 6: none of 2 samples is in all\n");
  const Result state = run("mkstat --histogram 9", small());
  EXPECT_EQ(state.code, 1);
  EXPECT_EQ(state.err, "mkstat: --histogram 9: no visits of this state\n");
}

TEST(MkOutput, TimesAreExact) {
  // Whole numbers all the way: the largest times, and clocks that do not divide a second.
  StreamText s;
  s.sample({.stamp = 0xFFFFFFFFFF}).sample({.stamp = 0x7FFFFFFFFE}).sample({.stamp = 0xFFFFFFFFFD});
  const auto times = [&](const std::string& hz) {
    std::istringstream lines(run("mkdump --csv --timestamp-hz " + hz, s.bytes).out);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
      const size_t from = line.find(',', line.find(',') + 1) + 1;
      all += line.substr(from, line.find(',', from) - from) + " ";
    }
    return all;
  };
  EXPECT_EQ(times("1"), "time_us 1099511627775000000.000 1649267441662000000.000 2199023255549000000.000 ");
  EXPECT_EQ(times("1000000000"), "time_us 1099511627.775 1649267441.662 2199023255.549 ");
  EXPECT_EQ(times("16666666"), "time_us 65970700305.328 98956050457.962 131941400610.596 ");
}

}  // namespace
}  // namespace perfboard::mk
