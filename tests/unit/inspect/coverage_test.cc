// SPDX-License-Identifier: GPL-2.0-or-later
//
// What counts as covered: each kind of item, by hand-made accesses of a board of five registers. The file of
// coverage=: what is new is added, nothing counted is lost, and what is none of ours is refused and left
// alone.
#include "hw/inspect/coverage.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hw/inspect/coverage_file.h"
#include "hw/model/bank.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard::inspect {
namespace {

// CoverageBoardTest - a board of five registers that is nothing but a view, and accesses of it made by hand.
//
//   listener = coverage;  write("CTRL", 0x201);  read("STAT", 0xff);  event(What::kEffect, 0);
//   count_in(items, "read CTRL.EN")      steps(items, "start") is "1 0 0"
using Way = ::perfboard::Access;  // Access is one of these here

constexpr Field kCtrlFields[] = {
    {"RESERVED", 31, 16, Way::ro, 0, "logical 0", "p. 1"},
    {"LATER", 15, 15, Way::reserved, 0, "kept for later", "p. 1"},
    {"MODE", 9, 8, Way::rw, 0, "Mode", "p. 1"},
    {"EN", 0, 0, Way::rw, 0, "Enable \"it\" <now>", "p. 1"},
};
constexpr Field kStatFields[] = {{"SIZE", 9, 4, Way::ro, 0, "Size", "p. 2"},
                                 {"DONE", 0, 0, Way::w1c, 0, "Done", "p. 2"}};
constexpr Field kMaskFields[] = {{"DONE", 0, 0, Way::rw, 0, "Done", "p. 3"}};
constexpr Field kDataFields[] = {{"WORD", 31, 16, Way::rw, 0, "upper", "p. 4"},
                                 {"WORD", 15, 0, Way::rw, 0, "lower", "p. 4"}};
constexpr Field kKickFields[] = {{"GO", 31, 0, Way::wo, 0, "any write kicks", "p. 5"}};
constexpr Register kCoverageRegisters[] = {
    {"CTRL", 0x00, 1, kCtrlFields, "Control", "p. 1"}, {"STAT", 0x04, 1, kStatFields, "Status", "p. 2"},
    {"MASK", 0x08, 1, kMaskFields, "Mask", "p. 3"},    {"DATA", 0x0c, 4, kDataFields, "Data", "p. 4"},
    {"KICK", 0x10, 1, kKickFields, "Kick", "p. 5"},
};
static_assert(table_ok(kCoverageRegisters));

struct CoverageBoard {
  uint32_t ctrl = 0, stat = 0, mask = 0, data = 0;
  mutable uint64_t peeked_at = 0;

