// SPDX-License-Identifier: GPL-2.0-or-later
// surf save and surf load: the whole board in a file (3.7).
#include <numeric>

#include "guest/common/input.h"
#include "guest/surfboard/cmd/state.h"
#include "tests/unit/surfboard/surf_fixture.h"

namespace perfboard::prompt {
namespace {

const Progress kQuiet = [](size_t, size_t) {};

struct Stateful : Prompt {
  explicit Stateful(surf::SurfBench::Sizes sizes = kSmall) : Prompt(sizes) {}
  std::string save() {
    save_state(board, folder.file("state"), kQuiet);
    return Folder::read(folder.file("state"));
  }
  void load(const std::string& text) {
    notes.clear();
    load_state(board, folder.write("in", text), [this](std::string_view note) { notes += note; }, kQuiet);
  }
  // The refusal, without the file's name; the board must not notice.
  std::string refused(const std::string& text) {
    const unsigned writes = board.writes;
    std::string why = "loaded";
    try {
      load(text);
    } catch (const std::runtime_error& e) {
      why = e.what();
    }
    EXPECT_EQ(board.writes, writes) << why;
    const std::string name = folder.file("in");
    return why.starts_with(name) ? why.substr(name.size()) : why;
  }
  void select() { (*this)("FPGA " + folder.write("has", pack(make_bitstream(HAS_SIZE_SHIFT)))); }
  uint64_t counted() {
    return std::accumulate(board.histogram().begin(), board.histogram().end(), uint64_t{0});
  }
  Folder folder;
  std::string notes;
};

// Something everywhere.
void fill(Stateful& s) {
  s.select();
  s.all({"ACDR = 3216040", "ACDR.TSIZE = 0", "CLEAR TRACE", "CLEAR FIFO", "HFCDR.EMPTY = 123",
         "HFCDR.FULL = 45", "PCLR = 1C", "TTCR.MODE = 1", "TTCR.QUAL = 2", "IEMR = 300", "WCDR = FFFFF000",
         "HTCR = 7"});
  s.bench.set_bin(1, 0xFFFFFFFE);
  for (int i = 0; i < 20; i++) s.bench.send({.words = static_cast<uint16_t>(1 + i % 2)});
  s.all({"HFDR = 155", "HFDR = 2"});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(SurfState, TheFile) {
  Stateful s;
  s.select();
  s.all({"CLEAR TRACE", "CLEAR FIFO", "ACDR = 02006080", "TICR = 207", "WCDR = 525.", "HFDR = 13F",
         "HFDR = 12", "HFDR = 0"});
  s.board.trace()[5] = 0xABCD;
  s.bench.set_bin(7, 0xFFFFFFF0);
  EXPECT_EQ(s.save(), R"(# The whole SurfBoard, by surf save; surf load puts it back. Numbers are hexadecimal.
STATE 1
FCCR 00000CC8  #  TSPD C  HSPD C  DONE 1  ERR 0  CFG 0  PROG 0
ACDR 02006080  # SENDID 1 CATMUX 0 LAT_S 00 LAT_N C TSIZE 2
TTCR 00000000  # EIP 0 EOP 0 MEOD 0 MEI 0 MBV 0 MODE 0 QUAL 0
ECDR 00000000  # DATA 0
PCLR 00000000  # LED 0 CAT 0
ISCR 00000000
IEMR 00000000
HTCR 00000000  # PRS 0 FRS 0 TRG 0 WEN 0 HEN 0 TEN 0
HFCDR 00070007  # EMPTY 007 FULL 007
TPIR 00000000
TICR 00000207
TECR 00000000  # ( 0.)
WCDR 0000020D  # ( 525.)
FIFO 0003
13F 012 000
TRACE 00040000
000000 00000000 00000000 00000000 60000000
000001 00000000 0000ABCD 00000000 60000000
000002 00000000 00000000 00000000 60000000 * 003FFFE
HISTOGRAM 00100000
000000 00000000 * 0000007
000007 FFFFFFF0
000008 00000000 * 00FFFF8
END CB982ECA
)");
}

TEST(SurfState, SavedAndLoadedItIsTheSame) {
  Stateful a, b;
  fill(a);
  const std::string text = a.save();
  EXPECT_EQ(a.save(), text) << "saving changes nothing";
  a.load(text);
  EXPECT_EQ(a.notes, "");
  EXPECT_EQ(a.save(), text);
  b.select();
  b.load(text);
  EXPECT_EQ(b.notes, "ISCR had BV, which no register sets: not restored");
  const auto without = [](const std::string& t) {
    std::vector<std::string> lines = lines_of(t);
    std::erase_if(lines,
                  [](const std::string& l) { return l.starts_with("ISCR ") || l.starts_with("END "); });
    return joined(lines);
  };
  EXPECT_EQ(without(b.save()), without(text));
  EXPECT_EQ(a.bench.trace_memory, b.bench.trace_memory);
  a("ISCR = 980");
  EXPECT_EQ(b("SHOW"), a("SHOW"));
}

// Each way in which TRG, TP and TC can stand.
TEST(SurfState, TriggerAndCompletion) {
  for (const char* mode : {"0", "1", "2"})
    for (const uint32_t iscr : {0u, SURF_ISCR_TP, SURF_ISCR_TC, SURF_ISCR_TP | SURF_ISCR_TC})
      for (const uint32_t htcr :
           {0u, SURF_HTCR_TRG, SURF_HTCR_PRS, SURF_HTCR_FRS, SURF_HTCR_TRG | SURF_HTCR_TEN}) {
        Stateful s({0, 0}), fresh({0, 0});
        s("CLEAR FIFO");
        std::vector<std::string> lines = lines_of(s.save());
        for (std::string& line : lines) {
          if (line.starts_with("TTCR")) line = fmt::format("TTCR {:08X}", strtoul(mode, nullptr, 16) << 2);
          if (line.starts_with("ISCR")) line = fmt::format("ISCR {:08X}", iscr);
          if (line.starts_with("HTCR")) line = fmt::format("HTCR {:08X}", htcr);
          if (line.starts_with("TECR")) line = "TECR 00000123";
        }
        std::string text = joined(lines);
        const std::string why = s.refused(text);
        const size_t sum = why.find("have ");
        ASSERT_NE(sum, why.npos) << why;
        text.replace(text.rfind("END ") + 4, 8, why.substr(sum + 5, 8));
        fresh.load(text);
        const std::string shown = fresh("SHOW");
        // With TEN, a cause that lasts sets TC by itself: a board cannot have stood so without.
        const bool full = htcr & SURF_HTCR_TEN;
        EXPECT_EQ(fresh.board.get(SURF_ISCR) & SURF_ISCR_W1C, iscr | (full ? SURF_ISCR_TC : 0))
            << mode << ' ' << htcr << '\n'
            << shown;
        EXPECT_EQ(fresh.board.get(SURF_HTCR), htcr);
        EXPECT_EQ(fresh.board.get(SURF_TECR), 0x123u);
      }
}

// The paper's reason (3.7): a long run goes on after it on another board, and nothing is counted twice or
// lost.
TEST(SurfState, ARunGoesOn) {
  const auto packet = [](int n) {
    return surf::SurfBench::Packet{.words = static_cast<uint16_t>(1 + n * 37 % 200),
                                   .sender = static_cast<uint16_t>(n % 16)};
  };
  for (const char* mode : {"0", "1", "2"})
    for (const int cut : {0, 1, 10, 50}) {  // the trace has 16 entries
      Stateful plain, before, after;
      for (Stateful* s : {&plain, &before}) {
        s->select();
        s->all({"CLEAR TRACE", "CLEAR FIFO", "ACDR = 02006000"});
        (*s)(std::string("TTCR.MODE = ") + mode);
        (*s)("HTCR = 7");
      }
      for (int n = 0; n < 100; n++) plain.bench.send(packet(n));
      for (int n = 0; n < cut; n++) before.bench.send(packet(n));
      const std::string text = before.save();
      EXPECT_EQ(before.board.get(SURF_HTCR) & 7, 7u) << "the saved one collects on";
      after.select();
      after.bench.pass_until(before.bench.now);
      after.load(text);
      EXPECT_EQ(after.counted(), static_cast<uint64_t>(cut));
      EXPECT_EQ(after.save(), text);
      for (int n = cut; n < 100; n++) {
        after.bench.send(packet(n));
        before.bench.send(packet(n));
      }
      for (Stateful* s : {&plain, &before, &after}) {
        (*s)("SHOW");  // the model catches up when it is looked at
        EXPECT_EQ(s->counted(), 100u) << cut;
        EXPECT_EQ(s->bench.hist_memory, plain.bench.hist_memory) << cut;
        EXPECT_EQ(s->bench.trace_memory, plain.bench.trace_memory) << cut;
        for (const uint32_t reg : {SURF_ISCR, SURF_WCDR, SURF_TICR, SURF_TECR, SURF_TPIR, SURF_HTCR})
          EXPECT_EQ(s->board.get(reg), plain.board.get(reg)) << reg << " mode " << mode << " cut " << cut;
      }
    }
}

// A trigger packet between the read of HTCR and the write that stops the collection.
struct LateTrigger : ModelBoard {
  using ModelBoard::ModelBoard;
  uint32_t get(uint32_t offset) override {
    const uint32_t value = ModelBoard::get(offset);
    if (offset == SURF_HTCR && value & SURF_HTCR_TEN && !sent) {
      sent = true;
      bench.send();
    }
    return value;
  }
  bool sent = false;
};

TEST(SurfState, ATriggerWhileItStops) {
  const Folder folder;
  LateTrigger board(kSmall);
  std::ostringstream out, err;
  Session session(board, out, err);
  for (const char* line : {"CLEAR TRACE", "ACDR = 6040"}) session.execute(line);
  board.put(SURF_HTCR, SURF_HTCR_TEN);
  save_state(board, folder.file("s"), kQuiet);
  EXPECT_TRUE(board.sent);
  EXPECT_TRUE(says(Folder::read(folder.file("s")), "\nHTCR 00000009 "));
  EXPECT_EQ(board.get(SURF_HTCR), SURF_HTCR_TEN | SURF_HTCR_TRG);
  board.bench.send();
  EXPECT_EQ(board.get(SURF_TPIR), 0u) << "the second packet is no trigger";
  EXPECT_EQ(board.get(SURF_TECR), 2u);
}

TEST(SurfState, AWriteThatFailsStopsNothing) {
  Stateful s;
  fill(s);
  const std::string before = s("SHOW");
  EXPECT_THROW(save_state(s.board, "/dev/full", kQuiet), FileError);
  EXPECT_EQ(s("SHOW"), before);
  EXPECT_THROW(save_state(s.board, "/nowhere/s", kQuiet), FileError);
  EXPECT_EQ(s("SHOW"), before);
}

// Whatever happens to a line: it is refused, a line is named, and the board is as it was.
TEST(SurfState, Damage) {
  Stateful s, b;
  fill(s);
  const std::vector<std::string> good = lines_of(s.save());
  b.select();
  b("CLEAR TRACE");
  const BlankMemory trace = b.bench.trace_memory, histogram = b.bench.hist_memory;
  const auto number = [](const std::string& why) {
    return why.starts_with(":") ? strtoul(why.c_str() + 1, nullptr, 10) : 0;
  };
  for (size_t i = 1; i < good.size(); i++) {
    std::vector<std::string> lines = good;
    lines[i].clear();
    std::string why = b.refused(joined(lines));
    EXPECT_GE(number(why), i + 1) << good[i] << ": " << why;
    lines = good;
    lines.insert(lines.begin() + static_cast<ptrdiff_t>(i), good[i]);
    EXPECT_EQ(number(why = b.refused(joined(lines))), i + 2) << good[i] << ": " << why;
    lines = good;
    lines.resize(i);
    EXPECT_EQ(number(why = b.refused(joined(lines))), i) << good[i] << ": " << why;
    EXPECT_TRUE(says(why, "the file ends here")) << why;
    const size_t digits = std::min(good[i].find("  #"), good[i].size());
    for (size_t at = 0; at < digits; at++) {
      if (good[i][at] == ' ') continue;
      lines = good;
      lines[i][at] = lines[i][at] == '1' ? '0' : '1';
      EXPECT_GE(number(why = b.refused(joined(lines))), i + 1) << lines[i] << ": " << why;
    }
    lines = good;
    lines[i].insert(digits, " 0");
    EXPECT_EQ(number(why = b.refused(joined(lines))), i + 1) << good[i] << ": " << why;
  }
  EXPECT_EQ(b.bench.trace_memory, trace);
  EXPECT_EQ(b.bench.hist_memory, histogram);
}

TEST(SurfState, WordsOfTheRefusals) {
  Stateful s, b;
  fill(s);
  const std::string good = s.save();
  b.select();
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return b.refused(text);
  };
  EXPECT_EQ(with("STATE 1", "STATE 2"), ":2: format 2: this surf reads 1");
  EXPECT_EQ(with("PCLR 0000001C", "PCLR 0000003C"),
            ":7: PCLR is 0000003C: expected no more than 0000001F, its bits");
  EXPECT_EQ(with("PCLR 0000001C", "PCLR 1C"), ":7: PCLR is '1C': expected 8 hexadecimal digits");
  EXPECT_EQ(with("PCLR", "PCLK"), ":7: 'PCLK': expected the line of PCLR");
  EXPECT_EQ(with("FIFO 0", "FIFO 2"), ":16: 2005 slots: expected no more than 1000, with HTCR.FRS 0");
  const std::string sum = good.substr(good.rfind("END ") + 4, 8);
  EXPECT_TRUE(
      with("PCLR 0000001C", "PCLR 0000001D")
          .starts_with(fmt::format(":{}: the sum is {}, the lines above have ", lines_of(good).size(), sum)));
  EXPECT_TRUE(says(b.refused(good + "MORE\n"), ": 'MORE': expected nothing behind END"));
  EXPECT_EQ(b.refused("\x7f"
                      "ELF\n"),
            ":1: '?ELF': expected the line of STATE");
  EXPECT_EQ(b.refused(""), ":0: the file ends here: expected the line of STATE");
  // Comments and blanks are the reader's own.
  std::string commented = good;
  commented.replace(commented.find("PCLR 0000001C"), 13, "\n# mine\n PCLR\t0000001C");
  b.load(commented);
  EXPECT_EQ(b.board.get(SURF_PCLR), 0x1Cu);
}

TEST(SurfState, AnotherBoard) {
  Stateful s, larger({16 * surf::kMiB, 4 * surf::kMiB}), none({0, 4 * surf::kMiB}), unselected;
  const std::string plain = s.save();
  EXPECT_EQ(larger.refused(plain), ":17: a TRACE memory of 00040000 entries: this board's has 00100000");
  EXPECT_EQ(none.refused(plain), ":17: a TRACE memory of 00040000 entries: this board's has 00000000");
  fill(s);
  EXPECT_EQ(unselected.refused(s.save()),
            "the state is of a board with a configured selector (FCCR.DONE): FPGA <filename> first");
  Stateful empty({0, 0}), again({0, 0});
  again.load(empty.save());
  EXPECT_EQ(again.save(), empty.save());
}

TEST(SurfState, WhatIsReadTwiceIsAFile) {
  Stateful s;
  for (const char* name : {"-", "/dev/null"})
    EXPECT_THROW(load_state(s.board, name, {}, kQuiet), FileError) << name;
  EXPECT_THROW(load_state(s.board, "/nowhere/s", {}, kQuiet), FileError);
}

}  // namespace
}  // namespace perfboard::prompt
