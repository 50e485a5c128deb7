// SPDX-License-Identifier: GPL-2.0-or-later
//
// The access log of a live machine: what it says of each access, who made it, where it goes, and that it
// changes nothing. What coverage= counts of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

using Lines = std::vector<std::string>;

// The columns behind time, vCPU, program counter and board.
std::string told(const std::string& line) {
  std::istringstream in(line);
  std::string time, cpu, pc, board, rest;
  in >> time >> cpu >> pc >> board;
  std::getline(in >> std::ws, rest);
  return rest;
}

Json json_of(const std::string& line) {
  Json json;
  json.Parse(line.c_str());
  EXPECT_FALSE(json.HasParseError()) << line;
  return json;
}

MachineOptions logging(const std::string& how) { return {.devices = {"surfboard,slot=2,id=surf," + how}}; }

struct InspectTest : testing::Test {
  // With the log whole: QEMU has ended.
  Lines after(Machine& m) {
    m.quit();
    return file_lines(file);
  }

  Scratch scratch;
  const std::string file = scratch.path("log");
};

// mov dx, port; in eax, dx; out dx, eax; mov eax, [HTCR]; mov [HTCR], eax; hlt - at 0000:0600.
std::vector<uint8_t> program() {
  std::vector<uint8_t> code = {0xba, 0x84, 0x2c, 0x66, 0xed, 0x66, 0xef};
  const uint32_t htcr = Surf::kRegisters + SURF_HTCR;
  for (const uint8_t opcode : {0xa1, 0xa3}) {
    code.insert(code.end(), {0x67, 0x66, opcode});
    for (int i = 0; i < 4; ++i) code.push_back(static_cast<uint8_t>(htcr >> (8 * i)));
  }
  code.insert(code.end(), {0xf4, 0xeb, 0xfd});
  return code;
}

