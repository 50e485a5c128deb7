// SPDX-License-Identifier: GPL-2.0-or-later
//
// inspect.h: log files that boards share, what a user can give wrongly, and a disk that is full.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hw/inspect/inspect.h"
#include "tests/unit/inspect/small_board.h"

namespace perfboard::inspect {
namespace {

class InspectCTest : public testing::Test {
 protected:
  InspectCTest() {
    static int number;
    folder = std::filesystem::temp_directory_path() /
             ("perfboard-inspect-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directory(folder);
  }
  ~InspectCTest() override { std::filesystem::remove_all(folder); }

  PbInspect* board(const char* unit) {
    const PbInspectBoard b = small_inspected(model, unit);
    return pb_inspect_new(&b);
  }
  std::string path(const char* name) const { return (folder / name).string(); }
  static std::string contents(const std::string& file) {
    pb_inspect_flush();
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write_ctrl(PbInspect* in, uint32_t value) {
    const PbInspectAccess a = small_access(1, 0, 4, true, value);
    pb_inspect_begin(in, &a);
    pb_inspect_end(in, 0);
  }

  static inline SmallBoard model;
  std::filesystem::path folder;
  char why[PB_INSPECT_WHY] = "";
};

TEST_F(InspectCTest, TwoBoardsOneFile) {
  PbInspect *first = board("2"), *second = board("3");
  EXPECT_FALSE(pb_inspect_looking(first));
  ASSERT_TRUE(pb_inspect_log(first, path("log").c_str(), nullptr, why, sizeof why)) << why;
  std::filesystem::create_symlink(path("log"), path("link"));
  ASSERT_TRUE(pb_inspect_log(second, path("link").c_str(), "text", why, sizeof why)) << why;
  EXPECT_TRUE(pb_inspect_looking(first));
  write_ctrl(first, 1);
  write_ctrl(second, 2);
  const std::string all = contents(path("log"));
  EXPECT_NE(all.find(" small@2      CTRL <- 00000001\n"), std::string::npos) << all;
  EXPECT_NE(all.find(" small@3      CTRL <- 00000002\n"), std::string::npos) << all;
  EXPECT_FALSE(pb_inspect_log(board("4"), path("log").c_str(), "json", why, sizeof why));
  EXPECT_EQ(why, "log-format=json: another board's log= names the same file (" + path("log") +
                     ") with log-format=text; a file has one format");
}

TEST_F(InspectCTest, LinesAreNumberedInTheFile) {
  PbInspect *first = board("2"), *second = board("3");
  ASSERT_TRUE(pb_inspect_log(first, path("log").c_str(), "json", why, sizeof why)) << why;
  ASSERT_TRUE(pb_inspect_log(second, path("log").c_str(), "json", why, sizeof why)) << why;
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
  std::istringstream all(contents(path("log")));
  std::string line;
  uint64_t n = 0;
  for (; std::getline(all, line); ++n)
    EXPECT_TRUE(line.starts_with("{\"n\":" + std::to_string(n) + ",")) << line;
  EXPECT_EQ(n, 7u);
}

TEST_F(InspectCTest, AFullDiskEndsTheLog) {
  PbInspect* in = board("2");
  ASSERT_TRUE(pb_inspect_log(in, "/dev/full", nullptr, why, sizeof why)) << why;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10'000; ++i) write_ctrl(in, 1);
  pb_inspect_flush();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "perfboard: log=/dev/full: No space left on device: the log ends here\n");
}

TEST_F(InspectCTest, WhatIsWrong) {
  PbInspect* in = board("2");
  EXPECT_FALSE(pb_inspect_log(in, path("no/log").c_str(), nullptr, why, sizeof why));
  EXPECT_EQ(why,
            "log=" + path("no/log") +
                ": No such file or directory; it must be a file that can be written, or - (QEMU's own log)");
  EXPECT_FALSE(pb_inspect_log(in, path("log").c_str(), "xml", why, sizeof why));
  EXPECT_STREQ(why, "log-format=xml: legal are text and json");
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
  static std::string heard;
  PbInspectBoard b = small_inspected(model);
  b.log = [](const char* text, size_t bytes) { heard.append(text, bytes); };
  PbInspect* in = pb_inspect_new(&b);
  ASSERT_TRUE(pb_inspect_log(in, "-", nullptr, why, sizeof why)) << why;
  write_ctrl(in, 1);
  EXPECT_NE(heard.find("CTRL <- 00000001\n"), std::string::npos) << heard;
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
  EXPECT_TRUE(std::string_view(json).starts_with("{\"board\":\"small\",\"unit\":\"2\",\"ns\":5,\"irq\":1,"));
  std::free(json);
}

}  // namespace
}  // namespace perfboard::inspect
