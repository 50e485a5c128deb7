// SPDX-License-Identifier: GPL-2.0-or-later
// traceMerge against files computed by hand; Python's own JSON reader and a check of slices and arrows read
// its timeline.
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/surfboard/tools_trace.h"

namespace perfboard {
namespace {

constexpr uint64_t kHigh = 0x100000000;  // a carry into the upper word of the receive time

class TraceMerge : public testing::Test {
 protected:
  const Folder folder;
  // sender, latency, size, page, time
  const std::string a = folder.write("a", "# node 0\n\n" + trace_of({{1, 46, 1, 0x120, kHigh - 10},
                                                                     {1, 53, 1024, 0x120, kHigh + 25},
                                                                     {2, 5, 3, 0x7FFF, kHigh + 25}}));
  const std::string b =
      folder.write("b", trace_of({{0, 40, 2, 0x121, kHigh - 20}, {0, 41, 4, 0x122, kHigh + 25}}));
  static std::string seen(const std::string& arguments, std::string* notes = nullptr);
};

// What tools_merge_check.py makes of a timeline.
std::string TraceMerge::seen(const std::string& arguments, std::string* notes) {
  const Folder place;
  const std::string json = place.file("trace.json");
  const Result r = run("traceMerge --perfetto -o " + json + " " + arguments);
  EXPECT_EQ(r.code, 0) << r.err;
  if (notes)
    *notes = r.err;
  else
    EXPECT_EQ(r.err, "");
  const Result check =
      run("traceMerge --version >/dev/null; python3 " + std::string(getenv("PERFBOARD_ROOT")) +
          "/tests/unit/surfboard/tools_merge_check.py <" + json);
  EXPECT_EQ(check.code, 0) << check.err;
  return check.out;
}

TEST_F(TraceMerge, ByTimeThenByNodeThenAsInTheFile) {
  const Result r = run("traceMerge " + a + " " + b);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  // Relative to the first of all, which is not in the first file.
  EXPECT_EQ(r.out,
            "0.0,1,0,4.0,2,289\n"
            "1.0,0,1,4.6,1,288\n"
            "4.5,0,1,5.3,1024,288\n"
            "4.5,0,2,0.5,3,32767\n"
            "4.5,1,0,4.1,4,290\n");
  // The order is that of the nodes, not that of the words.
  EXPECT_EQ(run("traceMerge 1=" + b + " 0=" + a).out, r.out);
  EXPECT_EQ(run("traceMerge 0x3F=" + b + " 2=" + a).out,
            "0.0,63,0,4.0,2,289\n"
            "1.0,2,1,4.6,1,288\n"
            "4.5,2,1,5.3,1024,288\n"
            "4.5,2,2,0.5,3,32767\n"
            "4.5,63,0,4.1,4,290\n");
}

TEST_F(TraceMerge, Units) {
  EXPECT_EQ(run("traceMerge --ticks " + a).out, "0,0,1,46,1,288\n35,0,1,53,1024,288\n35,0,2,5,3,32767\n");
  EXPECT_EQ(run("traceMerge --ticks --absolute 1=" + b).out,
            "4294967276,1,0,40,2,289\n4294967321,1,0,41,4,290\n");
  EXPECT_EQ(run("traceMerge --absolute --lat-s 2 1=" + b).out,
            "429496727.6,1,0,64.0,2,289\n429496732.1,1,0,65.6,4,290\n");
}

TEST_F(TraceMerge, StandardInputAndManyFiles) {
  EXPECT_EQ(run("traceMerge", Folder::read(b)).out, "0.0,0,0,4.0,2,289\n4.5,0,0,4.1,4,290\n");
  EXPECT_EQ(run("traceMerge " + a + " -", Folder::read(b)).out, run("traceMerge " + a + " " + b).out);
  std::string words, lines;
  for (unsigned i = 0; i < 64; i++) {
    words += " " + a;
    lines += fmt::format("0,{},1,46,1,288\n", i);
  }
  const Result all = run("traceMerge --ticks" + words);
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out.substr(0, lines.size()), lines);
  EXPECT_EQ(run("traceMerge" + words + " " + b).err, "traceMerge: files: '64': expected a node ID of 0-63\n");
}

TEST_F(TraceMerge, ManyEntriesStayInOrder) {
  constexpr uint32_t kEach = 40000;  // several blocks
  std::string text[3];
  for (uint32_t i = 0; i < 3 * kEach; i++)
    text[i * 7 % 3] += fmt::format("{:06X} {:08X} {:08X} {:08X} 0\n", i / 3, 5, 1 << 18, 2 * i);
  std::string command = "traceMerge --ticks";
  for (int i = 0; i < 3; i++) command += " " + folder.write(std::to_string(i), text[i]);
  std::istringstream lines(run(command).out);
  uint32_t count = 0;
  for (std::string line; std::getline(lines, line); count++)
    ASSERT_EQ(line, fmt::format("{},{},0,5,1,0", 2 * count, count * 7 % 3));
  EXPECT_EQ(count, 3 * kEach);
}

TEST_F(TraceMerge, AFileThatGoesBackIsRefused) {
  const std::string back = folder.write("back", "# 1\n" + trace_of({{0, 1, 1, 0, 50}, {0, 1, 1, 0, 20}}));
  const std::string out = folder.write("out", "precious\n");
  for (const char* options : {"", "--perfetto "}) {
    const Result r = run(std::string("traceMerge ") + options + back + " " + a + " -o " + out);
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.err, "traceMerge: " + back + ":3: receive time goes back; traceCheck tells how often\n");
    EXPECT_EQ(Folder::read(out), "precious\n");
  }
  EXPECT_NE(run("traceCheck " + back).out.find("Receive time decreases: 1\n"), std::string::npos);
}

