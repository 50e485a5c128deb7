// SPDX-License-Identifier: GPL-2.0-or-later
//
// inspect.h: log files that boards share, what a user can give wrongly, and a disk that is full. What is made
// of an access and of what happens meanwhile: parts, lines of text, JSON, and who gets to hear of it.
#include "hw/inspect/inspector.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "hw/inspect/inspect.h"
#include "hw/inspect/text.h"
#include "tests/unit/common/tools_fixture.h"
#include "tests/unit/inspect/small_board.h"

namespace perfboard::inspect {
namespace {

class InspectCTest : public testing::Test {
 protected:
  PbInspect* board(const char* unit) {
    const PbInspectBoard b = small_inspected(model, unit);
    return pb_inspect_new(&b);
  }
  std::string path(const char* name) const { return folder.file(name); }
  bool log(PbInspect* in, const std::string& file, const char* format, uint64_t size = PB_INSPECT_LOG_SIZE) {
    return pb_inspect_log(in, file.c_str(), format, size, why, sizeof why);
  }
  PbInspect* logged(const char* file, const char* format = "text", uint64_t size = PB_INSPECT_LOG_SIZE,
                    const char* unit = "2") {
    PbInspect* const in = board(unit);
    EXPECT_TRUE(log(in, path(file), format, size)) << why;
    return in;
  }
  // A board whose log is named "-".
  PbInspect* streamed(const char* format) {
    heard.clear();
    PbInspectBoard b = small_inspected(model);
    b.log = [](const char* text, size_t bytes) { heard.append(text, bytes); };
    PbInspect* const in = pb_inspect_new(&b);
    EXPECT_TRUE(log(in, "-", format)) << why;
    return in;
  }
  std::string contents(const char* name = "log") const {
    pb_inspect_flush();
    return Folder::read(path(name));
  }
  static void write_ctrl(PbInspect* in, uint32_t value) {
    const PbInspectAccess a = small_access(1, 0, 4, true, value);
    pb_inspect_begin(in, &a);
    pb_inspect_end(in, 0);
  }

  static inline SmallBoard model;
  static inline std::string heard;  // of the log named "-", which all boards share
  Folder folder;
  char why[PB_INSPECT_WHY] = "";
};

TEST_F(InspectCTest, TwoBoardsOneFile) {
  PbInspect *first = board("2"), *second = board("3");
  EXPECT_FALSE(pb_inspect_looking(first));
  ASSERT_TRUE(log(first, path("log"), nullptr)) << why;
  std::filesystem::create_symlink(path("log"), path("link"));
  ASSERT_TRUE(log(second, path("link"), "text")) << why;
  EXPECT_TRUE(pb_inspect_looking(first));
  write_ctrl(first, 1);
  write_ctrl(second, 2);
  const std::string all = contents();
  EXPECT_TRUE(says(all, " small@2      CTRL <- 00000001\n")) << all;
  EXPECT_TRUE(says(all, " small@3      CTRL <- 00000002\n")) << all;
  EXPECT_FALSE(log(board("4"), path("log"), "json"));
  EXPECT_EQ(why, "log-format=json: another board's log= names the same file (" + path("log") +
                     ") with log-format=text; a file has one format");
  EXPECT_FALSE(log(board("4"), path("log"), "text", 0));
  EXPECT_EQ(why, "log-size=0: another board's log= names the same file (" + path("log") +
                     ") with log-size=268435456; a file has one size");
}

TEST_F(InspectCTest, LinesAreNumberedInTheFile) {
  PbInspect* const first = logged("log", "json");
  PbInspect* const second = logged("log", "json", PB_INSPECT_LOG_SIZE, "3");
  ASSERT_TRUE(pb_inspect_filter(second, "STAT", why, sizeof why)) << why;
  write_ctrl(first, 1);
  write_ctrl(second, 1);  // left out
  write_ctrl(first, 1);
  pb_inspect_effect(first, 0, 1);
  pb_inspect_irq(first, true);
  pb_inspect_mistake(first, 0, "line");
  pb_inspect_reset(first);
  pb_inspect_injected(first, "inject-drop", 3);
  pb_inspect_injected(first, "inject-unknown", 3);
  std::istringstream all(contents());
  std::string line;
  uint64_t n = 0;
  for (; std::getline(all, line); ++n)
    EXPECT_TRUE(line.starts_with("{\"n\":" + std::to_string(n) + ",")) << line;
  EXPECT_EQ(n, 7u);
}

TEST_F(InspectCTest, AFullDiskEndsTheLog) {
  PbInspect* in = board("2");
  ASSERT_TRUE(log(in, "/dev/full", nullptr)) << why;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10'000; ++i) write_ctrl(in, 1);
  pb_inspect_flush();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "perfboard: log=/dev/full: No space left on device: the log ends here\n");
}

// --- what comes again and again -------------------------------------------------------------------

// Accesses, each with a time of its own.
class FoldTest : public InspectCTest {
 protected:
  void read(PbInspect* in, uint64_t offset, uint32_t value) { put(in, offset, false, value); }
  void put(PbInspect* in, uint64_t offset, bool write, uint32_t value) {
    PbInspectAccess a = small_access(1, offset, 4, write, value);
    a.ns = ns += 1000;
    pb_inspect_begin(in, &a);
    pb_inspect_end(in, value);
    ++told;
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::istringstream all(text);
    std::vector<std::string> found;
    for (std::string line; std::getline(all, line);) found.push_back(line);
    return found;
  }
  // What the lines say they stand for.
  static uint64_t sum(const std::string& text) {
    uint64_t all = 0;
    for (const std::string& line : lines(text)) {
      unsigned long long n = 1;
      const size_t at = line.rfind("; ");
      if (std::sscanf(line.c_str(), "# %llu accesses and events are left out", &n) != 1 && at != line.npos)
        std::sscanf(line.c_str() + at, "; %llu times to ", &n);
      all += n;
    }
    return all;
  }

