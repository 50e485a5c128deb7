// SPDX-License-Identifier: GPL-2.0-or-later
// Commands, assignments and their errors; DO files; SHOW and HELP (B.2.1).
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "guest/surfboard/cmd/board.h"
#include "tests/unit/surfboard/surf_fixture.h"

namespace perfboard::prompt {
namespace {

TEST(SurfValue, HexByDefaultDecimalWithAPoint) {
  EXPECT_EQ(parse_value("207"), 0x207u);
  EXPECT_EQ(parse_value("519."), 519u);
  EXPECT_EQ(parse_value("fFfFfFfF"), 0xFFFFFFFFu);
  EXPECT_EQ(parse_value("0x1F"), 0x1Fu);
  EXPECT_EQ(parse_value("4294967295."), 0xFFFFFFFFu);
  EXPECT_EQ(parse_value("0"), 0u);
  for (const char* bad : {"", ".", "0x", "G", "1F.", "-1", "1.5", "100000000", "4294967296.", "1 2", "0x1."})
    EXPECT_THROW(parse_value(bad), CommandError) << bad;
}

TEST(SurfAssign, EveryRegisterTakesItsBits) {
  Prompt p;
  p("CLEAR FIFO");
  for (const RegisterInfo& reg : all_registers()) {
    if (reg.kind == RegisterKind::fifo_offset) continue;
    const std::string name(reg.name);
    const std::string all = fmt::format("{:X}", reg.mask());
    p(name + " = " + all);
    if (reg.mask() != 0xFFFFFFFF) {
      EXPECT_TRUE(says(p.fails(name + " = " + fmt::format("{:X}", uint64_t{reg.mask()} + 1)),
                       "expected no more than"));
    }
    if (reg.kind == RegisterKind::plain) p(name + " = 0");
  }
}

TEST(SurfAssign, EveryWritableFieldReadsBack) {
  Prompt p;
  p("CLEAR FIFO");
  for (const RegisterInfo& reg : all_registers()) {
    if (reg.kind == RegisterKind::fifo_data || reg.kind == RegisterKind::clocked) continue;
    for (const FieldInfo& field : reg.fields) {
      if (field.access != FieldAccess::rw) continue;
      if (reg.name == "TICR") p("ACDR.TSIZE = 3");
      if (field.name == "FRS") continue;  // holds what HFCDR needs; CLEAR FIFO uses it
      const std::string name = fmt::format("{}.{}", reg.name, field.name);
      const auto value = [&] {
        if (reg.kind == RegisterKind::shift) return field.get(p.bench.recirculate());
        if (reg.kind == RegisterKind::fifo_offset)
          return uint32_t{field.name == "EMPTY" ? p.bench.state().fifo.empty_offset
                                                : p.bench.state().fifo.full_offset};
        return field.get(p.bench.read_at(reg.offset, 4));
      };
      const uint32_t all = field.mask >> field.shift();
      p(fmt::format("{} = {:X}", name, all));
      EXPECT_EQ(value(), all) << name;
      p(fmt::format("{} = 0", name));
      EXPECT_EQ(value(), 0u) << name;
      if (field.bits() < 32) p.fails(fmt::format("{} = {:X}", name, uint64_t{all} + 1));
      EXPECT_EQ(value(), 0u) << name;
    }
  }
}

TEST(SurfAssign, AFieldLeavesItsNeighboursAlone) {
  Prompt p;
  p.all({"ACDR = 0FFFFFFF", "acdr.lat_n = 5"});
  EXPECT_EQ(p.bench.state().acdr, 0x0FFFAFFFu);
  p.all({"CLEAR FIFO", "HFCDR.EMPTY = FED", "HFCR.FULL = 123", "hfccr.empty=ABC"});
  EXPECT_EQ(p.bench.state().fifo.full_offset, 0x123);
  EXPECT_EQ(p.bench.state().fifo.empty_offset, 0xABC);
  p("ECCR.DATA = 1");
  EXPECT_EQ(p.bench.read("ECDR"), 1u);
}

TEST(SurfAssign, ClearingOneConditionKeepsTheOthers) {
  Prompt p;
  p("HTCR.TEN = 1");
  p("HTCR.TRG = 1");
  p.bench.pull(true);
  EXPECT_EQ(p.shown("ISCR"), "ISCR 00000006 EXT TP");
  p("ISCR.EXT = 0");
  EXPECT_EQ(p.shown("ISCR"), "ISCR 00000006 EXT TP");
  p("ISCR.EXT = 1");
  EXPECT_EQ(p.shown("ISCR"), "ISCR 00000002 TP");
  p("ISCR = 3FFF");
  EXPECT_EQ(p.shown("ISCR"), "ISCR 00000000");
}

TEST(SurfAssign, FifoDataIsOneSlot) {
  Prompt p;
  p("CLEAR FIFO");
  p("HFDR = 1AB");
  EXPECT_EQ(p.bench.state().fifo.count, 1);
  EXPECT_EQ(p.bench.read("HFDR"), 0x1ABu);
  EXPECT_TRUE(says(p.fails("HFDR.DATA = 1"), "HFDR = <value>"));
}

TEST(SurfErrors, NameTheWordAndWhatWasExpected) {
  Prompt p;
  p("CLEAR FIFO");
  const struct {
    const char *line, *word, *expected;
  } cases[] = {
      {"frobnicate", "'frobnicate'", "expected a command"},
      {"FROB = 1", "'FROB'", "FCCR ACDR TTCR"},
      {"HTCR.FROB = 1", "'FROB'", "PRS FRS TRG WEN HEN TEN"},
      {"HTCR. = 1", "''", "PRS FRS"},
      {"HTCR.TEN = 2", "'2'", "expected no more than 1"},
      {"HTCR = 12G", "'12G'", "expected hexadecimal digits"},
      {"HTCR =", "missing", "expected a number"},
      {"HTCR", "'HTCR'", "expected HTCR = <value>"},
      {"HTCR.TEN", "'HTCR.TEN'", "expected HTCR.TEN = <value>"},
      {"FCCR.DONE = 1", "FCCR.DONE", "read only"},
      {"ISCR.FNE = 1", "ISCR.FNE", "read only"},
      {"HFCDR = 7", "HFCDR", "HFCDR.EMPTY or HFCDR.FULL"},
      {"ACDR.RDBK_E = 0", "'RDBK_E'", "RDBK_D RDBK_F"},
      {"CLEAR", "'CLEAR'", "CLEAR <memtype>"},
      {"CLEAR RAM", "'RAM'", "TRACE, HISTOGRAM or FIFO"},
      {"LOAD TRACE", "'LOAD'", "LOAD <memtype> <filename>"},
      {"LOAD TRACE a b", "'b'", "LOAD <memtype> <filename>"},
      {"QUIT now", "'now'", "QUIT or EXIT alone"},
      {"SHOW HTCR", "'HTCR'", "SHOW alone"},
      {"SAVE FIFO \"a", "\"a", "closing"},
      {"DO /nowhere/at/all", "/nowhere/at/all", "No such file"},
      {"DO /", "/", "directory"},
      {"FPGA /nowhere", "/nowhere", "No such file"},
      {"= 3", "''", "expected FCCR"},
  };
  for (const auto& c : cases) {
    const std::string error = p.fails(c.line);
    EXPECT_TRUE(error.starts_with("surf: ")) << error;
    EXPECT_TRUE(says(error, c.word)) << c.line << " -> " << error;
    EXPECT_TRUE(says(error, c.expected)) << c.line << " -> " << error;
  }
}

TEST(SurfErrors, OffsetsOfAFifoInReset) {
  Prompt p;
  EXPECT_TRUE(says(p.fails("HFCDR.EMPTY = 10"), "HTCR.FRS"));
}

TEST(SurfCommand, WordsCommentsAndBlanks) {
  Prompt p;
  EXPECT_EQ(p(""), "");
  EXPECT_EQ(p("   \t"), "");
  EXPECT_EQ(p("# HTCR = 1"), "");
  EXPECT_EQ(p.board.writes, 0u);
  p("  pclr.cat\t=\t7   # the category");
  EXPECT_EQ(p.bench.read("PCLR"), 7u);
  p("Pclr.Led=1");
  EXPECT_EQ(p.bench.read("PCLR"), 0x17u);
  EXPECT_EQ(p.run("quit"), Outcome::quit);
  EXPECT_EQ(p.run("Exit # enough"), Outcome::quit);
  EXPECT_EQ(p("hElP"), p("HELP"));
}

TEST(SurfDo, RunsFilesWithinFiles) {
  const Folder folder;
  Prompt p;
  const std::string inner = folder.write("in #1.surf", "PCLR.CAT = 5\r\n\n# nothing\nWCDR = 10.");
  const std::string outer = folder.write("outer", "DO \"" + inner + "\"\nTPIR = 3\n");
  p("do " + outer);
  EXPECT_EQ(p.bench.read("PCLR"), 5u);
  EXPECT_EQ(p.bench.read("WCDR"), 10u);
  EXPECT_EQ(p.bench.read("TPIR"), 3u);
}

TEST(SurfDo, AnErrorShowsEveryLineThatLedToItAndStops) {
  const Folder folder;
  Prompt p;
  const std::string inner = folder.write("inner", "TPIR = 1\nTPIR = 12Z\nTPIR = 2\n");
  const std::string outer = folder.write("outer", "\nDO " + inner + "\nWCDR = 9\n");
  const std::string error = p.fails("DO " + outer);
  EXPECT_EQ(error,
            "surf: value '12Z': expected hexadecimal digits, or decimal digits and a '.' at the end\n" +
                inner + ":2: TPIR = 12Z\n" + outer + ":2: DO " + inner + "\n");
  EXPECT_EQ(p.bench.read("TPIR"), 1u);
  EXPECT_EQ(p.bench.read("WCDR"), 0u);
}

TEST(SurfDo, NestsSixteenDeep) {
  const Folder folder;
  Prompt p;
  const std::string self = folder.file("self");
  folder.write("self", "DO " + self + "\n");
  EXPECT_TRUE(says(p.fails("DO " + self), "more than 16 files"));
  std::string last = folder.write("f1", "TPIR = 7\n");
  for (int i = 2; i <= 16; i++) last = folder.write("f" + std::to_string(i), "DO " + last + "\n");
  p("DO " + last);
  EXPECT_EQ(p.bench.read("TPIR"), 7u);
  p.fails("DO " + folder.write("f17", "DO " + last + "\n"));
}

TEST(SurfDo, QuitEndsAll) {
  const Folder folder;
  Prompt p;
  EXPECT_EQ(p.run("DO " + folder.write("a", "QUIT\nTPIR = 1\n")), Outcome::quit);
  EXPECT_EQ(p.bench.read("TPIR"), 0u);
}

TEST(SurfCompletion, CommandsRegistersFieldsMemories) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(completions("", "h"), (Words{"HELP", "HTCR", "HFCDR", "HFDR"}));
  EXPECT_EQ(completions("", "pclr."), (Words{"PCLR.LED", "PCLR.CAT"}));
  EXPECT_EQ(completions("save ", ""), (Words{"TRACE", "HISTOGRAM", "FIFO"}));
  EXPECT_EQ(completions("DO ", "s"), Words{});
}

TEST(SurfFpga, TakesBitstreamsOfAllKinds) {
  const Folder folder;
  const std::vector<bool> bits = make_bitstream(3);
  const std::string raw = pack(bits);
  std::string bit("\x00\x09\x0F\xF0\x0F\xF0\x0F\xF0\x0F\xF0\x00\x00\x01", 13);
  bit += std::string("a\0\x04", 3) + std::string("has\0", 4) + std::string("b\0\x03", 3) +
         std::string("xc\0", 3);
  bit += 'e';
  for (int shift = 24; shift >= 0; shift -= 8) bit += static_cast<char>(raw.size() >> shift);
  bit += raw;
  std::string rbt = "Xilinx ASCII Bitstream\r\nDesign name: has\r\n";
  for (size_t i = 0; i < bits.size(); i++)
    rbt += fmt::format("{}{}", bits[i] ? 1 : 0, i % 64 == 63 ? "\r\n" : "");
  for (const std::string& file :
       {folder.write("raw", raw), folder.write("a.bit", bit), folder.write("a.rbt", rbt)}) {
    Prompt p;
    EXPECT_EQ(p.shown("FCCR"), "FCCR 00000EE7  TSPD E  HSPD E  DONE 0  ERR 1  CFG 1  PROG 1");
    p("fpga " + file);
    EXPECT_EQ(p.shown("FCCR"), "FCCR 00000EE8  TSPD E  HSPD E  DONE 1  ERR 0  CFG 0  PROG 0");
    EXPECT_EQ(has_address(&p.bench.state().has, 1u << 3), 1u);
    EXPECT_EQ(has_address(&p.bench.state().has, ~(uint64_t{1} << 3)), 0u);
  }
}

TEST(SurfFpga, RefusesWhatIsNone) {
  const Folder folder;
  Prompt p;
  std::string damaged = pack(make_bitstream(3));
  damaged[100] = static_cast<char>(damaged[100] ^ 4);
  EXPECT_TRUE(says(p.fails("FPGA " + folder.write("damaged", damaged)), "not configured"));
  EXPECT_TRUE(says(p.fails("FPGA " + folder.write("empty", "")), "empty"));
  EXPECT_TRUE(says(p.fails("FPGA " + folder.write("text", "hello\n")), "not a bitstream"));
  const std::string mixed = folder.write("mixed", "Head\n0101\n01x1\n");
  EXPECT_TRUE(says(p.fails("FPGA " + mixed), mixed + ":3: '01x1'"));
  std::string cut("\x00\x09\x0F\xF0\x0F\xF0\x0F\xF0\x0F\xF0\x00\x00\x01", 13);
  EXPECT_TRUE(says(p.fails("FPGA " + folder.write("cut", cut)), "cut off"));
  cut += std::string("e\0\0\1\0xyz", 8);
  EXPECT_TRUE(says(p.fails("FPGA " + folder.write("cut2", cut)), "promises 256 bytes, 3 are there"));
  EXPECT_EQ(p.fails("FPGA " + folder.path.string()).find("surf: "), 0u);
}

// --- SHOW and HELP: the paper's session byte for byte (B.2.1), and that looking changes nothing ---

TEST(SurfShow, PaperSession) {
  const Folder folder;
  Prompt p;
  prepare_paper_state(p, folder);
  p.out.str("");
  std::istringstream in("help\nshow\nquit\n");
  EXPECT_EQ(p.session.run(in, "session", true), Outcome::quit);
  EXPECT_EQ(p.out.str(), kPaperSession);
  EXPECT_EQ(p.err.str(), "");
}

// The same through readline: a child has the terminal, this process is the user.
TEST(SurfShow, PaperSessionOnATerminal) {
  int terminal;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0 && (errno == ENOENT || errno == ENOSYS))
    GTEST_SKIP() << "no pseudo-terminals on this machine";
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("TERM", "dumb", 1);
    setenv("INPUTRC", "/dev/null", 1);
    const Folder folder;
    Prompt p;
    prepare_paper_state(p, folder);
    Session session(p.board, std::cout, std::cerr);
    run_terminal(session);
    std::cout.flush();
    std::filesystem::remove_all(folder.path);
    _exit(0);
  }
  std::string seen;
  for (const char* line : {"help\n", "show\n", "quit\n", ""}) {
    for (;;) {
      pollfd fd = {terminal, POLLIN, 0};
      if (poll(&fd, 1, 600'000) <= 0) break;
      char text[4096];
      const ssize_t got = ::read(terminal, text, sizeof text);
      if (got <= 0) break;
      seen.append(text, static_cast<size_t>(got));
      if (*line && (seen == "> " || seen.ends_with("\n> "))) break;
    }
    if (*line) {
      ASSERT_EQ(::write(terminal, line, strlen(line)), static_cast<ssize_t>(strlen(line)));
    }
  }
  int status;
  waitpid(child, &status, 0);
  close(terminal);
  std::erase(seen, '\r');
  EXPECT_EQ(status, 0);
  EXPECT_EQ(seen, kPaperSession);
}

TEST(SurfShow, LookingChangesNothing) {
  Prompt p;
  p.all({"ACDR = 0ABCDEF5", "CLEAR FIFO", "HFCDR.EMPTY = 123", "HFCDR.FULL = 456", "HFDR = 1AA"});
  const SurfState before = p.bench.state();
  const std::string first = p("show");
  const SurfState& after = p.bench.state();
  EXPECT_EQ(after.acdr, 0x0ABCDEF5u);
  EXPECT_EQ(after.acdr, before.acdr);
  EXPECT_EQ(after.fifo.pointer, 0);
  EXPECT_EQ(after.fifo.empty_offset, 0x123);
  EXPECT_EQ(after.fifo.full_offset, 0x456);
  EXPECT_EQ(after.fifo.count, 1);
  EXPECT_EQ(p("show"), first);
}

TEST(SurfShow, PowerOn) {
  Prompt p({4 * surf::kMiB, 0});
  EXPECT_EQ(p.shown("FCCR").substr(0, 31), "FCCR 00000CF7  TSPD C  HSPD F  ");
  EXPECT_EQ(p.shown("HTCR"), "HTCR 00000010 PRS 0 FRS 1 TRG 0 WEN 0 HEN 0 TEN 0");
  EXPECT_EQ(p.shown("HFCDR"), "HFCDR ----- EMPTY --- FULL ---");
  EXPECT_TRUE(p.bench.log.empty()) << p.bench.log.front();
}

TEST(SurfShow, BitsByName) {
  Prompt p;
  p("CLEAR FIFO");
  p("HFDR = 100");
  EXPECT_EQ(p.shown("ISCR"), "ISCR 00000008 FNE");
  p("IEMR = 3FFF");
  EXPECT_EQ(p.shown("IEMR"), "IEMR 00003FFF RTV LU LV PV WCV BV FV FF FAF FPF FNE EXT TP TC");
  EXPECT_EQ(p.shown("ISCR"), "ISCR 80000008 PEND FNE");
}

TEST(SurfShow, Fields) {
  Prompt p;
  p.all({"ACDR.LAT_S = 14", "ACDR.SENDID = 4", "ACDR.CATMUX = 1"});
  EXPECT_EQ(p.shown("ACDR"), "ACDR 088A0000 SENDID 4 CATMUX 1 LAT_S 14 LAT_N 0 TSIZE 0");
  p("TTCR = 1F6");
  EXPECT_EQ(p.shown("TTCR"), "TTCR 000001F6 EIP 1 EOP 1 MEOD 1 MEI 1 MBV 1 MODE 1 QUAL 2");
  p("PCLR = 1A");
  EXPECT_EQ(p.shown("PCLR"), "PCLR 0000001A LED 1 CAT A");
  p("TECR = 7FFFFF");
  EXPECT_EQ(p.shown("TECR"), "TECR 007FFFFF ( 8388607.)");
  p("WCDR = FFFFFFFF");
  EXPECT_EQ(p.shown("WCDR"), "WCDR FFFFFFFF ( 4294967295.)");
}

}  // namespace
}  // namespace perfboard::prompt
