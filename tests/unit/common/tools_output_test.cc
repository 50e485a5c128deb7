// SPDX-License-Identifier: GPL-2.0-or-later
// What all utilities do with their files: -o, pipes that stay open, empty inputs, selections that match
// nothing, lists on the command line.
#include <pty.h>
#include <sys/stat.h>

#include <set>

#include "guest/common/output.h"
#include "guest/common/ranges.h"
#include "guest/surfboard/host/trace_file.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard {
namespace {

const std::string kTrace =
    "000000 04000033 1005D001 37E11D82 0012034F\n000001 04000034 1005D001 37E11D92 0012034F\n";
const std::string kSizes = "1,2\n";  // sizeHist's result

unsigned mode_of(const std::string& file) {
  struct stat status = {};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return status.st_mode & 07777;
}

TEST(ToolsOutput, AnExistingFileSurvivesAFailure) {
  const Folder folder;
  const std::string out = folder.write("out", "precious\n"), bad = folder.write("bad", kTrace + "what\n");
  const std::string good = folder.write("good", kTrace);
  for (const auto& [command, code] : {std::pair{"sizeHist " + bad, 1},
                                      {"sizeHist " + folder.file("none"), 1},
                                      {"traceFilter --size 3-1 " + good, 2}}) {
    EXPECT_EQ(run(command + " -o " + out).code, code) << command;
    EXPECT_EQ(Folder::read(out), "precious\n") << command;
  }
  // No new file either, and nothing besides.
  EXPECT_EQ(run("sizeHist " + bad + " -o " + folder.file("new")).code, 1);
  EXPECT_EQ(folder.list(), "bad good out");
  EXPECT_EQ(run("sizeHist " + good + " -o " + out).code, 0);
  EXPECT_EQ(Folder::read(out), kSizes);
  EXPECT_EQ(folder.list(), "bad good out");
}

TEST(ToolsOutput, NothingIsLeftOfAToolThatIsKilled) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const Folder folder;
    const std::string out = folder.write("out", "precious\n");
    Running tool("traceFilter -o " + out);
    for (int i = 0; i < 4000; i++) tool.write(kTrace);  // more than a pipe holds: it has begun to read
    tool.kill(signal);
    EXPECT_EQ(tool.end(), -1);
    EXPECT_EQ(folder.list(), "out");
    EXPECT_EQ(Folder::read(out), "precious\n");
  }
}

TEST(ToolsOutput, AnInputIsNotLost) {
  const Folder folder;
  const std::string trace = folder.write("trace", kTrace), link = folder.file("link");
  std::filesystem::create_symlink("trace", link);
  for (const std::string& arguments : {trace + " -o " + trace, trace + " -o " + link, link + " -o " + trace,
                                       "-o " + trace + " <" + trace, trace + " >>" + trace}) {
    for (const char* tool : {"sizeHist", "pageHist", "latHist", "makeHist", "traceCheck", "traceMerge"}) {
      const Result r = run(std::string(tool) + " " + arguments);
      EXPECT_EQ(r.code, 2) << tool << " " << arguments;
      EXPECT_TRUE(says(r.err, std::string(tool) + ": --output: ")) << r.err;
      EXPECT_TRUE(says(r.err, " is an input: it would be lost\n")) << r.err;
      EXPECT_EQ(Folder::read(trace), kTrace);
    }
  }
  // Of the same format: it is replaced, at the end.
  EXPECT_EQ(run("traceFilter --latency 5.2 " + trace + " -o " + link).code, 0);
  EXPECT_EQ(Folder::read(trace), kTrace.substr(43));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const std::string csv = folder.write("csv", "1,2\n3,4\n"),
                    histogram = folder.write("h", "1001 1\n2001 2\n");
  EXPECT_EQ(run("scale -m 2 " + csv + " -o " + csv).code, 0);
  EXPECT_EQ(Folder::read(csv), "2,2\n6,4\n");
  EXPECT_EQ(run("reduceXY -x 0,3 " + csv + " -o " + csv).code, 0);
  EXPECT_EQ(Folder::read(csv), "2,2\n");
  EXPECT_EQ(run("histfold -m FFF " + histogram + " -o " + histogram).code, 0);
  EXPECT_EQ(Folder::read(histogram), "000001 00000003\n");
  EXPECT_EQ(folder.list(), "csv h link trace");
}

