// SPDX-License-Identifier: GPL-2.0-or-later
// mkplot draws; how it looks is for the eye.
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/multikron/mktools_fixture.h"

namespace perfboard::mk {
namespace {

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

// Width and height of a PNG file; 0 if it is none.
std::pair<unsigned, unsigned> size_of(const std::string& file) {
  const std::string png = Folder::read(file);
  if (png.size() < 1000 || png.substr(0, 8) != "\x89PNG\r\n\x1a\n") return {};
  const auto number = [&](size_t at) {
    unsigned n = 0;
    for (size_t i = at; i < at + 4; i++) n = n << 8 | static_cast<uint8_t>(png[i]);
    return n;
  };
  return {number(16), number(20)};
}

TEST(MkPlot, BoxesAndColumns) {
  if (system("command -v gnuplot >/dev/null")) GTEST_SKIP() << "no gnuplot";
  const Folder folder;
  for (const unsigned rounds : {40u, 8000u}) {
    const std::string file = folder.write("s", stream(rounds)), png = folder.file("a.png");
    const Result r = plot(file + " -o " + png);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(size_of(png), std::make_pair(1200u, 760u));
  }
  const std::string one = folder.write("one", stream(4)), png = folder.file("b.png");
  EXPECT_EQ(plot("'a=" + one + "' 'b=" + one + "' --width 800 --counters 1 --log -o " + png).code, 0);
  EXPECT_EQ(size_of(png), std::make_pair(800u, 980u));
  // Either half alone.
  const Result states = plot(one + " --counters 9 -o " + png);
  EXPECT_EQ(states.code, 1);
  EXPECT_EQ(states.err, "mkplot: --counters 9: no rates of these counters\n");
  EXPECT_EQ(size_of(png), std::make_pair(1200u, 430u));
  const std::string counters = folder.write(
      "c", StreamText().sample({.stamp = 1, .counters = {1}}).sample({.stamp = 9, .counters = {5}}).bytes);
  EXPECT_EQ(plot(counters + " -o " + png).code, 0);
  EXPECT_EQ(size_of(png), std::make_pair(1200u, 390u));
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
  const Result nowhere = plot(s + " -o " + folder.file("none") + "/x");
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_EQ(nowhere.err, "mkplot: " + folder.file("none") + "/x: No such file or directory\n");
  EXPECT_EQ(plot(s + " -o /dev/full").code, 1);
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