  uint64_t ns = 0, told = 0;
};

TEST_F(FoldTest, AStormIsALineWithACount) {
  PbInspect* const in = logged("log");
  read(in, 4, 2);
  for (int i = 0; i < 9'915; ++i) read(in, 4, 1);
  put(in, 4, true, 1);
  const auto all = lines(contents());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1],
            "    0.000002000 cpu0   ffffffffc0001234 small@2      STAT -> 00000001 TC=1; 9915 times to "
            "0.009916000");
}

TEST_F(FoldTest, ThreeTimesAreThreeLines) {
  PbInspect* const in = logged("log");
  for (int i = 0; i < 3; ++i) read(in, 4, 1);
  EXPECT_EQ(lines(contents()).size(), 3u);
  read(in, 4, 1);
  EXPECT_EQ(lines(contents()).size(), 1u) << "what stood there at the flush has gone";
}

TEST_F(FoldTest, LinesThatTakeTurns) {
  PbInspect* const in = logged("log");
  for (int i = 0; i < 1000; ++i) {
    read(in, 4, 1);
    put(in, 0, true, 0x100);
  }
  read(in, 4, 1);  // one more than the other
  pb_inspect_effect(in, 0, 7);
  const std::string text = contents();
  const auto all = lines(text);
  ASSERT_EQ(all.size(), 3u) << text;
  EXPECT_TRUE(says(all[0], "STAT -> 00000001 TC=1; 1001 times to 0.002001000 (1 of 2 in turn)")) << all[0];
  EXPECT_TRUE(says(all[1], "CTRL <- 00000100; 1000 times to 0.002000000 (2 of 2 in turn)")) << all[1];
}

TEST_F(FoldTest, WhatDiffersInOneThingIsALineOfItsOwn) {
  PbInspect* const in = logged("log");
  for (int i = 0; i < 100; ++i) read(in, 4, static_cast<uint32_t>(i % 3 + i % 7));
  for (int i = 0; i < 100; ++i) {  // another effect each time
    PbInspectAccess a = small_access(1, 4, 4, false);
    pb_inspect_begin(in, &a);
    pb_inspect_effect(in, 0, static_cast<uint64_t>(i));
    pb_inspect_end(in, 1);
  }
  for (int i = 0; i < 100; ++i) {  // another instruction
    PbInspectAccess a = small_access(1, 4, 4, false);
    a.pc += static_cast<uint64_t>(i);
    pb_inspect_begin(in, &a);
    pb_inspect_end(in, 1);
  }
  EXPECT_EQ(lines(contents()).size(), 300u);
}

TEST_F(FoldTest, NothingIsLostOrCountedTwice) {
  PbInspect* const in = logged("log");
  uint32_t seed = 1;
  for (int i = 0; i < 500; ++i) {
    seed = seed * 1103515245 + 12345;
    const unsigned turns = 1 + (seed >> 16) % 10, times = 1 + (seed >> 20) % 12, odd = (seed >> 24) % turns;
    for (unsigned t = 0; t < turns * times + odd; ++t) read(in, 8 + t % turns % 4 * 4, t % turns);
    if (i % 50 == 0) {
      EXPECT_EQ(sum(contents()), told) << i;
    }
  }
  const std::string text = contents();
  EXPECT_EQ(sum(text), told);
  EXPECT_LT(lines(text).size(), told / 2);
  std::string last;
  for (const std::string& line : lines(text)) {
    EXPECT_LE(last, line.substr(0, 15)) << "in order of time";
    last = line.substr(0, 15);
  }
}

