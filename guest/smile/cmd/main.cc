// SPDX-License-Identifier: GPL-2.0-or-later
// smile - the SMiLE hardware monitors and the PCI-SCI adapter from the command line.
// Exit code 0; 1 if a card or the system refuses, or records were lost; 2 for a wrong command line. `smile
// run` and `smile watch ... -- CMD`: the program's, if that is not 0.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <climits>
#include <cstdio>

#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/common/tool_main.h"
#include "guest/smile/cmd/commands.h"

namespace perfboard::smile {

// The program that smile runs.

namespace {

// Between fork() and exec(): the child's listener gets to its parent. The descriptor closes with exec(), so
// the child waits until the parent has its own.
class Handover {
 public:
  explicit Handover(bool wanted) : wanted_(wanted) {
    if (wanted_ && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_))
      throw system_failure("socketpair");
  }
  ~Handover() {
    for (const int fd : {ends_[0], ends_[1], listener_})
      if (fd >= 0) close(fd);
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  void in_child() {
    if (!wanted_) return;
    int number = Follower::listen();
    if (write(ends_[1], &number, sizeof number) < 0 || read(ends_[1], &number, sizeof number) < 0) _exit(126);
  }
  // -1: none.
  int in_parent(int child) {
    int number = -1;
    if (!wanted_ || read(ends_[0], &number, sizeof number) != sizeof number) return -1;
    if (number >= 0) listener_ = static_cast<int>(syscall(SYS_pidfd_getfd, child, number, 0));
    return write(ends_[0], &number, sizeof number) < 0 ? -1 : listener_;
  }

 private:
  bool wanted_;
  int ends_[2] = {-1, -1};
  int listener_ = -1;
};

}  // namespace

int run_program(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                void (*ready)(void*, size_t), void* context, Follower* follower) {
  Handover handover(follower);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw system_failure("fork");
  if (!child) {
    handover.in_child();
    become("smile: ", words);
  }
  // A signal from the terminal is the program's: its end is ours.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::vector<pollfd> polled;
  for (int fd : descriptors) polled.push_back({fd, POLLIN, 0});
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const int listener = handover.in_parent(ended);
  polled.push_back({listener, POLLIN, 0});
  polled.push_back({ended, POLLIN, 0});
  while (ended >= 0 && poll(polled.data(), polled.size(), -1) >= 0 && !polled.back().revents) {
    for (size_t i = 0; i < descriptors.size(); ++i)
      if (polled[i].revents) ready(context, i);
    if (polled[descriptors.size()].revents & POLLIN) follower->serve(listener);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended >= 0) close(ended);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  return status_of(status);
}

namespace {

struct Program {
  Words w;
  int status = 0;
};

void dynamic_options(Arguments& a, Words& w) {
  a.option("-r,--range", w.range, "so many bytes count as one region, for the monitor: Max_Range")
      .type("BYTES")
      .show_default();
  a.option("-f,--filter", w.filter,
           "what is counted: sent, received, all, or words such as read+request+inbound")
      .show_default();
}

void unit_option(Arguments& a, Words& w) {
  a.option("-u,--unit", w.unit, "of the histogram: a power of two").type("BYTES").show_default();
}

// What the file is for differs.
void names_option(Arguments& a, Words& w, const std::string& text) {
  a.option("--names", w.names, text).type("FILE");
}

void declare(Arguments& args, Program& p) {
  Words& w = p.w;
  args.version("smile (Perfboard) " PERFBOARD_VERSION);
  args.option("-c,--card", w.cards, "monitors: a list such as 0,2-3, or all").type("LIST").show_default();
  args.command("info", "The adapter, the monitors and what they do", [&] { info(w); })
      .flag("--csv", w.csv, "comma-separated values");

  args.command("load", "Load a design: dynamic, static, initial, or another of /lib/firmware/smile",
               [&] { load(w); })
      .option("DESIGN", w.design, "")
      .required();

  dynamic_options(args.command("start", "Dynamic monitoring begins anew", [&] { start(w); }), w);
  args.command("stop", "The monitors stop; what they have counted stays", [&] { stop(w); });

  Arguments& dumps = args.command("dump", "What was counted since the last dump, as CSV", [&] { dump(w); });
  unit_option(dumps, w);
  dumps.option("-o,--output", w.file, "write here instead of standard output").type("FILE");
  names_option(dumps, w, "by structure: name,source,destination,count; names out of this file");
  dumps.flag("--no-swap", w.no_swap, "leave in the range tables what is in there");

  Arguments& runs =
      args.command("run", "Run a program under dynamic monitoring: smile run [OPTIONS] -- COMMAND...", [&] {
        if (w.command.empty()) Arguments::missing("-- COMMAND");
        p.status = run(w);
      });
  dynamic_options(runs, w);
  unit_option(runs, w);
  runs.option("-n,--rows", w.rows, "rows of the report").show_default();
  names_option(runs, w,
               "report by structure, too: the program writes their names into this file (SMILE_NAMES), or it "
               "is there");
  runs.option("-o,--csv", w.file, "the histogram as CSV; -: instead of the report").type("FILE");

  Arguments& tops = args.command("top", "The hottest remote regions, again and again", [&] { top(w); });
  dynamic_options(tops, w);
  unit_option(tops, w);
  tops.option("-i,--interval", w.interval, "seconds").positive().show_default();
  tops.option("-n,--count", w.count, "end after so many; 0: when interrupted").show_default();
  tops.option("--rows", w.rows, "rows each time").show_default();
  names_option(tops, w, "names of structures beside the rows");

  Arguments& watches = args.command(
      "watch",
      "Count accesses to data structures with the static design: smile watch NAME=RANGE... [-- COMMAND...]",
      [&] {
        if (w.watches.empty() && w.names.empty()) Arguments::missing("NAME_RANGE");
        p.status = watch(w);
      });
  watches.option("NAME_RANGE", w.watches,
                 "bytes of the window, FIRST-LAST or FIRST+BYTES; then ,filter=FILTER ,start=EVENT "
                 ",stop=EVENT as need be. EVENT: "
                 "timer, global1 to global15, or a structure's name");
  names_option(watches, w, "NAME alone is one of this file's; without any word: all of them");
  watches.option("--timer", w.timer_ns, "period of the timer event, ns").type("NS");
  watches.option("-i,--interval", w.interval, "seconds, without a command").positive().show_default();
  watches.option("-n,--count", w.count, "end after so many; 0: when interrupted").show_default();
  watches.flag("--csv", w.csv, "comma-separated values");

  Arguments& timelines = args.command(
      "timeline",
      "Monitors, driver, library and program on one clock: smile timeline [OPTIONS] -- COMMAND...", [&] {
        if (w.command.empty()) Arguments::missing("-- COMMAND");
        p.status = timeline(w);
      });
  timelines.option("-o,--output", w.file, "JSON for ui.perfetto.dev; without it: standard output")
      .type("FILE");
  dynamic_options(timelines, w);
  timelines.option("-i,--interval", w.interval, "seconds between readouts of the monitors")
      .positive()
      .show_default();
  names_option(timelines, w, "curves by structure instead of node and home; as for run");
  unit_option(timelines, w);
  timelines.option("--buffer", w.buffer_kb, "KB for each processor's events")
      .range(4, 1 << 20)
      .show_default();

  args.command("event", "A global event happens: 1 to 15", [&] { event(w); })
      .option("EVENT", w.event, "")
      .required();

  Arguments& advices = args.command("advise", "Pages that have a better home, out of what dump or run wrote",
                                    [&] { advise(w); });
  advices.option("FILE", w.input, "read this instead of standard input").type("FILE");
  advices.option("--least", w.least, "leave out pages that gain less").show_default();
  advices.option("--percent", w.percent, "the better home has at least this part of a page's remote accesses")
      .show_default();

  Arguments& applies = args.command("apply", "Move pages as advised, while programs run", [&] { apply(w); });
  applies.option("FILE", w.input, "read this instead of standard input").type("FILE");
  applies.flag("--dry-run", w.dry_run, "say what would be done");

  Arguments& adapts = args.command(
      "adapt",
      "Pages, or threads, move to where they cross the network least, again and again: smile adapt [OPTIONS] "
      "[-- COMMAND...]",
      [&] { p.status = adapt(w); });
  dynamic_options(adapts, w);
  adapts.option("-i,--interval", w.interval, "seconds").positive().show_default();
  adapts.option("-n,--count", w.count, "end after so many; 0: when interrupted. With COMMAND: when it ends")
      .show_default();
  adapts.flag("--threads", w.threads,
              "not pages but threads, to the nodes whose memory they use most: COMMAND's, or those of --pid");
  adapts.option("--pid", w.pid, "a process that runs already: its threads, and those of all that it starts")
      .type("NUMBER")
      .range(1, INT_MAX);
  adapts.option("--least", w.least, "accesses in an interval that a move must save").show_default();
  adapts.option("--margin", w.margin, "percent by which a better place must be better").show_default();
  adapts.option("--rest", w.rest, "intervals that what has moved stays").show_default();
  adapts
      .option("--fade", w.fade,
              "intervals until half of what is known of a page's use at home, or of a thread's, is forgotten")
      .positive()
      .show_default();
  adapts.option("-o,--csv", w.file, "a line for each interval").type("FILE");
  adapts.flag("--dry-run", w.dry_run, "move nothing");
  args.footer(
      "Exit code: 0; 1 if a card or the system refuses, or records were lost; 2 for a wrong command line; "
      "that\n"
      "of a program that was run.");
}

int execute(int argc, char** argv) {
  Program p;
  // What is behind the first -- is a program's.
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string("--"));
  if (dashes != end) p.w.command.assign(dashes + 1, end);
  Arguments args("smile",
                 "The SMiLE hardware monitors: what crosses the network of a cluster with shared memory. "
                 "`smile run -- COMMAND`,\n"
                 "`smile dump | smile advise | smile apply`.");
  declare(args, p);
  const auto failed = [](int status, const char* text) {
    std::fputs(fmt::format("smile: {}\n", text).c_str(), stderr);
    return status;
  };
  try {
    if (const std::optional<int> status = args.parse(static_cast<int>(dashes - argv), argv)) return *status;
  } catch (const UsageError& e) {
    return failed(2, e.what());
  } catch (const std::runtime_error& e) {
    return failed(1, e.what());
  }
  return std::fflush(stdout) ? 1 : p.status;
}

}  // namespace
}  // namespace perfboard::smile

PERFBOARD_TOOL(smile) {
  perfboard::hold_standard_descriptors();
  return perfboard::smile::execute(argc, argv);
}
