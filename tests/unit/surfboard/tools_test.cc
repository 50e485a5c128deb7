// SPDX-License-Identifier: GPL-2.0-or-later
// The file formats of B.2.2, and the utilities; files computed by hand.
#include <fmt/format.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "guest/surfboard/host/trace_file.h"
#include "guest/surfboard/regs.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard {
namespace {

// A trace file by hand.
struct Sample {
  uint32_t sender, latency, size, page;
  uint64_t time;
  uint32_t flags = 0;  // SURF_TRACE0_V, SURF_TRACE0_U
  uint32_t category = 0, color = 0;
};

std::string trace_of(const std::vector<Sample>& samples) {
  std::string text;
  uint32_t index = 0;
  for (const Sample& s : samples)
    text += fmt::format("{:06X} {:08X} {:08X} {:08X} {:08X}\n", index++, s.sender << 26 | s.flags | s.latency,
                        s.category << SURF_TRACE1_CATEGORY_SHIFT | (s.size & 1023) << 18 |
                            s.color << SURF_TRACE1_COLOR_SHIFT | static_cast<uint32_t>(s.time >> 32),
                        static_cast<uint32_t>(s.time), s.page << 14 | 0xF);
  return text;
}

TEST(ToolsFile, TraceWordsAsInA7) {
  const TraceEntry e{0, {0x27000035, 0xA0C7F123, 0x89ABCDEF, 0x9FFFFFF5}};
  EXPECT_EQ(e.sender(), 9u);
  EXPECT_TRUE(e.overflow());
  EXPECT_TRUE(e.underflow());
  EXPECT_EQ(e.latency(), 0x35u);
  EXPECT_EQ(e.category(), 0xAu);
  EXPECT_EQ(e.size(), 0x31u);
  EXPECT_EQ(e.color(), 0x3Fu);
  EXPECT_EQ(e.receive_time(), 0x12389ABCDEFu);
  EXPECT_TRUE(e.interrupt());
  EXPECT_EQ(e.presence(), 0u);
  EXPECT_EQ(e.address(), 0x7FFFFFCu);
  EXPECT_EQ(e.page(), 0x7FFFu);
  EXPECT_EQ(e.byte_enables(), 5u);
  const TraceEntry absent{0, {0, 0, 0, 0x60000000}};
  EXPECT_EQ(absent.presence(), 3u);
  EXPECT_FALSE(absent.interrupt());
  EXPECT_EQ(absent.address(), 0u);
  EXPECT_EQ(absent.size(), 1024u);
}

TEST(ToolsFile, CommentsBlanksAndLooseSpacing) {
  const Folder folder;
  Input in(folder.write("t",
                        "# heading\n\n   \t\n"
                        "00000A 00000001 00000002 00000003 00000004\n"
                        "  b\t1  2 3 DeadBeef# no blank before this\r\n"
                        "#\n3FFFFF FFFFFFFF 0 0 0"));
  TraceEntry e;
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0xA, {1, 2, 3, 4}}));
  EXPECT_EQ(in.number(), 4u);
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0xB, {1, 2, 3, 0xDEADBEEF}}));
  ASSERT_TRUE(read(in, e));
  EXPECT_EQ(e, (TraceEntry{0x3FFFFF, {0xFFFFFFFF, 0, 0, 0}}));
  EXPECT_FALSE(read(in, e));
  EXPECT_FALSE(read(in, e));
}

