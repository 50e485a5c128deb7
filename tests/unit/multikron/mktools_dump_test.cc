// SPDX-License-Identifier: GPL-2.0-or-later
// mkdump as a program: its formats, selections, verdict; what all the tools do; and the words of mk.
#include <algorithm>

#include "guest/common/arguments.h"
#include "guest/multikron/cmd/card.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

// At 10 MHz: 1.5 us, 2 us (resource), 40-bit wrap in between the last two.
std::string by_hand() {
  StreamText s;
  s.hardware_reset();
  s.sample({.stamp = 15, .cpu = 1, .source = 0xAB, .data = kEnterData(5, 9)});
  s.sample(
      {.stamp = 20, .cpu = 2, .source = 0xAB, .data = kPointData(6, 1), .flags = 6, .counters = {11, 22}});
  s.software_reset();
  s.sample({.stamp = (1ull << 40) - 1, .cpu = 7, .source = 1, .data = 0x123456789ABC});
  return s.bytes;
}

TEST(MkDump, Text) {
  EXPECT_EQ(run("mkdump --long-gaps --node n3", by_hand()).out,
            "                 -  n3     hardware reset\n"
            "       0.000001500  n3     cpu 1 trace    source 000000ab  enter 5                000009\n"
            "       0.000002000  n3     cpu 2 resource source 000000ab  point 6                000001"
            "  FIFO-OVERRUN  RESOURCE-OVERRUN\n"
            "                    c0          11         22          0          0          0          0       "
            "   0          0\n"
            "                    c8           0          0          0          0          0          0       "
            "   0          0\n"
            "                 -  n3     software reset\n"
            "  109951.162777500  n3     cpu 7 trace    source 00000001  data 123456789abc\n");
}

TEST(MkDump, Csv) {
  const Folder folder;
  const std::string names = folder.write("names", "# what\n5 solve it\n0x6\tpivot\nc1 loads\n");
  EXPECT_EQ(
      run("mkdump --long-gaps --csv --names " + names, by_hand()).out,
      "node,run,time_us,ticks,cpu,type,source,data,kind,id,name,argument,fifo_overrun,resource_overrun,read_"
      "error,"
      "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15\n"
      "0,1,1.500,15,1,trace,171,1099595513865,enter,5,solve it,9,0,0,0,,,,,,,,,,,,,,,,\n"
      "0,1,2.000,20,2,resource,171,3298635546625,point,6,pivot,1,1,1,0,11,22,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
      "0,1,109951162777.500,1099511627775,7,trace,1,20015998343868,,,,,0,0,0,,,,,,,,,,,,,,,,\n");
}

TEST(MkDump, JsonLines) {
  EXPECT_EQ(
      run("mkdump --json --long-gaps --timestamp-hz 16666666 --run 1 --source 0xab", by_hand()).out,
      "{\"node\":\"0\",\"run\":1,\"type\":\"hardware reset\"}\n"
      "{\"node\":\"0\",\"run\":1,\"time_us\":0.900,\"ticks\":15,\"cpu\":1,\"type\":\"trace\",\"source\":171,"
      "\"data\":1099595513865,\"kind\":\"enter\",\"id\":5,\"name\":\"5\",\"argument\":9,\"fifo_overrun\":"
      "false,"
      "\"resource_overrun\":false,\"read_error\":false}\n"
      "{\"node\":\"0\",\"run\":1,\"time_us\":1.200,\"ticks\":20,\"cpu\":2,\"type\":\"resource\",\"source\":"
      "171,"
      "\"data\":3298635546625,\"kind\":\"point\",\"id\":6,\"name\":\"6\",\"argument\":1,\"fifo_overrun\":"
      "true,"
      "\"resource_overrun\":true,\"read_error\":false,\"counters\":[11,22,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}\n"
      "{\"node\":\"0\",\"run\":1,\"type\":\"software reset\"}\n");
}