  uint32_t* at(std::string_view name) {
    return name == "CTRL"   ? &ctrl
           : name == "STAT" ? &stat
           : name == "MASK" ? &mask
           : name == "DATA" ? &data
                            : nullptr;
  }
};

// shown twice, listed once
constexpr std::span<const Register> kCoverageTables[] = {kCoverageRegisters, kCoverageRegisters};
constexpr WindowView kCoverageWindows[] = {{"slot", 0x20, "the registers"}};
constexpr Condition kCoverageConditions[] = {
    {"DONE", "STAT.DONE", "MASK.DONE", "write STAT.DONE=1", "Done", "p. 2"},
    {"SIZE", "STAT.SIZE", "", "", "a size is known", "p. 2"}};
constexpr std::string_view kCoverageSteps[] = {"MASK.DONE=1", "CTRL.EN=1", "effect kicked"};
constexpr Sequence kCoverageSequences[] = {{"start", kCoverageSteps, "how it begins", "p. 6"}};
constexpr Mistake kCoverageMistakes[] = {{"kicked-twice", "a kick while it runs", "p. 5"}};
constexpr Effect kCoverageEffects[] = {{"kicked", "it runs"}};
constexpr Injection kCoverageInjections[] = {
    {"inject-drop", up_to(9, ""), "next ones", "drops", "STAT", "1ms fake inject-drop 3"}};
constexpr uint32_t kCoverageModes[] = {0, 2}, kCoverageSizes[] = {1, 2};
constexpr Values kCoverageValues[] = {{"CTRL.MODE", kCoverageModes}, {"STAT.SIZE", kCoverageSizes}};

constexpr BoardView kCoverageView = {
    "fake",
    kCoverageWindows,
    kCoverageTables,
    kCoverageConditions,
    kCoverageSequences,
    kCoverageMistakes,
    kCoverageEffects,
    kCoverageInjections,
    kCoverageValues,
    [](const void*, unsigned, uint64_t offset) {
      return Place{find(kCoverageRegisters, static_cast<uint32_t>(offset & ~uint64_t{3})), -1,
                   static_cast<uint32_t>(offset & 3), -1};
    },
    [](const void* model, uint64_t now, const Place& place) -> std::optional<uint32_t> {
      auto* board = static_cast<CoverageBoard*>(const_cast<void*>(model));
      board->peeked_at = now;
      const uint32_t* value = board->at(place.reg->name);
      if (!value) return std::nullopt;
      return *value;
    },
};

// what: "read CTRL.EN"
uint64_t count_in(const std::vector<Item>& items, std::string_view what) {
  for (const Item& i : items)
    if (std::string(kind_name(i.kind)) + " " + i.name == what) return i.count;
  ADD_FAILURE() << "no " << what;
  return 0;
}

std::string steps(const std::vector<Item>& items, std::string_view name) {
  std::string all;
  for (const Item& i : items) {
    if (i.kind != Kind::kSequence || i.name != name) continue;
    for (const Step& s : i.steps) all += (all.empty() ? "" : " ") + std::to_string(s.count);
  }
  return all;
}

class CoverageBoardTest : public testing::Test {
 protected:
  void write(std::string_view name, uint32_t data, uint32_t lanes = ~0u, std::span<const Event> caused = {}) {
    Part part{{&at(kCoverageRegisters, name), -1, 0, unit}, lanes, data & lanes, value(name), {}};
    if (uint32_t* reg = board.at(name)) {
      const Lanes touched{0, lanes, static_cast<uint32_t>(__builtin_popcount(lanes)) / 8};
      *reg = bank_write(*part.place.reg, *reg, touched, data);
    }
    part.after = value(name);
    deliver(part, true, caused);
  }
  void read(std::string_view name, uint32_t lanes = ~0u) {
    const uint32_t* reg = board.at(name);
    deliver({{&at(kCoverageRegisters, name), -1, 0, unit},
             lanes,
             reg ? *reg & lanes : 0,
             value(name),
             value(name)},
            false, {});
  }
  void event(What what, uint32_t number, uint64_t value = 1) {
    listener->event({what, 5, number, value, {}});
  }

  CoverageBoard board;
  Listener* listener = nullptr;
  int unit = -1;
  bool says_nothing = false;  // what registers hold

 private:
  std::optional<uint32_t> value(std::string_view name) {
    const uint32_t* reg = board.at(name);
    if (!reg || says_nothing) return std::nullopt;
    return *reg;
  }
  void deliver(const Part& part, bool write, std::span<const Event> caused) {
    Access access;
    access.ns = 5;
    access.bytes = 4;
    access.write = write;
    access.parts = {&part, 1};
    access.events = caused;
    listener->access(access);
  }
};

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) { return Folder::read(path); }

class CoverageFileTest : public CoverageBoardTest {
 protected:
  CoverageFile* open() { return files.open(path.string(), why); }
  CoverageFile* opened() {
    CoverageFile* const file = open();
    EXPECT_NE(file, nullptr) << why;
    if (file) add(file);
    return file;
  }
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
  uint64_t count(std::string_view what) { return count_in(in_file(), what); }
  std::string walked() { return steps(in_file(), "start"); }

  const Folder temporary;
  const fs::path folder = temporary.path;
  fs::path path = folder / "cover.json";
  CoverageFiles files;
  std::string why;
};