template <typename Record>
std::string error_of(const std::string& file) {
  try {
    Input in(file);
    for (Record r; read(in, r);) {
    }
  } catch (const FileError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ToolsFile, MalformedLinesAreNamed) {
  const Folder folder;
  const std::string t = folder.file("t");
  const struct {
    const char *line, *error;
  } traces[] = {
      {"1 2 3 4", "4 fields where a line is a 6-digit index and four 8-digit words"},
      {"1 2 3 4 5 6", "6 fields where a line is a 6-digit index and four 8-digit words"},
      {"x", "1 field where a line is a 6-digit index and four 8-digit words"},
      {"1234567 0 0 0 0", "the index is '1234567': expected 6 hexadecimal digits"},
      {"1 0 0 123456789 0", "word 2 is '123456789': expected 8 hexadecimal digits"},
      {"1 0 0x1 0 0", "word 1 is '0x1': expected 8 hexadecimal digits"},
      {"1 \x01\xFF 0 0 0", "word 0 is '\?\?': expected 8 hexadecimal digits"},
  };
  for (const auto& c : traces) {
    folder.write("t", std::string("# one\n1 2 3 4 5\n") + c.line + "\n");
    EXPECT_EQ(error_of<TraceEntry>(t), t + ":3: " + c.error);
  }
  folder.write("t", "1 2\n1 2 3\n");
  EXPECT_EQ(error_of<HistogramBin>(t),
            t + ":2: 3 fields where a line is a 6-digit bin address and an 8-digit count");
  folder.write("t", "1 -2\n");
  EXPECT_EQ(error_of<HistogramBin>(t), t + ":1: the count is '-2': expected 8 hexadecimal digits");
  EXPECT_EQ(error_of<TraceEntry>(folder.file("none")), folder.file("none") + ": No such file or directory");
  EXPECT_EQ(error_of<TraceEntry>(folder.path.string()), folder.path.string() + ": Is a directory");
}

TEST(ToolsFile, RoundTripAcrossBlocks) {
  const Folder folder;
  const std::string file = folder.file("t");
  const auto made = [](uint32_t i) { return TraceEntry{i, {i * 2654435761u, ~i, i << 7, i}}; };
  constexpr uint32_t kEntries = 60000;  // 2.5 MB: several blocks
  {
    Output out(file);
    for (uint32_t i = 0; i < kEntries; i++) write(out, made(i));
    out.close();
  }
  EXPECT_EQ(Folder::read(file).size(), kEntries * 43u);
  Input in(file);
  TraceEntry e;
  for (uint32_t i = 0; i < kEntries; i++) {
    ASSERT_TRUE(read(in, e));
    ASSERT_EQ(e, made(i));
  }
  EXPECT_FALSE(read(in, e));
}

TEST(ToolsFile, LinesLongerThanABlock) {
  const Folder folder;
  Input in(folder.write("t", "#" + std::string(3 << 20, 'x') + "\n000001 00000002\n"));
  HistogramBin bin;
  ASSERT_TRUE(read(in, bin));
  EXPECT_EQ(bin, (HistogramBin{1, 2}));
  EXPECT_EQ(in.number(), 2u);
}

TEST(ToolsFile, HistogramAndFifoText) {
  const Folder folder;
  Output out(folder.file("h"));
  write(out, HistogramBin{0xABCDEF, 0x12});
  write_fifo(out, 0x1F);
  out.close();
  EXPECT_EQ(Folder::read(folder.file("h")), "ABCDEF 00000012\n00001F\n");
  Input in(folder.write("f", "1F # x\n\nabcdef\n"));
  uint32_t address;
  ASSERT_TRUE(read_fifo(in, address));
  EXPECT_EQ(address, 0x1Fu);
  ASSERT_TRUE(read_fifo(in, address));
  EXPECT_EQ(address, 0xABCDEFu);
  EXPECT_FALSE(read_fifo(in, address));
}

// --- the utilities of B.2.2, against files computed by hand ------------------------------

// sender, latency, size, page, time
const std::string kTrace =
    "# a run\n\n" + trace_of({{1, 46, 1, 0x120, 0x100000000 - 10},
                              {1, 53, 1024, 0x120, 0x100000000 + 25},
                              {2, 46, 3, 0x7FFF, 0x100000000 + 20},
                              {1, 0xFFFFFF, 3, 0x121, 0x100000000 + 400, SURF_TRACE0_V},
                              {63, 0, 1, 0x120, 0x100000000 + 500, SURF_TRACE0_U}});

struct Printed {
  const char* command;
  std::string output, input = kTrace;
};
void prints(std::initializer_list<Printed> rows) {
  for (const Printed& r : rows) EXPECT_EQ(run(r.command, r.input).out, r.output) << r.command;
}

TEST(ToolsUtility, EveryOneKnowsHelpAndRefusesNonsense) {
  for (const char* name : {"hist3dcsv", "histfold", "latHist", "makeHist", "pageHist", "reduceXY", "rxtVlat",
                           "scale", "sizeHist", "traceCheck", "traceFilter", "traceMerge"}) {
    const Result help = run(std::string(name) + " --help");
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_TRUE(says(help.out, "--output")) << name;
    EXPECT_EQ(run(std::string(name) + " --version").out.find(std::string(name) + " (Perfboard) "), 0u);
    EXPECT_EQ(run(std::string(name) + " --nonsense").code, 2) << name;
    const std::string mask = name == std::string("histfold") ? " -m FF" : "";
    const Result bad = run(name + mask, "# nothing\n\nwhat is this\n");
    EXPECT_EQ(bad.code, std::string(name) == "scale" ? 0 : 1) << name;  // a heading
    if (bad.code) {
      EXPECT_EQ(bad.err.find(std::string(name) + ": <stdin>:3: "), 0u) << bad.err;
    }
  }
}

TEST(ToolsUtility, FilesAsArguments) {
  const Folder folder;
  const std::string in = folder.write("in", kTrace), out = folder.file("out");
  const Result r = run("sizeHist " + in + " -o " + out);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(Folder::read(out), "1,2\n3,2\n1024,1\n");
  EXPECT_EQ(run("sizeHist " + folder.file("none")).code, 1);
  fails("sizeHist " + in + " -o /dev/full", "sizeHist: /dev/full: No space left on device\n");
}

TEST(ToolsUtility, TraceCheck) {
  prints({{"traceCheck",
           "Records:                5\n"
           "Receive time decreases: 1\n"
           "Latency overflows:      1\n"
           "Latency underflows:     1\n"
           "Records by sender ID:\n"
           "  01 3\n"
           "  02 1\n"
           "  3F 1\n"},
          {"traceCheck",
           "Records:                0\n"
           "Receive time decreases: 0\n"
           "Latency overflows:      0\n"
           "Latency underflows:     0\n"
           "Records by sender ID:\n",
           ""}});
}

TEST(ToolsUtility, TraceFilter) {
  // The entries of kTrace that stay, by their index.
  const auto kept = [](const std::string& options) {
    const Result r = run("traceFilter " + options, kTrace);
    EXPECT_EQ(r.code, 0) << r.err;
    std::istringstream lines(r.out);
    std::string indices;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(says(kTrace, line + "\n"));
      indices += line[5];
    }
    return indices;
  };
  EXPECT_EQ(kept(""), "01234");
  EXPECT_EQ(kept("--sender 1"), "013");
  EXPECT_EQ(kept("--sender 2-0x3F"), "24");
  EXPECT_EQ(kept("--latency 4.6-5.3"), "012");
  EXPECT_EQ(kept("--latency 4.7-"), "13");
  EXPECT_EQ(kept("--latency 46-52 --ticks"), "02");
  EXPECT_EQ(kept("--latency 18-20 --lat-s 1"), "02");
  EXPECT_EQ(kept("--size -3"), "0234");
  EXPECT_EQ(kept("--size 1024"), "1");
  EXPECT_EQ(kept("--page 120-121"), "0134");
  EXPECT_EQ(kept("--page 7fff-"), "2");
  EXPECT_EQ(kept("--sender 1 --size 1-3"), "03");
  EXPECT_EQ(kept("--sender 1 --size 1-3 --invert"), "124");
  for (const char* bad :
       {"--size 3-1", "--size -", "--size x", "--page 12g", "--latency 4.65", "--sender 1-2-3"}) {
    const Result r = run(std::string("traceFilter ") + bad, kTrace);
    EXPECT_EQ(r.code, 2) << bad;
    EXPECT_TRUE(says(r.err, "expected LO-HI")) << r.err;
  }
}

