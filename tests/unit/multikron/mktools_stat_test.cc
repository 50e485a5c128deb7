// SPDX-License-Identifier: GPL-2.0-or-later
// mkstat as a program, against streams worked out by hand. 10 ticks are a microsecond.
#include <algorithm>

#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

std::string table(const std::string& options, const StreamText& s) {
  const std::string all = output_of("mkstat " + options, s.bytes);
  return all.substr(all.find('\n') + 1);  // without the header line
}

const std::string kStates =
    "node,cpu,source,state,name,count,total_us,self_us,mean_us,min_us,max_us,share_percent,with_loss,no_exit,"
    "no_enter\n";

TEST(MkStat, TimeInStates) {
  // 0 [1: 10 [2: 30] 20 [2: 10] 5 ] ... run of 1000 ticks
  const StreamText s = events(
      "0 point 9, 100 enter 1, 110 enter 2, 140 exit 2, 160 enter 2, 170 exit 2, 175 exit 1, 1000 point 9");
  EXPECT_EQ(run("mkstat --csv states", s.bytes).out,
            kStates +
                "0,0,1,1,1,1,7.500,3.500,7.500,7.500,7.500,3.5000,0,0,0\n"
                "0,0,1,2,2,2,4.000,4.000,2.000,1.000,3.000,4.0000,0,0,0\n");
  EXPECT_EQ(table("--csv visits", s),
            "0,0,1,2,2,0,1,11.000,14.000,3.000,1,0,0\n"
            "0,0,1,2,2,0,1,16.000,17.000,1.000,1,0,0\n"
            "0,0,1,1,1,0,0,10.000,17.500,3.500,1,0,0\n");
  EXPECT_EQ(table("--csv points", s), "0,0,1,point,9,9,2,0,0,0,0\n");
}

TEST(MkStat, RecursionCountsItsTimeOnce) {
  const StreamText s = events("0 enter 1, 10 enter 1, 30 exit 1, 100 exit 1");
  EXPECT_EQ(table("--csv states", s), "0,0,1,1,1,2,10.000,10.000,6.000,2.000,10.000,100.0000,0,0,0\n");
}

TEST(MkStat, CpusAndProcessesAreApart) {
  // Two processes on CPU 0 by turns, one of them on CPU 3 too.
  const StreamText s = events(
      "0 enter 1 source 7, 10 enter 1 source 8, 20 enter 1 cpu 3 source 7, 30 exit 1 source 7, 50 exit 1 "
      "source 8, 90 exit 1 cpu 3 source 7, 100 point 1 cpu 1 source 7");
  EXPECT_EQ(table("--csv states", s),
            "0,0,7,1,1,1,3.000,3.000,3.000,3.000,3.000,30.0000,0,0,0\n"
            "0,0,8,1,1,1,4.000,4.000,4.000,4.000,4.000,40.0000,0,0,0\n"
            "0,3,7,1,1,1,7.000,7.000,7.000,7.000,7.000,70.0000,0,0,0\n");
}

TEST(MkStat, MigratingProcesses) {
  const StreamText s = events("0 enter 1 source 7, 30 exit 1 cpu 2 source 7");
  EXPECT_EQ(table("--csv states", s),
            "0,0,7,1,1,0,0.000,0.000,,,,0.0000,0,1,0\n0,2,7,1,1,0,0.000,0.000,,,,0.0000,0,0,1\n");
  EXPECT_EQ(table("--by source --csv states", s),
            "0,0,7,1,1,1,3.000,3.000,3.000,3.000,3.000,100.0000,0,0,0\n");
  const StreamText t = events("0 enter 1 source 7, 30 exit 1 source 9");
  EXPECT_EQ(table("--by cpu --csv states", t), "0,0,7,1,1,1,3.000,3.000,3.000,3.000,3.000,100.0000,0,0,0\n");
}

TEST(MkStat, UnmatchedEvents) {
  // An exit of 1 while 2 is open: 2 has lost its exit. An exit of 3 that was never entered. 4 stays open.
  const StreamText s =
      events("0 enter 1, 10 enter 2, 15 enter 5, 18 exit 5, 40 exit 1, 50 exit 3, 60 enter 4, 100 point 0");
  EXPECT_EQ(table("--csv states", s),
            "0,0,1,1,1,1,4.000,3.700,4.000,4.000,4.000,37.0000,0,0,0\n"
            "0,0,1,2,2,0,0.000,0.000,,,,0.0000,0,1,0\n"
            "0,0,1,3,3,0,0.000,0.000,,,,0.0000,0,0,1\n"
            "0,0,1,4,4,0,0.000,0.000,,,,0.0000,0,1,0\n"
            "0,0,1,5,5,1,0.300,0.300,0.300,0.300,0.300,3.0000,0,0,0\n");
  const std::string visits = table("--csv visits", s);
  EXPECT_TRUE(says(visits, "0,0,1,2,2,0,1,1.000,4.000,2.700,0,0,0\n")) << visits;
  EXPECT_TRUE(says(visits, "0,0,1,4,4,0,0,6.000,10.000,4.000,0,0,0\n")) << visits;
  const std::string report = run("mkstat", s.bytes).out;
  EXPECT_TRUE(says(report, "1 without exit"));
  EXPECT_TRUE(says(report, "1 exits without enter"));
}