TEST_F(CoverageFileTest, IsAsThePageSays) {
  CoverageFile* file = opened();
  write("MASK", 1);
  read("CTRL", 0xff);
  board.stat = 0x11;
  read("STAT");
  write("DATA", 1, 0xff);
  event(What::kMistake, 0);
  ASSERT_TRUE(file->write(why)) << why;
  // The Python side reads and prints the same file (tests/unit/scripts/coverage_test.py).
  const std::string golden = source("tests/unit/inspect/coverage.json");
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
  EXPECT_EQ(count("read CTRL.EN"), 1u);
  read("CTRL");
  write("MASK", 1);
  file->remove(coverage);  // what it has counted stays
  ASSERT_TRUE(file->write(why));
  EXPECT_EQ(count("read CTRL.EN"), 2u);
  EXPECT_EQ(walked(), "1 0 0");
  // The next machine.
  add(file);
  read("CTRL");
  write("MASK", 1);
  ASSERT_TRUE(file->write(why));
  EXPECT_EQ(count("read CTRL.EN"), 3u);
  EXPECT_EQ(walked(), "2 0 0");
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
  EXPECT_EQ(count("read CTRL.EN"), 2u);
  EXPECT_EQ(count_in(in_file("another"), "read CTRL.EN"), 1u);
  EXPECT_LT(text_of(path).find("another"), text_of(path).find("fake"));
}

TEST_F(CoverageFileTest, BoardsThatThisMachineLacksStay) {
  put(R"({"perfboard-coverage":1,"boards":{"gone":[{"kind":"read","name":"A.B","count":18446744073709551615,"text":"ä\n","source":""}]}})");
  CoverageFile* file = opened();
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
  EXPECT_EQ(count("read CTRL.EN"), uint64_t{kMachines * kWrites});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);  // nothing else is left
}

TEST_F(CoverageFileTest, ThreadsThatCountAtOnce) {
  CoverageFile* file = opened();
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
  EXPECT_EQ(count("read CTRL.EN"), uint64_t{kThreads * kReads});
}

TEST_F(CoverageFileTest, FullDiskLeavesTheFileAndLosesNothing) {
  CoverageFile* file = opened();
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
  EXPECT_TRUE(says(why, "File too large")) << why;
  EXPECT_EQ(text_of(path), before);
  EXPECT_FALSE(fs::exists(path.string() + ".new"));
  ASSERT_TRUE(file->write(why)) << why;
  EXPECT_EQ(count("read CTRL.EN"), 2u);
}

TEST_F(CoverageFileTest, LinkStaysALinkAndModesStay) {
  const fs::path real = folder / "real.json";
  std::ofstream(real).close();
  chmod(real.c_str(), 0640);
  fs::create_symlink("real.json", path);
  CoverageFile* file = opened();
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
  const std::vector<std::string> wrong = {
      "x",
      "{}",
      "[]",
      R"({"boards":{}})",
      std::string(1, '\0'),
      deep,
      R"({"perfboard-coverage":1})",
      R"({"perfboard-coverage":1,"boards":[]})",
      R"({"perfboard-coverage":"1","boards":{}})",
      R"({"perfboard-coverage":2,"boards":{}})",
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
      with("[" + item + "]") + "x"};
  for (const std::string& text : wrong) {
    put(text);
    EXPECT_EQ(open(), nullptr) << text.substr(0, 100);
    EXPECT_EQ(text_of(path), text);
    EXPECT_TRUE(says(why, "coverage")) << why;
  }
  fs::resize_file(path, uint64_t{65} << 20);  // sparse; it is not read
  EXPECT_EQ(open(), nullptr);
  EXPECT_TRUE(says(why, "68157440 bytes")) << why;
}

TEST_F(CoverageFileTest, AnotherVersionsBoardIsRefused) {
  CoverageFile* file = opened();
  ASSERT_TRUE(file->write(why));
  const std::string old = text_of(path);
  static BoardView fewer = kCoverageView;
  fewer.injections = {};
  EXPECT_EQ(file->add(fewer, {}, why), nullptr);
  EXPECT_TRUE(says(why, "injection inject-drop")) << why;
  // It may become so while the machine runs.
  std::string other = old;
  other.replace(other.find("CTRL.EN"), 7, "CTRL.ON");
  put(other);
  EXPECT_FALSE(file->write(why));
  EXPECT_TRUE(says(why, "another version")) << why;
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
  opened();
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
  EXPECT_EQ(count("read CTRL.EN"), 1u);
}