TEST(ToolsUtility, LatencyHistogram) {
  prints({{"latHist", "0.0,1\n4.6,2\n5.3,1\n1677721.5,1\n"},
          {"latHist --skip-flagged --ticks", "46,2\n53,1\n"},
          {"latHist --skip-flagged -w 10", "4.0,2\n5.0,1\n"},
          {"latHist --skip-flagged --lat-s 2", "73.6,2\n84.8,1\n"}});
  fails("latHist",
        "latHist: 2 entries with a latency overflow or underflow counted at the latency they were given\n",
        kTrace, 0);
}

TEST(ToolsUtility, PageHistogram) {
  prints({{"pageHist", "288,3\n289,1\n32767,1\n"}, {"pageHist --hex", "120,3\n121,1\n7FFF,1\n"}});
}

TEST(ToolsUtility, ReceiveTimeAgainstLatency) {
  prints({{"rxtVlat", "0.0,4.6\n3.5,5.3\n3.0,4.6\n41.0,1677721.5\n51.0,0.0\n"},
          {"rxtVlat --ticks", "0,46\n35,53\n30,46\n410,16777215\n510,0\n"}});
  EXPECT_EQ(run("rxtVlat --ticks --absolute", kTrace).out.substr(0, 13), "4294967286,46");
  EXPECT_EQ(run("rxtVlat", trace_of({{0, 1, 1, 0, 50}, {0, 1, 1, 0, 20}})).out, "0.0,0.1\n-3.0,0.1\n");
}