TEST_F(TraceMerge, WrongWords) {
  const struct {
    std::string words, error;
  } kCases[] = {
      {"3=" + a + " 3=" + b, "files: '3': two files of this node"},
      {"1=" + a + " " + b, "files: '1': two files of this node"},
      {"3=" + a + " 0x3=" + b, "files: '3': two files of this node"},
      {"64=" + a, "files: '64': expected a node ID of 0-63"},
      {"east=" + a, "files: 'east': expected a node ID of 0-63"},
      {"-1=" + a, ""},
      {"- -", "files: standard input can be read once"},
      {"--ticks --perfetto " + a, "--ticks: --perfetto has microseconds"},
      {"--absolute --perfetto " + a, ""},
      {"--lat-s 21 " + a, ""},
      {a + " -o " + a, "--output: " + a + " is an input: it would be lost"},
  };
  for (const auto& c : kCases) {
    const Result r = run("traceMerge " + c.words);
    EXPECT_EQ(r.code, 2) << c.words;
    EXPECT_EQ(r.out, "") << c.words;
    if (!c.error.empty()) {
      EXPECT_EQ(r.err, "traceMerge: " + c.error + "\n");
    }
  }
  // A file of such a name.
  const std::string odd = folder.write("x=y", trace_of({{1, 2, 3, 4, 5}}));
  EXPECT_EQ(run("traceMerge " + odd).out, "0.0,0,1,0.2,3,4\n");
}