TEST_F(FoldTest, AFlushChangesNothing) {
  for (const char* const name : {"one", "other"}) {
    PbInspect* const in = logged(name, "json");
    ns = 0;
    for (int i = 0; i < 500; ++i) {
      read(in, 4, static_cast<uint32_t>(i / 50));
      if (name[1] == 't' && i % 7 == 0) pb_inspect_flush();
    }
  }
  EXPECT_EQ(contents("one"), contents("other"));
  EXPECT_EQ(lines(contents("one")).size(), 10u);
}

TEST_F(FoldTest, JsonSaysTheSame) {
  PbInspect* const in = logged("log", "json");
  for (int i = 0; i < 10; ++i) read(in, 4, 1);
  put(in, 0, true, 1);
  const auto all = lines(contents());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].starts_with(R"({"n":0,"ns":1000,)")) << all[0];
  EXPECT_TRUE(all[0].ends_with(R"(,"times":10,"until":10000})")) << all[0];
  EXPECT_TRUE(all[1].starts_with(R"({"n":1,"ns":11000,)")) << all[1];
}

TEST_F(FoldTest, AStreamIsLive) {
  PbInspect* const in = streamed("text");
  for (int i = 1; i <= 100; ++i) {
    read(in, 4, 1);
    EXPECT_EQ(lines(heard).size(), i < 4 ? i : 4);
  }
  pb_inspect_flush();
  EXPECT_EQ(sum(heard), 100u);
  for (int i = 0; i < 100; ++i) read(in, 4, 1);
  put(in, 0, true, 1);
  EXPECT_EQ(sum(heard), 201u);
  const auto all = lines(heard);
  ASSERT_EQ(all.size(), 7u) << heard;
  EXPECT_TRUE(says(all[5], " 0.000101000 ")) << all[5];
  EXPECT_TRUE(says(all[5], "; 100 times to 0.000200000")) << all[5];
}

// --- a log's size ---------------------------------------------------------------------------------

TEST_F(FoldTest, AFileKeepsItsFirstHalfAndWhatCameLast) {
  constexpr uint64_t kSize = PB_INSPECT_LOG_LEAST;
  PbInspect* const in = logged("log", "text", kSize);
  for (uint32_t i = 0; i < 20'000; ++i) {
    read(in, 8 + i % 2 * 4, i);
    if (i % 1999 == 0) {
      const std::string text = contents();
      EXPECT_EQ(sum(text), told);
      EXPECT_LE(text.size(), kSize + 32 * 100) << "what is held back may be more";
    }
  }
  const std::string text = contents();
  EXPECT_EQ(sum(text), told);
  EXPECT_GT(text.size(), kSize * 3 / 4 - 100);
  const auto all = lines(text);
  size_t out = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].starts_with("# ")) {
      EXPECT_EQ(out, 0u) << "one place only";
      out = i;
    }
  }
  ASSERT_NE(out, 0u);
  char value[32];
  std::snprintf(value, sizeof value, "-> %08x", static_cast<unsigned>(out - 1));
  EXPECT_TRUE(says(all[out - 1], value)) << all[out - 1];
  EXPECT_TRUE(says(all.back(), "-> 00004e1f")) << all.back();
  // "# N accesses and events are left out here, from A to B: log-size=65536": from the one behind the first
  // part to that before the last.
  unsigned long long n, from_s, from_ns, to_s, to_ns, size;
  ASSERT_EQ(
      std::sscanf(all[out].c_str(),
                  "# %llu accesses and events are left out here, from %llu.%llu to %llu.%llu: log-size=%llu",
                  &n, &from_s, &from_ns, &to_s, &to_ns, &size),
      6)
      << all[out];
  EXPECT_EQ(from_ns, (out + 1) * 1000);
  EXPECT_EQ(to_ns, (out + n) * 1000);
  EXPECT_EQ(size, kSize);
}

