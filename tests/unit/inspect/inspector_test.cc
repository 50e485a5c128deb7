// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is made of an access and of what happens meanwhile: parts, lines of text, JSON, and who gets to hear
// of it.
#include "hw/inspect/inspector.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "hw/inspect/json.h"
#include "hw/inspect/text.h"
#include "tests/unit/inspect/small_board.h"

namespace perfboard::inspect {
namespace {

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
  EXPECT_NE(text_of(inspector.who(), true, none).find(" small@2 "), std::string::npos);
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
  EXPECT_NE(heard.text[0].find("CTRL -> 00000001 EN=1; popped 1"), std::string::npos) << heard.text[0];
  EXPECT_NE(heard.text[1].find("STAT -> 00070000 COUNT=7; done 4"), std::string::npos) << heard.text[1];
  ASSERT_EQ(of_other.text.size(), 1u);
  EXPECT_NE(of_other.text[0].find(" *  "), std::string::npos);
}

TEST_F(InspectorTest, JsonOfAnAccess) {
  board.stat = 1;
  line(small_access(1, 4, 4, true, 1), 0, [&] {
    board.stat = 0;
    inspector.tell(What::kIrq, 0, 0);
    inspector.tell(What::kEffect, 0, uint64_t{1} << 60);
    inspector.tell(What::kMistake, 0, 0, "a \"line\"\t\\");
  });
  EXPECT_EQ(
      heard.json.back(),
      "{\"n\":0,\"ns\":1250000,\"board\":\"small\",\"unit\":\"2\",\"op\":\"write\",\"cpu\":0,"
      "\"pc\":\"0xffffffffc0001234\",\"window\":\"registers\",\"offset\":4,\"bytes\":4,\"value\":1,"
      "\"reg\":\"STAT\",\"before\":1,\"after\":0,\"fields\":{\"COUNT\":0,\"TC\":1},\"changed\":{\"TC\":0},"
      "\"effects\":[{\"name\":\"popped\",\"value\":\"0x1000000000000000\"}],\"irq\":0,"
      "\"mistakes\":[{\"name\":\"empty\",\"line\":\"a \\\"line\\\"\\t\\\\\",\"source\":\"p. 61\"}]}");
  read(1, 0x0c, 4, 9);
  EXPECT_EQ(heard.json.back(),
            "{\"n\":1,\"ns\":1250000,\"board\":\"small\",\"unit\":\"2\",\"op\":\"read\",\"cpu\":0,"
            "\"pc\":\"0xffffffffc0001234\",\"window\":\"registers\",\"offset\":12,\"bytes\":4,\"value\":9,"
            "\"reg\":\"DATA\",\"index\":1,\"before\":0,\"after\":0,\"fields\":{\"WORD\":9}}");
  read(1, 0, 8, 1);
  EXPECT_NE(heard.json.back().find("\"parts\":[{\"lanes\":4294967295,\"data\":1,\"reg\":\"CTRL\""),
            std::string::npos);
  read(1, 0x80, 4, 1);
  EXPECT_EQ(heard.json.back().find("\"reg\""), std::string::npos);
  inspector.tell(What::kReset, 0, 0);
  EXPECT_EQ(heard.json.back(),
            "{\"n\":4,\"ns\":0,\"board\":\"small\",\"unit\":\"2\",\"op\":\"event\",\"reset\":true}");
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
  EXPECT_NE(h.text.back().find(" plain        window 1+0x84 <- 00ab; MISTAKE: wrong"), std::string::npos)
      << h.text.back();
  EXPECT_EQ(in.registers(1, true),
            "{\"board\":\"plain\",\"unit\":\"2\",\"ns\":1,\"irq\":1,\"registers\":[],\"recent\":[]}");
}

TEST_F(InspectorTest, RegistersAndTheLastAccesses) {
  board.ctrl = 0x201;
  board.data[3] = 8;
  inspector.set_recent(2);
  read(1, 0, 4, 1);
  read(1, 4, 4, 2);
  inspector.tell(What::kMistake, 0, 0, std::string("one ") + "that goes away");
  const std::string all = inspector.registers(77, false);
  EXPECT_TRUE(
      all.starts_with("{\"board\":\"small\",\"unit\":\"2\",\"ns\":77,\"irq\":0,\"registers\":["
                      "{\"reg\":\"CTRL\",\"value\":513,\"fields\":{\"MODE\":2,\"EN\":1}},"
                      "{\"reg\":\"STAT\",\"value\":0,\"fields\":{\"COUNT\":0,\"TC\":0}},"
                      "{\"reg\":\"DATA\",\"index\":0,\"value\":0,\"fields\":{\"WORD\":0}},"))
      << all;
  EXPECT_NE(all.find("{\"reg\":\"DATA\",\"index\":3,\"value\":8,"), std::string::npos);
  EXPECT_NE(all.find("{\"reg\":\"CTRL\",\"part\":1,\"value\":513,"), std::string::npos);
  EXPECT_EQ(all.find("KICK"), std::string::npos) << "it holds nothing";
  const std::string recent = all.substr(all.find("\"recent\":"));
  EXPECT_EQ(recent.find("\"reg\":\"CTRL\""), std::string::npos) << "two are kept";
  EXPECT_NE(recent.find("\"reg\":\"STAT\""), std::string::npos);
  EXPECT_NE(recent.find("one that goes away"), std::string::npos);
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
