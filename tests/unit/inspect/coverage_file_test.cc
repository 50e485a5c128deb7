// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file of coverage=: what is new is added, nothing counted is lost, and what is none of ours is refused
// and left alone.
#include "hw/inspect/coverage_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/unit/inspect/coverage_board.h"

namespace perfboard::inspect {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

class CoverageFileTest : public CoverageBoardTest {
 protected:
  void SetUp() override {
    char name[] = "/tmp/coverage-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    path = folder / "cover.json";
  }
  void TearDown() override { fs::remove_all(folder); }

  CoverageFile* open() { return files.open(path.string(), why); }
  Coverage* add(CoverageFile* file, const BoardView& view = kCoverageView) {
    Coverage* made = file->add(view, {&board}, why);
    listener = made;
    return made;
  }
  void put(const std::string& text) { std::ofstream(path) << text; }
  std::vector<Item> in_file(std::string_view name = "fake") {
    BoardItems boards;
    EXPECT_TRUE(parse_coverage(text_of(path), boards, why)) << why;
    const auto found = boards.find(name);
    return found == boards.end() ? std::vector<Item>{} : found->second;
  }
  uint64_t count(Kind kind, std::string_view name) { return count_in(in_file(), kind, name); }

  fs::path folder, path;
  CoverageFiles files;
  std::string why;
};

TEST_F(CoverageFileTest, IsAsThePageSays) {
  CoverageFile* file = open();
  ASSERT_NE(file, nullptr) << why;
  ASSERT_NE(add(file), nullptr) << why;
  write("MASK", 1);
  read("CTRL", 0xff);
  board.stat = 0x11;
  read("STAT");
  write("DATA", 1, 0xff);
  event(What::kMistake, 0);
  ASSERT_TRUE(file->write(why)) << why;
  // The Python side reads and prints the same file (tests/unit/scripts/coverage_test.py).
  const std::string golden =
      text_of(std::string(std::getenv("PERFBOARD_ROOT")) + "/tests/unit/inspect/coverage.json");
  EXPECT_EQ(text_of(path), golden);
  BoardItems boards;
  ASSERT_TRUE(parse_coverage(golden, boards, why)) << why;
  EXPECT_EQ(print_coverage(boards), golden);
}

TEST_F(CoverageFileTest, EachWriteAddsWhatIsNew) {
  CoverageFile* file = open();
  Coverage* coverage = add(file);
  read("CTRL");
  ASSERT_TRUE(file->write(why));
  ASSERT_TRUE(file->write(why));
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 1u);
  read("CTRL");
  write("MASK", 1);
  file->remove(coverage);  // what it has counted stays
  ASSERT_TRUE(file->write(why));
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 2u);
  EXPECT_EQ(steps(in_file(), "start"), "1 0 0");
  // The next machine.
  add(file);
  read("CTRL");
  write("MASK", 1);
  ASSERT_TRUE(file->write(why));
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 3u);
  EXPECT_EQ(steps(in_file(), "start"), "2 0 0");
}

TEST_F(CoverageFileTest, DevicesOfABoardCountTogetherAndBoardsApart) {
  CoverageFile* file = open();
  EXPECT_EQ(open(), file);
  add(file);
  read("CTRL");
  add(file);
  read("CTRL");
  BoardView other = kCoverageView;
  other.board = "another";
  static const BoardView kOther = other;
  add(file, kOther);
  read("CTRL");
  ASSERT_TRUE(files.write(why)) << why;
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 2u);
  EXPECT_EQ(count_in(in_file("another"), Kind::kRead, "CTRL.EN"), 1u);
  EXPECT_LT(text_of(path).find("another"), text_of(path).find("fake"));
}

TEST_F(CoverageFileTest, BoardsThatThisMachineLacksStay) {
  put(R"({"perfboard-coverage":1,"boards":{"gone":[{"kind":"read","name":"A.B","count":18446744073709551615,"text":"ä\n","source":""}]}})");
  CoverageFile* file = open();
  ASSERT_NE(file, nullptr) << why;
  add(file);
  ASSERT_TRUE(file->write(why)) << why;
  ASSERT_EQ(in_file("gone").size(), 1u);
  EXPECT_EQ(in_file("gone")[0].count, UINT64_MAX);
  EXPECT_EQ(in_file("gone")[0].text, "ä\n");
}

TEST_F(CoverageFileTest, MachinesThatEndAtOnce) {
  constexpr int kMachines = 4, kWrites = 25;
  std::vector<pid_t> machines;
  for (int m = 0; m < kMachines; m++) {
    const pid_t pid = fork();
    if (pid == 0) {
      CoverageFile* file = open();
      bool ok = file && add(file);
      for (int i = 0; ok && i < kWrites; i++) {
        read("CTRL");
        ok = file->write(why);
      }
      _exit(ok ? 0 : 1);
    }
    machines.push_back(pid);
  }
  for (const pid_t pid : machines) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), uint64_t{kMachines * kWrites});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);  // nothing else is left
}

TEST_F(CoverageFileTest, ThreadsThatCountAtOnce) {
  CoverageFile* file = open();
  add(file);
  constexpr int kThreads = 4, kReads = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      for (int i = 0; i < kReads; i++) read("CTRL");
    });
  }
  for (int i = 0; i < 10; i++) EXPECT_TRUE(file->write(why)) << why;
  for (std::thread& t : threads) t.join();
  ASSERT_TRUE(file->write(why)) << why;
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), uint64_t{kThreads * kReads});
}