TEST(MkStat, LostSamplesAreNoted) {
  // The flag is on the sample after the loss: it concerns what was open before, on every CPU.
  const StreamText s =
      events("0 enter 1, 5 enter 2 cpu 1, 10 enter 3 lost, 20 exit 3, 30 exit 1, 40 exit 2 cpu 1");
  const std::string visits = table("--csv visits", s);
  EXPECT_TRUE(says(visits, "0,0,1,3,3,0,1,1.000,2.000,1.000,1,0,0\n")) << visits;
  EXPECT_TRUE(says(visits, "0,0,1,1,1,0,0,0.000,3.000,2.000,1,1,0\n")) << visits;
  EXPECT_TRUE(says(visits, "0,1,1,2,2,0,0,0.500,4.000,3.500,1,1,0\n")) << visits;
  // The exit itself may carry it; a resource overrun is one as well.
  const StreamText exit = events("0 enter 1, 30 exit 1 lost-counters");
  EXPECT_EQ(table("--csv visits", exit), "0,0,1,1,1,0,0,0.000,3.000,3.000,1,1,0\n");
  // Damage loses a sample too.
  StreamText bad = events("0 enter 1, 10 point 1, 30 exit 1").flip(20, 1);
  EXPECT_TRUE(says(output_of("mkstat --csv visits", bad.bytes, 1), "0.000,3.000,3.000,1,1,0\n"));
}

TEST(MkStat, ResetsEndWhatIsOpen) {
  StreamText s = events("0 enter 1, 10 point 1");
  s.software_reset() += events("20 exit 1, 30 enter 2");
  s.hardware_reset() += events("5 exit 2, 25 point 1");
  EXPECT_EQ(table("--csv states", s),
            "0,0,1,1,1,0,0.000,0.000,,,,0.0000,0,1,1\n"
            "0,0,1,2,2,0,0.000,0.000,,,,0.0000,0,1,1\n");
  EXPECT_TRUE(says(run("mkstat", s.bytes).out, "node 0: 6 samples in 5.000 us; 0 with overrun flags"));
}

TEST(MkStat, NothingIsMeasuredAcrossAStepBack) {
  StreamText s = events("100 enter 1, 90 exit 1");
  s.sample({.stamp = 80, .counters = {5}}).sample({.stamp = 70, .counters = {6}});
  const Result r = run("mkstat --csv states", s.bytes);
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.out, kStates + "0,0,1,1,1,0,0.000,0.000,,,,0.0000,0,1,1\n");
  EXPECT_TRUE(says(r.err, "the Timestamp goes back by 10 ticks"));
  const std::string counters = run("mkstat --csv counters", s.bytes).out;
  EXPECT_EQ(std::count(counters.begin(), counters.end(), '\n'), 1);
}

TEST(MkStat, DepthHasALimit) {
  StreamText s;
  for (uint64_t i = 0; i < 1002; i++) s.sample({.stamp = i, .data = kEnterData(static_cast<uint16_t>(i))});
  for (uint64_t i = 1002; i-- > 0;)
    s.sample({.stamp = 3000 - i, .data = kExitData(static_cast<uint16_t>(i))});
  const std::string states = table("--csv states", s);
  EXPECT_EQ(std::count(states.begin(), states.end(), '\n'), 1002);
  EXPECT_TRUE(says(states, "\n0,0,0,2,2,1,299.600,"));
  EXPECT_TRUE(says(states, "0,0,0,1,1,0,0.000,0.000,,,,0.0000,0,1,1\n"));
}

TEST(MkStat, PointsAndValues) {
  const StreamText s =
      events("0 point 1:5, 1 point 1:3, 2 value 1:100, 3 point 1 cpu 1, 4 other 1, 5 value 1:16777215");
  EXPECT_EQ(table("--csv points", s),
            "0,0,1,point,1,1,2,3,3,5,4\n"
            "0,0,1,value,1,1,2,16777215,100,16777215,8388657.5\n"
            "0,1,1,point,1,1,1,0,0,0,0\n");
}