TEST(MkDump, Selections) {
  // The CPUs of the samples that stay.
  const auto kept = [](const std::string& options) {
    const Result r = run("mkdump --csv --long-gaps " + options, by_hand());
    std::string cpus;
    std::istringstream lines(r.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      size_t at = 0;
      for (int i = 0; i < 4; i++) at = line.find(',', at) + 1;
      cpus += line[at];
    }
    EXPECT_EQ(r.code, cpus.empty() ? 1 : 0) << options << r.err;
    return cpus;
  };
  EXPECT_EQ(kept(""), "127");
  EXPECT_EQ(kept("--cpu 1,3-7"), "17");
  EXPECT_EQ(kept("--type trace"), "17");
  EXPECT_EQ(kept("--type resource"), "2");
  EXPECT_EQ(kept("--source 1"), "7");
  EXPECT_EQ(kept("--source 0xAB-"), "12");
  EXPECT_EQ(kept("--time 1.5-2"), "12");
  EXPECT_EQ(kept("--time 1.6-"), "27");
  EXPECT_EQ(kept("--time -1.9"), "1");
  EXPECT_EQ(kept("--time 109951162777.5"), "7");
  EXPECT_EQ(kept("--run 0"), "");
  EXPECT_EQ(kept("--run 1 --cpu 2"), "2");
}

TEST(MkDump, CheckOfAGoodStream) {
  const Result r = run("mkdump --check --long-gaps", by_hand());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out,
            "<stdin>: good\n"
            "  samples                                      3\n"
            "    trace                                      2\n"
            "    resource                                   1\n"
            "    of CPU 1                                   1\n"
            "    of CPU 2                                   1\n"
            "    of CPU 7                                   1\n"
            "  FIFO overrun flags                           1\n"
            "  resource overrun flags                       1\n"
            "  read error flags (an error)                  0\n"
            "  hardware resets                              1\n"
            "  software resets                              1\n"
            "  samples cut off by resets                    0\n"
            "  begins within a sample                       0\n"
            "  parity errors                                0\n"
            "  framing: end flags                           0\n"
            "  framing: sample types                        0\n"
            "  framing: words                               0\n"
            "  Timestamp goes back                          0\n"
            "  ends within a sample                         0\n"
            "  ends within a word                           0\n");
}

TEST(MkDump, CheckNamesEachKindOfDamage) {
  const auto sample = [](uint64_t stamp) { return StreamText().sample({.stamp = stamp}); };
  const struct {
    std::string bytes, row;  // of which there is one
    int code;
  } kCases[] = {
      {sample(1).flip(3, 1).bytes, "parity errors", 1},
      {(sample(1) += sample(2).erase(3)).bytes, "framing: end flags", 1},
      {(sample(1) += StreamText().raw({0})).bytes, "framing: sample types", 1},
      {(sample(1) += sample(2).flip(4, 1u << 12)).bytes, "framing: words", 1},
      {(sample(1) += StreamText().event(77)).bytes, "framing: words", 1},
      {(sample(2) += sample(1)).bytes, "Timestamp goes back", 1},
      {(sample(1) += sample(2).erase(9, 7)).bytes, "ends within a sample", 1},
      {sample(1).bytes + "x", "ends within a word", 1},
      {StreamText().sample({.flags = MK_HEADER_RSRC_READ_ERROR}).bytes, "read error flags (an error)", 1},
      {(sample(1).erase(0, 3) += sample(2)).bytes, "begins within a sample", 0},
      {(sample(1).erase(9, 7).hardware_reset() += sample(2)).bytes, "samples cut off by resets", 0},
      {StreamText().sample({}).raw({0}).bytes, "samples", 1},
  };
  for (const auto& c : kCases) {
    const Result r = run("mkdump --check", c.bytes);
    EXPECT_EQ(r.code, c.code) << c.row;
    EXPECT_TRUE(says(r.out, "\n  " + c.row + std::string(45 - c.row.size(), ' ') + "1\n")) << c.row << r.out;
    EXPECT_EQ(r.out.find(c.code ? "<stdin>: BAD\n" : "<stdin>: good\n"), 0u) << r.out;
    const bool told = r.err.find("mkdump: <stdin>: byte ") == 0;
    EXPECT_EQ(told, !c.bytes.empty() && !says(c.row, "read error")) << r.err;
  }
}

