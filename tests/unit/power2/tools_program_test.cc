// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 tools as their users run them, on files: output, exit codes, what they say of mistakes. Counting
// needs a guest: tests/guest/linux/power2 and the demo.
#include <gtest/gtest.h>

#include "tests/unit/power2/tools_records.h"

namespace perfboard::p2 {
namespace {

const std::string kRows =
    "# clock_hz=66666667 dcache_penalty=20\n"
    "time,elapsed,seconds,cpu,pid,command,running,cycles,instructions\n"
    "1,1,1,0,5,a,100,200,100\n"
    "2,1,1,0,5,a,100,660,300\n"
    "3,1,1,0,6,b,100,,100\n";

TEST(P2Reduce, Table) {
  const Folder folder;
  const std::string rules = folder.write(
      "r", "# a title\nlet i = instructions\ncpi = cycles / i : for each\nsecond\nx [%] = 100 * cpi.sd\n");
  EXPECT_EQ(output_of("p2reduce -r " + rules, kRows),
            rules +
                ": a title (3 rows)\n\n"
                "                      mean            sd           min           max       n\n"
                "cpi                   2.15      0.141421             2           2.2       2  for each\n"
                "x [%]              14.1421\n");
}

TEST(P2Reduce, Csv) {
  const Folder folder;
  const std::string rules = folder.write("r", "cpi = cycles / instructions\nsecond\nn [rows] = cpi.n\n");
  EXPECT_EQ(run("p2reduce --csv -r " + rules, kRows).out,
            "rule,unit,stage,mean,sd,min,max,n\n"
            "cpi,,1,2.15,0.14142135623731,2,2.2,2\n"
            "n,rows,2,2,,,,\n");
  EXPECT_EQ(run("p2reduce --csv --by pid,command -r " + rules, kRows).out,
            "pid,command,rule,unit,stage,mean,sd,min,max,n\n"
            "5,a,cpi,,1,2.15,0.14142135623731,2,2.2,2\n"
            "5,a,n,rows,2,2,,,,\n"
            "6,b,cpi,,1,,,,,0\n"
            "6,b,n,rows,2,0,,,,\n");
  // What --rows writes is read again: with stage 1's values as columns.
  const std::string rows = output_of("p2reduce --rows -r " + rules, kRows);
  const std::string more = folder.write("more", "double_cpi = 2 * cpi\n");
  EXPECT_EQ(run("p2reduce --csv -r " + more, rows).out,
            "rule,unit,stage,mean,sd,min,max,n\ndouble_cpi,,1,4.2,0.282842712474619,4,4.4,2\n");
}

// A process is what its pid became, and the second one of a name is told from the first.
TEST(P2Reduce, ProcessesByName) {
  const Folder folder;
  const std::string rules = folder.write("r", "cpi = cycles / instructions\n");
  const std::string rows = "pid,command,cycles,instructions\n7,sh,9,1\n7,a,2,1\n8,a,6,2\n9,7,5,1\n7,,3,1\n";
  EXPECT_EQ(run("p2reduce --csv --by process -r " + rules, rows).out,
            "process,rule,unit,stage,mean,sd,min,max,n\n"
            "a,cpi,,1,4.66666666666667,3.78593889720018,2,9,3\na 2,cpi,,1,3,,3,3,1\n7,cpi,,1,5,,5,5,1\n");
  EXPECT_EQ(complaint_of("p2reduce --by process -r " + rules, "pid,cycles\n1,2\n", 2),
            "p2reduce: --by process: no such column\n");
}

TEST(P2Reduce, TwoFilesCompared) {
  const Folder folder;
  const std::string rules =
      folder.write("r", "a [x] = cycles : near\nb = instructions\nc = one\nd = two\nsecond\ne = a - b\n");
  const std::string columns = "command,cycles,instructions,one,two\n";
  const std::string before = folder.write("before", columns + "p,100,10,5,1\np,102,12,5,\nq,1,1,1,1\n"),
                    after = folder.write("after", columns + "p,101,20,5,2\np,103,22,5,\n");
  const std::string words = "p2reduce --diff " + before + " -r " + rules + " ";
  EXPECT_EQ(output_of(words + after),
            rules + ": 3 rows before (" + before + "), 2 after (" + after + ")\n\n" +
                "                    before         after    difference        spread\n"
                "a [x]              67.6667           102       34.3333       33.3533  same     near\n"
                "b                  7.66667            21       13.3333       3.52767  differs\n"
                "c                  3.66667             5       1.33333       1.33333  same\n"
                "d                        1             2             1             -  -\n"
                "e                       60            81            21             -  -\n");
  EXPECT_EQ(run(words + "--csv --by command " + after).out,
            "command,rule,unit,stage,before,after,difference,spread,verdict\n"
            "p,a,x,1,101,102,1,1.4142135623731,same\n"
            "p,b,,1,11,21,10,1.4142135623731,differs\n"
            "p,c,,1,5,5,0,0,same\n"
            "p,d,,1,1,2,1,,-\n"
            "p,e,,2,90,81,-9,,-\n"
            "q,a,x,1,1,,,,-\nq,b,,1,1,,,,-\nq,c,,1,1,,,,-\nq,d,,1,1,,,,-\nq,e,,2,0,,,,-\n");
  EXPECT_EQ(complaint_of("p2reduce --diff - -r " + rules, {}, 2),
            "p2reduce: --diff: standard input can be one of the two files\n");
  EXPECT_EQ(complaint_of(words + "--rows " + after, {}, 2),
            "p2reduce: --rows: of one file; not with --diff\n");
}

TEST(P2Reduce, Mistakes) {
  const Folder folder;
  const std::string rules = folder.write("r", "cpi = cycles / instructions\n");
  const auto said = [&](const std::string& options, const std::string& input, int code = 1) {
    return complaint_of("p2reduce -r " + options, input, code);
  };
  EXPECT_EQ(said(rules, ""), "p2reduce: <stdin>: nothing in it\n");
  EXPECT_EQ(said(rules, "a,b\n"), "p2reduce: <stdin>: no rows in it\n");
  EXPECT_EQ(said(rules, "cycles\n5\n"),
            "p2reduce: <stdin>: none of 1 rows has all that a rule of " + rules + " needs\n");
  EXPECT_EQ(said(rules, "cycles,b\n5\n"), "p2reduce: <stdin>:2: 1 fields; the line of names has 2\n");
  EXPECT_EQ(said(rules, "cycles,cycles\n5,6\n"), "p2reduce: <stdin>:1: column cycles stands there twice\n");
  EXPECT_EQ(said(rules, "1,2\n5,6\n"), "p2reduce: <stdin>:1: '1': a line of columns' names was expected\n");
  EXPECT_EQ(said(rules + " --by pip", kRows, 2), "p2reduce: --by pip: no such column\n");
  EXPECT_EQ(said("nix", kRows, 2).substr(0, 50), "p2reduce: --rules nix: no such file, and the ready");
  EXPECT_EQ(said(rules + " -r " + folder.write("v", "cpi = 1\n"), kRows, 2),
            "p2reduce: " + folder.file("v") + ": another set has a rule cpi, which is not the same\n");
  EXPECT_EQ(said(rules + " -r " + rules, kRows, 0), "");
  EXPECT_EQ(run("p2reduce").code, 2);
}

// --- p2nodes ---

const std::string kNodeHead =
    "# clock_hz=66666667 node=2\n"
    "time,elapsed,seconds,cpu,pid,command,running,cycles,instructions\n";
const std::string kNode0 = kNodeHead + "1,1,1,0,5,a,100,3000,1000\n2,1,1,0,5,a,100,1000,1000\n";
const std::string kNode1 = kNodeHead + "4,4,8,,7,a,100,1234567,1000000\n";

TEST(P2Nodes, AColumnForEachNodeAndTheSum) {
  const Folder folder;
  const std::string files = " " + folder.write("0", kNode0) + " " + folder.write("1", kNode1);
  complaint_of("p2nodes -r cpi --rules " + folder.write("r", "x = y\nlet y = 1\n") + files, {}, 2);
  const std::string rules =
      folder.write("r", "cpi = cycles / instructions\nmips = instructions / elapsed / 1e6 : each second\n");
  EXPECT_EQ(output_of("p2nodes -r " + rules + files),
            "                                      node 0          node 1             all\n"
            "elapsed [s]                         2.000000        4.000000        4.000000\n"
            "counted [s]                         2.000000        8.000000       10.000000\n"
            "cycles                                  4000         1234567         1238567\n"
            "instructions                            2000         1000000         1002000\n"
            "\n"
            "cpi                                        2         1.23457         1.23609\n"
            "mips                                   0.001            0.25          0.2505  each second\n");
  EXPECT_EQ(run("p2nodes --rates" + files).out.substr(231),
            "cycles [/s]                             2000          308642          309642\n"
            "instructions [/s]                       1000          250000          250500\n");
  EXPECT_TRUE(
      says(run("p2nodes west=" + folder.file("0") + files.substr(files.find(' ', 1))).out, "node west"));
}

// A row for each processor is of one time; what one node lacks the sum lacks; estimates are called so.
TEST(P2Nodes, WhatIsNotKnownAndWhatIsEstimated) {
  const Folder folder;
  const std::string a = folder.write("a", kNodeHead + "1,1,1,0,,,50,10,\n1,1,1,1,,,80,20,5\n"),
                    b = folder.write("b", kNode1);
  EXPECT_EQ(output_of("p2nodes " + a + " " + b),
            "                                      node 0          node 1             all\n"
            "elapsed [s]                         1.000000        4.000000        4.000000\n"
            "counted [s]                         2.000000        8.000000       10.000000\n"
            "counted, of the cycles [%]              50.0           100.0            50.0\n"
            "cycles                                    30         1234567         1234597\n"
            "instructions                               -         1000000               -\n"
            "\nCounted in turns: estimates.\n");
}

TEST(P2Nodes, RowsForAnotherTool) {
  const Folder folder;
  const std::string other =
      folder.write("1", "# clock_hz=66666667 node=1\n" + kNode1.substr(kNode1.find('\n') + 1));
  const std::string rows = output_of("p2nodes --csv " + folder.write("0", kNode0) + " b=" + other);
  EXPECT_EQ(rows,
            "# clock_hz=66666667\n"
            "node,time,elapsed,seconds,cpu,pid,command,running,cycles,instructions\n"
            "0,1,1,1,0,5,a,100,3000,1000\n0,2,1,1,0,5,a,100,1000,1000\nb,4,4,8,,7,a,100,1234567,1000000\n");
  const std::string rules = folder.write("r", "cpi = cycles / instructions\n");
  EXPECT_EQ(run("p2reduce --csv --by node -r " + rules, rows).out,
            "node,rule,unit,stage,mean,sd,min,max,n\n0,cpi,,1,2,1.4142135623731,1,3,2\nb,cpi,,1,1.234567,,1."
            "234567,1.234567,1\n");
}

TEST(P2Nodes, Mistakes) {
  const Folder folder;
  const std::string good = folder.write("good", kNode0);
  const auto said = [&](const std::string& words, int code = 1) {
    return complaint_of("p2nodes " + words, {}, code);
  };
  EXPECT_TRUE(says(said(good + " " + folder.write("e", "")), "/e: nothing in it\n"));
  EXPECT_TRUE(says(said(good + " " + folder.write("h", kNodeHead)), "/h: no rows in it\n"));
  EXPECT_TRUE(
      says(said(good + " " +
                folder.write("o", "time,elapsed,seconds,cpu,pid,command,running,cycles\n1,1,1,,,,100,5\n")),
           "the counts are not those of "));
  EXPECT_TRUE(says(said(folder.write("n", "a,b\n1,2\n")),
                   "rows of counts as p2run --csv writes them were expected\n"));
  EXPECT_TRUE(says(said("0=" + good + " 0=" + good, 2), "two files of this node"));
  said(folder.file("none"));
  said("--csv --rates " + good, 2);
  said(good + " -o " + good, 2);
  said(good + " >/dev/full");
  said("--help", 0);
}

TEST(P2Event, ReadyRules) {
  std::istringstream lines(output_of("p2event --rules"));
  unsigned sets = 0;
  for (std::string line; std::getline(lines, line); sets++) {
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_GT(line.size(), 15u) << "a title";
    EXPECT_TRUE(run("p2event --rules " + name).out.starts_with("# "));
    // Names that are nothing would be refused.
    EXPECT_TRUE(says(
        complaint_of("p2reduce -r " + name,
                     "# clock_hz=1 dcache_line=1 dcache_penalty=1 tlb_penalty=1 icache_penalty=1\ntime\n1\n"),
        "has all that a rule of " + name));
  }
  EXPECT_EQ(sets, 6u);
  EXPECT_EQ(run("p2event --rules nix").code, 2);
}

TEST(P2Event, Lists) {
  EXPECT_TRUE(says(run("p2event").out, "\ncycles  "));
  const std::string one = run("p2event fxu0").out;
  EXPECT_TRUE(says(one, "FXU0") && says(one, "fxu=0"));
  EXPECT_EQ(run("p2event --sets instructions,cycles").out,
            "MMCR 0x00000000  fpu=0 fxu=0 icu=0 scu=0: instructions cycles\n");
  EXPECT_TRUE(says(run("p2event --groups scu").out, "scu=15"));
  EXPECT_EQ(run("p2event --groups alu").code, 2);
  EXPECT_TRUE(
      complaint_of("p2event cicles", {}, 2).starts_with("p2event: cicles: no such event (like it: cycles);"));
  EXPECT_EQ(run("p2event --csv cycles").out,
            "event,unit,group,counter,definition\ncycles,always,0,20,\"processor cycles, with what misses "
            "cost\"\n");
  EXPECT_TRUE(says(run("p2event --opcodes power").out, "0xfc00003a  fmadd\n"));
}

// Of the command line, before there is a monitor.
TEST(P2Tools, Mistakes) {
  const struct {
    std::string tool, words;
    int code;
    const char* said;  // behind the tool's name; null: something
  } rows[] = {
      {"p2run", "", 2, "COMMAND is missing (--help lists the options)"},
      {"p2run", "-d /dev/null true", 1, "/dev/null: Inappropriate ioctl for device"},
      {"p2run", "--user --kernel true", 2, "--user and --kernel: together they leave nothing"},
      {"p2run", "-g fxu=1 -e cycles true", 2, "--groups and --events: one of them"},
      {"p2run", "--opcodes ld -e cycles true", 2,
       "--opcodes: not together with --imr, --events, --rules, --groups"},
      {"p2run", "--scope mine true", 2, nullptr},
      {"p2run", "--wrong true", 2, nullptr},
      {"p2run", "--alone true", 2, "--alone: of a mark; only with --scope marked"},
      {"p2run", "--scope marked --alone -c true", 2, nullptr},
      {"p2stat", "0", 2, "INTERVAL 0: legal are 1ms to 86400s, with s, ms, us or ns behind the number"},
      {"p2stat", "-d /dev/null 1 1", 1, "/dev/null: Inappropriate ioctl for device"},
      {"p2trace", "record --when hook=1 true", 2, "--when: of hooks; with --hooks"},
      {"p2trace", "record --hooks --when hook=x true", 2,
       "--when hook=x: hook=x: legal are numbers to 0xffff"},
      {"p2set", "", 2,
       "what? --events, --rules, --groups, --mmcr, --reset, --stop, --go or --off (--help lists them)"},
      {"p2set", "--mmcr 0 -e cycles", 2,
       "--mmcr: the whole register; not together with --events, --rules, --groups, --user, --kernel"},
      {"p2set", "--off --reset", 2, "--off: alone"},
      {"p2set", "--imr add --reset", 2,
       "--events, --rules, --groups or --mmcr is missing: MMCR is set as a whole"},
      {"p2set", "-e cycles --alone", 2, "--alone: with --pid"},
      {"p2set", "--stop --go", 2, nullptr},
      {"p2set", "-e cycles --pid 0", 2, nullptr},
      {"p2set", "-d /dev/null -e cycles", 1, "/dev/null: Inappropriate ioctl for device"},
      {"p2read", "-d /dev/null", 1, "/dev/null: Inappropriate ioctl for device"},
      {"p2read", "1us", 2, "INTERVAL 1us: legal are 1ms to 86400s, with s, ms, us or ns behind the number"},
  };
  for (const auto& row : rows) {
    const std::string said = complaint_of(row.tool + " " + row.words, {}, row.code);
    EXPECT_NE(said, "") << row.words;
    if (row.said) {
      EXPECT_EQ(said, row.tool + ": " + row.said + "\n");
    }
  }
  EXPECT_FALSE(says(run("p2run --period 1 --period 2x true").err, "p2run: COMMAND"));
  EXPECT_EQ(run("p2trace").code, 2);
  for (const char* tool : {"p2run", "p2set", "p2read"}) EXPECT_EQ(run(std::string(tool) + " --help").code, 0);
}

std::vector<p2_record> session() {
  return {
      record({.clock = 1'001'000, .pid = 7, .cycles = 50'000, .icu0 = 25'000}),
      record({.type = P2_RECORD_HOOK,
              .clock = 1'501'000,
              .pid = 8,
              .set = 3,
              .cycles = 51'000,
              .icu0 = 25'900,
              .command = "other"}),
      record({.clock = 2'001'000, .pid = 8, .cycles = 60'000, .icu0 = 26'000, .command = "other"}),
      record({.type = P2_RECORD_EVENT,
              .cpu = 1,
              .clock = 2'001'500,
              .pid = 0,
              .set = 0,
              .cycles = 5,
              .command = "swapper/1"}),
      record({.clock = 3'001'000, .pid = 7, .cycles = 160'000, .icu0 = 76'000}),
      record({.cpu = 1, .clock = 3'002'000, .pid = 0, .cycles = 5, .command = "swapper/1"}),
  };
}

TEST(P2Trace, CsvAndSummary) {
  const Folder folder;
  const std::string file = write_log(folder, head({0}), session(), "0 sched_wakeup\n", "");
  const std::string csv = output_of("p2trace csv " + file);
  EXPECT_TRUE(csv.starts_with("# clock_hz"));
  EXPECT_TRUE(says(csv, "\n0.001500000,0.000500000,0.000500000,0,8,8,other,hook,3,0,0,0,")) << csv;
  std::istringstream lines(output_of("p2trace summary --csv -r cpi " + file));
  std::string line;
  for (const char* begins : {"pid,command,seconds,switches,cpi,cpi_", "7,worker,0.002000000,2,2,,,",
                             "8,other,0.001000000,1,10,"}) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(begins)) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_TRUE(says(run("p2trace summary --idle " + file).out, "(idle)"));
  // From there to the reducer: the log in slices has the summary's ratio.
  const std::string reduced = run("p2reduce --csv --by command -r cpi", csv).out;
  EXPECT_TRUE(says(reduced, "other,cpi,,1,10,62.8539361054709,1.11111111111111,90,2\n")) << reduced;
  EXPECT_EQ(run("p2trace csv /dev/null").err, "p2trace: /dev/null: cut off\n");
  EXPECT_EQ(run("p2trace json", "x,y\n1,2,3\n").err,
            "p2trace: <stdin>: not a file that `p2trace record` has written\n");
}

TEST(P2Trace, JsonForViewers) {
  const Folder folder;
  const std::string file =
      write_log(folder, head({0}), session(), "0 sched_wakeup\n",
                "worker-7  [000] d..3.     0.001234: sched_switch: prev=\"a\\b\"\nnonsense\n");
  const std::string json = folder.file("trace.json");
  ASSERT_EQ(run("p2trace json -o " + json + " " + file).code, 0);
  EXPECT_EQ(output_of("p2event --help >/dev/null; python3 " + std::string(getenv("PERFBOARD_ROOT")) +
                      "/tests/unit/common/timeline_check.py <" + json +
                      " | grep -v -e 'flops /us' -e 'instructions /us'"),
            "processors, CPU 0: worker 7 0.000-1000.000 flops 0 cycles 50000 instructions 25000\n"
            "worker, worker: on CPU 0 0.000-1000.000 flops 0 cycles 50000 instructions 25000\n"
            "worker: cycles /us = 50 from 0.000\n"
            "worker: cycles /us = 0 from 1000.000\n"
            "processors, CPU 0: other 8 1000.000-1500.000 flops 0 cycles 1000 instructions 900\n"
            "other, other: on CPU 0 1000.000-1500.000 flops 0 cycles 1000 instructions 900\n"
            "other: cycles /us = 2 from 1000.000\n"
            "other, other: hook 3 at 1500.000 pid 8 data0 0 data1 0\n"
            "processors, CPU 0: other 8 1500.000-2000.000 flops 0 cycles 9000 instructions 100\n"
            "other, other: on CPU 0 1500.000-2000.000 flops 0 cycles 9000 instructions 100\n"
            "other: cycles /us = 18 from 1500.000\n"
            "other: cycles /us = 0 from 2000.000\n"
            "processors, CPU 1: sched_wakeup at 2000.500 pid 0\n"
            "processors, CPU 0: worker 7 2000.000-3000.000 flops 0 cycles 100000 instructions 50000\n"
            "worker, worker: on CPU 0 2000.000-3000.000 flops 0 cycles 100000 instructions 50000\n"
            "worker: cycles /us = 100 from 2000.000\n"
            "worker: cycles /us = 0 from 3000.000\n"
            "processors, CPU 0: sched_switch at 1233.000 pid 7 text prev=\"a\\b\"\n");
}

TEST(P2Plot, APictureForEachProcess) {
  if (system("command -v gnuplot >/dev/null")) GTEST_SKIP() << "no gnuplot";
  const Folder folder;
  const std::string file = write_log(folder, head({0}), session(), "", "");
  const std::string csv = folder.write("rows", run("p2trace csv " + file).out), png = folder.file("a.png");
  const std::string plot =
      "p2event --help >/dev/null; " + std::string(getenv("PERFBOARD_ROOT")) + "/guest/power2/host/p2plot ";
  const auto drawn = [&](const std::string& options, int code) {
    return complaint_of(plot + options + " -o " + png, {}, code);
  };
  EXPECT_EQ(drawn(csv, 0), "");
  EXPECT_EQ(png_size(png).first, 1200u);
  EXPECT_EQ(
      drawn("--draw 'cycles/instructions' --draw cycles --command worker --bins 10 --width 800 " + csv, 0),
      "");
  EXPECT_EQ(png_size(png).first, 800u);
  EXPECT_EQ(drawn("--draw cicles " + csv, 2), "p2plot: --draw cicles: no column cicles\n");
  EXPECT_EQ(drawn("--draw 'cycles/' " + csv, 2),
            "p2plot: --draw cycles/: legal are COLUMN and COLUMN/COLUMN\n");
  EXPECT_EQ(drawn("--command worker --name one " + csv, 0), "");
  EXPECT_EQ(drawn("--command worker --name one --name two " + csv, 2),
            "p2plot: --name: 2 names for 1 processes; legal is a name of its own for each\n");
  EXPECT_EQ(drawn("--command nobody " + csv, 1), "p2plot: no rows of such processes\n");
  EXPECT_EQ(drawn(folder.write("empty", ""), 1), "p2plot: " + folder.file("empty") + ": nothing in it\n");
}

}  // namespace
}  // namespace perfboard::p2