TEST(ToolsUtility, RxtVlatCutsLinesAfter80Characters) {
  const std::string entry = trace_of({{0, 7, 1, 0, 0}});
  const std::string record = entry.substr(0, entry.size() - 1);  // 42 characters
  ASSERT_EQ(record.size(), 42u);
  EXPECT_EQ(run("rxtVlat", record + std::string(38, ' ') + "rubbish\n").out, "0.0,0.7\n");
  fails("rxtVlat", "rxtVlat: <stdin>:1: 6 fields where a line is a 6-digit index and four 8-digit words\n",
        record + std::string(37, ' ') + "rubbish\n");
  EXPECT_EQ(run("traceCheck", record + std::string(38, ' ') + "rubbish\n").code, 1);
  EXPECT_EQ(run("rxtVlat", std::string(81 - 42, ' ') + record + "\n").code, 0);  // the last word lost a digit
  EXPECT_EQ(run("rxtVlat /dev/null").code, 2);                                   // standard input only
}

TEST(ToolsUtility, MakeHist) {
  prints({{"makeHist",
           "000035 00000001\n"  // 1024 words: size 0
           "001000 00000001\n"
           "00102E 00000001\n"
           "00302E 00000001\n"
           "003FFF 00000001\n"}});  // the low 12 bits of the latency
}

TEST(ToolsUtility, HistFold) {
  const std::string histogram = "# h\n001001 00000001\n002001 00000002\n\n002002 FFFFFFFF\n800001 00000004\n";
  prints({{"histfold -m FFF", "000001 00000007\n000002 FFFFFFFF\n", histogram},
          {"histfold -m 0xF00000", "000000 00000001\n800000 00000004\n", "1 1\n800001 4\n"}});
  fails("histfold -m 0", "histfold: <stdin>:2: the sum at 000000 needs more than 32 bits\n",
        "1 FFFFFFFF\n2 1\n");
  EXPECT_EQ(run("histfold", histogram).code, 2);
  EXPECT_EQ(run("histfold -m 1000000", histogram).code, 2);
}

TEST(ToolsUtility, Hist3dCsv) {
  prints({{"hist3dcsv", "3,46,10\n1023,4095,1\n", "00302E 0000000A\n3FFFFF 00000001\n"},
          {"hist3dcsv --bits 4,4,8", "10,11,205,2\n", "00ABCD 00000002\n"},
          {"hist3dcsv --bits 24", "16777215,4294967295\n", "FFFFFF FFFFFFFF\n"}});
  fails("hist3dcsv", "hist3dcsv: <stdin>:2: bin address 400000 has more than the 22 bits of the fields\n",
        "1 1\n400000 1\n");
  EXPECT_EQ(run("hist3dcsv --bits 20,5", "").code, 2);
}