TEST(ToolsOutput, PermissionsAreANewFiles) {
  const Folder folder;
  const std::string in = folder.write("in", kTrace), out = folder.file("out");
  for (const auto& [mask, mode] : {std::pair{"022", 0644u}, {"077", 0600u}, {"002", 0664u}}) {
    const Result r = run("sizeHist --version >/dev/null; umask " + std::string(mask) + "; " +
                         getenv("PERFBOARD_TOOLS") + "/sizeHist " + in + " -o " + out);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(mode_of(out), mode);
  }
}

TEST(ToolsOutput, OtherPlacesThanFiles) {
  const Folder folder;
  const std::string in = folder.write("in", kTrace), pipe = folder.file("pipe");
  EXPECT_EQ(run("sizeHist " + in + " -o -").out, kSizes);
  EXPECT_EQ(run("sizeHist " + in + " -o /dev/stdout").out, kSizes);
  EXPECT_EQ(run("sizeHist " + in + " -o /dev/stderr").err, kSizes);
  EXPECT_EQ(run("sizeHist " + in + " -o /dev/fd/5 5>&1").out, kSizes);
  EXPECT_EQ(run("sizeHist " + in + " -o /dev/stdout | cat").out, kSizes);
  EXPECT_EQ(run("sizeHist " + in + " -o /dev/null").code, 0);
  // What stands before and behind it stays.
  EXPECT_EQ(run("sizeHist --version >/dev/null; echo a; " + std::string(getenv("PERFBOARD_TOOLS")) +
                "/sizeHist " + in + " -o /dev/stdout; echo b")
                .out,
            "a\n" + kSizes + "b\n");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(run("sizeHist " + in + " -o " + pipe + " & cat " + pipe).out, kSizes);
  EXPECT_EQ(folder.list(), "in pipe");
  for (const std::string& place :
       {folder.path.string(), folder.file("none") + "/out", folder.file("in") + "/x"}) {
    const Result r = run("sizeHist " + in + " -o " + place);
    EXPECT_EQ(r.code, 1) << place;
    EXPECT_EQ(r.err.find("sizeHist: " + place + ": "), 0u) << r.err;
  }
  std::filesystem::create_symlink("loop", folder.file("loop"));
  EXPECT_EQ(run("sizeHist " + in + " -o " + folder.file("loop")).code, 1);
  std::filesystem::create_symlink("made", folder.file("dangling"));
  EXPECT_EQ(run("sizeHist " + in + " -o " + folder.file("dangling")).code, 0);
  EXPECT_EQ(Folder::read(folder.file("made")), kSizes);
}

TEST(ToolsOutput, WhatCannotBeWrittenIsSaid) {
  const Folder folder;
  const std::string in = folder.write("in", kTrace);
  for (const std::string arguments : {" -o /dev/full", " >/dev/full", " >&-", " -o /dev/fd/9"}) {
    const Result r = run("sizeHist " + in + arguments);
    EXPECT_EQ(r.code, 1) << arguments;
    EXPECT_EQ(r.err.find("sizeHist: "), 0u) << arguments << r.err;
  }
  // Without standard error, what would go there does not go into the file.
  const std::string out = folder.file("out"),
                    flagged = folder.write("v", "0 06000033 1005D001 37E11D82 12034F\n");
  EXPECT_EQ(run("latHist --ticks " + flagged + " -o " + out + " 2>&-").code, 0);
  EXPECT_EQ(Folder::read(out), "51,1\n");
}

// What a terminal would obey, with what is only to be seen around it.
TEST(ToolsOutput, ForeignTextDoesNothingToATerminal) {
  const std::string evil =
      "n\u00e4 me\x1b]0;t\a\t\u009b2J\x9b\x7f\u202e\u2066\r\xe2\x80 \u2013 \u20ac \U0001f642 "
      "\xe0\x82\x9b\xed\xa0\x80\xf0\x80\x80\x9b\xf4\x90\x80\x80\n";  // overlong, half of a pair, too large
  const std::string seen =
      "n\u00e4 me\\x1b]0;t\\x07\t\\xc2\\x9b2J\\x9b\\x7f\\xe2\\x80\\xae\\xe2\\x81\\xa6\\x0d\\xe2\\x80 \u2013 "
      "\u20ac "
      "\U0001f642 "
      "\\xe0\\x82\\x9b\\xed\\xa0\\x80\\xf0\\x80\\x80\\x9b\\xf4\\x90\\x80\\x80\n";
  int master, terminal, pipe[2];
  termios raw = {};
  ASSERT_EQ(openpty(&master, &terminal, nullptr, &raw, nullptr), 0);
  ASSERT_EQ(::pipe(pipe), 0);
  for (const auto& [from, to, expected] : {std::tuple{master, terminal, seen}, {pipe[0], pipe[1], evil}}) {
    Output out(to, "here");
    out.write(evil);
    out.close();
    char block[256];
    const ssize_t got = ::read(from, block, sizeof block);
    EXPECT_EQ(std::string(block, static_cast<size_t>(std::max<ssize_t>(got, 0))), expected);
  }
  for (int fd : {master, terminal, pipe[0], pipe[1]}) close(fd);
  // A message may come to be seen on one at any time.
  EXPECT_EQ(run("sizeHist \"$(printf '\\033[2J')\"").err, "sizeHist: \\x1b[2J: No such file or directory\n");
}

