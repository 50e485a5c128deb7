// SPDX-License-Identifier: GPL-2.0-or-later
//
// coverage=FILE in a live machine: what is counted gets into the file when the machine stops and when it
// ends, and is added up there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

class File {
 public:
  std::string path() const { return folder_.path("cover.json"); }
  std::string text() const { return contents(path()); }

  // Of an item; -1: there is none.
  int64_t count(const std::string& board, const std::string& kind, const std::string& name) const {
    rapidjson::Document doc;
    doc.Parse(text().c_str());
    if (!doc.IsObject() || !doc["boards"].HasMember(board.c_str())) return -1;
    for (const auto& item : doc["boards"][board.c_str()].GetArray())
      if (item["kind"] == kind.c_str() && item["name"] == name.c_str()) return item["count"].GetInt64();
    return -1;
  }
  std::string board(int slot) const {
    return "surfboard,slot=" + std::to_string(slot) + ",coverage=" + path();
  }

 private:
  Scratch folder_;
};

TEST(Coverage, FieldsMistakesConditionsOfARunAddedUpAtItsEnd) {
  File file;
  {
    Machine m({.devices = {file.board(2)}});
    Surf surf(m, 2);
    EXPECT_EQ(file.text(), "") << "the file is there from the start";
    surf.enable(SURF_IRLEV_IRQ10);
    surf.write(SURF_HTCR, 0);
    surf.write(SURF_TTCR, 1 << 2);
    surf.read(SURF_HFDR);  // empty
    surf.write(SURF_HFDR, 1);
    surf.write(SURF_IEMR, SURF_IEMR_FNE);
    surf.read(SURF_HFDR);
    EXPECT_EQ(m.quit(), 0);
  }
  EXPECT_EQ(file.count("surfboard", "written", "EBCR.IRLEV"), 1);
  EXPECT_EQ(file.count("surfboard", "value", "TTCR.MODE=1"), 1);
  EXPECT_EQ(file.count("surfboard", "value", "TTCR.MODE=2"), 0);
  EXPECT_EQ(file.count("surfboard", "raised", "FNE"), 1);
  EXPECT_EQ(file.count("surfboard", "mistake", "fifo-empty"), 1);
  EXPECT_EQ(file.count("surfboard", "effect", "fifo-popped"), 1);
  {
    Machine m({.devices = {file.board(2)}});
    Surf surf(m, 2);
    surf.enable();
    surf.write(SURF_TTCR, 2 << 2);
    m.quit();
  }
  EXPECT_EQ(file.count("surfboard", "written", "EBCR.IRLEV"), 2);
  EXPECT_EQ(file.count("surfboard", "value", "TTCR.MODE=1"), 1);
  EXPECT_EQ(file.count("surfboard", "value", "TTCR.MODE=2"), 1);
}

TEST(Coverage, WrittenWhereTheMachineStopsAndNothingTwice) {
  File file;
  Machine m({.devices = {file.board(2)}});
  m.in32(0x2c80);
  m.step(1'000);  // ends with a stop
  EXPECT_EQ(file.count("surfboard", "read", "EPIR.REV"), 1);
  m.in32(0x2c80);
  m.step(1'000);
  EXPECT_EQ(file.count("surfboard", "read", "EPIR.REV"), 2);
  m.quit();
  EXPECT_EQ(file.count("surfboard", "read", "EPIR.REV"), 2);
}

TEST(Coverage, FileThatGoesAwayIsOneLineAndTheMachineLives) {
  File file;
  Machine m({.devices = {file.board(2)}});
  m.in32(0x2c80);
  std::ofstream(file.path()) << "something else";
  m.step(1'000);
  EXPECT_TRUE(m.answers());
  EXPECT_TRUE(
      has(m.output(), "perfboard: coverage is not written: " + file.path() + ": this is no file of coverage"))
      << m.output();
  EXPECT_EQ(file.text(), "something else");
  unlink(file.path().c_str());
  m.quit();
  EXPECT_EQ(file.count("surfboard", "read", "EPIR.REV"), 1) << "nothing counted is lost";
}

}  // namespace
}  // namespace perfboard::qtest