TEST(ToolsUtility, Scale) {
  prints({{"scale -m 0.1,1 -a 0,-5", "4.6,2,x\n5.3,3\n", "46,7,x\n# c\n 53 , 8\n"},
          {"scale -m 1000", "time,latency\n500,2\n", "time,latency\n0.5,2\n"}});
  fails("scale -m 2", "scale: <stdin>:3: 'x': expected a number\n", "1\n2\nx\n");
}

TEST(ToolsUtility, ReduceXY) {
  // One inch at 10 dots: dots of width 1 in X and of height 10 in Y.
  prints({{"reduceXY -x 0,10 -y 0,100 -s 1,1 -r 10", "0.1,5\n0.1,15\n1.1,5\n10,100\n",
           "0.1,5\n0.9,9.5\n0.1,15\n1.1,5\n10,100\n9.5,95\n11,5\n1,101\n-0.1,5\n"},
          {"reduceXY -s 1,1 -r 2 --histogram", "0,3\n6,1110\n", "0,1\n4,2\n6,10\n5,100\n10,1000\n"},
          {"reduceXY", "3,4\n", "3,4\n3,4\n"}});  // ranges from the data: a single dot
  EXPECT_EQ(run("reduceXY", "1,2,3\n").code, 1);
  EXPECT_EQ(run("reduceXY -x 5,5", "1,2\n").code, 2);
}

// The rightmost field of each line of CSV or of a histogram file is a count.
uint64_t sum_of_counts(const std::string& text, int base) {
  uint64_t sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    sum += std::stoull(line.substr(line.find_last_of(", ") + 1), nullptr, base);
  return sum;
}

TEST(ToolsUtility, EveryPacketIsCountedFromTheTraceToTheCsv) {
  constexpr uint32_t kPackets = 3000;
  std::vector<Sample> samples;
  uint32_t x = 1;
  const auto next = [&x](uint32_t n) { return (x = x * 1664525 + 1013904223) >> 8 & (n - 1); };
  for (uint32_t i = 0; i < kPackets; ++i)
    samples.push_back(
        {next(4), next(1 << 13), i % 50 ? 1 + next(1 << next(16) % 11) : 1024, next(64), uint64_t{i} * 100});
  const std::string trace = trace_of(samples);
  for (const char* utility : {"latHist", "latHist --width 7", "sizeHist", "pageHist"})
    EXPECT_EQ(sum_of_counts(run(utility, trace).out, 10), kPackets) << utility;

  const std::string histogram = run("makeHist", trace).out;
  EXPECT_EQ(sum_of_counts(histogram, 16), kPackets);
  for (const char* mask : {"3FFFFF", "3FF000", "FFF", "3C0F00", "0"}) {
    const std::string folded = run(std::string("histfold -m ") + mask, histogram).out;
    EXPECT_EQ(sum_of_counts(folded, 16), kPackets) << mask;
    EXPECT_EQ(sum_of_counts(run("hist3dcsv --bits 10,12", folded).out, 10), kPackets) << mask;
  }
  // Folded onto the size it is what sizeHist says, but for 1024 words, whose bin is 0.
  std::string sizes = run("sizeHist", trace).out;
  const size_t full = sizes.find("1024,");
  ASSERT_NE(full, std::string::npos);
  sizes = "0," + sizes.substr(full + 5) + sizes.substr(0, full);
  const Folder folder;
  const std::string tools = getenv("PERFBOARD_TOOLS");
  const std::string fold =
      "histfold -m 3FF000 " + folder.write("h", histogram) + " | " + tools + "/hist3dcsv --bits 10,12 | ";
  EXPECT_EQ(run(fold + "sed 's/,0,/,/'").out, sizes);
  EXPECT_EQ(
      sum_of_counts(
          run(fold + "cut -d, -f1,3 | " + tools + "/reduceXY --histogram --size 1,1 --resolution 10").out,
          10),
      kPackets);
}