TEST(ToolsOutput, APipeIsFollowed) {
  // Each result comes while the pipe is still open.
  const std::string second = kTrace.substr(43), csv = "1,2\n";
  const struct {
    const char* command;
    std::string input, output;
  } kTools[] = {
      {"traceFilter", second, second},
      {"rxtVlat --absolute --ticks", second, "5232467346,52\n"},
      {"traceMerge --absolute --ticks", second, "5232467346,0,1,52,1,72\n"},
      {"scale -m 2", csv, "2,2\n"},
      {"hist3dcsv", "00302E 0000000A\n", "3,46,10\n"},
  };
  for (const auto& t : kTools) {
    Running tool(t.command);
    for (int i = 0; i < 3; i++) {
      tool.write(t.input.substr(0, 2));
      tool.write(t.input.substr(2));
      EXPECT_EQ(tool.read(t.output.size()), t.output) << t.command;
    }
    EXPECT_EQ(tool.end(), 0) << t.command;
  }
}

TEST(ToolsOutput, AnEmptyInputIsSaid) {
  for (const char* tool :
       {"hist3dcsv", "histfold -m FF", "latHist", "makeHist", "pageHist", "reduceXY", "rxtVlat", "scale",
        "sizeHist", "traceCheck", "traceFilter", "traceMerge", "traceMerge --perfetto"}) {
    for (const char* input : {"", "# nothing\n\n"}) {
      const Result r = run(tool, input);
      EXPECT_EQ(r.code, 1) << tool;
      EXPECT_TRUE(says(r.err, ": <stdin>: nothing in it\n")) << tool << r.err;
    }
  }
}

TEST(ToolsOutput, HelpTellsTheExitCodes) {
  for (const char* tool : {"scale", "traceFilter", "mkdump", "mkstat"})
    EXPECT_TRUE(says(run(std::string(tool) + " --help").out, "Exit code: 0; 1 if ")) << tool;
}

// guest/tools: the names that a program has are those of its links, and no part of one.
TEST(ToolsOutput, AProgramWithManyNamesSaysWhichAreLegal) {
  const std::filesystem::path tools = getenv("PERFBOARD_TOOLS");
  const Folder folder;
  for (const auto& [program, name] : {std::pair<std::string, std::string>{"perfboard-tools", "scale"},
                                      {"perfboard-host-tools", "mkstat"}}) {
    std::set<std::string> links;
    for (const auto& entry : std::filesystem::directory_iterator(tools))
      if (entry.is_symlink() && read_symlink(entry.path()) == program) links.insert(entry.path().filename());
    EXPECT_EQ(links.count(name), 1u);
    for (const std::string& other : {program, name.substr(0, name.size() - 1), name.substr(1), name + "x"}) {
      std::filesystem::create_symlink(tools / program, folder.file(other));
      const Result r = run("scale --version >/dev/null; " + folder.file(other));
      EXPECT_EQ(r.code, 2) << other;
      const std::string said = other + ": no tool has this name; legal names of links to this program are ";
      ASSERT_EQ(r.err.substr(0, said.size()), said);
      std::set<std::string> legal;
      for (const std::string& word : split(r.err.substr(said.size()), ',')) legal.emplace(trim(word));
      EXPECT_EQ(legal, links) << program;
    }
  }
}