TEST(MkDump, GoesOnAfterDamage) {
  StreamText s =
      StreamText().hardware_reset().sample({.stamp = 1, .data = 1}).sample({.stamp = 2, .data = 2});
  s.sample({.stamp = 3, .data = 3}).flip(20, 4);
  const Result r = run("mkdump", s.bytes);
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(says(r.out, "data 000000000001"));
  EXPECT_FALSE(says(r.out, "data 000000000002"));
  EXPECT_TRUE(says(r.out, "data 000000000003"));
  EXPECT_EQ(
      r.err,
      "mkdump: <stdin>: byte 40: element 0x0104: even parity\nmkdump: <stdin>: 1 error in the stream\n");
}

TEST(MkDump, ManyFaultsAreSummedUp) {
  StreamText s;
  s.hardware_reset();
  for (unsigned i = 0; i < 25; i++) s.raw({0});
  const std::string said = complaint_of("mkdump", s.bytes);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 12);
  EXPECT_TRUE(
      says(said, "mkdump: <stdin>: 15 more of that kind\nmkdump: <stdin>: 25 errors in the stream\n"));
}

TEST(MkTools, HelpFilesAndRefusals) {
  const Folder folder;
  const std::string file = folder.write("s", by_hand()), bad = folder.write("bad", "1 ok\n70000 no\n");
  for (const std::string n : {"mkdump", "mkmerge", "mkstat", "mk2trace", "mkcollect"}) {
    EXPECT_TRUE(says(run(n + " --help").out, "--timestamp-hz")) << n;
    EXPECT_EQ(run(n + " --version").out.find(n + " (Perfboard) "), 0u);
    EXPECT_EQ(run(n + " --nonsense").code, 2);
    for (const char* option : {"--timestamp-hz 0", "--timestamp-hz x", "--cpu 3-1", "--type both", "--time x",
                               "--time 3-2", "--source 1-2-3"})
      EXPECT_EQ(run(n + " " + option, by_hand()).code, 2) << n << option;
    const std::string wanted = run(n + " --long-gaps " + file).out;
    EXPECT_EQ(run(n + " --long-gaps -", by_hand()).out, wanted) << n;
    EXPECT_EQ(run(n + " --long-gaps 0=" + file).out, wanted) << n;
    EXPECT_EQ(run(n + " --long-gaps " + file + " -o " + folder.file("out")).out, "");
    EXPECT_EQ(Folder::read(folder.file("out")), wanted);
    EXPECT_EQ(complaint_of(n + " " + folder.file("none")),
              n + ": " + folder.file("none") + ": No such file or directory\n");
    EXPECT_EQ(complaint_of(n + " --names " + bad, by_hand()),
              n + ": " + bad + ":2: '70000': expected a number of 0-65535, or c0-c15 for a counter\n");
    EXPECT_EQ(run(n, "xxx").code, 1);
  }
  EXPECT_EQ(run("mkdump --node 'a b'", "").code, 2);
  EXPECT_EQ(run("mkdump --csv --json", "").code, 2);
  EXPECT_EQ(run("mkdump " + file + " " + file).code, 2);
  EXPECT_EQ(run("mkmerge a=" + file + " a=" + file).code, 2);
  EXPECT_EQ(run("mkmerge - -", "").code, 2);
}

// --- what users write to the command mk ----------------------------------------------------------