// --- traceMerge: Python's own JSON reader and a check of slices and arrows read its timeline ---

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

// What timeline_check.py makes of a timeline.
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
          "/tests/unit/common/timeline_check.py <" + json);
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
    fails(std::string("traceMerge ") + options + back + " " + a + " -o " + out,
          "traceMerge: " + back + ":3: receive time goes back; traceCheck tells how often\n");
    EXPECT_EQ(Folder::read(out), "precious\n");
  }
  EXPECT_TRUE(says(run("traceCheck " + back).out, "Receive time decreases: 1\n"));
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
  for (const char* options : {"", "--perfetto "})
    fails(std::string("traceMerge ") + options + a + " " + b + " -o /dev/full",
          "traceMerge: /dev/full: No space left on device\n");
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
  // Each packet's words, at its sender and at its receiver.
  const std::string x0 = " sender 1 receiver 0 index 0 size 1 page 288 category 10 color 63 latency_us 4.6\n";
  const std::string x1 = " sender 7 receiver 0 index 1 size 1024 page 3 category 0 color 0 latency_us 0.5\n";
  const std::string x2 = " sender 0 receiver 0 index 2 size 2 page 4 category 0 color 0 latency_us 3.0\n";
  const std::string y0 = " sender 0 receiver 1 index 0 size 3 page 5 category 0 color 0 latency_us 4.0\n";
  const std::string y1 = " sender 0 receiver 1 index 1 size 3 page 5 category 0 color 0 latency_us 4.0\n";
  EXPECT_EQ(seen(x + " 1=" + y),
            "node 0, node 1, node 7, no trace\n"
            "node 1, sent: to 0 5.400-5.500" +
                x0 + "node 0, received: from 1 10.000-10.100" + x0 + "node 0, sent: to 0 10.000-10.100" + x2 +
                "node 0, sent: to 1 10.000-10.100" + y0 + "node 0, sent: to 1 10.000-10.100" + y1 +
                "node 1, sent -> node 0, received: 5.400 to 10.000\n"
                "node 7, no trace, sent: to 0 12.500-12.600" +
                x1 + "node 0, received: from 7 13.000-13.100" + x1 +
                "node 0, received: from 0 13.000-13.100" + x2 +
                "node 7, no trace, sent -> node 0, received: 12.500 to 13.000\n"
                "node 0, sent -> node 0, received: 10.000 to 13.000\n"
                "node 1, received: from 0 14.000-14.100" +
                y0 + "node 1, received: from 0 14.000-14.100" + y1 +
                "node 0, sent -> node 1, received: 10.000 to 14.000\n"
                "node 0, sent -> node 1, received: 10.000 to 14.000\n");
  std::string notes;
  EXPECT_TRUE(says(seen("--lat-s 1 0=" + x, &notes), "node 7, no trace, sent: to 0 11.000-11.100 "));
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
      "node 1, no trace, sent: to 0 0.000-0.100 sender 1 receiver 0 index 3 size 1 page 2 category 0 color 0 "
      "latency_us 40.0\n"
      "node 0, received: from 1 10.000-10.100 sender 1 receiver 0 index 0 size 1 page 2 category 0 color 0 "
      "latency_flag overflow\n"
      "node 0, received: from 1 20.000-20.100 sender 1 receiver 0 index 1 size 1 page 2 category 0 color 0 "
      "latency_flag underflow\n"
      "node 0, received: from 1 30.000-30.100 sender 1 receiver 0 index 2 size 1 page 2 category 0 color 0 "
      "latency_us 30.1\n"
      "node 0, received: from 1 40.000-40.100 sender 1 receiver 0 index 3 size 1 page 2 category 0 color 0 "
      "latency_us 40.0\n"
      "node 1, no trace, sent -> node 0, received: 0.000 to 40.000\n");
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