class CoverageTest : public CoverageBoardTest {
 protected:
  void SetUp() override { look_at(kCoverageView); }
  void look_at(const BoardView& view) {
    std::string why;
    coverage = Coverage::make(view, {&board, [](void*) { return uint64_t{8}; }}, why);
    ASSERT_NE(coverage, nullptr) << why;
    listener = coverage.get();
  }
  template <typename... What>
  std::string counts(What... what) {
    std::string all;
    ((all += (all.empty() ? "" : " ") + std::to_string(count_in(coverage->items(), what))), ...);
    return all;
  }
  std::string walked(std::string_view name = "start") { return steps(coverage->items(), name); }

  std::unique_ptr<Coverage> coverage;
};

TEST_F(CoverageTest, ListsWhatTheViewHasAndNothingThatIsReserved) {
  std::string all;
  for (const Item& i : coverage->items()) all += std::string(kind_name(i.kind)) + " " + i.name + "\n";
  EXPECT_EQ(all,
            "read CTRL.MODE\nwritten CTRL.MODE\nvalue CTRL.MODE=0\nvalue CTRL.MODE=2\n"
            "read CTRL.EN\nwritten CTRL.EN\n"
            "read STAT.SIZE\nvalue STAT.SIZE=1\nvalue STAT.SIZE=2\nread STAT.DONE\nset STAT.DONE\ncleared "
            "STAT.DONE\n"
            "read MASK.DONE\nwritten MASK.DONE\n"
            "read DATA.WORD[31:16]\nwritten DATA.WORD[31:16]\nread DATA.WORD[15:0]\nwritten "
            "DATA.WORD[15:0]\nnarrow DATA\n"
            "written KICK.GO\n"
            "raised DONE\nenabled DONE\nserviced DONE\nraised SIZE\nenabled SIZE\n"
            "sequence start\neffect kicked\ninjection inject-drop\nmistake kicked-twice\nnothing slot\n");
}

TEST_F(CoverageTest, FieldsThatTheAccessTouches) {
  read("CTRL", 0xff);  // the lowest byte: EN is bit 0, MODE is bits 9..8
  EXPECT_EQ(counts("read CTRL.EN", "read CTRL.MODE"), "1 0");
  write("CTRL", 0x200, 0xff00);
  EXPECT_EQ(counts("written CTRL.EN", "written CTRL.MODE"), "0 1");
  read("CTRL");
  EXPECT_EQ(counts("read CTRL.EN", "read CTRL.MODE"), "2 1");
  write("KICK", 1);
  EXPECT_EQ(counts("written KICK.GO"), "1");
}

TEST_F(CoverageTest, NarrowWriteIsNoWrite) {
  write("DATA", 0x12, 0xff);
  write("DATA", 0x12, 0xffff);
  EXPECT_EQ(counts("narrow DATA", "written DATA.WORD[15:0]"), "2 0");
  write("DATA", 0x12);
  EXPECT_EQ(counts("narrow DATA", "written DATA.WORD[15:0]", "written DATA.WORD[31:16]"), "2 1 1");
  read("DATA", 0xff);  // a narrow read is a read
  EXPECT_EQ(counts("read DATA.WORD[15:0]", "narrow DATA"), "1 2");
}

TEST_F(CoverageTest, ANarrowWriteIsOneMistake) {
  const Event mistake{What::kMistake, 5, 0, 0, {}}, effect{What::kEffect, 5, 0, 0, {}};
  write("DATA", 0x12, 0xff, {&mistake, 1});
  EXPECT_EQ(counts("mistake kicked-twice", "narrow DATA"), "1 0");
  write("DATA", 0x12, 0xff, {&effect, 1});
  EXPECT_EQ(counts("narrow DATA"), "1");
}