TEST_F(InspectTest, TheInstructionIsNamedForMemoryAndForPorts) {
  MachineOptions options = logging("log=" + file);
  options.program = program();
  Machine m(options);
  Surf(m, 2).enable();
  m.step(10'000);
  const Lines lines = after(m);
  ASSERT_GE(lines.size(), 4u);
  const struct {
    const char *cpu_and_pc, *told;
  } expected[] = {{" cpu0   603 ", "EBCR -> "},
                  {" cpu0   605 ", "EBCR <- "},
                  {" cpu0   607 ", "HTCR -> "},
                  {" cpu0   60e ", "HTCR <- "}};
  for (size_t i = 0; i < 4; ++i) {
    const std::string& line = lines[lines.size() - 4 + i];
    EXPECT_TRUE(has(line, expected[i].cpu_and_pc)) << line;
    EXPECT_TRUE(told(line).starts_with(expected[i].told)) << line;
  }
}

// Looking may begin while the machine runs: blocks are translated anew.
TEST_F(InspectTest, ThePortsInstructionIsNamedFromTheMiddleOfARun) {
  MachineOptions options = logging("id=surf");
  options.devices = {"surfboard,slot=2,id=surf"};
  // mov dx, 2c80; again: in al, dx; sti; hlt; jmp again - the watchdog's pause wakes nobody, so the timer's
  // interrupt does.
  options.program = {0xba, 0x80, 0x2c, 0xec, 0xeb, 0xfd};
  Machine m(options);
  m.step(2'000);
  EXPECT_EQ(m.set("surf", "recent", "2"), "");
  m.step(5'000);
  const Json all = json_of(m.text("surf", "registers"));
  ASSERT_EQ(all["recent"].Size(), 2u);
  EXPECT_EQ(all["recent"][1]["pc"].GetUint64(), 0x603u);
  EXPECT_EQ(all["recent"][1]["cpu"].GetUint64(), 0u);
  EXPECT_STREQ(all["recent"][1]["reg"].GetString(), "EPIR");
}

TEST_F(InspectTest, AFilterAndAFormatAreChosenAndTheFilterChangesWhileTheMachineRuns) {
  Machine m(logging("log-filter=any WCDR,log-format=json,log=" + file));
  Surf surf(m, 2);
  surf.enable();
  surf.write(SURF_WCDR, 7);
  surf.write(SURF_TICR, 7);
  EXPECT_EQ(m.set("surf", "log-filter", "\"write TICR=9\""), "");
  surf.write(SURF_TICR, 8);
  surf.write(SURF_TICR, 9);
  EXPECT_TRUE(has(m.set("surf", "log-filter", "\"TOCR\""),
                  "log-filter=TOCR: 'TOCR': there is no such register; legal are "));
  surf.write(SURF_TICR, 9);
  std::string written;
  for (const std::string& line : after(m)) {
    const Json json = json_of(line);
    written += std::string(json["reg"].GetString()) + '=' + std::to_string(json["value"].GetUint()) + ' ';
  }
  EXPECT_EQ(written, "WCDR=7 TICR=9 TICR=9 ");
}

TEST_F(InspectTest, WhatWasLoggedIsInTheFileWhileTheMachineStandsStill) {
  Machine m(logging("log=" + file));
  Surf(m, 2).enable();
  m.step(1'000);
  EXPECT_TRUE(has(contents(file), "EBCR <- "));
}

TEST_F(InspectTest, QemusOwnLogTakesIt) {
  Machine m(logging("log=-"));
  Surf(m, 2).enable();
  EXPECT_TRUE(has(m.log(), "EBCR <- ")) << m.log();
}

TEST_F(InspectTest, OfALongArrayOnlyWhatIsNotAsAfterPowerOn) {
  Machine m({.devices = {"shrimp-sni,slot=1,id=sni"}});
  Sni sni(m, 1);
  sni.enable(SURF_IRLEV_IRQ10);
  sni.accept(0x20, SNI_IPT_VALID);
  const Json all = json_of(m.text("sni", "registers"));
  Lines entries;
  for (const auto& reg : all["registers"].GetArray())
    if (std::string_view(reg["reg"].GetString()) == "IPT")
      entries.push_back(std::to_string(reg["index"].GetUint()));
  EXPECT_EQ(entries, Lines{"32"});
  EXPECT_GT(all["registers"].Size(), 10u);
}

// The page shows them with other times and places. Lines that stand for many are unit-inspect's.
TEST_F(InspectTest, ThePagesLinesAreTheBoards) {
  Machine m(logging("log=" + file));
  Surf surf(m, 2);
  surf.enable(SURF_IRLEV_IRQ10);
  surf.write(SURF_HTCR, 0);
  surf.write(SURF_IEMR, SURF_IEMR_FNE);
  surf.write(SURF_HFDR, 0x3f);
  surf.read(SURF_ISCR);
  surf.read(SURF_HFDR);
  surf.read(SURF_HFDR);
  m.set("surf", "ext-pull", "true");
  Lines expected, page = file_lines(std::string(std::getenv("PERFBOARD_ROOT")) + "/hw/inspect/README.md");
  for (const std::string& line : page)
    if (line.find(" surfboard    ") != std::string::npos && line.find(" times to ") == std::string::npos)
      expected.push_back(told(line));
  EXPECT_EQ(expected.size(), 7u);
  Lines lines = after(m);
  lines.erase(lines.begin(), lines.begin() + 2);
  for (std::string& line : lines) line = told(line);
  EXPECT_EQ(lines, expected);
}

TEST_F(InspectTest, ABoardThatIsGoneAnswersNothing) {
  Machine m(logging("id=surf,log=" + file));
  Surf surf(m, 2);
  surf.enable();
  EXPECT_EQ(m.set("surf", "inject-gone", "true"), "");
  EXPECT_EQ(surf.read(SURF_HTCR), 0xffffffffu);
  surf.write(SURF_WCDR, 5);
  m.in8(0x2c80);
  EXPECT_EQ(m.set("surf", "inject-gone", "false"), "");
  EXPECT_EQ(surf.read(SURF_WCDR), 0u);
  const Lines lines = after(m);
  ASSERT_GE(lines.size(), 6u);
  const Lines expected = {"inject-gone on (1)",
                          "registers+0x20 -> ffffffff (nothing answers)",
                          "registers+0x24 <- 00000005 (nothing answers)",
                          "slot+0xc80 -> ff (nothing answers)",
                          "inject-gone off (0)",
                          "WCDR -> 00000000"};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(told(lines[lines.size() - 6 + i]), expected[i]);
}

TEST_F(InspectTest, WhatIsWrongIsRefusedAtTheStart) {
  const std::string other = scratch.path("other");
  std::ofstream(other) << "{}";
  const Wrong cases = {
      {"log=/no/such/folder/log", {"surfboard: log=/no/such/folder/log: No such file or directory"}},
      {"log=" + file + ",log-format=xml", {"surfboard: log-format=xml: legal are text and json"}},
      {"log-format=json", {"surfboard: log-format=json: legal only with log=FILE"}},
      {"recent=65537", {"surfboard: recent=65537: legal are 0 to 65536"}},
      {"log-filter=HTCR.NONE", {"'NONE': HTCR has no such field; legal are "}},
      {"break=mistake no-such", {"break=mistake no-such: 'no-such': there is no such mistake; legal are "}},
      {"coverage=" + other, {"coverage=" + other + ": this is no file of coverage"}},
  };
  expect_refused({"-device", "i82375"}, "surfboard,slot=2", cases);
}

// The machine does the same, to the nanosecond, and two logs of it are the same.
TEST_F(InspectTest, LookingChangesNothing) {
  const auto run = [&](const std::string& how) {
    MachineOptions options;
    options.devices = {"shrimp-sni,slot=1,id=sni" + how, "surfboard,slot=2,id=surf" + how};
    options.program = program();
    Machine m(options);
    Surf surf(m, 2);
    Sni sni(m, 1);
    surf.enable(SURF_IRLEV_IRQ10);
    sni.enable(SURF_IRLEV_IRQ9);
    sni.accept(0x20, SNI_IPT_VALID);
    surf.write(SURF_HTCR, SURF_HTCR_TEN | SURF_HTCR_WEN);
    sni.deliberate(0x8000, 0x20000, 64);
    m.step(300'000);
    std::string seen = std::to_string(m.get("surf", "receive-time"));
    for (const char* board : {"surf", "sni"}) {
      m.set(board, "recent", "0");
      seen += m.text(board, "registers");
    }
    for (uint32_t i = 0; i < 64; ++i) seen += " " + std::to_string(surf.trace(i / 8, i % 8 / 2));
    m.quit();
    return seen;
  };
  const std::string other = scratch.path("other");
  const std::string plain = run(""), first = run(",log=" + file + ",recent=10"),
                    second = run(",log=" + other + ",recent=10");
  EXPECT_EQ(plain, first);
  EXPECT_EQ(first, second);
  EXPECT_GT(file_lines(file).size(), 15u);
  EXPECT_EQ(contents(file), contents(other));
}

// --- coverage=FILE: what is counted gets into the file when the machine stops and when it ends -----------

class File {
 public:
  std::string path() const { return folder_.path("cover.json"); }
  std::string text() const { return contents(path()); }

  // Of an item; -1: there is none.
  int64_t count(const std::string& kind, const std::string& name) const {
    Json doc;
    doc.Parse(text().c_str());
    if (!doc.IsObject() || !doc["boards"].HasMember("surfboard")) return -1;
    for (const auto& item : doc["boards"]["surfboard"].GetArray())
      if (item["kind"] == kind.c_str() && item["name"] == name.c_str()) return item["count"].GetInt64();
    return -1;
  }
  MachineOptions board() const { return {.devices = {"surfboard,slot=2,coverage=" + path()}}; }

 private:
  Scratch folder_;
};

TEST(Coverage, FieldsMistakesConditionsOfARunAtItsEnd) {
  File file;
  Machine m(file.board());
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
  EXPECT_EQ(file.count("written", "EBCR.IRLEV"), 1);
  EXPECT_EQ(file.count("value", "TTCR.MODE=1"), 1);
  EXPECT_EQ(file.count("value", "TTCR.MODE=2"), 0);
  EXPECT_EQ(file.count("raised", "FNE"), 1);
  EXPECT_EQ(file.count("mistake", "fifo-empty"), 1);
  EXPECT_EQ(file.count("effect", "fifo-popped"), 1);
}

TEST(Coverage, WrittenWhereTheMachineStopsAndNothingTwice) {
  File file;
  Machine m(file.board());
  m.in32(0x2c80);
  m.step(1'000);  // ends with a stop
  EXPECT_EQ(file.count("read", "EPIR.REV"), 1);
  m.in32(0x2c80);
  m.step(1'000);
  EXPECT_EQ(file.count("read", "EPIR.REV"), 2);
  m.quit();
  EXPECT_EQ(file.count("read", "EPIR.REV"), 2);
}

TEST(Coverage, FileThatGoesAwayIsOneLineAndTheMachineLives) {
  File file;
  Machine m(file.board());
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
  EXPECT_EQ(file.count("read", "EPIR.REV"), 1) << "nothing counted is lost";
}

}  // namespace
}  // namespace perfboard::qtest