TEST_F(CoverageFileTest, FullDiskLeavesTheFileAndLosesNothing) {
  CoverageFile* file = open();
  add(file);
  read("CTRL");
  ASSERT_TRUE(file->write(why));
  const std::string before = text_of(path);
  read("CTRL");
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{100, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const bool written = file->write(why);
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_FALSE(written);
  EXPECT_NE(why.find("File too large"), std::string::npos) << why;
  EXPECT_EQ(text_of(path), before);
  EXPECT_FALSE(fs::exists(path.string() + ".new"));
  ASSERT_TRUE(file->write(why)) << why;
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 2u);
}

TEST_F(CoverageFileTest, LinkStaysALinkAndModesStay) {
  const fs::path real = folder / "real.json";
  std::ofstream(real).close();
  chmod(real.c_str(), 0640);
  fs::create_symlink("real.json", path);
  CoverageFile* file = open();
  ASSERT_NE(file, nullptr) << why;
  add(file);
  ASSERT_TRUE(file->write(why)) << why;
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(text_of(path), text_of(real));
  EXPECT_NE(text_of(real), "");
  struct stat status;
  stat(real.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(CoverageFileTest, WhatCannotBeAFileIsRefusedAtTheStart) {
  EXPECT_EQ(files.open("", why), nullptr);
  EXPECT_EQ(why, "the name of a file must be given");
  EXPECT_EQ(files.open("/dev/null", why), nullptr);
  EXPECT_EQ(why, "/dev/null: this is no regular file");
  EXPECT_EQ(files.open(folder.string(), why), nullptr);
  EXPECT_EQ(why, folder.string() + ": Is a directory");
  EXPECT_EQ(files.open("/nowhere/cover.json", why), nullptr);
  EXPECT_EQ(why, "/nowhere/cover.json: No such file or directory");
}

TEST_F(CoverageFileTest, WhatIsNoneOfOursIsRefusedAndLeftAlone) {
  const std::string item = R"({"kind":"read","name":"A.B","count":1,"text":"","source":""})";
  const auto with = [](const std::string& items) {
    return R"({"perfboard-coverage":1,"boards":{"fake":)" + items + "}}";
  };
  std::string deep = with("[" + item + ",");
  for (int i = 0; i < 200000; i++) deep += "[";
  for (const std::string& text :
       {std::string("x"),
        std::string("{}"),
        std::string("[]"),
        std::string("{\"boards\":{}}"),
        std::string(1, '\0'),
        deep,
        std::string(R"({"perfboard-coverage":1})"),
        std::string(R"({"perfboard-coverage":1,"boards":[]})"),
        std::string(R"({"perfboard-coverage":"1","boards":{}})"),
        std::string(R"({"perfboard-coverage":2,"boards":{}})"),
        with("{}"),
        with("[1]"),
        with("[{}]"),
        with(R"([{"kind":"other","name":"A.B","count":1,"text":"","source":""}])"),
        with(R"([{"kind":"read","name":"A.B","count":-1,"text":"","source":""}])"),
        with(R"([{"kind":"read","name":"A.B","count":1.5,"text":"","source":""}])"),
        with(R"([{"kind":"read","name":7,"count":1,"text":"","source":""}])"),
        with(R"([{"kind":"sequence","name":"s","count":1,"steps":{},"text":"","source":""}])"),
        with(R"([{"kind":"sequence","name":"s","count":1,"steps":[["a"]],"text":"","source":""}])"),
        with(R"([{"kind":"sequence","name":"s","count":1,"steps":[["a",-1]],"text":"","source":""}])"),
        with("[" + item + "]") + "x"}) {
    put(text);
    EXPECT_EQ(open(), nullptr) << text.substr(0, 100);
    EXPECT_EQ(text_of(path), text);
    EXPECT_NE(why.find("coverage"), std::string::npos) << why;
  }
  fs::resize_file(path, uint64_t{65} << 20);  // sparse; it is not read
  EXPECT_EQ(open(), nullptr);
  EXPECT_NE(why.find("68157440 bytes"), std::string::npos) << why;
}

TEST_F(CoverageFileTest, AnotherVersionsBoardIsRefused) {
  CoverageFile* file = open();
  add(file);
  ASSERT_TRUE(file->write(why));
  const std::string old = text_of(path);
  static BoardView fewer = kCoverageView;
  fewer.injections = {};
  EXPECT_EQ(file->add(fewer, {}, why), nullptr);
  EXPECT_NE(why.find("injection inject-drop"), std::string::npos) << why;
  // It may become so while the machine runs.
  std::string other = old;
  other.replace(other.find("CTRL.EN"), 7, "CTRL.ON");
  put(other);
  EXPECT_FALSE(file->write(why));
  EXPECT_NE(why.find("another version"), std::string::npos) << why;
  EXPECT_EQ(text_of(path), other);
  // A step of a sequence is an item's as well.
  other = old;
  other.replace(other.find("MASK.DONE=1"), 11, "MASK.DONE=0");
  put(other);
  EXPECT_FALSE(file->write(why));
  // Texts may differ: those of the machine that writes are kept.
  other = old;
  other.replace(other.find("\"Mode\""), 6, "\"old\"");
  put(other);
  EXPECT_TRUE(file->write(why)) << why;
  EXPECT_EQ(text_of(path), old);
}

TEST_F(CoverageFileTest, WriteTellsOfEachAndWritesTheOthers) {
  CoverageFile* file = open();
  add(file);
  read("CTRL");
  const fs::path good = folder / "good.json";
  Coverage* second = files.open(good.string(), why)->add(kCoverageView, {&board}, why);
  listener = second;
  read("CTRL");
  put("x");
  why.clear();
  EXPECT_FALSE(files.write(why));
  EXPECT_EQ(why.find(path.string()), 0u) << why;
  path = good;
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 1u);
}

}  // namespace
}  // namespace perfboard::inspect