TEST_F(CoverageTest, ANarrowOrIgnoredWriteIsNoStep) {
  static constexpr std::string_view kSteps[] = {"DATA", "CTRL.EN=1"};
  static constexpr Sequence kSequences[] = {{"fill", kSteps, "data first", "p. 6"}};
  static constexpr Mistake kMistakes[] = {{"odd", "it is taken all the same", "p. 5"},
                                          {"full", "nobody takes it", "p. 5", kIgnored}};
  BoardView view = kCoverageView;
  view.sequences = kSequences;
  view.mistakes = kMistakes;
  ASSERT_NO_FATAL_FAILURE(look_at(view));
  const Event odd{What::kMistake, 5, 0, 0, {}}, full{What::kMistake, 5, 1, 0, {}};
  write("DATA", 0x12, ~0u, {&full, 1});
  EXPECT_EQ(counts("narrow DATA"), "0");
  write("DATA", 0x12, 0xff);
  EXPECT_EQ(walked("fill"), "0 0");
  EXPECT_EQ(counts("written DATA.WORD[15:0]", "mistake full"), "0 1");
  write("DATA", 0x12, ~0u, {&odd, 1});
  EXPECT_EQ(counts("written DATA.WORD[15:0]"), "1");
  EXPECT_EQ(walked("fill"), "1 0");
  write("CTRL", 1);
  EXPECT_EQ(walked("fill"), "1 1");
}

TEST_F(CoverageTest, ValuesWrittenIfTheGuestCanWriteThem) {
  write("CTRL", 0x200);
  write("CTRL", 0x300);  // no legal value
  EXPECT_EQ(counts("value CTRL.MODE=2", "value CTRL.MODE=0"), "1 0");
  read("CTRL");  // 3, but a read is no test of it anyhow
  write("CTRL", 0x000);
  EXPECT_EQ(counts("value CTRL.MODE=0"), "1");
  board.stat = 0x20;
  read("STAT");
  EXPECT_EQ(counts("value STAT.SIZE=2"), "1");
  write("STAT", 0x10);  // it cannot be written
  EXPECT_EQ(counts("value STAT.SIZE=1"), "0");
}

TEST_F(CoverageTest, ValueOfAFieldInTwoHalvesIsTheRegisters) {
  // SIZE is bits 9..4: a read of the lowest byte sees a part of it.
  board.stat = 0x210;
  read("STAT", 0xff);
  EXPECT_EQ(counts("value STAT.SIZE=1"), "0");
  board.stat = 0x010;
  read("STAT", 0xff);
  EXPECT_EQ(counts("value STAT.SIZE=1"), "1");
}

TEST_F(CoverageTest, WriteOneToClear) {
  read("STAT");
  write("STAT", 1);  // clears nothing
  EXPECT_EQ(counts("set STAT.DONE", "cleared STAT.DONE"), "0 0");
  board.stat |= 1;
  write("STAT", 0);  // the fault that is looked for: a 0 clears nothing
  read("STAT");
  EXPECT_EQ(counts("set STAT.DONE", "cleared STAT.DONE"), "1 0");
  write("STAT", 1);
  EXPECT_EQ(counts("cleared STAT.DONE"), "1");
}

TEST_F(CoverageTest, ConditionThatNobodyEnabled) {
  board.stat |= 1;
  read("CTRL");  // the status is seen whatever the guest looks at
  EXPECT_EQ(counts("raised DONE", "enabled DONE"), "1 0");
  read("STAT");
  EXPECT_EQ(counts("raised DONE"), "1");  // still the same one
  write("STAT", 1);
  EXPECT_EQ(counts("serviced DONE"), "1");
  write("STAT", 1);  // nothing to be serviced
  EXPECT_EQ(counts("serviced DONE"), "1");
  write("MASK", 1);
  write("MASK", 1);
  EXPECT_EQ(counts("enabled DONE"), "1");
}