TEST_F(TraceMerge, WhatCannotBeReadOrWrittenIsSaid) {
  const std::string none = folder.file("none"), bad = folder.write("bad", Folder::read(a) + "what\n");
  EXPECT_EQ(run("traceMerge " + a + " " + none).err, "traceMerge: " + none + ": No such file or directory\n");
  const Result damaged = run("traceMerge " + b + " " + bad);
  EXPECT_EQ(damaged.code, 1);
  EXPECT_EQ(damaged.err.find("traceMerge: " + bad + ":6: 1 field where a line is "), 0u) << damaged.err;
  for (const char* options : {"", "--perfetto "}) {
    const Result full = run(std::string("traceMerge ") + options + a + " " + b + " -o /dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_EQ(full.err, "traceMerge: /dev/full: No space left on device\n");
  }
  // The others are written, and the exit code tells.
  const std::string empty = folder.write("empty", "# nothing\n");
  const Result some = run("traceMerge " + a + " " + empty);
  EXPECT_EQ(some.code, 1);
  EXPECT_EQ(some.err, "traceMerge: " + empty + ": nothing in it\n");
  EXPECT_EQ(some.out, run("traceMerge " + a).out);
}

TEST_F(TraceMerge, TimelineHasAnArrowForEachPacket) {
  const std::string x = folder.write(
      "x", trace_of({{1, 46, 1, 0x120, 100, 0, 10, 63}, {7, 5, 1024, 3, 130}, {0, 30, 2, 4, 130}}));
  const std::string y = folder.write("y", trace_of({{0, 40, 3, 5, 140}, {0, 40, 3, 5, 140}}));
  EXPECT_EQ(
      seen(x + " 1=" + y),
      "node 0, node 1, node 7, no trace\n"
      "node 1 sent: to 0 at 5.4: sender 1 receiver 0 index 0 size 1 page 288 category 10 color 63 "
      "latency_us 4.6\n"
      "node 0 received: from 1 at 10.0: sender 1 receiver 0 index 0 size 1 page 288 category 10 color 63 "
      "latency_us 4.6\n"
      "node 0 sent: to 0 at 10.0: sender 0 receiver 0 index 2 size 2 page 4 category 0 color 0 "
      "latency_us 3.0\n"
      "node 0 sent: to 1 at 10.0: sender 0 receiver 1 index 0 size 3 page 5 category 0 color 0 "
      "latency_us 4.0\n"
      "node 0 sent: to 1 at 10.0: sender 0 receiver 1 index 1 size 3 page 5 category 0 color 0 "
      "latency_us 4.0\n"
      "node 1 sent -> node 0 received: 5.4 to 10.0\n"
      "node 7, no trace sent: to 0 at 12.5: sender 7 receiver 0 index 1 size 1024 page 3 category 0 color 0 "
      "latency_us 0.5\n"
      "node 0 received: from 7 at 13.0: sender 7 receiver 0 index 1 size 1024 page 3 category 0 color 0 "
      "latency_us 0.5\n"
      "node 0 received: from 0 at 13.0: sender 0 receiver 0 index 2 size 2 page 4 category 0 color 0 "
      "latency_us 3.0\n"
      "node 7, no trace sent -> node 0 received: 12.5 to 13.0\n"
      "node 0 sent -> node 0 received: 10.0 to 13.0\n"
      "node 1 received: from 0 at 14.0: sender 0 receiver 1 index 0 size 3 page 5 category 0 color 0 "
      "latency_us 4.0\n"
      "node 1 received: from 0 at 14.0: sender 0 receiver 1 index 1 size 3 page 5 category 0 color 0 "
      "latency_us 4.0\n"
      "node 0 sent -> node 1 received: 10.0 to 14.0\n"
      "node 0 sent -> node 1 received: 10.0 to 14.0\n");
  std::string notes;
  EXPECT_NE(seen("--lat-s 1 0=" + x, &notes).find("node 7, no trace sent: to 0 at 11.0: "),
            std::string::npos);
}

TEST_F(TraceMerge, NoArrowFromATimeThatNobodyKnows) {
  const std::string x = folder.write("x", trace_of({{1, 0xFFFFFF, 1, 2, 100, SURF_TRACE0_V},
                                                    {1, 0, 1, 2, 200, SURF_TRACE0_U},
                                                    {1, 301, 1, 2, 300},
                                                    {1, 400, 1, 2, 400}}));
  std::string notes;
  EXPECT_EQ(
      seen(x, &notes),
      "node 0, node 1, no trace\n"
      "node 1, no trace sent: to 0 at 0.0: sender 1 receiver 0 index 3 size 1 page 2 category 0 color 0 "
      "latency_us 40.0\n"
      "node 0 received: from 1 at 10.0: sender 1 receiver 0 index 0 size 1 page 2 category 0 color 0 "
      "latency_flag overflow\n"
      "node 0 received: from 1 at 20.0: sender 1 receiver 0 index 1 size 1 page 2 category 0 color 0 "
      "latency_flag underflow\n"
      "node 0 received: from 1 at 30.0: sender 1 receiver 0 index 2 size 1 page 2 category 0 color 0 "
      "latency_us 30.1\n"
      "node 0 received: from 1 at 40.0: sender 1 receiver 0 index 3 size 1 page 2 category 0 color 0 "
      "latency_us 40.0\n"
      "node 1, no trace sent -> node 0 received: 0.0 to 40.0\n");
  EXPECT_EQ(
      notes,
      "traceMerge: 2 entries with a latency overflow or underflow have no arrow: nobody knows when they "
      "were sent\n"
      "traceMerge: 1 entries have no arrow: they were sent before the clock was 0\n");
  const Result table = run("traceMerge --ticks " + x);
  EXPECT_EQ(table.code, 0);
  EXPECT_EQ(table.err,
            "traceMerge: 2 entries with a latency overflow or underflow have the latency they were given\n");
  EXPECT_EQ(table.out.substr(0, 21), "0,0,1,16777215,1,2\n10");
}

}  // namespace
}  // namespace perfboard