TEST(MkWords, Sets) {
  EXPECT_EQ(parse_set("all"), 0xffff);
  EXPECT_EQ(parse_set("none"), 0);
  EXPECT_EQ(parse_set("0x39"), 0x39);
  EXPECT_EQ(parse_set("0,3-5"), 0x39);
  EXPECT_EQ(parse_set("12-"), 0xf000);
  EXPECT_EQ(parse_set("15"), 0x8000);
  for (const char* text : {"", "16", "0-16", "5-3", "1,", "x", "-"})
    EXPECT_THROW(parse_set(text), UsageError) << text;
  EXPECT_THROW(parse_set("0x10000"), Misuse);
  for (uint32_t set = 0; set <= 0xffff; set += 7) {
    const auto now = static_cast<uint16_t>(set);
    EXPECT_EQ(parse_set(set_text(now)), now);
  }
}

TEST(MkWords, Numbers) {
  EXPECT_EQ(legal_number("0xFFFFffff", UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(legal_number("7", 7), 7u);
  for (const char* text : {"8", "", "-1", "0x", "seven"}) EXPECT_THROW(legal_number(text, 7), Misuse) << text;
}

TEST(MkWords, Csr) {
  EXPECT_EQ(parse_csr("sampling"), MKR_CSR_SE);
  EXPECT_EQ(parse_csr("0x10"), 0x10u);
  for (const char* text : {"samplin", "", "1x", "-1"}) EXPECT_THROW(parse_csr(text), Misuse) << text;
}

TEST(MkWords, InputsByTheShownWordAndThePapers) {
  for (const char* text : {"ext", "external"}) EXPECT_EQ(parse_input(text), MKR_MUX_EXTERNAL);
  for (const char* text : {"soft", "software"}) EXPECT_EQ(parse_input(text), MKR_MUX_SOFTWARE);
  for (unsigned input = 0; input < 4; ++input) EXPECT_EQ(parse_input(std::string(input_name(input))), input);
  EXPECT_EQ(refusal([] { parse_input("exter"); }),
            "exter: legal are slow, ext (external), soft (software), node");
}

// --- what all the tools do with pipes, empty streams and selections; with files: tools_output_test.cc -----

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
    EXPECT_TRUE(says(complaint_of(arguments, {}, 2), " is an input: it would be lost\n")) << arguments;
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
    EXPECT_EQ(complaint_of(tool), tool + ": <stdin>: the stream is empty\n");
    EXPECT_EQ(complaint_of(tool, StreamText().hardware_reset().bytes),
              tool + ": <stdin>: no samples in the stream\n");
  }
  for (const std::string& stream : {std::string(), StreamText().hardware_reset().bytes})
    EXPECT_TRUE(output_of("mkdump --check", stream, 1).starts_with("<stdin>: EMPTY\n"));
  // One of several.
  const Folder folder;
  EXPECT_TRUE(says(complaint_of("mkmerge " + folder.write("s", small()) + " " + folder.write("e", "")),
                   "/e: the stream is empty\n"));
}

TEST(MkOutput, ASelectionThatMatchesNothingIsSaid) {
  for (const std::string tool : kTools) {
    for (const std::string words : {"--cpu 2-7", "--source 0x70", "--type resource", "--time 5-6", "--run 5"})
      EXPECT_EQ(complaint_of(tool + " " + words, small()), tool + ": " + words + ": none of 2 samples\n");
    EXPECT_EQ(complaint_of(tool + " --cpu 1 --run 9", small()), tool + ": --run 9: none of 2 samples\n");
    EXPECT_EQ(run(tool + " --cpu 1 --source 7 --time 1-3", small()).code, 0);
  }
  StreamText s;
  s.sample({.stamp = 1, .cpu = 1, .source = 5}).sample({.stamp = 2, .cpu = 2, .source = 6});
  EXPECT_EQ(run("mkdump --cpu 1 --source 6", s.bytes).err,
            "mkdump: --cpu 1 --source 6: none of 2 samples is in all\n");
  EXPECT_EQ(complaint_of("mkstat --histogram 9", small()),
            "mkstat: --histogram 9: no visits of this state\n");
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