TEST_F(CoverageTest, ConditionThatIsAlwaysEnabledAndHasNoService) {
  board.stat = 0x10;
  read("STAT");
  EXPECT_EQ(counts("raised SIZE", "enabled SIZE"), "1 1");
}

TEST_F(CoverageTest, ConditionThatNobodyLookedAtIsFoundAtTheEnd) {
  board.stat |= 1;
  board.mask |= 1;
  EXPECT_EQ(counts("raised DONE"), "0");
  coverage->settle();
  coverage->settle();
  EXPECT_EQ(counts("raised DONE", "enabled DONE"), "1 1");
  EXPECT_EQ(board.peeked_at, 8u);  // now
}

TEST_F(CoverageTest, ConditionsOfABoardWithALockOfItsOwnAreSeenByItsAccesses) {
  static int held;
  held = 0;
  std::string why;
  coverage =
      Coverage::make(kCoverageView, {&board, nullptr, [](void*, bool on) { held += on ? 1 : 100; }}, why);
  ASSERT_NE(coverage, nullptr) << why;
  listener = coverage.get();
  board.stat |= 1;
  read("CTRL");
  EXPECT_EQ(held, 0);  // whoever calls may be in the way of who has the lock
  EXPECT_EQ(counts("raised DONE"), "0");
  write("STAT", 1);  // it was set before, and is not after
  EXPECT_EQ(counts("raised DONE", "serviced DONE"), "1 1");
  coverage->settle();
  EXPECT_EQ(held, 101);
}

TEST_F(CoverageTest, WithoutAModelWhatIsReadIsKnown) {
  std::string why;
  coverage = Coverage::make(kCoverageView, {}, why);
  listener = coverage.get();
  says_nothing = true;
  board.stat |= 1;
  read("STAT", 0xff00);  // another byte
  EXPECT_EQ(counts("raised DONE"), "0");
  read("STAT");
  EXPECT_EQ(counts("raised DONE"), "1");
}

TEST_F(CoverageTest, SequenceWithOtherAccessesBetween) {
  write("CTRL", 0x201);  // a later step first
  EXPECT_EQ(walked(), "0 0 0");
  write("MASK", 1);
  read("STAT");
  write("CTRL", 0x200);
  write("CTRL", 0x201);
  EXPECT_EQ(walked(), "1 1 0");
  EXPECT_EQ(counts("sequence start"), "0");
  event(What::kEffect, 0);  // the last step is no access
  EXPECT_EQ(walked(), "1 1 1");
  EXPECT_EQ(counts("sequence start"), "1");
  event(What::kEffect, 0);  // it is to begin anew
  EXPECT_EQ(counts("sequence start"), "1");
}

TEST_F(CoverageTest, AnAccessAndWhatItCausesAreTwoSteps) {
  write("MASK", 1);
  const Event caused[] = {{What::kEffect, 0, 0, 0, {}}};
  write("CTRL", 0x201, ~0u, caused);
  EXPECT_EQ(counts("sequence start", "effect kicked"), "1 1");
}

// CTRL.MODE is 0 after a reset, so a driver that wants 0 has it.
TEST_F(CoverageTest, AStepThatIsAResetValueNeedNotBeWritten) {
  static constexpr std::string_view kSteps[] = {"MASK=1", "CTRL.MODE=0", "read STAT"};
  static constexpr Sequence kSequences[] = {{"look", kSteps, "in mode 0", "p. 6"}};
  BoardView view = kCoverageView;
  view.sequences = kSequences;
  ASSERT_NO_FATAL_FAILURE(look_at(view));
  write("MASK", 1);
  read("CTRL");
  EXPECT_EQ(walked("look"), "1 0 0");
  read("STAT");
  EXPECT_EQ(walked("look"), "1 1 1");
  write("MASK", 1);
  write("CTRL", 0);  // or it writes it
  read("STAT");
  EXPECT_EQ(walked("look"), "2 2 2");
  write("CTRL", 0x200);
  write("MASK", 1);
  read("STAT");  // it holds something else now
  EXPECT_EQ(walked("look"), "3 2 2");
  const Event reset[] = {{What::kReset, 0, 0, 0, {}}};
  write("KICK", 1, ~0u, reset);
  write("MASK", 1);
  read("STAT");
  EXPECT_EQ(walked("look"), "4 3 3");
  EXPECT_EQ(counts("sequence look"), "3");
}