TEST(MkStat, CounterIntervals) {
  StreamText s;
  const auto at = [&](uint64_t t, unsigned cpu, std::vector<uint32_t> c, unsigned flags = 0) {
    s.sample({.stamp = t, .cpu = cpu, .flags = flags, .counters = std::move(c)});
  };
  at(0, 0, {0, 10, 0, 0xFFFFFFF0});
  at(100, 1, {0, 15, 0, 0xFFFFFFFF});
  at(100, 0, {0, 15, 0, 0xFFFFFFFF}, MK_HEADER_RSRC_OVERRUN);
  s.sample({.stamp = 150, .flags = MK_HEADER_FIFO_OVERRUN});
  at(200, 0, {1, 4, 0, 0xFFFFFFFF});
  s.software_reset();
  at(300, 0, {9});
  EXPECT_EQ(table("--csv counters", s),
            "0,all,1,counter 1,0.000,10.000,5,500000,0,0,0,0\n"
            "0,all,3,counter 3,0.000,10.000,15,1500000,1,0,0,0\n"
            "0,all,1,counter 1,10.000,10.000,0,,0,0,1,0\n"
            "0,all,3,counter 3,10.000,10.000,0,,1,0,1,0\n"
            "0,all,0,counter 0,10.000,20.000,1,100000,0,0,1,0\n"
            "0,all,1,counter 1,10.000,20.000,,,0,1,1,0\n"
            "0,all,3,counter 3,10.000,20.000,0,0,1,0,1,0\n");
  EXPECT_EQ(table("--per-cpu --cpu 0 --csv counters", s).substr(0, 42),
            "0,0,1,counter 1,0.000,10.000,5,500000,0,0,");
  const Folder folder;
  const std::string names = folder.write("names", "c1 loads\n");
  EXPECT_EQ(table("--names " + names + " --csv counters", s).substr(0, 14), "0,all,1,loads,");
  const std::string report = run("mkstat", s.bytes).out;
  EXPECT_TRUE(says(report, "counter 3"));
  EXPECT_TRUE(says(report, "stuck in 3"));
  EXPECT_TRUE(says(report, "reset in 1"));
}

TEST(MkStat, Histograms) {
  StreamText s;
  uint64_t t = 0;
  for (const uint64_t length : {0, 1, 2, 3, 4, 7, 8, 1000}) {
    s += events(std::to_string(t) + " enter 3, " + std::to_string(t + length) + " exit 3");
    t += length + 1;
  }
  s += events(std::to_string(t) + " enter 4, " + std::to_string(t + 5) + " exit 4");
  const Folder folder;
  const std::string names = folder.write("names", "3 wait\n");
  const std::string log2 =
      "0.000,0.100,1\n0.100,0.200,1\n0.200,0.400,2\n0.400,0.800,2\n0.800,1.600,1\n51.200,102.400,1\n";
  EXPECT_EQ(table("--histogram 3 --csv histogram", s), log2);
  EXPECT_EQ(table("--names " + names + " --histogram wait --csv histogram", s), log2);
  EXPECT_EQ(table("--histogram 3 --bins linear:0.4 --csv histogram", s),
            "0.000,0.400,4\n0.400,0.800,2\n0.800,1.200,1\n100.000,100.400,1\n");
  const std::string half(25, '#');
  EXPECT_EQ(run("mkstat --histogram 3", s.bytes).out,
            "state 3: 8 visits\n"
            "       from us          to us     visits\n"
            "         0.000          0.100          1 " +
                half + "\n         0.100          0.200          1 " + half +
                "\n         0.200          0.400          2 " + half + half +
                "\n         0.400          0.800          2 " + half + half +
                "\n         0.800          1.600          1 " + half +
                "\n           ...\n"
                "        51.200        102.400          1 " +
                half + "\n");
  EXPECT_EQ(run("mkstat --histogram wait", s.bytes).code, 2);
  EXPECT_EQ(run("mkstat --csv histogram", s.bytes).code, 2);
  for (const char* bins : {"linear:0", "linear:", "log10", "linear:0.05", "linear:nan"})
    EXPECT_EQ(run(std::string("mkstat --histogram 3 --bins ") + bins, s.bytes).code, 2) << bins;
}

TEST(MkStat, SeveralNodes) {
  const Folder folder;
  const std::string a = folder.write("a", events("0 enter 1, 10 exit 1").bytes);
  const std::string b = folder.write("b", events("0 enter 1, 30 exit 1").bytes);
  EXPECT_EQ(run("mkstat --csv states west=" + a + " " + b).out,
            kStates +
                "west,0,1,1,1,1,1.000,1.000,1.000,1.000,1.000,100.0000,0,0,0\n"
                "1,0,1,1,1,1,3.000,3.000,3.000,3.000,3.000,100.0000,0,0,0\n");
}

}  // namespace
}  // namespace perfboard::mk