TEST_F(FoldTest, AStreamEndsAtItsSize) {
  for (const char* const format : {"text", "json"}) {
    std::string got;
    const std::string pipe = path(format);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread reader([&] {
      std::ifstream in(pipe);
      got.assign(std::istreambuf_iterator<char>(in), {});
    });
    PbInspect* const in = logged(format, format, PB_INSPECT_LOG_LEAST);
    for (uint32_t i = 0; i < 10'000; ++i) read(in, 8, i);
    reader.join();  // the end of the log is the end of the pipe
    EXPECT_LE(got.size(), PB_INSPECT_LOG_LEAST + 100);
    EXPECT_GT(got.size(), PB_INSPECT_LOG_LEAST - 300);
    const std::string last = lines(got).back();
    if (std::string_view(format) == "text") {
      EXPECT_EQ(last, "# the log ends here: log-size=65536");
    } else {
      EXPECT_TRUE(last.ends_with(R"(,"op":"end","log-size":65536})")) << last;
    }
  }
}

TEST_F(InspectCTest, WhatIsWrong) {
  PbInspect* in = board("2");
  EXPECT_FALSE(log(in, path("no/log"), nullptr));
  EXPECT_EQ(why,
            "log=" + path("no/log") +
                ": No such file or directory; it must be a file that can be written, or - (QEMU's own log)");
  EXPECT_FALSE(log(in, path("log"), "xml"));
  EXPECT_STREQ(why, "log-format=xml: legal are text and json");
  for (const unsigned long long size : {1ull, PB_INSPECT_LOG_LEAST - 1, PB_INSPECT_LOG_MOST + 1}) {
    EXPECT_FALSE(log(in, path("log"), "text", size));
    EXPECT_EQ(why, "log-size=" + std::to_string(size) + ": legal are 64K to 1024T, or 0: no limit");
  }
  EXPECT_FALSE(pb_inspect_recent(in, PB_INSPECT_MOST_RECENT + 1, why, sizeof why));
  EXPECT_STREQ(why, "recent=65537: legal are 0 to 65536");
  EXPECT_FALSE(pb_inspect_filter(in, "CTRL;FOO", why, sizeof why));
  EXPECT_STREQ(why,
               "log-filter=CTRL;FOO: 'FOO': there is no such register; legal are CTRL, STAT, DATA, KICK");
  EXPECT_FALSE(pb_inspect_break(in, "CTRL=", why, sizeof why));
  EXPECT_STREQ(why, "break=CTRL=: 'CTRL=': a number must stand behind =, !=, < or >");
  EXPECT_FALSE(pb_inspect_looking(in));
  char small[8];
  EXPECT_FALSE(pb_inspect_recent(in, 70000, small, sizeof small));
  EXPECT_STREQ(small, "recent=") << "a line that is too long is cut off";
}

TEST_F(InspectCTest, ALogNamedDashGoesWhereTheBoardSays) {
  PbInspect* const in = streamed(nullptr);
  write_ctrl(in, 1);
  EXPECT_TRUE(says(heard, "CTRL <- 00000001\n")) << heard;
}

// What is awaited, and what has come of it.
struct Awaited {
  unsigned times = 0;
  uint64_t ns = 0;
  static void come(void* opaque, uint64_t ns) {
    auto* const a = static_cast<Awaited*>(opaque);
    ++a->times;
    a->ns = ns;
  }
};

TEST_F(InspectCTest, AnAccessIsAwaitedOnce) {
  PbInspect* in = board("2");
  Awaited first, second, event;
  PbInspectAwait* const await = pb_inspect_await(in, "CTRL=1", Awaited::come, &first, why, sizeof why);
  ASSERT_TRUE(await) << why;
  ASSERT_TRUE(pb_inspect_await(in, "write CTRL", Awaited::come, &second, why, sizeof why)) << why;
  ASSERT_TRUE(pb_inspect_await(in, "reset", Awaited::come, &event, why, sizeof why)) << why;
  EXPECT_TRUE(pb_inspect_looking(in));
  write_ctrl(in, 0);
  EXPECT_EQ(first.times, 0u);
  EXPECT_EQ(second.times, 1u);
  write_ctrl(in, 1);
  EXPECT_EQ(first.times, 1u);
  EXPECT_EQ(first.ns, small_access(1, 0, 4, true, 1).ns) << "when the access began";
  write_ctrl(in, 1);
  EXPECT_EQ(first.times, 1u);
  pb_inspect_await_on(in, await, true);
  EXPECT_EQ(event.times, 0u);
  pb_inspect_reset(in);
  EXPECT_EQ(event.times, 1u);
  write_ctrl(in, 1);
  EXPECT_EQ(first.times, 2u);
  EXPECT_EQ(second.times, 1u);

  // An access that is given up has not been made.
  pb_inspect_await_on(in, await, true);
  const PbInspectAccess a = small_access(1, 0, 4, true, 1);
  pb_inspect_begin(in, &a);
  pb_inspect_given_up();
  EXPECT_EQ(first.times, 2u);
  pb_inspect_await_on(in, await, false);
  EXPECT_FALSE(pb_inspect_looking(in)) << "the others have come";
  EXPECT_FALSE(pb_inspect_await(in, "write FOO", Awaited::come, &first, why, sizeof why));
  EXPECT_STREQ(why, "'FOO': there is no such register; legal are CTRL, STAT, DATA, KICK");
}

TEST_F(InspectCTest, RegistersAreACopy) {
  char* json = pb_inspect_registers(board("2"), 5, true);
  EXPECT_TRUE(std::string_view(json).starts_with(R"({"board":"small","unit":"2","ns":5,"irq":1,)"));
  std::free(json);
}

struct Heard final : Listener {
  explicit Heard(const Inspector& in) : inspector(in) {}
  void access(const Access& a) override {
    text.push_back(text_of(inspector.who(), false, a));
    json.push_back(json_of(inspector.who(), a, json.size()));
  }
  void event(const Event& e) override {
    text.push_back(text_of(inspector.who(), false, e));
    json.push_back(json_of(inspector.who(), e, json.size()));
  }

  const Inspector& inspector;
  std::vector<std::string> text, json;
};

class InspectorTest : public testing::Test {
 protected:
  InspectorTest() { inspector.add(&heard); }
  ~InspectorTest() override { EXPECT_EQ(board.locked, 0); }

  // The board does what `acts` says in the middle of it.
  template <typename Acts>
  std::string line(const PbInspectAccess& a, uint64_t value, Acts&& acts) {
    inspector.begin(a);
    acts();
    inspector.end(value);
    const std::string& whole = heard.text.back();
    return whole.substr(whole.find("small        ") + 13);
  }
  std::string read(unsigned window, uint64_t offset, uint32_t bytes, uint64_t value) {
    return line(small_access(window, offset, bytes, false), value, [] {});
  }

  SmallBoard board;
  Inspector inspector{small_inspected(board)};
  Heard heard{inspector};
};

TEST_F(InspectorTest, Columns) {
  read(1, 0, 4, 1);
  EXPECT_EQ(heard.text.back(), "    0.001250000 cpu0   ffffffffc0001234 small        CTRL -> 00000001 EN=1");
  PbInspectAccess a = small_access(1, 0, 4, false);
  a.vcpu = -1;
  a.has_pc = false;
  a.ns = 12'345'000'000'001;
  inspector.begin(a);
  inspector.end(0);
  EXPECT_EQ(heard.text.back(), "12345.000000001 -      -                small        CTRL -> 00000000");
  const Access none{};
  EXPECT_TRUE(says(text_of(inspector.who(), true, none), " small@2 "));
}

TEST_F(InspectorTest, AWriteSaysWhichFieldsHaveChanged) {
  board.ctrl = 0x200;
  EXPECT_EQ(line(small_access(1, 0, 4, true, 0x301), 0, [&] { board.ctrl = 0x301; }),
            "CTRL <- 00000301 MODE=3 EN=1");
  EXPECT_EQ(line(small_access(1, 0, 4, true, 0x301), 0, [] {}), "CTRL <- 00000301");
  EXPECT_EQ(line(small_access(1, 1, 1, true, 0), 0, [&] { board.ctrl = 1; }), "CTRL+1 <- 00 MODE=0");
}

TEST_F(InspectorTest, ABitThatIsWrittenToBeClearedIsCleared) {
  board.stat = 0x0007'0001;
  EXPECT_EQ(line(small_access(1, 4, 4, true, 1), 0, [&] { board.stat = 0x0007'0000; }),
            "STAT <- 00000001 TC cleared");
  EXPECT_EQ(line(small_access(1, 4, 4, true, 1), 0, [] {}), "STAT <- 00000001");
}

TEST_F(InspectorTest, ARegisterThatKeepsNothingShowsTheData) {
  EXPECT_EQ(line(small_access(1, 0x20, 4, true, 1), 0, [] {}), "KICK <- 00000001 GO=1");
}

TEST_F(InspectorTest, AReadSaysWhichFieldsAreNotZero) {
  EXPECT_EQ(read(1, 4, 4, 0x00ff'0001), "STAT -> 00ff0001 COUNT=0xff TC=1");
  EXPECT_EQ(read(1, 4, 1, 1), "STAT -> 01 TC=1");
  EXPECT_EQ(read(0, 0x16, 2, 0x9), "STAT+2 -> 0009 COUNT=9");
}

TEST_F(InspectorTest, AWideAccessIsOfTwoRegistersAndItsByteOrder) {
  EXPECT_EQ(read(1, 0, 8, 0x0002'0001'0000'0301),
            "CTRL -> 00000301 MODE=3 EN=1, STAT -> 00020001 COUNT=2 TC=1");
  PbInspectAccess big = small_access(1, 0, 8, false);
  big.big = true;
  // The byte at the lowest offset is the value's highest: the register's bytes as the window shows them.
  EXPECT_EQ(line(big, 0x0103'0000'0100'0200, [] {}),
            "CTRL -> 00000301 MODE=3 EN=1, STAT -> 00020001 COUNT=2 TC=1");
  EXPECT_EQ(read(1, 0x0a, 4, 0x2222'1111), "DATA[0]+2 -> 1111 WORD=0x11110000, DATA[1] -> 2222 WORD=0x2222");
  EXPECT_EQ(read(1, 0x40, 4, 0), "1:CTRL -> 00000000");
}

TEST_F(InspectorTest, WhereNothingAnswers) {
  EXPECT_EQ(read(1, 0x80, 4, 0xffffffff), "registers+0x80 -> ffffffff (nothing answers)");
  PbInspectAccess gone = small_access(1, 0, 4, true, 5);
  gone.none = true;
  EXPECT_EQ(line(gone, 0, [] {}), "registers+0x0 <- 00000005 (nothing answers)");
  EXPECT_EQ(read(1, 0x80, 8, 0x1'0000'0002),
            "registers+0x80 -> 00000002 (nothing answers), registers+0x84 -> 00000001 (nothing answers)");
  EXPECT_EQ(read(1, 0x1c, 8, 0), "registers+0x1c -> 00000000 (nothing answers), KICK -> 00000000");
}

TEST_F(InspectorTest, WhatTheAccessCausesIsInItsLineAndAllElseStandsAlone) {
  board.now = 7;
  EXPECT_EQ(line(small_access(1, 4, 4, false), 0,
                 [&] {
                   inspector.tell(What::kEffect, 0, 0x3f);
                   inspector.tell(What::kIrq, 0, 1);
                   inspector.tell(What::kMistake, 0, 0, std::string("STAT read \"too early\""));
                   inspector.tell(What::kMistake, 1, 0, "late");
                 }),
            "STAT -> 00000000; popped 0x3f; irq 1; MISTAKE empty (p. 61): STAT read \"too early\"; MISTAKE "
            "late (INFERRED): late");
  inspector.tell(What::kEffect, 1, 0);
  EXPECT_EQ(heard.text.back(), "    0.000000007 *      -                small        done");
  inspector.tell(What::kInjected, 0, 3);
  EXPECT_EQ(heard.text.back(), "    0.000000007 *      -                small        inject-drop 3");
  inspector.tell(What::kReset, 0, 0);
  EXPECT_EQ(heard.text.back(), "    0.000000007 *      -                small        reset");
  EXPECT_EQ(read(1, 0, 4, 0), "CTRL -> 00000000") << "the last access's events are gone";
}

TEST(Inject, AValueStandsInTheLogByItsName) {
  static constexpr const char* kWords[] = {"good", "half", nullptr};
  static constexpr Injection kInjections[] = {
      {"inject-simm", one_of(kWords), "", "", "", ""},
      {"inject-gone", kOffOrOn, "", "", "", ""},
      {"inject-late", any_number(" ns"), "", "", "", ""},
      {"inject-full", up_to(UINT64_MAX, "", Stands::kSet, "RC"), "", "", "", ""},
      {"inject-flip", up_to(511, "", Stands::kBitOf, "RC"), "", "", "", ""}};
  static constexpr Effect kEffects[] = {{"injected-here", "", true}};
  BoardView view = kSmallView;
  view.effects = kEffects;
  view.injections = kInjections;
  const Who who{"small", "", &view};
  const auto told = [&](What what, unsigned number, uint64_t value) {
    const Event event{what, 7, number, value, {}};
    std::string json = json_of(who, event);
    json = json.substr(json.find('['));
    return text_of(who, false, event).substr(53) + json;
  };
  const auto injected = [&](unsigned number, uint64_t value) { return told(What::kInjected, number, value); };
  EXPECT_EQ(injected(0, 1), R"(inject-simm half (1)[{"name":"inject-simm","value":1,"means":"half"}]})");
  EXPECT_EQ(injected(0, 2), R"(inject-simm 2[{"name":"inject-simm","value":2}]})");
  EXPECT_EQ(injected(1, 0), R"(inject-gone off (0)[{"name":"inject-gone","value":0,"means":"off"}]})");
  EXPECT_EQ(injected(2, 20), R"(inject-late 0x14[{"name":"inject-late","value":20}]})");
  EXPECT_EQ(injected(3, 0x8001),
            R"(inject-full RC0 RC15 (0x8001)[{"name":"inject-full","value":32769,"means":"RC0 RC15"}]})");
  EXPECT_EQ(injected(3, 0), R"(inject-full 0[{"name":"inject-full","value":0}]})");
  EXPECT_EQ(injected(4, 103),
            R"(inject-flip RC3 bit 7 (0x67)[{"name":"inject-flip","value":103,"means":"RC3 bit 7"}]})");
  EXPECT_EQ(told(What::kEffect, 0, 0),
            R"(injected-here inject-simm (0)[{"name":"injected-here","value":0,"means":"inject-simm"}]})");
  EXPECT_EQ(told(What::kEffect, 0, 9), R"(injected-here 9[{"name":"injected-here","value":9}]})");
}

TEST_F(InspectorTest, AnAccessThatIsGivenUpLeavesWhatHasHappened) {
  inspector.begin(small_access(1, 0, 4, true, 1));
  inspector.tell(What::kEffect, 1, 2);
  Inspector::given_up();
  ASSERT_EQ(heard.text.size(), 1u);
  EXPECT_EQ(heard.text[0], "    0.001250000 *      -                small        done 2");
  Inspector::given_up();
  EXPECT_EQ(line(small_access(1, 0, 4, true, 1), 0, [] {}), "CTRL <- 00000001");
  EXPECT_EQ(heard.text.size(), 2u);
}

TEST_F(InspectorTest, TheEndOfAnAccessThatNobodySawBeginIsNothing) {
  inspector.end(5);
  EXPECT_TRUE(heard.text.empty());
}

// As vCPUs that wait in the middle of an access without the big lock.
TEST_F(InspectorTest, EachThreadHasItsOwnAccess) {
  SmallBoard other_board;
  Inspector other{small_inspected(other_board, "3")};
  Heard of_other(other);
  other.add(&of_other);
  std::mutex lock;
  std::condition_variable changed;
  int step = 0;
  const auto wait_for = [&](int wanted) {
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return step >= wanted; });
  };
  const auto reach = [&](int now) {
    const std::lock_guard guard(lock);
    step = now;
    changed.notify_all();
  };
  std::thread thread([&] {
    wait_for(1);
    inspector.begin(small_access(1, 4, 4, false));
    inspector.tell(What::kEffect, 1, 4);
    other.tell(What::kEffect, 1, 5);  // of another board: not this access's
    reach(2);
    wait_for(3);
    inspector.end(0x70000);
  });
  inspector.begin(small_access(1, 0, 4, false));
  reach(1);
  wait_for(2);
  inspector.tell(What::kEffect, 0, 1);
  inspector.end(1);
  reach(3);
  thread.join();
  ASSERT_EQ(heard.text.size(), 2u);
  EXPECT_TRUE(says(heard.text[0], "CTRL -> 00000001 EN=1; popped 1")) << heard.text[0];
  EXPECT_TRUE(says(heard.text[1], "STAT -> 00070000 COUNT=7; done 4")) << heard.text[1];
  ASSERT_EQ(of_other.text.size(), 1u);
  EXPECT_TRUE(says(of_other.text[0], " *  "));
}

TEST_F(InspectorTest, JsonOfAnAccess) {
  board.stat = 1;
  line(small_access(1, 4, 4, true, 1), 0, [&] {
    board.stat = 0;
    inspector.tell(What::kIrq, 0, 0);
    inspector.tell(What::kEffect, 0, uint64_t{1} << 60);
    inspector.tell(What::kMistake, 0, 0, "a \"line\"\t\\");
  });
  EXPECT_EQ(heard.json.back(),
            R"({"n":0,"ns":1250000,"board":"small","unit":"2","op":"write","cpu":0,)"
            R"("pc":"0xffffffffc0001234","window":"registers","offset":4,"bytes":4,"value":1,)"
            R"("reg":"STAT","before":1,"after":0,"fields":{"COUNT":0,"TC":1},"changed":{"TC":0},)"
            R"("effects":[{"name":"popped","value":"0x1000000000000000"}],"irq":0,)"
            R"("mistakes":[{"name":"empty","line":"a \"line\"\t\\","source":"p. 61"}]})");
  read(1, 0x0c, 4, 9);
  EXPECT_EQ(heard.json.back(),
            R"({"n":1,"ns":1250000,"board":"small","unit":"2","op":"read","cpu":0,)"
            R"("pc":"0xffffffffc0001234","window":"registers","offset":12,"bytes":4,"value":9,)"
            R"("reg":"DATA","index":1,"before":0,"after":0,"fields":{"WORD":9}})");
  read(1, 0, 8, 1);
  EXPECT_TRUE(says(heard.json.back(), R"("parts":[{"lanes":4294967295,"data":1,"reg":"CTRL")"));
  read(1, 0x80, 4, 1);
  EXPECT_FALSE(says(heard.json.back(), "\"reg\""));
  inspector.tell(What::kReset, 0, 0);
  EXPECT_EQ(heard.json.back(), R"({"n":4,"ns":0,"board":"small","unit":"2","op":"event","reset":true})");
}

TEST_F(InspectorTest, ABoardWithoutAViewHasOffsets) {
  PbInspectBoard plain = small_inspected(board);
  plain.view = nullptr;
  plain.board = "plain";
  Inspector in(plain);
  Heard h(in);
  in.add(&h);
  in.begin(small_access(1, 0x84, 2, true, 0xab));
  in.tell(What::kMistake, 5, 0, "wrong");
  in.end(0);
  EXPECT_TRUE(says(h.text.back(), " plain        window 1+0x84 <- 00ab; MISTAKE: wrong")) << h.text.back();
  EXPECT_EQ(in.registers(1, true),
            R"({"board":"plain","unit":"2","ns":1,"irq":1,"registers":[],"recent":[]})");
}

TEST_F(InspectorTest, RegistersAndTheLastAccesses) {
  board.ctrl = 0x201;
  board.data[3] = 8;
  inspector.set_recent(2);
  read(1, 0, 4, 1);
  read(1, 4, 4, 2);
  inspector.tell(What::kMistake, 0, 0, std::string("one ") + "that goes away");
  const std::string all = inspector.registers(77, false);
  EXPECT_TRUE(all.starts_with(R"({"board":"small","unit":"2","ns":77,"irq":0,"registers":[)"
                              R"({"reg":"CTRL","value":513,"fields":{"MODE":2,"EN":1}},)"
                              R"({"reg":"STAT","value":0,"fields":{"COUNT":0,"TC":0}},)"
                              R"({"reg":"DATA","index":0,"value":0,"fields":{"WORD":0}},)"))
      << all;
  EXPECT_TRUE(says(all, R"({"reg":"DATA","index":3,"value":8,)"));
  EXPECT_TRUE(says(all, R"({"reg":"CTRL","part":1,"value":513,)"));
  EXPECT_FALSE(says(all, "KICK")) << "it holds nothing";
  const std::string recent = all.substr(all.find("\"recent\":"));
  EXPECT_FALSE(says(recent, R"("reg":"CTRL")")) << "two are kept";
  EXPECT_TRUE(says(recent, R"("reg":"STAT")"));
  EXPECT_TRUE(says(recent, "one that goes away"));
  inspector.set_recent(0);
  EXPECT_TRUE(inspector.registers(77, false).ends_with("\"recent\":[]}"));
}

TEST_F(InspectorTest, WhoLooks) {
  Inspector quiet{small_inspected(board)};
  EXPECT_FALSE(quiet.looking());
  EXPECT_FALSE(quiet.may_break());
  quiet.set_recent(1);
  EXPECT_TRUE(quiet.looking());
  quiet.set_recent(0);
  EXPECT_FALSE(quiet.looking());
  std::string why;
  quiet.set_break(parse_pattern("irq=1", why));
  EXPECT_TRUE(quiet.looking());
  EXPECT_FALSE(quiet.may_break()) << "an event is no access";
  quiet.set_break(parse_pattern("CTRL.EN=1", why));
  EXPECT_TRUE(quiet.may_break());
  quiet.set_break({});
  EXPECT_FALSE(quiet.looking());
}

TEST_F(InspectorTest, ABreakIsKnownBeforeTheAccess) {
  std::string why;
  inspector.set_break(parse_pattern("CTRL.EN=1", why));
  EXPECT_TRUE(inspector.breaks(small_access(1, 0, 4, true, 1)));
  EXPECT_FALSE(inspector.breaks(small_access(1, 0, 4, true, 2)));
  EXPECT_FALSE(inspector.breaks(small_access(1, 0, 4, false)));
  inspector.set_break(parse_pattern("read CTRL.EN=1", why));
  EXPECT_FALSE(inspector.breaks(small_access(1, 0, 4, false)));
  board.ctrl = 1;
  EXPECT_TRUE(inspector.breaks(small_access(1, 0, 4, false))) << "what it would read";
  EXPECT_TRUE(heard.text.empty());
}

TEST_F(InspectorTest, AnEventBreaksWhereverItHappens) {
  static int broke;
  broke = 0;
  PbInspectBoard b = small_inspected(board);
  b.broke = [](void*) { ++broke; };
  Inspector in(b);
  std::string why;
  in.set_break(parse_pattern("mistake empty", why));
  in.tell(What::kMistake, 0, 0, "alone");
  EXPECT_EQ(broke, 1);
  in.begin(small_access(1, 0, 4, true, 1));
  in.tell(What::kMistake, 0, 0, "in an access");
  in.tell(What::kMistake, 1, 0, "another");
  EXPECT_EQ(broke, 1);
  in.end(0);
  EXPECT_EQ(broke, 2);
}

TEST_F(InspectorTest, TheModelIsLockedForEachLook) {
  board.locks = 0;
  read(1, 0, 4, 0);
  EXPECT_EQ(board.locks, 2) << "before and after";
  inspector.registers(0, false);
  EXPECT_EQ(board.locks, 3);
}

}  // namespace
}  // namespace perfboard::inspect
