// SPDX-License-Identifier: GPL-2.0-or-later
// SHOW and HELP: the paper's session byte for byte (B.2.1), and that looking changes nothing.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "guest/surfboard/cmd/show.h"
#include "guest/surfboard/cmd/terminal.h"
#include "tests/unit/surfboard/surf_fixture.h"

namespace perfboard::prompt {
namespace {

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
  p("ACDR = 0ABCDEF5");
  p("CLEAR FIFO");
  p("HFCDR.EMPTY = 123");
  p("HFCDR.FULL = 456");
  p("HFDR = 1AA");
  const SurfState before = p.board.bench.state();
  const std::string first = p("show");
  const SurfState& after = p.board.bench.state();
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
  EXPECT_TRUE(p.board.bench.log.empty()) << p.board.bench.log.front();
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
  p("ACDR.LAT_S = 14");
  p("ACDR.SENDID = 4");
  p("ACDR.CATMUX = 1");
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