TEST_F(CoverageTest, ResetBeginsSequencesAnew) {
  write("MASK", 1);
  event(What::kReset, 0);
  write("CTRL", 0x201);
  EXPECT_EQ(walked(), "1 0 0");
  write("MASK", 1);
  const Event reset[] = {{What::kReset, 0, 0, 0, {}}};
  write("KICK", 1, ~0u, reset);  // by a register
  write("CTRL", 0x201);
  EXPECT_EQ(walked(), "2 0 0");
}

TEST_F(CoverageTest, UnitsWalkByThemselves) {
  unit = 0;
  write("MASK", 1);
  unit = 1;
  write("CTRL", 0x201);
  EXPECT_EQ(walked(), "1 0 0");
  unit = 0;
  write("CTRL", 0x201);
  EXPECT_EQ(walked(), "1 1 0");
}

TEST_F(CoverageTest, MistakesEffectsInjections) {
  event(What::kMistake, 0);
  event(What::kInjected, 0, 3);
  event(What::kInjected, 0, 0);  // taken back
  for (const What what : {What::kMistake, What::kInjected, What::kEffect})
    event(what, 1, 1);  // the view has one of each
  EXPECT_EQ(counts("mistake kicked-twice", "injection inject-drop", "effect kicked"), "1 1 0");
}

TEST_F(CoverageTest, NothingAnswers) {
  const Part part{{}, 0xffffffff, 0xffffffff, {}, {}};
  Access access;
  access.bytes = 4;
  access.parts = {&part, 1};
  listener->access(access);
  EXPECT_EQ(counts("nothing slot"), "1");
  access.window = 7;  // none of the view's
  listener->access(access);
  access.parts = {};
  listener->access(access);
  EXPECT_EQ(counts("nothing slot"), "1");
}

TEST_F(CoverageTest, RegisterThatNoTableHasIsLeftOut) {
  static constexpr Field kFields[] = {{"BIT", 0, 0, ::perfboard::Access::rw, 0, "of no board", "p. 1"}};
  static constexpr Register kStray{"STRAY", 0, 1, kFields, "of no board", "p. 1"};
  const Part part{{&kStray}, ~0u, 1, 1, 1};
  Access access;
  access.parts = {&part, 1};
  listener->access(access);
  for (const Item& i : coverage->items()) EXPECT_EQ(i.count, 0u) << i.name;
}

TEST(CoverageView, WhatItNamesMustBeThere) {
  const auto refused = [](BoardView view, auto change) {
    std::string why;
    change(view);
    EXPECT_EQ(Coverage::make(view, {}, why), nullptr);
    return why;
  };
  static constexpr Condition kNoStatus[] = {{"X", "STAT.NONE", "", "", "", ""}};
  static constexpr Condition kNoEnable[] = {{"X", "STAT.DONE", "NONE.DONE", "", "", ""}};
  static constexpr Condition kNoPattern[] = {{"X", "STAT.DONE", "", "write", "", ""}};
  static constexpr std::string_view kNoSteps[] = {"write CTRL.NONE=1"};
  static constexpr Sequence kNoSequence[] = {{"s", kNoSteps, "", ""}};
  EXPECT_EQ(refused(kCoverageView, [](auto& v) { v.conditions = kNoStatus; }),
            "fake: no register has STAT.NONE");
  EXPECT_EQ(refused(kCoverageView, [](auto& v) { v.conditions = kNoEnable; }),
            "fake: no register has NONE.DONE");
  EXPECT_NE(refused(kCoverageView, [](auto& v) { v.conditions = kNoPattern; }), "");
  EXPECT_NE(refused(kCoverageView, [](auto& v) { v.sequences = kNoSequence; }), "");
}

}  // namespace
}  // namespace perfboard::inspect