TEST(ToolsOutput, ASelectionThatMatchesNothingIsSaid) {
  const struct {
    const char *options, *complaint;
  } kCases[] = {
      {"--sender 9", "--sender 9: none of 2 entries"},
      {"--latency 1000-", "--latency 1000-: none of 2 entries"},
      {"--page 7fff --size 1", "--page 7fff: none of 2 entries"},
      {"--size 5 --page 7fff", "--size 5: none of 2 entries\ntraceFilter: --page 7fff: none of 2 entries"},
      {"--invert --sender 1", "--invert: all 2 entries are in the ranges"},
  };
  for (const auto& c : kCases) {
    const Result r = run(std::string("traceFilter ") + c.options, kTrace);
    EXPECT_EQ(r.code, 1) << c.options;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "traceFilter: " + std::string(c.complaint) + "\n");
  }
  const std::string senders = kTrace + "000002 08000000 1005D001 37E11D92 0012034F\n";
  fails("traceFilter --sender 2 --latency 5.1-5.2",
        "traceFilter: --sender 2 --latency 5.1-5.2: none of 3 entries is in all\n", senders);
  fails("reduceXY -x 5,6", "reduceXY: --x-range 5,6: none of 2 points\n", "1,2\n7,3\n");
  const Result flagged = run("latHist --skip-flagged", "0 06000033 1005D001 37E11D82 0012034F\n");
  EXPECT_EQ(flagged.code, 1);
  EXPECT_TRUE(says(flagged.err, "latHist: --skip-flagged: no other entries\n")) << flagged.err;
}

// The compiler of firmware/surfboard has no record in common with the utilities, but does the same with its
// files.
TEST(ToolsOutput, Hasc) {
  const Folder folder;
  const std::string hasc = "hasc ", out = folder.write("out", "precious\n");
  const std::string good = folder.write("good", "address[9:0] = size\n"),
                    bad = folder.write("bad", "nonsense\n");
  for (const std::string& input :
       {bad, folder.file("none"), folder.path.string(), std::string("/dev/null")}) {
    EXPECT_EQ(run(hasc + input + " -o " + out).code, 1) << input;
    EXPECT_EQ(Folder::read(out), "precious\n") << input;
  }
  fails(hasc + good + " -o " + good, "hasc: --output: " + good + " is the description: it would be lost\n",
        {}, 2);
  EXPECT_EQ(Folder::read(good), "address[9:0] = size\n");
  fails(hasc, "hasc: -: no assignment (for all packets in one bin: address[0] = 0)\n",
        "# address = latency\n");
  EXPECT_EQ(run(hasc + good + " -o /dev/full").code, 1);
  EXPECT_EQ(run(hasc + good + " >&-").code, 1);
  EXPECT_EQ(run(hasc + good + " -o " + out).code, 0);
  EXPECT_EQ(run("hasd " + out).out, "address[9:0] = size\n");
  EXPECT_EQ(folder.list(), "bad good out");
  EXPECT_EQ(run("hasd", "").code, 1);
  EXPECT_EQ(run("hasd " + out + " >/dev/full").code, 1);
}

TEST(ToolsOutput, AListTakesOneWord) {
  const Folder folder;
  const std::string csv = folder.write("1.csv", "46,7\n"), histogram = folder.write("h", "00ABCD 00000002\n");
  const struct {
    std::string command, output;
  } kCases[] = {
      {"scale -m 0.1,1 " + csv, "4.6,7\n"},
      {"scale -a 0,-5 " + csv, "46,2\n"},
      {"scale -a -5 " + csv, "41,7\n"},
      {"scale -m 0.1 --add 0,1 " + csv, "4.6,8\n"},
      {"scale --multiply=0.1,1 " + csv, "4.6,7\n"},
      {"hist3dcsv -b 4,4,8 " + histogram, "10,11,205,2\n"},
      {"hist3dcsv --bits 24 " + histogram, "43981,2\n"},
      {"reduceXY -x 0,100 " + csv, "46,7\n"},
      {"reduceXY -x -1,100 -y -2,100 " + csv, "46,7\n"},
      {"reduceXY --size 6,4 " + csv, "46,7\n"},
  };
  for (const auto& c : kCases) {
    const Result r = run(c.command);
    EXPECT_EQ(r.code, 0) << c.command << r.err;
    EXPECT_EQ(r.out, c.output) << c.command;
  }
  for (const std::string bad : {"reduceXY -x 1", "reduceXY -y 1,2,3", "reduceXY -s 1", "reduceXY -x 0 100",
                                "scale -m x", "scale -m 1,x", "hist3dcsv -b 4,0"})
    EXPECT_EQ(run(bad, "1 2\n").code, bad == "reduceXY -x 0 100" ? 1 : 2) << bad;  // 100 is a file
}

}  // namespace
}  // namespace perfboard
